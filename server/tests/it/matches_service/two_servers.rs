//! Two servers on one file: the log decides, nothing is lost and nothing happens twice, from the view of either.

use kibitz::domain::MatchId;
use kibitz::error::Code;
use kibitz::matches::ledger::Caller;
use kibitz::matches::request::SeatAction;
use kibitz::matches::service::Matches;
use serde_json::Value;
use tempfile::TempDir;

use super::{Spectator, anonymous, engine, free, me, order, page, play, seated, two_guests};
use crate::client::TestServer;

const GAME: &str = "ioiwari";

async fn both() -> (TempDir, TestServer, TestServer) {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let (a, b) = (TestServer::on(&database, &[]).await, TestServer::on(&database, &[]).await);
    (folder, a, b)
}

/// Plays the first legal move if it is this seat's turn; returns whether the match is over.
async fn step(matches: &Matches, id: &MatchId, caller: &Caller) -> bool {
    let now = page(matches, id, caller).await;
    if now["stage"] == "over" {
        return true;
    }
    if let Some(mv) = now["legal_moves"].as_array().unwrap().first() {
        let act = play(now["ply"].as_u64().unwrap(), mv["notation"].as_str().unwrap());
        match matches.act(id, caller, act).await {
            Ok(_) => {}
            Err(e) => {
                assert!(matches!(e.code(), Code::StalePly | Code::NotYourTurn | Code::MatchOver), "{e}")
            }
        }
    }
    tokio::task::yield_now().await;
    false
}

#[tokio::test]
async fn players_at_different_servers_play_one_match() {
    let (_folder, a, b) = both().await;
    let (a, b) = (a.server.matches(), b.server.matches());
    let (id, first, second) = two_guests(a, order(GAME, Vec::new())).await;
    let (here, there) = (Spectator::of(a, &id, anonymous()).await, Spectator::of(b, &id, anonymous()).await);
    tokio::join!(async { while !step(a, &id, &first).await {} }, async {
        while !step(b, &id, &second).await {}
    });
    let (here, there) = (here.until_the_end().await, there.until_the_end().await);
    assert_eq!(here, there);
    let plies: Vec<&Value> = here.iter().filter(|e| e["type"] == "moved").map(|e| &e["ply"]).collect();
    assert!((0..).zip(&plies).all(|(n, ply)| **ply == n), "{plies:?}");
}

#[tokio::test]
async fn move_sent_to_both_servers_is_made_once() {
    let (_folder, a, b) = both().await;
    let (a, b) = (a.server.matches(), b.server.matches());
    let (id, first, second) = two_guests(a, order(GAME, Vec::new())).await;
    let there = Spectator::of(b, &id, anonymous()).await;
    loop {
        let now = page(a, &id, &first).await;
        if now["stage"] == "over" {
            break;
        }
        let (ply, mover) = (now["ply"].as_u64().unwrap(), if now["turn"] == 0 { &first } else { &second });
        let view = page(a, &id, mover).await;
        let moves = view["legal_moves"].as_array().unwrap();
        let notation = |n: usize| moves[n % moves.len()]["notation"].as_str().unwrap();
        // Two different moves if the position has two, otherwise the same move twice.
        let (here, there) = tokio::join!(
            a.act(&id, mover, play(ply, notation(0))),
            b.act(&id, mover, play(ply, notation(1)))
        );
        if notation(0) == notation(1) {
            assert_eq!(here.unwrap(), there.unwrap());
            continue;
        }
        let refused: Vec<Code> =
            [&here, &there].into_iter().filter_map(|r| r.as_ref().err()).map(|e| e.code()).collect();
        assert_eq!(refused.len(), 1, "{here:?} {there:?}");
        assert!(matches!(refused[0], Code::StalePly | Code::MatchOver), "{refused:?}");
    }
    let there = there.until_the_end().await;
    assert_eq!(Spectator::of(a, &id, anonymous()).await.until_the_end().await, there);
}

#[tokio::test]
async fn engines_of_both_play_one_match() {
    let (_folder, a, b) = both().await;
    let (a, b) = (a.server.matches(), b.server.matches());
    let made =
        a.create(order("azul", vec![engine(None), engine(None)]), anonymous(), None, free()).await.unwrap();
    let there = Spectator::of(b, &made.id, anonymous()).await;
    let here = Spectator::of(a, &made.id, anonymous()).await;
    assert_eq!(here.until_the_end().await, there.until_the_end().await);
}

#[tokio::test]
async fn another_server_continues_where_one_stops() {
    let (_folder, a, b) = both().await;
    let made = a
        .server
        .matches()
        .create(order(GAME, vec![engine(None), me()]), anonymous(), None, free())
        .await
        .unwrap();
    let (id, guest) = (made.id.clone(), seated(&made));
    a.server.matches().act(&id, &guest, SeatAction::Abort).await.ok();
    let made = a.server.matches().create(
        order("splendor", vec![engine(None), engine(None)]),
        anonymous(),
        None,
        free(),
    );
    let id = made.await.unwrap().id;
    a.server.stop().await;
    // The other server loads the match without a request.
    b.until("kibitz_matches_ended_total{game=\"splendor\",how=\"played\"} 1").await;
    assert_eq!(page(b.server.matches(), &id, anonymous()).await["stage"], "over");
}
