//! Repairs an impossible table: the nearest possible one with the same legal actions. Must not read or write lines.

use super::super::View;
use super::super::rules::cards::{NOBLES, noble};
use super::super::rules::{
    ALL_GOLD, Board, CARDS, CHIPS, GOAL, GOLD, HAND_LIMIT, Hand, LEVELS, RESERVE_LIMIT, ROUNDS, card,
    chips_of_a_color, ids_of,
};
use crate::game::{Turn, View as _, Viewer};

/// The view of the seat to move on the nearest possible table. Bank, face-up cards and the own hand stay as they are, since
/// they decide the legal actions; the other hands, the nobles and the round may change.
pub(super) fn nearest_view(received: &Board) -> Option<View> {
    let mut board = received.clone();
    for hand in &mut board.hands {
        hand.nobles.retain(|id| (1..=NOBLES).contains(&usize::from(*id)));
    }
    repair_cards(&mut board)?;
    repair_levels(&mut board);
    repair_nobles(&mut board);
    repair_chips(&mut board);
    let seat = board.to_move;
    // Hands that are impossible after this many turns are possible some rounds later.
    let view = (board.round..ROUNDS)
        .find_map(|round| View::checked(Board { round, ..board.clone() }, Viewer::Seat(seat)).ok())?;
    (view.turn() == Turn::Of(seat)).then_some(view)
}

/// The other seats.
fn others(board: &Board) -> impl Iterator<Item = usize> + use<> {
    let own = board.to_move.index();
    (0..board.hands.len()).filter(move |seat| *seat != own)
}

/// Removes second copies of cards from the other hands. `None` if the own hand or the table is itself impossible.
fn repair_cards(board: &mut Board) -> Option<()> {
    let mut seen = [false; CARDS + 1];
    let mut new = |id: u8| {
        (1..=CARDS).contains(&usize::from(id)) && !std::mem::replace(&mut seen[usize::from(id)], true)
    };
    let own = board.mover();
    let reserved = own.reserved.iter().map(|id| u8::try_from(*id).unwrap_or(0));
    if !own.cards.iter().copied().chain(reserved).all(&mut new) {
        return None;
    }
    let shown = board.face_up.iter().flatten().filter(|id| **id > 0);
    if !shown.copied().all(&mut new) {
        return None;
    }
    for seat in others(board) {
        let hand = &mut board.hands[seat];
        hand.cards.retain(|id| new(*id));
        hand.reserved.retain(|id| u8::try_from(*id).map_or(true, &mut new));
        hand.reserved.truncate(RESERVE_LIMIT);
    }
    // Remove points that would have ended the match.
    let over = |hand: &Hand| hand.points() >= GOAL;
    for seat in others(board) {
        let hand = &mut board.hands[seat];
        if over(hand) {
            hand.nobles.clear();
        }
        while over(hand) && hand.cards.pop().is_some() {}
    }
    Some(())
}

/// Makes deck and visible cards of each level as many as the level has. An empty deck stays empty, because whether it is
/// empty decides the legal actions.
fn repair_levels(board: &mut Board) {
    for level in 0..LEVELS {
        let all = ids_of(level).count();
        remove_surplus(board, level, all);
        let missing = all.saturating_sub(placed(board, level));
        if board.decks[level] > 0 {
            board.decks[level] = missing as u8;
        } else if let Some(seat) = others(board).next() {
            // Cards with the fewest points, so that they do not end the match.
            let mut free: Vec<u8> = ids_of(level).filter(|id| !is_shown(board, *id)).collect();
            free.sort_by_key(|id| card(*id).points);
            board.hands[seat].cards.extend(free.into_iter().take(missing));
        }
    }
}

/// The number by which a view shows a hidden reserved card of this level.
fn hidden(level: usize) -> i8 {
    -1 - level as i8
}

/// Number of cards of a level outside its deck.
fn placed(board: &Board, level: usize) -> usize {
    let ids = ids_of(level);
    let of_level = |id: &i8| *id == hidden(level) || u8::try_from(*id).is_ok_and(|id| ids.contains(&id));
    let bought = board.hands.iter().flat_map(|hand| &hand.cards).filter(|id| ids.contains(id)).count();
    let reserved = board.hands.iter().flat_map(|hand| &hand.reserved).filter(|id| of_level(id)).count();
    bought + reserved + board.face_up[level].iter().filter(|id| **id > 0).count()
}

/// Removes cards of the level from the other hands, hidden ones first, until there are no more than `all`.
fn remove_surplus(board: &mut Board, level: usize, all: usize) {
    for seat in others(board) {
        while placed(board, level) + usize::from(board.decks[level] > 0) > all {
            let hand = &mut board.hands[seat];
            let reserved = hand.reserved.iter().position(|id| *id == hidden(level));
            let bought = hand.cards.iter().rposition(|id| ids_of(level).contains(id));
            match (reserved, bought) {
                (Some(at), _) => drop(hand.reserved.remove(at)),
                (None, Some(at)) => drop(hand.cards.remove(at)),
                (None, None) => break,
            }
        }
    }
}

/// Whether the card is face up or in a hand.
fn is_shown(board: &Board, id: u8) -> bool {
    let in_hand = |hand: &Hand| {
        hand.cards.contains(&id) || hand.reserved.iter().any(|reserved| u8::try_from(*reserved) == Ok(id))
    };
    board.face_up.iter().flatten().any(|up| *up == id) || board.hands.iter().any(in_hand)
}

/// Makes the nobles one more than the players, each once, and leaves them only with players that have the bonuses.
fn repair_nobles(board: &mut Board) {
    let most = board.hands.len() + 1;
    let mut seen: Vec<u8> = Vec::new();
    let mut new = |id: &u8| {
        let fits = (1..=NOBLES).contains(&usize::from(*id));
        let new = fits && seen.len() < most && !seen.contains(id);
        seen.extend(new.then_some(*id));
        new
    };
    let own = board.to_move.index();
    for seat in std::iter::once(own).chain(others(board)) {
        let hand = &mut board.hands[seat];
        let bonuses = hand.bonuses();
        let earned = |id: &u8| {
            let needs = noble(*id).needs;
            bonuses.iter().zip(needs).all(|(have, need)| *have >= need)
        };
        hand.nobles.retain(|id| earned(id) && new(id));
    }
    board.nobles.retain(|id| new(id));
    let missing = most - seen.len();
    let free = (1..=NOBLES as u8).filter(|id| !seen.contains(id)).take(missing);
    board.nobles.extend(free);
}

/// Distributes the chips that are neither in the bank nor in the own hand to the other hands, as near as possible to the
/// received numbers.
fn repair_chips(board: &mut Board) {
    let own = board.to_move.index();
    let seats: Vec<usize> = others(board).collect();
    for kind in 0..CHIPS {
        let all = if kind == GOLD { ALL_GOLD } else { chips_of_a_color(board.hands.len()) };
        let mut left = all.saturating_sub(board.bank[kind]).saturating_sub(board.hands[own].chips[kind]);
        for seat in &seats {
            let chips = &mut board.hands[*seat].chips[kind];
            *chips = (*chips).min(left);
            left -= *chips;
        }
        for seat in &seats {
            let hand = &mut board.hands[*seat];
            let room = HAND_LIMIT.saturating_sub(hand.chips.iter().sum());
            let more = left.min(room);
            hand.chips[kind] += more;
            left -= more;
        }
    }
}
