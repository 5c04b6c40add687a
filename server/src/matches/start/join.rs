//! Joins a match: takes a seat for a caller.

use std::sync::Arc;

use crate::domain::{IdempotencyKey, MatchId};
use crate::error::{Code, Error};
use crate::matches::actor::message::{JoinOutcome, MatchMessage, SeatClaim};
use crate::matches::event::Holder;
use crate::matches::idempotency::{RequestStamp, TokenFactory};
use crate::matches::ledger::Caller;
use crate::matches::registry::MatchRegistry;
use crate::matches::request::{MatchTokens, SeatChoice};

impl MatchRegistry {
    /// Takes a seat.
    pub(in crate::matches) async fn join(
        self: &Arc<Self>,
        id: &MatchId,
        wanted: SeatChoice,
        name: Option<String>,
        caller: &Caller,
        retry: Option<IdempotencyKey>,
    ) -> Result<MatchTokens, Error> {
        let mut stamp = retry.as_ref().map(|retry| RequestStamp::new(caller, retry));
        if let (Some(stamp), Some(retry)) = (&stamp, &retry)
            && let Some(admission) = self.asked_before(stamp, retry).await?
        {
            return Ok(admission);
        }
        let name = self.guest_name(name, "name").await?;
        let (token, holder) = match &caller.player {
            Some(player) => {
                if name.is_some() {
                    let detail = format!("name: a player cannot choose a name; yours is {:?}", player.name);
                    return Err(Error::new(Code::BadField, detail));
                }
                (None, Holder { player: Some(player.clone()), ..Holder::default() })
            }
            None => {
                let key = retry.as_ref().map(|retry| retry.key.as_str());
                let token = TokenFactory { pepper: self.store.pepper(), key }.joiner(id)?;
                let key = Some(token.hash());
                (Some(token), Holder { key, name, ..Holder::default() })
            }
        };
        if let Some(stamp) = &mut stamp {
            stamp.token = holder.key;
        }
        let places = self.holdings.take_seat(caller.network);
        let joiner =
            SeatClaim { caller: caller.clone(), holder: holder.clone(), request: stamp.clone(), places };
        let ask = |reply| MatchMessage::Join { wanted, joiner: Box::new(joiner.clone()), reply };
        match self.ask(id, ask).await? {
            JoinOutcome::Seated(seat, sits) => {
                // A seat that was reserved for another token of the caller is held by that token.
                let token = token.filter(|token| sits.key == Some(token.hash()));
                Ok(MatchTokens { id: id.clone(), seats: vec![(seat, token)], key: None, creator: None })
            }
            JoinOutcome::AskedBefore => self.answered_before(stamp.as_ref(), retry.as_ref()).await,
        }
    }
}
