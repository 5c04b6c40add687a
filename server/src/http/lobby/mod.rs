//! The lobby: control connections, online bots, challenges, quick pairing.

pub(super) mod challenges;
pub(super) mod control;
pub(super) mod online;
pub(super) mod pool;

use crate::accounts;
use crate::app::App;
use crate::domain::PlayerRef;
use crate::error::Error;
use crate::store::data::lobby::LobbyPlayer;

/// A player with their kind.
async fn of_kind(app: &App, who: PlayerRef) -> Result<LobbyPlayer, Error> {
    let kind = accounts::find(app.matches.store(), &who.name).await?.kind;
    Ok(LobbyPlayer { who, kind })
}
