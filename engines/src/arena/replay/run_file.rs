//! Reads the file of an arena's run as matches to replay.

use std::time::Duration;

use serde_json::Value;

use super::recording::{RecordedAnswer, RecordedTurn, ReplayMatch, ReplaySeat};
use crate::arena::clock::TimeLimits;
use crate::arena::earlier_games::FileLine;
use crate::arena::plan::POSITIONS;
use crate::arena::play::program_seed;
use crate::arena::positions::begin;
use crate::arena::record::{ArenaRecord, hash};
use crate::arena::spec::PlayerSpec;
use crate::erased::{AnyGame, StartPosition};
use crate::game::Turn;
use crate::games::find;
use crate::harness_file::{HarnessFileError, json_message};
use crate::rng::Seed;

/// The settings of a run, as far as a replay needs them.
struct RunSettings {
    game: &'static dyn AnyGame,
    options: Value,
    /// The positions from which the matches begin, if it has some.
    positions: Vec<StartPosition>,
    limits: TimeLimits,
    /// The players: name and description.
    players: Vec<(String, Option<PlayerSpec>)>,
}

/// The matches of a run.
pub struct PlayedRun {
    /// The game of all of them.
    pub game: &'static dyn AnyGame,
    /// Each with its number.
    pub matches: Vec<(u32, ReplayMatch)>,
}

/// The matches of a run. Voided matches are left out, and so is a last line that a killed run
/// left unfinished.
///
/// # Errors
/// At the first line that is none of an arena's file, or a match that cannot be dealt again.
pub fn read_run(text: &str) -> Result<PlayedRun, HarnessFileError> {
    let mut settings: Option<RunSettings> = None;
    let mut matches = Vec::new();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let wrong = |what: String| HarnessFileError::new(at + 1, 1, what);
        match serde_json::from_str::<FileLine>(line) {
            Err(_) if !line.ends_with('\n') && settings.is_some() => break,
            Err(_) if line.trim().is_empty() => {}
            Err(e) => return Err(HarnessFileError::new(at + 1, e.column().max(1), json_message(&e))),
            Ok(FileLine::Summary {}) => {}
            Ok(FileLine::Settings(json)) => settings = Some(run_settings(&json).map_err(wrong)?),
            Ok(FileLine::Record(record)) if record.outcome.is_none() => {}
            Ok(FileLine::Record(record)) => {
                let settings = settings.as_ref();
                let settings =
                    settings.ok_or_else(|| wrong("the settings of the run are missing".to_owned()))?;
                let number = record.game;
                matches.push((number, played(settings, *record).map_err(wrong)?));
            }
        }
    }
    match settings {
        Some(settings) => Ok(PlayedRun { game: settings.game, matches }),
        None => Err(HarnessFileError::new(1, 1, "the settings of the run are missing")),
    }
}

fn run_settings(json: &Value) -> Result<RunSettings, String> {
    let slug = json["game"].as_str().unwrap_or_default();
    let game = find(slug).ok_or_else(|| format!("there is no game '{slug}'"))?;
    let limits = serde_json::from_value(json["limits"].clone()).map_err(|e| format!("limits: {e}"))?;
    let players = json["players"].as_array().map_or(&[][..], Vec::as_slice).iter();
    let text = |player: &Value, key: &str| player[key].as_str().unwrap_or_default().to_owned();
    let player = |json: &Value| (text(json, "name"), text(json, "spec").parse().ok());
    let positions = match &json[POSITIONS] {
        Value::Null => Vec::new(),
        list => serde_json::from_value(list.clone()).map_err(|e| format!("{POSITIONS}: {e}"))?,
    };
    let players = players.map(player).collect();
    Ok(RunSettings { game, options: json["options"].clone(), positions, limits, players })
}

/// The match of a record: deals it again and plays its opening.
fn played(run: &RunSettings, record: ArenaRecord) -> Result<ReplayMatch, String> {
    let number = record.game;
    let moves = record.moves.clone().ok_or_else(|| {
        format!("match {number} has no moves: an arena writes them with the option --moves")
    })?;
    let position = run.positions.get(record.deal as usize % run.positions.len().max(1));
    let mut table = match position {
        Some(position) => begin(run.game, position, &run.options, &record.seed)?.table,
        None => run.game.deal(&run.options, &record.seed).map_err(|e| e.detail)?,
    };
    for notation in &record.opening {
        let Turn::Of(seat) = table.turn() else {
            return Err(format!("match {number} is over in its opening"));
        };
        table.play(seat, notation).map_err(|e| format!("match {number}: the opening: {e}"))?;
    }
    let start = table.state_json();
    if record.start_hash.as_ref().is_some_and(|known| *known != hash(&start)) {
        return Err(format!("match {number} began otherwise: its arena was of another version"));
    }
    let mut table = run.game.restore(&start).map_err(|e| e.detail)?;
    let mut clocks = SeatTimes::new(run.limits, &record);
    let mut turns = Vec::new();
    for ply in 0.. {
        let Turn::Of(seat) = table.turn() else { break };
        let fault = record.faults.iter().find(|fault| fault.ply == ply);
        let played = moves.get(ply as usize).cloned();
        let answer = match (fault, &played) {
            (Some(fault), _) => RecordedAnswer::Fault(format!("{}: {}", fault.kind, fault.detail)),
            (None, Some(notation)) => RecordedAnswer::Move(notation.clone()),
            (None, None) => break,
        };
        let (taken, left) = clocks.next(seat.index());
        let is_end = played.is_none();
        if let Some(notation) = &played {
            table.play(seat, notation).map_err(|e| format!("match {number}, ply {ply}: {e}"))?;
        }
        turns.push(RecordedTurn { seat, answer, played, taken, left });
        if is_end {
            break;
        }
    }
    let seats = record.seats.iter().map(|seat| replay_seat(run, &record.seed, &seat.player)).collect();
    Ok(ReplayMatch { start, turns, seats })
}

fn replay_seat(run: &RunSettings, deal: &Seed, name: &str) -> ReplaySeat {
    let player = run.players.iter().position(|(known, _)| known == name);
    let spec = player.and_then(|at| run.players[at].1.as_ref());
    let referee = spec.and_then(PlayerSpec::referee);
    ReplaySeat {
        name: name.to_owned(),
        is_bot: referee.is_some(),
        referee: referee.cloned().unwrap_or_default(),
        program_seed: player.map(|player| program_seed(deal, player)),
    }
}

/// The times of each seat's decisions.
struct SeatTimes {
    taken: Vec<std::vec::IntoIter<u64>>,
    left: Vec<Option<Duration>>,
}

impl SeatTimes {
    fn new(limits: TimeLimits, record: &ArenaRecord) -> Self {
        Self {
            taken: record.seats.iter().map(|seat| seat.times_us.clone().into_iter()).collect(),
            left: vec![limits.per_match; record.seats.len()],
        }
    }

    /// How long the next decision of a seat took, and what the seat had left before it.
    fn next(&mut self, seat: usize) -> (Option<Duration>, Option<Duration>) {
        let taken = self.taken.get_mut(seat).and_then(Iterator::next).map(Duration::from_micros);
        let left = self.left.get(seat).copied().flatten();
        if let (Some(rest), Some(taken)) = (self.left.get_mut(seat), taken) {
            *rest = rest.map(|rest| rest.saturating_sub(taken));
        }
        (taken, left)
    }
}
