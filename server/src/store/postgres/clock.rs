//! The time of a match is the time of the database. Each node measures how far its own clock is off.

use std::time::{Duration, Instant};

use sqlx::PgConnection;

/// The database's time, in microseconds since 1970.
pub(super) const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// How many answers are compared.
const SAMPLES: u32 = 5;

/// How often a node measures.
pub(super) const MEASURE_INTERVAL: Duration = Duration::from_secs(30);

/// The database's time at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub moment: Instant,
    /// The database's time, in microseconds.
    pub us: i64,
    trip: Duration,
}

/// Asks several times; the quickest answer is the most exact.
pub(super) async fn measure(db: &mut PgConnection) -> Result<Measured, sqlx::Error> {
    let mut best = sample(db).await?;
    for _ in 1..SAMPLES {
        let next = sample(db).await?;
        if next.trip < best.trip {
            best = next;
        }
    }
    Ok(best)
}

/// The database read its clock half-way between the question and the answer, as far as that can be known.
async fn sample(db: &mut PgConnection) -> Result<Measured, sqlx::Error> {
    let asked = Instant::now();
    let us: i64 = sqlx::query_scalar(NOW).fetch_one(db).await?;
    let trip = asked.elapsed();
    Ok(Measured { moment: asked + trip / 2, us, trip })
}
