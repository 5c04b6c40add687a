//! Splendor's rules as the official referee plays them: the full state and the effect of actions on it. Must not
//! know protocols or search.

mod audit;
mod board;
pub(super) mod cards;
mod legality;
mod moves;

pub(super) use board::{ALL_GOLD, Board, Chips, HAND_LIMIT, Hand, RESERVE_LIMIT, ROUNDS, chips_of_a_color};
pub use board::{GOAL, SEATS};
pub(super) use cards::{CARD_TABLE, CHIPS, LEVELS, NOBLE_TABLE, SLOTS, card, ids_of, noble};
pub use cards::{CARDS, COLORS, Color, GOLD, NOBLES};
pub(super) use moves::integer;
pub use moves::{Colors, Move};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Splendor, View};
use crate::game::{BadOptions, Outcome, Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// Options of a deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Number of players, 1 to 4; 2 if absent.
    #[schemars(range(min = 1, max = 4))]
    pub players: u8,
}

impl Default for Options {
    fn default() -> Self {
        Self { players: 2 }
    }
}

/// The full state of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The table, with no hidden cards.
    pub(super) board: Board,
    /// The face-down cards by level; the next card to draw is the last.
    pub(super) decks: [Vec<u8>; LEVELS],
    /// Reserved cards that came from a deck, which only their owner knows.
    pub(super) blind: Vec<u8>,
}

impl State {
    pub(super) fn deal(options: &Options, seed: &Seed) -> Result<Self, BadOptions> {
        let players = usize::from(options.players);
        if !(1..=SEATS).contains(&players) {
            return Err(BadOptions(format!("players: 1 to 4, not {players}")));
        }
        let mut rng = Rng::new(seed);
        let mut decks: [Vec<u8>; LEVELS] = std::array::from_fn(|level| ids_of(level).collect());
        decks.iter_mut().for_each(|deck| rng.shuffle(deck));
        let mut nobles: Vec<u8> = (1..=NOBLES as u8).collect();
        rng.shuffle(&mut nobles);
        nobles.truncate(players + 1);
        let face_up = decks.each_mut().map(|deck| std::array::from_fn(|_| deck.pop().unwrap_or(0)));
        let mut bank = [chips_of_a_color(players); CHIPS];
        bank[GOLD] = 5;
        let board = Board {
            bank,
            decks: decks.each_ref().map(|deck| deck.len() as u8),
            face_up,
            nobles,
            hands: vec![Hand::default(); players],
            round: 0,
            to_move: Seat(0),
        };
        Ok(Self { board, decks, blind: Vec::new() })
    }

    /// Draws the next card of a deck; 0 if the deck is empty.
    fn draw(&mut self, level: usize) -> u8 {
        let id = self.decks[level].pop().unwrap_or(0);
        self.board.decks[level] = self.decks[level].len() as u8;
        id
    }

    fn hand(&mut self) -> &mut Hand {
        &mut self.board.hands[self.board.to_move.index()]
    }

    /// Moves chips from the bank to the hand of the seat to move.
    fn take(&mut self, amounts: &[u8]) {
        for (kind, n) in amounts.iter().enumerate() {
            self.board.bank[kind] -= n;
            self.hand().chips[kind] += n;
        }
    }

    /// Moves chips from the hand of the seat to move to the bank.
    fn pay(&mut self, amounts: &[u8]) {
        for (kind, n) in amounts.iter().enumerate() {
            self.hand().chips[kind] -= n;
            self.board.bank[kind] += n;
        }
    }

    /// Takes a face-up card and fills its slot. Returns `false` if the card is not face up.
    fn remove_face_up(&mut self, id: u8) -> bool {
        let level = usize::from(card(id).level);
        let slot = self.board.face_up[level].iter().position(|up| *up == id);
        if let Some(slot) = slot {
            self.board.face_up[level][slot] = self.draw(level);
        }
        slot.is_some()
    }

    fn reserve(&mut self, id: u8, returns: &Colors) {
        let signed = i8::try_from(id).expect("ids are at most 90");
        self.hand().reserved.push(signed);
        let gold = self.board.bank[GOLD].min(1);
        self.take(&[0, 0, 0, 0, 0, gold]);
        self.pay(returns.amounts());
    }

    fn buy(&mut self, id: u8) {
        let price = self.board.mover().price(id).expect("a legal purchase can be paid");
        self.pay(&price);
        if !self.remove_face_up(id) {
            self.hand().reserved.retain(|r| u8::try_from(*r) != Ok(id));
            self.blind.retain(|b| *b != id);
        }
        self.hand().cards.push(id);
    }
}

impl crate::game::State<Splendor> for State {
    fn seats(&self) -> u8 {
        self.board.hands.len() as u8
    }

    fn turn(&self) -> Turn {
        self.board.turn()
    }

    fn play(&mut self, mv: &Move) {
        match mv {
            Move::Take { colors, returns } => {
                self.take(colors.amounts());
                self.pay(returns.amounts());
            }
            Move::TakeTwo { color, returns } => {
                let mut two = [0; COLORS];
                two[color.index()] = 2;
                self.take(&two);
                self.pay(returns.amounts());
            }
            Move::Reserve { card, returns } => {
                self.remove_face_up(*card);
                self.reserve(*card, returns);
            }
            Move::ReserveTop { level, returns } => {
                let id = self.draw(usize::from(*level) - 1);
                self.blind.push(id);
                self.reserve(id, returns);
            }
            Move::Buy { card } => self.buy(*card),
            Move::Void => {}
        }
        if *mv != Move::Void
            && let Some(due) = self.board.noble_due()
        {
            let noble = self.board.nobles.remove(due);
            self.hand().nobles.push(noble);
        }
        self.board.to_move.0 += 1;
        if self.board.to_move.index() == self.board.hands.len() {
            self.board.to_move = Seat(0);
            self.board.round += 1;
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.turn() == Turn::Over).then(|| {
            let (points, ranks) = self.board.result();
            let reason = if ranks.contains(&1) {
                "15 points were reached"
            } else {
                "100 rounds are over and nobody has 15 points"
            };
            Outcome { points, ranks, reason: reason.to_owned() }
        })
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn list_legal(&self, out: &mut Vec<Move>) {
        if self.turn() != Turn::Over {
            self.board.legal(out);
        }
    }

    fn audit(&self) -> Result<(), String> {
        if let Some(hidden) = self.board.hands.iter().flat_map(|h| &h.reserved).find(|r| **r <= 0) {
            return Err(format!("reserved: a state has no hidden cards, but here is {hidden}"));
        }
        self.board.check(None)?;
        for (level, deck) in self.decks.iter().enumerate() {
            if deck.len() != usize::from(self.board.decks[level]) {
                return Err(format!("decks: level {} has {} cards", level + 1, deck.len()));
            }
            // Together with the deck, the board must have every card of the level once.
            let mut ids: Vec<u8> = deck.clone();
            ids.extend(self.board.face_up.iter().flatten().filter(|id| **id > 0));
            ids.extend(self.board.hands.iter().flat_map(|h| &h.cards));
            ids.extend(
                self.board.hands.iter().flat_map(|h| &h.reserved).filter_map(|r| u8::try_from(*r).ok()),
            );
            ids.retain(|id| ids_of(level).contains(id));
            ids.sort_unstable();
            if !ids.iter().copied().eq(ids_of(level)) {
                return Err(format!("decks: level {} must have each of its cards once: {ids:?}", level + 1));
            }
        }
        let reserved =
            |id: &u8| self.board.hands.iter().flat_map(|h| &h.reserved).any(|r| u8::try_from(*r) == Ok(*id));
        match self.blind.iter().find(|id| !reserved(id)) {
            Some(id) => Err(format!("blind: card {id} is not reserved")),
            None => Ok(()),
        }
    }
}
