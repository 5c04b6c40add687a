//! The official dialogue of a seat, made again from the log of the match: what its bot read and wrote, each line with its ply. Any
//! seat has one, also where a person or an engine played.

use std::collections::HashMap;
use std::time::Duration;

use engines::arena::{DialogueLine, RecordedAnswer, RecordedTurn, ReplayMatch, seat_dialogue};
use engines::dialogue::MIRROR;
use engines::erased::AnyGame;
use engines::game::{Process, Seat, Turn};
use engines::protocol::Entry;

use crate::catalogue::no_bot_seat;
use crate::domain::{MatchId, Stage};
use crate::error::{Code, Error};
use crate::matches::event::{Event, LoggedEvent};
use crate::matches::ledger::Caller;
use crate::matches::record::Record;
use crate::matches::service::Matches;

/// A line of the dialogue of a seat in a match.
#[expect(missing_docs, reason = "`line` says all")]
pub struct SeatLine {
    pub line: DialogueLine,
    /// What a hosted program has used for the decision in this line, in fuel.
    pub fuel: Option<u64>,
}

impl Matches {
    /// The official dialogue of a seat: during the match for the holder of the seat and the owner of the bot in it, afterwards for
    /// everybody who may see the match.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `not_found` if there is no such seat, `match_not_over`, `sealed`, `no_bot_seat` where the
    /// contest has no dialogue for the seat or cannot tell it the position with which the match began, `store_unavailable`.
    pub async fn dialogue(&self, id: &MatchId, caller: &Caller, seat: Seat) -> Result<Vec<SeatLine>, Error> {
        let side = self.side_of_seat(id, caller, seat).await?;
        if !side.is_own && side.stage != Stage::Over {
            let detail = "during the match only the holder of the seat sees its dialogue";
            return Err(Error::new(Code::MatchNotOver, detail));
        }
        let log = self.registry.read_log(id, 0).await?;
        let lost = || Error::new(Code::Internal, "a log does not begin with the creation");
        let record = Record::so_far(id.as_str(), &log, Vec::new()).ok_or_else(lost)?;
        let game = self.registry.games.find(&record.game)?.game;
        if !game.info().bot_can_hold(seat.0, true) {
            return Err(no_bot_seat(game.info(), "this seat has no dialogue"));
        }
        if let Some(created) = record.creation().filter(|created| created.position.is_some()) {
            game.restore(&created.state)?.can_tell(seat)?;
        }
        let recorded = record.replay_match().ok_or_else(lost)?;
        let fuel = fuel_by_ply(&log, seat);
        // Every move is played again.
        let made = tokio::task::spawn_blocking(move || match side.stage {
            Stage::Open => Ok(Vec::new()),
            Stage::Running => so_far(game, recorded, seat),
            Stage::Over => whole(game, &recorded, seat),
        });
        let broken = |why: String| Error::new(Code::Internal, format!("a log contradicts its game: {why}"));
        let failed = |_| Error::new(Code::Internal, "a dialogue could not be made");
        let lines = made.await.map_err(failed)?.map_err(broken)?;
        let with_fuel = |line: DialogueLine| SeatLine {
            fuel: line.taken.and_then(|_| fuel.get(&line.ply).copied()),
            line,
        };
        Ok(lines.into_iter().map(with_fuel).collect())
    }
}

/// What the hosted program of a seat has used for each of its decisions, by ply.
fn fuel_by_ply(log: &[LoggedEvent], seat: Seat) -> HashMap<u32, u64> {
    let of = |logged: &LoggedEvent| {
        let (of, ply, times) = match &logged.event {
            Event::Moved(moved) => (moved.seat, moved.ply, moved.times),
            Event::Fouled(fouled) => (fouled.seat, fouled.ply, fouled.times),
            _ => return None,
        };
        Some((ply, times.fuel.filter(|_| of == seat)?))
    };
    log.iter().filter_map(of).collect()
}

/// The dialogue of a seat of a match that is over. A seat that bots hold only with the mirror dialogue has that.
fn whole(game: &dyn AnyGame, recorded: &ReplayMatch, seat: Seat) -> Result<Vec<DialogueLine>, String> {
    let mut referee = recorded.seats.get(seat.index()).map(|seat| seat.referee.clone()).unwrap_or_default();
    if !game.info().bot_can_hold(seat.0, false) {
        referee.0.entry(MIRROR.name.to_owned()).or_insert_with(|| "yes".to_owned());
    }
    seat_dialogue(game, recorded, seat, &referee, None)
}

/// The dialogue of a seat of a match that goes on, with the prompt of its open turn.
fn so_far(game: &dyn AnyGame, mut recorded: ReplayMatch, seat: Seat) -> Result<Vec<DialogueLine>, String> {
    let mut table = game.restore(&recorded.start).map_err(|e| e.to_string())?;
    for turn in &recorded.turns {
        if let Some(notation) = &turn.played {
            table.play(turn.seat, notation).map_err(|e| e.to_string())?;
        }
    }
    if table.turn() == Turn::Of(seat) {
        let open =
            RecordedTurn { seat, answer: RecordedAnswer::Unknown, played: None, taken: None, left: None };
        recorded.turns.push(open);
    }
    let mut lines = whole(game, &recorded, seat)?;
    // The input of a bot with one process for the match goes on.
    if game.info().process == Process::PerMatch {
        lines.pop_if(|line| line.entry == Entry::End);
    }
    Ok(lines)
}

/// How long the decision in this line took, in milliseconds.
pub fn used_ms(line: &DialogueLine) -> Option<u64> {
    line.taken.as_ref().map(Duration::as_millis).and_then(|ms| ms.try_into().ok())
}
