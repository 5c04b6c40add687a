//! Proves the decisions of hosted programs in a log or a record: each program is told the match again, and must decide the same with
//! the same fuel.

use std::collections::BTreeMap;

use engines::arena::SandboxSeat;
use engines::erased::AnyGame;
use engines::game::Seat;
use engines::search::Host;
use schemars::JsonSchema;
use serde::Serialize;

use crate::matches::bots::hosted::program_seat::{ProgramSeat, SeatFailure, seed_of};
use crate::matches::event::{Created, Event, FoulKind, LoggedEvent, ProgramRef};

/// What came of the proof of one seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeatProof {
    /// The number of the seat.
    pub seat: u8,
    /// The program that played it.
    pub program: ProgramRef,
    /// Its decisions in the log.
    pub decisions: u32,
    /// The fuel that the log has for them.
    pub fuel: u64,
    /// The first decision that the program makes otherwise, in one sentence; `null`: there is none.
    pub difference: Option<String>,
}

/// The seats of a match in which programs play.
pub fn program_seats(created: &Created) -> Vec<(Seat, ProgramRef)> {
    let programs = created.seats.iter().map(|setup| setup.program().map(|(program, _)| program.clone()));
    (0..).map(Seat).zip(programs).filter_map(|(seat, program)| Some((seat, program?))).collect()
}

/// Tells the program of a seat the whole match. `start`: seats a program, given the seed of its random numbers.
///
/// # Errors
/// When it cannot be told: the log is of another game, the program cannot be seated, or the host stops it; one sentence.
pub fn prove_seat(
    game: &dyn AnyGame,
    log: &[LoggedEvent],
    (seat, program): (Seat, ProgramRef),
    start: impl FnOnce(&ProgramRef, [u8; 32]) -> Result<Box<dyn SandboxSeat>, String>,
    host: &dyn Host,
) -> Result<SeatProof, String> {
    let Some(Event::Created(created)) = log.first().map(|first| &first.event) else {
        return Err("the match has no creation".to_owned());
    };
    let referee = settings_of(log, seat);
    let started = start(&program, seed_of(created, seat))?;
    let mut seated = ProgramSeat::new(game, created, seat, &referee, started)?;
    let (mut decisions, mut fuel) = (0, 0);
    for logged in log {
        let times = match &logged.event {
            Event::Moved(moved) if moved.seat == seat => &moved.times,
            Event::Fouled(foul) if foul.seat == seat && foul.kind != FoulKind::Out => &foul.times,
            _ => continue,
        };
        decisions += 1;
        fuel += times.fuel.unwrap_or(0);
    }
    let mut differences = Vec::new();
    for logged in log {
        differences = seated.follow(std::slice::from_ref(logged), host).map_err(|e| match e {
            SeatFailure::Stopped => "it was stopped".to_owned(),
            SeatFailure::Lost(why) | SeatFailure::Broken(why) => why,
        })?;
        if !differences.is_empty() {
            break;
        }
    }
    let difference = differences.first().map(|found| format!("event {}: {}", found.seq, found.what));
    Ok(SeatProof { seat: seat.0, program, decisions, fuel, difference })
}

/// The settings of the referee's side with which the match of this log started for a seat.
pub(super) fn settings_of(log: &[LoggedEvent], seat: Seat) -> BTreeMap<String, String> {
    let set = log.iter().find_map(|logged| match &logged.event {
        Event::RefereeSet { seat: of, settings } if *of == seat => Some(settings.clone()),
        _ => None,
    });
    set.unwrap_or_default()
}
