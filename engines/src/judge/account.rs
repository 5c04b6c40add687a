//! The account of a match: what the start, the decisions and the draws gave each seat. The parts add up to the result. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::class::{MoveClass, accuracy};
use super::{JudgedDecision, MoveValue, rounded};
use crate::game::Seat;

/// What made the result of one seat, in expected score: `start + own + others + luck + correction = result`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreAccount {
    /// The expected score before the seat's first decision (for two seats: before the first decision of the match): what the
    /// deal and the order of the seats gave.
    pub start: f64,
    /// The change by the seat's own decisions, 0 or less, and by giving the match up or losing it by a foul.
    pub own: f64,
    /// The change by the other seats' decisions. In a match of more than two, the other seats gain equal parts of what a
    /// decision loses.
    pub others: f64,
    /// The change when chance or hidden cards came into play.
    pub luck: f64,
    /// The sum of the gains in `luck`.
    pub luck_gained: f64,
    /// The sum of the losses in `luck`, as a number of at least 0.
    pub luck_lost: f64,
    /// The change where nothing was drawn and nothing was hidden: the engine saw more later and corrected its estimate.
    pub correction: f64,
    /// The score: a win is 1, a first place shared by k seats is 1/k, else 0.
    pub result: f64,
}

/// The summary of the decisions of one seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedSeat {
    /// The seat, counted from 0.
    pub seat: Seat,
    /// Decisions that were judged: those with a choice, penalties not counted.
    pub decisions: u32,
    /// How many of them are of each class: best, good, inaccuracy, mistake, blunder.
    pub classes: [u32; 5],
    /// The mean accuracy of these decisions, 0 to 100. `null` without decisions.
    pub accuracy: Option<f64>,
    /// The mean loss of expected score of these decisions. `null` without decisions.
    pub mean_loss: Option<f64>,
    /// What made the seat's result. `null` if the match has no result or the seat made no decision.
    pub account: Option<ScoreAccount>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchEnd {
    /// The score of each seat.
    pub scores: Vec<f64>,
    /// The seats that gave up, left, or ended the match by a foul.
    pub forfeited: Vec<Seat>,
}

/// The summaries of all seats. `end`: `None` if the match has no result.
pub(super) fn summaries(seats: u8, decisions: &[JudgedDecision], end: Option<&MatchEnd>) -> Vec<JudgedSeat> {
    let summary = |seat| {
        let seat = Seat(seat);
        let own = decisions.iter().filter(|one| one.seat == seat && !one.penalty);
        let losses: Vec<f64> = own.filter_map(|one| Some(one.value.as_ref()?.loss)).collect();
        let mean = |of: fn(f64) -> f64| {
            let sum: f64 = losses.iter().map(|loss| of(*loss)).sum();
            (!losses.is_empty()).then(|| sum / losses.len() as f64)
        };
        let mut classes = [0; 5];
        losses.iter().for_each(|loss| classes[MoveClass::of(*loss) as usize] += 1);
        JudgedSeat {
            seat,
            decisions: losses.len() as u32,
            classes,
            accuracy: mean(accuracy).map(|mean| (10.0 * mean).round() / 10.0),
            mean_loss: mean(|loss| loss).map(rounded),
            account: end.and_then(|end| account(seat, seats, decisions, end)),
        }
    };
    (0..seats).map(summary).collect()
}

/// The account of one seat; `None` if its value is never known.
fn account(seat: Seat, seats: u8, decisions: &[JudgedDecision], end: &MatchEnd) -> Option<ScoreAccount> {
    let mut sum = AccountSum::default();
    for JudgedDecision { seat: mover, value, drawn, .. } in decisions {
        if let Some(MoveValue { before, after, loss, .. }) = value {
            if *mover == seat {
                sum.reach(*before);
                sum.account.own += after - before;
                sum.last = Some(*after);
            } else if seats == 2 {
                sum.reach(1.0 - before);
                sum.account.others += before - after;
                sum.last = Some(1.0 - after);
            } else if sum.last.is_some() {
                let gift = loss / f64::from(seats - 1);
                sum.account.others += gift;
                sum.gifts += gift;
            }
        }
        sum.drawn |= drawn;
    }
    let last = sum.last?;
    let result = end.scores[seat.index()];
    if end.forfeited.is_empty() {
        sum.reach(result);
    } else if end.forfeited.contains(&seat) {
        sum.account.own += result - last - sum.gifts;
    } else {
        sum.account.others += result - last - sum.gifts;
    }
    sum.account.result = result;
    Some(sum.account)
}

/// An account that is being added up.
#[derive(Default)]
struct AccountSum {
    account: ScoreAccount,
    /// The latest known value of the seat.
    last: Option<f64>,
    /// What other seats have lost to this one since then.
    gifts: f64,
    /// Whether chance or hidden cards came into play since then.
    drawn: bool,
}

impl AccountSum {
    /// The seat's value is known again: assigns its change.
    fn reach(&mut self, value: f64) {
        let account = &mut self.account;
        match self.last {
            None => account.start = value,
            Some(last) => {
                let change = value - last - self.gifts;
                if !self.drawn {
                    account.correction += change;
                } else {
                    account.luck += change;
                    account.luck_gained += change.max(0.0);
                    account.luck_lost += (-change).max(0.0);
                }
            }
        }
        (self.gifts, self.drawn) = (0.0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erased::MoveText;
    use crate::rng::{Rng, Seed};

    fn decision(seat: u8, before: f64, loss: f64, drawn: bool) -> JudgedDecision {
        let mv = MoveText { mv: serde_json::Value::Null, notation: "a".to_owned() };
        let value = MoveValue {
            before,
            after: before - loss,
            loss,
            class: MoveClass::of(loss),
            best: mv.clone(),
            line: Vec::new(),
        };
        JudgedDecision {
            ply: 0,
            seat: Seat(seat),
            played: mv,
            phase: "match".to_owned(),
            kind: "move".to_owned(),
            penalty: false,
            drawn,
            value: Some(value),
        }
    }

    fn random_match(seats: u8, rng: &mut Rng) -> (Vec<JudgedDecision>, MatchEnd) {
        let one = |rng: &mut Rng| {
            let before = rng.unit();
            let mut one =
                decision(rng.below(seats.into()) as u8, before, before * rng.unit(), rng.below(2) == 0);
            if rng.below(5) == 0 {
                one.value = None;
            }
            one
        };
        let decisions = (0..rng.below(40)).map(|_| one(rng)).collect();
        let winner = rng.below(seats.into());
        let scores = (0..usize::from(seats)).map(|seat| f64::from(u8::from(seat == winner))).collect();
        let out = (rng.below(3) == 0).then(|| Seat(rng.below(seats.into()) as u8));
        (decisions, MatchEnd { scores, forfeited: out.into_iter().collect() })
    }

    #[test]
    fn parts_of_each_account_add_up_to_the_result() {
        let mut rng = Rng::new(&Seed::from(1));
        for round in 0..2_000 {
            let seats = 1 + rng.below(4) as u8;
            let (decisions, end) = random_match(seats, &mut rng);
            let all = summaries(seats, &decisions, Some(&end));
            for JudgedSeat { seat, account, .. } in &all {
                let Some(a) = account else { continue };
                let sum = a.start + a.own + a.others + a.luck + a.correction;
                assert!((sum - a.result).abs() < 1e-9, "round {round}, {seat:?}: {a:?}");
                assert!((a.luck_gained - a.luck_lost - a.luck).abs() < 1e-9);
                assert_eq!(a.result, end.scores[seat.index()]);
                assert!(end.forfeited.contains(seat) || a.own <= 0.0);
            }
        }
    }

    #[test]
    fn accounts_of_two_mirror_each_other() {
        let mut rng = Rng::new(&Seed::from(2));
        for _ in 0..1_000 {
            let (decisions, end) = random_match(2, &mut rng);
            let all = summaries(2, &decisions, Some(&end));
            let (Some(a), Some(b)) = (all[0].account, all[1].account) else { continue };
            let zero = [
                a.start + b.start - 1.0,
                a.own + b.others,
                a.others + b.own,
                a.luck + b.luck,
                a.luck_gained - b.luck_lost,
                a.correction + b.correction,
            ];
            assert!(zero.iter().all(|sum| sum.abs() < 1e-9), "{a:?} {b:?}");
        }
    }

    #[test]
    fn draws_are_luck_and_second_thoughts_are_corrections() {
        let decisions =
            [decision(0, 0.5, 0.1, false), decision(1, 0.5, 0.0, true), decision(0, 0.8, 0.0, true)];
        let end = MatchEnd { scores: vec![1.0, 0.0], forfeited: Vec::new() };
        let account = summaries(2, &decisions, Some(&end))[0].account.unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{account:?}");
        near(account.own, -0.1);
        near(account.correction, 0.1);
        near(account.luck, 0.5);
        near(account.others, 0.0);
        let given_up = MatchEnd { scores: vec![0.0, 1.0], forfeited: vec![Seat(0)] };
        let account = summaries(2, &decisions, Some(&given_up))[0].account.unwrap();
        assert!((account.own + 0.9).abs() < 1e-9, "giving up at 0.8 costs 0.8: {account:?}");
    }

    #[test]
    fn penalties_do_not_count_for_accuracy() {
        let mut decisions = vec![decision(0, 0.5, 0.0, false), decision(0, 0.5, 0.5, false)];
        decisions[1].penalty = true;
        let summary = summaries(2, &decisions, None).swap_remove(0);
        assert_eq!((summary.decisions, summary.accuracy, summary.account), (1, Some(100.0), None));
        assert_eq!(summary.classes, [1, 0, 0, 0, 0]);
        assert_eq!(summaries(2, &decisions, None)[1].accuracy, None);
    }
}
