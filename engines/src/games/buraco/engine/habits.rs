//! The player of the playouts: plays whole turns by weights that `engines-train buraco-habits` fits. It looks only at its
//! own hand and the open cards, although the position holds all cards.

use std::sync::LazyLock;

use super::super::rules::{CANASTRA, RANKS};
use super::policy::{best_join, best_run, best_take, guessed_lead, pair, shorter};
use super::position::{FastPosition, HandMasks, Lay, NONE, PileTaken, Run, bits};

/// Number of facts about a card other than its rank.
const LOOKS: usize = 15;
/// Number of facts that decide whether to keep a card; the last thirteen are its rank.
pub const FACTS: usize = LOOKS + RANKS as usize;
/// Maximum number of facts of a yes-or-no choice.
pub const FEW: usize = 11;
/// A yes-or-no choice that weights decide.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// To take the pile.
    Take,
    /// To open a meld with a wild card.
    Pair,
    /// To join a wild card.
    Join,
    /// To lay nothing down this turn.
    Hold,
    /// To go out.
    Out,
}
/// Number of [`Choice`]s.
pub const CHOICES: usize = 5;
/// Short, medium and long hands have weights of their own.
pub const PHASES: usize = 3;

/// Fitted weights.
pub struct HabitWeights {
    /// The worth of keeping a card, by phase.
    pub keep: [[i32; FACTS]; PHASES],
    /// The answer to a choice is yes if its sum is positive.
    pub choices: [[i32; FEW]; CHOICES],
}

/// The weights as fitted.
pub static WEIGHTS: LazyLock<HabitWeights> = LazyLock::new(|| {
    let mut weights = HabitWeights { keep: [[0; FACTS]; PHASES], choices: [[0; FEW]; CHOICES] };
    let all = include_str!("habits.txt").split_whitespace().filter_map(|word| word.parse().ok());
    let (keep, choices) = (weights.keep.iter_mut().flatten(), weights.choices.iter_mut().flatten());
    keep.chain(choices).zip(all).for_each(|(to, from)| *to = from);
    weights
});

/// Makes the choices of a turn: by fitted weights, or at random for training.
pub trait RolloutPolicy {
    /// Whether the choice is yes.
    fn says(&mut self, choice: Choice, facts: &[i32; FEW]) -> bool;
    /// The card to discard; `None` if the hand is empty.
    fn throws(&mut self, pos: &FastPosition) -> Option<u8>;
}

/// Decides by the fitted weights. The function gives a random amount for each card, which decides between nearly equal ones.
pub struct FittedPolicy<F>(pub F);

impl<F: FnMut() -> i32> RolloutPolicy for FittedPolicy<F> {
    fn says(&mut self, choice: Choice, facts: &[i32; FEW]) -> bool {
        let weights = &WEIGHTS.choices[choice as usize];
        facts.iter().zip(weights).map(|(fact, weight)| fact * weight).sum::<i32>() > 0
    }

    fn throws(&mut self, pos: &FastPosition) -> Option<u8> {
        let mut worst = None;
        weigh(pos, |card, keep| {
            let value = keep + (self.0)();
            if worst.is_none_or(|(least, _)| value < least) {
                worst = Some((value, card));
            }
        });
        worst.map(|(_, card)| card)
    }
}

/// The phase of a hand.
pub fn phase(hand: &HandMasks) -> usize {
    match hand.n {
        ..=4 => 0,
        5..=8 => 1,
        _ => 2,
    }
}

/// The cards of a suit that a seat has not seen, as places: those with an unseen copy, and those with both unseen.
pub fn unseen(pos: &FastPosition, me: usize, suit: usize) -> (u16, u16) {
    let (hand, known, public) = (&pos.hands[me], &pos.known[me], &pos.public);
    // The cards of the hand that are not among the public cards already.
    let both = hand.two[suit] & !known.one[suit];
    let one = hand.one[suit] & !known.one[suit] | hand.two[suit] & !known.two[suit];
    let all = public.two[suit] | both | public.one[suit] & one;
    let some = public.one[suit] | one;
    (places(!all & RANK_BITS), places(!some & RANK_BITS))
}

const RANK_BITS: u16 = (1 << RANKS) - 1;

/// Ranks as places, with the ace at both ends.
fn places(ranks: u16) -> u16 {
    ranks | (ranks & 1) << RANKS
}

/// The pairs of places that form a run with a place.
const AROUND: [(i8, i8); 3] = [(-2, -1), (-1, 1), (1, 2)];

fn bit(mask: u16, place: i8) -> i32 {
    if (0..=RANKS as i8).contains(&place) { i32::from(mask >> place & 1) } else { 0 }
}

/// With fewer cards than this in the stock a hand of seven is a danger.
const PRESSING: u8 = 9;

/// Plays the whole turn, or the rest of it.
pub fn play_turn(pos: &mut FastPosition, policy: &mut impl RolloutPolicy) {
    if !pos.drawn {
        match best_take(pos).filter(|take| takes(pos, take, policy)) {
            Some(take) => pos.take(&take),
            None => pos.draw(),
        }
    }
    if !pos.over {
        lay_down(pos, policy);
    }
    if !pos.over
        && let Some(card) = policy.throws(pos)
    {
        pos.discard(card);
    }
}

/// Whether the player takes the pile in this way.
fn takes(pos: &FastPosition, take: &PileTaken, policy: &mut impl RolloutPolicy) -> bool {
    let me = pos.me;
    if pos.stocked() == 0 {
        return guessed_lead(pos, me) <= 0;
    }
    let mut after = *pos;
    after.take(take);
    lay_all(&mut after, true, &mut FittedPolicy(|| 0));
    if after.over {
        return true;
    }
    let points = after.table_points(me) - pos.table_points(me);
    let n = i32::from(after.hands[me].n);
    let cards = n - i32::from(pos.hands[me].n);
    let late = pos.stocked() < PRESSING;
    let facts = [
        1,
        points / 5,
        if late { 0 } else { cards },
        if late { cards } else { 0 },
        i32::from(take.wild != NONE),
        i32::from(pos.hands[1 - me].n),
        i32::from(pos.stocked()) / 8,
        n,
        i32::from(n >= CANASTRA as i32),
        guessed_lead(pos, me).clamp(-400, 400) / 50,
        after.hands[me].twos() as i32 - pos.hands[me].twos() as i32,
    ];
    policy.says(Choice::Take, &facts)
}

/// Lays down the cards that the policy wants to lay down.
fn lay_down(pos: &mut FastPosition, policy: &mut impl RolloutPolicy) {
    let me = pos.me;
    let before = pos.hands[me].n;
    let Some(first) = next_lay(pos, true, policy) else { return };
    let mut after = *pos;
    after.lay(&first);
    lay_all(&mut after, true, policy);
    let left = i32::from(after.hands[me].n);
    let other = i32::from(pos.hands[1 - me].n);
    let stock = i32::from(pos.stocked()) / 8;
    if left < 2 {
        let mut ended = after;
        if let Some(last) = after.hand().kinds().next() {
            ended.discard(last);
        }
        let lead = guessed_lead(&ended, me).clamp(-400, 400) / 50;
        let facts =
            [1, stock, other, i32::from(other >= CANASTRA as i32), lead, i32::from(before), 0, 0, 0, 0, 0];
        if policy.says(Choice::Out, &facts) {
            *pos = after;
        } else {
            lay_all(pos, false, policy);
        }
        return;
    }
    let points = (after.table_points(me) - pos.table_points(me)) / 5;
    let lead = guessed_lead(pos, me).clamp(-400, 400) / 50;
    let many = i32::from(left >= CANASTRA as i32);
    let twos = pos.hand().twos() as i32 - after.hand().twos() as i32;
    let facts = [
        1,
        i32::from(before),
        left,
        many,
        other,
        i32::from(other < 4),
        stock,
        points,
        lead,
        twos,
        i32::from(pos.melds(me).is_empty()),
    ];
    if !policy.says(Choice::Hold, &facts) {
        *pos = after;
    }
}

fn lay_all(pos: &mut FastPosition, out: bool, policy: &mut impl RolloutPolicy) {
    while !pos.over
        && let Some(lay) = next_lay(pos, out, policy)
    {
        pos.lay(&lay);
    }
}

/// The next cards to lay down. If `out` is false, two cards stay in the hand.
fn next_lay(pos: &FastPosition, out: bool, policy: &mut impl RolloutPolicy) -> Option<Lay> {
    let sound = |lay: Lay| if out { Some(lay) } else { shorter(pos, lay) };
    best_join(pos)
        .and_then(sound)
        .or_else(|| best_run(pos).and_then(sound))
        .or_else(|| wild_lay(pos, policy).and_then(sound))
}

/// A lay with a wild card, if the policy wants one.
fn wild_lay(pos: &FastPosition, policy: &mut impl RolloutPolicy) -> Option<Lay> {
    let hand = pos.hand();
    let twos = hand.twos();
    if twos == 0 {
        return None;
    }
    let (own, other) = (i32::from(hand.n), i32::from(pos.hands[1 - pos.me].n));
    let clean = |run: &&Run| run.wild == NONE && run.len() < CANASTRA;
    let melds = pos.melds(pos.me);
    let pressed = i32::from(own >= CANASTRA as i32 && pos.stocked() < PRESSING);
    let joins = melds.iter().enumerate().filter(|(_, run)| clean(run)).filter_map(|(i, run)| {
        let wild = hand.wild(usize::from(run.suit))?;
        run.with(0, wild)?;
        Some((run.len(), Lay { target: i as u8, suit: run.suit, places: 0, wild }))
    });
    let finishing = i32::from(own as u32 <= twos.min(joins.clone().count() as u32) + 1);
    let join = joins.max_by_key(|(len, _)| *len);
    let pair = pair(pos);
    if join.is_none() && pair.is_none() {
        return None;
    }
    let lead = guessed_lead(pos, pos.me).clamp(-400, 400) / 50;
    let stock = i32::from(pos.stocked()) / 8;
    if let Some((len, lay)) = join {
        let canastra = i32::from(len + 1 == CANASTRA);
        let facts = [
            1,
            len as i32,
            own,
            other,
            stock,
            twos as i32,
            pressed,
            finishing,
            canastra,
            lead,
            i32::from(pair.is_some()),
        ];
        if policy.says(Choice::Join, &facts) {
            return Some(lay);
        }
    }
    let lay = pair?;
    let short = i32::from((3..=4).contains(&own));
    let facts = [
        1,
        own,
        other,
        stock,
        twos as i32,
        pressed,
        short,
        melds.len() as i32,
        lead,
        pos.pile().len() as i32 / 4,
        i32::from(own >= CANASTRA as i32),
    ];
    policy.says(Choice::Pair, &facts).then_some(lay)
}

/// The kinds of cards in the hand, the least worth keeping first.
pub fn discards(pos: &FastPosition) -> Vec<u8> {
    let mut cards = Vec::new();
    weigh(pos, |card, keep| cards.push((keep, card)));
    cards.sort_unstable();
    cards.into_iter().map(|(_, card)| card).collect()
}

/// Calls `each` with every kind of card in the hand and the worth of keeping it.
fn weigh(pos: &FastPosition, mut each: impl FnMut(u8, i32)) {
    let hand = *pos.hand();
    let weights = &WEIGHTS.keep[phase(&hand)];
    for suit in (0..4).filter(|suit| hand.one[*suit] != 0) {
        let around = SuitSurroundings::of(pos, suit, &hand);
        for rank in bits(hand.one[suit]) {
            let facts = facts(pos, &around, rank);
            let keep: i32 = facts.iter().zip(weights).map(|(fact, weight)| fact * weight).sum();
            each(suit as u8 * RANKS + rank, keep + weights[LOOKS + usize::from(rank)]);
        }
    }
}

/// The facts about a card other than its rank.
pub fn facts(pos: &FastPosition, around: &SuitSurroundings, rank: u8) -> [i32; LOOKS] {
    let hand = pos.hand();
    let twice = bit(hand.two[around.suit], rank as i8) > 0;
    let ends: &[i8] = if rank == 0 { &[0, RANKS as i8] } else { &[rank as i8] };
    let mut facts = [0; LOOKS];
    let (mut danger, mut sure) = (0, 0);
    for place in ends {
        for (a, b) in AROUND.map(|(a, b)| (place + a, place + b)) {
            if a < 0 || b > RANKS as i8 {
                continue;
            }
            let outs = |p| bit(around.any, p) + bit(around.both, p);
            match (bit(around.held, a), bit(around.held, b)) {
                (1, 1) => facts[0] += 1,
                (0, 0) => {}
                (1, 0) => facts[3 - outs(b) as usize] += 1,
                _ => facts[3 - outs(a) as usize] += 1,
            }
            let risk = |p| outs(p) + 2 * bit(around.known, p);
            danger += risk(a) * risk(b);
            sure += bit(around.known, a) * bit(around.known, b);
        }
        for step in [-1, 1] {
            let gap = place + step;
            if bit(around.melds, place + 2 * step) > 0 && bit(around.melds, gap) == 0 {
                facts[4] += bit(around.any, gap) + bit(around.both, gap);
            }
            facts[11] |= bit(around.theirs, gap);
        }
    }
    facts[5] = i32::from(twice);
    let points = match rank {
        0 => 3,
        2..=6 => 1,
        _ => 2,
    };
    let late = i32::from(pos.stocked()) < 20 || i32::from(pos.hands[1 - pos.me].n) < 5;
    facts[6] = points;
    facts[7] = if late { points } else { 0 };
    facts[8] = i32::from(rank == 1);
    let pile = (pos.pile().len() as i32).min(20);
    facts[9] = danger * (pile + 3) / 16;
    facts[10] = danger / 4;
    facts[12] = facts[11] * pile / 4;
    facts[13] = sure * pile / 4;
    facts[14] = bit(around.gone, rank as i8);
    facts
}

/// The surroundings of a suit's cards, as masks of places.
pub struct SuitSurroundings {
    /// The suit, 0 to 3.
    pub suit: usize,
    /// Held by the seat.
    held: u16,
    /// At least one copy is unseen.
    any: u16,
    /// Both copies are unseen.
    both: u16,
    /// Known to be in the other hand.
    known: u16,
    /// In an own meld.
    melds: u16,
    /// In a meld of the other seat.
    theirs: u16,
    /// A copy is public.
    gone: u16,
}

impl SuitSurroundings {
    /// The surroundings of a suit for the seat to move.
    pub fn of(pos: &FastPosition, suit: usize, hand: &HandMasks) -> Self {
        let (any, both) = unseen(pos, pos.me, suit);
        let melds = pos.melds(pos.me).iter().filter(|run| usize::from(run.suit) == suit);
        Self {
            suit,
            held: hand.places(suit),
            any,
            both,
            known: pos.known[1 - pos.me].places(suit),
            melds: melds.fold(0, |all, run| all | run.places),
            theirs: pos
                .melds(1 - pos.me)
                .iter()
                .filter(|run| usize::from(run.suit) == suit)
                .fold(0, |all, run| all | run.places),
            gone: pos.public.one[suit] & !hand.two[suit],
        }
    }
}
