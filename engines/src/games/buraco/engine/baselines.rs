//! Baselines: the course's example, its simple strategy in four forms, a casual player, and the careful greedy one. They
//! look only at their own hand and the open table.

use super::super::rules::{Card, Move};
use super::super::{Buraco, View};
use super::policy::{Style, best_join, best_run, best_take, next_lay, wants, worst_card};
use super::position::{FastPosition, NONE};
use crate::game::{Seat, Turn, View as _};
use crate::rng::Rng;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Search};

/// The careful greedy player's entry in the game's list.
pub const GREEDY: EngineSpec<Buraco> = EngineSpec {
    name: "greedy",
    version: 2,
    instant: true,
    summary: "Takes the pile when it can, melds all it can, keeps wild cards for canastras, goes out when ahead.",
    make: || Box::new(GreedyBuraco),
};

/// The drawer's entry in the game's list.
pub const DRAWER: EngineSpec<Buraco> = EngineSpec {
    name: "drawer",
    version: 1,
    instant: true,
    summary: "The course's example: draws from the stock and discards the same card.",
    make: || Box::new(Drawer),
};

/// The entry of the simple strategy with two states in the game's list.
pub const SIMPLE2: EngineSpec<Buraco> = EngineSpec {
    name: "simple2",
    version: 1,
    instant: true,
    summary: "The course's simple strategy with two states: draws from the stock, lays down natural runs.",
    make: || Box::new(Simple { joins: false, takes: false, throws: loneliest }),
};

/// The entry of the simple strategy with three states in the game's list.
pub const SIMPLE3: EngineSpec<Buraco> = EngineSpec {
    name: "simple3",
    version: 1,
    instant: true,
    summary: "The course's simple strategy with three states at its best: takes the pile, joins, keeps neighbours.",
    make: || Box::new(Simple { joins: true, takes: true, throws: loneliest }),
};

/// The entry of the simple strategy with three states, which never takes the pile, in the game's list.
pub const SIMPLE3_STOCK: EngineSpec<Buraco> = EngineSpec {
    name: "simple3_stock",
    version: 1,
    instant: true,
    summary: "As simple3, but draws from the stock alone.",
    make: || Box::new(Simple { joins: true, takes: false, throws: loneliest }),
};

/// The entry of the simple strategy with three states and no thought for discards in the game's list.
pub const SIMPLE3_PLAIN: EngineSpec<Buraco> = EngineSpec {
    name: "simple3_plain",
    version: 1,
    instant: true,
    summary: "The course's simple strategy with three states in outline: draws from the stock, throws any card but a 2.",
    make: || Box::new(Simple { joins: true, takes: false, throws: careless }),
};

/// The casual player's entry in the game's list.
pub const CASUAL: EngineSpec<Buraco> = EngineSpec {
    name: "casual",
    version: 2,
    instant: true,
    summary: "Random with sense: lays down runs, joins what fits, takes the pile now and then, discards any card.",
    make: || Box::new(CasualBuraco),
};

/// The position as the seat to move sees it: only the sizes of the other hand and the stock are known.
pub(super) fn seen(view: &View) -> FastPosition {
    let me = match view.turn() {
        Turn::Of(seat) => seat,
        Turn::Over => Seat(0),
    };
    let mut pos = FastPosition::new(view.open(), me.index(), view.hand());
    pos.count_hidden(view.open().hand_size(me.other()), view.open().stock());
    pos
}

/// The next move of the careful greedy player.
pub(super) fn greedy_move(pos: &FastPosition) -> Move {
    if !pos.drawn {
        return best_take(pos).filter(|take| wants(pos, take)).map_or(Move::GetStock, |take| take.command());
    }
    match (next_lay(pos, Style::CAREFUL), worst_card(pos)) {
        (Some(lay), _) => lay.command(),
        (None, Some(card)) => Move::Discard { card: Card::from_index(usize::from(card)) },
        (None, None) => Move::GetStock,
    }
}

/// The next move of the casual player.
pub(super) fn casual_move(view: &View, rng: &mut Rng) -> Move {
    let pos = seen(view);
    if !pos.drawn {
        let fancied = rng.below(2) == 0;
        let take = best_take(&pos).filter(|take| fancied && take.wild == NONE);
        return take.map_or(Move::GetStock, |take| take.command());
    }
    if let Some(lay) = next_lay(&pos, Style::PLAIN) {
        return lay.command();
    }
    careless(view.hand(), rng).map_or(Move::GetStock, |card| Move::Discard { card })
}

/// A decision without alternatives.
fn only(mv: Move, search: &mut Search<'_>) -> Decision<Buraco> {
    search.tick();
    let value = 0.5;
    let candidates = vec![Candidate { mv: mv.clone(), value, visits: 1 }];
    Decision { mv, value, candidates, line: Vec::new(), depth: 0 }
}

struct GreedyBuraco;

impl Engine<Buraco> for GreedyBuraco {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Buraco> {
        only(greedy_move(&seen(view)), search)
    }
}

struct Drawer;

impl Engine<Buraco> for Drawer {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Buraco> {
        let last = view.hand().last().copied();
        let mv = match last {
            Some(card) if view.open().drawn() => Move::Discard { card },
            _ => Move::GetStock,
        };
        only(mv, search)
    }
}

/// The simple strategy, which ignores wild cards, the danger of the pile and the end of the match.
struct Simple {
    /// Whether it joins cards to melds: the strategy with three states.
    joins: bool,
    /// Whether it takes the pile if that forms a natural run.
    takes: bool,
    /// Chooses the discard.
    throws: fn(&[Card], &mut Rng) -> Option<Card>,
}

impl Engine<Buraco> for Simple {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Buraco> {
        let pos = seen(view);
        if !pos.drawn {
            let take = best_take(&pos).filter(|take| self.takes && take.wild == NONE);
            return only(take.map_or(Move::GetStock, |take| take.command()), search);
        }
        let lay = best_run(&pos).or_else(|| best_join(&pos).filter(|_| self.joins));
        if let Some(lay) = lay {
            return only(lay.command(), search);
        }
        let card = (self.throws)(view.hand(), search.rng());
        only(card.map_or(Move::GetStock, |card| Move::Discard { card }), search)
    }
}

/// The newest card that is no 2 and has no neighbour of its suit in the hand; if there is none, the newest that is no 2.
fn loneliest(hand: &[Card], _: &mut Rng) -> Option<Card> {
    let next = |a: u8, b: u8| a.abs_diff(b) == 1 || a.abs_diff(b) == 12;
    let lonely = |card: &&Card| {
        !hand.iter().any(|other| other.suit() == card.suit() && next(card.rank(), other.rank()))
    };
    let plain = || hand.iter().rev().filter(|card| card.rank() != 2);
    plain().find(lonely).or_else(|| plain().next()).or(hand.last()).copied()
}

/// Any card but a 2; a 2 if there is nothing else.
fn careless(hand: &[Card], rng: &mut Rng) -> Option<Card> {
    let plain: Vec<Card> = hand.iter().filter(|card| card.rank() != 2).copied().collect();
    rng.pick(&plain).or(hand.last()).copied()
}

struct CasualBuraco;

impl Engine<Buraco> for CasualBuraco {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Buraco> {
        only(casual_move(view, search.rng()), search)
    }
}
