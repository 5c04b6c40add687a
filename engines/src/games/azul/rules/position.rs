//! What lies open on the table, which is all there is but the bag's order: moves, legality, the end of a round.
//! Small and plain, so that a search may copy it.

use super::board::Board;
use super::moves::{COLOURS, Colour, Counts, FLOOR, Move, OF_EACH, SOURCES};
use crate::game::Seat;

/// The visible position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The centre (0) and the five displays (1 to 5).
    pub sources: [Counts; SOURCES],
    /// Who holds the starting marker; `None` while it lies in the centre.
    pub marker: Option<Seat>,
    /// The boards by seat.
    pub boards: [Board; 2],
    /// The seat to move; at the end of the match the one that would have begun the next round.
    pub to_move: Seat,
}

impl Position {
    /// Before the first refill.
    pub fn empty() -> Self {
        Self {
            sources: [[0; COLOURS]; SOURCES],
            marker: None,
            boards: [Board::default(); 2],
            to_move: Seat(0),
        }
    }

    /// Whether displays and centre are empty: the round is over.
    #[inline]
    pub fn is_bare(&self) -> bool {
        self.sources == [[0; COLOURS]; SOURCES]
    }

    /// Whether a board has a complete row. In a bare position that ends the match.
    pub fn has_row(&self) -> bool {
        self.boards.iter().any(|b| b.wall.rows() > 0)
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.is_bare() && self.has_row()
    }

    /// Whether the rules allow the move to the seat to move.
    #[inline]
    pub fn allows(&self, mv: &Move) -> bool {
        usize::from(mv.display) < SOURCES
            && self.sources[usize::from(mv.display)][mv.colour.index()] > 0
            && self.boards[self.to_move.index()].accepts(mv.colour.index(), mv.line)
    }

    /// Appends all legal moves, by display, colour and line.
    pub fn legal(&self, out: &mut Vec<Move>) {
        for display in 0..SOURCES as u8 {
            for colour in Colour::ALL {
                let moves = (0..=FLOOR).map(|line| Move { display, colour, line });
                out.extend(moves.filter(|mv| self.allows(mv)));
            }
        }
    }

    /// Plays a legal move up to the tiling, which [`Self::end_round`] does when the position is bare then.
    ///
    /// The first to take from the centre gets the starting marker, which takes a slot of the floor line before any
    /// tile does. On a floor line that is full already it takes none and costs nothing, like surplus tiles; its
    /// holder begins the next round all the same.
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

    /// The end of a round: tiling, the marker back to the centre, its holder to move; the bonuses, when the match
    /// is over.
    ///
    /// Somebody always holds the marker here: a refill has a display of several colours, so tiles came to the
    /// centre, and somebody took them.
    pub fn end_round(&mut self) {
        self.boards.iter_mut().for_each(Board::tile);
        self.to_move = self.marker.take().unwrap_or(self.to_move);
        if self.has_row() {
            self.boards.iter_mut().for_each(|b| b.score += b.wall.bonus());
        }
    }

    /// What the bag holds when displays, centre and floor lines are empty: all that lies on no board.
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

    /// Whether all five displays are full and of a single colour each: then they are filled again.
    pub fn is_dull(&self) -> bool {
        self.sources[1..].iter().all(|d| d.contains(&4))
    }

    /// Tiles in the centre and on the displays.
    pub fn on_table(&self) -> u32 {
        self.sources.iter().flatten().map(|n| u32::from(*n)).sum()
    }
}
