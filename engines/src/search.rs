//! The input and the output of an engine. The host owns the time: a search asks the host whether it may go on, and counts
//! nodes; it never reads a clock, prints, or reads input.

use std::any::Any;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cores::Cores;
use crate::game::Game;
use crate::rng::{Rng, Seed};

/// How well an engine plays. People must be able to win at `easy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For people who are learning the game.
    Easy,
    /// For people who play it now and then.
    Medium,
    /// For people who play it well.
    Hard,
    /// As well as the engine can.
    #[default]
    Max,
}

impl Level {
    /// All levels, weakest first.
    pub const ALL: [Self; 4] = [Self::Easy, Self::Medium, Self::Hard, Self::Max];

    /// The level's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
            Self::Max => "max",
        }
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|l| l.name() == s)
            .ok_or_else(|| format!("no level is called '{s}': easy, medium, hard or max"))
    }
}

/// The bounds of one search. Time is not among them: the host owns it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Stop after this many nodes (each engine defines its node). `None`: only the host stops the search.
    pub nodes: Option<u64>,
    /// Source of all randomness of the search.
    pub seed: Seed,
    /// How well to play.
    pub level: Level,
    /// Maximum number of ranked candidates.
    pub candidates: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { nodes: None, seed: Seed::default(), level: Level::Max, candidates: 1 }
    }
}

/// The host of a search. The search asks it at intervals whether to go on; the answer may be no at any time.
pub trait Host {
    /// Whether the search may go on. After the first no, the answer is always no.
    fn go_on(&self) -> bool;
    /// Time left before `go_on` becomes false, if the host knows it. Only for pacing, such as whether another iteration is
    /// worth starting: a decision under a node budget must not depend on it.
    fn remaining(&self) -> Option<Duration> {
        None
    }
    /// Whether the host wants an intermediate result now. Called as often as [`Self::go_on`].
    fn is_curious(&self) -> bool {
        false
    }
    /// Receives an intermediate result: a [`Decision`] of the game, after this many nodes.
    fn found(&self, decision: &dyn Any, nodes: u64) {
        let _ = (decision, nodes);
    }
    /// A remark of the engine, for people who watch it.
    fn note(&self, remark: &str) {
        let _ = remark;
    }
    /// The lender of additional cores, if there is one.
    fn cores(&self) -> Option<&dyn Cores> {
        None
    }
}

/// Shorter searches use one core.
const WORTH_HELP: Duration = Duration::from_millis(20);

/// A host that always lets the search go on, for searches limited only by nodes.
pub struct Patient;

impl Host for Patient {
    fn go_on(&self) -> bool {
        true
    }
}

/// One running search: its limits, node count, random numbers and host.
pub struct Search<'h> {
    limits: Limits,
    host: &'h dyn Host,
    nodes: u64,
    ask_every: u64,
    next_ask: u64,
    stopped: bool,
    asked: bool,
    /// The time that the host gave at the start, if it knew.
    whole: Option<Duration>,
    rng: Rng,
}

impl<'h> Search<'h> {
    /// A search under these limits for this host.
    pub fn new(limits: Limits, host: &'h dyn Host) -> Self {
        let rng = Rng::new(&limits.seed);
        let whole = host.remaining();
        Self { limits, host, nodes: 0, ask_every: 64, next_ask: 0, stopped: false, asked: false, whole, rng }
    }

    /// Sets the number of nodes between two questions to the host. The default, 64, suits nodes of some microseconds; that
    /// number of nodes should take well under a millisecond.
    pub fn ask_every(&mut self, nodes: u64) {
        self.ask_every = nodes.max(1);
        self.next_ask = self.next_ask.min(self.nodes + self.ask_every);
    }

    /// Counts one node. `false`: the node budget is used up or the host stops the search; return at once.
    #[inline]
    pub fn tick(&mut self) -> bool {
        if self.stopped || self.limits.nodes.is_some_and(|n| self.nodes >= n) {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        if self.nodes >= self.next_ask {
            self.next_ask = self.nodes + self.ask_every;
            self.stopped = !self.host.go_on();
            self.asked |= self.host.is_curious();
        }
        !self.stopped
    }

    /// Whether the host wants an intermediate result; an engine that has one reports it by [`Self::tell`].
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.asked
    }

    /// Reports an intermediate result. It must not change the search: a watched search decides as an unwatched one does.
    pub fn tell<G: Game>(&mut self, decision: &Decision<G>) {
        self.asked = false;
        self.host.found(decision, self.nodes);
    }

    /// Whether the search must end now. Asks the host at once and counts no node.
    pub fn done(&mut self) -> bool {
        self.stopped =
            self.stopped || self.limits.nodes.is_some_and(|n| self.nodes >= n) || !self.host.go_on();
        self.stopped
    }

    /// Nodes counted so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The limits this search runs under.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Lowers the node budget, so that a level plays weaker than its time would allow.
    pub fn cap_nodes(&mut self, nodes: u64) {
        self.limits.nodes = Some(self.limits.nodes.map_or(nodes, |n| n.min(nodes)));
    }

    /// Time left, if the host knows it and there is no node budget.
    pub fn remaining(&self) -> Option<Duration> {
        if self.limits.nodes.is_some() { None } else { self.host.remaining() }
    }

    /// The used share of the budget, 0 to 1: of the nodes, else of the time if the host knows it. `None`: the end of the
    /// search is unknown.
    pub fn used(&self) -> Option<f64> {
        if let Some(nodes) = self.limits.nodes {
            return Some(self.nodes.min(nodes) as f64 / nodes.max(1) as f64);
        }
        let (whole, left) = (self.whole?, self.remaining()?);
        Some(1.0 - left.as_secs_f64() / whole.as_secs_f64().max(1e-9)).map(|used| used.clamp(0.0, 1.0))
    }

    /// The lender of cores ([`crate::cores::together`]). `None` under a node budget, since the result must not depend on how
    /// many cores happen to be free, and for a search that would end before a thread has started.
    pub fn cores(&self) -> Option<&'h dyn Cores> {
        if self.remaining()? < WORTH_HELP { None } else { self.host.cores() }
    }

    /// Counts nodes that helpers have searched.
    pub fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// The search's randomness.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// A remark for people who watch the search.
    pub fn note(&self, remark: &str) {
        self.host.note(remark);
    }
}

/// A move the engine considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<M> {
    /// The move.
    pub mv: M,
    /// Expected score of the viewer's seat after it, 0 to 1.
    pub value: f64,
    /// How often the search tried it (its own measure; 0 if it does not count).
    pub visits: u64,
}

/// The decision of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<G: Game> {
    /// The move to play.
    pub mv: G::Move,
    /// Expected score of the seat to move, 0 to 1: a win is 1, a draw 1/2.
    pub value: f64,
    /// The moves considered, best first; the one to play is first unless the level plays weaker on purpose.
    pub candidates: Vec<Candidate<G::Move>>,
    /// The principal variation: the moves that the engine expects from here on, `mv` first. Empty if an engine has no
    /// expectation.
    pub line: Vec<G::Move>,
    /// Plies looked ahead, in the engine's own measure.
    pub depth: u32,
}

impl<G: Game> Decision<G> {
    /// A decision by a rule, without a search or an estimate of its value.
    pub fn by_rule(mv: G::Move) -> Self {
        let candidates = vec![Candidate { mv: mv.clone(), value: 0.5, visits: 1 }];
        Self { mv, value: 0.5, candidates, line: Vec::new(), depth: 0 }
    }
}

/// An engine of a game. It sees a view, never the state.
pub trait Engine<G: Game>: Send {
    /// Chooses a move for the seat to move, which is the view's viewer and has at least one legal move. Returns soon after
    /// the search must stop, always with a legal move.
    fn choose(&mut self, view: &G::View, search: &mut Search<'_>) -> Decision<G>;
}

/// An engine as the registry lists it.
pub struct EngineSpec<G: Game> {
    /// One word, e.g. `azul`. The first engine of a game has the game's name.
    pub name: &'static str,
    /// Changes whenever the moves it chooses may.
    pub version: u32,
    /// Whether it always answers within some microseconds (a table look-up), whatever time it is given.
    pub instant: bool,
    /// One sentence on how it plays.
    pub summary: &'static str,
    /// A new instance.
    pub make: fn() -> Box<dyn Engine<G>>,
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A host that gives ten seconds, of which this many have passed.
    struct Clock(Cell<u64>);

    impl Host for Clock {
        fn go_on(&self) -> bool {
            true
        }

        fn remaining(&self) -> Option<Duration> {
            Some(Duration::from_secs(10 - self.0.get()))
        }
    }

    #[test]
    fn search_knows_the_used_share_of_its_budget() {
        let clock = Clock(Cell::new(2));
        let mut timed = Search::new(Limits::default(), &clock);
        assert_eq!(timed.used(), Some(0.0));
        clock.0.set(8);
        assert_eq!(timed.used(), Some(0.75));
        // A node budget takes precedence over the time.
        timed.cap_nodes(4);
        timed.tick();
        assert_eq!(timed.used(), Some(0.25));
        timed.count(9);
        assert_eq!(timed.used(), Some(1.0));
        assert_eq!(Search::new(Limits::default(), &Patient).used(), None);
    }
}
