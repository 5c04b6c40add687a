//! The speed of the disk and SQLite alone: the same rows, inserted by a loop that does nothing else.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Statement, params, params_from_iter, types::Value};

/// Events of a transaction.
const TOGETHER: usize = 128;

/// An event as a server has stored it.
struct Row {
    match_nr: i64,
    seq: i64,
    at_ms: i64,
    body: String,
}

/// The facts that lists show of a match.
struct Summary {
    game: String,
    summary: String,
}

/// All that a server has stored, in its order.
pub(crate) struct Rows {
    events: Vec<Row>,
    matches: Vec<Summary>,
}

impl Rows {
    /// The rows of this database.
    pub(crate) fn read(path: &Path) -> Self {
        let db = Connection::open(path).expect("the database opens");
        let mut events = db
            .prepare("SELECT match_nr, seq, at_ms, body FROM events ORDER BY position")
            .expect("the statement is right");
        let event = |row: &rusqlite::Row<'_>| {
            Ok(Row { match_nr: row.get(0)?, seq: row.get(1)?, at_ms: row.get(2)?, body: row.get(3)? })
        };
        let events = events.query_map((), event).expect("it is read").map(|row| row.expect("a row"));
        let mut matches =
            db.prepare("SELECT game, summary FROM matches ORDER BY nr").expect("the statement is right");
        let summary = |row: &rusqlite::Row<'_>| Ok(Summary { game: row.get(0)?, summary: row.get(1)? });
        let matches = matches.query_map((), summary).expect("it is read").map(|row| row.expect("a row"));
        Self { events: events.collect(), matches: matches.collect() }
    }
}

/// The way in which the loop inserts events.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    /// A prepared statement for each event.
    Single,
    /// One statement for all of a transaction.
    Together,
}

/// A database that only the loop fills.
pub(crate) struct Bare {
    db: Connection,
    /// The offset of the next matches' numbers, which puts them above those of all matches that it holds.
    beyond: i64,
    next: usize,
}

impl Bare {
    /// Creates an empty database with the tables of another one.
    pub(crate) fn make(like: &Path, path: &Path) -> Self {
        let like = Connection::open(like).expect("the database opens");
        let mut tables = like
            .prepare(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '\\_%' ESCAPE '\\'",
            )
            .expect("the statement is right");
        let tables = tables.query_map((), |row| row.get::<_, String>(0)).expect("it is read");
        let tables: Vec<String> = tables.map(|sql| sql.expect("a row")).collect();
        let db = Connection::open(path).expect("the database opens");
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
            .expect("it is set");
        db.execute_batch(&tables.join(";\n")).expect("the tables are made");
        Self { db, beyond: 0, next: 0 }
    }

    /// Inserts rows for this long; returns the moves inserted a second.
    pub(crate) fn round(&mut self, rows: &Rows, way: Way, length: Duration) -> f64 {
        let (db, began, mut moves) = (&self.db, Instant::now(), 0_u32);
        let prepare = |sql: &str| db.prepare(sql).expect("the statement is right");
        let mut single = prepare("INSERT INTO events (match_nr, seq, at_ms, body) VALUES (?, ?, ?, ?)");
        let values = vec!["(?, ?, ?, ?)"; TOGETHER].join(", ");
        let mut together =
            prepare(&format!("INSERT INTO events (match_nr, seq, at_ms, body) VALUES {values}"));
        let mut made = prepare(
            "INSERT INTO matches (nr, id, game, stage, private, created_ms, summary, players, holder)
             VALUES (?, ?, ?, 'running', 0, ?, ?, '[]', '019aa0000000700080000000000000000')",
        );
        let mut over = prepare(
            "UPDATE matches SET stage = 'over', ended_ms = ?, summary = ?, holder = NULL WHERE nr = ?",
        );
        while began.elapsed() < length {
            if self.next + TOGETHER > rows.events.len() {
                (self.next, self.beyond) = (0, self.beyond + rows.matches.len() as i64);
            }
            let some = &rows.events[self.next..self.next + TOGETHER];
            self.next += TOGETHER;
            db.execute_batch("BEGIN IMMEDIATE").expect("it begins");
            for row in some {
                let nr = row.match_nr + self.beyond;
                let listed = &rows.matches[row.match_nr as usize - 1];
                if row.seq == 0 {
                    let id = kibitz::domain::MatchId::fresh();
                    insert(&mut made, params![nr, id.as_str(), listed.game, row.at_ms, listed.summary]);
                } else if row.body.starts_with(r#"{"type":"ended""#) {
                    insert(&mut over, params![row.at_ms, listed.summary, nr]);
                }
                moves += u32::from(row.body.starts_with(r#"{"type":"moved""#));
            }
            match way {
                Way::Single => {
                    for row in some {
                        let nr = row.match_nr + self.beyond;
                        insert(&mut single, params![nr, row.seq, row.at_ms, row.body]);
                    }
                }
                Way::Together => {
                    let values = some.iter().flat_map(|row| {
                        let nr = row.match_nr + self.beyond;
                        let [nr, seq, at_ms] = [nr, row.seq, row.at_ms].map(Value::Integer);
                        [nr, seq, at_ms, Value::Text(row.body.clone())]
                    });
                    insert(&mut together, params_from_iter(values));
                }
            }
            db.execute_batch("COMMIT").expect("it commits");
        }
        f64::from(moves) / began.elapsed().as_secs_f64()
    }
}

fn insert(statement: &mut Statement<'_>, values: impl rusqlite::Params) {
    statement.execute(values).expect("it is written");
}

/// How long the disk itself takes for 4 KiB to be safe, a few hundred times.
pub(crate) fn syncs(folder: &Path, times: &mut Vec<Duration>) {
    const BLOCK: usize = 4096;
    let mut file = std::fs::File::create(folder.join("sync")).expect("the disk takes a file");
    file.write_all(&[1; 256 * BLOCK]).expect("the disk has room");
    file.sync_all().expect("it is written");
    for i in 0..256 {
        file.seek(SeekFrom::Start(i * BLOCK as u64)).expect("it is as long");
        let began = Instant::now();
        file.write_all(&[i as u8; BLOCK]).expect("the disk has room");
        file.sync_data().expect("it is written");
        times.push(began.elapsed());
    }
}
