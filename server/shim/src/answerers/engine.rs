//! Answers from the engines built into the program (feature `embedded`), with the same decisions as a server. It must not
//! print, must not use the network, and must know a game by its name alone.

use crate::dialogue::answer::{Answerer, Failure, PipeAction, PollTarget};
use crate::dialogue::transcript::Transcript;
use crate::games;
use crate::options::PlayOptions;
use engines::dialogue::CountedTime;
use engines::erased::{AnySession, Awaits, DecisionRequest};
use engines::protocol::{Entry, KeptSetting, Settings};
use engines::remarks::remarks;
use engines::rng::Seed;
use engines::search::{Limits, Patient};
use engines::timer::{Timer, processor_time};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// If the contest counts processor time, a search may take this many times as much wall time, so that a busy machine
/// does not block a match.
const WALL_TIME_FACTOR: u32 = 3;

/// An engine in this process as the source of answers.
pub(crate) struct EngineAnswerer {
    session: Box<dyn AnySession>,
    /// Bytes of the transcript read so far.
    read: usize,
    awaits: Awaits,
    /// The time at which the referee's silence counts as an answer.
    silence_at: Option<Instant>,
    name: Option<String>,
    limits: Limits,
    think: Option<Duration>,
    /// Whether to make remarks on decisions.
    verbose: bool,
    /// Remarks on decisions since the caller last took them.
    remarks: Vec<String>,
    /// The processor time used up to the last answer.
    spent_before: Duration,
}

impl EngineAnswerer {
    /// The engine for the game in the options.
    pub(crate) fn new(options: &PlayOptions) -> Result<Self, Failure> {
        let game = engines::games::find(&options.game)
            .ok_or_else(|| Failure::setup(games::unknown(&options.game)))?;
        let mut settings: BTreeMap<String, String> = options.parameters.iter().cloned().collect();
        let think = number::<u64>(&mut settings, "think_ms")?.map(Duration::from_millis);
        let candidates = number::<u16>(&mut settings, "candidates")?;
        let limits = Limits {
            nodes: number(&mut settings, "nodes")?,
            seed: number(&mut settings, "seed")?.unwrap_or_else(|| Seed::from(0)),
            level: number(&mut settings, "level")?.unwrap_or_default(),
            candidates: candidates.unwrap_or_default().into(),
        };
        let name = settings.remove("engine");
        let session = game.session(&Settings(settings)).map_err(|refusal| Failure::setup(refusal.detail))?;
        Ok(Self {
            session,
            read: 0,
            awaits: Awaits::Entry,
            silence_at: None,
            name,
            limits,
            think,
            verbose: candidates.is_some(),
            remarks: Vec::new(),
            spent_before: Duration::ZERO,
        })
    }

    /// Reads the new part of the transcript. Computes no decision that is already answered in it.
    pub(crate) fn read(&mut self, now: Instant, transcript: &Transcript) -> Result<(), Failure> {
        let new_text = transcript.since(self.read);
        let first = self.read == 0 && transcript.len() == 0;
        if !new_text.is_empty() || first {
            let entries = new_text.lines().map(Entry::parse).collect::<Result<Vec<_>, _>>();
            self.session.push(entries.map_err(|error| Failure::dialogue(error.0))?);
            self.read = transcript.len();
            self.awaits = self.session.advance().map_err(|refusal| Failure::dialogue(refusal.detail))?;
            self.silence_at = match self.awaits {
                Awaits::EntryWithin(time) => Some(now + time),
                _ => None,
            };
        }
        if self.silence_at.is_some_and(|silence_at| now >= silence_at) {
            self.silence_at = None;
            self.awaits = self.session.silence();
        }
        Ok(())
    }

    /// Whether the referee waits for lines from this side.
    pub(crate) fn is_to_answer(&self) -> bool {
        self.session.has_lines() || matches!(self.awaits, Awaits::Decision(_))
    }

    /// The thinking time of the answer that is due.
    pub(crate) fn thinking_time(&self) -> Duration {
        match &self.awaits {
            Awaits::Decision(question) => question.thinking_time(self.think),
            _ => Duration::ZERO,
        }
    }

    /// The lines that are due. `late`: the part of the thinking time that has passed already.
    pub(crate) fn answer(&mut self, late: Duration) -> Result<Vec<String>, Failure> {
        let mut lines = self.session.take_lines();
        while let (true, Awaits::Decision(question)) = (lines.is_empty(), &self.awaits) {
            let (notation, remarks) = self.decide(question, late)?;
            self.remarks.extend(remarks);
            self.awaits =
                self.session.decide(&notation).map_err(|refusal| Failure::dialogue(refusal.detail))?;
            lines = self.session.take_lines();
        }
        if !lines.is_empty() {
            self.spent_before = processor_time().unwrap_or_default();
        }
        Ok(lines)
    }

    /// The remarks on decisions since the last call.
    pub(crate) fn take_remarks(&mut self) -> impl Iterator<Item = PipeAction> {
        self.remarks.drain(..).map(PipeAction::Remark)
    }

    /// The move to play, and the remarks on it if verbose.
    fn decide(&self, question: &DecisionRequest, late: Duration) -> Result<(String, Vec<String>), Failure> {
        let timer = self.time(question, late).map(|time| match question.counts {
            CountedTime::Wall => Timer::lasting(time),
            CountedTime::Processor => Timer::of_processor(time, time * WALL_TIME_FACTOR),
        });
        let limits = Limits { seed: question.seed(&self.limits.seed), ..self.limits.clone() };
        let start = Instant::now();
        let now = || match question.counts {
            CountedTime::Wall => start.elapsed(),
            CountedTime::Processor => processor_time().unwrap_or_else(|| start.elapsed()),
        };
        let before = now();
        let answer = match &timer {
            Some(timer) => question.position.think(self.name.as_deref(), limits, timer),
            None => question.position.think(self.name.as_deref(), limits, &Patient),
        };
        let answer = answer.map_err(|refusal| Failure::dialogue(refusal.detail))?;
        let took = now().saturating_sub(before);
        let remarks = if self.verbose { remarks(&answer, took, question.counts) } else { Vec::new() };
        Ok((answer.mv.notation, remarks))
    }

    /// The thinking time, as the contest counts time; `None`: until the node budget is used up.
    fn time(&self, question: &DecisionRequest, late: Duration) -> Option<Duration> {
        let time = question.thinking_time(self.think);
        let spent = match question.counts {
            CountedTime::Wall => late,
            // Waiting used no processor time, but starting the program did.
            CountedTime::Processor => processor_time().unwrap_or_default().saturating_sub(self.spent_before),
        };
        let left = question.longest().map(|longest| longest.saturating_sub(spent));
        // A node budget without a thinking time is used up completely, as a server does.
        let nodes_only = self.limits.nodes.is_some() && self.think.is_none();
        if nodes_only { left } else { Some(left.map_or(time, |left| time.min(left))) }
    }

    /// Settings for the next process, as a server sends them in remarks.
    pub(crate) fn keep(&self) -> impl Iterator<Item = PipeAction> {
        self.session.keep().into_iter().flat_map(|KeptSetting { name, value, replaces }| {
            let forget = replaces.map(|replaced| PipeAction::Remark(format!("forget {name}={replaced}")));
            forget.into_iter().chain([PipeAction::Remark(format!("keep {name}={value}"))])
        })
    }

    /// Warnings about lines of the referee that our rules forbid, since the last call.
    pub(crate) fn warnings(&mut self) -> impl Iterator<Item = PipeAction> {
        self.session.take_remarks().into_iter().map(PipeAction::Warning)
    }

    /// Whether the dialogue is over.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.awaits, Awaits::Nothing) && !self.session.has_lines()
    }
}

/// Removes a parameter from the settings and parses it.
fn number<T: FromStr<Err: std::fmt::Display>>(
    settings: &mut BTreeMap<String, String>,
    key: &str,
) -> Result<Option<T>, Failure> {
    let Some(text) = settings.remove(key) else { return Ok(None) };
    text.parse().map(Some).map_err(|error| Failure::setup(format!("{key} cannot be {text:?}: {error}")))
}

impl Answerer for EngineAnswerer {
    fn turn(&mut self, now: Instant, transcript: &Transcript, actions: &mut Vec<PipeAction>) {
        let result = self.read(now, transcript).and_then(|()| self.answer(Duration::ZERO));
        // Before the answer: a referee may end the program as soon as it has read that.
        actions.extend(self.warnings());
        actions.extend(self.keep());
        match result {
            Ok(lines) if !lines.is_empty() => {
                actions.extend(self.take_remarks());
                actions.push(PipeAction::Print(lines));
            }
            Ok(_) => {}
            Err(failure) => actions.push(PipeAction::Failed(failure)),
        }
        if self.is_over() {
            actions.push(PipeAction::Over);
        }
    }

    fn poll_target(&self) -> Option<PollTarget<'_>> {
        None
    }

    fn wake_at(&self) -> Option<Instant> {
        self.silence_at
    }

    fn can_answer(&self) -> bool {
        true
    }
}
