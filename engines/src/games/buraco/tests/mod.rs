//! Tests of Buraco: rules by hand-worked cases, the official referee's peculiarities among them, dialogue, engines. This
//! file has the helpers.

use super::rules::{Card, Meld, Move, State, bracketed};
use super::{Buraco, Options, View};
use crate::game::{Foul, Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::rng::{Rng, Seed};

mod broken_rules;
mod dialogue;
mod encoding;
mod engines;
mod files;
mod matches;
mod meld_rules;
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

/// Any command with cards of the hand for the most part.
fn any_move(view: &View, rng: &mut Rng) -> Move {
    let mut cards: Vec<Card> = (0..rng.below(6)).filter_map(|_| rng.pick(view.hand()).copied()).collect();
    if rng.below(4) == 0 {
        cards.push(Card::from_index(rng.below(52)));
    }
    match rng.below(6) {
        0 => Move::GetStock,
        1 => Move::GetDiscard { cards: cards.into() },
        2 => Move::MeldJoin { meld: rng.below(4) as u8, cards: cards.into() },
        3 => Move::Discard { card: Card::from_index(rng.below(52)) },
        _ => Move::MeldNew { cards: cards.into() },
    }
}

/// A match with these hands, this pile and this stock (next card last). The other cards are missing, so the audit of the
/// deck fails.
fn state(hands: [&str; 2], pile: &str, stock: &str) -> State {
    let mut state =
        Buraco::deal(&Options { starter: Some(0), ..Options::default() }, &Seed::from(1)).unwrap();
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
