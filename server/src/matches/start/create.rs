//! Creates matches: checks an order, turns it into the first events, and appends them.

use std::sync::Arc;
use std::time::Duration;

use engines::game::Seat;
use engines::rng::Seed;

use crate::admission::Permit;
use crate::admission::policy::BotQuestion;
use crate::catalogue::Offer;
use crate::domain::names::NameKey;
use crate::domain::request_id::carry;
use crate::domain::time::DAY_MS;
use crate::domain::token;
use crate::domain::{IdempotencyKey, MatchId, PlayerKind, PlayerRef, names};
use crate::error::{Code, Error};
use crate::matches::clock::ClockSpec;
use crate::matches::event::{EngineSeat, Event, Holder, LoggedEvent, SeatSetup, SeedFrom};
use crate::matches::idempotency::{RequestStamp, TokenFactory};
use crate::matches::ledger::{Beginning, Caller, Ledger};
use crate::matches::listing;
use crate::matches::match_life;
use crate::matches::options::IDLE_RANGE;
use crate::matches::refusal::{MatchRefusal, RatedRule};
use crate::matches::registry::engine_only::EngineOnlyGuard;
use crate::matches::registry::{ActorStart, MatchRegistry, to_store};
use crate::matches::request::{MatchTokens, NewMatch, NewSeat, Payment};
use crate::store::{Append, StoreError, StoredRequest, refused_by_store};

/// The time after which a caller with too many matches between engines may try again.
const ENGINES_RETRY_AFTER: Duration = Duration::from_secs(60);

/// How much of an unknown name an error quotes, in characters.
const MAX_QUOTED_NAME: usize = 40;

impl MatchRegistry {
    /// Checks the name that a guest chose: it must not be, or look like, the name of a player or an engine.
    pub(in crate::matches) async fn guest_name(
        &self,
        name: Option<String>,
        field: &str,
    ) -> Result<Option<String>, Error> {
        let Some(name) = name else { return Ok(None) };
        let name = names::guest(&name)
            .map_err(|rule| Error::new(Code::BadField, format!("{field}: a guest's name {rule}")))?;
        let key = NameKey::of(&name);
        let taken = key.is_like_deleted()
            || self.engine_names.iter().any(|engine| engine.is_like(&key))
            || self.store.is_taken(key, self.now.ms()).await.map_err(|e| refused_by_store(&e))?;
        if taken {
            let detail = format!(
                "{field}: {name:?} is, or looks like, the name of a player or an engine; choose another"
            );
            return Err(Error::new(Code::NameTaken, detail));
        }
        Ok(Some(name))
    }

    /// Creates a match.
    pub(in crate::matches) async fn create(
        self: &Arc<Self>,
        order: NewMatch,
        caller: &Caller,
        retry: Option<IdempotencyKey>,
        payment: Payment,
    ) -> Result<MatchTokens, Error> {
        let stamp = retry.as_ref().map(|retry| RequestStamp::new(caller, retry));
        if let (Some(stamp), Some(retry)) = (&stamp, &retry)
            && let Some(admission) = self.asked_before(stamp, retry).await?
        {
            return Ok(admission);
        }
        let permit = match payment {
            Payment::Due(payers) => self.admission.admit(payers).await?,
            Payment::Made(permit) => permit,
        };
        let offer = self.games.find(&order.game)?;
        let id = MatchId::fresh();
        let key = retry.as_ref().map(|retry| retry.key.as_str());
        let tokens = TokenFactory { pepper: self.store.pepper(), key };
        let mut admission = MatchTokens { id: id.clone(), seats: Vec::new(), key: None, creator: None };
        let (beginning, counted) =
            self.beginning(offer, order, caller, &tokens, &mut admission, &permit).await?;
        let request = stamp.as_ref().map(|stamp| stamp.of_creation(&admission));
        match self.open(offer, id, beginning, request, permit).await {
            // The id is fresh, so the conflict is about the request.
            Err(CreateError::Conflict) => self.answered_before(stamp.as_ref(), retry.as_ref()).await,
            Err(CreateError::Refused(e)) => Err(e),
            Ok(()) => {
                counted.into_iter().for_each(EngineOnlyGuard::keep);
                Ok(admission)
            }
        }
    }

    /// The beginning of the ordered match, and its count if only engines play in it. The caller's tokens are put into
    /// `admission`.
    async fn beginning(
        &self,
        offer: &Offer,
        order: NewMatch,
        caller: &Caller,
        tokens: &TokenFactory<'_>,
        admission: &mut MatchTokens,
        permit: &Permit,
    ) -> Result<(Beginning, Option<EngineOnlyGuard>), Error> {
        if order.seats.len() > usize::from(u8::MAX) {
            return Err(Error::new(Code::BadSeats, "seats: no game has this many"));
        }
        if order.rated {
            check_engines(&order.seats, caller)?;
        }
        let mut seats = Vec::with_capacity(order.seats.len());
        let terms = BotTerms { game: offer.info.slug, clock: order.clock, rated: order.rated };
        let order_of = SeatOrder { offer, caller, tokens, terms };
        for (seat, new_seat) in (0..).map(Seat).zip(order.seats) {
            seats.push(self.seat_setup(&order_of, seat, new_seat, admission).await?);
        }
        let made_from = permit.network().map(|network| token::address_key(self.store.pepper(), network));
        let counted = self.count_engines_alone(&seats, made_from.as_deref(), &admission.id)?;
        if order.private {
            admission.key = Some(tokens.match_key(&admission.id)?);
        }
        let creator = creator(caller, tokens, admission)?;
        let beginning = Beginning {
            options: order.options,
            seats,
            clock: order.clock,
            idle_ms: checked_idle_ms(order.idle_ms.unwrap_or(self.options.idle_ms))?,
            key: admission.key.as_ref().map(token::Token::hash),
            // The seeds of a tournament are the server's own.
            seed_from: match order.seed {
                Some(_) if order.tournament.is_none() => SeedFrom::Caller,
                _ => SeedFrom::Host,
            },
            seed: order.seed.map_or_else(|| random().map(Seed), Ok)?,
            salt: random()?,
            rematch_of: None,
            hints: order.hints,
            made_from,
            payer: permit.person().map(str::to_owned),
            creator: Some(creator),
            rated: order.rated,
            tournament: order.tournament,
            ladder: order.ladder,
            position: order.position,
        };
        Ok((beginning, counted))
    }

    /// Counts a new match for the address that creates it, if only engines play in it.
    fn count_engines_alone(
        &self,
        seats: &[SeatSetup],
        address: Option<&str>,
        id: &MatchId,
    ) -> Result<Option<EngineOnlyGuard>, Error> {
        let Some(address) = address.filter(|_| seats.iter().all(|c| matches!(c, SeatSetup::Engine(_))))
        else {
            return Ok(None);
        };
        let most = self.options.engine_matches;
        let counted = self.engines_alone.count(address, id, most).ok_or_else(|| {
            let detail = format!("{most} matches between engines run for this address, which is the limit");
            Error::new(Code::TooMany, detail).retry_after(ENGINES_RETRY_AFTER)
        })?;
        Ok(Some(counted))
    }

    /// The setup of one seat. If the caller takes it, their token is put into `admission`.
    async fn seat_setup(
        &self,
        order: &SeatOrder<'_>,
        seat: Seat,
        new_seat: NewSeat,
        admission: &mut MatchTokens,
    ) -> Result<SeatSetup, Error> {
        let SeatOrder { offer, caller, tokens, terms } = order;
        Ok(match new_seat {
            NewSeat::Open => SeatSetup::Open,
            NewSeat::Engine { engine, level, think_ms, nodes } => {
                let engine = offer.engine(engine.as_deref())?;
                let version = offer.engines.iter().find(|e| e.name == engine.name).map_or(0, |e| e.version);
                let usual = offer.info.think.min(self.max_think);
                let think_ms = think_ms.unwrap_or(u64::try_from(usual.as_millis()).unwrap_or(u64::MAX));
                let limit = self.max_think.as_millis();
                if u128::from(think_ms) > limit {
                    let detail = format!(
                        "seats[{seat}].think_ms: {think_ms} is more than {limit}, which is the limit"
                    );
                    return Err(Error::new(Code::ThinkTooLong, detail));
                }
                SeatSetup::Engine(EngineSeat {
                    engine: engine.name.to_owned(),
                    version,
                    level,
                    think_ms,
                    nodes,
                })
            }
            NewSeat::Me { name } => {
                let field = format!("seats[{seat}].name");
                if let Some(player) = &caller.player {
                    if name.is_some() {
                        let detail =
                            format!("{field}: a player cannot choose a name; yours is {:?}", player.name);
                        return Err(Error::new(Code::BadField, detail));
                    }
                    admission.seats.push((seat, None));
                    SeatSetup::Held { holder: Holder { player: Some(player.clone()), ..Holder::default() } }
                } else {
                    let name = self.guest_name(name, &field).await?;
                    let token = tokens.seat(&admission.id, seat)?;
                    let key = Some(token.hash());
                    admission.seats.push((seat, Some(token)));
                    SeatSetup::Held { holder: Holder { key, name, ..Holder::default() } }
                }
            }
            NewSeat::Reserved { player } => {
                SeatSetup::Reserved { holder: Holder { player: Some(player), ..Holder::default() } }
            }
            NewSeat::Player { name } => {
                let found = self.store.player(name.clone()).await.map_err(|e| refused_by_store(&e))?;
                // An engine does not join: it has seats of its own kind.
                let Some(player) = found.filter(|player| player.kind != PlayerKind::Engine) else {
                    let name: String = name.chars().take(MAX_QUOTED_NAME).collect();
                    let detail = format!("seats[{seat}].name: no player is called {name:?}");
                    return Err(Error::new(Code::NoSuchPlayer, detail));
                };
                self.ask_player(&player.who, terms, caller)?;
                SeatSetup::Reserved { holder: Holder { player: Some(player.who), ..Holder::default() } }
            }
        })
    }

    /// Asks whether a seat may be kept for a player: neither of the two has blocked the other, and a bot plays such matches.
    ///
    /// # Errors
    /// `not_accepted`.
    pub(in crate::matches) fn ask_player(
        &self,
        player: &PlayerRef,
        terms: &BotTerms,
        caller: &Caller,
    ) -> Result<(), Error> {
        let from = caller.player.as_ref();
        from.map_or(Ok(()), |from| self.admission.blocks.check(from, player))?;
        if player.owner.is_none() || from.is_some_and(|from| from.id == player.id) {
            return Ok(());
        }
        let BotTerms { game, clock, rated } = *terms;
        let time_ms = clock.and_then(|clock| clock.initial_ms.or(clock.move_ms));
        self.admission.ask_bot(BotQuestion { bot: player, game, time_ms, rated, from })
    }

    /// Appends the beginning of a match and starts its actor.
    pub(in crate::matches) async fn open(
        self: &Arc<Self>,
        offer: &'static Offer,
        id: MatchId,
        beginning: Beginning,
        request: Option<StoredRequest>,
        permit: Permit,
    ) -> Result<(), CreateError> {
        if self.stopping.is_cancelled() {
            return Err(CreateError::Refused(Error::stopping()));
        }
        let (beginning, referee) = self.seat_programs(offer.info.slug, beginning);
        let mut events = Ledger::create(offer.game, beginning).map_err(|e| CreateError::Refused(e.into()))?;
        // Before the start: a program reads its first line then.
        events.splice(1..1, referee);
        let at_ms = self.now.ms();
        let Some((Event::Created(created), rest)) = events.split_first() else {
            return Err(CreateError::Refused(Error::new(
                Code::Internal,
                "a new match has no creation event",
            )));
        };
        let row = Some(listing::first_row(created, at_ms, rest));
        let begins =
            listing::rated_begin(created, created.seats.iter(), rest, true, self.options.max_rated_per_pair);
        let stamp = |(seq, event)| LoggedEvent { seq, at_ms, event };
        let log: Vec<LoggedEvent> = (0..).zip(events).map(stamp).collect();
        let append = Append {
            id: id.clone(),
            seq: 0,
            events: to_store(&log),
            row,
            request,
            rated: None,
            begins,
            faults: Vec::new(),
            program_results: Vec::new(),
        };
        // In a task of its own, since the caller may disconnect at any time: once the match is on disk, its actor must start.
        let registry = Arc::clone(self);
        let begun =
            self.tasks.spawn(carry(async move { registry.begin(offer, id, append, &log, permit).await }));
        let failed =
            |_| Err(CreateError::Refused(Error::new(Code::Internal, "the task that creates a match failed")));
        begun.await.unwrap_or_else(failed)
    }

    /// Lets the hosted programs of bots take the seats that are for these bots. Returns also the settings of their dialogues.
    fn seat_programs(&self, game: &str, mut beginning: Beginning) -> (Beginning, Vec<Event>) {
        let mut referee = Vec::new();
        for (seat, setup) in (0..).map(Seat).zip(&mut beginning.seats) {
            let (SeatSetup::Held { holder } | SeatSetup::Reserved { holder }) = setup else { continue };
            // A rematch has the holders of the match before.
            holder.program = None;
            let bot = holder.player.as_ref().filter(|player| player.owner.is_some());
            let Some(active) = bot.and_then(|bot| self.programs.active(&bot.id, game)) else { continue };
            let holder = Holder { program: Some(active.program), ..holder.clone() };
            *setup = SeatSetup::Held { holder };
            if !active.referee.is_empty() {
                referee.push(Event::RefereeSet { seat, settings: active.referee });
            }
        }
        (beginning, referee)
    }

    /// The refusal of a rated match between players who have begun too many today.
    pub(in crate::matches) fn rated_limit(&self) -> Error {
        let most = self.options.max_rated_per_pair;
        let detail = format!(
            "two of these players have begun {most} rated matches with each other today (UTC), which is the limit \
             (--max-rated-per-pair); play an unrated match"
        );
        let rest = DAY_MS - self.now.ms().rem_euclid(DAY_MS);
        Error::new(Code::RatedLimit, detail).retry_after(Duration::from_millis(rest.unsigned_abs()))
    }

    async fn begin(
        self: &Arc<Self>,
        offer: &'static Offer,
        id: MatchId,
        append: Append,
        log: &[LoggedEvent],
        permit: Permit,
    ) -> Result<(), CreateError> {
        let commit_us = self.store.append(append).await.map_err(|e| match e {
            StoreError::Conflict => CreateError::Conflict,
            StoreError::RatedLimit => CreateError::Refused(self.rated_limit()),
            StoreError::Unavailable(_) => CreateError::Refused(refused_by_store(&e)),
        })?;
        self.metrics.made(offer.info.slug);
        match_life::log(&id, offer.info.slug, log);
        self.holdings.keep_match(&id, permit);
        let broken = |e: crate::matches::ledger::InvalidLog| {
            CreateError::Refused(Error::new(Code::Internal, e.to_string()))
        };
        let mut ledger = Ledger::load(offer.game, log).map_err(broken)?;
        let now = self.now.ms();
        if ledger.publish_turn(now, commit_us) {
            self.note_shown(&id, &ledger, now, commit_us);
        }
        // The match is on disk. If this server stops just now, the next one continues it.
        drop(self.enter(&id, || ActorStart::Made(Box::new(ledger))));
        Ok(())
    }
}

/// The facts that all seats of an order share.
struct SeatOrder<'a> {
    offer: &'a Offer,
    caller: &'a Caller,
    tokens: &'a TokenFactory<'a>,
    terms: BotTerms,
}

/// The parts of a match that decide whether a bot plays it.
pub(in crate::matches) struct BotTerms {
    pub game: &'static str,
    pub clock: Option<ClockSpec>,
    pub rated: bool,
}

/// Checks the engines of a rated match. They must play as usual. A caller cannot have engines play each other for ratings,
/// since the caller could cancel the matches that go the wrong way. The server itself can.
fn check_engines(seats: &[NewSeat], caller: &Caller) -> Result<(), Error> {
    let is_engine = |seat: &NewSeat| matches!(seat, NewSeat::Engine { .. });
    let is_usual = |seat: &NewSeat| match seat {
        NewSeat::Engine { think_ms, nodes, .. } => think_ms.is_none() && nodes.is_none(),
        _ => true,
    };
    if !seats.iter().all(is_usual) {
        return Err(MatchRefusal::NotRated(RatedRule::EngineTime).into());
    }
    if caller.network.is_some() && seats.iter().all(is_engine) {
        return Err(MatchRefusal::NotRated(RatedRule::Seats).into());
    }
    Ok(())
}

/// The creator of the match: the player, else the holder of the first seat that the caller gets, else the holder of a
/// token made for this.
fn creator(caller: &Caller, tokens: &TokenFactory<'_>, admission: &mut MatchTokens) -> Result<Holder, Error> {
    if let Some(player) = &caller.player {
        return Ok(Holder { player: Some(player.clone()), ..Holder::default() });
    }
    let key = match admission.seats.iter().find_map(|(_, token)| token.as_ref()) {
        Some(token) => token.hash(),
        None => admission.creator.insert(tokens.creator(&admission.id)?).hash(),
    };
    Ok(Holder { key: Some(key), ..Holder::default() })
}

/// The reason why a match was not created.
pub(in crate::matches) enum CreateError {
    /// The request was sent before, or the rematch already exists.
    Conflict,
    /// The match is not allowed, or cannot be created now.
    Refused(Error),
}

fn checked_idle_ms(ms: u64) -> Result<u64, Error> {
    if IDLE_RANGE.contains(&ms) {
        return Ok(ms);
    }
    let detail = format!("idle_ms: must be from {} to {}", IDLE_RANGE.start(), IDLE_RANGE.end());
    Err(Error::new(Code::BadField, detail))
}

/// 32 random bytes.
pub(in crate::matches) fn random() -> Result<[u8; 32], Error> {
    token::random().map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))
}
