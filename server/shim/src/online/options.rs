//! The options of `kibitz-shim play`. Pure: it reads arguments and environment only through its parameters.

use crate::network::address::ServerAddress;
use crate::options::{Environment, QueryParameters, text, time, usage, value};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The text that `kibitz-shim play --help` prints.
pub(crate) const HELP: &str = "\
Keeps a bot online: accepts challenges and pairings, and plays each match with a process of its own.

Usage: kibitz-shim play SERVER --game GAME [OPTIONS] -- BOT [ARGUMENTS]

SERVER is http://HOST or https://HOST. BOT is started unchanged, once for a match or once for each move, as the game's
contest does. One connection stays open; it survives restarts of the server and of the network. After a restart of this
program the running matches go on. SIGTERM ends it; the seats stay taken.

      --game GAME                           the game that BOT plays
      --token-file F  KIBITZ_TOKEN_FILE     a file with a token of the bot, best one of the scope
                                            bot:NAME; or the token itself in KIBITZ_TOKEN
      --concurrent N                        how many matches at a time; default 1
      --rated R                             any, only or never; default any
      --clock A-B                           the shortest and the longest clock, such as 30s-600s; default any
      --timed                               only matches with a clock
      --from WHOM                           anyone, people, bots or owner; default anyone
      --referee K=V   KIBITZ_REFEREE        a setting of the referee's side of all dialogues, such as base=0 in Splendor;
                                            may be repeated; the variable takes K=V,K=V
      --no-ladder                           do not play on the permanent ladder
      --bot-version TEXT  KIBITZ_BOT_VERSION
                                            the version of BOT, which its page and its faults name
      --log-dir DIR   KIBITZ_LOG_DIR        write a file for each match: the dialogue, times, and what BOT writes to
                                            standard error
      --ca FILE       KIBITZ_CA             trust the certificates in this PEM file instead of the system's
      --verbose       KIBITZ_VERBOSE=1      show all remarks of the server on standard error
  -h, --help
";

/// The bot, its server, and the matches that it plays.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OnlineOptions {
    pub server: ServerAddress,
    /// The game, as the server names it.
    pub game: String,
    /// The token, or the file that has it.
    pub token: TokenSource,
    /// The maximum number of matches at a time.
    pub concurrent: u32,
    /// Whether to play rated matches: a word of the server's.
    pub rated: String,
    /// The shortest and the longest clock, in milliseconds.
    pub clock_ms: Option<(u64, u64)>,
    /// Whether to play only matches with a clock.
    pub timed: bool,
    /// The players whose challenges to accept: a word of the server's.
    pub from: String,
    /// Whether it plays on the permanent ladder.
    pub ladder: bool,
    /// Settings of the referee's side of all dialogues, in the server's words.
    pub referee: Vec<(String, String)>,
    /// The version under which the server stores the bot's matches.
    pub bot_version: Option<String>,
    /// A file with certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// The folder for log files.
    pub log_dir: Option<PathBuf>,
    /// Whether to show all remarks of the server.
    pub verbose: bool,
    /// The bot and its arguments: at least one word.
    pub command: Vec<OsString>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TokenSource {
    /// The token itself.
    Text(String),
    /// The path of a file that contains the token.
    File(PathBuf),
}

impl TokenSource {
    /// The file, otherwise the token itself.
    ///
    /// # Errors
    /// One sentence for the user, if there is neither.
    pub(crate) fn of(file: Option<OsString>, token: Option<String>) -> Result<Self, String> {
        match (file, token) {
            (Some(file), _) => Ok(Self::File(file.into())),
            (None, Some(token)) => Ok(Self::Text(token)),
            (None, None) => {
                let missing = "no token: write the bot's token into a file and name it with --token-file, \
                               or set KIBITZ_TOKEN";
                Err(missing.to_owned())
            }
        }
    }
}

/// The options while they are read.
#[derive(Default)]
struct OnlineDraft {
    url: Option<String>,
    game: Option<String>,
    token: Option<String>,
    token_file: Option<OsString>,
    concurrent: Option<u32>,
    rated: Option<String>,
    clock: Option<(u64, u64)>,
    timed: bool,
    from: Option<String>,
    no_ladder: bool,
    referee: QueryParameters,
    bot_version: Option<String>,
    ca: Option<OsString>,
    log_dir: Option<OsString>,
    verbose: bool,
    command: Vec<OsString>,
}

/// Reads the arguments after `play`; `None`: the user asks for help.
///
/// # Errors
/// One sentence for the user, without secrets.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment<'_>,
) -> Result<Option<OnlineOptions>, String> {
    let mut draft = OnlineDraft {
        token: environment.text("KIBITZ_TOKEN")?,
        token_file: environment.variable("KIBITZ_TOKEN_FILE"),
        verbose: environment.switch("KIBITZ_VERBOSE")?,
        bot_version: environment.text("KIBITZ_BOT_VERSION")?,
        ca: environment.variable("KIBITZ_CA"),
        log_dir: environment.variable("KIBITZ_LOG_DIR"),
        referee: QueryParameters::of_variable(environment, "KIBITZ_REFEREE")?,
        ..OnlineDraft::default()
    };
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Short('h') | Long("help") => return Ok(None),
            Long("game") => draft.game = Some(value(&mut parser, "--game")?),
            Long("token-file") => draft.token_file = Some(parser.value().map_err(usage)?),
            Long("concurrent") => {
                let number = value(&mut parser, "--concurrent")?;
                let parsed = number.parse().ok().filter(|number| (1..=64).contains(number));
                let wrong = || format!("--concurrent must be a number from 1 to 64, not {number:?}");
                draft.concurrent = Some(parsed.ok_or_else(wrong)?);
            }
            Long("rated") => {
                draft.rated =
                    Some(one_of(value(&mut parser, "--rated")?, "--rated", &["any", "only", "never"])?);
            }
            Long("from") => {
                let words = ["anyone", "people", "bots", "owner"];
                draft.from = Some(one_of(value(&mut parser, "--from")?, "--from", &words)?);
            }
            Long("clock") => draft.clock = clock(&value(&mut parser, "--clock")?)?,
            Long("timed") => draft.timed = true,
            Long("no-ladder") => draft.no_ladder = true,
            Long("referee") => draft.referee.set_pair(&value(&mut parser, "--referee")?, "--referee")?,
            Long("bot-version") => draft.bot_version = Some(value(&mut parser, "--bot-version")?),
            Long("ca") => draft.ca = Some(parser.value().map_err(usage)?),
            Long("log-dir") => draft.log_dir = Some(parser.value().map_err(usage)?),
            Long("verbose") => draft.verbose = true,
            Value(word) if draft.url.is_none() => draft.url = Some(text(word, "SERVER")?),
            Value(word) => {
                draft.command.push(word);
                draft.command.extend(parser.raw_args().map_err(usage)?);
            }
            other => return Err(usage(other.unexpected())),
        }
    }
    draft.finish().map(Some)
}

fn one_of(word: String, name: &str, words: &[&str]) -> Result<String, String> {
    match words.contains(&word.as_str()) {
        true => Ok(word),
        false => Err(format!("{name} must be one of {}, not {word:?}", words.join(", "))),
    }
}

/// `any`, or the shortest and the longest clock, such as `30s-600s`. The unit is needed: elsewhere a bare number means
/// milliseconds, which would be a mistake here.
fn clock(range: &str) -> Result<Option<(u64, u64)>, String> {
    if range == "any" {
        return Ok(None);
    }
    let wrong = || format!("--clock must be any, or two times such as 30s-600s, not {range:?}");
    let (least, most) = range.split_once('-').ok_or_else(wrong)?;
    if [least, most].iter().any(|time| !time.ends_with('s')) {
        return Err(format!(
            "--clock needs a unit, s or ms, after both times, such as 30s-600s, not {range:?}"
        ));
    }
    let range = (time::milliseconds(least, "--clock")?, time::milliseconds(most, "--clock")?);
    if range.0 <= range.1 { Ok(Some(range)) } else { Err(wrong()) }
}

impl OnlineDraft {
    fn finish(self) -> Result<OnlineOptions, String> {
        let url = self.url.ok_or("no server chosen: kibitz-shim play http://HOST --game GAME -- BOT")?;
        let game = self.game.filter(|game| !game.is_empty()).ok_or("no game chosen: --game GAME")?;
        if self.command.is_empty() {
            return Err("no bot chosen: give its program after --".to_owned());
        }
        let token = TokenSource::of(self.token_file, self.token)?;
        Ok(OnlineOptions {
            server: ServerAddress::parse(&url)?,
            game,
            token,
            concurrent: self.concurrent.unwrap_or(1),
            rated: self.rated.unwrap_or_else(|| "any".to_owned()),
            clock_ms: self.clock,
            timed: self.timed,
            from: self.from.unwrap_or_else(|| "anyone".to_owned()),
            ladder: !self.no_ladder,
            referee: self.referee.into_pairs(),
            bot_version: self.bot_version,
            ca: self.ca.map(PathBuf::from),
            log_dir: self.log_dir.map(PathBuf::from),
            verbose: self.verbose,
            command: self.command,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str], env: &[(&str, &str)]) -> Result<Option<OnlineOptions>, String> {
        let find = |key: &str| env.iter().find(|(k, _)| *k == key).map(|(_, v)| OsString::from(v));
        let environment = Environment { env: &find, built_game: None, built_server: None, program: &[] };
        parse(args.iter().map(OsString::from), &environment)
    }

    const TOKEN: &[(&str, &str)] = &[("KIBITZ_TOKEN", "kbp_secret")];

    #[test]
    fn options_are_read() {
        let args = ["http://h/base", "--game", "chosen", "--concurrent", "3", "--rated", "only", "--clock"];
        let rest = [
            "30s-600s",
            "--timed",
            "--no-ladder",
            "--bot-version",
            "1.4 beta",
            "--referee",
            "base=0",
            "--from",
            "people",
            "--",
            "./bot",
            "--game",
            "x",
        ];
        let options = parsed(&[&args[..], &rest].concat(), TOKEN).unwrap().unwrap();
        assert_eq!(
            (options.game.as_str(), options.concurrent, options.rated.as_str()),
            ("chosen", 3, "only")
        );
        assert_eq!(
            (options.clock_ms, options.timed, options.from.as_str()),
            (Some((30_000, 600_000)), true, "people")
        );
        assert!(!options.ladder);
        assert_eq!(options.referee, [("base".into(), "0".into())]);
        assert_eq!(options.bot_version.as_deref(), Some("1.4 beta"));
        assert_eq!(options.command, ["./bot", "--game", "x"]);
        let usual =
            parsed(&["http://h", "--game", "g", "bot"], &[("KIBITZ_TOKEN_FILE", "f")]).unwrap().unwrap();
        assert!(usual.ladder);
        assert_eq!((usual.token, usual.concurrent, usual.timed), (TokenSource::File("f".into()), 1, false));
        assert_eq!((usual.rated.as_str(), usual.from.as_str(), usual.clock_ms), ("any", "anyone", None));
        assert_eq!(parsed(&["--help"], &[]), Ok(None));
    }

    #[test]
    fn wrong_use_gives_one_sentence_without_secrets() {
        for args in [
            &["--game", "g", "--", "bot"][..],
            &["http://h", "--", "bot"],
            &["http://h", "--game", "g"],
            &["http://h", "--game", "g", "--concurrent", "0", "--", "bot"],
            &["http://h", "--game", "g", "--rated", "maybe", "--", "bot"],
            &["http://h", "--game", "g", "--from", "me", "--", "bot"],
            &["http://h", "--game", "g", "--clock", "9s", "--", "bot"],
            &["http://h", "--game", "g", "--clock", "9s-1s", "--", "bot"],
            &["http://h", "--game", "g", "--clock", "30-600", "--", "bot"],
            &["http://h", "--game", "g", "--clock", "30-600s", "--", "bot"],
            &["http://h", "--game", "g", "--referee", "base", "--", "bot"],
            &["here", "--game", "g", "--", "bot"],
            &["http://h", "--game", "g", "--what", "bot"],
        ] {
            let sentence = parsed(args, TOKEN).expect_err("wrong use");
            assert!(!sentence.contains('\n') && !sentence.contains("secret"), "{args:?}: {sentence}");
        }
        assert!(parsed(&["http://h", "--game", "g", "bot"], &[]).unwrap_err().contains("--token-file"));
        let unit = parsed(&["http://h", "--game", "g", "--clock", "30-600", "bot"], TOKEN).unwrap_err();
        assert!(unit.contains("needs a unit, s or ms"), "{unit}");
    }
}
