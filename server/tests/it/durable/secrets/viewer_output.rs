//! All that one viewer of a match gets from a server: answers, refusals, every kind of stream, a bot's dialogue. Only
//! values that depend on the time of day are masked.

use std::net::SocketAddr;

use engines::game::{Seat, Viewer};
use futures_util::future::OptionFuture;
use serde_json::{Value, json};

use super::super::retrying_client::insist;
use super::planned_match::HostedMatch;
use super::streams::{OpenStream, answer, dial, frames, hang_up};
use super::{bot_seat, masked_times};
use crate::client::TestResponse;
use crate::server_process::until;

/// Each request and its answer.
pub(super) type Exchanges = Vec<(String, String)>;

/// Looks at the match in every way as this viewer, while its last moves are played. `last_ms`: the time at which the
/// last event before the server's start was decided.
pub(super) async fn all(
    address: SocketAddr,
    hosted: &HostedMatch,
    viewer: Viewer,
    last_ms: i64,
) -> Exchanges {
    let mut client = ViewerClient { address, hosted, viewer, seen: Vec::new() };
    let seat = match viewer {
        Viewer::Seat(seat) => Some(seat),
        Viewer::Spectator => None,
    };
    let bot = seat.filter(|seat| !hosted.clock && hosted.game.info().bot_seats.contains(&seat.0));

    // Lists leave out a match that all guests left a minute ago; a slow machine must not reach that minute in between.
    let guest = hosted.token(Seat(0));
    let (name, value) = guest.as_header();
    let present = dial(address, &format!("{}/live", hosted.path()), &[(name, value.to_owned())]).await;

    client.look("before").await;
    client.send_invalid_requests().await;
    let path = hosted.path();
    let (events, zero, live) =
        (format!("{path}/events"), format!("{path}/events?since=0"), format!("{path}/live"));
    let ndjson = ("accept", "application/x-ndjson");
    let again = ("last-event-id", "0");
    let bearer = seat.map(|seat| hosted.token(seat));
    let with = |more: &[(&'static str, &'static str)]| -> Vec<(&str, &str)> {
        bearer.iter().map(|bearer| bearer.as_header()).chain(more.iter().copied()).collect()
    };
    let streams = vec![
        ("sse", OpenStream::open(address, &events, &with(&[])).await),
        ("sse since 0", OpenStream::open(address, &zero, &with(&[])).await),
        ("sse again", OpenStream::open(address, &events, &with(&[again])).await),
        ("ndjson", OpenStream::open(address, &events, &with(&[ndjson])).await),
        ("ndjson since 0", OpenStream::open(address, &zero, &with(&[ndjson])).await),
    ];
    let header: Vec<_> = with(&[]).iter().map(|(_, value)| ("authorization", (*value).to_owned())).collect();
    let protocols = match &bearer {
        Some(bearer) => format!("kibitz, token.{}", &bearer.as_header().1["Bearer ".len()..]),
        None => "kibitz".to_owned(),
    };
    let mut socket = dial(address, &live, &header).await;
    let browser = dial(address, &format!("{live}?since=0"), &[("sec-websocket-protocol", protocols)]).await;
    let mut heard = String::new();
    for say in client.nonsense() {
        socket.say(&say.to_string()).await;
        answer(&mut socket, &mut heard).await;
    }

    let robot = OptionFuture::from(bot.map(|seat| bot_seat::play(address, hosted, seat)));
    let (said, ()) = tokio::join!(robot, client.go_on(bot));
    let page = insist(address, "GET", &path, &with(&[]), &Value::Null).await.json();
    let last = page["seq"].as_u64().unwrap();
    assert_eq!(page["ply"], hosted.plies.len(), "{page}");
    for (name, stream) in streams {
        client.keep(name.to_owned(), stream.upto(last).await);
    }
    for (name, mut peer, heard) in [("live", socket, heard), ("live since 0", browser, String::new())] {
        let text = frames(&mut peer, heard, last).await;
        client.keep(name.to_owned(), text);
        hang_up(peer).await;
    }
    if let Some(said) = said {
        client.keep("stdio".to_owned(), said);
    }
    client.look("after").await;
    hang_up(present).await;
    client.seen.into_iter().map(|(what, text)| (what, masked_times::mask_times(&text, last_ms))).collect()
}

struct ViewerClient<'a> {
    address: SocketAddr,
    hosted: &'a HostedMatch,
    viewer: Viewer,
    seen: Exchanges,
}

impl ViewerClient<'_> {
    fn keep(&mut self, what: String, text: String) {
        self.seen.push((what, text));
    }

    /// Asks as the viewer and keeps all that comes back.
    async fn ask(&mut self, method: &str, path: &str, more: &[(&str, &str)], json: &Value) {
        let bearer = match self.viewer {
            Viewer::Seat(seat) => Some(self.hosted.token(seat)),
            Viewer::Spectator => None,
        };
        let shown = bearer.iter().map(|bearer| bearer.as_header());
        let headers: Vec<_> = shown.chain(more.iter().copied()).collect();
        let reply = insist(self.address, method, path, &headers, json).await;
        self.keep(format!("{method} {path} {more:?} {json}"), text(&reply));
    }

    /// Requests that change nothing.
    async fn look(&mut self, when: &str) {
        self.keep(when.to_owned(), String::new());
        let (path, game) = (self.hosted.path(), self.hosted.game.info().slug);
        let list = format!("/v1/matches?game={game}&stage=running");
        let format = format!("{path}/record?format=saved_game");
        for (method, path) in [("GET", &path), ("HEAD", &path), ("GET", &list), ("GET", &format)] {
            self.ask(method, path, &[], &Value::Null).await;
        }
        self.ask("GET", &format!("{path}/record"), &[], &Value::Null).await;
    }

    /// Requests that are refused, and a move that was made before.
    async fn send_invalid_requests(&mut self) {
        let hosted = self.hosted;
        let (path, moves) = (hosted.path(), hosted.moves());
        let ply = hosted.before;
        for n in ply.saturating_sub(4)..ply {
            // A repeated request for the mover; a move out of turn for all others.
            self.ask("POST", &moves, &[], &hosted.body(n)).await;
        }
        for say in self.nonsense() {
            let mut body = say.clone();
            body.as_object_mut().unwrap().retain(|name, _| !["type", "id"].contains(&name.as_str()));
            self.ask("POST", &moves, &[], &body).await;
        }
        let stale = json!({ "notation": hosted.plies[ply].notation });
        self.ask("POST", &moves, &[("if-match", "\"77\"")], &stale).await;
        self.ask("POST", &moves, &[], &stale).await;
        for act in ["join", "leave", "rematch"] {
            self.ask("POST", &format!("{path}/{act}"), &[], &json!({})).await;
        }
        if ply > 0 {
            self.ask("POST", &format!("{path}/abort"), &[], &Value::Null).await;
        }
        self.ask("GET", &format!("{path}/events?since=999"), &[], &Value::Null).await;
        self.ask("GET", &format!("{path}/live"), &[], &Value::Null).await;
        for seat in 0..=hosted.tokens.len() {
            self.ask("GET", &format!("{path}/seats/{seat}/stdio"), &[], &Value::Null).await;
        }
    }

    /// Moves that are not made, as messages of a WebSocket.
    fn nonsense(&self) -> Vec<Value> {
        let hosted = self.hosted;
        let ply = hosted.before;
        let mut table = hosted.game.restore(&hosted.dealt).unwrap();
        for made in &hosted.plies[..ply] {
            table.play(made.seat, &made.notation).unwrap();
        }
        let (next, mover) = (&hosted.plies[ply], Viewer::Seat(hosted.plies[ply].seat));
        let illegal = |notation: &&str| table.fork().play(next.seat, notation).is_err();
        let mut known: Vec<&str> = hosted.plies.iter().map(|made| made.notation.as_str()).collect();
        known.extend(["0 4 1", "3 -1", "3 -2", "3 90", "1 0", "(1) 7♥", "7", "14", "0", "4"]);
        let mut says: Vec<_> = known
            .into_iter()
            .filter(illegal)
            .take(6)
            .map(|notation| json!({ "type": "move", "ply": ply, "notation": notation, "id": notation }))
            .collect();
        says.push(json!({ "type": "move", "ply": ply + 70, "notation": next.notation, "id": "stale" }));
        says.push(json!({ "type": "move", "ply": ply, "move": { "no": "such" }, "id": "bad" }));
        if self.viewer != mover {
            says.push(json!({ "type": "move", "ply": ply, "notation": next.notation, "id": "not mine" }));
        }
        says
    }

    /// Makes the moves that are still to be made, but those of the bot.
    async fn go_on(&mut self, bot: Option<Seat>) {
        let hosted = self.hosted;
        for ply in hosted.before..hosted.plies.len() {
            let by = hosted.plies[ply].seat;
            if Some(by) == bot {
                let made = async || {
                    let page = insist(self.address, "GET", &hosted.path(), &[], &Value::Null).await.json();
                    (page["ply"].as_u64().unwrap() > ply as u64).then_some(())
                };
                until(made).await;
                continue;
            }
            let headers = [hosted.bearer(ply)];
            let headers: Vec<_> = headers.iter().map(|bearer| bearer.as_header()).collect();
            let reply = insist(self.address, "POST", &hosted.moves(), &headers, &hosted.body(ply)).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            if self.viewer == Viewer::Seat(by) {
                self.keep(format!("move {ply}"), text(&reply));
            }
        }
    }
}

/// An answer with all its headers except the date; the length says nothing that the body does not.
pub(super) fn text(reply: &TestResponse) -> String {
    let kept = |name: &str| !["date", "content-length"].contains(&name);
    let headers = reply.headers.iter().filter(|(name, _)| kept(name.as_str()));
    let headers: String = headers.map(|(name, value)| format!("{name}: {value:?}\n")).collect();
    format!("{}\n{headers}\n{}", reply.status, reply.text())
}
