//! The stages of a match.

/// The stage of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It has not begun: seats are free.
    Open,
    /// It is being played.
    Running,
    /// It has ended.
    Over,
}
