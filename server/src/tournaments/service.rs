//! The tournaments of the database, as this node sees them: creates them, carries out commands, and follows what other
//! nodes append. The log decides: events are appended only where they follow the stored ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::domain::{IdempotencyKey, PlayerRef, TournamentId, TournamentStage};
use crate::error::{Code, Error};
use crate::matches::service::Matches;
use crate::store::{
    NewTournament, OpenedMatch, StoreChange, StoreError, StoredEvent, StoredRequest, TournamentAppend,
    refused_by_store,
};
use crate::tournaments::event::{Format, Setup, TournamentEvent};
use crate::tournaments::ledger::{GameState, Tournament, TournamentCommand, TournamentRefusal};

/// How often a command is decided again because the tournament went on meanwhile.
pub(super) const ATTEMPTS: usize = 10;

/// The most tournaments in the cache; when it is full, it is cleared.
const MAX_CACHED: usize = 256;

/// For how long readers share one look at the database.
const FRESH: Duration = Duration::from_millis(300);

/// An event with its place in the log of its tournament.
#[derive(Clone, Debug)]
pub struct NumberedEvent {
    /// 0 for the first event, without gaps.
    pub seq: u32,
    /// The time at which it was decided.
    pub at_ms: Millis,
    /// The decision.
    pub event: TournamentEvent,
}

/// A tournament as it was at a moment.
#[expect(missing_docs, reason = "`id` and `state` say all")]
#[derive(Clone, Debug)]
pub struct LoadedTournament {
    pub id: TournamentId,
    pub state: Tournament,
    /// The number of its events.
    pub events: u32,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time of its start.
    pub started_ms: Option<Millis>,
    /// The time at which its last event was decided.
    pub last_ms: Millis,
}

/// The facts that lists show of a tournament besides the columns of its row.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TournamentSummary {
    /// Its title; empty if it was removed.
    pub title: String,
    /// The method that finds opponents.
    pub format: Format,
    /// Seats of a table.
    pub seats: usize,
    /// Whether its games change ratings.
    pub rated: bool,
    /// How many players have entered and not left.
    pub entrants: usize,
    /// Games so far, those of later rounds not included.
    pub games: usize,
    /// Games that are finished.
    pub finished: usize,
    /// The time at which it starts by itself, in milliseconds since 1970. Absent if its organizer starts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_ms: Option<Millis>,
}

impl TournamentSummary {
    fn of(state: &Tournament) -> Self {
        let is_finished = |state: &GameState| matches!(state, GameState::Done { .. } | GameState::Void);
        Self {
            title: state.setup.title.clone(),
            format: state.setup.format,
            seats: state.setup.seats,
            rated: state.setup.rated,
            entrants: state.entrants.iter().filter(|entrant| entrant.takes_part).count(),
            games: state.games.len(),
            finished: state.games.iter().filter(|game| is_finished(&game.state)).count(),
            starts_ms: state.setup.starts_ms,
        }
    }
}

struct CachedTournament {
    loaded: Arc<LoadedTournament>,
    read: Instant,
}

/// The tournaments, as this node knows them.
pub struct Tournaments {
    cache: Mutex<HashMap<TournamentId, CachedTournament>>,
    /// Increases whenever this node has appended to a tournament.
    appended: watch::Sender<u64>,
}

impl Default for Tournaments {
    fn default() -> Self {
        Self { cache: Mutex::default(), appended: watch::channel(0).0 }
    }
}

/// The error for a tournament that does not exist.
pub fn no_such_tournament() -> Error {
    Error::new(Code::NoSuchTournament, "there is no tournament with this id")
}

impl Tournaments {
    fn cache(&self) -> MutexGuard<'_, HashMap<TournamentId, CachedTournament>> {
        // No holder of the lock can panic half-way, so a poisoned cache is consistent.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes whenever this node has appended to a tournament.
    pub fn appended(&self) -> watch::Receiver<u64> {
        self.appended.subscribe()
    }

    /// The tournament as it was a moment ago, for readers.
    ///
    /// # Errors
    /// `no_such_tournament`, `store_unavailable`.
    pub async fn look(&self, matches: &Matches, id: &TournamentId) -> Result<Arc<LoadedTournament>, Error> {
        let cached = self
            .cache()
            .get(id)
            .filter(|cached| cached.read.elapsed() < FRESH)
            .map(|c| Arc::clone(&c.loaded));
        match cached {
            Some(loaded) => Ok(loaded),
            None => self.load(matches, id).await,
        }
    }

    /// The tournament as it is now.
    ///
    /// # Errors
    /// `no_such_tournament`, `store_unavailable`.
    pub async fn load(&self, matches: &Matches, id: &TournamentId) -> Result<Arc<LoadedTournament>, Error> {
        let known = self.cache().get(id).map(|cached| Arc::clone(&cached.loaded));
        // The last known event, too: if there is none, the tournament was deleted.
        let from = known.as_ref().map_or(0, |known| known.events.saturating_sub(1));
        let mut new = self.events(matches, id, from).await?;
        if new.is_empty() {
            self.cache().remove(id);
            return Err(no_such_tournament());
        }
        let loaded = match known {
            Some(known) if new.len() == 1 => known,
            Some(known) => Arc::new(known.with(new.split_off(1))),
            None => Arc::new(LoadedTournament::new(id, new).ok_or_else(no_such_tournament)?),
        };
        self.keep(Arc::clone(&loaded));
        Ok(loaded)
    }

    /// Forgets a tournament that was deleted.
    pub(super) fn forget(&self, id: &TournamentId) {
        self.cache().remove(id);
        self.appended.send_modify(|count| *count += 1);
    }

    fn keep(&self, loaded: Arc<LoadedTournament>) {
        let mut cache = self.cache();
        if cache.len() >= MAX_CACHED && !cache.contains_key(&loaded.id) {
            cache.clear();
        }
        let newer = cache.get(&loaded.id).is_none_or(|cached| cached.loaded.events <= loaded.events);
        if newer {
            cache.insert(loaded.id.clone(), CachedTournament { loaded, read: Instant::now() });
        }
    }

    /// The events of a tournament from sequence number `from` on. They contain its secret.
    ///
    /// # Errors
    /// `store_unavailable`, `internal` if the log is damaged.
    pub async fn events(
        &self,
        matches: &Matches,
        id: &TournamentId,
        from: u32,
    ) -> Result<Vec<NumberedEvent>, Error> {
        let stored = matches.store().tournament_log(id.clone(), from).await;
        let read = |(seq, stored): (u32, StoredEvent)| {
            let broken = |e| Error::new(Code::Internal, format!("event {seq} of tournament {id}: {e}"));
            let event = serde_json::from_str(&stored.body).map_err(broken)?;
            Ok(NumberedEvent { seq, at_ms: stored.at_ms, event })
        };
        (from..).zip(stored.map_err(|e| refused_by_store(&e))?).map(read).collect()
    }

    /// Creates a tournament. The same request sent again gets the same tournament. `most`: the most tournaments of the
    /// organizer that are not over.
    ///
    /// # Errors
    /// `too_many`, `idempotency_key_reused`, `store_unavailable`.
    pub async fn create(
        &self,
        matches: &Matches,
        setup: Setup,
        retry: Option<IdempotencyKey>,
        most: u32,
    ) -> Result<TournamentId, Error> {
        let id = TournamentId::fresh();
        let request = retry.map(|retry| {
            let of = format!("tournament of {} ", setup.organizer.id);
            let key = Sha256::new_with_prefix(of).chain_update(retry.key.as_bytes()).finalize();
            let answer = serde_json::json!({ "tournament": id.as_str() }).to_string();
            StoredRequest { key: KeyHash(key.into()), request_hash: retry.request_hash, answer }
        });
        if let Some(before) = created_before(matches, request.as_ref()).await? {
            return Ok(before);
        }
        let created_ms = matches.now().ms();
        let new = NewTournament {
            game: setup.game.clone(),
            organizer: setup.organizer.id.clone(),
            created_ms,
            most,
            request: request.clone(),
        };
        let state = Tournament::new(setup.clone());
        let append = TournamentAppend {
            id: id.clone(),
            seq: 0,
            events: vec![stored(&TournamentEvent::Created(Box::new(setup)), created_ms)],
            stage: state.stage,
            summary: summary(&state),
            new: Some(new),
            opened: Vec::new(),
            first: None,
        };
        if write(matches, append).await? {
            return Ok(id);
        }
        if let Some(before) = created_before(matches, request.as_ref()).await? {
            return Ok(before);
        }
        let detail = format!(
            "you have {most} tournaments that are not over, which is the limit (--max-tournaments-per-player)"
        );
        Err(Error::new(Code::TooMany, detail))
    }

    /// Appends the events that `decide` returns for the tournament as it is now, and returns the tournament after them.
    /// `decide` is called again if the tournament has gone on meanwhile.
    ///
    /// # Errors
    /// The refusals of `decide`; `no_such_tournament`, `store_unavailable`.
    pub async fn append(
        &self,
        matches: &Matches,
        id: &TournamentId,
        decide: impl Fn(&Tournament) -> Result<Vec<TournamentEvent>, Error>,
    ) -> Result<Arc<LoadedTournament>, Error> {
        for _ in 0..ATTEMPTS {
            let before = self.load(matches, id).await?;
            let events = decide(&before.state)?;
            if events.is_empty() {
                return Ok(before);
            }
            let at_ms = matches.now().ms().max(before.last_ms);
            let seq = before.events;
            let number = |(seq, event)| NumberedEvent { seq, at_ms, event };
            let stored = events.iter().map(|event| stored(event, at_ms)).collect();
            let after = before.with((seq..).zip(events.iter().cloned()).map(number).collect());
            let (stage, summary) = (after.state.stage, summary(&after.state));
            let opened = openings(matches, &before.state, &events).await?;
            let removed = before.state.setup.title != after.state.setup.title;
            let first = removed.then(|| body(&TournamentEvent::Created(Box::new(after.state.setup.clone()))));
            let id = id.clone();
            let append =
                TournamentAppend { id, seq, events: stored, stage, summary, new: None, first, opened };
            if write(matches, append).await? {
                let after = Arc::new(after);
                self.keep(Arc::clone(&after));
                self.appended.send_modify(|count| *count += 1);
                return Ok(after);
            }
        }
        Err(Error::new(Code::Internal, format!("tournament {id} goes on faster than it can be followed")))
    }

    /// Carries out a command.
    ///
    /// # Errors
    /// The reason why the tournament refuses it; `no_such_tournament`, `store_unavailable`.
    pub async fn command(
        &self,
        matches: &Matches,
        id: &TournamentId,
        command: &TournamentCommand,
    ) -> Result<Arc<LoadedTournament>, Error> {
        self.append(matches, id, |state| Ok(state.decide(command.clone())?)).await
    }

    /// Ends a tournament early, and its running matches with it: nothing that is still played may use its deals.
    ///
    /// # Errors
    /// `tournament_stage` if it is over, `no_such_tournament`, `store_unavailable`.
    pub async fn abort(&self, matches: &Matches, id: &TournamentId) -> Result<(), Error> {
        let mut left = ATTEMPTS;
        while left > 0 {
            // No new games meanwhile.
            let paused = self.append(matches, id, |state| match state.stage {
                TournamentStage::Running => Ok(vec![TournamentEvent::Paused]),
                _ => Ok(Vec::new()),
            });
            let paused = paused.await?;
            let running = running_matches(&paused.state);
            for (_, id) in &running {
                match matches.terminate(id).await {
                    Ok(_) => {}
                    Err(e) if matches!(e.code(), Code::MatchOver | Code::NoSuchMatch) => {}
                    Err(e) => return Err(e),
                }
            }
            let ended = self.append(matches, id, |state| {
                // A game that was just beginning is ended in the next turn.
                let is_known = |game: &(usize, _)| running.contains(game);
                if running_matches(state).iter().all(is_known) && state.stage != TournamentStage::Running {
                    Ok(state.decide(TournamentCommand::Abort)?)
                } else {
                    Ok(Vec::new())
                }
            });
            let ended = ended.await?;
            if ended.state.stage.is_over() {
                return Ok(());
            }
            // A step that has opened deals is none of the attempts.
            left -= usize::from(ended.state.sealed.len() >= paused.state.sealed.len());
        }
        Err(Error::new(Code::Internal, format!("tournament {id} goes on although it is paused")))
    }
}

/// The sealed matches that these events open.
async fn openings(
    matches: &Matches,
    before: &Tournament,
    events: &[TournamentEvent],
) -> Result<Vec<OpenedMatch>, Error> {
    let mut opened = Vec::new();
    for event in events {
        let TournamentEvent::DealOpened { deal } = event else { continue };
        for id in before.sealed.get(deal).into_iter().flat_map(|deal| &deal.matches) {
            opened.extend(matches.opening(id).await?);
        }
    }
    Ok(opened)
}

/// The games that are being played, with their matches.
pub(super) fn running_matches(state: &Tournament) -> Vec<(usize, crate::domain::MatchId)> {
    let running = state.games.iter().enumerate().filter_map(|(number, game)| match &game.state {
        GameState::Running(id) => Some((number, id.clone())),
        _ => None,
    });
    running.collect()
}

impl LoadedTournament {
    fn new(id: &TournamentId, events: Vec<NumberedEvent>) -> Option<Self> {
        let mut events = events.into_iter();
        let NumberedEvent { at_ms, event: TournamentEvent::Created(setup), .. } = events.next()? else {
            return None;
        };
        let state = Tournament::new(*setup);
        let first =
            Self { id: id.clone(), state, events: 1, created_ms: at_ms, started_ms: None, last_ms: at_ms };
        Some(first.with(events.collect()))
    }

    /// The tournament after further events.
    fn with(&self, events: Vec<NumberedEvent>) -> Self {
        let mut after = self.clone();
        for NumberedEvent { seq, at_ms, event } in events {
            if event == TournamentEvent::Started {
                after.started_ms = Some(at_ms);
            }
            after.state.apply(event);
            (after.events, after.last_ms) = (seq + 1, at_ms);
        }
        after
    }
}

fn body(event: &TournamentEvent) -> String {
    serde_json::to_string(event).expect("events are plain values with text keys")
}

fn stored(event: &TournamentEvent, at_ms: Millis) -> StoredEvent {
    StoredEvent { at_ms, body: body(event) }
}

fn summary(state: &Tournament) -> String {
    serde_json::to_string(&TournamentSummary::of(state)).expect("plain values with text keys")
}

/// Returns whether the events were appended.
async fn write(matches: &Matches, append: TournamentAppend) -> Result<bool, Error> {
    match matches.store().change(StoreChange::AppendTournament(Box::new(append))).await {
        Ok(changed) => Ok(changed > 0),
        Err(StoreError::Conflict) => Ok(false),
        Err(e) => Err(refused_by_store(&e)),
    }
}

/// The tournament that this request has created before.
async fn created_before(
    matches: &Matches,
    request: Option<&StoredRequest>,
) -> Result<Option<TournamentId>, Error> {
    let Some(request) = request else { return Ok(None) };
    let found = matches.store().request(request.key).await.map_err(|e| refused_by_store(&e))?;
    let Some(found) = found else { return Ok(None) };
    if found.request_hash != request.request_hash {
        let detail = "this Idempotency-Key was used for another request; use a fresh one";
        return Err(Error::new(Code::IdempotencyKeyReused, detail));
    }
    let answer: serde_json::Value = serde_json::from_str(&found.answer).unwrap_or_default();
    let id = answer["tournament"].as_str().and_then(TournamentId::parse);
    let unread = || Error::new(Code::Internal, "the stored answer to a request cannot be read");
    id.map(Some).ok_or_else(unread)
}

/// Whether this player may manage the tournament.
///
/// # Errors
/// `not_your_tournament`.
pub fn require_organizer(setup: &Setup, player: &PlayerRef) -> Result<(), Error> {
    if setup.organizer.id == player.id {
        return Ok(());
    }
    Err(Error::new(Code::NotYourTournament, "only the organizer of a tournament may do this"))
}

impl From<TournamentRefusal> for Error {
    fn from(refusal: TournamentRefusal) -> Self {
        let code = match refusal {
            TournamentRefusal::WrongStage(_) => Code::TournamentStage,
            TournamentRefusal::Entered => Code::AlreadyEntered,
            TournamentRefusal::NotEntered => Code::NotEntered,
            TournamentRefusal::Full(_) => Code::TournamentFull,
            TournamentRefusal::TooFew(_) => Code::TooFewEntrants,
            TournamentRefusal::TooManyRounds { .. } => Code::TooManyRounds,
            TournamentRefusal::NoOpponents => Code::BadField,
            TournamentRefusal::TooManyGames(_) => Code::TooManyGames,
            TournamentRefusal::OneSided => Code::TooFewEntrants,
            TournamentRefusal::TooLittleTime { .. } => Code::TooLittleTime,
            TournamentRefusal::WrongGame(_) => Code::Internal,
        };
        Self::new(code, refusal.to_string())
    }
}
