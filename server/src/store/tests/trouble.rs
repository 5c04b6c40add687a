//! What can go wrong with a file and its disk: a clear sentence at the start, a reason while running, reads that go on,
//! and a return by itself.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use futures_util::future::join_all;
use sqlx::{Connection, Executor, SqliteConnection};

use crate::store::tests::*;

/// Why it does not open.
async fn refusal(place: &Place) -> String {
    let error = tokio::time::timeout(HANG, place.try_open(0)).await.expect("it is told soon").err();
    error.expect("it does not open").to_string()
}

async fn bare(place: &Place) -> SqliteConnection {
    let url = format!("sqlite:{}?mode=rwc", place.file().to_str().unwrap());
    SqliteConnection::connect(&url).await.unwrap()
}

#[tokio::test]
async fn what_is_no_database_of_ours_is_told() {
    let place = Place::new();
    fs::write(place.file(), "Dear diary, today I was corrupted.").unwrap();
    assert!(refusal(&place).await.contains("not an SQLite database"));
    assert_eq!(fs::read(place.file()).unwrap().len(), 34, "and it is left as it was");

    let place = Place::new();
    bare(&place).await.execute("CREATE TABLE recipes (text TEXT)").await.unwrap();
    assert!(refusal(&place).await.contains("belongs to another program"));

    let place = Place::new();
    fs::create_dir(place.file()).unwrap();
    assert!(refusal(&place).await.contains("it is a directory"));

    let place = Place::new();
    let nowhere = place.0.path().join("nowhere/kibitz.db");
    let error = Sqlite::open(&nowhere, 0, StoreMetrics::default()).await.err().unwrap().to_string();
    assert!(error.contains("directory does not exist"), "{error}");
    assert!(error.contains("nowhere/kibitz.db"), "{error}");
}

#[tokio::test]
async fn a_newer_schema_is_told() {
    let place = Place::new();
    place.open(0).await.close().await;
    bare(&place).await.execute("PRAGMA user_version = 1000").await.unwrap();
    assert!(refusal(&place).await.contains("newer version of this program"));
}

#[tokio::test]
async fn a_corrupt_file_is_told() {
    let place = Place::new();
    let store = place.open(0).await;
    made(&store).await;
    store.close().await;
    let whole = fs::read(place.file()).unwrap();
    // Cut short.
    fs::write(place.file(), &whole[..whole.len() / 2]).unwrap();
    assert!(refusal(&place).await.contains("is corrupt"));
    // Overwritten behind its first page.
    let mut scribbled = whole.clone();
    scribbled[4096..].fill(0xA5);
    fs::write(place.file(), scribbled).unwrap();
    assert!(refusal(&place).await.contains("is corrupt"));
    // As it was.
    fs::write(place.file(), whole).unwrap();
    place.open(0).await.close().await;
}

/// One page of events is torn up: its match cannot be read, all others can, and can go on.
#[tokio::test]
async fn a_corrupt_page_harms_its_own_match() {
    const PAGE: usize = 4096;
    let place = Place::new();
    let store = place.open(0).await;
    let mut ids = Vec::new();
    for i in 0..20 {
        let id = MatchId::fresh();
        // One fills a page.
        let body = format!(r#"{{"mark":"match {i}.","text":"{}"}}"#, "x".repeat(3000));
        store.append(Append { events: vec![StoredEvent { at_ms: 0, body }], ..first(&id) }).await.unwrap();
        ids.push(id);
    }
    store.close().await;
    let mut file = fs::read(place.file()).unwrap();
    let mark = b"match 7.";
    let at = file.windows(mark.len()).position(|window| window == mark).unwrap() / PAGE * PAGE;
    file[at..at + PAGE].fill(0xA5);
    fs::write(place.file(), file).unwrap();

    let store = place.open(1).await;
    let corrupt = StoreError::Unavailable("the database file is corrupt".to_owned());
    for (i, id) in ids.iter().enumerate() {
        let log = store.log(id.clone(), 0).await;
        if i == 7 {
            assert_eq!(log, Err(corrupt.clone()));
        } else {
            assert_eq!(log.unwrap().len(), 1);
            store.append(next(id, 1)).await.unwrap();
        }
    }
    assert_eq!(store.list(Filter { limit: 100, ..Filter::default() }).await.unwrap().len(), 20);
}

#[tokio::test]
async fn a_full_database_is_told_and_comes_back() {
    let place = Place::new();
    let store = place.open(0).await;
    let id = made(&store).await;
    let large = |seq| {
        let body = format!(r#"{{"text":"{}"}}"#, "x".repeat(100_000));
        Append { events: vec![StoredEvent { at_ms: 0, body }], ..next(&id, seq) }
    };
    // SQLite's own limit gives what a full disk gives.
    store.raw("PRAGMA max_page_count = 1").await.unwrap();
    let told = join_all([store.append(large(1)), store.append(next(&id, 1))]).await;
    let full = Err(StoreError::Unavailable("the database's disk is full".to_owned()));
    assert_eq!(told, [full.clone(), full], "both shared the transaction");
    assert_eq!(store.health(), Err("the database's disk is full".to_owned()));
    assert_eq!(store.log(id.clone(), 0).await.unwrap().len(), 1, "reads go on, and nothing is half there");
    store.raw("PRAGMA max_page_count = 1000000").await.unwrap();
    store.append(large(1)).await.unwrap();
    assert_eq!(store.health(), Ok(()));
}

/// A file system of 4 MiB, where this user may mount one.
struct SmallDisk(Place);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let place = Place::new();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=4m", "none"]).arg(place.0.path());
        let done = mount.output().is_ok_and(|out| out.status.success());
        done.then_some(Self(place))
    }

    fn remount(&self, how: &str) {
        let done = Command::new("mount").args(["-o", how]).arg(self.0.0.path()).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // What is still open on it goes when its users do.
        let _ = Command::new("umount").arg("-l").arg(self.0.0.path()).status();
    }
}

#[tokio::test]
async fn a_full_disk_is_told_and_comes_back() {
    let Some(disk) = SmallDisk::mount() else { return eprintln!("this user may not mount: not tested") };
    let place = &disk.0;
    let store = place.open(0).await;
    let id = made(&store).await;
    let ballast = place.0.path().join("ballast");
    fs::write(&ballast, vec![1; 8 << 20]).unwrap_err();
    let mut seq = 1;
    // What the log has room for already may still be written.
    let reason = loop {
        match store.append(next(&id, seq)).await {
            Ok(_) => seq += 1,
            Err(e) => break e,
        }
        assert!(seq < 10_000, "the disk is full");
    };
    assert_eq!(reason, StoreError::Unavailable("the database's disk is full".to_owned()));
    assert!(store.health().is_err());
    assert_eq!(store.log(id.clone(), 0).await.unwrap().len() as u32, seq, "reads go on");
    fs::remove_file(&ballast).unwrap();
    store.append(next(&id, seq)).await.unwrap();
    assert_eq!(store.health(), Ok(()), "it comes back by itself");
    store.close().await;
    fs::write(&ballast, vec![1; 8 << 20]).unwrap_err();
    assert!(refusal(place).await.contains("the disk is full"));
}

#[tokio::test]
async fn a_read_only_disk_is_told() {
    let Some(disk) = SmallDisk::mount() else { return eprintln!("this user may not mount: not tested") };
    let place = &disk.0;
    place.open(0).await.close().await;
    disk.remount("remount,ro");
    let text = refusal(place).await;
    assert!(text.contains("read-only"), "{text}");
    disk.remount("remount,rw");
    place.open(0).await.close().await;
}

const FILE: &str = "KIBITZ_TEST_REFUSED";

/// Not a test: opens a database and says why it cannot.
#[tokio::test]
#[ignore = "runs in a process of its own, started by the test below"]
async fn says_why_it_does_not_open() {
    let Some(file) = std::env::var_os(FILE) else { return };
    if let Err(error) = Sqlite::open(file.as_ref(), 0, StoreMetrics::default()).await {
        println!("refused: {error}");
    }
}

/// Modes do not bind the superuser, so that one opens the file as nobody in particular.
#[tokio::test]
async fn what_may_not_be_read_or_written_is_told() {
    let place = Place::new();
    place.open(0).await.close().await;
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let (file, folder) = (place.file(), place.0.path());
    for (file_mode, folder_mode) in [(0o400, 0o755), (0o444, 0o755), (0o000, 0o755), (0o644, 0o555)] {
        mode(&file, file_mode);
        mode(folder, folder_mode);
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "--exact",
            "store::tests::trouble::says_why_it_does_not_open",
            "--ignored",
            "--nocapture",
        ]);
        child.env(FILE, &file).current_dir("/");
        if is_root {
            child.uid(65_534).gid(65_534);
        }
        let output = match child.output() {
            Err(e) if is_root && e.kind() == std::io::ErrorKind::PermissionDenied => {
                return eprintln!("nobody may run this test's program: not tested");
            }
            output => output.unwrap(),
        };
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("refused: cannot use the database"), "{file_mode:o} {folder_mode:o}: {said}");
        assert!(
            said.contains("this user may not read and write the file"),
            "{file_mode:o} {folder_mode:o}: {said}"
        );
    }
    mode(folder, 0o755);
}

#[tokio::test]
async fn secrets_are_for_this_user_alone() {
    let place = Place::new();
    let store = place.open(0).await;
    made(&store).await;
    for entry in fs::read_dir(place.0.path()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !name.contains("-server-") {
            assert_eq!(entry.metadata().unwrap().mode() & 0o077, 0, "{name}");
        }
    }
}

/// Somebody else keeps the database locked for a while: writes wait for it.
#[tokio::test]
async fn a_lock_is_waited_for() {
    let place = Place::new();
    let store = place.open(0).await;
    let mut other = bare(&place).await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let id = MatchId::fresh();
    let waiting = tokio::spawn({
        let (store, append) = (Arc::clone(&store), first(&id));
        async move { store.append(append).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!waiting.is_finished());
    assert_eq!(store.log(id.clone(), 0).await.unwrap(), [], "reads do not wait");
    other.execute("COMMIT").await.unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(store.log(id, 0).await.unwrap().len(), 1);
}
