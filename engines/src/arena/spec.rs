//! Players as text: `NAME=engine:...`, `NAME=cmd:...`, `NAME=server:...`. Only parses; starts nothing.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use crate::protocol::Settings;
use crate::search::Level;

/// The longest time that a player or a limit may have.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The error for a text that describes no player; it says what is wrong and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSpec(pub String);

fn bad<T>(text: impl Into<String>) -> Result<T, BadSpec> {
    Err(BadSpec(text.into()))
}

/// A player with the name it has in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contestant {
    /// Its name, without spaces.
    pub name: String,
    /// Its kind and settings.
    pub spec: PlayerSpec,
    /// The text that described it.
    pub text: String,
}

impl FromStr for Contestant {
    type Err = BadSpec;

    fn from_str(s: &str) -> Result<Self, BadSpec> {
        let Some((name, text)) = s.split_once('=') else {
            return bad(format!("'{s}': a player is NAME=SPEC, for example A=engine"));
        };
        let name = name.trim();
        if name.is_empty() || name.len() > 40 || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return bad(format!("'{name}': a player's name is 1 to 40 bytes without spaces"));
        }
        Ok(Self { name: name.to_owned(), spec: text.parse()?, text: text.to_owned() })
    }
}

/// The kind and settings of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerSpec {
    /// An engine of the game, run in this process.
    Engine {
        /// Its name; `None`: the game's best.
        name: Option<String>,
        /// How well it plays.
        level: Level,
        /// Longest thinking time of one decision.
        think: Option<Duration>,
        /// Maximum number of nodes of one decision.
        nodes: Option<u64>,
    },
    /// A program that speaks the official dialogue.
    Command {
        /// Its words, the program first.
        words: Vec<String>,
        /// Settings of the referee's side of its dialogue.
        referee: Settings,
    },
    /// A program in a sandbox that speaks the official dialogue; its clock counts instructions.
    Program {
        /// The file of its WebAssembly module.
        file: String,
        /// Settings of the referee's side of its dialogue.
        referee: Settings,
    },
    /// A server that answers move requests.
    Server {
        /// Its address, without a slash at the end.
        url: String,
        /// Thinking time to ask for.
        think: Option<Duration>,
        /// Nodes to ask for.
        nodes: Option<u64>,
        /// Level to ask for; `None`: the server's default.
        level: Option<Level>,
        /// The seed to send with every request; `None`: one derived for each decision.
        seed: Option<u64>,
    },
}

impl FromStr for PlayerSpec {
    type Err = BadSpec;

    fn from_str(s: &str) -> Result<Self, BadSpec> {
        let (kind, rest) = s.split_once(':').unwrap_or((s, ""));
        let (kind, referee) = kind.split_once(',').map_or((kind, None), |(kind, set)| (kind, Some(set)));
        if referee.is_some() && !["cmd", "wasm"].contains(&kind) {
            return bad(format!(
                "'{s}': settings come before the ':' only in cmd,NAME=VALUE:PROGRAM and wasm,NAME=VALUE:FILE"
            ));
        }
        match kind {
            "engine" => {
                let mut set = Set::parse(rest, &["name", "level", "think", "nodes"])?;
                Ok(Self::Engine {
                    name: set.take("name", |v| Ok(v.to_owned()))?,
                    level: set.take("level", Level::from_str)?.unwrap_or_default(),
                    think: set.take("think", duration)?,
                    nodes: set.take("nodes", number)?,
                })
            }
            "cmd" => {
                Ok(Self::Command { words: words(rest)?, referee: settings(referee.unwrap_or_default())? })
            }
            "wasm" if rest.trim().is_empty() => {
                bad(format!("'{s}': after wasm: comes the file of a program"))
            }
            "wasm" => {
                let file = rest.trim().to_owned();
                Ok(Self::Program { file, referee: settings(referee.unwrap_or_default())? })
            }
            "server" => {
                let (url, rest) = rest.split_once(',').unwrap_or((rest, ""));
                if !url.starts_with("http://") && !url.starts_with("https://") {
                    return bad(format!("'{url}': a server's address begins with http:// or https://"));
                }
                let mut set = Set::parse(rest, &["think", "nodes", "level", "seed"])?;
                Ok(Self::Server {
                    url: url.trim_end_matches('/').to_owned(),
                    think: set.take("think", duration)?,
                    nodes: set.take("nodes", number)?,
                    level: set.take("level", Level::from_str)?,
                    seed: set.take("seed", number)?,
                })
            }
            _ => bad(format!(
                "'{s}': a player is engine[:...], cmd:PROGRAM ..., wasm:FILE or server:URL[,...]"
            )),
        }
    }
}

impl PlayerSpec {
    /// The settings of the referee's side, if the player speaks the official dialogue.
    pub fn referee(&self) -> Option<&Settings> {
        match self {
            Self::Command { referee, .. } | Self::Program { referee, .. } => Some(referee),
            Self::Engine { .. } | Self::Server { .. } => None,
        }
    }

    /// The same player with these settings of the referee's side, if it speaks the official dialogue.
    #[must_use]
    pub fn with_referee(&self, settings: &Settings) -> Self {
        let mut player = self.clone();
        if let Self::Command { referee, .. } | Self::Program { referee, .. } = &mut player {
            referee.clone_from(settings);
        }
        player
    }

    /// The command line or the file of a player that speaks the official dialogue; of other players a description.
    pub fn command_line(&self) -> String {
        match self {
            Self::Command { words, .. } => words.join(" "),
            Self::Program { file, .. } => file.clone(),
            Self::Engine { .. } | Self::Server { .. } => self.to_string(),
        }
    }
}

impl Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine { name, .. } => write!(f, "engine {}", name.as_deref().unwrap_or("(the best)")),
            Self::Command { words, .. } => write!(f, "program {}", words[0]),
            Self::Program { file, .. } => write!(f, "program {file}"),
            Self::Server { url, .. } => write!(f, "server {url}"),
        }
    }
}

/// The settings in `NAME=VALUE,NAME=VALUE`. The game checks names and values.
fn settings(text: &str) -> Result<Settings, BadSpec> {
    let mut settings = Settings::default();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let Some((name, value)) = part.split_once('=') else {
            return bad(format!("'{part}': a setting of the referee's side is NAME=VALUE"));
        };
        if settings.0.insert(name.to_owned(), value.to_owned()).is_some() {
            return bad(format!("'{name}' is set twice"));
        }
    }
    Ok(settings)
}

/// `key=value` pairs between commas.
struct Set<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Set<'t> {
    fn parse(text: &'t str, known: &[&str]) -> Result<Self, BadSpec> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in text.split(',').filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            if !known.contains(&key) {
                return bad(format!("'{part}': what can be set here is {}", known.join(", ")));
            }
            if pairs.iter().any(|(k, _)| *k == key) {
                return bad(format!("'{key}' is set twice"));
            }
            pairs.push((key, value));
        }
        Ok(Self(pairs))
    }

    fn take<T>(&mut self, key: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, BadSpec> {
        let found = self.0.iter().find(|(k, _)| *k == key);
        found.map(|(_, v)| read(v).map_err(|e| BadSpec(format!("{key}: {e}")))).transpose()
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is not a whole number"))
}

/// A time as people write it: `500ms`, `2s`, `1.5s`, `1m 30s`.
///
/// # Errors
/// When there is no number or no unit, or it is more than a day.
fn duration(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text)
        .map_err(|e| format!("'{text}' is not a time, write it as 500ms or 1.5s: {e}"))?;
    if time > LONGEST { Err(format!("'{text}' is more than a day")) } else { Ok(time) }
}

/// A time limit as people write it: milliseconds, or a time with a unit.
///
/// # Errors
/// When it is neither, or more than a day.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    if text.bytes().all(|b| b.is_ascii_digit()) { duration(&format!("{text}ms")) } else { duration(text) }
}

/// Splits a command line into words as a POSIX shell does: spaces separate, quotes and backslashes protect, `#` begins a
/// comment. Nothing is expanded.
///
/// # Errors
/// When a quote is not closed, a backslash ends the text, or there is no word.
fn words(text: &str) -> Result<Vec<String>, BadSpec> {
    match shlex::split(text) {
        None => bad("a quote is not closed in the command, or it ends with a backslash"),
        Some(words) if words.first().is_none_or(String::is_empty) => bad("cmd: needs a program"),
        Some(words) => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_like_a_shell_does() {
        let split = |s: &str| words(s).map_err(|e| e.0);
        assert_eq!(split("./bot -x  1"), Ok(vec!["./bot".into(), "-x".into(), "1".into()]));
        assert_eq!(
            split(r#"sh -c 'read a; echo "$a"' "two words" a\ b "q\"\n" '' x'y'"z""#).unwrap(),
            ["sh", "-c", r#"read a; echo "$a""#, "two words", "a b", r#"q"\n"#, "", "xyz"]
        );
        for bad in ["", "   ", "'", "a 'b", "a \"b", "a \"b\\", "a \\", "''"] {
            assert!(split(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn times_have_a_unit() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("0.25ms"), Ok(Duration::from_micros(250)));
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
        for bad in ["", "5", "ms", "s", "-1s", "infs", "nans", "1e9s", "90000s", "1.2.3s", "1."] {
            let error = duration(bad).expect_err(bad);
            assert!(error.starts_with(&format!("'{bad}' is ")), "{error}");
        }
        assert_eq!(time_limit("250"), Ok(Duration::from_millis(250)));
        assert_eq!(time_limit("1.5s"), duration("1.5s"));
        for bad in ["", "-1", "1.5", "x", "99999999999", "99999999999999999999"] {
            assert!(time_limit(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn players_are_read() {
        let a: Contestant = "A=engine:name=x,level=hard,think=500ms,nodes=9".parse().unwrap();
        assert_eq!(a.name, "A");
        let wanted = PlayerSpec::Engine {
            name: Some("x".into()),
            level: Level::Hard,
            think: Some(Duration::from_millis(500)),
            nodes: Some(9),
        };
        assert_eq!(a.spec, wanted);
        let b: Contestant = "b=cmd:./bot a=b,c:d".parse().unwrap();
        let command = |settings: &[(&str, &str)]| PlayerSpec::Command {
            words: vec!["./bot".into(), "a=b,c:d".into()],
            referee: Settings(settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect()),
        };
        assert_eq!(b.spec, command(&[]));
        let b: Contestant = "b=cmd,base=0:./bot a=b,c:d".parse().unwrap();
        assert_eq!(b.spec, command(&[("base", "0")]));
        let c: Contestant = "c=server:http://[::1]:80/,think=1s,level=easy,seed=3".parse().unwrap();
        let PlayerSpec::Server { url, think, nodes, level, seed } = c.spec else { panic!("{c:?}") };
        assert_eq!((url.as_str(), nodes, level, seed), ("http://[::1]:80", None, Some(Level::Easy), Some(3)));
        assert_eq!(think, Some(Duration::from_secs(1)));
    }

    #[test]
    fn invalid_player_specs_are_refused_with_a_hint() {
        for (text, hint) in [
            ("engine", "NAME=SPEC"),
            ("=engine", "name"),
            ("A B=engine", "name"),
            ("A=robot", "cmd:"),
            ("A=engine:level=worst", "level"),
            ("A=engine:nodes=-1", "nodes"),
            ("A=engine:think=5", "think"),
            ("A=engine:nodes=1,nodes=2", "twice"),
            ("A=engine:speed=1", "name, level, think, nodes"),
            ("A=cmd:", "program"),
            ("A=cmd,base:./bot", "NAME=VALUE"),
            ("A=cmd,base=0,base=1:./bot", "twice"),
            ("A=engine,base=0:", "before the ':'"),
            ("A=server:ftp://x", "http://"),
        ] {
            let error = text.parse::<Contestant>().unwrap_err().0;
            assert!(error.contains(hint), "{text}: {error}");
        }
    }
}
