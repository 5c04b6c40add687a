//! Stores what a bot writes during a dialogue, in the background. If the database fails, the output is lost, but no move is.

use std::sync::Arc;
use std::time::Duration;

use engines::game::Seat;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::domain::MatchId;
use crate::matches::bots::bot_output::collect::OutputCollector;
use crate::matches::registry::MatchRegistry;
use crate::matches::service::Matches;
use crate::store::{KeptTurn, StoreChange};

/// How long the end of a dialogue waits for what the bot wrote to be stored.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// What a bot writes during a dialogue, and the request that stores it.
pub struct OutputKeeper {
    matches: &'static Matches,
    id: MatchId,
    collector: OutputCollector,
    /// The turns that are being stored: one request at a time, so that they keep their order.
    storing: Option<JoinHandle<()>>,
}

impl OutputKeeper {
    /// For the dialogue of a seat. `began_at`: moves made when it begins.
    pub fn new(matches: &'static Matches, id: MatchId, seat: Seat, began_at: u32) -> Self {
        Self { matches, id, collector: OutputCollector::new(seat, began_at), storing: None }
    }

    /// Takes a remark of the client, if it is about output; returns whether it is. `ply`: moves made so far.
    pub fn take(&mut self, remark: &str, ply: u32) -> bool {
        self.collector.take(remark, ply)
    }

    /// Stores what there is in the background, unless it is too little or the last request is still under way. A move that is sent
    /// to the match at the same time shares the wait for the disk.
    pub fn store(&mut self) {
        self.store_some(false);
    }

    fn store_some(&mut self, all: bool) {
        if self.storing.as_ref().is_some_and(|storing| !storing.is_finished()) {
            return;
        }
        let turns = self.collector.take_unsaved(all);
        self.storing =
            (!turns.is_empty()).then(|| keep_in_background(&self.matches.registry, self.id.clone(), turns));
    }

    /// Stores the rest at the end of the dialogue, if the database answers in time.
    pub async fn finish(&mut self) {
        for _ in 0..2 {
            if let Some(storing) = &mut self.storing
                && timeout(END_TIMEOUT, storing).await.is_err()
            {
                return;
            }
            self.storing = None;
            self.store_some(true);
        }
    }
}

/// Stores what a bot wrote in some turns of a match, in the background.
pub(in crate::matches) fn keep_in_background(
    registry: &MatchRegistry,
    id: MatchId,
    turns: Vec<KeptTurn>,
) -> JoinHandle<()> {
    let store = Arc::clone(&registry.store);
    registry.tasks.spawn(async move {
        let kept = store.change(StoreChange::KeepBotOutput { id: id.clone(), turns }).await;
        if let Err(e) = kept {
            tracing::debug!(id = id.as_str(), error = %e, "what a bot wrote was not stored");
        }
    })
}
