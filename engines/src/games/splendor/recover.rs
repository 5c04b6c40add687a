//! How the bot's side goes on where the table that it was told cannot be: the nearest table that can, with the same
//! legal actions, or else the safest action. Knows no way to choose an action by its worth.

use std::time::Duration;

use super::protocol::{Bot, Input, LONGEST, Tokens, Unread};
use super::rules::cards::{NOBLES, noble};
use super::rules::{
    ALL_GOLD, Board, CARDS, CHIPS, Color, Colors, GOAL, GOLD, HAND_LIMIT, Hand, LEVELS, Move, RESERVE_LIMIT,
    ROUNDS, card, chips_of_a_color, ids_of, integer,
};
use super::{Splendor, View};
use crate::game::{Seat, Turn, View as _, Viewer};
use crate::protocol::{Awaits, Lines, Player as _, PlayerAwaits, PlayerDecision};
use crate::rng::Rng;

/// How long the rest of a position is waited for after a number in it that cannot be.
const PATIENCE: Duration = Duration::from_millis(200);

/// Chips that an action takes at most.
const MOST_TAKEN: u8 = 3;

/// What the bot's side remembers to go on after a refusal.
#[derive(Default)]
pub struct Recovery {
    /// The numbers of the position as they were before the last line.
    pub before: Vec<i32>,
    /// Whether the position that is being read holds a number that cannot be.
    pub reading: bool,
    /// Whether such a position was answered already, so that the rest of it is no other one.
    pub answered: bool,
}

impl Bot {
    /// Reads on in a position that cannot be; `None`: the rest of it does not come.
    pub(super) fn recover(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Splendor> {
        if self.thinking {
            return Awaits::Entry;
        }
        let waiting = line.is_none() && !self.recovery.reading;
        let numbers = if waiting { &mut self.tokens } else { &mut self.recovery.before };
        let mut numbers = std::mem::take(numbers);
        if let Some(line) = line {
            // A word is a number out of every range.
            numbers.extend(line.split_whitespace().map(|token| integer(token).unwrap_or(i32::MIN)));
        }
        self.tokens.clear();
        self.recovery.reading = false;
        if numbers.iter().all(|n| *n == i32::MIN) {
            return Awaits::Entry;
        }
        let mut tokens = Tokens { tokens: &numbers, used: 0, guessed: Some(0) };
        match (tokens.input(), tokens.guessed) {
            (Ok(input), Some(0)) => self.settle_leniently(&input, out),
            (Err(Unread::Short), _) if line.is_some() && numbers.len() <= LONGEST => {
                self.recovery.before.clone_from(&numbers);
                self.tokens = numbers;
                self.recovery.reading = true;
                Awaits::EntryWithin(PATIENCE)
            }
            // Whose chips are whose is not sure here; a pass is legal whatever is there.
            _ => self.answer(&Move::PASS, out),
        }
    }

    fn settle_leniently(&mut self, input: &Input, out: &mut Lines) -> PlayerAwaits<Splendor> {
        let likely = self.likely_base(input);
        let own =
            |base: i32| usize::try_from(input.id - base).ok().filter(|id| *id < input.board.hands.len());
        let base = if own(likely).is_some() { likely } else { 1 - likely };
        let Some(seat) = own(base) else { return self.answer(&Move::PASS, out) };
        self.base = Some(base);
        let round = u8::try_from(input.round - base).unwrap_or(0).min(ROUNDS - 1);
        let board = Board { to_move: Seat(seat as u8), round, ..input.board.clone() };
        match nearest(&board) {
            Some(view) => {
                self.thinking = true;
                self.recovery.answered = true;
                Awaits::Decision(PlayerDecision { view: Box::new(view), clock: None })
            }
            None => self.answer(&safest(&board), out),
        }
    }

    /// What the header counts from, as far as it tells, the table aside.
    fn likely_base(&self, input: &Input) -> i32 {
        self.forced.or(input.certain_base()).or(self.base).or(self.before).unwrap_or(1)
    }

    /// Prints an action without a decision, once a position.
    fn answer(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Splendor> {
        if std::mem::replace(&mut self.recovery.answered, true) {
            return Awaits::Entry;
        }
        self.played(mv, out)
    }
}

/// The chips that any referee gives: one of each of up to three colours, no more than the hand has room for.
fn safest(board: &Board) -> Move {
    let held: u32 = board.mover().chips.iter().map(|n| u32::from(*n)).sum();
    let room = u32::from(HAND_LIMIT).saturating_sub(held).min(u32::from(MOST_TAKEN));
    let mut amounts = [0; Color::ALL.len()];
    let there = Color::ALL.into_iter().filter(|color| board.bank[color.index()] > 0);
    there.take(room as usize).for_each(|color| amounts[color.index()] = 1);
    Move::Take { colors: Colors::new(amounts), returns: Colors::default() }
}

/// The view of the seat to move of the nearest table that can be. Bank, cards on the table and the own hand stay as they
/// are, since they decide what is legal; the other hands, the nobles and the round give way.
fn nearest(told: &Board) -> Option<View> {
    let mut board = told.clone();
    for hand in &mut board.hands {
        hand.nobles.retain(|id| (1..=NOBLES).contains(&usize::from(*id)));
    }
    mend_cards(&mut board)?;
    mend_levels(&mut board);
    mend_nobles(&mut board);
    mend_chips(&mut board);
    let seat = board.to_move;
    // What cannot be had after so many turns can be had some rounds later.
    let view = (board.round..ROUNDS)
        .find_map(|round| View::checked(Board { round, ..board.clone() }, Viewer::Seat(seat)).ok())?;
    (view.turn() == Turn::Of(seat)).then_some(view)
}

/// The other seats.
fn others(board: &Board) -> impl Iterator<Item = usize> + use<> {
    let own = board.to_move.index();
    (0..board.hands.len()).filter(move |seat| *seat != own)
}

/// Each card is there once: what the own hand or the table shows is not in another hand. `None`: the own hand itself
/// cannot be.
fn mend_cards(board: &mut Board) -> Option<()> {
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
    // Points that would have ended the match are not there.
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

/// Deck and seen cards are as many as the level has. An empty deck stays empty, since nothing can be drawn from it.
fn mend_levels(board: &mut Board) {
    for level in 0..LEVELS {
        let ids = ids_of(level);
        let all = ids.clone().count();
        let hidden = -1 - level as i8;
        let there = |board: &Board| {
            let hands = board.hands.iter();
            let held = hands.clone().flat_map(|hand| &hand.cards).filter(|id| ids.contains(id)).count();
            let reserved = hands.flat_map(|hand| &hand.reserved);
            let reserved = reserved
                .filter(|id| **id == hidden || u8::try_from(**id).is_ok_and(|id| ids.contains(&id)))
                .count();
            held + reserved + board.face_up[level].iter().filter(|id| **id > 0).count()
        };
        for seat in others(board) {
            while there(board) + usize::from(board.decks[level] > 0) > all {
                let hand = &mut board.hands[seat];
                let reserved = hand.reserved.iter().position(|id| *id == hidden);
                let bought = hand.cards.iter().rposition(|id| ids.contains(id));
                match (reserved, bought) {
                    (Some(at), _) => drop(hand.reserved.remove(at)),
                    (None, Some(at)) => drop(hand.cards.remove(at)),
                    (None, None) => break,
                }
            }
        }
        if board.decks[level] > 0 {
            board.decks[level] = all.saturating_sub(there(board)) as u8;
        } else if let Some(seat) = others(board).next() {
            let missing = all.saturating_sub(there(board));
            let shown = |id: &u8| {
                board.face_up.iter().flatten().any(|up| up == id)
                    || board.hands.iter().any(|hand| {
                        hand.cards.contains(id) || hand.reserved.iter().any(|r| u8::try_from(*r) == Ok(*id))
                    })
            };
            // The cheapest for the points that they bring: none that would end the match.
            let mut free: Vec<u8> = ids.clone().filter(|id| !shown(id)).collect();
            free.sort_by_key(|id| card(*id).points);
            board.hands[seat].cards.extend(free.into_iter().take(missing));
        }
    }
}

/// One noble more than players, each once, and only with those whose cards suffice.
fn mend_nobles(board: &mut Board) {
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

/// The chips that are neither in the bank nor in the own hand are in the others', as near to what was told as may be.
fn mend_chips(board: &mut Board) {
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

/// Changes what the others have, as a referee could tell it that does not count: chips that are not there, a card or a
/// noble twice. For tests.
pub fn distort(reader: Seat, lines: &mut Lines, rng: &mut Rng) {
    let Some(levels) = lines.get(3..3 + LEVELS) else { return };
    let shown = levels[rng.below(LEVELS)].split(' ').nth(1).unwrap_or_default().to_owned();
    let first = 4 + LEVELS;
    for seat in (0..lines.len().saturating_sub(first) / 4).filter(|seat| *seat != reader.index()) {
        let section = &mut lines[first + 4 * seat..];
        match rng.below(4) {
            0 => section[0] = "3 0 0 4 0 1".to_owned(),
            1 => section[1] = more(&section[1], &shown),
            2 => section[3] = more(&section[3], "7"),
            _ => {}
        }
    }
}

/// A list with its length before it, and one number more.
fn more(list: &str, number: &str) -> String {
    let mut words: Vec<String> = list.split(' ').map(str::to_owned).collect();
    words[0] = words.len().to_string();
    words.push(number.to_owned());
    words.join(" ")
}
