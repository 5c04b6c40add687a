//! Pairings, and the games and deals that follow from them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::tournaments::event::Dealing;

/// Entrants who play each other, by their numbers in the tournament; as many as the game has seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// The round, from 1.
    pub round: u32,
    /// The entrants, in the seat order of the first game.
    pub entrants: Vec<usize>,
}

/// A game of a pairing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The place of its pairing in the list.
    pub pairing: usize,
    /// The number of its deal. Games with the same number have the same seed.
    pub deal: u64,
    /// The entrants by seat.
    pub seats: Vec<usize>,
}

/// How pairings become games.
#[derive(Clone, Copy, Debug)]
pub struct GameSchedule {
    /// The games of a pairing.
    pub games: usize,
    /// Whether the entrants of a pairing change seats after each game.
    pub turns: bool,
    /// Which games have the same deal.
    pub dealing: Dealing,
    /// Whether the pairings of a round share deals; otherwise all pairings that are made at the same time do.
    pub by_round: bool,
    /// The number of the first deal.
    pub first_deal: u64,
}

impl GameSchedule {
    /// The games of pairings that are made at the same time, in the order in which they are to be played. `person`: the
    /// person behind an entrant; `None`: an engine.
    pub fn games<'a>(self, pairings: &[Pairing], person: impl Fn(usize) -> Option<&'a str>) -> Vec<Game> {
        let mut next = self.first_deal;
        match self.dealing {
            Dealing::Independent => {
                let all = pairings.iter().enumerate().flat_map(|(at, pairing)| self.seatings(at, pairing));
                (next..).zip(all).map(|(deal, (pairing, seats))| Game { pairing, deal, seats }).collect()
            }
            Dealing::Mirror => {
                let mut games = Vec::new();
                for (at, pairing) in pairings.iter().enumerate() {
                    let seats = pairing.entrants.len() as u64;
                    let all = (0..).zip(self.seatings(at, pairing));
                    games.extend(all.map(|(n, (pairing, seating))| Game {
                        pairing,
                        deal: next + n / seats,
                        seats: seating,
                    }));
                    next += (self.games as u64).div_ceil(seats);
                }
                games
            }
            Dealing::Duplicate => {
                let round = |pairing: &Pairing| if self.by_round { pairing.round } else { 0 };
                let all: Vec<(usize, &Pairing)> = pairings.iter().enumerate().collect();
                let rounds = all.chunk_by(|(_, a), (_, b)| round(a) == round(b));
                rounds.flat_map(|tables| self.round(tables, &person, &mut next)).collect()
            }
        }
    }

    /// The seatings of all games of a pairing, each with the pairing's place.
    fn seatings(self, at: usize, pairing: &Pairing) -> impl Iterator<Item = (usize, Vec<usize>)> {
        let seats = pairing.entrants.len();
        let turned = move |turn: usize| {
            let mut entrants = pairing.entrants.clone();
            entrants.rotate_left(if self.turns { turn % seats.max(1) } else { 0 });
            (at, entrants)
        };
        (0..self.games).map(turned)
    }

    /// The games of a round of duplicate deals. All tables play the first deal before any plays the second, as far as their
    /// players are free. A person with several entrants must not see a deal twice, so their tables have different deals.
    fn round<'a>(
        self,
        tables: &[(usize, &Pairing)],
        person: &impl Fn(usize) -> Option<&'a str>,
        next: &mut u64,
    ) -> Vec<Game> {
        // The people at the tables that have the same deals, and the number of their first deal.
        let mut sections: Vec<(HashSet<&str>, u64)> = Vec::new();
        let mut by_table: Vec<Vec<Game>> = Vec::with_capacity(tables.len());
        for (at, pairing) in tables {
            let people: Vec<&str> = pairing.entrants.iter().filter_map(|entrant| person(*entrant)).collect();
            let fits = |(there, _): &(HashSet<&str>, u64)| people.iter().all(|one| !there.contains(one));
            let place = sections.iter().position(fits).unwrap_or_else(|| {
                sections.push((HashSet::new(), *next));
                *next += self.games as u64;
                sections.len() - 1
            });
            let (there, first) = &mut sections[place];
            there.extend(people);
            let games = (*first..).zip(self.seatings(*at, pairing));
            by_table.push(games.map(|(deal, (pairing, seats))| Game { pairing, deal, seats }).collect());
        }
        let most = by_table.iter().map(Vec::len).max().unwrap_or(0);
        let mut by_table: Vec<_> = by_table.into_iter().map(Vec::into_iter).collect();
        (0..most).flat_map(|_| by_table.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()).collect()
    }
}
