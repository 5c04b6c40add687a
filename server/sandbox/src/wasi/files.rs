//! The private directory of a program: files in memory that its next process finds again. It has no directories in it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Errno;

/// The most files.
const MOST_FILES: usize = 1000;

/// The longest name, in bytes.
const LONGEST_NAME: usize = 255;

/// The files of one seat in one match. Clones are the same directory.
#[derive(Clone)]
pub struct PrivateFiles(Arc<Mutex<Files>>);

/// The files themselves.
pub(super) struct Files {
    names: BTreeMap<String, u64>,
    contents: BTreeMap<u64, Vec<u8>>,
    next: u64,
    limit: usize,
}

impl PrivateFiles {
    /// An empty directory whose files may have this many bytes together.
    pub fn new(limit: usize) -> Self {
        let files = Files { names: BTreeMap::new(), contents: BTreeMap::new(), next: 1, limit };
        Self(Arc::new(Mutex::new(files)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a file from the path that a program gives; `None`: the directory itself.
pub(super) fn name_in(path: &[u8]) -> Result<Option<&str>, Errno> {
    let path = std::str::from_utf8(path).map_err(|_| Errno::INVAL)?;
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    let name = parts.next();
    if name.into_iter().chain(parts.clone()).any(|part| part == "..") {
        return Err(Errno::NOTCAPABLE);
    }
    match name {
        _ if parts.next().is_some() => Err(Errno::NOENT),
        Some(name) if name.len() > LONGEST_NAME => Err(Errno::NAMETOOLONG),
        name => Ok(name),
    }
}

impl Files {
    /// The number of the file with this name.
    pub(super) fn find(&self, name: &str) -> Result<u64, Errno> {
        self.names.get(name).copied().ok_or(Errno::NOENT)
    }

    /// A new, empty file.
    pub(super) fn create(&mut self, name: &str) -> Result<u64, Errno> {
        if self.names.len() >= MOST_FILES {
            return Err(Errno::NOSPC);
        }
        let number = self.next;
        self.next += 1;
        self.names.insert(name.to_owned(), number);
        self.contents.insert(number, Vec::new());
        Ok(number)
    }

    /// The content of a file; none once it is removed.
    pub(super) fn content(&self, file: u64) -> Result<&[u8], Errno> {
        self.contents.get(&file).map(Vec::as_slice).ok_or(Errno::NOENT)
    }

    /// Writes bytes at a place of a file; zeros fill what lies before it.
    pub(super) fn write(&mut self, file: u64, at: u64, bytes: &[u8]) -> Result<(), Errno> {
        let at = usize::try_from(at).map_err(|_| Errno::NOSPC)?;
        let end = at.checked_add(bytes.len()).ok_or(Errno::NOSPC)?;
        let length = self.content(file)?.len().max(end);
        self.resize(file, length)?;
        let content = self.contents.get_mut(&file).ok_or(Errno::NOENT)?;
        content.get_mut(at..end).ok_or(Errno::NOSPC)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Cuts a file, or adds zeros to it.
    pub(super) fn resize(&mut self, file: u64, length: usize) -> Result<(), Errno> {
        let others = self.used() - self.content(file)?.len();
        if others.checked_add(length).is_none_or(|all| all > self.limit) {
            return Err(Errno::NOSPC);
        }
        if let Some(content) = self.contents.get_mut(&file) {
            content.resize(length, 0);
        }
        Ok(())
    }

    /// Removes a file.
    pub(super) fn remove(&mut self, name: &str) -> Result<(), Errno> {
        let number = self.names.remove(name).ok_or(Errno::NOENT)?;
        self.contents.remove(&number);
        Ok(())
    }

    /// Gives a file another name; a file that has this name is removed.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), Errno> {
        let number = self.find(from)?;
        if from != to {
            self.names.remove(from);
            if let Some(replaced) = self.names.insert(to.to_owned(), number) {
                self.contents.remove(&replaced);
            }
        }
        Ok(())
    }

    /// The files after the first `from`, by name.
    pub(super) fn list(&self, from: usize) -> impl Iterator<Item = (&str, u64)> {
        self.names.iter().skip(from).map(|(name, number)| (name.as_str(), *number))
    }

    fn used(&self) -> usize {
        self.contents.values().map(Vec::len).sum()
    }
}
