//! One player's board: pattern lines, wall, floor line, score. Must not know displays or turns.

use super::moves::{COLOURS, Colour, Counts, FLOOR};

/// Pattern lines, and rows and columns of the wall.
pub const ROWS: usize = 5;
/// Slots of the floor line.
pub const FLOOR_SLOTS: u8 = 7;
/// Total points lost for a floor line of this length.
pub const FLOOR_COST: [i16; 8] = [0, 1, 2, 4, 6, 8, 11, 14];
/// Points for each complete row of the wall at the end.
pub(super) const ROW_BONUS: i16 = 2;
/// Points for each complete column of the wall at the end.
pub(super) const COLUMN_BONUS: i16 = 7;
/// Points for each colour with all five tiles on the wall at the end.
pub(super) const COLOUR_BONUS: i16 = 10;

/// A pattern line; an empty one has colour 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Line {
    /// Tiles on it.
    pub count: u8,
    /// Index of their colour.
    pub colour: u8,
}

/// The wall as a set of its 25 spaces: bit `5 * row + column`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wall(pub u32);

/// The column of a colour in a row.
#[inline]
pub(crate) const fn column(row: usize, colour: usize) -> usize {
    (colour + row) % COLOURS
}

/// The spaces of one column, row 0.
const COLUMN: u32 = 0b00001_00001_00001_00001_00001;

/// The spaces of each colour.
const OF_COLOUR: [u32; COLOURS] = {
    let mut spaces = [0; COLOURS];
    let mut colour = 0;
    while colour < COLOURS {
        let mut row = 0;
        while row < ROWS {
            spaces[colour] |= 1 << (5 * row + column(row, colour));
            row += 1;
        }
        colour += 1;
    }
    spaces
};

impl Wall {
    /// Whether the row contains this colour.
    #[inline]
    pub fn has(self, row: usize, colour: usize) -> bool {
        self.0 >> (5 * row + column(row, colour)) & 1 == 1
    }

    /// Puts a tile of this colour on the row.
    #[inline]
    pub fn put(&mut self, row: usize, colour: usize) {
        self.0 |= 1 << (5 * row + column(row, colour));
    }

    /// Number of tiles on the wall.
    pub fn tiles(self) -> u32 {
        self.0.count_ones()
    }

    /// Number of tiles in a row.
    #[inline]
    pub fn in_row(self, row: usize) -> u32 {
        (self.0 >> (5 * row) & 31).count_ones()
    }

    /// Number of tiles in a column.
    #[inline]
    pub fn in_column(self, column: usize) -> u32 {
        (self.0 & COLUMN << column).count_ones()
    }

    /// Number of tiles of a colour.
    #[inline]
    pub fn of_colour(self, colour: usize) -> u32 {
        (self.0 & OF_COLOUR[colour]).count_ones()
    }

    /// Number of complete rows.
    #[inline]
    pub fn rows(self) -> u32 {
        let w = self.0;
        (w & w >> 1 & w >> 2 & w >> 3 & w >> 4 & COLUMN).count_ones()
    }

    /// Number of complete columns.
    pub fn columns(self) -> u32 {
        (0..ROWS).filter(|c| self.in_column(*c) == 5).count() as u32
    }

    /// Number of complete colours.
    pub fn colours(self) -> u32 {
        OF_COLOUR.iter().filter(|spaces| self.0 & **spaces == **spaces).count() as u32
    }

    /// Points for complete rows, columns and colours at the end.
    pub fn bonus(self) -> i16 {
        ROW_BONUS * self.rows() as i16
            + COLUMN_BONUS * self.columns() as i16
            + COLOUR_BONUS * self.colours() as i16
    }

    /// Points of the tile of this colour in this row, if it were there: the lengths of its horizontal and vertical
    /// run, each if over 1; 1 without any neighbour.
    #[inline]
    pub fn points(self, row: usize, colour: usize) -> i16 {
        let at = column(row, colour);
        let across = run(self.0 >> (5 * row) & 31, at);
        let down = run(self.down(at), row);
        if across == 1 || down == 1 { across.max(down) } else { across + down }
    }

    /// A column as five bits, row 0 lowest.
    #[inline]
    fn down(self, column: usize) -> u32 {
        // Bits 0, 5, 10, 15, 20 are gathered in bits 20 to 24 by one product without a carry between them.
        ((self.0 >> column & COLUMN).wrapping_mul(0x0011_1110) >> 20) & 31
    }
}

/// Length of the run through bit `at` of five bits, were that bit set.
#[inline]
fn run(bits: u32, at: usize) -> i16 {
    let up = (!(bits >> (at + 1))).trailing_zeros();
    let below = (bits << (31 - at) << 1).leading_ones();
    (1 + up + below) as i16
}

/// One player's board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    /// Pattern lines from the top; line `l` holds `l + 1` tiles.
    pub lines: [Line; ROWS],
    /// The tiles that were moved to the right.
    pub wall: Wall,
    /// Length of the floor line, the starting marker included: 0 to 7.
    pub floor: u8,
    /// Points.
    pub score: i16,
}

impl Board {
    /// Whether this line (5: the floor) accepts tiles of this colour.
    #[inline]
    pub fn accepts(&self, colour: usize, line: u8) -> bool {
        if line >= FLOOR {
            return line == FLOOR;
        }
        let row = usize::from(line);
        let Line { count, colour: held } = self.lines[row];
        count <= line && (count == 0 || usize::from(held) == colour) && !self.wall.has(row, colour)
    }

    /// Puts tiles on the floor line. Tiles beyond its last slot are dropped.
    #[inline]
    pub fn drop_tiles(&mut self, tiles: u8) {
        self.floor = (self.floor + tiles).min(FLOOR_SLOTS);
    }

    /// Puts tiles on a line that accepts them. Surplus tiles go to the floor.
    #[inline]
    pub fn put(&mut self, colour: usize, tiles: u8, line: u8) {
        if line == FLOOR {
            self.drop_tiles(tiles);
            return;
        }
        let held = &mut self.lines[usize::from(line)];
        let room = line + 1 - held.count;
        *held = Line { count: held.count + tiles.min(room), colour: colour as u8 };
        self.drop_tiles(tiles.saturating_sub(room));
    }

    /// The tiling at the end of a round: each full line, from the top, moves one tile to the wall and scores; then the
    /// floor line costs points. All other tiles of full lines and of the floor return to the bag.
    pub fn tile(&mut self) {
        for row in 0..ROWS {
            let Line { count, colour } = self.lines[row];
            if usize::from(count) == row + 1 {
                self.score += self.wall.points(row, usize::from(colour));
                self.wall.put(row, usize::from(colour));
                self.lines[row] = Line::default();
            }
        }
        self.score = (self.score - FLOOR_COST[usize::from(self.floor)]).max(0);
        self.floor = 0;
    }

    /// Tiles on pattern lines and wall, by colour. The colours of floor tiles are not recorded, because these tiles return
    /// to the bag before the next refill.
    pub fn tiles(&self) -> Counts {
        let mut tiles = [0; COLOURS];
        for colour in Colour::ALL.map(Colour::index) {
            tiles[colour] = self.wall.of_colour(colour) as u8;
        }
        for line in &self.lines {
            tiles[usize::from(line.colour)] += line.count;
        }
        tiles
    }
}
