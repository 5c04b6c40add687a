//! The sandbox for the players that are programs.

use engines::arena::{NoPrograms, PlayerSpec, ProgramHost};

/// What runs the programs of these players. All are read and compiled before the first match.
///
/// # Errors
/// Which file is no program, and why.
pub(in crate::cli) fn host<'s>(
    players: impl IntoIterator<Item = &'s PlayerSpec>,
) -> Result<Box<dyn ProgramHost>, String> {
    let file = |spec: &PlayerSpec| match spec {
        PlayerSpec::Program { file, .. } => Some(file.clone()),
        _ => None,
    };
    let files: Vec<String> = players.into_iter().filter_map(file).collect();
    if files.is_empty() { Ok(Box::new(NoPrograms)) } else { sandbox(&files) }
}

#[cfg(feature = "programs")]
fn sandbox(files: &[String]) -> Result<Box<dyn ProgramHost>, String> {
    let players = crate::cli::programs::SandboxPlayers::new().map_err(|e| e.to_string())?;
    for file in files {
        players.program(file)?;
    }
    Ok(Box::new(players))
}

#[cfg(not(feature = "programs"))]
fn sandbox(_: &[String]) -> Result<Box<dyn ProgramHost>, String> {
    Err("this kibitz was built without programs: build it with the feature 'programs'".to_owned())
}
