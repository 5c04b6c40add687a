//! Facts about each game for the help and the limits: thinking time, the contest's limit, the pass and the settings of
//! the dialogue. Data only, copied from the engines' registry, which a build without engines does not link. The program
//! can also play games that are not listed.

use std::fmt::Write;

mod table;

pub(crate) use table::GAMES;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GameFacts {
    /// The game's name in commands and URL paths.
    pub slug: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Whether the game has a contest.
    pub contest: bool,
    /// Whether the contest starts a new process for every move.
    pub process_per_move: bool,
    /// Default thinking time of a move, in milliseconds.
    pub think_ms: u64,
    /// The contest's limit for a move, in milliseconds.
    pub move_limit_ms: Option<u64>,
    /// The contest's limit for all moves of a match together, in milliseconds.
    pub match_limit_ms: Option<u64>,
    /// The longest thinking time of a move within these limits, in milliseconds.
    pub longest_ms: Option<u64>,
    /// Whether the limits count processor time instead of wall time.
    pub counts_processor_time: bool,
    /// The line that passes the turn.
    pub pass: Option<&'static str>,
    /// The settings of the dialogue.
    pub settings: &'static [SettingFacts],
}

/// A setting of a dialogue.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SettingFacts {
    pub name: &'static str,
    /// Its possible values, in words.
    pub values: &'static str,
    /// Its default value.
    pub default: &'static str,
    /// Its effect.
    pub meaning: &'static str,
}

/// The facts of the game with this name.
pub(crate) fn find(slug: &str) -> Option<&'static GameFacts> {
    GAMES.iter().find(|game| game.slug == slug)
}

/// The names of all listed games, separated by commas.
pub(crate) fn names() -> String {
    GAMES.iter().map(|game| game.slug).collect::<Vec<_>>().join(", ")
}

/// The error for a game that is not listed.
pub(crate) fn unknown(slug: &str) -> String {
    format!("this program plays no game called {slug:?}; its games are {}", names())
}

impl GameFacts {
    /// The contest's limit in words.
    pub(crate) fn limit(&self) -> Option<String> {
        let clock = if self.counts_processor_time { " of processor time" } else { "" };
        match (self.move_limit_ms, self.match_limit_ms) {
            (Some(ms), _) => Some(format!("{ms} ms{clock} a move")),
            (None, Some(ms)) => Some(format!("{ms} ms{clock} for all moves of a match")),
            (None, None) => None,
        }
    }

    /// The longest allowed thinking time, in milliseconds, and a note for the user, if `think_ms` is longer.
    pub(crate) fn cut(&self, think_ms: u64) -> Option<(u64, String)> {
        let longest = self.longest_ms.filter(|longest| think_ms > *longest)?;
        let (title, limit) = (self.title, self.limit().unwrap_or_default());
        let note = format!(
            "thinking time cut from {think_ms} to {longest} ms a move: {title}'s contest allows {limit}"
        );
        Some((longest, note))
    }

    /// The game's part of `--help`.
    pub(crate) fn help(&self) -> String {
        let mut text = format!("{}: kibitz-shim {}\n\n", self.title, self.slug);
        let process = if self.process_per_move { "one for every move" } else { "one for the whole match" };
        let limit = match (self.limit(), self.longest_ms) {
            (Some(limit), Some(longest)) => {
                format!("{limit}; a longer --think is cut to {longest} ms a move")
            }
            _ => "none is known".to_owned(),
        };
        let mut line = |name: &str, what: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {name:<17}{what}");
        };
        line("Process", process);
        line("Thinking time", &format!("{} ms a move without --think", self.think_ms));
        if self.contest {
            line("Contest's limit", &limit);
        }
        if let Some(pass) = self.pass {
            line("Without answer", &format!("prints the pass, {pass}, and ends with status 0"));
        }
        if self.settings.is_empty() {
            line("Settings", "none of its own");
            return text;
        }
        line("Settings", "each with --option NAME=VALUE");
        for SettingFacts { name, values, default, meaning } in self.settings {
            // Writing to a string cannot fail.
            let _ = write!(text, "      {name}={values}; default {default}\n          {meaning}\n");
        }
        text
    }
}
