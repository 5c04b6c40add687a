//! The value of a position inside a round, without playing the round on: the expected result of the match. A small network,
//! trained by `engines-train azul-mid-round`.

use std::sync::{Arc, LazyLock};

use super::round_end_net::{BOARD, MOST_LEAD, each_of_board};
use crate::games::azul::rules::{COLOURS, Counts, FLOOR, FLOOR_SLOTS, Move, Position};
use crate::search_kit::curve::algebraic;
use crate::search_kit::net::{Network, WrongLength, rectify, to_float};

/// Hidden units.
pub const HIDDEN: usize = 64;

/// Largest number of tiles of a colour in the centre that has a place of its own.
const CENTRE_PLACES: usize = 12;
/// Largest number of tiles of a colour on the table.
const TABLE_PLACES: usize = 20;
/// Largest number of choices that has a place of its own.
const CHOICE_PLACES: usize = 20;
/// Contents of a full display: four tiles of five colours.
const PATTERNS: usize = 70;

/// Start of each group of inputs. Two boards come first.
const FLOOR_LINE: usize = 2 * BOARD;
const LEAD: usize = FLOOR_LINE + 2 * (FLOOR_SLOTS as usize + 1);
const MARKER: usize = LEAD + 2 * MOST_LEAD as usize + 1;
const PATTERN: usize = MARKER + 3;
const CENTRE: usize = PATTERN + PATTERNS;
const ALIKE: usize = CENTRE + COLOURS * CENTRE_PLACES;
const TABLE: usize = ALIKE + COLOURS * 4 * 5;
const CHOICES: usize = TABLE + COLOURS * (TABLE_PLACES + 1);

/// Number of inputs.
pub const INPUTS: usize = CHOICES + CHOICE_PLACES + 1;

/// Largest number of tiles of a move that has a place of its own.
const TILE_PLACES: usize = 6;
/// Number of outputs: the value, then the ratings of moves by colour, line, number of tiles, and whether they come from a
/// display, from the centre, or from the centre with the marker.
pub const OUTPUTS: usize = 1 + COLOURS * (FLOOR as usize + 1) * TILE_PLACES * 3;

/// More inputs than a position can have: 50 about each board, 4 about floor lines, lead and marker, 36 about the table.
const MOST_PRESENT: usize = 160;

/// The number of each content of a full display, by its counts of the first four colours; `NO_PATTERN` for others.
static PATTERN_OF: [u8; 625] = patterns();
const NO_PATTERN: u8 = u8::MAX;

const fn patterns() -> [u8; 625] {
    let mut all = [NO_PATTERN; 625];
    let (mut at, mut next) = (0, 0);
    while at < 625 {
        if at % 5 + at / 5 % 5 + at / 25 % 5 + at / 125 <= 4 {
            all[at] = next;
            next += 1;
        }
        at += 1;
    }
    assert!(next as usize == PATTERNS);
    all
}

/// The number of a display's content; `None` if the display is not full.
fn pattern(display: &Counts) -> Option<usize> {
    let [a, b, c, d, _] = display.map(usize::from);
    let pattern = *PATTERN_OF.get(a + 5 * b + 25 * c + 125 * d)?;
    (pattern != NO_PATTERN).then_some(usize::from(pattern))
}

/// Calls `tell` with every input that is true of a position inside a round. Equal displays give their content once each.
/// The board of the seat to move comes first.
#[inline]
pub fn each_input(position: &Position, mut tell: impl FnMut(usize)) {
    let first = position.to_move;
    let boards = [&position.boards[first.index()], &position.boards[first.other().index()]];
    for (i, board) in boards.into_iter().enumerate() {
        each_of_board(board, |input| tell(i * BOARD + input));
        let floor = board.floor.min(FLOOR_SLOTS);
        tell(FLOOR_LINE + i * (usize::from(FLOOR_SLOTS) + 1) + usize::from(floor));
    }
    let lead = (boards[0].score - boards[1].score).clamp(-MOST_LEAD, MOST_LEAD);
    tell(LEAD + (lead + MOST_LEAD) as usize);
    tell(MARKER + position.marker.map_or(0, |seat| if seat == first { 1 } else { 2 }));
    let [centre, displays @ ..] = &position.sources;
    let mut total = *centre;
    let mut alike = [[0usize; 4]; COLOURS];
    for display in displays.iter().filter(|display| **display != [0; COLOURS]) {
        if let Some(pattern) = pattern(display) {
            tell(PATTERN + pattern);
        }
        for (colour, tiles) in display.iter().enumerate().filter(|(_, tiles)| **tiles > 0) {
            total[colour] += tiles;
            alike[colour][usize::from(tiles - 1).min(3)] += 1;
        }
    }
    for colour in 0..COLOURS {
        let tiles = usize::from(centre[colour]).min(CENTRE_PLACES);
        if tiles > 0 {
            tell(CENTRE + colour * CENTRE_PLACES + tiles - 1);
        }
        tell(TABLE + colour * (TABLE_PLACES + 1) + usize::from(total[colour]).min(TABLE_PLACES));
        for (tiles, displays) in alike[colour].iter().enumerate().filter(|(_, displays)| **displays > 0) {
            tell(ALIKE + (colour * 4 + tiles) * 5 + displays - 1);
        }
    }
    tell(CHOICES + position.choices().min(CHOICE_PLACES));
}

/// The place of a legal move's rating among the outputs.
#[inline]
pub fn rating_of(position: &Position, mv: &Move) -> usize {
    let tiles = position.sources[usize::from(mv.display)][mv.colour.index()];
    let from = if mv.display > 0 { 0 } else { 1 + usize::from(position.marker.is_none()) };
    let tiles = usize::from(tiles).clamp(1, TILE_PLACES) - 1;
    ((mv.colour.index() * (usize::from(FLOOR) + 1) + usize::from(mv.line)) * TILE_PLACES + tiles) * 3
        + from
        + 1
}

/// A network that values positions inside rounds and rates moves.
pub struct MidRoundNet(Network<HIDDEN>);

/// The hidden units of a position, from which the network values the position and rates its moves.
pub struct Activations([i16; HIDDEN]);

impl MidRoundNet {
    /// The network in a file.
    ///
    /// # Errors
    /// When the length does not fit.
    pub fn read(file: &[u8]) -> Result<Self, WrongLength> {
        Network::read(file, INPUTS, OUTPUTS).map(Self)
    }

    /// The hidden units of a position inside a round.
    pub fn activations(&self, position: &Position) -> Activations {
        let mut inputs = [0u16; MOST_PRESENT];
        let mut n = 0;
        each_input(position, |input| {
            inputs[n] = input as u16;
            n += 1;
        });
        Activations(rectify(&self.0.first.sum(&inputs[..n])))
    }

    /// The expected result for the seat to move, 0 to 1.
    pub fn value(&self, activations: &Activations) -> f32 {
        algebraic(to_float(self.0.last.output(0, &activations.0)))
    }

    /// The rating of a legal move of the position, for a sharper prior: its promise beyond that without a search.
    #[inline]
    pub fn rating(&self, activations: &Activations, position: &Position, mv: &Move) -> f32 {
        to_float(self.0.last.output(rating_of(position, mv), &activations.0))
    }
}

/// The network in use.
pub fn mid_round_net() -> Arc<MidRoundNet> {
    static NET: LazyLock<Arc<MidRoundNet>> = LazyLock::new(|| {
        let read = MidRoundNet::read(include_bytes!("mid_round.net"));
        Arc::new(read.expect("the repository's network has its length"))
    });
    Arc::clone(&NET)
}
