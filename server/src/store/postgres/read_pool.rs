//! The connections for reading. A connection can be dead without a sign: its packets vanish. So every read has a limit,
//! and after a read without an answer all connections are replaced.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::store::StoreError;
use crate::store::postgres::connect;

/// How long a read may take; after that its connection counts as dead.
pub(super) const READ_LIMIT: Duration = Duration::from_secs(2);

/// The same for reads of a whole table. The database gives them up before that.
pub(super) const LONG_READ_LIMIT: Duration = Duration::from_secs(6);

const PROBE: &str = "SELECT 1";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [PROBE];

/// The connections for reading.
#[derive(Debug)]
pub(in crate::store) struct ReadPool {
    options: PgConnectOptions,
    state: Mutex<State>,
    /// Notified when reads get no answer: the connection for writing may be dead, too.
    doubt: Arc<Notify>,
}

#[derive(Debug)]
struct State {
    pool: PgPool,
    /// How often the connections were replaced.
    number: u64,
    /// The time of the last answer.
    answered: Instant,
}

impl ReadPool {
    /// No connection is made yet.
    pub(super) fn new(options: PgConnectOptions, doubt: Arc<Notify>) -> Self {
        let state = State { pool: connect::readers(&options), number: 0, answered: Instant::now() };
        Self { options, state: Mutex::new(state), doubt }
    }

    /// The connections to use now.
    pub(in crate::store) fn current(&self) -> PgPool {
        self.lock().pool.clone()
    }

    /// How long ago the last read was answered.
    pub(super) fn silent_for(&self) -> Duration {
        self.lock().answered.elapsed()
    }

    /// Whether a read is answered within this time.
    pub(super) async fn answer(&self, limit: Duration) -> bool {
        let pool = self.current();
        self.within(limit, sqlx::query(PROBE).execute(&pool)).await.is_ok()
    }

    /// The result of a read on the [current](Self::current) connections.
    ///
    /// # Errors
    /// The error of the read; `Unavailable` if it got no answer within the limit.
    pub(super) async fn within<T, E: Into<StoreError>>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, StoreError> {
        let number = self.lock().number;
        match timeout(limit, work).await {
            Ok(Ok(found)) => {
                self.lock().answered = Instant::now();
                Ok(found)
            }
            Ok(Err(error)) => {
                let error = error.into();
                if matches!(error, StoreError::Unavailable(_)) {
                    // The connection may have been reset, and then the others were, too.
                    self.replace(number);
                }
                Err(error)
            }
            Err(_) => {
                self.replace(number);
                Err(StoreError::Unavailable("the database did not answer a read in time".to_owned()))
            }
        }
    }

    /// Replaces the connections, unless that has happened since they had this number. Those in use end with their work.
    fn replace(&self, number: u64) {
        let fresh = connect::readers(&self.options);
        let mut state = self.lock();
        if state.number != number {
            return;
        }
        let old = std::mem::replace(&mut state.pool, fresh);
        state.number += 1;
        drop(state);
        self.doubt.notify_one();
        // Closing waits for connections that never answer.
        tokio::spawn(async move { timeout(LONG_READ_LIMIT, old.close()).await });
    }

    /// Closes the connections.
    pub(in crate::store) async fn close(&self) {
        let pool = self.current();
        // Not longer than a read may take.
        let _ = timeout(READ_LIMIT, pool.close()).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // No holder of the lock can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
