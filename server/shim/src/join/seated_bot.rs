//! A bot in a seat of a match: takes the seat, starts the bot's processes, and forwards lines in both directions. It must
//! not wait.

use super::bot_process::{BotOutput, BotProcess, ProcessEnd};
use super::bot_source::BotSource;
use super::capture::OutputCapture;
use super::options::{JoinOptions, SECRETS};
use super::requests::{JoinStep, request};
use crate::answerers::remote::{CLOSE_DONE, retry_after_close};
use crate::dialogue::answer::Failure;
use crate::dialogue::lines::LONGEST_LINE;
use crate::dialogue::notes::{Notes, write_in_full};
use crate::dialogue::pipe::LONGEST_DIALOGUE;
use crate::dialogue::transcript::{MessageLine, Transcript, message_lines};
use crate::network::connect::{ConnectError, classify};
use crate::network::http::HttpResponse;
use crate::network::link::{Link, LinkEvent};
use kibitz_bot_output::LogMark;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tungstenite::handshake::client::generate_key;

/// Close code: the bot's dialogue differs from the match's, so the bot must start again.
const CLOSE_START_AGAIN: u16 = 4409;

/// How often the bot is started again because the server does not accept its dialogue.
const MOST_RESTARTS: u32 = 3;

/// How long to wait for a signal to this program before reporting that a signal has ended the bot: a service manager stops
/// both at once, and that is no crash.
const SIGNAL_DELAY: Duration = Duration::from_millis(500);

/// How much a bot may print without reading. Then its output is no longer read, as under a referee that does not read.
const MOST_UNREAD_LINES: usize = 1000;
const MOST_UNREAD_BYTES: usize = 4 * LONGEST_LINE;

/// The part of a too long line that the referee gets, in bytes.
const CUT_LINE: usize = 200;

/// How long one process of the bot lives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProcessLifetime {
    PerMatch,
    PerMove,
}

/// The amount that a bot has printed since it last read a line.
#[derive(Default)]
struct UnreadOutput {
    lines: usize,
    bytes: usize,
}

/// A bot, its seat and the connection to the server.
pub(super) struct SeatedBot {
    options: JoinOptions,
    source: BotSource,
    link: Link,
    step: JoinStep,
    /// Whether a request to join was sent.
    joined: bool,
    /// The same idempotency key for each attempt to join, so that none takes a second seat.
    join_key: String,
    transcript: Transcript,
    capture: OutputCapture,
    lifetime: Option<ProcessLifetime>,
    process: Option<BotProcess>,
    restarts_left: u32,
    /// How the process for the match has ended. The server gives the penalty; the process is not started again.
    process_end: Option<String>,
    /// The end of the process for the match of which the user is not told yet: if the match is over too, nothing is wrong.
    untold_end: Option<String>,
    /// The end of a process that the server is not told of yet, and when to do so.
    unreported: Option<(Instant, String)>,
    unread: UnreadOutput,
    /// Whether the dialogue was just begun again.
    begun_again: bool,
    result: String,
    /// The reason why the seat is being given back.
    leave_reason: Option<Failure>,
}

impl SeatedBot {
    /// Prepares to connect; starts nothing, and compiles a program.
    pub(super) fn new(options: JoinOptions, now: Instant) -> Result<Self, Failure> {
        let (joined, step) = match options.token {
            Some(_) => (false, JoinStep::Seated),
            None => (true, JoinStep::Joining),
        };
        let join_key = generate_key();
        let first = request(&options, step, &join_key);
        let id = options.match_address.base().rsplit('/').next().unwrap_or_default();
        let capture = OutputCapture::new(id, options.log_dir.as_deref(), now)?;
        Ok(Self {
            link: Link::new(&options.match_address, options.ca.as_deref(), first, now)?,
            source: BotSource::of(&options.command)?,
            options,
            step,
            joined,
            join_key,
            transcript: Transcript::of_bot(),
            capture,
            lifetime: None,
            process: None,
            restarts_left: MOST_RESTARTS,
            process_end: None,
            untold_end: None,
            unreported: None,
            unread: UnreadOutput::default(),
            begun_again: false,
            result: String::new(),
            leave_reason: None,
        })
    }

    /// The connection to the server.
    pub(super) fn link(&self) -> &Link {
        &self.link
    }

    /// The running process.
    pub(super) fn process(&self) -> Option<&BotProcess> {
        self.process.as_ref()
    }

    /// Whether to read the process's output now.
    pub(super) fn accepts_output(&self) -> bool {
        self.unread.lines < MOST_UNREAD_LINES && self.unread.bytes < MOST_UNREAD_BYTES
    }

    /// The latest time of the next turn.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let report = self.unreported.as_ref().map(|(at, _)| *at);
        [self.link.wake_at(), report].into_iter().flatten().min()
    }

    /// Stops the process after the match.
    pub(super) fn stop(&mut self) {
        if let Some(process) = self.process.take() {
            let (capture, transcript) = (&mut self.capture, &mut self.transcript);
            process.stop(|bytes| capture.wrote(bytes, Instant::now(), transcript));
            capture.ended(Instant::now(), transcript);
        }
    }

    /// Does everything that is possible without waiting. Breaks with the result when the match is over.
    pub(super) fn turn(&mut self, now: Instant, notes: &mut Notes) -> Result<ControlFlow<String>, Failure> {
        self.read_output(now, notes)?;
        self.capture.take_failure().iter().for_each(|note| notes.write(note));
        if self.unreported.as_ref().is_some_and(|(at, _)| now >= *at) {
            self.report_end();
        }
        self.begun_again = false;
        let mut events = Vec::new();
        loop {
            self.link.turn(now, &self.transcript, &mut events);
            if events.is_empty() {
                break;
            }
            for event in events.drain(..) {
                if let ControlFlow::Break(result) = self.handle(event, now, notes)? {
                    return Ok(ControlFlow::Break(result));
                }
                // The other events belong to the previous dialogue.
                if std::mem::take(&mut self.begun_again) {
                    break;
                }
            }
        }
        if let Some(process) = &mut self.process {
            process.write();
        }
        Ok(ControlFlow::Continue(()))
    }

    fn handle(
        &mut self,
        event: LinkEvent,
        now: Instant,
        notes: &mut Notes,
    ) -> Result<ControlFlow<String>, Failure> {
        match event {
            LinkEvent::Opened => {}
            LinkEvent::Text(text) => {
                self.link.recover().iter().for_each(|note| notes.write(note));
                message_lines(&text).try_for_each(|line| self.handle_line(line, now, notes))?;
            }
            LinkEvent::Closed(CLOSE_DONE, reason) => {
                let result = std::mem::take(&mut self.result);
                return Ok(ControlFlow::Break(if result.is_empty() { reason } else { result }));
            }
            LinkEvent::Closed(CLOSE_START_AGAIN, reason) => {
                if self.restarts_left == 0 {
                    return Err(Failure::dialogue(format!("the bot was restarted too often: {reason}")));
                }
                self.restart(&reason, now, notes);
            }
            LinkEvent::Closed(code @ 4000..5000, reason) => {
                return Err(Failure::dialogue(format!("the server ends the dialogue ({code}): {reason}")));
            }
            LinkEvent::Closed(code, reason) => {
                let note = retry_after_close(&mut self.link, code, &reason, now);
                note.iter().for_each(|note| notes.write(note));
            }
            LinkEvent::Response(response) => self.handle_response(response, now, notes)?,
            LinkEvent::Note(text) => notes.write(&text),
            LinkEvent::Failed(failure) => return Err(failure),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Handles a response that opens no dialogue: decides the next step.
    fn handle_response(
        &mut self,
        response: HttpResponse,
        now: Instant,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let next = match (self.step, response.status) {
            (JoinStep::Joining, 200..300) => {
                if response.token.is_some() {
                    self.options.token = response.token;
                }
                JoinStep::Seated
            }
            // The holder of a token may still have to join with it.
            (JoinStep::Seated, 403) if !self.joined => JoinStep::Joining,
            (step, status) => {
                match (classify(response, "; check the URL of the match and the seat"), step) {
                    (_, JoinStep::Leaving) if status == 409 => JoinStep::Aborting,
                    // The seat is given back, or cannot be. In both cases the reason for it is the failure.
                    (_, JoinStep::Leaving | JoinStep::Aborting) if status < 500 => {
                        let unknown = || Failure::dialogue("the seat was given back");
                        return Err(self.leave_reason.take().unwrap_or_else(unknown));
                    }
                    (ConnectError::Temporary { reason, wait, .. }, _) => {
                        let note = self.link.retry(&reason, wait, now);
                        note.iter().for_each(|note| notes.write(note));
                        return Ok(());
                    }
                    // The seat is not for bots, or a setting is wrong; leave it to others.
                    (ConnectError::Permanent(failure), JoinStep::Seated)
                        if self.joined && [400, 422].contains(&status) =>
                    {
                        self.leave_reason = Some(failure);
                        JoinStep::Leaving
                    }
                    (ConnectError::Permanent(failure), _) => return Err(failure),
                }
            }
        };
        self.joined |= next == JoinStep::Joining;
        self.step = next;
        self.link.request(request(&self.options, next, &self.join_key), now);
        Ok(())
    }

    fn handle_line(&mut self, line: MessageLine<'_>, now: Instant, notes: &mut Notes) -> Result<(), Failure> {
        match line {
            MessageLine::Remark(text) => return self.handle_remark(text, now, notes),
            MessageLine::Read(line) => {
                self.transcript.read(line);
                self.capture.log(LogMark::Read, line, now);
                self.unread = UnreadOutput::default();
                self.check_length()?;
                match (&mut self.process, self.lifetime) {
                    (Some(process), _) => process.send_line(line),
                    (None, Some(ProcessLifetime::PerMove)) => self.start()?.send_line(line),
                    // It has ended.
                    (None, _) => {}
                }
            }
            MessageLine::End => {
                self.transcript.input_ended();
                self.capture.log(LogMark::InputEnd, "", now);
                if let Some(process) = &mut self.process {
                    process.end_input();
                }
            }
            MessageLine::Print(_) => {}
        }
        Ok(())
    }

    fn handle_remark(&mut self, remark: &str, now: Instant, notes: &mut Notes) -> Result<(), Failure> {
        self.capture.log(LogMark::Remark, remark, now);
        let (what, rest) = remark.split_once(' ').unwrap_or((remark, ""));
        match what {
            "process" => {
                let per_move = rest == "per_move";
                self.lifetime =
                    Some(if per_move { ProcessLifetime::PerMove } else { ProcessLifetime::PerMatch });
                if !per_move && self.process.is_none() && self.process_end.is_none() {
                    self.start()?;
                }
            }
            "turn" => {
                // The process of an earlier move must not answer for this one.
                if self.lifetime == Some(ProcessLifetime::PerMove) && self.process.take().is_some() {
                    self.capture.ended(now, &mut self.transcript);
                    self.transcript.remark("ended killed, its turn was over");
                }
                self.report_end();
                self.tell_end(notes);
                self.transcript.remark(remark);
                let ply = rest.split(' ').next().and_then(|ply| ply.parse().ok()).unwrap_or_default();
                let usage = self.process.as_ref().and_then(BotProcess::usage);
                self.capture.begin_turn(ply, usage, now);
            }
            "over:" => self.result = rest.to_owned(),
            "foul:" | "late:" => {
                self.tell_end(notes);
                notes.write(remark);
            }
            // It is longer than a line of notes, and not lost when they are many.
            "hint:" | "check:" => write_in_full(remark),
            _ => notes.remark(remark),
        }
        Ok(())
    }

    /// Starts a process of the bot.
    fn start(&mut self) -> Result<&mut BotProcess, Failure> {
        let started = self.source.start(&SECRETS).map_err(|error| {
            let name = self.options.command.first().map(|name| name.to_string_lossy().into_owned());
            let why = crate::network::connect::brief(&error);
            Failure::setup(format!("the bot {} cannot be started: {why}", name.unwrap_or_default()))
        })?;
        self.unread = UnreadOutput::default();
        Ok(self.process.insert(started))
    }

    /// Starts the process for the match again with the whole dialogue, because the server does not accept the transcript.
    /// For the server that is a new dialogue; it ignores the bot's answers at turns that were played already. A process
    /// that has ended by itself is not started again.
    fn restart(&mut self, reason: &str, now: Instant, notes: &mut Notes) {
        self.restarts_left = self.restarts_left.saturating_sub(1);
        self.process = None;
        self.transcript = Transcript::of_bot();
        match (&self.process_end, &self.unreported) {
            (Some(how), None) => self.transcript.remark(&format!("ended {how}")),
            (Some(_), Some(_)) => {}
            (None, _) => notes.write(&format!("the bot is started again: {reason}")),
        }
        self.begun_again = true;
        self.link.request(request(&self.options, self.step, &self.join_key), now);
    }

    /// Reads the process's output, and then its standard error: what it wrote there before a line of output is certainly there
    /// after the line. The server gets it before the line.
    fn read_output(&mut self, now: Instant, notes: &mut Notes) -> Result<(), Failure> {
        let accepts_output = self.accepts_output();
        let Some(process) = &mut self.process else { return Ok(()) };
        let (transcript, unread, capture) = (&mut self.transcript, &mut self.unread, &mut self.capture);
        let mut lines = Vec::new();
        let output = match accepts_output {
            true => process.read(|line| lines.push(line.to_owned())),
            false => BotOutput::Open,
        };
        process.read_errors(|bytes| capture.wrote(bytes, now, transcript));
        for line in &lines {
            transcript.printed(line);
            capture.log(LogMark::Printed, line, now);
            unread.lines += 1;
            unread.bytes += line.len();
        }
        if !lines.is_empty() {
            notes.answered();
            if let Some(usage) = process.usage() {
                capture.used(usage, transcript);
            }
        }
        self.check_length()?;
        let end = match output {
            BotOutput::Open => return Ok(()),
            BotOutput::Ended => self.take_ended(now),
            BotOutput::TooLong => {
                // No legal move is as long; the referee decides the penalty.
                self.transcript.printed(&"?".repeat(CUT_LINE));
                self.process = None;
                let how = format!("killed after more than {LONGEST_LINE} bytes without a line break");
                Some(ProcessEnd { how, requested: false, usage: None })
            }
        };
        if let Some(end) = end {
            self.process_ended(end, now);
        }
        Ok(())
    }

    /// How the process has ended, and what it still wrote to standard error.
    fn take_ended(&mut self, now: Instant) -> Option<ProcessEnd> {
        let (capture, transcript) = (&mut self.capture, &mut self.transcript);
        let end = self.process.take()?.how_it_ended(|bytes| capture.wrote(bytes, now, transcript));
        capture.ended(now, transcript);
        if let Some(usage) = end.usage {
            capture.used(usage, transcript);
        }
        Some(end)
    }

    /// Handles the end of a process. An end that a signal asked for is reported a little later: if the signal was sent to
    /// this program too, the match goes on when this program is started again.
    fn process_ended(&mut self, end: ProcessEnd, now: Instant) {
        let ProcessEnd { how, requested, .. } = end;
        self.capture.log(LogMark::Remark, &format!("ended {how}"), now);
        if self.lifetime == Some(ProcessLifetime::PerMatch) {
            self.untold_end = Some(how.clone());
            self.process_end = Some(how.clone());
        }
        self.unreported = Some((if requested { now + SIGNAL_DELAY } else { now }, how));
        if !requested {
            self.report_end();
        }
    }

    /// Tells the user that the process has ended, although the match goes on.
    fn tell_end(&mut self, notes: &mut Notes) {
        if let Some(how) = self.untold_end.take() {
            notes.write(&format!("the bot has ended: {how}; each turn of it is a crash from now on"));
        }
    }

    /// Tells the server that a process has ended.
    fn report_end(&mut self) {
        if let Some((_, how)) = self.unreported.take() {
            self.transcript.remark(&format!("ended {how}"));
        }
    }

    fn check_length(&self) -> Result<(), Failure> {
        if self.transcript.len() > LONGEST_DIALOGUE {
            return Err(Failure::dialogue(format!("the dialogue is longer than {LONGEST_DIALOGUE} bytes")));
        }
        Ok(())
    }
}
