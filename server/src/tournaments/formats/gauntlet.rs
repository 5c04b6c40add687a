//! Gauntlet: each entrant meets the same fixed opponents.

use crate::tournaments::Pairing;

/// The pairings of a gauntlet: a round for each opponent, in which each entrant meets it. `seat`: where the entrant
/// sits in the first game. With more than two seats the opponents after this one, in turn, take the other seats.
pub(in crate::tournaments) fn gauntlet(
    entrants: &[usize],
    opponents: &[usize],
    seats: usize,
    seat: usize,
) -> Vec<Pairing> {
    let mut pairings = Vec::with_capacity(entrants.len() * opponents.len());
    for first in 0..opponents.len() {
        let others: Vec<usize> =
            opponents.iter().copied().cycle().skip(first).take(seats.saturating_sub(1)).collect();
        for entrant in entrants {
            let mut table = others.clone();
            table.insert(seat.min(others.len()), *entrant);
            // As many rounds as opponents: a few.
            pairings.push(Pairing { round: first as u32 + 1, entrants: table });
        }
    }
    pairings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entrant_meets_each_opponent_from_the_contests_seat() {
        let tables = |seats, seat| -> Vec<(u32, Vec<usize>)> {
            let all = gauntlet(&[0, 3], &[1, 2], seats, seat);
            all.into_iter().map(|pairing| (pairing.round, pairing.entrants)).collect()
        };
        assert_eq!(tables(2, 1), [(1, vec![1, 0]), (1, vec![1, 3]), (2, vec![2, 0]), (2, vec![2, 3])]);
        assert_eq!(tables(3, 0)[2..], [(2, vec![0, 2, 1]), (2, vec![3, 2, 1])]);
        assert_eq!(gauntlet(&[0], &[1], 4, 0)[0].entrants, [0, 1, 1, 1]);
    }
}
