//! The dialogues of seats: each seat has at most one. A newer one takes over, on whatever node it is, because a program that
//! connects again must not wait until a server has noticed that its old connection is gone.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engines::game::Seat;
use tokio_util::sync::CancellationToken;

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::matches::service::Matches;
use crate::store::SeatTaken;

/// The holders of the dialogues of this node.
#[derive(Default)]
pub struct SeatHolders(Mutex<HashMap<(MatchId, Seat), Holder>>);

struct Holder {
    /// See [`SeatTaken::order`].
    order: (Millis, u64),
    taken_over: CancellationToken,
}

/// The right to a seat's dialogue, until a newer one takes over.
pub(crate) struct SeatHold {
    holders: &'static SeatHolders,
    taken: SeatTaken,
    taken_over: CancellationToken,
}

impl SeatHolders {
    /// Takes a seat's dialogue over, and tells the other nodes.
    pub(crate) fn take(&'static self, matches: &Matches, id: MatchId, seat: Seat) -> SeatHold {
        let (taken_over, seat) = (CancellationToken::new(), (id, seat));
        let (_, tag) = uuid::Uuid::now_v7().as_u64_pair();
        let mut holders = self.lock();
        let older_ms = holders.get(&seat).map_or(Millis::MIN, |older| older.order.0);
        let order = (matches.now().ms().max(older_ms.saturating_add(1)), tag);
        if let Some(older) = holders.insert(seat.clone(), Holder { order, taken_over: taken_over.clone() }) {
            older.taken_over.cancel();
        }
        drop(holders);
        let taken = SeatTaken { seat, order };
        matches.store().announce_seat(taken.clone());
        SeatHold { holders: self, taken, taken_over }
    }

    /// Gives way to newer dialogues on other nodes, until the server stops.
    pub(crate) async fn follow(&self, matches: &Matches, stopping: CancellationToken) {
        loop {
            let news = tokio::select! {
                () = stopping.cancelled() => return,
                news = matches.store().seats_taken() => news,
            };
            let newer = news.taken.iter().filter_map(|taken| self.give_way(taken)).collect();
            // A node that holds a newer dialogue answers.
            let own = if news.missed { self.all() } else { newer };
            own.into_iter().for_each(|taken| matches.store().announce_seat(taken));
        }
    }

    /// Ends the dialogue of this node if the other one is newer; returns the own one if that is newer.
    fn give_way(&self, other: &SeatTaken) -> Option<SeatTaken> {
        let mut holders = self.lock();
        let order = holders.get(&other.seat)?.order;
        if order < other.order {
            holders.remove(&other.seat)?.taken_over.cancel();
        }
        (order > other.order).then(|| SeatTaken { seat: other.seat.clone(), order })
    }

    fn all(&self) -> Vec<SeatTaken> {
        let holders = self.lock();
        holders.iter().map(|(seat, holder)| SeatTaken { seat: seat.clone(), order: holder.order }).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(MatchId, Seat), Holder>> {
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
        if holders.get(&self.taken.seat).is_some_and(|holder| holder.order == self.taken.order) {
            holders.remove(&self.taken.seat);
        }
    }
}
