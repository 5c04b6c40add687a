//! Which actions are legal, and the rule that an illegal one breaks. Must not know the order of the decks.

use std::fmt;

use super::board::{Board, Chips, HAND_LIMIT, RESERVE_LIMIT, two};
use super::cards::{Amounts, CARDS, COLORS, Color, GOLD, LEVELS, card};
use super::moves::{Colors, Move};

/// Fewest chips of a colour in the bank from which two may be taken.
pub(super) const ENOUGH_FOR_TWO: u8 = 4;

/// The rule that an action breaks. Only what all seats know decides: nobody learns from it whether a card that is not face up
/// is reserved, unless the action would be legal with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokenRule {
    /// A colour is taken twice by `1 k ..`.
    SameColor(Color),
    /// The bank has no chip of this colour.
    BankLacks(Color),
    /// The bank has too few chips of this colour for two.
    TooFewForTwo(Color, u8),
    /// Another number of chips must be returned.
    Returns {
        /// Chips in the hand before returns.
        held: u8,
        /// Chips that are returned.
        returned: u8,
    },
    /// Chips of a colour are returned that the player would not have.
    NotHeld(Color, u8),
    /// There is no card of this id.
    NoCard(u8),
    /// The card is not face up.
    NotFaceUp(u8),
    /// The player has reserved three cards.
    ReservedThree,
    /// There is no deck of this level.
    NoDeck(u8),
    /// The deck of this level is empty.
    EmptyDeck(u8),
    /// The card is neither face up nor reserved by the player.
    NotOffered(u8),
    /// The card costs more.
    TooDear {
        id: u8,
        face_up: bool,
        /// Chips of each colour that it costs after the player's bonuses.
        due: Amounts,
        chips: Chips,
    },
    /// A void action while no noble is due.
    Void,
}

impl Board {
    /// Whether the action is legal for the seat to move. The match must not be over.
    pub fn is_legal(&self, mv: &Move) -> bool {
        self.broken_rule(mv).is_none()
    }

    /// The rule that an action of the seat to move breaks; `None`: it is legal. The match must not be over.
    pub(crate) fn broken_rule(&self, mv: &Move) -> Option<BrokenRule> {
        match mv {
            Move::Take { colors, returns } => {
                let amounts = colors.amounts();
                let wrong = Color::ALL.into_iter().find(|c| amounts[c.index()] > 1.min(self.bank[c.index()]));
                match wrong {
                    Some(color) if self.bank[color.index()] == 0 => Some(BrokenRule::BankLacks(color)),
                    Some(color) => Some(BrokenRule::SameColor(color)),
                    None => wrong_returns(&self.holding(amounts, false), returns),
                }
            }
            Move::TakeTwo { color, returns } => match self.bank[color.index()] {
                ENOUGH_FOR_TWO.. => wrong_returns(&self.holding(&two(*color), false), returns),
                few => Some(BrokenRule::TooFewForTwo(*color, few)),
            },
            Move::Reserve { card, .. } if !is_card(*card) => Some(BrokenRule::NoCard(*card)),
            Move::Reserve { card, .. } if !self.is_face_up(*card) => Some(BrokenRule::NotFaceUp(*card)),
            Move::ReserveTop { level, .. } if !(1..=LEVELS).contains(&usize::from(*level)) => {
                Some(BrokenRule::NoDeck(*level))
            }
            Move::ReserveTop { level, .. } if self.decks[usize::from(*level) - 1] == 0 => {
                Some(BrokenRule::EmptyDeck(*level))
            }
            Move::Reserve { .. } | Move::ReserveTop { .. }
                if self.mover().reserved.len() >= RESERVE_LIMIT =>
            {
                Some(BrokenRule::ReservedThree)
            }
            Move::Reserve { returns, .. } | Move::ReserveTop { returns, .. } => {
                wrong_returns(&self.holding(&[0; COLORS], true), returns)
            }
            Move::Buy { card } => self.cannot_buy(*card),
            Move::Void => self.noble_due().is_none().then_some(BrokenRule::Void),
        }
    }

    fn cannot_buy(&self, id: u8) -> Option<BrokenRule> {
        if !is_card(id) {
            return Some(BrokenRule::NoCard(id));
        }
        let face_up = self.is_face_up(id);
        let hand = self.mover();
        if hand.price(id).is_none() {
            let bonuses = hand.bonuses();
            let due = std::array::from_fn(|c| card(id).cost[c].saturating_sub(bonuses[c]));
            return Some(BrokenRule::TooDear { id, face_up, due, chips: hand.chips });
        }
        let reserved = || hand.reserved.iter().any(|r| u8::try_from(*r) == Ok(id));
        (!face_up && !reserved()).then_some(BrokenRule::NotOffered(id))
    }
}

fn is_card(id: u8) -> bool {
    (1..=CARDS).contains(&usize::from(id))
}

/// Whether `returns` is exactly the surplus and contained in `chips`, those of the player before returns.
fn wrong_returns(chips: &Chips, returns: &Colors) -> Option<BrokenRule> {
    let (held, returned) = (chips.iter().sum::<u8>(), returns.len());
    if returned != held.saturating_sub(HAND_LIMIT) {
        return Some(BrokenRule::Returns { held, returned });
    }
    let lacking = Color::ALL.into_iter().find(|c| returns.amounts()[c.index()] > chips[c.index()]);
    lacking.map(|color| BrokenRule::NotHeld(color, chips[color.index()]))
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SameColor(color) => write!(f, "{color} is taken twice: '1 k ..' takes different colours"),
            Self::BankLacks(color) => write!(f, "the bank has no {color} chip"),
            Self::TooFewForTwo(color, few) => {
                write!(f, "the bank has {few} {color}: two of a colour need {ENOUGH_FOR_TWO} in the bank")
            }
            Self::Returns { held, returned } => {
                let due = held.saturating_sub(HAND_LIMIT);
                write!(
                    f,
                    "that makes {held} chips of at most {HAND_LIMIT}: {due} must be returned, not {returned}"
                )
            }
            Self::NotHeld(color, 0) => write!(f, "the player has no {color} chip to return"),
            Self::NotHeld(color, few) => write!(f, "the player has only {few} {color} to return"),
            Self::NoCard(id) => write!(f, "there is no card {id}: ids are 1 to {CARDS}"),
            Self::NotFaceUp(id) => write!(f, "card {id} is not face up"),
            Self::ReservedThree => write!(f, "the player has reserved {RESERVE_LIMIT} cards already"),
            Self::NoDeck(level) => write!(f, "there is no deck {level}: levels are 1 to {LEVELS}"),
            Self::EmptyDeck(level) => write!(f, "the deck of level {level} is empty"),
            Self::NotOffered(id) => write!(f, "card {id} is neither face up nor reserved by the player"),
            Self::TooDear { id, face_up, due, chips } => {
                let what = if face_up { "" } else { " is not face up, and if reserved" };
                write!(f, "the player cannot pay: card {id}{what} costs {}", amounts(&due, None))?;
                write!(
                    f,
                    " after the bonuses, the player has {}",
                    amounts(&chips[..COLORS], Some(chips[GOLD]))
                )
            }
            Self::Void => f.write_str("0 is played only as a penalty while a noble is due; '1 0' passes"),
        }
    }
}

/// The amounts that are not 0, such as `3 red, 1 blue`. `gold` is named even if it is 0.
fn amounts(of_colors: &[u8], gold: Option<u8>) -> String {
    let named = Color::ALL.into_iter().zip(of_colors).filter(|(_, n)| **n > 0);
    let parts = named.map(|(color, n)| format!("{n} {color}")).chain(gold.map(|n| format!("{n} gold")));
    parts.collect::<Vec<_>>().join(", ")
}
