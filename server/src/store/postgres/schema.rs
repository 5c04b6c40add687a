//! The tables: the migrations at the repository's root, compiled into the program. The table `kibitz_schema` contains the
//! number of migrations that the database has. Migrations are only ever added, and only add: nodes of the version before
//! go on with them. The exception is 24, which renames, and fails while other nodes live.

use sqlx::{Executor, PgConnection};

use crate::store::open_error::MigrateError;

/// In order; the first is version 1.
pub(in crate::store) const MIGRATIONS: [&str; 31] = [
    include_str!("../../../../migrations/postgres/0001_matches.sql"),
    include_str!("../../../../migrations/postgres/0002_stopping.sql"),
    include_str!("../../../../migrations/postgres/0003_accounts.sql"),
    include_str!("../../../../migrations/postgres/0004_club.sql"),
    include_str!("../../../../migrations/postgres/0005_tournaments.sql"),
    include_str!("../../../../migrations/postgres/0006_lobby.sql"),
    include_str!("../../../../migrations/postgres/0007_presence.sql"),
    include_str!("../../../../migrations/postgres/0008_duties.sql"),
    include_str!("../../../../migrations/postgres/0009_chat.sql"),
    include_str!("../../../../migrations/postgres/0010_leaderboards.sql"),
    include_str!("../../../../migrations/postgres/0011_blocks.sql"),
    include_str!("../../../../migrations/postgres/0012_tokens.sql"),
    include_str!("../../../../migrations/postgres/0013_moderation.sql"),
    include_str!("../../../../migrations/postgres/0014_cut_off.sql"),
    include_str!("../../../../migrations/postgres/0015_exports.sql"),
    include_str!("../../../../migrations/postgres/0016_lobby_changes.sql"),
    include_str!("../../../../migrations/postgres/0017_bot_output.sql"),
    include_str!("../../../../migrations/postgres/0018_analyses.sql"),
    include_str!("../../../../migrations/postgres/0019_decisions.sql"),
    include_str!("../../../../migrations/postgres/0020_bot_faults.sql"),
    include_str!("../../../../migrations/postgres/0021_programs.sql"),
    include_str!("../../../../migrations/postgres/0022_illegal_moves.sql"),
    include_str!("../../../../migrations/postgres/0023_program_results.sql"),
    include_str!("../../../../migrations/postgres/0024_names.sql"),
    include_str!("../../../../migrations/postgres/0025_rated_programs.sql"),
    include_str!("../../../../migrations/postgres/0026_passkeys.sql"),
    include_str!("../../../../migrations/postgres/0027_push.sql"),
    include_str!("../../../../migrations/postgres/0028_spectator_chat.sql"),
    include_str!("../../../../migrations/postgres/0029_vacations.sql"),
    include_str!("../../../../migrations/postgres/0030_puzzles.sql"),
    include_str!("../../../../migrations/postgres/0031_browsers.sql"),
];

/// The advisory lock of the node that opens the database: "kibitz" as a number.
const OPENING: i64 = 0x6b69_6269_747a;

const IS_OURS: &str = "SELECT to_regclass('kibitz_schema') IS NOT NULL";
const TABLES: &str = "SELECT count(*) FROM pg_class
    WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p')";
const VERSION: &str = "SELECT version FROM kibitz_schema";

/// Only one node at a time opens a database: this lock lasts until the end of the transaction.
pub(super) async fn lock(db: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(OPENING).execute(db).await.map(drop)
}

/// Applies the missing migrations, all or none, inside a transaction that holds the lock.
pub(super) async fn migrate(db: &mut PgConnection) -> Result<(), MigrateError> {
    let done = if is_ours(db).await? {
        let version: i32 = sqlx::query_scalar(VERSION).fetch_one(&mut *db).await?;
        usize::try_from(version).map_err(|_| MigrateError::Foreign)?
    } else {
        let tables: i64 = sqlx::query_scalar(TABLES).fetch_one(&mut *db).await?;
        if tables > 0 {
            return Err(MigrateError::Foreign);
        }
        0
    };
    if done > MIGRATIONS.len() {
        return Err(MigrateError::Newer);
    }
    for &sql in &MIGRATIONS[done..] {
        db.execute(sqlx::raw_sql(sql)).await?;
    }
    if done < MIGRATIONS.len() {
        let version = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
        let mark = if done == 0 {
            "INSERT INTO kibitz_schema (version) VALUES ($1)"
        } else {
            "UPDATE kibitz_schema SET version = $1"
        };
        sqlx::query(mark).bind(version).execute(db).await?;
    }
    Ok(())
}

/// Whether the database belongs to this program.
async fn is_ours(db: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(IS_OURS).fetch_one(db).await
}
