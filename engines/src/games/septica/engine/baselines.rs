//! Baselines by rule of thumb: `page`, the contest's published solution, and three that lead as it does or more simply. They
//! look only at their own hand and the trick.

use super::super::{Septica, View};
use super::position::{HandCounts, NONE, OpenPosition, Ranks, count, is_point, ranks, to_move};
use crate::search::{Decision, Engine, EngineSpec, Search};

/// A rule of thumb. It gets the position as the mover sees it (the other hand is empty) and a source of random numbers below
/// n.
pub type Rule = fn(&OpenPosition, &mut dyn FnMut(usize) -> usize) -> u8;

/// The entry of `greedy` in the game's list.
pub const GREEDY: EngineSpec<Septica> = EngineSpec {
    name: "greedy",
    version: 1,
    instant: true,
    summary: "Cuts whenever it can, leads and throws worthless cards.",
    make: || Box::new(RuleEngine(greedy)),
};

/// The entry of `page` in the game's list.
pub const PAGE: EngineSpec<Septica> = EngineSpec {
    name: "page",
    version: 1,
    instant: true,
    summary: "The heuristic of the contest's solution page.",
    make: || Box::new(RuleEngine(page)),
};

/// The entry of `points` in the game's list.
pub const POINTS: EngineSpec<Septica> = EngineSpec {
    name: "points",
    version: 1,
    instant: true,
    summary: "Cuts with the led rank, with a 7 only where points lie; leads as “page” does.",
    make: || Box::new(RuleEngine(points)),
};

/// The entry of `page_leads` in the game's list.
pub const PAGE_LEADS: EngineSpec<Septica> = EngineSpec {
    name: "page_leads",
    version: 1,
    instant: true,
    summary: "Leads as “page” does, answers and goes on at random.",
    make: || Box::new(RuleEngine(page_leads)),
};

struct RuleEngine(Rule);

impl Engine<Septica> for RuleEngine {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Septica> {
        search.tick();
        let rank = (self.0)(&OpenPosition::new(view, 0), &mut |n| search.rng().below(n));
        Decision::by_rule(to_move(rank))
    }
}

/// The cut to play from a hand: the led rank rather than a 7, which can cut again later.
pub fn cut(hand: HandCounts, led: u8) -> Option<u8> {
    [led, 0].into_iter().find(|rank| count(hand, *rank) > 0)
}

/// The cheapest cards of a hand: neither points nor 7s; else the 7s, else all.
fn cheapest(hand: HandCounts) -> Ranks {
    const POINTS: HandCounts = 0xf000_f000;
    const SEVENS: HandCounts = 0xf;
    let worthless = hand & !(POINTS | SEVENS);
    let sevens = hand & SEVENS;
    ranks(if worthless > 0 {
        worthless
    } else if sevens > 0 {
        sevens
    } else {
        hand
    })
}

fn any_of(ranks: Ranks, below: &mut dyn FnMut(usize) -> usize) -> u8 {
    let n = ranks.count();
    ranks.clone().nth(below(n.max(1))).unwrap_or(NONE)
}

/// Cuts whenever it can, goes on whenever it can; leads and throws the first of its cheapest cards.
pub fn greedy(position: &OpenPosition, _: &mut dyn FnMut(usize) -> usize) -> u8 {
    let hand = position.hands[position.mover()];
    let cuts = if position.led == NONE { None } else { cut(hand, position.led) };
    if position.led != NONE && !position.answering {
        return cuts.unwrap_or(NONE);
    }
    cuts.or(cheapest(hand).next()).unwrap_or(NONE)
}

/// The lead of the contest's published solution: a 10 or a 14 that it holds, if that rank and the 7s make at least three
/// cards; else a 7 of three; else one of its cheapest cards.
fn page_lead(hand: HandCounts, below: &mut dyn FnMut(usize) -> usize) -> u8 {
    let sevens = count(hand, 0);
    let strong = |rank: &u8| count(hand, *rank) > 0 && count(hand, *rank) + sevens >= 3;
    match [3, 7].iter().find(|rank| strong(rank)) {
        Some(rank) => *rank,
        None if sevens == 3 => 0,
        None => any_of(cheapest(hand), below),
    }
}

/// The contest's published solution. Its text does not say whether to go on and which card to throw. This player goes on
/// while points lie in the trick, and throws a random one of its cheapest cards. It takes "2 or 3 cuts" for an answer to a
/// 10 or a 14 literally: with one or four it does not cut.
pub fn page(position: &OpenPosition, below: &mut dyn FnMut(usize) -> usize) -> u8 {
    let hand = position.hands[position.mover()];
    if position.led == NONE {
        return page_lead(hand, below);
    }
    let sevens = count(hand, 0);
    let cuts = if position.led == 0 { sevens } else { sevens + count(hand, position.led) };
    let wants = if position.answering {
        !is_point(position.led) || matches!(cuts, 2 | 3)
    } else {
        position.stake > 0
    };
    reply(position, cut(hand, position.led).filter(|_| wants), below)
}

/// Cuts with the led rank whenever it can, and with a 7 only if points lie in the trick.
pub fn points(position: &OpenPosition, below: &mut dyn FnMut(usize) -> usize) -> u8 {
    let hand = position.hands[position.mover()];
    if position.led == NONE {
        return page_lead(hand, below);
    }
    let wanted = |rank: &u8| position.stake > 0 || (*rank == position.led && *rank > 0);
    reply(position, cut(hand, position.led).filter(wanted), below)
}

/// Leads as `page` does, and otherwise plays any card.
pub fn page_leads(position: &OpenPosition, below: &mut dyn FnMut(usize) -> usize) -> u8 {
    if position.led == NONE {
        return page_lead(position.hands[position.mover()], below);
    }
    let (mut cards, may_stop) = position.moves();
    let n = cards.count() + usize::from(may_stop);
    cards.nth(below(n.max(1))).unwrap_or(NONE)
}

/// The cut, if there is one to play; else a random one of the cheapest cards as an answer, or the stop.
fn reply(position: &OpenPosition, cut: Option<u8>, below: &mut dyn FnMut(usize) -> usize) -> u8 {
    match cut {
        Some(rank) => rank,
        None if position.answering => any_of(cheapest(position.hands[position.mover()]), below),
        None => NONE,
    }
}
