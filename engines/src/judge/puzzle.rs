//! Puzzles: positions of a judged match in which one move is clearly better than all others. Both the position and its proof follow
//! from what the seat to move could know.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::value::{Valuer, Worlds, mean, standard_error};
use super::{JudgeError, JudgeHost, JudgedDecision, MatchAnalysis, MatchToJudge, rounded};
use crate::erased::{AnyGame, MoveText, Position};
use crate::game::{Seat, Viewer};
use crate::search::Limits;

/// What every wrong move of a puzzle loses at least, of the expected score: as much as a mistake.
pub const PUZZLE_MARGIN: f64 = 0.10;
/// A move that loses less than this is as good as the best one.
pub const PUZZLE_SAME: f64 = 0.01;
/// The margin of a wrong move is greater than this many standard errors of its loss.
const SURE: f64 = 2.0;
/// The numbers of moves that a puzzle can have. Between two moves, a guess is right too often; the upper bound limits the cost of a proof.
const MOVES: std::ops::RangeInclusive<usize> = 3..=64;
/// At most one of this many moves is right.
const RIGHT_OF: usize = 3;

/// A move of a puzzle with its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProvenMove {
    /// The move.
    #[serde(flatten)]
    pub mv: MoveText,
    /// The expected score of the seat to move with this move, 0 to 1.
    pub value: f64,
    /// Whether it solves the puzzle: it is the engine's move, or loses less than 1 point of winning probability beside it.
    pub right: bool,
}

/// A puzzle that was found in a match.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPuzzle {
    /// Moves of the match made before it.
    pub ply: u32,
    /// The seat to move.
    pub seat: Seat,
    /// The view of that seat.
    pub position: Value,
    /// The move that was made in the match, which is wrong.
    pub played: MoveText,
    /// All moves that the game lists for the position, the engine's first, then by value.
    pub moves: Vec<ProvenMove>,
}

/// Finds the puzzles of a match among its decisions that lost [`PUZZLE_MARGIN`] or more, and of these the `most` costliest. The moves of
/// a decision are valued as [`judge`](super::judge) does; a decision is given up at the first move that is neither right nor wrong.
///
/// # Errors
/// See [`JudgeError`]; the analysis must be that of the match.
pub fn find_puzzles(
    game: &dyn AnyGame,
    finished: &MatchToJudge,
    analysis: &MatchAnalysis,
    most: usize,
    host: &mut dyn JudgeHost,
) -> Result<Vec<FoundPuzzle>, JudgeError> {
    let chosen = candidates(&analysis.decisions, most);
    let mut table = game.restore(&finished.played.dealt)?;
    let mut found = Vec::new();
    for (ply, played) in finished.played.moves.iter().enumerate() {
        if let Some((decision, best)) = chosen.iter().find(|(one, _)| one.ply as usize == ply) {
            let view = table.view(Viewer::Seat(decision.seat));
            let position = view.to_json();
            let worlds = Worlds::of(game, &*view, &finished.seed)?;
            let mut valuer =
                Valuer { host: &mut *host, seed: &finished.seed, nodes: analysis.nodes, seat: decision.seat };
            if let Some(moves) = prove(&mut valuer, view, &worlds, best)? {
                let JudgedDecision { ply, seat, played, .. } = (*decision).clone();
                found.push(FoundPuzzle { ply, seat, position, played, moves });
            }
            host.judged(analysis.decisions.len());
        }
        table.play(played.seat, &played.notation)?;
    }
    Ok(found)
}

/// The decisions that may become puzzles, each with its best move.
fn candidates(decisions: &[JudgedDecision], most: usize) -> Vec<(&JudgedDecision, &MoveText)> {
    let mut lost: Vec<_> = decisions
        .iter()
        .filter(|one| !one.penalty)
        .filter_map(|one| one.value.as_ref().map(|value| (value.loss, one, &value.best)))
        .filter(|(loss, ..)| *loss >= PUZZLE_MARGIN)
        .collect();
    lost.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.ply.cmp(&b.1.ply)));
    lost.into_iter().take(most).map(|(_, one, best)| (one, best)).collect()
}

/// The values of all listed moves if `best` is clearly better than all that are not as good; otherwise `None`.
fn prove(
    valuer: &mut Valuer<'_>,
    view: Box<dyn Position>,
    worlds: &Worlds,
    best: &MoveText,
) -> Result<Option<Vec<ProvenMove>>, JudgeError> {
    let mut others = view.legal_moves();
    if !MOVES.contains(&others.len()) || !others.iter().any(|mv| mv.notation == best.notation) {
        return Ok(None);
    }
    others.retain(|mv| mv.notation != best.notation);
    // A move that comes close to the best one is usually among those that the engine ranks highest.
    let ranked = ranking(valuer, view, others.len())?;
    others.sort_by_key(|mv| {
        ranked.iter().position(|notation| *notation == mv.notation).unwrap_or(ranked.len())
    });
    let values = valuer.values(worlds, &best.notation)?;
    let mut proven = vec![ProvenMove { mv: best.clone(), value: rounded(mean(&values)), right: true }];
    let most_right = (others.len() + 1) / RIGHT_OF;
    for mv in others {
        let other = valuer.values(worlds, &mv.notation)?;
        let losses: Vec<f64> = values.iter().zip(&other).map(|(best, other)| best - other).collect();
        let loss = mean(&losses);
        let right = loss.abs() < PUZZLE_SAME;
        let wrong = loss >= PUZZLE_MARGIN && loss > SURE * standard_error(&losses, loss);
        proven.push(ProvenMove { mv, value: rounded(mean(&other)), right });
        if !right && !wrong || proven.iter().filter(|one| one.right).count() > most_right {
            return Ok(None);
        }
    }
    proven[1..].sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.mv.notation.cmp(&b.mv.notation)));
    Ok(Some(proven))
}

/// The moves that the engine ranks, the best first.
fn ranking(valuer: &mut Valuer<'_>, view: Box<dyn Position>, most: usize) -> Result<Vec<String>, JudgeError> {
    let limits = Limits { candidates: most + 1, ..valuer.limits(&*view, valuer.nodes) };
    let decision = valuer.host.think(view, limits)?;
    Ok(decision.candidates.into_iter().map(|one| one.mv.notation).collect())
}
