//! What one process tells the next: where a referee starts a new one for every move, a server may have learned
//! something at the first move that no later input tells. It must not understand what it keeps.

use std::path::PathBuf;

/// The mark of a remark that asks to keep a setting: `# keep KEY=VALUE`.
const KEEP: &str = "keep ";

/// Most bytes kept.
const LARGEST: usize = 1024;

/// A small file of settings, `KEY=VALUE` a line. Without it everything works, only less surely, so nothing that goes
/// wrong here is worth a word.
#[derive(Debug)]
pub struct Memory {
    path: Option<PathBuf>,
    settings: Vec<(String, String)>,
}

impl Memory {
    /// What the file holds; nothing where there is none.
    pub fn recall(path: Option<PathBuf>) -> Self {
        let text = path.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let known = text.len() <= LARGEST;
        let settings = text.lines().filter(|_| known).filter_map(setting).collect();
        Self { path, settings }
    }

    /// The settings kept.
    pub fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    /// A remark of the server; keeps what it asks to keep. `true` if it did ask.
    pub fn heed(&mut self, remark: &str) -> bool {
        let Some((key, value)) = remark.strip_prefix(KEEP).and_then(setting) else { return false };
        match self.settings.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) if *known == value => return true,
            Some((_, known)) => *known = value,
            None => self.settings.push((key, value)),
        }
        let text: String = self.settings.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
        if let Some(path) = self.path.as_ref().filter(|_| text.len() <= LARGEST) {
            // Written aside and moved, so that a process that reads at this moment sees the old or the new.
            if let Some(folder) = path.parent() {
                // Where this fails, so does the next step.
                let _ = std::fs::create_dir_all(folder);
            }
            let aside = path.with_extension(std::process::id().to_string());
            if std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, path)).is_err() {
                // What cannot be kept is told again by the server.
                let _ = std::fs::remove_file(&aside);
            }
        }
        true
    }
}

fn setting(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once('=')?;
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
    };
    (plain(key) && plain(value)).then(|| (key.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_recalled() {
        let path = std::env::temp_dir().join(format!("kibitz-memory-test-{}", std::process::id()));
        let mut memory = Memory::recall(Some(path.clone()));
        assert_eq!(memory.settings(), []);
        assert!(memory.heed("keep base=1") && memory.heed("keep base=0") && memory.heed("keep other=x"));
        for remark in ["depth 9", "keep", "keep base", "keep =1", "keep a=b c", "keep a=b\nc=d"] {
            assert!(!memory.heed(remark), "{remark}");
        }
        let kept = [("base".to_owned(), "0".to_owned()), ("other".to_owned(), "x".to_owned())];
        assert_eq!(Memory::recall(Some(path.clone())).settings(), kept);
        std::fs::remove_file(&path).expect("the file was written");
    }

    #[test]
    fn a_file_that_cannot_be_is_no_trouble() {
        let mut memory = Memory::recall(Some("/dev/null/at/all".into()));
        assert!(memory.heed("keep base=1"));
        assert_eq!(memory.settings().len(), 1);
        assert!(Memory::recall(None).heed("keep base=1"));
    }
}
