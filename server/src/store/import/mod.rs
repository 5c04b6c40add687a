//! Copies an SQLite database that no node uses into an empty PostgreSQL database, and compares the two. An interrupted
//! copy is continued.

mod table;
mod tables;

use std::path::Path;

use sha2::{Digest, Sha256};
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, Row, SqliteConnection};

use crate::domain::token;
use crate::store::database_error::DatabaseError;
use crate::store::import::table::{Table, ValueKind};
use crate::store::import::tables::{FILES, OF_MATCHES, OTHERS, PLAYERS};
use crate::store::{DatabaseAddress, PostgresUrl, postgres, sqlite};

/// How many matches are copied in one transaction.
const MATCHES: i64 = 200;

/// How many rows of another table are written at a time.
const ROWS: usize = 1000;

/// The numbers of copied matches, events and players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields say all")]
pub struct Imported {
    pub matches: u64,
    pub events: u64,
    pub players: u64,
}

/// Copies the database `from` into `to`, compares them, and tells `progress` what is done.
///
/// # Errors
/// One sentence that says what to do. The copied rows stay; the same command continues.
pub async fn import(
    from: &DatabaseAddress,
    to: &DatabaseAddress,
    progress: &mut dyn FnMut(String),
) -> Result<Imported, String> {
    let DatabaseAddress::File(from) = from else {
        return Err("--from must be an SQLite file: sqlite://kibitz.db".to_owned());
    };
    let DatabaseAddress::Postgres(to) = to else {
        return Err("--to must be a PostgreSQL database: postgres://user@host/database".to_owned());
    };
    let mut source = open_source(from).await?;
    let mut copy = Copy { target: open_target(&mut source, to).await?, source };
    let result = copy.run(progress).await;
    // Nothing was written to the source.
    let _ = copy.source.close().await;
    let _ = copy.target.close().await;
    result
}

fn text(error: sqlx::Error) -> String {
    DatabaseError::from(error).to_string()
}

/// Opens the source and keeps all others from writing to it.
async fn open_source(file: &Path) -> Result<SqliteConnection, String> {
    let refused = |what: &str| format!("{}: {what}", file.display());
    if !file.is_file() {
        return Err(refused("the file does not exist"));
    }
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(false);
    let mut db = options.connect().await.map_err(|e| refused(&text(e)))?;
    match sqlite::is_current(&mut db).await {
        Ok(true) => {}
        Ok(false) => {
            return Err(refused(
                "it is not a database of this version; start this version's server on it once",
            ));
        }
        Err(e) => return Err(refused(&text(e))),
    }
    db.execute("BEGIN IMMEDIATE").await.map_err(|e| refused(&text(e)))?;
    let path = file.canonicalize().map_err(|e| refused(&e.to_string()))?;
    if sqlite::has_living_nodes(&mut db, &path).await.map_err(|e| refused(&text(e)))? {
        return Err(refused("a server uses it; stop that server first"));
    }
    Ok(db)
}

/// Opens the target, which is empty or contains an interrupted import of the same source.
async fn open_target(source: &mut SqliteConnection, url: &PostgresUrl) -> Result<PgConnection, String> {
    let pepper: String = sqlx::query_scalar("SELECT value FROM settings WHERE name = 'pepper'")
        .fetch_one(source)
        .await
        .map_err(text)?;
    let (mut db, name) = postgres::open_for_import(url).await?;
    let refused = |what: &str| format!("{name}: {what}");
    let mark: [u8; 32] = Sha256::digest(pepper.as_bytes()).into();
    let mark = token::hex(&mark);
    let marked: Option<String> = setting(&mut db, "importing").await.map_err(text)?;
    match marked {
        Some(marked) if marked == mark => return Ok(db),
        Some(_) => {
            return Err(refused("it contains an interrupted import of another database; name an empty one"));
        }
        None => {}
    }
    let filled = "SELECT EXISTS (SELECT 1 FROM matches) OR EXISTS (SELECT 1 FROM players)
        OR EXISTS (SELECT 1 FROM requests) OR EXISTS (SELECT 1 FROM bans)
        OR EXISTS (SELECT 1 FROM held_names) OR EXISTS (SELECT 1 FROM nodes WHERE expires_at > clock_timestamp())";
    if sqlx::query_scalar(filled).fetch_one(&mut db).await.map_err(text)? {
        return Err(refused("it is not empty, or a server uses it; name an empty database"));
    }
    let begin = "WITH gone AS (DELETE FROM nodes), old AS (DELETE FROM downtimes)
        INSERT INTO settings (name, value) VALUES ('importing', $1), ('pepper', $2)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    sqlx::query(begin).bind(mark).bind(pepper).execute(&mut db).await.map_err(text)?;
    Ok(db)
}

async fn setting(db: &mut PgConnection, name: &str) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT value FROM settings WHERE name = $1").bind(name).fetch_optional(db).await
}

/// An import under way.
struct Copy {
    source: SqliteConnection,
    target: PgConnection,
}

impl Copy {
    async fn run(&mut self, progress: &mut dyn FnMut(String)) -> Result<Imported, String> {
        self.copy_rows(&PLAYERS, "").await?;
        self.copy_matches(progress).await?;
        for table in &OTHERS {
            self.copy_rows(table, "").await?;
        }
        for hash in self.modules().await? {
            self.copy_rows(&FILES, &only_module(&hash)).await?;
        }
        progress("comparing".to_owned());
        let imported = self.compare().await?;
        self.finish().await.map_err(text)?;
        Ok(imported)
    }

    /// The hashes of the programs' modules.
    async fn modules(&mut self) -> Result<Vec<String>, String> {
        let sql = "SELECT hash FROM program_files ORDER BY hash";
        sqlx::query_scalar(sql).fetch_all(&mut self.source).await.map_err(text)
    }

    /// Copies rows of a table in one transaction.
    async fn copy_rows(&mut self, table: &Table, condition: &str) -> Result<(), String> {
        let mut tx = self.target.begin().await.map_err(text)?;
        copy(&mut self.source, &mut tx, table, condition).await?;
        tx.commit().await.map_err(text)
    }

    /// Copies matches in the order of their numbers, from the first that is missing on.
    async fn copy_matches(&mut self, progress: &mut dyn FnMut(String)) -> Result<(), String> {
        let all: i64 = count(&mut self.source, "matches").await.map_err(text)?;
        let mut done: i64 = 0;
        let last = "SELECT coalesce(max(nr), 0) FROM matches";
        let mut last: i64 = sqlx::query_scalar(last).fetch_one(&mut self.target).await.map_err(text)?;
        if last > 0 {
            let before = "SELECT count(*) FROM matches WHERE nr <= $1";
            done = sqlx::query_scalar(before).bind(last).fetch_one(&mut self.source).await.map_err(text)?;
            progress(format!("{done} of {all} matches were copied before"));
        }
        while let Some(next) = self.end_of_chunk(last).await? {
            let mut tx = self.target.begin().await.map_err(text)?;
            for (table, nr) in &OF_MATCHES {
                let condition = format!("WHERE {nr} > {last} AND {nr} <= {next}");
                copy(&mut self.source, &mut tx, table, &condition).await?;
            }
            tx.commit().await.map_err(text)?;
            last = next;
            done = (done + MATCHES).min(all);
            progress(format!("{done} of {all} matches"));
        }
        Ok(())
    }

    /// The last number of the next matches after this one.
    async fn end_of_chunk(&mut self, after: i64) -> Result<Option<i64>, String> {
        let sql = "SELECT max(nr) FROM (SELECT nr FROM matches WHERE nr > $1 ORDER BY nr LIMIT $2)";
        let query = sqlx::query_scalar(sql).bind(after).bind(MATCHES);
        query.fetch_one(&mut self.source).await.map_err(text)
    }

    /// Compares all rows: for each match a hash of its row, its players and its events; for each other table one hash.
    async fn compare(&mut self) -> Result<Imported, String> {
        let mut imported = Imported::default();
        for (n, table) in std::iter::once(&PLAYERS).chain(&OTHERS).enumerate() {
            let [ours, theirs] =
                [hashed(&self.source_rows(table, "").await?), hashed(&self.target_rows(table, "").await?)];
            if ours != theirs {
                return Err(format!("the table {} differs after the copy", table.name));
            }
            if n == 0 {
                imported.players = ours.0;
            }
        }
        for hash in self.modules().await? {
            let one = only_module(&hash);
            if self.source_rows(&FILES, &one).await? != self.target_rows(&FILES, &one).await? {
                return Err(format!("the module {hash} differs after the copy"));
            }
        }
        let mut last = 0;
        while let Some(next) = self.end_of_chunk(last).await? {
            for (n, (table, nr)) in OF_MATCHES.iter().enumerate() {
                let condition = format!("WHERE {nr} > {last} AND {nr} <= {next}");
                let ours = by_match(&self.source_rows(table, &condition).await?);
                let theirs = by_match(&self.target_rows(table, &condition).await?);
                if let Some((nr, _)) = ours.iter().zip(&theirs).find(|(a, b)| a != b).map(|(a, _)| a) {
                    return Err(format!(
                        "match number {nr} differs in the table {} after the copy",
                        table.name
                    ));
                }
                let rows = ours.iter().map(|(_, hash)| hash.0).sum::<u64>();
                if ours.len() != theirs.len() {
                    return Err(format!("the table {} has other rows after the copy", table.name));
                }
                match n {
                    0 => imported.matches += rows,
                    2 => imported.events += rows,
                    _ => {}
                }
            }
            last = next;
        }
        for (table, _) in &OF_MATCHES {
            let ours = count(&mut self.source, table.name).await.map_err(text)?;
            let sql = format!("SELECT count(*) FROM {}", table.name);
            let query = sqlx::query_scalar(AssertSqlSafe(sql));
            let theirs: i64 = query.fetch_one(&mut self.target).await.map_err(text)?;
            if ours != theirs {
                return Err(format!("the table {} has {ours} rows, but its copy {theirs}", table.name));
            }
        }
        Ok(imported)
    }

    async fn source_rows(&mut self, table: &Table, condition: &str) -> Result<Vec<TextRow>, String> {
        let sql = AssertSqlSafe(table.texts_of_sqlite(condition));
        let rows = sqlx::query(sql).fetch_all(&mut self.source).await.map_err(text)?;
        let row = |row: &SqliteRow| {
            let value = |(i, (_, kind)): (usize, &(&str, ValueKind))| Ok(canonical(row.try_get(i)?, *kind));
            table.columns.iter().enumerate().map(value).collect::<Result<TextRow, sqlx::Error>>()
        };
        rows.iter().map(row).collect::<Result<_, _>>().map_err(text)
    }

    async fn target_rows(&mut self, table: &Table, condition: &str) -> Result<Vec<TextRow>, String> {
        let sql = AssertSqlSafe(table.texts_of_postgres(condition));
        let rows = sqlx::query(sql).fetch_all(&mut self.target).await.map_err(text)?;
        let row = |row: &sqlx::postgres::PgRow| {
            let value = |(i, (_, kind)): (usize, &(&str, ValueKind))| Ok(canonical(row.try_get(i)?, *kind));
            table.columns.iter().enumerate().map(value).collect::<Result<TextRow, sqlx::Error>>()
        };
        rows.iter().map(row).collect::<Result<_, _>>().map_err(text)
    }

    /// Writes the data that the first node needs: the free numbers, the downtimes, and the time at which a node served
    /// last. Afterwards the database can be used.
    async fn finish(&mut self) -> Result<(), sqlx::Error> {
        let downtimes: Vec<(i64, i64)> =
            sqlx::query_as("SELECT from_ms, to_ms FROM downtimes").fetch_all(&mut self.source).await?;
        let last: Option<i64> = sqlx::query_scalar(
            "SELECT max(t) FROM (SELECT max(beat_ms) AS t FROM nodes
                UNION ALL SELECT at_ms FROM (SELECT at_ms FROM events ORDER BY position DESC LIMIT 1))",
        )
        .fetch_one(&mut self.source)
        .await?;
        // The key of notifications, which the browsers know, and the version of accounts.
        let settings: Vec<(String, String)> =
            sqlx::query_as("SELECT name, value FROM settings WHERE name IN ('accounts', 'push_key')")
                .fetch_all(&mut self.source)
                .await?;
        let mut tx = self.target.begin().await?;
        tx.execute("DELETE FROM downtimes; DELETE FROM nodes;").await?;
        let (from, to): (Vec<i64>, Vec<i64>) = downtimes.into_iter().unzip();
        let sql = "INSERT INTO downtimes (from_ms, to_ms, whole)
            SELECT f, t, true FROM unnest($1::bigint[], $2::bigint[]) AS d (f, t)";
        sqlx::query(sql).bind(from).bind(to).execute(&mut *tx).await?;
        if let Some(last) = last {
            let sql = "INSERT INTO nodes (id, lock, beat_ms, stopping, expires_at)
                VALUES ('imported', 0, $1, true, clock_timestamp())";
            sqlx::query(sql).bind(last).execute(&mut *tx).await?;
        }
        for (name, value) in settings {
            let sql = "INSERT INTO settings (name, value) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value";
            sqlx::query(sql).bind(name).bind(value).execute(&mut *tx).await?;
        }
        tx.execute("UPDATE requests SET made = answer::json ->> 'id'").await?;
        tx.execute("SELECT setval('match_numbers', coalesce((SELECT max(nr) FROM matches), 0) + 1, false)")
            .await?;
        tx.execute("DELETE FROM settings WHERE name = 'importing'").await?;
        tx.commit().await
    }
}

/// Selects a module. Its hash is hexadecimal.
fn only_module(hash: &str) -> String {
    format!("WHERE hash = '{hash}'")
}

async fn copy(
    source: &mut SqliteConnection,
    target: &mut PgConnection,
    table: &Table,
    condition: &str,
) -> Result<(), String> {
    let rows: Vec<String> =
        sqlx::query_scalar(AssertSqlSafe(table.read(condition))).fetch_all(source).await.map_err(text)?;
    for rows in rows.chunks(ROWS) {
        let list = format!("[{}]", rows.join(","));
        sqlx::query(AssertSqlSafe(table.write())).bind(list).execute(&mut *target).await.map_err(text)?;
    }
    Ok(())
}

async fn count(db: &mut SqliteConnection, table: &str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {table}"))).fetch_one(db).await
}

/// The values of a row as texts.
type TextRow = Vec<Option<String>>;

/// A value as both databases write it.
fn canonical(value: Option<String>, kind: ValueKind) -> Option<String> {
    match kind {
        ValueKind::Real => {
            value.map(|text| text.parse::<f64>().map_or(text, |number| number.to_bits().to_string()))
        }
        ValueKind::Plain | ValueKind::Flag | ValueKind::Bytes => value,
    }
}

/// The number of rows, and a hash of them.
type Hashed = (u64, [u8; 32]);

fn hashed<'a>(rows: impl IntoIterator<Item = &'a TextRow>) -> Hashed {
    let (mut hash, mut count) = (Sha256::new(), 0);
    for row in rows {
        count += 1;
        for value in row {
            // The length first, so that no two lists of values look the same.
            let length = value.as_ref().map_or(u64::MAX, |text| text.len() as u64);
            hash.update(length.to_be_bytes());
            hash.update(value.as_deref().unwrap_or_default());
        }
    }
    (count, hash.finalize().into())
}

/// The hash of each match. The rows are sorted by the match's number, which comes first.
fn by_match(rows: &[TextRow]) -> Vec<(String, Hashed)> {
    let of_one = rows.chunk_by(|a, b| a[0] == b[0]);
    of_one.map(|rows| (rows[0][0].clone().unwrap_or_default(), hashed(rows))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::import::tables::NOT_COPIED;

    /// A migration that adds a table or a column must also say how it is copied.
    #[tokio::test]
    async fn every_table_and_column_is_copied_or_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kibitz.db");
        let metrics = crate::metrics::StoreMetrics::default();
        drop(crate::store::DatabaseStore::open_file(&file, 1, metrics).await.unwrap());
        let mut db = SqliteConnectOptions::new().filename(&file).connect().await.unwrap();
        let sql = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'";
        let columns: Vec<(String, String)> = sqlx::query_as(sql).fetch_all(&mut db).await.unwrap();
        assert!(columns.len() > 50, "{} columns", columns.len());
        let of_matches = OF_MATCHES.iter().map(|(table, _)| table);
        let copied: Vec<&Table> =
            std::iter::once(&PLAYERS).chain(of_matches).chain(&OTHERS).chain([&FILES]).collect();
        for (table, column) in columns {
            let is_copied = copied
                .iter()
                .any(|copied| copied.name == table && copied.columns.iter().any(|(name, _)| *name == column));
            let is_named =
                NOT_COPIED.iter().any(|name| *name == table || *name == format!("{table}.{column}"));
            assert!(is_copied || is_named, "{table}.{column} is lost in an import");
        }
    }
}
