//! Matches: the state of a game in progress, and the moves that led to it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engines::erased::{AnyGame, AnyTable, FinishedMatch, FinishedMove, RefusalCode};
use engines::game::{Outcome, Seat, Turn, Viewer};
use engines::rng::Rng;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::error::{CallError, guarded};
use crate::game::{PyGame, find};
use crate::json::to_python;
use crate::match_start::{MatchOrigin, MatchStep, SavedMatch};
use crate::moves::{PyMove, answer, notation_of};
use crate::view::PyView;

/// A match in progress. Moves change it; `copy` gives one that goes its own way. Threads may share it.
#[pyclass(frozen, name = "Match", module = "kibitz._native")]
pub(crate) struct PyMatch {
    game: &'static dyn AnyGame,
    origin: MatchOrigin,
    inner: Mutex<Course>,
}

/// The part of a match that moves change.
struct Course {
    table: Box<dyn AnyTable>,
    steps: Vec<MatchStep>,
}

impl PyMatch {
    /// A match before its first move.
    ///
    /// # Errors
    /// `bad_options`, `bad_state`.
    pub(crate) fn begin(game: &'static dyn AnyGame, origin: MatchOrigin) -> Result<Self, CallError> {
        let table = origin.table(game)?;
        Ok(Self { game, origin, inner: Mutex::new(Course { table, steps: Vec::new() }) })
    }

    /// The seat that a caller names, if one is named.
    fn given_seat(&self, seat: Option<&Bound<'_, PyAny>>) -> Result<Option<Seat>, CallError> {
        let named = seat.filter(|seat| !seat.is_none());
        named.map(|seat| arguments::seat(seat, self.seats())).transpose()
    }

    /// Code of Python must not run while this is held: it could wait for the same match.
    ///
    /// A panic of a game cannot leave a half-made move that matters: the error `internal` has told the caller.
    fn course(&self) -> MutexGuard<'_, Course> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn saved(&self) -> SavedMatch {
        SavedMatch { origin: self.origin.clone(), steps: self.course().steps.clone() }
    }

    /// The seat to move.
    fn mover(course: &Course) -> Result<Seat, CallError> {
        match course.table.turn() {
            Turn::Of(seat) => Ok(seat),
            Turn::Over => Err(CallError::refused(RefusalCode::MatchOver, "the match is over")),
        }
    }
}

#[pymethods]
impl PyMatch {
    /// The match that `__reduce__` saved.
    #[staticmethod]
    fn from_saved(game: &str, saved: &str) -> PyResult<Self> {
        let (game, saved) = (find(game)?, SavedMatch::parse(saved)?);
        let table = saved.table(game)?;
        let inner = Mutex::new(Course { table, steps: saved.steps });
        Ok(Self { game, origin: saved.origin, inner })
    }

    /// The game that is played.
    #[getter]
    fn game(&self) -> PyGame {
        PyGame(self.game)
    }

    /// The number of seats.
    #[getter]
    fn seats(&self) -> u8 {
        self.course().table.seats()
    }

    /// The seed of the deal, as 64 hexadecimal digits; `None` if the match began with a state.
    #[getter]
    fn seed(&self) -> Option<String> {
        match &self.origin {
            MatchOrigin::Deal { seed, .. } => Some(seed.to_string()),
            MatchOrigin::State { .. } => None,
        }
    }

    /// The number of moves made.
    #[getter]
    fn ply(&self) -> u32 {
        self.course().table.ply()
    }

    /// The seat whose decision is awaited; `None` after the end.
    #[getter]
    fn turn(&self) -> Option<u8> {
        match self.course().table.turn() {
            Turn::Of(seat) => Some(seat.0),
            Turn::Over => None,
        }
    }

    /// Whether the match is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.course().table.turn() == Turn::Over
    }

    /// The result: `points`, `ranks` and `reason` as the API has them, and `scores`. `None` before the end.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let outcome = self.course().table.outcome();
        outcome.map(|outcome| outcome_to_python(py, &outcome)).transpose()
    }

    /// The moves made, with the seats that made them.
    #[getter]
    fn moves(&self) -> Vec<(u8, PyMove)> {
        let course = self.course();
        let made = course.steps.iter().filter_map(MatchStep::mv);
        made.map(|(seat, text)| (seat, PyMove { game: self.game, notation: text.to_owned() })).collect()
    }

    /// The whole state, hidden cards included, in the game's own form: for hosts, never for players.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = guarded(|| Ok(self.course().table.state_json()))?;
        to_python(py, &state)
    }

    /// The fingerprint of the state, 16 hexadecimal digits, as the arena writes it: equal states have equal ones.
    fn state_hash(&self) -> PyResult<String> {
        let state = guarded(|| Ok(self.course().table.state_json()))?;
        Ok(format!("{:016x}", engines::erased::fingerprint(&state)))
    }

    /// The match as a seat sees it, or as spectators do (`None`). Without an argument: as the seat to move does.
    #[pyo3(signature = (*viewer))]
    fn view(&self, viewer: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<PyView> {
        let given = match viewer.len() {
            0 => None,
            1 => Some(arguments::viewer(Some(&viewer.get_item(0)?), self.seats())?),
            _ => return Err(CallError::bad_value("a view has one viewer").into()),
        };
        let course = self.course();
        let viewer = match given {
            Some(viewer) => viewer,
            None => Viewer::Seat(Self::mover(&course)?),
        };
        Ok(PyView::new(self.game, guarded(|| Ok(course.table.view(viewer)))?))
    }

    /// The legal moves of the seat to move; none after the end.
    fn legal_moves(&self) -> PyResult<Vec<PyMove>> {
        let course = self.course();
        let Turn::Of(seat) = course.table.turn() else { return Ok(Vec::new()) };
        let legal = guarded(|| Ok(course.table.view(Viewer::Seat(seat)).legal_notations()))?;
        Ok(legal.into_iter().map(|notation| PyMove { game: self.game, notation }).collect())
    }

    /// Plays a move of the seat to move, or of this seat: a `Move`, a notation, or JSON.
    #[pyo3(signature = (r#move, *, seat=None))]
    fn play(&self, r#move: &Bound<'_, PyAny>, seat: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let notation = notation_of(self.game, r#move)?;
        let given = self.given_seat(seat)?;
        let mut course = self.course();
        let seat = given.map_or_else(|| Self::mover(&course), Ok)?;
        guarded(|| Ok(course.table.play(seat, &notation)?))?;
        course.steps.push(MatchStep::Played { seat: seat.0, notation });
        Ok(())
    }

    /// Plays an action of the seat to move, by the game's `encoding`.
    fn play_action(&self, index: u32) -> PyResult<()> {
        let mut course = self.course();
        let seat = Self::mover(&course)?;
        let mv = guarded(|| {
            let view = course.table.view(Viewer::Seat(seat));
            let mv = view.action(index)?;
            course.table.play_action(seat, index)?;
            Ok(mv)
        })?;
        course.steps.push(MatchStep::Played { seat: seat.0, notation: mv.notation });
        Ok(())
    }

    /// Plays random legal moves, each equally likely, until the end or for this many moves. Returns how many.
    #[pyo3(signature = (*, plies=None, seed=None))]
    fn play_random(&self, plies: Option<u32>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
        let mut rng = Rng::new(&arguments::seed(seed)?);
        let mut course = self.course();
        let mut played = 0;
        while played < plies.unwrap_or(u32::MAX)
            && let Turn::Of(seat) = course.table.turn()
        {
            let view = guarded(|| Ok(course.table.view(Viewer::Seat(seat)).legal_notations()))?;
            let notation = rng.pick(&view).expect("the seat to move has a legal move").clone();
            guarded(|| Ok(course.table.play(seat, &notation)?))?;
            course.steps.push(MatchStep::Played { seat: seat.0, notation });
            played += 1;
        }
        Ok(played)
    }

    /// Applies the official penalty for a mistake of the seat to move. Returns the move played instead, if the match goes on.
    #[pyo3(signature = (reason="a mistake"))]
    fn foul(&self, reason: &str) -> PyResult<Option<PyMove>> {
        let mut course = self.course();
        let seat = Self::mover(&course)?;
        let reason = arguments::head(reason);
        let instead = guarded(|| Ok(course.table.foul(seat, &reason)?))?;
        course.steps.push(MatchStep::Fouled { seat: seat.0, reason, instead: instead.clone() });
        Ok(instead.map(|notation| PyMove { game: self.game, notation }))
    }

    /// The lines that a bot in this seat reads if its official dialogue begins now and it is to decide.
    #[pyo3(signature = (seat=None, settings=None))]
    fn official_text(
        &self,
        seat: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<String>> {
        let settings = arguments::settings(settings)?;
        let given = self.given_seat(seat)?;
        let course = self.course();
        let seat = given.map_or_else(|| Self::mover(&course), Ok)?;
        Ok(guarded(|| {
            let mut table = course.table.fork();
            table.can_tell(seat)?;
            table.seat_bot(seat, &settings)?;
            if table.turn() == Turn::Of(seat) {
                table.prompt(seat, None);
            }
            Ok(table.take_lines(seat))
        })?)
    }

    /// The finished match in one of the game's own record formats.
    #[pyo3(signature = (format, names=None))]
    fn export(&self, format: &str, names: Option<Vec<String>>) -> PyResult<String> {
        let saved = self.saved();
        Ok(guarded(|| {
            let table = saved.origin.table(self.game)?;
            let seats = table.seats();
            let moves = saved.steps.iter().filter_map(|step| {
                let (seat, notation) = step.mv()?;
                let mistake = match step {
                    MatchStep::Played { .. } => None,
                    MatchStep::Fouled { reason, .. } => Some(reason.clone()),
                };
                let (seat, notation) = (Seat(seat), notation.to_owned());
                Some(FinishedMove { seat, notation, mistake, remarks: Vec::new() })
            });
            let names = names.unwrap_or_else(|| (0..seats).map(|seat| format!("seat {seat}")).collect());
            let finished = FinishedMatch { dealt: table.state_json(), moves: moves.collect(), names };
            Ok(self.game.export(format, &finished)?)
        })?)
    }

    /// A match that goes on from here on its own.
    fn copy(&self) -> PyResult<Self> {
        let course = self.course();
        // A fork keeps the table, its result and its count of moves.
        let table = guarded(|| Ok(course.table.fork()))?;
        let inner = Mutex::new(Course { table, steps: course.steps.clone() });
        Ok(Self { game: self.game, origin: self.origin.clone(), inner })
    }

    fn __copy__(&self) -> PyResult<Self> {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (&'static str, String))> {
        let this = slf.get();
        let from_saved = slf.get_type().getattr("from_saved")?;
        Ok((from_saved, (this.game.info().slug, this.saved().to_text())))
    }

    fn __repr__(&self) -> String {
        let course = self.course();
        let turn = match course.table.turn() {
            Turn::Of(seat) => format!("seat {seat} to move"),
            Turn::Over => "over".to_owned(),
        };
        format!(
            "<Match of {}, {} seats, ply {}, {turn}>",
            self.game.info().slug,
            course.table.seats(),
            course.table.ply()
        )
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Self>() else { return answer(py, None, op) };
        // One lock at a time: two threads may compare in both orders.
        let facts = |one: &Self| {
            let course = one.course();
            (one.game.info().slug, course.table.ply(), course.table.outcome(), course.table.state_json())
        };
        let equal = guarded(|| Ok(facts(self) == facts(other.get())))?;
        answer(py, Some(equal), op)
    }
}

/// An outcome with the names of the API, and the scores of the seats.
fn outcome_to_python<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    let result = to_python(py, outcome)?;
    let seats = 0..outcome.ranks.len();
    let scores: Vec<f64> =
        seats.filter_map(|seat| Some(outcome.score(Seat(u8::try_from(seat).ok()?)))).collect();
    result.set_item("scores", scores)?;
    Ok(result)
}
