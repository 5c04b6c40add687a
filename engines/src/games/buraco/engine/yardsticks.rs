//! Two simple players to measure against: the careful greedy one, and the course's example that only draws.

use super::super::rules::{Card, Move};
use super::super::{Buraco, View};
use super::fast::Pos;
use super::policy::{Style, best_take, next_lay, wants, worst_card};
use crate::game::{Seat, Turn, View as _};
use crate::search::{Candidate, Decision, Engine, EngineSpec, Search};

/// The careful greedy player's entry in the game's list.
pub const GREEDY: EngineSpec<Buraco> = EngineSpec {
    name: "greedy",
    version: 1,
    instant: true,
    summary: "Takes the pile when it can, melds all it can, keeps wild cards for canastras, goes out when ahead.",
    make: || Box::new(Greedy),
};

/// The drawer's entry in the game's list.
pub const DRAWER: EngineSpec<Buraco> = EngineSpec {
    name: "drawer",
    version: 1,
    instant: true,
    summary: "The course's example: draws from the stock and discards the same card.",
    make: || Box::new(Drawer),
};

/// The position as the seat to move sees it: the other hand's cards and the stock are unknown, only counted.
pub fn seen(view: &View) -> Pos {
    let me = match view.turn() {
        Turn::Of(seat) => seat,
        Turn::Over => Seat(0),
    };
    let mut pos = Pos::new(view.open(), me.index(), view.hand());
    pos.count_hidden(view.open().hand_size(me.other()), view.open().stock());
    pos
}

/// What the careful greedy player does next.
pub fn greedy_move(pos: &Pos) -> Move {
    if !pos.drawn {
        return best_take(pos)
            .filter(|take| wants(pos, take, Style::CAREFUL))
            .map_or(Move::GetStock, |take| take.command());
    }
    match (next_lay(pos, Style::CAREFUL), worst_card(pos, Style::CAREFUL, || 0)) {
        (Some(lay), _) => lay.command(),
        (None, Some(card)) => Move::Discard { card: Card::from_index(usize::from(card)) },
        (None, None) => Move::GetStock,
    }
}

/// A decision without alternatives.
fn only(mv: Move, search: &mut Search<'_>) -> Decision<Buraco> {
    search.tick();
    let value = 0.5;
    let candidates = vec![Candidate { mv: mv.clone(), value, visits: 1 }];
    Decision { mv, value, candidates, line: Vec::new(), depth: 0 }
}

struct Greedy;

impl Engine<Buraco> for Greedy {
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
