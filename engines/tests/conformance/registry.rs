//! Runs the conformance suite for every registered game, in parallel: random matches, views, moves, guesses, dialogues.

use engines::games::GAMES;

/// Matches per game and variant. The environment variable `KIBITZ_CONFORMANCE_SEEDS` overrides the default.
fn seeds() -> u64 {
    std::env::var("KIBITZ_CONFORMANCE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

#[test]
fn every_game_conforms() {
    std::thread::scope(|scope| {
        for game in GAMES {
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
