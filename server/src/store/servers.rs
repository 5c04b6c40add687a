//! Which servers live. Each holds the lock on a file of its own beside the database: the system frees it at the very
//! moment the server dies, however it dies. What dead servers held is freed, and when nobody was alive is remembered.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sqlx::SqliteConnection;

use super::faults::Fault;
use crate::host::event::Millis;

/// A sign that this server lives, for as long as it is kept.
#[derive(Debug)]
pub struct Presence {
    /// The server's name.
    pub id: String,
    database: PathBuf,
    file: PathBuf,
    _lock: File,
}

impl Presence {
    /// This server lives from now on.
    pub fn take_blocking(database: &Path) -> std::io::Result<Self> {
        let id = uuid::Uuid::now_v7().simple().to_string();
        let file = sign_of(database, &id);
        let lock = OpenOptions::new().write(true).create_new(true).open(&file)?;
        lock.lock()?;
        Ok(Self { id, database: database.to_owned(), file, _lock: lock })
    }

    /// Which of these servers are dead.
    pub async fn dead(&self, servers: Vec<String>) -> Vec<String> {
        let database = self.database.clone();
        let check = move || servers.into_iter().filter(|id| is_dead(&sign_of(&database, id))).collect();
        // A check that panics has found nobody dead.
        tokio::task::spawn_blocking(check).await.unwrap_or_default()
    }

    /// Removes what dead servers have left beside the database.
    pub fn bury_blocking(&self, dead: &[String]) {
        for id in dead {
            // Somebody else may have done it; a file that stays does no harm.
            let _ = std::fs::remove_file(sign_of(&self.database, id));
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // The lock is what counts; a file that stays is removed by the next server.
        let _ = std::fs::remove_file(&self.file);
    }
}

fn sign_of(database: &Path, id: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(format!("-server-{id}"));
    PathBuf::from(name)
}

/// In doubt it lives.
fn is_dead(sign: &Path) -> bool {
    match File::open(sign) {
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        },
        Err(e) => e.kind() == ErrorKind::NotFound,
    }
}

/// Enters this server, at the start. Where all others are dead, nobody was alive since the last of them.
pub async fn enter(
    db: &mut SqliteConnection,
    me: &Presence,
    now: Millis,
) -> Result<Vec<String>, sqlx::Error> {
    let others: Vec<(String, Millis)> =
        sqlx::query_as("SELECT id, beat_ms FROM servers").fetch_all(&mut *db).await?;
    let dead = me.dead(others.iter().map(|(id, _)| id.clone()).collect()).await;
    let last = others.iter().map(|(_, beat)| *beat).max();
    if let Some(last) = last.filter(|last| *last < now && dead.len() == others.len()) {
        let sql = "INSERT INTO downtimes (from_ms, to_ms) VALUES ($1, $2)";
        sqlx::query(sql).bind(last).bind(now).execute(&mut *db).await?;
    }
    free(db, &dead).await?;
    beat(db, me, now).await?;
    Ok(dead)
}

/// This server lives.
pub async fn beat(db: &mut SqliteConnection, me: &Presence, now: Millis) -> Result<(), sqlx::Error> {
    // It is there, except where somebody has removed this server's sign and another one took it for dead.
    let sql = "INSERT INTO servers (id, beat_ms) VALUES ($1, $2)
               ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms";
    sqlx::query(sql).bind(me.id.as_str()).bind(now).execute(db).await?;
    Ok(())
}

/// The servers that have died since, and what they held is free.
pub async fn free_dead(db: &mut SqliteConnection, me: &Presence) -> Result<Vec<String>, sqlx::Error> {
    let sql = "SELECT id FROM servers WHERE id <> $1";
    let others: Vec<String> = sqlx::query_scalar(sql).bind(me.id.as_str()).fetch_all(&mut *db).await?;
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let dead = me.dead(others).await;
    free(db, &dead).await?;
    Ok(dead)
}

async fn free(db: &mut SqliteConnection, dead: &[String]) -> Result<(), sqlx::Error> {
    for id in dead {
        // Due since ever: at once.
        let sql = "UPDATE matches SET keeper = NULL, wake_ms = 0 WHERE keeper = $1";
        sqlx::query(sql).bind(id.as_str()).execute(&mut *db).await?;
        sqlx::query("DELETE FROM servers WHERE id = $1").bind(id.as_str()).execute(&mut *db).await?;
    }
    Ok(())
}

/// All times when no server was alive, none of them twice.
pub async fn downtimes(db: &mut SqliteConnection) -> Result<Vec<(Millis, Millis)>, Fault> {
    let sql = "SELECT from_ms, to_ms FROM downtimes ORDER BY from_ms";
    let all: Vec<(Millis, Millis)> = sqlx::query_as(sql).fetch_all(db).await?;
    let mut apart: Vec<(Millis, Millis)> = Vec::with_capacity(all.len());
    for (from, to) in all {
        match apart.last_mut() {
            // They overlap where the clock was set back between them.
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => apart.push((from, to)),
        }
    }
    Ok(apart)
}

/// How much of the time from `from` to `to` lies in these times.
pub fn overlap_ms(downtimes: &[(Millis, Millis)], from: Millis, to: Millis) -> u64 {
    let within = |(begin, end): &(Millis, Millis)| {
        let common = (*end).min(to).saturating_sub((*begin).max(from));
        u64::try_from(common).unwrap_or(0)
    };
    downtimes.iter().map(within).sum()
}
