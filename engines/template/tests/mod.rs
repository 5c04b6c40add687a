//! Tests of Take-away: the rules, impossible positions, the dialogue of the second seat, and the engine.

use super::{Move, Options, TakeAway};
use crate::erased::adapter::ErasedGame;
use crate::game::{Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::protocol::Settings;
use crate::rng::Seed;
use crate::search::{Limits, Patient, Search};
use crate::search_kit::strength::score;

fn table(counters: u8) -> Table<TakeAway> {
    Table::new(TakeAway::deal(&Options { counters: Some(counters) }, &Seed::from(0)).unwrap())
}

#[test]
fn player_who_takes_the_last_counter_wins() {
    let mut table = table(15);
    for (ply, take) in [3, 3, 3, 3, 2, 1].into_iter().enumerate() {
        assert!(table.outcome().is_none());
        table.play(Seat(ply as u8 % 2), &Move { take }).unwrap();
    }
    let outcome = table.outcome().unwrap();
    assert_eq!((outcome.points, outcome.ranks), (vec![0, 1], vec![2, 1]));
}

#[test]
fn heap_has_fewer_moves_when_it_is_small() {
    let moves = |counters: u8| {
        let position = format!(r#"{{"counters":{counters},"to_move":1}}"#);
        let view: super::View = serde_json::from_str(&position).unwrap();
        let mut moves = Vec::new();
        view.legal(&mut moves);
        moves.iter().map(|mv| mv.take).collect::<Vec<_>>()
    };
    assert_eq!([24, 3, 2, 1, 0].map(|n| moves(n).len()), [3, 3, 2, 1, 0]);
    assert_eq!(moves(2), [1, 2]);
}

#[test]
fn illegal_moves_break_a_rule_in_words() {
    let rule = |counters: u8, take: u8| {
        let position = format!(r#"{{"counters":{counters},"to_move":1}}"#);
        TakeAway::broken_rule(&serde_json::from_str(&position).unwrap(), &Move { take })
    };
    assert_eq!([1, 2, 3].map(|take| rule(3, take)), [None, None, None]);
    assert_eq!(rule(2, 3).unwrap(), "the heap has only 2 left");
    assert_eq!(rule(9, 4).unwrap(), "a move takes 1 to 3 counters");
    assert_eq!(rule(9, 0).unwrap(), "a move takes 1 to 3 counters");
}

#[test]
fn impossible_positions_are_refused_with_the_field_name() {
    for (json, part) in [
        (r#"{"counters":25,"to_move":0}"#, "counters: a heap has at most 24"),
        (r#"{"counters":9,"to_move":2}"#, "to_move: there are seats 0 and 1"),
        (r#"{"counters":9,"to_move":0,"viewer":{"seat":5}}"#, "viewer: there are seats 0 and 1"),
        (r#"{"counters":9,"to_move":0,"more":1}"#, "unknown field `more`"),
    ] {
        let error = serde_json::from_str::<super::View>(json).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(TakeAway::deal(&Options { counters: Some(14) }, &Seed::from(0)).is_err());
}

#[test]
fn bot_in_the_second_seat_reads_the_first_move() {
    let mut referee = TakeAway::referee(Seat(1), &Settings::default()).unwrap();
    let (mut table, mut lines) = (table(21), Vec::new());
    referee.open(table.state(), &mut lines);
    let before = table.state().clone();
    table.play(Seat(0), &Move { take: 2 }).unwrap();
    referee.moved(&before, Seat(0), &Move { take: 2 }, table.state(), &mut lines);
    assert_eq!(lines, ["second", "21", "2"]);
    assert_eq!(referee.line(table.state(), "3"), Ok(Some(Move { take: 3 })));
}

/// A heap is lost for the player to move exactly if its counters are a multiple of four.
#[test]
fn engine_wins_every_heap_that_can_be_won() {
    for counters in 15..=24 {
        let mut table = table(counters);
        while let Turn::Of(seat) = table.turn() {
            let view = table.state().view(Viewer::Seat(seat));
            let decision =
                (TakeAway::engines()[0].make)().choose(&view, &mut Search::new(Limits::default(), &Patient));
            let lost = table.state().counters.is_multiple_of(4);
            assert_eq!(decision.value, if lost { 0.0 } else { 1.0 }, "{view:?}");
            table.play(seat, &decision.mv).unwrap();
        }
    }
}

#[test]
fn each_level_beats_the_one_below() {
    static GAME: ErasedGame<TakeAway> = ErasedGame::new();
    for (weak, strong) in [("easy", "medium"), ("medium", "hard"), ("hard", "max")] {
        let better = score(&GAME, &format!("engine:level={strong}"), &format!("engine:level={weak}"), 400);
        assert!(better >= 0.55, "{strong} against {weak}: {better}");
    }
}
