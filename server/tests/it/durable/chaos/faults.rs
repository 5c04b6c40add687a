//! A whole service of real processes, and the faults that can happen in it.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use engines::rng::Rng;
use kibitz_test_support::PrivatePostgres;
use rustix::process::{Signal, kill_process};
use serde_json::Value;

use super::super::retrying_client::ask;
use super::link::{DatabaseLink, LinkState};
use crate::server_process::{ServerProcess, until};
use crate::workers::processes::{NatsServer, WorkerProcess};

/// The nodes of the service.
pub(super) const NODES: usize = 3;

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
}

impl Fault {
    pub(super) const ALL: [Self; 9] = [
        Self::NodeKilled,
        Self::DatabaseKilled,
        Self::LinkCut,
        Self::NodeFrozen,
        Self::NatsKilled,
        Self::DatabaseRestarted,
        Self::LinkSilent,
        Self::NodeStopped,
        Self::LinkSlow,
    ];

    /// Whether no node can serve until it is over.
    pub(super) fn stops_all(self) -> bool {
        matches!(self, Self::DatabaseKilled | Self::DatabaseRestarted)
    }
}

/// A fault that happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Happened {
    pub fault: Fault,
    pub from: Instant,
    pub to: Instant,
}

/// Three nodes, two workers, PostgreSQL and NATS.
pub(super) struct Service {
    nodes: Vec<ServerProcess>,
    links: Vec<DatabaseLink>,
    _workers: [WorkerProcess; 2],
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
        let workers = aside(|| [(); 2].map(|()| WorkerProcess::start_with_usual_log(&nats.flag(), 1)));
        let (mut links, mut nodes) = (Vec::new(), Vec::new());
        let flags = ["--threads=1", "--creations-burst=1000000", &nats.flag()];
        for _ in 0..NODES {
            let link = DatabaseLink::start((Ipv4Addr::LOCALHOST, postgres.port()).into()).await;
            let url = format!("postgres://kibitz@{}/{database}", link.address);
            nodes.push(aside(|| ServerProcess::start_on(&url, &flags)));
            links.push(link);
        }
        Self { nodes, links, _workers: workers, nats, postgres }
    }

    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.address).collect()
    }

    /// Makes it happen to a node chosen at random, and waits until all nodes are ready again. `patient`: it lasts as long
    /// as in reality; otherwise a second.
    pub(super) async fn suffer(&mut self, fault: Fault, rng: &mut Rng, patient: bool) -> Happened {
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
                sleep(shorter).await;
                aside(|| self.postgres.begin());
            }
            Fault::NatsKilled => {
                aside(|| self.nats.kill());
                sleep(random).await;
                aside(|| self.nats.begin());
            }
            Fault::LinkCut => self.link(n, LinkState::Cut, random).await,
            Fault::LinkSlow => {
                let delay = Duration::from_millis(20 + rng.below(180) as u64);
                self.link(n, LinkState::Slow(delay), random).await;
            }
            Fault::LinkSilent => self.link(n, LinkState::Silent, long).await,
        }
        let to = Instant::now();
        for node in &self.nodes {
            until(|| async {
                let ready = ask(node.address, "GET", "/readyz", &[], &Value::Null).await.ok()?;
                (ready.status == 200).then_some(())
            })
            .await;
        }
        Happened { fault, from, to }
    }

    async fn link(&self, n: usize, state: LinkState, time: Duration) {
        self.links[n].set(state);
        tokio::time::sleep(time).await;
        self.links[n].set(LinkState::Open);
    }
}
