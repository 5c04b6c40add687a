//! cargo bench -p kibitz --bench store: durable appends by 128 matches at once, against a bare loop of the same inserts, 128
//! per transaction, in turns on the same disk; lists among a million finished matches; opening a database with ten
//! thousand unfinished ones. `KIBITZ_BENCH_DIR` names a directory on another disk. Then the appends on PostgreSQL, by one,
//! two and three nodes, each beside a bare loop of the same inserts: on a private server, or on the empty databases
//! `URL_1`, `URL_2` and `URL_3` for `KIBITZ_BENCH_POSTGRES=URL`.

#[path = "../common/mod.rs"]
mod common;
mod postgres;

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitz::domain::{MatchId, Stage};
use kibitz::metrics::StoreMetrics;
use kibitz::store::{
    Append, DatabaseStore, HolderStore, MatchFilter, MatchRow, MatchStore, NodeStore, Store, StoredEvent,
};

const MATCHES: usize = 128;
/// Events per match; then it is over and the next one begins.
const EVENTS: u32 = 64;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(3);

const AT_MS: i64 = 1_800_000_000_000;
const GAME: &str = "ioiwari";

/// A stored move.
const BODY: &str = r#"{"type":"moved","seat":1,"ply":17,"notation":"1 3 0 1 2","times":{"queue_us":211,"think_us":1203112,"commit_us":2731},"left_ms":118203}"#;

#[tokio::main]
async fn main() {
    let disk = std::env::var_os("KIBITZ_BENCH_DIR").unwrap_or(".".into());
    let folder = tempfile::tempdir_in(disk).expect("the disk takes a folder");
    // `-- postgres`: that alone.
    if !std::env::args().any(|argument| argument == "postgres") {
        appends(folder.path()).await;
        lists(&folder.path().join("lists.db")).await;
    }
    postgres::appends().await;
}

async fn open(path: &Path) -> DatabaseStore {
    DatabaseStore::open_file(path, AT_MS, StoreMetrics::default()).await.expect("the database opens")
}

async fn appends(folder: &Path) {
    let store: Arc<dyn Store> = Arc::new(open(&folder.join("store.db")).await);
    let mut bare = BareLoop::open(&folder.join("bare.db")).await;
    let (mut rates, mut times, mut syncs) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
    let (mut cpu_s, mut log) = (0.0, 0);
    for _ in 0..ROUNDS {
        let before = common::cpu_s();
        rates[0].push(through_the_store(&store, &mut times).await);
        cpu_s += common::cpu_s() - before;
        rates[1].push(bare.round());
        sync(folder, &mut syncs);
        log = log.max(std::fs::metadata(folder.join("store.db-wal")).map_or(0, |file| file.len()));
    }
    let rates = rates.map(|mut rates| {
        rates.sort_unstable_by(f64::total_cmp);
        common::quantile(&rates, 0.5)
    });
    let ratio = rates[0] / rates[1];
    println!("appends: store {:.0}/s, bare loop {:.0}/s: ratio {ratio:.2}", rates[0], rates[1]);
    times.sort_unstable();
    syncs.sort_unstable();
    let [p50, p99] = [0.5, 0.99].map(|q| common::quantile(&times, q));
    let synced = common::quantile(&syncs, 0.99);
    println!(
        "an append: p50 {p50:.1?}, p99 {p99:.1?}; fsync p99 {synced:.1?}: {:.1?} beyond it",
        p99.saturating_sub(synced)
    );
    println!(
        "processor: {:.1} us an append; the log grew to {} KiB",
        cpu_s * 1e6 / times.len() as f64,
        log >> 10
    );
    store.close().await;
}

/// Appends per second.
async fn through_the_store(store: &Arc<dyn Store>, times: &mut Vec<Duration>) -> f64 {
    let (began, before) = (Instant::now(), times.len());
    let players: Vec<_> = (0..MATCHES).map(|_| tokio::spawn(play(Arc::clone(store), began))).collect();
    for player in players {
        times.extend(player.await.expect("it plays to the end"));
    }
    (times.len() - before) as f64 / began.elapsed().as_secs_f64()
}

/// Plays one match after the other; each move waits until the one before is on disk.
async fn play(store: Arc<dyn Store>, began: Instant) -> Vec<Duration> {
    let mut times = Vec::new();
    let (mut id, mut seq) = (MatchId::fresh(), 0);
    while began.elapsed() < ROUND {
        let stage = if seq == 0 { Stage::Running } else { Stage::Over };
        let append = Append {
            id: id.clone(),
            seq,
            events: vec![StoredEvent { at_ms: AT_MS, body: BODY.to_owned() }],
            row: (seq == 0 || seq + 1 == EVENTS).then(|| row(stage)),
            request: None,
            rated: None,
            begins: None,
            faults: Vec::new(),
            program_results: Vec::new(),
        };
        let asked = Instant::now();
        store.append(append).await.expect("it is written");
        times.push(asked.elapsed());
        seq += 1;
        if seq == EVENTS {
            (id, seq) = (MatchId::fresh(), 0);
        }
    }
    times
}

fn row(stage: Stage) -> MatchRow {
    MatchRow {
        game: GAME.to_owned(),
        stage,
        private: false,
        never_begun: false,
        created_ms: AT_MS,
        ended_ms: None,
        rematch_of: None,
        summary: "{}".to_owned(),
        players: Vec::new(),
    }
}

/// The same inserts into the same tables, without checks for conflicts and without waiting callers.
struct BareLoop {
    db: rusqlite::Connection,
    matches: [(i64, u32); MATCHES],
    next: i64,
}

impl BareLoop {
    async fn open(path: &Path) -> Self {
        open(path).await.close().await;
        let matches = std::array::from_fn(|i| (i as i64 + 1, 0));
        Self { db: connect(path), matches, next: MATCHES as i64 + 1 }
    }

    /// Inserts per second.
    fn round(&mut self) -> f64 {
        let (began, mut count) = (Instant::now(), 0);
        let prepare = |sql: &str| self.db.prepare(sql).expect("the statement is right");
        let mut event = prepare("INSERT INTO events (match_nr, seq, at_ms, body) VALUES (?, ?, ?, ?)");
        let mut row = prepare(
            "INSERT INTO matches (nr, id, game, stage, private, created_ms, summary, players)
             VALUES (?, ?, ?, 'running', 0, ?, '{}', '[]')",
        );
        let mut over = prepare("UPDATE matches SET stage = 'over' WHERE nr = ?");
        while began.elapsed() < ROUND {
            self.db.execute_batch("BEGIN IMMEDIATE").expect("it begins");
            for (nr, seq) in &mut self.matches {
                if *seq == 0 {
                    row.execute((*nr, MatchId::fresh().as_str(), GAME, AT_MS)).expect("it is written");
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

fn connect(path: &Path) -> rusqlite::Connection {
    let db = rusqlite::Connection::open(path).expect("the database opens");
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON";
    db.execute_batch(settings).expect("it is set");
    db
}

/// The time that the disk itself needs to sync as much as one transaction writes.
fn sync(folder: &Path, times: &mut Vec<Duration>) {
    const LENGTH: u64 = 128 << 10;
    let mut file = std::fs::File::create(folder.join("sync")).expect("the disk takes a file");
    file.write_all(&vec![1; 32 * LENGTH as usize]).expect("the disk has room");
    file.sync_all().expect("it is written");
    for i in 0..200 {
        file.seek(SeekFrom::Start(i % 32 * LENGTH)).expect("it is as long");
        let began = Instant::now();
        file.write_all(&[i as u8; LENGTH as usize]).expect("the disk has room");
        file.sync_data().expect("it is written");
        times.push(began.elapsed());
    }
}

async fn lists(path: &Path) {
    open(path).await.close().await;
    common::filled::fill(path);

    let began = Instant::now();
    let store = open(path).await;
    let due = store.due(AT_MS, 100).await.expect("it is read");
    assert_eq!(due.len(), 100);
    println!("open, with 10,000 unfinished matches: {:.1?} until the first are due", began.elapsed());

    let middle = MatchId::parse("019a0000-007a-7120-8000-000000000000");
    assert!(middle.is_some());
    let (mut worst, mut count) = ((Duration::ZERO, None), 0);
    for game in [None, Some(GAME), Some("unknown")] {
        for stage in [None, Some(Stage::Open), Some(Stage::Running), Some(Stage::Over)] {
            for player in [None, Some("0"), Some("1")] {
                for before in [None, middle.clone()] {
                    let (game, player) = (game.map(str::to_owned), player.map(str::to_owned));
                    let filter =
                        MatchFilter { game, stage, player, before, limit: 100, ..MatchFilter::default() };
                    let median = median(&store, &filter).await;
                    count += 1;
                    if median > worst.0 {
                        worst = (median, Some(filter));
                    }
                }
            }
        }
    }
    println!(
        "a list of 100 among 1,000,000 finished matches: at most {:.2?} of {count} filters; slowest {:?}",
        worst.0, worst.1
    );
    store.close().await;
}

async fn median(store: &DatabaseStore, filter: &MatchFilter) -> Duration {
    let mut times = Vec::new();
    for _ in 0..21 {
        let began = Instant::now();
        store.list(filter.clone()).await.expect("it is read");
        times.push(began.elapsed());
    }
    times.sort_unstable();
    common::quantile(&times, 0.5)
}
