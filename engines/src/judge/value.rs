//! The value of a move by what its seat can know: the mean over matches that could be the one it sees. Both moves that are
//! compared are valued in the same matches, with the same budget and the same random numbers.

use serde_json::Value;

use super::class::MoveClass;
use super::{JudgeError, JudgeHost, MoveValue, rounded};
use crate::erased::{AnyGame, AnyTable, EngineDecision, MoveText, Position, fingerprint};
use crate::game::{Outcome, Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};
use crate::search::Limits;

/// How many matches are drawn for a seat that does not see everything.
const WORLDS: usize = 16;
/// How many plies are played on at most to reach a position whose value for the seat is known.
const FARTHEST: u32 = 24;

/// Matches that could be the one that a seat sees, before its decision.
pub(super) struct Worlds(Vec<Box<dyn AnyTable>>);

/// What tells two matches apart: the view of the seat to move, or the outcome.
#[derive(PartialEq)]
enum Sight {
    View(Seat, Value),
    Over(Option<Outcome>),
}

impl Sight {
    fn of(table: &dyn AnyTable) -> Self {
        match table.turn() {
            Turn::Of(seat) => Self::View(seat, table.view(Viewer::Seat(seat)).to_json()),
            Turn::Over => Self::Over(table.outcome()),
        }
    }
}

impl Worlds {
    /// Draws the matches for this view. One is enough where everybody sees everything.
    pub(super) fn of(game: &dyn AnyGame, view: &dyn Position, seed: &Seed) -> Result<Self, JudgeError> {
        let mut rng = Rng::stream(seed, fingerprint(&view.to_json()));
        let count = if game.info().perfect_information { 1 } else { WORLDS };
        let drawn = (0..count).map(|_| view.guess(&rng.seed()));
        Ok(Self(drawn.collect::<Result<_, _>>()?))
    }

    /// The matches after this move.
    fn after(&self, seat: Seat, notation: &str) -> Result<Vec<Box<dyn AnyTable>>, JudgeError> {
        let mut tables: Vec<_> = self.0.iter().map(|world| world.fork()).collect();
        for table in &mut tables {
            table.play(seat, notation)?;
        }
        Ok(tables)
    }

    /// Whether the move brought chance or hidden cards into play. `now`: the real match after it.
    pub(super) fn drawn_by(
        &self,
        seat: Seat,
        notation: &str,
        now: &dyn AnyTable,
    ) -> Result<bool, JudgeError> {
        let real = Sight::of(now);
        Ok(self.after(seat, notation)?.iter().any(|table| Sight::of(&**table) != real))
    }
}

/// What a move was worth beside one that is held to be better.
pub(super) struct ComparedMoves {
    /// The value with the better of both.
    before: f64,
    /// What the move lost, at least 0.
    pub loss: f64,
    /// Whether the other one is better.
    is_better: bool,
}

/// Values the moves of one decision.
pub(super) struct Valuer<'a> {
    pub host: &'a mut dyn JudgeHost,
    pub seed: &'a Seed,
    /// The budget for the value of one move.
    pub nodes: u64,
    /// The seat that decides.
    pub seat: Seat,
}

/// A match in a place of a list of values.
type Placed = (usize, Box<dyn AnyTable>);

impl Valuer<'_> {
    /// What the decision was worth; `None`: the seat had no choice.
    pub(super) fn decision(
        &mut self,
        view: Box<dyn Position>,
        worlds: &Worlds,
        played: &MoveText,
    ) -> Result<Option<MoveValue>, JudgeError> {
        if is_only_move(&*view, played) {
            return Ok(None);
        }
        let EngineDecision { mv: best, line, .. } = self.think(view, self.nodes)?;
        let ComparedMoves { before, loss, is_better } =
            self.compare(worlds, &best.notation, &played.notation)?;
        let (best, line) = match is_better || best.notation == played.notation {
            true => (best, line),
            false => (played.clone(), Vec::new()),
        };
        Ok(Some(MoveValue { before, after: before - loss, loss, class: MoveClass::of(loss), best, line }))
    }

    /// Values a move against one that is held to be better, in the same matches.
    pub(super) fn compare(
        &mut self,
        worlds: &Worlds,
        best: &str,
        played: &str,
    ) -> Result<ComparedMoves, JudgeError> {
        let values = self.values(worlds, played)?;
        let after = rounded(mean(&values));
        let as_good = ComparedMoves { before: after, loss: 0.0, is_better: false };
        if best == played {
            return Ok(as_good);
        }
        let others = self.values(worlds, best)?;
        let gains: Vec<f64> = others.iter().zip(&values).map(|(best, played)| best - played).collect();
        let gain = mean(&gains);
        if gain <= standard_error(&gains, gain) {
            return Ok(as_good);
        }
        let before = rounded(mean(&others));
        Ok(ComparedMoves { before, loss: rounded(before - after).max(0.0), is_better: true })
    }

    /// The value for the seat after this move, in each of the matches.
    pub(super) fn values(&mut self, worlds: &Worlds, notation: &str) -> Result<Vec<f64>, JudgeError> {
        let tables = worlds.after(self.seat, notation)?;
        let mut values = vec![0.0; tables.len()];
        self.settle(tables.into_iter().enumerate().collect(), 0, &mut values)?;
        Ok(values)
    }

    /// Writes the values of these matches. Those that look alike to the seat to move share one search.
    fn settle(&mut self, tables: Vec<Placed>, depth: u32, values: &mut [f64]) -> Result<(), JudgeError> {
        let mut groups: Vec<(Sight, Vec<Placed>)> = Vec::new();
        for (place, table) in tables {
            let sight = Sight::of(&*table);
            match groups.iter_mut().find(|(other, _)| *other == sight) {
                Some((_, group)) => group.push((place, table)),
                None => groups.push((sight, vec![(place, table)])),
            }
        }
        for (sight, group) in groups {
            match sight {
                Sight::Over(outcome) => {
                    let score = outcome.map_or(0.0, |outcome| outcome.score(self.seat));
                    group.iter().for_each(|(place, _)| values[*place] = score);
                }
                Sight::View(mover, _) => self.settle_group(mover, group, depth, values)?,
            }
        }
        Ok(())
    }

    /// Writes the values of matches that look alike to `mover`, who is to move.
    fn settle_group(
        &mut self,
        mover: Seat,
        mut group: Vec<Placed>,
        depth: u32,
        values: &mut [f64],
    ) -> Result<(), JudgeError> {
        let (view, seats) = (group[0].1.view(Viewer::Seat(mover)), group[0].1.seats());
        let moves = view.legal_moves();
        let reply = match &moves[..] {
            [only] if depth < FARTHEST && view.check(&only.notation).is_ok() => only.notation.clone(),
            _ => {
                let share = (self.nodes * group.len() as u64 / values.len() as u64).max(1);
                let decision = self.think(view, share)?;
                // An engine that decides by a rule alone has no opinion of the value.
                let is_known = !decision.line.is_empty() || decision.depth > 0;
                // Of two seats, always when the turn is the other's: the best of many noisy values is too high, so a move that keeps
                // the turn would look better than one that ends it.
                let is_wanted = (mover == self.seat) != (seats == 2);
                if depth >= FARTHEST || (is_known && is_wanted) {
                    let value = match decision.value {
                        value if mover == self.seat => value,
                        value => (1.0 - value) / f64::from(seats.max(2) - 1),
                    };
                    group.iter().for_each(|(place, _)| values[*place] = value);
                    return Ok(());
                }
                decision.mv.notation
            }
        };
        for (_, table) in &mut group {
            table.play(mover, &reply)?;
        }
        self.settle(group, depth + 1, values)
    }

    /// Lets the engine decide within this budget.
    pub(super) fn think(
        &mut self,
        view: Box<dyn Position>,
        nodes: u64,
    ) -> Result<EngineDecision, JudgeError> {
        let limits = self.limits(&*view, nodes);
        self.host.think(view, limits)
    }

    /// The limits of a search of this position. The same position always gets the same random numbers.
    pub(super) fn limits(&self, view: &dyn Position, nodes: u64) -> Limits {
        let seed = Rng::stream(self.seed, fingerprint(&view.to_json())).seed();
        Limits { nodes: Some(nodes), seed, ..Limits::default() }
    }
}

/// Whether the rules allow no other move.
fn is_only_move(view: &dyn Position, played: &MoveText) -> bool {
    matches!(&view.legal_moves()[..], [only] if only.notation == played.notation)
}

/// The mean of these values; 0 of none.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The standard error of the mean of these values; 0 of a single one.
pub(super) fn standard_error(values: &[f64], mean: f64) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt()
}
