//! People against engines and each other.

use kibitz::error::Code;
use kibitz::matches::request::{NewSeat, SeatAction, SubmittedMove};
use std::time::Instant;

use super::{Spectator, anonymous, engine, free, json, me, order, page, play, seated};
use crate::client::TestServer;

#[tokio::test]
async fn guest_plays_an_engine_to_the_end() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let admission =
        matches.create(order("ioiwari", vec![me(), engine(None)]), anonymous(), None, free()).await.unwrap();
    let (id, guest) = (&admission.id, seated(&admission));
    let spectator = Spectator::of(matches, id, anonymous()).await;
    let mut mine = Spectator::of(matches, id, &guest).await;
    loop {
        let now = page(matches, id, &guest).await;
        assert_eq!(now["you"], 0);
        if now["stage"] == "over" {
            break;
        }
        if now["turn"] != 0 {
            mine.next().await;
            continue;
        }
        let (ply, mv) = (now["ply"].as_u64().unwrap(), &now["legal_moves"][0]);
        // As JSON, then as notation: the same answer, byte by byte.
        let wish = SubmittedMove::Json(mv["move"].clone());
        let first = SeatAction::Move { ply: ply as u32, mv: wish, arrived: Instant::now() };
        let answer = matches.act(id, &guest, first).await.unwrap();
        let again = matches.act(id, &guest, play(ply, mv["notation"].as_str().unwrap())).await.unwrap();
        assert_eq!(answer, again);
        let shown = json(&answer);
        assert_eq!((&shown["move"], &shown["notation"]), (&mv["move"], &mv["notation"]));
        assert_eq!(page(matches, id, anonymous()).await["you"], serde_json::Value::Null);
    }
    let (mine, theirs) = (mine.until_the_end().await, spectator.until_the_end().await);
    assert_eq!(mine.len(), theirs.len());
    let refused = matches.act(id, &guest, play(0, "9")).await.unwrap_err();
    assert_eq!(refused.code(), Code::MatchOver);
}

#[tokio::test]
async fn callers_may_do_only_what_their_seat_allows() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let seats = vec![me(), NewSeat::Open];
    let admission = matches.create(order("ioiwari", seats), anonymous(), None, free()).await.unwrap();
    let (id, first) = (&admission.id, seated(&admission));
    let code = |result: Result<_, kibitz::error::Error>| match result {
        Ok(_) => panic!("it was done"),
        Err(e) => e.code(),
    };
    assert_eq!(code(matches.act(id, &first, play(0, "1")).await), Code::NotStarted);
    assert_eq!(code(matches.act(id, anonymous(), play(0, "1")).await), Code::TokenNeeded);
    let joined = matches.join(id, None, Some("Bea".to_owned()), anonymous(), None).await.unwrap();
    let second = seated(&joined);
    assert_eq!(joined.seats[0].0.0, 1);
    let shown = page(matches, id, anonymous()).await;
    assert_eq!((&shown["stage"], &shown["seats"][1]["name"]), (&"running".into(), &"Bea".into()));
    assert_eq!(
        code(matches.join(id, None, None, anonymous(), None).await.map(|_| unreachable!())),
        Code::NoOpenSeat
    );
    assert_eq!(code(matches.act(id, &second, play(0, "1")).await), Code::NotYourTurn);
    assert_eq!(code(matches.act(id, &first, SeatAction::Leave).await), Code::Started);
    let stale = matches.act(id, &first, play(5, "1")).await.unwrap_err();
    assert_eq!(stale.code(), Code::StalePly);
    assert_eq!(code(matches.act(id, &first, play(0, "9")).await), Code::BadMove);
    let other =
        matches.create(order("ioiwari", vec![me(), NewSeat::Open]), anonymous(), None, free()).await.unwrap();
    assert_eq!(code(matches.act(id, &seated(&other), play(0, "1")).await), Code::BadToken);
    assert_eq!(code(matches.page(id, &seated(&other)).await), Code::BadToken);
    assert_eq!(code(matches.page(&kibitz::domain::MatchId::fresh(), anonymous()).await), Code::NoSuchMatch);
    matches.act(id, &first, play(0, "1")).await.unwrap();
    let ended = json(&matches.act(id, &second, SeatAction::Resign).await.unwrap());
    assert_eq!((&ended["type"], &ended["seat"]), (&"went_out".into(), &1.into()));
    let shown = page(matches, id, &first).await;
    assert_eq!(
        (&shown["ended"], &shown["result"]["ranks"]),
        (&"walkover".into(), &serde_json::json!([1, 2]))
    );
}

#[tokio::test]
async fn live_matches_are_counted_by_their_stage() {
    let host = TestServer::start(&["--unload-after-ms=1"]).await;
    let matches = host.server.matches();
    let counts = async |open: u32, running: u32| {
        for (stage, n) in [("open", open), ("running", running)] {
            host.until(&format!("kibitz_live_matches{{game=\"ioiwari\",stage=\"{stage}\"}} {n}")).await;
        }
    };
    let made =
        matches.create(order("ioiwari", vec![me(), NewSeat::Open]), anonymous(), None, free()).await.unwrap();
    let spectator = Spectator::of(matches, &made.id, anonymous()).await;
    host.until("kibitz_live_matches{game=\"ioiwari\",stage=\"open\"} 1").await;
    matches.join(&made.id, None, None, anonymous(), None).await.unwrap();
    counts(0, 1).await;
    // It leaves the memory, and comes back.
    drop(spectator);
    counts(0, 0).await;
    let spectator = Spectator::of(matches, &made.id, anonymous()).await;
    counts(0, 1).await;
    matches.act(&made.id, &seated(&made), SeatAction::Resign).await.unwrap();
    counts(0, 0).await;
    // A finished match is read without becoming live.
    page(matches, &made.id, anonymous()).await;
    assert!(!host.server.metrics().contains("stage=\"over\""));
    spectator.until_the_end().await;
}
