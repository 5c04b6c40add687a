//! The official dialogue of a seat, made again from the log of the match: what its bot read and wrote, each line with its ply. Any
//! seat has one, also where a person or an engine played. Pure, but for the request at the end.

use std::time::Duration;

use engines::dialogue::MIRROR;
use engines::erased::{AnyGame, AnyTable, Refusal};
use engines::game::{Process, Seat, Turn};
use engines::protocol::{Entry, Settings};

use crate::catalogue::no_bot_seat;
use crate::domain::{MatchId, Stage};
use crate::error::{Code, Error};
use crate::matches::event::{Created, Event, LoggedEvent};
use crate::matches::ledger::Caller;
use crate::matches::service::Matches;

/// A line of the dialogue of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogueLine {
    /// Moves made before it was written.
    pub ply: u32,
    /// The line: read, printed, a remark about a foul, or the end of the input.
    pub entry: Entry,
    /// How long the seat took, in milliseconds, where this line is its decision.
    pub used_ms: Option<u64>,
}

/// A decision of the log.
struct LoggedDecision<'a> {
    by: Seat,
    /// The move that was played; `None`: the match ended with this decision.
    notation: Option<&'a str>,
    foul: Option<&'a str>,
    /// The time left on the seat's clock after it, in milliseconds.
    left_ms: Option<u64>,
    used_ms: u64,
}

/// The dialogue of a seat up to the last event of the log.
///
/// # Errors
/// When the log contradicts the game, or the seat has no dialogue.
pub fn of_seat(
    game: &dyn AnyGame,
    created: &Created,
    log: &[LoggedEvent],
    seat: Seat,
) -> Result<Vec<DialogueLine>, Refusal> {
    let mut table = game.restore(&created.state)?;
    let settings = settings_of(game, log, seat);
    table.seat_bot(seat, &settings)?;
    let mut writer = DialogueWriter {
        process: game.info().process,
        seat,
        table,
        left_ms: created.clock.and_then(|clock| clock.initial_ms),
        move_ms: created.clock.and_then(|clock| clock.move_ms),
        lines: Vec::new(),
    };
    let is_started = log.iter().any(|event| event.event == Event::Started);
    if !is_started {
        return Ok(writer.lines);
    }
    // The lines that the game's own bot writes before it reads anything show whether the bots of this game speak first.
    for greeting in game.session(&Settings::default())?.take_lines() {
        // It is no move.
        let _ = writer.table.hear(seat, &greeting);
        writer.push(Entry::Printed(greeting));
    }
    for decision in decisions(log) {
        writer.decided(&decision)?;
    }
    writer.finish(log.iter().any(|event| matches!(event.event, Event::Ended(_))));
    Ok(writer.lines)
}

/// The settings of the referee's side for this seat. A seat that bots hold only with the mirror dialogue has that.
fn settings_of(game: &dyn AnyGame, log: &[LoggedEvent], seat: Seat) -> Settings {
    let set = log.iter().rev().find_map(|event| match &event.event {
        Event::RefereeSet { seat: of, settings } if *of == seat => Some(settings.clone()),
        _ => None,
    });
    let mut settings = Settings(set.unwrap_or_default());
    if !game.info().bot_can_hold(seat.0, false) {
        settings.0.entry(MIRROR.name.to_owned()).or_insert_with(|| "yes".to_owned());
    }
    settings
}

/// The decisions that count, in order.
fn decisions(log: &[LoggedEvent]) -> Vec<LoggedDecision<'_>> {
    let mut decisions = Vec::new();
    for event in log {
        match &event.event {
            Event::Moved(moved) => decisions.push(LoggedDecision {
                by: moved.seat,
                notation: Some(&moved.notation),
                foul: None,
                left_ms: moved.left_ms,
                used_ms: moved.times.think_us / 1000,
            }),
            Event::Fouled(fouled) => decisions.push(LoggedDecision {
                by: fouled.seat,
                notation: fouled.instead.as_deref(),
                foul: Some(&fouled.detail),
                left_ms: fouled.left_ms,
                used_ms: fouled.times.think_us / 1000,
            }),
            Event::TakenBack { ply, .. } => decisions.truncate(*ply as usize),
            _ => {}
        }
    }
    decisions
}

/// Plays the match again, and collects the lines of one seat.
struct DialogueWriter {
    process: Process,
    seat: Seat,
    table: Box<dyn AnyTable>,
    left_ms: Option<u64>,
    move_ms: Option<u64>,
    lines: Vec<DialogueLine>,
}

impl DialogueWriter {
    fn push(&mut self, entry: Entry) {
        let ply = self.table.ply();
        self.lines.push(DialogueLine { ply, entry, used_ms: None });
    }

    /// Adds the line that is a decision of the seat.
    fn push_decision(&mut self, entry: Entry, used_ms: u64) {
        let ply = self.table.ply();
        self.lines.push(DialogueLine { ply, entry, used_ms: Some(used_ms) });
    }

    /// Adds the lines that the bot reads now.
    fn read(&mut self) {
        for line in self.table.take_lines(self.seat) {
            self.push(Entry::Read(line));
        }
    }

    /// The bot is asked for its move.
    fn prompt(&mut self) {
        self.read();
        let left = [self.move_ms, self.left_ms].into_iter().flatten().min();
        self.table.prompt(self.seat, left.map(Duration::from_millis));
        self.read();
        if self.process == Process::PerMove {
            self.push(Entry::End);
        }
    }

    fn decided(&mut self, decision: &LoggedDecision<'_>) -> Result<(), Refusal> {
        let own = decision.by == self.seat;
        if own {
            self.prompt();
            self.left_ms = decision.left_ms;
            let entry = match (decision.foul, decision.notation) {
                (Some(foul), Some(instead)) => {
                    Entry::Remark(format!("foul: {foul}; played instead: {instead}"))
                }
                (Some(foul), None) => Entry::Remark(format!("foul: {foul}")),
                (None, Some(notation)) => Entry::Printed(notation.to_owned()),
                (None, None) => return Ok(()),
            };
            if let Entry::Printed(notation) = &entry {
                // The log says what was played.
                let _ = self.table.hear(self.seat, notation);
            }
            self.push_decision(entry, decision.used_ms);
        }
        if let Some(notation) = decision.notation {
            self.table.play(decision.by, notation)?;
        }
        self.read();
        Ok(())
    }

    /// Adds the turn that goes on, or the end of the dialogue.
    fn finish(&mut self, ended: bool) {
        if ended {
            self.read();
            if self.process == Process::PerMatch {
                self.push(Entry::End);
            }
        } else if self.table.turn() == Turn::Of(self.seat) {
            self.prompt();
        }
    }
}

impl Matches {
    /// The official dialogue of a seat: during the match for the holder of the seat and the owner of the bot in it, afterwards for
    /// everybody who may see the match.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `not_found` if there is no such seat, `match_not_over`, `sealed`, `no_bot_seat` where the
    /// contest has no dialogue for the seat, `store_unavailable`.
    pub async fn dialogue(
        &self,
        id: &MatchId,
        caller: &Caller,
        seat: Seat,
    ) -> Result<Vec<DialogueLine>, Error> {
        let side = self.side_of_seat(id, caller, seat).await?;
        if !side.is_own && side.stage != Stage::Over {
            let detail = "during the match only the holder of the seat sees its dialogue";
            return Err(Error::new(Code::MatchNotOver, detail));
        }
        let log = self.registry.read_log(id, 0).await?;
        let Some(Event::Created(created)) = log.first().map(|first| first.event.clone()) else {
            return Err(Error::new(Code::Internal, "a log does not begin with the creation"));
        };
        let game = self.registry.games.find(&created.game)?.game;
        if !game.info().bot_can_hold(seat.0, true) {
            return Err(no_bot_seat(game.info(), "this seat has no dialogue"));
        }
        // Every move is played again.
        let made = tokio::task::spawn_blocking(move || of_seat(game, &created, &log, seat));
        let lost = |_| Error::new(Code::Internal, "a dialogue could not be made");
        made.await.map_err(lost)?.map_err(|e| {
            Error::new(Code::Internal, format!("a log contradicts its game: {}: {}", e.code, e.detail))
        })
    }
}
