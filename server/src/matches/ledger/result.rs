//! The results of a match for its seats, and the reasons of penalties. It must not change the match.

use engines::game::{Outcome, Seat};

use crate::matches::event::{FoulKind, Result};

/// The reason of a result when all seats are out.
const NO_SEAT_LEFT: &str = "no seat takes part any more";
/// `NO_SEAT_LEFT` as earlier versions wrote it. Their logs and records stay true.
const NO_SEAT_LEFT_BEFORE: &str = "nobody takes part any more";

/// A stored reason as this version would write it.
pub fn current_reason(stored: &str) -> &str {
    if stored == NO_SEAT_LEFT_BEFORE { NO_SEAT_LEFT } else { stored }
}

/// The reason why a foul ended a match, in a few words; stored in the result.
pub fn foul_reason(seat: Seat, kind: FoulKind) -> String {
    let what = match kind {
        FoulKind::Time => "ran out of time",
        FoulKind::IllegalMove => "made an illegal move",
        FoulKind::BadLine => "broke the rules",
        FoulKind::Crash => "crashed",
        FoulKind::Out => "takes no part any more",
    };
    format!("seat {seat} {what}")
}

/// The result of a match that was played to its end. Seats that dropped out rank behind all others; both groups keep
/// their order. If the game had no winner, the match has none.
pub fn played(outcome: Outcome, out: &[bool]) -> Result {
    let ranks = if out.contains(&true) { behind_the_others(&outcome.ranks, out) } else { outcome.ranks };
    Result { ranks, points: Some(outcome.points), reason: outcome.reason }
}

fn behind_the_others(ranks: &[u8], out: &[bool]) -> Vec<u8> {
    let better = |seat: usize, among: bool| {
        let counts = |other: &usize| out[*other] == among && ranks[*other] < ranks[seat];
        (0..ranks.len()).filter(counts).count() as u8
    };
    let first = ranks.iter().copied().min().unwrap_or(1);
    let playing: Vec<usize> = (0..ranks.len()).filter(|seat| !out[*seat]).collect();
    let last = playing.iter().map(|seat| first + better(*seat, false)).max().unwrap_or(0);
    let behind = (playing.len() as u8).max(last) + 1;
    let place = |seat| if out[seat] { behind + better(seat, true) } else { first + better(seat, false) };
    (0..ranks.len()).map(place).collect()
}

/// The result when too few seats are left: the last one wins; a match for one has no winner.
pub fn walkover(out: &[bool]) -> Option<Result> {
    let left: Vec<usize> = (0..out.len()).filter(|seat| !out[*seat]).collect();
    let (ranks, reason) = match left.as_slice() {
        [] => (vec![2; out.len()], NO_SEAT_LEFT.to_owned()),
        [seat] if out.len() > 1 => {
            let rank = |s| if s == *seat { 1 } else { 2 };
            ((0..out.len()).map(rank).collect(), format!("only seat {seat} still takes part"))
        }
        _ => return None,
    };
    Some(Result { ranks, points: None, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(points: &[i32], out: &[bool]) -> Vec<u8> {
        played(Outcome::by_points(points.to_vec(), "the end"), out).ranks
    }

    #[test]
    fn seats_that_are_out_rank_behind_all_others() {
        let (t, f) = (true, false);
        assert_eq!(ranks(&[9, 15, 3, 4], &[f, f, f, f]), [2, 1, 4, 3]);
        assert_eq!(ranks(&[9, 15, 3, 4], &[f, t, f, f]), [1, 4, 3, 2]);
        assert_eq!(ranks(&[9, 15, 9, 20], &[f, t, f, t]), [1, 4, 1, 3]);
        assert_eq!(ranks(&[9, 15, 15, 20], &[t, f, f, f]), [4, 2, 2, 1]);
        let no_winner = Outcome { points: vec![3, 4, 1], ranks: vec![3, 2, 4], reason: "lost".into() };
        assert_eq!(played(no_winner.clone(), &[f, f, f]).ranks, [3, 2, 4]);
        let result = played(no_winner, &[f, t, f]);
        assert_eq!((result.ranks, result.points), (vec![2, 4, 3], Some(vec![3, 4, 1])), "there is no winner");
        let no_winner = Outcome { points: vec![0; 4], ranks: vec![2; 4], reason: "lost".into() };
        assert_eq!(played(no_winner, &[f, f, t, f]).ranks, [2, 2, 4, 2]);
    }

    #[test]
    fn last_seat_left_wins() {
        let (t, f) = (true, false);
        assert_eq!(walkover(&[f, f, t]), None);
        assert_eq!(walkover(&[f]), None, "alone at the table, and still there");
        assert_eq!(walkover(&[t]).unwrap().ranks, [2]);
        assert_eq!(walkover(&[t, f]).unwrap().ranks, [2, 1]);
        assert_eq!(walkover(&[t, t, t]).unwrap().ranks, [2, 2, 2]);
        assert_eq!(walkover(&[t, t, f, t]).unwrap().ranks, [2, 2, 1, 2]);
    }
}
