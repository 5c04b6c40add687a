//! Runs the hosted programs of a recorded match again.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engines::arena::ProgramHost;
use engines::games;
use engines::timer::Timer;

use super::SandboxPlayers;
use crate::domain::{MAX_MODULE_BYTES, ProgramHash};
use crate::matches::bots::hosted::{SeatProof, program_seats, prove_seat};
use crate::matches::event::{Event, LoggedEvent};
use crate::matches::record::{Record, RecordEntry};

/// Proves each seat of a true record in which a hosted program plays. `folder`: the modules.
///
/// # Errors
/// When a module is missing, or the record cannot be replayed; one sentence.
pub(crate) fn prove(record: &[u8], folder: &Path) -> Result<Vec<SeatProof>, String> {
    let record = Record::read(record).map_err(|e| e.what)?;
    let game = games::find(&record.game).ok_or_else(|| format!("the game {} is not known", record.game))?;
    let stamped = |entry: &RecordEntry| entry.stamped(&record);
    let log: Vec<LoggedEvent> = record.events.iter().map(stamped).collect();
    let Some(LoggedEvent { event: Event::Created(created), .. }) = log.first() else {
        return Err("the record has no creation".to_owned());
    };
    let files = modules_in(folder)?;
    let players = SandboxPlayers::new().map_err(|e| e.to_string())?;
    let host = Timer::new(None, Arc::default());
    let prove = |(seat, program)| {
        prove_seat(
            game,
            &log,
            (seat, program),
            |program, seed| {
                let file = files.get(&program.hash).ok_or_else(|| {
                    format!(
                        "{} has no module with the hash {} of seat {seat}",
                        folder.display(),
                        program.hash
                    )
                })?;
                players.seat(&file.to_string_lossy(), seed)
            },
            &host,
        )
    };
    program_seats(created).into_iter().map(prove).collect()
}

/// The files of a folder that may be modules, by hash.
fn modules_in(folder: &Path) -> Result<HashMap<ProgramHash, PathBuf>, String> {
    let named = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = HashMap::new();
    for entry in fs::read_dir(folder).map_err(named)? {
        let path = entry.map_err(named)?.path();
        let is_module =
            path.metadata().is_ok_and(|about| about.is_file() && about.len() <= MAX_MODULE_BYTES as u64);
        if is_module && let Ok(bytes) = fs::read(&path) {
            files.insert(ProgramHash::of(&bytes), path);
        }
    }
    Ok(files)
}
