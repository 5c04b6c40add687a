//! How late time-outs are, in matches without requests.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::common::quantile;
use crate::program::{Program, Seated};

const MATCHES: u64 = 400;
/// Longer than a match without requests stays in memory here, so that it is woken in time.
const MOVE_MS: i64 = 8_000;

pub(crate) fn measure(folder: &Path) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it needs nothing");
    let (mut decided, mut seen) = runtime.block_on(lateness(&folder.join("kibitz.db")));
    println!(
        "{MATCHES} matches with {MOVE_MS} ms a move without moves; half of them are watched, the others leave the \
         memory and are woken"
    );
    for (name, times) in [("written, at its own time", &mut decided), ("read by a watcher", &mut seen)] {
        times.sort_unstable();
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|q| quantile(times, q));
        println!(
            "time-outs {name}: late by p50 {p50} ms, p99 {p99} ms, max {max} ms ({} of them)",
            times.len()
        );
    }
}

/// How late time-outs are, in milliseconds: each by its own time; and where a spectator watched, by the time at which
/// it arrived there.
async fn lateness(database: &Path) -> (Vec<i64>, Vec<i64>) {
    let program = Program::ready(database, &["--unload-after-ms=100"]).await;
    let mut client = program.client().await;
    let (mut watched, mut alone) = (Vec::new(), Vec::new());
    for n in 0..MATCHES {
        let seated = Seated::make(&mut client, n, &format!(r#"{{"move_ms":{MOVE_MS}}}"#)).await;
        if n % 2 == 0 {
            watched.push(tokio::spawn(time_out(program.address, seated.id)));
        } else {
            alone.push(seated.id);
        }
    }
    let (mut decided, mut seen) = (Vec::new(), Vec::new());
    for watcher in watched {
        let (at_ms, here_ms) = watcher.await.expect("no watcher fails");
        decided.push(at_ms);
        seen.push(here_ms);
    }
    // The server got no request for these until all of them must be over.
    tokio::time::sleep(Duration::from_secs(1)).await;
    for id in alone {
        decided.push(time_out(program.address, id).await.0);
    }
    (decided, seen)
}

/// How late the time-out of a match was: by its own time, and by the time at which it arrived here.
async fn time_out(address: std::net::SocketAddr, id: String) -> (i64, i64) {
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    let request = format!(
        "GET /v1/matches/{id}/events?since=0 HTTP/1.1\r\nHost: bench\r\nAccept: application/x-ndjson\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("the server reads");
    let mut lines = BufReader::new(stream).lines();
    let mut due_ms = None;
    while let Some(line) = lines.next_line().await.expect("the stream goes on") {
        let here_ms = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later").as_millis() as i64;
        // Lines between the frames belong to the transfer.
        let Ok(frame) = serde_json::from_str::<Value>(&line) else { continue };
        let at_ms = || frame["at_ms"].as_i64().expect("a frame has a time");
        match frame["type"].as_str() {
            // The turn becomes visible a little later, when this is on disk: that delay counts as late here.
            Some("started") => due_ms = Some(at_ms() + MOVE_MS),
            Some("fouled") => {
                let due_ms = due_ms.expect("it has begun before");
                return (at_ms() - due_ms, here_ms - due_ms);
            }
            _ => {}
        }
    }
    panic!("match {id} ended without a time-out");
}
