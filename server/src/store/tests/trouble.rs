//! Faults of a file and its disk: a clear error at the start, a reason while running, reads that go on, and recovery.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use futures_util::future::join_all;
use sqlx::{Connection, Executor, SqliteConnection};

use crate::store::tests::*;

/// The error with which the database does not open.
async fn refusal(database: &TestDatabase) -> String {
    let error = tokio::time::timeout(HANG, database.try_open(0)).await.expect("the refusal comes soon").err();
    error.expect("opening fails").to_string()
}

async fn connect(database: &TestDatabase) -> SqliteConnection {
    let url = format!("sqlite:{}?mode=rwc", database.file().to_str().unwrap());
    SqliteConnection::connect(&url).await.unwrap()
}

#[tokio::test]
async fn file_that_is_not_our_database_is_refused() {
    let database = TestDatabase::sqlite();
    fs::write(database.file(), "Dear diary, today I was corrupted.").unwrap();
    assert!(refusal(&database).await.contains("not an SQLite database"));
    assert_eq!(fs::read(database.file()).unwrap().len(), 34, "the file is unchanged");

    let database = TestDatabase::sqlite();
    connect(&database).await.execute("CREATE TABLE recipes (text TEXT)").await.unwrap();
    assert!(refusal(&database).await.contains("belongs to another program"));

    let database = TestDatabase::sqlite();
    fs::create_dir(database.file()).unwrap();
    assert!(refusal(&database).await.contains("it is a directory"));

    let database = TestDatabase::sqlite();
    let nowhere = database.folder().join("nowhere/kibitz.db");
    let error =
        DatabaseStore::open_file(&nowhere, 0, StoreMetrics::default()).await.err().unwrap().to_string();
    assert!(error.contains("directory does not exist"), "{error}");
    assert!(error.contains("nowhere/kibitz.db"), "{error}");
}

#[tokio::test]
async fn newer_schema_is_refused() {
    let database = TestDatabase::sqlite();
    database.open(0).await.close().await;
    connect(&database).await.execute("PRAGMA user_version = 1000").await.unwrap();
    assert!(refusal(&database).await.contains("newer version of this program"));
}

#[tokio::test]
async fn corrupt_file_is_refused() {
    let database = TestDatabase::sqlite();
    let store = database.open(0).await;
    create_match(&store).await;
    store.close().await;
    let whole = fs::read(database.file()).unwrap();
    // Cut short.
    fs::write(database.file(), &whole[..whole.len() / 2]).unwrap();
    assert!(refusal(&database).await.contains("is corrupt"));
    // Overwritten after its first page.
    let mut scribbled = whole.clone();
    scribbled[4096..].fill(0xA5);
    fs::write(database.file(), scribbled).unwrap();
    assert!(refusal(&database).await.contains("is corrupt"));
    // As it was.
    fs::write(database.file(), whole).unwrap();
    database.open(0).await.close().await;
}

/// One page of events is damaged: its match cannot be read, all others can be read and continued.
#[tokio::test]
async fn corrupt_page_affects_only_its_match() {
    const PAGE: usize = 4096;
    let database = TestDatabase::sqlite();
    let store = database.open(0).await;
    let mut ids = Vec::new();
    for i in 0..20 {
        let id = MatchId::fresh();
        // One fills a page.
        let body = format!(r#"{{"mark":"match {i}.","text":"{}"}}"#, "x".repeat(3000));
        store.append(Append { events: vec![StoredEvent { at_ms: 0, body }], ..first(&id) }).await.unwrap();
        ids.push(id);
    }
    store.close().await;
    let mut file = fs::read(database.file()).unwrap();
    let mark = b"match 7.";
    let at = file.windows(mark.len()).position(|window| window == mark).unwrap() / PAGE * PAGE;
    file[at..at + PAGE].fill(0xA5);
    fs::write(database.file(), file).unwrap();

    let store = database.open(1).await;
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
    assert_eq!(store.list(MatchFilter { limit: 100, ..MatchFilter::default() }).await.unwrap().len(), 20);
}

#[tokio::test]
async fn full_database_is_reported_and_recovers() {
    let database = TestDatabase::sqlite();
    let store = DatabaseStore::open_file(&database.file(), 0, StoreMetrics::default()).await.unwrap();
    let id = MatchId::fresh();
    store.append(first(&id)).await.unwrap();
    let large = |seq| {
        let body = format!(r#"{{"text":"{}"}}"#, "x".repeat(100_000));
        Append { events: vec![StoredEvent { at_ms: 0, body }], ..next(&id, seq) }
    };
    // SQLite's own limit causes the same error as a full disk.
    store.raw("PRAGMA max_page_count = 1").await.unwrap();
    let results = join_all([store.append(large(1)), store.append(next(&id, 1))]).await;
    let full = Err(StoreError::Unavailable("the database's disk is full".to_owned()));
    assert_eq!(results, [full.clone(), full], "both shared the transaction");
    assert_eq!(store.health(), Err("the database's disk is full".to_owned()));
    assert_eq!(
        store.log(id.clone(), 0).await.unwrap().len(),
        1,
        "reads go on, and no append is half written"
    );
    store.raw("PRAGMA max_page_count = 1000000").await.unwrap();
    store.append(large(1)).await.unwrap();
    assert_eq!(store.health(), Ok(()));
}

/// A file system of 4 MiB, if this user may mount one.
struct SmallDisk(TestDatabase);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let database = TestDatabase::sqlite();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=4m", "none"]).arg(database.folder());
        let done = mount.output().is_ok_and(|out| out.status.success());
        done.then_some(Self(database))
    }

    fn remount(&self, how: &str) {
        let done = Command::new("mount").args(["-o", how]).arg(self.0.folder()).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A lazy unmount: open files stay usable until they are closed.
        let _ = Command::new("umount").arg("-l").arg(self.0.folder()).status();
    }
}

#[tokio::test]
async fn full_disk_is_reported_and_recovers() {
    let Some(disk) = SmallDisk::mount() else { return eprintln!("this user may not mount: not tested") };
    let database = &disk.0;
    let store = database.open(0).await;
    let id = create_match(&store).await;
    let ballast = database.folder().join("ballast");
    fs::write(&ballast, vec![1; 8 << 20]).unwrap_err();
    let mut seq = 1;
    // Appends succeed as long as the log has room.
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
    assert_eq!(store.health(), Ok(()), "writing recovers by itself");
    store.close().await;
    fs::write(&ballast, vec![1; 8 << 20]).unwrap_err();
    assert!(refusal(database).await.contains("the disk is full"));
}

#[tokio::test]
async fn read_only_disk_is_refused() {
    let Some(disk) = SmallDisk::mount() else { return eprintln!("this user may not mount: not tested") };
    let database = &disk.0;
    database.open(0).await.close().await;
    disk.remount("remount,ro");
    let text = refusal(database).await;
    assert!(text.contains("read-only"), "{text}");
    disk.remount("remount,rw");
    database.open(0).await.close().await;
}

const FILE: &str = "KIBITZ_TEST_REFUSED";

/// Not a test: opens a database and prints the error.
#[tokio::test]
#[ignore = "runs in a process of its own, started by the test below"]
async fn opens_and_prints_the_refusal() {
    let Some(file) = std::env::var_os(FILE) else { return };
    if let Err(error) = DatabaseStore::open_file(file.as_ref(), 0, StoreMetrics::default()).await {
        println!("refused: {error}");
    }
}

/// File modes do not restrict the superuser, so the superuser runs the program as the Unix user `nobody`.
#[tokio::test]
async fn file_without_permissions_is_refused() {
    let database = TestDatabase::sqlite();
    database.open(0).await.close().await;
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let (file, folder) = (database.file(), database.folder());
    for (file_mode, folder_mode) in [(0o400, 0o755), (0o444, 0o755), (0o000, 0o755), (0o644, 0o555)] {
        mode(&file, file_mode);
        mode(folder, folder_mode);
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "--exact",
            "store::tests::trouble::opens_and_prints_the_refusal",
            "--ignored",
            "--nocapture",
        ]);
        child.env(FILE, &file).current_dir("/");
        if is_root {
            child.uid(65_534).gid(65_534);
        }
        let output = match child.output() {
            Err(e) if is_root && e.kind() == std::io::ErrorKind::PermissionDenied => {
                return eprintln!("the Unix user `nobody` may not run this test program: not tested");
            }
            output => output.unwrap(),
        };
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("refused: cannot use the database"), "{file_mode:o} {folder_mode:o}: {said}");
        assert!(
            said.contains("this user may not read and write the file"),
            "{file_mode:o} {folder_mode:o}: {said}"
        );
        // Where another user is the owner, the command that changes that.
        assert_eq!(said.contains(": `chown 65534 \""), is_root, "{said}");
    }
    mode(folder, 0o755);
}

#[tokio::test]
async fn database_files_are_private_to_the_user() {
    let database = TestDatabase::sqlite();
    let store = database.open(0).await;
    create_match(&store).await;
    for entry in fs::read_dir(database.folder()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !name.contains("-server-") {
            assert_eq!(entry.metadata().unwrap().mode() & 0o077, 0, "{name}");
        }
    }
}

/// Another process locks the database for a while.
#[tokio::test]
async fn writes_wait_for_a_lock() {
    let database = TestDatabase::sqlite();
    let store = database.open(0).await;
    let mut other = connect(&database).await;
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
