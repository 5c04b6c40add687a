//! The turn of a hosted program: it is asked until it decides. A failure of the machine never decides a game: the program is seated
//! again, told the match, and does the same.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::arena::{ErrorLine, HostedDecision};
use engines::game::Seat;
use engines::search::Host;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::catalogue::Offer;
use crate::domain::MatchId;
use crate::engine_pool::Source;
use crate::error::{Code, Error};
use crate::matches::bots::hosted::program_seat::{ProgramSeat, SeatFailure, foul_of, micros, seed_of};
use crate::matches::bots::hosted::proof::settings_of;
use crate::matches::bots::hosted::{ProgramPlace, ProgramUnavailable};
use crate::matches::event::{Event, FoulKind, LoggedEvent, ProgramRef};
use crate::matches::ledger::MeasuredTime;
use crate::matches::registry::MatchRegistry;
use crate::recovery::backoff::Backoff;

/// The delays before the next attempt after a failure.
const FAILURE_BACKOFF: Backoff = Backoff::doubling(Duration::from_millis(20), Duration::from_secs(5));

/// The delays when all threads are busy.
const BUSY_BACKOFF: Backoff = Backoff::steady(Duration::from_millis(5), Duration::from_millis(250));

/// How often the machine may lose a program in one turn, with pauses that grow to some seconds. After that it is taken for the program's
/// fault, since no other program is lost like this.
const MOST_LOST: u32 = 20;

pub(in crate::matches) struct ProgramTurn {
    pub registry: Arc<MatchRegistry>,
    pub id: MatchId,
    pub offer: &'static Offer,
    pub seat: Seat,
    pub program: ProgramRef,
    /// The program as it was left after its turn before, if it was seated here.
    pub seated: Option<PlacedProgram>,
    /// The owner and the bot, who pay.
    pub source: Source,
}

/// What a program decided.
pub(in crate::matches) struct ProgramMove {
    /// The move, or the foul and its description.
    pub answer: Result<String, (FoulKind, String)>,
    /// The time of its clock.
    pub measured: MeasuredTime,
    /// The time that passed besides it.
    pub queue_us: u64,
    /// What it wrote to standard error.
    pub errors: Vec<ErrorLine>,
    /// The program after its decision; `None`: it has none.
    pub seated: Option<PlacedProgram>,
}

/// A program in its seat, and where it runs.
pub(in crate::matches) struct PlacedProgram {
    seat: ProgramSeat,
    place: Arc<dyn ProgramPlace>,
}

/// Why one attempt failed.
enum Failure {
    /// The program can never play; a sentence.
    ForGood(String),
    /// The machine has lost the program while it ran.
    Lost(String),
    /// All threads are busy.
    Busy(Error),
    /// Something else that passes.
    ForNow(String),
    /// The server stops, or the turn is over.
    Stopped,
}

impl ProgramTurn {
    /// Makes the decision. It always returns, unless the server stops.
    pub(in crate::matches) async fn decide(mut self) -> ProgramMove {
        let asked = Instant::now();
        let (mut failed, mut busy, mut lost) = (FAILURE_BACKOFF, BUSY_BACKOFF, 0);
        let (decision, seated) = loop {
            let pause = match self.attempt().await {
                Ok(made) => break made,
                Err(Failure::ForGood(why)) => return Self::without_program(asked, why),
                Err(Failure::Lost(why)) => {
                    lost += 1;
                    if lost >= MOST_LOST {
                        return Self::without_program(asked, format!("no move: {why}"));
                    }
                    tracing::debug!(id = self.id.as_str(), why, "a program is seated again");
                    failed.pause()
                }
                Err(Failure::Busy(e)) => busy.after(&e),
                Err(Failure::ForNow(why)) => {
                    tracing::debug!(id = self.id.as_str(), why, "a program cannot play now");
                    failed.pause()
                }
                Err(Failure::Stopped) => std::future::pending().await,
            };
            sleep(pause).await;
        };
        let think_us = micros(decision.taken);
        ProgramMove {
            answer: decision.answer.map_err(|fault| (foul_of(fault.kind), fault.detail)),
            measured: MeasuredTime { think_us, fuel: Some(decision.fuel) },
            queue_us: micros(asked.elapsed()).saturating_sub(think_us),
            errors: decision.errors,
            seated: Some(seated),
        }
    }

    /// The decision of a seat that has no program any more.
    fn without_program(asked: Instant, why: String) -> ProgramMove {
        ProgramMove {
            answer: Err((FoulKind::Crash, why)),
            measured: MeasuredTime { think_us: 0, fuel: Some(0) },
            queue_us: micros(asked.elapsed()),
            errors: Vec::new(),
            seated: None,
        }
    }

    async fn attempt(&mut self) -> Result<(HostedDecision, PlacedProgram), Failure> {
        // Also for a program that is seated: it may have been disabled meanwhile.
        let seated_at = self.seated.as_ref().map(|seated| &seated.place);
        let place = self.registry.programs.load(&self.program, seated_at).await.map_err(|e| match e {
            ProgramUnavailable::ForGood(why) => Failure::ForGood(why),
            ProgramUnavailable::ForNow(why) => Failure::ForNow(why),
        })?;
        let seated = self.seated.take().filter(|seated| Arc::ptr_eq(&seated.place, &place));
        let from = seated.as_ref().map_or(0, |seated| seated.seat.next_seq());
        let log = self.registry.read_log(&self.id, from).await;
        let log = log.map_err(|e| Failure::ForNow(Error::from(e).to_string()))?;
        let seat = match seated {
            Some(seated) => seated.seat,
            None => self.seat(&log, &*place)?,
        };
        let (tell, told) = oneshot::channel();
        let turn = Box::new(move |host: Result<&dyn Host, Error>| {
            let made = match host {
                Ok(host) => decide(seat, &log, host),
                Err(e) => Err(Failure::Busy(e)),
            };
            // Who waited may be gone.
            let _ = tell.send(made);
        });
        let pool = place.pool().unwrap_or(self.registry.engine_pool);
        let run = pool.run(self.source.clone(), turn);
        let _run = run.map_err(|e| match e.code() {
            Code::Stopping => Failure::Stopped,
            _ => Failure::Busy(e),
        })?;
        match told.await {
            Ok(Err(Failure::Busy(e))) if e.code() == Code::Stopping => Err(Failure::Stopped),
            Ok(made) => made.map(|(decision, seat)| (decision, PlacedProgram { seat, place })),
            Err(_) => Err(Failure::Lost("its turn panicked".to_owned())),
        }
    }

    /// Seats the program in the match, of which this is the whole log.
    fn seat(&self, log: &[LoggedEvent], place: &dyn ProgramPlace) -> Result<ProgramSeat, Failure> {
        let Some(Event::Created(created)) = log.first().map(|first| &first.event) else {
            return Err(Failure::ForNow("the log has no creation".to_owned()));
        };
        let referee = settings_of(log, self.seat);
        let program = place.seat(&self.program, seed_of(created, self.seat)).map_err(Failure::ForNow)?;
        ProgramSeat::new(self.offer.game, created, self.seat, &referee, program).map_err(Failure::ForGood)
    }
}

/// Tells the program what has happened, and lets it decide.
fn decide(
    mut seated: ProgramSeat,
    log: &[LoggedEvent],
    host: &dyn Host,
) -> Result<(HostedDecision, ProgramSeat), Failure> {
    let differences = seated.follow(log, host).map_err(Failure::of)?;
    for difference in differences {
        tracing::error!(
            seq = difference.seq,
            what = difference.what,
            "a program does not repeat its decision"
        );
    }
    let decision = seated.decide(host).map_err(Failure::of)?;
    Ok((decision, seated))
}

impl Failure {
    fn of(failure: SeatFailure) -> Self {
        match failure {
            SeatFailure::Stopped => Self::Lost("it was stopped".to_owned()),
            SeatFailure::Lost(why) => Self::Lost(why),
            SeatFailure::Broken(why) => Self::ForNow(why),
        }
    }
}
