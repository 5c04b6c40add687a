//! Types that every layer may use. This module uses no other module of the server.

mod client;
mod idempotency;
mod ids;
pub mod names;
mod notification;
mod player;
mod program;
pub mod request_id;
pub mod schema;
pub mod scope;
mod stage;
pub mod text;
pub mod time;
pub mod token;
mod tournament;

pub use client::ClientId;
pub use idempotency::IdempotencyKey;
pub use ids::{MatchId, PuzzleId, TournamentId};
pub use notification::NotificationKind;
pub use player::{EnginePlayer, PlayerKind, PlayerRef};
pub use program::{MAX_MODULE_BYTES, ProgramHash, ProgramState};
pub use stage::Stage;
pub use tournament::{TournamentRef, TournamentStage};
