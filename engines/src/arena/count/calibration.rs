//! Compares the values of engines with the results: decisions with the value 0.7 should bring about 70% of the score. Pure;
//! only counts records.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use serde::Serialize;

use super::copies::originals;
use super::score::score_of;
use super::stats::{Estimate, clustered, percent};
use crate::arena::record::{ArenaRecord, VALUE_ONE};
use crate::grid::{Grid, row};

/// Rows of the table.
const BINS: u16 = 10;

/// A player's values of its decisions, compared with the results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// All its decisions.
    pub all: Bin,
    /// Mean squared difference of value and result: 0 is perfect.
    pub brier: f64,
    /// The same for a player that always gives the mean result.
    pub brier_of_mean: f64,
    /// The decisions by their value, in ten steps of 0.1; steps without any are left out.
    pub bins: Vec<Bin>,
}

/// Decisions whose values lie in one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// The least value of the step.
    pub from: f64,
    /// The least value above it; 1 belongs to the last step.
    pub to: f64,
    /// How many decisions these are.
    pub decisions: usize,
    /// Matches in which they were made.
    pub games: usize,
    /// Mean of the values.
    pub told: f64,
    /// Mean result of the matches, with the 95% interval over deals: decisions of one deal are not independent.
    pub came: Estimate,
}

/// The values of one seat in one match, and its result.
struct SeatValues<'r> {
    record: &'r ArenaRecord,
    /// The match's deal, or the one of which it is a copy.
    deal: u32,
    values: &'r [u16],
    came: f64,
}

impl Calibration {
    /// The calibration of the player of this name; `None` when it gave no value. Only matches played to their end count: if
    /// a mistake ended a match, the result says nothing about the position.
    pub fn of(name: &str, records: &[ArenaRecord]) -> Option<Self> {
        let to_the_end =
            |r: &&ArenaRecord| r.outcome.is_some() && r.faults.iter().all(|f| f.instead.is_some());
        let ended: Vec<&ArenaRecord> = records.iter().filter(to_the_end).collect();
        let originals = originals(ended.iter().copied());
        let seats: Vec<SeatValues> = ended
            .iter()
            .copied()
            .flat_map(|record| record.seats_of(name).map(move |seat| (record, seat)))
            .map(|(record, seat)| SeatValues {
                record,
                deal: originals[&record.deal],
                values: &record.seats[seat].values,
                came: score_of(record, seat),
            })
            .collect();
        let all = Bin::of(0, VALUE_ONE, &seats)?;
        let square = |from: &dyn Fn(u16) -> f64| {
            let of = |s: &SeatValues| s.values.iter().map(|v| (from(*v) - s.came).powi(2)).sum::<f64>();
            seats.iter().map(of).sum::<f64>() / all.decisions as f64
        };
        let step = VALUE_ONE / BINS;
        Some(Self {
            brier: square(&|v| f64::from(v) / f64::from(VALUE_ONE)),
            brier_of_mean: square(&|_| all.came.mean),
            bins: (0..BINS).filter_map(|i| Bin::of(i * step, (i + 1) * step, &seats)).collect(),
            all,
        })
    }
}

impl Bin {
    fn of(from: u16, to: u16, seats: &[SeatValues]) -> Option<Self> {
        let within = |v: &&u16| (from..to).contains(v) || (to == VALUE_ONE && **v == VALUE_ONE);
        let mut deals: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        let mut games: Vec<u32> = Vec::new();
        let mut sum = 0.0;
        for seat in seats {
            let values: Vec<u16> = seat.values.iter().filter(within).copied().collect();
            if !values.is_empty() {
                sum += values.iter().map(|v| f64::from(*v)).sum::<f64>();
                deals.entry(seat.deal).or_default().extend(values.iter().map(|_| seat.came));
                games.push(seat.record.game);
            }
        }
        games.dedup();
        let deals: Vec<Vec<f64>> = deals.into_values().collect();
        let decisions: usize = deals.iter().map(Vec::len).sum();
        let one = f64::from(VALUE_ONE);
        Some(Self {
            from: f64::from(from) / one,
            to: f64::from(to) / one,
            decisions,
            games: games.len(),
            told: sum / one / decisions as f64,
            came: clustered(&deals)?,
        })
    }
}

impl Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |name: String, bin: &Bin| {
            let counts = [bin.decisions, bin.games].map(|n| n.to_string());
            let told = format!("{:.1}%", 100.0 * bin.told);
            [name].into_iter().chain(counts).chain([told, percent(Some(bin.came))]).collect::<Vec<_>>()
        };
        let head = row(["value", "decisions", "games", "mean value", "mean result [95%]"]);
        let bins = self.bins.iter().map(|b| line(format!("{:.1} - {:.1}", b.from, b.to), b));
        let all = line("all".to_owned(), &self.all);
        write!(f, "{}", Grid([head].into_iter().chain(bins).chain([all]).collect()))?;
        writeln!(
            f,
            "Brier score {:.4}; {:.4} for always telling the mean result",
            self.brier, self.brier_of_mean
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A match of two seats that `A` and `B` hold, with A's values.
    fn record(game: u32, ranks: [u32; 2], values: &[u16]) -> ArenaRecord {
        serde_json::from_value(json!({
            "game": game,
            "deal": game / 2,
            "seed": "0".repeat(64),
            "outcome": {"ranks": ranks, "points": [0, 0], "reason": ""},
            "plies": 9,
            "seats": [{"player": "A", "times_us": [], "values": values}, {"player": "B", "times_us": []}],
        }))
        .unwrap()
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    #[test]
    fn decisions_are_counted_by_their_value() {
        // Won, with 0.7 and 0.75; lost, with 0.79 and 0.1; drawn, with 1.
        let records = [
            record(0, [1, 2], &[7_000, 7_500]),
            record(1, [2, 1], &[7_900, 1_000]),
            record(2, [1, 1], &[10_000]),
        ];
        let table = Calibration::of("A", &records).unwrap();
        let bins: Vec<_> = table.bins.iter().map(|b| (b.from, b.to, b.decisions, b.games)).collect();
        assert_eq!(bins, [(0.1, 0.2, 1, 1), (0.7, 0.8, 3, 2), (0.9, 1.0, 1, 1)]);
        // (0.7 + 0.75 + 0.79) / 3, and two of three won.
        near(table.bins[1].told, 0.746_666_666_666_666_7);
        near(table.bins[1].came.mean, 2.0 / 3.0);
        near(table.bins[2].came.mean, 0.5);
        assert_eq!((table.all.decisions, table.all.games), (5, 3));
        // (0.7 + 0.75 + 0.79 + 0.1 + 1) / 5, and (1 + 1 + 0 + 0 + 0.5) / 5.
        near(table.all.told, 0.668);
        near(table.all.came.mean, 0.5);
        // (0.3^2 + 0.25^2 + 0.79^2 + 0.1^2 + 0.5^2) / 5, and (4 * 0.5^2 + 0) / 5.
        near(table.brier, 0.207_32);
        near(table.brier_of_mean, 0.2);
    }

    #[test]
    fn decisions_of_one_deal_count_as_one_deal() {
        let won = |games: u32, times: usize| -> Vec<ArenaRecord> {
            (0..games).map(|g| record(2 * g, [1 + g % 2, 2 - g % 2], &vec![6_000; times])).collect()
        };
        let one = Calibration::of("A", &won(20, 1)).unwrap().bins[0].came;
        let many = Calibration::of("A", &won(20, 50)).unwrap().bins[0].came;
        assert_eq!(one, many);
        let more = Calibration::of("A", &won(80, 1)).unwrap().bins[0].came;
        assert!(more.high - more.low < 0.6 * (one.high - one.low));
    }

    #[test]
    fn games_ended_by_mistakes_are_left_out_of_the_calibration() {
        assert_eq!(Calibration::of("A", &[]), None);
        assert_eq!(Calibration::of("B", &[record(0, [1, 2], &[5_000])]), None, "it told nothing");
        let fault = |instead: Option<&str>| {
            let mut record = record(0, [2, 1], &[9_000]);
            let fault = json!({"ply": 3, "seat": 1, "kind": "time", "detail": "", "instead": instead});
            record.faults = vec![serde_json::from_value(fault).unwrap()];
            record
        };
        assert_eq!(Calibration::of("A", &[fault(None)]), None, "the match was not played to its end");
        assert!(Calibration::of("A", &[fault(Some("pass"))]).is_some());
        let void = ArenaRecord { outcome: None, ..record(0, [1, 2], &[5_000]) };
        assert_eq!(Calibration::of("A", &[void]), None);
    }

    #[test]
    fn values_are_stored_with_four_digits() {
        assert_eq!(crate::arena::record::kept_value(0.0), Some(0));
        assert_eq!(crate::arena::record::kept_value(1.0), Some(10_000));
        assert_eq!(crate::arena::record::kept_value(0.123_449), Some(1_234));
        assert_eq!(crate::arena::record::kept_value(0.699_96), Some(7_000));
        assert_eq!([-0.1, 1.1, f64::NAN].map(crate::arena::record::kept_value), [None; 3]);
    }

    #[test]
    fn table_is_readable() {
        let records = [record(0, [1, 2], &[7_000, 7_500]), record(2, [2, 1], &[7_900])];
        let text = Calibration::of("A", &records).unwrap().to_string();
        let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(rows[1][..6], ["0.7", "-", "0.8", "3", "2", "74.7%"]);
        assert_eq!(rows[2][..4], ["all", "3", "2", "74.7%"]);
        // (0.3^2 + 0.25^2 + 0.79^2) / 3, and 2/9.
        assert_eq!(rows[3].join(" "), "Brier score 0.2589; 0.2222 for always telling the mean result");
    }
}
