//! Who meets whom on the ladder: players who accept each other, and of these the match whose result tells most. Pure.

use std::collections::HashMap;
use std::time::Instant;

use crate::admission::blocks::Blocks;
use crate::catalogue::Offer;
use crate::domain::PlayerKind;
use crate::lobby::policy::{Policy, PolicyFrom};
use crate::lobby::seating::{SeatCandidate, Terms, challenger_seat};
use crate::matches::clock::ClockSpec;
use crate::ratings::Rating;
use crate::store::data::lobby::LobbyPlayer;

/// The clock of its matches, if the bots have no other wish: the time for all moves, and what each move adds, in
/// milliseconds.
const CLOCK_MS: (u64, u64) = (180_000, 2_000);

/// A player whom the ladder can pair.
#[derive(Clone, Debug)]
pub(in crate::lobby) struct LadderEntrant {
    pub player: LobbyPlayer,
    /// The rating in the game.
    pub rating: Rating,
    /// The policy of a bot; `None`: an engine.
    pub policy: Option<Policy>,
}

impl LadderEntrant {
    /// The player, as far as the choice of seats goes.
    pub(super) fn seat_candidate(&self) -> SeatCandidate {
        let mirror = self.policy.as_ref().is_some_and(Policy::knows_mirror);
        SeatCandidate { kind: self.player.kind, mirror }
    }
}

/// The ids of two players, the smaller first.
pub(super) type Pair = (String, String);

pub(super) fn pair_of(a: &LobbyPlayer, b: &LobbyPlayer) -> Pair {
    let (a, b) = (a.who.id.clone(), b.who.id.clone());
    if a < b { (a, b) } else { (b, a) }
}

/// The conditions under which players of a game are paired.
pub(super) struct PairRules<'a> {
    /// The game.
    pub offer: &'a Offer,
    /// Who wants nothing to do with whom.
    pub blocks: &'a Blocks,
    /// Pairs that have met too often today, with the time.
    pub rested: &'a HashMap<Pair, Instant>,
    /// How often two players were paired.
    pub paired: &'a HashMap<Pair, u32>,
    /// Random bytes: the choice between equal pairs is random.
    pub noise: [u8; 32],
}

impl PairRules<'_> {
    /// The opponent whose match with this player tells most about their strength; its place among `others`.
    pub(super) fn best_opponent(&self, player: &LadderEntrant, others: &[&LadderEntrant]) -> Option<usize> {
        let values = others
            .iter()
            .enumerate()
            .filter_map(|(place, other)| Some((self.value(player, other, place)?, place)));
        values.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, place)| place)
    }

    /// The two players whose match tells most about their strength.
    pub(super) fn best_pair(&self, players: &[LadderEntrant]) -> Option<(usize, usize)> {
        let pairs = (0..players.len()).flat_map(|a| (a + 1..players.len()).map(move |b| (a, b)));
        let values =
            pairs.filter_map(|(a, b)| Some((self.value(&players[a], &players[b], a * 7 + b)?, (a, b))));
        values.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, pair)| pair)
    }

    /// How much a match of the two would tell; `None`: they cannot meet. `place` chooses the random byte.
    fn value(&self, one: &LadderEntrant, other: &LadderEntrant, place: usize) -> Option<f64> {
        let pair = pair_of(&one.player, &other.player);
        let may_meet = may_meet(one, other, self.offer)
            && self.blocks.allow(&one.player.who, &other.player.who)
            && !self.rested.contains_key(&pair);
        let times = self.paired.get(&pair).copied().unwrap_or(0);
        let lot = 1.0 + f64::from(self.noise[place % self.noise.len()]) / 1024.0;
        may_meet.then(|| information(one.rating, other.rating) * lot / f64::from(1 + times))
    }
}

/// How much the result of a match tells about the strength of two players: the more open the result and the more uncertain
/// their ratings, the more.
pub(in crate::lobby) fn information(a: Rating, b: Rating) -> f64 {
    let expected = 1.0 / (1.0 + 10_f64.powf((b.points() - a.points()) / 400.0));
    expected * (1.0 - expected) * (a.sigma.powi(2) + b.sigma.powi(2))
}

/// Whether two players can play a rated match on the ladder: they belong to different people, the game has seats for both,
/// and each accepts the other.
pub(in crate::lobby) fn may_meet(a: &LadderEntrant, b: &LadderEntrant, offer: &Offer) -> bool {
    let Some(clock) = clock_for([a, b]) else { return false };
    let terms = Terms { game: offer.info.slug.to_owned(), clock: Some(clock), rated: true, seat: 0 };
    let accepts = |own: &LadderEntrant, other: &LadderEntrant| {
        own.policy.as_ref().is_none_or(|policy| {
            // For a bot that plays only bots, an engine counts as a bot.
            match other.player.kind == PlayerKind::Engine && policy.from == PolicyFrom::Bots {
                true => policy.accepts_terms(&terms).is_ok(),
                false => policy.accepts(&own.player, &terms, &other.player).is_ok(),
            }
        })
    };
    a.player.who.owner_id() != b.player.who.owner_id()
        && challenger_seat(offer, a.seat_candidate(), b.seat_candidate(), None, true).is_ok()
        && accepts(a, b)
        && accepts(b, a)
}

/// The clock that all of these accept; `None`: there is none.
pub(in crate::lobby) fn clock_for<'a>(
    entrants: impl IntoIterator<Item = &'a LadderEntrant>,
) -> Option<ClockSpec> {
    let ranges = entrants.into_iter().filter_map(|entrant| entrant.policy.as_ref()?.clock_ms);
    let [least, most] = ranges.fold([1_000, u64::MAX], |all, own| [all[0].max(own[0]), all[1].min(own[1])]);
    let clock = ClockSpec {
        initial_ms: Some(CLOCK_MS.0.clamp(least, most.max(least))),
        increment_ms: CLOCK_MS.1,
        move_ms: None,
    };
    (least <= most && clock.check().is_ok()).then_some(clock)
}
