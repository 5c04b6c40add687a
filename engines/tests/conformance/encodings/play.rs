//! Matches that are played by index, and what is refused.

use engines::erased::{AnyTable, Position, RefusalCode};
use engines::game::{Seat, Turn, Viewer};
use engines::rng::{Rng, Seed};

use super::encoded_games;

/// The indices of the legal actions.
fn legal(view: &dyn Position) -> Vec<u32> {
    (0..).zip(view.action_mask().unwrap()).filter_map(|(index, legal)| legal.then_some(index)).collect()
}

/// What all viewers see as numbers.
fn observations(table: &dyn AnyTable) -> Vec<Vec<i16>> {
    let viewers = (0..table.seats()).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator]);
    viewers.map(|viewer| table.view(viewer).observe().unwrap()).collect()
}

#[test]
fn match_played_by_index_is_the_same_as_by_notation() {
    for (game, _) in encoded_games() {
        let info = game.info();
        for seats in info.min_seats..=info.max_seats {
            let options = game.options_for(seats).unwrap();
            let mut rng = Rng::stream(&Seed::from(8), u64::from(seats));
            let mut by_index = game.deal(&options, &Seed::from(8)).unwrap();
            let mut by_notation = game.deal(&options, &Seed::from(8)).unwrap();
            while let Turn::Of(seat) = by_index.turn() {
                let view = by_index.view(Viewer::Seat(seat));
                let mut indices = legal(view.as_ref());
                let moves = view.legal_moves();
                assert_eq!(indices.len(), moves.len(), "{}", info.slug);
                for mv in moves.iter().step_by(1 + moves.len() / 16) {
                    let index = view.action_index(&mv.notation).unwrap();
                    assert!(indices.contains(&index), "{}: {}", info.slug, mv.notation);
                    assert_eq!(view.action(index).as_ref(), Ok(mv), "{}", info.slug);
                }
                let index = indices.swap_remove(rng.below(indices.len()));
                by_notation.play(seat, &view.action(index).unwrap().notation).unwrap();
                by_index.play_action(seat, index).unwrap();
                assert_eq!(observations(by_index.as_ref()), observations(by_notation.as_ref()));
            }
            assert_eq!(by_index.state_json(), by_notation.state_json(), "{}", info.slug);
            assert_eq!(by_index.outcome(), by_notation.outcome(), "{}", info.slug);
        }
    }
}

#[test]
fn actions_out_of_turn_or_beyond_the_end_are_refused() {
    for (game, encoding) in encoded_games() {
        let info = game.info();
        let beyond = encoding.action_count() as u32;
        let options = game.options_for(info.max_seats).unwrap();
        let mut table = game.deal(&options, &Seed::from(9)).unwrap();
        let mut rng = Rng::new(&Seed::from(9));
        while let Turn::Of(seat) = table.turn() {
            let view = table.view(Viewer::Seat(seat));
            let indices = legal(view.as_ref());
            let before = table.state_json();
            // At the start of Ioiwari every action is legal.
            let masked = (0..beyond).find(|index| !indices.contains(index));
            let masked = masked.map(|index| (index, RefusalCode::IllegalMove));
            for (index, code) in masked.into_iter().chain([(beyond, RefusalCode::BadMove)]) {
                assert_eq!(view.action(index).unwrap_err().code, code, "{}", info.slug);
                assert_eq!(table.play_action(seat, index).unwrap_err().code, code, "{}", info.slug);
            }
            let other = Seat((seat.0 + 1) % info.max_seats);
            for viewer in [Viewer::Seat(other), Viewer::Spectator] {
                let refused = table.view(viewer).action(indices[0]).unwrap_err();
                assert_eq!(refused.code, RefusalCode::NotYourTurn, "{}", info.slug);
                assert!(legal(table.view(viewer).as_ref()).is_empty(), "{}", info.slug);
            }
            let refused = table.play_action(other, indices[0]).unwrap_err();
            assert_eq!(refused.code, RefusalCode::NotYourTurn, "{}", info.slug);
            assert_eq!(table.state_json(), before, "{}: a refusal changed the match", info.slug);
            table.play_action(seat, indices[rng.below(indices.len())]).unwrap();
        }
        let view = table.view(Viewer::Seat(Seat(0)));
        assert_eq!(view.action(0).unwrap_err().code, RefusalCode::MatchOver, "{}", info.slug);
        assert_eq!(table.play_action(Seat(0), 0).unwrap_err().code, RefusalCode::MatchOver, "{}", info.slug);
        assert!(legal(view.as_ref()).is_empty(), "{}", info.slug);
    }
}
