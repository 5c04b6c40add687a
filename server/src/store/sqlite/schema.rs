//! The tables: the migrations at the repository's root, compiled into the program. `user_version` in the database is the
//! number of migrations that it has. Migrations are only ever added.

use sqlx::{Executor, SqliteConnection, SqliteTransaction};

use crate::store::open_error::MigrateError;
use crate::store::sqlite::name_keys;

/// In order; the first is version 1.
pub(in crate::store) const MIGRATIONS: [&str; 31] = [
    include_str!("../../../../migrations/sqlite/0001_matches.sql"),
    include_str!("../../../../migrations/sqlite/0002_stopping.sql"),
    include_str!("../../../../migrations/sqlite/0003_accounts.sql"),
    include_str!("../../../../migrations/sqlite/0004_club.sql"),
    include_str!("../../../../migrations/sqlite/0005_tournaments.sql"),
    include_str!("../../../../migrations/sqlite/0006_lobby.sql"),
    include_str!("../../../../migrations/sqlite/0007_presence.sql"),
    include_str!("../../../../migrations/sqlite/0008_duties.sql"),
    include_str!("../../../../migrations/sqlite/0009_chat.sql"),
    include_str!("../../../../migrations/sqlite/0010_leaderboards.sql"),
    include_str!("../../../../migrations/sqlite/0011_blocks.sql"),
    include_str!("../../../../migrations/sqlite/0012_tokens.sql"),
    include_str!("../../../../migrations/sqlite/0013_moderation.sql"),
    include_str!("../../../../migrations/sqlite/0014_cut_off.sql"),
    include_str!("../../../../migrations/sqlite/0015_exports.sql"),
    include_str!("../../../../migrations/sqlite/0016_lobby_changes.sql"),
    include_str!("../../../../migrations/sqlite/0017_bot_output.sql"),
    include_str!("../../../../migrations/sqlite/0018_analyses.sql"),
    include_str!("../../../../migrations/sqlite/0019_decisions.sql"),
    include_str!("../../../../migrations/sqlite/0020_bot_faults.sql"),
    include_str!("../../../../migrations/sqlite/0021_programs.sql"),
    include_str!("../../../../migrations/sqlite/0022_illegal_moves.sql"),
    include_str!("../../../../migrations/sqlite/0023_program_results.sql"),
    include_str!("../../../../migrations/sqlite/0024_names.sql"),
    include_str!("../../../../migrations/sqlite/0025_rated_programs.sql"),
    include_str!("../../../../migrations/sqlite/0026_passkeys.sql"),
    include_str!("../../../../migrations/sqlite/0027_push.sql"),
    include_str!("../../../../migrations/sqlite/0028_spectator_chat.sql"),
    include_str!("../../../../migrations/sqlite/0029_vacations.sql"),
    include_str!("../../../../migrations/sqlite/0030_puzzles.sql"),
    include_str!("../../../../migrations/sqlite/0031_browsers.sql"),
];

/// The `application_id` of this program's databases: "kibi".
const OURS: i64 = 0x6b69_6269;

/// Applies the missing migrations, all or none. Only one node at a time can do so.
pub(super) async fn migrate(tx: &mut SqliteTransaction<'_>) -> Result<(), MigrateError> {
    let db: &mut SqliteConnection = tx;
    let version = number(db, "PRAGMA user_version").await?;
    let application = number(db, "PRAGMA application_id").await?;
    let tables = number(db, "SELECT count(*) FROM sqlite_schema").await?;
    if application != OURS && (version != 0 || application != 0 || tables > 0) {
        return Err(MigrateError::Foreign);
    }
    let done = usize::try_from(version).map_err(|_| MigrateError::Foreign)?;
    if done > MIGRATIONS.len() {
        return Err(MigrateError::Newer);
    }
    for &sql in &MIGRATIONS[done..] {
        db.execute(sqlx::raw_sql(sql)).await?;
    }
    if done < MIGRATIONS.len() {
        let marks = format!("PRAGMA application_id = {OURS}; PRAGMA user_version = {}", MIGRATIONS.len());
        db.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(marks))).await?;
    }
    name_keys::finish(db).await?;
    Ok(())
}

async fn number(db: &mut SqliteConnection, sql: &'static str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(sql).fetch_one(db).await
}

/// Whether the database belongs to this program and has all its migrations.
pub(in crate::store) async fn is_current(db: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let version = number(db, "PRAGMA user_version").await?;
    Ok(is_ours(db).await? && usize::try_from(version) == Ok(MIGRATIONS.len()))
}

/// Whether the database belongs to this program.
pub(super) async fn is_ours(db: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    Ok(number(db, "PRAGMA application_id").await? == OURS)
}
