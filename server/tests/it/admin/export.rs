//! `kibitz admin export`: the files of a month have what anyone may download, and are the same whenever they are written.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::client::TestServer;
use crate::club::player;
use crate::exports::month_of;
use crate::matches::{SHORT, create, me, open, order, quick};

pub(super) fn unpacked(file: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    text
}

pub(super) async fn export(host: &TestServer, folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    command.args(["admin", "export", "--to"]).arg(folder).args(more);
    command.env("KIBITZ_SERVER", format!("http://{}", host.address()));
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn export_has_the_public_matches_of_the_month_and_the_ratings() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let (path, _) = create(&host, &ann, order(SHORT, &[me(), quick()])).await;
        ann.tell(&host, &format!("{path}/resign")).await.json();
        ids.push(path.rsplit('/').next().unwrap().to_owned());
    }
    // These stay out: it is not over, and it is private.
    create(&host, &ann, order(SHORT, &[me(), open()])).await;
    let mut private = order(SHORT, &[me(), quick()]);
    private["private"] = json!(true);
    let (path, _) = create(&host, &ann, private).await;
    ann.tell(&host, &format!("{path}/resign")).await.json();

    let folder = tempfile::tempdir().unwrap();
    let done = export(&host, folder.path(), &[]).await;
    assert!(done.status.success(), "{done:?}");
    let month = month_of(&ids[0]);
    assert!(String::from_utf8_lossy(&done.stdout).contains(&format!("{month}: 3 matches")), "{done:?}");
    let file = folder.path().join(&month).join(format!("{SHORT}.ndjson.gz"));
    let lines = unpacked(&file);
    let exported: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(exported, ids);
    let download = host.get(&format!("/v1/games/{SHORT}/records?month={month}")).await;
    assert_eq!(download.text(), lines);
    let ratings = unpacked(&folder.path().join(&month).join("ratings.ndjson.gz"));
    assert!(ratings.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["game"].is_string()));
    let list: Value =
        serde_json::from_slice(&fs::read(folder.path().join(&month).join("index.json")).unwrap()).unwrap();
    assert_eq!((&list["month"], &list["complete"]), (&json!(month), &json!(false)));
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains(&format!("{month}/{SHORT}.ndjson.gz")), "{page}");

    // The same matches give the same bytes.
    let before = fs::read(&file).unwrap();
    assert!(export(&host, folder.path(), &["--month", &month]).await.status.success());
    assert!(fs::read(&file).unwrap() == before);
    let wrong = export(&host, folder.path(), &["--month", "2026-13"]).await;
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
}
