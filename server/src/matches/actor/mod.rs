//! The actor of a live match: handles its messages one after the other, lets its engine think, and does what is due by
//! the clock. It is a cache and a timer: it may end at any time, and another one continues from the log.

mod audience;
mod commit;
mod decisions;
mod ending;
mod engine_seats;
mod engine_turn;
mod guests;
pub(super) mod message;
mod pause;
pub(super) mod requests;
mod retry;
mod timers;
mod turn_notices;
mod unshown;
mod vacations;

use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus_client::metrics::gauge::Gauge;

use crate::catalogue::Offer;
use crate::domain::request_id::{RequestId, run_for, work_for};
use crate::domain::time::Millis;
use crate::domain::{MatchId, Stage};
use crate::error::{Code, Error};
use crate::matches::actor::audience::Audience;

use crate::matches::actor::engine_seats::EngineSeats;
use crate::matches::actor::engine_turn::Chosen;
use crate::matches::actor::guests::SeatConnections;
use crate::matches::actor::message::{MailedMessage, MatchMessage, SeatClaim};
use crate::matches::actor::pause::Pause;
use crate::matches::actor::timers::ActorTimer;
use crate::matches::actor::vacations::ShownVacations;
use crate::matches::ledger::Ledger;
use crate::matches::registry::{ActorInbox, ActorStart, LogError, MatchRegistry, engine_only};
use crate::matches::render;
use crate::recovery::catch_panic::{self, Panicked};

/// After this many messages in a row, the engine and the clock get their turn.
const IN_A_ROW: u32 = 32;

/// The longest timer; the system limits timers.
const LONGEST: Duration = Duration::from_secs(3600);

/// Counts a live match in the gauge of its stage as long as it exists.
struct StageGauge {
    stage: Stage,
    gauge: Option<Gauge>,
}

impl StageGauge {
    fn new(registry: &MatchRegistry, offer: &Offer, stage: Stage) -> Self {
        let name = match stage {
            Stage::Open => Some("open"),
            Stage::Running => Some("running"),
            // A finished match is only read.
            Stage::Over => None,
        };
        let gauge = name.map(|name| registry.metrics.live(offer.info.slug, name));
        if let Some(gauge) = &gauge {
            gauge.inc();
        }
        Self { stage, gauge }
    }
}

impl Drop for StageGauge {
    fn drop(&mut self) {
        if let Some(gauge) = &self.gauge {
            gauge.dec();
        }
    }
}

pub(super) struct MatchActor {
    pub(super) registry: Arc<MatchRegistry>,
    pub(super) id: MatchId,
    pub(super) offer: &'static Offer,
    pub(super) ledger: Ledger,
    pub(super) audience: Audience,
    pub(super) paused: Option<Pause>,
    /// The reason why it cannot continue.
    pub(super) broken: Option<String>,
    /// Whether the match was deleted.
    gone: bool,
    counted: StageGauge,
    /// Counts against the limit of its address while only engines play.
    alone: Option<engine_only::EngineOnlyGuard>,
    engine_seats: EngineSeats,
    /// When it wakes up, and how long it stays in memory.
    timer: ActorTimer,
    /// The players as this node hears of them.
    connections: SeatConnections,
    /// How often this process was frozen, as far as the match was told.
    pub(super) freezes: u32,
    /// Whether it is known not to be sealed any more.
    pub(super) opened: bool,
    /// Whether this node has read the running turn from the log so soon that the node that committed it may not have stored yet when
    /// it was shown.
    pub(super) turn_is_recent: bool,
    /// The request whose event was the last: what engines and programs do next is due to it.
    cause: Option<RequestId>,
    /// The number of moves at the last turn of which the player is notified.
    notified_ply: Option<u32>,
    /// The vacations of its players, as the viewers know them.
    vacations_shown: ShownVacations,
}

/// The next input of the actor.
enum ActorInput {
    Stop,
    Asked(Box<MailedMessage>),
    News,
    Chosen(Chosen),
    Time,
    Breath,
}

/// Runs an actor, and cleans up when it fails.
pub(super) async fn run(
    registry: Arc<MatchRegistry>,
    id: MatchId,
    origin: (ActorStart, Option<RequestId>),
    mut inside: ActorInbox,
) {
    let failed = match catch_panic::catch_panic_async(life(&registry, &id, origin, &mut inside)).await {
        Ok(Ok(())) => return,
        Ok(Err(why)) => why,
        // The panic hook has logged the panic.
        Err(Panicked) => "its game or its actor panicked".to_owned(),
    };
    tracing::error!(
        id = id.as_str(),
        why = failed,
        "the actor of a match failed; the next request restarts it from the log"
    );
    registry.broke(&id, &mut inside);
}

async fn life(
    registry: &Arc<MatchRegistry>,
    id: &MatchId,
    (origin, cause): (ActorStart, Option<RequestId>),
    inside: &mut ActorInbox,
) -> Result<(), String> {
    let woken = matches!(origin, ActorStart::Woken(_));
    // On the heap, as in `go_on`.
    let mut live = match Box::pin(MatchActor::begin(registry, id, origin)).await {
        Ok(live) => live,
        Err(error) => {
            let broken = error.code() == Code::Internal;
            if broken {
                registry.broke(id, inside);
                error.log();
            } else {
                registry.leave(id, inside, false, None);
            }
            while let Some(ask) = inside.mailbox.recv().await {
                ask.message.refuse(error.clone());
            }
            return Ok(());
        }
    };
    if woken {
        live.timer.leave_soon();
    }
    live.cause = cause;
    live.go_on(inside).await
}

/// Counts a match against the limit of its address while only engines play in it.
fn count_engines_alone(
    registry: &MatchRegistry,
    id: &MatchId,
    ledger: &Ledger,
) -> Option<engine_only::EngineOnlyGuard> {
    ledger.among_engines_since()?;
    registry.engines_alone.count(ledger.created().made_from.as_deref()?, id, usize::MAX)
}

impl MatchActor {
    async fn begin(
        registry: &Arc<MatchRegistry>,
        id: &MatchId,
        origin: ActorStart,
    ) -> Result<Box<Self>, Error> {
        let made = matches!(origin, ActorStart::Made(_));
        let ledger = match origin {
            ActorStart::Made(ledger) => *ledger,
            ActorStart::Stored => crate::matches::registry::load::load(registry, id).await?,
            ActorStart::Woken(_permit) => crate::matches::registry::load::load(registry, id).await?,
        };
        let offer = registry.games.find(&ledger.created().game)?;
        let alone = count_engines_alone(registry, id, &ledger);
        let engine_seats = EngineSeats::new(offer, &ledger);
        let counted = StageGauge::new(registry, offer, ledger.stage());
        let mut live = Box::new(Self {
            registry: Arc::clone(registry),
            id: id.clone(),
            offer,
            ledger,
            audience: Audience::new(registry.options.behind),
            paused: None,
            broken: None,
            gone: false,
            counted,
            alone,
            engine_seats,
            timer: ActorTimer::new(registry.options.unload_after()),
            connections: SeatConnections::new(registry.presence.connected(id)),
            freezes: registry.freezes.count(),
            opened: false,
            turn_is_recent: false,
            cause: None,
            notified_ply: None,
            vacations_shown: ShownVacations::default(),
        });
        if live.ledger.stage() == Stage::Over {
            live.registry.holdings.forget(id);
        }
        // A new match is held by its creator already, and there was no downtime since.
        if !made && live.ledger.stage() != Stage::Over {
            registry.store.hold(id.clone());
            live.recall_turn().await;
            live.forgive_downtime(live.serves_turn()).await;
        }
        live.notify_turn();
        live.show_vacations();
        Ok(live)
    }

    /// Calls the ledger. A panic of the game's code becomes an error and changes nothing.
    pub(super) fn catch_panic<T>(&self, work: impl FnOnce(&Ledger) -> T) -> Result<T, Error> {
        catch_panic::catch_panic(|| work(&self.ledger))
            .map_err(|Panicked| Error::new(Code::Internal, format!("the game of match {} panicked", self.id)))
    }

    /// Moves the match to the gauge of its current stage.
    pub(super) fn recount(&mut self) {
        if self.counted.stage != self.ledger.stage() {
            self.counted = StageGauge::new(&self.registry, self.offer, self.ledger.stage());
        }
    }

    /// The current time, never before that of the last event.
    pub(super) fn now(&self) -> Millis {
        self.registry.now.ms().max(self.ledger.last_ms())
    }

    async fn go_on(&mut self, inside: &mut ActorInbox) -> Result<(), String> {
        let mut in_a_row = 0;
        loop {
            if let Some(why) = self.broken.take() {
                return Err(why);
            }
            if self.gone {
                self.leave(inside, false);
                return Ok(());
            }
            if self.alone.is_some() != self.ledger.among_engines_since().is_some() {
                self.alone = count_engines_alone(&self.registry, &self.id, &self.ledger);
            }
            run_for(self.cause.clone(), || self.ask_engine());
            if self.may_leave() && self.leave(inside, true) {
                return Ok(());
            }
            let next = self.next(inside, in_a_row).await;
            in_a_row = if matches!(next, ActorInput::Asked(_)) { in_a_row + 1 } else { 0 };
            if matches!(next, ActorInput::Stop) {
                self.leave(inside, false);
                return Ok(());
            }
            // On the heap while it runs: a match that waits, as most do, would otherwise hold the memory of the largest of these
            // futures.
            Box::pin(self.handle(next)).await;
        }
    }

    async fn handle(&mut self, input: ActorInput) {
        match input {
            ActorInput::Asked(ask) => {
                let MailedMessage { message, request } = *ask;
                work_for(request, self.answer(message)).await;
            }
            ActorInput::News => self.hear_news().await,
            ActorInput::Chosen(chosen) => work_for(self.cause.clone(), self.play(chosen)).await,
            ActorInput::Time => self.on_time().await,
            ActorInput::Stop | ActorInput::Breath => {}
        }
        self.show_connected();
        self.show_vacations();
        self.release().await;
    }

    /// Sends spectators the frames that wait for them, and closes all channels after the end of the match.
    async fn release(&mut self) {
        if self.audience.is_unreleased() {
            // The task that has just received its answer goes first.
            tokio::task::yield_now().await;
            self.audience.release();
        }
        if self.ledger.stage() == Stage::Over {
            self.registry.presence.forget(&self.id);
            self.audience.close();
        }
    }

    async fn next(&mut self, inside: &mut ActorInbox, in_a_row: u32) -> ActorInput {
        if self.registry.stopping.is_cancelled() {
            return ActorInput::Stop;
        }
        let due = self.timer();
        self.timer.wake_at(due);
        tokio::select! {
            biased;
            ask = inside.mailbox.recv(), if in_a_row < IN_A_ROW => {
                ask.map_or(ActorInput::Stop, ActorInput::Asked)
            }
            () = inside.news.notified() => ActorInput::News,
            chosen = self.engine_seats.chosen() => ActorInput::Chosen(chosen),
            () = self.timer.woken() => if due <= Instant::now() { ActorInput::Time } else { ActorInput::Breath },
            () = std::future::ready(()), if in_a_row >= IN_A_ROW => ActorInput::Breath,
        }
    }

    /// Handles news: another server has written to this match, players were renamed, the store works or fails again, this
    /// node holds the match now, or the server stops.
    async fn hear_news(&mut self) {
        match self.catch_up().await {
            Err(LogError::Unavailable(why)) => drop(self.pause(why, self.now())),
            Err(LogError::Broken(_)) => {}
            Ok(_) => {
                self.look_after_store().await;
                self.forgive_takeover().await;
            }
        }
        self.ledger.rename_players(|player| self.registry.names.now(&self.id, player));
    }

    async fn answer(&mut self, ask: MatchMessage) {
        self.timer.note_use(self.registry.options.unload_after());
        self.note_caller(&ask);
        self.forgive_freezes().await;
        // The caller may have disconnected; ignore the error.
        match ask {
            MatchMessage::Join { wanted, joiner, reply } => {
                let mut answer = self.join(wanted, SeatClaim::clone(&joiner)).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.join(wanted, SeatClaim::clone(&joiner)).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::Act { caller, act, reply } => {
                let mut answer = self.act(&caller, act.clone()).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.act(&caller, act.clone()).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::End { by, reply } => {
                let mut answer = self.end(&by).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.end(&by).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::Remove { caller, seat, reply } => {
                let mut answer = self.remove(&caller, seat).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.remove(&caller, seat).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::Foul { caller, ply, kind, detail, arrived, reply } => {
                let mut answer = self.foul(&caller, ply, kind, detail.clone(), arrived).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.foul(&caller, ply, kind, detail.clone(), arrived).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::SetReferee { caller, seat, settings, reply } => {
                let mut answer = self.set_referee(&caller, seat, settings.clone()).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.set_referee(&caller, seat, settings.clone()).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::Page { caller, reply } => {
                let mut answer = self.page(&caller).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.page(&caller).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::Watch { caller, since, reply } => {
                let mut answer = self.watch(&caller, since).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.watch(&caller, since).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::Follow { caller, seat, reply } => {
                let mut answer = self.follow(&caller, seat).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.follow(&caller, seat).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::Snapshot { caller, reply } => {
                let mut answer = self.look(&caller).await;
                if self.is_refused_from_old_state(&mut answer).await {
                    answer = self.look(&caller).await;
                }
                drop(reply.send(answer));
            }
            MatchMessage::NewChat { message, reply } => {
                self.audience.tell_room(message.room(), &render::chat(&self.ledger, message));
                drop(reply.send(Ok(())));
            }
            MatchMessage::Gone { reply } => {
                self.gone = true;
                drop(reply.send(Ok(())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size of the future that a function returns.
    fn future_size<A, B, C, D, F: Future>(_: impl Fn(A, B, C, D) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn waiting_match_takes_little_memory() {
        let (future, actor) = (future_size(run), size_of::<MatchActor>());
        assert!(future + actor <= 3072, "a match is {future} and {actor} bytes, and what its ledger holds");
    }
}
