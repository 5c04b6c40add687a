//! Tests of Septica: rules by hand-worked cases, the dialogue line by line. This file has the helpers.

use super::protocol::{PlayerDialogue, RefereeDialogue};
use super::rules::{PLAYER, PublicTable};
use super::{Draws, Move, Options, Rank, Septica, ShortDeck, State, View};
use crate::game::{Foul, Game, Outcome, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::protocol::{Player, Referee, Settings};

mod broken_rules;
mod contests;
mod files;
mod player;
mod rules;
mod views;
mod zeros;

fn cards(ranks: &[i64]) -> Vec<Rank> {
    ranks.iter().map(|n| Rank::new(*n).unwrap()).collect()
}

fn play(state: &mut State, moves: &[i64]) {
    for number in moves {
        let Turn::Of(seat) = state.turn() else { panic!("the match is over before {number}") };
        let mv: Move = number.to_string().parse().unwrap();
        assert!(state.view(Viewer::Seat(seat)).is_legal(&mv), "{mv} in {state:?}");
        state.play(&mv);
        state.audit().unwrap();
    }
}

/// A match with these hands and this deck (next card last). `rest`: the number of cards that each seat has taken.
fn table(hands: [&[i64]; 2], deck: &[i64], leader: u8, rest: [usize; 2], short_deck: ShortDeck) -> State {
    let mut left: Vec<Rank> = Rank::all().flat_map(|r| [r; 4]).collect();
    for card in hands.iter().copied().chain([deck]).flat_map(cards) {
        left.remove(left.iter().position(|c| *c == card).unwrap());
    }
    assert_eq!(left.len(), rest[0] + rest[1]);
    let taken = [left[..rest[0]].to_vec(), left[rest[0]..].to_vec()];
    let state = State {
        options: Options { short_deck, draws: Draws::Split },
        hands: hands.map(cards),
        deck: cards(deck),
        taken,
        leader: Seat(leader),
        trick: Vec::new(),
        past: Vec::new(),
    };
    state.audit().unwrap();
    state
}

fn early(hands: [&[i64]; 2]) -> State {
    let mut deck: Vec<i64> = (7..=14).flat_map(|r| [r; 4]).collect();
    for card in hands.iter().copied().flatten() {
        deck.remove(deck.iter().position(|c| c == card).unwrap());
    }
    table(hands, &deck, 0, [0, 0], ShortDeck::default())
}
