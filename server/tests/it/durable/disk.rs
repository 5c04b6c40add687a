//! Disks that fail: an unusable database is reported in one clear sentence at the start; a disk that fills up during
//! matches costs no player a move or a second, and reads go on.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use engines::rng::{Rng, Seed};
use rustix::process::{Resource, Rlimit, geteuid, prlimit};
use serde_json::{Value, json};

use super::follower::{FollowMode, Follower};
use super::record_checks::{assert_true, assert_verified};
use super::retrying_client::{PlayedMatch, ask, insist};
use crate::server_process::{ServerProcess, now_ms, until};

/// A process that goes on when it meets its limit on the size of files: then its disk seems to be full.
const IGNORE_LIMIT: &str = "trap '' XFSZ";

/// The Unix user `nobody`, without root's rights.
const NOBODY: u32 = 65_534;

/// The error of the program when it cannot use this database: one sentence, then exit code 1.
#[track_caller]
fn refusal(database: &Path, shell: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{shell}\nexec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_kibitz")]);
    command.args(["serve", "--listen=127.0.0.1:0", "--ladder=false", "--database"]).arg(database);
    if geteuid().is_root() {
        // Modes mean nothing to root.
        command.uid(NOBODY).gid(NOBODY);
    }
    let ended = command.output().unwrap();
    let told = str::from_utf8(&ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(ended.stdout.is_empty(), "{ended:?}");
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines.len(), 1, "one sentence: {told}");
    assert!(told.contains(database.to_str().unwrap()), "it names the file: {told}");
    told.to_owned()
}

#[tokio::test]
async fn unusable_database_is_reported_in_one_sentence() {
    let mut service = ServerProcess::start(&["--threads=1"]);
    let order = json!({ "game": "azul", "seats": [{ "kind": "me" }, { "kind": "open" }] });
    PlayedMatch::create(&[service.address], &order, "a match to be there").await;
    service.kill();
    // Ours, with a match in it that is not in the main file yet.
    let folder = service.database().parent().unwrap().to_owned();
    let with_log = folder.join("kibitz.db-wal");
    assert!(with_log.exists());
    service.begin();
    service.stop();
    assert!(!with_log.exists(), "a server that ends in order leaves one file");
    let good = fs::read(service.database()).unwrap();

    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let case = |name: &str, content: &[u8], file_mode: u32, folder_mode: u32, shell: &str, says: &str| {
        let folder = place.path().join(name);
        fs::create_dir(&folder).unwrap();
        let file = folder.join("kibitz.db");
        fs::write(&file, content).unwrap();
        for path in [&file, &folder] {
            if geteuid().is_root() {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(file_mode)).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(folder_mode)).unwrap();
        let told = refusal(&file, shell);
        assert!(told.contains(says), "{name}: {told}");
        assert!(fs::read(&file).unwrap() == content, "{name}: the file is as it was");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    };

    case(
        "garbage",
        b"Dear diary, today I was no database at all.",
        0o644,
        0o755,
        "",
        "not an SQLite database",
    );
    case("read only file", &good, 0o444, 0o755, "", "may not read and write");
    case("read only folder", &good, 0o644, 0o555, "", "may not read and write");
    case("not readable", &good, 0o000, 0o755, "", "may not read and write");
    case("full", &good, 0o644, 0o755, &format!("{IGNORE_LIMIT}; ulimit -f 0"), "disk");
    let mut newer = good.clone();
    let version = u32::from_be_bytes(good[60..64].try_into().unwrap());
    newer[60..64].copy_from_slice(&(version + 1).to_be_bytes());
    case("newer", &newer, 0o644, 0o755, "", "newer version of this program");
    let mut foreign = good.clone();
    foreign[68..72].copy_from_slice(b"else");
    case("foreign", &foreign, 0o644, 0o755, "", "another program");
    // Everything after the header of the first page, which is the list of tables.
    let mut corrupt = good.clone();
    corrupt[100..4096].fill(0xa5);
    case("corrupt", &corrupt, 0o644, 0o755, "", "corrupt");
    case("cut off", &good[..5000], 0o644, 0o755, "", "corrupt");

    let told = refusal(&place.path().join("nowhere/kibitz.db"), "");
    assert!(told.contains("its directory does not exist"), "{told}");
    let told = refusal(&place.path().join("garbage"), "");
    assert!(told.contains("it is a directory"), "{told}");

    // The program changes no database that it refuses: the good one still opens.
    service.begin();
    let list = insist(service.address, "GET", "/v1/matches", &[], &Value::Null).await.json();
    assert_eq!(list["matches"].as_array().unwrap().len(), 1);
}

/// A disk that can be filled and freed.
enum Disk {
    /// The server may write nothing beyond this many bytes of a file.
    Limit(ServerProcess),
    /// A small disk of its own, with a file that takes all that is left.
    Small(ServerProcess, PathBuf),
}

impl Disk {
    fn service(&mut self) -> &mut ServerProcess {
        match self {
            Self::Limit(service) | Self::Small(service, _) => service,
        }
    }

    /// How much room is left when it gets full, each time: none, part of a page, part of the pages of one move. A small
    /// disk gives room by whole pages, and what a write has begun to take there another may use: nothing is left there.
    fn rounds(&self) -> &'static [u64] {
        match self {
            Self::Limit(_) => &[0, 13, 4_109, 9_000],
            Self::Small(..) => &[0, 0],
        }
    }

    /// Allows this many more bytes to be written from now on; on a small disk, none.
    fn fill(&self, left: u64) {
        match self {
            Self::Limit(service) => {
                let log = service.database().with_extension("db-wal");
                limit(service, Some(fs::metadata(log).map_or(0, |log| log.len()) + left));
            }
            Self::Small(..) => self.fill_up(),
        }
    }

    /// Allows nothing to be written from now on.
    fn fill_up(&self) {
        match self {
            Self::Limit(service) => limit(service, Some(0)),
            Self::Small(_, stone) => {
                let mut stone = fs::File::options().append(true).create(true).open(stone).unwrap();
                let mut size = 1 << 20;
                while size > 0 {
                    if stone.write_all(&vec![0; size]).is_err() {
                        size /= 2;
                    }
                }
            }
        }
    }

    fn free(&self) {
        match self {
            Self::Limit(service) => limit(service, None),
            Self::Small(_, stone) => fs::remove_file(stone).unwrap(),
        }
    }
}

fn limit(service: &ServerProcess, bytes: Option<u64>) {
    prlimit(Some(service.pid()), Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_pauses_the_clocks_and_nothing_else() {
    full_disk(Disk::Limit(ServerProcess::start_after(IGNORE_LIMIT, &["--threads=1"]))).await;
}

/// The same on a real small disk, where the system says that it is full in its own words.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_full_disk_pauses_the_clocks_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let mount =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=16m", "none"]).arg(place.path()).output();
    if !mount.as_ref().is_ok_and(|mount| mount.status.success()) {
        println!("NOT TESTED: a small disk cannot be mounted here ({mount:?}); the limit of files is tested");
        return;
    }
    struct Unmount(PathBuf);
    impl Drop for Unmount {
        fn drop(&mut self) {
            let done = Command::new("umount").arg("-l").arg(&self.0).status();
            println!("unmounted: {done:?}");
        }
    }
    let _unmount = Unmount(place.path().to_owned());
    let service = ServerProcess::start_in(place.path(), &["--threads=1"]);
    full_disk(Disk::Small(service, place.path().join("stone"))).await;
}

/// The time for a move in the match with short moves, in milliseconds.
const HASTY_MS: i64 = 400;

async fn full_disk(mut disk: Disk) {
    let server = disk.service().address;
    let order = |clock: Value, second: Value| {
        let seats = [json!({ "kind": "me" }), second];
        // Long enough, and a time-out costs a move and not the match.
        json!({ "game": "splendor", "seats": seats, "clock": clock })
    };
    let long = json!({ "initial_ms": 3_600_000 });
    let me = json!({ "kind": "me" });
    let engine = json!({ "kind": "engine", "level": "easy", "think_ms": 10, "nodes": 100 });
    let key = "a match on a full disk, number";
    let mut table =
        PlayedMatch::create(&[server], &order(long.clone(), me.clone()), &format!("{key} 1")).await;
    let mut against = PlayedMatch::create(&[server], &order(long.clone(), engine), &format!("{key} 2")).await;
    let short = order(json!({ "move_ms": HASTY_MS }), me);
    let hasty = PlayedMatch::create(&[server], &short, &format!("{key} 3")).await;
    let open = order(long, json!({ "kind": "open" }));
    let open = PlayedMatch::create(&[server], &open, &format!("{key} 4")).await;
    let watching = Follower::new(&[server], &table.id, None, FollowMode::Sse).follow();
    let watching = tokio::spawn(watching);
    let at = |table: &PlayedMatch| format!("/v1/matches/{}", table.id);
    let mut rng = Rng::new(&Seed::from(7));
    let mut full = Vec::new();
    for &left in disk.rounds() {
        assert!(table.step(rng.next_u64()).await && against.step(rng.next_u64()).await);
        disk.fill(left);
        assert_says_why(&until_refused(&mut table, &mut rng).await);
        // After a refused write there may be room for a smaller one. Now nothing fits.
        disk.fill_up();
        assert_says_why(&until_refused(&mut table, &mut rng).await);
        let from = now_ms();
        for (path, order) in [
            ("/v1/matches", json!({ "game": "azul", "seats": [{ "kind": "me" }, { "kind": "me" }] })),
            (&format!("{}/join", at(&open)), json!({})),
            ("/v1/players", json!({ "name": format!("player{left}") })),
        ] {
            assert_says_why(&ask(server, "POST", path, &[], &order).await.unwrap());
        }
        assert_says_why(&ask(server, "GET", "/readyz", &[], &Value::Null).await.unwrap());
        let clock = &table.page(None).await["clock"];
        assert_eq!((&clock["paused"], clock.get("paused_until_ms")), (&json!(true), None), "{clock}");
        // Everything that needs no write goes on.
        for path in ["/healthz", "/metrics", "/v1/games", "/v1/matches", &at(&open), &at(&hasty)] {
            let reply = ask(server, "GET", path, &[], &Value::Null).await.unwrap();
            assert_eq!(reply.status, 200, "{path}: {reply:?}");
        }
        let known = table.events().await;
        assert_eq!(
            known.len() as u64,
            table.page(None).await["seq"].as_u64().unwrap(),
            "streams deliver the stored events"
        );
        // Until the clock would have run out in the match with short moves, by the server's own time.
        let server_ms = async || table.page(None).await["clock"]["now_ms"].as_i64().unwrap();
        let due = server_ms().await + 2 * HASTY_MS;
        until(|| async { (server_ms().await > due).then_some(()) }).await;
        assert_eq!(table.events().await, known, "nothing happens meanwhile");
        let to = now_ms();
        disk.free();
        full.push((from, to));
        // The server recovers by itself, without a restart.
        insist(server, "GET", "/readyz", &[], &Value::Null).await;
    }

    // The disk is full when the server dies.
    assert!(table.step(rng.next_u64()).await);
    disk.fill(0);
    assert_says_why(&until_refused(&mut table, &mut rng).await);
    disk.service().kill();
    if let Disk::Small(..) = disk {
        disk.free();
    }
    disk.service().begin();

    while table.step(rng.next_u64()).await {}
    while against.step(rng.next_u64()).await {}
    let watched = watching.await.unwrap();
    let record = table.record().await;
    assert_eq!(watched.last(), record["events"].as_array().unwrap().len() as u64 - 1);
    for table in [&table, &against] {
        let record = table.record().await;
        assert_true(table, &record);
        assert_verified(&record);
    }
    assert_not_charged(&record["events"], &full);
    let bearer = hasty.bearer(Some(0)).unwrap();
    let resign = format!("{}/resign", at(&hasty));
    // The match may be over already.
    insist(server, "POST", &resign, &[("authorization", &bearer)], &Value::Null).await;
    let record = hasty.record().await;
    assert_verified(&record);
    let records = [record, against.record().await];
    let events = records.iter().flat_map(|record| record["events"].as_array().unwrap());
    for event in events.filter(|event| event["type"] != "resumed") {
        let at = event["at_ms"].as_i64().unwrap();
        assert!(full.iter().all(|(from, to)| !(from..to).contains(&&at)), "while the disk was full: {event}");
    }
}

/// The refusal names the reason and says when to come back.
#[track_caller]
fn assert_says_why(reply: &crate::client::TestResponse) {
    let problem = reply.problem(503, "store_unavailable");
    assert!(problem["detail"].as_str().unwrap().contains("disk"), "{problem}");
}

/// Plays until a move is refused.
async fn until_refused(table: &mut PlayedMatch, rng: &mut Rng) -> crate::client::TestResponse {
    for _ in 0..10 {
        let Err(refused) = table.try_step(rng.next_u64()).await else { continue };
        return refused;
    }
    panic!("the disk is full, and moves are accepted");
}

/// No clock ran while the disk was full.
#[track_caller]
fn assert_not_charged(events: &Value, full: &[(i64, i64)]) {
    let events = events.as_array().unwrap();
    let at = |event: &Value| event["at_ms"].as_i64().unwrap();
    for (from, to) in full {
        let first = events.iter().find(|event| at(event) >= *from).unwrap();
        assert_eq!(first["type"], "resumed", "nothing else can have happened: {first}");
        // The event may have been decided just before there was room again, and written just after.
        let away = first["away_ms"].as_i64().unwrap();
        assert!(away >= at(first).min(*to) - from, "away for {away} of {}", to - from);
        let within = events.iter().filter(|event| (*from..*to).contains(&at(event)));
        assert!(within.count() <= 1, "nothing happens before there is room again");
    }
    let sum = |field: &str| -> i64 { events.iter().filter_map(|e| e.pointer(field)?.as_i64()).sum() };
    let start = events.iter().position(|event| event["type"] == "started").unwrap();
    let charged = sum("/times/think_us") / 1000 + sum("/away_ms");
    assert!(
        charged <= at(events.last().unwrap()) - at(&events[start]) + 1,
        "a player was charged for the full disk"
    );
}
