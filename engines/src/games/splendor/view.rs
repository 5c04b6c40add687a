//! The part of a Splendor match that a viewer may know: all but the decks and the cards that others reserved from a deck.
//! Checks positions from outside. Must not hold hidden cards.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Splendor;
use super::rules::{
    Board, CARDS, CHIPS, Chips, Hand, LEVELS, Move, NOBLES, RESERVE_LIMIT, SEATS, SLOTS, State, card, ids_of,
};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::Rng;

/// The most values of a position: round, seat to move and viewer; the bank, the levels and the nobles; for the players each card
/// once, chips and reserved cards.
pub(super) const MOST_VALUES: usize =
    3 + CHIPS + LEVELS * (1 + SLOTS) + NOBLES + CARDS + SEATS * (CHIPS + RESERVE_LIMIT);

/// A position as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "RawView", into = "RawView")]
#[schemars(with = "RawView")]
pub struct View {
    board: Board,
    viewer: Viewer,
    /// The table if another seat is to move, for a viewer that cannot tell which. Actions must be legal on both.
    otherwise: Option<Box<Board>>,
}

/// A position in Splendor. Card ids are 1 to 40 (level 1), 41 to 70 (level 2), 71 to 90 (level 3); nobles 1 to 10.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SplendorView")]
struct RawView {
    /// Complete rounds played, at most 100.
    #[schemars(range(max = 100))]
    round: u8,
    /// The seat to move; 0 in a finished match.
    to_move: Seat,
    /// The viewer; the seat to move if absent.
    viewer: Option<Viewer>,
    /// Chips in the bank.
    chips: RawChips,
    /// The cards on the table: levels 1, 2 and 3.
    levels: [RawLevel; LEVELS],
    /// Nobles on the table, in order. The first one whose needs a player meets goes to that player.
    nobles: Vec<u8>,
    /// The players in seat order, 1 to 4.
    players: Vec<RawPlayer>,
}

/// Chips by colour.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SplendorChips")]
struct RawChips {
    /// Colour 0 of the official protocol.
    red: u8,
    /// Colour 1.
    green: u8,
    /// Colour 2.
    blue: u8,
    /// Colour 3.
    white: u8,
    /// Colour 4.
    black: u8,
    /// Gold, the joker.
    gold: u8,
}

/// The cards of one level on the table.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SplendorLevel")]
struct RawLevel {
    /// Number of face-down cards.
    deck: u8,
    /// Ids of the face-up cards by slot; 0 for an empty slot, once the deck is empty.
    face_up: [u8; SLOTS],
}

/// The chips, cards and nobles of one player.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SplendorPlayer")]
struct RawPlayer {
    /// Chips, at most ten.
    chips: RawChips,
    /// Ids of the bought cards, in order of purchase.
    cards: Vec<u8>,
    /// Reserved cards in order, at most three: the id, or -1, -2 or -3 for a card of that level that the owner reserved
    /// from the deck and the viewer does not know. A player knows its own cards.
    reserved: Vec<i8>,
    /// Ids of the received nobles.
    nobles: Vec<u8>,
}

impl View {
    /// The view of the state for `viewer`.
    pub(super) fn of(state: &State, viewer: Viewer) -> Self {
        let shown = |seat: usize, id: i8| match u8::try_from(id) {
            Ok(id) if state.blind.contains(&id) && viewer != Viewer::Seat(Seat(seat as u8)) => {
                -1 - card(id).level as i8
            }
            _ => id,
        };
        let seen = |(seat, hand): (usize, &Hand)| Hand {
            chips: hand.chips,
            cards: hand.cards.clone(),
            reserved: hand.reserved.iter().map(|id| shown(seat, *id)).collect(),
            nobles: hand.nobles.clone(),
        };
        let Board { bank, decks, face_up, nobles, hands, round, to_move } = &state.board;
        let board = Board {
            bank: *bank,
            decks: *decks,
            face_up: *face_up,
            nobles: nobles.clone(),
            hands: hands.iter().enumerate().map(seen).collect(),
            round: *round,
            to_move: *to_move,
        };
        Self { board, viewer, otherwise: None }
    }

    /// A view of this table, if it is possible.
    ///
    /// # Errors
    /// Names the field and says what is allowed.
    pub(super) fn checked(board: Board, viewer: Viewer) -> Result<Self, String> {
        let sees = match viewer {
            Viewer::Seat(seat) if seat.index() >= board.hands.len() => {
                return Err("viewer: there is no such seat".to_owned());
            }
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        };
        board.check(sees)?;
        Ok(Self { board, viewer, otherwise: None })
    }

    /// This view restricted to actions that are legal in `other` too, for a viewer that cannot tell which view is right. A
    /// pass is legal in both.
    pub(super) fn or_else(self, other: Self) -> Self {
        Self { otherwise: Some(Box::new(other.board)), ..self }
    }

    /// The table, in which cards that the viewer does not know are hidden.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The cards of each level that may be in the deck or hidden in a hand, in order of their ids.
    pub fn unseen(&self) -> [Vec<u8>; LEVELS] {
        let mut seen = [false; CARDS + 1];
        let hands = self.board.hands.iter();
        let held = hands.flat_map(|h| {
            h.cards.iter().copied().chain(h.reserved.iter().filter_map(|r| u8::try_from(*r).ok()))
        });
        held.chain(self.board.face_up.into_iter().flatten()).for_each(|id| seen[usize::from(id)] = true);
        std::array::from_fn(|level| ids_of(level).filter(|id| !seen[usize::from(*id)]).collect())
    }

    /// The rule that an action of the viewer, who is to move, breaks.
    pub(super) fn broken_rule(&self, mv: &Move) -> Option<String> {
        let otherwise = || self.otherwise.as_ref().and_then(|other| other.broken_rule(mv));
        self.board.broken_rule(mv).or_else(otherwise).map(|rule| rule.to_string())
    }

    fn to_decide(&self) -> bool {
        self.board.turn() == Turn::Of(self.board.to_move) && self.viewer == Viewer::Seat(self.board.to_move)
    }
}

impl crate::game::View<Splendor> for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn turn(&self) -> Turn {
        self.board.turn()
    }

    fn legal(&self, out: &mut Vec<Move>) {
        if self.to_decide() {
            self.board.legal(out);
            if let Some(other) = &self.otherwise {
                out.retain(|mv| other.is_legal(mv));
            }
        }
    }

    /// What the viewer could do now: an action names its cards and chips. A void action is no choice.
    fn premoves(&self, out: &mut Vec<Move>) {
        let (Viewer::Seat(own), Turn::Of(seat)) = (self.viewer, self.board.turn()) else { return };
        if own == seat {
            return;
        }
        let at_own_turn = |board: &Board| Board { to_move: own, ..board.clone() };
        let mut moves = Vec::new();
        at_own_turn(&self.board).legal(&mut moves);
        let other = self.otherwise.as_deref().map(at_own_turn);
        let fits = |mv: &Move| *mv != Move::Void && other.as_ref().is_none_or(|board| board.is_legal(mv));
        out.extend(moves.into_iter().filter(fits));
    }

    fn is_legal(&self, mv: &Move) -> bool {
        self.to_decide()
            && self.board.is_legal(mv)
            && self.otherwise.as_ref().is_none_or(|other| other.is_legal(mv))
    }

    fn picture(&self) -> Option<String> {
        Some(super::picture::picture(&self.board))
    }

    fn guess(&self, rng: &mut Rng) -> State {
        let mut board = self.board.clone();
        let mut decks = self.unseen();
        decks.iter_mut().for_each(|deck| rng.shuffle(deck));
        let mut blind = Vec::new();
        for what in board.hands.iter_mut().flat_map(|hand| &mut hand.reserved).filter(|r| **r < 0) {
            let id = decks[usize::from(what.unsigned_abs()) - 1].pop();
            let id = id.expect("a checked view has enough unseen cards for hidden cards and decks");
            *what = i8::try_from(id).expect("ids are at most 90");
            blind.push(id);
        }
        State { board, decks, blind }
    }
}

impl From<RawChips> for Chips {
    fn from(raw: RawChips) -> Self {
        [raw.red, raw.green, raw.blue, raw.white, raw.black, raw.gold]
    }
}

impl From<Chips> for RawChips {
    fn from([red, green, blue, white, black, gold]: Chips) -> Self {
        Self { red, green, blue, white, black, gold }
    }
}

impl TryFrom<RawView> for View {
    type Error = String;

    fn try_from(raw: RawView) -> Result<Self, String> {
        let viewer = raw.viewer.unwrap_or(Viewer::Seat(raw.to_move));
        let hand = |p: RawPlayer| Hand {
            chips: p.chips.into(),
            cards: p.cards,
            reserved: p.reserved,
            nobles: p.nobles,
        };
        let board = Board {
            bank: raw.chips.into(),
            decks: raw.levels.each_ref().map(|level| level.deck),
            face_up: raw.levels.each_ref().map(|level| level.face_up),
            nobles: raw.nobles,
            hands: raw.players.into_iter().map(hand).collect(),
            round: raw.round,
            to_move: raw.to_move,
        };
        Self::checked(board, viewer)
    }
}

impl From<View> for RawView {
    fn from(View { board, viewer, otherwise: _ }: View) -> Self {
        let player = |hand: Hand| RawPlayer {
            chips: hand.chips.into(),
            cards: hand.cards,
            reserved: hand.reserved,
            nobles: hand.nobles,
        };
        Self {
            round: board.round,
            to_move: board.to_move,
            viewer: Some(viewer),
            chips: board.bank.into(),
            levels: std::array::from_fn(|level| RawLevel {
                deck: board.decks[level],
                face_up: board.face_up[level],
            }),
            nobles: board.nobles,
            players: board.hands.into_iter().map(player).collect(),
        }
    }
}
