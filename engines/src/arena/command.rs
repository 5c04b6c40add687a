//! A player that is a program: the official referee's side of the dialogue, with a clock.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::child::{Child, Heard, LONGEST_LINE};
use super::clock::TOLERANCE;
use super::play::{Attempt, Chance, Miss};
use super::record::FaultKind;
use crate::any::{AnyGame, AnyTable, Refusal};
use crate::game::{Process, Seat};
use crate::protocol::Settings;

/// Lines that are no move and that one decision may hold; no dialogue needs more than a few.
const IDLE_LINES: usize = 1000;
/// How long the output of a program that answers one move may stay open after a complete answer.
const ENDING: Duration = Duration::from_millis(250);

/// A program in its seat.
pub struct Bot {
    words: Vec<String>,
    seat: Seat,
    process: Process,
    child: Option<Child>,
    /// Lines the program says before it is first spoken to, still to come.
    greetings: usize,
}

impl Bot {
    /// Seats the program; it starts now, or with every move where the game says so.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn seat(
        game: &dyn AnyGame,
        table: &mut dyn AnyTable,
        seat: Seat,
        words: &[String],
    ) -> Result<Self, String> {
        table.seat_bot(seat);
        let process = game.info().process;
        // What an official bot says before it has read anything tells whether the bots of this game speak first.
        let greetings = game.session(&Settings::default()).map_err(|e| e.detail)?.take_lines().len();
        let mut bot = Self { words: words.to_vec(), seat, process, child: None, greetings };
        if process == Process::PerMatch {
            bot.child = Some(bot.start()?);
        }
        Ok(bot)
    }

    fn start(&self) -> Result<Child, String> {
        Child::start(&self.words).map_err(|e| format!("{} cannot be started: {e}", self.words[0]))
    }

    /// Gives the program what lies ready for it. One that lives for a move gets everything with its move.
    pub fn deliver(&mut self, table: &mut dyn AnyTable) {
        if self.process == Process::PerMatch {
            let lines = table.take_lines(self.seat);
            if let Some(child) = &self.child {
                child.say(&lines);
            }
        }
    }

    /// Lets the program decide.
    pub fn decide(&mut self, table: &mut dyn AnyTable, chance: &Chance) -> Attempt {
        let mut watch = Watch::start(chance);
        let result = match self.process {
            Process::PerMatch => self.decide_in_match(table, &mut watch),
            Process::PerMove => self.decide_alone(table, &mut watch),
        };
        if matches!(result, Err(Miss::Fault { kind: FaultKind::Time | FaultKind::Crash, .. })) {
            self.child = None; // dropping it kills it
        }
        Attempt { taken: watch.taken(), nodes: None, result }
    }

    fn decide_in_match(&mut self, table: &mut dyn AnyTable, watch: &mut Watch) -> Result<String, Miss> {
        let seat = self.seat;
        let mut prompted = false;
        for _ in 0..IDLE_LINES {
            let Some(child) = &mut self.child else {
                return Err(Miss::fault(FaultKind::Crash, "the program ended earlier"));
            };
            if self.greetings == 0 && !prompted {
                prompted = true;
                table.prompt(seat, watch.left());
            }
            child.say(&table.take_lines(seat));
            let line = next_line(child, watch)?;
            match table.hear(seat, &line) {
                Ok(Some(notation)) => return Ok(notation),
                Ok(None) => self.greetings = self.greetings.saturating_sub(1),
                Err(e) => return Err(said_wrong(&line, &e, child)),
            }
        }
        Err(Miss::fault(FaultKind::BadLine, format!("{IDLE_LINES} lines and no move")))
    }

    /// A process for one move: all that it prints until its output ends is its answer, line breaks being spaces.
    fn decide_alone(&mut self, table: &mut dyn AnyTable, watch: &mut Watch) -> Result<String, Miss> {
        let seat = self.seat;
        table.prompt(seat, watch.left());
        let mut child = self.start().map_err(Miss::Void)?;
        child.say(&table.take_lines(seat));
        child.close_input();
        let mut text = String::new();
        let mut answer: Result<Option<String>, Refusal> = Ok(None);
        let mut complete: Option<Instant> = None;
        let ended = loop {
            match child.hear(complete.map(|at| at + ENDING).or(watch.deadline), watch.stop) {
                Heard::Line(line, at) => {
                    watch.seen(at);
                    text += if text.is_empty() { "" } else { " " };
                    text += &line;
                    if text.len() > LONGEST_LINE {
                        return Err(too_long(&child));
                    }
                    answer = match answer {
                        Ok(None) => table.hear(seat, &line),
                        Ok(Some(_)) if !line.trim().is_empty() => {
                            Err(Refusal::new("bad_dialogue", "more came after a complete answer"))
                        }
                        known => known,
                    };
                    complete = matches!(answer, Ok(Some(_))).then_some(at);
                }
                Heard::TooLong => return Err(too_long(&child)),
                Heard::Stopped => return Err(Miss::Stopped),
                Heard::Late if complete.is_some() => break true,
                Heard::Late => break false,
                Heard::Ended => break true,
            }
        };
        match answer {
            Ok(Some(notation)) => Ok(notation),
            _ if !ended => Err(late(&child, watch)),
            _ if text.trim().is_empty() => Err(crashed(&mut child, watch)),
            Ok(None) => Err(with_stderr(FaultKind::BadLine, format!("{} is no move", short(&text)), &child)),
            Err(e) => Err(said_wrong(&text, &e, &child)),
        }
    }

    /// The match is over: the program reads its last lines, and leaves.
    pub fn leave(mut self, table: &mut dyn AnyTable) {
        self.deliver(table);
        if let Some(child) = self.child {
            child.end();
        }
    }
}

/// The time of one decision.
struct Watch<'c> {
    started: Instant,
    last: Option<Instant>,
    deadline: Option<Instant>,
    left: Option<Duration>,
    stop: &'c AtomicBool,
}

impl<'c> Watch<'c> {
    fn start(chance: &'c Chance) -> Self {
        let started = Instant::now();
        let deadline = chance.allowed.and_then(|a| started.checked_add(a + TOLERANCE));
        Self { started, last: None, deadline, left: chance.left, stop: chance.stop }
    }

    fn seen(&mut self, at: Instant) {
        self.last = Some(at);
    }

    /// From the start to the last line; to now, where none came. A line that lay ready took no time.
    fn taken(&self) -> Duration {
        self.last.unwrap_or_else(Instant::now).saturating_duration_since(self.started)
    }

    fn left(&self) -> Option<Duration> {
        self.left.map(|left| left.saturating_sub(self.started.elapsed()))
    }
}

fn next_line(child: &mut Child, watch: &mut Watch) -> Result<String, Miss> {
    match child.hear(watch.deadline, watch.stop) {
        Heard::Line(line, at) => {
            watch.seen(at);
            Ok(line)
        }
        Heard::TooLong => Err(too_long(child)),
        Heard::Stopped => Err(Miss::Stopped),
        Heard::Late => Err(late(child, watch)),
        Heard::Ended => Err(crashed(child, watch)),
    }
}

fn late(child: &Child, watch: &mut Watch) -> Miss {
    watch.last = None;
    with_stderr(FaultKind::Time, format!("no move after {} ms", watch.taken().as_millis()), child)
}

fn crashed(child: &mut Child, watch: &mut Watch) -> Miss {
    watch.last = Some(Instant::now());
    let how = child.how_it_ended();
    with_stderr(FaultKind::Crash, format!("no move: {how}"), child)
}

fn too_long(child: &Child) -> Miss {
    with_stderr(FaultKind::BadLine, format!("more than {LONGEST_LINE} bytes and no end"), child)
}

fn said_wrong(line: &str, e: &Refusal, child: &Child) -> Miss {
    with_stderr(FaultKind::BadLine, format!("{}: {}", short(line), short_text(&e.detail)), child)
}

fn with_stderr(kind: FaultKind, detail: String, child: &Child) -> Miss {
    Miss::Fault { kind, detail, stderr: child.stderr_tail() }
}

/// The line in quotes, cut.
fn short(line: &str) -> String {
    format!("{:?}", short_text(line))
}

fn short_text(text: &str) -> String {
    let cut: String = text.chars().take(120).collect();
    if cut.len() < text.len() { cut + "..." } else { cut }
}
