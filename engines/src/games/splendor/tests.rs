//! Splendor's rules by hand-worked cases, its dialogue byte for byte, impossible positions, and the engines.

mod header;
mod saved_game;

use std::collections::BTreeMap;

use super::protocol::{Bot, Judge};
use super::rules::cards::noble;
use super::rules::{Board, CARD_TABLE, COLORS, GOLD, ids_of};
use super::{Move, Options, Splendor, State, View};
use crate::game::{Foul, Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::protocol::{Awaits, Entry, Lines, Player, PlayerDecision, Referee, Settings};
use crate::rng::{Rng, Seed};
use crate::session::Session;

fn cards() -> impl Iterator<Item = &'static super::rules::cards::Card> + Clone {
    const { &CARD_TABLE }.iter()
}

/// A deal whose cards lie in the order of their ids, nobles 1 to players + 1.
fn table(players: u8) -> State {
    let mut state = Splendor::deal(&Options { players }, &Seed::from(1)).unwrap();
    for level in 0..3 {
        let ids: Vec<u8> = ids_of(level).collect();
        state.board.face_up[level].copy_from_slice(&ids[..4]);
        state.decks[level] = ids[4..].iter().rev().copied().collect();
    }
    state.board.nobles = (1..=players + 1).collect();
    state.audit().unwrap();
    state
}

/// Gives chips from the bank, and cards out of the decks, and turns enough to have had them.
fn give(state: &mut State, seat: usize, chips: [u8; 6], bought: &[u8]) {
    for (kind, n) in chips.iter().enumerate() {
        state.board.bank[kind] -= n;
        state.board.hands[seat].chips[kind] += n;
    }
    for id in bought {
        let level = usize::from(super::rules::card(*id).level);
        state.decks[level].retain(|c| c != id);
        state.board.decks[level] = state.decks[level].len() as u8;
        state.board.hands[seat].cards.push(*id);
    }
    state.board.round = state.board.round.max(60);
}

fn mv(text: &str) -> Move {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn play(state: &mut State, text: &str) {
    let Turn::Of(seat) = state.turn() else { panic!("the match is over") };
    let mv = mv(text);
    assert!(state.view(Viewer::Seat(seat)).is_legal(&mv), "{text} is refused");
    state.play(&mv);
    state.audit().unwrap_or_else(|e| panic!("after {text}: {e}"));
}

fn refused(state: &State, text: &str) -> bool {
    let Turn::Of(seat) = state.turn() else { return true };
    let Ok(mv) = text.parse::<Move>() else { return true };
    let view = state.view(Viewer::Seat(seat));
    let mut all = Vec::new();
    view.legal(&mut all);
    assert_eq!(view.is_legal(&mv), all.contains(&mv), "{text} is listed exactly when it is legal");
    !view.is_legal(&mv)
}

#[test]
fn the_tables_are_the_published_ones() {
    let names = ["red", "green", "blue", "white", "black"];
    let rows: Vec<Vec<&str>> =
        include_str!("cards.csv").lines().skip(1).map(|l| l.split(',').collect()).collect();
    assert_eq!(rows.len(), 90);
    for (card, row) in cards().zip(&rows) {
        let cost = card.cost.map(|n| n.to_string());
        let read = [card.id, card.level + 1].map(|n| n.to_string());
        assert_eq!(row[..2], read);
        assert_eq!(row[2], names[usize::from(card.bonus)]);
        assert_eq!(row[3], card.points.to_string());
        assert_eq!(row[4..], cost);
    }
    // The printed game's own balance: 8, 6 and 4 cards of each colour; all colours are asked for equally.
    for (level, each) in [8, 6, 4].into_iter().enumerate() {
        let of_level = || cards().filter(|c| usize::from(c.level) == level);
        assert!(of_level().all(|c| ids_of(level).contains(&c.id)));
        for color in 0..COLORS {
            assert_eq!(of_level().filter(|c| usize::from(c.bonus) == color).count(), each);
        }
        let asked: Vec<u32> =
            (0..COLORS).map(|c| of_level().map(|card| u32::from(card.cost[c])).sum()).collect();
        assert!(asked.iter().all(|n| *n == asked[0]), "level {level} asks for {asked:?}");
    }
    assert_eq!(cards().map(|c| u32::from(c.points)).sum::<u32>(), 5 + 55 + 80);
    let rows: Vec<Vec<u8>> = include_str!("nobles.csv")
        .lines()
        .skip(1)
        .map(|l| l.split(',').map(|n| n.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let noble = noble(row[0]);
        assert_eq!((noble.id, noble.points, &noble.needs[..]), (row[0], row[1], &row[2..]));
        assert!(matches!((noble.points, noble.needs.iter().sum()), (3, 8 | 9)));
    }
}

#[test]
fn the_board_draws_the_same_tables() {
    let drawn = include_str!("board/cards.js");
    for table in [include_str!("cards.csv"), include_str!("nobles.csv")] {
        assert!(
            drawn.contains(&format!("= `\\\n{table}`;")),
            "not in board/cards.js word for word:\n{table}"
        );
    }
}

#[test]
fn every_order_of_colours_is_the_same_move() {
    for (text, canonical) in [
        ("1 3 2 0 1", "1 3 0 1 2"),
        ("1 2 0 2 0 2", "1 2 0 2 0 2"),
        ("1 2 2 0 2 0", "1 2 0 2 0 2"),
        ("1 3 4 3 2 4 0 0", "1 3 2 3 4 0 0 4"),
        (" 1\t0 ", "1 0"),
        ("2 3 4 1", "2 3 1 4"),
        ("3 -2", "3 -2"),
        ("3 90 0", "3 90 0"),
        ("4 17", "4 17"),
        ("0", "0"),
    ] {
        assert_eq!(mv(text).to_string(), canonical);
        assert_eq!(mv(canonical), mv(text));
        let json = serde_json::to_string(&mv(text)).unwrap();
        assert_eq!(serde_json::from_str::<Move>(&json).unwrap(), mv(text), "{json}");
    }
    let json = r#"{"action":"take","colors":["blue","red"]}"#;
    assert_eq!(serde_json::from_str::<Move>(json).unwrap(), mv("1 2 0 2"));
    for text in [
        "",
        "1",
        "1 4 0 1 2 3",
        "1 3 0 1",
        "1 2 0 0",
        "1 3 0 1 5",
        "1 3 0 1 2 5",
        "1 3 0 1 2 0 0 0 0",
        "2",
        "2 5",
        "2 -1",
        "2 0 1 1 1 1",
        "3",
        "3 0",
        "3 91",
        "3 -4",
        "3 -128",
        "4",
        "4 0",
        "4 -1",
        "4 1 0",
        "5 1",
        "1 01 0",
        "+1 0",
        "1.0 0",
        "1 0x",
        "1 -0",
        "0 0",
        "1 3 0 1 256",
        "4 257",
        "-1",
        "99999999999",
    ] {
        assert!(text.parse::<Move>().is_err(), "{text:?} is read as a move");
    }
}

#[test]
fn deals_are_as_large_as_the_players_are_many() {
    for (players, chips) in [(1, 4), (2, 4), (3, 5), (4, 7)] {
        let state = table(players);
        assert_eq!(state.board.bank, [chips, chips, chips, chips, chips, 5]);
        assert_eq!(state.board.nobles.len(), usize::from(players) + 1);
        assert_eq!(state.board.decks, [36, 26, 16]);
    }
    for players in [0, 5, 255] {
        assert!(Splendor::deal(&Options { players }, &Seed::from(1)).is_err());
    }
}

#[test]
fn different_chips_come_from_stacks_that_are_not_empty() {
    let mut state = table(2);
    give(&mut state, 1, [4, 4, 0, 0, 0, 0], &[]);
    for legal in ["1 0", "1 1 2", "1 2 2 3", "1 3 2 3 4"] {
        assert!(!refused(&state, legal), "{legal}");
    }
    for illegal in ["1 1 0", "1 3 0 2 3", "1 3 2 3 4 2"] {
        assert!(refused(&state, illegal), "{illegal}");
    }
    play(&mut state, "1 3 2 3 4");
    assert_eq!(state.board.hands[0].chips, [0, 0, 1, 1, 1, 0]);
    assert_eq!(state.board.bank, [0, 0, 3, 3, 3, 5]);
    assert_eq!(state.turn(), Turn::Of(Seat(1)));
}

#[test]
fn two_of_a_colour_ask_for_four_in_the_bank() {
    let mut state = table(3);
    give(&mut state, 1, [2, 1, 0, 0, 0, 0], &[]);
    assert!(refused(&state, "2 0"));
    assert!(!refused(&state, "2 1"));
    play(&mut state, "2 4");
    assert_eq!(state.board.bank[4], 3);
}

#[test]
fn over_ten_chips_are_returned_exactly_and_never_gold() {
    let mut state = table(2);
    give(&mut state, 0, [2, 1, 1, 1, 1, 4], &[10, 18, 26, 34]);
    for illegal in
        ["1 1 0", "1 1 0 5", "1 3 0 1 2 0 0", "1 3 0 1 2 0 0 0 0", "2 1", "3 1", "3 1 0 0", "1 0 0"]
    {
        assert!(refused(&state, illegal), "{illegal}");
    }
    for legal in ["1 0", "1 1 0 0", "1 2 0 2 0 2", "1 3 0 1 2 0 0 0", "3 1 4", "3 -3 0"] {
        assert!(!refused(&state, legal), "{legal}");
    }
    // Colours not held cannot be returned, but those just taken can.
    give(&mut state, 1, [0, 3, 0, 0, 0, 0], &[]);
    assert!(refused(&state, "1 1 0 2 2"));
    let mut other = state.clone();
    play(&mut other, "1 2 0 2 0 2");
    assert_eq!(other.board.hands[0], state.board.hands[0]);
    play(&mut state, "3 -3 0");
    assert_eq!(state.board.hands[0].chips, [1, 1, 1, 1, 1, 5]);
    // The bank has no gold left: a reservation brings none, so nothing is returned.
    play(&mut state, "3 1");
    assert_eq!(state.board.hands[1].chips[GOLD], 0);
    assert!(refused(&state, "3 2 0"));
    assert!(!refused(&state, "3 2"));
}

#[test]
fn all_ways_to_return_are_listed_once() {
    let mut state = table(2);
    give(&mut state, 0, [3, 3, 3, 1, 0, 0], &[]);
    let mut all = Vec::new();
    state.view(Viewer::Seat(Seat(0))).legal(&mut all);
    let takes =
        |k: u8| all.iter().filter(|m| matches!(m, Move::Take { colors, .. } if colors.len() == k)).count();
    // One of red to white taken: any of 4 colours comes back; black taken: any of 5.
    assert_eq!([takes(0), takes(1)], [1, 4 * 4 + 5]);
    // Every returned pair out of 4 colours (10), less white twice where one white is held.
    let pairs_without_black_or_white = 3 * 9;
    let with_white = 3 * 10;
    let with_black = 3 * (9 + 4) + (10 + 4);
    assert_eq!(takes(2), pairs_without_black_or_white + with_white + with_black);
}

#[test]
fn three_cards_are_reserved_at_most_and_slots_are_filled() {
    let mut state = table(1);
    play(&mut state, "3 2");
    assert_eq!(state.board.face_up[0], [1, 5, 3, 4]);
    play(&mut state, "3 -1");
    play(&mut state, "3 -3");
    assert_eq!(state.board.hands[0].reserved, [2, 6, 75]);
    assert_eq!((state.board.decks, state.board.hands[0].chips[GOLD]), ([34, 26, 15], 3));
    assert!(refused(&state, "3 1") && refused(&state, "3 -2"));
    assert!(refused(&state, "3 6"), "a card in hand is not face up");
    // Who else looks sees the card taken from the table, and of the drawn ones their levels.
    assert_eq!(state.view(Viewer::Spectator).board().hands[0].reserved, [2, -1, -3]);
    assert_eq!(state.view(Viewer::Seat(Seat(0))).board().hands[0].reserved, [2, 6, 75]);
}

#[test]
fn an_empty_deck_leaves_a_zero_and_gives_nothing() {
    let mut state = table(4);
    let last: Vec<u8> = state.decks[2].split_off(1);
    state.board.hands[3].cards = last;
    state.board.decks[2] = 1; // the holder has won, but the round goes on
    state.board.round = 80;
    state.board.to_move = Seat(1);
    state.audit().unwrap();
    play(&mut state, "3 -3");
    assert!(refused(&state, "3 -3"));
    play(&mut state, "3 73");
    assert_eq!(state.board.face_up[2], [71, 72, 0, 74]);
    assert!(refused(&state, "3 0") && refused(&state, "4 0"));
    assert_eq!(state.view(Viewer::Seat(Seat(2))).unseen()[2], [90]);
}

#[test]
fn a_price_is_bonuses_then_chips_then_gold() {
    // Card 1 costs three white; card 4 gives white.
    let mut state = table(2);
    give(&mut state, 0, [0, 0, 0, 1, 0, 1], &[]);
    assert!(refused(&state, "4 1"));
    give(&mut state, 0, [0; 6], &[12, 20]);
    let white = |id: &u8| super::rules::card(*id).bonus == 3;
    let whites = state.board.hands[0].cards.iter().filter(|id| white(id)).count();
    let mut paid = state.clone();
    give(&mut paid, 0, [0, 0, 0, 1, 0, 0], &[]);
    play(&mut paid, "4 1");
    let left = paid.board.hands[0].chips;
    assert_eq!(left, [0, 0, 0, 0, 0, whites.min(1) as u8]);
    assert_eq!(paid.board.face_up[0], [5, 2, 3, 4]);
    assert_eq!(paid.board.hands[0].cards, [12, 20, 1]);
    assert_eq!(paid.board.bank[3] + paid.board.hands[1].chips[3], 4);
}

#[test]
fn a_reserved_card_is_bought_from_hand_and_shown_then() {
    let mut state = table(2);
    give(&mut state, 0, [1, 3, 1, 1, 1, 0], &[]);
    play(&mut state, "3 -1");
    assert_eq!(state.view(Viewer::Seat(Seat(1))).board().hands[0].reserved, [-1]);
    assert!(refused(&state, "4 5"), "another's card");
    play(&mut state, "1 0");
    play(&mut state, "4 5");
    assert_eq!(state.view(Viewer::Seat(Seat(1))).board().hands[0].cards, [5]);
    assert!(state.blind.is_empty() && state.board.hands[0].reserved.is_empty());
    assert_eq!(state.board.decks[0], 35, "no slot was filled");
}

/// Five cards of each of the two colours that noble 1 asks for, and five of the two that noble 4 does.
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
fn one_noble_a_turn_comes_after_any_valid_action_in_table_order() {
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
fn a_void_action_passes_the_turn_and_leaves_the_noble() {
    let mut state = due_twice();
    let Foul::Play(mv) = Splendor::foul(&state, Seat(0), "") else { panic!("a foul is a pass") };
    assert_eq!(mv.to_string(), "0");
    let before = state.board.hands[0].clone();
    let mut table = Table::<Splendor>::new(state.clone());
    assert_eq!(table.foul(Seat(0), "late"), Ok(Some(Move::Void)));
    assert_eq!(table.state().board.hands[0], before);
    assert_eq!(table.turn(), Turn::Of(Seat(1)));
    // Where no noble is due, nothing tells a void action from an explicit pass, and only that one is listed.
    assert!(refused(table.state(), "0"));
    assert_eq!(table.foul(Seat(1), "late"), Ok(Some(Move::PASS)));
    play(&mut state, "0");
    assert_eq!(state.board.nobles, [4, 3, 1]);
}

#[test]
fn the_end_is_looked_at_after_a_full_round() {
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
fn fewer_cards_break_a_tie_and_below_fifteen_nobody_wins() {
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
fn a_hundred_rounds_end_a_match() {
    for players in 1..=4 {
        let mut state = table(players);
        for turn in 0..100 * u32::from(players) {
            assert_eq!(state.turn(), Turn::Of(Seat((turn % u32::from(players)) as u8)));
            play(&mut state, "1 0");
        }
        let view = state.view(Viewer::Seat(Seat(0)));
        let back: View = serde_json::from_value(serde_json::to_value(&view).unwrap()).unwrap();
        assert_eq!((&back, back.turn()), (&view, Turn::Over), "a finished position can be told");
        let outcome = state.outcome().unwrap();
        assert_eq!(outcome.ranks, vec![2; usize::from(players)]);
        assert!((0..players).all(|seat| outcome.score(Seat(seat)) == 0.0));
    }
}

fn start_of_two(header: [&str; 2]) -> Vec<String> {
    let rest = "4 4 4 4 4 5\n36 1 2 3 4\n26 41 42 43 44\n16 71 72 73 74\n3 1 2 3\n\
                0 0 0 0 0 0\n0\n0\n0\n0 0 0 0 0 0\n0\n0\n0";
    header.into_iter().chain(rest.lines()).map(str::to_owned).collect()
}

#[test]
fn the_referee_writes_these_lines() {
    let state = table(2);
    let mut lines = Lines::new();
    Judge::new(Seat(0)).prompt(&state, None, &mut lines);
    assert_eq!(lines, start_of_two(["2 1", "1"]));
    let mut state = table(2);
    for text in ["3 -2", "3 3", "1 3 0 1 2", "2 4"] {
        play(&mut state, text);
    }
    lines.clear();
    Judge::new(Seat(0)).prompt(&state, None, &mut lines);
    let own = "2 1\n3\n3 3 3 4 2 3\n35 1 2 5 4\n25 41 42 43 44\n16 71 72 73 74\n3 1 2 3\n\
               1 1 1 0 0 1\n0\n1 45\n0\n0 0 0 0 2 1\n0\n1 3\n0";
    assert_eq!(lines.join("\n"), own);
    play(&mut state, "1 0");
    lines.clear();
    Judge::new(Seat(1)).prompt(&state, None, &mut lines);
    assert_eq!(lines.join("\n"), own.replacen("2 1", "2 2", 1).replacen("1 45", "1 -2", 1));
}

#[test]
fn the_referee_reads_one_action_however_it_is_broken_into_lines() {
    let state = table(2);
    let hear = |lines: &[&str]| {
        let mut judge = Judge::new(Seat(0));
        let mut last = Ok(None);
        for line in lines {
            assert_eq!(last, Ok(None), "{lines:?} is decided early");
            last = judge.line(&state, line);
        }
        last.map(|mv| mv.map(|mv| mv.to_string())).map_err(|e| e.0)
    };
    let action = |text: &str| Ok(Some(text.to_owned()));
    assert_eq!(hear(&["1 3 2 0 1"]), action("1 3 0 1 2"));
    assert_eq!(hear(&["", "1 3", " 0\t1 ", "2"]), action("1 3 0 1 2"));
    assert_eq!(hear(&["4", "90"]), action("4 90"));
    assert_eq!(hear(&["1 3 0"]), Ok(None));
    for bad in ["1 3 0 1 2 0", "2 0 0", "4 1 1", "1 4", "x", "1 01", "+1", "1.0", "7", "-1", "1 -1", "3 0"] {
        assert!(hear(&[bad]).is_err(), "{bad} is read");
    }
    let mut full = state.clone();
    give(&mut full, 0, [2, 2, 2, 2, 2, 0], &[]);
    let mut judge = Judge::new(Seat(0));
    assert_eq!(judge.line(&full, "1 2 0 2"), Ok(None), "two colours must come back");
    assert_eq!(judge.line(&full, "2 0"), Ok(Some(mv("1 2 0 2 0 2"))));
    assert_eq!(judge.line(&full, "3 1"), Ok(None));
    judge.prompt(&full, None, &mut Lines::new());
    assert_eq!(
        judge.line(&full, "1 0"),
        Ok(Some(Move::PASS)),
        "a half action of an earlier turn is forgotten"
    );
}

/// The view a fresh bot comes to from these lines.
fn told(lines: &[String], settings: &[(&str, &str)]) -> Result<View, String> {
    let settings: BTreeMap<String, String> =
        settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let mut bot = Bot::new(&Settings(settings)).map_err(|e| e.0)?;
    for (i, line) in lines.iter().enumerate() {
        match bot.line(line, &mut Lines::new()).map_err(|e| e.0)? {
            Awaits::Decision(PlayerDecision { view, .. }) => {
                assert_eq!(i + 1, lines.len(), "it is complete before its last line");
                return Ok(*view);
            }
            step => assert_eq!(step, Awaits::Entry),
        }
    }
    Err("not complete".to_owned())
}

#[test]
fn the_header_is_understood_without_being_told() {
    let state = table(2);
    let view = state.view(Viewer::Seat(Seat(0)));
    for header in [["2 0", "0"], ["2 1", "1"]] {
        assert_eq!(told(&start_of_two(header), &[]), Ok(view.clone()), "{header:?}");
    }
    assert_eq!(told(&start_of_two(["2 1", "0"]), &[]).unwrap().turn(), Turn::Of(Seat(1)));
    assert_eq!(told(&start_of_two(["2 2", "1"]), &[]).unwrap().turn(), Turn::Of(Seat(1)));
    // Any layout of the same numbers is the same input.
    assert_eq!(told(&[start_of_two(["2 0", "0"]).join(" ")], &[]), Ok(view.clone()));
    let loose: Vec<String> = start_of_two(["2 0", "0"])
        .iter()
        .flat_map(|l| l.split(' '))
        .flat_map(|t| [String::new(), format!("  {t}\t")])
        .collect();
    assert_eq!(told(&loose, &[]), Ok(view));
    // Forced.
    let seat = |lines: &[String], base| told(lines, &[("base", base)]).map(|v| (v.turn(), v.board().round));
    assert_eq!(seat(&start_of_two(["2 1", "1"]), "0"), Ok((Turn::Of(Seat(1)), 1)));
    assert_eq!(seat(&start_of_two(["2 1", "1"]), "1"), Ok((Turn::Of(Seat(0)), 0)));
    assert!(seat(&start_of_two(["2 0", "0"]), "1").is_err());
    assert!(seat(&start_of_two(["2 2", "1"]), "0").is_err());
    assert!(told(&[], &[("base", "2")]).unwrap_err().contains("auto, 0, 1"));
    assert!(told(&[], &[("think", "2")]).unwrap_err().contains("base"));
}

/// Input of seat 1 counted from 0: id 1 and a round above 0 leave the header open, the table decides.
#[test]
fn the_table_decides_where_the_header_does_not() {
    let seen = |actions: &[&str], base: u8| {
        let mut state = table(3);
        actions.iter().for_each(|text| play(&mut state, text));
        let Turn::Of(seat) = state.turn() else { panic!("the match is over") };
        let view = state.view(Viewer::Seat(seat));
        let mut lines = Lines::new();
        super::protocol::write_input(&view, base, &mut lines);
        (view, lines)
    };
    // A card hidden from its holder.
    let (view, lines) = seen(&["3 -1", "1 0", "1 0", "1 0"], 0);
    assert_eq!(lines[..2], ["3 1", "1"]);
    assert_eq!(told(&lines, &[]), Ok(view));
    // More than the turns allow: seat 0 would have had no turn, then one with six chips.
    let (view, lines) = seen(&["1 1 0", "1 0", "1 0", "1 0"], 0);
    assert_eq!(told(&lines, &[]), Ok(view));
    let six = ["1 3 0 1 2", "1 0", "1 0", "1 3 0 1 2", "1 0", "1 0", "1 0"];
    let (view, lines) = seen(&six, 0);
    assert_eq!(lines[..2], ["3 1", "2"]);
    assert_eq!(told(&lines, &[]), Ok(view));
    // Chips paid for cards count too: card 2 costs three red.
    assert_eq!(super::rules::card(2).cost, [3, 0, 0, 0, 0]);
    let bought = ["1 3 0 1 2", "1 0", "1 0", "1 3 0 1 2", "1 0", "1 0", "1 1 0", "1 0", "1 0", "4 2"];
    let (view, lines) = seen(&bought, 0);
    assert_eq!(lines[..2], ["3 1", "3"]);
    assert_eq!(told(&lines, &[]), Ok(view));
    // Nothing contradicts: counted from 1.
    let (view, lines) = seen(&["1 0"; 3], 1);
    assert_eq!(lines[..2], ["3 1", "2"]);
    assert_eq!(told(&lines, &[]), Ok(view));
    // A session remembers what an earlier position proved.
    let mut bot = Bot::new(&Settings::default()).unwrap();
    for (actions, i) in [(&["1 0"][..], 0), (&["1 0"; 4], 1), (&["1 0"; 7], 2)] {
        let (view, lines) = seen(actions, 0);
        assert_eq!(lines[1], i.to_string());
        let step = bot.line(&lines.join(" "), &mut Lines::new());
        assert_eq!(step, Ok(Awaits::Decision(PlayerDecision { view: Box::new(view), clock: None })));
        assert!(bot.line("1", &mut Lines::new()).is_err(), "an action is due");
        assert_eq!(bot.played(&Move::PASS, &mut Lines::new()), Awaits::Entry);
    }
    assert_eq!(bot.eof(), Ok(Awaits::Nothing));
}

#[test]
fn inputs_that_cannot_be_are_refused() {
    let wrong = |from: &str, to: &str| {
        let text = start_of_two(["2 1", "1"]).join("\n");
        assert!(text.contains(from));
        let lines: Vec<String> = text.replacen(from, to, 1).lines().map(str::to_owned).collect();
        told(&lines, &[]).unwrap_err()
    };
    for (from, to) in [
        ("2 1", "5 1"),
        ("2 1", "0 1"),
        ("2 1", "2 3"),
        ("2 1", "2 -1"),
        ("2 1\n1", "2 1\n101"),
        ("4 4 4 4 4 5", "4 4 4 4 4 6"),
        ("4 4 4 4 4 5", "4 4 4 4 4 4"),
        ("36 1", "36 0"),
        ("36 1", "35 1"),
        ("36 1", "36 2"),
        ("36 1", "36 41"),
        ("36 1", "36 91"),
        ("36 1", "36 1.0"),
        ("36 1", "36 01"),
        ("36 1", "x 1"),
        ("36 1", "999999999999999999999 1"),
        ("3 1 2 3", "3 1 2 2"),
        ("3 1 2 3", "3 1 2 11"),
        ("3 1 2 3", "2 1 2"),
        ("3 1 2 3", "9 1 2"),
    ] {
        assert!(!wrong(from, to).is_empty());
    }
    let mut late = start_of_two(["2 1", "1"]);
    late.last_mut().unwrap().push_str(" 7");
    assert!(told(&late, &[]).unwrap_err().contains("behind the end"));
    assert!(told(&["1 ".repeat(100_000)], &[]).is_err());
    let mut bot = Bot::new(&Settings::default()).unwrap();
    bot.line("2 1", &mut Lines::new()).unwrap();
    assert!(bot.eof().is_err(), "the input ends in the middle");
}

/// The referee stands by its table, whatever our rules say: one action is printed, and a remark says why.
#[test]
fn inputs_that_cannot_be_are_answered() {
    for (from, to) in [
        ("2 1", "5 1"),
        ("2 1", "0 1"),
        ("2 1\n1", "2 1\n101"),
        ("4 4 4 4 4 5", "4 4 4 4 4 4"),
        ("36 1", "36 0"),
        ("36 1", "35 1"),
        ("36 1", "36 2"),
        ("36 1", "36 91"),
        ("36 1", "x 1"),
        ("3 1 2 3", "3 1 2 2"),
        ("3 1 2 3", "2 1 2"),
        ("3 1 2 3", "9 1 2"),
        ("3 1 2 3", "3 1 2 3 7"),
        ("3 1 2 3", "3"),
    ] {
        let text = start_of_two(["2 1", "1"]).join("\n").replacen(from, to, 1);
        let mut session = Session::new(Box::new(Bot::new(&Settings::default()).unwrap()));
        session.push(text.lines().map(|line| Entry::Read(line.to_owned())).chain([Entry::End]));
        let wants = session.advance().unwrap_or_else(|e| panic!("{to}: {e}"));
        if let Awaits::Decision(PlayerDecision { view, .. }) = wants {
            let mut moves = Vec::new();
            view.legal(&mut moves);
            session.decide(&moves[0].to_string()).unwrap();
        }
        let said = session.take_lines();
        assert!(said.len() == 1 && said[0].parse::<Move>().is_ok(), "{to}: {said:?}");
        assert!(!session.take_remarks().is_empty(), "{to}");
    }
}

#[test]
fn impossible_positions_are_refused_by_name() {
    let parse =
        |json: &serde_json::Value| serde_json::from_value::<View>(json.clone()).map_err(|e| e.to_string());
    let mut state = table(2);
    for text in ["3 -2", "3 3", "1 3 0 1 2", "2 4"] {
        play(&mut state, text);
    }
    let good = serde_json::to_value(state.view(Viewer::Seat(Seat(1)))).unwrap();
    assert_eq!(parse(&good), Ok(state.view(Viewer::Seat(Seat(1)))));
    let mut own = serde_json::to_value(state.view(Viewer::Seat(Seat(0)))).unwrap();
    own.as_object_mut().unwrap().remove("viewer");
    assert_eq!(parse(&own), Ok(state.view(Viewer::Seat(Seat(0)))), "the viewer may be left out");
    use serde_json::json;
    for (pointer, value, part) in [
        ("/round", json!(101), "round"),
        ("/round", json!(0), "turns"),
        ("/round", json!(256), "256"),
        ("/to_move", json!(2), "to_move"),
        ("/viewer", json!({"seat": 2}), "viewer"),
        ("/viewer", json!({"seat": 0}), "knows its own"),
        ("/chips/red", json!(4), "red"),
        ("/chips/gold", json!(255), "gold"),
        ("/levels/0/deck", json!(36), "levels[0].deck"),
        ("/levels/1/deck", json!(255), "levels[1].deck"),
        ("/levels/0/face_up", json!([1, 2, 0, 4]), "face_up"),
        ("/levels/0/face_up", json!([1, 2, 2, 4]), "twice"),
        ("/levels/0/face_up", json!([1, 2, 41, 4]), "level"),
        ("/levels/0/face_up", json!([1, 2, 91, 4]), "91"),
        ("/levels/0/face_up", json!([1, 2, 5]), "length"),
        ("/nobles", json!([1, 2]), "nobles"),
        ("/nobles", json!([1, 2, 2]), "twice"),
        ("/nobles", json!([1, 2, 0]), "nobles"),
        ("/nobles", json!(vec![1; 1000]), "twice"),
        ("/players", json!([]), "no such seat"),
        ("/players/1/reserved", json!([3, 3]), "twice"),
        ("/players/0/reserved", json!([-4]), "-3"),
        ("/players/1/reserved", json!([3, -1, -1, -1]), "three"),
        ("/players/1/reserved", json!([0]), "no card"),
        ("/players/1/cards", json!([3]), "twice"),
        ("/players/1/cards", json!([6]), "deck"),
        ("/players/1/cards", json!([200]), "200"),
        ("/players/0/chips/red", json!(250), "red"),
        ("/players/0/nobles", json!([1]), "twice"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        let error = parse(&bad).unwrap_err();
        assert!(error.contains(part), "{pointer}: {error}");
    }
    let mut extra = good.clone();
    extra["x"] = json!(1);
    assert!(parse(&extra).unwrap_err().contains('x'));
    // A noble that is not earned, eleven chips, and more gold than reservations.
    let refuse = |edit: &dyn Fn(&mut State), part: &str| {
        let mut state = table(2);
        state.board.round = 50;
        edit(&mut state);
        let view = state.view(Viewer::Seat(Seat(0)));
        let error = parse(&serde_json::to_value(view).unwrap()).unwrap_err();
        assert!(error.contains(part), "{error}");
    };
    refuse(&|s| s.board.hands[0].nobles.push(s.board.nobles.remove(0)), "not enough");
    refuse(&|s| give(s, 0, [3, 3, 3, 2, 0, 0], &[]), "at most 10");
    refuse(&|s| give(s, 0, [0, 0, 0, 0, 0, 1], &[]), "turns");
}

/// One process for every move, each told what the one before asked to keep: no position is taken for another seat's,
/// whatever the table shows, and whatever an earlier match under another referee left behind.
#[test]
fn what_the_first_process_learned_serves_the_others() {
    for (base, seat, players, stale) in
        [(0, 1, 2, "1"), (1, 0, 2, "0"), (0, 1, 4, "1"), (0, 2, 4, "1"), (1, 1, 4, "0")]
    {
        for seed in 0..6 {
            let mut rng = Rng::stream(&Seed::from(seed), 3);
            let mut state = Splendor::deal(&Options { players }, &Seed::from(seed)).unwrap();
            let mut kept = vec![("base_before", stale.to_owned())];
            while let Turn::Of(mover) = state.turn() {
                let view = state.view(Viewer::Seat(mover));
                if mover == Seat(seat) {
                    let mut lines = Lines::new();
                    super::protocol::write_input(&view, base, &mut lines);
                    let settings = kept.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
                    let mut bot = Bot::new(&Settings(settings)).unwrap();
                    let step = bot.line(&lines.join(" "), &mut Lines::new());
                    let told = matches!(&step, Ok(Awaits::Decision(PlayerDecision { view: seen, .. })) if **seen == view);
                    assert!(told, "base {base}, seat {seat} of {players}: {lines:?} became {step:?}");
                    kept = bot.keep();
                }
                let mut moves = Vec::new();
                view.legal(&mut moves);
                // Reservations and purchases leave the table's own proof open longest.
                moves.retain(|m| !m.to_string().starts_with("1 0"));
                let mv = rng.pick(&moves).cloned().unwrap_or_else(|| "1 0".parse().unwrap());
                state.play(&mv);
            }
        }
    }
}
