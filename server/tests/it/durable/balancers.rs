//! The balancers whose configurations are in `deploy`, as real programs before two nodes that fail in turn: play goes on.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use engines::rng::{Rng, Seed};
use kibitz_test_support::{PrivatePostgres, unused_address};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream as AsyncStream;
use tokio::time::sleep as pause;

use super::chaos::link::{LinkState, NetworkLink};
use super::follower::{FollowMode, Follower};
use super::network::assert_told_all;
use super::record_checks::assert_verified;
use super::retrying_client::{PlayedMatch, ask, insist};
use super::silence::{name_of, node};
use crate::server_process::{ServerProcess, until};
use crate::workers::processes::GuardedProcess;

/// The moves that must be made while a node fails.
const MOVES: usize = 6;

/// Longer than a balancer needs to start, even on a slow machine.
const HANG: Duration = Duration::from_secs(600);

struct Balancer {
    address: SocketAddr,
    _process: GuardedProcess,
    _folder: TempDir,
}

impl Balancer {
    /// HAProxy before these nodes.
    fn haproxy(nodes: &[SocketAddr; 2]) -> Self {
        let (address, folder) = (unused_address(), tempfile::tempdir().unwrap());
        let changes = [(":443 ssl crt /etc/haproxy/kibitz.pem", address.to_string())];
        let file = configure(&folder, "haproxy.cfg", nodes, &changes);
        Self::begun(address, folder, "haproxy", &["-db", "-f", &file])
    }

    /// nginx before these nodes.
    fn nginx(nodes: &[SocketAddr; 2]) -> Self {
        let (address, folder) = (unused_address(), tempfile::tempdir().unwrap());
        let place = folder.path().display();
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {place}/{name};"))
            .concat();
        let changes = [
            ("http {", format!("http {{ access_log off; {folders}")),
            ("listen 443 ssl;", format!("listen {address};")),
            ("ssl_certificate /etc/nginx/kibitz.crt;", String::new()),
            ("ssl_certificate_key /etc/nginx/kibitz.key;", String::new()),
        ];
        let file = configure(&folder, "nginx.conf", nodes, &changes);
        let globals = format!("daemon off; pid {place}/pid; error_log stderr;");
        Self::begun(address, folder, "nginx", &["-c", &file, "-e", "stderr", "-g", &globals])
    }

    fn begun(address: SocketAddr, folder: TempDir, program: &str, arguments: &[&str]) -> Self {
        // Not every user's PATH has the second folder.
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap());
        let mut programs = std::env::split_paths(&path).map(|folder| folder.join(program));
        let program = programs.find(|program| program.is_file());
        let program = program.expect("haproxy and nginx are installed: run `scripts/setup check`");
        let program = program.to_str().unwrap();
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let process = GuardedProcess::start(program, &arguments);
        let began = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(began.elapsed() < HANG, "{program} does not start: {:#?}", process.log());
            sleep(Duration::from_millis(10));
        }
        Self { address, _process: process, _folder: folder }
    }

    /// Waits until it sends requests to this node: opens streams, since it prefers the node with the fewest.
    async fn uses(&self, node: SocketAddr, id: &str) {
        let used = tokio::time::timeout(HANG, self.reach(node, id)).await;
        used.unwrap_or_else(|_| panic!("{node} is not used again"));
    }

    async fn reach(&self, node: SocketAddr, id: &str) {
        let healthz = async || ask(node, "GET", "/healthz", &[], &Value::Null).await.ok();
        let wanted = until(healthz).await.headers["x-kibitz-node"].to_str().unwrap().to_owned();
        let mut open = Vec::new();
        loop {
            let mut stream = AsyncStream::connect(self.address).await.unwrap();
            let request = format!("GET /v1/matches/{id}/events HTTP/1.1\r\nhost: {}\r\n\r\n", self.address);
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut head = String::new();
            let mut lines = BufReader::new(&mut stream);
            while !head.ends_with("\r\n\r\n") && lines.read_line(&mut head).await.is_ok_and(|read| read > 0) {
            }
            if head.to_lowercase().contains(&format!("x-kibitz-node: {wanted}")) {
                return;
            }
            open.push(stream);
            pause(Duration::from_millis(100)).await;
        }
    }
}

/// Writes a configuration of `deploy` with the addresses of this test; returns its path.
fn configure(folder: &TempDir, name: &str, nodes: &[SocketAddr; 2], changes: &[(&str, String)]) -> String {
    let source = format!("{}/../deploy/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut text = fs::read_to_string(source).unwrap();
    let nodes = [("node1:8080", nodes[0].to_string()), ("node2:8080", nodes[1].to_string())];
    for (old, new) in nodes.iter().chain(changes) {
        assert_eq!(text.matches(old).count(), 1, "{name} says {old:?} once");
        text = text.replace(old, new);
    }
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    // nginx gives its rights up.
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    file.display().to_string()
}

/// How a node fails.
#[derive(Clone, Copy, Debug)]
enum Failure {
    /// Its process is gone.
    Killed,
    /// Nothing passes between it and the database.
    CutOff,
    /// Its process is stopped by SIGSTOP.
    Frozen,
}

async fn begin(failure: Failure, node: &mut ServerProcess, link: &NetworkLink) {
    match failure {
        Failure::Killed => tokio::task::block_in_place(|| node.kill()),
        Failure::CutOff => link.set(LinkState::Silent),
        Failure::Frozen => kill_process(node.pid(), Signal::STOP).unwrap(),
    }
}

async fn repair(failure: Failure, node: &mut ServerProcess, link: &NetworkLink) {
    match failure {
        Failure::Killed => tokio::task::block_in_place(|| node.begin_at_last()),
        Failure::CutOff => link.set(LinkState::Open),
        Failure::Frozen => kill_process(node.pid(), Signal::CONT).unwrap(),
    }
    until(|| async {
        let ready = ask(node.address, "GET", "/readyz", &[], &Value::Null).await.ok()?;
        (ready.status == 200).then_some(())
    })
    .await;
}

async fn play_goes_on(start: fn(&[SocketAddr; 2]) -> Balancer, failures: &[Failure]) {
    let postgres = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap();
    let database = name_of(&postgres.create());
    let (first, first_link) = node(&postgres, &database).await;
    let (second, second_link) = node(&postgres, &database).await;
    let addresses = [first.address, second.address];
    let mut nodes = [(first, first_link), (second, second_link)];
    let balancer = tokio::task::block_in_place(|| start(&addresses));
    // Metrics are for those who ask a node itself.
    let refused = insist(balancer.address, "GET", "/metrics", &[], &Value::Null).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    let seats = json!([{ "kind": "me", "name": "first" }, { "kind": "me", "name": "second" }]);
    let order = json!({ "game": "azul", "seats": seats, "clock": { "initial_ms": 3_600_000 } });
    let mut table = PlayedMatch::create(&[balancer.address], &order, "behind a balancer").await;
    let followers: Vec<_> = [FollowMode::Live, FollowMode::Live]
        .map(|how| tokio::spawn(Follower::new(&[balancer.address], &table.id, None, how).follow()))
        .into();
    let mut rng = Rng::new(&Seed::from(1));
    for failure in failures {
        for (node, link) in &mut nodes {
            begin(*failure, node, link).await;
            let began = Instant::now();
            let before = table.acknowledged.len();
            while table.acknowledged.len() < before + MOVES {
                assert!(table.step(rng.next_u64() | 1).await, "the match lasts long enough");
            }
            // Long enough for the balancer to notice it, too.
            pause(Duration::from_secs(3)).await;
            assert!(table.step(rng.next_u64() | 1).await, "the match lasts long enough");
            println!("{failure:?}: {MOVES} moves in {:.1?}", began.elapsed());
            repair(*failure, node, link).await;
            balancer.uses(node.address, &table.id).await;
        }
    }
    let bearer = table.bearer(Some(0)).unwrap();
    let path = format!("/v1/matches/{}/resign", table.id);
    let ended = insist(balancer.address, "POST", &path, &[("authorization", &bearer)], &Value::Null).await;
    assert_eq!(ended.status, 200, "{ended:?}");
    let record = table.record().await;
    assert_verified(&record);
    for follower in followers {
        assert_told_all(&table, None, &follower.await.unwrap(), &record).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn haproxy_leaves_a_failing_node_out() {
    play_goes_on(Balancer::haproxy, &[Failure::Killed, Failure::CutOff, Failure::Frozen]).await;
}

/// nginx does not ask nodes whether they can serve, so it waits for a frozen one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nginx_leaves_a_failing_node_out() {
    play_goes_on(Balancer::nginx, &[Failure::Killed, Failure::CutOff]).await;
}
