//! Colours, tile counts and moves, with their texts. Must not know positions.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of colours.
pub const COLOURS: usize = 5;
/// Tiles of each colour in the game.
pub(super) const OF_EACH: u8 = 20;
/// Sources of tiles: the centre (0) and five factory displays.
pub(crate) const SOURCES: usize = 6;
/// The number of the floor line in a move.
pub const FLOOR: u8 = 5;

/// Tiles by colour, in the order green, orange, blue, yellow, red.
pub(crate) type Counts = [u8; COLOURS];

/// A tile's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the variants say all")]
pub enum Colour {
    #[serde(rename = "g")]
    Green,
    #[serde(rename = "o")]
    Orange,
    #[serde(rename = "b")]
    Blue,
    #[serde(rename = "y")]
    Yellow,
    #[serde(rename = "r")]
    Red,
}

impl Colour {
    /// All colours, in the order of tile counts.
    pub const ALL: [Self; COLOURS] = [Self::Green, Self::Orange, Self::Blue, Self::Yellow, Self::Red];

    /// The colour's index in tile counts.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The colour's letter.
    pub fn letter(self) -> char {
        ['g', 'o', 'b', 'y', 'r'][self.index()]
    }

    /// The colour of this letter.
    pub fn of_letter(letter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| letter.strip_prefix(c.letter()) == Some(""))
    }
}

/// A move: takes all tiles of a colour from a display or the centre and puts them on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// The source: 0 is the centre, 1 to 5 a factory display.
    #[schemars(range(min = 0, max = 5))]
    pub display: u8,
    /// The colour of the tiles.
    pub colour: Colour,
    /// The target: 0 to 4 is a pattern line from the top, which holds one tile more than its number; 5 is the floor.
    #[schemars(range(min = 0, max = 5))]
    pub line: u8,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.display, self.colour.letter(), self.line)
    }
}

impl FromStr for Move {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let digit = |word: &str| ["0", "1", "2", "3", "4", "5"].iter().position(|d| *d == word);
        let mut words = s.split_whitespace();
        let parts = [words.next(), words.next(), words.next(), words.next()];
        let mv = match parts {
            [Some(d), Some(c), Some(l), None] => digit(d)
                .zip(Colour::of_letter(c))
                .zip(digit(l))
                .map(|((d, colour), l)| Self { display: d as u8, colour, line: l as u8 }),
            _ => None,
        };
        mv.ok_or_else(|| {
            "a move is 'd c l': display 0 to 5 (0 the centre), colour g, o, b, y or r, line 0 to 5 (5 the floor)"
                .to_owned()
        })
    }
}
