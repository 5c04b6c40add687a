//! Acknowledged moves a second, and how long one takes.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitz::admission::Payers;
use kibitz::matches::ledger::Caller;
use kibitz::matches::request::{NewMatch, NewSeat, Payment, SeatAction, SubmittedMove};
use kibitz::matches::service::Matches;
use tokio::runtime;

use crate::bare::{Bare, Rows, Way, syncs};
use crate::common::{self, BenchClient, quantile};
use crate::play::{GAME, Script, scripts};
use crate::program::{Program, Seated, get};

/// Matches at the same time; as soon as one is over, the next one begins.
const MATCHES: usize = 128;
/// Many and short, so that all sides meet the same disk, even if other programs use it.
const ROUNDS: usize = 16;
const ROUND: Duration = Duration::from_secs(1);
/// Different matches.
const SCRIPTS: u64 = 1024;

/// The measurements of one way to move.
#[derive(Default)]
struct Side {
    rates: Vec<f64>,
    /// Against the bare loop of the same round.
    ratios: Vec<f64>,
    times: Vec<Duration>,
    cpu_s: f64,
}

impl Side {
    fn add(&mut self, times: Vec<Duration>, took: Duration, cpu_s: f64) {
        self.rates.push(times.len() as f64 / took.as_secs_f64());
        self.times.extend(times);
        self.cpu_s += cpu_s;
    }

    fn print(&mut self, name: &str) {
        let (rate, ratio) = (median(&mut self.rates), median(&mut self.ratios));
        let [least, most] = [0.0, 1.0].map(|q| quantile(&self.ratios, q));
        print!("{name:<48}{rate:>8.0}{ratio:>7.2} ({least:.2} to {most:.2})");
        if self.times.is_empty() {
            return println!();
        }
        self.times.sort_unstable();
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|q| quantile(&self.times, q));
        let cpu_us = self.cpu_s * 1e6 / self.times.len() as f64;
        println!("  p50 {p50:.1?}, p99 {p99:.1?}, max {max:.1?}; {cpu_us:.0} us of processor");
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    quantile(values, 0.5)
}

pub(crate) fn measure(folder: &Path) {
    let many = runtime::Builder::new_multi_thread().enable_all().build().expect("threads are to be had");
    let one = runtime::Builder::new_current_thread().enable_all().build().expect("it needs nothing");
    let scripts: Arc<[Script]> = scripts(SCRIPTS).into();
    let length = scripts.iter().map(|script| script.moves.len()).sum::<usize>() as f64 / SCRIPTS as f64;
    println!(
        "{MATCHES} matches of {GAME} at a time, {length:.1} moves each; {ROUNDS} rounds of {} s a side; medians: moves a \
         second, and their share of those of the loop with single inserts in the same round",
        ROUND.as_secs()
    );
    let [over_http, in_process] = ["http.db", "hall.db"].map(|name| folder.join(name));
    let program = one.block_on(Program::ready(&over_http, &[]));
    let server = many.block_on(common::server_on(&in_process, &[], engines::games::GAMES));
    let hall = server.matches();
    let mut bare = [Way::Single, Way::Together].map(|way| {
        let name = format!("bare-{}.db", way as u8);
        (way, Bare::make(&in_process, &folder.join(name)), Side::default())
    });
    let (mut http, mut act, mut synced) = (Side::default(), Side::default(), Vec::new());
    for _ in 0..ROUNDS {
        let (before, began) = (program.cpu_s(), Instant::now());
        let times = one.block_on(all(|n| over_connection(&program, Arc::clone(&scripts), n, began)));
        http.add(times, began.elapsed(), program.cpu_s() - before);
        let (before, began) = (common::cpu_s(), Instant::now());
        let times = many.block_on(all(|n| through_hall(hall, Arc::clone(&scripts), n, began)));
        act.add(times, began.elapsed(), common::cpu_s() - before);
        let rows = Rows::read(&over_http);
        for (way, bare, side) in &mut bare {
            side.rates.push(bare.round(&rows, *way, ROUND));
        }
        syncs(folder, &mut synced);
        let single = *bare[0].2.rates.last().expect("it was measured");
        let [(.., one), (.., together)] = &mut bare;
        for side in [one, together, &mut act, &mut http] {
            side.ratios.extend(side.rates.last().map(|rate| rate / single));
        }
    }
    for ((.., side), name) in bare.iter_mut().zip(["single inserts", "one statement"]) {
        side.print(&format!("bare loop, 128 a transaction, {name}"));
    }
    act.print("Hall::act, in one process");
    http.print("HTTP, 128 connections, two processes");
    synced.sort_unstable();
    let [p50, p99] = [0.5, 0.99].map(|q| quantile(&synced, q));
    let beyond = |side: &Side| quantile(&side.times, 0.99).saturating_sub(p99);
    println!(
        "the disk's fsync of 4 KiB: p50 {p50:.1?}, p99 {p99:.1?}; the p99 of a move is beyond it by {:.1?} (Matches::act), {:.1?} (HTTP)",
        beyond(&act),
        beyond(&http)
    );
    let told = one.block_on(async {
        let mut client = program.client().await;
        String::from_utf8_lossy(client.exchange(&get("/metrics", None)).await.1).into_owned()
    });
    for (name, metrics) in [("Hall::act", server.metrics()), ("HTTP", told)] {
        let [commits, took_s, together] =
            ["commit_seconds_count", "commit_seconds_sum", "batch_sum"].map(|name| sum(&metrics, name));
        println!(
            "a transaction, {name}: {:.0} requests, {:.2} ms",
            together / commits,
            took_s * 1e3 / commits
        );
    }
    many.block_on(server.stop());
}

/// The value of the metric with this name.
fn sum(metrics: &str, name: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix("kibitz_store_")?.strip_prefix(name));
    line.and_then(|value| value.trim().parse().ok()).unwrap_or(f64::NAN)
}

/// Lets all clients play, and gathers how long their moves took.
async fn all<F: Future<Output = Vec<Duration>> + Send + 'static>(
    client: impl Fn(usize) -> F,
) -> Vec<Duration> {
    let clients: Vec<_> = (0..MATCHES).map(|n| tokio::spawn(client(n))).collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await.expect("no client fails"));
    }
    times
}

/// Plays over one connection; returns the times from each request sent to its answer read.
fn over_connection(
    program: &Program,
    scripts: Arc<[Script]>,
    n: usize,
    began: Instant,
) -> impl Future<Output = Vec<Duration>> + use<> {
    let address = program.address;
    async move {
        let mut client = BenchClient::dial(address).await;
        let (mut times, mut request) = (Vec::new(), String::new());
        for script in scripts.iter().cycle().skip(n * SCRIPTS as usize / MATCHES) {
            let seated = Seated::make(&mut client, script.seed, "null").await;
            for (ply, (seat, notation)) in script.moves.iter().enumerate() {
                seated.write_move(&mut request, seat.index(), ply, notation);
                let sent = Instant::now();
                let (status, answer) = client.exchange(request.as_bytes()).await;
                times.push(sent.elapsed());
                assert_eq!(status, 200, "{}", String::from_utf8_lossy(answer));
                if began.elapsed() > ROUND {
                    return times;
                }
            }
        }
        times
    }
}

async fn through_hall(
    hall: &'static Matches,
    scripts: Arc<[Script]>,
    n: usize,
    began: Instant,
) -> Vec<Duration> {
    let mut times = Vec::new();
    for script in scripts.iter().cycle().skip(n * SCRIPTS as usize / MATCHES) {
        let order = NewMatch {
            game: GAME.to_owned(),
            options: None,
            seats: vec![NewSeat::Me { name: None }, NewSeat::Me { name: None }],
            clock: None,
            idle_ms: None,
            hints: None,
            private: false,
            seed: Some(script.seed.into()),
            rated: false,
            tournament: None,
            ladder: None,
            position: None,
        };
        let made = hall
            .create(order, &Caller::default(), None, Payment::Due(Payers::service()))
            .await
            .expect("it is made");
        let callers = made.seats.iter().map(|(_, token)| Caller {
            seat_key: token.as_ref().map(|token| token.hash()),
            ..Caller::default()
        });
        let callers: Vec<_> = callers.collect();
        for (ply, (seat, notation)) in (0..).zip(&script.moves) {
            let mv = SubmittedMove::Notation(notation.clone());
            let asked = Instant::now();
            let act = SeatAction::Move { ply, mv, arrived: asked };
            hall.act(&made.id, &callers[seat.index()], act).await.expect("the move is made");
            times.push(asked.elapsed());
            if began.elapsed() > ROUND {
                return times;
            }
        }
    }
    times
}
