//! What one seat may know in Septica: its own hand and what lies open. Checks whatever comes from outside; draws
//! what is hidden at random. The numbers of cards follow from what the official dialogue tells.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Septica;
use super::rules::{COPIES, Draws, Move, Open, Options, Rank, ShortDeck, State, at_most_four};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::Rng;

/// A position as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Raw", into = "Raw")]
#[schemars(with = "Raw")]
pub struct View {
    pub(super) open: Open,
    /// The viewer's own, ascending; empty for a spectator.
    pub(super) hand: Vec<Rank>,
    pub(super) draws: Draws,
    viewer: Viewer,
}

/// A position in Septica as one viewer sees it. A card is its rank, 7 to 14.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SepticaView")]
struct Raw {
    /// The viewer's own cards, in any order; none for a spectator.
    hand: Vec<Rank>,
    /// Number of cards each seat holds, at most 4; `hand` has as many as its seat's number here.
    hands: [u8; 2],
    /// Number of cards in the deck, 0 to 24, always even.
    deck: u8,
    /// The seat that led the trick, or is to lead it.
    leader: Seat,
    /// The trick so far, in the order of play, the leader's card first; empty before the lead. A trick that is
    /// over is not shown any more: its cards are taken.
    trick: Vec<Rank>,
    /// The cards each seat has taken, in any order. Together with all other cards there are 32.
    taken: [Vec<Rank>; 2],
    /// The tricks that are over, the first one first, each in the order its cards were played: what the other seat's
    /// play has told. Need not be given; a position without it is played on as well as it can be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    past: Vec<Vec<Rank>>,
    /// What equal points are worth; `split` when not given.
    #[serde(default)]
    draws: Draws,
    /// Who sees this; the seat to move when not given, a spectator when the match is over.
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

    /// The view with these cards, in any order.
    ///
    /// # Errors
    /// When there can be no such position.
    pub(super) fn new(
        mut open: Open,
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
            return Err(format!("hand: by 'hands' and 'viewer' it has {holds} cards, not {}", hand.len()));
        }
        at_most_four(hand.iter().chain(&open.trick).chain(open.taken.iter().flatten()))
            .map_err(|e| format!("hand, trick, taken: {e}"))?;
        hand.sort_unstable();
        open.taken.iter_mut().for_each(|cards| cards.sort_unstable());
        Ok(Self { open, hand, draws, viewer })
    }

    /// The viewer's seat; seat 0 for a spectator, who never moves.
    pub(super) fn seat(&self) -> Seat {
        match self.viewer {
            Viewer::Seat(seat) => seat,
            Viewer::Spectator => Seat(0),
        }
    }

    /// How many cards of each rank the viewer does not see: they lie in the other hand and in the deck.
    pub(super) fn unseen(&self) -> [u8; 8] {
        let mut counts = [COPIES as u8; 8];
        let seen = self.hand.iter().chain(&self.open.trick).chain(self.open.taken.iter().flatten());
        seen.for_each(|card| counts[card.index()] -= 1);
        counts
    }
}

impl TryFrom<Raw> for View {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        let Raw { hand, hands, deck, leader, trick, taken, past, draws, viewer } = raw;
        let open = Open { leader, trick, taken, past, hands, deck };
        open.check()?;
        let viewer = viewer.unwrap_or(match open.turn() {
            Turn::Of(seat) => Viewer::Seat(seat),
            Turn::Over => Viewer::Spectator,
        });
        Self::new(open, hand, draws, viewer)
    }
}

impl From<View> for Raw {
    fn from(view: View) -> Self {
        let View { open: Open { leader, trick, taken, past, hands, deck }, hand, draws, viewer } = view;
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

    /// The hidden cards lie in any order, each equally likely; so do the ways of dealing a short deck, which the
    /// dialogue does not tell.
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
