//! The options of the seat to move: ways to draw, or a whole rest of a turn (cards laid down, then a discard).

use super::super::View;
use super::super::rules::{CANASTRA, Card, Meld, Move};
use super::exact::richest;
use super::habits::discards;
use super::policy::{Style, next_lay};
use super::position::{FastPosition, Lay, NEW, NONE, PileTaken, Run};
use crate::game::View as _;

/// Maximum number of discards considered after one way to meld: those least worth keeping.
const DISCARDS: usize = 9;
/// Maximum number of lays in a turn that are considered one by one.
const LAYS: usize = 8;

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TurnPlan {
    /// Draw from the stock.
    Draw,
    /// Take the pile.
    Take(PileTaken),
    /// Lay these cards down, then discard; no card if the hand is empty by then.
    Turn { lays: Vec<Lay>, discard: Option<u8> },
}

impl TurnPlan {
    /// The command that begins it.
    pub(super) fn command(&self) -> Move {
        match self {
            Self::Draw => Move::GetStock,
            Self::Take(take) => take.command(),
            Self::Turn { lays, discard } => match (lays.first(), discard) {
                (Some(lay), _) => lay.command(),
                (None, Some(card)) => Move::Discard { card: Card::from_index(usize::from(*card)) },
                (None, None) => unreachable!("an empty hand is the end of the match"),
            },
        }
    }

    /// All its commands, as far as they are known before a card is drawn.
    pub(super) fn commands(&self) -> Vec<Move> {
        let Self::Turn { lays, discard } = self else { return vec![self.command()] };
        let discard = discard.map(|card| Move::Discard { card: Card::from_index(usize::from(card)) });
        lays.iter().map(|lay| lay.command()).chain(discard).collect()
    }

    pub(super) fn play(&self, pos: &mut FastPosition) {
        match self {
            Self::Draw => pos.draw(),
            Self::Take(take) => pos.take(take),
            Self::Turn { lays, discard } => {
                lays.iter().for_each(|lay| pos.lay(lay));
                if let Some(card) = discard {
                    pos.discard(*card);
                }
            }
        }
    }
}

/// The plans to consider: at least one, each with a different result. `stop` is called now and then: `true` ends
/// the enumeration, which for a large hand takes longer than a short search.
pub(super) fn plans(view: &View, pos: &FastPosition, stop: &mut dyn FnMut() -> bool) -> Vec<TurnPlan> {
    if pos.drawn { turns(pos, stop) } else { draws(view) }
}

fn draws(view: &View) -> Vec<TurnPlan> {
    let Some(top) = view.open().pile().last() else { return vec![TurnPlan::Draw] };
    let mut listed = Vec::new();
    view.legal(&mut listed);
    let takes = listed.iter().filter_map(|mv| {
        let Move::GetDiscard { cards } = mv else { return None };
        let run = Run::of(&Meld::new(&[&[*top], &cards[..]].concat())?);
        Some(PileTaken { suit: run.suit, places: run.places, wild: run.wild, top: top.index() as u8 })
    });
    let mut takes: Vec<PileTaken> = takes.collect();
    // Natural melds first, then long ones; more ways to spend wild cards add little.
    takes.sort_by_key(|t| (t.wild != NONE, std::cmp::Reverse(t.places.count_ones())));
    takes.truncate(10);
    [TurnPlan::Draw].into_iter().chain(takes.into_iter().map(TurnPlan::Take)).collect()
}

/// A way to meld: the lays and the position after them.
struct MeldOption {
    pos: FastPosition,
    lays: Vec<Lay>,
}

impl MeldOption {
    fn none(pos: &FastPosition) -> Self {
        Self { pos: *pos, lays: Vec::new() }
    }

    fn lay(&mut self, lay: Lay) {
        self.pos.lay(&lay);
        self.lays.push(lay);
    }

    /// Goes on as the greedy player would.
    fn go_on(mut self, style: Style, allowed: impl Fn(&Lay) -> bool) -> Self {
        while !self.pos.over
            && let Some(lay) = next_lay(&self.pos, style).filter(&allowed)
        {
            self.lay(lay);
        }
        self
    }

    fn same(&self, other: &Self) -> bool {
        let sorted = |way: &Self| {
            let mut runs = way.pos.melds(way.pos.me).to_vec();
            runs.sort_unstable();
            runs
        };
        self.pos.hand() == other.pos.hand() && sorted(self) == sorted(other)
    }
}

fn turns(pos: &FastPosition, stop: &mut dyn FnMut() -> bool) -> Vec<TurnPlan> {
    ways(pos, stop).iter().flat_map(finish).collect()
}

/// The ways to meld: at least one.
fn ways(pos: &FastPosition, stop: &mut dyn FnMut() -> bool) -> Vec<MeldOption> {
    let mut ways: Vec<MeldOption> = Vec::new();
    let mut add = |way: MeldOption| {
        if !ways.iter().any(|w| w.same(&way)) {
            ways.push(way);
        }
    };
    let usual = MeldOption::none(pos).go_on(Style::QUICK, |_| true);
    let lays = usual.lays.clone();
    add(usual);
    add(MeldOption::none(pos));
    let is_natural: fn(&Lay) -> bool = |lay| lay.wild == NONE;
    let is_join: fn(&Lay) -> bool = |lay| lay.target != NEW;
    let styles = [
        (Style::CAREFUL, None),
        (Style::FREE, None),
        (Style::FREE, Some(is_natural)),
        (Style::CAREFUL, Some(is_join)),
    ];
    for (style, only) in styles {
        if stop() {
            return ways;
        }
        add(MeldOption::none(pos).go_on(style, |lay| only.is_none_or(|only| only(lay))));
    }
    // The number of a meld made in this turn depends on the order of the lays, so a join to it needs all lays before it.
    let known = pos.melds(pos.me).len();
    let is_independent = |lay: &Lay| lay.target == NEW || usize::from(lay.target) < known;
    for i in 0..lays.len().min(LAYS) {
        let chosen = |j: usize, only: bool| (j == i) == only;
        for only in [true, false] {
            if stop() {
                return ways;
            }
            let mut way = MeldOption::none(pos);
            let some = lays.iter().enumerate().filter(|(j, lay)| chosen(*j, only) && is_independent(lay));
            some.for_each(|(_, lay)| {
                if !way.pos.over && way.pos.fits(lay) {
                    way.lay(*lay);
                }
            });
            add(way);
        }
    }
    let mut way = MeldOption::none(pos);
    richest(pos, stop).into_iter().for_each(|lay| way.lay(lay));
    add(way);
    for wild in wild_joins(pos) {
        if stop() {
            break;
        }
        let mut way = MeldOption::none(pos);
        way.lay(wild);
        add(way.go_on(Style::QUICK, |_| true));
    }
    ways
}

/// A wild card joined to each meld that has none and would not lose the bonus of a clean canastra.
fn wild_joins(pos: &FastPosition) -> Vec<Lay> {
    let joins = pos.melds(pos.me).iter().enumerate().filter_map(|(i, run)| {
        let wild = pos.hand().wild(usize::from(run.suit))?;
        if run.wild != NONE || run.len() >= CANASTRA {
            return None;
        }
        run.with(0, wild).map(|_| Lay { target: i as u8, suit: run.suit, places: 0, wild })
    });
    joins.take(LAYS).collect()
}

/// A way to meld with each discard to consider.
fn finish(way: &MeldOption) -> Vec<TurnPlan> {
    let plan = |discard| TurnPlan::Turn { lays: way.lays.clone(), discard };
    if way.pos.over {
        return vec![plan(None)];
    }
    let mut cards = discards(&way.pos);
    cards.truncate(DISCARDS);
    cards.into_iter().map(|card| plan(Some(card))).collect()
}
