//! Moves, with their text in the official protocol. Must not know the table.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cards::{CARDS, Card, Cards, head};

/// One command of a turn. A turn is a draw, any number of melds and joins, and a discard, all by the same seat.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "BuracoMove")]
pub enum Move {
    /// Draws the next card of the stock. Ends the match if the stock is empty.
    GetStock,
    /// Forms a new meld of the pile's top card and cards of the hand, and takes the rest of the pile into the hand.
    GetDiscard {
        /// The cards of the hand, two or more.
        cards: Cards,
    },
    /// Forms a new meld of cards of the hand.
    MeldNew {
        /// The cards, three or more.
        cards: Cards,
    },
    /// Adds cards of the hand to an own meld.
    MeldJoin {
        /// The index of the meld, from 0 in order of creation.
        meld: u8,
        /// The added cards, one or more.
        cards: Cards,
    },
    /// Puts a card of the hand on the pile, which ends the turn.
    Discard {
        /// A card of the hand.
        card: Card,
    },
}

impl Move {
    /// The cards that the move takes from the hand.
    pub fn cards(&self) -> &[Card] {
        match self {
            Self::GetStock => &[],
            Self::GetDiscard { cards } | Self::MeldNew { cards } | Self::MeldJoin { cards, .. } => cards,
            Self::Discard { card } => std::slice::from_ref(card),
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GetStock => f.write_str("GET_STOCK"),
            Self::GetDiscard { cards } => write!(f, "GET_DISCARD {cards}"),
            Self::MeldNew { cards } => write!(f, "MELD_NEW {cards}"),
            Self::MeldJoin { meld, cards } => write!(f, "MELD_JOIN {meld} {cards}"),
            Self::Discard { card } => write!(f, "DISCARD {card}"),
        }
    }
}

impl FromStr for Move {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let mut words = s.split_whitespace();
        let command = words.next().unwrap_or_default();
        let mv = match command {
            "GET_STOCK" => Self::GetStock,
            "GET_DISCARD" => Self::GetDiscard { cards: list(&mut words)? },
            "MELD_NEW" => Self::MeldNew { cards: list(&mut words)? },
            "MELD_JOIN" => Self::MeldJoin { meld: index(words.next())?, cards: list(&mut words)? },
            "DISCARD" => Self::Discard { card: words.next().ok_or("DISCARD names a card")?.parse()? },
            _ => {
                return Err(format!(
                    "{:?} is not a command: GET_STOCK, GET_DISCARD, MELD_NEW, MELD_JOIN or DISCARD",
                    head(command)
                ));
            }
        };
        match words.next() {
            None => Ok(mv),
            Some(word) => Err(format!("{:?} comes after the end of the command", head(word))),
        }
    }
}

fn index(word: Option<&str>) -> Result<u8, String> {
    let word = word.unwrap_or_default();
    let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    word.parse()
        .ok()
        .filter(|_| digits)
        .ok_or_else(|| format!("{:?} is not the number of a meld", head(word)))
}

/// Reads `[`, cards and `]`, each a separate word.
fn list<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Cards, String> {
    let brackets = || "the cards come between '[' and ']', with spaces around each bracket".to_owned();
    if words.next() != Some("[") {
        return Err(brackets());
    }
    let mut cards = Vec::new();
    loop {
        match words.next() {
            None => return Err(brackets()),
            Some("]") => return Ok(cards.into()),
            Some(_) if cards.len() == CARDS => return Err(format!("there are {CARDS} cards in the game")),
            Some(word) => cards.push(word.parse::<Card>()?),
        }
    }
}
