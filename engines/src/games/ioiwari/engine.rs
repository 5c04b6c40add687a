//! The exact solver. The value of the rest of a match depends only on the seven pits. So all searches share one table of
//! all boards, which they fill as they reach them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI8, Ordering};

use super::rules::{FULL, Move, PITS, Pits, sow};
use super::{Ioiwari, View};
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};

/// The engine's entry in the game's list.
pub(super) const SPEC: EngineSpec<Ioiwari> = EngineSpec {
    name: "ioiwari",
    version: 2,
    instant: true,
    summary: "Perfect play: every position is solved to its end.",
    make: || Box::new(IoiwariEngine),
};

/// The mark of a board that is not solved yet; no margin is that low.
const UNKNOWN: i8 = i8::MIN;

/// The best margin (own beads minus the opponent's, from here on) for the seat to move, at most 20 either way.
/// Relaxed loads and stores are enough: every thread writes the same value for a board.
pub(super) fn margin(pits: &Pits) -> i8 {
    static TABLE: OnceLock<Vec<AtomicI8>> = OnceLock::new();
    let boards = usize::from(FULL + 1).pow(PITS as u32);
    solve(pits, TABLE.get_or_init(|| (0..boards).map(|_| AtomicI8::new(UNKNOWN)).collect()))
}

fn solve(pits: &Pits, table: &[AtomicI8]) -> i8 {
    let board = pits.iter().fold(0, |n, p| n * usize::from(FULL + 1) + usize::from(*p));
    let known = table[board].load(Ordering::Relaxed);
    if known != UNKNOWN {
        return known;
    }
    let after = (0..PITS).filter(|pit| pits[*pit] > 0).map(|pit| {
        let (gain, next) = sown(pits, pit);
        gain - solve(&next, table)
    });
    let best = after.max().unwrap_or(0);
    table[board].store(best, Ordering::Relaxed);
    best
}

/// The moves with their margins under best play, best first; equal ones in the order of their pits.
pub(super) fn ranked(pits: &Pits) -> Vec<(Move, i8)> {
    let mut moves: Vec<_> = (1..=PITS as u8)
        .filter(|pit| pits[usize::from(pit - 1)] > 0)
        .map(|pit| {
            let (gain, next) = sown(pits, usize::from(pit - 1));
            (Move { pit }, gain - margin(&next))
        })
        .collect();
    moves.sort_by_key(|(mv, margin)| (-margin, mv.pit));
    moves
}

/// The mover's immediate gain by sowing a pit (the beads it takes minus those it gives away), and the pits afterwards.
fn sown(pits: &Pits, pit: usize) -> (i8, Pits) {
    let mut next = *pits;
    let [own, other] = sow(&mut next, pit);
    (own as i8 - other as i8, next)
}

/// The moves that give away at most one bead more than they take; if there is none, those that lose least. They are in
/// the order of their pits. Empty when the match is over.
pub(super) fn sensible(pits: &Pits) -> Vec<Move> {
    let moves = (1..=PITS as u8).filter(|pit| pits[usize::from(pit - 1)] > 0).map(|pit| Move { pit });
    let gains: Vec<(Move, i8)> = moves.map(|mv| (mv, sown(pits, usize::from(mv.pit - 1)).0)).collect();
    let enough = gains.iter().map(|(_, gain)| *gain).max().unwrap_or(0).min(-1);
    gains.into_iter().filter(|(_, gain)| *gain >= enough).map(|(mv, _)| mv).collect()
}

/// The entry of `sensible` in the game's list.
pub(super) const SENSIBLE: EngineSpec<Ioiwari> = EngineSpec {
    name: "sensible",
    version: 1,
    instant: true,
    summary: "Any move that gives away at most one bead more than it takes, each equally likely.",
    make: || Box::new(Sensible),
};

struct Sensible;

impl Engine<Ioiwari> for Sensible {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Ioiwari> {
        search.tick();
        let moves = sensible(&view.state().pits);
        let mv = *search.rng().pick(&moves).expect("an engine is asked only where there is a move");
        Decision::by_rule(mv)
    }
}

struct IoiwariEngine;

/// The share of a level's moves that are perfect; the others are sensible moves at random.
fn perfect_share(level: Level) -> f64 {
    match level {
        Level::Easy => 0.0,
        Level::Medium => 0.35,
        Level::Hard => 0.7,
        Level::Max => 1.0,
    }
}

/// This move, and best play of both sides to the end.
fn line(mut pits: Pits, mv: Move) -> Vec<Move> {
    let mut line = vec![mv];
    sow(&mut pits, usize::from(mv.pit - 1));
    while let Some((mv, _)) = ranked(&pits).first() {
        line.push(*mv);
        sow(&mut pits, usize::from(mv.pit - 1));
    }
    line
}

impl Engine<Ioiwari> for IoiwariEngine {
    /// A node is a move looked up. The whole decision takes microseconds, so it never reaches a limit.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Ioiwari> {
        let (pits, lead) = (view.state().pits, view.state().lead());
        let worth = |margin: i8| match (lead + margin).signum() {
            1 => 1.0,
            0 => 0.5,
            _ => 0.0,
        };
        let candidates: Vec<_> = ranked(&pits)
            .into_iter()
            .map(|(mv, margin)| {
                search.tick();
                Candidate { mv, value: worth(margin), visits: 1 }
            })
            .collect();
        let share = perfect_share(search.limits().level);
        let perfect = search.rng().unit() < share;
        let other = if perfect { None } else { search.rng().pick(&sensible(&pits)).copied() };
        let chosen = candidates.iter().find(|c| Some(c.mv) == other).unwrap_or(&candidates[0]);
        let (mv, value) = (chosen.mv, chosen.value);
        // Every move takes at least one bead off the board, and the line reaches the end.
        let plies = pits.iter().map(|beads| u32::from(*beads)).sum();
        Decision { mv, value, depth: plies, line: line(pits, mv), candidates }
    }
}
