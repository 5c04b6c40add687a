//! Tests of the numbers of moves: melds of every shape, and large hands, which random matches seldom have.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::games::buraco::encoding::index_of_meld;
use crate::games::buraco::rules::{LARGEST, RANKS, SMALLEST};
use crate::rng::Rng;

#[test]
fn melds_have_the_numbers_of_the_layout() {
    for (text, index) in [
        ("A♥ 2♥ 3♥", 53),
        ("Q♥ K♥ A♥", 53 + 11),
        ("A♥ 2♥ 3♥ 4♥", 53 + 12),
        ("A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠ 10♠ J♠ Q♠ K♠ A♠", 53 + 4 * 78 - 1),
        ("3♥ 4♥ 2♠", 365 + 2),
        ("K♦ A♦ 2♠", 365 + 90 + 12),
        ("3♥ 5♥ 2♠", 725 + 2),
        ("3♥ 4♥ 6♥ 2♠", 725 + 12 + 2 * 2 + 1),
    ] {
        assert_eq!(index_of_meld(&cards(text)), Some(index), "{text}");
    }
}

/// With one kind of wild card, different melds have different numbers.
#[test]
fn no_two_melds_share_a_number() {
    let card = |suit: u8, place: usize| Card::of(suit, if place > RANKS.into() { 1 } else { place as u8 });
    for wild in (0..4).map(|suit| Card::of(suit, 2)) {
        let mut melds: HashMap<usize, Vec<Card>> = HashMap::new();
        for suit in 0..4 {
            for (size, low) in
                (SMALLEST..=LARGEST).flat_map(|n| (1..=LARGEST + 1 - n).map(move |low| (n, low)))
            {
                for gap in (low..low + size).map(Some).chain([None]) {
                    let places = (low..low + size).filter(|place| Some(*place) != gap);
                    let mut set: Vec<Card> = places.map(|place| card(suit, place)).collect();
                    set.extend(gap.map(|_| wild));
                    set.sort_unstable();
                    if Meld::new(&set).is_none_or(|meld| meld.needs_leniency()) {
                        continue;
                    }
                    let index = index_of_meld(&set).unwrap();
                    let known = melds.entry(index).or_insert_with(|| set.clone());
                    assert_eq!(*known, set, "both have the number {index}");
                }
            }
        }
        // Ten runs with a wild card at an end begin with a low ace; only below it the wild card could lie.
        assert!(melds.len() > 4 * (78 + 364), "{} melds", melds.len());
    }
}

/// Checks that every listed move has a number of its own, which leads back to it.
fn check_numbers(view: &View) {
    let encoder = Buraco::encoder().unwrap();
    let (mut listed, mut numbered) = (Vec::new(), Vec::new());
    view.legal(&mut listed);
    let mut indices = HashSet::new();
    encoder.each_action(view, &mut |index, mv| {
        assert!(index < encoder.encoding().action_count() && indices.insert(index), "{mv}: {index}");
        assert_eq!(encoder.index_of(view, &mv), Some(index), "{mv}");
        numbered.push(mv);
    });
    assert_eq!(numbered, listed);
}

#[test]
fn every_move_of_a_large_hand_has_a_number() {
    for seed in 0..80 {
        let mut rng = Rng::new(&Seed::from(seed));
        let mut state =
            Buraco::deal(&Options { starter: Some(0), ..Options::default() }, &Seed::from(seed)).unwrap();
        let more = rng.below(60);
        state.hands[0].extend(state.stock.split_off(state.stock.len() - more));
        state.open.sizes[0] = state.hands[0].len() as u8;
        state.open.stock = state.stock.len() as u8;
        state.audit().unwrap();
        let mut table = Table::<Buraco>::new(state);
        let mut melds = 0;
        while let Turn::Of(seat) = table.turn() {
            let view = table.state().view(Viewer::Seat(seat));
            check_numbers(&view);
            let mut moves = Vec::new();
            view.legal(&mut moves);
            // Some melds first, so that others can be joined.
            let is_meld = |mv: &&Move| matches!(mv, Move::MeldNew { .. } | Move::MeldJoin { .. });
            let some: Vec<&Move> = moves.iter().filter(is_meld).collect();
            let mv = match rng.pick(&some) {
                Some(mv) if rng.below(4) > 0 => (*mv).clone(),
                _ => rng.pick(&moves).unwrap().clone(),
            };
            melds += usize::from(is_meld(&&mv));
            table.play(seat, &mv).unwrap();
            if table.ply() > 60 {
                break;
            }
        }
        assert!(melds > 0 || more < 10, "seed {seed}: no meld of {more} cards more");
    }
}
