//! The rounds of a tournament in which opponents differ, as FIDE's article C.07.16 sees them: who was paired, who had a bye, and
//! who was absent.

use crate::tournaments::Pairing;
use crate::tournaments::standings::PlayedGame;

/// The part of an entrant in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Had opponents.
    Paired,
    /// Had none, and the points of a pairing won.
    Bye,
    /// Did not take part: had withdrawn, or not entered yet.
    Absent,
}

/// The rounds that have been paired.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// For each entrant each round in order.
    places: Vec<Vec<Place>>,
    /// The games of a pairing.
    games: usize,
    /// The opponents at a table.
    others: usize,
}

impl Rounds {
    /// The rounds of these pairings and byes. `games`: the games of a pairing; `seats`: of a table.
    pub fn new(
        entrants: usize,
        pairings: &[Pairing],
        byes: &[(u32, usize)],
        games: usize,
        seats: usize,
    ) -> Self {
        let rounds = pairings.iter().map(|pairing| pairing.round).chain(byes.iter().map(|(round, _)| *round));
        let mut places = vec![vec![Place::Absent; rounds.max().unwrap_or(0) as usize]; entrants];
        for pairing in pairings {
            for entrant in &pairing.entrants {
                places[*entrant][pairing.round as usize - 1] = Place::Paired;
            }
        }
        for (round, entrant) in byes {
            places[*entrant][*round as usize - 1] = Place::Bye;
        }
        Self { places, games, others: seats.saturating_sub(1) }
    }

    /// No rounds: entrants are paired at any time, as in a ladder.
    pub fn none(entrants: usize) -> Self {
        Self { places: vec![Vec::new(); entrants], games: 0, others: 0 }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.places.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The games of an entrant in a round.
    pub(super) fn games(&self) -> usize {
        self.games
    }

    /// The opponents of all games of a round, each game counted.
    pub(super) fn opponents(&self) -> usize {
        self.games * self.others
    }

    /// In how many rounds an entrant had a bye, and in how many it was absent.
    pub(super) fn without_opponents(&self, entrant: usize) -> [usize; 2] {
        [Place::Bye, Place::Absent]
            .map(|what| self.places[entrant].iter().filter(|place| **place == what).count())
    }

    /// In how many games a draw is added to the points of an entrant that its opponents' tie-breaks see: those of the rounds at
    /// the end in which the entrant was absent, with nothing but forfeits between them (article 16.2.5 and 16.3.2).
    pub(super) fn drawn_games(&self, entrant: usize, games: &[PlayedGame]) -> usize {
        let round_of = |place: usize| place as u32 + 1;
        let of_entrant = |round: u32| {
            games.iter().filter(move |game| game.round == round && game.seats.contains(&entrant))
        };
        let played_none = |round: u32| {
            let mut all = of_entrant(round).peekable();
            all.peek().is_some() && all.all(|game| game.is_forfeited_by(entrant))
        };
        if !self.places[entrant].contains(&Place::Absent) {
            return 0;
        }
        let mut drawn = 0;
        for (place, what) in self.places[entrant].iter().enumerate().rev() {
            match what {
                Place::Absent => drawn += self.games,
                Place::Paired if played_none(round_of(place)) => {}
                Place::Paired | Place::Bye => break,
            }
        }
        drawn
    }
}
