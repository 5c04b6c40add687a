//! Tells the other nodes which dialogues of this node have taken a seat, and hears it from them. A notification that could not be
//! sent is sent again; one that was not heard is made up for by those who hold seats, when the connection is back.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;

use crate::store::data::seats::{SeatNews, SeatTaken};
use crate::store::postgres::read_pool::{READ_LIMIT, ReadPool};

/// The channel on which nodes tell each other of seats.
pub(in crate::store::postgres) const CHANNEL: &str = "kibitz_seats";

/// The pause before a notification is sent again.
const AGAIN_AFTER: Duration = Duration::from_millis(200);

const NOTIFY: &str = "SELECT count(pg_notify('kibitz_seats', note)) FROM unnest($1::text[]) AS n (note)";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store::postgres) const STATEMENTS: [&str; 1] = [NOTIFY];

/// What this node has to tell of seats, and what it has heard.
#[derive(Debug, Default)]
pub(in crate::store) struct SeatChannel {
    untold: Mutex<Vec<SeatTaken>>,
    added: Notify,
    heard: Mutex<SeatNews>,
    came: Notify,
}

impl SeatChannel {
    /// Tells the other nodes soon.
    pub(in crate::store) fn add(&self, taken: SeatTaken) {
        lock(&self.untold).push(taken);
        self.added.notify_one();
    }

    /// Tells the other nodes of each dialogue that is added.
    pub(in crate::store::postgres) async fn tell_always(&self, db: &ReadPool) {
        loop {
            self.added.notified().await;
            let mut all = std::mem::take(&mut *lock(&self.untold));
            let notes: Vec<String> = all.iter().map(SeatTaken::to_note).collect();
            let pool = db.current();
            if db.within(READ_LIMIT, sqlx::query(NOTIFY).bind(notes).execute(&pool)).await.is_err() {
                lock(&self.untold).append(&mut all);
                sleep(AGAIN_AFTER).await;
                self.added.notify_one();
            }
        }
    }

    /// Takes a notification.
    pub(in crate::store::postgres) fn hear(&self, note: &str) {
        lock(&self.heard).taken.extend(SeatTaken::of_note(note));
        self.came.notify_one();
    }

    /// Records that notifications may have been missed.
    pub(in crate::store::postgres) fn missed(&self) {
        lock(&self.heard).missed = true;
        self.came.notify_one();
    }

    /// Waits for notifications.
    pub(in crate::store) async fn news(&self) -> SeatNews {
        self.came.notified().await;
        std::mem::take(&mut *lock(&self.heard))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No holder of the lock can panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
