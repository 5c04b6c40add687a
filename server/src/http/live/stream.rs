//! `GET /v1/matches/{id}/events`: a match as server-sent events or as lines of JSON. A stream has no task of its own:
//! the connection asks it for the next part. A slow reader gets an error, never a gap.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engines::game::Seat;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use hyper::body::Frame as Part;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::live::admit::ConnectionPermit;
use crate::http::live::follow::{Interruption, ResumePoint};
use crate::http::live::form::StreamFormat;
use crate::http::openapi;
use crate::matches::render;
use crate::matches::render::RenderedEvent;
use crate::matches::service::{ViewerConnection, ViewerStream};
use crate::request::caller::Reads;
use crate::request::extract::UrlQuery;
use crate::request::json::NO_STORE;
use crate::request::path::MatchOf;

/// The last frame of a stream that ends before its match.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Closed")]
pub(crate) struct ClosedFrame {
    /// `closed`.
    #[serde(rename = "type")]
    #[schemars(extend("const" = "closed"))]
    kind: &'static str,
    /// The reason for the end of the stream.
    #[schemars(extend("enum" = Interruption::codes()))]
    code: &'static str,
    /// How to continue, for people.
    detail: String,
}

impl ClosedFrame {
    /// The frame; `last`: the `seq` of the last event that was sent.
    pub(crate) fn frame(why: Interruption, last: Option<u32>, form: StreamFormat) -> Bytes {
        let closed = Self { kind: "closed", code: why.code(), detail: why.detail(last) };
        let json = serde_json::to_vec(&closed).expect("a structure of texts");
        form.write(closed.kind, None, &json)
    }
}

/// A frame of a stream: first the match, then its events.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum StreamFrame {
    /// The match as it is now.
    Match(Box<render::Page>),
    Event(Box<render::ViewerEvent<'static>>),
    /// The clocks are paused or run again, for which there is no event. It has no `seq`.
    Clock(Box<render::ClockFrame>),
    /// Players have connected or left. It has no `seq`.
    Presence(Box<render::PresenceFrame>),
    /// A player has said something; only players get it. It has no `seq`.
    Chat(Box<render::ChatFrame>),
    /// The stream ends before the match.
    Closed(ClosedFrame),
}

/// The body of the answer.
struct Stream {
    form: StreamFormat,
    /// The frames to write first.
    ready: VecDeque<(Arc<RenderedEvent>, Option<u32>)>,
    /// The further events; `None`: there are none.
    live: Option<BroadcastStream<Arc<RenderedEvent>>>,
    heartbeat: Interval,
    /// Whether nothing has been written yet.
    fresh: bool,
    stopping: &'static CancellationToken,
    /// The place of the last event that was written.
    last: Option<u32>,
    /// Ends when the caller has lost the rights that it opened the stream with.
    ended: BoxFuture<'static, ()>,
    admitted: ConnectionPermit,
    _connection: Option<ViewerConnection>,
}

impl Stream {
    fn new(app: &'static App, form: StreamFormat, watch: ViewerStream, admitted: ConnectionPermit) -> Self {
        let period = app.limits.timeouts.heartbeat;
        let mut heartbeat = interval_at(Instant::now() + period, period);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The page includes all events so far, unless a backlog follows it.
        let place = watch.backlog.is_empty().then_some(watch.page.place.seq);
        let backlog = watch.backlog.into_iter().map(|frame| {
            let seq = frame.seq;
            (frame, seq)
        });
        Self {
            form,
            ready: std::iter::once((watch.page, place)).chain(backlog).collect(),
            live: watch.live.map(BroadcastStream::new),
            heartbeat,
            fresh: true,
            stopping: &app.stopping,
            last: None,
            ended: Box::pin(admitted.end_signal()),
            admitted,
            _connection: watch.connection,
        }
    }

    fn write(&mut self, frame: &RenderedEvent, id: Option<u32>) -> Bytes {
        self.last = id.or(self.last);
        if frame.kind == "ended" {
            self.live = None;
        }
        self.form.write(frame.kind, id, &frame.json)
    }

    /// The last frame of a stream that ends before its match.
    fn cut(&mut self, cut: Interruption) -> Bytes {
        self.live = None;
        ClosedFrame::frame(cut, self.last, self.form)
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if std::mem::take(&mut self.fresh)
            && let Some(opening) = self.form.opening()
        {
            return Poll::Ready(Some(opening));
        }
        if self.live.is_some() && self.ended.as_mut().poll(context).is_ready() {
            self.ready.clear();
            let why = self.admitted.check().err();
            return Poll::Ready(Some(
                self.cut(why.as_ref().map_or(Interruption::Revoked, Interruption::from)),
            ));
        }
        if let Some((frame, id)) = self.ready.pop_front() {
            if self.ready.is_empty() {
                self.ready = VecDeque::new();
            }
            return Poll::Ready(Some(self.write(&frame, id)));
        }
        let Some(live) = &mut self.live else { return Poll::Ready(None) };
        if let Poll::Ready(came) = live.poll_next_unpin(context) {
            return Poll::Ready(Some(match came {
                Some(Ok(frame)) => self.write(&frame, frame.seq),
                Some(Err(BroadcastStreamRecvError::Lagged(_))) => self.cut(Interruption::TooSlow),
                // When the server stops, all actors close their channels.
                None if self.stopping.is_cancelled() => self.cut(Interruption::Stopping),
                None => self.cut(Interruption::Lost),
            }));
        }
        self.heartbeat.poll_tick(context).map(|_| Some(self.form.heartbeat()))
    }
}

impl hyper::body::Body for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Part<Bytes>, Infallible>>> {
        self.poll_next(context).map(|bytes| bytes.map(|bytes| Ok(Part::data(bytes))))
    }
}

/// The seat whose view the caller asks for; removed from the query.
fn eyes(query: &mut Vec<(String, String)>) -> Result<Option<Seat>, Error> {
    let Some(place) = query.iter().position(|(name, _)| name == "seat") else { return Ok(None) };
    let (_, text) = query.swap_remove(place);
    let seat = text.parse().map_err(|_| Error::new(Code::BadQuery, "seat must be the number of a seat"))?;
    Ok(Some(Seat(seat)))
}

/// Follow a match.
///
/// The answer consists of server-sent events (the default) or, with `Accept: application/x-ndjson`, of one JSON object per
/// line. The first is the match as the caller may see it (event `match`). With `since` (or `Last-Event-ID`) all later events
/// follow, then each new event. The `seq` of an event is its id. A heartbeat comes every 10 seconds: a comment, or an empty
/// line. The stream ends after the event `ended`. The last event of a stream that ends earlier is `closed`, with a code:
/// `too_slow` (the reader is too slow: reconnect with `since`), `stopping` (the server is stopping), `internal`, `bad_token` (the
/// token was replaced or revoked), `token_expired`, `banned`. Frames without a `seq` may come between events: `clock`
/// (the clocks are paused or run again), `presence` (players have connected or left) and `chat` (a message of the players' or the spectators' chat). An
/// `EventSource` reconnects by itself after half a second (`retry`); after the end of the match it gets 204 and stops.
/// After the end, `seat` selects the seat whose view the events show, unless the match is sealed.
#[utoipa::path(get, path = "/v1/matches/{id}/events", operation_id = "followMatch", tag = "matches",
    security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath, openapi::SinceQuery, openapi::EventsQuery),
    responses((status = 200, description = "The stream.",
               content((StreamFrame = "text/event-stream"), (StreamFrame = "application/x-ndjson"))),
              (status = 204, description = "The match is over and nothing more will come."),
              openapi::Refusals))]
pub(crate) async fn events(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
    headers: HeaderMap,
    mut query: UrlQuery,
) -> Result<Response, Error> {
    let seat = eyes(&mut query.0)?;
    let since = ResumePoint::of(&headers, &query.0)?;
    let form = StreamFormat::wanted(&headers, StreamFormat::Sse);
    let admitted =
        ConnectionPermit::new(app, app.metrics.streams(form.name()), caller.network, caller.token)?;
    let watch = match seat {
        Some(seat) => app.matches.look_back(&id, &caller, since.seq, seat).await?,
        None => app.matches.watch(&id, &caller, since.seq).await?,
    };
    if form == StreamFormat::Sse && since.again && watch.live.is_none() && watch.backlog.is_empty() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let headers = [(header::CONTENT_TYPE, form.content_type()), NO_STORE, StreamFormat::unbuffered()];
    Ok((headers, Body::new(Stream::new(app, form, watch, admitted))).into_response())
}
