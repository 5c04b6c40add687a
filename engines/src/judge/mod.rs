//! The judge of finished matches: what each decision was worth by what its seat could know, and what made the result. It asks
//! an engine with budgets of nodes only, so the same match is judged alike on every machine.

mod account;
mod class;
mod puzzle;
mod report;
mod value;

pub use account::{JudgedSeat, MatchEnd, ScoreAccount};
pub use class::{MoveClass, accuracy};
pub use puzzle::{FoundPuzzle, PUZZLE_MARGIN, PUZZLE_SAME, ProvenMove, find_puzzles};
pub use report::report;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::erased::{AnyGame, EngineDecision, FinishedMatch, FinishedMove, MoveText, Position, Refusal};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::Seed;
use crate::search::{Limits, Patient};
use value::{Valuer, Worlds};

/// Version of the judge's own rules. It changes whenever the same match and engine may be judged differently.
pub const JUDGE_VERSION: u32 = 1;

/// How many decisions [`MatchAnalysis::costliest`] names at most.
const COSTLIEST: usize = 3;

/// A finished match, and what its analysis needs beside the moves.
#[derive(Clone, Debug)]
pub struct MatchToJudge {
    /// The match.
    pub played: FinishedMatch,
    /// The seed from which all random numbers of the analysis come.
    pub seed: Seed,
    /// The end; `None` if the match has no result.
    pub end: Option<MatchEnd>,
}

/// The analysis of a finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatchAnalysis {
    /// Name and version of the engine.
    pub engine: String,
    /// Version of the judge's own rules.
    pub judge: u32,
    /// The nodes by which each move was valued, in the engine's own measure.
    pub nodes: u64,
    /// All moves of the match, in order.
    pub decisions: Vec<JudgedDecision>,
    /// The seats, in order.
    pub seats: Vec<JudgedSeat>,
    /// The plies of the decisions that lost most, the costliest first: at most three, each an inaccuracy or worse.
    pub costliest: Vec<u32>,
}

/// A move of the match, and what the judge says about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedDecision {
    /// Moves made before it.
    pub ply: u32,
    /// The seat that moved.
    pub seat: Seat,
    /// The move.
    pub played: MoveText,
    /// The phase of the match, as the game names it.
    pub phase: String,
    /// The kind of the move, as the game names it.
    pub kind: String,
    /// Whether the move is a penalty that replaced the seat's own.
    pub penalty: bool,
    /// Whether chance or hidden cards came into play after it: the next seat to move sees what this one could not foresee.
    pub drawn: bool,
    /// What the move was worth; `null`: the seat had no choice.
    pub value: Option<MoveValue>,
}

/// What a decision was worth. Values are expected scores of its seat, by what the seat could know: 0 to 1, a win is 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoveValue {
    /// The value with the best move.
    pub before: f64,
    /// The value with the move that was made.
    pub after: f64,
    /// `before - after`, at least 0.
    pub loss: f64,
    /// The class of this loss.
    pub class: MoveClass,
    /// The best move: the engine's, or the move that was made if the engine's is not better.
    pub best: MoveText,
    /// The moves that the engine expects, the best move first. Empty if it has no expectation.
    pub line: Vec<MoveText>,
}

/// The reason why there is no analysis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The match contradicts the game, or the engine failed.
    #[error("{0}")]
    Refused(Refusal),
    /// The host stopped the analysis.
    #[error("the analysis was stopped: {0}")]
    Stopped(String),
}

impl From<Refusal> for JudgeError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The host of an analysis: it runs the searches.
pub trait JudgeHost {
    /// Lets the game's default engine decide within these limits, which are nodes. The search must not end earlier.
    ///
    /// # Errors
    /// [`JudgeError::Stopped`] ends the analysis.
    fn think(&mut self, position: Box<dyn Position>, limits: Limits) -> Result<EngineDecision, JudgeError>;
    /// Called when this many moves are judged.
    fn judged(&mut self, moves: usize);
}

/// A host that runs the searches on the caller's thread, and calls a function with the number of moves that are judged.
pub struct LocalJudgeHost<F>(pub F);

impl<F: FnMut(usize)> JudgeHost for LocalJudgeHost<F> {
    fn think(&mut self, position: Box<dyn Position>, limits: Limits) -> Result<EngineDecision, JudgeError> {
        Ok(position.think(None, limits, &Patient)?)
    }

    fn judged(&mut self, moves: usize) {
        (self.0)(moves);
    }
}

/// Judges every decision of a match. `nodes`: the budget for the value of one move, at least 1; a decision costs at most three
/// such budgets, and more where moves are played on: further moves of the turn, and replies of more than one other seat.
///
/// # Errors
/// See [`JudgeError`].
pub fn judge(
    game: &dyn AnyGame,
    finished: &MatchToJudge,
    nodes: u64,
    host: &mut dyn JudgeHost,
) -> Result<MatchAnalysis, JudgeError> {
    let mut table = game.restore(&finished.played.dealt)?;
    let seats = table.seats();
    let mut decisions = Vec::with_capacity(finished.played.moves.len());
    for FinishedMove { seat, notation, mistake, .. } in &finished.played.moves {
        let (seat, played) = (*seat, table.move_text(notation)?);
        let view = table.view(Viewer::Seat(seat));
        let worlds = Worlds::of(game, &*view, &finished.seed)?;
        let ply = table.ply();
        let label = view.label(&played.notation)?;
        table.play(seat, &played.notation)?;
        let drawn = worlds.drawn_by(seat, &played.notation, &*table)?;
        let mut valuer = Valuer { host: &mut *host, seed: &finished.seed, nodes, seat };
        let value = valuer.decision(view, &worlds, &played)?;
        decisions.push(JudgedDecision {
            ply,
            seat,
            played,
            phase: label.phase.to_owned(),
            kind: label.kind.to_owned(),
            penalty: mistake.is_some(),
            drawn,
            value,
        });
        host.judged(decisions.len());
    }
    Ok(MatchAnalysis {
        engine: game.engines().first().map(|e| format!("{} {}", e.name, e.version)).unwrap_or_default(),
        judge: JUDGE_VERSION,
        nodes,
        seats: account::summaries(seats, &decisions, finished.end.as_ref()),
        costliest: costliest(&decisions),
        decisions,
    })
}

/// The move whose loss is asked for.
#[derive(Clone, Copy, Debug)]
pub struct MoveToJudge<'m> {
    /// The move.
    pub played: &'m str,
    /// A move that is held to be best; `None`: the engine's own.
    pub best: Option<&'m str>,
    /// The budget for the value of one move.
    pub nodes: u64,
    /// The seed from which all random numbers come.
    pub seed: &'m Seed,
}

/// The loss of a move in a position, which is the view of the seat to move. Both moves are valued as [`judge`] does.
///
/// # Errors
/// See [`JudgeError`]; the moves must be legal.
pub fn loss_of(
    game: &dyn AnyGame,
    view: Box<dyn Position>,
    asked: MoveToJudge,
    host: &mut dyn JudgeHost,
) -> Result<f64, JudgeError> {
    view.askable()?;
    let Turn::Of(seat) = view.turn() else { return Ok(0.0) };
    let played = view.check(asked.played)?.notation;
    let best = asked.best.map(|best| view.check(best)).transpose()?;
    let worlds = Worlds::of(game, &*view, asked.seed)?;
    let mut valuer = Valuer { host, seed: asked.seed, nodes: asked.nodes, seat };
    let best = match best {
        Some(best) => best,
        None => valuer.think(view, asked.nodes)?.mv,
    };
    Ok(valuer.compare(&worlds, &best.notation, &played)?.loss)
}

/// The plies of the costliest decisions.
fn costliest(decisions: &[JudgedDecision]) -> Vec<u32> {
    let lost = |one: &JudgedDecision| {
        one.value.as_ref().filter(|value| value.class >= MoveClass::Inaccuracy).map(|value| value.loss)
    };
    let mut all: Vec<(f64, u32)> = decisions.iter().filter_map(|one| Some((lost(one)?, one.ply))).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().take(COSTLIEST).map(|(_, ply)| ply).collect()
}

/// A value with four decimals, so that small differences between machines' libraries do not show.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests;
