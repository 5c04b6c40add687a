//! Matches between engines alone: they play themselves to the end, in every game, even if an engine panics or hangs.

use engines::game::Seat;
use engines::games::GAMES;
use engines::search::Level;
use kibitz::domain::token;
use kibitz::matches::event::Event;
use kibitz::matches::request::NewSeat;
use serde_json::Value;

use super::{Spectator, anonymous, engine, free, json, order, page};
use crate::client::TestServer;

#[tokio::test]
async fn engines_play_whole_matches_of_every_game_and_number_of_seats() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    for game in GAMES {
        let info = game.info();
        for seats in info.min_seats..=info.max_seats {
            let wanted = order(info.slug, (0..seats).map(|_| engine(None)).collect());
            let id = matches.create(wanted, anonymous(), None, free()).await.unwrap().id;
            let events = Spectator::of(matches, &id, anonymous()).await.until_the_end().await;
            assert_eq!(events[0]["type"], "started", "{}", info.slug);
            let ended = events.last().unwrap();
            assert_eq!(ended["how"], "played", "{} {ended}", info.slug);
            assert_eq!(ended["result"]["ranks"].as_array().unwrap().len(), usize::from(seats));
            let moves: Vec<&Value> = events.iter().filter(|e| e["type"] == "moved").collect();
            assert!((0..).zip(&moves).all(|(ply, mv)| mv["ply"] == ply), "{}", info.slug);

            // Read again after the match was unloaded: the same.
            let again = Spectator::of(matches, &id, anonymous()).await.until_the_end().await;
            assert_eq!(again, events, "{}", info.slug);
            let page = page(matches, &id, anonymous()).await;
            assert_eq!((&page["stage"], &page["result"]), (&Value::from("over"), &ended["result"]));
            assert_eq!((&page["seed"], &page["salt"]), (&ended["seed"], &ended["salt"]));
            assert_eq!(page["ply"], moves.len());
            assert_eq!(page["position"], ended["position"]);

            let log = matches.log(&id, anonymous()).await.unwrap();
            let Event::Created(created) = &log[0].event else { panic!("{log:?}") };
            let salt = token::unhex(&created.salt).unwrap();
            assert_eq!(page["commitment"], token::commitment(&salt, &created.seed));
            let dealt = game.deal(&created.options, &created.seed).unwrap();
            assert_eq!(dealt.state_json(), created.state);
        }
    }
}

#[tokio::test]
async fn engines_that_panic_stumble_and_hang_stop_no_match() {
    let host = TestServer::start(&["--threads=4"]).await;
    let matches = host.server.matches();
    for broken in ["panics", "stumbles", "deaf"] {
        // The one that searches for as long as it may comes next, before those that only look up.
        let short = |name: &str| NewSeat::Engine {
            engine: Some(name.to_owned()),
            level: Level::Max,
            think_ms: Some(20),
            nodes: None,
        };
        let wanted = order("slow", vec![short(broken), engine(Some("quick"))]);
        let id = matches.create(wanted, anonymous(), None, free()).await.unwrap().id;
        let mut spectator = Spectator::of(matches, &id, anonymous()).await;
        // Each move of a hanging engine takes a timeout, so one is enough.
        let moves = if broken == "deaf" { 1 } else { 5 };
        for ply in 0..moves {
            assert_eq!(spectator.until("moved").await["ply"], ply, "{broken}");
        }
    }
}

#[tokio::test]
async fn engine_moves_within_its_clock() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let patient = NewSeat::Engine {
        engine: Some("patient".to_owned()),
        level: Level::Max,
        think_ms: Some(30_000),
        nodes: None,
    };
    let clock = super::per_move(3_000);
    let wanted =
        kibitz::matches::request::NewMatch { clock, ..order("slow", vec![patient, engine(Some("quick"))]) };
    let id = matches.create(wanted, anonymous(), None, free()).await.unwrap().id;
    let mut spectator = Spectator::of(matches, &id, anonymous()).await;
    let moved = spectator.until("moved").await;
    assert_eq!(moved["seat"], 0);
    let think_us = moved["times"]["think_us"].as_u64().unwrap();
    assert!(think_us >= 1_500_000, "it used its time: {moved}");
    assert_eq!(json(&spectator.page)["seats"][Seat(0).index()]["engine"]["think_ms"], 30_000);
}
