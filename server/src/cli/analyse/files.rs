//! Reads files as finished matches to analyse: a record, or what `kibitz replay` reads as whole matches.

use std::path::Path;

use engines::arena::{RecordedAnswer, ReplayMatch};
use engines::erased::{AnyGame, FinishedMatch, FinishedMove};
use engines::games;
use engines::judge::MatchToJudge;
use engines::rng::Seed;
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::cli::verify;
use crate::matches::record::match_file::{FoundContent, FoundMatch, MatchFile, UnreadableFile};
use crate::matches::record::{InvalidRecord, Record};

/// A finished match in a file.
pub(super) struct MatchToAnalyse {
    pub game: &'static dyn AnyGame,
    /// The id of the match; empty: it has none.
    pub id: String,
    pub finished: MatchToJudge,
}

/// The matches in a file.
///
/// # Errors
/// When there is none; one sentence.
pub(super) fn read(file: &Path) -> Result<Vec<MatchToAnalyse>, String> {
    let bytes = verify::read(file).map_err(|e| e.to_string())?;
    let why = match records(&bytes) {
        Ok(records) => return records.into_iter().map(of_record).collect(),
        Err(why) => why,
    };
    match MatchFile::read(&bytes, &file.display().to_string(), None) {
        Ok(found) => found.matches.into_iter().map(of_found).collect(),
        Err(UnreadableFile::Damaged(e)) => Err(e.to_string()),
        Err(UnreadableFile::Unknown(_)) => Err(why),
    }
}

/// The records in a text, one after the other.
fn records(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let mut values = Deserializer::from_slice(bytes).into_iter::<&RawValue>().peekable();
    if values.peek().is_none_or(Result::is_err) {
        // The reader of one record says what is wrong.
        return Record::read(bytes).map(|record| vec![record]).map_err(in_words);
    }
    values
        .map(|value| {
            let raw = value.map_err(|e| format!("this is not JSON: {e}"))?;
            Record::read(raw.get().as_bytes()).map_err(in_words)
        })
        .collect()
}

fn in_words(unreadable: InvalidRecord) -> String {
    match unreadable.event {
        Some(place) => format!("event {place}: {}", unreadable.what),
        None => unreadable.what,
    }
}

fn of_record(record: Record) -> Result<MatchToAnalyse, String> {
    let game =
        games::find(&record.game).ok_or_else(|| format!("game: {:?} is not known here", record.game))?;
    Ok(MatchToAnalyse { game, finished: record.to_judge(game), id: record.id })
}

fn of_found(found: FoundMatch) -> Result<MatchToAnalyse, String> {
    match found.content {
        FoundContent::Match(recorded) => {
            Ok(MatchToAnalyse { game: found.game, id: found.id, finished: of_turns(*recorded) })
        }
        FoundContent::Dialogues(_) => {
            Err("this is the dialogue of one bot; an analysis needs the whole match".to_owned())
        }
    }
}

/// A match that is no record: it tells neither the seed of the deal nor the result.
fn of_turns(recorded: ReplayMatch) -> MatchToJudge {
    let moves = recorded.turns.into_iter().filter_map(|turn| {
        let mistake = match turn.answer {
            RecordedAnswer::Fault(what) => Some(what),
            _ => None,
        };
        Some(FinishedMove { seat: turn.seat, notation: turn.played?, mistake, remarks: Vec::new() })
    });
    let played = FinishedMatch {
        dealt: recorded.start,
        moves: moves.collect(),
        names: recorded.seats.into_iter().map(|seat| seat.name).collect(),
    };
    MatchToJudge { played, seed: Seed::default(), end: None }
}
