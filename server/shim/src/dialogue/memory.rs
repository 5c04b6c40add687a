//! The memory: a folder in which one process stores settings for the next one, a file for each match. If a referee starts
//! a new process for every move, the server may learn something from the first move that no later input contains. This
//! program cannot tell which match it plays: it gives the server what was kept for all of them. It must not interpret
//! the settings that it keeps.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The beginnings of remarks that ask to keep a setting, and to forget one when the next is kept: `# keep KEY=VALUE`.
const KEEP: &str = "keep ";
const FORGET: &str = "forget ";

/// Largest file, in bytes.
const LARGEST: usize = 1024;

/// The most files of a server that are used: of the matches that were played last.
const MOST_FILES: usize = 64;

/// After this long without a move, a match is forgotten.
const KEPT_FOR: Duration = Duration::from_secs(24 * 3600);

/// A folder of small files. The first line of each names the server that asked for it; the other one is `KEY=VALUE`. What
/// one server asked to keep never reaches another. The program also works without the folder, so errors are ignored.
#[derive(Debug)]
pub(crate) struct Memory {
    folder: Option<PathBuf>,
    server: String,
    /// The latest first.
    kept: Vec<KeptFile>,
    /// A file to remove when the next setting is kept.
    forgotten: Option<PathBuf>,
}

/// A setting, and the file in which it is stored.
#[derive(Clone, Debug)]
struct KeptFile {
    path: PathBuf,
    setting: (String, String),
    /// Whether this process has written it.
    own: bool,
}

impl Memory {
    /// Reads the folder; a missing one is empty. Removes files that are too old or too many. `server`: the server's address,
    /// in one line.
    pub(crate) fn open(folder: Option<PathBuf>, server: String) -> Self {
        let mut files: Vec<(SystemTime, KeptFile)> = Vec::new();
        let entries = folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
        for path in entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
            files.extend(read(&path, &server));
        }
        files.sort_by_key(|(written, _)| std::cmp::Reverse(*written));
        let oldest = SystemTime::now().checked_sub(KEPT_FOR);
        let recent =
            files.iter().filter(|(written, _)| oldest.is_none_or(|oldest| *written >= oldest)).count();
        for (_, old) in files.split_off(recent.min(MOST_FILES)) {
            // Another process may have removed it.
            let _ = std::fs::remove_file(&old.path);
        }
        Self { folder, server, kept: files.into_iter().map(|(_, file)| file).collect(), forgotten: None }
    }

    /// A note for people if there can be no memory: versions before this one kept a file.
    pub(crate) fn note(&self) -> Option<String> {
        let file = self.folder.as_ref().filter(|folder| folder.is_file())?;
        Some(format!("the memory {} is a file: name a folder instead", file.display()))
    }

    /// The kept settings. A setting that was kept for several matches has all values, joined by commas.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let mut settings: Vec<(String, String)> = Vec::new();
        for (key, value) in self.kept.iter().map(|file| &file.setting) {
            match settings.iter_mut().find(|(known, _)| known == key) {
                Some((_, values)) if values.split(',').any(|known| known == value) => {}
                Some((_, values)) => *values += &format!(",{value}"),
                None => settings.push((key.clone(), value.clone())),
            }
        }
        settings
    }

    /// Handles a remark of the server: keeps the setting that it asks to keep. `true` if it asks for something.
    pub(crate) fn handle(&mut self, remark: &str) -> bool {
        if let Some(forgotten) = remark.strip_prefix(FORGET).and_then(setting) {
            // Another match may have kept the same: then it has a file of its own.
            let place = self.kept.iter().position(|file| file.setting == forgotten);
            self.forgotten = place.map(|place| self.kept.remove(place).path);
            return true;
        }
        let Some(kept) = remark.strip_prefix(KEEP).and_then(setting) else { return false };
        if !self.kept.iter().any(|file| file.own && file.setting == kept) {
            self.write(kept);
        }
        true
    }

    /// Writes a new file, and then removes the one that it replaces.
    fn write(&mut self, setting: (String, String)) {
        let Some(folder) = &self.folder else { return };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let path = folder.join(format!("{}-{}", now.as_nanos(), std::process::id()));
        let text = format!("{}\n{}={}\n", first_line(&self.server), setting.0, setting.1);
        if text.len() > LARGEST {
            return;
        }
        // If this fails, so does the next step.
        let _ = std::fs::create_dir_all(folder);
        // Another name at first, so that no process reads half a file.
        let aside = path.with_extension("new");
        if std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, &path)).is_err() {
            // The server will send the setting again.
            let _ = std::fs::remove_file(&aside);
            return;
        }
        if let Some(forgotten) = self.forgotten.take() {
            // Another process may have removed it.
            let _ = std::fs::remove_file(forgotten);
        }
        self.kept.push(KeptFile { path, setting, own: true });
    }
}

/// A file that this server asked for, and when it was written.
fn read(path: &Path, server: &str) -> Option<(SystemTime, KeptFile)> {
    let facts = std::fs::metadata(path).ok()?;
    if !facts.is_file() || facts.len() > LARGEST as u64 || path.extension().is_some() {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let known = lines.next() == Some(&first_line(server));
    let setting = lines.next().filter(|_| known).and_then(setting)?;
    Some((facts.modified().ok()?, KeptFile { path: path.to_owned(), setting, own: false }))
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

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("kibitz-memory-{name}-{}", std::process::id())))
        }

        fn open(&self, server: &str) -> Memory {
            Memory::open(Some(self.0.clone()), server.to_owned())
        }

        /// The kept values, in order.
        fn values(&self) -> Vec<String> {
            let settings = self.open("http://one:8080").settings();
            let mut values: Vec<String> =
                settings.iter().flat_map(|(_, values)| values.split(',')).map(str::to_owned).collect();
            values.sort();
            values
        }

        fn files(&self) -> usize {
            std::fs::read_dir(&self.0).map_or(0, Iterator::count)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn each_match_has_a_file_and_each_server_its_own() {
        let folder = Folder::new("files");
        let mut first = folder.open("http://one:8080");
        assert_eq!(first.settings(), []);
        assert!(first.handle("keep base=1-a") && first.handle("keep base=1-a"));
        for remark in ["depth 9", "keep", "keep base", "keep =1", "keep a=b c", "keep a=b\nc=d", "forget"] {
            assert!(!first.handle(remark), "{remark}");
        }
        // Two processes of other matches run at the same time.
        let (mut second, mut third) = (folder.open("http://one:8080"), folder.open("http://one:8080"));
        assert!(second.handle("keep base=0-b") && third.handle("keep base=0-c"));
        assert_eq!((folder.values(), folder.files()), (vec!["0-b".into(), "0-c".into(), "1-a".into()], 3));
        let mut next = folder.open("http://one:8080");
        assert!(next.handle("forget base=0-b") && next.handle("keep base=0-d"));
        assert_eq!((folder.values(), folder.files()), (vec!["0-c".into(), "0-d".into(), "1-a".into()], 3));
        assert_eq!(folder.open("http://other:8080").settings(), []);
        assert!(folder.open("http://other:8080").handle("keep base=1"));
        assert_eq!(folder.values().len(), 3, "what one server asked for never reaches another");
    }

    #[test]
    fn two_matches_with_the_same_value_do_not_lose_it() {
        let folder = Folder::new("same");
        assert!(folder.open("http://one:8080").handle("keep base=1-a"));
        assert!(folder.open("http://one:8080").handle("keep base=1-a"));
        let (mut one, mut two) = (folder.open("http://one:8080"), folder.open("http://one:8080"));
        assert!(one.handle("forget base=1-a") && one.handle("keep base=1-b"));
        assert_eq!(folder.values(), ["1-a", "1-b"]);
        assert!(two.handle("forget base=1-a") && two.handle("keep base=1-b"));
        assert!(folder.files() >= 2);
    }

    #[test]
    fn old_matches_are_forgotten() {
        let folder = Folder::new("old");
        for number in 0..MOST_FILES + 3 {
            assert!(folder.open("http://one:8080").handle(&format!("keep base={number}")));
        }
        assert_eq!((folder.values().len(), folder.files()), (MOST_FILES, MOST_FILES));
        let day_ago = SystemTime::now() - KEPT_FOR - Duration::from_secs(60);
        for entry in std::fs::read_dir(&folder.0).unwrap() {
            std::fs::File::open(entry.unwrap().path()).unwrap().set_modified(day_ago).unwrap();
        }
        assert_eq!((folder.values().len(), folder.files()), (0, 0));
    }

    #[test]
    fn folder_that_cannot_be_written_is_ignored() {
        let mut memory = Memory::open(Some("/dev/null/at/all".into()), String::new());
        assert!(memory.handle("keep base=1"));
        assert!(Memory::open(None, String::new()).handle("keep base=1"));
        let file = Memory::open(Some("/proc/self/exe".into()), String::new());
        assert!(file.note().is_some_and(|note| note.contains("is a file")));
    }
}
