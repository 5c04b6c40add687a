//! The players in the seats of a match, whose ratings are kept beside it.

use crate::domain::{MatchId, PlayerRef};
use crate::error::Error;
use crate::matches::actor::message::MatchMessage;
use crate::matches::event::SeatSetup;
use crate::matches::ledger::Caller;
use crate::matches::listing::engine_player;
use crate::matches::service::Matches;

/// The players in the seats of a match.
pub struct SeatedPlayers {
    /// The game's short name.
    pub game: String,
    /// By seat: the player, also an engine; `None`: a guest, or the seat is free.
    pub players: Vec<Option<PlayerRef>>,
}

impl Matches {
    /// The players in the seats of a match.
    ///
    /// # Errors
    /// As [`Self::page`].
    pub async fn seated(&self, id: &MatchId, caller: &Caller) -> Result<SeatedPlayers, Error> {
        let look = |reply| MatchMessage::Snapshot { caller: caller.clone(), reply };
        let look = self.registry.ask(id, look).await?;
        let player = |setup: &SeatSetup| match setup {
            SeatSetup::Held { holder } | SeatSetup::Reserved { holder } => holder.player.clone(),
            SeatSetup::Engine(engine) => Some(engine_player(&look.created, engine).player()),
            SeatSetup::Open => None,
        };
        let players = look.seats.iter().map(|seat| player(&seat.chair)).collect();
        Ok(SeatedPlayers { game: look.created.game.clone(), players })
    }
}
