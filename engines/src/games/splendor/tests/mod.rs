//! Tests of Splendor: rules by hand-worked cases, the dialogue byte for byte, the saved game. This file has the helpers.

use std::collections::BTreeMap;

use super::protocol::{PlayerDialogue, RefereeDialogue};
use super::rules::cards::noble;
use super::rules::{Board, CARD_TABLE, ids_of};
use super::{Move, Options, Splendor, State, View};
use crate::game::{Foul, Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::protocol::{Awaits, Lines, Player, PlayerDecision, Settings};
use crate::rng::{Rng, Seed};

mod actions;
mod broken_rules;
mod dialogue;
mod endings;
mod files;
mod header;
mod saved_game;
mod tables;
mod views;

fn cards() -> impl Iterator<Item = &'static super::rules::cards::Card> + Clone {
    const { &CARD_TABLE }.iter()
}

/// A deal with the cards in the order of their ids, and nobles 1 to players + 1.
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

/// Gives a seat chips from the bank and cards from the decks, and sets a round in which this hand is possible.
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

/// The view that a new bot reads from these lines.
fn view_of_lines(lines: &[String], settings: &[(&str, &str)]) -> Result<View, String> {
    let settings: BTreeMap<String, String> =
        settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let mut bot = PlayerDialogue::new(&Settings(settings)).map_err(|e| e.0)?;
    for (i, line) in lines.iter().enumerate() {
        match bot.line(line, &mut Lines::new()).map_err(|e| e.0)? {
            Awaits::Decision(PlayerDecision { view, .. }) => {
                assert_eq!(i + 1, lines.len(), "the position is complete before its last line");
                return Ok(*view);
            }
            step => assert_eq!(step, Awaits::Entry),
        }
    }
    Err("not complete".to_owned())
}
