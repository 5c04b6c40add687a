//! Checks the game that `scripts/new-game` copies as if it were a game of the server, and its dialogue, which games of perfect
//! information share.

use crate::conformance::check;
use crate::erased::adapter::ErasedGame;
use crate::erased::{AnyGame, RefusalCode};
use crate::game::{Game, Seat, Viewer};
use crate::protocol::{Awaits, Entry, PlayerAwaits, Settings};
use crate::rng::Seed;
use crate::session::Session;
use crate::template::TakeAway;

#[test]
fn template_of_new_games_conforms() {
    (0..12).for_each(|seed| check::<TakeAway>(seed).unwrap());
}

/// A game needs no numeric form.
#[test]
fn game_without_an_encoding_refuses_numbers() {
    let game = ErasedGame::<TakeAway>::new();
    let mut table = game.deal(&serde_json::json!({}), &Seed::default()).unwrap();
    let view = table.view(Viewer::Seat(Seat(0)));
    assert!(game.encoding().is_none() && view.observe().is_none() && view.action_mask().is_none());
    let refused = [
        view.observe_into(&mut []).unwrap_err(),
        view.mask_into(&mut []).unwrap_err(),
        view.action(0).unwrap_err(),
        view.action_index("1").unwrap_err(),
        table.play_action(Seat(0), 0).unwrap_err(),
    ];
    assert!(refused.iter().all(|refusal| refusal.code == RefusalCode::NoEncoding), "{refused:?}");
}

fn asked(awaits: &PlayerAwaits<TakeAway>) -> String {
    match awaits {
        Awaits::Decision(decision) => serde_json::to_string(&decision.view).unwrap(),
        Awaits::EntryWithin(_) => "a line soon".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The dialogue of `crate::perfect_information` with its usual lines: what the bot makes of lines against the rules.
#[test]
fn bot_of_a_game_of_perfect_information_goes_on_after_lines_against_the_rules() {
    let seat = |seat: u8, counters: u8| {
        format!(r#"{{"counters":{counters},"to_move":{seat},"viewer":{{"seat":{seat}}}}}"#)
    };
    for (lines, expected, remark) in [
        (&["first", "21"][..], seat(0, 21), ""),
        (&["second", "21"], "Entry".to_owned(), ""),
        (&["second", "21", "2"], seat(1, 19), ""),
        (&["second 21"], seat(0, 21), "\"second\" is not a number from 0 to 24"),
        (&["first", "99"], seat(0, 24), "\"99\" is not a number from 0 to 24"),
        (&["second", "21", "9"], seat(1, 21), "a move is a number of counters"),
        (&["second", "2", "3"], seat(1, 2), "the opponent cannot play 3"),
        (&["second", "21", "your turn"], "a line soon".to_owned(), "a move is a number of counters"),
        (&["second", "21", "2 1"], seat(1, 19), "not the opponent's turn"),
    ] {
        let mut session = Session::new(TakeAway::player(&Settings::default()).unwrap());
        session.push(lines.iter().map(|line| Entry::Read((*line).to_owned())));
        assert_eq!(asked(&session.advance().unwrap()), expected, "{lines:?}");
        let remarks = session.take_remarks();
        assert!(remarks.concat().contains(remark) && remarks.is_empty() == remark.is_empty(), "{remarks:?}");
        if expected == "a line soon" {
            assert_eq!(asked(&session.silence()), seat(1, 21), "after the silence it is the bot's turn");
        }
    }
}
