//! Proves the decisions of programs in matches that are over, also of programs that only their owners have.

use std::sync::Arc;

use engines::game::Seat;
use tokio::sync::oneshot;

use crate::domain::ClientId;
use crate::engine_pool::{EnginePool, Source};
use crate::error::{Code, Error};
use crate::matches::bots::hosted::{ProgramUnavailable, SeatProof, program_seats, prove_seat};
use crate::matches::event::{Created, Event, LoggedEvent, ProgramRef};
use crate::programs::{FUEL_PER_SECOND, Programs};

/// The most fuel that the programs of a match may have used for the server to prove it, in seconds of their clock. Longer ones can be
/// proved with `kibitz verify --programs`.
const MOST_SECONDS: u64 = 600;

impl Programs {
    /// Runs the programs of a match that is over again, at the expense of the client's share of engine time.
    ///
    /// # Errors
    /// `programs_off`, `no_such_program` if one was deleted, `too_many` if the match is too long, `busy`, `stopping`.
    pub async fn prove(
        &self,
        pool: &dyn EnginePool,
        client: &ClientId,
        log: Arc<[LoggedEvent]>,
    ) -> Result<Vec<SeatProof>, Error> {
        let Some(LoggedEvent { event: Event::Created(created), .. }) = log.first() else {
            return Err(Error::new(Code::Internal, "a log does not begin with the creation"));
        };
        let seats = program_seats(created);
        if !seats.is_empty() {
            self.check_runner()?;
        }
        let used: u64 = log.iter().map(|logged| fuel_of(&logged.event)).sum();
        if used > MOST_SECONDS * FUEL_PER_SECOND {
            let detail = format!(
                "the programs of this match used more than {MOST_SECONDS} s, which is the limit: use kibitz verify --programs"
            );
            return Err(Error::new(Code::TooMany, detail));
        }
        let mut proofs = Vec::new();
        for seat in seats {
            proofs.push(self.prove_one(pool, client, created, Arc::clone(&log), seat).await?);
        }
        Ok(proofs)
    }

    async fn prove_one(
        &self,
        pool: &dyn EnginePool,
        client: &ClientId,
        created: &Created,
        log: Arc<[LoggedEvent]>,
        (seat, program): (Seat, ProgramRef),
    ) -> Result<SeatProof, Error> {
        let game = self.games.find(&created.game)?.game;
        let hosted = self.matches.hosted();
        let place = hosted.load(&program, None).await.map_err(|e| match e {
            ProgramUnavailable::ForGood(why) => {
                Error::new(Code::NoSuchProgram, format!("seat {seat}: {why}"))
            }
            ProgramUnavailable::ForNow(why) => Error::new(Code::StoreUnavailable, why),
        })?;
        let (tell, told) = oneshot::channel();
        let prove = Box::new(move |host: Result<&dyn engines::search::Host, Error>| {
            let proof = host.and_then(|host| {
                let start = |program: &ProgramRef, seed| place.seat(program, seed);
                let proof = prove_seat(game, &log, (seat, program), start, host);
                proof.map_err(|why| Error::new(Code::EngineFailed, why))
            });
            // Who waited may be gone.
            let _ = tell.send(proof);
        });
        let _run = pool.run(Source::Request(client.clone()), prove)?;
        told.await.map_err(|_| Error::new(Code::EngineFailed, "a proof gave no result"))?
    }
}

/// The fuel of an event.
fn fuel_of(event: &Event) -> u64 {
    match event {
        Event::Moved(moved) => moved.times.fuel,
        Event::Fouled(foul) => foul.times.fuel,
        _ => None,
    }
    .unwrap_or(0)
}
