//! The rematch of a match: the same game and settings, a fresh deal, and every seat moved by one. A match that began with a
//! position begins with it again. There is at most one rematch.

use std::sync::Arc;

use engines::rng::Seed;

use crate::admission::{Payers, Permit};
use crate::catalogue::Offer;
use crate::domain::{MatchId, Stage};
use crate::error::{Code, Error};
use crate::matches::actor::message::{MatchMessage, MatchSnapshot, SeatClaim};
use crate::matches::actor::requests::no_seat;
use crate::matches::event::{EngineSeat, Holder, SeatSetup, SeedFrom};
use crate::matches::ledger::{Beginning, Caller};
use crate::matches::registry::MatchRegistry;
use crate::matches::request::StartFrom;
use crate::matches::start::create::{BotTerms, CreateError, random};
use crate::store::refused_by_store;

impl MatchRegistry {
    /// The rematch, in which the caller then holds a seat. Creates it if there is none.
    pub(in crate::matches) async fn rematch(
        self: &Arc<Self>,
        id: &MatchId,
        caller: &Caller,
    ) -> Result<MatchId, Error> {
        let old = self.ask(id, |reply| MatchMessage::Snapshot { caller: caller.clone(), reply }).await?;
        let seat = old.seat.ok_or_else(|| no_seat(caller))?;
        if old.stage != Stage::Over {
            return Err(Error::new(
                Code::MatchNotOver,
                "the match is not over: it can have a rematch only then",
            ));
        }
        let SeatSetup::Held { holder } = &old.seats[seat.index()].chair else { return Err(no_seat(caller)) };
        let find = || async { self.store.rematch(id.clone()).await.map_err(|e| refused_by_store(&e)) };
        if let Some(there) = find().await? {
            return self.sit_down(there, caller, holder.clone()).await;
        }
        let created = &old.created;
        let terms = BotTerms { game: old.offer.info.slug, clock: created.clock, rated: created.rated };
        for other in old.seats.iter().filter_map(|seat| seat.chair.holder()) {
            if let Some(player) = &other.player {
                self.ask_player(player, &terms, caller)?;
            }
        }
        let permit = self.admission.admit(Payers::new(caller.network, &caller.player)).await?;
        let fresh = MatchId::fresh();
        let beginning = rematch_beginning(id, &old, holder, &permit)?;
        match self.open(old.offer, fresh.clone(), beginning, None, permit).await {
            Ok(()) => Ok(fresh),
            Err(CreateError::Refused(e)) => Err(e),
            Err(CreateError::Conflict) => {
                let there = find().await?;
                let there = there
                    .ok_or_else(|| Error::new(Code::Internal, "a rematch exists but cannot be found"))?;
                self.sit_down(there, caller, holder.clone()).await
            }
        }
    }

    /// Takes the seat that is reserved for the caller in the rematch, if they do not hold it already.
    async fn sit_down(
        self: &Arc<Self>,
        id: MatchId,
        caller: &Caller,
        holder: Holder,
    ) -> Result<MatchId, Error> {
        // The seat is reserved for this caller, so it does not count toward the limit on taken seats.
        let joiner = SeatClaim { caller: caller.clone(), holder, request: None, places: Ok(None) };
        let join =
            |reply| MatchMessage::Join { wanted: None.into(), joiner: Box::new(joiner.clone()), reply };
        match self.ask(&id, join).await {
            Ok(_) => Ok(id),
            Err(e) if matches!(e.code(), Code::StoreUnavailable | Code::Stopping | Code::Internal) => Err(e),
            // The rematch exists anyway: it is over, or the seat was given up and taken by another player.
            Err(_) => Ok(id),
        }
    }
}

fn rematch_beginning(
    id: &MatchId,
    old: &MatchSnapshot,
    caller: &Holder,
    permit: &Permit,
) -> Result<Beginning, Error> {
    let created = &old.created;
    let mut seats: Vec<SeatSetup> =
        old.seats.iter().map(|seat| seat_in_rematch(&seat.chair, old.offer, caller)).collect();
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
        payer: permit.person().map(str::to_owned),
        creator: Some(caller.clone()),
        rated: created.rated,
        tournament: None,
        ladder: None,
        position: created
            .position
            .clone()
            .map(|position| StartFrom { position, of: created.position_of.clone() }),
    })
}

/// A seat in the rematch: the caller holds theirs at once, the others are reserved until their holders join.
fn seat_in_rematch(chair: &SeatSetup, offer: &Offer, caller: &Holder) -> SeatSetup {
    match chair {
        SeatSetup::Held { holder } if holder == caller => chair.clone(),
        SeatSetup::Held { holder } => SeatSetup::Reserved { holder: holder.clone() },
        SeatSetup::Engine(engine) => {
            let now = offer.engines.iter().find(|e| e.name == engine.engine);
            let version = now.map_or(engine.version, |e| e.version);
            SeatSetup::Engine(EngineSeat { version, ..engine.clone() })
        }
        SeatSetup::Open | SeatSetup::Reserved { .. } => chair.clone(),
    }
}
