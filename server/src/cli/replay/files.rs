//! Reads files as matches to replay. The content of a file tells its format.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use engines::arena::{PlayedRun, ReplayMatch, games_of, read_run};
use engines::erased::AnyGame;
use engines::games::{GAMES, find};
use engines::harness_file::{BotDialogue, HarnessFile, HarnessFileError, text_of};
use engines::protocol::{Entry, is_transcript};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::matches::record::{FORMAT, Record};

/// The largest file that is read, unpacked, in bytes.
const LARGEST: u64 = 1 << 30;

/// A match in a file.
pub(in crate::cli) struct FoundMatch {
    /// The file, and the match in it if it has several.
    pub label: String,
    /// The id of the match; empty: it has none.
    pub id: String,
    pub game: &'static dyn AnyGame,
    pub content: FoundContent,
}

pub(in crate::cli) enum FoundContent {
    Match(Box<ReplayMatch>),
    Dialogues(Vec<BotDialogue>),
}

/// What was found in the files.
#[derive(Default)]
pub(super) struct ReadFiles {
    pub matches: Vec<FoundMatch>,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
    /// The files that cannot be read.
    pub errors: Vec<String>,
}

/// Why a file gives no match.
enum Unreadable {
    /// It has none of the known formats.
    Unknown(HarnessFileError),
    /// It is damaged.
    Damaged(HarnessFileError),
}

impl From<HarnessFileError> for Unreadable {
    fn from(e: HarnessFileError) -> Self {
        Self::Damaged(e)
    }
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

/// The matches and dialogues in the bytes of a file. `label`: of the file.
///
/// # Errors
/// What is wrong with the file, in one sentence; `None`: it has none of the known formats.
pub(in crate::cli) fn parse_matches(bytes: &[u8], label: &str) -> Result<Vec<FoundMatch>, Option<String>> {
    let mut found = ReadFiles::default();
    match parse(&mut found, bytes, label, None) {
        Ok(()) => Ok(found.matches),
        Err(Unreadable::Unknown(_)) => Err(None),
        Err(Unreadable::Damaged(e)) => Err(Some(e.to_string())),
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
    let before = found.matches.len();
    match parse(found, &bytes, label, game) {
        Ok(()) => {}
        Err(Unreadable::Unknown(e)) => return Err(FileFailure::Unknown(located(e))),
        Err(Unreadable::Damaged(e)) => return Err(FileFailure::Error(located(e))),
    }
    let wanted = |one: &FoundMatch| game.is_none_or(|game| game.info().slug == one.game.info().slug);
    let new = found.matches.split_off(before);
    found.matches.extend(new.into_iter().filter(wanted));
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
    match bytes.starts_with(b"\x1f\x8b") {
        true => limited(Box::new(MultiGzDecoder::new(io::Cursor::new(bytes))))
            .map_err(|e| io::Error::other(format!("it cannot be unpacked: {e}"))),
        false => Ok(bytes),
    }
}

fn parse(
    found: &mut ReadFiles,
    bytes: &[u8],
    label: &str,
    game: Option<&'static dyn AnyGame>,
) -> Result<(), Unreadable> {
    let text = text_of(bytes)?;
    let head = text.trim_start();
    if head.is_empty() {
        return Err(HarnessFileError::new(1, 1, "the file is empty").into());
    }
    if head.starts_with("{\"settings\"") {
        let PlayedRun { game, matches } = read_run(&text)?;
        found.matches.extend(matches.into_iter().map(|(number, recorded)| FoundMatch {
            label: format!("{label}, match {number}"),
            id: number.to_string(),
            game,
            content: FoundContent::Match(Box::new(recorded)),
        }));
        return Ok(());
    }
    if head.starts_with('{') && is_record(head) {
        return records(found, &text, label);
    }
    if is_web_page(head) {
        return Err(
            HarnessFileError::at_part(&text, head, "this is a web page, not a file of a match").into()
        );
    }
    let one = |game, content| FoundMatch { label: label.to_owned(), id: String::new(), game, content };
    if is_transcript(&text) {
        let (game, entries) = transcript(&text, game)?;
        let dialogue = BotDialogue { entries, ..BotDialogue::default() };
        found.matches.push(one(game, FoundContent::Dialogues(vec![dialogue])));
        return Ok(());
    }
    for game in game.map_or(GAMES.to_vec(), |game| vec![game]) {
        if let Some(content) = game.read_file(&text) {
            let content = match content? {
                HarnessFile::Match(finished) => FoundContent::Match(Box::new(finished.into())),
                HarnessFile::Dialogues(dialogues) => FoundContent::Dialogues(dialogues),
            };
            found.matches.push(one(game, content));
            return Ok(());
        }
    }
    Err(Unreadable::Unknown(unknown(&text, head)))
}

/// The error of a text that has none of the known formats.
fn unknown(text: &str, head: &str) -> HarnessFileError {
    let of_games = GAMES.iter().flat_map(|game| game.harness_formats());
    let all: Vec<&str> =
        ["a record", "a download of records", "a file of `kibitz arena --json`", "a transcript"]
            .into_iter()
            .chain(of_games)
            .collect();
    HarnessFileError::at_part(
        text,
        head,
        format!("this is the beginning of none of these: {}", all.join(", ")),
    )
}

fn is_web_page(head: &str) -> bool {
    let first: String = head.chars().take(9).collect::<String>().to_ascii_lowercase();
    first.starts_with("<!doctype") || first.starts_with("<html") || first.starts_with("<?xml")
}

/// What tells a record from other JSON.
#[derive(Deserialize)]
struct RecordHead {
    format: String,
}

/// Whether JSON begins with a record. A damaged one begins like a record, too.
fn is_record(head: &str) -> bool {
    let mut values = Deserializer::from_str(head).into_iter::<RecordHead>();
    match values.next() {
        Some(Ok(first)) => first.format.starts_with("kibitz-record-"),
        _ => head.get(..200).unwrap_or(head).contains("kibitz-record-"),
    }
}

/// Reads one record or more. The last one may be cut off if another one comes before it: a download broke off.
fn records(found: &mut ReadFiles, text: &str, label: &str) -> Result<(), Unreadable> {
    let values = Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut read = Vec::new();
    for value in values {
        let raw = match value {
            Ok(raw) => raw.get(),
            Err(e) if e.is_eof() && !read.is_empty() => {
                found.notes.push(format!("left out: the last record of {label} is cut off"));
                break;
            }
            Err(e) => return Err(HarnessFileError::json(&e).into()),
        };
        let wrong = |what: String| HarnessFileError::at_part(text, raw, what);
        let record = Record::read(raw.as_bytes()).map_err(|e| {
            let event = e.event.map(|event| format!("event {event}: ")).unwrap_or_default();
            wrong(format!("{event}{}", e.what))
        })?;
        let game =
            find(&record.game).ok_or_else(|| wrong(format!("there is no game {:?} here", record.game)))?;
        let recorded = record.replay_match();
        let recorded =
            recorded.ok_or_else(|| wrong(format!("{FORMAT} begins with the creation of a match")))?;
        read.push(FoundMatch {
            label: label.to_owned(),
            id: record.id,
            game,
            content: FoundContent::Match(Box::new(recorded)),
        });
    }
    if read.len() > 1 {
        read.iter_mut().for_each(|one| one.label = format!("{label}, match {}", one.id));
    }
    found.matches.extend(read);
    Ok(())
}

/// Reads a transcript, and finds out its game.
fn transcript(
    text: &str,
    game: Option<&'static dyn AnyGame>,
) -> Result<(&'static dyn AnyGame, Vec<Entry>), HarnessFileError> {
    let mut entries = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        entries.push(Entry::parse(line).map_err(|e| HarnessFileError::new(at + 1, 1, e.0))?);
    }
    if let Some(game) = game {
        return Ok((game, entries));
    }
    match games_of(&entries).as_slice() {
        [only] => Ok((*only, entries)),
        [] => Err(HarnessFileError::new(
            1,
            1,
            "this transcript is no dialogue of a game by its rules; name the game with --game",
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|game| game.info().slug).collect();
            let names = names.join(" or ");
            Err(HarnessFileError::new(
                1,
                1,
                format!("this transcript can be of {names}; name the game with --game"),
            ))
        }
    }
}
