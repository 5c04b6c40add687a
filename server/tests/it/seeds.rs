//! A seed and a node budget decide a move: in every game the same, whether the position comes as JSON or as official text.

use std::time::Duration;

use engines::erased::{AnyGame, Awaits};
use engines::game::{Process, Seat, Turn, Viewer};
use engines::games::GAMES;
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;
use serde_json::{Value, json};

use crate::server_process::ServerProcess;

/// Decisions of each game.
const DECISIONS: usize = 6;

/// The most steps of both sides until these decisions.
const MOST_STEPS: usize = 1000;

#[test]
fn position_and_its_official_text_get_the_same_move_in_every_game() {
    let server = ServerProcess::start(&[]);
    for game in GAMES {
        let slug = game.info().slug;
        if game.info().bot_seats.is_empty() {
            continue;
        }
        let url = |what: &str| format!("{}/v1/games/{slug}/{what}", server.url());
        let post = |what: &str, media: &str, body: &str| {
            let answer = ureq::post(url(what)).content_type(media).send(body).unwrap();
            answer.into_body().read_to_string().unwrap()
        };
        let mut decided = 0;
        play(*game, &mut |transcript| {
            let seed = 5 + decided;
            let lines = post(&format!("move?nodes=60&seed={seed}"), "text/plain", transcript);
            let read: Value =
                serde_json::from_str(&post("official-position", "text/plain", transcript)).unwrap();
            let request = json!({ "position": read["position"], "nodes": 60, "seed": seed });
            let answer: Value =
                serde_json::from_str(&post("move", "application/json", &request.to_string())).unwrap();
            assert_eq!(answer["seed"], seed, "the answer names the caller's seed");
            assert_eq!(lines.lines().next(), answer["notation"].as_str(), "{slug}: {transcript}");
            decided += 1;
            decided < DECISIONS
        });
        assert_eq!(decided, DECISIONS, "{slug}");
    }
}

/// Plays a match in which the moves follow no plan. `decides` gets the transcript at each decision of the bot, and says
/// whether to go on.
fn play(game: &dyn AnyGame, decides: &mut dyn FnMut(&str) -> bool) {
    let seat = Seat(game.info().bot_seats[0]);
    let per_move = game.info().process == Process::PerMove;
    let start = || game.session(&Settings::default()).unwrap();
    let mut table = game.deal(&json!({}), &Seed::from(3)).unwrap();
    table.seat_bot(seat, &Settings::default()).unwrap();
    let (mut session, mut entries, mut prompted) = (start(), Vec::new(), None);
    for _ in 0..MOST_STEPS {
        let Turn::Of(mover) = table.turn() else { return };
        let ply = table.ply();
        for line in session.take_lines() {
            entries.push(Entry::Printed(line.clone()));
            if let Some(mv) = table.hear(seat, &line).unwrap() {
                table.play(seat, &mv).unwrap();
            }
        }
        if table.ply() != ply {
            if per_move {
                (session, entries) = (start(), Vec::new());
            }
            continue;
        }
        if mover == seat && prompted != Some(ply) {
            table.prompt(seat, Some(Duration::from_secs(30)));
            prompted = Some(ply);
        }
        let mut read: Vec<Entry> = table.take_lines(seat).into_iter().map(Entry::Read).collect();
        if mover != seat {
            let moves = table.view(Viewer::Seat(mover)).legal_moves();
            table.play(mover, &moves[ply as usize % moves.len()].notation).unwrap();
        } else if per_move && !read.is_empty() {
            read.push(Entry::End);
        }
        entries.extend(read.iter().cloned());
        session.push(read);
        match session.advance().unwrap() {
            Awaits::Decision(question) => {
                let transcript: Vec<String> = entries.iter().map(Entry::to_string).collect();
                if !decides(&transcript.join("\n")) {
                    return;
                }
                let moves = question.position.legal_moves();
                session.decide(&moves[ply as usize % moves.len()].notation).unwrap();
            }
            Awaits::EntryWithin(_) => drop(session.silence()),
            Awaits::Entry | Awaits::Nothing => {}
        }
    }
    panic!("{}: the dialogue stands still: {entries:?}", game.info().slug);
}
