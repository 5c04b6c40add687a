//! The part of a Septica match that a viewer may know: the own hand and the public table. Checks positions from outside
//! and samples the hidden cards. Must not hold hidden cards.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Septica;
use super::rules::{CARDS, COPIES, Draws, Move, Options, PublicTable, Rank, ShortDeck, State, at_most_four};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::Rng;

/// The most values of a position: all cards as taken and as finished tricks, the own hand, a trick of eight cards, and eight
/// numbers and words.
pub(super) const MOST_VALUES: usize = 2 * CARDS + 4 + 8 + 8;

/// A position as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "RawView", into = "RawView")]
#[schemars(with = "RawView")]
pub struct View {
    pub(super) open: PublicTable,
    /// The viewer's cards, ascending; empty for a spectator.
    pub(super) hand: Vec<Rank>,
    pub(super) draws: Draws,
    viewer: Viewer,
}

/// A position in Septica as one viewer sees it. A card is its rank, 7 to 14.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SepticaView")]
struct RawView {
    /// The viewer's cards, in any order; empty for a spectator.
    hand: Vec<Rank>,
    /// Number of cards in each hand, at most 4. `hand` has as many cards as its seat's number here.
    hands: [u8; 2],
    /// Number of cards in the deck, 0 to 24, always even.
    deck: u8,
    /// The seat that leads the trick.
    leader: Seat,
    /// The trick so far, in order of play, the leader's card first; empty before the lead. A finished trick is not shown,
    /// because its cards are taken.
    trick: Vec<Rank>,
    /// The cards that each seat has taken, in any order. There are 32 cards in all.
    taken: [Vec<Rank>; 2],
    /// The finished tricks in order, each in order of play. They show how the other seat plays. Optional: without them
    /// the engine knows less about the other hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    past: Vec<Vec<Rank>>,
    /// The value of equal points; `split` if absent.
    #[serde(default)]
    draws: Draws,
    /// The viewer; if absent, the seat to move, or a spectator when the match is over.
    viewer: Option<Viewer>,
}

impl View {
    pub(super) fn of(state: &State, viewer: Viewer) -> Self {
        let hand = match viewer {
            Viewer::Seat(seat) => state.hands[seat.index()].clone(),
            Viewer::Spectator => Vec::new(),
        };
        Self { open: state.open(), hand, draws: state.options.draws, viewer }
    }

    /// The view with these cards, given in any order.
    ///
    /// # Errors
    /// If the position is impossible: names the field and says what is allowed.
    pub(super) fn new(
        mut open: PublicTable,
        mut hand: Vec<Rank>,
        draws: Draws,
        viewer: Viewer,
    ) -> Result<Self, String> {
        open.check()?;
        let holds = match viewer {
            Viewer::Seat(seat) if seat.0 > 1 => return Err("viewer: there are seats 0 and 1".to_owned()),
            Viewer::Seat(seat) => open.hands[seat.index()],
            Viewer::Spectator => 0,
        };
        if hand.len() != usize::from(holds) {
            return Err(format!("hand: 'hands' and 'viewer' require {holds} cards, not {}", hand.len()));
        }
        at_most_four(hand.iter().chain(&open.trick).chain(open.taken.iter().flatten()))
            .map_err(|e| format!("hand, trick, taken: {e}"))?;
        hand.sort_unstable();
        open.taken.iter_mut().for_each(|cards| cards.sort_unstable());
        Ok(Self { open, hand, draws, viewer })
    }

    /// The viewer's seat; seat 0 for a spectator, which never moves.
    pub(super) fn seat(&self) -> Seat {
        match self.viewer {
            Viewer::Seat(seat) => seat,
            Viewer::Spectator => Seat(0),
        }
    }

    /// Number of cards of each rank in the other hand and in the deck, which the viewer does not see.
    pub(super) fn unseen(&self) -> [u8; 8] {
        let mut counts = [COPIES as u8; 8];
        let seen = self.hand.iter().chain(&self.open.trick).chain(self.open.taken.iter().flatten());
        seen.for_each(|card| counts[card.index()] -= 1);
        counts
    }
}

impl TryFrom<RawView> for View {
    type Error = String;

    fn try_from(raw: RawView) -> Result<Self, String> {
        let RawView { hand, hands, deck, leader, trick, taken, past, draws, viewer } = raw;
        let open = PublicTable { leader, trick, taken, past, hands, deck };
        open.check()?;
        let viewer = viewer.unwrap_or(match open.turn() {
            Turn::Of(seat) => Viewer::Seat(seat),
            Turn::Over => Viewer::Spectator,
        });
        Self::new(open, hand, draws, viewer)
    }
}

impl From<View> for RawView {
    fn from(view: View) -> Self {
        let View { open: PublicTable { leader, trick, taken, past, hands, deck }, hand, draws, viewer } =
            view;
        Self { hand, hands, deck, leader, trick, taken, past, draws, viewer: Some(viewer) }
    }
}

impl crate::game::View<Septica> for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn turn(&self) -> Turn {
        self.open.turn()
    }

    fn legal(&self, out: &mut Vec<Move>) {
        if matches!((self.viewer, self.turn()), (Viewer::Seat(own), Turn::Of(seat)) if own == seat) {
            self.open.moves(&self.hand, out);
        }
    }

    /// While the other seat leads, a card of the hand: it answers whatever is led. While the other seat answers, a stop and the
    /// cards that do not cut: after a cut only the stop is legal, otherwise only a lead. A card that cuts could do both, and so could
    /// any card while the other seat decides whether to continue the trick.
    fn premoves(&self, out: &mut Vec<Move>) {
        let (Viewer::Seat(own), Turn::Of(seat)) = (self.viewer, self.turn()) else { return };
        if own == seat || self.hand.is_empty() {
            return;
        }
        let held = Rank::all().filter(|rank| self.hand.contains(rank));
        match self.open.trick.first() {
            None => out.extend(held.map(Move::Card)),
            Some(led) if self.open.leader == own => {
                out.extend(held.filter(|rank| !rank.cuts(*led)).map(Move::Card));
                out.push(Move::Stop);
            }
            Some(_) => {}
        }
    }

    fn picture(&self) -> Option<String> {
        Some(super::picture::picture(&self.open))
    }

    /// Samples the hidden cards uniformly, and the way of dealing a short deck, which the dialogue does not reveal.
    fn guess(&self, rng: &mut Rng) -> State {
        let unseen = self.unseen();
        let mut cards: Vec<Rank> =
            (0..8).flat_map(|i| std::iter::repeat_n(Rank::from_index(i), usize::from(unseen[i]))).collect();
        rng.shuffle(&mut cards);
        let other = self.seat().other();
        let mut theirs = cards.split_off(cards.len() - usize::from(self.open.hands[other.index()]));
        theirs.sort_unstable();
        let mut hands = [self.hand.clone(), theirs];
        if other == Seat(0) {
            hands.swap(0, 1);
        }
        let short_deck = ShortDeck::ALL[rng.below(ShortDeck::ALL.len())];
        State {
            options: Options { short_deck, draws: self.draws },
            hands,
            deck: cards,
            taken: self.open.taken.clone(),
            leader: self.open.leader,
            trick: self.open.trick.clone(),
            past: self.open.past.clone(),
        }
    }
}
