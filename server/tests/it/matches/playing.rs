//! Whole matches, by every way there is to play them.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{
    EventStream, LONG, SHORT, TestCaller, choose, create, join, me, open, order, play_until, quick,
    two_guests,
};
use crate::client::{DialogueClient, TestServer};

/// Everything that the host sends about a match played to its end.
async fn over(host: &TestServer, path: &str) -> Value {
    let page = TestCaller::anonymous().page(host, path).await;
    assert_eq!((&page["stage"], &page["ended"]), (&json!("over"), &json!("played")), "{page}");
    assert!(page["seed"].is_string() && page["salt"].is_string());
    page
}

#[tokio::test]
async fn match_is_played_by_plain_requests() {
    let host = TestServer::start(&[]).await;
    for game in [SHORT, "azul"] {
        let (path, guests) = two_guests(&host, game).await;
        let mut last = Value::Null;
        loop {
            let page = guests[0].page(&host, &path).await;
            if page["stage"] == "over" {
                break;
            }
            let seat = page["turn"].as_u64().unwrap() as usize;
            let (mover, other) = (&guests[seat], &guests[1 - seat]);
            assert_eq!(other.page(&host, &path).await["legal_moves"], json!([]));
            let reply = mover.get(&host, &path).await;
            let (page, tag) = (reply.json(), reply.header("etag").to_owned());
            assert_eq!(tag, format!("\"{}\"", page["ply"]));
            assert_eq!(page["you"], seat);
            let mv = choose(&page, page["ply"].as_u64().unwrap());
            // The move as JSON, and its ply as the tag of the page.
            let body = json!({ "move": mv["move"] }).to_string();
            let moves = format!("{path}/moves");
            let done = mover.send(&host, "POST", &moves, &[("if-match", &tag)], Some(body.clone())).await;
            last = done.json();
            assert_eq!((&last["seat"], &last["notation"]), (&page["turn"], &mv["notation"]));
            // The same again, and in its other form: the same answer.
            let again = mover.send(&host, "POST", &moves, &[("if-match", &tag)], Some(body)).await;
            let other_form = mover.play(&host, &path, &page["ply"], &mv["notation"]).await;
            assert_eq!((done.body.clone(), done.body), (again.body, other_form.body));
        }
        let page = over(&host, &path).await;
        assert_eq!(page["ply"].as_u64().unwrap(), last["ply"].as_u64().unwrap() + 1);
    }
}

/// Plays a seat by the events of a stream; returns all of them.
async fn follow(
    host: &TestServer,
    seat: u64,
    guest: &TestCaller,
    path: &str,
    mut events: EventStream,
) -> Vec<Value> {
    let mut told = Vec::new();
    while let Some(frame) = events.next().await {
        let shown = &frame.json;
        if shown["turn"] == seat && frame.kind != "match" {
            let ply = shown["ply"].as_u64().map_or(0, |ply| ply + 1);
            let answer = guest.play(host, path, &json!(ply), &choose(shown, ply)["notation"]).await;
            answer.json();
        } else if let Some(moves) = shown.get("legal_moves").filter(|_| frame.kind != "match") {
            assert_eq!(moves, &json!([]), "only whose turn it is has moves");
        }
        told.push(frame.json);
    }
    told
}

#[tokio::test]
async fn match_is_played_by_streams_and_requests() {
    let host = TestServer::start(&[]).await;
    for sse in [true, false] {
        let (path, made) = create(&host, &TestCaller::anonymous(), order(SHORT, &[me(), open()])).await;
        let events = async |caller: &TestCaller| {
            let path = format!("{path}/events");
            if sse {
                EventStream::sse(&host, caller, &path, &[]).await.opened()
            } else {
                EventStream::ndjson(&host, caller, &path).await.opened()
            }
        };
        // A follower that connects before the start misses nothing.
        let first = TestCaller::seated(&made);
        let (mine, watched) = (events(&first).await, events(&TestCaller::anonymous()).await);
        let second = TestCaller::seated(&join(&host, &TestCaller::anonymous(), &path).await);
        let theirs = EventStream::sse(&host, &second, &format!("{path}/events?since=0"), &[]).await.opened();
        let (mine, theirs, watched) = tokio::join!(
            follow(&host, 0, &first, &path, mine),
            follow(&host, 1, &second, &path, theirs),
            watched.all()
        );
        assert_eq!(mine.len(), watched.len());
        assert_eq!(mine.len(), theirs.len());
        let types: Vec<_> = mine.iter().map(|frame| frame["type"].as_str().unwrap()).collect();
        assert_eq!(types[..3], ["match", "joined", "started"]);
        assert_eq!(types[types.len() - 2..], ["moved", "ended"]);
        assert_eq!((&mine[0]["you"], &theirs[0]["you"]), (&json!(0), &json!(1)));
        over(&host, &path).await;
    }
}

/// Plays a seat over a WebSocket, both ways; returns all messages except answers.
async fn duplex(seat: u64, mut peer: DialogueClient) -> Vec<Value> {
    let mut told = Vec::new();
    let mut asked = None;
    loop {
        let text = match peer.next().await {
            Message::Text(text) => text,
            Message::Close(frame) => {
                let frame = frame.unwrap();
                assert_eq!((u16::from(frame.code), frame.reason.as_str()), (1000, "the match is over"));
                assert_eq!(asked, None, "every move was answered");
                return told;
            }
            other => panic!("{other:?}"),
        };
        let shown: Value = serde_json::from_str(&text).unwrap();
        match shown["type"].as_str().unwrap() {
            "done" => {
                assert_eq!(Some(&shown["id"]), asked.take().as_ref());
                assert_eq!(shown["frame"]["seat"], seat);
                continue;
            }
            "refused" => panic!("{shown}"),
            _ => {}
        }
        if shown["turn"] == seat && shown["type"] != "match" {
            let ply = shown["ply"].as_u64().map_or(0, |ply| ply + 1);
            let id = json!({ "mine": ply });
            let mv = choose(&shown, ply);
            peer.say(&json!({ "type": "move", "id": id, "ply": ply, "move": mv["move"] }).to_string()).await;
            asked = Some(id);
        }
        told.push(shown);
    }
}

#[tokio::test]
async fn match_is_played_by_websockets_in_both_directions() {
    let host = TestServer::start(&[]).await;
    let (path, made) = create(&host, &TestCaller::anonymous(), order(SHORT, &[me(), open()])).await;
    let mine = TestCaller::seated(&made).dial(&host, &format!("{path}/live")).await;
    let watched = TestCaller::anonymous().dial(&host, &format!("{path}/live")).await;
    host.until("kibitz_streams{kind=\"live\"} 2").await;
    let second = TestCaller::seated(&join(&host, &TestCaller::anonymous(), &path).await);
    let theirs = second.dial(&host, &format!("{path}/live?since=0")).await;
    let (mine, theirs, watched) = tokio::join!(duplex(0, mine), duplex(1, theirs), duplex(9, watched));
    assert_eq!((mine.len(), theirs.len()), (watched.len(), watched.len()));
    assert_eq!(watched.last().unwrap()["type"], "ended");
    // Streams and sockets carry the same.
    let events = format!("{path}/events?since=0");
    let streamed = EventStream::ndjson(&host, &TestCaller::anonymous(), &events).await.all().await;
    assert!(streamed[1..].iter().map(|told| &told.json).eq(&watched[1..]));
    over(&host, &path).await;
    host.until("kibitz_streams{kind=\"live\"} 0").await;
}

#[tokio::test]
async fn four_seats_with_engines_a_player_and_guests() {
    let host = TestServer::start(&[]).await;
    let player = TestCaller::anonymous().post(&host, "/v1/players", json!({ "name": "Bea" })).await.made();
    let player = TestCaller::with(player["token"].as_str().unwrap());
    let seats = [quick(), json!({ "kind": "me" }), json!({ "kind": "open" }), quick()];
    let (path, made) = create(&host, &player, order(LONG, &seats)).await;
    assert_eq!(made["seats"], json!([{ "seat": 1, "token": null }]), "a player's own token holds the seat");
    let wish = json!({ "seat": 2, "name": "Gus" });
    let joined = TestCaller::anonymous().post(&host, &format!("{path}/join"), wish).await.json();
    let guest = TestCaller::seated(&joined);
    let watch =
        EventStream::sse(&host, &TestCaller::anonymous(), &format!("{path}/events?since=0"), &[]).await;
    let events = async |caller: &TestCaller| {
        EventStream::ndjson(&host, caller, &format!("{path}/events?since=0")).await.opened()
    };
    let (mine, theirs) = (events(&player).await, events(&guest).await);
    let (mine, theirs, watched) = tokio::join!(
        follow(&host, 1, &player, &path, mine),
        follow(&host, 2, &guest, &path, theirs),
        watch.all()
    );
    assert_eq!((mine.len(), theirs.len()), (watched.len(), watched.len()));
    let page = over(&host, &path).await;
    let seat = |seat: usize| (page["seats"][seat]["kind"].clone(), page["seats"][seat]["name"].clone());
    assert_eq!(seat(1), (json!("player"), json!("Bea")));
    assert_eq!(seat(2), (json!("guest"), json!("Gus")));
    assert_eq!(seat(0).0, "engine");
}

#[tokio::test]
async fn players_leave_abort_resign_and_play_again() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    // Left: the seat is open again.
    let seats = [me(), open(), open()];
    let (path, made) = create(&host, &anonymous, order(LONG, &seats)).await;
    let guest = TestCaller::seated(&join(&host, &anonymous, &path).await);
    let left = guest.tell(&host, &format!("{path}/leave")).await;
    assert_eq!((&left.json()["type"], &left.json()["seat"]), (&json!("left"), &json!(1)));
    assert_eq!(guest.tell(&host, &format!("{path}/leave")).await.body, left.body, "once is enough");
    assert_eq!(anonymous.page(&host, &path).await["seats"][1]["kind"], "open");
    // Aborted before the first move.
    let aborted = TestCaller::seated(&made).tell(&host, &format!("{path}/abort")).await.json();
    assert_eq!((&aborted["type"], &aborted["how"]), (&json!("ended"), &json!("aborted")));
    // Resigned: the other has won.
    let (path, guests) = two_guests(&host, SHORT).await;
    let out = guests[0].tell(&host, &format!("{path}/resign")).await.json();
    assert_eq!((&out["type"], &out["why"]), (&json!("went_out"), &json!("resigned")));
    let page = anonymous.page(&host, &path).await;
    assert_eq!((&page["ended"], &page["result"]["ranks"]), (&json!("walkover"), &json!([2, 1])));
    // The rematch, with the seats rotated by one; the first request creates it.
    let mut links = Vec::new();
    for guest in &guests {
        links.push(guest.tell(&host, &format!("{path}/rematch")).await.json());
    }
    assert_eq!(links[0], links[1]);
    let again = links[0]["url"].as_str().unwrap();
    assert_eq!(guests[0].page(&host, again).await["you"], 1);
    assert_eq!(guests[1].page(&host, again).await["you"], 0);
    let page = anonymous.page(&host, again).await;
    assert_eq!((&page["stage"], &page["rematch_of"]), (&json!("running"), &json!(path.rsplit('/').next())));
    assert_eq!(anonymous.page(&host, &path).await["rematch"], links[0]["id"]);
}

#[tokio::test]
async fn record_holds_what_was_played() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, LONG).await;
    let record = format!("{path}/record");
    guests[0].get(&host, &record).await.problem(409, "match_not_over");
    guests[0].get(&host, &format!("{record}/verify")).await.problem(409, "match_not_over");
    play_until(&host, &path, &guests, u64::MAX).await;
    let reply = TestCaller::anonymous().get(&host, &record).await;
    let kept = reply.json();
    let file = format!("attachment; filename=\"{LONG}-{}.json\"", path.rsplit('/').next().unwrap());
    assert_eq!(reply.header("content-disposition"), file);
    let page = over(&host, &path).await;
    for field in ["id", "game", "commitment", "seed", "salt"] {
        assert_eq!(kept[field], page[field], "{field}");
    }
    let events = kept["events"].as_array().unwrap();
    assert_eq!(events.len() as u64, page["seq"].as_u64().unwrap() + 1);
    let told = EventStream::ndjson(&host, &TestCaller::anonymous(), &format!("{path}/events?since=0"))
        .await
        .all()
        .await;
    for (event, told) in events[1..].iter().zip(&told[1..]) {
        assert_eq!((&event["type"], &event["notation"]), (&told.json["type"], &told.json["notation"]));
    }
    for guest in &guests {
        assert!(!reply.text().contains(&guest.token.as_ref().unwrap()[4..]), "no token is in it");
    }
    // The program finds it true.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.json");
    std::fs::write(&file, &reply.body).unwrap();
    let verify = std::process::Command::new(env!("CARGO_BIN_EXE_kibitz")).arg("verify").arg(&file).output();
    let verify = verify.unwrap();
    assert!(verify.status.success(), "{verify:?}");
    let verdict = TestCaller::anonymous().get(&host, &format!("{record}/verify")).await.json();
    let summary = String::from_utf8(verify.stdout).unwrap();
    assert_eq!(verdict["true"], true);
    assert_eq!(summary.strip_prefix("true: ").unwrap().trim_end(), verdict["detail"]);
    TestCaller::anonymous().get(&host, &format!("{record}/verify?x=1")).await.names(400, "bad_query", "x");
    let own = TestCaller::anonymous().get(&host, &format!("{record}?format=nothing")).await;
    own.problem(400, "unknown_format");
    TestCaller::anonymous().get(&host, &format!("{record}?form=x")).await.names(400, "bad_query", "form");
    let formats = engines::games::find(LONG).unwrap().formats();
    assert!(!formats.is_empty());
    for format in formats {
        let own = TestCaller::anonymous().get(&host, &format!("{record}?format={}", format.name)).await;
        assert_eq!((own.status.as_u16(), own.header("content-type")), (200, &*format.media_type), "{own:?}");
        assert!(!own.body.is_empty());
    }
}

#[tokio::test]
async fn views_of_each_seat_are_shown_after_the_end() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, "septica").await;
    let seen = |seat: u8| format!("{path}/events?since=0&seat={seat}");
    for caller in [&guests[0], &guests[1], &TestCaller::anonymous()] {
        caller.get(&host, &seen(1)).await.problem(409, "match_not_over");
    }
    let live: Vec<_> = {
        let mut own = Vec::new();
        for guest in &guests {
            own.push(EventStream::ndjson(&host, guest, &format!("{path}/events?since=0")).await);
        }
        play_until(&host, &path, &guests, u64::MAX).await;
        let mut told = Vec::new();
        for stream in own {
            told.push(stream.all().await);
        }
        told
    };
    for (seat, told) in (0..).zip(&live) {
        let later = EventStream::ndjson(&host, &TestCaller::anonymous(), &seen(seat)).await.all().await;
        let texts =
            |all: &[super::stream::StreamItem]| all[1..].iter().map(|t| t.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&later), texts(told), "seat {seat}: what it saw then is what is shown now");
    }
    let anonymous = TestCaller::anonymous();
    anonymous.get(&host, &seen(2)).await.names(400, "bad_query", "seat");
    anonymous.get(&host, &format!("{path}/events?seat=x")).await.names(400, "bad_query", "seat");
}
