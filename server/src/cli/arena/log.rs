//! The file of a run: settings, a record of every game, a summary, one JSON object per line. This module continues
//! the file of an interrupted run, and never overwrites any other file.

use std::fs::{File, TryLockError};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use engines::arena::{ArenaRecord, BadFile, EarlierGames, RunPlan};
use serde_json::{Value, json};

/// The reason why a file cannot be used.
pub(super) enum ArenaLogError {
    /// Its content is not a part of this run; the text says why.
    Content(String),
    /// The operating system reports an error.
    System(String),
}

/// The file, open until the end of the run.
pub(super) struct RunLog {
    path: PathBuf,
    file: BufWriter<File>,
    error: Option<io::Error>,
}

impl RunLog {
    /// Opens the file; returns the records of the games that were played already.
    ///
    /// # Errors
    /// If it cannot be opened, another run is writing to it, or it contains anything but a part of this run.
    pub(super) fn open(path: PathBuf, plan: &RunPlan) -> Result<(Self, Vec<ArenaRecord>), ArenaLogError> {
        let system = |e: io::Error| ArenaLogError::System(cannot_write(&path, &e));
        let options = File::options().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(&path).map_err(system)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(ArenaLogError::Content(format!(
                    "{} is being written by another run",
                    path.display()
                )));
            }
            // Some file systems support no locks; the run goes on without one.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // A pipe or a device contains nothing to continue.
        let plain = file.metadata().map_err(system)?.is_file();
        let kept = if plain {
            EarlierGames::read(plan, BufReader::new(&file)).map_err(|e| match e {
                BadFile::Read(e) => ArenaLogError::System(cannot_write(&path, &e)),
                e => ArenaLogError::Content(format!("{} cannot be continued: it {e}", path.display())),
            })?
        } else {
            EarlierGames::default()
        };
        if plain {
            file.set_len(kept.length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(system)?;
        }
        let mut log = Self { path, file: BufWriter::new(file), error: None };
        let settings = plan.to_json();
        if kept.settings.as_ref() != Some(&settings) {
            log.line(&json!({ "settings": settings }));
        }
        Ok((log, kept.records))
    }

    /// Writes a line. The first error is kept for the end, so that a full disk does not cost the matches.
    pub(super) fn line(&mut self, json: &Value) {
        if self.error.is_none() {
            self.error = writeln!(self.file, "{json}").and_then(|()| self.file.flush()).err();
        }
    }

    /// Closes the file.
    ///
    /// # Errors
    /// If not everything was written.
    pub(super) fn close(self) -> Result<(), String> {
        self.error.map_or(Ok(()), |e| Err(cannot_write(&self.path, &e)))
    }
}

fn cannot_write(path: &Path, e: &io::Error) -> String {
    format!("{} cannot be written: {e}", path.display())
}
