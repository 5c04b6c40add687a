//! Which servers live, which of them serve, and what time it is for all of them. Each holds the lock on a file of its own
//! beside the database: the system frees it at the very moment the server dies, however it dies. What dead servers held
//! is freed, and the times in which no server served are kept.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sqlx::SqliteConnection;

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::domain::time::ServerClock;
use crate::store::downtime::Span;

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

/// Another server, as the database knows it.
struct Other {
    id: String,
    /// When it said last that it serves; 0: not yet.
    beat_ms: Millis,
    stopping: bool,
    dead: bool,
}

impl Other {
    /// Whether it takes moves now.
    fn serves(&self) -> bool {
        self.beat_ms > 0 && !self.stopping && !self.dead
    }
}

async fn others(db: &mut SqliteConnection, me: &Presence) -> Result<Vec<Other>, sqlx::Error> {
    let sql = "SELECT id, beat_ms, stopping FROM servers WHERE id <> $1";
    let rows: Vec<(String, Millis, bool)> = sqlx::query_as(sql).bind(me.id.as_str()).fetch_all(db).await?;
    let dead = match rows.is_empty() {
        true => Vec::new(),
        false => me.dead(rows.iter().map(|(id, ..)| id.clone()).collect()).await,
    };
    let other = |(id, beat_ms, stopping)| Other { dead: dead.contains(&id), id, beat_ms, stopping };
    Ok(rows.into_iter().map(other).collect())
}

/// Enters this server, which does not serve yet.
pub async fn enter(db: &mut SqliteConnection, me: &Presence) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO servers (id, beat_ms) VALUES ($1, 0)").bind(me.id.as_str()).execute(db).await?;
    Ok(())
}

/// This server serves from now on. Where no other one serves, there was none since the last beat: that is a downtime.
/// Gives the servers that were found dead and all downtimes.
pub async fn serve(
    db: &mut SqliteConnection,
    me: &Presence,
    now: Millis,
) -> Result<(Vec<String>, Vec<Span>), sqlx::Error> {
    let others = others(db, me).await?;
    let last = others.iter().map(|other| other.beat_ms).max().filter(|last| (1..now).contains(last));
    if let Some(last) = last.filter(|_| !others.iter().any(Other::serves)) {
        add_downtimes(db, &[(last, now)]).await?;
    }
    let dead: Vec<String> = others.into_iter().filter(|other| other.dead).map(|other| other.id).collect();
    free(db, &dead).await?;
    say(db, me, now, false).await?;
    let all = sqlx::query_as("SELECT from_ms, to_ms FROM downtimes").fetch_all(db).await?;
    Ok((dead, all))
}

/// What a server says of itself about once a second.
#[derive(Debug, Default)]
pub struct Heartbeat {
    /// It serves at this time; where it stops, it began to at this time.
    pub at_ms: Millis,
    /// Whether it stops.
    pub stopping: bool,
    /// Times in which it could write nothing.
    pub downtimes: Vec<Span>,
    /// Turns that were shown late: the match, the event that gave the turn, when it was shown.
    pub shown: Vec<(MatchId, u32, Millis)>,
}

/// Writes a heartbeat. Gives the servers that have died since: what they held is free.
pub async fn beat(
    db: &mut SqliteConnection,
    me: &Presence,
    beat: &Heartbeat,
) -> Result<Vec<String>, sqlx::Error> {
    say(db, me, beat.at_ms, beat.stopping).await?;
    add_downtimes(db, &beat.downtimes).await?;
    for (id, seq, shown_ms) in &beat.shown {
        let sql = "UPDATE matches SET shown_seq = $2, shown_ms = $3 WHERE id = $1";
        sqlx::query(sql).bind(id.as_str()).bind(seq).bind(shown_ms).execute(&mut *db).await?;
    }
    if beat.stopping {
        // The rows of the dead tell until when there was a server: one that serves takes them.
        return Ok(Vec::new());
    }
    let dead = others(db, me).await?.into_iter().filter(|other| other.dead);
    let dead: Vec<String> = dead.map(|other| other.id).collect();
    free(db, &dead).await?;
    Ok(dead)
}

async fn say(
    db: &mut SqliteConnection,
    me: &Presence,
    at_ms: Millis,
    stopping: bool,
) -> Result<(), sqlx::Error> {
    // The row is there, unless the file of this server was removed and another server took it for dead.
    let sql = "INSERT INTO servers (id, beat_ms, stopping) VALUES ($1, $2, $3)
               ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms, stopping = excluded.stopping";
    sqlx::query(sql).bind(me.id.as_str()).bind(at_ms).bind(stopping).execute(db).await?;
    Ok(())
}

async fn add_downtimes(db: &mut SqliteConnection, spans: &[Span]) -> Result<(), sqlx::Error> {
    for (from, to) in spans {
        let sql = "INSERT INTO downtimes (from_ms, to_ms) VALUES ($1, $2)";
        sqlx::query(sql).bind(from).bind(to).execute(&mut *db).await?;
    }
    Ok(())
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

/// How far behind the present the last beat of a server that serves usually is, in milliseconds.
const USUAL_AGE: std::ops::RangeInclusive<Millis> = 0..=1_500;

/// How long to wait for the next beat of a server that serves: somewhat more than there is between two.
const NEXT_BEAT: Duration = Duration::from_secs(3);

/// The time of this server, which must fit what the database knows: never before the last of it, and the same as that
/// of another server that serves now. The system's clock may have been set since they began.
pub async fn agree(
    db: &mut SqliteConnection,
    me: &Presence,
    system: ServerClock,
) -> Result<ServerClock, sqlx::Error> {
    let began = Instant::now();
    let mut first = None;
    loop {
        let serving = others(db, me).await?.into_iter().filter(Other::serves);
        let Some(beat) = serving.map(|other| other.beat_ms).max() else { break };
        if USUAL_AGE.contains(&(system.ms() - beat)) {
            return Ok(system);
        }
        if *first.get_or_insert(beat) < beat {
            tracing::warn!(
                beat,
                system = system.ms(),
                "the system's clock was set; another server's time is used"
            );
            return Ok(ServerClock::beginning_at(beat));
        }
        if began.elapsed() > NEXT_BEAT {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Events may have come after the last beat.
    let sql = "SELECT max(beat_ms) FROM servers UNION ALL SELECT max(to_ms) FROM downtimes
        UNION ALL SELECT at_ms FROM (SELECT at_ms FROM events ORDER BY position DESC LIMIT 1)";
    let known: Vec<Option<Millis>> = sqlx::query_scalar(sql).fetch_all(db).await?;
    let last = known.into_iter().flatten().max().unwrap_or(Millis::MIN);
    if system.ms() < last {
        tracing::warn!(
            last,
            system = system.ms(),
            "the system's clock was set back; time goes on from the last known"
        );
        return Ok(ServerClock::beginning_at(last));
    }
    Ok(system)
}
