//! Splendor's actions and their official text. Must not know the table.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cards::{Amounts, CARDS, COLORS, Color, LEVELS};

/// Most chips one action can take or return.
const MOST: usize = 3;

/// At most three chips of the five colours, without an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<Color>", into = "Vec<Color>")]
#[schemars(with = "Vec<Color>")]
pub struct Colors(Amounts);

impl Colors {
    /// These amounts; at most three chips in all.
    pub(in super::super) fn new(amounts: Amounts) -> Self {
        debug_assert!(amounts.iter().sum::<u8>() <= MOST as u8, "an action moves at most three chips");
        Self(amounts)
    }

    /// The number of chips of each colour.
    pub fn amounts(&self) -> &Amounts {
        &self.0
    }

    /// The total number of chips, 0 to 3.
    pub fn len(&self) -> u8 {
        self.0.iter().sum()
    }

    /// Whether there is no chip.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chips one by one, in the order of their colours' numbers.
    fn each(self) -> impl Iterator<Item = Color> {
        Color::ALL.into_iter().flat_map(move |c| std::iter::repeat_n(c, usize::from(self.0[c.index()])))
    }

    /// The colours with these numbers of the protocol.
    fn of_numbers(numbers: &[i32]) -> Result<Self, String> {
        let color = |n: &i32| {
            usize::try_from(*n).ok().and_then(|n| Color::ALL.get(n).copied()).ok_or_else(|| {
                format!(
                    "{n} is not a colour: 0 red, 1 green, 2 blue, 3 white, 4 black; gold cannot be chosen"
                )
            })
        };
        // One colour more than allowed is enough to refuse a long list.
        let colors: Vec<Color> = numbers.iter().take(MOST + 1).map(color).collect::<Result<_, _>>()?;
        Self::try_from(colors)
    }
}

impl TryFrom<Vec<Color>> for Colors {
    type Error = String;

    fn try_from(colors: Vec<Color>) -> Result<Self, String> {
        if colors.len() > MOST {
            return Err("an action takes and returns at most three chips".to_owned());
        }
        let mut amounts = [0; COLORS];
        colors.iter().for_each(|c| amounts[c.index()] += 1);
        Ok(Self(amounts))
    }
}

impl From<Colors> for Vec<Color> {
    fn from(colors: Colors) -> Self {
        colors.each().collect()
    }
}

/// One action. `returns` are the colours given back if the player would have more than ten chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "action",
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "an object with an action (a text goes into notation)"
)]
pub enum Move {
    /// Take up to three chips of different colours; no chip is an explicit pass. Text: `1 k c1..ck returns..`.
    Take {
        /// The colours taken, each once.
        colors: Colors,
        /// The colours returned.
        #[serde(default)]
        returns: Colors,
    },
    /// Take two chips of one colour. Text: `2 c returns..`.
    TakeTwo {
        /// The colour taken.
        color: Color,
        /// The colours returned.
        #[serde(default)]
        returns: Colors,
    },
    /// Reserve a face-up card. Text: `3 id returns..`.
    Reserve {
        /// The card's id.
        #[schemars(range(min = 1, max = 90))]
        card: u8,
        /// The colour returned, if any.
        #[serde(default)]
        returns: Colors,
    },
    /// Reserve the top card of a deck, unseen by the others. Text: `3 -level returns..`.
    ReserveTop {
        /// The deck's level, 1 to 3.
        #[schemars(range(min = 1, max = 3))]
        level: u8,
        /// The colour returned, if any.
        #[serde(default)]
        returns: Colors,
    },
    /// Buy a face-up card or one of the own reserved ones. Text: `4 id`.
    Buy {
        /// The card's id.
        #[schemars(range(min = 1, max = 90))]
        card: u8,
    },
    /// A void action: the turn passes and nothing else happens. It differs from an explicit pass only while a noble is
    /// due, because an explicit pass brings the noble. Text: `0`, which the official protocol does not have.
    Void,
}

impl Move {
    /// The explicit pass, `1 0`.
    pub const PASS: Self = Self::Take { colors: Colors([0; COLORS]), returns: Colors([0; COLORS]) };
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let returns = match self {
            Self::Take { colors, returns } => {
                write!(f, "1 {}", colors.len())?;
                colors.each().try_for_each(|c| write!(f, " {}", c.index()))?;
                returns
            }
            Self::TakeTwo { color, returns } => {
                write!(f, "2 {}", color.index())?;
                returns
            }
            Self::Reserve { card, returns } => {
                write!(f, "3 {card}")?;
                returns
            }
            Self::ReserveTop { level, returns } => {
                write!(f, "3 -{level}")?;
                returns
            }
            Self::Buy { card } => return write!(f, "4 {card}"),
            Self::Void => return f.write_str("0"),
        };
        returns.each().try_for_each(|c| write!(f, " {}", c.index()))
    }
}

/// Parses a whole number in its only accepted spelling: no `+`, no leading zero.
pub(crate) fn integer(token: &str) -> Option<i32> {
    token.parse::<i32>().ok().filter(|n| n.to_string() == token)
}

impl FromStr for Move {
    type Err = String;

    /// Accepts the colours in any order and gives equal moves.
    fn from_str(s: &str) -> Result<Self, String> {
        // The longest action has eight numbers; one more is enough to know that there are too many.
        let numbers: Vec<i32> = s
            .split_whitespace()
            .take(9)
            .map(|t| integer(t).ok_or_else(|| format!("{t:?} is not a whole number")))
            .collect::<Result<_, _>>()?;
        Self::of_numbers(&numbers)
    }
}

impl Move {
    fn of_numbers(numbers: &[i32]) -> Result<Self, String> {
        match numbers {
            [1, k @ 0..=3, rest @ ..] => {
                let k = usize::try_from(*k).expect("k is 0 to 3");
                let Some((colors, returns)) = rest.split_at_checked(k) else {
                    return Err(format!("{k} colours are announced but {} are given", rest.len()));
                };
                let colors = Colors::of_numbers(colors)?;
                if colors.0.iter().any(|n| *n > 1) {
                    return Err("the colours taken by '1 k ..' must be different".to_owned());
                }
                Ok(Self::Take { colors, returns: Colors::of_numbers(returns)? })
            }
            [2, color, returns @ ..] => {
                let amounts = Colors::of_numbers(&[*color])?.0;
                let color = Color::ALL[amounts.iter().position(|n| *n > 0).expect("one colour was read")];
                Ok(Self::TakeTwo { color, returns: Colors::of_numbers(returns)? })
            }
            [3, what, returns @ ..] => {
                let returns = Colors::of_numbers(returns)?;
                match u8::try_from(what.unsigned_abs()) {
                    Ok(level) if *what < 0 && usize::from(level) <= LEVELS => {
                        Ok(Self::ReserveTop { level, returns })
                    }
                    Ok(card) if *what > 0 && usize::from(card) <= CARDS => {
                        Ok(Self::Reserve { card, returns })
                    }
                    _ => Err(format!("{what} is not a card: ids are 1 to 90, the decks' tops are -1 to -3")),
                }
            }
            [4, card] => match u8::try_from(*card) {
                Ok(card) if (1..=CARDS).contains(&usize::from(card)) => Ok(Self::Buy { card }),
                _ => Err(format!("{card} is not a card: ids are 1 to 90")),
            },
            [0] => Ok(Self::Void),
            _ => {
                Err("an action is '1 k c1..ck', '2 c' or '3 id' with the colours returned, or '4 id'"
                    .to_owned())
            }
        }
    }
}
