//! Fits the move prior, which gives the priors of moves, to the visits of searches. The engine plays against
//! itself, and the priors should predict the moves that its searches tried most.

use engines::game::{State as _, Turn};
use engines::games::azul::Move;
use engines::games::azul::engine::move_prior::{
    COST, DUMP, NUMBERS, SHARE, STAGES, STEP, TAKE_MARKER, stage, step,
};
use engines::games::azul::engine::search::{AzulTree, Guide, TEMPER};
use engines::games::azul::engine::{COLOURS, FLOOR, FLOOR_COST, FLOOR_SLOTS, Position, ROWS};
use engines::rng::{Rng, Seed};
use engines::search_kit::optimizer::{Optimizer, UpdateRule};

use super::{deal, rust_rows};
use crate::budget::TrainArgs;

/// Games unless the arguments say otherwise.
const GAMES: u64 = 700;
/// Iterations for each decision.
const NODES: u32 = 1_500;
const EPOCHS: u32 = 14;
const BATCH: usize = 64;
const RATE: f32 = 0.03;

/// The numbers of a move prior made by hand, from which the fit begins.
const fn by_hand() -> [[i32; NUMBERS]; STAGES] {
    let mut n = [0; NUMBERS];
    let beyond_points = [200, 500, 1000, 2000, 5000, 200, 500, 1200, 2500, 7000, 0, 100, 200, 300, 1700];
    let mut i = 0;
    while i < SHARE {
        n[i] = beyond_points[i];
        i += 1;
    }
    let mut row = 0;
    while row < ROWS {
        let size = row + 1;
        let mut from = 0;
        while from < size {
            let mut to = from + 1;
            while to <= size {
                // A line that is not full has six tenths of its tile's worth, by its tiles.
                let share = if to == size { 1.0 } else { 0.6 * to as f32 / size as f32 };
                let gain = share - 0.6 * from as f32 / size as f32;
                n[SHARE + step(row, from, to)] = (gain * 1_000.0 + 0.5) as i32;
                to += 1;
            }
            from += 1;
        }
        row += 1;
    }
    let mut floor = 1;
    while floor <= FLOOR_SLOTS as usize {
        n[COST + floor - 1] = 1_000 * FLOOR_COST[floor] as i32;
        floor += 1;
    }
    n[TAKE_MARKER] = 1_000;
    n[DUMP] = 300;
    [n; STAGES]
}

/// A move as the move prior sees it.
struct SeenMove {
    mv: Move,
    /// Points of the tile, the numbers added to them, and the step; none for the floor line.
    laid: Option<(f32, [usize; 3], usize)>,
    /// The floor line before and after.
    floor: [u8; 2],
    takes_marker: bool,
    dumped: u8,
}

impl SeenMove {
    fn promise(&self, n: &[f32; NUMBERS]) -> f32 {
        let mut promise = if self.takes_marker { n[TAKE_MARKER] } else { 0.0 };
        let cost = |floor: u8| if floor == 0 { 0.0 } else { n[COST + usize::from(floor) - 1] };
        if let Some((points, parts, step)) = self.laid {
            let worth = points + parts.iter().map(|i| n[*i]).sum::<f32>();
            promise += worth * n[SHARE + step] + n[STEP + step];
        }
        promise - (cost(self.floor[1]) - cost(self.floor[0])) - n[DUMP] * f32::from(self.dumped)
    }

    /// Adds the promise's slope, times `by`.
    fn slope(&self, n: &[f32; NUMBERS], by: f32, out: &mut [f32; NUMBERS]) {
        if self.takes_marker {
            out[TAKE_MARKER] += by;
        }
        if let Some((points, parts, step)) = self.laid {
            let worth = points + parts.iter().map(|i| n[*i]).sum::<f32>();
            out[SHARE + step] += by * worth;
            out[STEP + step] += by;
            parts.iter().for_each(|i| out[*i] += by * n[SHARE + step]);
        }
        for (floor, by) in [(self.floor[1], -by), (self.floor[0], by)] {
            if floor > 0 {
                out[COST + usize::from(floor) - 1] += by;
            }
        }
        out[DUMP] -= by * f32::from(self.dumped);
    }
}

/// All moves, in the move prior's order.
fn seen(position: &Position) -> Vec<SeenMove> {
    let board = &position.boards[position.to_move.index()];
    let mut wall = board.wall;
    for (row, line) in board.lines.iter().enumerate() {
        if usize::from(line.count) > row {
            wall.put(row, usize::from(line.colour));
        }
    }
    let mut moves = Vec::new();
    position.legal(&mut moves);
    let see = |mv: Move| {
        let (colour, row) = (mv.colour.index(), usize::from(mv.line));
        let tiles = position.sources[usize::from(mv.display)][colour];
        let takes_marker = mv.display == 0 && position.marker.is_none();
        let mut surplus = tiles;
        let laid = (mv.line < FLOOR).then(|| {
            let from = usize::from(board.lines[row].count);
            let to = (from + usize::from(tiles)).min(row + 1);
            surplus -= (to - from) as u8;
            let count = |n: u32| n.min(4) as usize;
            let parts = [
                count(wall.in_column((row + colour) % COLOURS)),
                5 + count(wall.of_colour(colour)),
                10 + count(wall.in_row(row)),
            ];
            (f32::from(wall.points(row, colour)), parts, step(row, from, to))
        });
        let floor = [board.floor, (board.floor + u8::from(takes_marker) + surplus).min(FLOOR_SLOTS)];
        SeenMove { mv, laid, floor, takes_marker, dumped: if mv.line == FLOOR { tiles } else { 0 } }
    };
    moves.into_iter().map(see).collect()
}

struct TeacherDecision {
    stage: usize,
    moves: Vec<SeenMove>,
    /// Each move's share of the visits.
    tried: Vec<f32>,
}

/// The decisions of one match. It mostly plays the most visited move, now and then a random one, by its visits.
fn play(game: u64, rng: &mut Rng, nodes: u32, out: &mut Vec<TeacherDecision>) {
    let mut state = deal(1_000_000 + game);
    while let Turn::Of(_) = state.turn() {
        let position = *state.position();
        let mut tree = AzulTree::new(Guide::in_use(), position, rng.next_u64());
        let forced = tree.moves().nth(1).is_none();
        if !forced {
            (0..nodes).for_each(|_| tree.iterate());
        }
        let moves = seen(&position);
        let visits = |s: &SeenMove| tree.moves().find(|e| e.mv == s.mv).map_or(0, |e| e.visits);
        let counts: Vec<u32> = moves.iter().map(visits).collect();
        let all: u32 = counts.iter().sum();
        let chosen = if all > 0 && rng.below(5) == 0 {
            by_visits(&counts, rng.below(all as usize) as u32)
        } else {
            (0..counts.len()).max_by_key(|i| counts[*i]).unwrap_or(0)
        };
        let mv = moves[chosen].mv;
        if !forced {
            let tried = counts.iter().map(|n| *n as f32 / all as f32).collect();
            out.push(TeacherDecision { stage: stage(&position), moves, tried });
        }
        state.play(&mv);
    }
}

/// The place at which the running sum of the counts passes `at`.
fn by_visits(counts: &[u32], mut at: u32) -> usize {
    let here = counts.iter().position(|n| {
        let here = at < *n;
        at = at.saturating_sub(*n);
        here
    });
    here.unwrap_or(0)
}

/// About e^-x, as the search computes it, and its relative rate of decrease.
fn decay(x: f32) -> (f32, f32) {
    let three = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0));
    let four = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0)));
    (1.0 / four, three / four)
}

/// The cross entropy of the visits and the priors; adds its slope to `slope`.
fn learn(n: &[f32; NUMBERS], s: &TeacherDecision, slope: Option<&mut [f32; NUMBERS]>) -> f32 {
    let promises: Vec<f32> = s.moves.iter().map(|m| m.promise(n)).collect();
    let best =
        (0..promises.len()).max_by(|a, b| promises[*a].total_cmp(&promises[*b])).expect("there are promises");
    let priors: Vec<(f32, f32)> = promises.iter().map(|p| decay((promises[best] - p) / TEMPER)).collect();
    let all: f32 = priors.iter().map(|t| t.0).sum();
    if let Some(slope) = slope {
        let mut of_best = 0.0;
        for i in (0..promises.len()).filter(|i| *i != best) {
            let by = priors[i].1 * (priors[i].0 / all - s.tried[i]) / TEMPER;
            of_best -= by;
            s.moves[i].slope(n, by, slope);
        }
        s.moves[best].slope(n, of_best, slope);
    }
    s.tried.iter().zip(&priors).filter(|(t, _)| **t > 0.0).map(|(t, p)| -t * (p.0 / all).ln()).sum()
}

fn error(n: &[f32], lessons: &[TeacherDecision]) -> f32 {
    lessons.iter().map(|s| learn(of_stage(n, s.stage), s, None)).sum::<f32>() / lessons.len().max(1) as f32
}

/// The numbers of a stage.
fn of_stage(n: &[f32], stage: usize) -> &[f32; NUMBERS] {
    n[stage * NUMBERS..(stage + 1) * NUMBERS].try_into().expect("a stage has that many numbers")
}

fn fit(mut n: Vec<f32>, lessons: &[TeacherDecision]) -> Vec<f32> {
    let mut optimizer = Optimizer::new(UpdateRule::Adam { memory: 0.999 }, n.len());
    let mut rate = RATE;
    for _ in 0..EPOCHS {
        for batch in lessons.chunks(BATCH) {
            let mut slope = [[0.0; NUMBERS]; STAGES];
            for s in batch {
                learn(of_stage(&n, s.stage), s, Some(&mut slope[s.stage]));
            }
            // The slope is that of an error, so the weights go down it.
            let gradient: Vec<f32> = slope.as_flattened().iter().map(|s| -s / batch.len() as f32).collect();
            optimizer.step(&mut n, &gradient, rate);
        }
        rate *= 0.75;
    }
    n
}

fn start() -> Vec<f32> {
    by_hand().as_flattened().iter().map(|n| *n as f32 / 1e3).collect()
}

/// The command.
pub(crate) fn run(args: &TrainArgs) -> Result<(), String> {
    let mut budget = args.budget(GAMES);
    let mut rng = Rng::new(&Seed::from(args.seed));
    let mut lessons = Vec::new();
    while let Some(game) = budget.next_game() {
        play(game, &mut rng, NODES, &mut lessons);
    }
    let (held_back, others) = lessons.split_at(lessons.len() / 10);
    let numbers = fit(start(), others);
    let [before, after] = [&start(), &numbers].map(|n| error(n, held_back));
    println!(
        "{} decisions, cross entropy of those held back {before:.4} before, {after:.4} after",
        lessons.len()
    );
    let rows = numbers.chunks(NUMBERS).map(|stage| stage.iter().map(|n| (n * 1e3).round() as i32).collect());
    args.write(rust_rows(rows).as_bytes())
}

#[cfg(test)]
mod tests {
    use engines::games::azul::engine::move_prior::POLICY;
    use engines::games::azul::engine::policy::{Worth, each_move};

    use super::*;

    /// The numbers in use.
    const IN_USE: [[i32; NUMBERS]; STAGES] = include!("../../../src/games/azul/engine/move_prior.txt");

    #[test]
    fn described_moves_have_the_priors_of_the_glance() {
        let mut rng = Rng::new(&Seed::from(4));
        for seed in 0..3 {
            let mut state = deal(seed);
            while let Turn::Of(_) = state.turn() {
                let position = *state.position();
                let (move_prior, numbers) =
                    (&POLICY[stage(&position)], IN_USE[stage(&position)].map(|n| n as f32 / 1e3));
                let worth = Worth::of(move_prior, &position.boards[position.to_move.index()]);
                let mut promised = Vec::new();
                each_move(move_prior, &position, &worth, |mv, promise| promised.push((mv, promise)));
                let described = seen(&position);
                assert_eq!(promised.len(), described.len(), "{position:?}");
                for ((mv, promise), seen) in promised.iter().zip(&described) {
                    let own = seen.promise(&numbers);
                    assert!(*mv == seen.mv && (own - promise).abs() < 1e-3, "{mv}: {own} and {promise}");
                }
                state.play(&rng.pick(&described).unwrap().mv);
            }
        }
    }

    /// A small step along each number changes the error as the slope says.
    #[test]
    fn gradient_matches_the_error() {
        let start = by_hand()[0].map(|n| n as f32 / 1e3);
        let mut lessons = Vec::new();
        play(0, &mut Rng::new(&Seed::from(1)), 300, &mut lessons);
        let sample = &lessons[4];
        let mut slope = [0.0; NUMBERS];
        learn(&start, sample, Some(&mut slope));
        assert!(slope.iter().filter(|s| s.abs() > 1e-4).count() > 10);
        for (i, slope) in slope.iter().enumerate() {
            let at = |by: f32| {
                let mut n = start;
                n[i] += by;
                learn(&n, sample, None)
            };
            let seen = (at(0.05) - at(-0.05)) / 0.1;
            assert!((seen - slope).abs() < 2e-3, "number {i}: {seen} and {slope}");
        }
    }
}
