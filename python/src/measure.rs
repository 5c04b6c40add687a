//! The arena's plan and statistics, for players that Python runs: the same deals, line-ups, intervals and tests as `kibitz arena`.

use std::sync::{Mutex, PoisonError};

use engines::arena::{
    ArenaRecord, Contestant, DealtMatch, PlanOptions, PlayerSpec, RunPlan, RunSummary, Sprt, TimeLimits,
    Trial,
};
use engines::erased::RefusalCode;
use engines::game::Outcome;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::arguments;
use crate::error::{CallError, guarded};
use crate::game::PyGame;
use crate::json::{from_python, to_python};
use crate::match_start::MatchOrigin;
use crate::matches::PyMatch;

/// A plan of matches: the deals, and the players in each seat.
#[pyclass(frozen, name = "Plan", module = "kibitz._native")]
pub(crate) struct PyPlan {
    game: &'static dyn engines::erased::AnyGame,
    plan: RunPlan,
}

/// The error for settings of an impossible run.
fn bad_plan(detail: impl ToString) -> CallError {
    CallError::Refused("bad_plan", detail.to_string())
}

impl PyPlan {
    fn records(&self, records: &Bound<'_, PyAny>) -> Result<Vec<ArenaRecord>, CallError> {
        match from_python(records, RefusalCode::BadState)? {
            Value::Array(all) => all.into_iter().map(|json| read_record(json, self.plan.seats())).collect(),
            _ => Err(CallError::refused(RefusalCode::BadState, "records are a list")),
        }
    }

    fn number(&self, game: u32) -> Result<u32, CallError> {
        let games = self.plan.games();
        if game < games {
            return Ok(game);
        }
        Err(CallError::bad_value(format!("there are games 0 to {}, not {game}", games.saturating_sub(1))))
    }
}

#[pymethods]
impl PyPlan {
    /// `players`: the name of each. `sprt`: Elo of H0 and H1, and the risks alpha and beta, of a test of the first two players.
    #[new]
    #[pyo3(signature = (game, players, *, games, options=None, seed=None, opening_plies=None, sprt=None))]
    fn new(
        game: &Bound<'_, PyGame>,
        players: Vec<String>,
        games: u32,
        options: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        opening_plies: Option<u32>,
        sprt: Option<(f64, f64, f64, f64)>,
    ) -> PyResult<Self> {
        let game = game.get().0;
        let contestant = |name: &String| Contestant {
            name: name.clone(),
            spec: PlayerSpec::Engine { name: None, level: Default::default(), think: None, nodes: None },
            text: name.clone(),
        };
        let given = options.filter(|options| !options.is_none());
        let options =
            given.map_or_else(|| Ok(json!({})), |options| from_python(options, RefusalCode::BadOptions))?;
        let wanted = PlanOptions {
            players: players.iter().map(contestant).collect(),
            games: Some(games),
            seed: arguments::seed(seed)?,
            options,
            opening_plies,
            positions: Vec::new(),
            limits: TimeLimits::default(),
            concurrency: 1,
            keep_moves: false,
            keep_details: false,
            log_dir: None,
        };
        let plan = guarded(|| RunPlan::new(game, wanted).map_err(bad_plan))?;
        let plan = match sprt {
            None => plan,
            Some((elo0, elo1, alpha, beta)) => {
                let test = Sprt { elo0, elo1, alpha, beta }.checked().map_err(bad_plan)?;
                plan.with_sprt(test).map_err(bad_plan)?
            }
        };
        Ok(Self { game, plan })
    }

    /// The number of matches.
    #[getter]
    fn games(&self) -> u32 {
        self.plan.games()
    }

    /// The number of matches on each deal.
    #[getter]
    fn games_per_deal(&self) -> usize {
        self.plan.games_per_deal()
    }

    /// The number of seats.
    #[getter]
    fn seats(&self) -> usize {
        self.plan.seats()
    }

    /// What readers of the results should know, such as deals that are all the same.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.plan.notes().to_vec()
    }

    /// A match of the plan: `deal`, `seed`, and `seats`, the index of the player in each.
    fn fixture<'py>(&self, py: Python<'py>, game: u32) -> PyResult<Bound<'py, PyDict>> {
        let fixture = self.plan.fixture(self.number(game)?);
        let facts = PyDict::new(py);
        facts.set_item("game", fixture.game)?;
        facts.set_item("deal", fixture.deal)?;
        facts.set_item("seed", fixture.seed.to_string())?;
        facts.set_item("seats", fixture.seats)?;
        Ok(facts)
    }

    /// A match of the plan before the first move of its players, and the moves of its opening.
    fn deal(&self, game: u32) -> PyResult<(PyMatch, Vec<String>)> {
        let fixture = self.plan.fixture(self.number(game)?);
        let DealtMatch { table, opening } = guarded(|| self.plan.deal(&fixture).map_err(bad_plan))?;
        Ok((PyMatch::begin(self.game, MatchOrigin::State { state: table.state_json() })?, opening))
    }

    /// The summary of records, with the names of `kibitz arena --json`.
    fn summary<'py>(&self, py: Python<'py>, records: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let records = self.records(records)?;
        let mut summary = guarded(|| Ok(RunSummary::of(&self.plan, &records)))?;
        // The caller knows which of its players is an engine.
        summary.players.iter_mut().for_each(|player| player.engine = None);
        to_python(py, &summary)
    }

    /// The sequential test before the first record; `None`: the plan has none.
    fn trial(&self) -> Option<PyTrial> {
        Trial::of(&self.plan).map(|trial| PyTrial { seats: self.plan.seats(), trial: Mutex::new(trial) })
    }
}

/// A sequential test in progress.
#[pyclass(frozen, name = "Trial", module = "kibitz._native")]
pub(crate) struct PyTrial {
    seats: usize,
    trial: Mutex<Trial>,
}

#[pymethods]
impl PyTrial {
    /// Counts the next record of the plan. Returns the claim that is accepted, `H0` or `H1`, if one is.
    fn add(&self, record: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let json = from_python(record, RefusalCode::BadState)?;
        let record = read_record(json, self.seats)?;
        let mut trial = self.trial.lock().unwrap_or_else(PoisonError::into_inner);
        let accepted = guarded(|| {
            trial.add(&record);
            Ok(trial.accepted())
        })?;
        Ok(accepted.map(|claim| claim.to_string()))
    }

    /// Its state, with the names of `kibitz arena --json`.
    fn standing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let standing = self.trial.lock().unwrap_or_else(PoisonError::into_inner).standing();
        to_python(py, &standing)
    }
}

/// A record from JSON.
///
/// # Errors
/// `bad_state`.
fn read_record(json: Value, seats: usize) -> Result<ArenaRecord, CallError> {
    let record: ArenaRecord = serde_json::from_value(json)
        .map_err(|error| CallError::refused(RefusalCode::BadState, format!("no record: {error}")))?;
    let complete = |outcome: &Outcome| outcome.points.len() == seats && outcome.ranks.len() == seats;
    if record.seats.len() == seats && record.outcome.as_ref().is_none_or(complete) {
        return Ok(record);
    }
    Err(CallError::refused(RefusalCode::BadState, format!("a record has not {seats} seats")))
}

/// The fingerprint of a JSON value, 16 hexadecimal digits, as records of the arena have it.
#[pyfunction]
pub(crate) fn fingerprint(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let json = from_python(value, RefusalCode::BadState)?;
    Ok(format!("{:016x}", engines::erased::fingerprint(&json)))
}

/// The settings of an engine as the arena writes them: `engine`, `engine:level=hard,nodes=500`, or shorter `engine:hard`.
#[pyfunction]
pub(crate) fn engine_settings<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let rest = text.strip_prefix("engine").unwrap_or(text).trim_start_matches(':');
    let (first, more) = rest.split_once(',').unwrap_or((rest, ""));
    let full = match first.contains('=') || first.is_empty() {
        true => format!("engine:{rest}"),
        false => format!("engine:level={first},{more}"),
    };
    let spec: PlayerSpec = full.parse().map_err(|error: engines::arena::BadSpec| {
        CallError::bad_value(format!("{}: {error}", arguments::head(text)))
    })?;
    let PlayerSpec::Engine { name, level, think, nodes } = spec else {
        return Err(CallError::bad_value(format!("{}: no engine", arguments::head(text))).into());
    };
    let settings = PyDict::new(py);
    settings.set_item("engine", name)?;
    settings.set_item("level", level.name())?;
    settings.set_item("time", think.map(|time| time.as_secs_f64()))?;
    settings.set_item("nodes", nodes)?;
    Ok(settings)
}

/// The names of the levels, weakest first.
#[pyfunction]
pub(crate) fn level_names() -> Vec<&'static str> {
    engines::search::Level::ALL.iter().map(|level| level.name()).collect()
}
