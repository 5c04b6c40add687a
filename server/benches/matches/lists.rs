//! Lists over HTTP among a million finished matches.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{filled, quantile};
use crate::play::GAME;
use crate::program::{Program, get};

const TIMES: usize = 200;

pub(crate) fn measure(folder: &Path) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it needs nothing");
    runtime.block_on(lists(&folder.join("kibitz.db")));
}

async fn lists(database: &Path) {
    drop(Program::ready(database, &[]).await);
    filled::fill(database);
    // The matches left unfinished have no log to go on from: they must not be loaded.
    let db = rusqlite::Connection::open(database).expect("the database opens");
    db.execute_batch("DELETE FROM nodes; UPDATE matches SET holder = NULL").expect("it is written");
    drop(db);
    let program = Program::ready(database, &[]).await;
    let mut client = program.client().await;
    let (mut all, mut slowest, mut filters) = (Vec::new(), (Duration::ZERO, String::new()), 0);
    let game = format!("game={GAME}");
    let middle = "before=019a0000-007a-7120-8000-000000000000";
    for filter in ["", &game, "stage=over", "stage=open", &format!("{game}&stage=over")] {
        for player in ["", "player=busy", "player=rare"] {
            for before in ["", middle] {
                let parts = ["limit=100", filter, player, before];
                let query = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("&");
                let request = get(&format!("/v1/matches?{query}"), None);
                let mut times = Vec::new();
                for _ in 0..TIMES {
                    let asked = Instant::now();
                    let (status, answer) = client.exchange(&request).await;
                    times.push(asked.elapsed());
                    assert_eq!(status, 200, "{}", String::from_utf8_lossy(answer));
                }
                times.sort_unstable();
                slowest = slowest.max((quantile(&times, 0.5), query));
                all.extend(times);
                filters += 1;
            }
        }
    }
    all.sort_unstable();
    let [p50, p99] = [0.5, 0.99].map(|q| quantile(&all, q));
    println!(
        "lists of 100 over HTTP by {filters} filters, a million finished matches in the file: p50 {p50:.2?}, p99 {p99:.2?}; \
         the slowest filter has p50 {:.2?}: ?{}",
        slowest.0, slowest.1
    );
}
