//! Finds out which workers are present, by their announcements, by NATS's reports of lost ones, and by the connection
//! itself. Passes the reports of workers to their searches.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::{Message, StatusCode};

use crate::engine_pool::schedule::Schedule;
use crate::engine_pool::shares::QUANTUM;
use crate::engine_pool::workers::pool::{Remote, WorkerMessage};
use crate::engine_pool::workers::roster::RosterChange;
use crate::engine_pool::workers::wire::{self, Announcement};

/// How often the node looks for workers that are gone.
const CHECK: Duration = Duration::from_millis(100);

impl Remote {
    /// Handles the announcement of a worker.
    pub(super) fn hear(self: &Arc<Self>, schedule: &Arc<Schedule>, message: &Message) {
        let announcement: Announcement = match serde_json::from_slice(&message.payload) {
            Ok(announcement) => announcement,
            Err(e) => {
                tracing::warn!(error = %e, "a worker's announcement cannot be read");
                return;
            }
        };
        let (worker, threads) = (announcement.worker.as_str(), announcement.threads);
        let heard = self.roster().hear(&announcement, Instant::now());
        match heard {
            RosterChange::Appeared => tracing::info!(worker, threads, "a worker appeared"),
            RosterChange::Leaving => tracing::info!(worker, "a worker is ending"),
            RosterChange::Unsuitable => {
                tracing::warn!(worker, "a worker has other engine versions than this server and is not used");
            }
            RosterChange::Known => {}
        }
        self.update_slots(schedule);
    }

    /// Passes a report to its search.
    pub(super) fn dispatch(self: &Arc<Self>, schedule: &Arc<Schedule>, message: &Message) {
        let target = wire::last(&message.subject);
        let gone = message.status == Some(StatusCode::NO_RESPONDERS);
        let Ok(number) = target.parse::<u64>() else {
            if gone {
                self.lose(schedule, target, "it is gone");
            }
            return;
        };
        let incoming = if gone {
            WorkerMessage::NoWorker
        } else {
            match serde_json::from_slice(&message.payload) {
                Ok(report) => WorkerMessage::Report(report),
                Err(e) => {
                    tracing::warn!(error = %e, "a worker's report cannot be read");
                    WorkerMessage::NoWorker
                }
            }
        };
        if let Some(inbox) = self.inboxes().get(&number) {
            // The search may have ended.
            let _ = inbox.send(incoming);
        }
    }

    /// Removes a worker that is gone: its searches are made elsewhere.
    pub(super) fn lose(self: &Arc<Self>, schedule: &Arc<Schedule>, worker: &str, why: &str) {
        if self.roster().lose(worker) {
            tracing::warn!(worker, why, "a worker disappeared");
            self.update_slots(schedule);
        }
    }

    /// Divides the slots again while searches wait, and looks for workers that are gone.
    pub(super) async fn watch(self: Arc<Self>, schedule: Arc<Schedule>) {
        let mut next_check = Instant::now();
        loop {
            let pause = if self.used.load(Ordering::Relaxed) > 0 { QUANTUM } else { CHECK };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.work.notified() => {}
            }
            let now = Instant::now();
            schedule.rebalance_if_due(now);
            if now < next_check {
                continue;
            }
            next_check = now + CHECK;
            let silent = self.roster().silent(now);
            for worker in silent {
                self.lose(&schedule, &worker, "it is silent");
            }
            if self.broker.is_connected() {
                self.ping().await;
            }
        }
    }

    /// Sends an empty order to each worker that has searches: if the worker is gone, NATS says so at once.
    async fn ping(&self) {
        let in_use = self.roster().in_use();
        for worker in in_use {
            let reply = wire::pings(&self.node, &worker);
            // A failure shows as a lost connection.
            let _ = self.broker.client.publish_with_reply(wire::orders(&worker), reply, "".into()).await;
        }
    }

    /// Removes all workers when the connection to NATS is lost: without it, no worker can be reached.
    pub(super) async fn watch_connection(self: Arc<Self>, schedule: Arc<Schedule>) {
        let mut connected = self.broker.connected.clone();
        while connected.changed().await.is_ok() {
            if !*connected.borrow_and_update() {
                let workers = self.roster().keys();
                for worker in workers {
                    self.lose(&schedule, &worker, "the connection to NATS is lost");
                }
            }
        }
    }
}
