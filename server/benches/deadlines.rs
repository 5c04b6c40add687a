//! cargo bench -p kibitz --bench deadlines: on two cores, how late do responses come that have a deadline? First four
//! callers of one address repeatedly ask for 500 ms each; then one caller asks for 500 ms, then for 50 ms, while
//! another address asks for as much as it can get. The engine uses all the time that it gets.

mod common;
#[path = "../tests/it/test_game.rs"]
mod test_game;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use engines::erased::AnyGame;

const LASTS: Duration = Duration::from_secs(10);
const PATH: &str = "/v1/games/slow/move";

/// The requests of one address at the same time.
struct Load {
    name: &'static str,
    /// Number of searches, thinking time, deadline (0: none), in milliseconds.
    searches: &'static [(usize, u64, u64)],
    matches: usize,
}

const LOADS: [Load; 5] = [
    Load { name: "no other caller", searches: &[], matches: 0 },
    Load { name: "2 x 30 s", searches: &[(2, 30_000, 0)], matches: 0 },
    Load {
        name: "2 x 30 s, 8 x 30 s within an hour",
        searches: &[(2, 30_000, 0), (8, 30_000, 3_600_000)],
        matches: 0,
    },
    Load {
        name: "64 x 100 ms within an hour, again and again",
        searches: &[(64, 100, 3_600_000)],
        matches: 0,
    },
    Load { name: "4 matches between engines, 30 s a move", searches: &[], matches: 4 },
];

fn address(n: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, n).into()
}

fn request(think_ms: u64, deadline_ms: u64) -> Vec<u8> {
    let deadline = if deadline_ms > 0 { format!(r#","deadline_ms":{deadline_ms}"#) } else { String::new() };
    let position = r#"{"pits":[4,3,2,4,2,3,2],"banks":[0,0],"to_move":0}"#;
    let body = format!(r#"{{"position":{position},"think_ms":{think_ms},"engine":"busy"{deadline}}}"#);
    common::post(PATH, &body)
}

/// The outcome of a caller's requests: milliseconds until responses and until refusals, and the percentage of the thinking
/// time that the engine had.
#[derive(Default)]
struct CallerStats {
    answered: Vec<f64>,
    refused: Vec<f64>,
    shares: Vec<f64>,
}

/// Sends requests one after the other until `until`.
async fn ask(server: SocketAddr, from: u8, think_ms: u64, deadline_ms: u64, until: Instant) -> CallerStats {
    let request = request(think_ms, deadline_ms);
    let mut client = common::BenchClient::dial_from(address(from), server).await;
    let mut seen = CallerStats::default();
    while Instant::now() < until {
        let began = Instant::now();
        let (status, answer) = client.exchange(&request).await;
        let took = began.elapsed().as_secs_f64() * 1e3;
        assert!([200, 503].contains(&status), "{status}");
        let answer: serde_json::Value = serde_json::from_slice(answer).expect("answers are JSON");
        if status == 200 {
            seen.answered.push(took);
            let elapsed = answer["elapsed_ms"].as_f64().expect("answers tell their time");
            seen.shares.push(100.0 * elapsed / think_ms as f64);
        } else {
            seen.refused.push(took);
            let wait = answer["retry_after_ms"].as_u64().unwrap_or(0).min(1000);
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
    }
    seen
}

fn report(name: &str, mut seen: CallerStats) {
    let quantiles = |times: &mut Vec<f64>| {
        times.sort_unstable_by(f64::total_cmp);
        if times.is_empty() {
            return "none".to_owned();
        }
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|q| common::quantile(times, q));
        format!("{} in ms: p50 {p50:.1}, p99 {p99:.1}, max {max:.1}", times.len())
    };
    seen.shares.sort_unstable_by(f64::total_cmp);
    let share = seen.shares.first().map_or(String::new(), |least| {
        format!("; thought for {:.0}% of the time, {least:.0}% at least", common::quantile(&seen.shares, 0.5))
    });
    println!("  {name}: answered {}{share}", quantiles(&mut seen.answered));
    println!("  {name}: refused {}", quantiles(&mut seen.refused));
}

async fn four_callers(games: &[&'static dyn AnyGame]) {
    let server = common::server(&["--threads=2"], games).await;
    let until = Instant::now() + LASTS;
    let callers: Vec<_> = (0..4).map(|_| tokio::spawn(ask(server.address(), 1, 500, 0, until))).collect();
    let mut all = CallerStats::default();
    for caller in callers {
        let seen = caller.await.expect("no caller fails");
        all.answered.extend(seen.answered);
        all.refused.extend(seen.refused);
        all.shares.extend(seen.shares);
    }
    println!("four callers of one address:");
    report("500 ms", all);
    server.stop().await;
}

async fn beside(load: &Load, games: &[&'static dyn AnyGame]) {
    let server = common::server(&["--threads=2"], games).await;
    let target = server.address();
    let until = Instant::now() + LASTS;
    let seat = r#"{"kind":"engine","engine":"busy","think_ms":30000}"#;
    for _ in 0..load.matches {
        let made = common::post("/v1/matches", &format!(r#"{{"game":"slow","seats":[{seat},{seat}]}}"#));
        let (status, _) = common::BenchClient::dial_from(address(2), target).await.exchange(&made).await;
        assert_eq!(status, 201);
    }
    let mut tasks = Vec::new();
    for &(count, think_ms, deadline_ms) in load.searches {
        tasks.extend((0..count).map(|_| tokio::spawn(ask(target, 2, think_ms, deadline_ms, until))));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    println!("beside {}:", load.name);
    for think_ms in [500, 50] {
        let until = Instant::now() + LASTS / 2;
        report(&format!("{think_ms} ms"), ask(target, 3, think_ms, 0, until).await);
    }
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    server.stop().await;
}

#[tokio::main]
async fn main() {
    let games = [&test_game::SLOW as &dyn AnyGame];
    four_callers(&games).await;
    for load in &LOADS {
        beside(load, &games).await;
    }
}
