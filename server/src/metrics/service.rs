//! What the service holds: accounts, tournaments, who is online, the ladder, and the size of the database. A job of the server
//! measures it from time to time.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::{GameLabel, KindLabel};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StageLabel {
    stage: &'static str,
}

/// What the service holds. The database's counts are the same on all nodes.
#[derive(Debug, Default)]
pub struct ServiceMetrics {
    players: Family<KindLabel, Gauge>,
    online: Family<KindLabel, Gauge>,
    tournaments: Family<StageLabel, Gauge>,
    rated_players: Family<GameLabel, Gauge>,
    /// Reports of users that are not settled.
    pub reports: Gauge,
    /// Challenges that are neither accepted nor over.
    pub challenges: Gauge,
    /// Players who wait to be paired.
    pub waiting: Gauge,
    /// Online bots that play on the permanent ladder.
    pub ladder_bots: Gauge,
    /// Whether this node runs the permanent ladder: 1 or 0.
    pub ladder_holder: Gauge,
    /// Whether this node takes new requests: 1 or 0.
    pub ready: Gauge,
    /// The size of the database, in bytes.
    pub database_size: Gauge,
}

impl ServiceMetrics {
    pub(super) fn register(&self, r: &mut Registry) {
        r.register("players", "Accounts, by kind: person, bot or engine", self.players.clone());
        r.register("players_online", "Connected players, by kind", self.online.clone());
        r.register("rated_players", "Players with a rating", self.rated_players.clone());
        r.register("tournaments", "Tournaments, by stage", self.tournaments.clone());
        r.register("reports", "Reports of users that are not settled", self.reports.clone());
        r.register("challenges", "Challenges that are neither accepted nor over", self.challenges.clone());
        r.register("players_waiting", "Players who wait to be paired", self.waiting.clone());
        r.register("ladder_bots", "Online bots that play on the permanent ladder", self.ladder_bots.clone());
        r.register(
            "ladder_holder",
            "Whether this node runs the permanent ladder: 1 or 0",
            self.ladder_holder.clone(),
        );
        r.register("ready", "Whether this node takes new requests: 1 or 0", self.ready.clone());
        let size = self.database_size.clone();
        r.register_with_unit("database_size", "Size of the database", Unit::Bytes, size);
    }

    /// The number of accounts of this kind.
    pub fn players(&self, kind: &'static str) -> Gauge {
        self.players.get_or_create(&KindLabel { kind }).clone()
    }

    /// The number of connected players of this kind.
    pub fn online(&self, kind: &'static str) -> Gauge {
        self.online.get_or_create(&KindLabel { kind }).clone()
    }

    /// The number of tournaments in this stage.
    pub fn tournaments(&self, stage: &'static str) -> Gauge {
        self.tournaments.get_or_create(&StageLabel { stage }).clone()
    }

    /// The number of players who have a rating in this game.
    pub fn rated_players(&self, game: &'static str) -> Gauge {
        self.rated_players.get_or_create(&GameLabel { game }).clone()
    }
}
