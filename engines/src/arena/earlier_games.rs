//! Reads the file of an interrupted run back and checks it against the plan. Opens no file itself.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use serde::Deserialize;
use serde_json::Value;

use super::plan::RunPlan;
use super::record::ArenaRecord;

/// The reason why the run cannot continue a file.
#[derive(Debug, thiserror::Error)]
pub enum BadFile {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// It is no file of an arena, or is damaged before its end.
    #[error("holds something else in line {line} than an arena writes")]
    Strange {
        /// The line, from 1.
        line: usize,
    },
    /// It belongs to another run.
    #[error("holds another run: {0}")]
    Other(String),
}

/// The usable part of a file.
#[derive(Debug, Default)]
pub struct EarlierGames {
    /// Matches that count, in the order of their numbers. Voided ones are played again.
    pub records: Vec<ArenaRecord>,
    /// The settings that were written last.
    pub settings: Option<Value>,
    /// Bytes up to the end of the last whole record or settings. A partial line, or the summary of an incomplete run,
    /// may come next.
    pub length: u64,
}

/// A line of the file; each has one key.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FileLine {
    Settings(Value),
    Record(Box<ArenaRecord>),
    Summary {},
}

impl EarlierGames {
    /// Reads a file of this plan. The last line may be cut off anywhere: the run that wrote it was killed.
    ///
    /// # Errors
    /// When it cannot be read, is no file of an arena, or holds another run; the first difference is named.
    pub fn read(plan: &RunPlan, mut file: impl BufRead) -> Result<Self, BadFile> {
        let mut kept = Self::default();
        let mut records: BTreeMap<u32, ArenaRecord> = BTreeMap::new();
        let (mut bytes, mut position, mut number) = (Vec::new(), 0, 0);
        loop {
            bytes.clear();
            let read = file.read_until(b'\n', &mut bytes)?;
            number += 1;
            let whole = bytes.ends_with(b"\n");
            let line = serde_json::from_slice::<FileLine>(&bytes).ok().filter(|_| whole);
            position += read as u64;
            match line {
                None if file.fill_buf()?.is_empty() && kept.may_be_cut(&bytes) => break,
                None => return Err(BadFile::Strange { line: number }),
                Some(FileLine::Settings(settings)) => {
                    if let Some(difference) = plan.difference(&settings) {
                        return Err(BadFile::Other(difference));
                    }
                    kept.settings = Some(settings);
                    kept.length = position;
                }
                Some(_) if kept.settings.is_none() => return Err(BadFile::Strange { line: number }),
                Some(FileLine::Record(record)) => {
                    check(plan, &record).map_err(BadFile::Other)?;
                    if record.outcome.is_some() {
                        records.insert(record.game, *record);
                    }
                    kept.length = position;
                }
                Some(FileLine::Summary {}) => {}
            }
        }
        kept.records = records.into_values().collect();
        Ok(kept)
    }

    /// Whether the last bytes, which are no line, can be left by a killed run: nothing, anything after settings, or the
    /// beginning of settings. Other files are not changed.
    fn may_be_cut(&self, bytes: &[u8]) -> bool {
        const FIRST: &[u8] = b"{\"settings\"";
        let n = bytes.len().min(FIRST.len());
        self.settings.is_some() || bytes[..n] == FIRST[..n]
    }
}

/// Checks that a record is the match that the plan has under its number.
fn check(plan: &RunPlan, record: &ArenaRecord) -> Result<(), String> {
    let game = record.game;
    if game >= plan.games() {
        return Err(format!("it holds game {game}, and {} games (from 0) are asked for", plan.games()));
    }
    let fixture = plan.fixture(game);
    let names: Vec<&str> = fixture.seats.iter().map(|p| plan.players()[*p].name.as_str()).collect();
    let sat: Vec<&str> = record.seats.iter().map(|s| s.player.as_str()).collect();
    let outcome = record.outcome.as_ref();
    let whole = outcome.is_none_or(|o| o.ranks.len() == plan.seats() && o.points.len() == plan.seats());
    let faulty = record.faults.iter().any(|f| usize::from(f.seat) >= plan.seats());
    if (record.deal, record.seed) != (fixture.deal, fixture.seed) || sat != names || !whole || faulty {
        return Err(format!("game {game} is another match there"));
    }
    if plan.opening_plies() > 0 && record.outcome.is_some() {
        let opening = plan.deal(&fixture)?.opening;
        if record.opening != opening {
            let (theirs, ours) = (record.opening.join(" "), opening.join(" "));
            return Err(format!("the opening of game {game} is {theirs} there and {ours} here"));
        }
    }
    Ok(())
}
