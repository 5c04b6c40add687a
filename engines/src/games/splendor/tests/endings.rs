//! Tests of nobles, void actions and the end of a match.

use super::*;

/// A state in which seat 0 meets nobles 1 and 4: four cards of each colour that they need.
fn due_twice() -> State {
    let mut state = table(2);
    state.board.nobles = vec![4, 3, 1];
    let of = |colors: [u8; 4]| -> Vec<u8> {
        let cards = cards().filter(|c| c.level == 0 && c.id > 4);
        let mut all: Vec<u8> = Vec::new();
        for color in colors {
            all.extend(cards.clone().filter(|c| c.bonus == color).take(4).map(|c| c.id));
        }
        all
    };
    give(&mut state, 0, [0; 6], &of([0, 1, 3, 4]));
    state.board.face_up[0] = state.board.face_up[0].map(|id| id.min(4));
    state.audit().unwrap();
    state
}

#[test]
fn one_noble_per_turn_comes_after_any_valid_action_in_table_order() {
    assert_eq!((noble(1).needs, noble(4).needs), ([4, 4, 0, 0, 0], [0, 0, 0, 4, 4]));
    let mut state = due_twice();
    play(&mut state, "1 0");
    assert_eq!((&state.board.hands[0].nobles[..], &state.board.nobles[..]), (&[4][..], &[3, 1][..]));
    play(&mut state, "1 0");
    assert!(state.board.hands[1].nobles.is_empty());
    play(&mut state, "1 1 0");
    assert_eq!(state.board.hands[0].nobles, [4, 1]);
    assert_eq!(state.board.hands[0].points(), 4 + 3 + 3, "four of the cards are worth a point");
}

#[test]
fn void_action_passes_the_turn_and_leaves_the_noble() {
    let mut state = due_twice();
    let Foul::Play(mv) = Splendor::foul(&state, Seat(0), "") else { panic!("a foul is a pass") };
    assert_eq!(mv.to_string(), "0");
    let before = state.board.hands[0].clone();
    let mut table = Table::<Splendor>::new(state.clone());
    assert_eq!(table.foul(Seat(0), "late"), Ok(Some(Move::Void)));
    assert_eq!(table.state().board.hands[0], before);
    assert_eq!(table.turn(), Turn::Of(Seat(1)));
    // If no noble is due, a void action equals an explicit pass, and only the pass is listed.
    assert!(refused(table.state(), "0"));
    assert_eq!(table.foul(Seat(1), "late"), Ok(Some(Move::PASS)));
    play(&mut state, "0");
    assert_eq!(state.board.nobles, [4, 3, 1]);
}

#[test]
fn match_ends_only_after_a_full_round() {
    let mut state = table(2);
    state.board.nobles = vec![8, 9, 10];
    // Cards of level 3 worth 4 and 5 points.
    let worth = |points: u8, n: usize| -> Vec<u8> {
        cards().filter(|c| c.points == points && c.id > 74).take(n).map(|c| c.id).collect()
    };
    give(&mut state, 0, [0; 6], &worth(5, 3));
    give(&mut state, 1, [0; 6], &worth(4, 3));
    state.board.to_move = Seat(1);
    state.audit().unwrap();
    assert_eq!((state.turn(), state.outcome()), (Turn::Of(Seat(1)), None));
    play(&mut state, "1 0");
    assert_eq!(state.turn(), Turn::Over);
    let outcome = state.outcome().unwrap();
    assert_eq!((outcome.points, outcome.ranks), (vec![15, 12], vec![1, 2]));
    let mut all = Vec::new();
    state.view(Viewer::Seat(Seat(0))).legal(&mut all);
    assert!(all.is_empty(), "a finished match has no moves");
}

#[test]
fn fewer_cards_break_a_tie_and_no_seat_wins_below_fifteen() {
    let mut board = table(3).board;
    board.hands[0].cards = vec![77, 78, 79, 80, 81, 82];
    let points = |board: &Board| board.hands.iter().map(|h| h.points()).collect::<Vec<_>>();
    assert!(points(&board)[0] >= 15);
    board.hands[1] = board.hands[0].clone();
    assert_eq!(board.result().1, [1, 1, 3]);
    board.hands[1].cards.push(1);
    assert_eq!(board.result().1, [1, 2, 3]);
    board.hands[0].cards.truncate(2);
    board.hands[1].cards.truncate(2);
    assert!(points(&board).iter().all(|p| *p < 15));
    assert_eq!(board.result().1, [2, 2, 2]);
}

#[test]
fn hundred_rounds_end_a_match() {
    for players in 1..=4 {
        let mut state = table(players);
        for turn in 0..100 * u32::from(players) {
            assert_eq!(state.turn(), Turn::Of(Seat((turn % u32::from(players)) as u8)));
            play(&mut state, "1 0");
        }
        let view = state.view(Viewer::Seat(Seat(0)));
        let back: View = serde_json::from_value(serde_json::to_value(&view).unwrap()).unwrap();
        assert_eq!((&back, back.turn()), (&view, Turn::Over), "a finished position has a JSON form");
        let outcome = state.outcome().unwrap();
        assert_eq!(outcome.ranks, vec![2; usize::from(players)]);
        assert!((0..players).all(|seat| outcome.score(Seat(seat)) == 0.0));
    }
}
