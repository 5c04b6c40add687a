//! What the node that runs the ladder remembers. It is lost when another node takes over, which does no harm: some bots may
//! then get a match earlier.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::admission::blocks::Blocks;
use crate::catalogue::Offer;
use crate::domain::{MatchId, Stage};
use crate::error::Error;
use crate::lobby::challenges::random;
use crate::lobby::ladder::check::KnownChecks;
use crate::lobby::ladder::pairs::{Pair, PairRules};
use crate::lobby::ladder::queue::LadderQueue;
use crate::matches::service::Matches;
use crate::store::refused_by_store;

/// How long a pair that has reached the limit per day is left alone.
const RESTED: Duration = Duration::from_secs(3600);

/// A match that was just created is missing from the lobby snapshot until the next refresh: for this long its bots count as
/// playing it.
const APPEARS_WITHIN: Duration = Duration::from_secs(5);

/// Number of matches remembered, to vary the pairs.
const MAX_REMEMBERED: u32 = 1000;

/// Matches of bots with engines at a time, for each slot of the engine pool: in some the bot thinks. More would not play more
/// moves, and each would take longer.
const MATCHES_PER_SLOT: usize = 2;

/// The state of the ladder, on the node that runs it.
pub(super) struct LadderState {
    /// The bots' turns.
    pub queue: LadderQueue,
    /// The unfinished matches of bots with engines, check matches included, and their games.
    pub with_engines: Vec<(MatchId, &'static str)>,
    /// The match between engines that is being played.
    pub of_engines: Option<MatchId>,
    /// The time at which the last match between engines began.
    pub of_engines_since: Option<Instant>,
    /// The place of its game among the offers.
    pub of_engines_game: usize,
    /// Which bots have passed their checks.
    pub checks: KnownChecks,
    /// How often two players were paired while this node ran the ladder.
    paired: HashMap<Pair, u32>,
    /// Pairs that have met too often today, with the time.
    rested: HashMap<Pair, Instant>,
    /// Bots who were just paired.
    busy: HashMap<String, Instant>,
}

impl LadderState {
    /// `matches_per_hour`: the most that a bot begins.
    pub(super) fn new(matches_per_hour: u32) -> Self {
        Self {
            queue: LadderQueue::new(matches_per_hour),
            with_engines: Vec::new(),
            of_engines: None,
            of_engines_since: None,
            of_engines_game: 0,
            checks: KnownChecks::default(),
            paired: HashMap::new(),
            rested: HashMap::new(),
            busy: HashMap::new(),
        }
    }

    /// Forgets what counts no longer.
    pub(super) fn forget_old(&mut self) {
        self.busy.retain(|_, since| since.elapsed() < APPEARS_WITHIN);
        self.rested.retain(|_, since| since.elapsed() < RESTED);
        if self.paired.values().sum::<u32>() > MAX_REMEMBERED {
            self.paired.clear();
        }
    }

    /// Forgets the matches with engines that are over.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub(super) async fn forget_finished(&mut self, matches: &Matches) -> Result<(), Error> {
        let ids: Vec<MatchId> =
            self.with_engines.iter().map(|(id, _)| id).chain(&self.of_engines).cloned().collect();
        if ids.is_empty() {
            return Ok(());
        }
        let found = matches.store().match_status(ids).await.map_err(|e| refused_by_store(&e))?;
        let unfinished = found.into_iter().filter(|status| status.stage != Stage::Over);
        let unfinished: HashSet<MatchId> = unfinished.map(|status| status.id).collect();
        self.with_engines.retain(|(id, _)| unfinished.contains(id));
        self.of_engines = self.of_engines.take().filter(|id| unfinished.contains(id));
        Ok(())
    }

    /// Whether one more match of a bot with an engine may begin: each game can have one, so that no game waits for another;
    /// there are more while all games together have fewer than [`MATCHES_PER_SLOT`].
    pub(super) fn has_room(&self, game: &str, slots: usize) -> bool {
        self.with_engines.len() < MATCHES_PER_SLOT * slots
            || self.with_engines.iter().all(|(_, of)| *of != game)
    }

    /// Whether two engines may begin a match: one at a time, and not more often than `pace`.
    pub(super) fn may_engines_begin(&self, pace: Duration) -> bool {
        self.of_engines.is_none() && self.of_engines_since.is_none_or(|since| since.elapsed() >= pace)
    }

    /// Whether the bot was just paired.
    pub(super) fn is_busy(&self, bot: &str) -> bool {
        self.busy.contains_key(bot)
    }

    /// The conditions under which players of this game are paired now.
    ///
    /// # Errors
    /// `internal`: there is no randomness.
    pub(super) fn rules<'a>(&'a self, offer: &'a Offer, blocks: &'a Blocks) -> Result<PairRules<'a>, Error> {
        let (rested, paired) = (&self.rested, &self.paired);
        Ok(PairRules { offer, blocks, rested, paired, noise: random()? })
    }

    /// Records that a match of this pair begins. `bots`: the bots in it.
    pub(super) fn begin(&mut self, game: &'static str, bots: &[&str], pair: &Pair) {
        let now = Instant::now();
        for bot in bots {
            self.busy.insert((*bot).to_owned(), now);
            self.queue.begin(bot, game, now);
        }
        *self.paired.entry(pair.clone()).or_default() += 1;
    }

    /// Records that a check match of the bot begins.
    pub(super) fn begin_check(&mut self, game: &'static str, bot: &str) {
        let now = Instant::now();
        self.busy.insert(bot.to_owned(), now);
        self.queue.begin(bot, game, now);
    }

    /// The pair has met too often today: its match did not begin, and it is left alone for a while.
    pub(super) fn rest(&mut self, pair: Pair, bots: &[&str]) {
        bots.iter().for_each(|bot| self.queue.take_back(bot));
        self.rested.insert(pair, Instant::now());
    }
}
