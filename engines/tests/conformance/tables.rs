//! Tests of type-erased tables, as a host uses them: a match can be replayed from the dealt state, a fork is independent,
//! and every number of seats has its options.

use engines::erased::{AnyGame, AnyTable, MoveInput, RefusalCode};
use engines::game::{Seat, Turn, Viewer};
use engines::rng::{Rng, Seed};
use serde_json::Value;

use crate::games_under_test;

/// The state of a table and all its views.
fn all_of(table: &dyn AnyTable) -> (Value, Vec<Value>, u32, Turn, Option<engines::game::Outcome>) {
    let seats = (0..table.seats()).map(|seat| Viewer::Seat(Seat(seat)));
    let views = seats.chain([Viewer::Spectator]).map(|viewer| table.view(viewer).to_json()).collect();
    (table.state_json(), views, table.ply(), table.turn(), table.outcome())
}

/// Calls `check` for every game with every number of seats.
fn every_table(mut check: impl FnMut(&'static dyn AnyGame, &Value, u8)) {
    for game in games_under_test() {
        let info = game.info();
        for seats in info.min_seats..=info.max_seats {
            let options =
                game.options_for(seats).unwrap_or_else(|| panic!("{}: no {seats} seats", info.slug));
            check(game, &options, seats);
        }
    }
}

fn some_move(table: &dyn AnyTable, seat: Seat, rng: &mut Rng) -> String {
    let mut moves = table.view(Viewer::Seat(seat)).legal_moves();
    moves.swap_remove(rng.below(moves.len())).notation
}

#[test]
fn options_exist_for_every_allowed_number_of_seats_only() {
    every_table(|game, options, seats| {
        assert_eq!(game.deal(options, &Seed::from(7)).unwrap().seats(), seats, "{}", game.info().slug);
    });
    for game in games_under_test() {
        let info = game.info();
        for seats in [0, info.min_seats - 1, info.max_seats + 1, 255] {
            assert_eq!(game.options_for(seats), None, "{} with {seats} seats", info.slug);
        }
    }
}

#[test]
fn games_of_perfect_information_show_the_same_to_everyone() {
    every_table(|game, options, seats| {
        if !game.info().perfect_information {
            return;
        }
        let mut table = game.deal(options, &Seed::from(5)).unwrap();
        let mut rng = Rng::stream(&Seed::from(5), u64::from(seats));
        while let Turn::Of(seat) = table.turn() {
            let (_, mut views, ..) = all_of(table.as_ref());
            views.iter_mut().for_each(|view| view["viewer"] = Value::Null);
            assert!(views.windows(2).all(|two| two[0] == two[1]), "{}: {views:?}", game.info().slug);
            let mv = some_move(table.as_ref(), seat, &mut rng);
            table.play(seat, &mv).unwrap();
        }
    });
}

#[test]
fn dealt_state_and_moves_reproduce_the_match() {
    every_table(|game, options, seats| {
        for seed in 0..3 {
            let mut table = game.deal(options, &Seed::from(seed)).unwrap();
            // Through text, as a store returns it.
            let stored = table.state_json().to_string();
            let mut again = game.restore(&serde_json::from_str(&stored).unwrap()).unwrap();
            let mut rng = Rng::stream(&Seed::from(seed), u64::from(seats));
            while let Turn::Of(seat) = table.turn() {
                if rng.below(8) == 0 {
                    assert_eq!(all_of(table.as_ref()), all_of(again.as_ref()), "{}", game.info().slug);
                }
                let mv = some_move(table.as_ref(), seat, &mut rng);
                table.play(seat, &mv).unwrap();
                again.play(seat, &mv).unwrap();
            }
            assert_eq!(all_of(table.as_ref()), all_of(again.as_ref()), "{}", game.info().slug);
        }
    });
}

#[test]
fn fork_is_equal_and_independent() {
    every_table(|game, options, seats| {
        let mut table = game.deal(options, &Seed::from(4)).unwrap();
        let mut rng = Rng::stream(&Seed::from(4), u64::from(seats));
        while let Turn::Of(seat) = table.turn() {
            let mv = some_move(table.as_ref(), seat, &mut rng);
            if rng.below(8) == 0 {
                let before = all_of(table.as_ref());
                let (mut ahead, mut punished) = (table.fork(), table.fork());
                assert_eq!(all_of(ahead.as_ref()), before);
                ahead.play(seat, &mv).unwrap();
                let instead = punished.foul(seat, "tried").unwrap();
                assert_eq!(all_of(table.as_ref()), before, "{}: a fork shares its state", game.info().slug);
                // The penalty is the returned move, or the end of the match.
                match instead {
                    Some(instead) => {
                        let mut played = table.fork();
                        played.play(seat, &instead).unwrap();
                        assert_eq!(all_of(played.as_ref()), all_of(punished.as_ref()));
                    }
                    None => assert!(punished.outcome().is_some_and(|end| end.reason == "tried")),
                }
                table.play(seat, &mv).unwrap();
                assert_eq!(all_of(ahead.as_ref()), all_of(table.as_ref()));
            } else {
                table.play(seat, &mv).unwrap();
            }
        }
    });
}

#[test]
fn move_has_one_text_in_every_form() {
    every_table(|game, options, seats| {
        let mut table = game.deal(options, &Seed::from(6)).unwrap();
        let mut rng = Rng::stream(&Seed::from(6), u64::from(seats));
        while let Turn::Of(seat) = table.turn() {
            let moves = table.view(Viewer::Seat(seat)).legal_moves();
            for mv in moves.iter().take(3) {
                assert_eq!(table.move_text(&mv.notation).as_ref(), Ok(mv), "{}", game.info().slug);
                let read = table.read(MoveInput::Json(&mv.mv)).unwrap();
                assert_eq!(&read.text, mv, "{}", game.info().slug);
            }
            table.play(seat, &moves[rng.below(moves.len())].notation).unwrap();
        }
        let long = table.move_text(&"x".repeat(100_000)).unwrap_err();
        assert!(
            long.code == RefusalCode::BadMove && long.detail.len() < 1_000,
            "{} bytes",
            long.detail.len()
        );
    });
}
