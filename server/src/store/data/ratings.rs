//! Ratings as the store keeps them, in either database: the changes that a result makes, the order of the leaderboard,
//! and the check that stored ratings are the fold of the results. Pure.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};

use crate::domain::time::Millis;
use crate::domain::{EnginePlayer, MatchId};
use crate::ratings::{Rating, after_match};

/// Provisional players follow all others on the leaderboard: there they sort by their value minus this, in the units of
/// Weng and Lin, in which ratings are far smaller.
const PROVISIONAL_LAST: f64 = 1000.0;

/// A boundary on the leaderboard: provisional players are sorted by values below it, all other players by values above
/// it.
pub(in crate::store) const ESTABLISHED: f64 = -PROVISIONAL_LAST / 2.0;

/// The maximum number of better players that are counted to find a player's place on the leaderboard.
pub(in crate::store) const MAX_PLACE: i64 = 10_000;

/// How many results or rows are read at a time.
pub(in crate::store) const CHUNK: i64 = 5_000;

/// How many rows of the history one statement writes.
pub(in crate::store) const HISTORY_ROWS: usize = 500;

/// The value by which the leaderboard sorts a player with this rating; the largest comes first.
pub(in crate::store) fn listed(rating: Rating) -> f64 {
    rating.lower_bound() - if rating.is_provisional() { PROVISIONAL_LAST } else { 0.0 }
}

/// A player's rating in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::store) struct StoredRating {
    pub rating: Rating,
    /// The rated matches that count.
    pub played: i64,
    /// The time at which the last of them ended.
    pub last_ms: Millis,
}

impl StoredRating {
    /// The rating after this many new programs of a bot. A player without a match has none that could change.
    #[must_use]
    pub(in crate::store) fn widened(mut self, times: i64) -> Self {
        for _ in 0..times {
            self.rating = self.rating.with_new_program();
        }
        self
    }
}

/// A bot has got new programs after a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Widening {
    /// The bot.
    pub player: String,
    /// The game's short name.
    pub game: String,
    /// How many programs.
    pub times: i64,
}

/// All widenings of a fold, by the number of the last result before them.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Widenings(BTreeMap<i64, Vec<Widening>>);

impl Widenings {
    /// Adds one.
    pub(in crate::store) fn add(&mut self, nr: i64, widening: Widening) {
        self.0.entry(nr).or_default().push(widening);
    }

    /// Takes those that come before the result with this number out.
    pub(in crate::store) fn take_before(&mut self, nr: i64) -> Vec<Widening> {
        let later = self.0.split_off(&nr);
        std::mem::replace(&mut self.0, later).into_values().flatten().collect()
    }

    /// Takes the rest out.
    pub(in crate::store) fn take_rest(&mut self) -> Vec<Widening> {
        std::mem::take(&mut self.0).into_values().flatten().collect()
    }
}

/// A result in the order of commits.
#[derive(Clone, Debug)]
pub(in crate::store) struct NumberedResult {
    /// Its number.
    pub nr: i64,
    /// The time at which the match ended.
    pub at_ms: Millis,
    /// Each seat: the player's id and the place.
    pub seats: Vec<(String, u8)>,
    /// Of each seat the number of the hosted program that played for the bot; empty: no program played.
    pub programs: Vec<Option<u32>>,
}

impl NumberedResult {
    /// The number of the program that played in this seat.
    pub(in crate::store) fn program(&self, seat: usize) -> Option<u32> {
        self.programs.get(seat).copied().flatten()
    }
}

/// The rating of a player after one of their matches.
#[derive(Clone, Debug)]
pub(in crate::store) struct HistoryRow {
    pub player: String,
    /// The result's number.
    pub nr: i64,
    /// The number of the hosted program that played for the player.
    pub program: Option<u32>,
    /// The rating, and the number of the match among the player's.
    pub stored: StoredRating,
}

/// The ratings of a result's players after it. `before`: theirs before it, in the same order.
pub(in crate::store) fn after_result(before: &[StoredRating], result: &NumberedResult) -> Vec<StoredRating> {
    let ratings: Vec<Rating> = before.iter().map(|stored| stored.rating).collect();
    let places: Vec<u8> = result.seats.iter().map(|(_, place)| *place).collect();
    let after = after_match(&ratings, &places).into_iter().zip(before);
    after
        .map(|(rating, before)| StoredRating { rating, played: before.played + 1, last_ms: result.at_ms })
        .collect()
}

/// The change that a result makes for a player and an opponent.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct VersusChange<'a> {
    pub player: &'a str,
    pub opponent: &'a str,
    /// 1 if the player had the better place, otherwise 0.
    pub won: i64,
    /// 1 if both had the same place, otherwise 0.
    pub drawn: i64,
}

/// The changes that a result makes between its players, each pair in both directions.
pub(in crate::store) fn versus(seats: &[(String, u8)]) -> impl Iterator<Item = VersusChange<'_>> {
    seats.iter().enumerate().flat_map(move |(own, (player, place))| {
        let others = seats.iter().enumerate().filter(move |(other, _)| *other != own);
        others.map(move |(_, (opponent, theirs))| VersusChange {
            player,
            opponent,
            won: i64::from(place < theirs),
            drawn: i64::from(place == theirs),
        })
    })
}

/// The pairs of different owners, each in order. Two engines form no pair: they do not agree on results.
pub(in crate::store) fn pairs(owners: &[String]) -> Vec<(&str, &str)> {
    let mut sorted: Vec<&str> = owners.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut pairs = Vec::new();
    for (i, first) in sorted.iter().enumerate() {
        let is_pair = |second: &&&str| !(EnginePlayer::is_id(first) && EnginePlayer::is_id(second));
        pairs.extend(sorted[i + 1..].iter().filter(is_pair).map(|second| (*first, *second)));
    }
    pairs
}

/// The result of comparing the stored ratings with the fold of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RatingCheck {
    /// Results that count.
    pub results: u64,
    /// Ratings: one for each player and game.
    pub ratings: u64,
    /// The differences, in words; at most 20.
    pub differences: Vec<String>,
}

/// The most differences that a check reports.
const MAX_DIFFERENCES: usize = 20;

/// The fold of all results, to be compared with what is stored.
#[derive(Default)]
pub(in crate::store) struct Recomputed {
    check: RatingCheck,
    ratings: HashMap<(String, String), StoredRating>,
    /// Those that are not folded yet.
    pub widenings: Widenings,
    versus: HashMap<(String, String, String), [i64; 3]>,
    /// The sum of the hashes of all rows of the history: the same in any order.
    history: u64,
    stored_history: u64,
}

impl Recomputed {
    /// Folds the next result, and the widenings before it.
    pub(in crate::store) fn fold(&mut self, game: &str, result: &NumberedResult) {
        let widenings = self.widenings.take_before(result.nr);
        self.widen(widenings);
        let key = |player: &str| (player.to_owned(), game.to_owned());
        let known = |(player, _): &(String, u8)| self.ratings.get(&key(player)).copied().unwrap_or_default();
        let before: Vec<StoredRating> = result.seats.iter().map(known).collect();
        for (seat, after) in after_result(&before, result).into_iter().enumerate() {
            let (player, program) = (&result.seats[seat].0, result.program(seat));
            self.history = self.history.wrapping_add(history_hash(player, game, (result.nr, program), after));
            self.ratings.insert(key(player), after);
        }
        for VersusChange { player, opponent, won, drawn } in versus(&result.seats) {
            let key = (player.to_owned(), game.to_owned(), opponent.to_owned());
            let sums = self.versus.entry(key).or_default();
            *sums = [sums[0] + 1, sums[1] + won, sums[2] + drawn];
        }
        self.check.results += 1;
    }

    fn widen(&mut self, widenings: Vec<Widening>) {
        for Widening { player, game, times } in widenings {
            if let Some(stored) = self.ratings.get_mut(&(player, game)) {
                *stored = stored.widened(times);
            }
        }
    }

    /// Folds the widenings after the last result.
    pub(in crate::store) fn fold_rest(&mut self) {
        let rest = self.widenings.take_rest();
        self.widen(rest);
    }

    /// Compares a stored rating.
    pub(in crate::store) fn stored_rating(&mut self, player: String, game: String, stored: StoredRating) {
        self.check.ratings += 1;
        let what = format!("rating of {player} in {game}");
        match self.ratings.remove(&(player, game)) {
            Some(folded) if is_same(&folded, &stored) => {}
            folded => self.differ(format!("{what}: stored {stored:?}, recomputed {folded:?}")),
        }
    }

    /// Compares a stored row of results against an opponent: matches played, won, drawn.
    pub(in crate::store) fn stored_versus(
        &mut self,
        player: String,
        game: String,
        opponent: String,
        stored: [i64; 3],
    ) {
        let what = format!("results of {player} against {opponent} in {game}");
        match self.versus.remove(&(player, game, opponent)) {
            Some(folded) if folded == stored => {}
            folded => self.differ(format!("{what}: stored {stored:?}, recomputed {folded:?}")),
        }
    }

    /// Takes a stored row of the history.
    pub(in crate::store) fn stored_history(
        &mut self,
        player: &str,
        game: &str,
        (nr, program): (i64, Option<u32>),
        stored: StoredRating,
    ) {
        let hash = history_hash(player, game, (nr, program), stored);
        self.stored_history = self.stored_history.wrapping_add(hash);
    }

    /// The outcome, after everything stored was compared.
    pub(in crate::store) fn finish(mut self) -> RatingCheck {
        for (player, game) in std::mem::take(&mut self.ratings).into_keys() {
            self.differ(format!("rating of {player} in {game}: it is not stored"));
        }
        for (player, game, opponent) in std::mem::take(&mut self.versus).into_keys() {
            self.differ(format!("results of {player} against {opponent} in {game}: they are not stored"));
        }
        if self.history != self.stored_history {
            self.differ("the stored history of ratings is not the recomputed one".to_owned());
        }
        self.check
    }

    fn differ(&mut self, what: String) {
        if self.check.differences.len() < MAX_DIFFERENCES {
            self.check.differences.push(what);
        }
    }
}

/// Bit for bit.
fn is_same(a: &StoredRating, b: &StoredRating) -> bool {
    let bits = |s: &StoredRating| (s.rating.mu.to_bits(), s.rating.sigma.to_bits(), s.played, s.last_ms);
    bits(a) == bits(b)
}

/// `result`: its number, and the program that played for the player.
fn history_hash(player: &str, game: &str, result: (i64, Option<u32>), stored: StoredRating) -> u64 {
    let mut hasher = DefaultHasher::new();
    let StoredRating { rating, played, last_ms } = stored;
    (player, game, result, rating.mu.to_bits(), rating.sigma.to_bits(), played, last_ms).hash(&mut hasher);
    hasher.finish()
}

/// Ratings of a game after the annulment of a result: only what can differ is computed again.
pub(in crate::store) struct RatingsAfterAnnulment {
    /// The players whose ratings differ: before the annulled result, and now.
    pub ratings: HashMap<String, (StoredRating, StoredRating)>,
    /// Their history from there on.
    pub history: Vec<HistoryRow>,
    /// The later widenings of the game that are not folded yet.
    widenings: Widenings,
}

impl RatingsAfterAnnulment {
    /// `before`: the players of the annulled result, with their ratings before it. `widenings`: those of the game after it.
    pub(in crate::store) fn new(
        before: impl Iterator<Item = (String, StoredRating)>,
        widenings: Widenings,
    ) -> Self {
        let ratings = before.map(|(player, stored)| (player, (stored, stored))).collect();
        Self { ratings, history: Vec::new(), widenings }
    }

    /// Folds the widenings before the result with this number.
    pub(in crate::store) fn widen_before(&mut self, nr: i64) {
        let widenings = self.widenings.take_before(nr);
        self.widen(widenings);
    }

    /// Folds the widenings after the last result.
    pub(in crate::store) fn widen_rest(&mut self) {
        let rest = self.widenings.take_rest();
        self.widen(rest);
    }

    fn widen(&mut self, widenings: Vec<Widening>) {
        for Widening { player, times, .. } in widenings {
            if let Some((_, now)) = self.ratings.get_mut(&player) {
                *now = now.widened(times);
            }
        }
    }

    /// Whether a later result has a player whose rating differs.
    pub(in crate::store) fn concerns(&self, result: &NumberedResult) -> bool {
        result.seats.iter().any(|(player, _)| self.ratings.contains_key(player))
    }

    /// Folds a later result. `before`: the rating of a player whose rating did not differ until now.
    pub(in crate::store) fn fold(
        &mut self,
        result: &NumberedResult,
        mut before: HashMap<String, StoredRating>,
    ) {
        let all: Vec<StoredRating> = result
            .seats
            .iter()
            .map(|(player, _)| match self.ratings.get(player) {
                Some((_, now)) => *now,
                None => before.remove(player).unwrap_or_default(),
            })
            .collect();
        let after = after_result(&all, result);
        for (seat, (before, after)) in all.into_iter().zip(after).enumerate() {
            let (player, program) = (result.seats[seat].0.clone(), result.program(seat));
            self.ratings.entry(player.clone()).or_insert((before, before)).1 = after;
            self.history.push(HistoryRow { player, nr: result.nr, program, stored: after });
        }
    }
}

/// A result that a transaction writes.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct ResultToWrite<'a> {
    pub id: &'a MatchId,
    pub at_ms: Millis,
    pub result: &'a super::super::RatedResult,
}
