//! Alpha-beta search for two-player games of perfect information (Knuth and Moore, "An analysis of alpha-beta pruning", 1975),
//! by iterative deepening. All numbers are whole, so that it decides alike on every machine.

use std::cmp::Reverse;

use super::handicap;
use crate::game::{Game, State};
use crate::perfect_information::{PerfectInformationGame, PublicState, PublicView};
use crate::search::{Candidate, Decision, Engine, Level, Search};

/// An engine that searches.
pub struct AlphaBeta<G: Game> {
    /// What an unfinished state is worth for the seat to move, from -999 (nearly lost) to 999 (nearly won).
    pub estimate: fn(&G::State) -> i32,
    /// The handicap of each level.
    pub strength: fn(Level) -> Strength,
}

/// The handicap of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// The most plies that it looks ahead, at least 1.
    pub depth: u32,
    /// The share of slips, 0 to 1: decisions in which every legal move is equally likely.
    pub slips: f64,
}

/// The score of a won match before the plies until its end are taken off, so that a quick win is better than a late one.
const WON: i32 = 1_000_000;
/// Scores beyond this one are won matches.
const PROVEN: i32 = WON - 1_000;
/// The score of an estimate of 1.
const UNIT: i32 = 1_000;

impl<G: PerfectInformationGame> Engine<G> for AlphaBeta<G> {
    /// A node is a position reached by a move.
    fn choose(&mut self, view: &PublicView<G>, search: &mut Search<'_>) -> Decision<G> {
        let strength = (self.strength)(search.limits().level);
        let mut tree = Tree::<G> { estimate: self.estimate, search, cut: false };
        let mut moves = Vec::new();
        view.state().moves(&mut moves);
        let mut ranked: Vec<Ranked<G>> =
            moves.into_iter().map(|mv| Ranked { score: 0, line: vec![mv.clone()], mv }).collect();
        let mut depth = 0;
        while depth < strength.depth {
            // A depth that was not finished does not count.
            let Some(deeper) = tree.rank(view.state(), &ranked, depth + 1) else { break };
            (ranked, depth) = (deeper, depth + 1);
            if tree.search.is_asked() {
                tree.search.tell(&decision(&ranked, 0, depth));
            }
            if !tree.cut || ranked.iter().take(1).any(|best| best.score.abs() > PROVEN) {
                break;
            }
        }
        let choice = handicap::choose(&candidates(&ranked), strength.slips, search.rng());
        decision(&ranked, choice, depth)
    }
}

/// A move of the seat to move, with its score and the best play from it on.
struct Ranked<G: Game> {
    mv: G::Move,
    score: i32,
    line: Vec<G::Move>,
}

fn candidates<G: Game>(ranked: &[Ranked<G>]) -> Vec<Candidate<G::Move>> {
    let value = |score: i32| match score {
        score if score.abs() > PROVEN => f64::from(u8::from(score > 0)),
        score => 0.5 + f64::from(score) / f64::from(2 * WON),
    };
    ranked.iter().map(|one| Candidate { mv: one.mv.clone(), value: value(one.score), visits: 0 }).collect()
}

fn decision<G: Game>(ranked: &[Ranked<G>], choice: usize, depth: u32) -> Decision<G> {
    let (candidates, Ranked { mv, line, .. }) = (candidates(ranked), &ranked[choice]);
    let value = candidates[choice].value;
    Decision { mv: mv.clone(), value, candidates, line: line.clone(), depth }
}

/// A search in progress.
struct Tree<'a, 'h, G: Game> {
    estimate: fn(&G::State) -> i32,
    search: &'a mut Search<'h>,
    /// Whether the last depth ended a line before the end of the match.
    cut: bool,
}

impl<G: PerfectInformationGame> Tree<'_, '_, G> {
    /// The moves, best first, looking this many plies ahead. Each has a window of its own: analysis shows all their values, and
    /// a slip chooses among them. `None`: the search must end.
    fn rank(&mut self, state: &G::State, moves: &[Ranked<G>], depth: u32) -> Option<Vec<Ranked<G>>> {
        self.cut = false;
        let mut ranked = Vec::with_capacity(moves.len());
        for Ranked { mv, .. } in moves {
            let mut line = Vec::new();
            let score = self.after(state, mv, depth, 1, (-WON, WON), &mut line)?;
            line.insert(0, mv.clone());
            ranked.push(Ranked { mv: mv.clone(), score, line });
        }
        ranked.sort_by_key(|one| Reverse(one.score));
        Some(ranked)
    }

    /// The score of a move for the seat that makes it. `ply`: of the position after it. `line`: becomes the best play after it.
    fn after(
        &mut self,
        state: &G::State,
        mv: &G::Move,
        depth: u32,
        ply: i32,
        (alpha, beta): (i32, i32),
        line: &mut Vec<G::Move>,
    ) -> Option<i32> {
        if !self.search.tick() {
            return None;
        }
        let mut next = state.clone();
        next.play(mv);
        if next.to_move() == state.to_move() {
            return self.score(&next, depth - 1, ply, (alpha, beta), line);
        }
        self.score(&next, depth - 1, ply, (-beta, -alpha), line).map(|score| -score)
    }

    /// The score of a position for the seat to move.
    fn score(
        &mut self,
        state: &G::State,
        depth: u32,
        ply: i32,
        (mut alpha, beta): (i32, i32),
        line: &mut Vec<G::Move>,
    ) -> Option<i32> {
        line.clear();
        if let Some(outcome) = state.outcome() {
            // A win is 1, a draw 0, a loss -1.
            let result = (2.0 * outcome.score(state.to_move()) - 1.0) as i32;
            return Some(result * (WON - ply.min(UNIT - 1)));
        }
        if depth == 0 {
            self.cut = true;
            return Some((self.estimate)(state).clamp(-999, 999) * UNIT);
        }
        let (mut moves, mut below) = (Vec::new(), Vec::new());
        state.moves(&mut moves);
        let mut best = -WON;
        for mv in moves {
            let score = self.after(state, &mv, depth, ply + 1, (alpha, beta), &mut below)?;
            if score > best {
                best = score;
                line.clear();
                line.push(mv);
                line.append(&mut below);
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }
}
