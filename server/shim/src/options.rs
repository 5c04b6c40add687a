//! What the program was asked to do: arguments, environment, build and file name become [`Options`]. It must not
//! read any of them itself, so that tests can play all of them.

use crate::games;
use crate::join::options as join;
use crate::server::Server;
use lexopt::prelude::*;
use parameters::Parameters;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The server of somebody who runs one at home.
const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";

/// How long to look for a server after the end of input, in milliseconds: within the ten seconds of the one
/// referee whose input ends before it has its answer.
const DEFAULT_PATIENCE_MS: u64 = 9500;

/// After the end of input an answer may take this many times the patience or the thinking time.
const LONGEST_WAIT: u32 = 3;

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Sit between a referee and a server.
    Play(Options),
    /// Seat a bot in a hosted match.
    Join(join::Options),
    /// Print this.
    Help(String),
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
    /// Whether to show what the engine thinks.
    pub verbose: bool,
    /// The line that passes a turn of the game, where there is one.
    pub pass: Option<&'static str>,
    /// How long an answer may take after the end of input, however well the server is.
    pub longest_wait: Option<Duration>,
    /// What to tell the user at the start.
    pub notes: Vec<String>,
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
        let options = join::parse(args, surroundings)?;
        return Ok(options.map_or_else(|| Command::Help(join::HELP.to_owned()), Command::Join));
    }
    let mut draft = Draft::of_environment(surroundings)?;
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Short('h') | Long("help") => {
                let game = draft.game(surroundings)?;
                return Ok(Command::Help(help::help(game.as_deref().and_then(games::find))));
            }
            Short('V') | Long("version") => return Ok(Command::Version),
            Long("server") => draft.server = Some(value(&mut parser, "--server")?),
            Long(name @ ("think" | "nodes" | "seed" | "level")) => {
                let said = format!("--{name}");
                let key = if name == "think" { "think_ms".to_owned() } else { name.to_owned() };
                draft.parameters.set_checked(&key, value(&mut parser, &said)?, &said)?;
            }
            Long("option") => draft.parameters.set_pair(&value(&mut parser, "--option")?, "--option")?,
            Long("patience") => draft.patience = Some(value(&mut parser, "--patience")?),
            Long("memory") => draft.memory = Some(parser.value().map_err(usage)?),
            Long("ca") => draft.ca = Some(parser.value().map_err(usage)?),
            Long("offline") => draft.offline = true,
            Long("verbose") => draft.verbose = true,
            Value(name) if draft.game.is_none() => draft.game = Some(text(name, "GAME")?),
            other => return Err(usage(other.unexpected())),
        }
    }
    draft.finish(surroundings).map(Command::Play)
}

/// The options while they are read.
struct Draft {
    game: Option<String>,
    server: Option<String>,
    patience: Option<String>,
    ca: Option<OsString>,
    memory: Option<OsString>,
    verbose: bool,
    offline: bool,
    parameters: Parameters,
}

impl Draft {
    /// What the environment says.
    fn of_environment(surroundings: &Surroundings<'_>) -> Result<Self, String> {
        let env = |key: &str| surroundings.text(key);
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
        let pairs = env("KIBITZ_OPTIONS")?.unwrap_or_default();
        for pair in pairs.split(',').filter(|pair| !pair.is_empty()) {
            parameters.set_pair(pair, "KIBITZ_OPTIONS")?;
        }
        Ok(Self {
            game: None,
            server: env("KIBITZ_SERVER")?,
            patience: env("KIBITZ_PATIENCE_MS")?,
            ca: surroundings.path("KIBITZ_CA"),
            memory: surroundings.path("KIBITZ_MEMORY"),
            verbose: env("KIBITZ_VERBOSE")?.is_some_and(|value| value != "0"),
            offline: env("KIBITZ_OFFLINE")?.is_some_and(|value| value != "0"),
            parameters,
        })
    }

    /// The game: the argument, the environment, the build, or the program's name.
    fn game(&self, surroundings: &Surroundings<'_>) -> Result<Option<String>, String> {
        let game = match &self.game {
            Some(game) => Some(game.clone()),
            None => surroundings.text("KIBITZ_GAME")?,
        };
        let built = || surroundings.built_game.filter(|game| !game.is_empty()).map(str::to_owned);
        let named = || surroundings.program.iter().find_map(|path| named_game(path));
        Ok(game.or_else(built).or_else(named).filter(|game| !game.is_empty()))
    }

    /// The options.
    fn finish(mut self, surroundings: &Surroundings<'_>) -> Result<Options, String> {
        let game = self.game(surroundings)?.ok_or_else(|| {
            format!(
                "no game chosen: give it as the first argument, set KIBITZ_GAME, or name the program kibitz-GAME; \
                 the games are {}",
                games::names()
            )
        })?;
        let built_server = surroundings.built_server.filter(|url| !url.is_empty());
        let server = Server::parse(self.server.as_deref().or(built_server).unwrap_or(DEFAULT_SERVER))?;
        let patience = match &self.patience {
            Some(patience) => Duration::from_millis(time::milliseconds(patience, "the patience")?),
            None => Duration::from_millis(DEFAULT_PATIENCE_MS),
        };
        let facts = games::find(&game);
        let notes = facts.and_then(|facts| self.parameters.cut_thinking(facts)).into_iter().collect();
        if self.verbose {
            // Zero: a line on what the engine thinks, without ranked moves.
            self.parameters.set_default("candidates", "0");
        }
        let memory = match self.memory {
            Some(path) => Some(PathBuf::from(path)).filter(|path| path.as_os_str() != "-"),
            None => surroundings.cache().map(|folder| folder.join(format!("{}.memory", file_name(&game)))),
        };
        let pass = facts.and_then(|facts| facts.pass);
        let thinking = facts.map_or(Duration::ZERO, |facts| self.parameters.thinking_time(facts));
        Ok(Options {
            game,
            memory,
            server,
            parameters: self.parameters.into_pairs(),
            patience,
            ca: self.ca.map(PathBuf::from),
            offline: self.offline,
            verbose: self.verbose,
            pass,
            longest_wait: pass.map(|_| patience.max(thinking) * LONGEST_WAIT),
            notes,
        })
    }
}

impl Surroundings<'_> {
    /// A variable that is set to something.
    fn path(&self, key: &str) -> Option<OsString> {
        (self.env)(key).filter(|value| !value.is_empty())
    }

    /// A variable that is set to some text.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, String> {
        self.path(key).map(|value| text(value, key)).transpose()
    }

    /// The folder of this program in the user's cache; `None` where the user has no home.
    fn cache(&self) -> Option<PathBuf> {
        let folder = |key| self.path(key).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))?;
        Some(caches.join("kibitz-shim"))
    }
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

/// The game in a file name like `kibitz-GAME` or `kibitz-GAME.bin`.
fn named_game(program: &Path) -> Option<String> {
    let name = program.file_name().and_then(OsStr::to_str)?;
    let game = name.strip_prefix("kibitz-")?.split('.').next()?;
    // A build of the program itself, such as kibitz-shim-embedded, names no game.
    let own = game.strip_prefix("shim").is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']));
    (!game.is_empty() && !own).then(|| game.to_owned())
}

pub(crate) fn value(parser: &mut lexopt::Parser, said: &str) -> Result<String, String> {
    text(parser.value().map_err(usage)?, said)
}

pub(crate) fn usage(error: lexopt::Error) -> String {
    format!("{error}; --help lists what there is")
}

pub(crate) fn text(value: OsString, said: &str) -> Result<String, String> {
    value.into_string().map_err(|_| format!("{said} is not UTF-8 text"))
}

mod help;
mod parameters;
#[cfg(test)]
mod tests;
mod time;
