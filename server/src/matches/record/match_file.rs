//! Reads a file of matches: our records, files of the arena, transcripts, and the files of the contests' own harnesses. The content
//! of a file tells its format.

use std::borrow::Cow;
use std::io::{self, Read};

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

/// What a file has.
#[derive(Default)]
pub struct MatchFile {
    /// The matches, in order.
    pub matches: Vec<FoundMatch>,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
}

impl MatchFile {
    /// Reads an unpacked file. `label`: its name. `game`: the game, if its content can be of several.
    ///
    /// # Errors
    /// The first error, with its place.
    pub fn read(
        bytes: &[u8],
        label: &str,
        game: Option<&'static dyn AnyGame>,
    ) -> Result<Self, UnreadableFile> {
        let mut found = Self::default();
        parse(&mut found, bytes, label, game)?;
        Ok(found)
    }
}

/// The bytes of a file that may be packed with gzip. `largest`: the most bytes.
///
/// # Errors
/// When it is damaged or larger; one sentence.
pub fn unpacked(bytes: &[u8], largest: u64) -> io::Result<Cow<'_, [u8]>> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut out = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(largest + 1).read_to_end(&mut out);
    read.map_err(|e| io::Error::other(format!("it cannot be unpacked: {e}")))?;
    match out.len() as u64 > largest {
        true => Err(io::Error::other(format!("no file of more than {} MiB is read", largest >> 20))),
        false => Ok(Cow::Owned(out)),
    }
}

/// A match in a file.
#[expect(missing_docs, reason = "`game` says all")]
pub struct FoundMatch {
    /// The file, and the match in it if it has several.
    pub label: String,
    /// The id of the match; empty: it has none.
    pub id: String,
    pub game: &'static dyn AnyGame,
    /// What the file tells of it.
    pub content: FoundContent,
}

/// What a file tells of a match.
pub enum FoundContent {
    /// The whole match.
    Match(Box<ReplayMatch>),
    /// What its bots read and printed.
    Dialogues(Vec<BotDialogue>),
}

/// Why a file gives no match.
#[derive(Debug)]
pub enum UnreadableFile {
    /// It has none of the known formats.
    Unknown(HarnessFileError),
    /// It has a known format, with an error in it.
    Damaged(HarnessFileError),
}

impl From<HarnessFileError> for UnreadableFile {
    fn from(e: HarnessFileError) -> Self {
        Self::Damaged(e)
    }
}

fn parse(
    found: &mut MatchFile,
    bytes: &[u8],
    label: &str,
    game: Option<&'static dyn AnyGame>,
) -> Result<(), UnreadableFile> {
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
    Err(UnreadableFile::Unknown(unknown(&text, head)))
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
fn records(found: &mut MatchFile, text: &str, label: &str) -> Result<(), UnreadableFile> {
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
