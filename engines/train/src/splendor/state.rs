//! The folder of a training run: everything that is needed to go on after a stop.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lesson::{self, Lesson};

/// The progress of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Finished generations.
    pub generation: u64,
    /// Matches played.
    pub games: u64,
    /// Positions learned from, each once.
    pub positions: u64,
    /// Processor time of self-play and learning, in core-seconds: threads times elapsed time.
    pub core_seconds: f64,
}

/// The folder of a run.
pub(super) struct Folder(pub PathBuf);

impl Folder {
    /// Opens the folder. Creates it if it is missing.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(path).map_err(|e| format!("cannot make {}: {e}", path.display()))?;
        Ok(Self(path.to_owned()))
    }

    /// The progress so far, none for a new run.
    pub(super) fn progress(&self) -> Result<Progress, String> {
        match self.read("progress.json")? {
            Some(bytes) => {
                serde_json::from_slice(&bytes).map_err(|e| format!("progress.json is not readable: {e}"))
            }
            None => Ok(Progress::default()),
        }
    }

    /// Stores the progress; a run goes on from the last one stored.
    pub(super) fn store_progress(&self, progress: &Progress) -> Result<(), String> {
        let json = serde_json::to_vec_pretty(progress).map_err(|e| e.to_string())?;
        self.write("progress.json", &json)
    }

    /// The content of a file; `None` if it is not there.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let path = self.0.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(format!("cannot read {}: {e}", path.display())),
        }
    }

    /// Writes a file, whole or not at all.
    pub(super) fn write(&self, name: &str, content: &[u8]) -> Result<(), String> {
        write(&self.0.join(name), content)
    }

    fn positions(&self, generation: u64) -> PathBuf {
        self.0.join(format!("positions-{generation:04}.bin"))
    }

    /// Stores the positions of a generation.
    pub(super) fn store_positions(&self, generation: u64, lessons: &[Lesson]) -> Result<(), String> {
        lesson::write(&self.positions(generation), lessons)
    }

    /// The newest positions before a generation, at most `most`, oldest first. Removes older files; skips missing ones.
    pub(super) fn window(&self, generation: u64, most: usize) -> Result<Vec<Lesson>, String> {
        let mut newest = Vec::new();
        for earlier in (0..generation).rev() {
            let path = self.positions(earlier);
            if !path.exists() {
                continue;
            }
            if newest.len() >= most {
                std::fs::remove_file(&path).map_err(|e| format!("cannot remove {}: {e}", path.display()))?;
                continue;
            }
            newest.extend(lesson::read(&path)?.into_iter().rev());
        }
        newest.truncate(most);
        newest.reverse();
        Ok(newest)
    }
}

/// Writes a file under another name first, so that the file is never incomplete.
pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    let new = path.with_extension("new");
    std::fs::write(&new, content)
        .and_then(|()| std::fs::rename(&new, path))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_has_the_newest_positions_although_a_file_is_missing() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let lesson = |rounds_left| Lesson {
            inputs: Vec::new(),
            policy: Vec::new(),
            values: Vec::new(),
            points: Vec::new(),
            rounds_left,
        };
        for generation in [0, 1, 2, 4] {
            let n = generation as u8;
            folder.store_positions(generation, &[lesson(10 * n), lesson(10 * n + 1)]).unwrap();
        }
        let window = |most| -> Vec<u8> {
            folder.window(5, most).unwrap().iter().map(|lesson| lesson.rounds_left).collect()
        };
        assert_eq!(window(5), [11, 20, 21, 40, 41]);
        assert!(!folder.positions(0).exists() && folder.positions(1).exists());
        assert_eq!(window(100), [10, 11, 20, 21, 40, 41]);
    }
}
