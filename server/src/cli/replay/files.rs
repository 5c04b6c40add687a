//! Finds the files of matches to replay, and reads them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use engines::erased::AnyGame;
use engines::harness_file::HarnessFileError;

use crate::matches::record::match_file::{FoundMatch, MatchFile, UnreadableFile, unpacked};

/// The largest file that is read, unpacked, in bytes.
const LARGEST: u64 = 1 << 30;

/// What was found in the files.
#[derive(Default)]
pub(super) struct ReadFiles {
    pub matches: Vec<FoundMatch>,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
    /// The files that cannot be read.
    pub errors: Vec<String>,
}

/// Reads a file, or with `all` a folder. `game`: only matches of this game. Of a folder, files of other formats are left out, and
/// damaged ones are errors.
///
/// # Errors
/// When nothing can be read; one sentence.
pub(super) fn read(path: &Path, all: bool, game: Option<&'static dyn AnyGame>) -> Result<ReadFiles, String> {
    let mut found = ReadFiles::default();
    if path != Path::new("-") && path.is_dir() {
        if !all {
            return Err(format!("{} is a folder: replay its files with --all", path.display()));
        }
        let files = files_in(path).map_err(|e| format!("{}: {e}", path.display()))?;
        for file in files {
            let label = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match add(&mut found, &file, &label, game) {
                Ok(()) => {}
                Err(FileFailure::Unknown(_)) => {
                    found.notes.push(format!("left out: {label} is no file of a match"))
                }
                Err(FileFailure::Error(text)) => found.errors.push(format!("error: {text}")),
            }
        }
        return Ok(found);
    }
    let label = match path == Path::new("-") {
        true => "standard input".to_owned(),
        false => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
    };
    match add(&mut found, path, &label, game) {
        Ok(()) => Ok(found),
        Err(FileFailure::Unknown(text) | FileFailure::Error(text)) => Err(text),
    }
}

enum FileFailure {
    Unknown(String),
    Error(String),
}

/// The files of a folder by name, without hidden ones.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().is_file() && !entry.file_name().to_string_lossy().starts_with('.') {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn add(
    found: &mut ReadFiles,
    path: &Path,
    label: &str,
    game: Option<&'static dyn AnyGame>,
) -> Result<(), FileFailure> {
    let bytes = bytes_of(path).map_err(|e| FileFailure::Error(format!("{}: {e}", path.display())))?;
    let located = |e: HarnessFileError| format!("{}, {e}", path.display());
    let MatchFile { matches, notes } = match MatchFile::read(&bytes, label, game) {
        Ok(read) => read,
        Err(UnreadableFile::Unknown(e)) => return Err(FileFailure::Unknown(located(e))),
        Err(UnreadableFile::Damaged(e)) => return Err(FileFailure::Error(located(e))),
    };
    found.notes.extend(notes);
    let wanted = |one: &FoundMatch| game.is_none_or(|game| game.info().slug == one.game.info().slug);
    found.matches.extend(matches.into_iter().filter(wanted));
    Ok(())
}

/// The bytes of a file, unpacked.
fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let source: Box<dyn Read> =
        if path == Path::new("-") { Box::new(io::stdin().lock()) } else { Box::new(File::open(path)?) };
    let limited = |source: Box<dyn Read>| {
        let mut bytes = Vec::new();
        source.take(LARGEST + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > LARGEST {
            true => Err(io::Error::other(format!("no file of more than {} MiB is read", LARGEST >> 20))),
            false => Ok(bytes),
        }
    };
    let bytes = limited(source)?;
    Ok(unpacked(&bytes, LARGEST)?.into_owned())
}
