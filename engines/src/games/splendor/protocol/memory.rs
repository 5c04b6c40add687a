//! What a process of the bot keeps for the next process of the same match. A position does not name its match, but it
//! shows the own hand, which only the own actions change: so it shows which earlier answer it follows, and from which
//! number its header counts. Must not know the dialogue.

use super::super::rules::{Board, COLORS, GOLD, Hand, Move};
use super::input::PositionInput;
use crate::game::Seat;

/// Hexadecimal digits of a fingerprint.
const DIGITS: usize = 6;

/// The number of a reserved card that was drawn from a deck and not seen yet.
const UNKNOWN: i8 = 0;

/// One answer of an earlier process: the hand that it leads to, for each base that its header may have had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptAnswer {
    /// The header's round.
    round: i32,
    /// The base by which the position was read, if one was known.
    base: Option<i32>,
    /// At least one.
    hands: Vec<ExpectedHand>,
}

/// The own hand at the next turn, if the header counts from `base`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ExpectedHand {
    base: i32,
    /// The fingerprint if the referee voids the action.
    unchanged: u32,
    /// The fingerprint if the action counts.
    changed: u32,
}

impl KeptAnswer {
    /// The answer `mv` to this position, read by `base`. `None`: the header of this seat never leaves the base open.
    pub(super) fn new(input: &PositionInput, base: Option<i32>, mv: &Move) -> Option<Self> {
        let is_open = input.id > 0 && usize::try_from(input.id).is_ok_and(|id| id < input.board.hands.len());
        if !is_open {
            return None;
        }
        let certain = input.certain_base();
        let hands = [0, 1].into_iter().filter(|possible| certain.is_none_or(|certain| certain == *possible));
        let expected = |base| {
            let seat = input.seat(base)?;
            let board = Board { to_move: Seat(seat as u8), ..input.board.clone() };
            let unchanged = fingerprint(input, board.mover());
            Some(ExpectedHand { base, unchanged, changed: fingerprint(input, &hand_after(&board, mv)) })
        };
        Some(Self { round: input.round, base, hands: hands.filter_map(expected).collect() })
    }

    /// Parses the text that [`Self::to_string`] writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let round = parts.next()?.parse().ok()?;
        let base = match parts.next()? {
            "0" => Some(0),
            "1" => Some(1),
            "x" => None,
            _ => return None,
        };
        let hands = parts.map(ExpectedHand::parse).collect::<Option<Vec<_>>>()?;
        (!hands.is_empty()).then_some(Self { round, base, hands })
    }

    /// The bases by which this position can follow the answer, and whether the action has changed the hand then.
    fn bases(&self, input: &PositionInput) -> Vec<(i32, bool)> {
        let follows = |expected: &ExpectedHand| {
            let mut hand = input.board.hands[input.seat(expected.base)?].clone();
            let mut prints = vec![fingerprint(input, &hand)];
            // The last reserved card may come from a deck.
            if let Some(last) = hand.reserved.last_mut() {
                *last = UNKNOWN;
                prints.push(fingerprint(input, &hand));
            }
            let is_unchanged = prints.contains(&expected.unchanged);
            let is_changed = prints.contains(&expected.changed) && !is_unchanged;
            (is_changed || is_unchanged).then_some((expected.base, is_changed))
        };
        if self.round < input.round { self.hands.iter().filter_map(follows).collect() } else { Vec::new() }
    }
}

impl std::fmt::Display for KeptAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let base = self.base.map_or("x".to_owned(), |base| base.to_string());
        write!(f, "{}-{base}", self.round)?;
        let width = DIGITS;
        self.hands.iter().try_for_each(|ExpectedHand { base, unchanged, changed }| {
            write!(f, "-{base}.{unchanged:0width$x}.{changed:0width$x}")
        })
    }
}

impl ExpectedHand {
    fn parse(text: &str) -> Option<Self> {
        let (base, prints) = text.split_once('.')?;
        let (unchanged, changed) = prints.split_once('.')?;
        let base = base.parse().ok().filter(|base| (0..=1).contains(base))?;
        let print = |text: &str| u32::from_str_radix(text, 16).ok();
        Some(Self { base, unchanged: print(unchanged)?, changed: print(changed)? })
    }
}

/// The answer that this position follows, and the base of the position. `None`: there is no such answer, or answers of
/// several matches disagree.
pub(super) fn followed<'a>(
    answers: &'a [KeptAnswer],
    input: &PositionInput,
) -> Option<(&'a KeptAnswer, i32)> {
    let (mut as_read, mut otherwise) = (Vec::new(), Vec::new());
    for answer in answers {
        let bases = answer.bases(input);
        match bases.iter().find(|(base, _)| answer.base == Some(*base)) {
            Some((base, changed)) => as_read.push((answer, *base, *changed)),
            // The base of the answer was wrong, or not known, if the hand fits only the other one.
            None if bases.len() == 1 => otherwise.push((answer, bases[0].0, bases[0].1)),
            None => {}
        }
    }
    best(&as_read).or_else(|| best(&otherwise))
}

/// The answer that the next one of this match replaces. `base`: by which this position was read.
pub(super) fn replaced(
    answers: &[KeptAnswer],
    input: &PositionInput,
    base: Option<i32>,
) -> Option<KeptAnswer> {
    let same: Vec<KeptAnswer> = answers.iter().filter(|answer| answer.base == base).cloned().collect();
    followed(&same, input).or_else(|| followed(answers, input)).map(|(answer, _)| answer.clone())
}

/// The latest of these answers; of those of one round, one whose action has changed the hand. `None` if such answers
/// disagree on the base.
fn best<'a>(found: &[(&'a KeptAnswer, i32, bool)]) -> Option<(&'a KeptAnswer, i32)> {
    let rank = |(answer, _, changed): &(&KeptAnswer, i32, bool)| (answer.round, *changed);
    let best = found.iter().max_by_key(|found| rank(found))?;
    let agree = found.iter().all(|other| rank(other) < rank(best) || other.1 == best.1);
    agree.then_some((best.0, best.1))
}

/// The hand of the seat to move after the action. The action counts only if it is legal.
fn hand_after(board: &Board, mv: &Move) -> Hand {
    let mut hand = board.mover().clone();
    // Cards with an impossible number have no price.
    if hand.cards.contains(&0) || !board.is_legal(mv) {
        return hand;
    }
    let gold = board.bank[GOLD].min(1);
    match mv {
        Move::Take { colors, .. } => (0..COLORS).for_each(|c| hand.chips[c] += colors.amounts()[c]),
        Move::TakeTwo { color, .. } => hand.chips[color.index()] += 2,
        Move::Reserve { .. } | Move::ReserveTop { .. } => {
            let known = if let Move::Reserve { card, .. } = mv { i8::try_from(*card).ok() } else { None };
            hand.reserved.push(known.unwrap_or(UNKNOWN));
            hand.chips[GOLD] += gold;
        }
        Move::Buy { card } => {
            let price = hand.price(*card).unwrap_or_default();
            hand.chips.iter_mut().zip(price).for_each(|(chips, paid)| *chips -= paid);
            hand.reserved.retain(|reserved| u8::try_from(*reserved) != Ok(*card));
            hand.cards.push(*card);
        }
        Move::Void => {}
    }
    if let Move::Take { returns, .. }
    | Move::TakeTwo { returns, .. }
    | Move::Reserve { returns, .. }
    | Move::ReserveTop { returns, .. } = mv
    {
        (0..COLORS).for_each(|c| hand.chips[c] -= returns.amounts()[c]);
    }
    hand
}

/// A number for the own hand in this match: of what never changes in a match (players, own id, nobles), and of the chips
/// and cards of the hand.
fn fingerprint(input: &PositionInput, hand: &Hand) -> u32 {
    let board = &input.board;
    let mut nobles: Vec<u8> =
        board.hands.iter().flat_map(|hand| &hand.nobles).chain(&board.nobles).copied().collect();
    nobles.sort_unstable();
    let facts = [board.hands.len() as u8, input.id as u8, nobles.len() as u8];
    let counts = [hand.cards.len() as u8, hand.reserved.len() as u8];
    let bytes =
        facts.into_iter().chain(nobles).chain(counts).chain(hand.chips).chain(hand.cards.iter().copied());
    // FNV-1a.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)) as u32 >> (32 - 4 * DIGITS as u32)
}
