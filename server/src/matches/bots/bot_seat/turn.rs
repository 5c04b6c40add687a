//! A turn of the bot: it gets a prompt, and its lines are then read until they are an answer.

use std::time::{Duration, Instant};

use engines::game::{Process, Viewer};
use engines::protocol::Entry;

use crate::domain::time::Millis;
use crate::matches::bots::bot_seat::{BotSeat, cut, quoted};
use crate::matches::event::FoulKind;

/// The most lines without a move in one decision; no dialogue needs more than a few.
const MAX_IDLE_LINES: u32 = 256;

/// The bot's answer at a turn.
pub(super) enum TurnAnswer {
    Move(String),
    Foul(FoulKind, String),
}

/// The bot's turn that the replica has reached.
pub(super) struct OwnTurn {
    pub(super) ply: u32,
    /// Whether the bot got the prompt.
    pub(super) prompted: bool,
    /// Lines read that were not a move.
    pub(super) idle: u32,
    /// The lines that the bot wrote for this turn, joined by spaces.
    pub(super) text: String,
    /// The answer and when it arrived.
    pub(super) answer: Option<(TurnAnswer, Instant)>,
    /// Whether the answer can still change: the program for this move has not ended.
    pub(super) unsettled: bool,
    pub(super) claimed: bool,
}

impl BotSeat {
    /// Gives the bot the prompt for its decision.
    pub(super) fn prompt(&mut self, ply: u32, now: Millis) {
        let live = self.decided.is_empty();
        let left = match self.prompted_ms.get(&ply) {
            Some(prompted) => *prompted,
            None => self.allowed_ms(if live { now } else { self.turn_ms }),
        };
        // A bot that already got this remark has it in its transcript.
        if self.prompted_ms.insert(ply, left).is_none() {
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

    /// How long the move may still take, in milliseconds.
    pub(super) fn allowed_ms(&self, now: Millis) -> Option<u64> {
        let per_move = self.clock.and_then(|clock| clock.move_ms);
        let allowed = [per_move, self.left_ms].into_iter().flatten().min()?;
        let gone = u64::try_from(now.saturating_sub(self.turn_ms)).unwrap_or(0);
        Some(allowed.saturating_sub(gone))
    }

    /// Reads the bot's lines at its turn until they are an answer.
    pub(super) fn hear_written(&mut self) {
        let (Some(table), Some(turn)) = (&mut self.table, &mut self.turn) else { return };
        let alone = self.game.info().process == Process::PerMove;
        while turn.answer.is_none() || (alone && turn.unsettled) {
            if self.greetings == 0 && !turn.prompted {
                return;
            }
            let Some((line, at)) = self.written.pop_front() else { break };
            self.written_bytes -= line.len();
            turn.text += if turn.text.is_empty() { "" } else { " " };
            turn.text += &line;
            if turn.answer.is_some() {
                if !line.trim().is_empty() {
                    let detail = format!("{} came after a complete answer", quoted(&line));
                    turn.answer = Some((TurnAnswer::Foul(FoulKind::BadLine, detail), at));
                    turn.unsettled = false;
                }
                continue;
            }
            match table.hear(self.seat, &line) {
                Ok(Some(notation)) => {
                    turn.answer = Some((TurnAnswer::Move(notation), at));
                    turn.unsettled = alone;
                }
                Ok(None) => {
                    self.greetings = self.greetings.saturating_sub(1);
                    turn.idle += 1;
                    if turn.idle > MAX_IDLE_LINES {
                        let detail = format!("{MAX_IDLE_LINES} lines and no move");
                        turn.answer = Some((TurnAnswer::Foul(FoulKind::BadLine, detail), at));
                    }
                }
                Err(e) => {
                    let detail = format!("{}: {}", quoted(&line), cut(&e.detail));
                    turn.answer = Some((TurnAnswer::Foul(FoulKind::BadLine, detail), at));
                }
            }
        }
        if turn.answer.is_none()
            && let Some((how, at)) = &self.dead
        {
            let detail = format!("no move: {}", cut(how));
            turn.answer = Some((TurnAnswer::Foul(FoulKind::Crash, detail), *at));
        }
    }

    /// Ends the answer: the program for this move has ended, and its output is its answer.
    pub(super) fn end_of_answer(&mut self, how: &str, at: Instant) {
        let Some(turn) = &mut self.turn else { return };
        turn.unsettled = false;
        if turn.answer.is_none() {
            // A move that lacks what the rules demand, such as returned chips: the match refuses it with the rule.
            let whole = self.table.as_ref().and_then(|table| table.move_text(&turn.text).ok());
            let (kind, detail) = match (turn.idle, whole) {
                (0, _) => (FoulKind::Crash, format!("no move: {}", cut(how))),
                (_, Some(mv)) => {
                    turn.answer = Some((TurnAnswer::Move(mv.notation), at));
                    return;
                }
                (_, None) => {
                    let view = self.table.as_ref().map(|table| table.view(Viewer::Seat(self.seat)));
                    let why = view.and_then(|view| view.check(&turn.text).err());
                    let why = why.map_or_else(String::new, |e| format!(": {}", cut(&e.detail)));
                    let detail = format!("{} is no whole move{why}; {}", quoted(&turn.text), cut(how));
                    (FoulKind::BadLine, detail)
                }
            };
            turn.answer = Some((TurnAnswer::Foul(kind, detail), at));
        }
    }
}
