//! A process that is killed in the middle: what it was told is there, and the next one begins at once.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::store::tests::*;

const FILE: &str = "KIBITZ_TEST_STORE";

/// Not a test: what the killed process does. It says each append that it was told is on disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs in a process of its own, started by the test below"]
async fn writes_until_it_is_killed() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let store = Arc::new(Sqlite::open(file.as_ref(), 1_000, StoreMetrics::default()).await.unwrap());
    store.serve(1_000).await.unwrap();
    let write = |store: Arc<Sqlite>| async move {
        let id = made(&store).await;
        for seq in 1.. {
            println!("told {id} {}", seq - 1);
            store.append(next(&id, seq)).await.unwrap();
        }
    };
    let tasks: Vec<_> = (0..8).map(|_| tokio::spawn(write(Arc::clone(&store)))).collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn nothing_is_lost_with_a_killed_process() {
    let place = Place::new();
    for round in 1..=5 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::crash::writes_until_it_is_killed", "--ignored", "--nocapture"])
            .env(FILE, place.file())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut told = Vec::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut note = |line: &str| {
            // A line cut off by the kill was not said.
            let mut words = line.split_once("told ").into_iter().flat_map(|(_, rest)| rest.split(' '));
            let id = words.next().and_then(MatchId::parse);
            told.extend(id.zip(words.next().and_then(|seq| seq.parse::<u32>().ok())));
        };
        for line in lines.by_ref().take(20 + 40 * round) {
            note(&line.unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Whole lines that were still under way. The last may be cut, and its number then too small: that does no harm.
        lines.map_while(Result::ok).for_each(|line| note(&line));

        assert!(told.len() >= 20, "it has not written: {told:?}");
        let began = 100_000 * round as i64;
        let store = place.open(began).await;
        assert!(!store.downtimes(began - 1).is_empty(), "it is known to be dead at once");
        let due = store.due(began, 1000).await.unwrap();
        for (id, seq) in told {
            let log = store.log(id.clone(), 0).await.unwrap();
            assert!(log.len() as u32 > seq, "{id}: {seq} was told, {} are there", log.len());
            for (seq, stored) in log.iter().enumerate().skip(1) {
                assert_eq!(*stored, event(&format!("moved {seq}")));
            }
            assert!(due.contains(&id), "{id} waits for a server");
        }
        store.close().await;
        // Nothing is left of the dead.
        assert_eq!(std::fs::read_dir(place.0.path()).unwrap().count(), 1);
    }
}
