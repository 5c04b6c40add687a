//! cargo bench -p kibitz --bench deadlines: four callers who ask for 500 ms each, again and again, on two threads
//! for long thoughts; the engine uses all the time it is given. How late do answers come, how soon refusals?

mod common;
#[path = "../tests/it/snail.rs"]
mod snail;

use std::time::{Duration, Instant};

use engines::any::AnyGame;

const CALLERS: usize = 4;
const THINK_MS: u64 = 500;
const LASTS: Duration = Duration::from_secs(20);

#[tokio::main]
async fn main() {
    let games = [&snail::SNAIL as &dyn AnyGame];
    let server = common::server(&["--threads=2"], &games).await;
    let address = server.address();
    let body = format!(
        r#"{{"position":{{"pits":[4,3,2,4,2,3,2],"banks":[0,0],"to_move":0}},"think_ms":{THINK_MS},"engine":"busy"}}"#
    );
    let request = common::post("/v1/games/snail/move", &body);
    let until = Instant::now() + LASTS;
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let request = request.clone();
            tokio::spawn(async move {
                let mut client = common::Client::dial(address).await;
                let mut seen = Vec::new();
                while Instant::now() < until {
                    let began = Instant::now();
                    let (status, answer) = client.exchange(&request).await;
                    let took = began.elapsed();
                    assert!([200, 503].contains(&status), "{status}");
                    let wait = common::number(answer, "retry_after_ms").unwrap_or(0);
                    seen.push((status, took));
                    if status == 503 {
                        tokio::time::sleep(Duration::from_millis(wait)).await;
                    }
                }
                seen
            })
        })
        .collect();
    let mut times = [Vec::new(), Vec::new()];
    for caller in callers {
        for (status, took) in caller.await.expect("no caller fails") {
            times[usize::from(status == 503)].push(took.as_secs_f64() * 1e3);
        }
    }
    for (name, times) in ["answered", "refused"].iter().zip(&mut times) {
        times.sort_unstable_by(f64::total_cmp);
        if times.is_empty() {
            println!("{name}: none");
            continue;
        }
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|q| common::quantile(times, q));
        println!("{name}: {} in ms: p50 {p50:.1}, p99 {p99:.1}, max {max:.1}", times.len());
    }
    server.stop().await;
}
