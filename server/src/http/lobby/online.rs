//! The players who are online: `GET /v1/bots` lists the bots, and `GET /v1/lobby` also the people and the players who
//! wait to be paired.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::accounts::About;
use crate::app::App;
use crate::domain::PlayerKind;
use crate::domain::schema::{GameSlug, PlayerName};
use crate::domain::time::Millis;
use crate::error::Error;
use crate::http::live::admit::ConnectionPermit;
use crate::http::live::form::StreamFormat;
use crate::http::openapi;
use crate::lobby::{LobbySnapshot, Policy, PoolWish};
use crate::matches::clock::ClockSpec;
use crate::presentation::rating::RatingShown;
use crate::request::caller::Anyone;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::json::NO_STORE;

/// A reader gets the lobby at most once in this time.
const SENT_EVERY: Duration = Duration::from_millis(500);

/// The bots that can be challenged now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BotsOnline {
    /// One entry for each connection on which a bot has sent its policy, in the order of names.
    bots: Vec<BotOnline>,
}

/// A bot, its policy and its ratings.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BotOnline {
    #[schemars(with = "PlayerName")]
    name: String,
    /// The person who owns it.
    #[schemars(with = "Option<PlayerName>")]
    owner: Option<String>,
    /// Its description of itself.
    about: About,
    /// Its policy: the matches that it accepts.
    policy: Policy,
    /// The number of matches that it is playing.
    playing: usize,
    /// The time since which it is online, in milliseconds since 1970.
    since_ms: Millis,
    /// Its ratings in the games of its policy.
    ratings: Vec<OnlineRating>,
}

/// A rating in a game.
#[derive(Debug, Serialize, JsonSchema)]
struct OnlineRating {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    #[serde(flatten)]
    rating: RatingShown,
}

/// List the bots that are online, with their policies and ratings.
#[utoipa::path(get, path = "/v1/bots", operation_id = "listBotsOnline", tag = "players",
    params(openapi::GameQuery),
    responses((status = 200, description = "The list.", body = BotsOnline), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    _: Anyone,
    query: UrlQuery,
) -> Result<Response, Error> {
    let mut game = None;
    for (name, value) in query.0 {
        match name.as_str() {
            "game" => game = Some(app.games.find(&value)?.info.slug),
            _ => return Err(unknown(&name, "game")),
        }
    }
    let bots = bots(&app.lobby.now(), game);
    Ok(([NO_STORE], Json(BotsOnline { bots })).into_response())
}

/// The bots that are online and play this game; `None`: any game.
fn bots(lobby: &LobbySnapshot, game: Option<&str>) -> Vec<BotOnline> {
    let mut bots: Vec<BotOnline> = lobby
        .bots_online()
        .filter(|(_, policy)| game.is_none_or(|game| policy.games.iter().any(|played| played == game)))
        .map(|(open, policy)| {
            let id = &open.player.who.id;
            let ratings = ratings(lobby, id).filter(|rating| policy.games.contains(&rating.game)).collect();
            BotOnline {
                name: open.player.who.name.clone(),
                owner: open.owner.clone(),
                about: About::read(open.about.as_deref()),
                playing: lobby.matches_of(id).len(),
                since_ms: open.since_ms,
                ratings,
                policy: policy.clone(),
            }
        })
        .collect();
    bots.sort_by(|a, b| a.name.cmp(&b.name));
    bots
}

/// The ratings of a connected player.
fn ratings<'a>(lobby: &'a LobbySnapshot, id: &'a str) -> impl Iterator<Item = OnlineRating> + 'a {
    lobby
        .ratings_of(id)
        .iter()
        .map(|(game, rating)| OnlineRating { game: game.clone(), rating: (*rating).into() })
}

/// The players who are online, and those who wait to be paired.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LobbyShown {
    /// The people who are online, in the order of names.
    people: Vec<PersonOnline>,
    /// The bots that are online, as `GET /v1/bots` lists them.
    bots: Vec<BotOnline>,
    /// The groups of players who wait in the pool.
    waiting: Vec<PoolWaiting>,
}

/// A person who is online: with a control connection.
#[derive(Debug, Serialize, JsonSchema)]
struct PersonOnline {
    #[schemars(with = "PlayerName")]
    name: String,
    /// The person's ratings.
    ratings: Vec<OnlineRating>,
}

/// Players in the pool who ask for the same kind of match.
#[derive(Debug, Serialize, JsonSchema)]
struct PoolWaiting {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The time control; `null`: none.
    clock: Option<ClockSpec>,
    /// Whether the match would be rated.
    rated: bool,
    /// How many players wait.
    players: usize,
}

impl LobbyShown {
    /// The lobby as everyone may see it.
    fn of(lobby: &LobbySnapshot) -> Self {
        let open = lobby.connections().map(|online| &online.open);
        let people = open.filter(|open| open.player.kind == PlayerKind::Person);
        // A person may have several connections.
        let people: BTreeMap<&str, &str> =
            people.map(|open| (&*open.player.who.name, &*open.player.who.id)).collect();
        let person = |(name, id): (&str, &str)| PersonOnline {
            name: name.to_owned(),
            ratings: ratings(lobby, id).collect(),
        };
        let mut waiting: Vec<PoolWaiting> = Vec::new();
        for wish in lobby.tickets().map(|waiting| &waiting.wish) {
            let same = |known: &&mut PoolWaiting| {
                known.game == wish.game && (known.clock, known.rated) == (wish.clock, wish.rated)
            };
            match waiting.iter_mut().find(same) {
                Some(known) => known.players += 1,
                None => {
                    let PoolWish { game, clock, rated, .. } = wish.clone();
                    waiting.push(PoolWaiting { game, clock, rated, players: 1 });
                }
            }
        }
        Self { people: people.into_iter().map(person).collect(), bots: bots(lobby, None), waiting }
    }
}

fn json(shown: &LobbyShown) -> Bytes {
    serde_json::to_vec(shown).expect("plain values with text keys").into()
}

/// List the players who are online and those who wait to be paired.
#[utoipa::path(get, path = "/v1/lobby", operation_id = "getLobby", tag = "players",
    responses((status = 200, description = "The lobby.", body = LobbyShown), openapi::Refusals))]
pub(crate) async fn lobby(State(app): State<&'static App>, _: Anyone) -> Response {
    let json = app.lobby.rendered(|lobby| json(&LobbyShown::of(lobby)));
    ([NO_STORE, (header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], json).into_response()
}

/// The state of an answer that streams the lobby.
struct LobbyStream {
    app: &'static App,
    lobby: watch::Receiver<Arc<LobbySnapshot>>,
    form: StreamFormat,
    opening: Option<Bytes>,
    /// The lobby that was last sent to the reader.
    sent: Bytes,
    /// The earliest time to send the lobby again; `beat`: the time of the next heartbeat.
    next: Instant,
    beat: Instant,
    _admitted: ConnectionPermit,
}

impl LobbyStream {
    /// The next part of the answer; `None`: it is over.
    async fn part(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if let Some(opening) = self.opening.take() {
            return Some((Ok(opening), self));
        }
        let bytes = loop {
            let changed = async {
                sleep_until(self.next).await;
                self.lobby.changed().await
            };
            tokio::select! {
                biased;
                () = self.app.stopping.cancelled() => return None,
                changed = changed => {
                    changed.ok()?;
                    self.lobby.mark_unchanged();
                    let json = self.app.lobby.rendered(|lobby| json(&LobbyShown::of(lobby)));
                    if json != self.sent {
                        self.next = Instant::now() + SENT_EVERY;
                        self.sent = json;
                        break self.form.write("lobby", None, &self.sent);
                    }
                }
                () = sleep_until(self.beat) => break self.form.heartbeat(),
            }
        };
        self.beat = Instant::now() + self.app.limits.timeouts.heartbeat;
        Some((Ok(bytes), self))
    }
}

/// Follow the lobby.
///
/// The answer consists of server-sent events (the default) or, with `Accept: application/x-ndjson`, of one JSON object
/// per line. Each event `lobby` is the whole lobby: the first is the lobby as it is now, and another one follows each
/// change, at most two in a second. A heartbeat comes every 10 seconds.
#[utoipa::path(get, path = "/v1/lobby/events", operation_id = "followLobby", tag = "players",
    responses((status = 200, description = "The stream: each event is a `LobbyShown`.",
               content((LobbyShown = "text/event-stream"), (String = "application/x-ndjson"))), openapi::Refusals))]
pub(crate) async fn follow(
    State(app): State<&'static App>,
    caller: Anyone,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let form = StreamFormat::wanted(&headers, StreamFormat::Sse);
    let admitted =
        ConnectionPermit::new(app, app.metrics.streams(form.name()), caller.network, caller.token)?;
    let mut lobby = app.lobby.follow();
    lobby.mark_changed();
    let ended = admitted.end_signal();
    let (opening, now) = (form.opening(), Instant::now());
    let state = LobbyStream {
        app,
        lobby,
        form,
        opening,
        sent: Bytes::new(),
        next: now,
        beat: now,
        _admitted: admitted,
    };
    let headers = [(header::CONTENT_TYPE, form.content_type()), NO_STORE, StreamFormat::unbuffered()];
    Ok((headers, Body::from_stream(stream::unfold(state, LobbyStream::part).take_until(ended)))
        .into_response())
}
