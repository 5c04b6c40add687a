//! A whole service of real processes, and the faults that can happen in it.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use engines::rng::Rng;
use kibitz_test_support::PrivatePostgres;
use rustix::process::{Signal, kill_process};
use serde_json::Value;

use super::super::retrying_client::ask;
use super::link::{LinkState, NetworkLink};
use crate::server_process::{ServerProcess, until};
use crate::workers::processes::{NatsServer, WorkerProcess};

/// The nodes of the service.
pub(super) const NODES: usize = 3;

/// Its workers.
const WORKERS: usize = 2;

/// A fault of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// A node is killed and started again.
    NodeKilled,
    /// A node is stopped in order and started again.
    NodeStopped,
    /// A node is frozen (SIGSTOP) for longer than its lease lasts, and goes on (SIGCONT).
    NodeFrozen,
    /// PostgreSQL is restarted in order.
    DatabaseRestarted,
    /// All processes of PostgreSQL are killed.
    DatabaseKilled,
    /// NATS is killed and started again.
    NatsKilled,
    /// The connections between a node and the database are cut.
    LinkCut,
    /// They are slow.
    LinkSlow,
    /// They swallow everything for as long, and deliver it then.
    LinkSilent,
    /// Those that exist swallow everything, and new ones work.
    LinkForgotten,
    /// All nodes are frozen for longer than their leases last.
    AllNodesFrozen,
    /// PostgreSQL is frozen for some seconds.
    DatabaseFrozen,
    /// The connections between a node and NATS swallow everything.
    NodeWithoutNats,
    /// The same between a worker and NATS.
    WorkerWithoutNats,
}

impl Fault {
    pub(super) const ALL: [Self; 14] = [
        Self::NodeKilled,
        Self::DatabaseKilled,
        Self::LinkCut,
        Self::NodeFrozen,
        Self::NatsKilled,
        Self::DatabaseRestarted,
        Self::LinkSilent,
        Self::NodeStopped,
        Self::LinkSlow,
        Self::DatabaseFrozen,
        Self::LinkForgotten,
        Self::NodeWithoutNats,
        Self::AllNodesFrozen,
        Self::WorkerWithoutNats,
    ];

    /// Whether no node can serve until it is over.
    pub(super) fn stops_all(self) -> bool {
        matches!(
            self,
            Self::DatabaseKilled | Self::DatabaseRestarted | Self::DatabaseFrozen | Self::AllNodesFrozen
        )
    }
}

/// A fault that happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastFault {
    pub fault: Fault,
    pub from: Instant,
    pub to: Instant,
}

/// Three nodes, two workers, PostgreSQL and NATS.
pub(super) struct Service {
    nodes: Vec<ServerProcess>,
    links: Vec<NetworkLink>,
    /// The links of the nodes to NATS, and those of the workers.
    nats_links: Vec<NetworkLink>,
    worker_links: Vec<NetworkLink>,
    _workers: Vec<WorkerProcess>,
    nats: NatsServer,
    postgres: PrivatePostgres,
}

/// Runs work that starts or stops processes. Its duration is not the test's concern, but the test's tasks must go on
/// meanwhile.
fn aside<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

impl Service {
    pub(super) async fn start(postgres_settings: &[&str]) -> Self {
        let postgres = aside(|| PrivatePostgres::start_with(postgres_settings));
        let url = postgres.create();
        let database = url.rsplit('/').find_map(|part| part.split_once("?host=")).expect("it has a name").0;
        let nats = NatsServer::start();
        let (mut links, mut nodes) = (Vec::new(), Vec::new());
        let (mut nats_links, mut workers, mut worker_links) = (Vec::new(), Vec::new(), Vec::new());
        let flag = |link: &NetworkLink| format!("--workers=nats://{}", link.address);
        for _ in 0..WORKERS {
            let link = NetworkLink::start(nats.address()).await;
            workers.push(aside(|| WorkerProcess::start_with_usual_log(&flag(&link), 1)));
            worker_links.push(link);
        }
        for _ in 0..NODES {
            let link = NetworkLink::start((Ipv4Addr::LOCALHOST, postgres.port()).into()).await;
            let nats_link = NetworkLink::start(nats.address()).await;
            let url = format!("postgres://kibitz@{}/{database}", link.address);
            let flags = ["--threads=1", "--creations-burst=1000000", &flag(&nats_link)];
            nodes.push(aside(|| ServerProcess::start_on(&url, &flags)));
            links.push(link);
            nats_links.push(nats_link);
        }
        Self { nodes, links, nats_links, worker_links, _workers: workers, nats, postgres }
    }

    /// Checks that no transactions of nodes have waited for each other.
    pub(super) fn assert_no_deadlocks(&self) {
        let log = self.postgres.log();
        let found: Vec<_> = log.split("ERROR:").filter(|part| part.contains("deadlock detected")).collect();
        assert!(found.is_empty(), "transactions waited for each other: {found:#?}");
    }

    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.address).collect()
    }

    /// Makes it happen to a node chosen at random, and waits until all nodes are ready again. `patient`: it lasts as long
    /// as in reality; otherwise a second.
    pub(super) async fn suffer(&mut self, fault: Fault, rng: &mut Rng, patient: bool) -> PastFault {
        let n = rng.below(NODES);
        let random = Duration::from_millis(100 + rng.below(if patient { 5_000 } else { 900 }) as u64);
        let shorter = random.min(Duration::from_secs(3));
        // Longer than a lease lasts, and than a node waits for the database.
        let long = Duration::from_secs(if patient { 8 } else { 6 });
        let from = Instant::now();
        let sleep = tokio::time::sleep;
        match fault {
            Fault::NodeKilled => {
                aside(|| self.nodes[n].kill());
                sleep(random).await;
                aside(|| self.nodes[n].begin_at_last());
            }
            Fault::NodeStopped => {
                aside(|| self.nodes[n].stop());
                sleep(shorter).await;
                aside(|| self.nodes[n].begin_at_last());
            }
            Fault::NodeFrozen => {
                kill_process(self.nodes[n].pid(), Signal::STOP).unwrap();
                sleep(long).await;
                kill_process(self.nodes[n].pid(), Signal::CONT).unwrap();
            }
            Fault::DatabaseRestarted => {
                aside(|| self.postgres.stop());
                aside(|| self.postgres.begin());
            }
            Fault::DatabaseKilled => {
                aside(|| self.postgres.kill());
                // In the short form always so long that clients find no node that serves: each node notices it at once, and no
                // other fault there is sure to show them that.
                sleep(if patient { Duration::ZERO } else { Duration::from_secs(3) } + shorter).await;
                aside(|| self.postgres.begin());
            }
            Fault::NatsKilled => {
                aside(|| self.nats.kill());
                sleep(random).await;
                aside(|| self.nats.begin());
            }
            Fault::AllNodesFrozen => {
                self.nodes.iter().for_each(|node| kill_process(node.pid(), Signal::STOP).unwrap());
                sleep(long).await;
                self.nodes.iter().for_each(|node| kill_process(node.pid(), Signal::CONT).unwrap());
            }
            Fault::DatabaseFrozen => {
                aside(|| self.postgres.freeze());
                // Shorter and longer than a node needs to notice it.
                sleep(Duration::from_millis(500) + shorter).await;
                aside(|| self.postgres.thaw());
            }
            Fault::NodeWithoutNats => disturb(&self.nats_links[n], LinkState::Silent, random).await,
            Fault::WorkerWithoutNats => {
                disturb(&self.worker_links[n % WORKERS], LinkState::Silent, random).await;
            }
            Fault::LinkCut => disturb(&self.links[n], LinkState::Cut, random).await,
            Fault::LinkSlow => {
                let delay = Duration::from_millis(20 + rng.below(180) as u64);
                disturb(&self.links[n], LinkState::Slow(delay), random).await;
            }
            Fault::LinkSilent => disturb(&self.links[n], LinkState::Silent, long).await,
            Fault::LinkForgotten => disturb(&self.links[n], LinkState::Forgotten, long).await,
        }
        let to = Instant::now();
        for node in &self.nodes {
            until(|| async {
                let ready = ask(node.address, "GET", "/readyz", &[], &Value::Null).await.ok()?;
                (ready.status == 200).then_some(())
            })
            .await;
        }
        PastFault { fault, from, to }
    }
}

/// Brings a link into this state for this time.
async fn disturb(link: &NetworkLink, state: LinkState, time: Duration) {
    link.set(state);
    tokio::time::sleep(time).await;
    link.set(LinkState::Open);
}
