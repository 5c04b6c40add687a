//! What the program was asked to do: arguments, environment, build and file name become [`Options`]. It must not
//! read any of them itself, so that tests can play all of them.

use crate::join::options as join;
use crate::server::Server;
use lexopt::prelude::*;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The server of somebody who runs one at home.
const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";

/// How long to look for a server after the end of input, in milliseconds: within the ten seconds of the one
/// referee whose input ends before it has its answer.
const DEFAULT_PATIENCE_MS: u64 = 9500;

/// What `--help` prints.
pub const HELP: &str = "\
Plays a contest's referee through a kibitz server: its lines go to the server, the answers come back.

Usage: kibitz-shim GAME [OPTIONS]
       kibitz-shim join MATCH_URL [OPTIONS] -- BOT    seats a bot in a hosted match; see join --help

Every option has an environment variable, for referees that pass no arguments.
Without GAME: KIBITZ_GAME, now or when the program was built; or the program's file name, kibitz-GAME.

      --server URL     KIBITZ_SERVER       http://, https://, ws:// or wss://; default http://127.0.0.1:8080
      --think MS       KIBITZ_THINK_MS     thinking time of a move
      --nodes N        KIBITZ_NODES        search nodes of a move: with a seed, the same move every time
      --seed S         KIBITZ_SEED         seed of the engine's random choices
      --level L        KIBITZ_LEVEL        easy, medium, hard or max
      --option K=V     KIBITZ_OPTIONS      more for the server; repeat it, or K=V,K=V in the variable
      --patience MS    KIBITZ_PATIENCE_MS  how long to look for the server after the end of input; default 9500
      --memory FILE    KIBITZ_MEMORY       what one process keeps for the next; default kibitz-GAME.memory, - for none
      --ca FILE        KIBITZ_CA           trust the certificates in this PEM file instead of the system's
      --offline        KIBITZ_OFFLINE=1    ask no server: the engine of a build with the feature embedded answers
      --verbose        KIBITZ_VERBOSE=1    show the server's remarks on standard error
  -h, --help
  -V, --version
";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Sit between a referee and a server.
    Play(Options),
    /// Seat a bot in a hosted match.
    Join(join::Options),
    /// Print this.
    Help(&'static str),
    /// Print the version.
    Version,
}

/// Everything one session needs to know.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The game, as the server names it.
    pub game: String,
    /// Where to play.
    pub server: Server,
    /// What the user asked of the server, in the query's words.
    pub parameters: Vec<(String, String)>,
    /// How long a server may be out of reach after the end of input.
    pub patience: Duration,
    /// Where one process keeps for the next what its server asks to keep.
    pub memory: Option<PathBuf>,
    /// Certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// Whether the engine in the program is to answer alone.
    pub offline: bool,
    /// Whether to show the server's remarks.
    pub verbose: bool,
}

/// What a referee that passes no arguments may leave behind.
pub struct Surroundings<'a> {
    /// Environment variables.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
    /// `KIBITZ_GAME` at build time.
    pub built_game: Option<&'a str>,
    /// `KIBITZ_SERVER` at build time.
    pub built_server: Option<&'a str>,
    /// Paths that the program may be known by.
    pub program: &'a [PathBuf],
}

/// Reads the arguments (without the program's name). The error is one sentence for the user.
pub fn parse(
    args: impl IntoIterator<Item = OsString>,
    surroundings: &Surroundings<'_>,
) -> Result<Command, String> {
    let mut args = args.into_iter().peekable();
    if args.next_if(|first| first == "join").is_some() {
        return Ok(join::parse(args, surroundings)?.map_or(Command::Help(join::HELP), Command::Join));
    }
    let env = |key: &str| match (surroundings.env)(key) {
        Some(value) if !value.is_empty() => text(value, key).map(Some),
        _ => Ok(None),
    };
    let mut game = None;
    let mut server = env("KIBITZ_SERVER")?;
    let mut patience = env("KIBITZ_PATIENCE_MS")?;
    let mut ca = (surroundings.env)("KIBITZ_CA").filter(|path| !path.is_empty());
    let mut memory = (surroundings.env)("KIBITZ_MEMORY").filter(|path| !path.is_empty());
    let mut verbose = env("KIBITZ_VERBOSE")?.is_some_and(|value| value != "0");
    let mut offline = env("KIBITZ_OFFLINE")?.is_some_and(|value| value != "0");
    let mut parameters = Parameters::default();
    for (key, name) in [
        ("think_ms", "KIBITZ_THINK_MS"),
        ("nodes", "KIBITZ_NODES"),
        ("seed", "KIBITZ_SEED"),
        ("level", "KIBITZ_LEVEL"),
    ] {
        if let Some(value) = env(name)? {
            parameters.set_checked(key, value, name)?;
        }
    }
    for pair in env("KIBITZ_OPTIONS")?.unwrap_or_default().split(',').filter(|pair| !pair.is_empty()) {
        parameters.set_pair(pair, "KIBITZ_OPTIONS")?;
    }

    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Short('h') | Long("help") => return Ok(Command::Help(HELP)),
            Short('V') | Long("version") => return Ok(Command::Version),
            Long("server") => server = Some(value(&mut parser, "--server")?),
            Long("think") => parameters.set_checked("think_ms", value(&mut parser, "--think")?, "--think")?,
            Long("nodes") => parameters.set_checked("nodes", value(&mut parser, "--nodes")?, "--nodes")?,
            Long("seed") => parameters.set_checked("seed", value(&mut parser, "--seed")?, "--seed")?,
            Long("level") => parameters.set_checked("level", value(&mut parser, "--level")?, "--level")?,
            Long("option") => parameters.set_pair(&value(&mut parser, "--option")?, "--option")?,
            Long("patience") => patience = Some(value(&mut parser, "--patience")?),
            Long("memory") => memory = Some(parser.value().map_err(usage)?),
            Long("ca") => ca = Some(parser.value().map_err(usage)?),
            Long("offline") => offline = true,
            Long("verbose") => verbose = true,
            Value(name) if game.is_none() => game = Some(text(name, "GAME")?),
            other => return Err(usage(other.unexpected())),
        }
    }

    let game = match game.map_or_else(|| env("KIBITZ_GAME"), |game| Ok(Some(game)))? {
        Some(game) => Some(game),
        None => surroundings.built_game.filter(|game| !game.is_empty()).map(str::to_owned),
    };
    let game = game.or_else(|| surroundings.program.iter().find_map(|path| named_game(path)));
    let game = game.filter(|game| !game.is_empty()).ok_or(
        "no game chosen: give it as the first argument, set KIBITZ_GAME, or name the program kibitz-GAME",
    )?;
    let built_server = surroundings.built_server.filter(|url| !url.is_empty());
    let server = Server::parse(server.as_deref().or(built_server).unwrap_or(DEFAULT_SERVER))?;
    let patience_ms = match patience {
        Some(patience) => number(&patience, "the patience")?,
        None => DEFAULT_PATIENCE_MS,
    };
    let memory = memory.unwrap_or_else(|| format!("kibitz-{}.memory", file_name(&game)).into());
    Ok(Command::Play(Options {
        game,
        memory: (memory != "-").then(|| memory.into()),
        server,
        parameters: parameters.0,
        patience: Duration::from_millis(patience_ms),
        ca: ca.map(PathBuf::from),
        offline,
        verbose,
    }))
}

impl Options {
    /// Adds settings that the user did not name.
    pub fn fill_in(&mut self, settings: &[(String, String)]) {
        for (key, value) in settings {
            if !self.parameters.iter().any(|(known, _)| known == key) {
                self.parameters.push((key.clone(), value.clone()));
            }
        }
    }
}

/// A game's name as part of a file's: what a path would make more of is left out.
fn file_name(game: &str) -> String {
    game.chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect()
}

/// The query, each key once: what is said later holds.
#[derive(Default)]
struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn set(&mut self, key: &str, value: String) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Numbers are checked here, where the user's own word for them is known; the rest is the server's matter.
    fn set_checked(&mut self, key: &str, value: String, said: &str) -> Result<(), String> {
        if matches!(key, "think_ms" | "nodes") {
            number(&value, said)?;
        }
        self.set(key, value);
        Ok(())
    }

    fn set_pair(&mut self, pair: &str, said: &str) -> Result<(), String> {
        match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                self.set(key, value.to_owned());
                Ok(())
            }
            _ => Err(format!("{said} wants KEY=VALUE, not {pair:?}")),
        }
    }
}

/// The game in a file name like `kibitz-GAME` or `kibitz-GAME.bin`.
fn named_game(program: &Path) -> Option<String> {
    let name = program.file_name().and_then(OsStr::to_str)?;
    let game = name.strip_prefix("kibitz-")?.split('.').next()?;
    (!game.is_empty() && game != "shim").then(|| game.to_owned())
}

pub(crate) fn value(parser: &mut lexopt::Parser, said: &str) -> Result<String, String> {
    text(parser.value().map_err(usage)?, said)
}

pub(crate) fn usage(error: lexopt::Error) -> String {
    format!("{error}; --help lists what there is")
}

fn number(text: &str, said: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{said} must be a whole number, not {text:?}"))
}

pub(crate) fn text(value: OsString, said: &str) -> Result<String, String> {
    value.into_string().map_err(|_| format!("{said} is not UTF-8 text"))
}

#[cfg(test)]
mod tests;
