//! A killed process: everything that was reported as written is there, and the next node takes over at once.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use sqlx::Connection as _;

use crate::store::tests::*;

on_both_databases! {
    killed_process_loses_nothing,
}

const ADDRESS: &str = "KIBITZ_TEST_STORE";

/// Not a test: the process to kill. It prints each append that the store reported as written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs in a process of its own, started by the test below"]
async fn writes_until_it_is_killed() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let Ok(address) = address.parse();
    let offset_ms = 1_000 - ServerClock::start(0).ms();
    let OpenedStore { store, now, .. } = open(&address, offset_ms, StoreMetrics::default()).await.unwrap();
    let store = Arc::new(TestStore { store, clock: now });
    store.serve(1_000).await.unwrap();
    let write = |store: Arc<TestStore>| async move {
        let id = create_match(&store).await;
        for seq in 1.. {
            println!("written {id} {}", seq - 1);
            store.append(next(&id, seq)).await.unwrap();
        }
    };
    let tasks: Vec<_> = (0..8).map(|_| tokio::spawn(write(Arc::clone(&store)))).collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// Waits until PostgreSQL has noticed that the connections of a killed process ended: with them its sign of life ends.
async fn until_alone(url: &str) {
    let mut db = sqlx::PgConnection::connect(url).await.unwrap();
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    poll_until(async || {
        let others: i64 = sqlx::query_scalar(others).fetch_one(&mut db).await.unwrap();
        (others == 0).then_some(())
    })
    .await;
}

async fn killed_process_loses_nothing(database: TestDatabase) {
    for round in 1..=5 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::crash::writes_until_it_is_killed", "--ignored", "--nocapture"])
            .env(ADDRESS, database.text())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut written = Vec::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut note = |line: &str| {
            // A line that the kill cut off does not count.
            let mut words = line.split_once("written ").into_iter().flat_map(|(_, rest)| rest.split(' '));
            let id = words.next().and_then(MatchId::parse);
            written.extend(id.zip(words.next().and_then(|seq| seq.parse::<u32>().ok())));
        };
        for line in lines.by_ref().take(20 + 40 * round) {
            note(&line.unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Whole lines that were still in the pipe. The last may be cut, and its number then too small, which does no harm.
        lines.map_while(Result::ok).for_each(|line| note(&line));

        assert!(written.len() >= 20, "the process has not written: {written:?}");
        if let TestDatabase::Postgres(_) = &database {
            until_alone(&database.text()).await;
        }
        let began = 100_000 * round as i64;
        let store = database.open(began).await;
        assert!(!store.downtimes(began - 1).is_empty(), "the process is known to be dead at once");
        let due = store.due(began, 1000).await.unwrap();
        for (id, seq) in written {
            let log = store.log(id.clone(), 0).await.unwrap();
            assert!(log.len() as u32 > seq, "{id}: {seq} was reported as written, {} are there", log.len());
            for (seq, stored) in log.iter().enumerate().skip(1) {
                assert_eq!(*stored, event(&format!("moved {seq}")));
            }
            assert!(due.contains(&id), "{id} is due");
        }
        store.close().await;
        if let TestDatabase::Sqlite(folder) = &database {
            // No files of dead nodes are left.
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }
}
