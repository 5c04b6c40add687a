//! The file of a run: settings, a record of every game, a summary, a line of JSON each. A file that an interrupted run
//! left is read and continued; no other file is ever written over.

use std::fs::{File, TryLockError};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use engines::arena::{BadFile, Kept, Plan, Record};
use serde_json::{Value, json};

/// Why a file cannot be used.
pub enum BadLog {
    /// What it holds is not this run; the words say it.
    Other(String),
    /// The system's fault.
    System(String),
}

/// The file, open until the run is over.
pub struct Log {
    path: PathBuf,
    file: BufWriter<File>,
    error: Option<io::Error>,
}

impl Log {
    /// Begins the file, or continues it: what is handed back has been played already.
    ///
    /// # Errors
    /// When it cannot be opened, another run is writing it, or it holds anything else than a part of this run.
    pub fn open(path: PathBuf, plan: &Plan) -> Result<(Self, Vec<Record>), BadLog> {
        let system = |e: io::Error| BadLog::System(cannot_write(&path, &e));
        let options = File::options().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(&path).map_err(system)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(BadLog::Other(format!("{} is being written by another run", path.display())));
            }
            // Some file systems know no locks; that is no reason not to play.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // A pipe or a device has nothing to continue.
        let plain = file.metadata().map_err(system)?.is_file();
        let kept = if plain {
            Kept::read(plan, BufReader::new(&file)).map_err(|e| match e {
                BadFile::Read(e) => BadLog::System(cannot_write(&path, &e)),
                e => BadLog::Other(format!("{} cannot be continued: it {e}", path.display())),
            })?
        } else {
            Kept::default()
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

    /// Writes a line; the first failure is kept for the end, so that a full disk does not cost the matches.
    pub fn line(&mut self, json: &Value) {
        if self.error.is_none() {
            self.error = writeln!(self.file, "{json}").and_then(|()| self.file.flush()).err();
        }
    }

    /// The end of the run.
    ///
    /// # Errors
    /// When not everything has been written.
    pub fn close(self) -> Result<(), String> {
        self.error.map_or(Ok(()), |e| Err(cannot_write(&self.path, &e)))
    }
}

fn cannot_write(path: &Path, e: &io::Error) -> String {
    format!("{} cannot be written: {e}", path.display())
}
