//! Proxies in front of the server: which peers' headers the server trusts.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::{AddressClient, at};
use crate::client::{TestServer, connect_from};
use crate::matches::{SHORT, me, open, order};

/// The status of creating a match with this header.
async fn create(host: &TestServer, client: &AddressClient, forwarded: &str) -> u16 {
    let headers = [("x-forwarded-for", forwarded)];
    client.send(host, "POST", "/v1/matches", &headers, &order(SHORT, &[me(), open()])).await.status.as_u16()
}

#[tokio::test]
async fn header_is_trusted_from_trusted_proxies_only() {
    let flags = [
        "--creations-burst=1",
        "--creations-per-minute=1",
        "--client-ip-header=X-Forwarded-For",
        "--trusted-proxy=127.0.0.9,127.1.0.0/16",
    ];
    let host = TestServer::start(&flags).await;
    let stranger = at("127.0.0.2");
    assert_eq!(create(&host, &stranger, "192.0.2.1").await, 201);
    assert_eq!(create(&host, &stranger, "192.0.2.2").await, 429, "an invented address");
    for (proxy, client) in [("127.0.0.9", "192.0.2.3"), ("127.1.2.3", "192.0.2.4")] {
        assert_eq!(create(&host, &at(proxy), client).await, 201);
        assert_eq!(create(&host, &at(proxy), client).await, 429);
        // A client behind two proxies cannot invent an address either.
        let chain = format!("192.0.2.77, {client}, 127.1.9.9");
        assert_eq!(create(&host, &at(proxy), &chain).await, 429);
    }
    assert_eq!(
        create(&host, &at("127.0.0.9"), "192.0.2.1").await,
        201,
        "nothing was charged to the invented one"
    );
}

#[tokio::test]
async fn connections_of_trusted_proxies_are_not_counted_for_one_address() {
    let flags = [
        "--max-connections-per-address=2",
        "--client-ip-header=x-forwarded-for",
        "--trusted-proxy=127.0.0.9",
    ];
    let host = TestServer::start(&flags).await;
    for (source, status) in [("127.0.0.9", 200), ("127.0.0.2", 429)] {
        let mut silent = Vec::new();
        for _ in 0..5 {
            silent.push(connect_from(source, host.address()).await);
        }
        assert_eq!(at(source).get(&host, "/v1/games").await.status, status, "{source}");
    }
}

/// A program that is killed when the test ends.
struct StartedServer(Child);

impl Drop for StartedServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn header_without_trusted_proxies_is_refused_at_start() {
    let folder = tempfile::tempdir().unwrap();
    for (flag, advice) in [
        ("--client-ip-header=x-real-ip", "--trusted-proxy 127.0.0.1"),
        ("--trusted-proxy=10.0.0.0/8", "--client-ip-header x-forwarded-for"),
    ] {
        let program = Command::new(env!("CARGO_BIN_EXE_kibitz"))
            .args(["serve", "--listen=127.0.0.1:0", flag])
            .current_dir(folder.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut program = StartedServer(program);
        let mut said = String::new();
        BufReader::new(program.0.stderr.take().unwrap()).read_line(&mut said).unwrap();
        assert!(said.contains(advice), "{said}");
        assert!(!program.0.wait().unwrap().success());
    }
}
