//! The seating: every deal is played by a set of line-ups in which each player gets each seat. Pure.

/// The line-ups of one deal: for each, the player (an index) of every seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineUps {
    /// All possible line-ups, each once.
    pub all: Vec<Vec<usize>>,
    /// How many more there would be if every player could take every seat.
    pub left_out: usize,
}

/// The line-ups for `players` at `seats` seats. If there are fewer players than seats, they fill the seats cyclically. If
/// there are more, every choice of players plays. `may(player, seat)` says whether a player can have a seat.
pub(super) fn line_ups(players: usize, seats: usize, may: impl Fn(usize, usize) -> bool) -> LineUps {
    let mut found: Vec<Vec<usize>> = Vec::new();
    for chosen in choices(players, seats) {
        let n = chosen.len();
        for first in 0..n {
            let line: Vec<usize> = (0..seats).map(|s| chosen[(first + s) % n]).collect();
            for turn in 0..seats {
                let turned: Vec<usize> = (0..seats).map(|s| line[(s + turn) % seats]).collect();
                if !found.contains(&turned) {
                    found.push(turned);
                }
            }
        }
    }
    let total = found.len();
    found.retain(|line| line.iter().enumerate().all(|(seat, player)| may(*player, seat)));
    LineUps { left_out: total - found.len(), all: found }
}

/// Every choice of as many players as there are seats, in order; all players if there are no more than seats.
fn choices(players: usize, seats: usize) -> Vec<Vec<usize>> {
    fn extend(from: usize, players: usize, wanted: usize, now: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
        if now.len() == wanted {
            out.push(now.clone());
            return;
        }
        for next in from..players {
            now.push(next);
            extend(next + 1, players, wanted, now, out);
            now.pop();
        }
    }
    let mut out = Vec::new();
    extend(0, players, players.min(seats), &mut Vec::new(), &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_players_exchange_seats() {
        assert_eq!(line_ups(2, 2, |_, _| true).all, [[0, 1], [1, 0]]);
    }

    #[test]
    fn player_without_all_seats_is_not_exchanged() {
        let only = line_ups(2, 2, |player, seat| player == 1 || seat == 0);
        assert_eq!(only, LineUps { all: vec![vec![0, 1]], left_out: 1 });
        assert_eq!(line_ups(2, 2, |_, seat| seat == 0).all.len(), 0);
    }

    #[test]
    fn every_player_gets_every_seat_equally_often() {
        for (players, seats) in [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4), (3, 2), (4, 2), (5, 3)] {
            let all = line_ups(players, seats, |_, _| true).all;
            let count = |p: usize, s: usize| all.iter().filter(|line| line[s] == p).count();
            for player in 0..players {
                for seat in 0..seats {
                    assert_eq!(count(player, seat) * players, all.len(), "{players} at {seats}: {all:?}");
                }
            }
        }
        assert_eq!(line_ups(2, 3, |_, _| true).all.len(), 6);
        assert_eq!(line_ups(4, 2, |_, _| true).all.len(), 12, "every two meet, both ways round");
    }
}
