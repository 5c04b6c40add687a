//! Rate limits that hold for all nodes together: one row per bucket that is not full.

use std::time::Duration;

use sqlx::PgPool;

use crate::limits::creations::Rate;
use crate::store::StoreError;

/// Takes one from a bucket: its row says when the bucket will be full again. Without effect if the bucket is empty.
/// $2: how long one takes to come back; $3: the size of the bucket, in such times.
const TAKE: &str = "INSERT INTO buckets AS b (key, full_at)
    VALUES ($1, clock_timestamp() + $2 * interval '1 microsecond')
    ON CONFLICT (key) DO UPDATE
        SET full_at = greatest(b.full_at, clock_timestamp()) + $2 * interval '1 microsecond'
        WHERE greatest(b.full_at, clock_timestamp()) + $2 * interval '1 microsecond'
            <= clock_timestamp() + $2 * $3 * interval '1 microsecond'
    RETURNING true";
/// How long until there is one again, in microseconds.
const WAIT: &str = "SELECT greatest(0, (extract(epoch FROM full_at - clock_timestamp()) * 1000000
        - $2 * ($3 - 1)))::bigint FROM buckets WHERE key = $1";
/// Buckets that are full need no row.
const SWEEP: &str = "DELETE FROM buckets WHERE full_at < clock_timestamp()";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 3] = [TAKE, WAIT, SWEEP];

/// Takes one from this bucket. `Ok(Err)`: it is empty for this long.
pub(super) async fn take(db: &PgPool, key: &str, rate: Rate) -> Result<Result<(), Duration>, StoreError> {
    let each = 60_000_000.0 / f64::from(rate.per_minute.max(1));
    let burst = f64::from(rate.burst.max(1));
    let taken: Option<bool> =
        sqlx::query_scalar(TAKE).bind(key).bind(each).bind(burst).fetch_optional(db).await?;
    if taken.is_some() {
        return Ok(Ok(()));
    }
    let wait: Option<i64> =
        sqlx::query_scalar(WAIT).bind(key).bind(each).bind(burst).fetch_optional(db).await?;
    Ok(Err(Duration::from_micros(u64::try_from(wait.unwrap_or(0)).unwrap_or(0))))
}

/// Removes the rows of full buckets.
pub(super) async fn sweep(db: &PgPool) -> Result<(), StoreError> {
    sqlx::query(SWEEP).execute(db).await?;
    Ok(())
}
