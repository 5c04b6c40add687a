//! Which node holds a match, and what nodes on the same database tell each other.

use engines::game::Seat;
use futures_util::future::BoxFuture;

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::database_store::{Backend, DatabaseStore};
use crate::store::downtime::Span;
use crate::store::queries::history::matches;
use crate::store::{Holding, SeatNews, SeatTaken, SpectatorNews, SpectatorReport, StoreError};

/// Which node holds a match, and what nodes on the same database tell each other.
pub trait HolderStore: Send + Sync {
    /// Matches that need attention by `now` and that no living node holds; the longest overdue come first. The node that
    /// created a match holds it until it releases it. The matches of a dead node are due at once. A match can be due
    /// although it lives on this node: another node may have taken it over and released it.
    fn due(&self, now: Millis, limit: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// Makes this node hold the match from now on, unless another living node does ([`Self::holding`]). Returns before
    /// that is on disk.
    fn hold(&self, id: MatchId);
    /// Releases the match: this node no longer holds it. The match is due at `wake_ms`; `None`: only when a client asks
    /// for it. Returns before that is on disk.
    fn release(&self, id: MatchId, wake_ms: Option<Millis>);
    /// Whether this node moves the engines of a match that lives here and ends its turns in time: of the nodes on which
    /// a match lives, one does. [`Self::changed_elsewhere`] reports a match that this node begins to hold.
    fn holding(&self, id: &MatchId) -> Holding;
    /// The last heartbeat of the dead node that held the match before this one, which has held it since a moment ago.
    /// Returned only once.
    fn take_unheld_since(&self, id: &MatchId) -> Option<Millis>;
    /// The time in which another node, to which the player of this seat is connected, did not reach the database: up to now,
    /// or until it was found dead. `None`: there is no such node, or the player follows the match on a third one.
    fn cut_off(&self, id: MatchId, seat: Seat) -> BoxFuture<'_, Result<Option<Span>, StoreError>>;
    /// Waits until another node on the same database has appended events; returns their matches. Never ready if there is
    /// no other node.
    fn changed_elsewhere(&self) -> BoxFuture<'_, Vec<MatchId>>;
    /// Whether other nodes, of which this one may not know yet, can write to the database. Then a match that lives here
    /// can be behind its log at any moment.
    fn is_shared(&self) -> bool;
    /// Tells the other nodes on the same database that a dialogue of this node has taken a seat.
    fn announce_seat(&self, taken: SeatTaken);
    /// Waits until nodes on the same database, this one among them, have announced dialogues that have taken a seat. Never ready
    /// if nodes cannot hear each other. Only one task may wait.
    fn seats_taken(&self) -> BoxFuture<'_, SeatNews>;
    /// Tells the other nodes on the same database how many spectators this one has; returns the ids of those that live. None, if
    /// nodes cannot hear each other.
    fn report_spectators(&self, report: SpectatorReport) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
    /// Waits until other nodes on the same database have reported spectators. Never ready if nodes cannot hear each other. Only
    /// one task may wait.
    fn spectator_news(&self) -> BoxFuture<'_, SpectatorNews>;
}

impl HolderStore for DatabaseStore {
    fn due(&self, now: Millis, limit: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move {
            // Read the unwritten changes before the database: a change that is written in between is in both.
            let not_due = self.shared.holds().not_due(now);
            let most = i64::from(limit).saturating_add(i64::try_from(not_due.len()).unwrap_or(i64::MAX));
            let mut due = self.read(matches::due(&self.readers(), now, most)).await?;
            if let Backend::Postgres(postgres) = &self.backend {
                due.splice(..0, postgres.orphans(most).await?);
            }
            due.retain(|id| !not_due.contains(id));
            due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(due)
        })
    }

    fn hold(&self, id: MatchId) {
        if let Backend::Postgres(postgres) = &self.backend {
            postgres.live.add(&id);
        }
        self.shared.holds().hold(id);
        self.shared.wake.notify_one();
    }

    fn release(&self, id: MatchId, wake_ms: Option<Millis>) {
        if let Backend::Postgres(postgres) = &self.backend {
            postgres.live.remove(&id);
        }
        self.shared.holds().release(id, wake_ms);
        self.shared.wake.notify_one();
    }

    fn holding(&self, id: &MatchId) -> Holding {
        match &self.backend {
            Backend::Sqlite(_) => Holding::Here,
            Backend::Postgres(postgres) => postgres.live.holding(id),
        }
    }

    fn take_unheld_since(&self, id: &MatchId) -> Option<Millis> {
        match &self.backend {
            Backend::Sqlite(_) => None,
            Backend::Postgres(postgres) => postgres.live.take_unheld_since(id),
        }
    }

    fn cut_off(&self, id: MatchId, seat: Seat) -> BoxFuture<'_, Result<Option<Span>, StoreError>> {
        Box::pin(async move {
            match &self.backend {
                Backend::Sqlite(_) => Ok(None),
                Backend::Postgres(postgres) => postgres.cut_off(&id, seat).await,
            }
        })
    }

    fn changed_elsewhere(&self) -> BoxFuture<'_, Vec<MatchId>> {
        Box::pin(async move {
            loop {
                let notified = self.shared.changed_elsewhere_notify.notified();
                let changed = self.shared.take_changed_elsewhere();
                if !changed.is_empty() {
                    return changed;
                }
                notified.await;
            }
        })
    }

    fn is_shared(&self) -> bool {
        matches!(self.backend, Backend::Postgres(_))
    }

    fn announce_seat(&self, taken: SeatTaken) {
        if let Backend::Postgres(postgres) = &self.backend {
            postgres.seats.add(taken);
        }
    }

    fn seats_taken(&self) -> BoxFuture<'_, SeatNews> {
        match &self.backend {
            Backend::Sqlite(_) => Box::pin(std::future::pending()),
            Backend::Postgres(postgres) => Box::pin(postgres.seats.news()),
        }
    }

    fn report_spectators(&self, report: SpectatorReport) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            match &self.backend {
                Backend::Sqlite(_) => Ok(Vec::new()),
                Backend::Postgres(postgres) => postgres.report_spectators(&report).await,
            }
        })
    }

    fn spectator_news(&self) -> BoxFuture<'_, SpectatorNews> {
        match &self.backend {
            Backend::Sqlite(_) => Box::pin(std::future::pending()),
            Backend::Postgres(postgres) => Box::pin(postgres.spectators.news()),
        }
    }
}
