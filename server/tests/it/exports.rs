//! Downloads of many records: which matches they contain, how they are compressed, and what they count as.

use std::io::Read;

use flate2::read::GzDecoder;
use futures_util::future::join_all;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use kibitz::domain::time::DAY_MS;
use serde_json::{Value, json};
use time::{Date, OffsetDateTime};
use tokio::net::TcpStream;

use crate::client::{HANG, TestResponse, TestServer};
use crate::club::{begin, one_move_each, player, shown};
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open, order, quick, two_guests};

/// The day on which a match was created, by its id.
fn day_of(id: &str) -> Date {
    let ms = i64::from_str_radix(&id.replace('-', "")[..12], 16).unwrap();
    OffsetDateTime::from_unix_timestamp(ms / 1000).unwrap().date()
}

/// The month in which a match was created, as downloads name it.
pub(crate) fn month_of(id: &str) -> String {
    day_of(id).to_string()[..7].to_owned()
}

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// The lines of a download.
#[track_caller]
fn lines(reply: &TestResponse) -> Vec<String> {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), "application/x-ndjson");
    reply.text().lines().map(str::to_owned).collect()
}

/// The ids of the matches that a download contains, which this caller asks for.
async fn downloaded(host: &TestServer, caller: &TestCaller, path: &str) -> Vec<String> {
    let lines = lines(&caller.get(host, path).await);
    let id = |line: &String| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    lines.iter().map(id).collect()
}

/// A match of this caller, which is resigned at once, against an engine.
async fn resigned(host: &TestServer, caller: &TestCaller, game: &str) -> String {
    let (path, _) = create(host, caller, order(game, &[me(), quick()])).await;
    caller.tell(host, &format!("{path}/resign")).await.json();
    id_of(&path).to_owned()
}

/// A rated match that the second of these players resigns.
async fn rated(host: &TestServer, players: [&TestCaller; 2]) -> String {
    let path = begin(host, players).await;
    one_move_each(host, &path, &players).await;
    players[1].tell(host, &format!("{path}/resign")).await.json();
    id_of(&path).to_owned()
}

#[tokio::test]
async fn download_has_the_finished_matches_that_anyone_may_read() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let first = resigned(&host, &ann, SHORT).await;
    let other_game = resigned(&host, &ann, LONG).await;
    // Left out: a private match, one that runs, one that ended before it began, and another player's.
    let secret = json!({ "game": SHORT, "seats": [me(), quick()], "private": true });
    let (path, _) = create(&host, &ann, secret).await;
    ann.tell(&host, &format!("{path}/resign")).await.json();
    create(&host, &ann, order(SHORT, &[me(), quick()])).await;
    let (path, _) = create(&host, &ann, order(SHORT, &[me(), open()])).await;
    ann.tell(&host, &format!("{path}/cancel")).await.json();
    let bens = resigned(&host, &ben, SHORT).await;
    let last = resigned(&host, &ann, SHORT).await;

    // The players themselves get no more than anyone.
    for caller in [&TestCaller::anonymous(), &ann] {
        let all = downloaded(&host, caller, "/v1/players/ann/records").await;
        assert_eq!(all, [&*first, &other_game, &last]);
    }
    let of_game = format!("/v1/players/Ann/records?game={SHORT}");
    assert_eq!(downloaded(&host, &ben, &of_game).await, [&*first, &last]);
    let rest = format!("/v1/players/ann/records?after={first}");
    assert_eq!(downloaded(&host, &ben, &rest).await, [&*other_game, &last]);
    let of_month = format!("/v1/games/{SHORT}/records?month={}", month_of(&first));
    assert_eq!(downloaded(&host, &ben, &of_month).await, [&*first, &bens, &last]);

    // A line is the record, byte for byte.
    let reply = host.get(&of_month).await;
    let place = reply.header("content-disposition");
    assert!(place.contains(&format!("records-{SHORT}-{}.ndjson", month_of(&first))), "{place}");
    let record = host.get(&format!("/v1/matches/{bens}/record")).await;
    assert_eq!(lines(&reply)[1], record.text());

    // A deleted player is one without a name, and has no downloads any more.
    assert_eq!(ben.send(&host, "DELETE", "/v1/me", &[], None).await.status, 204);
    host.get("/v1/players/ben/records").await.problem(404, "no_such_player");
    let again = lines(&host.get(&of_month).await);
    assert!(again.len() == 3 && !again[1].contains("\"ben\""), "{}", again[1]);
}

#[tokio::test]
async fn download_is_filtered_by_rating_and_day() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let unrated = resigned(&host, &ann, SHORT).await;
    let mut all = vec![unrated.clone()];
    for _ in 0..3 {
        all.push(rated(&host, [&ann, &ben]).await);
    }
    let ids = async |query: &str| downloaded(&host, &ann, &format!("/v1/players/ann/records?{query}")).await;
    assert_eq!(ids("").await, all);
    assert_eq!(ids("rated=true").await, all[1..]);
    assert_eq!(ids("rated=false").await, [unrated]);
    // Ben, who resigns, has the least rating, and a lower one after each match.
    let points = shown(&host, "ben", SHORT).await.unwrap().0.points();
    let (below, above) = (points.floor() as i64 - 1, points.ceil() as i64 + 1);
    assert_eq!(ids(&format!("min_rating={below}")).await, all[1..]);
    let higher = ids(&format!("min_rating={above}")).await;
    assert!(!higher.contains(&all[3]), "{higher:?}");
    assert_eq!(ids(&format!("min_rating={below}&rated=false")).await, [""; 0]);

    let day = day_of(&all[0]);
    let (yesterday, tomorrow) = (day.previous_day().unwrap(), day_of(&all[3]).next_day().unwrap());
    assert_eq!(ids(&format!("from={day}&to={tomorrow}")).await, all);
    assert_eq!(ids(&format!("to={yesterday}")).await, [""; 0]);
    assert_eq!(ids(&format!("from={tomorrow}")).await, [""; 0]);
    let before = OffsetDateTime::from_unix_timestamp(
        day.midnight().assume_utc().unix_timestamp() - 40 * DAY_MS / 1000,
    );
    let month = before.unwrap().date().to_string()[..7].to_owned();
    assert_eq!(downloaded(&host, &ann, &format!("/v1/games/{SHORT}/records?month={month}")).await, [""; 0]);
}

#[tokio::test]
async fn wrong_filters_are_refused_by_name() {
    let host = TestServer::start(&[]).await;
    player(&host, "ann").await;
    for (query, part) in [
        ("from=yesterday", "from: must be a day"),
        ("to=2026-02-30", "to: must be a day"),
        ("rated=yes", "rated: must be true or false"),
        ("min_rating=high", "min_rating: must be a whole number"),
        ("after=1", "after: must be the id of a match"),
        ("game=chess", "game: "),
        ("month=2026-11", "not a parameter of this path"),
    ] {
        host.get(&format!("/v1/players/ann/records?{query}")).await.names(400, "bad_query", part);
    }
    for query in ["", "?month=11-2026", "?month=2026-13", "?game=azul&month=2026-11"] {
        host.get(&format!("/v1/games/{SHORT}/records{query}")).await.problem(400, "bad_query");
    }
    host.get("/v1/games/chess/records?month=2026-11").await.problem(404, "unknown_game");
    host.get("/v1/players/eve/records").await.problem(404, "no_such_player");
}

/// More matches than one read of the database returns.
#[tokio::test]
async fn long_download_is_complete_and_compressed() {
    let host = TestServer::start(&["--player-creations-burst=1000", "--creations-burst=1000"]).await;
    let ann = player(&host, "ann").await;
    let mut ids = Vec::new();
    for _ in 0..21 {
        ids.extend(join_all((0..10).map(|_| resigned(&host, &ann, SHORT))).await);
    }
    ids.sort();
    let path = "/v1/players/ann/records";
    assert_eq!(downloaded(&host, &ann, path).await, ids);
    let plain = host.get(path).await;
    let packed = ann.send(&host, "GET", path, &[("accept-encoding", "gzip")], None).await;
    assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "gzip"));
    assert!(packed.body.len() * 3 < plain.body.len(), "{} of {}", packed.body.len(), plain.body.len());
    let mut text = String::new();
    GzDecoder::new(&packed.body[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, plain.text());
    // Streams that a reader follows are not compressed, because a compressor would hold their lines back.
    let headers = [("accept-encoding", "gzip"), ("accept", "application/x-ndjson")];
    let events = format!("/v1/matches/{}/events?since=0", ids[0]);
    assert_eq!(ann.send(&host, "GET", &events, &headers, None).await.header("content-encoding"), "");
}

#[tokio::test]
async fn download_counts_as_an_open_stream() {
    let host = TestServer::start(&["--max-sockets-per-address=1"]).await;
    let ann = player(&host, "ann").await;
    let id = resigned(&host, &ann, SHORT).await;
    let (running, _) = two_guests(&host, SHORT).await;
    let socket = host.dial(&format!("{running}/live")).await;
    let path = format!("/v1/games/{SHORT}/records?month={}", month_of(&id));
    for path in ["/v1/players/ann/records", &path] {
        host.get(path).await.names(429, "too_many", "--max-sockets-per-address");
    }
    drop(socket);
    host.until("kibitz_sockets 0").await;
    assert_eq!(downloaded(&host, &ann, &path).await, [id]);
    host.until("kibitz_sockets 0").await;
}

/// The body of a download that waits when the server is told to stop; whether it breaks off.
async fn stopped_download_breaks_off() -> bool {
    let host = TestServer::start(&["--side-work-ms=1"]).await;
    let ann = player(&host, "ann").await;
    resigned(&host, &ann, SHORT).await;
    // The address owes time for this text, so the download waits before its first line.
    host.post_text("/v1/games/azul/official-position", &"1\n".repeat(100_000)).await;
    let stream = TcpStream::connect(host.address()).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let request = Request::get("/v1/players/ann/records").header("host", "kibitz");
    let reply = sender.send_request(request.body(Empty::<Bytes>::new()).unwrap()).await.unwrap();
    assert_eq!(reply.status(), 200);
    host.server.begin_stop();
    let body = tokio::time::timeout(HANG, reply.into_body().collect()).await.expect("the download ends");
    drop(sender);
    connection.abort();
    tokio::time::timeout(HANG, host.stop()).await.expect("the server stops");
    body.is_err()
}

/// Who downloads must see that records are missing: the body has no end.
#[tokio::test]
async fn download_breaks_off_when_the_server_stops() {
    let all = async {
        // On a busy machine the first line may be sent before the server is told to stop.
        while !stopped_download_breaks_off().await {}
    };
    tokio::time::timeout(HANG, all).await.expect("a download breaks off");
}

#[tokio::test]
async fn download_names_the_licence_that_the_operator_chose() {
    let licence = "https://creativecommons.org/publicdomain/zero/1.0/";
    let host = TestServer::start(&[&format!("--data-license={licence}")]).await;
    player(&host, "ann").await;
    let reply = host.get("/v1/players/ann/records").await;
    assert_eq!(reply.header("link"), format!("<{licence}>; rel=\"license\""));
    let host = TestServer::start(&[]).await;
    player(&host, "ann").await;
    assert_eq!(host.get("/v1/players/ann/records").await.header("link"), "");
}

/// Lists show what was played or may be; the operator's list, and the match itself, show the rest.
#[tokio::test]
async fn lists_leave_out_matches_that_ended_before_they_began() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let played = resigned(&host, &ann, SHORT).await;
    let (cancelled, _) = create(&host, &ann, order(SHORT, &[me(), open()])).await;
    let (waiting, _) = create(&host, &ann, order(SHORT, &[me(), open()])).await;
    let lists =
        ["/v1/matches?limit=100", "/v1/players/ann/matches", "/v1/me/matches", "/v1/matches?player=ann"];
    let listed = async |path: &str| {
        let list = ann.get(&host, path).await.json();
        let ids =
            list["matches"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<String>>()
    };
    for path in lists {
        assert!(listed(path).await.contains(&id_of(&cancelled).to_owned()), "{path} shows open matches");
    }
    ann.tell(&host, &format!("{cancelled}/cancel")).await.json();
    for path in lists {
        assert_eq!(listed(path).await, [id_of(&waiting), &*played], "{path}");
    }
    assert_eq!(listed("/v1/matches?stage=over").await, [&*played]);
    assert_eq!(ann.page(&host, &cancelled).await["stage"], "over");
    // A match that was aborted after its start stays.
    join(&host, &TestCaller::anonymous(), &waiting).await;
    ann.tell(&host, &format!("{waiting}/abort")).await.json();
    assert_eq!(listed("/v1/matches?stage=over").await, [id_of(&waiting), &*played]);
}
