//! The dialogues of seats at this server: each seat has at most one. A newer one takes over, because a program that connects
//! again must not wait until the server has noticed that its old connection is gone.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engines::game::Seat;
use tokio_util::sync::CancellationToken;

use crate::domain::MatchId;

/// The holders of all dialogues.
#[derive(Default)]
pub struct SeatHolders(Mutex<Holders>);

#[derive(Default)]
struct Holders {
    now: HashMap<(MatchId, Seat), (u64, CancellationToken)>,
    next: u64,
}

/// The right to a seat's dialogue, until a newer one takes over.
pub(crate) struct SeatHold {
    holders: &'static SeatHolders,
    seat: (MatchId, Seat),
    number: u64,
    taken_over: CancellationToken,
}

impl SeatHolders {
    /// Takes a seat's dialogue over.
    pub(crate) fn take(&'static self, id: MatchId, seat: Seat) -> SeatHold {
        let (taken_over, seat) = (CancellationToken::new(), (id, seat));
        let mut holders = self.lock();
        holders.next += 1;
        let number = holders.next;
        if let Some((_, older)) = holders.now.insert(seat.clone(), (number, taken_over.clone())) {
            older.cancel();
        }
        SeatHold { holders: self, seat, number, taken_over }
    }

    fn lock(&self) -> MutexGuard<'_, Holders> {
        // No holder of the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SeatHold {
    /// Waits until another connection has taken the dialogue over.
    pub(crate) async fn taken_over(&self) {
        self.taken_over.cancelled().await;
    }
}

impl Drop for SeatHold {
    fn drop(&mut self) {
        let mut holders = self.holders.lock();
        if holders.now.get(&self.seat).is_some_and(|(number, _)| *number == self.number) {
            holders.now.remove(&self.seat);
        }
    }
}
