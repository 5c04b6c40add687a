//! `kibitz import --from FOLDER`: what `kibitz admin export` has written becomes matches, players and ratings of another database,
//! and only if it is true.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use engines::games::GAMES;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::AdminServer;
use super::export::{export, unpacked};
use crate::client::TestServer;
use crate::club::lobby::bot;
use crate::club::{begin, one_move_each, player, random_engine, rated};
use crate::exports::month_of;
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open, order, quick, two_guests};
use crate::server_process::until;

async fn import(folder: &Path, to: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    command.arg("import").arg("--from").arg(folder).args(["--to", to]).args(more);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

/// The summary of an import that found no fault.
#[track_caller]
fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The faults that an import has told.
#[track_caller]
fn faults(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Waits for the end of a match; returns its id.
async fn over(host: &TestServer, path: &str) -> String {
    until(|| async { (host.get(path).await.json()["stage"] == "over").then_some(()) }).await;
    path.rsplit('/').next().unwrap().to_owned()
}

/// A rated match of these players, which the second one resigns.
async fn resigned(host: &TestServer, players: [&TestCaller; 2]) -> String {
    let path = begin(host, players).await;
    one_move_each(host, &path, &players).await;
    players[1].tell(host, &format!("{path}/resign")).await.json();
    over(host, &path).await
}

/// A match of this bot, which writes a line for the public.
async fn with_talking_bot(host: &TestServer, robo: &TestCaller) -> String {
    let (path, _) = create(host, robo, order(SHORT, &[me(), quick()])).await;
    let mut dialogue = robo.dial(host, &format!("{path}/seats/0/stdio")).await;
    dialogue.say("# err 0 5 kibitz I begin").await;
    // At the end of a dialogue all of it is stored.
    dialogue.socket.close(None).await.unwrap();
    until(|| async {
        let output = robo.get(host, &format!("{path}/seats/0/output")).await.json();
        (!output["turns"].as_array().unwrap().is_empty()).then_some(())
    })
    .await;
    robo.tell(host, &format!("{path}/resign")).await.json();
    over(host, &path).await
}

/// Matches of every game and of every kind of player. Returns the id of one of two guests.
async fn fill(place: &AdminServer) -> String {
    let host = &place.host;
    for game in GAMES {
        let info = game.info();
        let seats = vec![quick(); usize::from(info.min_seats)];
        let (path, _) = create(host, &TestCaller::anonymous(), order(info.slug, &seats)).await;
        over(host, &path).await;
    }
    let (ann, ben, dan) = (player(host, "ann").await, player(host, "Ben").await, player(host, "dan").await);
    let robo = bot(host, &ann, "robo").await;
    with_talking_bot(host, &robo).await;
    resigned(host, [&ann, &ben]).await;
    resigned(host, [&ben, &robo]).await;
    let (path, _) = create(host, &ann, rated(LONG, &[random_engine(), me()])).await;
    one_move_each(host, &path, &[&ann]).await;
    ann.tell(host, &format!("{path}/resign")).await.json();
    // Records do not tell these: a result that the operator annulled, a player who is gone, one who has another name now.
    let annulled = resigned(host, [&ben, &ann]).await;
    AdminServer::said(&place.admin(&["matches", "annul", &annulled]).await);
    resigned(host, [&dan, &ann]).await;
    assert_eq!(dan.send(host, "DELETE", "/v1/me", &[], None).await.status, 204);
    AdminServer::said(&place.admin(&["players", "rename", "Ben", "Benno"]).await);
    let (path, guests) = two_guests(host, SHORT).await;
    guests[0].tell(host, &format!("{path}/abort")).await.json();
    over(host, &path).await
}

/// All files of an export, by their names.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true => all.extend(
                files(&entry)
                    .into_iter()
                    .map(|(name, bytes)| (format!("{}/{name}", entry.file_name().unwrap().display()), bytes)),
            ),
            false => all.push((entry.file_name().unwrap().display().to_string(), fs::read(&entry).unwrap())),
        }
    }
    all.sort();
    all
}

/// Exports, imports into this database, exports again, and imports again.
async fn goes_around(database: &str) {
    let place = AdminServer::start(&["--player-creations-burst=100", "--creations-burst=100"]).await;
    let id = fill(&place).await;
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    said(&export(&place.host, first.path(), &[]).await);
    let matches = GAMES.len() + 7;
    let done = said(&import(first.path(), database, &[]).await);
    // The result against the player who is gone does not count, and the annulled one does until the ratings are set.
    let expected = format!(
        "{matches} matches added, 0 there already, 0 faults; 3 players added, 4 results counted, 2 ratings set\n"
    );
    assert_eq!(done, expected);

    let other = TestServer::on(Path::new(database), &[]).await;
    said(&export(&other, second.path(), &[]).await);
    let (before, after) = (files(first.path()), files(second.path()));
    for ((name, before), (same, after)) in before.iter().zip(&after) {
        assert_eq!(name, same);
        if before != after {
            let text = |folder: &Path| unpacked(&folder.join(name));
            assert_same_lines(name, &text(first.path()), &text(second.path()));
        }
    }
    assert_eq!(before.len(), after.len());
    let record = format!("/v1/matches/{id}/record");
    assert_eq!(other.get(&record).await.text(), place.host.get(&record).await.text());
    for name in ["ann", "Benno", "robo"] {
        let shown = async |host: &TestServer| {
            let mut player = host.get(&format!("/v1/players/{name}")).await.json();
            // When it got its account is in no file.
            player.as_object_mut().unwrap().remove("created_ms");
            player
        };
        assert_eq!(shown(&other).await, shown(&place.host).await);
    }
    // Nobody has the token of an imported account.
    let listed = other.get("/v1/players/ann/matches").await.json();
    assert_eq!(listed["matches"].as_array().unwrap().len(), 4, "{listed}");

    let again = format!(
        "0 matches added, {matches} there already, 0 faults; 0 players added, 0 results counted, 0 ratings set\n"
    );
    assert_eq!(said(&import(first.path(), database, &[]).await), again);
    // A rating changes only with matches that the files do not have.
    let (cyd, eva) = (player(&other, "cyd").await, player(&other, "eva").await);
    resigned(&other, [&cyd, &eva]).await;
    assert_eq!(said(&import(first.path(), database, &[]).await), again);
}

#[track_caller]
fn assert_same_lines(name: &str, before: &str, after: &str) {
    for (n, (before, after)) in before.lines().zip(after.lines()).enumerate() {
        assert_eq!(before, after, "{name}, line {}", n + 1);
    }
    panic!("{name} has other lines");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn export_is_imported_into_a_file_and_exported_again() {
    let folder = tempfile::tempdir().unwrap();
    goes_around(folder.path().join("kibitz.db").to_str().unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn export_is_imported_into_postgres_and_exported_again() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    goes_around(&url).await;
}

/// Writes a file of records into the folder of a month, beside the list that names it.
fn write(folder: &Path, month: &str, lines: &[String]) {
    let place = folder.join(month);
    fs::create_dir_all(&place).unwrap();
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    lines.iter().for_each(|line| out.write_all(line.as_bytes()).unwrap());
    let packed = out.finish().unwrap();
    let name = format!("{SHORT}.ndjson.gz");
    let file = json!({ "name": name, "game": SHORT, "lines": lines.len(), "bytes": packed.len(), "sha256": hash(&packed) });
    let list = json!({ "month": month, "complete": false, "files": [file] });
    fs::write(place.join("index.json"), list.to_string()).unwrap();
    fs::write(place.join(name), packed).unwrap();
}

fn hash(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    kibitz::domain::token::hex(&Sha256::digest(bytes))
}

/// The lines of a game of a server.
async fn lines(host: &TestServer, month: &str) -> Vec<String> {
    let text = host.get(&format!("/v1/games/{SHORT}/records?month={month}")).await;
    text.text().lines().map(|line| format!("{line}\n")).collect()
}

/// Three matches, and their records.
async fn three() -> (TestServer, String, Vec<String>) {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let mut last = String::new();
    for _ in 0..3 {
        last = resigned(&host, [&ann, &ben]).await;
    }
    let month = month_of(&last);
    let lines = lines(&host, &month).await;
    assert_eq!(lines.len(), 3);
    (host, month, lines)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn altered_line_is_named_and_leaves_nothing() {
    let (_host, month, good) = three().await;
    let folder = tempfile::tempdir().unwrap();
    let (export, database) = (folder.path().join("export"), folder.path().join("kibitz.db"));
    let database = database.to_str().unwrap();
    let mut altered: Value = serde_json::from_str(&good[1]).unwrap();
    let id = altered["id"].as_str().unwrap().to_owned();
    let moved = altered["events"].as_array_mut().unwrap().iter_mut().find(|event| event["type"] == "moved");
    moved.unwrap()["left_ms"] = json!(1);
    let half = &good[1][..good[1].len() / 2];
    let lines =
        [good[0].clone(), format!("{altered}\n"), format!("{half}\n"), good[2].clone(), half.to_owned()];
    write(&export, &month, &lines);
    let told = faults(&import(&export, database, &[]).await);
    let file = format!("{month}/{SHORT}.ndjson.gz");
    for part in [
        format!("{file}, line 2: match {id}: event "),
        "left_ms: the record has 1, but the rules give".to_owned(),
        format!("{file}, line 3: this is not JSON"),
        format!("{file}: line 5: it is cut off"),
    ] {
        assert!(told.contains(&part), "no {part:?} in {told}");
    }
    let host = TestServer::on(Path::new(database), &[]).await;
    host.get(&format!("/v1/matches/{id}")).await.problem(404, "no_such_match");
    assert_eq!(host.get("/v1/matches").await.json()["matches"].as_array().unwrap().len(), 2);
    host.stop().await;

    // Another file than the one that was exported is told, and the rest of its lines is taken.
    write(&export, &month, &good);
    let packed = export.join(&file);
    let mut bytes = fs::read(&packed).unwrap();
    bytes.truncate(bytes.len() - 9);
    fs::write(&packed, bytes).unwrap();
    let told = faults(&import(&export, database, &[]).await);
    assert!(told.contains(&format!("{file}: it is not the file that index.json lists")), "{told}");
    assert!(told.contains(&format!("{file}: after line 3: it cannot be unpacked")), "{told}");
    let host = TestServer::on(Path::new(database), &[]).await;
    assert_eq!(host.get("/v1/matches").await.json()["matches"].as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn months_come_one_after_the_other_and_add_up() {
    let (host, month, good) = three().await;
    let folder = tempfile::tempdir().unwrap();
    let (export, database) = (folder.path().join("export"), folder.path().join("kibitz.db"));
    let database = database.to_str().unwrap();
    write(&export, &month, &good[1..2]);
    assert!(said(&import(&export, database, &[]).await).starts_with("1 matches added, 0 there already"));
    write(&export, "2026-01", &good[..1]);
    write(&export, &month, &good[1..]);
    assert!(said(&import(&export, database, &[]).await).starts_with("2 matches added, 1 there already"));
    let other = TestServer::on(Path::new(database), &[]).await;
    assert_eq!(lines(&other, &month).await, good);
    let ann =
        async |host: &TestServer| host.get("/v1/players/ann").await.json()["ratings"][0]["played"].clone();
    assert_eq!(ann(&other).await, ann(&host).await);
    assert_eq!(ann(&other).await, 3);
}

/// Names of one server are not those of another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn player_of_this_server_is_not_taken_for_another() {
    let (_host, month, good) = three().await;
    let folder = tempfile::tempdir().unwrap();
    let (export, database) = (folder.path().join("export"), folder.path().join("kibitz.db"));
    let database = database.to_str().unwrap();
    write(&export, &month, &good);
    let place = TestServer::on(Path::new(database), &[]).await;
    let ann = player(&place, "Ann").await;
    let told = faults(&import(&export, database, &[]).await);
    assert!(told.contains("the name \"ann\" belongs to a player of this database; --same-players"), "{told}");
    assert_eq!(ann.get(&place, "/v1/me/matches").await.json()["matches"], json!([]));
    said(&import(&export, database, &["--same-players"]).await);
    assert_eq!(ann.get(&place, "/v1/me/matches").await.json()["matches"].as_array().unwrap().len(), 3);
    // The same id with other content.
    let (path, _) = create(&place, &ann, order(SHORT, &[me(), open()])).await;
    join(&place, &TestCaller::anonymous(), &path).await;
    let id = path.rsplit('/').next().unwrap();
    let mut other: Value = serde_json::from_str(&good[0]).unwrap();
    other["id"] = json!(id);
    write(&export, &month, &[format!("{other}\n")]);
    let told = faults(&import(&export, database, &["--same-players"]).await);
    assert!(told.contains(&format!("match {id}: the database has another match with this id")), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_sources_are_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("kibitz.db");
    let database = database.to_str().unwrap();
    let told = faults(&import(folder.path(), database, &[]).await);
    assert!(
        told.ends_with(": it has no month of an export, such as 2026-11 with index.json in it\n"),
        "{told}"
    );
    let told = faults(&import(&folder.path().join("nothing"), database, &[]).await);
    assert!(told.ends_with("nothing: the file does not exist\n"), "{told}");
    write(folder.path(), "2026-01", &[]);
    fs::remove_file(folder.path().join(format!("2026-01/{SHORT}.ndjson.gz"))).unwrap();
    let told = faults(&import(folder.path(), database, &[]).await);
    assert!(told.contains(&format!("2026-01/{SHORT}.ndjson.gz: No such file")), "{told}");
    let list = folder.path().join("2026-01/index.json");
    fs::write(&list, fs::read_to_string(&list).unwrap().replace(SHORT, "../../secret")).unwrap();
    let told = faults(&import(folder.path(), database, &[]).await);
    assert!(told.contains("this is no name of a file of an export"), "{told}");
}
