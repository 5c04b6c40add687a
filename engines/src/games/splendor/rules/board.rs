//! What lies on the table, as the truth or as somebody sees it: counts, points, which actions are legal, and which
//! tables are impossible. Knows nothing of the order of the decks.

use serde::{Deserialize, Serialize};

use super::cards::{
    Amounts, CARDS, CHIPS, COLORS, Color, GOLD, LEVEL_SIZES, LEVELS, NOBLES, SLOTS, card, noble,
};
use super::moves::{Colors, Move};
use crate::game::{Seat, Turn};

/// Chips of each kind: the five colours, then gold.
pub type Chips = [u8; CHIPS];

/// Most chips a player keeps.
pub const HAND_LIMIT: u8 = 10;
/// Most reserved cards a player holds.
pub const RESERVE_LIMIT: usize = 3;
/// Points that end a match after the round in which they are reached.
pub const GOAL: u32 = 15;
/// Rounds after which a match ends.
pub const ROUNDS: u8 = 100;
/// Most players.
pub const SEATS: usize = 4;
/// Gold chips in the game.
pub const ALL_GOLD: u8 = 5;
/// Fewest chips of a colour in the bank from which two may be taken.
const ENOUGH_FOR_TWO: u8 = 4;

/// Chips of each colour in the game for this many players, 1 to 4.
pub fn chips_of_a_color(players: usize) -> u8 {
    [4, 4, 5, 7][players - 1]
}

/// What one player has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hand {
    /// Chips.
    pub chips: Chips,
    /// Cards bought, in order.
    pub cards: Vec<u8>,
    /// Cards reserved, in order: the id, or -1 to -3 for a card of that level that the viewer does not know.
    pub reserved: Vec<i8>,
    /// Nobles received, in order.
    pub nobles: Vec<u8>,
}

impl Hand {
    /// Whether nothing was taken, reserved or bought yet.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty() && self.reserved.is_empty() && self.chips == [0; CHIPS]
    }

    /// Cards bought of each colour.
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

    /// Chips in hand, gold included.
    pub fn held(&self) -> u8 {
        self.chips.iter().sum()
    }

    /// What buying `id` takes from the hand: each colour less the bonuses, then gold for what is missing; `None` if
    /// the chips do not suffice.
    pub fn price(&self, id: u8) -> Option<Chips> {
        let bonuses = self.bonuses();
        let mut paid = [0; CHIPS];
        for c in 0..COLORS {
            let due = card(id).cost[c].saturating_sub(bonuses[c]);
            paid[c] = due.min(self.chips[c]);
            paid[GOLD] += due - paid[c];
        }
        (paid[GOLD] <= self.chips[GOLD]).then_some(paid)
    }

    /// The fewest turns in which a player can have come to this hand. `None`: more gold than reservations can have
    /// brought.
    pub fn fewest_turns(&self) -> Option<usize> {
        self.least_thirds().map(|thirds| thirds.div_ceil(3))
    }

    /// [`Self::fewest_turns`] in thirds of a turn: three for each purchase and each reservation, and one for each chip
    /// (held, or paid for the cards in their order) that reservations did not bring.
    pub fn least_thirds(&self) -> Option<usize> {
        let mut bonuses = [0u8; COLORS];
        let mut chips = usize::from(self.held());
        for id in &self.cards {
            let due = card(*id).cost.iter().zip(&bonuses).map(|(cost, bonus)| cost.saturating_sub(*bonus));
            chips += usize::from(due.sum::<u8>());
            bonuses[usize::from(card(*id).bonus)] += 1;
        }
        let reserved = self.reserved.len();
        // Gold beyond the cards still reserved came with cards that were reserved and bought since.
        let bought_from_hand = usize::from(self.chips[GOLD]).saturating_sub(reserved);
        let reservations = reserved + bought_from_hand;
        (bought_from_hand <= self.cards.len())
            .then(|| 3 * (self.cards.len() + reservations) + chips.saturating_sub(reservations))
    }
}

/// A table; what the viewer does not know is hidden in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// The bank.
    pub bank: Chips,
    /// Cards face down, by level.
    pub decks: [u8; LEVELS],
    /// Cards face up, by level and slot; 0 where the deck is empty.
    pub face_up: [[u8; SLOTS]; LEVELS],
    /// Nobles that wait, in table order.
    pub nobles: Vec<u8>,
    /// Players in seat order.
    pub hands: Vec<Hand>,
    /// Full rounds played.
    pub round: u8,
    /// The seat to move; seat 0 when the match is over.
    pub to_move: Seat,
}

impl Board {
    /// Whose turn it is. The end is looked at only between rounds.
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

    /// The first waiting noble that the seat to move has the bonuses for: an index into `nobles`.
    pub fn noble_due(&self) -> Option<usize> {
        let bonuses = self.mover().bonuses();
        self.nobles.iter().position(|id| covers(&bonuses, &noble(*id).needs))
    }

    fn is_face_up(&self, id: u8) -> bool {
        self.face_up.iter().flatten().any(|up| *up == id)
    }

    /// The chips that the seat to move holds after taking `colors` and perhaps a gold chip, before returns.
    fn holding(&self, colors: &Amounts, gold: bool) -> Chips {
        let mut chips = self.mover().chips;
        colors.iter().enumerate().for_each(|(c, n)| chips[c] += n);
        chips[GOLD] += u8::from(gold && self.bank[GOLD] > 0);
        chips
    }

    /// How many chips an action must return, as far as its kind and the number of colours taken tell: with
    /// `taken` colours, or by a reservation (`None`).
    pub fn returns_due(&self, taken: Option<u8>) -> u8 {
        let gained = taken.unwrap_or_else(|| u8::from(self.bank[GOLD] > 0));
        (self.mover().held() + gained).saturating_sub(HAND_LIMIT)
    }

    /// Whether exactly the due chips are returned, from what is held.
    fn can_return(chips: &Chips, returns: &Colors) -> bool {
        let due = chips.iter().sum::<u8>().saturating_sub(HAND_LIMIT);
        returns.len() == due && returns.amounts().iter().zip(chips).all(|(n, held)| n <= held)
    }

    /// Whether the rules accept the action of the seat to move; the match is not over.
    pub fn is_legal(&self, mv: &Move) -> bool {
        match mv {
            Move::Take { colors, returns } => {
                let amounts = colors.amounts();
                amounts.iter().zip(&self.bank).all(|(n, bank)| *n <= 1.min(*bank))
                    && Self::can_return(&self.holding(amounts, false), returns)
            }
            Move::TakeTwo { color, returns } => {
                self.bank[color.index()] >= ENOUGH_FOR_TWO
                    && Self::can_return(&self.holding(&two(*color), false), returns)
            }
            Move::Reserve { card, returns } => {
                *card > 0 && self.is_face_up(*card) && self.can_reserve(returns)
            }
            Move::ReserveTop { level, returns } => {
                (1..=LEVELS).contains(&usize::from(*level))
                    && self.decks[usize::from(*level) - 1] > 0
                    && self.can_reserve(returns)
            }
            Move::Buy { card } => {
                let own = || self.mover().reserved.iter().any(|r| u8::try_from(*r) == Ok(*card));
                (1..=CARDS).contains(&usize::from(*card))
                    && (self.is_face_up(*card) || own())
                    && self.mover().price(*card).is_some()
            }
            Move::Void => self.noble_due().is_some(),
        }
    }

    fn can_reserve(&self, returns: &Colors) -> bool {
        self.mover().reserved.len() < RESERVE_LIMIT
            && Self::can_return(&self.holding(&[0; COLORS], true), returns)
    }

    /// Appends every legal action of the seat to move, each once; the match is not over.
    pub fn legal(&self, out: &mut Vec<Move>) {
        let mut with_returns = |chips: Chips, make: &dyn Fn(Colors) -> Move| {
            each_return(&chips, &mut |returns| out.push(make(Colors::new(returns))));
        };
        for set in 0..1u8 << COLORS {
            let amounts: Amounts = std::array::from_fn(|c| set >> c & 1);
            if set.count_ones() <= 3 && covers(self.bank[..COLORS].as_ref(), &amounts) {
                let colors = Colors::new(amounts);
                with_returns(self.holding(&amounts, false), &|returns| Move::Take { colors, returns });
            }
        }
        for color in Color::ALL.into_iter().filter(|c| self.bank[c.index()] >= ENOUGH_FOR_TWO) {
            with_returns(self.holding(&two(color), false), &|returns| Move::TakeTwo { color, returns });
        }
        if self.mover().reserved.len() < RESERVE_LIMIT {
            let chips = self.holding(&[0; COLORS], true);
            for card in self.face_up.into_iter().flatten().filter(|id| *id > 0) {
                with_returns(chips, &|returns| Move::Reserve { card, returns });
            }
            for level in (1..=3).filter(|level| self.decks[usize::from(*level) - 1] > 0) {
                with_returns(chips, &|returns| Move::ReserveTop { level, returns });
            }
        }
        let own = self.mover().reserved.iter().filter_map(|r| u8::try_from(*r).ok());
        let cards = self.face_up.into_iter().flatten().filter(|id| *id > 0).chain(own);
        out.extend(cards.filter(|id| self.mover().price(*id).is_some()).map(|card| Move::Buy { card }));
        out.extend(self.noble_due().map(|_| Move::Void));
    }

    /// The result of a match that is over: points, then fewer cards; nobody wins below the goal.
    pub fn result(&self) -> (Vec<i32>, Vec<u8>) {
        let standing = |hand: &Hand| (hand.points(), std::cmp::Reverse(hand.cards.len()));
        let standings: Vec<_> = self.hands.iter().map(standing).collect();
        let won = standings.iter().any(|(points, _)| *points >= GOAL);
        let rank = |own| 1 + standings.iter().filter(|other| *other > own).count() as u8;
        let ranks = standings.iter().map(|own| if won { rank(own) } else { 2 }).collect();
        (standings.iter().map(|(points, _)| *points as i32).collect(), ranks)
    }

    /// What no table can be. `sees`: the seat whose reserved cards are all known.
    ///
    /// # Errors
    /// The field, and what is allowed there.
    pub fn check(&self, sees: Option<Seat>) -> Result<(), String> {
        let players = self.hands.len();
        if !(1..=SEATS).contains(&players) {
            return Err(format!("players: 1 to 4 play, not {players}"));
        }
        if self.to_move.index() >= players {
            return Err(format!("to_move: there are seats 0 to {}", players - 1));
        }
        if self.round > ROUNDS || (self.round == ROUNDS && self.to_move != Seat(0)) {
            return Err("round: counted from 0, and 100 rounds are played at most".to_owned());
        }
        self.check_chips()?;
        self.check_cards(sees)?;
        self.check_nobles()?;
        for (seat, hand) in self.hands.iter().enumerate() {
            let turns = usize::from(self.round) + usize::from(seat < self.to_move.index());
            if hand.fewest_turns().is_none_or(|fewest| fewest > turns) || hand.nobles.len() > turns {
                return Err(format!("players[{seat}]: all this cannot be had after {turns} turns"));
            }
        }
        Ok(())
    }

    fn check_chips(&self) -> Result<(), String> {
        for kind in 0..CHIPS {
            let all = if kind == GOLD { ALL_GOLD } else { chips_of_a_color(self.hands.len()) };
            let owned = self.hands.iter().map(|hand| u32::from(hand.chips[kind]));
            if u32::from(self.bank[kind]) + owned.sum::<u32>() != u32::from(all) {
                let names = ["red", "green", "blue", "white", "black", "gold"];
                return Err(format!("chips: bank and players together have {all} {} chips", names[kind]));
            }
        }
        // No sum here can overflow: no count above is over 7.
        match self.hands.iter().position(|hand| hand.held() > HAND_LIMIT) {
            Some(seat) => Err(format!("players[{seat}].chips: at most {HAND_LIMIT} are held after a turn")),
            None => Ok(()),
        }
    }

    fn check_cards(&self, sees: Option<Seat>) -> Result<(), String> {
        let mut seen = [false; CARDS + 1];
        let mut of_level = self.decks.map(u32::from);
        let mut know = |id: u8, field: &str| {
            if !(1..=CARDS).contains(&usize::from(id)) {
                return Err(format!("{field}: {id} is no card: ids are 1 to 90"));
            }
            if std::mem::replace(&mut seen[usize::from(id)], true) {
                return Err(format!("{field}: card {id} is there twice"));
            }
            of_level[usize::from(card(id).level)] += 1;
            Ok(usize::from(card(id).level))
        };
        for (level, slots) in self.face_up.iter().enumerate() {
            let field = format!("levels[{level}].face_up");
            for id in slots {
                if *id == 0 && self.decks[level] > 0 {
                    return Err(format!("{field}: 0 stands only where the deck is empty"));
                }
                if *id != 0 && know(*id, &field)? != level {
                    return Err(format!("{field}: card {id} is of another level"));
                }
            }
        }
        let mut hidden = [0u32; LEVELS];
        for (seat, hand) in self.hands.iter().enumerate() {
            let field = |name| format!("players[{seat}].{name}");
            for id in &hand.cards {
                know(*id, &field("cards"))?;
            }
            if hand.reserved.len() > RESERVE_LIMIT {
                return Err(format!("{}: at most three cards are reserved", field("reserved")));
            }
            for what in &hand.reserved {
                match u8::try_from(*what) {
                    Ok(id) => know(id, &field("reserved")).map(|_| ())?,
                    Err(_) if sees == Some(Seat(seat as u8)) => {
                        return Err(format!("{}: a player knows its own cards' ids", field("reserved")));
                    }
                    Err(_) if (-3..=-1).contains(what) => hidden[usize::from(what.unsigned_abs()) - 1] += 1,
                    Err(_) => {
                        return Err(format!(
                            "{}: a hidden card is -1, -2 or -3, its level",
                            field("reserved")
                        ));
                    }
                }
            }
        }
        for level in 0..LEVELS {
            let (there, all) = (of_level[level] + hidden[level], LEVEL_SIZES[level]);
            if there != u32::from(all) {
                return Err(format!(
                    "levels[{level}].deck: the level has {all} cards, not {there}, deck and seen ones together"
                ));
            }
        }
        Ok(())
    }

    fn check_nobles(&self) -> Result<(), String> {
        let mut seen = [false; NOBLES + 1];
        let all = self.nobles.iter().chain(self.hands.iter().flat_map(|hand| &hand.nobles));
        let mut count = 0;
        for id in all {
            if !(1..=NOBLES).contains(&usize::from(*id)) {
                return Err(format!("nobles: {id} is no noble: ids are 1 to 10"));
            }
            if std::mem::replace(&mut seen[usize::from(*id)], true) {
                return Err(format!("nobles: noble {id} is there twice"));
            }
            count += 1;
        }
        let players = self.hands.len();
        if count != players + 1 {
            return Err(format!("nobles: {players} players have {} of them, not {count}", players + 1));
        }
        for (seat, hand) in self.hands.iter().enumerate() {
            let bonuses = hand.bonuses();
            if let Some(id) = hand.nobles.iter().find(|id| !covers(&bonuses, &noble(**id).needs)) {
                return Err(format!(
                    "players[{seat}].nobles: the cards bought are not enough for noble {id}"
                ));
            }
        }
        Ok(())
    }
}

fn covers(have: &[u8], needs: &Amounts) -> bool {
    have.iter().zip(needs).all(|(have, needs)| have >= needs)
}

fn two(color: Color) -> Amounts {
    let mut amounts = [0; COLORS];
    amounts[color.index()] = 2;
    amounts
}

/// Calls `each` with every way to return what these chips are over the limit, gold never.
fn each_return(chips: &Chips, each: &mut dyn FnMut(Amounts)) {
    fn rest(chips: &Chips, from: usize, due: u8, returns: &mut Amounts, each: &mut dyn FnMut(Amounts)) {
        if due == 0 {
            return each(*returns);
        }
        for c in from..COLORS {
            if returns[c] < chips[c] {
                returns[c] += 1;
                rest(chips, c, due - 1, returns, each);
                returns[c] -= 1;
            }
        }
    }
    let due = chips.iter().sum::<u8>().saturating_sub(HAND_LIMIT);
    rest(chips, 0, due, &mut [0; COLORS], each);
}
