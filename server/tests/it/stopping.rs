//! Graceful shutdown of a server inside this program, and of the real program after a signal.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kibitz_test_support::unused_address;
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::{HANG, LONG, LONG_THINKING, TestServer};

/// A server that may think for long, on a port that no other test is given when it stops.
async fn thinking_server() -> TestServer {
    TestServer::with(&["--threads=1", LONG_THINKING], |args| args.listen = unused_address()).await
}

/// Connections are refused: at once, or when a process that another test is starting has given up its copies of this
/// program's sockets.
async fn assert_closes(address: SocketAddr) {
    let refused = async {
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG, refused).await.expect("the port is closed");
}

#[tokio::test]
async fn sockets_are_closed_searches_answer_and_nothing_new_begins() {
    let host = thinking_server().await;
    let mut idle = host.dial("/v1/games/ioiwari/stdio").await;
    let mut busy = host.dial(&format!("/v1/games/slow/stdio?think_ms={LONG}")).await;
    busy.say("< 4 3 2 4 2 3 2").await;
    host.until("kibitz_pool_running{lane=\"long\"} 1").await;
    let address = host.address();
    let stopped = tokio::spawn(host.server.stop());
    for peer in [&mut idle, &mut busy] {
        assert_eq!(peer.closed().await, (1001, "the server is stopping".to_owned()));
    }
    tokio::time::timeout(HANG, stopped).await.expect("the server stops").unwrap();
    assert_closes(address).await;
}

#[tokio::test]
async fn requests_during_a_stop_are_refused() {
    let host = thinking_server().await;
    let position = json!({ "pits": [4, 3, 2, 4, 2, 3, 2], "banks": [0, 0], "to_move": 0 });
    let long = json!({ "position": position, "think_ms": LONG });
    let (tell, told) = tokio::sync::oneshot::channel();
    let address = host.address();
    let (answer, ()) = tokio::join!(
        async {
            let answer = host.post("/v1/games/slow/move", long).await;
            tell.send(()).unwrap();
            answer
        },
        async {
            host.until("kibitz_pool_running{lane=\"long\"} 1").await;
            host.server.begin_stop();
            host.get("/readyz").await.problem(503, "stopping");
            assert_eq!(host.get("/healthz").await.status, 200);
            let request = json!({ "position": position });
            let refused = host.post("/v1/games/ioiwari/move", request).await;
            refused.problem(503, "stopping");
            assert_eq!(refused.header("retry-after"), "1");
            let socket = host.try_dial("/v1/games/ioiwari/stdio").await.err().unwrap();
            assert!(socket.to_string().contains("503"), "{socket}");
            told.await.unwrap();
        }
    );
    assert_eq!(answer.json()["notation"], "2", "the best move found so far");
    host.server.stop().await;
    assert_closes(address).await;
}

#[tokio::test]
async fn request_of_which_a_part_is_missing_delays_no_stop() {
    let host = TestServer::start(&[]).await;
    let mut half_head = tokio::net::TcpStream::connect(host.address()).await.unwrap();
    half_head.write_all(b"GET /v1/games HTTP/1.1\r\nhost: te").await.unwrap();
    let mut half_body = tokio::net::TcpStream::connect(host.address()).await.unwrap();
    let head = "POST /v1/matches HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    half_body.write_all(head.as_bytes()).await.unwrap();
    // Both have reached the server when it answers a later request.
    assert_eq!(host.get("/healthz").await.status, 200);
    let began = Instant::now();
    tokio::time::timeout(HANG, host.server.stop()).await.expect("the server stops");
    // Without this it takes 5.3 s: the time that requests may take to end.
    assert!(began.elapsed() < Duration::from_millis(4500), "{:?}", began.elapsed());
    let mut said = String::new();
    half_body.read_to_string(&mut said).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 503 ") && said.contains("\"stopping\""), "{said}");
    said.clear();
    // It is closed; what it has sent so far deserves no answer.
    let _ = half_head.read_to_string(&mut said).await;
    assert_eq!(said, "");
}

/// A running program, with the folder of its database.
pub(crate) struct StartedProgram(
    pub Child,
    #[expect(dead_code, reason = "dropping it removes the folder")] TempDir,
);

impl Drop for StartedProgram {
    fn drop(&mut self) {
        // It still runs only if the test failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The real program, the port that its log names, and the rest of its log.
pub(crate) fn program(flags: &[&str]) -> (StartedProgram, u16, BufReader<impl Read>) {
    let folder = TempDir::new().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"])
        .env("KIBITZ_DATABASE", folder.path().join("kibitz.db"))
        .args(flags)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    // Lines of lower levels may come before.
    let address = loop {
        let mut line = String::new();
        assert!(log.read_line(&mut line).unwrap() > 0, "the program ended");
        let entry: serde_json::Value = serde_json::from_str(&line).unwrap();
        if let Some(address) = entry["address"].as_str() {
            break address.to_owned();
        }
    };
    (StartedProgram(child, folder), address.rsplit(':').next().unwrap().parse().unwrap(), log)
}

pub(crate) fn exit_code(child: &mut Child) -> Option<i32> {
    let began = Instant::now();
    while began.elapsed() < HANG {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the program does not end");
}

/// Checks that it answers, and that it ends when this signal comes.
async fn answers_and_ends(program: &mut StartedProgram, port: u16, signal: &str) {
    let url = format!("ws://127.0.0.1:{port}/v1/games/ioiwari/stdio");
    let (socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let mut peer = crate::client::DialogueClient { socket };
    peer.say("< 4 3 2 4 2 3 2").await;
    assert_eq!(peer.hear().await, "> 2");
    let id = program.0.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    assert_eq!(peer.closed().await.0, 1001);
    assert_eq!(exit_code(&mut program.0), Some(0), "{signal}");
}

#[tokio::test]
async fn program_ends_on_a_signal() {
    for signal in ["-TERM", "-INT"] {
        let (mut program, port, _log) = program(&[]);
        answers_and_ends(&mut program, port, signal).await;
    }
}

/// The reader of the log may have died, or its disk may be full.
#[tokio::test]
async fn unread_log_stops_nothing() {
    let (mut program, port, log) = program(&["--log-level=trace"]);
    drop(log);
    answers_and_ends(&mut program, port, "-TERM").await;
}

#[test]
fn health_is_checked_by_the_program_itself() {
    let (mut program, port, _log) = program(&[]);
    let check = |flags: &[&str]| {
        let listen = format!("0.0.0.0:{port}");
        let check = Command::new(env!("CARGO_BIN_EXE_kibitz"))
            .args(["healthcheck", "--listen", &listen])
            .args(flags)
            .output();
        check.unwrap().status.code()
    };
    assert_eq!(check(&[]), Some(0));
    assert_eq!(check(&["--ready"]), Some(0));
    program.0.kill().unwrap();
    program.0.wait().unwrap();
    assert_eq!(check(&[]), Some(1));
}

#[test]
fn impossible_settings_are_refused() {
    for flags in [&["--listen", "nowhere"][..], &["--threads", "0"], &["--max-think-ms", "0"], &["--color"]] {
        let run = Command::new(env!("CARGO_BIN_EXE_kibitz")).arg("serve").args(flags).output().unwrap();
        assert_eq!(run.status.code(), Some(2), "{flags:?}");
        assert!(String::from_utf8_lossy(&run.stderr).contains(flags[0]), "{flags:?}");
    }
    // An address that is in use.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .arg("serve")
        .env("KIBITZ_LISTEN", &address)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stderr).contains(&address));
}

#[test]
fn unusable_database_is_reported_in_a_sentence() {
    let folder = TempDir::new().unwrap();
    let foreign = folder.path().join("notes.txt");
    std::fs::write(&foreign, "Dear diary, this is no database at all.").unwrap();
    for database in [foreign, folder.path().join("nowhere/kibitz.db"), folder.path().to_owned()] {
        let run = Command::new(env!("CARGO_BIN_EXE_kibitz"))
            .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--database"])
            .arg(&database)
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(1), "{}", database.display());
        let log = String::from_utf8(run.stderr).unwrap();
        assert_eq!(log.lines().count(), 1, "{log}");
        let entry: serde_json::Value = serde_json::from_str(&log).unwrap();
        let error = entry["error"].as_str().unwrap();
        assert!(error.contains(database.to_str().unwrap()) && !error.contains('\n'), "{error}");
    }
}
