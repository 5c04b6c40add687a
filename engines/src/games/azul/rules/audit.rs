//! Checks that a position is possible: every invariant that holds after any sequence of moves. A position that passes can
//! be played to the end of the match.

use super::board::{Board, FLOOR_SLOTS, ROWS};
use super::moves::{COLOURS, OF_EACH, SOURCES};
use super::position::Position;

type AuditResult = Result<(), String>;

fn ensure(holds: bool, text: impl FnOnce() -> String) -> AuditResult {
    if holds { Ok(()) } else { Err(text()) }
}

impl Position {
    /// Checks all invariants.
    ///
    /// # Errors
    /// Names the impossible field and says what is allowed.
    pub fn audit(&self) -> AuditResult {
        ensure(self.to_move.0 < 2, || "to_move: there are seats 0 and 1".to_owned())?;
        ensure(self.marker.is_none_or(|s| s.0 < 2), || "marker: there are seats 0 and 1".to_owned())?;
        for (seat, board) in self.boards.iter().enumerate() {
            board.audit(self.is_bare()).map_err(|e| format!("boards[{seat}].{e}"))?;
        }
        self.audit_table()?;
        self.audit_totals()?;
        if self.is_bare() { self.audit_end() } else { self.audit_round() }
    }

    fn audit_table(&self) -> AuditResult {
        for (i, display) in self.sources[1..].iter().enumerate() {
            let tiles: u32 = display.iter().map(|n| u32::from(*n)).sum();
            ensure(tiles == 0 || tiles == 4, || {
                format!("displays[{i}]: a display holds 4 tiles or none, not {tiles}")
            })?;
        }
        let taken = self.sources[1..].iter().filter(|d| **d == [0; COLOURS]).count() as u32;
        let centre: u32 = self.sources[0].iter().map(|n| u32::from(*n)).sum();
        ensure(centre <= 3 * taken, || {
            format!(
                "centre: {centre} tiles cannot come from {taken} displays, each of which leaves 3 at the most"
            )
        })
    }

    fn audit_totals(&self) -> AuditResult {
        let boards = self.boards.each_ref().map(Board::tiles);
        let mut seen = 0;
        for c in 0..COLOURS {
            let table: u32 = self.sources.iter().map(|s| u32::from(s[c])).sum();
            let tiles = table + u32::from(boards[0][c]) + u32::from(boards[1][c]);
            ensure(tiles <= u32::from(OF_EACH), || {
                let name = ["green", "orange", "blue", "yellow", "red"][c];
                format!("displays, centre and boards: there are 20 {name} tiles in the game, not {tiles}")
            })?;
            seen += tiles;
        }
        let all = seen + self.floor_tiles();
        ensure(all <= 100, || format!("boards: there are 100 tiles in the game, not {all}"))
    }

    /// Tiles on both floor lines. A full floor line of the marker's holder may or may not contain the marker; it is
    /// counted as if it did.
    fn floor_tiles(&self) -> u32 {
        let slots: u32 = self.boards.iter().map(|b| u32::from(b.floor)).sum();
        slots.saturating_sub(u32::from(self.marker.is_some()))
    }

    fn audit_end(&self) -> AuditResult {
        ensure(self.has_row(), || {
            "displays: they are empty only at the end of the match, when a wall has a complete row".to_owned()
        })?;
        ensure(self.marker.is_none(), || "marker: no seat holds it at the end of the match".to_owned())?;
        for (seat, board) in self.boards.iter().enumerate() {
            ensure(board.floor == 0, || {
                format!("boards[{seat}].floor: it is empty at the end of the match")
            })?;
            let full = (0..ROWS).find(|l| usize::from(board.lines[*l].count) > *l);
            ensure(full.is_none(), || {
                format!("boards[{seat}].lines: no line is full at the end of the match")
            })?;
        }
        Ok(())
    }

    fn audit_round(&self) -> AuditResult {
        ensure(!self.has_row(), || {
            "boards: a wall with a complete row ends the match, but there are tiles on the table".to_owned()
        })?;
        if let Some(holder) = self.marker {
            ensure(self.boards[holder.index()].floor > 0, || {
                format!("boards[{holder}].floor: the marker lies on it, so it is not empty")
            })?;
            let taken = self.sources[1..].iter().filter(|d| **d == [0; COLOURS]).count();
            let centre: u32 = self.sources[0].iter().map(|n| u32::from(*n)).sum();
            ensure((centre as usize) < 3 * taken, || {
                "marker: its holder took a tile from the centre, which is fuller than that allows".to_owned()
            })?;
        } else {
            let mixed = |counts: &[u8; COLOURS]| counts.iter().filter(|n| **n > 0).count() > 1;
            let coming = self.sources[0] != [0; COLOURS] || self.sources[1..SOURCES].iter().any(mixed);
            ensure(coming, || {
                "displays: they cannot all be single-coloured, because the marker must be taken in this round"
                    .to_owned()
            })?;
        }
        self.audit_taken()
    }

    /// Checks the 20 tiles of the round's refill: tiles that left the table went to lines or floors.
    fn audit_taken(&self) -> AuditResult {
        let table = self.on_table();
        ensure(table <= 20, || format!("displays and centre: a round has 20 tiles, not {table}"))?;
        let taken = 20 - table;
        let lines = self.boards.iter().flat_map(|b| b.lines.iter().enumerate());
        let full = lines.clone().filter(|(l, line)| usize::from(line.count) > *l).count() as u32;
        let held: u32 = lines.map(|(_, line)| u32::from(line.count)).sum();
        // Full lines are emptied at the end of a round, so a full line got at least one tile in this round. A full floor
        // line may hold one tile more than counted.
        let least = full + self.floor_tiles();
        ensure(least <= taken, || {
            format!(
                "boards: full lines and floors show at least {least} tiles of this round, but {taken} were taken"
            )
        })?;
        let overflowing = self.boards.iter().any(|b| b.floor == FLOOR_SLOTS);
        ensure(overflowing || held + self.floor_tiles() >= taken, || {
            format!("boards: {taken} tiles were taken in this round; lines and floors hold fewer")
        })
    }
}

impl Board {
    fn audit(&self, over: bool) -> AuditResult {
        for (l, line) in self.lines.iter().enumerate() {
            ensure(usize::from(line.count) <= l + 1, || {
                format!("lines[{l}]: it holds {} tiles at the most, not {}", l + 1, line.count)
            })?;
            ensure(usize::from(line.colour) < COLOURS, || {
                format!("lines[{l}].colour: one of g, o, b, y, r")
            })?;
            ensure(line.count > 0 || line.colour == 0, || {
                format!("lines[{l}].colour: an empty line has none")
            })?;
            ensure(line.count == 0 || !self.wall.has(l, usize::from(line.colour)), || {
                format!("lines[{l}].colour: the wall's row has that colour already")
            })?;
        }
        ensure(self.wall.0 < 1 << 25, || "wall: it has 25 spaces".to_owned())?;
        ensure(self.floor <= FLOOR_SLOTS, || format!("floor: it has 7 slots, not {}", self.floor))?;
        // A tile on the wall is worth at most 10, and nothing else gives points before the end.
        let most = 10 * self.wall.tiles() as i16 + if over { self.wall.bonus() } else { 0 };
        ensure((0..=most).contains(&self.score), || {
            format!("score: with this wall it is 0 to {most}, not {}", self.score)
        })
    }
}
