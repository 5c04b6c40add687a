//! Septica's rules: options and state; cards, moves and the public table in submodules. Must not know protocols or search.

mod cards;
mod moves;
mod table;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cards::Rank;
pub(super) use cards::{at_most_four, points};
pub use moves::Move;
use table::mover;
pub(super) use table::{PublicTable, taker};

use super::{Septica, View};
use crate::game::{Outcome, Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// Cards in the game: four of each rank.
pub(super) const CARDS: usize = 32;
/// Cards a hand is filled up to.
pub(super) const HAND: usize = 4;
/// Cards of one rank.
pub(super) const COPIES: usize = 4;
/// The seat of the contest's computer; it leads the first trick.
pub(super) const COMPUTER: Seat = Seat(0);
/// The seat of the contest's player.
pub(super) const PLAYER: Seat = Seat(1);

/// How the last cards are dealt when the deck cannot fill both hands. The statement leaves it open. With the two
/// alternating ways both hands stay equal, with the other two they may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShortDeck {
    /// One card each in turn, beginning with the seat that took the trick: the usual way among people.
    #[default]
    WinnerAlternates,
    /// The seat that took the trick fills its hand first, then the other.
    WinnerFillsFirst,
    /// One card each in turn, beginning with seat 0, the contest's computer.
    ComputerAlternates,
    /// Seat 0, the contest's computer, fills its hand first, then the other.
    ComputerFillsFirst,
}

impl ShortDeck {
    /// All four ways, the default first.
    pub const ALL: [Self; 4] =
        [Self::WinnerAlternates, Self::WinnerFillsFirst, Self::ComputerAlternates, Self::ComputerFillsFirst];
}

/// The value of equal points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Draws {
    /// The seats share the first place.
    #[default]
    Split,
    /// Seat 1, the contest's player, wins, as in the contest.
    Player,
}

/// Options of a deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// How the last cards are dealt when the deck cannot fill both hands.
    pub short_deck: ShortDeck,
    /// The value of equal points.
    pub draws: Draws,
}

/// The outcome for these points.
pub(super) fn outcome(points: [u8; 2], draws: Draws) -> Outcome {
    let outcome = Outcome::by_points(points.map(i32::from).to_vec(), "the hands are empty");
    match draws {
        Draws::Player if points[0] == points[1] => Outcome { ranks: vec![2, 1], ..outcome },
        _ => outcome,
    }
}

/// The full state of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(super) options: Options,
    /// The hands, each ascending.
    pub(super) hands: [Vec<Rank>; 2],
    /// The deck; the next card is the last.
    pub(super) deck: Vec<Rank>,
    /// The taken cards, each ascending.
    pub(super) taken: [Vec<Rank>; 2],
    pub(super) leader: Seat,
    pub(super) trick: Vec<Rank>,
    /// The finished tricks; older records lack them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) past: Vec<Vec<Rank>>,
}

impl State {
    pub(super) fn deal(options: &Options, seed: &Seed) -> Self {
        let mut deck: Vec<Rank> = Rank::all().flat_map(|rank| [rank; COPIES]).collect();
        Rng::new(seed).shuffle(&mut deck);
        let hands = [0, 1].map(|_| sorted(deck.split_off(deck.len() - HAND)));
        let taken = [Vec::new(), Vec::new()];
        Self { options: *options, hands, deck, taken, leader: COMPUTER, trick: Vec::new(), past: Vec::new() }
    }

    pub(super) fn open(&self) -> PublicTable {
        PublicTable {
            leader: self.leader,
            trick: self.trick.clone(),
            taken: self.taken.clone(),
            past: self.past.clone(),
            hands: [0, 1].map(|seat: usize| self.hands[seat].len() as u8),
            deck: self.deck.len() as u8,
        }
    }

    /// `taker` takes the trick and leads the next one; both hands draw. If a seat has no card then, the match ends and the
    /// other seat takes its own remaining cards.
    fn take(&mut self, taker: Seat) {
        // A position that began without its past continues without it.
        let past_unknown = self.past.is_empty() && self.taken.iter().any(|cards| !cards.is_empty());
        self.taken[taker.index()].extend(&self.trick);
        self.past.push(std::mem::take(&mut self.trick));
        if past_unknown {
            self.past.clear();
        }
        self.leader = taker;
        self.fill();
        if self.hands.iter().any(Vec::is_empty) {
            for (taken, hand) in self.taken.iter_mut().zip(&mut self.hands) {
                taken.append(hand);
            }
        }
        self.taken.iter_mut().chain(&mut self.hands).for_each(|cards| cards.sort_unstable());
    }

    fn fill(&mut self) {
        let (first, at_once) = match self.options.short_deck {
            ShortDeck::WinnerAlternates => (self.leader, 1),
            ShortDeck::WinnerFillsFirst => (self.leader, HAND),
            ShortDeck::ComputerAlternates => (COMPUTER, 1),
            ShortDeck::ComputerFillsFirst => (COMPUTER, HAND),
        };
        for _ in 0..HAND {
            for seat in [first, first.other()] {
                let hand = &mut self.hands[seat.index()];
                let wanted = at_once.min(HAND - hand.len()).min(self.deck.len());
                hand.extend(self.deck.drain(self.deck.len() - wanted..).rev());
            }
        }
    }
}

fn sorted(mut cards: Vec<Rank>) -> Vec<Rank> {
    cards.sort_unstable();
    cards
}

impl crate::game::State<Septica> for State {
    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> Turn {
        let over = self.trick.is_empty() && self.hands.iter().all(Vec::is_empty);
        if over { Turn::Over } else { Turn::Of(mover(self.leader, &self.trick)) }
    }

    fn play(&mut self, mv: &Move) {
        let follower = self.leader.other();
        let &Move::Card(card) = mv else {
            return self.take(follower);
        };
        let answers = !self.trick.len().is_multiple_of(2);
        let (seat, next) = if answers { (follower, self.leader) } else { (self.leader, follower) };
        let hand = &mut self.hands[seat.index()];
        if let Some(at) = hand.iter().position(|c| *c == card) {
            hand.remove(at);
        }
        self.trick.push(card);
        let cut = card.cuts(self.trick[0]);
        if self.hands[next.index()].is_empty() || (answers && !cut) {
            self.take(if answers && cut { follower } else { self.leader });
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.turn() == Turn::Over).then(|| outcome(self.open().points(), self.options.draws))
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn audit(&self) -> Result<(), String> {
        self.open().check()?;
        // The number of cards is right, so at most four of each means exactly four of each.
        at_most_four(
            [&self.hands[0], &self.hands[1], &self.deck, &self.taken[0], &self.taken[1], &self.trick]
                .into_iter()
                .flatten(),
        )?;
        if self.hands.iter().chain(&self.taken).any(|cards| !cards.is_sorted()) {
            return Err("hands, taken: they must be in ascending order".to_owned());
        }
        Ok(())
    }
}
