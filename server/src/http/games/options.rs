//! How a decision is asked for: time, nodes, level, seed, engine; and what becomes of it for the pool. Pure: the
//! time comes in from outside.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::erased::{AnySession, DecisionRequest, Position};
use engines::game::Info;
use engines::protocol::Settings;
use engines::rng::Seed;
use engines::search::{Level, Limits};

use crate::catalogue::Offer;
use crate::domain::ClientId;
use crate::engine_pool::{EngineRef, Source, TOLERANCE, Task};
use crate::error::{Code, Error};
use crate::http::HttpOptions;
use crate::http::request::seed::SeedText;

/// No deadline is later than this; who names a later one will have given up.
const LATEST: Duration = Duration::from_secs(3600);

/// The wish of a caller.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// How long to think.
    pub think: Option<Duration>,
    /// When the answer must be there, counted from the question.
    pub deadline: Option<Duration>,
    /// Stop after so many nodes.
    pub nodes: Option<u64>,
    /// How well to play.
    pub level: Level,
    /// Where randomness comes from.
    pub seed: Option<Seed>,
    /// How many ranked moves are wanted.
    pub candidates: usize,
    /// Who decides.
    pub engine: EngineRef,
    /// Who asks.
    client: ClientId,
    max_think: Duration,
}

/// What a query of a dialogue says: the wish, the silence that has passed, and the game's own settings.
pub struct DialogueOptions {
    /// How to decide.
    pub ask: SearchOptions,
    /// How long nothing has come since the last line.
    pub silence: Duration,
    /// Whether the caller wants remarks on each decision, which `candidates` in the query asks for.
    pub remarks: bool,
    /// The rest, for the game.
    pub settings: Settings,
}

impl SearchOptions {
    /// A wish without any limits of its own yet.
    pub fn new(engine: EngineRef, client: ClientId, limits: &HttpOptions) -> Self {
        Self {
            think: None,
            deadline: None,
            nodes: None,
            level: Level::Max,
            seed: None,
            candidates: 1,
            engine,
            client,
            max_think: limits.max_think(),
        }
    }

    /// Sets the thinking time.
    ///
    /// # Errors
    /// `think_too_long`, with the limit.
    pub fn thinking(&mut self, ms: u64) -> Result<(), Error> {
        let think = Duration::from_millis(ms);
        if think > self.max_think {
            let limit = self.max_think.as_millis();
            let detail = format!("think_ms: {ms} is more than {limit}, which is the limit here");
            return Err(Error::new(Code::ThinkTooLong, detail));
        }
        self.think = Some(think);
        Ok(())
    }

    /// Sets the deadline.
    pub fn within(&mut self, ms: u64) {
        self.deadline = Some(Duration::from_millis(ms).min(LATEST));
    }

    /// The thinking time when none was asked for.
    fn usual(&self, info: &Info) -> Duration {
        if self.nodes.is_some() { self.max_think } else { info.think.min(self.max_think) }
    }

    /// How long the answer may take when no deadline was asked for. Who names no time at all has some patience.
    fn patience(&self, think: Duration) -> Duration {
        let named = self.think.is_some() || self.nodes.is_some();
        if named { think + TOLERANCE } else { think * 4 + TOLERANCE }
    }

    /// The task to decide in this position, asked for at `arrived`; `seed` is what was asked for or a fresh one.
    pub fn task(&self, info: &Info, position: Arc<dyn Position>, arrived: Instant, seed: Seed) -> Task {
        let think = self.think.unwrap_or_else(|| self.usual(info));
        let deadline = arrived + self.deadline.unwrap_or_else(|| self.patience(think));
        self.build(position, think, deadline, seed)
    }

    /// The task to decide what a dialogue asks, within the official limits. `asked`: when the question arose;
    /// `live`: whether somebody waits for the line and no longer than the referee does.
    pub fn dialogue_task(&self, question: DecisionRequest, asked: Instant, live: bool) -> Task {
        let wanted = self.think.or(self.nodes.map(|_| self.max_think));
        let think = question.thinking_time(wanted).min(self.max_think);
        let official = question.longest();
        let patience = if live { official.unwrap_or(self.max_think * 2) } else { self.patience(think) };
        let patience = self.deadline.unwrap_or(patience).min(official.unwrap_or(LATEST)).min(LATEST);
        let seed = self.seed.map_or_else(|| SeedText::fresh().0, |seed| question.seed(&seed));
        self.build(question.position.into(), think, asked + patience, seed)
    }

    fn build(&self, position: Arc<dyn Position>, think: Duration, deadline: Instant, seed: Seed) -> Task {
        let limits = Limits { nodes: self.nodes, seed, level: self.level, candidates: self.candidates };
        let source = Source::Request(self.client.clone());
        Task { position, source, engine: self.engine, limits, think, deadline, updates: None }
    }
}

impl DialogueOptions {
    /// What these parameters say about a dialogue of this game.
    ///
    /// # Errors
    /// `bad_query`, `think_too_long`, `unknown_engine`.
    pub fn parse(
        query: Vec<(String, String)>,
        offer: &Offer,
        client: ClientId,
        limits: &HttpOptions,
    ) -> Result<Self, Error> {
        let mut ask = SearchOptions::new(offer.engine(None)?, client, limits);
        let mut silence = Duration::ZERO;
        let mut remarks = false;
        let mut settings = Settings::default();
        for (name, value) in query {
            match name.as_str() {
                "think_ms" => ask.thinking(number(&name, &value)?)?,
                "deadline_ms" => ask.within(number(&name, &value)?),
                "nodes" => ask.nodes = Some(number(&name, &value)?),
                "level" => ask.level = value.parse().map_err(|e: String| bad(&name, &e))?,
                "seed" => {
                    let seed =
                        value.parse().map_err(|e: engines::rng::BadSeed| bad(&name, &e.to_string()))?;
                    ask.seed = Some(seed);
                }
                "engine" => ask.engine = offer.engine(Some(&value))?,
                "candidates" => {
                    let wrong = |_| bad(&name, &format!("{value:?} is not a whole number from 0 to 65535"));
                    ask.candidates = value.parse::<u16>().map_err(wrong)?.into();
                    remarks = true;
                }
                "silence_ms" => silence = Duration::from_millis(number(&name, &value)?),
                _ => {
                    settings.0.insert(name, value);
                }
            }
        }
        Ok(Self { ask, silence, remarks, settings })
    }
}

/// A dialogue of this game with these settings.
///
/// # Errors
/// `bad_query`: settings stand in the query.
pub fn session(offer: &Offer, settings: &Settings) -> Result<Box<dyn AnySession>, Error> {
    offer.game.session(settings).map_err(|refusal| Error::new(Code::BadQuery, refusal.detail))
}

fn number(name: &str, value: &str) -> Result<u64, Error> {
    value.parse().map_err(|_| bad(name, &format!("{value:?} is no whole number from 0 on")))
}

fn bad(name: &str, what: &str) -> Error {
    Error::new(Code::BadQuery, format!("{name}: {what}"))
}
