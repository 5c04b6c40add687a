//! How a live match changes: a command is decided, its events are committed, then applied, then shown. No caller sees
//! an event that is not on disk.

use std::sync::Arc;

use engines::erased::ReadMove;
use engines::game::Viewer;

use crate::catalogue::Offer;
use crate::domain::request_id::RequestId;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::matches::actor::MatchActor;
use crate::matches::actor::message::ActionOutcome;
use crate::matches::actor::retry::{Attempt, Attempts};
use crate::matches::bots::bot_faults;
use crate::matches::event::{Event, LoggedEvent, SeatSetup};
use crate::matches::idempotency::RequestStamp;
use crate::matches::ledger::{Command, LedgerDecision, Uncommitted};
use crate::matches::listing;
use crate::matches::match_life;
use crate::matches::refusal::MatchRefusal;
use crate::matches::registry::{LogError, to_store};
use crate::matches::render::RenderedEvent;
use crate::store::{Append, StoreError};

pub(super) enum CommandOutcome {
    /// The events that were committed; none if nothing was due. Also the first event, rendered for the named viewer.
    Done(Vec<Arc<LoggedEvent>>, Option<Arc<RenderedEvent>>),
    /// The same command was performed before; its event has this place.
    Before(u32),
    /// The same request was made before; its result is stored with it.
    AskedBefore,
}

impl CommandOutcome {
    /// The outcome of an action of this viewer, which always has an event.
    pub(super) fn of_action(self, viewer: Viewer, offer: &'static Offer) -> Result<ActionOutcome, Error> {
        match self {
            Self::Done(_, Some(frame)) => Ok(ActionOutcome::Now(frame)),
            Self::Before(seq) => Ok(ActionOutcome::Before { seq, viewer, offer }),
            Self::Done(_, None) | Self::AskedBefore => {
                Err(Error::new(Code::Internal, "an action had no event"))
            }
        }
    }
}

impl MatchActor {
    /// Performs a command.
    pub(super) async fn carry_out(&mut self, command: &Command) -> Result<CommandOutcome, Error> {
        let mut attempts = Attempts::new();
        loop {
            match self.attempt(command, None, None, None).await? {
                Attempt::Done(outcome) => return Ok(outcome),
                Attempt::Overtaken => attempts.overtaken()?,
            }
        }
    }

    /// Decides a command and commits its events, unless another node is first. `read`: its move, if it was read already;
    /// `request`: the request to store with its result; `viewer`: the viewer for whom the first event is rendered.
    pub(super) async fn attempt(
        &mut self,
        command: &Command,
        read: Option<&ReadMove>,
        request: Option<&RequestStamp>,
        viewer: Option<Viewer>,
    ) -> Result<Attempt<CommandOutcome>, Error> {
        if let Some(pause) = &self.paused
            && !matches!(command, Command::Resume { .. })
        {
            return Err(Error::store_unavailable(&pause.why));
        }
        let mut now = self.now();
        let mut decided = self.catch_panic(|ledger| ledger.decide_uncommitted(command, read, now))?;
        let changes = match &decided {
            Ok((LedgerDecision::New(events), _)) => !events.is_empty(),
            Ok((LedgerDecision::Already(_), _)) => false,
            Err(refused) => matches!(refused, MatchRefusal::TimeUp(_)),
        };
        if changes && !matches!(command, Command::Resume { .. }) && self.settle_vacation().await? {
            now = self.now();
            decided = self.catch_panic(|ledger| ledger.decide_uncommitted(command, read, now))?;
        }
        match decided {
            Ok((LedgerDecision::New(events), uncommitted)) => {
                self.commit(events, uncommitted, now, request, viewer).await
            }
            Ok((LedgerDecision::Already(seq), _)) => Ok(Attempt::Done(CommandOutcome::Before(seq))),
            Err(late @ MatchRefusal::TimeUp(_)) => {
                // The time-out comes first: the refusal shows the match after it.
                self.time_out().await?;
                match self.catch_panic(|ledger| ledger.decide(command, self.now()))? {
                    Err(refused) => Err(refused.into()),
                    Ok(_) => Err(late.into()),
                }
            }
            Err(refused) => Err(refused.into()),
        }
    }

    /// Commits what is due by the clock.
    async fn time_out(&mut self) -> Result<(), Error> {
        let mut attempts = Attempts::new();
        loop {
            let now = self.now();
            let due = match self.catch_panic(|ledger| ledger.decide(&Command::Tick, now))?? {
                LedgerDecision::New(events) => events,
                LedgerDecision::Already(_) => return Ok(()),
            };
            match self.commit(due, None, now, None, None).await? {
                Attempt::Done(_) => return Ok(()),
                Attempt::Overtaken => attempts.overtaken()?,
            }
        }
    }

    /// Commits decided events, applies them and shows them, unless another node is first.
    pub(super) async fn commit(
        &mut self,
        events: Vec<Event>,
        uncommitted: Option<Uncommitted>,
        now: Millis,
        request: Option<&RequestStamp>,
        viewer: Option<Viewer>,
    ) -> Result<Attempt<CommandOutcome>, Error> {
        if events.is_empty() {
            return Ok(Attempt::Done(CommandOutcome::Done(Vec::new(), None)));
        }
        match self.append(events, now, request).await {
            Ok((stamped, commit_us)) => {
                self.timer.give_holder_time();
                let frame = self.apply_committed(&stamped, uncommitted, viewer)?;
                self.publish_turn(commit_us);
                self.notify_turn();
                Ok(Attempt::Done(CommandOutcome::Done(stamped, frame)))
            }
            Err(StoreError::Conflict) => match self.catch_up().await {
                Ok(false) if request.is_some() => Ok(Attempt::Done(CommandOutcome::AskedBefore)),
                Ok(_) => Ok(Attempt::Overtaken),
                Err(LogError::Unavailable(why)) => Err(self.pause(why, now)),
                Err(broken) => Err(broken.into()),
            },
            Err(StoreError::RatedLimit) => Err(self.registry.rated_limit()),
            Err(StoreError::Unavailable(why)) => Err(self.pause(why, now)),
        }
    }

    async fn append(
        &mut self,
        events: Vec<Event>,
        now: Millis,
        request: Option<&RequestStamp>,
    ) -> Result<(Vec<Arc<LoggedEvent>>, u64), StoreError> {
        let row = listing::next_row(&self.ledger, &events, now);
        let request = request.map(|stamp| stamp.of_join(&self.id, &events));
        let rated = listing::rated_result(&self.ledger, &events);
        let setups = self.ledger.seats().iter().map(|seat| &seat.chair);
        let most = self.registry.options.max_rated_per_pair;
        let begins = listing::rated_begin(self.ledger.created(), setups, &events, false, most);
        let stamped = self.ledger.stamped(events, now);
        let (id, seq) = (self.id.clone(), self.ledger.next_seq());
        let faults = bot_faults::new_faults(&self.ledger, &stamped);
        let program_results = listing::program_results(&self.ledger, &stamped);
        let events = to_store(&stamped);
        let append = Append { id, seq, events, row, request, rated, begins, faults, program_results };
        let commit_us = self.registry.store.append(append).await?;
        self.cause = RequestId::current().or(self.cause.take());
        self.count(&stamped);
        match_life::log(&self.id, self.offer.info.slug, &stamped);
        Ok((stamped.into_iter().map(Arc::new).collect(), commit_us))
    }

    fn count(&self, stamped: &[LoggedEvent]) {
        let (game, metrics) = (self.offer.info.slug, self.registry.metrics);
        for event in stamped {
            match &event.event {
                Event::Moved(moved) => {
                    let engine =
                        matches!(self.ledger.seats()[moved.seat.index()].chair, SeatSetup::Engine(_));
                    metrics.moved(game, if engine { "engine" } else { "other" });
                }
                Event::Fouled(_) => metrics.moved(game, "penalty"),
                Event::Ended(ended) => metrics.ended(game, ended.how.name()),
                _ => {}
            }
        }
    }

    /// Applies committed events and shows them to the seats. Spectators and the end of all channels follow in
    /// [`MatchActor::release`].
    fn apply_committed(
        &mut self,
        stamped: &[Arc<LoggedEvent>],
        mut uncommitted: Option<Uncommitted>,
        viewer: Option<Viewer>,
    ) -> Result<Option<Arc<RenderedEvent>>, Error> {
        let mut first = None;
        for (i, event) in stamped.iter().enumerate() {
            let decided = uncommitted.take();
            let mv = decided.as_ref().map(|decided| decided.move_text().clone());
            if let Err(bad) = self.ledger.apply_uncommitted(event, decided) {
                self.broken = Some(bad.to_string());
                return Err(Error::new(Code::Internal, bad.to_string()));
            }
            // Its search is for a position that is gone.
            if matches!(event.event, Event::TakenBack { .. }) {
                self.engine_seats.cancel();
            }
            self.registry.holdings.follow(&self.id, &event.event);
            let frame = self.audience.show(&self.ledger, event, mv, viewer.filter(|_| i == 0));
            first = first.or(frame);
        }
        self.recount();
        Ok(first)
    }

    /// Applies the events that other servers have appended. Returns whether there were any.
    pub(super) async fn catch_up(&mut self) -> Result<bool, LogError> {
        let read = self.registry.read_log(&self.id, self.ledger.next_seq()).await;
        let news = match read {
            Ok(news) => news.into_iter().map(Arc::new).collect::<Vec<_>>(),
            Err(unread) => {
                if let LogError::Broken(why) = &unread {
                    self.broken = Some(why.clone());
                }
                return Err(unread);
            }
        };
        if news.is_empty() {
            return Ok(false);
        }
        self.apply_committed(&news, None, None).map_err(|e| LogError::Broken(e.to_string()))?;
        self.hear_turn().await;
        Ok(true)
    }
}
