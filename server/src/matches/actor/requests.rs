//! The requests of callers to a live match, and the checks of who may make them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use engines::erased::{self, ReadMove};
use engines::game::{Seat, Viewer};

use crate::catalogue::no_bot_seat;
use crate::domain::Stage;
use crate::domain::token::KeyHash;
use crate::error::{Code, CurrentMatch, Error};
use crate::matches::actor::MatchActor;
use crate::matches::actor::commit::CommandOutcome;
use crate::matches::actor::message::{
    ActionOutcome, JoinOutcome, MatchSnapshot, RefereeStart, RunningTurn, SeatClaim, ViewerStart,
};
use crate::matches::actor::retry::{Attempt, Attempts};
use crate::matches::event::{Created, Event, FoulKind, Holder, SeatSetup};
use crate::matches::ledger::{Caller, Command, LedgerDecision};
use crate::matches::listing::MatchSummary;
use crate::matches::render;
use crate::matches::render::{Page, RenderedEvent, SeatsPresent};
use crate::matches::request::{SeatAction, SeatChoice, SubmittedMove};
use crate::store::{MatchStatus, refused_by_store};

impl MatchActor {
    pub(super) async fn join(&mut self, wanted: SeatChoice, joiner: SeatClaim) -> Result<JoinOutcome, Error> {
        let SeatClaim { caller, holder, request, places } = joiner;
        self.admit(&caller).await?;
        let (key, who) = (holder.key, caller.clone());
        let seat = if wanted.bot { self.bot_seat(wanted, &caller, &holder)? } else { wanted.seat };
        let command = Command::Join { seat, caller, holder };
        let mut attempts = Attempts::new();
        let outcome = loop {
            // Limits and blocks matter only if a seat would be taken now.
            if let Ok(LedgerDecision::New(events)) =
                self.catch_panic(|ledger| ledger.decide(&command, self.now()))?
            {
                self.check_blocks(&who, &events)?;
                if let Err(full) = &places {
                    return Err(full.clone());
                }
            }
            match self.attempt(&command, None, request.as_ref(), None).await? {
                Attempt::Done(outcome) => break outcome,
                Attempt::Overtaken => attempts.overtaken()?,
            }
        };
        let taken = match outcome {
            CommandOutcome::AskedBefore => return Ok(JoinOutcome::AskedBefore),
            CommandOutcome::Done(events, _) => {
                let joined = events.iter().find_map(|event| match &event.event {
                    Event::Joined { seat, holder } => Some((*seat, holder.clone())),
                    _ => None,
                });
                if let Some((seat, _)) = joined {
                    let places = places.unwrap_or_default();
                    self.registry.holdings.keep_seat(&self.id, seat, places, self.ledger.stage());
                }
                joined
            }
            CommandOutcome::Before(_) => self.seat_held(&who, key),
        };
        let missing = || Error::new(Code::Internal, "a caller joined but has no seat");
        taken.map(|(seat, holder)| JoinOutcome::Seated(seat, holder)).ok_or_else(missing)
    }

    /// The seat that the caller, or the holder of this key, holds.
    fn seat_held(&self, caller: &Caller, key: Option<KeyHash>) -> Option<(Seat, Holder)> {
        let sits = self.ledger.seat_of(caller);
        let mut seats = (0..).map(Seat).zip(self.ledger.seats());
        seats.find_map(|(seat, now)| match &now.chair {
            SeatSetup::Held { holder }
                if sits == Some(seat) || (sits.is_none() && key.is_some() && holder.key == key) =>
            {
                Some((seat, holder.clone()))
            }
            _ => None,
        })
    }

    /// Checks that the caller, who would take an open seat with these events, has no block in common with the creator of the
    /// match or with a player in it. Who keeps a seat for a player was asked when it was kept.
    fn check_blocks(&self, caller: &Caller, events: &[Event]) -> Result<(), Error> {
        let Some(player) = &caller.player else { return Ok(()) };
        let takes_open = events.iter().any(|event| {
            matches!(event, Event::Joined { seat, .. } if self.ledger.seats()[seat.index()].chair == SeatSetup::Open)
        });
        if !takes_open {
            return Ok(());
        }
        let seated = self.ledger.seats().iter().filter_map(|seat| seat.chair.holder());
        let others =
            self.ledger.created().creator.iter().chain(seated).filter_map(|other| other.player.as_ref());
        others.into_iter().try_for_each(|other| self.registry.admission.blocks.check(player, other))
    }

    /// The seat to take for a foreign bot: one that a bot may hold. `None`: the caller has a seat already, or one is
    /// reserved.
    fn bot_seat(
        &self,
        SeatChoice { seat, mirror, .. }: SeatChoice,
        caller: &Caller,
        holder: &Holder,
    ) -> Result<Option<Seat>, Error> {
        let is_allowed = |seat: &Seat| self.offer.info.bot_can_hold(seat.0, mirror);
        // A retry brings the same token, which may hold a seat already.
        let again = Caller { seat_key: holder.key, ..Caller::default() };
        let seated = self.ledger.seat_of(caller).or_else(|| self.ledger.seat_of(&again));
        if seat.is_none() && seated.or_else(|| self.ledger.kept_for(caller)).is_some() {
            return Ok(None);
        }
        let is_open = |seat: &Seat| {
            self.ledger.seats().get(seat.index()).is_some_and(|now| now.chair == SeatSetup::Open)
        };
        let found = match seat {
            Some(seat) => Some(seat).filter(is_allowed),
            None => (0..self.offer.info.max_seats).map(Seat).filter(is_allowed).find(is_open),
        };
        let found =
            found.ok_or_else(|| no_bot_seat(self.offer.info, "it is not free, or another one was named"))?;
        self.ledger.check_dialogue(found)?;
        Ok(Some(found))
    }

    pub(super) async fn act(&mut self, caller: &Caller, act: SeatAction) -> Result<ActionOutcome, Error> {
        self.admit(caller).await?;
        self.recall_recent_turn().await;
        self.forgive_unshown(caller).await;
        match self.decide_action(caller, &act).await {
            Err(stale) if matches!(stale.code(), Code::StalePly | Code::TimeUp) => {
                let page = self.current_page(caller).await?;
                let current = CurrentMatch { ply: page.ply(), page: page.to_raw() };
                Err(stale.with_match(current))
            }
            answer => answer,
        }
    }

    async fn decide_action(&mut self, caller: &Caller, act: &SeatAction) -> Result<ActionOutcome, Error> {
        let mut attempts = Attempts::new();
        loop {
            // Looked up at each attempt: before the start a seat may change hands.
            let Some(seat) = self.ledger.seat_of(caller) else {
                let left = self.ledger.left_by(caller).filter(|_| *act == SeatAction::Leave);
                let seq = left.ok_or_else(|| no_seat(caller))?;
                return Ok(ActionOutcome::Before { seq, viewer: Viewer::Spectator, offer: self.offer });
            };
            let viewer = Viewer::Seat(seat);
            let (command, read) = self.command(seat, act)?;
            match self.attempt(&command, read.as_ref(), None, Some(viewer)).await? {
                Attempt::Overtaken => attempts.overtaken()?,
                Attempt::Done(outcome) => return outcome.of_action(viewer, self.offer),
            }
        }
    }

    /// The command of an action, and its move if it was read for that.
    fn command(&self, seat: Seat, act: &SeatAction) -> Result<(Command, Option<ReadMove>), Error> {
        Ok(match act {
            SeatAction::Move { ply, mv, arrived } => {
                let (notation, read) = match mv {
                    SubmittedMove::Notation(notation) => (notation.clone(), None),
                    SubmittedMove::Json(json) => {
                        let read =
                            self.catch_panic(|ledger| ledger.read(erased::MoveInput::Json(json)))??;
                        (read.text.notation.clone(), Some(read))
                    }
                };
                let arrived_ms = self.registry.now.at(*arrived);
                let queue_us = u64::try_from(arrived.elapsed().as_micros()).unwrap_or(u64::MAX);
                (Command::Move { seat, ply: *ply, notation, arrived_ms, queue_us, measured: None }, read)
            }
            SeatAction::Leave => (Command::Leave { seat }, None),
            SeatAction::Resign => (Command::Resign { seat }, None),
            SeatAction::Abort => (Command::Abort { seat }, None),
            SeatAction::TakeBack { ply } => (Command::TakeBack { seat, ply: *ply }, None),
        })
    }

    pub(super) async fn foul(
        &mut self,
        caller: &Caller,
        ply: u32,
        kind: FoulKind,
        detail: String,
        arrived: Instant,
    ) -> Result<(), Error> {
        self.admit(caller).await?;
        self.forgive_unshown(caller).await;
        let seat = self.ledger.seat_of(caller).ok_or_else(|| no_seat(caller))?;
        let arrived_ms = self.registry.now.at(arrived);
        let command = Command::Foul { seat, ply, kind, detail, arrived_ms, measured: None };
        self.carry_out(&command).await.map(drop)
    }

    pub(super) async fn set_referee(
        &mut self,
        caller: &Caller,
        seat: Seat,
        settings: BTreeMap<String, String>,
    ) -> Result<(), Error> {
        self.refresh().await?;
        self.admit(caller).await?;
        if self.ledger.seat_of(caller) != Some(seat) {
            return Err(no_seat(caller));
        }
        // The dialogue of a match that is over is only read again.
        if self.ledger.stage() == Stage::Over {
            return Ok(());
        }
        self.carry_out(&Command::SetReferee { seat, settings }).await.map(drop)
    }

    pub(super) async fn page(&mut self, caller: &Caller) -> Result<Arc<RenderedEvent>, Error> {
        self.refresh().await?;
        self.forgive_unshown(caller).await;
        Ok(Arc::new(self.current_page(caller).await?.rendered()))
    }

    async fn current_page(&mut self, caller: &Caller) -> Result<Page, Error> {
        self.admit(caller).await?;
        let viewer = self.viewer(caller);
        let rematch = match self.ledger.stage() {
            Stage::Over => {
                let found = self.registry.store.rematch(self.id.clone()).await;
                found.map_err(|e| refused_by_store(&e))?
            }
            Stage::Open | Stage::Running => None,
        };
        let connected = self.registry.presence.connected(&self.id);
        let present = SeatsPresent { connected: &connected, vacations: &self.vacations() };
        let (pause, now) = (self.clock_pause(), self.now());
        Ok(render::page(&self.id, &self.ledger, viewer, rematch.as_ref(), present, pause, now))
    }

    pub(super) async fn watch(&mut self, caller: &Caller, since: Option<u32>) -> Result<ViewerStart, Error> {
        self.refresh().await?;
        self.forgive_unshown(caller).await;
        // Connect before making the page, which shows the connection.
        let connection = self.ledger.seat_of(caller).and_then(|seat| self.connect(seat));
        let page = Arc::new(self.current_page(caller).await?.rendered());
        let upto = self.ledger.next_seq();
        if let Some(since) = since.filter(|since| *since >= upto) {
            let detail = format!("since: there is no event {since} yet; the last one is {}", upto - 1);
            return Err(Error::new(Code::BadQuery, detail));
        }
        let viewer = self.viewer(caller);
        let live = (self.ledger.stage() != Stage::Over).then(|| self.audience.watch(viewer));
        let seats = self.ledger.seats().len();
        let sealed = self.is_sealed().await?;
        Ok(ViewerStart { page, viewer, seats, offer: self.offer, upto, live, connection, sealed })
    }

    pub(super) async fn follow(&mut self, caller: &Caller, seat: Seat) -> Result<RefereeStart, Error> {
        self.refresh().await?;
        self.admit(caller).await?;
        self.forgive_unshown(caller).await;
        if self.ledger.seat_of(caller) != Some(seat) {
            return Err(no_seat(caller));
        }
        let live = (self.ledger.stage() != Stage::Over).then(|| self.audience.follow());
        Ok(RefereeStart { upto: self.ledger.next_seq(), live, connection: self.connect(seat) })
    }

    pub(super) async fn look(&mut self, caller: &Caller) -> Result<MatchSnapshot, Error> {
        // Another server may have ended the match.
        if self.ledger.stage() != Stage::Over {
            self.catch_up().await?;
        }
        self.admit(caller).await?;
        Ok(MatchSnapshot {
            created: self.ledger.created().clone(),
            seats: self.ledger.seats().to_vec(),
            stage: self.ledger.stage(),
            offer: self.offer,
            seat: self.ledger.seat_of(caller),
            sealed: self.is_sealed().await?,
            turn: self.running_turn(),
        })
    }

    fn running_turn(&self) -> Option<RunningTurn> {
        let seat = self.ledger.turn()?;
        let follows = self.registry.presence.follows(&self.id, seat);
        let vacation_until_ms = self.vacation().map(|vacation| vacation.until_ms);
        Some(RunningTurn {
            seat,
            ply: self.ledger.ply(),
            end_ms: self.turn_end(),
            vacation_until_ms,
            follows,
        })
    }

    /// Whether the match is sealed: other games of its tournament have the same deal, and not all of them are finished.
    pub(super) async fn is_sealed(&mut self) -> Result<bool, Error> {
        if self.opened || !self.ledger.created().shares_deal() {
            return Ok(false);
        }
        let found = self.registry.store.match_status(vec![self.id.clone()]).await;
        let found = found.map_err(|e| refused_by_store(&e))?;
        let is_sealed = |status: &MatchStatus| {
            serde_json::from_str::<MatchSummary>(&status.summary).is_ok_and(|summary| summary.sealed)
        };
        self.opened = !found.iter().any(is_sealed);
        Ok(!self.opened)
    }

    pub(super) fn viewer(&self, caller: &Caller) -> Viewer {
        self.ledger.seat_of(caller).map_or(Viewer::Spectator, Viewer::Seat)
    }

    /// Checks that the caller may see the match, by the tokens of the request.
    pub(super) async fn admit(&mut self, caller: &Caller) -> Result<(), Error> {
        if !self.ledger.may_see(caller) {
            return Err(no_such_match(&self.id));
        }
        let plays = self.ledger.seat_of(caller).or_else(|| self.ledger.kept_for(caller)).is_some();
        if !plays && self.is_sealed().await? {
            return Err(sealed(self.ledger.created()));
        }
        let Some(key) = caller.seat_key else { return Ok(()) };
        let only_key = Caller { seat_key: Some(key), ..Caller::default() };
        let opens =
            |chair: &SeatSetup| matches!(chair, SeatSetup::Reserved { holder } if holder.key == Some(key));
        let known = self.ledger.seat_of(&only_key).is_some()
            || self.ledger.is_creator(&only_key)
            || self.ledger.left_by(&only_key).is_some()
            || self.ledger.seats().iter().any(|seat| opens(&seat.chair));
        if known { Ok(()) } else { Err(Error::new(Code::BadToken, "the token holds no seat of this match")) }
    }
}

/// The error that the match is sealed.
pub(crate) fn sealed(created: &Created) -> Error {
    let tournament = created.tournament.as_ref().map_or("?", |tournament| &tournament.id);
    let detail = format!(
        "games of tournament {tournament} with the same deal are still to be played: this match is open to all when \
         all of them are finished"
    );
    Error::new(Code::Sealed, detail)
}

/// The error that there is no such match, as far as this caller may know.
pub(crate) fn no_such_match(id: &crate::domain::MatchId) -> Error {
    let detail = format!(
        "there is no match {id}; a private one needs its key (header Match-Key) or the token of a seat"
    );
    Error::new(Code::NoSuchMatch, detail)
}

/// The error that the caller does not hold the seat.
pub(crate) fn no_seat(caller: &Caller) -> Error {
    if caller.seat_key.is_none() && caller.player.is_none() {
        Error::new(
            Code::TokenNeeded,
            "the token of the seat or of its player is needed: Authorization: Bearer ...",
        )
    } else {
        Error::new(Code::NotYourSeat, "the token does not hold this seat")
    }
}
