//! What the server asks of the store: one narrow trait for each topic, each beside its implementation, which hands the work to
//! the writer, to the connections for reading, or to the state that both share.

mod accounts;
mod analyses;
mod changes;
mod holders;
mod lobby;
mod matches;
mod moderation;
mod nodes;
mod players;
mod programs;
mod push;
mod puzzles;
mod ratings;
mod tournaments;
mod vacations;

use crate::store::database_store::DatabaseStore;

pub use accounts::AccountStore;
pub use analyses::AnalysisStore;
pub use changes::ChangeStore;
pub use holders::HolderStore;
pub use lobby::LobbyStore;
pub use matches::MatchStore;
pub use moderation::ModerationStore;
pub use nodes::NodeStore;
pub use players::PlayerStore;
pub use programs::ProgramStore;
pub use push::PushStore;
pub use puzzles::PuzzleStore;
pub use ratings::RatingStore;
pub use tournaments::TournamentStore;
pub use vacations::VacationStore;

/// The whole store.
pub trait Store:
    MatchStore
    + AnalysisStore
    + HolderStore
    + PlayerStore
    + ProgramStore
    + AccountStore
    + PushStore
    + PuzzleStore
    + RatingStore
    + VacationStore
    + TournamentStore
    + LobbyStore
    + ModerationStore
    + NodeStore
    + ChangeStore
{
}

impl Store for DatabaseStore {}
