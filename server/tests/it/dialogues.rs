//! Dialogues over WebSockets: line by line, resumed, early, wrong, with peers that go or fall silent.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use kibitz::limits::timeouts::ConnectionTimeouts;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{HANG, LONG, LONG_THINKING, TestServer};

const STDIO: &str = "/v1/games/ioiwari/stdio";
const SLOW: &str = "/v1/games/slow/stdio";
const START: &str = "< 4 3 2 4 2 3 2";

#[tokio::test]
async fn dialogue_is_played_line_by_line_to_the_end() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(STDIO).await;
    peer.say(START).await;
    assert_eq!(peer.hear().await, "> 2");
    peer.say("< 3\r\n# a remark\n").await;
    assert_eq!(peer.hear().await, "> 5");
    peer.say("< 4").await;
    assert_eq!(peer.hear().await, "> 5");
    host.until("kibitz_sockets 1").await;
    peer.say("< 7").await;
    assert_eq!(peer.closed().await, (1000, "the dialogue is over".to_owned()));
    host.until("kibitz_sockets 0").await;
    assert!(host.counts("kibitz_dialogue_lines_total 3"));
}

#[tokio::test]
async fn remarks_on_a_decision_come_before_its_lines() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(&format!("{STDIO}?candidates=1")).await;
    peer.say(START).await;
    let said = peer.hear().await;
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].starts_with("# ioiwari ") && lines[0].contains(": 2, value "), "{said}");
    assert!(lines[1].starts_with("# 1. 2: value "), "{said}");
    assert_eq!(lines[2..], ["> 2"]);
}

#[tokio::test]
async fn dialogue_continues_where_its_transcript_ends() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(STDIO).await;
    peer.say(&format!("{START}\n> 2\n< 3")).await;
    assert_eq!(peer.hear().await, "> 5", "goes on where the transcript ends");
    let mut other = TestServer::start(&[]).await.dial(STDIO).await;
    other.say(&format!("{START}\n> 2\n< 3\n> 5\n< 4")).await;
    assert_eq!(other.hear().await, "> 5", "with any server");
    // The transcript has another choice than the engine's, that of a weaker player for example.
    let mut weak = host.dial(STDIO).await;
    weak.say(&format!("{START}\n> 1")).await;
    weak.say("< 3").await;
    assert!(weak.hear().await.starts_with("> "));
}

#[tokio::test]
async fn lines_read_together_are_answered_in_turn() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(STDIO).await;
    peer.say(&format!("{START}\n< 3\n< 4\n< 7")).await;
    let mut said = Vec::new();
    loop {
        match peer.next().await {
            Message::Text(text) => said.extend(text.as_str().lines().map(str::to_owned)),
            Message::Close(frame) => break assert_eq!(u16::from(frame.unwrap().code), 1000),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(said, ["> 2", "> 5", "> 5"]);
}

#[tokio::test]
async fn server_that_speaks_first_waits_for_the_first_message() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(&format!("{SLOW}?greets=hello&engine=quick")).await;
    host.until("kibitz_sockets 1").await;
    assert!(host.counts("kibitz_dialogue_lines_total 0"));
    peer.say("# here I am").await;
    assert_eq!(peer.hear().await, "> hello");
}

#[tokio::test]
async fn silence_is_measured_by_the_server() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(&format!("{SLOW}?pause_ms=30&engine=quick")).await;
    peer.say("# here I am").await;
    assert_eq!(peer.hear().await, "> anybody there?");
}

#[tokio::test]
async fn wrong_dialogue_gets_an_error_and_is_closed() {
    let host = TestServer::start(&[]).await;
    for (text, part) in [
        ("what?", "begins with"),
        ("> 5", "nothing was to be said"),
        (&format!("{START}\n> {}", "9".repeat(500)), "entry 2"),
    ] {
        let mut peer = host.dial(STDIO).await;
        peer.say(text).await;
        let remark = peer.hear().await;
        assert!(remark.starts_with("# error: ") && remark.contains(part), "{remark}");
        let (code, reason) = peer.closed().await;
        assert_eq!(code, 4400);
        assert!(reason.len() <= 120 && remark.contains(&reason), "{reason}");
    }
    let mut peer = host.dial(STDIO).await;
    peer.socket.send(Message::binary(vec![0])).await.unwrap();
    assert_eq!(peer.closed().await.0, 1003);
    let mut peer = host.dial(SLOW).await;
    peer.say("< panic").await;
    assert!(!peer.hear().await.contains("panic"));
    assert_eq!(peer.closed().await.0, 1011);
}

/// A referee that contradicts our rules never ends a dialogue: it goes on with a warning.
#[tokio::test]
async fn contradictions_are_reported_and_the_dialogue_goes_on() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(STDIO).await;
    peer.say(&format!("{START}\n> 2\n< 2")).await;
    let heard = peer.hear().await;
    let lines: Vec<&str> = heard.lines().collect();
    assert!(lines[0].starts_with("# warning entry 3 of the dialogue: the opponent cannot play 2"), "{heard}");
    // The engine's answer may come in a message of its own.
    let answer = if lines.len() > 1 { lines[1].to_owned() } else { peer.hear().await };
    assert!(answer.starts_with("> "), "{answer}");
    let answer = host.post_text("/v1/games/ioiwari/move", &format!("{START}\n> 2\n< 2\n")).await;
    assert_eq!(answer.status, 200);
    let remark = answer.header("kibitz-remark");
    assert!(remark.starts_with("entry 3 of the dialogue: the opponent cannot play 2"), "{remark}");
    // The real dialogues in which a bot died: the next command comes.
    for transcript in [
        include_str!("../../../engines/src/games/buraco/golden/card-listed-twice-1.dialogue"),
        include_str!("../../../engines/src/games/buraco/golden/card-listed-twice-2.dialogue"),
    ] {
        let answer = host.post_text("/v1/games/buraco/move?nodes=500", transcript).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let command = answer.text();
        assert!(["GET_", "MELD_", "DISCARD"].iter().any(|c| command.starts_with(c)), "{command}");
        assert!(answer.header("kibitz-remark").contains("2%E2%99%A5"), "the card is named, percent-encoded");
    }
}

/// An answer that is no decision for the position in the text says so.
#[tokio::test]
async fn repaired_and_unreadable_positions_are_reported() {
    let host = TestServer::start(&[]).await;
    let text = "2 1\n1\n4 4 4 4 4 5\n36 1 2 3 4\n26 41 42 43 44\n16 71 72 73 74\n3 1 2 3\n0 0 0 0 0 0\n0\n0\n0\n\
                0 0 0 0 0 0\n0\n0\n0\n";
    let path = "/v1/games/splendor/move?nodes=20";
    assert_eq!(host.post_text(path, text).await.header("kibitz-remark"), "");
    for (wrong, action, remark) in [
        (text.replace("36 1", "35 1"), "", "the position was repaired"),
        (text.replace("36 1", "36 91"), "1 0\n", "the bot passes, without a decision"),
        (text[..60].to_owned(), "1 0\n", "the bot passes, without a decision"),
    ] {
        let answer = host.post_text(path, &wrong).await;
        let mut remarks =
            answer.headers.get_all("kibitz-remark").iter().map(|remark| remark.to_str().unwrap());
        assert!(answer.status == 200 && answer.text().contains(action), "{answer:?}");
        assert!(remarks.any(|said| said.contains(remark)), "{answer:?}");
    }
    let repaired =
        host.post_text("/v1/games/splendor/official-position", &text.replace("36 1", "35 1")).await.json();
    assert!(repaired["remarks"].to_string().contains("the position was repaired"), "{repaired}");
}

#[tokio::test]
async fn failed_engine_is_asked_once_more() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(&format!("{SLOW}?engine=stumbles")).await;
    peer.say(START).await;
    assert_eq!(peer.hear().await, "> 2");
    assert!(host.counts("kibitz_engine_panics_total 1"));
    let mut peer = host.dial(&format!("{SLOW}?engine=panics")).await;
    peer.say(START).await;
    assert!(peer.hear().await.starts_with("# error: the engine failed"));
    assert_eq!(peer.closed().await.0, 1011);
    assert!(host.counts("kibitz_engine_panics_total 3"));
}

#[tokio::test]
async fn search_stops_when_its_peer_disconnects() {
    let host = TestServer::start(&["--threads=1", LONG_THINKING]).await;
    let mut peer = host.dial(&format!("{SLOW}?think_ms={LONG}")).await;
    peer.say(START).await;
    host.until("kibitz_pool_running{lane=\"long\"} 1").await;
    drop(peer);
    host.until("kibitz_pool_running{lane=\"long\"} 0").await;
    assert!(host.counts("kibitz_pool_cancelled_total{lane=\"long\"} 1"));
    host.until("kibitz_sockets 0").await;
}

#[tokio::test]
async fn pings_are_answered_while_an_engine_thinks() {
    let host = TestServer::start(&[LONG_THINKING]).await;
    let mut peer = host.dial(&format!("{SLOW}?think_ms={LONG}")).await;
    peer.say(START).await;
    host.until("kibitz_pool_running{lane=\"long\"} 1").await;
    peer.socket.send(Message::Ping(vec![7].into())).await.unwrap();
    let pong = tokio::time::timeout(HANG, peer.socket.next()).await.unwrap().unwrap().unwrap();
    assert_eq!(pong, Message::Pong(vec![7].into()));
    assert!(host.counts("kibitz_pool_running{lane=\"long\"} 1"), "still thinking");
}

#[tokio::test]
async fn move_sent_by_the_peer_ends_the_search() {
    let host = TestServer::start(&[LONG_THINKING]).await;
    let mut peer = host.dial(&format!("{SLOW}?think_ms={LONG}")).await;
    peer.say(START).await;
    host.until("kibitz_pool_running{lane=\"long\"} 1").await;
    peer.say("> 2").await;
    host.until("kibitz_pool_running{lane=\"long\"} 0").await;
}

#[tokio::test]
async fn early_lines_wait_within_bounds() {
    let host = TestServer::start(&[LONG_THINKING]).await;
    for flood in ["< 1\n".repeat(100_001), format!("< {}", "1".repeat(2 << 20))] {
        let mut peer = host.dial(&format!("{SLOW}?think_ms={LONG}")).await;
        peer.say(START).await;
        peer.say(&flood).await;
        // The server may close before it has read the rest.
        let _ = peer.socket.send(Message::text(flood.clone())).await;
        let _ = peer.socket.send(Message::text(flood)).await;
        assert_eq!(peer.closed().await.0, 4413);
    }
    let mut peer = host.dial(STDIO).await;
    let _ = peer.socket.send(Message::text("# ".repeat(9 << 20))).await;
    assert_eq!(peer.closed().await.0, 4413);
}

#[tokio::test]
async fn long_transcripts_are_accepted() {
    let host = TestServer::start(&[]).await;
    let mut peer = host.dial(STDIO).await;
    peer.say(&format!("{}{START}", "# again\n".repeat(400_000))).await;
    assert_eq!(peer.hear().await, "> 2");
}

#[tokio::test]
async fn silent_peers_are_pinged_and_closed() {
    let (ping_after, gone_after) = (Duration::from_millis(50), Duration::from_millis(600));
    let timeouts = ConnectionTimeouts { ping_after, gone_after, ..ConnectionTimeouts::default() };
    let host = TestServer::with_timeouts(&[], timeouts).await;
    // A peer that reads answers pings by itself.
    let mut well = host.dial(STDIO).await;
    let ping = tokio::time::timeout(HANG, well.socket.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(ping, Message::Ping(_)), "{ping:?}");
    drop(well);
    // A peer that does not answer is closed, and its place is free again.
    let silent = host.dial(STDIO).await;
    host.until("kibitz_sockets 0").await;
    drop(silent);
}

#[tokio::test]
async fn number_of_sockets_is_limited() {
    let host = TestServer::start(&["--max-sockets=2", "--max-sockets-per-address=2"]).await;
    let first = host.dial(STDIO).await;
    let _second = host.dial(STDIO).await;
    let refused = host.try_dial(STDIO).await.err().unwrap();
    assert!(refused.to_string().contains("503"), "{refused}");
    drop(first);
    host.until("kibitz_sockets 1").await;
    let again = async {
        while host.try_dial(STDIO).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG, again).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_opened_is_a_problem() {
    let host = TestServer::start(&[]).await;
    let plain = host.get(STDIO).await;
    plain.problem(426, "upgrade_required");
    assert_eq!(plain.header("upgrade"), "websocket");
    let refused = host.try_dial("/v1/games/chess/stdio").await.err().unwrap();
    assert!(refused.to_string().contains("404"), "{refused}");
}
