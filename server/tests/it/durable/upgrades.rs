//! Databases of earlier versions, which the program of today opens: nothing is lost, and matches go on.
//!
//! `databases/` has the rows of a small database of each released version, as its program wrote them. The first is also made into
//! databases of all versions before it: each has the tables and columns of its time, and the rows as far as these hold them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, Executor, raw_sql};

use super::record_checks::assert_verified;
use super::retrying_client::{ask, insist};
use crate::server_process::{ServerProcess, now_ms};

/// The databases of released versions.
const DATABASES: [&str; 1] = [include_str!("databases/0.1.0.json")];

/// The tables to which others refer.
const FIRST: [&str; 4] = ["players", "matches", "events", "tournaments"];

/// The statements of the first migrations of a database, `sqlite` or `postgres`, in their order.
fn migrations(kind: &str, number: usize) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations").join(kind);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().take(number).map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// A row as the values of an INSERT. `types`: the type of each column in this database, in upper case.
fn literals(row: &[(&Value, &str)]) -> String {
    let literal = |(value, kind): &(&Value, &str)| match value {
        Value::Null => "NULL".to_owned(),
        Value::Number(number) if *kind == "BOOLEAN" => (number.as_i64() != Some(0)).to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("'{}'", text.replace('\'', "''")),
        other => panic!("{other} is in no column"),
    };
    row.iter().map(literal).collect::<Vec<_>>().join(", ")
}

/// The statements that write these rows into tables that have these columns; the columns that are not there are left out, and so
/// are tables. `columns`: the table, the column and its type.
fn inserts(database: &Value, columns: &[(String, String, String)]) -> Vec<String> {
    let mut statements = Vec::new();
    let mut tables: Vec<(&String, &Value)> = database["tables"].as_object().unwrap().iter().collect();
    tables.sort_by_key(|(table, _)| FIRST.iter().position(|first| first == table).unwrap_or(FIRST.len()));
    for (table, content) in tables {
        let kind = |name: &str| {
            let found = columns.iter().find(|(of, column, _)| of == table && column == name);
            found.map(|(_, _, kind)| kind.as_str())
        };
        let names: Vec<&str> =
            content["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let kept: Vec<&str> = names.iter().copied().filter(|name| kind(name).is_some()).collect();
        for row in content["rows"].as_array().unwrap().iter().filter(|_| !kept.is_empty()) {
            let values: Vec<(&Value, &str)> = names
                .iter()
                .zip(row.as_array().unwrap())
                .filter_map(|(name, value)| Some((value, kind(name)?)))
                .collect();
            statements.push(format!(
                "INSERT INTO {table} ({}) VALUES ({})",
                kept.join(", "),
                literals(&values)
            ));
        }
    }
    statements
}

/// The time from the last event of this database to now, in which no node served: no clock runs in it.
fn downtime(database: &Value) -> (i64, i64) {
    let events = &database["tables"]["events"];
    let column = events["columns"].as_array().unwrap().iter().position(|name| name == "at_ms").unwrap();
    let times = events["rows"].as_array().unwrap().iter().map(|row| row[column].as_i64().unwrap());
    let last = times.max().unwrap();
    (last + 1, now_ms().max(last + 2))
}

/// Makes an SQLite file of the version with this number of migrations.
async fn make_file(file: &Path, database: &Value, number: usize) {
    let url = format!("sqlite:{}?mode=rwc", file.display());
    let mut db = sqlx::SqliteConnection::connect(&url).await.unwrap();
    for sql in migrations("sqlite", number) {
        db.execute(raw_sql(AssertSqlSafe(sql))).await.unwrap();
    }
    let columns = "SELECT t.name, c.name, upper(c.type) FROM sqlite_schema t, pragma_table_info(t.name) c
                   WHERE t.type = 'table'";
    let columns: Vec<(String, String, String)> = sqlx::query_as(columns).fetch_all(&mut db).await.unwrap();
    let (from, to) = downtime(database);
    let marks = [
        format!("INSERT INTO downtimes (from_ms, to_ms) VALUES ({from}, {to})"),
        format!("PRAGMA application_id = 0x6b696269; PRAGMA user_version = {number}"),
    ];
    for sql in inserts(database, &columns).into_iter().chain(marks) {
        db.execute(raw_sql(AssertSqlSafe(sql.clone()))).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    }
    db.close().await.unwrap();
}

/// Makes a PostgreSQL database of the version with this number of migrations.
async fn make_postgres(url: &str, database: &Value, number: usize) {
    let mut db = sqlx::PgConnection::connect(url).await.unwrap();
    for sql in migrations("postgres", number) {
        db.execute(raw_sql(AssertSqlSafe(sql))).await.unwrap();
    }
    let columns =
        "SELECT table_name::text, column_name::text, upper(data_type::text) FROM information_schema.columns
                   WHERE table_schema = current_schema()";
    let columns: Vec<(String, String, String)> = sqlx::query_as(columns).fetch_all(&mut db).await.unwrap();
    let (from, to) = downtime(database);
    let marks = [
        format!("INSERT INTO downtimes (from_ms, to_ms, whole) VALUES ({from}, {to}, TRUE)"),
        format!("INSERT INTO kibitz_schema (version) VALUES ({number})"),
        "SELECT setval('match_numbers', (SELECT max(nr) FROM matches) + 1, false)".to_owned(),
    ];
    for sql in inserts(database, &columns).into_iter().chain(marks) {
        db.execute(raw_sql(AssertSqlSafe(sql.clone()))).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    }
    db.close().await.unwrap();
}

/// The tables of the version with this number of migrations that have rows in this database.
fn tables_with_rows(database: &Value, number: usize) -> BTreeSet<String> {
    let made = migrations("sqlite", number).concat();
    let all = database["tables"].as_object().unwrap().keys();
    all.filter(|table| made.contains(&format!("CREATE TABLE {table} "))).cloned().collect()
}

/// Checks that a server has all that a database of the version with this number of migrations held, and goes on with it.
async fn assert_complete(server: &ServerProcess, database: &Value, number: usize) {
    let (facts, tables) = (&database["facts"], tables_with_rows(database, number));
    let bearer = |name: &str| format!("Bearer {}", facts["tokens"][name].as_str().unwrap());
    let get = async |path: &str, name: &str| {
        let token = bearer(name);
        ask(server.address, "GET", path, &[("authorization", &token)], &Value::Null).await.unwrap().json()
    };
    for name in ["ana", "bob", "cyn"] {
        assert_eq!(get("/v1/me", name).await["name"], name);
    }
    for (fact, stage) in
        [("finished", "over"), ("of_engines", "over"), ("running", "running"), ("open", "open")]
    {
        let id = facts[fact].as_str().unwrap();
        assert_eq!(get(&format!("/v1/matches/{id}"), "ana").await["stage"], stage, "{fact}");
    }
    for fact in ["finished", "of_engines"] {
        let path = format!("/v1/matches/{}/record", facts[fact].as_str().unwrap());
        assert_verified(&get(&path, "ana").await);
    }
    let finished = facts["finished"].as_str().unwrap();
    if tables.contains("chat") {
        let chat = get(&format!("/v1/matches/{finished}/chat"), "ana").await;
        let message = &chat["messages"][0];
        assert_eq!((&message["seat"], &message["text"]), (&json!(1), &json!("well played")), "{chat}");
        // Only its author may delete it, whom early versions did not store.
        let path = format!("/v1/matches/{finished}/chat/0");
        for (name, status) in [("ana", 403), ("bob", 204)] {
            let token = bearer(name);
            let answer =
                ask(server.address, "DELETE", &path, &[("authorization", &token)], &Value::Null).await;
            assert_eq!(answer.unwrap().status, status, "{name}");
        }
    }
    if tables.contains("ratings") {
        let ana = get("/v1/players/ana", "ana").await;
        assert_eq!(ana["ratings"].as_array().map(Vec::len), Some(1), "{ana}");
    }
    if tables.contains("tournaments") {
        let cup = get(&format!("/v1/tournaments/{}", facts["tournament"].as_str().unwrap()), "ana").await;
        assert_eq!((&cup["title"], &cup["stage"]), (&json!("Cup"), &json!("registration")), "{cup}");
    }
    if tables.contains("tokens") {
        let scoped = format!("Bearer {}", facts["scoped"].as_str().unwrap());
        let me = ask(server.address, "GET", "/v1/me", &[("authorization", &scoped)], &Value::Null).await;
        assert_eq!(me.unwrap().json()["name"], "bob");
    }
    goes_on(server, facts, &bearer).await;
}

/// The next move of the running match is made, and there is room for new players and matches.
async fn goes_on(server: &ServerProcess, facts: &Value, bearer: &impl Fn(&str) -> String) {
    let path = format!("/v1/matches/{}", facts["running"].as_str().unwrap());
    // Bob holds the first seat.
    let page = ask(server.address, "GET", &path, &[("authorization", &bearer("bob"))], &Value::Null).await;
    let page = page.unwrap().json();
    assert_eq!((&page["ply"], &page["turn"]), (&facts["ply"], &json!(0)), "{page}");
    let body = json!({ "ply": page["ply"], "move": page["legal_moves"][0]["move"] });
    let token = bearer("bob");
    let moves = format!("{path}/moves");
    let moved = insist(server.address, "POST", &moves, &[("authorization", &token)], &body).await;
    assert!(moved.status.is_success(), "{moved:?}");
    let new = insist(server.address, "POST", "/v1/players", &[], &json!({ "name": "dan" })).await;
    assert_eq!(new.status, 201, "{new:?}");
    let order = json!({ "game": "ioiwari", "seats": [{ "kind": "me" }, { "kind": "open" }] });
    assert_eq!(insist(server.address, "POST", "/v1/matches", &[], &order).await.status, 201);
}

/// The databases to try, each with the number of its migrations.
fn versions() -> Vec<(Value, usize)> {
    let mut versions = Vec::new();
    for (n, text) in DATABASES.iter().enumerate() {
        let database: Value = serde_json::from_str(text).unwrap();
        let last = usize::try_from(database["migrations"].as_u64().unwrap()).unwrap();
        let first = if n == 0 { 1 } else { last };
        versions.extend((first..=last).map(|number| (database.clone(), number)));
    }
    versions
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_of_each_earlier_version_is_brought_up_to_date() {
    for (database, number) in versions() {
        let folder = tempfile::tempdir().unwrap();
        make_file(&folder.path().join("kibitz.db"), &database, number).await;
        let mut server = ServerProcess::start_in(folder.path(), &["--hosted-bots=false"]);
        assert_complete(&server, &database, number).await;
        server.stop();
        println!("{number} migrations: well");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_of_each_earlier_version_is_brought_up_to_date() {
    for (database, number) in versions() {
        let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
        make_postgres(&url, &database, number).await;
        let mut server = ServerProcess::start_on(&url, &["--hosted-bots=false"]);
        assert_complete(&server, &database, number).await;
        server.stop();
        println!("{number} migrations: well");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_is_not_renamed_under_a_living_node() {
    let database: Value = serde_json::from_str(DATABASES[0]).unwrap();
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    make_postgres(&url, &database, 23).await;
    let mut db = sqlx::PgConnection::connect(&url).await.unwrap();
    let living = "INSERT INTO servers (id, lock, beat_ms, expires_at) VALUES ('old', 1, 1, 'infinity')";
    db.execute(living).await.unwrap();
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
        command.args(["serve", "--listen=127.0.0.1:0", "--hosted-bots=false", "--database", &url]).output()
    };
    let run = tokio::task::block_in_place(start).unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(!run.status.success() && said.contains("nodes of an earlier version are running"), "{said}");
    // It has ended, and its lease with it.
    db.execute("DELETE FROM servers WHERE id = 'old'").await.unwrap();
    let mut server = ServerProcess::start_on(&url, &["--hosted-bots=false"]);
    assert_complete(&server, &database, 23).await;
    server.stop();
}
