//! The turn of a player, as far as a notification needs it.

use crate::catalogue::Offer;
use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerRef};
use crate::error::{Code, Error};
use crate::matches::actor::message::MatchMessage;
use crate::matches::event::SeatSetup;
use crate::matches::ledger::Caller;
use crate::matches::registry::notified::NotifiedPlayers;
use crate::matches::service::Matches;

/// A turn that waits for a player.
pub struct AwaitedTurn {
    /// The game.
    pub offer: &'static Offer,
    /// The number of moves made so far.
    pub ply: u32,
    /// When it ends by itself.
    pub end_ms: Option<Millis>,
    /// The end of the player's vacation, for which its clock is paused; `None`: there is none.
    pub vacation_until_ms: Option<Millis>,
    /// Whether the player follows the match by a stream, on any node.
    pub follows: bool,
    /// The names of the others, those who have one.
    pub others: Vec<String>,
}

impl Matches {
    /// The players who want to be notified of their turns.
    pub fn notified(&self) -> &NotifiedPlayers {
        &self.registry.notified
    }

    /// The turn of a player in a match; `None`: it is not the player's turn, or there is no such match any more.
    ///
    /// # Errors
    /// `store_unavailable`, `stopping`.
    pub async fn awaited_turn(&self, id: &MatchId, player: &PlayerRef) -> Result<Option<AwaitedTurn>, Error> {
        let caller = Caller { player: Some(player.clone()), ..Caller::default() };
        let asked = self.registry.ask(id, |reply| MatchMessage::Snapshot { caller: caller.clone(), reply });
        let snapshot = match asked.await {
            Err(e) if e.code() == Code::NoSuchMatch => return Ok(None),
            snapshot => snapshot?,
        };
        let Some(turn) = snapshot.turn.filter(|turn| Some(turn.seat) == snapshot.seat) else {
            return Ok(None);
        };
        let others = snapshot.seats.iter().enumerate().filter(|(seat, _)| *seat != turn.seat.index());
        let named = |chair: &SeatSetup| {
            let holder = chair.holder()?;
            holder.player.as_ref().map(|player| player.name.clone()).or_else(|| holder.name.clone())
        };
        Ok(Some(AwaitedTurn {
            offer: snapshot.offer,
            ply: turn.ply,
            end_ms: turn.end_ms,
            vacation_until_ms: turn.vacation_until_ms,
            follows: turn.follows,
            others: others.filter_map(|(_, seat)| named(&seat.chair)).collect(),
        }))
    }
}
