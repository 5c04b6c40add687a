//! Many matches that step together, for vectorized environments and for policies that decide for a whole batch: one call plays an
//! action in each, and writes observations and masks into arrays of NumPy.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use engines::erased::{AnyGame, RefusalCode};
use numpy::{
    IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use serde_json::json;

use crate::arguments;
use crate::batch::{BatchArrays, cores};
use crate::error::{CallError, guarded};
use crate::game::PyGame;
use crate::json::from_python;
use crate::opponent::Opponent;
use crate::slot::{Slot, SlotRules};

/// Most matches of a vector.
const MOST_SLOTS: usize = 1 << 20;

/// Fewer matches than this for a thread cost more than they gain, unless engines think.
const SLOTS_PER_THREAD: usize = 64;

/// The settings of an engine: its name, its level, most nodes and most seconds of a decision.
type EngineSettings = (Option<String>, String, Option<u64>, Option<f64>);

/// Matches that step together. Threads may share it; their calls follow one another.
#[pyclass(frozen, name = "MatchVector", module = "kibitz._native")]
pub(crate) struct PyMatchVector {
    rules: SlotRules,
    threads: usize,
    slots: Mutex<Vec<Slot>>,
}

/// The arrays into which a step writes, a row for each match.
struct StepArrays<'a> {
    observations: &'a mut [i16],
    masks: &'a mut [bool],
    rewards: &'a mut [f32],
    over: &'a mut [bool],
    turns: &'a mut [i8],
}

impl PyMatchVector {
    /// Code of Python must not run while this is held.
    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn threads(&self, slots: usize) -> usize {
        let least = if matches!(self.rules.opponent, Opponent::Engine { .. }) { 1 } else { SLOTS_PER_THREAD };
        (slots / least).clamp(1, self.threads)
    }

    /// The arrays that the caller gave, if they have the right sizes.
    ///
    /// # Errors
    /// `bad_value`.
    fn arrays<'a>(
        &self,
        observations: &'a mut PyReadwriteArray2<'_, i16>,
        masks: &'a mut PyReadwriteArray2<'_, bool>,
        rewards: &'a mut PyReadwriteArray2<'_, f32>,
        over: &'a mut PyReadwriteArray1<'_, bool>,
        turns: &'a mut PyReadwriteArray1<'_, i8>,
    ) -> Result<StepArrays<'a>, CallError> {
        let whole = observations.is_c_contiguous() && masks.is_c_contiguous() && rewards.is_c_contiguous();
        if !whole {
            return Err(CallError::bad_value("an array is not stored row by row"));
        }
        let arrays = StepArrays {
            observations: observations.as_slice_mut().map_err(not_contiguous)?,
            masks: masks.as_slice_mut().map_err(not_contiguous)?,
            rewards: rewards.as_slice_mut().map_err(not_contiguous)?,
            over: over.as_slice_mut().map_err(not_contiguous)?,
            turns: turns.as_slice_mut().map_err(not_contiguous)?,
        };
        let (count, rules) = (self.slots().len(), &self.rules);
        let fits = arrays.observations.len() == count * rules.observation_len
            && arrays.masks.len() == count * rules.action_count
            && arrays.rewards.len() == count * rules.seats
            && arrays.over.len() == count
            && arrays.turns.len() == count;
        if fits {
            return Ok(arrays);
        }
        Err(CallError::bad_value(format!("each array needs a row for each of {count} matches")))
    }

    /// Runs `step` for each match, on several threads if there are many, and writes the rows.
    fn each(
        &self,
        slots: &mut [Slot],
        arrays: StepArrays<'_>,
        step: impl Fn(usize, &mut Slot) -> Result<(), CallError> + Sync,
    ) -> Result<(), CallError> {
        let rules = &self.rules;
        let share = slots.len().div_ceil(self.threads(slots.len())).max(1);
        let work = |first: usize, part: &mut [Slot], rows: StepArrays<'_>| {
            let observations = rows.observations.chunks_exact_mut(rules.observation_len);
            let masks = rows.masks.chunks_exact_mut(rules.action_count);
            let rewards = rows.rewards.chunks_exact_mut(rules.seats);
            let ends = rows.over.iter_mut().zip(rows.turns);
            let all = part.iter_mut().zip(observations).zip(masks).zip(rewards).zip(ends);
            for (place, ((((slot, observation), mask), reward), (over, turn))) in all.enumerate() {
                guarded(|| step(first + place, slot))?;
                guarded(|| slot.write(rules, observation, mask, reward, over, turn))?;
            }
            Ok(())
        };
        if share >= slots.len() {
            return work(0, slots, arrays);
        }
        let observations = arrays.observations.chunks_mut(share * rules.observation_len);
        let masks = arrays.masks.chunks_mut(share * rules.action_count);
        let rewards = arrays.rewards.chunks_mut(share * rules.seats);
        let ends = arrays.over.chunks_mut(share).zip(arrays.turns.chunks_mut(share));
        let parts = slots.chunks_mut(share).zip(observations).zip(masks).zip(rewards).zip(ends).enumerate();
        thread::scope(|scope| {
            let work = &work;
            let started: Vec<_> = parts
                .map(|(number, ((((part, observations), masks), rewards), (over, turns)))| {
                    let rows = StepArrays { observations, masks, rewards, over, turns };
                    scope.spawn(move || work(number * share, part, rows))
                })
                .collect();
            let joined = started.into_iter().map(|one| {
                one.join().unwrap_or_else(|_| {
                    Err(CallError::Refused("internal", "a thread of the vector panicked".to_owned()))
                })
            });
            joined.collect::<Result<Vec<()>, _>>().map(drop)
        })
    }
}

fn not_contiguous(error: numpy::AsSliceError) -> CallError {
    CallError::bad_value(format!("an array cannot be written: {error}"))
}

#[pymethods]
impl PyMatchVector {
    /// `opponent`: `self`, `random`, or the settings of an engine as `engine_settings` gives them. `autoreset`: whether a step after
    /// the end of a match begins the next one. `first`: the number of the first deal.
    #[new]
    #[pyo3(signature = (game, count, *, options=None, seed=None, opponent=None, engine=None, autoreset=false, first=0, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords of one call in Python")]
    fn new(
        game: &Bound<'_, PyGame>,
        count: usize,
        options: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        opponent: Option<&str>,
        engine: Option<EngineSettings>,
        autoreset: bool,
        first: u64,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let game: &'static dyn AnyGame = game.get().0;
        let given = options.filter(|options| !options.is_none());
        let options =
            given.map_or_else(|| Ok(json!({})), |options| from_python(options, RefusalCode::BadOptions))?;
        let seed = arguments::seed(seed)?;
        if !(1..=MOST_SLOTS).contains(&count) {
            return Err(CallError::bad_value(format!("a vector has 1 to {MOST_SLOTS} matches")).into());
        }
        let opponent = match (opponent, engine) {
            (Some("random"), None) => Opponent::Random,
            (None | Some("self"), None) => Opponent::Myself,
            (_, Some((name, level, nodes, time))) => {
                let usual = || Ok(game.info().think);
                let time: Duration = time.map_or_else(usual, |time| arguments::time("time", time))?;
                Opponent::Engine { name, level: arguments::level(&level)?, nodes, time }
            }
            (Some(other), None) => {
                let detail =
                    format!("{:?} is no opponent: self, random or an engine", arguments::head(other));
                return Err(CallError::bad_value(detail).into());
            }
        };
        let rules = guarded(|| SlotRules::new(game, options, seed, opponent, autoreset, count, first))?;
        let slots = (0..count).map(|number| Slot::new(&rules, number)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { rules, threads: threads.unwrap_or_else(cores).max(1), slots: Mutex::new(slots) })
    }

    /// The number of matches.
    #[getter]
    fn count(&self) -> usize {
        self.slots().len()
    }

    /// The number of seats.
    #[getter]
    fn seats(&self) -> usize {
        self.rules.seats
    }

    /// The length of an observation.
    #[getter]
    fn observation_len(&self) -> usize {
        self.rules.observation_len
    }

    /// The number of actions.
    #[getter]
    fn action_count(&self) -> usize {
        self.rules.action_count
    }

    /// Begins all matches anew, from the first deal. With a seed, with the deals of that seed.
    #[pyo3(signature = (observations, masks, rewards, over, turns, *, seed=None))]
    #[expect(clippy::too_many_arguments, reason = "they are the arrays of one call in Python")]
    fn reset(
        &self,
        py: Python<'_>,
        mut observations: PyReadwriteArray2<'_, i16>,
        mut masks: PyReadwriteArray2<'_, bool>,
        mut rewards: PyReadwriteArray2<'_, f32>,
        mut over: PyReadwriteArray1<'_, bool>,
        mut turns: PyReadwriteArray1<'_, i8>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let given = seed.filter(|seed| !seed.is_none());
        let seed = given.map(|seed| arguments::seed(Some(seed))).transpose()?;
        let arrays = self.arrays(&mut observations, &mut masks, &mut rewards, &mut over, &mut turns)?;
        py.detach(|| {
            let mut slots = self.slots();
            self.each(&mut slots, arrays, |number, slot| slot.restart(&self.rules, number, seed))
        })?;
        Ok(())
    }

    /// Plays an action in each match that is not over, then the moves of the opponents. If one action is illegal, none is played.
    #[expect(clippy::too_many_arguments, reason = "they are the arrays of one call in Python")]
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        mut observations: PyReadwriteArray2<'_, i16>,
        mut masks: PyReadwriteArray2<'_, bool>,
        mut rewards: PyReadwriteArray2<'_, f32>,
        mut over: PyReadwriteArray1<'_, bool>,
        mut turns: PyReadwriteArray1<'_, i8>,
    ) -> PyResult<()> {
        let actions =
            actions.as_slice().map_err(|error| CallError::bad_value(format!("actions: {error}")))?;
        let arrays = self.arrays(&mut observations, &mut masks, &mut rewards, &mut over, &mut turns)?;
        py.detach(|| {
            let mut slots = self.slots();
            if actions.len() != slots.len() {
                let detail = format!("{} actions for {} matches", actions.len(), slots.len());
                return Err(CallError::bad_value(detail));
            }
            for (number, (slot, action)) in slots.iter().zip(actions).enumerate() {
                slot.check(*action, number)?;
            }
            self.each(&mut slots, arrays, |number, slot| slot.step(&self.rules, number, actions[number]))
        })?;
        Ok(())
    }

    /// The points and ranks of the seats of each match, 0 before its end, and the number of moves.
    fn results<'py>(&self, py: Python<'py>) -> PyResult<BatchArrays<'py>> {
        let seats = self.rules.seats;
        let (mut points, mut ranks, mut plies) = (Vec::new(), Vec::new(), Vec::new());
        for slot in self.slots().iter() {
            let outcome = slot.outcome();
            plies.push(slot.ply());
            points.extend(outcome.as_ref().map_or_else(|| vec![0; seats], |outcome| outcome.points.clone()));
            ranks.extend(outcome.map_or_else(|| vec![0; seats], |outcome| outcome.ranks));
        }
        let count = plies.len();
        Ok((
            points.into_pyarray(py).reshape([count, seats])?,
            ranks.into_pyarray(py).reshape([count, seats])?,
            plies.into_pyarray(py),
        ))
    }

    fn __repr__(&self) -> String {
        format!("<MatchVector of {} matches of {}>", self.slots().len(), self.rules.game.info().slug)
    }
}
