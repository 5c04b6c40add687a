//! Azul's table: displays, boards, tiling, bonuses, and the text of a state.

use super::SplitMix;
use std::fmt;

/// By number.
pub(crate) const COLOURS: [char; 5] = ['g', 'o', 'b', 'y', 'r'];
/// Counts by colour.
pub(crate) type Tiles = [usize; 5];

/// Take all tiles of a colour from a display (0: the centre) to a pattern line (5: the floor).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub display: usize,
    pub colour: usize,
    pub line: usize,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.display, COLOURS[self.colour], self.line)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RefereeBoard {
    /// Tiles on each line, and their colour.
    pub lines: [(usize, usize); 5],
    /// By row and column.
    pub wall: [[bool; 5]; 5],
    /// Seven at most; None is the marker.
    pub floor: Vec<Option<usize>>,
    pub score: i32,
}

pub(super) fn column(row: usize, colour: usize) -> usize {
    (colour + row) % 5
}

fn colour_at(row: usize, column: usize) -> usize {
    (column + 5 - row) % 5
}

impl RefereeBoard {
    /// May tiles of the colour go to this line?
    fn open(&self, line: usize, colour: usize) -> bool {
        let (count, held) = self.lines[line];
        count <= line && (count == 0 || held == colour) && !self.wall[line][column(line, colour)]
    }

    /// Moves full lines to the wall and scores, top row first; then the floor.
    fn tile(&mut self) {
        for row in 0..5 {
            let (count, colour) = self.lines[row];
            if count == row + 1 {
                self.lines[row] = (0, 0);
                self.score += self.place(row, column(row, colour));
            }
        }
        let costs = [1, 1, 2, 2, 2, 3, 3];
        self.score = (self.score - costs[..self.floor.len()].iter().sum::<i32>()).max(0);
        self.floor.clear();
    }

    fn place(&mut self, row: usize, column: usize) -> i32 {
        self.wall[row][column] = true;
        let run = |line: [bool; 5], at: usize| {
            let before = (0..at).rev().take_while(|&index| line[index]).count();
            let after = (at + 1..5).take_while(|&index| line[index]).count();
            (before + 1 + after) as i32
        };
        let across = run(self.wall[row], column);
        let down = run([0, 1, 2, 3, 4].map(|row| self.wall[row][column]), row);
        match (across, down) {
            (1, 1) => 1,
            (1, only) | (only, 1) => only,
            _ => across + down,
        }
    }

    /// Complete rows.
    pub(crate) fn rows(&self) -> usize {
        self.wall.iter().filter(|row| row.iter().all(|&placed| placed)).count()
    }

    fn bonus(&self) -> i32 {
        let columns = (0..5).filter(|&column| self.wall.iter().all(|row| row[column])).count();
        let whole = |&colour: &usize| (0..5).all(|row| self.wall[row][column(row, colour)]);
        let colours = (0..5).filter(whole).count();
        2 * self.rows() as i32 + 7 * columns as i32 + 10 * colours as i32
    }

    fn tiles(&self) -> Tiles {
        let mut tiles = [0; 5];
        for (count, colour) in self.lines {
            tiles[colour] += count;
        }
        for row in 0..5 {
            (0..5)
                .filter(|&column| self.wall[row][column])
                .for_each(|column| tiles[colour_at(row, column)] += 1);
        }
        self.floor.iter().flatten().for_each(|&colour| tiles[colour] += 1);
        tiles
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (count, colour) in self.lines {
            text += &format!("{count} {}\n", if count == 0 { '.' } else { COLOURS[colour] });
        }
        for row in 0..5 {
            let letter = |column| if self.wall[row][column] { COLOURS[colour_at(row, column)] } else { '.' };
            text += &format!("{}\n", [0, 1, 2, 3, 4].map(|column| letter(column).to_string()).join(" "));
        }
        text + &format!("{} {}\n", self.floor.len(), self.score)
    }
}

/// Numbers on a line.
pub(super) fn row(tiles: &Tiles) -> String {
    tiles.map(|count| count.to_string()).join(" ") + "\n"
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RefereeTable {
    pub bag: Tiles,
    pub displays: [Tiles; 5],
    pub centre: Tiles,
    /// The seat that holds the marker; None while it is in the centre.
    pub marker: Option<usize>,
    pub boards: [RefereeBoard; 2],
}

impl RefereeTable {
    pub(crate) fn new(rng: &mut SplitMix) -> RefereeTable {
        let mut table = RefereeTable {
            bag: [20; 5],
            displays: [[0; 5]; 5],
            centre: [0; 5],
            marker: None,
            boards: Default::default(),
        };
        table.restock(rng);
        table
    }

    pub(crate) fn restock(&mut self, rng: &mut SplitMix) {
        loop {
            for display in 0..5 {
                for _ in 0..4 {
                    let mut nth = rng.below(self.bag.iter().sum());
                    let mut colour = 0;
                    while nth >= self.bag[colour] {
                        nth -= self.bag[colour];
                        colour += 1;
                    }
                    self.bag[colour] -= 1;
                    self.displays[display][colour] += 1;
                }
            }
            if !self.displays.iter().all(|display| display.contains(&4)) {
                return;
            }
            // All of one colour each: they are refilled.
            for display in std::mem::take(&mut self.displays) {
                (0..5).for_each(|colour| self.bag[colour] += display[colour]);
            }
        }
    }

    /// No tile left to take.
    pub(crate) fn is_empty(&self) -> bool {
        self.displays.iter().chain([&self.centre]).all(|tiles| *tiles == [0; 5])
    }

    fn source(&self, display: usize) -> &Tiles {
        if display == 0 { &self.centre } else { &self.displays[display - 1] }
    }

    fn illegal(&self, seat: usize, action: Move) -> Option<&'static str> {
        if self.source(action.display)[action.colour] == 0 {
            Some("no such tile there")
        } else if action.line < 5 && !self.boards[seat].open(action.line, action.colour) {
            Some("the line is closed to the colour")
        } else {
            None
        }
    }

    pub(crate) fn legal(&self, seat: usize) -> Vec<Move> {
        let mut legal = Vec::new();
        for display in 0..6 {
            for colour in 0..5 {
                legal.extend((0..6).map(|line| Move { display, colour, line }));
            }
        }
        legal.retain(|&action| self.illegal(seat, action).is_none());
        legal
    }

    pub(crate) fn take(&mut self, seat: usize, action: Move) -> Result<(), &'static str> {
        if let Some(why) = self.illegal(seat, action) {
            return Err(why);
        }
        let Move { display, colour, line } = action;
        let board = &mut self.boards[seat];
        let mut count;
        if display == 0 {
            count = std::mem::take(&mut self.centre[colour]);
            if self.marker.is_none() {
                self.marker = Some(seat);
                // Before the surplus; past seven it is dropped like any tile, but still held.
                if board.floor.len() < 7 {
                    board.floor.push(None);
                }
            }
        } else {
            let mut rest = std::mem::take(&mut self.displays[display - 1]);
            count = std::mem::take(&mut rest[colour]);
            (0..5).for_each(|colour| self.centre[colour] += rest[colour]);
        }
        if line < 5 {
            let placed = count.min(line + 1 - board.lines[line].0);
            board.lines[line] = (board.lines[line].0 + placed, colour);
            count -= placed;
        }
        for _ in 0..count {
            if board.floor.len() < 7 {
                board.floor.push(Some(colour));
            } else {
                self.bag[colour] += 1;
            }
        }
        Ok(())
    }

    /// Ends a round; returns the seat that starts the next one.
    pub(crate) fn tile(&mut self) -> Option<usize> {
        let counted = |boards: &[RefereeBoard; 2]| {
            let [mine, yours] = [boards[0].tiles(), boards[1].tiles()];
            [0, 1, 2, 3, 4].map(|colour| mine[colour] + yours[colour])
        };
        let before = counted(&self.boards);
        self.boards.iter_mut().for_each(RefereeBoard::tile);
        let after = counted(&self.boards);
        (0..5).for_each(|colour| self.bag[colour] += before[colour] - after[colour]);
        self.marker.take()
    }

    /// The bonuses at the end.
    pub(crate) fn reward(&mut self) {
        for board in &mut self.boards {
            board.score += board.bonus();
        }
    }

    /// The state as a bot reads it.
    pub(crate) fn text(&self, seat: usize) -> String {
        let centre = row(&self.centre);
        let mut text = format!("{} {}\n", centre.trim_end(), u8::from(self.marker.is_none()));
        self.displays.iter().for_each(|display| text += &row(display));
        text += match self.marker {
            None => "none\n",
            Some(holder) if holder == seat => "you\n",
            Some(_) => "opponent\n",
        };
        text + &self.boards[seat].text() + &self.boards[1 - seat].text()
    }

    /// No tile is lost or added.
    pub(crate) fn check(&self) {
        for colour in 0..5 {
            let table: usize = self.displays.iter().map(|display| display[colour]).sum();
            let boards: usize = self.boards.iter().map(|board| board.tiles()[colour]).sum();
            assert_eq!(
                self.bag[colour] + table + self.centre[colour] + boards,
                20,
                "20 tiles of colour {colour}"
            );
        }
        let markers = self.boards.iter().flat_map(|board| &board.floor).filter(|tile| tile.is_none()).count();
        assert!(markers <= usize::from(self.marker.is_some()));
    }
}
