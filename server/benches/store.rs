//! cargo bench -p kibitz --bench store: durable appends by 128 matches at once, against a bare loop of the same inserts,
//! 128 to a transaction, on the same disk, in turns; lists among a million finished matches; opening a database with
//! ten thousand unfinished ones.

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitz::host::ledger::Stage;
use kibitz::metrics::StoreMetrics;
use kibitz::store::{Append, Filter, MatchId, MatchRow, Sqlite, Store, StoredEvent};

const MATCHES: usize = 128;
/// Events of a match; then it is over and the next one begins, as matches do.
const EVENTS: u32 = 64;
const ROUND: Duration = Duration::from_secs(3);
const ROUNDS: usize = 4;

const AT_MS: i64 = 1_800_000_000_000;
const GAME: &str = "septica";

/// A move as it is stored.
const BODY: &str = r#"{"type":"moved","seat":1,"ply":17,"notation":"1 3 0 1 2","times":{"queue_us":211,"think_us":1203112,"commit_us":2731},"left_ms":118203}"#;

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir_in(std::env::var("KIBITZ_BENCH_DIR").unwrap_or(".".into()))
        .expect("the disk takes a folder");
    appends(folder.path()).await;
}

async fn appends(folder: &Path) {
    let store =
        Arc::new(Sqlite::open(&folder.join("store.db"), 0, StoreMetrics::default()).await.expect("it opens"));
    let mut bare = Bare::open(folder).await;
    let (mut rates, mut times) = ([Vec::new(), Vec::new()], Vec::new());
    let mut synced = Vec::new();
    for _ in 0..ROUNDS {
        rates[0].push(ours(&store, &mut times).await);
        rates[1].push(bare.round());
        synced.extend(syncs(folder));
    }
    let [ours, bare] = rates.map(|mut r| {
        r.sort_unstable_by(f64::total_cmp);
        (r[r.len() / 2], r)
    });
    println!(
        "store {:.0}/s {:.0?}; bare {:.0}/s {:.0?}; ratio {:.2}",
        ours.0,
        ours.1,
        bare.0,
        bare.1,
        ours.0 / bare.0
    );
    times.sort_unstable();
    synced.sort_unstable();
    let [p50, p99, max] = [0.5, 0.99, 1.0].map(|q| common::quantile(&times, q));
    println!(
        "append p50 {p50:.2?} p99 {p99:.2?} max {max:.2?}; fsync p50 {:.2?} p99 {:.2?}",
        common::quantile(&synced, 0.5),
        common::quantile(&synced, 0.99)
    );
    store.close().await;
}

async fn ours(store: &Arc<Sqlite>, times: &mut Vec<Duration>) -> f64 {
    let began = Instant::now();
    let players: Vec<_> = (0..MATCHES)
        .map(|_| {
            let store = Arc::clone(store);
            tokio::spawn(async move {
                let mut times = Vec::new();
                let (mut id, mut seq) = (MatchId::fresh(), 0);
                while began.elapsed() < ROUND {
                    let events = vec![StoredEvent { at_ms: AT_MS, body: BODY.to_owned() }];
                    let row = (seq == 0 || seq + 1 == EVENTS).then(|| row(seq));
                    let from = Instant::now();
                    store
                        .append(Append { id: id.clone(), seq, events, row, request: None })
                        .await
                        .expect("it is written");
                    times.push(from.elapsed());
                    seq += 1;
                    if seq == EVENTS {
                        (id, seq) = (MatchId::fresh(), 0);
                    }
                }
                times
            })
        })
        .collect();
    let before = times.len();
    for player in players {
        times.extend(player.await.expect("it ends"));
    }
    (times.len() - before) as f64 / began.elapsed().as_secs_f64()
}

fn row(seq: u32) -> MatchRow {
    MatchRow {
        game: GAME.into(),
        stage: if seq == 0 { Stage::Running } else { Stage::Over },
        private: false,
        created_ms: 0,
        ended_ms: None,
        rematch_of: None,
        summary: "{}".into(),
        players: Vec::new(),
    }
}

struct Bare {
    db: rusqlite::Connection,
    matches: [(i64, u32); MATCHES],
    next: i64,
}

impl Bare {
    async fn open(folder: &Path) -> Self {
        let path = folder.join("bare.db");
        let store = Sqlite::open(&path, 0, StoreMetrics::default()).await.expect("it opens");
        store.close().await;
        let db = rusqlite::Connection::open(&path).expect("it opens");
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
            .expect("it is set");
        Self { db, matches: std::array::from_fn(|i| (i as i64 + 1, 0)), next: MATCHES as i64 + 1 }
    }

    fn round(&mut self) -> f64 {
        let (began, mut count) = (Instant::now(), 0);
        let prepare = |sql: &str| self.db.prepare(sql).expect("the statement is right");
        let mut event = prepare("INSERT INTO events (match_nr, seq, at_ms, body) VALUES (?, ?, ?, ?)");
        let mut row = prepare(
            "INSERT INTO matches (nr, id, game, stage, private, created_ms, summary, players)
             VALUES (?, ?, ?, 'running', 0, 0, '{}', '[]')",
        );
        let mut over = prepare("UPDATE matches SET stage = 'over' WHERE nr = ?");
        while began.elapsed() < ROUND {
            self.db.execute_batch("BEGIN IMMEDIATE").expect("it begins");
            for (nr, seq) in &mut self.matches {
                if *seq == 0 {
                    row.execute((*nr, MatchId::fresh().as_str(), GAME)).expect("it is written");
                }
                event.execute((*nr, *seq, AT_MS, BODY)).expect("it is written");
                *seq += 1;
                count += 1;
                if *seq == EVENTS {
                    over.execute((*nr,)).expect("it is written");
                    (*nr, *seq) = (self.next, 0);
                    self.next += 1;
                }
            }
            self.db.execute_batch("COMMIT").expect("it commits");
        }
        f64::from(count) / began.elapsed().as_secs_f64()
    }
}

fn syncs(folder: &Path) -> Vec<Duration> {
    use std::io::{Seek, Write};
    let mut file = std::fs::File::create(folder.join("sync")).expect("a file");
    file.write_all(&vec![1; 4 << 20]).expect("written");
    file.sync_all().expect("synced");
    (0..200)
        .map(|i| {
            file.seek(std::io::SeekFrom::Start((i % 30) * (128 << 10))).expect("seeks");
            let from = Instant::now();
            file.write_all(&[i as u8; 128 << 10]).expect("written");
            file.sync_data().expect("synced");
            from.elapsed()
        })
        .collect()
}
#[allow(dead_code)]
fn later(_: Filter) {}
