//! The referee's side of the dialogue with a bot that holds one seat. It keeps a replica of the match, fed with the match's
//! events, and so knows the lines that the bot reads and the meaning of the lines that the bot writes. Pure: it only claims
//! moves and fouls for the bot; the match decides, and the log alone says what happened. Everything that a bot reads comes
//! from the game's official dialogue.

mod expectation;
mod resume;
#[cfg(test)]
mod tests;
mod turn;

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use engines::erased::{AnyGame, AnyTable, Refusal};
use engines::game::{Process, Seat, Turn};
use engines::protocol::{Entry, Settings};
use serde_json::Value;

use expectation::Expectation;
pub use resume::program_ended;
use turn::{OwnTurn, TurnAnswer};

use crate::domain::time::Millis;
use crate::domain::token;
use crate::matches::clock::ClockSpec;
use crate::matches::event::{Created, Ended, Event, FoulKind, LoggedEvent, OutReason};

/// How long the output of a program that answers one move may stay open after a complete answer.
pub const SETTLE_TIME: Duration = Duration::from_millis(250);

/// The most characters of a bot's line that are quoted.
const MAX_QUOTED: usize = 120;

/// The most characters of a game's refusal of a move, which names the move and the rule that it breaks.
const MAX_REFUSAL: usize = 400;

/// A move or a foul of the bot. The match decides whether it counts.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// It made a move.
    Move {
        /// Moves made before it.
        ply: u32,
        /// The move, as the protocol writes it.
        notation: String,
        /// The time at which its last line arrived.
        arrived: Instant,
    },
    /// It committed a foul.
    Foul {
        /// Moves made before it.
        ply: u32,
        /// The kind of foul.
        kind: FoulKind,
        /// A description of the foul, in one sentence.
        detail: String,
        /// The time at which the foul was noticed.
        arrived: Instant,
    },
}

/// A decision in the log that the replica has not reached yet.
struct BotDecision {
    by: Seat,
    /// The move that was played, chosen by the seat or as a penalty; `None`: the match ended with this decision.
    notation: Option<String>,
    left_ms: Option<u64>,
    /// The time at which it was decided, plus the downtime that followed: the next turn began then.
    at_ms: Millis,
    /// The foul that led to it.
    foul: Option<String>,
}

/// The replica of a match for one bot, and the dialogue with it.
pub struct BotSeat {
    game: &'static dyn AnyGame,
    seat: Seat,
    /// The dealt state, until the match begins.
    dealt: Value,
    table: Option<Box<dyn AnyTable>>,
    /// Settings of this side.
    settings: Settings,
    expectation: Expectation,
    decided: VecDeque<BotDecision>,
    ended: Option<Ended>,
    out: Option<OutReason>,
    over: bool,
    /// Whether the last decision ended the match, although by the rules alone it would go on.
    stopped: bool,
    clock: Option<ClockSpec>,
    /// The rest of the seat's time for all moves, in milliseconds.
    left_ms: Option<u64>,
    /// The time at which the replica's current turn began, plus downtime.
    turn_ms: Millis,
    /// The remaining times that earlier prompts named, by ply: a dialogue that is resumed must repeat them.
    prompted_ms: BTreeMap<u32, Option<u64>>,
    turn: Option<OwnTurn>,
    /// How many lines the bot still has to write before it reads anything.
    greetings: usize,
    /// Lines of the bot that were not processed yet: early lines wait for its turn.
    written: VecDeque<(String, Instant)>,
    written_bytes: usize,
    /// The lines for the bot to read, and remarks, that were not taken yet.
    entries: VecDeque<Entry>,
    /// Programs that got a prompt and have not ended. At most one if a program lives for the whole match.
    running: u32,
    /// How and when the program for the match ended, if it did.
    dead: Option<(String, Instant)>,
    resuming: bool,
    /// Whether this turn already has a remark about a late line.
    late_remarked: bool,
}

/// Checks settings of the referee's side, and leaves those out that have the default value.
///
/// # Errors
/// When the game has no such setting or value.
pub fn checked_settings(
    game: &dyn AnyGame,
    wanted: impl IntoIterator<Item = (String, String)>,
) -> Result<BTreeMap<String, String>, Refusal> {
    let mut settings = Settings(wanted.into_iter().collect());
    game.check_referee(&settings)?;
    for setting in game.dialogue().referee {
        if settings.0.get(setting.name).is_some_and(|value| value == setting.default) {
            settings.0.remove(setting.name);
        }
    }
    Ok(settings.0)
}

/// Checks that the bot of a seat can be told how a match begins that was created like this. It can with every deal.
///
/// # Errors
/// `no_bot_seat`.
pub fn check_start(game: &dyn AnyGame, created: &Created, seat: Seat) -> Result<(), Refusal> {
    match created.position {
        Some(_) => game.restore(&created.state)?.can_tell(seat),
        None => Ok(()),
    }
}

impl BotSeat {
    /// The dialogue with a bot that has read nothing yet, in a match that was created like this.
    ///
    /// # Errors
    /// When the game offers no official dialogue.
    pub fn new(game: &'static dyn AnyGame, created: &Created, seat: Seat) -> Result<Self, Refusal> {
        // The lines that the game's own bot writes before it reads anything show whether the bots of this game speak first.
        let greetings = game.session(&Settings::default())?.take_lines().len();
        Ok(Self {
            game,
            seat,
            dealt: created.state.clone(),
            table: None,
            expectation: Expectation::new(game.dialogue().referee, &Settings::default()),
            settings: Settings::default(),
            decided: VecDeque::new(),
            ended: None,
            out: None,
            over: false,
            stopped: false,
            clock: created.clock,
            left_ms: created.clock.and_then(|clock| clock.initial_ms),
            turn_ms: 0,
            prompted_ms: BTreeMap::new(),
            turn: None,
            greetings,
            written: VecDeque::new(),
            written_bytes: 0,
            entries: VecDeque::new(),
            running: 0,
            dead: None,
            resuming: false,
            late_remarked: false,
        })
    }

    /// Sets this side of the dialogue, before any event.
    pub fn set_referee(&mut self, settings: BTreeMap<String, String>) {
        self.settings = Settings(settings);
        self.expectation = Expectation::new(self.game.dialogue().referee, &self.settings);
    }

    /// Whether a program of the bot lives for one move or for the whole match.
    pub fn process(&self) -> Process {
        self.game.info().process
    }

    /// Takes the next event of the log. The first is the one after the creation.
    ///
    /// # Errors
    /// When the log contradicts the game.
    pub fn happened(&mut self, event: &LoggedEvent) -> Result<(), Refusal> {
        let at_ms = event.at_ms;
        match &event.event {
            Event::Started => {
                let mut table = self.game.restore(&std::mem::take(&mut self.dealt))?;
                table.seat_bot(self.seat, &self.settings)?;
                self.table = Some(table);
                self.turn_ms = at_ms;
                self.deliver();
            }
            Event::Moved(m) => self.decided.push_back(BotDecision {
                by: m.seat,
                notation: Some(m.notation.clone()),
                left_ms: m.left_ms,
                at_ms,
                foul: None,
            }),
            Event::Fouled(f) => self.decided.push_back(BotDecision {
                by: f.seat,
                notation: f.instead.clone(),
                left_ms: f.left_ms,
                at_ms,
                foul: Some(f.detail.clone()),
            }),
            Event::Resumed { away_ms, grace_ms, .. } => {
                let began = self.decided.back_mut().map_or(&mut self.turn_ms, |decided| &mut decided.at_ms);
                *began = began.saturating_add_unsigned(away_ms.saturating_add(*grace_ms));
            }
            Event::WentOut { seat, why } if *seat == self.seat => self.out = Some(*why),
            Event::Left { seat, .. } if *seat == self.seat => self.over = true,
            // Before the start a seat may change hands.
            Event::Joined { seat, .. } if *seat == self.seat => self.over = false,
            Event::Ended(ended) => self.ended = Some(ended.clone()),
            // Moves are taken back only in matches without bots.
            Event::Created(_)
            | Event::Joined { .. }
            | Event::Left { .. }
            | Event::TakenBack { .. }
            | Event::RefereeSet { .. }
            | Event::WentOut { .. } => {}
        }
        Ok(())
    }

    /// Takes a line that the bot wrote.
    pub fn wrote(&mut self, line: String, at: Instant) {
        // A program for one move is read during that move only: a line of an earlier program is too late.
        let late = self.process() == Process::PerMove && (self.running != 1 || !self.is_prompted());
        if late || self.over {
            self.late(&line);
        } else {
            self.written_bytes += line.len();
            self.written.push_back((line, at));
        }
    }

    /// Records that the bot's program has ended. A program for the whole match is not started again.
    pub fn program_ended(&mut self, how: &str, at: Instant) {
        match self.process() {
            Process::PerMatch => self.dead = Some((how.to_owned(), at)),
            Process::PerMove => {
                self.running = self.running.saturating_sub(1);
                if self.running == 0 && self.is_prompted() {
                    self.hear_written();
                    self.end_of_answer(how, at);
                }
            }
        }
    }

    /// The time at which [`Self::settle`] is due: until then, the output of a program may stay open after its answer.
    pub fn settles_at(&self) -> Option<Instant> {
        let turn = self.turn.as_ref().filter(|turn| turn.unsettled)?;
        turn.answer.as_ref().map(|(_, at)| *at + SETTLE_TIME)
    }

    /// Completes the answer: nothing followed it.
    pub fn settle(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.unsettled = false;
        }
    }

    /// Advances the replica as far as the log and the bot's lines allow.
    ///
    /// # Errors
    /// When the log contradicts the game.
    pub fn advance(&mut self, now: Millis) -> Result<(), Refusal> {
        while !self.over && self.step(now)? {}
        if !self.over && !self.resuming && (self.ended.is_some() || self.out.is_some()) {
            self.finish();
        }
        Ok(())
    }

    /// Advances one step; `false` if nothing more can be done now.
    fn step(&mut self, now: Millis) -> Result<bool, Refusal> {
        let Some(table) = &self.table else { return Ok(false) };
        if self.stopped {
            return Ok(false);
        }
        if table.turn() != Turn::Of(self.seat) {
            return self.take_decided();
        }
        let known = !self.decided.is_empty();
        if known && self.process() == Process::PerMove {
            return self.take_decided();
        }
        let ply = table.ply();
        if self.turn.as_ref().is_none_or(|turn| turn.ply != ply) {
            self.turn = Some(OwnTurn {
                ply,
                prompted: false,
                idle: 0,
                text: String::new(),
                answer: None,
                unsettled: false,
                claimed: false,
            });
            self.late_remarked = false;
        }
        if self.greetings == 0 && !self.is_prompted() {
            self.prompt(ply, now);
            return Ok(true);
        }
        self.hear_written();
        let answered = self.turn.as_ref().is_some_and(|turn| turn.answer.is_some());
        if answered && known {
            return self.take_decided();
        }
        // The last greeting may have been read just now.
        Ok(self.greetings == 0 && !self.is_prompted())
    }

    fn is_prompted(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.prompted)
    }

    /// Plays the log's next decision; `false` if there is none yet.
    fn take_decided(&mut self) -> Result<bool, Refusal> {
        let (Some(table), Some(decided)) = (&mut self.table, self.decided.pop_front()) else {
            return Ok(false);
        };
        let own = decided.by == self.seat;
        // A void answer was counted when it became a foul.
        if own
            && decided.foul.is_none()
            && let Some(turn) = self.turn.as_ref().filter(|turn| turn.answer.is_some())
        {
            self.expectation.answered(self.seat, &turn.text, table.as_ref(), false);
        }
        match &decided.notation {
            Some(notation) => table.play(decided.by, notation)?,
            None => self.stopped = true,
        }
        self.turn_ms = decided.at_ms;
        if own {
            self.left_ms = decided.left_ms;
            let answer = self.turn.take().and_then(|turn| turn.answer);
            if let Some(foul) = &decided.foul {
                let instead = decided.notation.as_ref().map(|mv| format!("; played instead: {mv}"));
                self.remark(format!("foul: {foul}{}", instead.unwrap_or_default()));
            } else if let (Some((TurnAnswer::Move(said), _)), Some(played)) = (answer, &decided.notation)
                && said != *played
            {
                self.remark(format!("{} does not count: {played} was played at that turn", quoted(&said)));
            }
            if self.process() == Process::PerMove {
                self.written.clear();
                self.written_bytes = 0;
            }
        }
        self.deliver();
        Ok(true)
    }

    /// Moves the lines that are ready for the bot into `entries`.
    fn deliver(&mut self) {
        if let Some(table) = &mut self.table {
            self.entries.extend(table.take_lines(self.seat).into_iter().map(Entry::Read));
        }
    }

    fn finish(&mut self) {
        self.over = true;
        if self.process() == Process::PerMatch {
            self.entries.push_back(Entry::End);
        }
        let text = match (&self.ended, self.out) {
            (Some(ended), _) => summary(ended, self.seat),
            (None, Some(OutReason::Resigned)) => "the seat has resigned".to_owned(),
            (None, _) => "the seat let its time run out too often and is out".to_owned(),
        };
        self.remark(format!("over: {text}"));
    }

    fn late(&mut self, line: &str) {
        // At most one remark per turn, since a program may write without end.
        if !std::mem::replace(&mut self.late_remarked, true) {
            self.remark(format!(
                "late: {} arrived after its turn was over, and does not count",
                quoted(line)
            ));
        }
    }

    fn remark(&mut self, text: String) {
        self.entries.push_back(Entry::Remark(text.replace(['\r', '\n'], " ")));
    }

    /// Takes the lines that the bot reads now, and remarks for the person who runs it.
    pub fn take_entries(&mut self) -> impl Iterator<Item = Entry> + '_ {
        self.entries.drain(..)
    }

    /// Takes the move or the foul of the bot at the open turn.
    pub fn claim(&mut self) -> Option<Claim> {
        let is_due = self.turn.as_ref().is_some_and(|turn| !turn.claimed && !turn.unsettled);
        if !is_due || self.over || self.resuming || !self.decided.is_empty() {
            return None;
        }
        self.explain_foul();
        let turn = self.turn.as_mut()?;
        let (answer, arrived) = turn.answer.as_ref()?;
        turn.claimed = true;
        let (ply, arrived) = (turn.ply, *arrived);
        Some(match answer {
            TurnAnswer::Move(notation) => Claim::Move { ply, notation: notation.clone(), arrived },
            TurnAnswer::Foul(kind, detail) => {
                Claim::Foul { ply, kind: *kind, detail: detail.clone(), arrived }
            }
        })
    }

    /// Claims a foul instead of the move for this ply, which the match refused as illegal.
    pub fn refused(&mut self, ply: u32, detail: &str) {
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.ply == ply)
            && let Some((answer, _)) = &mut turn.answer
        {
            let text = turn.text.trim();
            let printed = if detail.contains(text) { String::new() } else { format!("{}: ", quoted(text)) };
            let detail = cut_to(detail, MAX_REFUSAL);
            *answer = TurnAnswer::Foul(FoulKind::IllegalMove, format!("{printed}{detail}"));
            turn.claimed = false;
        }
    }

    /// Adds to a bad answer of this turn what its bot seems to expect.
    fn explain_foul(&mut self) {
        let (Some(table), Some(turn)) = (&self.table, &mut self.turn) else { return };
        let Some((TurnAnswer::Foul(FoulKind::IllegalMove | FoulKind::BadLine, detail), _)) = &mut turn.answer
        else {
            return;
        };
        if let Some(hint) = self.expectation.answered(self.seat, &turn.text, table.as_ref(), true) {
            *detail = format!("{detail}; {hint}");
            self.remark(format!("hint: {hint}"));
        }
    }

    /// Moves made so far, by the log.
    pub fn ply(&self) -> u32 {
        let reached = self.table.as_ref().map_or(0, |table| table.ply());
        let ahead = self.decided.iter().filter(|decided| decided.notation.is_some()).count();
        reached.saturating_add(u32::try_from(ahead).unwrap_or(u32::MAX))
    }

    /// Whether the dialogue is over.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// How many lines, and how many bytes, wait for the bot's turn.
    pub fn waiting(&self) -> (usize, usize) {
        (self.written.len(), self.written_bytes)
    }
}

/// One sentence on how the match ended for this seat.
fn summary(ended: &Ended, seat: Seat) -> String {
    let Some(result) = &ended.result else { return "the match ended without a result".to_owned() };
    let place = result.ranks.get(seat.index()).map_or(String::new(), |rank| format!("place {rank} of "));
    let points = result.points.as_ref().map_or(String::new(), |points| {
        let points: Vec<String> = points.iter().map(i32::to_string).collect();
        format!(", points by seat: {}", points.join(" "))
    });
    format!("{place}{}{points}, {}", result.ranks.len(), result.reason)
}

/// The line in quotes, shortened.
fn quoted(line: &str) -> String {
    format!("{:?}", cut(line))
}

/// The text, shortened and without tokens: everyone who follows the match may read it, and a bot may have printed its
/// seat's token.
fn cut(text: &str) -> String {
    cut_to(text, MAX_QUOTED)
}

fn cut_to(text: &str, most: usize) -> String {
    let text = token::hidden(text.to_owned());
    let cut: String = text.chars().take(most).collect();
    if cut.len() < text.len() { cut + "..." } else { cut }
}
