//! The rematch of a match: the same once more, with a fresh deal, everybody one seat on. There is at most one.

use std::sync::Arc;

use engines::rng::Seed;

use crate::catalogue::Offer;
use crate::domain::MatchId;
use crate::domain::Stage;
use crate::error::{Code, Error};
use crate::matches::actor::message::{JoinRequest, MatchMessage, MatchSnapshot};
use crate::matches::actor::requests::no_seat;
use crate::matches::create::{Unmade, random};
use crate::matches::event::{EngineSeat, Holder, SeatSetup, SeedFrom};
use crate::matches::ledger::{Beginning, Caller};
use crate::matches::registry::{MatchRegistry, refused_by_store};

impl MatchRegistry {
    /// The rematch, made if it is not there; the caller has a seat in it.
    pub async fn rematch(self: &Arc<Self>, id: &MatchId, caller: &Caller) -> Result<MatchId, Error> {
        let look = self.ask(id, |reply| MatchMessage::Snapshot { caller: caller.clone(), reply }).await?;
        let seat = look.seat.ok_or_else(|| no_seat(caller))?;
        if look.stage != Stage::Over {
            return Err(Error::new(Code::MatchNotOver, "the match is not over: a rematch comes after it"));
        }
        let SeatSetup::Held { holder } = &look.seats[seat.index()].chair else { return Err(no_seat(caller)) };
        let find = || async { self.store.rematch(id.clone()).await.map_err(|e| refused_by_store(&e)) };
        if let Some(there) = find().await? {
            return self.sit_down(there, caller, holder.clone()).await;
        }
        let place = self.charge_match(caller)?;
        let fresh = MatchId::fresh();
        let beginning = once_more(id, &look, holder)?;
        match self.open(look.offer, fresh.clone(), beginning, None, place).await {
            Ok(()) => Ok(fresh),
            Err(Unmade::Refused(e)) => Err(e),
            Err(Unmade::Conflict) => {
                let there = find().await?;
                let there = there
                    .ok_or_else(|| Error::new(Code::Internal, "a rematch is there and cannot be found"))?;
                self.sit_down(there, caller, holder.clone()).await
            }
        }
    }

    /// Takes the seat that is kept for the caller in the rematch, if they do not sit there already.
    async fn sit_down(
        self: &Arc<Self>,
        id: MatchId,
        caller: &Caller,
        holder: Holder,
    ) -> Result<MatchId, Error> {
        // The seat is kept for this caller, so it is none that others could have taken.
        let joiner = JoinRequest { caller: caller.clone(), holder, request: None, places: Ok(None) };
        let join =
            |reply| MatchMessage::Join { wanted: None.into(), joiner: Box::new(joiner.clone()), reply };
        match self.ask(&id, join).await {
            Ok(_) => Ok(id),
            Err(e) if matches!(e.code(), Code::StoreUnavailable | Code::Stopping | Code::Internal) => Err(e),
            // It is there all the same: over already, or the seat was given up and is taken.
            Err(_) => Ok(id),
        }
    }
}

fn once_more(id: &MatchId, look: &MatchSnapshot, asker: &Holder) -> Result<Beginning, Error> {
    let created = &look.created;
    let mut seats: Vec<SeatSetup> =
        look.seats.iter().map(|seat| again(&seat.chair, look.offer, asker)).collect();
    seats.rotate_right(1);
    Ok(Beginning {
        options: Some(created.options.clone()),
        seats,
        clock: created.clock,
        idle_ms: created.idle_ms,
        key: created.key,
        seed_from: SeedFrom::Host,
        seed: Seed(random()?),
        salt: random()?,
        rematch_of: Some(id.to_string()),
        hints: Some(created.hints()),
        made_from: created.made_from.clone(),
        maker: Some(asker.clone()),
    })
}

/// Who sits in a seat when it is played once more: whoever asks at once, everybody else when they come.
fn again(chair: &SeatSetup, offer: &Offer, asker: &Holder) -> SeatSetup {
    match chair {
        SeatSetup::Held { holder } if holder == asker => chair.clone(),
        SeatSetup::Held { holder } => SeatSetup::Reserved { holder: holder.clone() },
        SeatSetup::Engine(engine) => {
            let now = offer.engines.iter().find(|e| e.name == engine.engine);
            let version = now.map_or(engine.version, |e| e.version);
            SeatSetup::Engine(EngineSeat { version, ..engine.clone() })
        }
        SeatSetup::Open | SeatSetup::Reserved { .. } => chair.clone(),
    }
}
