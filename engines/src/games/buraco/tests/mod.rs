//! Tests of Buraco: rules by hand-worked cases, the official referee's peculiarities among them, dialogue, engines. This
//! file has the helpers.

use super::rules::{Card, Meld, Move, State, bracketed};
use super::{Buraco, Options, View};
use crate::game::{Foul, Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::rng::Seed;

mod broken_rules;
mod dialogue;
mod engines;
mod files;
mod matches;
mod melds;
mod views;

fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|c| c.parse().unwrap()).collect()
}

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

/// The meld as text in sequence, and its points.
fn meld(text: &str) -> Option<(String, i32)> {
    let meld = Meld::new(&cards(text))?;
    Some((bracketed(meld.cards()), meld.points()))
}

/// A match with these hands, this pile and this stock (next card last). The other cards are missing, so the audit of the
/// deck fails.
fn state(hands: [&str; 2], pile: &str, stock: &str) -> State {
    let mut state = Buraco::deal(&Options { starter: Some(0) }, &Seed::from(1)).unwrap();
    state.hands = hands.map(cards);
    state.open.sizes = [0, 1].map(|s| state.hands[s].len() as u8);
    state.open.pile = cards(pile);
    state.stock = cards(stock);
    state.open.stock = state.stock.len() as u8;
    state
}

fn play(table: &mut Table<Buraco>, text: &str) -> Result<(), String> {
    let Turn::Of(seat) = table.turn() else { return Err("over".to_owned()) };
    table.play(seat, &mv(text)).map_err(|e| e.to_string())
}

fn plays(state: State, texts: &[&str]) -> Table<Buraco> {
    let mut table = Table::<Buraco>::new(state);
    for text in texts {
        play(&mut table, text).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    table
}
