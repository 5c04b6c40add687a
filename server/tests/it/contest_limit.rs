//! The contest's limit holds whatever the machine does: a server sends its best move so far while it thinks, and the shim
//! plays it when the limit has almost passed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};

use rustix::process::{Signal, kill_process};

use crate::end_to_end::{Home, LIMIT, shim};
use crate::official::{self, SeatBot};
use crate::server_process::ServerProcess;

/// A first turn of Buraco.
const START: &str = "p1.a p2.b\np1.a\n[ 3♥ 4♥ 9♠ K♦ 2♣ 7♦ J♠ A♥ 6♣ 8♣ 10♦ ]\nQ♠\np1.a\n";

/// How often the server's answer may be faster than the test.
const ATTEMPTS: usize = 10;

#[test]
fn best_move_so_far_is_played_while_the_server_stands_still() {
    let server = ServerProcess::start(&[]);
    let played = (0..ATTEMPTS).any(|_| plays_best_move(&server));
    assert!(played, "each time the server answered before the test could stop it");
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        // The test may have ended.
        BufReader::new(from).lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
    });
    lines
}

/// Stops the server as soon as the shim knows a move, and asserts that the shim plays the last move that it knew; `false`:
/// the server's answer came before it was stopped.
fn plays_best_move(server: &ServerProcess) -> bool {
    let mut command = Command::new(shim());
    command.args(["buraco", "--server", &server.url(), "--think", "2700", "--verbose", "--memory", "-"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut bot = piped.spawn().unwrap();
    let mut input = bot.stdin.take().unwrap();
    let (printed, notes) = (lines(bot.stdout.take().unwrap()), lines(bot.stderr.take().unwrap()));
    input.write_all(START.as_bytes()).unwrap();
    let best_of = |note: &str| note.split_once(": best 2850 ").map(|(_, mv)| mv.to_owned());
    let mut best = None;
    while best.is_none() {
        let note = notes.recv_timeout(LIMIT).expect("the server sends its best move so far");
        best = best_of(&note);
    }
    kill_process(server.pid(), Signal::STOP).unwrap();
    let answer = printed.recv_timeout(LIMIT);
    kill_process(server.pid(), Signal::CONT).unwrap();
    let answer = answer.expect("the shim answers while the server is stopped");
    // The dialogue goes on with the server.
    let card = if answer == "GET_STOCK" { "5♠\n" } else { "[  ]\n" };
    input.write_all(card.as_bytes()).unwrap();
    printed.recv_timeout(LIMIT).expect("the server answers again");
    bot.kill().unwrap();
    bot.wait().unwrap();
    let notes: Vec<String> = notes.iter().collect();
    let Some(late) = notes.iter().position(|note| note.ends_with("its best move so far is played")) else {
        return false;
    };
    best = notes[..late].iter().rev().find_map(|note| best_of(note)).or(best);
    assert_eq!(Some(answer), best, "{notes:#?}");
    true
}

/// Processes that compute without end. Killed on drop.
struct BusyProcesses(Vec<Child>);

impl BusyProcesses {
    fn start(count: usize) -> Self {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Self((0..count).map(|_| busy()).collect())
    }
}

impl Drop for BusyProcesses {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // A test that fails may leave one that has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Matches of the measurement, those that are played at a time, and the busy processes for each core.
const MATCHES: u64 = 100;
const AT_A_TIME: usize = 8;
const BUSY_PER_CORE: usize = 6;

/// Counts matches of Buraco that a plain shim loses by the referee's limit of 3 s, while other processes use all cores:
/// `cargo nextest run --workspace --run-ignored only --no-capture -E 'test(beside_busy_processes)'`.
#[test]
#[ignore = "a measurement of minutes that needs the whole machine"]
fn buraco_beside_busy_processes_is_not_lost_by_time() {
    let home = Home::new();
    let server = ServerProcess::start(&[]);
    let cores = std::thread::available_parallelism().unwrap().get();
    let _busy = BusyProcesses::start(BUSY_PER_CORE * cores);
    let (next, lost, played) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= MATCHES {
                        return;
                    }
                    let bot =
                        home.bot("buraco", &server, &[("KIBITZ_NODES", ""), ("KIBITZ_THINK_MS", "100")]);
                    let report = official::buraco::Match::new([bot, SeatBot::Random], seed).play();
                    let faults = report.faults.iter().filter(|fault| fault.seat == 0).count();
                    lost.fetch_add(u64::from(faults > 0), Ordering::Relaxed);
                    played.fetch_add(
                        report.transcripts[0].matches("best move so far is played").count() as u64,
                        Ordering::Relaxed,
                    );
                    println!(
                        "match {seed}: {} decisions, slowest {:?}, {:?}",
                        report.decisions[0], report.slowest[0], report.faults
                    );
                }
            });
        }
    });
    let (lost, played) = (lost.into_inner(), played.into_inner());
    println!("{MATCHES} matches, {lost} lost; {played} shims played a best move so far");
    assert_eq!(lost, 0);
}
