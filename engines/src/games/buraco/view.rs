//! The part of a Buraco match that a viewer may know: the public table and the own hand. Must not hold hidden cards.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Buraco;
use super::rules::{CARDS, Card, KINDS, Meld, MeldRules, Move, PublicTable, State, each_listed, holds, list};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::Rng;

/// The most values of a position: each card once, a second time if it is known to be in a hand, and nine numbers and words.
pub(super) const MOST_VALUES: usize = 2 * CARDS + 9;

/// A position as one seat, or a spectator, sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "RawView", into = "RawView")]
#[schemars(with = "RawView")]
pub struct View {
    open: PublicTable,
    viewer: Viewer,
    hand: Vec<Card>,
}

/// A position in Buraco as one seat, or a spectator, sees it. A card is written like `10♥`; each is in the game twice.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BuracoView")]
struct RawView {
    /// The seat to move; in a finished match, the seat that moved last.
    to_move: Seat,
    /// Whether the seat to move has drawn in this turn.
    drawn: bool,
    /// Number of cards left in the stock.
    stock: u8,
    /// The discard pile, oldest card first; the last card is its top. Both seats have seen all of it.
    pile: Vec<Card>,
    /// Each seat's melds in order of creation. The cards of a meld are in sequence, with a wild 2 at its place.
    melds: [Vec<Meld>; 2],
    /// Number of cards in each seat's hand. Stock, pile, melds and hands together have 104 cards.
    hand_sizes: [u8; 2],
    /// Cards of each seat's hand that both seats know: taken from the pile and not played since. Empty if absent.
    #[serde(default)]
    known: [Vec<Card>; 2],
    /// The viewer's hand in the order in which its cards arrived, because the final count of a hand of seven or more
    /// depends on it. Empty for a spectator.
    #[serde(default)]
    hand: Vec<Card>,
    /// Whether a seat drew from the empty stock, which ends the match. False if absent.
    #[serde(default)]
    exhausted: bool,
    /// How melds and joins are checked. As the contest's referee does if absent.
    #[serde(default, skip_serializing_if = "MeldRules::is_referee")]
    meld_rules: MeldRules,
    /// The viewer; the seat to move if absent.
    viewer: Option<Viewer>,
}

impl View {
    pub(super) fn new(open: PublicTable, viewer: Viewer, hand: Vec<Card>) -> Self {
        Self { open, viewer, hand }
    }

    /// Everything that both seats see.
    pub fn open(&self) -> &PublicTable {
        &self.open
    }

    /// The viewer's hand in the order in which its cards arrived; empty for a spectator.
    pub fn hand(&self) -> &[Card] {
        &self.hand
    }

    /// Calls `each` with the moves of [`View::legal`](crate::game::View::legal); see [`each_listed`].
    pub(super) fn each_listed(&self, each: &mut dyn FnMut(Move, Option<Card>)) {
        if self.turn_is_viewers() {
            each_listed(&self.open, &self.hand, each);
        }
    }

    fn turn_is_viewers(&self) -> bool {
        matches!(self.open.turn(), Turn::Of(seat) if self.viewer == Viewer::Seat(seat))
    }

    /// The seats whose hands this viewer cannot see.
    fn hidden(&self) -> impl Iterator<Item = Seat> {
        let viewer = self.viewer;
        [Seat(0), Seat(1)].into_iter().filter(move |seat| Viewer::Seat(*seat) != viewer)
    }

    /// Number of copies of each kind in the stock or hidden in a hand, without those of [`PublicTable::known`].
    pub fn unseen(&self) -> [u8; KINDS] {
        let known = self.hidden().flat_map(|seat| self.open.known(seat));
        let seen: Vec<Card> = self.hand.iter().chain(known).copied().collect();
        self.open.unseen(&seen).expect("a view shows no third copy")
    }

    /// The rule that a move of the viewer, who is to move, breaks. A mistake ends the match, so the words may speak of the
    /// hand.
    pub(super) fn broken_rule(&self, mv: &Move) -> Option<String> {
        self.open.check(&self.hand, mv).err()
    }

    /// The cards, known or unknown, that may be in this seat's hand.
    pub(super) fn possible(&self, seat: Seat) -> Vec<Card> {
        cards_of(&self.unseen()).chain(self.open.known(seat).iter().copied()).collect()
    }

    /// Checks that this is a possible position of a match.
    ///
    /// # Errors
    /// Names the field and says what is allowed.
    pub(super) fn check(&self) -> Result<(), String> {
        let open = &self.open;
        open.audit()?;
        match self.viewer {
            Viewer::Seat(seat) if seat.0 > 1 => return Err("viewer: there are seats 0 and 1".to_owned()),
            Viewer::Seat(seat) => {
                if self.hand.len() != usize::from(open.hand_size(seat)) {
                    return Err(format!(
                        "hand: it must have as many cards as hand_sizes says for seat {seat}"
                    ));
                }
                if !holds(&self.hand, open.known(seat)) {
                    return Err(format!("known: the hand must contain all known cards of seat {seat}"));
                }
            }
            Viewer::Spectator if self.hand.is_empty() => {}
            Viewer::Spectator => return Err("hand: a spectator sees no hand".to_owned()),
        }
        let known = self.hidden().flat_map(|seat| open.known(seat));
        let seen: Vec<Card> = self.hand.iter().chain(known).copied().collect();
        match open.unseen(&seen) {
            Some(_) => Ok(()),
            None => Err("pile, melds, hand and known: each card is in the game twice at most".to_owned()),
        }
    }
}

/// The cards of a table of counts by kind.
fn cards_of(counts: &[u8; KINDS]) -> impl Iterator<Item = Card> {
    Card::all().zip(*counts).flat_map(|(card, n)| std::iter::repeat_n(card, usize::from(n)))
}

impl TryFrom<RawView> for View {
    type Error = String;

    fn try_from(raw: RawView) -> Result<Self, String> {
        let mut known = raw.known;
        known.iter_mut().for_each(|k| k.sort_unstable());
        let open = PublicTable {
            to_move: raw.to_move,
            drawn: raw.drawn,
            stock: raw.stock,
            pile: raw.pile,
            melds: raw.melds,
            sizes: raw.hand_sizes,
            known,
            exhausted: raw.exhausted,
            meld_rules: raw.meld_rules,
        };
        let view = Self { open, viewer: raw.viewer.unwrap_or(Viewer::Seat(raw.to_move)), hand: raw.hand };
        view.check()?;
        Ok(view)
    }
}

impl From<View> for RawView {
    fn from(view: View) -> Self {
        let PublicTable { to_move, drawn, stock, pile, melds, sizes, known, exhausted, meld_rules } =
            view.open;
        Self {
            to_move,
            drawn,
            stock,
            pile,
            melds,
            hand_sizes: sizes,
            known,
            hand: view.hand,
            exhausted,
            meld_rules,
            viewer: Some(view.viewer),
        }
    }
}

impl crate::game::View<Buraco> for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn turn(&self) -> Turn {
        self.open.turn()
    }

    fn legal(&self, out: &mut Vec<Move>) {
        if self.turn_is_viewers() {
            list(&self.open, &self.hand, out);
        }
    }

    /// A card of the stock, if there is one left for certain; all else depends on the other seat's discard.
    fn premoves(&self, out: &mut Vec<Move>) {
        let (Viewer::Seat(own), Turn::Of(seat)) = (self.viewer, self.open.turn()) else { return };
        if own != seat && self.open.stock > u8::from(!self.open.drawn) {
            out.push(Move::GetStock);
        }
    }

    fn is_legal(&self, mv: &Move) -> bool {
        self.turn_is_viewers() && self.broken_rule(mv).is_none()
    }

    fn picture(&self) -> Option<String> {
        Some(super::picture::picture(&self.open))
    }

    fn guess(&self, rng: &mut Rng) -> State {
        let mut stock: Vec<Card> = cards_of(&self.unseen()).collect();
        rng.shuffle(&mut stock);
        let hands = [Seat(0), Seat(1)].map(|seat| {
            if self.viewer == Viewer::Seat(seat) {
                return self.hand.clone();
            }
            let known = self.open.known(seat);
            let hidden = usize::from(self.open.hand_size(seat)) - known.len();
            let mut hand = stock.split_off(stock.len() - hidden);
            hand.extend(known);
            rng.shuffle(&mut hand);
            hand
        });
        State { open: self.open.clone(), hands, stock }
    }
}
