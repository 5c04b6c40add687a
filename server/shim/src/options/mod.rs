//! The settings of a dialogue with a referee, and what all commands read alike from arguments and environment. It must not read
//! any of them itself, so that tests can supply all of them.

pub(crate) mod draft;
mod parameters;
pub(crate) mod time;

use crate::network::address::ServerAddress;
pub(crate) use parameters::QueryParameters;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of one dialogue with a referee.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PlayOptions {
    /// The game, as the server names it.
    pub game: String,
    /// The server to ask.
    pub server: ServerAddress,
    /// The query of the request to the server: the user's wishes, in the server's words.
    pub parameters: Vec<(String, String)>,
    /// How long a server may be unreachable after the end of input.
    pub patience: Duration,
    /// The folder of the memory: settings that one process keeps for the next because its server asked for it.
    pub memory: Option<PathBuf>,
    /// A file with certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// Whether the engine in the program answers without a server.
    pub offline: bool,
    /// Whether to show what the engine thinks.
    pub verbose: bool,
    /// The line that passes a turn of the game, if there is one.
    pub pass: Option<&'static str>,
    /// How long a reachable server may take for an answer after the end of input; `None`: without limit.
    pub longest_wait: Option<Duration>,
    /// Notes to print at the start.
    pub notes: Vec<String>,
}

/// Everything besides arguments that can choose options, since referees pass no arguments.
pub(crate) struct Environment<'a> {
    /// Environment variables.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
    /// `KIBITZ_GAME` at build time.
    pub built_game: Option<&'a str>,
    /// `KIBITZ_SERVER` at build time.
    pub built_server: Option<&'a str>,
    /// Paths that the program was started by.
    pub program: &'a [PathBuf],
}

impl Environment<'_> {
    /// The value of a variable that is not empty.
    pub(crate) fn variable(&self, key: &str) -> Option<OsString> {
        (self.env)(key).filter(|value| !value.is_empty())
    }

    /// The text of a variable that is not empty.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, String> {
        self.variable(key).map(|value| text(value, key)).transpose()
    }

    /// Whether a variable that switches something on is set, and not to `0`.
    pub(crate) fn switch(&self, key: &str) -> Result<bool, String> {
        Ok(self.text(key)?.is_some_and(|value| value != "0"))
    }

    /// The folder of this program in the user's cache; `None` for a user without a home.
    fn cache(&self) -> Option<PathBuf> {
        let folder = |key| self.variable(key).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))?;
        Some(caches.join("kibitz-shim"))
    }
}

impl PlayOptions {
    /// Adds settings that the user did not name.
    pub(crate) fn fill_in(&mut self, settings: &[(String, String)]) {
        for (key, value) in settings {
            if !self.parameters.iter().any(|(known, _)| known == key) {
                self.parameters.push((key.clone(), value.clone()));
            }
        }
    }
}

/// The value of the option that the parser is at. `name`: the option as the user wrote it.
pub(crate) fn value(parser: &mut lexopt::Parser, name: &str) -> Result<String, String> {
    text(parser.value().map_err(usage)?, name)
}

/// The sentence for a wrong argument.
pub(crate) fn usage(error: lexopt::Error) -> String {
    format!("{error}; --help lists the options")
}

/// A value as text. `name`: the option or variable as the user wrote it.
pub(crate) fn text(value: OsString, name: &str) -> Result<String, String> {
    value.into_string().map_err(|_| format!("{name} is not UTF-8 text"))
}
