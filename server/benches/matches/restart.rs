//! How soon a server that was killed plays again, and how much memory it holds.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::play::{Script, scripts};
use crate::program::{Program, Seated, get};

const MATCHES: usize = 10_000;
const CLIENTS: usize = 64;

pub(crate) fn measure(folder: &Path) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it needs nothing");
    runtime.block_on(killed(&folder.join("kibitz.db")));
}

async fn killed(database: &Path) {
    let program = Program::ready(database, &[]).await;
    let clients: Vec<_> = (0..CLIENTS).map(|n| tokio::spawn(fill(program.address, n))).collect();
    let (script, seated) = {
        let mut last = None;
        for client in clients {
            last = Some(client.await.expect("no client fails"));
        }
        last.expect("there are clients")
    };
    let full = program.memory_kib();
    drop(program);

    let began = Instant::now();
    let program = Program::start(database, &[]);
    program.wait().await;
    let ready = began.elapsed();
    let mut client = program.client().await;
    let mut request = String::new();
    let (seat, notation) = &script.moves[2];
    seated.write_move(&mut request, seat.index(), 2, notation);
    let (status, answer) = client.exchange(request.as_bytes()).await;
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(answer));
    let moved = began.elapsed();
    let then = program.memory_kib();
    println!(
        "restart after a kill, {MATCHES} unfinished matches in the file: ready after {ready:.1?}, a move in one of them \
         after {moved:.1?}"
    );
    let idle = settled(&program).await;
    let looked = began.elapsed();
    let live = {
        let (_, metrics) = client.exchange(&get("/metrics", None)).await;
        let text = String::from_utf8_lossy(metrics).into_owned();
        text.lines().filter(|line| line.starts_with("kibitz_live_matches")).collect::<Vec<_>>().join(" ")
    };
    println!(
        "memory: {full} KiB with all of them live before the kill; {then} KiB then; {idle} KiB after all were looked at \
         (processor idle after {looked:.1?}) {live}"
    );
}

/// Makes its share of the matches, two moves each; returns the last one.
async fn fill(address: std::net::SocketAddr, n: usize) -> (Script, Seated) {
    let mut client = crate::common::BenchClient::dial(address).await;
    let script = scripts(n as u64 + 1).pop().expect("there is one");
    let (mut request, mut last) = (String::new(), None);
    for i in (n..MATCHES).step_by(CLIENTS) {
        // With and without a clock.
        let clock = if i % 2 == 0 { "null" } else { r#"{"initial_ms":3600000}"# };
        let seated = Seated::make(&mut client, script.seed, clock).await;
        for (ply, (seat, notation)) in script.moves.iter().take(2).enumerate() {
            seated.write_move(&mut request, seat.index(), ply, notation);
            assert_eq!(client.exchange(request.as_bytes()).await.0, 200);
        }
        last = Some(seated);
    }
    (script, last.expect("each has a share"))
}

/// Waits until the server has nothing more to do; returns the memory that it holds then, in KiB.
async fn settled(program: &Program) -> u64 {
    loop {
        let before = program.cpu_s();
        tokio::time::sleep(Duration::from_secs(2)).await;
        if program.cpu_s() - before < 0.05 {
            return program.memory_kib();
        }
    }
}
