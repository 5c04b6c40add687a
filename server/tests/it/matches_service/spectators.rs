//! Spectators and failing games do not disturb other matches.

use std::sync::atomic::Ordering;

use kibitz::error::Code;
use kibitz::matches::request::{NewSeat, SeatAction};
use tokio::sync::broadcast::error::RecvError;

use super::{Spectator, anonymous, free, json, me, order, page, play, seated, two_guests};
use crate::client::TestServer;
use crate::test_game::PANICS;

const GAME: &str = "ioiwari";

#[tokio::test]
async fn slow_reader_is_closed_and_the_others_miss_nothing() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let seats = vec![me(), NewSeat::Open, NewSeat::Open];
    let made = matches.create(order("splendor", seats), anonymous(), None, free()).await.unwrap();
    let id = &made.id;
    let mut behind = matches.watch(id, anonymous(), None).await.unwrap().live.unwrap();
    let mut ahead = Spectator::of(matches, id, &seated(&made)).await;
    for _ in 0..150 {
        let guest = seated(&matches.join(id, None, None, anonymous(), None).await.unwrap());
        matches.act(id, &guest, SeatAction::Leave).await.unwrap();
        assert_eq!(ahead.next().await.unwrap()["type"], "joined");
        assert_eq!(ahead.next().await.unwrap()["type"], "left");
    }
    assert!(matches!(behind.recv().await, Err(RecvError::Lagged(_))));
    // It comes back where it was and has all of it.
    assert_eq!(Spectator::after(matches, id, anonymous(), 40).await.seen.len(), 300 - 40);
}

#[tokio::test]
async fn viewers_come_at_any_time_and_miss_nothing() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let seats = vec![super::engine(None), super::engine(None), super::engine(None)];
    let id = matches.create(order("splendor", seats), anonymous(), None, free()).await.unwrap().id;
    let whole = Spectator::of(matches, &id, anonymous()).await;
    let mut later = Vec::new();
    for since in 0.. {
        let Ok(watch) = matches.watch(&id, anonymous(), Some(since)).await else { break };
        let over = json(&watch.page)["stage"] == "over";
        later.push(Spectator::after(matches, &id, anonymous(), since).await);
        if over || since > 60 {
            break;
        }
        tokio::task::yield_now().await;
    }
    let whole = whole.until_the_end().await;
    for spectator in later {
        let since = spectator.seen.first().map_or(0, |f| f.seq.unwrap()) as usize;
        let seen = spectator.until_the_end().await;
        assert_eq!(seen, whole[whole.len() - seen.len()..], "from {since} on");
    }
    let beyond = matches.watch(&id, anonymous(), Some(u32::MAX)).await.err().unwrap();
    assert_eq!(beyond.code(), Code::BadQuery);
}

#[tokio::test]
async fn panicking_game_harms_only_its_own_match_and_not_for_long() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    // A panic during a command is reported to its sender, and the match goes on.
    let (id, first, _) = two_guests(matches, order("slow", Vec::new())).await;
    let mut spectator = Spectator::of(matches, &id, anonymous()).await;
    assert_eq!(matches.act(&id, &first, play(0, "panic")).await.unwrap_err().code(), Code::Internal);
    matches.act(&id, &first, play(0, "1")).await.unwrap();
    assert_eq!(spectator.until("moved").await["ply"], 0);

    // A panic while the match is rendered: its task ends, and the next request finds the match unchanged.
    let (id, first, second) = two_guests(matches, order("panicking", Vec::new())).await;
    matches.act(&id, &first, play(0, "1")).await.unwrap();
    let before = page(matches, &id, &second).await;
    PANICS.store(1, Ordering::SeqCst);
    assert_eq!(matches.page(&id, &second).await.unwrap_err().code(), Code::Internal);
    let after = page(matches, &id, &second).await;
    assert_eq!((&before["position"], &before["seq"]), (&after["position"], &after["seq"]));
    matches.act(&id, &second, play(1, "2")).await.unwrap();

    // After repeated panics the match is paused, and others are not affected.
    PANICS.store(usize::MAX, Ordering::SeqCst);
    for _ in 0..5 {
        assert_eq!(matches.page(&id, &second).await.unwrap_err().code(), Code::Internal);
    }
    let tried = usize::MAX - PANICS.load(Ordering::SeqCst);
    assert!(tried < 5, "it rests after {tried}");
    assert!(host.counts("kibitz_live_matches{game=\"panicking\",stage=\"running\"} 0"));
    let (other, first, _) = two_guests(matches, order(GAME, Vec::new())).await;
    matches.act(&other, &first, play(0, "1")).await.unwrap();
    assert_eq!(host.get("/healthz").await.status, 200);
}
