//! The 90 development cards and the 10 nobles, parsed at compile time from `cards.csv` and `nobles.csv`. Must not know the
//! table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of colours of cards and chips.
pub const COLORS: usize = 5;
/// The index of gold among a player's chips.
pub const GOLD: usize = 5;
/// Number of kinds of chips: the five colours, then gold.
pub(crate) const CHIPS: usize = 6;
/// Number of development cards.
pub const CARDS: usize = 90;
/// Number of nobles.
pub const NOBLES: usize = 10;
/// Number of levels of cards.
pub(crate) const LEVELS: usize = 3;
/// Face-up cards of a level.
pub(crate) const SLOTS: usize = 4;
/// Cards of each level.
pub(crate) const LEVEL_SIZES: [u8; LEVELS] = [40, 30, 20];

/// Amounts of the five colours: red, green, blue, white, black.
pub(crate) type Amounts = [u8; COLORS];

/// A colour of cards and chips. Its number in the official protocol is its index here, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// 0.
    Red,
    /// 1.
    Green,
    /// 2.
    Blue,
    /// 3.
    White,
    /// 4.
    Black,
}

impl Color {
    /// All colours, in the order of their numbers.
    pub const ALL: [Self; COLORS] = [Self::Red, Self::Green, Self::Blue, Self::White, Self::Black];

    /// The colour's number, 0 to 4.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(["red", "green", "blue", "white", "black"][self.index()])
    }
}

/// A development card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Card {
    /// 1 to 90, as the referee numbers them.
    pub id: u8,
    /// 0 to 2: the referee's level minus one.
    pub level: u8,
    /// The number of the colour that it gives, 0 to 4.
    pub bonus: u8,
    pub points: u8,
    /// Cost in chips.
    pub cost: Amounts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noble {
    /// 1 to 10, as the referee numbers them.
    pub id: u8,
    pub points: u8,
    /// Bonuses that a player needs for it.
    pub needs: Amounts,
}

/// All cards in the order of their ids, for tables made at compile time.
pub(crate) const CARD_TABLE: [Card; CARDS] = read_cards(include_bytes!("../cards.csv"));
/// All nobles in the order of their ids, for tables made at compile time.
pub(crate) const NOBLE_TABLE: [Noble; NOBLES] = read_nobles(include_bytes!("../nobles.csv"));
static ALL_CARDS: [Card; CARDS] = CARD_TABLE;
static ALL_NOBLES: [Noble; NOBLES] = NOBLE_TABLE;

/// The card of this id, 1 to 90.
pub(crate) fn card(id: u8) -> &'static Card {
    &ALL_CARDS[usize::from(id) - 1]
}

/// The noble of this id, 1 to 10.
pub(crate) fn noble(id: u8) -> &'static Noble {
    &ALL_NOBLES[usize::from(id) - 1]
}

/// The ids of a level (0 to 2).
pub(crate) fn ids_of(level: usize) -> std::ops::RangeInclusive<u8> {
    let before: u8 = LEVEL_SIZES[..level].iter().sum();
    before + 1..=before + LEVEL_SIZES[level]
}

/// The index after the next line end.
const fn next_line(text: &[u8], mut at: usize) -> usize {
    while text[at] != b'\n' {
        at += 1;
    }
    at + 1
}

/// The number at `at`, and the index after it and its separator.
const fn number(text: &[u8], mut at: usize) -> (u8, usize) {
    let mut n = 0;
    while text[at] != b',' && text[at] != b'\n' {
        assert!(text[at].is_ascii_digit(), "the table holds numbers");
        n = n * 10 + (text[at] - b'0');
        at += 1;
    }
    (n, at + 1)
}

/// The number of the colour named at `at`, and the index after it.
const fn color(text: &[u8], mut at: usize) -> (u8, usize) {
    let n = match (text[at], text[at + 2]) {
        (b'r', b'd') => 0,
        (b'g', b'e') => 1,
        (b'b', b'u') => 2,
        (b'w', b'i') => 3,
        (b'b', b'a') => 4,
        _ => panic!("the table holds the five colours"),
    };
    while text[at] != b',' {
        at += 1;
    }
    (n, at + 1)
}

const fn amounts(text: &[u8], mut at: usize) -> (Amounts, usize) {
    let mut all = [0; COLORS];
    let mut i = 0;
    while i < COLORS {
        (all[i], at) = number(text, at);
        i += 1;
    }
    (all, at)
}

const fn read_cards(text: &[u8]) -> [Card; CARDS] {
    let mut all = [Card { id: 0, level: 0, bonus: 0, points: 0, cost: [0; COLORS] }; CARDS];
    let mut at = next_line(text, 0);
    let mut i = 0;
    while i < CARDS {
        let (id, level, bonus, points, cost);
        (id, at) = number(text, at);
        (level, at) = number(text, at);
        (bonus, at) = color(text, at);
        (points, at) = number(text, at);
        (cost, at) = amounts(text, at);
        assert!(id as usize == i + 1, "cards are listed in order of their ids");
        all[i] = Card { id, level: level - 1, bonus, points, cost };
        i += 1;
    }
    assert!(at == text.len(), "the table holds 90 cards");
    all
}

const fn read_nobles(text: &[u8]) -> [Noble; NOBLES] {
    let mut all = [Noble { id: 0, points: 0, needs: [0; COLORS] }; NOBLES];
    let mut at = next_line(text, 0);
    let mut i = 0;
    while i < NOBLES {
        let (id, points, needs);
        (id, at) = number(text, at);
        (points, at) = number(text, at);
        (needs, at) = amounts(text, at);
        assert!(id as usize == i + 1, "nobles are listed in order of their ids");
        all[i] = Noble { id, points, needs };
        i += 1;
    }
    assert!(at == text.len(), "the table holds 10 nobles");
    all
}
