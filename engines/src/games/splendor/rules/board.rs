//! The table, complete or as one viewer sees it: counts, points and legal actions. Must not know the order of the decks.

use serde::{Deserialize, Serialize};

use super::cards::{Amounts, CHIPS, COLORS, Color, GOLD, LEVELS, SLOTS, card, noble};
use super::legality::ENOUGH_FOR_TWO;
use super::moves::{Colors, Move};
use crate::game::{Seat, Turn};

/// Chips of each kind: the five colours, then gold.
pub(crate) type Chips = [u8; CHIPS];

/// Most chips a player keeps.
pub(crate) const HAND_LIMIT: u8 = 10;
/// Most reserved cards a player holds.
pub(crate) const RESERVE_LIMIT: usize = 3;
/// Points that end a match at the end of the round.
pub const GOAL: u32 = 15;
/// Rounds after which a match ends.
pub(crate) const ROUNDS: u8 = 100;
/// Most players.
pub const SEATS: usize = 4;
/// Gold chips in the game.
pub(crate) const ALL_GOLD: u8 = 5;

/// Chips of each colour in a game with this number of players, 1 to 4.
pub(crate) fn chips_of_a_color(players: usize) -> u8 {
    [4, 4, 5, 7][players - 1]
}

/// The chips, cards and nobles of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hand {
    /// By colour, gold last.
    pub chips: Chips,
    /// Bought cards, in order.
    pub cards: Vec<u8>,
    /// Reserved cards, in order: the id, or -1 to -3 for a card of that level that the viewer does not know.
    pub reserved: Vec<i8>,
    /// Nobles received, in order.
    pub nobles: Vec<u8>,
}

impl Hand {
    /// Whether the player has no chips and no cards.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty() && self.reserved.is_empty() && self.chips == [0; CHIPS]
    }

    /// Number of bought cards of each colour.
    pub fn bonuses(&self) -> Amounts {
        let mut bonuses = [0; COLORS];
        self.cards.iter().for_each(|id| bonuses[usize::from(card(*id).bonus)] += 1);
        bonuses
    }

    /// Points of cards and nobles.
    pub fn points(&self) -> u32 {
        let cards = self.cards.iter().map(|id| u32::from(card(*id).points));
        cards.chain(self.nobles.iter().map(|id| u32::from(noble(*id).points))).sum()
    }

    /// Number of chips, gold included.
    pub fn held(&self) -> u8 {
        self.chips.iter().sum()
    }

    /// The chips that buying `id` costs: each colour minus the bonuses, with gold for missing chips. `None` if the chips do
    /// not suffice.
    pub fn price(&self, id: u8) -> Option<Chips> {
        self.price_with(&self.bonuses(), id)
    }

    /// [`Self::price`] with these bonuses, those of [`Self::bonuses`].
    fn price_with(&self, bonuses: &Amounts, id: u8) -> Option<Chips> {
        let mut paid = [0; CHIPS];
        for c in 0..COLORS {
            let due = card(id).cost[c].saturating_sub(bonuses[c]);
            paid[c] = due.min(self.chips[c]);
            paid[GOLD] += due - paid[c];
        }
        (paid[GOLD] <= self.chips[GOLD]).then_some(paid)
    }

    /// The fewest turns in which a player can reach this hand. `None` if it has more gold than its reservations can have
    /// brought.
    pub fn fewest_turns(&self) -> Option<usize> {
        self.least_thirds().map(|thirds| thirds.div_ceil(3))
    }

    /// [`Self::fewest_turns`] in thirds of a turn: three for each purchase and each reservation, and one for each chip
    /// (held, or paid for the cards in their order) that no reservation brought.
    pub fn least_thirds(&self) -> Option<usize> {
        let mut bonuses = [0u8; COLORS];
        let mut chips = usize::from(self.held());
        for id in &self.cards {
            let due = card(*id).cost.iter().zip(&bonuses).map(|(cost, bonus)| cost.saturating_sub(*bonus));
            chips += usize::from(due.sum::<u8>());
            bonuses[usize::from(card(*id).bonus)] += 1;
        }
        let reserved = self.reserved.len();
        // Gold beyond the reserved cards came with cards that were reserved and later bought.
        let bought_from_hand = usize::from(self.chips[GOLD]).saturating_sub(reserved);
        let reservations = reserved + bought_from_hand;
        (bought_from_hand <= self.cards.len())
            .then(|| 3 * (self.cards.len() + reservations) + chips.saturating_sub(reservations))
    }
}

/// A table, in which cards that the viewer does not know are hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// The chips that can be taken, by colour.
    pub bank: Chips,
    /// Number of face-down cards, by level.
    pub decks: [u8; LEVELS],
    /// Face-up cards by level and slot; 0 for an empty slot, once the deck is empty.
    pub face_up: [[u8; SLOTS]; LEVELS],
    /// Nobles on the table, in order.
    pub nobles: Vec<u8>,
    /// Hands in seat order.
    pub hands: Vec<Hand>,
    /// Complete rounds played.
    pub round: u8,
    /// The seat to move; seat 0 when the match is over.
    pub to_move: Seat,
}

impl Board {
    /// The seat to move. A match ends only between rounds.
    pub fn turn(&self) -> Turn {
        let goal = || self.hands.iter().any(|hand| hand.points() >= GOAL);
        if self.to_move == Seat(0) && (self.round >= ROUNDS || goal()) {
            Turn::Over
        } else {
            Turn::Of(self.to_move)
        }
    }

    /// The hand of the seat to move.
    pub fn mover(&self) -> &Hand {
        &self.hands[self.to_move.index()]
    }

    /// The first noble for which the seat to move has the bonuses, as an index into `nobles`.
    pub fn noble_due(&self) -> Option<usize> {
        let bonuses = self.mover().bonuses();
        self.nobles.iter().position(|id| covers(&bonuses, &noble(*id).needs))
    }

    pub(super) fn is_face_up(&self, id: u8) -> bool {
        self.face_up.iter().flatten().any(|up| *up == id)
    }

    /// The chips of the seat to move after taking `colors`, and a gold chip if `gold` and the bank has one, before returns.
    pub(super) fn holding(&self, colors: &Amounts, gold: bool) -> Chips {
        let mut chips = self.mover().chips;
        colors.iter().enumerate().for_each(|(c, n)| chips[c] += n);
        chips[GOLD] += u8::from(gold && self.bank[GOLD] > 0);
        chips
    }

    /// The number of chips that an action must return: one that takes `taken` chips, or a reservation (`None`).
    pub fn returns_due(&self, taken: Option<u8>) -> u8 {
        let gained = taken.unwrap_or_else(|| u8::from(self.bank[GOLD] > 0));
        (self.mover().held() + gained).saturating_sub(HAND_LIMIT)
    }

    /// Appends every legal action of the seat to move once. The match must not be over.
    pub fn legal(&self, out: &mut Vec<Move>) {
        for set in 0..1u8 << COLORS {
            let amounts: Amounts = std::array::from_fn(|c| set >> c & 1);
            if set.count_ones() <= 3 && covers(self.bank[..COLORS].as_ref(), &amounts) {
                let colors = Colors::new(amounts);
                out.extend(
                    returns(self.holding(&amounts, false)).map(|returns| Move::Take { colors, returns }),
                );
            }
        }
        for color in Color::ALL.into_iter().filter(|c| self.bank[c.index()] >= ENOUGH_FOR_TWO) {
            let returns = returns(self.holding(&two(color), false));
            out.extend(returns.map(|returns| Move::TakeTwo { color, returns }));
        }
        if self.mover().reserved.len() < RESERVE_LIMIT {
            let chips = self.holding(&[0; COLORS], true);
            for card in self.face_up.into_iter().flatten().filter(|id| *id > 0) {
                out.extend(returns(chips).map(|returns| Move::Reserve { card, returns }));
            }
            for level in (1..=3).filter(|level| self.decks[usize::from(*level) - 1] > 0) {
                out.extend(returns(chips).map(|returns| Move::ReserveTop { level, returns }));
            }
        }
        let (mover, bonuses) = (self.mover(), self.mover().bonuses());
        let own = mover.reserved.iter().filter_map(|r| u8::try_from(*r).ok());
        let cards = self.face_up.into_iter().flatten().filter(|id| *id > 0).chain(own);
        let can_pay = |id: &u8| mover.price_with(&bonuses, *id).is_some();
        out.extend(cards.filter(can_pay).map(|card| Move::Buy { card }));
        out.extend(self.noble_due().map(|_| Move::Void));
    }

    /// Points and ranks of a finished match: more points, then fewer cards. Below the goal no seat wins.
    pub fn result(&self) -> (Vec<i32>, Vec<u8>) {
        let standing = |hand: &Hand| (hand.points(), std::cmp::Reverse(hand.cards.len()));
        let standings: Vec<_> = self.hands.iter().map(standing).collect();
        let won = standings.iter().any(|(points, _)| *points >= GOAL);
        let rank = |own| 1 + standings.iter().filter(|other| *other > own).count() as u8;
        let ranks = standings.iter().map(|own| if won { rank(own) } else { 2 }).collect();
        (standings.iter().map(|(points, _)| *points as i32).collect(), ranks)
    }
}

pub(super) fn covers(have: &[u8], needs: &Amounts) -> bool {
    have.iter().zip(needs).all(|(have, needs)| have >= needs)
}

pub(super) fn two(color: Color) -> Amounts {
    let mut amounts = [0; COLORS];
    amounts[color.index()] = 2;
    amounts
}

/// Every way to return the chips over the limit, without gold.
fn returns(chips: Chips) -> impl Iterator<Item = Colors> {
    let due = usize::from(chips.iter().sum::<u8>().saturating_sub(HAND_LIMIT));
    let sets: &[Amounts] =
        [&[[0; COLORS]], &ONE[..], &TWO[..], &THREE[..]].get(due).copied().unwrap_or_default();
    sets.iter().filter(move |set| (0..COLORS).all(|c| chips[c] >= set[c])).map(|set| Colors::new(*set))
}

/// Every way to choose chips, in the order of their colours' numbers: one chip, two and three.
const ONE: [Amounts; 5] = sets(1);
const TWO: [Amounts; 15] = sets(2);
const THREE: [Amounts; 35] = sets(3);

/// The ways to choose `size` chips, at most three.
const fn sets<const N: usize>(size: usize) -> [Amounts; N] {
    let mut sets = [[0; COLORS]; N];
    let (mut number, mut chips) = (0, [0; 3]);
    while number < N {
        let mut i = 0;
        while i < size {
            sets[number][chips[i]] += 1;
            i += 1;
        }
        number += 1;
        // The next one: the last chip that has a next colour gets it, and so do all behind it.
        let mut last = size;
        while last > 0 && chips[last - 1] == COLORS - 1 {
            last -= 1;
        }
        if last > 0 {
            let next = chips[last - 1] + 1;
            while last <= size {
                chips[last - 1] = next;
                last += 1;
            }
        }
    }
    sets
}
