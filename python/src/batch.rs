//! Many matches at once, on all cores, without Python's lock.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use engines::erased::AnyGame;
use engines::game::Outcome;
use engines::rng::{Rng, Seed};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::Value;

use crate::arguments;
use crate::error::{CallError, guarded};
use crate::game::PyGame;
use crate::json::from_python;

/// The stream of a match's seed that chooses random moves, far above those that deals use and beside those of openings.
pub(crate) const MOVES: u64 = 1 << 58;

/// Most matches of a batch: their results take some hundred bytes each.
const MOST_MATCHES: usize = 50_000_000;

/// How often the calling thread looks for signals.
const SIGNALS_EVERY: Duration = Duration::from_millis(20);

/// The seed of the deal of match number `number` of a batch: that of the arena's deal of this number.
pub(crate) fn deal_seed(seed: &Seed, number: u64) -> Seed {
    Rng::stream(seed, number).seed()
}

/// A finished match of a batch.
struct PlayedMatch {
    outcome: Outcome,
    plies: u32,
}

/// The results of a batch: points and ranks by match and seat, plies by match.
pub(crate) type BatchArrays<'py> =
    (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<u32>>);

/// Plays `count` random matches: each legal move that the game lists is equally likely.
#[pyfunction]
#[pyo3(signature = (game, count, *, options=None, seed=None, threads=None))]
pub(crate) fn random_batch<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyGame>,
    count: usize,
    options: Option<&Bound<'py, PyAny>>,
    seed: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<BatchArrays<'py>> {
    let game = game.get().0;
    let code = engines::erased::RefusalCode::BadOptions;
    let options = options.map_or_else(|| Ok(serde_json::json!({})), |options| from_python(options, code))?;
    let seed = arguments::seed(seed)?;
    if count > MOST_MATCHES {
        return Err(CallError::bad_value(format!("a batch has at most {MOST_MATCHES} matches")).into());
    }
    let threads = threads.unwrap_or_else(cores).clamp(1, cores().max(1) * 4);
    let seats = usize::from(guarded(|| Ok(game.deal(&options, &seed)?.seats()))?);
    let (next, running) = (AtomicUsize::new(0), AtomicUsize::new(threads));
    let batch = RandomBatch { game, options, seed, count, next, running, stop: AtomicBool::new(false) };
    let played = py.detach(|| batch.run(threads))?;
    let flat_points = played.iter().flat_map(|one| one.outcome.points.iter().copied()).collect::<Vec<_>>();
    let flat_ranks = played.iter().flat_map(|one| one.outcome.ranks.iter().copied()).collect::<Vec<_>>();
    let plies: Vec<u32> = played.iter().map(|one| one.plies).collect();
    Ok((
        flat_points.into_pyarray(py).reshape([count, seats])?,
        flat_ranks.into_pyarray(py).reshape([count, seats])?,
        plies.into_pyarray(py),
    ))
}

/// The number of cores that this process may use.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A batch of random matches, shared by its threads.
struct RandomBatch {
    game: &'static dyn AnyGame,
    options: Value,
    seed: Seed,
    count: usize,
    /// The number of matches that threads have taken.
    next: AtomicUsize,
    /// The number of threads that play.
    running: AtomicUsize,
    stop: AtomicBool,
}

impl RandomBatch {
    /// Plays all matches; returns them in the order of their numbers, so that the result does not depend on the threads.
    ///
    /// # Errors
    /// `bad_options`, `internal`; the exception of a signal.
    fn run(&self, threads: usize) -> Result<Vec<PlayedMatch>, CallError> {
        let caller = thread::current();
        let mut numbered: Vec<(usize, PlayedMatch)> = thread::scope(|scope| {
            let work = || {
                let share = self.play_share();
                self.running.fetch_sub(1, Ordering::Release);
                caller.unpark();
                share
            };
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let interrupted = self.wait();
            let mut all = Vec::with_capacity(self.count);
            for worker in workers {
                let share = worker.join().unwrap_or_else(|_| {
                    Err(CallError::Refused("internal", "a thread of the batch panicked".to_owned()))
                });
                all.extend(share?);
            }
            interrupted.map(|()| all)
        })?;
        numbered.sort_unstable_by_key(|(number, _)| *number);
        Ok(numbered.into_iter().map(|(_, played)| played).collect())
    }

    /// Waits for the threads, and stops them if Python has a signal to handle.
    fn wait(&self) -> Result<(), CallError> {
        while self.running.load(Ordering::Acquire) > 0 {
            thread::park_timeout(SIGNALS_EVERY);
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                self.stop.store(true, Ordering::Relaxed);
                return Err(raised.into());
            }
        }
        Ok(())
    }

    fn play_share(&self) -> Result<Vec<(usize, PlayedMatch)>, CallError> {
        let mut share = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                break;
            }
            let played = guarded(|| self.play_one(number))
                .inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?;
            share.push((number, played));
        }
        Ok(share)
    }

    fn play_one(&self, number: usize) -> Result<PlayedMatch, CallError> {
        let deal = deal_seed(&self.seed, number as u64);
        let mut table = self.game.deal(&self.options, &deal)?;
        let mut rng = Rng::stream(&deal, MOVES);
        while table.play_random(&mut rng) {}
        let outcome = table.outcome().expect("a match without a turn is over");
        Ok(PlayedMatch { outcome, plies: table.ply() })
    }
}
