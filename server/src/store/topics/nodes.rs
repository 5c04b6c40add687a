//! This node and the health of the database.

use futures_util::future::BoxFuture;

use crate::domain::time::Millis;
use crate::store::database_error::CORRUPT;
use crate::store::database_store::{Backend, DatabaseStore};
use crate::store::downtime::Span;
use crate::store::queries::counts;
use crate::store::writing::commands::WriteCommand;
use crate::store::{StoreCounts, StoreError};

/// This node and the health of the database.
pub trait NodeStore: Send + Sync {
    /// Records that this node accepts requests from `now` on. If no other node did, there was a downtime, which ends
    /// when this returns.
    fn serve(&self, now: Millis) -> BoxFuture<'_, Result<(), StoreError>>;
    /// Heartbeat: this node still serves at this time. Call it about once a second: after a crash, the downtime begins
    /// at the last heartbeat.
    fn heartbeat(&self, now: Millis);
    /// Records that this node began to stop at this time and accepts no more requests. Later heartbeats have no effect.
    /// Returns before that is on disk.
    fn stop(&self, now: Millis);
    /// The times in which no node served or nothing could be written, as (first millisecond, first millisecond after it),
    /// in order, without those that ended by `from`. The last one may have no end yet: [`Millis::MAX`].
    fn downtimes(&self, from: Millis) -> Vec<Span>;
    /// The same without those of this node alone.
    fn common_downtimes(&self, from: Millis) -> Vec<Span>;
    /// Records that this node did not run in this time, in which it served: its process was frozen. That is a downtime of
    /// this node.
    fn record_freeze(&self, span: Span);
    /// Waits until writing begins to fail, or works again. Only one task may wait.
    fn health_changed(&self) -> BoxFuture<'_, ()>;
    /// Whether writing works now; `Err`: why not. Matches pause while it does not.
    fn health(&self) -> Result<(), String>;
    /// Whether the node should receive new requests: writing works and no damage to the file was found; `Err`: why not.
    /// Running matches continue in a damaged file as far as it can be read and written.
    fn ready(&self) -> Result<(), String>;
    /// Looks for damage in the whole file while other tasks read and write. [`Self::ready`] reports what it finds.
    fn check_file(&self) -> BoxFuture<'_, Result<(), StoreError>>;
    /// Counts what the database holds.
    fn counts(&self) -> BoxFuture<'_, Result<StoreCounts, StoreError>>;
    /// The id of this node.
    fn node(&self) -> &str;
    /// The database's own secret: 32 bytes that never change.
    fn pepper(&self) -> &[u8; 32];
    /// Writes what is not written yet, and closes the database.
    fn close(&self) -> BoxFuture<'_, ()>;
}

impl NodeStore for DatabaseStore {
    fn serve(&self, now: Millis) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let took_us = self.write(WriteCommand::Serve(now)).await?.took_us;
            self.shared.begin_to_serve();
            let mut downtimes = self.shared.downtimes();
            if downtimes.after(now - 1).first().is_some_and(|(_, to)| *to == now) {
                // The database does not know yet how long this call took.
                downtimes
                    .add_common((now, now.saturating_add(Millis::try_from(took_us / 1000).unwrap_or(0))));
            }
            Ok(())
        })
    }

    fn heartbeat(&self, now: Millis) {
        self.shared.record_heartbeat(now);
    }

    fn stop(&self, now: Millis) {
        self.shared.stop(now);
    }

    fn downtimes(&self, from: Millis) -> Vec<Span> {
        self.shared.downtimes().after(from)
    }

    fn common_downtimes(&self, from: Millis) -> Vec<Span> {
        self.shared.downtimes().common_after(from)
    }

    fn record_freeze(&self, span: Span) {
        self.shared.record_freeze(span);
    }

    fn health_changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.health_changed.notified())
    }

    fn health(&self) -> Result<(), String> {
        self.shared.health()
    }

    fn ready(&self) -> Result<(), String> {
        if self.shared.damaged() { Err(CORRUPT.to_owned()) } else { self.shared.health() }
    }

    fn check_file(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            match &self.backend {
                Backend::Sqlite(sqlite) => sqlite.check_file(&self.shared).await,
                Backend::Postgres(_) => Ok(()),
            }
        })
    }

    fn counts(&self) -> BoxFuture<'_, Result<StoreCounts, StoreError>> {
        Box::pin(async move { self.read_long(counts::counts(&self.readers())).await })
    }

    fn node(&self) -> &str {
        &self.node
    }

    fn pepper(&self) -> &[u8; 32] {
        &self.pepper
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match &self.backend {
                Backend::Sqlite(sqlite) => {
                    // Readers first: the last connection that closes removes the log, and only the writer's may do that.
                    sqlite.readers.close().await;
                    self.closing.cancel();
                }
                Backend::Postgres(postgres) => {
                    self.closing.cancel();
                    postgres.readers.close().await;
                }
            }
            self.closed.cancelled().await;
        })
    }
}
