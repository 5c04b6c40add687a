//! A turn of the bot: it is told that it is to decide, and what it writes then is heard until that is an answer.

use std::time::{Duration, Instant};

use engines::game::Process;
use engines::protocol::Entry;

use crate::domain::time::Millis;
use crate::matches::bot_seat::{BotSeat, cut, quoted};
use crate::matches::event::FoulKind;

/// Lines that are no move and that one decision may hold; no dialogue needs more than a few.
const IDLE_LINES: u32 = 256;

/// What the bot said at a turn.
pub(super) enum Answer {
    Move(String),
    Foul(FoulKind, String),
}

/// The turn of the bot that the replica is at.
pub(super) struct OwnTurn {
    pub(super) ply: u32,
    /// Whether the bot was told that it is to decide.
    pub(super) prompted: bool,
    /// Lines heard that were no move.
    pub(super) idle: u32,
    /// What it said, and when.
    pub(super) answer: Option<(Answer, Instant)>,
    /// Whether the answer can still become another: the program of one move has not ended.
    pub(super) unsettled: bool,
    pub(super) claimed: bool,
}

impl BotSeat {
    /// Tells the bot that it is to decide.
    pub(super) fn prompt(&mut self, ply: u32, now: Millis) {
        let live = self.decided.is_empty();
        let left = match self.told.get(&ply) {
            Some(told) => *told,
            None => self.allowed_ms(if live { now } else { self.turn_ms }),
        };
        // Whoever knows it already has it in the transcript.
        if self.told.insert(ply, left).is_none() {
            let time = left.map(|ms| format!(" {ms}")).unwrap_or_default();
            self.entries.push_back(Entry::Remark(format!("turn {ply}{time}")));
        }
        if let Some(table) = &mut self.table {
            table.prompt(self.seat, left.map(Duration::from_millis));
        }
        self.deliver();
        if self.process() == Process::PerMove {
            self.entries.push_back(Entry::End);
            self.running += 1;
        }
        if let Some(turn) = &mut self.turn {
            turn.prompted = true;
        }
    }

    /// What the move may take from now on, in milliseconds.
    pub(super) fn allowed_ms(&self, now: Millis) -> Option<u64> {
        let per_move = self.clock.and_then(|clock| clock.move_ms);
        let allowed = [per_move, self.left_ms].into_iter().flatten().min()?;
        let gone = u64::try_from(now.saturating_sub(self.turn_ms)).unwrap_or(0);
        Some(allowed.saturating_sub(gone))
    }

    /// Hears what the bot wrote, at its turn, until that is an answer.
    pub(super) fn hear_written(&mut self) {
        let (Some(table), Some(turn)) = (&mut self.table, &mut self.turn) else { return };
        let alone = self.game.info().process == Process::PerMove;
        while turn.answer.is_none() || (alone && turn.unsettled) {
            if self.greetings == 0 && !turn.prompted {
                return;
            }
            let Some((line, at)) = self.written.pop_front() else { break };
            self.written_bytes -= line.len();
            if turn.answer.is_some() {
                if !line.trim().is_empty() {
                    let detail = format!("{} came after a complete answer", quoted(&line));
                    turn.answer = Some((Answer::Foul(FoulKind::BadLine, detail), at));
                    turn.unsettled = false;
                }
                continue;
            }
            match table.hear(self.seat, &line) {
                Ok(Some(notation)) => {
                    turn.answer = Some((Answer::Move(notation), at));
                    turn.unsettled = alone;
                }
                Ok(None) => {
                    self.greetings = self.greetings.saturating_sub(1);
                    turn.idle += 1;
                    if turn.idle > IDLE_LINES {
                        let detail = format!("{IDLE_LINES} lines and no move");
                        turn.answer = Some((Answer::Foul(FoulKind::BadLine, detail), at));
                    }
                }
                Err(e) => {
                    let detail = format!("{}: {}", quoted(&line), cut(&e.detail));
                    turn.answer = Some((Answer::Foul(FoulKind::BadLine, detail), at));
                }
            }
        }
        if turn.answer.is_none()
            && let Some((how, at)) = &self.dead
        {
            let detail = format!("no move: {}", cut(how));
            turn.answer = Some((Answer::Foul(FoulKind::Crash, detail), *at));
        }
    }

    /// The program for this move has ended: what it wrote is its answer.
    pub(super) fn end_of_answer(&mut self, how: &str, at: Instant) {
        let Some(turn) = &mut self.turn else { return };
        turn.unsettled = false;
        if turn.answer.is_none() {
            let (kind, detail) = match turn.idle {
                0 => (FoulKind::Crash, format!("no move: {}", cut(how))),
                _ => (FoulKind::BadLine, format!("what it wrote is no whole move; {}", cut(how))),
            };
            turn.answer = Some((Answer::Foul(kind, detail), at));
        }
    }
}
