//! Programs as their owner and others see them.

use std::collections::BTreeMap;

use engines::arena::BotCheckReport;
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::schema::{GameSlug, HEX};
use crate::domain::time::Millis;
use crate::domain::{ProgramHash, ProgramState};
use crate::programs::FUEL_PER_SECOND;
use crate::store::{ProgramTally, StoredProgram};

/// The programs of a bot.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProgramList")]
pub struct ProgramsShown {
    /// The last ten, and active ones that are older; the newest first.
    pub programs: Vec<ProgramShown>,
    /// What they have used today, and may use.
    pub fuel: FuelShown,
}

/// What the programs of a bot have used today (UTC), and may use on a day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FuelShown {
    /// What they have used today, in units of fuel.
    pub used: u64,
    /// The same, in seconds of their clock.
    pub used_s: f64,
    /// What they may use on a day, in units of fuel.
    pub allowance: u64,
    /// The same, in seconds of their clock.
    pub allowance_s: f64,
}

impl FuelShown {
    pub(super) fn new(used: u64, allowance: u64) -> Self {
        let seconds = |fuel: u64| (fuel as f64 / FUEL_PER_SECOND as f64 * 1000.0).round() / 1000.0;
        Self { used, used_s: seconds(used), allowance, allowance_s: seconds(allowance) }
    }
}

/// A program of a bot, for its owner.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BotProgram")]
pub struct ProgramShown {
    /// Its number among the bot's programs, from 1. It is never used again.
    pub number: u32,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// The SHA-256 of its module, hexadecimal.
    #[schemars(with = "String", regex(pattern = HEX))]
    pub hash: ProgramHash,
    /// The size of its module, in bytes.
    pub size: u64,
    /// The owner's note.
    pub note: String,
    /// The time of the upload, in milliseconds since 1970.
    pub created_ms: Millis,
    /// How far its check and its use have come.
    pub state: ProgramState,
    /// Whether it becomes active when its check has passed.
    pub activate: bool,
    /// The time at which it became active for the last time, in milliseconds since 1970; `null`: it never was.
    pub activated_ms: Option<Millis>,
    /// Whether others may download it.
    pub published: bool,
    /// The settings of the referee's side of its dialogue that its check has found.
    pub referee: BTreeMap<String, String>,
    /// Why the operator has disabled it; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
    /// The report of its check; `null` before its end.
    pub report: Option<ProgramReport>,
    /// What it has achieved in its matches, those of its check not counted.
    pub results: ProgramResults,
}

/// What a program has achieved in the matches that it has played for its bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramResults {
    /// Matches that it won alone.
    pub won: u64,
    /// Matches in which it shared the first place.
    pub drawn: u64,
    /// Matches in which another seat came before it.
    pub lost: u64,
    /// Its mistakes in all its matches: illegal or unreadable moves, crashes, and turns out of time.
    pub mistakes: u64,
    /// The bot's rating while the program played; `null`: none of its matches was rated.
    pub rating: Option<ProgramRating>,
}

/// The rating of a bot after the last rated match that a program has played for it. Annulled matches do not count.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramRating {
    /// The rated matches of the program.
    pub played: u64,
    /// The rating on an Elo-like scale.
    pub points: i64,
    /// The strength lies within this many points of the rating, with a probability of 95%.
    pub margin: i64,
}

impl From<ProgramTally> for ProgramResults {
    fn from(tally: ProgramTally) -> Self {
        let ProgramTally { won, drawn, lost, mistakes, rated, rating } = tally;
        // Ratings are far from the bounds of i64.
        let whole = |points: f64| points.round() as i64;
        let rating = rating.map(|rating| ProgramRating {
            played: rated,
            points: whole(rating.points()),
            margin: whole(rating.margin()),
        });
        Self { won, drawn, lost, mistakes, rating }
    }
}

/// What the check of a program has found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramReport {
    /// Whether it can play.
    pub passed: bool,
    /// The matches that were played.
    pub matches: u64,
    /// The moves of the program in them.
    pub moves: u64,
    /// How many of them were mistakes: illegal, not readable, or late.
    pub mistakes: u64,
    /// The whole report for people, line by line.
    pub lines: Vec<String>,
}

impl From<StoredProgram> for ProgramShown {
    fn from(program: StoredProgram) -> Self {
        let report = program.report.as_deref().and_then(|report| report_of(report, program.state));
        Self {
            number: program.number,
            game: program.game,
            hash: program.hash,
            size: program.size,
            note: program.note,
            created_ms: program.created_ms,
            state: program.state,
            activate: program.activate,
            activated_ms: program.activated_ms,
            published: program.published,
            referee: program.referee,
            disabled: program.banned,
            report,
            results: program.tally.into(),
        }
    }
}

/// The stored report; `None` if a later version of the program wrote it and this one cannot read it.
fn report_of(stored: &str, state: ProgramState) -> Option<ProgramReport> {
    let report: BotCheckReport = serde_json::from_str(stored).ok()?;
    let passed = state != ProgramState::Refused;
    let mut lines: Vec<String> = report.to_string().lines().map(str::to_owned).collect();
    lines.push(verdict(&report, passed).to_owned());
    let (matches, moves, mistakes) = (report.matches, report.moves, report.all_mistakes());
    Some(ProgramReport { passed, matches, moves, mistakes, lines })
}

fn verdict(report: &BotCheckReport, passed: bool) -> &'static str {
    match (passed, report.all_mistakes(), report.matches) {
        (true, 0, _) => "The program is ready.",
        (true, ..) => "The program is ready, but it made mistakes.",
        (false, _, 0) => "The program cannot play.",
        (false, ..) => "The program cannot play: it made nothing but mistakes.",
    }
}

/// A program that everybody may know.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicProgram {
    /// Its number among the bot's programs.
    pub number: u32,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// The SHA-256 of its module, hexadecimal.
    #[schemars(with = "String", regex(pattern = HEX))]
    pub hash: ProgramHash,
    /// The size of its module, in bytes.
    pub size: u64,
    /// The time of the upload, in milliseconds since 1970.
    pub created_ms: Millis,
    /// Whether it plays for the bot.
    pub active: bool,
    /// Whether anyone may download it.
    pub published: bool,
}

impl PublicProgram {
    /// `None` if it neither plays nor is published.
    pub(super) fn of(program: &StoredProgram) -> Option<Self> {
        let active = program.state == ProgramState::Active && program.banned.is_none();
        let published = program.published && program.banned.is_none();
        (active || published).then(|| Self {
            number: program.number,
            game: program.game.clone(),
            hash: program.hash.clone(),
            size: program.size,
            created_ms: program.created_ms,
            active,
            published,
        })
    }
}
