//! The visible position, which lacks only the order of the bag: moves, legality, the end of a round. Small, so that a
//! search can copy it.

use super::board::Board;
use super::moves::{COLOURS, Colour, Counts, FLOOR, Move, OF_EACH, SOURCES};
use crate::game::Seat;

/// The visible position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The centre (0) and the five displays (1 to 5).
    pub sources: [Counts; SOURCES],
    /// The seat with the starting marker; `None` while the marker is in the centre.
    pub marker: Option<Seat>,
    /// The boards by seat.
    pub boards: [Board; 2],
    /// The seat to move; at the end of the match, the seat that would have begun the next round.
    pub to_move: Seat,
}

impl Position {
    /// The position before the first refill.
    pub fn empty() -> Self {
        Self {
            sources: [[0; COLOURS]; SOURCES],
            marker: None,
            boards: [Board::default(); 2],
            to_move: Seat(0),
        }
    }

    /// Whether displays and centre are empty, so that the round is over.
    #[inline]
    pub fn is_bare(&self) -> bool {
        self.sources == [[0; COLOURS]; SOURCES]
    }

    /// Number of different pairs of a source and a colour that can be taken. It measures how much there is to decide,
    /// and approximates the number of moves left in the round.
    #[inline]
    pub fn choices(&self) -> usize {
        self.sources.as_flattened().iter().filter(|tiles| **tiles > 0).count()
    }

    /// Whether a board has a complete row, which ends the match after the tiling.
    pub fn has_row(&self) -> bool {
        self.boards.iter().any(|b| b.wall.rows() > 0)
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.is_bare() && self.has_row()
    }

    /// Whether the move is legal for the seat to move.
    #[inline]
    pub fn allows(&self, mv: &Move) -> bool {
        usize::from(mv.display) < SOURCES
            && self.sources[usize::from(mv.display)][mv.colour.index()] > 0
            && self.boards[self.to_move.index()].accepts(mv.colour.index(), mv.line)
    }

    /// Appends all legal moves, ordered by display, colour and line.
    pub fn legal(&self, out: &mut Vec<Move>) {
        for display in 0..SOURCES as u8 {
            for colour in Colour::ALL {
                let moves = (0..=FLOOR).map(|line| Move { display, colour, line });
                out.extend(moves.filter(|mv| self.allows(mv)));
            }
        }
    }

    /// Plays a legal move without the tiling. If the position is bare afterwards, call [`Self::end_round`].
    ///
    /// The first seat that takes from the centre gets the starting marker, which takes a slot of the floor line before
    /// any tile. On a full floor line the marker takes no slot and costs nothing, like surplus tiles; its holder still
    /// begins the next round.
    #[inline]
    pub fn take(&mut self, mv: &Move) {
        let (from, colour) = (usize::from(mv.display), mv.colour.index());
        let seat = self.to_move;
        let board = &mut self.boards[seat.index()];
        let tiles = std::mem::take(&mut self.sources[from][colour]);
        if from > 0 {
            let rest = std::mem::take(&mut self.sources[from]);
            self.sources[0].iter_mut().zip(rest).for_each(|(centre, n)| *centre += n);
        } else if self.marker.is_none() {
            self.marker = Some(seat);
            board.drop_tiles(1);
        }
        board.put(colour, tiles, mv.line);
        self.to_move = seat.other();
    }

    /// Ends a round: tiles both boards, returns the marker to the centre, gives its holder the next move, and adds the
    /// bonuses if the match is over.
    ///
    /// A seat always holds the marker here: every refill has a display of several colours, so tiles came to the centre
    /// and a seat took them.
    pub fn end_round(&mut self) {
        self.boards.iter_mut().for_each(Board::tile);
        self.to_move = self.marker.take().unwrap_or(self.to_move);
        if self.has_row() {
            self.boards.iter_mut().for_each(|b| b.score += b.wall.bonus());
        }
    }

    /// The content of the bag when displays, centre and floor lines are empty: all tiles that are on no board.
    pub fn bag(&self) -> Counts {
        let [a, b] = [self.boards[0].tiles(), self.boards[1].tiles()];
        std::array::from_fn(|c| OF_EACH - a[c] - b[c])
    }

    /// Fills the five displays from the bag: five times four tiles, in the order of `bag`.
    pub fn fill(&mut self, bag: &[u8]) {
        for (display, tiles) in self.sources[1..].iter_mut().zip(bag.chunks_exact(4)) {
            *display = [0; COLOURS];
            tiles.iter().for_each(|c| display[usize::from(*c)] += 1);
        }
    }

    /// Whether each of the five displays is full and single-coloured. Such a refill is dealt again.
    pub fn is_dull(&self) -> bool {
        self.sources[1..].iter().all(|d| d.contains(&4))
    }

    /// Tiles in the centre and on the displays.
    pub fn on_table(&self) -> u32 {
        self.sources.iter().flatten().map(|n| u32::from(*n)).sum()
    }
}
