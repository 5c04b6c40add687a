//! Scores of seats, and their sums by deal and by pair.

use std::collections::BTreeMap;

use super::copies::originals;
use crate::arena::record::ArenaRecord;

/// The score of a seat; all seats share a match without a winner.
pub(super) fn score_of(record: &ArenaRecord, seat: usize) -> f64 {
    let Some(outcome) = &record.outcome else { return 0.0 };
    let winners = outcome.ranks.iter().filter(|r| **r == 1).count();
    match outcome.ranks[seat] {
        _ if winners == 0 => 1.0 / outcome.ranks.len() as f64,
        1 => 1.0 / winners as f64,
        _ => 0.0,
    }
}

/// The numbers of these seats that won alone, and of those that shared the win or had no winner.
pub(super) fn wins_and_draws<'r>(held: impl Iterator<Item = (&'r ArenaRecord, usize)>) -> (usize, usize) {
    let won = |r: &ArenaRecord, s: usize| r.outcome.as_ref().is_some_and(|o| o.ranks[s] == 1);
    let (mut wins, mut draws) = (0, 0);
    for (record, seat) in held {
        match score_of(record, seat) {
            x if x >= 1.0 && won(record, seat) => wins += 1,
            x if x > 0.0 => draws += 1,
            _ => {}
        }
    }
    (wins, draws)
}

/// Values of matches, one list a deal.
pub(super) fn by_deal(
    records: &[&ArenaRecord],
    value: impl Fn(&ArenaRecord) -> Option<f64>,
) -> Vec<Vec<f64>> {
    let mut deals: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for record in records {
        deals.entry(record.deal).or_default().extend(value(record));
    }
    deals.into_values().filter(|d| !d.is_empty()).collect()
}

/// Values of matches in independent groups: one list a deal, and copies of a deal in its list.
pub(super) fn independent(
    records: &[&ArenaRecord],
    value: impl Fn(&ArenaRecord) -> Option<f64>,
) -> Vec<Vec<f64>> {
    let originals = originals(records.iter().copied());
    let mut groups: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for record in records {
        groups.entry(originals[&record.deal]).or_default().extend(value(record));
    }
    groups.into_values().filter(|group| !group.is_empty()).collect()
}

/// Complete deals of two matches by the score of this player in both: 0, 1/2, 1, 3/2, 2.
pub(super) fn pairs(name: &str, counted: &[&ArenaRecord]) -> [usize; 5] {
    let share = |r: &ArenaRecord| r.seats_of(name).next().map(|s| score_of(r, s));
    let mut pairs = [0; 5];
    for deal in by_deal(counted, share).iter().filter(|d| d.len() == 2) {
        pairs[(2.0 * deal.iter().sum::<f64>()).round() as usize] += 1;
    }
    pairs
}
