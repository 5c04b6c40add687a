//! cargo build --release -p kibitz-shim && cargo bench -p kibitz --bench contest: a whole Septica contest of a thousand
//! matches through the shim and a server, against the same searches in this process plus a round trip for each. Also
//! checks that both sides decide the same.

mod common;
#[path = "../tests/it/official/mod.rs"]
#[allow(dead_code, unused_imports, clippy::unwrap_used, reason = "the referee of one game is needed here")]
mod official;

use std::path::Path;
use std::time::{Duration, Instant};

use engines::erased::Awaits;
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;
use engines::search::{Limits, Patient};
use official::{Bot, Report, SeatBot};

const NODES: u64 = 20_000;

#[tokio::main]
async fn main() {
    let server = common::server(&[], engines::games::GAMES).await;
    let url = format!("http://{}", server.address());
    let (instant, url) =
        tokio::task::spawn_blocking(|| (play(&url, &[("KIBITZ_OPTIONS", "engine=random")]), url))
            .await
            .expect("the contest is played");
    let round_trip = instant.thought[0] / instant.decisions[0] as u32;
    println!("an answer of an instant engine through the shim: {round_trip:.1?} on average");
    let nodes = NODES.to_string();
    let whole =
        tokio::task::spawn_blocking(move || play(&url, &[("KIBITZ_NODES", &nodes), ("KIBITZ_SEED", "1")]))
            .await
            .expect("the contest is played");
    let alone = in_process(&whole.transcripts[0]);
    let trips = round_trip * whole.decisions[0] as u32;
    let ratio = whole.thought[0].as_secs_f64() / (alone + trips).as_secs_f64();
    println!(
        "a contest: {:.1?} for {} answers; in process {alone:.1?}, round trips {trips:.1?}: ratio {ratio:.2}",
        whole.thought[0], whole.decisions[0]
    );
    server.stop().await;
}

fn play(url: &str, env: &[(&str, &str)]) -> Report {
    let shim = Path::new(env!("CARGO_BIN_EXE_kibitz")).with_file_name("kibitz-shim");
    assert!(shim.exists(), "{} is not built: cargo build --release -p kibitz-shim", shim.display());
    let command = vec![shim.to_string_lossy().into_owned(), "septica".to_owned()];
    let env = env
        .iter()
        .chain(&[("KIBITZ_SERVER", url)])
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    let bot = Bot { command, env, dir: std::env::temp_dir() };
    let mut contest = official::septica::Match::new(SeatBot::Child(bot), 1);
    contest.matches = 1000;
    let report = contest.play();
    assert!(report.faults.is_empty(), "{report}");
    report
}

/// How long the same searches take in this process; checks that their decisions are the same.
fn in_process(transcript: &str) -> Duration {
    let game = engines::games::find("septica").expect("it is registered");
    let mut session = game.session(&Settings::default()).expect("default settings are good");
    let mut took = Duration::ZERO;
    for line in transcript.lines() {
        match Entry::parse(line).expect("the referee keeps a transcript") {
            entry @ Entry::Read(_) => session.push(vec![entry]),
            Entry::Printed(text) => {
                if let Awaits::Decision(question) = session.advance().expect("the transcript is sound") {
                    let seed = question.seed(&Seed::from(1));
                    let limits = Limits { nodes: Some(NODES), seed, ..Limits::default() };
                    let began = Instant::now();
                    let answer = question.position.think(None, limits, &Patient).expect("a decision is due");
                    took += began.elapsed();
                    assert_eq!(answer.mv.notation, text.trim(), "the server decided otherwise");
                }
                session.push(vec![Entry::Printed(text)]);
            }
            Entry::Remark(_) | Entry::End => {}
        }
    }
    took
}
