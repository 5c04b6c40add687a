//! A player that is a program: the official referee's side of the dialogue, with a clock.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use kibitz_bot_output::{LogMark, ProcessUsage};

use super::child::{Child, LONGEST_LINE};
use super::decision::{Attempt, DecisionLimits, Interruption, NoMove, RefereeSide};
use super::output::SeatOutput;
use super::running::{ProgramOutput, RunningProgram};
use super::sandboxed::{SandboxChild, SandboxSeat};
use crate::arena::clock::TOLERANCE;
use crate::arena::record::{ErrorLine, FaultKind};
use crate::erased::{AnyGame, Refusal, RefusalCode};
use crate::game::{Process, Seat};
use crate::protocol::Settings;

/// Maximum number of lines of one decision that are no move; no dialogue needs more than a few.
const IDLE_LINES: usize = 1000;
/// How long the output of a program that answers one move may stay open after a complete answer.
const ENDING: Duration = Duration::from_millis(250);

/// The most lines that are kept for a report: as long as the longest description of a position.
const LINES_KEPT: usize = 100;

/// How long the machine may be unable to start a program before the match is void.
const SHORTAGE: Duration = Duration::from_secs(10);
/// Pause before the second attempt; the later ones are longer.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// Wait after a program's end for a signal that may have ended both the program and this run.
const KILL_GRACE: Duration = Duration::from_millis(100);
/// The system's number for a file that is no program (ENOEXEC).
const NO_PROGRAM: i32 = 8;

/// Called before a program gets the input of a decision, with the number of its process.
pub(in crate::arena) type BeforeInput<'p> = &'p mut dyn FnMut(u32);

/// How the processes of a program are started.
pub(in crate::arena) enum ProgramStart {
    /// These words of a command line, the program first.
    Command(Vec<String>),
    Sandbox(Box<dyn SandboxSeat>),
}

pub(in crate::arena) struct SeatProgram {
    start: ProgramStart,
    seat: Seat,
    process: Process,
    child: Option<Box<dyn RunningProgram>>,
    /// Lines that the program is still to write before it reads anything.
    greetings: usize,
    read: LinesRead,
    output: Arc<SeatOutput>,
    /// Of the processes that have ended.
    usage: ProcessUsage,
}

/// What a report says of a program besides its moves.
pub(in crate::arena) struct ProgramDetails {
    /// The last lines that it wrote to its standard error.
    pub(in crate::arena) errors: Vec<ErrorLine>,
    /// The processor time of all its processes, and the most memory that one of them had.
    pub(in crate::arena) usage: ProcessUsage,
    /// Why its log file is not complete.
    pub(in crate::arena) log_failure: Option<String>,
}

/// The lines that a program read since its move before.
#[derive(Default)]
struct LinesRead {
    lines: Vec<String>,
    /// Whether it has moved since it read them.
    moved: bool,
}

impl LinesRead {
    fn reads(&mut self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        if std::mem::take(&mut self.moved) {
            self.lines.clear();
        }
        self.lines.extend_from_slice(lines);
        let surplus = self.lines.len().saturating_sub(LINES_KEPT);
        self.lines.drain(..surplus);
    }
}

impl SeatProgram {
    /// Gives the program its seat. It starts now, or with every move in games that do so.
    ///
    /// # Errors
    /// When it cannot be started, or its log file not be written.
    pub(in crate::arena) fn seat(
        game: &dyn AnyGame,
        seat: Seat,
        start: ProgramStart,
        log: Option<(&Path, &str)>,
        stop: &AtomicBool,
    ) -> Result<Self, NoMove> {
        let process = game.info().process;
        // If the official bot writes before it reads anything, the bots of this game write first.
        let mut session = game.session(&Settings::default()).map_err(|e| NoMove::Void(e.detail))?;
        let greetings = session.take_lines().len();
        let unwritable = |e: io::Error| NoMove::Void(format!("the log file cannot be written: {e}"));
        let output = SeatOutput::new(log).map_err(unwritable)?;
        let mut bot = Self {
            start,
            seat,
            process,
            child: None,
            greetings,
            read: LinesRead::default(),
            output,
            usage: ProcessUsage::default(),
        };
        if process == Process::PerMatch {
            bot.child = Some(bot.begin(Instant::now(), Interruption::when(stop))?.0);
        }
        Ok(bot)
    }

    /// The same in a dialogue in which a line that the bot writes before it reads anything is an answer like others.
    pub(in crate::arena) fn without_greetings(self) -> Self {
        Self { greetings: 0, ..self }
    }

    /// Starts a process of the program at this time. Returns it with its start time. If the machine lacks processes, files or memory, it tries again
    /// for a while, since this is not the program's fault.
    fn begin(
        &mut self,
        at: Instant,
        interruption: Interruption,
    ) -> Result<(Box<dyn RunningProgram>, Instant), NoMove> {
        let words = match &mut self.start {
            ProgramStart::Command(words) => words,
            ProgramStart::Sandbox(seat) => {
                return Ok((Box::new(SandboxChild::new(seat.start(), self.output.clone())), at));
            }
        };
        let began = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let now = Instant::now();
            match Child::start(words, &self.output) {
                Ok(child) => return Ok((Box::new(child), now)),
                Err(_) if interruption.is_stopped() => return Err(NoMove::Stopped),
                Err(e) if for_good(&e) || began.elapsed() > SHORTAGE => {
                    return Err(NoMove::Void(format!("{} cannot be started: {e}", words[0])));
                }
                Err(_) => std::thread::sleep(pause),
            }
            pause = (2 * pause).min(SHORTAGE / 20);
        }
    }

    /// Gives the program the lines that are ready. A process for a single move gets all lines with its move.
    pub(in crate::arena) fn deliver<T: RefereeSide + ?Sized>(&mut self, table: &mut T) {
        if self.process == Process::PerMatch {
            let lines = table.take_lines(self.seat);
            if let Some(child) = &mut self.child {
                child.say(&lines);
                self.output.log(LogMark::Read, &lines);
                self.read.reads(&lines);
            }
        }
    }

    /// Lets the program decide, `ply` moves after the beginning.
    pub(in crate::arena) fn decide<T: RefereeSide + ?Sized>(
        &mut self,
        table: &mut T,
        ply: u32,
        limits: &DecisionLimits,
        before: Option<BeforeInput>,
    ) -> Attempt {
        let tolerance = match self.start {
            ProgramStart::Command(_) => TOLERANCE,
            // Its clock counts nothing but the program.
            ProgramStart::Sandbox(_) => Duration::ZERO,
        };
        let mut watch = Watch::start(limits, tolerance);
        self.output.begin_turn(ply, watch.started);
        let result = match self.process {
            Process::PerMatch => self.decide_in_match(table, &mut watch, before),
            Process::PerMove => self.decide_alone(table, &mut watch, before),
        };
        if matches!(result, Err(NoMove::Fault { kind: FaultKind::Time | FaultKind::Crash, .. })) {
            self.close();
        }
        self.read.moved = true;
        Attempt { taken: watch.taken(), fuel: watch.fuel, nodes: None, value: None, result }
    }

    /// The lines that it read since its move before.
    pub(in crate::arena) fn lines_read(&self) -> &[String] {
        &self.read.lines
    }

    /// The last lines that it wrote to its standard error.
    pub(in crate::arena) fn errors(&self) -> Vec<ErrorLine> {
        self.child.iter().for_each(|child| child.read_errors());
        self.output.lines()
    }

    /// The last lines that it wrote to its standard error since the last call.
    pub(in crate::arena) fn take_errors(&mut self) -> Vec<ErrorLine> {
        self.child.iter().for_each(|child| child.read_errors());
        self.output.take_lines()
    }

    /// Ends its process, if it has one.
    fn close(&mut self) {
        if let Some(child) = self.child.take() {
            self.ended(child.stop());
        }
    }

    fn ended(&mut self, usage: ProcessUsage) {
        self.usage.cpu += usage.cpu;
        self.usage.peak_kib = self.usage.peak_kib.max(usage.peak_kib);
    }

    fn decide_in_match<T: RefereeSide + ?Sized>(
        &mut self,
        table: &mut T,
        watch: &mut Watch,
        before: Option<BeforeInput>,
    ) -> Result<String, NoMove> {
        let seat = self.seat;
        let mut prompted = false;
        if let (Some(before), Some(id)) = (before, self.child.as_ref().and_then(|child| child.id())) {
            before(id);
            watch.restart(Instant::now());
        }
        self.child.iter_mut().for_each(|child| child.begin(watch.started));
        for _ in 0..IDLE_LINES {
            let Some(child) = &mut self.child else {
                return Err(NoMove::fault(FaultKind::Crash, "the program ended earlier"));
            };
            if self.greetings == 0 && !prompted {
                prompted = true;
                table.prompt(seat, watch.left(child.now()));
            }
            let lines = table.take_lines(seat);
            child.say(&lines);
            self.output.log(LogMark::Read, &lines);
            self.read.reads(&lines);
            let line = next_line(child.as_mut(), watch, &self.output)?;
            // What it wrote to standard error before this line belongs to this turn.
            child.read_errors();
            child.measure();
            self.output.log(LogMark::Printed, std::slice::from_ref(&line));
            match table.hear(seat, &line) {
                Ok(Some(notation)) => return Ok(notation),
                Ok(None) => self.greetings = self.greetings.saturating_sub(1),
                Err(e) => return Err(said_wrong(&line, &e, &self.output)),
            }
        }
        Err(NoMove::fault(FaultKind::BadLine, format!("{IDLE_LINES} lines and no move")))
    }

    /// Lets a process decide one move: its whole output is its answer, with line breaks as spaces.
    fn decide_alone<T: RefereeSide + ?Sized>(
        &mut self,
        table: &mut T,
        watch: &mut Watch,
        before: Option<BeforeInput>,
    ) -> Result<String, NoMove> {
        let seat = self.seat;
        table.prompt(seat, watch.left);
        let (mut child, mut started) = self.begin(watch.started, watch.interruption)?;
        if let (Some(before), Some(id)) = (before, child.id()) {
            before(id);
            started = Instant::now();
        }
        watch.restart(started);
        child.begin(started);
        let lines = table.take_lines(seat);
        child.say(&lines);
        child.close_input();
        self.output.log(LogMark::Read, &lines);
        self.output.log(LogMark::InputEnd, &[String::new()]);
        self.read.reads(&lines);
        let answer = self.hear_alone(table, child.as_mut(), watch);
        self.ended(child.stop());
        answer
    }

    /// Reads the whole output of a process that decides one move.
    fn hear_alone<T: RefereeSide + ?Sized>(
        &self,
        table: &mut T,
        child: &mut dyn RunningProgram,
        watch: &mut Watch,
    ) -> Result<String, NoMove> {
        let seat = self.seat;
        let mut text = String::new();
        let mut answer: Result<Option<String>, Refusal> = Ok(None);
        let mut complete: Option<Instant> = None;
        let output = &self.output;
        let ended = loop {
            match child.hear(complete.map(|at| at + ENDING).or(watch.deadline), watch.interruption) {
                ProgramOutput::Line(line, at) => {
                    watch.seen(at, child.fuel());
                    child.measure();
                    self.output.log(LogMark::Printed, std::slice::from_ref(&line));
                    text += if text.is_empty() { "" } else { " " };
                    text += &line;
                    if text.len() > LONGEST_LINE {
                        return Err(too_long(child, output));
                    }
                    answer = match answer {
                        Ok(None) => table.hear(seat, &line),
                        Ok(Some(_)) if !line.trim().is_empty() => {
                            Err(Refusal::new(RefusalCode::BadDialogue, "more came after a complete answer"))
                        }
                        known => known,
                    };
                    complete = matches!(answer, Ok(Some(_))).then_some(at);
                }
                ProgramOutput::TooLong => return Err(too_long(child, output)),
                ProgramOutput::Stopped => return Err(NoMove::Stopped),
                ProgramOutput::Lost(how) => return Err(NoMove::Void(how)),
                ProgramOutput::Late if complete.is_some() => break true,
                ProgramOutput::Late => break false,
                ProgramOutput::Ended => break true,
            }
        };
        child.read_errors();
        match answer {
            Ok(Some(notation)) => Ok(notation),
            _ if !ended => Err(late(child, watch, output)),
            _ if text.trim().is_empty() => Err(crashed(child, watch, output)),
            Ok(None) => table.unfinished(&text).ok_or_else(|| {
                with_errors(FaultKind::BadLine, format!("{} is no move", short(&text)), output)
            }),
            Err(e) => Err(said_wrong(&text, &e, output)),
        }
    }

    /// Gives the program its last lines after the match and lets it exit.
    pub(in crate::arena) fn leave<T: RefereeSide + ?Sized>(mut self, table: &mut T) -> ProgramDetails {
        self.deliver(table);
        if let Some(child) = self.child.take() {
            self.ended(child.end());
        }
        let log_failure = self.output.take_log_failure();
        ProgramDetails { errors: self.output.lines(), usage: self.usage, log_failure }
    }
}

/// The time of one decision.
struct Watch<'c> {
    started: Instant,
    last: Option<Instant>,
    deadline: Option<Instant>,
    left: Option<Duration>,
    /// The fuel that the program has used; only of one whose clock counts it.
    fuel: Option<u64>,
    interruption: Interruption<'c>,
}

impl<'c> Watch<'c> {
    /// `tolerance`: how far the decision may exceed its limit.
    fn start(limits: &'c DecisionLimits, tolerance: Duration) -> Self {
        let started = Instant::now();
        let deadline = limits.allowed.and_then(|allowed| started.checked_add(allowed + tolerance));
        let interruption = limits.interruption;
        Self { started, last: None, deadline, left: limits.left, fuel: None, interruption }
    }

    /// Starts again, because the time before was not the player's.
    fn restart(&mut self, started: Instant) {
        self.deadline = self.deadline.and_then(|d| d.checked_add(started - self.started));
        self.started = started;
    }

    /// The last that came from the program: when, and how much fuel it had used.
    fn seen(&mut self, at: Instant, fuel: Option<u64>) {
        (self.last, self.fuel) = (Some(at), fuel);
    }

    /// The time from the start to the last line, or to now if none came. A line that was ready took no time.
    fn taken(&self) -> Duration {
        self.last.unwrap_or_else(Instant::now).saturating_duration_since(self.started)
    }

    /// What the seat has left at this time.
    fn left(&self, now: Instant) -> Option<Duration> {
        self.left.map(|left| left.saturating_sub(now.saturating_duration_since(self.started)))
    }
}

fn next_line(
    child: &mut dyn RunningProgram,
    watch: &mut Watch,
    output: &SeatOutput,
) -> Result<String, NoMove> {
    match child.hear(watch.deadline, watch.interruption) {
        ProgramOutput::Line(line, at) => {
            watch.seen(at, child.fuel());
            Ok(line)
        }
        ProgramOutput::TooLong => Err(too_long(child, output)),
        ProgramOutput::Stopped => Err(NoMove::Stopped),
        ProgramOutput::Lost(how) => Err(NoMove::Void(how)),
        ProgramOutput::Late => Err(late(child, watch, output)),
        ProgramOutput::Ended => Err(crashed(child, watch, output)),
    }
}

fn late(child: &dyn RunningProgram, watch: &mut Watch, output: &SeatOutput) -> NoMove {
    watch.seen(child.now(), child.fuel());
    let detail = format!("no move after {} ms", watch.taken().as_millis());
    child.read_errors();
    with_errors(FaultKind::Time, detail, output)
}

/// The crash of a program that ended or closed its output, by itself or by a signal that was not ours. A host cannot
/// distinguish the bot's failure from the machine's, and a contest does not try, so the crash counts. It does not count if
/// the same signal also ends the run, as when a service or a terminal is shut down.
fn crashed(child: &mut dyn RunningProgram, watch: &mut Watch, output: &SeatOutput) -> NoMove {
    watch.seen(child.now(), child.fuel());
    let how = child.how_it_ended();
    if child.id().is_some() {
        std::thread::sleep(KILL_GRACE);
    }
    if watch.interruption.is_stopped() {
        return NoMove::Stopped;
    }
    child.read_errors();
    with_errors(FaultKind::Crash, format!("no move: {how}"), output)
}

fn too_long(child: &dyn RunningProgram, output: &SeatOutput) -> NoMove {
    child.read_errors();
    with_errors(FaultKind::BadLine, format!("more than {LONGEST_LINE} bytes and no end"), output)
}

fn said_wrong(line: &str, e: &Refusal, output: &SeatOutput) -> NoMove {
    with_errors(FaultKind::BadLine, format!("{}: {}", short(line), short_text(&e.detail)), output)
}

fn with_errors(kind: FaultKind, detail: String, output: &SeatOutput) -> NoMove {
    NoMove::Fault { kind, detail, errors: output.lines() }
}

/// Whether trying again cannot help: the command itself is wrong.
fn for_good(e: &io::Error) -> bool {
    use io::ErrorKind::{ArgumentListTooLong, InvalidInput, NotADirectory, NotFound, PermissionDenied};
    let wrong = [ArgumentListTooLong, InvalidInput, NotADirectory, NotFound, PermissionDenied];
    wrong.contains(&e.kind()) || e.raw_os_error() == Some(NO_PROGRAM)
}

/// The line in quotes, cut.
fn short(line: &str) -> String {
    format!("{:?}", short_text(line))
}

fn short_text(text: &str) -> String {
    let cut: String = text.chars().take(120).collect();
    if cut.len() < text.len() { cut + "..." } else { cut }
}
