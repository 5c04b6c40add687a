//! Makes the numbers of the policy's glance, from what searches of the engine against itself tried most. Not run with the
//! tests, but for the check that moves are described as the glance sees them; the README has the command.

use indicatif::ProgressIterator;

use super::*;
use crate::games::azul::engine::{
    COST, DUMP, Glance, Guide, NUMBERS, Noise, POLICY, SHARE, STAGES, STEP, TAKE_MARKER, Tree, Weights,
    Worth, each_move, policy, stage, step,
};
use crate::games::azul::rules::{COLOURS, FLOOR, FLOOR_COST, FLOOR_SLOTS, ROWS};

/// Matches, and playouts a decision.
const MATCHES: u64 = 700;
const NODES: u32 = 1_500;
const EPOCHS: u32 = 14;
const BATCH: usize = 64;
/// The temper of the teacher's priors, in which the glance is to show what was tried.
const TEMPER: f32 = 4.0;

type Glances = [[f32; NUMBERS]; STAGES];

/// A glance by hand, from which the fit begins.
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

/// The glance by hand.
pub static BY_HAND: [Glance; STAGES] = policy(&by_hand());

/// What teaches: the search before there was a fitted glance, with the outlook it had.
static TEACHER: Guide = {
    static OUTLOOK: Weights = include!("first_outlook.txt");
    Guide { policy: &BY_HAND, outlook: &OUTLOOK, temper: TEMPER, spread: 3.0, explore: 0.8 }
};

/// A move as the glance sees it.
struct Seen {
    mv: Move,
    /// Points of the tile, the numbers added to them, and the step; none for the floor line.
    laid: Option<(f32, [usize; 3], usize)>,
    /// The floor line before and after.
    floor: [u8; 2],
    takes_marker: bool,
    dumped: u8,
}

impl Seen {
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

/// All moves, in the glance's order.
fn seen(position: &Position) -> Vec<Seen> {
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
        Seen { mv, laid, floor, takes_marker, dumped: if mv.line == FLOOR { tiles } else { 0 } }
    };
    moves.into_iter().map(see).collect()
}

/// A decision of the teacher.
struct Sample {
    stage: usize,
    moves: Vec<Seen>,
    /// Each move's share of the visits.
    tried: Vec<f32>,
}

fn samples(matches: u64) -> Vec<Sample> {
    let mut samples = Vec::new();
    for game in (0..matches).progress_count(matches) {
        let mut state = deal(1_000_000 + game);
        let mut rng = Rng::new(&Seed::from(game));
        while let Turn::Of(_) = state.turn() {
            let position = *state.position();
            let mut tree = Tree::new(&TEACHER, position, Noise::new(rng.next_u64()));
            let forced = tree.moves().len() < 2;
            if !forced {
                (0..NODES).for_each(|_| tree.play());
            }
            let moves = seen(&position);
            let visits = |s: &Seen| tree.moves().iter().find(|e| e.mv == s.mv).map_or(0, |e| e.visits);
            let counts: Vec<u32> = moves.iter().map(visits).collect();
            let all: u32 = counts.iter().sum();
            // Mostly what was tried most; now and then anything, as often as it was tried.
            let chosen = if all > 0 && rng.below(5) == 0 {
                let mut left = rng.below(all as usize) as u32;
                let here = counts.iter().position(|n| {
                    let here = left < *n;
                    left = left.saturating_sub(*n);
                    here
                });
                here.unwrap()
            } else {
                (0..counts.len()).max_by_key(|i| counts[*i]).unwrap()
            };
            let mv = moves[chosen].mv;
            if !forced {
                let tried = counts.iter().map(|n| *n as f32 / all as f32).collect();
                samples.push(Sample { stage: stage(&position), moves, tried });
            }
            state.play(&mv);
        }
    }
    samples
}

/// About e^-x, as the search has it, and by how much of itself it falls.
fn trust(x: f32) -> (f32, f32) {
    let three = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0));
    let four = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0)));
    (1.0 / four, three / four)
}

/// Cross entropy of what was tried and the priors; its slope is added to `slope`.
fn learn(n: &[f32; NUMBERS], s: &Sample, slope: Option<&mut [f32; NUMBERS]>) -> f32 {
    let promises: Vec<f32> = s.moves.iter().map(|m| m.promise(n)).collect();
    let best = (0..promises.len()).max_by(|a, b| promises[*a].total_cmp(&promises[*b])).unwrap();
    let trusts: Vec<(f32, f32)> = promises.iter().map(|p| trust((promises[best] - p) / TEMPER)).collect();
    let all: f32 = trusts.iter().map(|t| t.0).sum();
    if let Some(slope) = slope {
        let mut of_best = 0.0;
        for i in (0..promises.len()).filter(|i| *i != best) {
            let by = trusts[i].1 * (trusts[i].0 / all - s.tried[i]) / TEMPER;
            of_best -= by;
            s.moves[i].slope(n, by, slope);
        }
        s.moves[best].slope(n, of_best, slope);
    }
    s.tried.iter().zip(&trusts).filter(|(t, _)| **t > 0.0).map(|(t, p)| -t * (p.0 / all).ln()).sum()
}

fn error(n: &Glances, samples: &[Sample]) -> f32 {
    samples.iter().map(|s| learn(&n[s.stage], s, None)).sum::<f32>() / samples.len() as f32
}

/// Adam (Kingma and Ba, 2015).
fn fit(mut n: Glances, samples: &[Sample]) -> Glances {
    let (mut mean, mut square) = ([[0.0f32; NUMBERS]; STAGES], [[0.0f32; NUMBERS]; STAGES]);
    let (mut fades, mut fades_late, mut rate) = (1.0f32, 1.0f32, 0.03f32);
    for _ in 0..EPOCHS {
        for batch in samples.chunks(BATCH) {
            fades *= 0.9;
            fades_late *= 0.999;
            let mut slope = [[0.0; NUMBERS]; STAGES];
            for s in batch {
                learn(&n[s.stage], s, Some(&mut slope[s.stage]));
            }
            for (i, slope) in slope.as_flattened().iter().enumerate() {
                let slope = slope / batch.len() as f32;
                let (m, v) = (&mut mean.as_flattened_mut()[i], &mut square.as_flattened_mut()[i]);
                *m = 0.9 * *m + 0.1 * slope;
                *v = 0.999 * *v + 0.001 * slope * slope;
                let step = rate * (*m / (1.0 - fades)) / ((*v / (1.0 - fades_late)).sqrt() + 1e-8);
                n.as_flattened_mut()[i] -= step;
            }
        }
        rate *= 0.75;
    }
    n
}

#[test]
fn moves_are_described_as_the_glance_sees_them() {
    let numbers: [[i32; NUMBERS]; STAGES] = include!("../engine/glance.txt");
    let mut rng = Rng::new(&Seed::from(4));
    for seed in 0..3 {
        let mut state = deal(seed);
        while let Turn::Of(_) = state.turn() {
            let position = *state.position();
            let (glance, numbers) =
                (&POLICY[stage(&position)], numbers[stage(&position)].map(|n| n as f32 / 1e3));
            let worth = Worth::of(glance, &position.boards[position.to_move.index()]);
            let mut promised = Vec::new();
            each_move(glance, &position, &worth, |mv, promise| promised.push((mv, promise)));
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

/// The slope is that of the error: a step along each number changes it as the slope says.
#[test]
fn the_slope_is_the_errors() {
    let start = by_hand()[0].map(|n| n as f32 / 1e3);
    let sample = &samples(1)[4];
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

#[test]
#[ignore = "makes the glance's numbers, in some minutes; prints them"]
fn the_glances_numbers() {
    let start = by_hand().map(|n| n.map(|n| n as f32 / 1e3));
    let samples = samples(MATCHES);
    let (held_back, others) = samples.split_at(samples.len() / 10);
    let numbers = fit(start, others);
    let [before, after] = [&start, &numbers].map(|n| error(n, held_back));
    println!("{} decisions, cross entropy of new ones {before:.4} before, {after:.4} after", samples.len());
    println!("[");
    for stage in numbers {
        let numbers: Vec<_> = stage.iter().map(|n| ((n * 1e3).round() as i32).to_string()).collect();
        println!("    [{}],", numbers.join(", "));
    }
    println!("]");
}
