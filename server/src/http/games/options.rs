//! The options of a decision (time, nodes, level, seed, engine) and the task for the engine pool that follows from
//! them. Pure: the caller passes in the time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::erased::{AnySession, DecisionRequest, Position, decision_seed};
use engines::game::Info;
use engines::protocol::Settings;
use engines::rng::Seed;
use engines::search::{Level, Limits};

use crate::catalogue::Offer;
use crate::domain::ClientId;
use crate::engine_pool::{EngineRef, Source, TOLERANCE, Task};
use crate::error::{Code, Error};
use crate::limits::RequestLimits;
use crate::request::seed::SeedText;

/// The latest deadline. A caller who names a later one will have given up by then.
const LATEST: Duration = Duration::from_secs(3600);

/// The caller's options for a decision.
#[derive(Clone, Debug)]
pub(crate) struct SearchOptions {
    /// How long to think.
    pub think: Option<Duration>,
    /// The deadline of the answer, counted from the time of the question.
    pub deadline: Option<Duration>,
    /// Stop after this number of nodes.
    pub nodes: Option<u64>,
    /// The level of play.
    pub level: Level,
    /// The source of all randomness.
    pub seed: Option<Seed>,
    /// The number of ranked moves to return.
    pub candidates: usize,
    /// The engine that decides.
    pub engine: EngineRef,
    /// The client that the search is counted for.
    client: ClientId,
    max_think: Duration,
}

/// The query parameters of a dialogue.
pub(crate) struct DialogueOptions {
    /// The options of the engine's decisions.
    pub search: SearchOptions,
    /// How much time has passed since the last line.
    pub silence: Duration,
    /// Whether the caller wants remarks on each decision: the query contains `candidates`.
    pub remarks: bool,
    /// All other parameters: the game's own settings.
    pub settings: Settings,
}

impl SearchOptions {
    /// The default options.
    pub(crate) fn new(engine: EngineRef, client: ClientId, limits: &RequestLimits) -> Self {
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
    pub(crate) fn set_think(&mut self, ms: u64) -> Result<(), Error> {
        let think = Duration::from_millis(ms);
        if think > self.max_think {
            let limit = self.max_think.as_millis();
            let detail = format!("think_ms: {ms} is more than {limit}, which is the limit here");
            return Err(Error::new(Code::ThinkTooLong, detail));
        }
        self.think = Some(think);
        Ok(())
    }

    pub(crate) fn set_deadline(&mut self, ms: u64) {
        self.deadline = Some(Duration::from_millis(ms).min(LATEST));
    }

    /// The thinking time when the caller named none.
    fn default_think(&self, info: &Info) -> Duration {
        if self.nodes.is_some() { self.max_think } else { info.think.min(self.max_think) }
    }

    /// How long the answer may take when the caller named no deadline. A caller who named no time either can wait longer.
    fn default_deadline(&self, think: Duration) -> Duration {
        let named = self.think.is_some() || self.nodes.is_some();
        if named { think + TOLERANCE } else { think * 4 + TOLERANCE }
    }

    /// The task to decide in this position. `arrived`: the time at which the request arrived; `seed`: the caller's or a
    /// fresh one.
    pub(crate) fn task(
        &self,
        info: &Info,
        position: Arc<dyn Position>,
        arrived: Instant,
        seed: Seed,
    ) -> Task {
        let think = self.think.unwrap_or_else(|| self.default_think(info));
        let deadline = arrived + self.deadline.unwrap_or_else(|| self.default_deadline(think));
        self.build(position, think, deadline, seed)
    }

    /// The thinking time in a dialogue, if the caller named a time or a number of nodes.
    pub(crate) fn wanted_think(&self) -> Option<Duration> {
        self.think.or(self.nodes.map(|_| self.max_think))
    }

    /// The task to answer a question of a dialogue, within the official limits. `asked`: the time of the question; `live`:
    /// whether the line is needed while the referee's clock runs.
    pub(crate) fn dialogue_task(&self, question: DecisionRequest, asked: Instant, live: bool) -> Task {
        let think = question.thinking_time(self.wanted_think()).min(self.max_think);
        let official = question.longest();
        let longest =
            if live { official.unwrap_or(self.max_think * 2) } else { self.default_deadline(think) };
        let longest = self.deadline.unwrap_or(longest).min(official.unwrap_or(LATEST)).min(LATEST);
        let seed = self.seed.unwrap_or_else(|| SeedText::fresh().0);
        self.build(question.position.into(), think, asked + longest, seed)
    }

    /// `given`: the caller's seed, or a fresh one.
    fn build(&self, position: Arc<dyn Position>, think: Duration, deadline: Instant, given: Seed) -> Task {
        let seed = decision_seed(&*position, &given);
        let limits = Limits { nodes: self.nodes, seed, level: self.level, candidates: self.candidates };
        let source = Source::Request(self.client.clone());
        Task { position, source, engine: self.engine, limits, think, deadline, updates: None }
    }
}

impl DialogueOptions {
    /// Reads the query of a dialogue of this game.
    ///
    /// # Errors
    /// `bad_query`, `think_too_long`, `unknown_engine`.
    pub(crate) fn parse(
        query: Vec<(String, String)>,
        offer: &Offer,
        client: ClientId,
        limits: &RequestLimits,
    ) -> Result<Self, Error> {
        let mut search = SearchOptions::new(offer.engine(None)?, client, limits);
        let mut silence = Duration::ZERO;
        let mut remarks = false;
        let mut settings = Settings::default();
        for (name, value) in query {
            match name.as_str() {
                "think_ms" => search.set_think(number(&name, &value)?)?,
                "deadline_ms" => search.set_deadline(number(&name, &value)?),
                "nodes" => search.nodes = Some(number(&name, &value)?),
                "level" => search.level = value.parse().map_err(|e: String| bad(&name, &e))?,
                "seed" => {
                    let seed =
                        value.parse().map_err(|e: engines::rng::BadSeed| bad(&name, &e.to_string()))?;
                    search.seed = Some(seed);
                }
                "engine" => search.engine = offer.engine(Some(&value))?,
                "candidates" => {
                    let wrong = |_| bad(&name, &format!("{value:?} is not a whole number from 0 to 65535"));
                    search.candidates = value.parse::<u16>().map_err(wrong)?.into();
                    remarks = true;
                }
                "silence_ms" => silence = Duration::from_millis(number(&name, &value)?),
                _ => {
                    settings.0.insert(name, value);
                }
            }
        }
        Ok(Self { search, silence, remarks, settings })
    }
}

/// A session of this game with these settings.
///
/// # Errors
/// `bad_query`, since the settings come from the query.
pub(crate) fn session(offer: &Offer, settings: &Settings) -> Result<Box<dyn AnySession>, Error> {
    offer.game.session(settings).map_err(|refusal| Error::new(Code::BadQuery, refusal.detail))
}

fn number(name: &str, value: &str) -> Result<u64, Error> {
    value.parse().map_err(|_| bad(name, &format!("{value:?} is not a non-negative integer")))
}

fn bad(name: &str, what: &str) -> Error {
    Error::new(Code::BadQuery, format!("{name}: {what}"))
}
