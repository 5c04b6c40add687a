//! Copies: deals on which the same matches were played move for move. Players without chance repeat a match if its start repeats, so
//! copies tell nothing new.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::record::ArenaRecord;

/// A match as far as copies agree: its players in the order of the seats, and the fingerprint of its start, moves and result.
/// `None`: a record of an earlier version, which has no fingerprint.
type MatchKey<'r> = (Vec<&'r str>, Option<&'r str>);

fn key_of(record: &ArenaRecord) -> MatchKey<'_> {
    let players = record.seats.iter().map(|s| s.player.as_str()).collect();
    (players, record.match_hash.as_deref())
}

/// For each deal, the first deal of which it is a copy: itself, if there is none.
pub(super) fn originals<'r>(records: impl IntoIterator<Item = &'r ArenaRecord>) -> BTreeMap<u32, u32> {
    let mut deals: BTreeMap<u32, Vec<MatchKey<'r>>> = BTreeMap::new();
    for record in records {
        deals.entry(record.deal).or_default().push(key_of(record));
    }
    let mut first: BTreeMap<Vec<MatchKey<'r>>, u32> = BTreeMap::new();
    let original = |(deal, matches): (u32, Vec<MatchKey<'r>>)| {
        let known = matches.iter().all(|(_, hash)| hash.is_some());
        (deal, if known { *first.entry(matches).or_insert(deal) } else { deal })
    };
    deals.into_iter().map(original).collect()
}

/// The number of matches of which none is a copy of another.
pub(super) fn different_matches(records: &[&ArenaRecord]) -> usize {
    different(records, |record| record.match_hash.is_some().then(|| key_of(record)))
}

/// The number of deals with different starts.
pub(super) fn different_starts(records: &[&ArenaRecord]) -> usize {
    let one_a_deal: BTreeMap<u32, &ArenaRecord> = records.iter().map(|r| (r.deal, *r)).collect();
    let deals: Vec<&ArenaRecord> = one_a_deal.into_values().collect();
    different(&deals, |record| record.start_hash.as_deref())
}

/// The number of different keys; a record without a key differs from all others.
fn different<'r, K: Ord>(records: &[&'r ArenaRecord], key: impl Fn(&'r ArenaRecord) -> Option<K>) -> usize {
    let keys: Vec<Option<K>> = records.iter().map(|r| key(r)).collect();
    let unknown = keys.iter().filter(|key| key.is_none()).count();
    keys.into_iter().flatten().collect::<BTreeSet<K>>().len() + unknown
}

/// How much deals tell of which some are copies, as they come.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// How often each deal was played, by the fingerprints of its matches.
    times: BTreeMap<Vec<String>, u64>,
    deals: u64,
    /// The sum of the squares of these times.
    squares: u64,
}

impl Evidence {
    /// Adds a deal. `None` in `hashes`: the match has no fingerprint, so the deal is no copy.
    pub(super) fn add(&mut self, hashes: impl IntoIterator<Item = Option<String>>) {
        self.deals += 1;
        self.squares += 1;
        if let Some(hashes) = hashes.into_iter().collect::<Option<Vec<String>>>() {
            let before = self.times.entry(hashes).or_default();
            self.squares += 2 * *before;
            *before += 1;
        }
    }

    /// The share of the deals that they are worth: Kish's effective number of different deals, by the number of all. 1 without copies.
    pub(super) fn share(&self) -> f64 {
        if self.squares == 0 { 1.0 } else { self.deals as f64 / self.squares as f64 }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(game: u32, players: [&str; 2], start: Option<&str>, hash: Option<&str>) -> ArenaRecord {
        serde_json::from_value(json!({
            "game": game, "deal": game / 2, "seed": "0".repeat(64), "outcome": null, "plies": 9,
            "start_hash": start, "match_hash": hash,
            "seats": players.map(|p| json!({"player": p, "times_us": []})),
        }))
        .unwrap()
    }

    /// Deals of two matches with these fingerprints.
    fn deals(hashes: &[[Option<&str>; 2]]) -> Vec<ArenaRecord> {
        let of = |(deal, [a, b]): (u32, &[Option<&str>; 2])| {
            [record(2 * deal, ["A", "B"], None, *a), record(2 * deal + 1, ["B", "A"], None, *b)]
        };
        (0..).zip(hashes).flat_map(of).collect()
    }

    #[test]
    fn deal_is_a_copy_if_all_its_matches_are() {
        let (x, y, z) = (Some("x"), Some("y"), Some("z"));
        let records = deals(&[[x, y], [x, z], [x, y], [y, x], [x, y], [None, y], [None, y]]);
        let found: Vec<u32> = originals(&records).into_values().collect();
        assert_eq!(found, [0, 1, 0, 3, 0, 5, 6]);
        let all: Vec<&ArenaRecord> = records.iter().collect();
        // A first: x, y; B first: y, z, x; and two without a fingerprint.
        assert_eq!(different_matches(&all), 7);
        // The last deal lacks its second match.
        let cut: Vec<u32> = originals(&records[..5]).into_values().collect();
        assert_eq!(cut, [0, 1, 2]);
    }

    #[test]
    fn starts_are_counted_once_a_deal() {
        let at = |game: u32, start: Option<&str>| record(game, ["A", "B"], start, None);
        let records = [
            at(0, Some("s")),
            at(1, Some("s")),
            at(2, Some("t")),
            at(4, Some("s")),
            at(6, None),
            at(8, None),
        ];
        assert_eq!(different_starts(&records.iter().collect::<Vec<_>>()), 4);
    }

    #[test]
    fn copies_add_no_evidence() {
        let mut evidence = Evidence::default();
        assert_eq!(evidence.share(), 1.0);
        let hashes = |text: &str| text.split(' ').map(|hash| Some(hash.to_owned())).collect::<Vec<_>>();
        for text in ["a b", "a c", "d b"] {
            evidence.add(hashes(text));
        }
        evidence.add([None, None]);
        evidence.add([None, None]);
        assert_eq!(evidence.share(), 1.0, "all are different");
        let mut evidence = Evidence::default();
        (0..20).for_each(|_| evidence.add(hashes("a b")));
        assert_eq!(evidence.share(), 1.0 / 20.0, "all are one");
        // Kish: 22 * 22 / (20 * 20 + 1 + 1) deals.
        evidence.add(hashes("a c"));
        evidence.add(hashes("a d"));
        assert!((evidence.share() * 22.0 - 484.0 / 402.0).abs() < 1e-12);
    }
}
