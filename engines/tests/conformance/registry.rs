//! Runs the conformance suite for every registered game, in parallel: random matches, views, moves, guesses, dialogues.

use std::path::Path;

use engines::games::GAMES;
use serde_json::Value;

use crate::games_under_test;

/// Matches per game and variant. The environment variable `KIBITZ_CONFORMANCE_SEEDS` overrides the default.
fn seeds() -> u64 {
    std::env::var("KIBITZ_CONFORMANCE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

#[test]
fn every_game_conforms() {
    std::thread::scope(|scope| {
        for game in games_under_test() {
            scope.spawn(move || {
                (0..seeds()).for_each(|seed| game.check_conformance(seed).unwrap_or_else(|e| panic!("{e}")))
            });
        }
    });
}

#[test]
fn every_game_is_listed_once_with_its_engine_first() {
    for game in GAMES {
        let info = game.info();
        assert_eq!(GAMES.iter().filter(|g| g.info().slug == info.slug).count(), 1);
        assert!(info.slug.bytes().all(|b| b.is_ascii_lowercase()), "{}", info.slug);
        assert_eq!(game.engines()[0].name, info.slug, "the first engine has the game's name");
        assert!((1..=info.max_seats).contains(&info.min_seats));
    }
}

/// The pages of a game without a contest speak of none, and nothing about its bots is official: they hold every seat.
#[test]
fn game_without_a_contest_has_no_limits_and_bots_hold_its_seats() {
    for info in GAMES.iter().map(|game| game.info()).filter(|info| !info.has_contest()) {
        assert_eq!((info.move_limit, info.match_limit), (None, None), "{}", info.slug);
        assert!(info.bot_can_hold_all(info.max_seats.into(), false), "{}", info.slug);
    }
}

/// The pages learn from the texts of a game what a contest is like; `scripts/check-boards` asks the same question.
#[test]
fn texts_of_a_game_describe_its_contest() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games");
    for info in GAMES.iter().map(|game| game.info()) {
        let text = std::fs::read_to_string(games.join(info.slug).join("board/about.en.json")).unwrap();
        let about: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(about["harness"].is_object(), info.has_contest(), "{}", info.slug);
    }
}
