//! The options of a dialogue while arguments and environment are read. Later values replace earlier ones.

use super::parameters::QueryParameters;
use super::{Environment, PlayOptions, text, time};
use crate::games;
use crate::network::address::ServerAddress;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The server of a user who runs one on the same machine.
pub(crate) const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";

/// How long to look for a server after the end of input, in milliseconds: within the ten seconds of Splendor's
/// referee, which ends the input before it has its answer.
const DEFAULT_PATIENCE_MS: u64 = 9500;

/// After the end of input an answer may take this many times the patience or the thinking time.
const WAIT_FACTOR: u32 = 3;

/// Stores a value. The last argument is the option or variable as the user wrote it.
type Setter = fn(&mut OptionsDraft, OsString, &str) -> Result<(), String>;

/// The place where an option without a value is stored.
type Switch = fn(&mut OptionsDraft) -> &mut bool;

/// Options with a value: argument, environment variable, how to store it.
pub(crate) const VALUES: [(&str, &str, Setter); 9] = [
    ("server", "KIBITZ_SERVER", |draft, value, name| set_text(&mut draft.server, value, name)),
    ("think", "KIBITZ_THINK_MS", |draft, value, name| draft.set_parameter("think_ms", value, name)),
    ("nodes", "KIBITZ_NODES", |draft, value, name| draft.set_parameter("nodes", value, name)),
    ("seed", "KIBITZ_SEED", |draft, value, name| draft.set_parameter("seed", value, name)),
    ("level", "KIBITZ_LEVEL", |draft, value, name| draft.set_parameter("level", value, name)),
    ("option", "KIBITZ_OPTIONS", OptionsDraft::set_pairs),
    ("patience", "KIBITZ_PATIENCE_MS", |draft, value, name| set_text(&mut draft.patience, value, name)),
    ("memory", "KIBITZ_MEMORY", |draft, value, _| set_path(&mut draft.memory, value)),
    ("ca", "KIBITZ_CA", |draft, value, _| set_path(&mut draft.ca, value)),
];

/// Options without a value: argument, environment variable, where it is stored.
pub(crate) const SWITCHES: [(&str, &str, Switch); 2] = [
    ("offline", "KIBITZ_OFFLINE", |draft| &mut draft.offline),
    ("verbose", "KIBITZ_VERBOSE", |draft| &mut draft.verbose),
];

fn set_text(place: &mut Option<String>, value: OsString, name: &str) -> Result<(), String> {
    *place = Some(text(value, name)?);
    Ok(())
}

fn set_path(place: &mut Option<OsString>, value: OsString) -> Result<(), String> {
    *place = Some(value);
    Ok(())
}

/// The options while they are read.
#[derive(Default)]
pub(crate) struct OptionsDraft {
    /// The game, if an argument names it.
    pub game: Option<String>,
    server: Option<String>,
    patience: Option<String>,
    ca: Option<OsString>,
    memory: Option<OsString>,
    verbose: bool,
    offline: bool,
    parameters: QueryParameters,
}

impl OptionsDraft {
    /// The options in environment variables.
    pub(crate) fn from_environment(environment: &Environment<'_>) -> Result<Self, String> {
        let mut draft = Self::default();
        for (_, variable, set) in VALUES {
            if let Some(value) = environment.variable(variable) {
                set(&mut draft, value, variable)?;
            }
        }
        for (_, variable, switch) in SWITCHES {
            *switch(&mut draft) = environment.switch(variable)?;
        }
        Ok(draft)
    }

    /// The game: from the argument, the environment, the build, or the program's name.
    pub(crate) fn game(&self, environment: &Environment<'_>) -> Result<Option<String>, String> {
        let game = match &self.game {
            Some(game) => Some(game.clone()),
            None => environment.text("KIBITZ_GAME")?,
        };
        let built = || environment.built_game.filter(|game| !game.is_empty()).map(str::to_owned);
        let named = || environment.program.iter().find_map(|path| game_of_program(path));
        Ok(game.or_else(built).or_else(named).filter(|game| !game.is_empty()))
    }

    fn set_parameter(&mut self, key: &str, value: OsString, name: &str) -> Result<(), String> {
        self.parameters.set_checked(key, text(value, name)?, name)
    }

    /// Stores `K=V` of an argument, or `K=V,K=V` of the variable.
    fn set_pairs(&mut self, value: OsString, name: &str) -> Result<(), String> {
        let value = text(value, name)?;
        if name.starts_with("--") {
            return self.parameters.set_pair(&value, name);
        }
        self.parameters.set_pairs(&value, name)
    }

    /// The finished options.
    ///
    /// # Errors
    /// One sentence for the user.
    pub(crate) fn finish(mut self, environment: &Environment<'_>) -> Result<PlayOptions, String> {
        let game = self.game(environment)?.ok_or_else(|| {
            format!(
                "no game chosen: give it as the first argument, set KIBITZ_GAME, or name the program kibitz-GAME; \
                 the games are {}",
                games::names()
            )
        })?;
        let built_server = environment.built_server.filter(|url| !url.is_empty());
        let server = ServerAddress::parse(self.server.as_deref().or(built_server).unwrap_or(DEFAULT_SERVER))?;
        let patience_ms = match &self.patience {
            Some(patience) => time::milliseconds(patience, "the patience")?,
            None => DEFAULT_PATIENCE_MS,
        };
        let patience = Duration::from_millis(patience_ms);
        let facts = games::find(&game);
        let notes = facts.and_then(|facts| self.parameters.cut_thinking(facts)).into_iter().collect();
        if self.verbose {
            // Zero: one line on what the engine thinks, without ranked moves.
            self.parameters.set_default("candidates", "0");
        }
        let memory = match self.memory {
            Some(path) => Some(PathBuf::from(path)).filter(|path| path.as_os_str() != "-"),
            None => environment.cache().map(|folder| folder.join(file_name(&game))),
        };
        let pass = facts.and_then(|facts| facts.pass);
        let thinking = facts.map_or(Duration::ZERO, |facts| self.parameters.thinking_time(facts));
        Ok(PlayOptions {
            game,
            memory,
            server,
            parameters: self.parameters.into_pairs(),
            patience,
            ca: self.ca.map(PathBuf::from),
            offline: self.offline,
            verbose: self.verbose,
            pass,
            longest_wait: pass.map(|_| patience.max(thinking) * WAIT_FACTOR),
            notes,
        })
    }
}

/// A game's name as part of a file name, without characters that have a meaning in paths.
fn file_name(game: &str) -> String {
    game.chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect()
}

/// The game in a file name like `kibitz-GAME` or `kibitz-GAME.bin`.
fn game_of_program(program: &Path) -> Option<String> {
    let name = program.file_name().and_then(OsStr::to_str)?;
    let game = name.strip_prefix("kibitz-")?.split('.').next()?;
    // A build of the program itself, such as kibitz-shim-embedded, names no game.
    let own = game.strip_prefix("shim").is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']));
    (!game.is_empty() && !own).then(|| game.to_owned())
}
