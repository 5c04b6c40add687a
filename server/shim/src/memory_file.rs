//! The memory file: one process stores settings in it for the next one. If a referee starts a new process for every
//! move, the server may learn something from the first move that no later input contains. It must not interpret the
//! settings that it keeps.

use std::path::PathBuf;

/// The beginning of a remark that asks to keep a setting: `# keep KEY=VALUE`.
const KEEP: &str = "keep ";

/// Largest file, in bytes.
const LARGEST: usize = 1024;

/// A small file of settings. The first line names the server that asked for them; each other one is `KEY=VALUE`. What one
/// server asked to keep never reaches another. The program also works without the file, so errors are ignored.
#[derive(Debug)]
pub(crate) struct MemoryFile {
    path: Option<PathBuf>,
    server: String,
    settings: Vec<(String, String)>,
}

impl MemoryFile {
    /// Reads the file; a missing file, and one of another server, has no settings. `server`: the server's address, in one
    /// line.
    pub(crate) fn open(path: Option<PathBuf>, server: String) -> Self {
        let text = path.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let mut lines = text.lines();
        let known = text.len() <= LARGEST && lines.next() == Some(&first_line(&server));
        let settings = lines.filter(|_| known).filter_map(setting).collect();
        Self { path, server, settings }
    }

    /// The kept settings.
    pub(crate) fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    /// Handles a remark of the server: keeps the setting that it asks to keep. `true` if it asks for one.
    pub(crate) fn handle(&mut self, remark: &str) -> bool {
        let Some((key, value)) = remark.strip_prefix(KEEP).and_then(setting) else { return false };
        match self.settings.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) if *known == value => return true,
            Some((_, known)) => *known = value,
            None => self.settings.push((key, value)),
        }
        let mut text = format!("{}\n", first_line(&self.server));
        text.extend(self.settings.iter().map(|(key, value)| format!("{key}={value}\n")));
        if let Some(path) = self.path.as_ref().filter(|_| text.len() <= LARGEST) {
            // Write another file and rename it, so that a process that reads now sees the old or the new one.
            if let Some(folder) = path.parent() {
                // If this fails, so does the next step.
                let _ = std::fs::create_dir_all(folder);
            }
            let aside = path.with_extension(std::process::id().to_string());
            if std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, path)).is_err() {
                // The server will send the setting again.
                let _ = std::fs::remove_file(&aside);
            }
        }
        true
    }
}

fn first_line(server: &str) -> String {
    format!("# server {server}")
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
    fn kept_settings_are_read_again() {
        let path = std::env::temp_dir().join(format!("kibitz-memory-test-{}", std::process::id()));
        let open = |server: &str| MemoryFile::open(Some(path.clone()), server.to_owned());
        let mut memory = open("http://one:8080");
        assert_eq!(memory.settings(), []);
        assert!(
            memory.handle("keep base=1") && memory.handle("keep base=0") && memory.handle("keep other=x")
        );
        for remark in ["depth 9", "keep", "keep base", "keep =1", "keep a=b c", "keep a=b\nc=d"] {
            assert!(!memory.handle(remark), "{remark}");
        }
        let kept = [("base".to_owned(), "0".to_owned()), ("other".to_owned(), "x".to_owned())];
        assert_eq!(open("http://one:8080").settings(), kept);
        assert_eq!(
            open("http://other:8080").settings(),
            [],
            "what one server asked for never reaches another"
        );
        assert!(open("http://other:8080").handle("keep base=1"));
        assert_eq!(open("http://one:8080").settings(), []);
        // A file of an earlier version names no server.
        std::fs::write(&path, "base=1\n").expect("it can be written");
        assert_eq!(open("http://one:8080").settings(), []);
        std::fs::remove_file(&path).expect("the file was written");
    }

    #[test]
    fn file_that_cannot_be_written_is_ignored() {
        let mut memory = MemoryFile::open(Some("/dev/null/at/all".into()), String::new());
        assert!(memory.handle("keep base=1"));
        assert_eq!(memory.settings().len(), 1);
        assert!(MemoryFile::open(None, String::new()).handle("keep base=1"));
    }
}
