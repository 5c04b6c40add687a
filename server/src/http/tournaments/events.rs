//! `GET /v1/tournaments/{id}/events`: a tournament as it goes on, as server-sent events or as lines of JSON.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Duration, Instant, sleep};

use crate::app::App;
use crate::domain::schema;
use crate::domain::schema::{AnyPlayerName, HEX};
use crate::domain::time::Millis;
use crate::domain::{MatchId, TournamentId};
use crate::error::{Code, Error};
use crate::http::live::admit::ConnectionPermit;
use crate::http::live::follow::{Interruption, ResumePoint};
use crate::http::live::form::StreamFormat;
use crate::http::live::stream::ClosedFrame;
use crate::http::openapi;
use crate::presentation::scores::ScoresShown;
use crate::presentation::tournament::{TournamentPage, name_of};
use crate::request::caller::Anyone;
use crate::request::extract::UrlQuery;
use crate::request::json::NO_STORE;
use crate::request::path::TournamentOf;
use crate::tournaments::event::TournamentEvent;
use crate::tournaments::ledger::{GameState, Tournament, TournamentGame};
use crate::tournaments::service::NumberedEvent;

/// How often to look for events that another server has appended.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// An event of a tournament, as all readers see it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TournamentEventShown {
    #[serde(flatten)]
    what: EventContent,
    /// Its place in the log: 0 for the first event of a tournament, without gaps.
    seq: u32,
    /// Its time, in milliseconds since 1970.
    at_ms: Millis,
}

/// The kind of event, with its fields.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum EventContent {
    /// The tournament was created.
    Created,
    /// A player entered, as the last entrant.
    Entered {
        #[schemars(with = "AnyPlayerName")]
        name: String,
    },
    /// An entrant left. Before the start the entrants behind move up by one place.
    Withdrew { entrant: usize },
    /// The games begin.
    Started,
    /// No new games begin.
    Paused,
    /// Games begin again.
    Resumed,
    /// The games of one or more rounds follow those known so far.
    Paired { pairings: Vec<PairingShown> },
    /// A game has a match.
    GameStarted {
        game: usize,
        #[serde(rename = "match")]
        #[schemars(with = "schema::MatchId")]
        match_id: MatchId,
    },
    /// A game is finished.
    GameEnded {
        game: usize,
        #[serde(flatten)]
        scores: ScoresShown,
        /// The seats that forfeited it.
        forfeited: Vec<usize>,
    },
    /// All games of a shared deal are finished, and are not sealed any more.
    DealOpened {
        /// The number of the deal.
        deal: u64,
        /// The games of the deal that have a result.
        games: Vec<OpenedGame>,
    },
    /// The match of a game ended without a result.
    GameVoided { game: usize, postponed: bool },
    /// All games are finished: the last event. It shows the secret of the deals and the salt of the commitment to it.
    Ended {
        #[schemars(regex(pattern = HEX))]
        secret: String,
        #[schemars(regex(pattern = HEX))]
        salt: String,
    },
    /// The tournament was ended early: the last event, with the secret and the salt.
    Aborted {
        #[schemars(regex(pattern = HEX))]
        secret: String,
        #[schemars(regex(pattern = HEX))]
        salt: String,
    },
    /// The title was removed. It can come after the end.
    TitleRemoved,
}

/// Entrants who play each other.
#[derive(Debug, Serialize, JsonSchema)]
struct PairingShown {
    /// The round, from 1.
    round: u32,
    entrants: Vec<usize>,
}

/// A game that is not sealed any more.
#[derive(Debug, Serialize, JsonSchema)]
struct OpenedGame {
    game: usize,
    #[serde(flatten)]
    scores: ScoresShown,
}

impl OpenedGame {
    /// The games of a deal that have a result.
    fn of(state: &Tournament, deal: u64) -> Vec<Self> {
        let with_result = |(game, found): (usize, &TournamentGame)| match &found.state {
            GameState::Done { scores, .. } if found.deal == deal => {
                Some(Self { game, scores: ScoresShown::of(Some(scores)) })
            }
            _ => None,
        };
        state.games.iter().enumerate().filter_map(with_result).collect()
    }
}

/// A frame of a stream: first the tournament, then its events.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum TournamentFrame {
    /// The tournament as it is now.
    Tournament(Box<TournamentPage>),
    Event(Box<TournamentEventShown>),
    /// The stream ends before the tournament.
    Closed(ClosedFrame),
}

impl EventContent {
    /// An event as readers see it now. `state`: the tournament now.
    fn of(
        event: TournamentEvent,
        state: &Tournament,
        name: impl Fn(&crate::domain::PlayerRef) -> String,
    ) -> Self {
        let (secret, salt) = (&state.setup.secret, &state.setup.salt);
        match event {
            TournamentEvent::Created(_) => Self::Created,
            TournamentEvent::Entered { player, .. } => Self::Entered { name: name(&player) },
            TournamentEvent::Withdrew { entrant } => Self::Withdrew { entrant },
            TournamentEvent::Started => Self::Started,
            TournamentEvent::Paused => Self::Paused,
            TournamentEvent::Resumed => Self::Resumed,
            TournamentEvent::Paired { pairings, .. } => {
                let shown =
                    pairings.into_iter().map(|p| PairingShown { round: p.round, entrants: p.entrants });
                Self::Paired { pairings: shown.collect() }
            }
            TournamentEvent::GameStarted { game, match_id } => Self::GameStarted { game, match_id },
            TournamentEvent::GameEnded { game, scores, forfeited } => {
                let scores = ScoresShown::of(Some(&scores).filter(|_| !state.is_sealed(game)));
                Self::GameEnded { game, scores, forfeited }
            }
            TournamentEvent::DealOpened { deal } => {
                Self::DealOpened { deal, games: OpenedGame::of(state, deal) }
            }
            TournamentEvent::GameVoided { game, postponed } => Self::GameVoided { game, postponed },
            TournamentEvent::Ended => Self::Ended { secret: secret.clone(), salt: salt.clone() },
            TournamentEvent::TitleRemoved => Self::TitleRemoved,
            TournamentEvent::Aborted => Self::Aborted { secret: secret.clone(), salt: salt.clone() },
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Entered { .. } => "entered",
            Self::Withdrew { .. } => "withdrew",
            Self::Started => "started",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Paired { .. } => "paired",
            Self::GameStarted { .. } => "game_started",
            Self::GameEnded { .. } => "game_ended",
            Self::GameVoided { .. } => "game_voided",
            Self::DealOpened { .. } => "deal_opened",
            Self::Ended { .. } => "ended",
            Self::Aborted { .. } => "aborted",
            Self::TitleRemoved => "title_removed",
        }
    }
}

/// The state of a stream between two parts of its body.
struct TournamentFollower {
    app: &'static App,
    id: TournamentId,
    form: StreamFormat,
    ready: VecDeque<Bytes>,
    /// The place of the next event; `None`: the stream is at its end.
    next: Option<u32>,
    appended: watch::Receiver<u64>,
    wrote: Instant,
    _admitted: ConnectionPermit,
}

impl TournamentFollower {
    /// The next part of the body.
    async fn part(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                self.wrote = Instant::now();
                return Some((Ok(bytes), self));
            }
            let next = self.next?;
            match self.read(next).await {
                Ok(()) if !self.ready.is_empty() => continue,
                Ok(()) => {}
                // The database is unavailable: look again later.
                Err(e) if e.code() == Code::StoreUnavailable => {}
                Err(_) => {
                    self.cut(Interruption::Lost);
                    continue;
                }
            }
            let heartbeat = self.app.limits.timeouts.heartbeat.saturating_sub(self.wrote.elapsed());
            tokio::select! {
                () = self.app.stopping.cancelled() => self.cut(Interruption::Stopping),
                _ = self.appended.changed() => {}
                () = sleep(POLL_INTERVAL) => {}
                () = sleep(heartbeat) => self.ready.push_back(self.form.heartbeat()),
            }
        }
    }

    /// Reads the events from this one on.
    async fn read(&mut self, next: u32) -> Result<(), Error> {
        let (tournaments, matches) = (self.app.tournaments, self.app.matches);
        let now = tournaments.look(matches, &self.id).await?;
        if now.events <= next {
            return Ok(());
        }
        let events = tournaments.events(matches, &self.id, next).await?;
        // The state after all of them, and perhaps after later ones.
        let now = tournaments.load(matches, &self.id).await?;
        let mut following = next;
        for NumberedEvent { seq, at_ms, event } in events {
            let name = |player: &crate::domain::PlayerRef| name_of(matches.names(), &self.id, player);
            let what = EventContent::of(event, &now.state, name);
            let kind = what.name();
            let json = serde_json::to_vec(&TournamentEventShown { what, seq, at_ms });
            let json = json.map_err(|e| Error::new(Code::Internal, format!("an event is no JSON: {e}")))?;
            self.ready.push_back(self.form.write(kind, Some(seq), &json));
            following = seq + 1;
        }
        let is_whole = now.state.stage.is_over() && following >= now.events;
        self.next = (!is_whole).then_some(following);
        Ok(())
    }

    /// Ends the stream before its tournament.
    fn cut(&mut self, why: Interruption) {
        let last = self.next.take().and_then(|next| next.checked_sub(1));
        self.ready.push_back(ClosedFrame::frame(why, last, self.form));
    }
}

/// Follow a tournament.
///
/// The answer consists of server-sent events (the default) or, with `Accept: application/x-ndjson`, of one JSON object per
/// line. The first is the tournament as it is now (event `tournament`). With `since` (or `Last-Event-ID`) all later events
/// follow, then each new event. The `seq` of an event is its id. A heartbeat comes every 10 seconds. The stream ends after
/// the event `ended` or `aborted`; the last event of one that ends earlier is `closed`. An `EventSource` that reconnects
/// after the end gets 204 and stops.
#[utoipa::path(get, path = "/v1/tournaments/{id}/events", operation_id = "followTournament", tag = "tournaments",
    params(openapi::TournamentPath, openapi::SinceQuery, openapi::LastEventId),
    responses((status = 200, description = "The stream.",
               content((TournamentFrame = "text/event-stream"), (TournamentFrame = "application/x-ndjson"))),
              (status = 204, description = "The tournament is over and nothing more will come."),
              openapi::Refusals))]
pub(crate) async fn follow(
    State(app): State<&'static App>,
    caller: Anyone,
    TournamentOf(id): TournamentOf,
    headers: HeaderMap,
    query: UrlQuery,
) -> Result<Response, Error> {
    let since = ResumePoint::of(&headers, &query.0)?;
    let form = StreamFormat::wanted(&headers, StreamFormat::Sse);
    let admitted =
        ConnectionPermit::new(app, app.metrics.streams(form.name()), caller.network, caller.token)?;
    let appended = app.tournaments.appended();
    let now = app.tournaments.load(app.matches, &id).await?;
    let last = now.events.saturating_sub(1);
    if let Some(seq) = since.seq.filter(|seq| *seq > last) {
        let detail = format!("since: there is no event {seq} yet; the last one is {last}");
        return Err(Error::new(Code::BadQuery, detail));
    }
    let is_over = now.state.stage.is_over();
    let next = since.seq.map_or(now.events, |seq| seq + 1);
    if form == StreamFormat::Sse && since.again && is_over && next == now.events {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let page = TournamentPage::of(&now, app.matches.names());
    let page = serde_json::to_vec(&page);
    let page = page.map_err(|e| Error::new(Code::Internal, format!("a tournament is no JSON: {e}")))?;
    let place = (next == now.events).then_some(last);
    let mut ready: VecDeque<Bytes> = form.opening().into_iter().collect();
    ready.push_back(form.write("tournament", place, &page));
    let ended = admitted.end_signal();
    let follower = TournamentFollower {
        app,
        id,
        form,
        ready,
        next: (!is_over || next < now.events).then_some(next),
        appended,
        wrote: Instant::now(),
        _admitted: admitted,
    };
    let headers = [(header::CONTENT_TYPE, form.content_type()), NO_STORE, StreamFormat::unbuffered()];
    Ok((headers, Body::from_stream(stream::unfold(follower, TournamentFollower::part).take_until(ended)))
        .into_response())
}
