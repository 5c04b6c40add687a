//! The drawings of a game's board, read from its `art.json`, which is made from the board's own modules and style sheet.

use std::collections::HashMap;

use serde::Deserialize;

/// The pieces of a board as SVG, and its colours.
#[derive(Debug, Deserialize)]
pub struct Art {
    /// By name: shapes in the box of the board's own drawing.
    pieces: HashMap<String, String>,
    /// By name, as SVG has them.
    colours: HashMap<String, String>,
}

impl Art {
    /// Reads a game's `art.json`.
    ///
    /// # Panics
    /// If the text is none. It is a part of the program.
    pub fn read(json: &str) -> Self {
        serde_json::from_str(json).expect("art.json has pieces and colours")
    }

    /// The shapes of a piece; none if the board has no such piece.
    pub fn piece(&self, name: &str) -> &str {
        self.pieces.get(name).map_or("", String::as_str)
    }

    /// A colour; black if the board has no such colour.
    pub fn colour(&self, name: &str) -> &str {
        self.colours.get(name).map_or("#000", String::as_str)
    }
}
