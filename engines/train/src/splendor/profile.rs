//! The command `splendor-profile`: the play of a player as numbers of a match. It counts purchases, the use of
//! reservations, and the growth of points and cards, and compares values with results, round by round.

use std::collections::BTreeMap;

use engines::game::{Game, Outcome, Seat, State as _, Turn, Viewer};
use engines::games::splendor::engine::position::{FastPlayer, FastTable};
use engines::games::splendor::{Move, Options, Splendor};
use engines::rng::Seed;
use engines::search_kit::fast_rng::FastRng;

use super::compare::player;
use super::measure::{Contestant, choose};
use crate::parallel::in_order;

/// The arguments of `splendor-profile`.
#[derive(clap::Args)]
pub(crate) struct ProfileArgs {
    /// The player, described as for `splendor-measure`
    player: String,
    /// The player of the other seat, described in the same way
    opponent: String,
    /// Deals; each is played twice, with the seats exchanged
    #[arg(long, default_value_t = 50)]
    deals: u64,
    /// Threads that play at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seed of the deals
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Cards by id, as the game's table lists them.
const CARDS: &str = include_str!("../../../src/games/splendor/cards.csv");
/// Rounds at which points, cards and gold are counted.
const ROUNDS: [u8; 4] = [10, 15, 20, 25];
/// Chips of a full hand.
const FULL_HAND: u8 = 10;

/// Sums over matches of one player, by the name of the count.
#[derive(Default)]
struct ProfileTotals {
    games: f64,
    score: f64,
    counts: BTreeMap<&'static str, f64>,
    /// By round: the sums of values and of results, and their number.
    told: BTreeMap<u8, [f64; 3]>,
    /// By round of [`ROUNDS`]: points, cards and gold, and the number of matches that lasted until then.
    grown: BTreeMap<u8, [f64; 4]>,
}

impl ProfileTotals {
    fn add(&mut self, what: &'static str, n: impl Into<f64>) {
        *self.counts.entry(what).or_default() += n.into();
    }

    fn merge(&mut self, other: Self) {
        self.games += other.games;
        self.score += other.score;
        other.counts.into_iter().for_each(|(what, n)| self.add(what, n));
        for (round, sums) in other.told {
            let all = self.told.entry(round).or_default();
            all.iter_mut().zip(sums).for_each(|(all, n)| *all += n);
        }
        for (round, sums) in other.grown {
            let all = self.grown.entry(round).or_default();
            all.iter_mut().zip(sums).for_each(|(all, n)| *all += n);
        }
    }

    fn each(&self, what: &str) -> f64 {
        self.counts.get(what).copied().unwrap_or(0.0) / self.games.max(1.0)
    }
}

/// The points of each card, by id.
fn card_points() -> Result<Vec<u8>, String> {
    let mut lines = CARDS.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let at = head.iter().position(|name| *name == "points").ok_or("cards.csv has no column of points")?;
    let mut points = vec![0];
    for line in lines {
        let field = line.split(',').nth(at).and_then(|field| field.trim().parse().ok());
        points.push(field.ok_or(format!("cards.csv: {line:?} has no points"))?);
    }
    Ok(points)
}

/// The command.
pub(crate) fn run(args: &ProfileArgs) -> Result<(), String> {
    let players = [player(&args.player, 2)?, player(&args.opponent, 2)?];
    let points = card_points()?;
    let played = in_order(2 * args.deals, args.threads, |game| {
        let own = Seat((game % 2) as u8);
        let deal = FastRng::new(args.seed.wrapping_mul(7_919).wrapping_add(game / 2)).next_u64();
        Some(watch([&players[0], &players[1]], own, deal, &points))
    });
    let mut sums = [ProfileTotals::default(), ProfileTotals::default()];
    for both in played {
        sums.iter_mut().zip(both).for_each(|(all, one)| all.merge(one));
    }
    for (name, sums) in [&args.player, &args.opponent].into_iter().zip(&sums) {
        print(name, sums);
    }
    Ok(())
}

/// The counts of both players in one game; the first has the seat `own`.
fn watch(players: [&Contestant; 2], own: Seat, deal: u64, points: &[u8]) -> [ProfileTotals; 2] {
    let mut state = Splendor::deal(&Options { players: 2 }, &Seed::from(deal)).expect("two can play");
    let mut rng = FastRng::new(deal);
    let mut sums = [ProfileTotals::default(), ProfileTotals::default()];
    let mut told: Vec<(usize, u8, f64)> = Vec::new();
    let mut reserved: [Vec<u8>; 2] = Default::default();
    let mut next_count = [0; 2];
    while let Turn::Of(seat) = state.turn() {
        let player = usize::from(seat != own);
        // The mover's own view, its reserved cards included.
        let before = FastTable::of(&state.view(Viewer::Seat(seat)));
        let hand = *before.mover();
        grow(&mut sums[player], &mut next_count[player], before.round, &hand);
        let (mv, value) = choose(players[player], &state.view(Viewer::Seat(seat)), &mut rng);
        told.extend(value.map(|value| (player, before.round, value)));
        state.play(&mv);
        let after = FastTable::of(&state.view(Viewer::Seat(seat))).players[seat.index()];
        count(&mut sums[player], mv, [&hand, &after], &mut reserved[player], points);
    }
    let end = FastTable::of(&state.view(Viewer::Spectator));
    let outcome: Option<Outcome> = state.outcome();
    for (player, sums) in sums.iter_mut().enumerate() {
        let seat = if player == 0 { own } else { Seat(1 - own.0) };
        let score = outcome.as_ref().map_or(0.5, |outcome| outcome.score(seat));
        let hand = &end.players[seat.index()];
        (sums.games, sums.score) = (1.0, score);
        sums.add("rounds", end.round);
        sums.add("points at the end", hand.points);
        sums.add("left in hand at the end", hand.reserved_n);
        for (_, round, value) in told.iter().filter(|(of, ..)| *of == player) {
            let all = sums.told.entry(round / 5 * 5).or_default();
            all.iter_mut().zip([*value, score, 1.0]).for_each(|(all, n)| *all += n);
        }
    }
    sums
}

/// Counts the hand before a turn.
fn grow(sums: &mut ProfileTotals, next: &mut usize, round: u8, hand: &FastPlayer) {
    sums.add("turns", 1);
    sums.add("turns with three cards in hand", u8::from(hand.reserved_n == 3));
    let gold = hand.chips[5];
    if ROUNDS.get(*next).is_some_and(|at| round >= *at) {
        let all = sums.grown.entry(ROUNDS[*next]).or_default();
        let now = [hand.points, hand.cards, gold, 1].map(f64::from);
        all.iter_mut().zip(now).for_each(|(all, n)| *all += n);
        *next += 1;
    }
}

/// Counts an action. `hands`: before and after it; `reserved`: the cards reserved so far and not bought.
fn count(sums: &mut ProfileTotals, mv: Move, hands: [&FastPlayer; 2], reserved: &mut Vec<u8>, points: &[u8]) {
    let [before, after] = hands;
    let chips = |hand: &FastPlayer| hand.chips.iter().map(|n| f64::from(*n)).sum::<f64>();
    sums.add("turns with ten chips after them", u8::from(chips(after) >= f64::from(FULL_HAND)));
    match mv {
        Move::Buy { card } => {
            let worth = points[usize::from(card)];
            let paid = chips(before) - chips(after);
            sums.add("cards bought", 1);
            sums.add("of them worth 0 points", u8::from(worth == 0));
            sums.add("of them worth 3 points or more", u8::from(worth >= 3));
            sums.add("chips spent", paid);
            sums.add("of them on cards worth 0 points", if worth == 0 { paid } else { 0.0 });
            if let Some(at) = reserved.iter().position(|id| *id == card) {
                reserved.swap_remove(at);
                sums.add("of them bought later", 1);
                sums.add("points of those", worth);
            }
        }
        Move::Reserve { .. } | Move::ReserveTop { .. } => {
            sums.add("reservations", 1);
            sums.add("of them blind", u8::from(matches!(mv, Move::ReserveTop { .. })));
            reserved.extend(after.reserved.iter().filter(|id| **id != 0 && !before.reserved.contains(id)));
        }
        _ => {}
    }
}

/// The counts that are printed of a match, in this order.
const LINES: [&str; 15] = [
    "rounds",
    "points at the end",
    "cards bought",
    "of them worth 0 points",
    "of them worth 3 points or more",
    "chips spent",
    "of them on cards worth 0 points",
    "reservations",
    "of them blind",
    "of them bought later",
    "points of those",
    "left in hand at the end",
    "turns",
    "turns with three cards in hand",
    "turns with ten chips after them",
];

fn print(name: &str, sums: &ProfileTotals) {
    println!(
        "{name}: score {:.1}% of {} games; a game has on average",
        100.0 * sums.score / sums.games,
        sums.games
    );
    for what in LINES {
        println!("  {what}: {:.2}", sums.each(what));
    }
    for (round, [points, cards, gold, games]) in &sums.grown {
        let [points, cards, gold] = [points, cards, gold].map(|sum| sum / games);
        println!("  at round {round} ({games} games): {points:.1} points, {cards:.1} cards, {gold:.1} gold");
    }
    for (round, [value, result, n]) in &sums.told {
        println!(
            "  rounds {round} to {}: mean value {:.1}%, mean result {:.1}% ({n} moves)",
            round + 4,
            100.0 * value / n,
            100.0 * result / n
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_counted_for_both_players() {
        let points = card_points().unwrap();
        assert_eq!((points.len(), points.iter().filter(|p| **p == 5).count()), (91, 5));
        let [greedy, casual] = ["greedy", "casual"].map(|name| player(name, 2).unwrap());
        let [first, second] = watch([&greedy, &casual], Seat(1), 3, &points);
        assert!((first.score + second.score - 1.0).abs() < 1e-9);
        for sums in [&first, &second] {
            assert!(sums.each("cards bought") >= sums.each("of them worth 0 points"));
            assert!(sums.each("reservations") >= sums.each("of them bought later"));
            let kept = sums.each("reservations") - sums.each("of them bought later");
            assert_eq!(kept, sums.each("left in hand at the end"));
            assert!(sums.each("chips spent") > 0.0 && sums.each("turns") >= sums.each("cards bought"));
        }
    }
}
