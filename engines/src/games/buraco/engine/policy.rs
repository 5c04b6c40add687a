//! Greedy players, one move at a time: the careful one, which is the baseline `greedy`, and other styles of laying cards
//! down. They look only at their own hand and the open table, although the position holds all cards.

use super::super::rules::{CANASTRA, RANKS, SMALLEST};
use super::position::{FastPosition, Lay, NEW, NONE, PileTaken, Run, TWO, bits};

/// With fewer cards in the stock than this, or in the other hand than [`SHORT_HAND`], a hand of seven is a danger.
const SHORT_STOCK: u8 = 9;
/// See [`SHORT_STOCK`].
const SHORT_HAND: u8 = 4;
/// The careful player spends a wild card on a pile of at least this many cards.
const WORTH_A_WILD: usize = 4;
/// With fewer cards than this in the stock, points in the hand count.
const LATE: u8 = 20;
/// All places of a suit's sequence.
const ALL: u16 = (1 << (RANKS + 1)) - 1;

/// A style of laying cards down.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Joins a wild card to any meld that has none, clean canastras aside.
    pub joins: bool,
    /// Opens melds with two cards and a wild one.
    pub pairs: bool,
    /// Goes out even if that loses.
    pub brave: bool,
}

impl Style {
    /// Keeps wild cards for canastras, for going out, and for getting below seven cards in time.
    pub const CAREFUL: Self = Self { joins: false, pairs: false, brave: false };
    /// Opens melds with wild cards, goes out as soon as it can.
    pub const QUICK: Self = Self { pairs: true, brave: true, ..Self::CAREFUL };
    /// Lays down all it can.
    pub const FREE: Self = Self { joins: true, ..Self::QUICK };
    /// Lays down all it can, but opens no meld with a wild card.
    pub const PLAIN: Self = Self { joins: true, brave: true, ..Self::CAREFUL };
}

/// The unbroken stretch of `places` around `place`.
fn stretch(places: u16, place: u8) -> u16 {
    let mut run = 1 << place;
    loop {
        let wider = run | ((run << 1 | run >> 1) & places);
        if wider == run {
            return run;
        }
        run = wider;
    }
}

/// The stretch, without one end if it needs two aces and there is only one.
fn one_ace(run: u16, aces: u32) -> u16 {
    let high = 1 << RANKS;
    if run & 1 != 0 && run & high != 0 && aces < 2 { run & !high } else { run }
}

/// The best new meld with the pile's top card: the longest natural one, or else one with a wild card.
pub fn best_take(pos: &FastPosition) -> Option<PileTaken> {
    let top = *pos.pile().last()?;
    let (suit, rank) = (top / RANKS, top % RANKS);
    let hand = pos.hand();
    let held = hand.places(usize::from(suit));
    let ends: &[u8] = if rank == 0 { &[RANKS, 0] } else { &[rank] };
    let aces = hand.count(suit * RANKS) + u32::from(rank == 0);
    let natural = ends.iter().map(|place| {
        let places = one_ace(stretch(held | 1 << place, *place), aces);
        // An ace that fell off one end may have been the top card itself.
        if places >> place & 1 == 0 { 0 } else { places }
    });
    let places = natural.max_by_key(|p| p.count_ones())?;
    if places.count_ones() as usize >= SMALLEST {
        return Some(PileTaken { suit, places, wild: NONE, top });
    }
    let wild = hand.wild(usize::from(suit))?;
    let pairs = ends.iter().filter(|_| rank != 1).flat_map(|place| {
        let near = (0b11011u32 << place >> 2) as u16 & held & ALL & !TWO & !(1 << place);
        bits(near).map(move |other| 1 << place | 1 << other)
    });
    // An ace at both ends would be the same card twice.
    pairs.filter(|p| *p != 1 | 1 << RANKS).min().map(|places| PileTaken { suit, places, wild, top })
}

/// The careful player's whole turn, or the rest of it.
pub fn careful_turn(pos: &mut FastPosition) {
    if !pos.drawn {
        match best_take(pos).filter(|take| wants(pos, take)) {
            Some(take) => pos.take(&take),
            None => pos.draw(),
        }
    }
    while !pos.over
        && let Some(lay) = next_lay(pos, Style::CAREFUL)
    {
        pos.lay(&lay);
    }
    if !pos.over
        && let Some(card) = worst_card(pos)
    {
        pos.discard(card);
    }
}

/// Whether the careful player takes the pile in this way.
pub fn wants(pos: &FastPosition, take: &PileTaken) -> bool {
    let other = pos.hands[1 - pos.me].n;
    if pos.stocked() == 0 {
        return guessed_lead(pos, pos.me) <= 0;
    }
    if take.wild == NONE {
        other > 1 || pos.pile().len() < 6
    } else {
        pos.pile().len() >= WORTH_A_WILD && other > 2
    }
}

/// The next cards to lay down, if any: joins, then natural runs, then wild cards that pay.
pub fn next_lay(pos: &FastPosition, style: Style) -> Option<Lay> {
    best_join(pos)
        .and_then(|lay| sound(pos, lay, style))
        .or_else(|| best_run(pos).and_then(|lay| sound(pos, lay, style)))
        .or_else(|| wild_lay(pos, style).and_then(|lay| sound(pos, lay, style)))
}

/// Whether no natural 2 has become wild.
fn stays_clean(before: &Run, after: &Run) -> bool {
    before.wild != NONE || after.wild == NONE
}

/// The join of natural cards that gives the longest meld.
pub fn best_join(pos: &FastPosition) -> Option<Lay> {
    let hand = pos.hand();
    let joins = pos.melds(pos.me).iter().enumerate().filter_map(|(i, run)| {
        let held = hand.places(usize::from(run.suit)) & !run.places;
        let mut aces = hand.count(run.suit * RANKS);
        let mut grown = *run;
        let mut added = 0;
        while let Some((place, next)) = bits(held & !grown.places)
            .filter(|p| aces > 0 || p % RANKS != 0)
            .find_map(|p| Some((p, grown.with(1 << p, NONE).filter(|next| stays_clean(&grown, next))?)))
        {
            aces -= u32::from(place % RANKS == 0);
            added |= 1 << place;
            // A wild 2 of the suit may have turned natural, and its place must not be filled by another.
            grown = next;
        }
        // One card at a time, the ace may have changed its end; all at once, the cards must fit as well.
        (added != 0 && run.with(added, NONE).is_some_and(|run| stays_clean(&grown, &run)))
            .then_some((grown.len(), Lay { target: i as u8, suit: run.suit, places: added, wild: NONE }))
    });
    joins.max_by_key(|(len, _)| *len).map(|(_, lay)| lay)
}

/// The longest natural run in the hand.
pub fn best_run(pos: &FastPosition) -> Option<Lay> {
    let hand = pos.hand();
    let runs = (0..4u8).filter_map(|suit| {
        let held = hand.places(usize::from(suit));
        let mut starts = held & held >> 1 & held >> 2;
        let mut best = 0u16;
        while starts != 0 {
            let run = stretch(held, starts.trailing_zeros() as u8);
            starts &= !run;
            let run = one_ace(run, hand.count(suit * RANKS));
            if run.count_ones() > best.count_ones() {
                best = run;
            }
        }
        (best != 0).then_some(Lay { target: NEW, suit, places: best, wild: NONE })
    });
    runs.max_by_key(Lay::len)
}

/// A lay with a wild card, if it pays: to make a canastra, to go out, or to get below seven cards in time.
fn wild_lay(pos: &FastPosition, style: Style) -> Option<Lay> {
    let hand = pos.hand();
    let twos = hand.twos();
    if twos == 0 {
        return None;
    }
    let clean = |run: &&Run| run.wild == NONE && run.len() < CANASTRA;
    let melds = pos.melds(pos.me);
    let pressed = usize::from(hand.n) > CANASTRA - 1
        && (pos.stocked() < SHORT_STOCK || pos.hands[1 - pos.me].n < SHORT_HAND);
    let joins = melds.iter().enumerate().filter(|(_, run)| clean(run)).filter_map(|(i, run)| {
        let wild = hand.wild(usize::from(run.suit))?;
        run.with(0, wild)?;
        Some((run.len(), Lay { target: i as u8, suit: run.suit, places: 0, wild }))
    });
    let finishing = u32::from(hand.n) <= twos.min(joins.clone().count() as u32) + 1;
    let join = joins.max_by_key(|(len, _)| *len);
    match join {
        Some((len, lay)) if style.joins || pressed || finishing || len + 1 == CANASTRA => return Some(lay),
        _ => {}
    }
    let pair_goes_out = (3..=4).contains(&hand.n);
    if style.pairs || pressed || pair_goes_out { pair(pos) } else { None }
}

/// Two cards of the hand and a wild card as a new meld.
pub fn pair(pos: &FastPosition) -> Option<Lay> {
    let hand = pos.hand();
    (0..4u8).find_map(|suit| {
        let wild = hand.wild(usize::from(suit))?;
        let held = hand.places(usize::from(suit)) & !TWO;
        let near = [1, 2].into_iter().find_map(|d| {
            let low = held & held >> d;
            (low != 0).then(|| low & low.wrapping_neg()).map(|low| low | low << d)
        })?;
        Some(Lay { target: NEW, suit, places: near, wild })
    })
}

/// The lay, made smaller or given up if it would force the player to go out and lose.
fn sound(pos: &FastPosition, lay: Lay, style: Style) -> Option<Lay> {
    if style.brave || goes_out_ahead(pos, &lay) { Some(lay) } else { shorter(pos, lay) }
}

/// The lay, made smaller or given up if it would leave fewer than two cards.
pub fn shorter(pos: &FastPosition, mut lay: Lay) -> Option<Lay> {
    let n = pos.hand().n;
    let least = if lay.target == NEW { SMALLEST as u8 } else { 1 };
    while n - lay.len() < 2 {
        if lay.len() <= least || lay.places == 0 {
            return None;
        }
        lay.places &= !(1 << (15 - lay.places.leading_zeros()));
    }
    let runs_on = match lay.target {
        NEW => Run { places: 0, suit: lay.suit, wild: NONE }.with(lay.places, lay.wild),
        i => pos.melds(pos.me)[usize::from(i)].with(lay.places, lay.wild),
    };
    runs_on.map(|_| lay)
}

fn goes_out_ahead(pos: &FastPosition, lay: &Lay) -> bool {
    if pos.hand().n - lay.len() > 1 {
        return true;
    }
    let mut after = *pos;
    after.lay(lay);
    if let Some(last) = after.hand().kinds().next() {
        after.discard(last);
    }
    guessed_lead(&after, pos.me) > 0
}

/// A seat's lead as it can estimate it: the other hand is unseen, and its cards count eight points each.
pub fn guessed_lead(pos: &FastPosition, me: usize) -> i32 {
    let other = &pos.hands[1 - me];
    let guess = 8 * i32::from(other.n) + if usize::from(other.n) < CANASTRA { 0 } else { 170 };
    pos.lead(me) - other.cost() + guess
}

/// The worth of keeping a card for the careful player: its chances in the hand, less its cost there, plus the danger that
/// the other seat could use it to take the pile.
fn keep(pos: &FastPosition, card: u8, open: &[u16; 4]) -> i32 {
    let (suit, rank) = (usize::from(card / RANKS), card % RANKS);
    if rank == 1 {
        return 40;
    }
    let hand = pos.hand();
    let held = u32::from(hand.places(suit));
    let gone = u32::from(open[suit]);
    let ends: &[u8] = if rank == 0 { &[0, RANKS] } else { &[rank] };
    let twice = hand.count(card) > 1;
    let mut value = 0;
    let mut danger = 0;
    for place in ends {
        let at = |mask: u32, places: u32| ((mask << 2 >> place) & places).count_ones() as i32;
        value = value.max(4 * at(held, 0b01010) + 2 * at(held, 0b10001));
        danger += 4 - at(held | gone, 0b11011);
    }
    value -= if twice { 4 } else { 0 };
    let late = pos.stocked() < LATE || pos.hands[1 - pos.me].n < 5;
    let cost = if late { if rank == 0 { 3 } else { i32::from(rank > 6) * 2 } } else { 0 };
    value + danger * (pos.pile().len().min(16) as i32) / 24 - cost
}

/// By suit the ranks that lie in a meld of either seat.
fn melded(pos: &FastPosition) -> [u16; 4] {
    let mut open = [0; 4];
    for run in (0..2).flat_map(|seat| pos.melds(seat)) {
        open[usize::from(run.suit)] |= run.places;
    }
    open
}

/// The careful player's discard: the card least worth keeping.
pub fn worst_card(pos: &FastPosition) -> Option<u8> {
    let open = melded(pos);
    pos.hand().kinds().min_by_key(|card| keep(pos, *card, &open))
}
