//! The names of the metrics, with what each means.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Unit;

use super::{Metrics, ProcessCollector};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabel {
    version: &'static str,
}

impl Metrics {
    pub(super) fn register(&mut self) {
        self.registry.register_collector(Box::<ProcessCollector>::default());
        let r = self.registry.sub_registry_with_prefix("kibitz");
        let version = BuildLabel { version: env!("CARGO_PKG_VERSION") };
        let build = Family::<BuildLabel, Gauge>::default();
        build.get_or_create(&version).set(1);
        r.register("build_info", "The version of this program", build);
        r.register("http_requests", "Requests, by route, status and problem code", self.requests.clone());
        r.register_with_unit("http_latency", "Time to the response", Unit::Seconds, self.latency.clone());
        r.register("node", "The node of these metrics, as in the header X-Kibitz-Node", self.node.clone());
        r.register("pool_queue", "Searches that wait to begin", self.queue.clone());
        r.register("pool_running", "Searches that run", self.running.clone());
        r.register(
            "pool_suspended",
            "Searches that have begun and wait for their next slot",
            self.suspended.clone(),
        );
        r.register("pool_admitted", "Searches accepted", self.admitted.clone());
        r.register(
            "pool_refused",
            "Searches refused because they could not meet their deadline",
            self.refused.clone(),
        );
        r.register(
            "pool_cancelled",
            "Searches cancelled because their caller disconnected",
            self.cancelled.clone(),
        );
        r.register_with_unit(
            "pool_thinking",
            "Time for which engines ran",
            Unit::Seconds,
            self.thinking.clone(),
        );
        r.register("nodes", "Nodes searched, in each engine's own measure", self.nodes.clone());
        r.register_with_unit(
            "ladder_thinking",
            "Time for which engines ran in matches of the permanent ladder",
            Unit::Seconds,
            self.ladder_seconds.clone(),
        );
        r.register(
            "ladder_matches",
            "Matches that the permanent ladder began, by the opponent of the first player: bot, engine, or check for check matches",
            self.ladder_matches.clone(),
        );
        r.register("engine_panics", "Engines that panicked", self.panics.clone());
        r.register(
            "worker_searches",
            "Searches of a server that uses workers, by where they ran: worker or local",
            self.searches_by_place.clone(),
        );
        r.register(
            "worker_retries",
            "Searches begun again because a worker was lost, busy or ending",
            self.worker_retries.clone(),
        );
        r.register("workers", "Workers that this server uses", self.workers.clone());
        r.register(
            "worker_slots_free",
            "Slots of the workers that no search of this server has",
            self.worker_slots_free.clone(),
        );
        r.register("live_matches", "Matches in memory that are not over, by stage", self.live.clone());
        r.register("matches_made", "Matches created", self.made.clone());
        r.register("matches_ended", "Matches that are over, by how they ended", self.ended.clone());
        r.register("moves", "Moves of matches, by who made them", self.moves.clone());
        r.register(
            "match_pauses",
            "Matches that paused because the database was unavailable",
            self.pauses.clone(),
        );
        r.register("freezes", "Times in which this process did not run", self.freezes.clone());
        let store = &self.store;
        r.register("store_failures", "Transactions that failed", store.failures.clone());
        r.register_with_unit("store_commit", "Time of a transaction", Unit::Seconds, store.commits.clone());
        r.register_with_unit(
            "store_write",
            "Time from a request to write until it is on disk",
            Unit::Seconds,
            store.writes.clone(),
        );
        r.register("store_batch", "Requests committed in one transaction", store.batches.clone());
        r.register("sockets", "Dialogues over WebSockets that are open", self.sockets.clone());
        r.register(
            "streams",
            "Streams of matches' events and of analyses that are open, by kind",
            self.streams.clone(),
        );
        r.register("live_acts", "Actions over WebSockets, by problem code", self.live_acts.clone());
        r.register("connections", "Connections that are open", self.connections.clone());
        r.register(
            "connections_refused",
            "Connections refused, by problem code",
            self.connections_refused.clone(),
        );
        r.register("dialogue_lines", "Lines printed in dialogues over WebSockets", self.lines.clone());
        self.service.register(r);
        r.register_collector(Box::new(self.nats.clone()));
    }
}
