//! Turns arguments, environment, build settings and the program's file name into an [`Invocation`]. It must not read
//! any of them itself, so that tests can supply all of them.

mod help;
#[cfg(test)]
mod tests;

use crate::faults;
use crate::games;
use crate::join::options as join;
use crate::online::options as online;
use crate::options::draft::{OptionsDraft, SWITCHES, VALUES};
use crate::options::{Environment, PlayOptions, text, usage};
use crate::upload;
use lexopt::prelude::*;
use std::ffi::OsString;

/// The task of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Invocation {
    /// Connect a referee with a server.
    Play(PlayOptions),
    /// Connect a bot with a hosted match.
    Join(join::JoinOptions),
    /// Keep a bot online.
    Online(online::OnlineOptions),
    /// Print the last faults of a bot.
    Faults(faults::FaultsOptions),
    /// Upload a program for a bot.
    Upload(upload::UploadOptions),
    /// Print this text.
    Help(String),
    /// Print the version.
    Version,
}

/// Reads the arguments (without the program's name).
///
/// # Errors
/// One sentence for the user.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment<'_>,
) -> Result<Invocation, String> {
    let mut args = args.into_iter().peekable();
    if args.next_if(|first| first == "join").is_some() {
        let options = join::parse(args, environment)?;
        return Ok(options.map_or_else(|| Invocation::Help(join::HELP.to_owned()), Invocation::Join));
    }
    if args.next_if(|first| first == "play").is_some() {
        let options = online::parse(args, environment)?;
        return Ok(options.map_or_else(|| Invocation::Help(online::HELP.to_owned()), Invocation::Online));
    }
    if args.next_if(|first| first == "faults").is_some() {
        let options = faults::parse(args, environment)?;
        return Ok(options.map_or_else(|| Invocation::Help(faults::HELP.to_owned()), Invocation::Faults));
    }
    if args.next_if(|first| first == "upload").is_some() {
        let options = upload::parse(args, environment)?;
        return Ok(options.map_or_else(|| Invocation::Help(upload::HELP.to_owned()), Invocation::Upload));
    }
    let mut draft = OptionsDraft::from_environment(environment)?;
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Short('h') | Long("help") => {
                let game = draft.game(environment)?;
                return Ok(Invocation::Help(help::help(game.as_deref().and_then(games::find))));
            }
            Short('V') | Long("version") => return Ok(Invocation::Version),
            Long(flag) => {
                if let Some((_, _, set)) = VALUES.iter().find(|(name, ..)| *name == flag) {
                    let name = format!("--{flag}");
                    set(&mut draft, parser.value().map_err(usage)?, &name)?;
                } else if let Some((_, _, switch)) = SWITCHES.iter().find(|(name, ..)| *name == flag) {
                    *switch(&mut draft) = true;
                } else {
                    return Err(usage(Long(flag).unexpected()));
                }
            }
            Value(name) if draft.game.is_none() => draft.game = Some(text(name, "GAME")?),
            other => return Err(usage(other.unexpected())),
        }
    }
    draft.finish(environment).map(Invocation::Play)
}
