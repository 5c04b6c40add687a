//! Answers from the engines built into the program (feature `embedded`): the same dialogue, the same decisions as a
//! server's, without any network. It must not print, and must know a game by its name alone.

use crate::answer::{Answerer, Failure, News, Watch};
use crate::options::Options;
use crate::transcript::Transcript;
use engines::any::{AnySession, Awaits, Question};
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;
use engines::search::{Limits, Patient};
use engines::timer::Timer;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::{Duration, Instant};

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
}

impl Engine {
    /// The engine for the options' game.
    pub fn new(options: &Options) -> Result<Self, Failure> {
        let game = engines::games::find(&options.game)
            .ok_or_else(|| Failure::setup(format!("this program plays no game called {:?}", options.game)))?;
        let mut settings: BTreeMap<String, String> = options.parameters.iter().cloned().collect();
        let think = number::<u64>(&mut settings, "think_ms")?.map(Duration::from_millis);
        let limits = Limits {
            nodes: number(&mut settings, "nodes")?,
            seed: number(&mut settings, "seed")?.unwrap_or_else(|| Seed::from(0)),
            level: number(&mut settings, "level")?.unwrap_or_default(),
            candidates: 0,
        };
        let name = settings.remove("engine");
        let session = game.session(&Settings(settings)).map_err(|refusal| Failure::setup(refusal.detail))?;
        Ok(Self { session, heard: 0, awaits: Awaits::Entry, silence_at: None, name, limits, think })
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
            let notation = self.decide(question, late)?;
            self.awaits =
                self.session.decide(&notation).map_err(|refusal| Failure::dialogue(refusal.detail))?;
            lines = self.session.take_lines();
        }
        Ok(lines)
    }

    fn decide(&self, question: &Question, late: Duration) -> Result<String, Failure> {
        let time = question.thinking_time(self.think);
        let left = question.longest().map(|longest| longest.saturating_sub(late));
        // A node budget without a time asked for is kept whole, as a server keeps it.
        let unhurried = self.limits.nodes.is_some() && self.think.is_none();
        let time = if unhurried { left } else { Some(left.map_or(time, |left| time.min(left))) };
        let timer = time.map(Timer::lasting);
        let limits = Limits { seed: question.seed(&self.limits.seed), ..self.limits.clone() };
        let answer = match &timer {
            Some(timer) => question.position.think(self.name.as_deref(), limits, timer),
            None => question.position.think(self.name.as_deref(), limits, &Patient),
        };
        answer.map(|answer| answer.mv.notation).map_err(|refusal| Failure::dialogue(refusal.detail))
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
            Ok(lines) if !lines.is_empty() => news.push(News::Print(lines)),
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
