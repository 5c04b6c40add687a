//! Answers from the engines built into the program (feature `embedded`): the same dialogue, the same decisions as a
//! server's, without any network. It must not print, and must know a game by its name alone.

use crate::answer::{Answerer, Failure, News, Watch};
use crate::games;
use crate::options::Options;
use crate::transcript::Transcript;
use engines::dialogue::CountedTime;
use engines::erased::{AnySession, Awaits, DecisionRequest};
use engines::protocol::{Entry, Settings};
use engines::remarks::remarks;
use engines::rng::Seed;
use engines::search::{Limits, Patient};
use engines::timer::{Timer, processor_time};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Where the contest counts processor time, a search may take this many times as much wall time: a machine that is
/// busy elsewhere must not hang a match.
const LONGEST_WALL: u32 = 3;

/// An engine in this process.
pub struct Engine {
    session: Box<dyn AnySession>,
    /// Bytes of the transcript heard so far.
    heard: usize,
    awaits: Awaits,
    /// When silence is to be taken for an answer.
    silence_at: Option<Instant>,
    name: Option<String>,
    limits: Limits,
    think: Option<Duration>,
    /// Whether to tell what it thinks.
    tells: bool,
    /// What it thought since the caller last took it.
    remarks: Vec<String>,
    /// The processor time that was used when the last answer was given.
    spent_before: Duration,
}

impl Engine {
    /// The engine for the options' game.
    pub fn new(options: &Options) -> Result<Self, Failure> {
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
            heard: 0,
            awaits: Awaits::Entry,
            silence_at: None,
            name,
            limits,
            think,
            tells: candidates.is_some(),
            remarks: Vec::new(),
            spent_before: Duration::ZERO,
        })
    }

    /// Hears what is new in the transcript; what is answered in it is not thought about.
    pub fn hear(&mut self, now: Instant, transcript: &Transcript) -> Result<(), Failure> {
        let news = transcript.since(self.heard);
        let first = self.heard == 0 && transcript.len() == 0;
        if !news.is_empty() || first {
            let entries = news.lines().map(Entry::parse).collect::<Result<Vec<_>, _>>();
            self.session.push(entries.map_err(|error| Failure::dialogue(error.0))?);
            self.heard = transcript.len();
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

    /// Whether it is this side's turn to say something.
    pub fn owes(&self) -> bool {
        self.session.has_lines() || matches!(self.awaits, Awaits::Decision(_))
    }

    /// How long the answer that is due would take.
    pub fn thinking_time(&self) -> Duration {
        match &self.awaits {
            Awaits::Decision(question) => question.thinking_time(self.think),
            _ => Duration::ZERO,
        }
    }

    /// The lines that are due, thought about as long as `late` (time lost already) leaves.
    pub fn answer(&mut self, late: Duration) -> Result<Vec<String>, Failure> {
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

    /// What the engine thought of the answers since the last call.
    pub fn take_remarks(&mut self) -> impl Iterator<Item = News> {
        self.remarks.drain(..).map(News::Remark)
    }

    /// The move to play, and the remarks on it where they are wanted.
    fn decide(&self, question: &DecisionRequest, late: Duration) -> Result<(String, Vec<String>), Failure> {
        let timer = self.time(question, late).map(|time| match question.counts {
            CountedTime::Wall => Timer::lasting(time),
            CountedTime::Processor => Timer::of_processor(time, time * LONGEST_WALL),
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
        let told = if self.tells { remarks(&answer, took, question.counts) } else { Vec::new() };
        Ok((answer.mv.notation, told))
    }

    /// How long to think, in the time that the contest counts; `None`: until the nodes are used up.
    fn time(&self, question: &DecisionRequest, late: Duration) -> Option<Duration> {
        let time = question.thinking_time(self.think);
        let spent = match question.counts {
            CountedTime::Wall => late,
            // Waiting cost nothing, but starting did.
            CountedTime::Processor => processor_time().unwrap_or_default().saturating_sub(self.spent_before),
        };
        let left = question.longest().map(|longest| longest.saturating_sub(spent));
        // A node budget without a time asked for is kept whole, as a server keeps it.
        let unhurried = self.limits.nodes.is_some() && self.think.is_none();
        if unhurried { left } else { Some(left.map_or(time, |left| time.min(left))) }
    }

    /// What a later process should be told, as a server remarks it.
    pub fn keep(&self) -> impl Iterator<Item = News> {
        self.session.keep().into_iter().map(|(key, value)| News::Remark(format!("keep {key}={value}")))
    }

    /// What the referee told against our rules since the last call.
    pub fn warnings(&mut self) -> impl Iterator<Item = News> {
        self.session.take_remarks().into_iter().map(News::Warning)
    }

    /// Whether nothing more will be said or heard.
    pub fn is_over(&self) -> bool {
        matches!(self.awaits, Awaits::Nothing) && !self.session.has_lines()
    }
}

/// Takes a parameter out of the settings.
fn number<T: FromStr<Err: std::fmt::Display>>(
    settings: &mut BTreeMap<String, String>,
    key: &str,
) -> Result<Option<T>, Failure> {
    let Some(text) = settings.remove(key) else { return Ok(None) };
    text.parse().map(Some).map_err(|error| Failure::setup(format!("{key} cannot be {text:?}: {error}")))
}

impl Answerer for Engine {
    fn turn(&mut self, now: Instant, transcript: &Transcript, news: &mut Vec<News>) {
        match self.hear(now, transcript).and_then(|()| self.answer(Duration::ZERO)) {
            Ok(lines) if !lines.is_empty() => {
                news.extend(self.take_remarks());
                news.push(News::Print(lines));
            }
            Ok(_) => {}
            Err(failure) => news.push(News::Failed(failure)),
        }
        news.extend(self.warnings());
        news.extend(self.keep());
        if self.is_over() {
            news.push(News::Over);
        }
    }

    fn watch(&self) -> Option<Watch<'_>> {
        None
    }

    fn wake_at(&self) -> Option<Instant> {
        self.silence_at
    }

    fn in_touch(&self) -> bool {
        true
    }
}
