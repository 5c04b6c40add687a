//! The label of a decision, by which mistakes are counted: the phase of the match and the kind of the move.

/// The phase of the match in which a decision was made, and the kind of its move. Each game has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionLabel {
    /// The phase: one word of small letters and `_`. The game's page has a text for it.
    pub phase: &'static str,
    /// The kind of the move, likewise.
    pub kind: &'static str,
}

impl DecisionLabel {
    /// The label of all decisions of a game that distinguishes none.
    pub const PLAIN: Self = Self { phase: "match", kind: "move" };
}
