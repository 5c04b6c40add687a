//! A bot's seat in a match: takes it, starts programs for it, and passes lines on in both directions. It must not wait.

use super::options::{Options, SECRETS};
use super::program::{Output, Program};
use crate::answer::Failure;
use crate::dial::{Setback, judge};
use crate::lines::LONGEST_LINE;
use crate::link::{Link, Word};
use crate::notes::Notes;
use crate::remote::{CLOSE_DONE, closed};
use crate::transcript::{Said, Transcript, said};
use crate::upgrade::{Answer, Call};
use std::time::{Duration, Instant};
use tungstenite::handshake::client::generate_key;

/// Close code: the bot knows another dialogue than the match's, and has to be started again.
const CLOSE_START_AGAIN: u16 = 4409;

/// How often the program for a match is started again.
const MOST_RESTARTS: u32 = 3;

/// What a bot may print without reading; then it waits at its pipe, as it would at the referee's.
const UNREAD_LINES: usize = 1000;
const UNREAD_BYTES: usize = 4 * LONGEST_LINE;

/// How long a program for a match may be gone before it is started again although nothing is asked of it: the match may
/// just have ended.
const PAUSE: Duration = Duration::from_secs(1);

/// Longest transcript, in bytes: many times that of any match.
const LONGEST_DIALOGUE: usize = 8 << 20;

/// The part of a line without end that its referee gets to see.
const SHOWN: usize = 200;

/// How things stand.
pub enum Fate {
    /// More is to come.
    GoesOn,
    /// The match is over, with this result.
    Over(String),
}

/// What the server is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// To let us join.
    Joining,
    /// For the seat's dialogue.
    Seated,
    /// To take the seat back, which is none for a bot; where the match has begun, to call it off.
    Leaving,
    Aborting,
}

/// How long a program of the bot lives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Process {
    PerMatch,
    PerMove,
}

/// A seat.
pub struct Seat {
    options: Options,
    link: Link,
    stage: Stage,
    /// Whether it was tried to join.
    joined: bool,
    /// The same for each attempt to join, so that none takes a second seat.
    join_key: String,
    transcript: Transcript,
    process: Option<Process>,
    program: Option<Program>,
    restarts_left: u32,
    /// Since when the program for the match is gone, and how it went.
    gone: Option<(Instant, String)>,
    /// Lines and bytes printed since the last line read.
    unread: (usize, usize),
    /// Whether a decision is open for which nothing was printed yet.
    asked: bool,
    /// Whether the dialogue was begun anew just now.
    anew: bool,
    result: String,
    /// Why the seat is given back.
    regret: Option<Failure>,
}

impl Seat {
    /// Nothing is done yet.
    pub fn new(options: Options, now: Instant) -> Result<Self, Failure> {
        let (joined, stage) = match options.token {
            Some(_) => (false, Stage::Seated),
            None => (true, Stage::Joining),
        };
        let join_key = generate_key();
        let call = call(&options, stage, &join_key);
        Ok(Self {
            link: Link::new(&options.place, options.ca.as_deref(), call, now)?,
            options,
            stage,
            joined,
            join_key,
            transcript: Transcript::of_bot(),
            process: None,
            program: None,
            restarts_left: MOST_RESTARTS,
            gone: None,
            unread: (0, 0),
            asked: false,
            anew: false,
            result: String::new(),
            regret: None,
        })
    }

    /// The way to the server.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// The program that runs.
    pub fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    /// Whether the program's output is read now.
    pub fn listens(&self) -> bool {
        self.unread.0 < UNREAD_LINES && self.unread.1 < UNREAD_BYTES
    }

    /// When a turn is due at the latest.
    pub fn wake_at(&self) -> Option<Instant> {
        let restarts = self.may_restart() && self.link.is_open();
        let restart = self.gone.as_ref().filter(|_| restarts).map(|(since, _)| *since + PAUSE);
        [self.link.wake_at(), restart].into_iter().flatten().min()
    }

    /// The match is over.
    pub fn dismiss(&mut self) {
        if let Some(program) = self.program.take() {
            program.dismiss();
        }
    }

    /// Does all there is to do without waiting.
    pub fn turn(&mut self, now: Instant, notes: &mut Notes) -> Result<Fate, Failure> {
        self.read(now, notes)?;
        self.anew = false;
        let mut words = Vec::new();
        loop {
            self.link.turn(now, &self.transcript, &mut words);
            if words.is_empty() {
                break;
            }
            for word in words.drain(..) {
                if let Fate::Over(result) = self.take(word, now, notes)? {
                    return Ok(Fate::Over(result));
                }
                // What else came belongs to the dialogue before.
                if std::mem::take(&mut self.anew) {
                    break;
                }
            }
        }
        let overdue = |(since, _): &(Instant, String)| now >= *since + PAUSE;
        if self.link.is_open() && self.may_restart() && self.gone.as_ref().is_some_and(overdue) {
            self.restart(now, notes);
        }
        if let Some(program) = &mut self.program {
            program.write();
        }
        Ok(Fate::GoesOn)
    }

    fn take(&mut self, word: Word, now: Instant, notes: &mut Notes) -> Result<Fate, Failure> {
        match word {
            Word::Opened => {}
            Word::Text(text) => {
                self.link.recover().iter().for_each(|note| notes.say(note));
                for said in said(&text) {
                    self.hear(said, now, notes)?;
                    if self.anew {
                        break;
                    }
                }
            }
            Word::Closed(CLOSE_DONE, reason) => {
                let told = std::mem::take(&mut self.result);
                return Ok(Fate::Over(if told.is_empty() { reason } else { told }));
            }
            Word::Closed(CLOSE_START_AGAIN, reason) => {
                if self.restarts_left == 0 {
                    return Err(Failure::dialogue(format!("the bot was started often enough: {reason}")));
                }
                self.restart(now, notes);
            }
            Word::Closed(code @ 4000..5000, reason) => {
                return Err(Failure::dialogue(format!("the server ends the dialogue ({code}): {reason}")));
            }
            Word::Closed(code, reason) => {
                closed(&mut self.link, code, &reason, now).iter().for_each(|note| notes.say(note));
            }
            Word::Answered(answer) => self.answered(answer, now, notes)?,
            Word::Note(text) => notes.say(&text),
            Word::Failed(failure) => return Err(failure),
        }
        Ok(Fate::GoesOn)
    }

    /// The server answers with something else than a dialogue.
    fn answered(&mut self, answer: Answer, now: Instant, notes: &mut Notes) -> Result<(), Failure> {
        let next = match (self.stage, answer.status) {
            (Stage::Joining, 200..300) => {
                if answer.token.is_some() {
                    self.options.token = answer.token;
                }
                Stage::Seated
            }
            // Whoever has a token may still have to join with it.
            (Stage::Seated, 403) if !self.joined => Stage::Joining,
            (stage, status) => match (judge(answer, "; check the URL of the match and the seat"), stage) {
                (_, Stage::Leaving) if status == 409 => Stage::Aborting,
                // The seat is given back, or cannot be; either way the reason to do so stands.
                (_, Stage::Leaving | Stage::Aborting) if status < 500 => {
                    return Err(self.regret.take().unwrap_or_else(none));
                }
                (Setback::Later { reason, wait, .. }, _) => {
                    self.link.set_back(&reason, wait, now).iter().for_each(|note| notes.say(note));
                    return Ok(());
                }
                // A seat for no bot; somebody else may still want it.
                (Setback::Never(failure), Stage::Seated) if self.joined && status == 422 => {
                    self.regret = Some(failure);
                    Stage::Leaving
                }
                (Setback::Never(failure), _) => return Err(failure),
            },
        };
        self.joined |= next == Stage::Joining;
        self.stage = next;
        self.link.call(call(&self.options, next, &self.join_key), now);
        Ok(())
    }

    fn hear(&mut self, said: Said<'_>, now: Instant, notes: &mut Notes) -> Result<(), Failure> {
        match said {
            Said::Remark(text) => return self.heed(text, now, notes),
            Said::Read(line) => {
                self.transcript.read(line);
                self.unread = (0, 0);
                self.grown()?;
                match (&mut self.program, self.process) {
                    (Some(program), _) => program.say(line),
                    (None, Some(Process::PerMove)) => self.start()?.say(line),
                    // It will hear the whole dialogue.
                    (None, _) => {
                        if self.may_restart() {
                            self.restart(now, notes);
                        }
                    }
                }
            }
            Said::End => {
                self.transcript.input_ended();
                if let Some(program) = &mut self.program {
                    program.end_input();
                }
            }
            Said::Print(_) => {}
        }
        Ok(())
    }

    fn heed(&mut self, remark: &str, now: Instant, notes: &mut Notes) -> Result<(), Failure> {
        let (what, rest) = remark.split_once(' ').unwrap_or((remark, ""));
        match what {
            "process" => {
                self.process = Some(if rest == "per_move" { Process::PerMove } else { Process::PerMatch });
                if rest != "per_move" && self.program.is_none() && self.gone.is_none() {
                    self.start()?;
                }
            }
            "turn" => {
                // A program of an earlier move must not answer this one.
                if self.process == Some(Process::PerMove) && self.program.take().is_some() {
                    self.transcript.remark("ended killed, its turn was over");
                }
                self.transcript.remark(remark);
                self.asked = true;
                if self.gone.is_some() && self.may_restart() {
                    self.restart(now, notes);
                }
            }
            "over:" => self.result = rest.to_owned(),
            "foul:" | "late:" => notes.say(remark),
            _ => notes.remark(remark),
        }
        Ok(())
    }

    /// Starts a program.
    fn start(&mut self) -> Result<&mut Program, Failure> {
        let started = Program::start(&self.options.command, &SECRETS).map_err(|error| {
            let name = self.options.command.first().map(|name| name.to_string_lossy().into_owned());
            let why = crate::dial::brief(&error);
            Failure::setup(format!("the bot {} cannot be started: {why}", name.unwrap_or_default()))
        })?;
        self.unread = (0, 0);
        Ok(self.program.insert(started))
    }

    fn may_restart(&self) -> bool {
        self.gone.is_some() && self.restarts_left > 0
    }

    /// The program for the match is started again and hears the whole dialogue again: that is another dialogue for the
    /// server. What it answers at turns that were played already, the server passes over.
    fn restart(&mut self, now: Instant, notes: &mut Notes) {
        let why = self.gone.take().map_or_else(|| "the server wants it".to_owned(), |(_, how)| how);
        notes.say(&format!("the bot is started again: {why}"));
        self.restarts_left = self.restarts_left.saturating_sub(1);
        self.program = None;
        self.transcript = Transcript::of_bot();
        self.asked = false;
        self.anew = true;
        self.link.call(call(&self.options, self.stage, &self.join_key), now);
    }

    /// Reads what the program printed.
    fn read(&mut self, now: Instant, notes: &mut Notes) -> Result<(), Failure> {
        if !self.listens() {
            return Ok(());
        }
        let Some(program) = &mut self.program else { return Ok(()) };
        let (transcript, unread) = (&mut self.transcript, &mut self.unread);
        let before = unread.0;
        let output = program.read(|line| {
            transcript.printed(line);
            *unread = (unread.0 + 1, unread.1 + line.len());
        });
        if unread.0 > before {
            self.asked = false;
            notes.answered();
        }
        self.grown()?;
        let how = match output {
            Output::Open => return Ok(()),
            Output::Ended => self.program.take().map(Program::how_it_ended),
            Output::TooLong => {
                // No move is as long: its referee may see for itself.
                self.transcript.printed(&"?".repeat(SHOWN));
                self.program = None;
                Some(format!("killed after more than {LONGEST_LINE} bytes without a line break"))
            }
        };
        self.ended(how.unwrap_or_default(), now, notes);
        Ok(())
    }

    /// The program has ended.
    fn ended(&mut self, how: String, now: Instant, notes: &mut Notes) {
        if self.process == Some(Process::PerMove) {
            self.transcript.remark(&format!("ended {how}"));
            return;
        }
        self.gone = Some((now, how));
        if self.restarts_left == 0 {
            if let Some((_, how)) = &self.gone {
                self.transcript.remark(&format!("ended {how}"));
                notes.say(&format!("the bot is gone for good: {how}"));
            }
        } else if self.asked {
            self.restart(now, notes);
        }
    }

    fn grown(&self) -> Result<(), Failure> {
        if self.transcript.len() > LONGEST_DIALOGUE {
            return Err(Failure::dialogue(format!("the dialogue is longer than {LONGEST_DIALOGUE} bytes")));
        }
        Ok(())
    }
}

/// A failure of which nothing is known.
fn none() -> Failure {
    Failure::dialogue("the seat was given back")
}

/// What to ask of the server.
fn call(options: &Options, stage: Stage, join_key: &str) -> Call {
    let seat = options.seat.map(|seat| seat.to_string());
    let path = match stage {
        Stage::Joining => "/join".to_owned(),
        Stage::Leaving => "/leave".to_owned(),
        Stage::Aborting => "/abort".to_owned(),
        Stage::Seated => format!("/seats/{}/stdio", seat.as_deref().unwrap_or("me")),
    };
    let mut headers = Vec::new();
    headers.extend(options.token.as_ref().map(|token| ("Authorization", format!("Bearer {token}"))));
    headers.extend(options.key.as_ref().map(|key| ("Match-Key", key.clone())));
    let post = match stage {
        Stage::Seated => None,
        Stage::Leaving | Stage::Aborting => Some(String::new()),
        Stage::Joining => {
            headers.push(("Idempotency-Key", join_key.to_owned()));
            let seat = seat.map(|seat| format!("\"seat\":{seat}"));
            let name = options.name.as_ref().map(|name| format!("\"name\":{}", json(name)));
            let fields: Vec<String> =
                std::iter::once("\"bot\":true".to_owned()).chain(seat).chain(name).collect();
            Some(format!("{{{}}}", fields.join(",")))
        }
    };
    Call { path: format!("{}{path}", options.place.base()), headers, post }
}

/// A text as JSON.
fn json(text: &str) -> String {
    let mut out = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            control if control < ' ' => out += &format!("\\u{:04x}", u32::from(control)),
            plain => out.push(plain),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_json() {
        assert_eq!(json("a \"b\"\\\n♠"), "\"a \\\"b\\\"\\\\\\u000a♠\"");
    }
}
