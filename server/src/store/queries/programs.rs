//! Programs of bots: changes, inside the writer's transaction, and reads.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::domain::time::{DAY_MS, Millis};
use crate::domain::{PlayerRef, ProgramHash, ProgramState};
use crate::ratings::Rating;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::ratings;
use crate::store::{
    ActiveProgram, BannedProgram, ListedProgram, NewProgram, ProgramChange, ProgramResult, ProgramTally,
    ProgramUsage, SeatOutcome, StoreError, StoredProgram,
};

/// Whether a program can be added: the bot exists and is this owner's, has no such program, and the module is not banned.
const MAY_ADD: Statement = Statement::new(
    "SELECT EXISTS (SELECT 1 FROM players WHERE id = $1 AND owner = $2 AND deleted_ms IS NULL)
        AND NOT EXISTS (SELECT 1 FROM programs WHERE bot = $1 AND game = $3 AND hash = $4)
        AND NOT EXISTS (SELECT 1 FROM banned_programs WHERE hash = $4)",
);
const USAGE: Statement = Statement::new(
    "SELECT coalesce((SELECT uploads FROM program_uploads WHERE day = $2 AND owner = $1), 0),
        (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM programs
            WHERE bot IN (SELECT id FROM players WHERE owner = $1))",
);
const COUNT_UPLOAD: Statement = Statement::new(
    "INSERT INTO program_uploads (day, owner, uploads) VALUES ($1, $2, 1)
    ON CONFLICT (day, owner) DO UPDATE SET uploads = program_uploads.uploads + 1",
);
const FORGET_UPLOADS: Statement = Statement::new("DELETE FROM program_uploads WHERE day < $1");
const NEXT_NUMBER: Statement = Statement::new(
    "INSERT INTO hosted_bots (bot, last_number) VALUES ($1, 1)
    ON CONFLICT (bot) DO UPDATE SET last_number = hosted_bots.last_number + 1 RETURNING last_number",
);
const ADD: Statement = Statement::new(
    "INSERT INTO programs (bot, number, game, hash, size, note, created_ms, state, activate, referee, published)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'checking', $8, '{}', $9)",
);
const ADD_FILE: Statement =
    Statement::new("INSERT INTO program_files (hash, module) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING");
const PRUNE: Statement = Statement::new(
    "DELETE FROM programs WHERE bot = $1 AND state NOT IN ('active', 'checking') AND number <
        (SELECT min(number) FROM (SELECT number FROM programs WHERE bot = $1 ORDER BY number DESC LIMIT $2) newest)
    RETURNING hash",
);
const DELETE: Statement =
    Statement::new("DELETE FROM programs WHERE bot = $1 AND number = $2 RETURNING hash");
const DELETE_ALL: Statement = Statement::new("DELETE FROM programs WHERE bot = $1 RETURNING hash");
const DELETE_FILE: Statement = Statement::new(
    "DELETE FROM program_files WHERE hash = $1 AND NOT EXISTS (SELECT 1 FROM programs WHERE hash = $1)",
);
const FORGET_BOT: Statement = Statement::new("DELETE FROM hosted_bots WHERE bot = $1");
const FORGET_FUEL: Statement = Statement::new("DELETE FROM program_fuel WHERE bot = $1");
/// Takes a check over.
const CLAIM: Statement = Statement::of_each(
    "UPDATE programs SET holder = $3 WHERE bot = $1 AND number = $2 AND state = 'checking'
        AND (holder IS NULL OR holder = $3 OR NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = holder))",
    "UPDATE programs SET holder = $3 WHERE bot = $1 AND number = $2 AND state = 'checking'
        AND (holder IS NULL OR holder = $3
            OR NOT EXISTS (SELECT 1 FROM nodes s WHERE s.id = holder AND s.expires_at > clock_timestamp()))",
);
const CHECKED: Statement = Statement::new(
    "UPDATE programs SET state = $4, referee = $5, report = $6, holder = NULL
    WHERE bot = $1 AND number = $2 AND holder = $3 AND state = 'checking' RETURNING activate",
);
const TO_ACTIVATE: Statement = Statement::new(
    "SELECT game, hash FROM programs WHERE bot = $1 AND number = $2 AND state IN ('ready', 'retired')
        AND hash NOT IN (SELECT hash FROM banned_programs)",
);
const LAST_ACTIVE: Statement = Statement::new(
    "SELECT hash FROM programs WHERE bot = $1 AND game = $2 AND activated_ms IS NOT NULL
    ORDER BY activated_ms DESC, number DESC LIMIT 1",
);
const RETIRE_OTHER: Statement =
    Statement::new("UPDATE programs SET state = 'retired' WHERE bot = $1 AND game = $2 AND state = 'active'");
const ACTIVATE: Statement =
    Statement::new("UPDATE programs SET state = 'active', activated_ms = $3 WHERE bot = $1 AND number = $2");
const RETIRE: Statement = Statement::new(
    "UPDATE programs SET state = 'retired' WHERE bot = $1 AND number = $2 AND state = 'active'",
);
const SET_NOTE: Statement = Statement::new("UPDATE programs SET note = $3 WHERE bot = $1 AND number = $2");
const PUBLISH: Statement =
    Statement::new("UPDATE programs SET published = $3 WHERE bot = $1 AND number = $2");
const SET_POLICY: Statement = Statement::new(
    "INSERT INTO hosted_bots (bot, last_number, policy)
    SELECT id, 0, $2 FROM players WHERE id = $1 AND deleted_ms IS NULL
    ON CONFLICT (bot) DO UPDATE SET policy = excluded.policy",
);
const ADD_FUEL: Statement = Statement::new(
    "INSERT INTO program_fuel (day, bot, fuel) SELECT CAST($1 AS BIGINT), id, CAST($3 AS BIGINT) FROM players
        WHERE id = $2 AND deleted_ms IS NULL
    ON CONFLICT (day, bot) DO UPDATE SET fuel = program_fuel.fuel + excluded.fuel",
);
const COUNT_MISTAKE: Statement =
    Statement::new("UPDATE programs SET mistakes = mistakes + 1 WHERE bot = $1 AND number = $2");
const COUNT_RESULT: Statement = Statement::new(
    "UPDATE programs SET won = won + $3, drawn = drawn + $4, lost = lost + $5 WHERE bot = $1 AND number = $2",
);
const FORGET_OLD_FUEL: Statement = Statement::new("DELETE FROM program_fuel WHERE day < $1");
const BAN: Statement = Statement::new(
    "INSERT INTO banned_programs (hash, reason, created_ms) VALUES ($1, $2, $3)
    ON CONFLICT (hash) DO UPDATE SET reason = excluded.reason",
);
const UNBAN: Statement = Statement::new("DELETE FROM banned_programs WHERE hash = $1");

/// The columns of a program; [`read_program`] reads them. The index `rating_history_program` counts the rated matches of a program, and
/// finds the last one.
macro_rules! columns {
    ($rest:expr) => {
        concat!(
            "SELECT p.bot, p.number, p.game, p.hash, p.size, p.note, p.created_ms, p.state, p.activate, p.referee,
                p.report, p.published, p.activated_ms, b.reason, p.won, p.drawn, p.lost, p.mistakes,
                (SELECT count(*) FROM rating_history h WHERE h.player = p.bot AND h.program = p.number),
                (SELECT h.mu FROM rating_history h WHERE h.player = p.bot AND h.program = p.number
                    ORDER BY h.played DESC LIMIT 1),
                (SELECT h.sigma FROM rating_history h WHERE h.player = p.bot AND h.program = p.number
                    ORDER BY h.played DESC LIMIT 1)",
            $rest
        )
    };
}

const PROGRAMS: Statement = Statement::new(columns!(
    " FROM programs p LEFT JOIN banned_programs b ON b.hash = p.hash WHERE p.bot = $1 ORDER BY p.number DESC"
));
const LIST: Statement = Statement::new(columns!(
    ", n.name, coalesce(o.name, '') FROM programs p LEFT JOIN banned_programs b ON b.hash = p.hash
        JOIN players n ON n.id = p.bot LEFT JOIN players o ON o.id = n.owner
    WHERE (p.bot > $1 OR (p.bot = $1 AND p.number > $2)) AND p.hash = coalesce($4, p.hash)
    ORDER BY p.bot, p.number LIMIT $3"
));
/// Those of owners who have uploaded least on the day $3 come first, so that no owner delays the others for long.
macro_rules! waiting {
    ($dead:literal) => {
        columns!(concat!(
            " FROM programs p LEFT JOIN banned_programs b ON b.hash = p.hash JOIN players n ON n.id = p.bot
                LEFT JOIN program_uploads u ON u.owner = n.owner AND u.day = $3
            WHERE p.state = 'checking' AND (p.holder IS NULL OR p.holder = $2 OR ",
            $dead,
            ") ORDER BY coalesce(u.uploads, 0), p.created_ms, p.bot, p.number LIMIT $1"
        ))
    };
}
const WAITING: Statement = Statement::of_each(
    waiting!("NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = p.holder)"),
    waiting!("NOT EXISTS (SELECT 1 FROM nodes s WHERE s.id = p.holder AND s.expires_at > clock_timestamp())"),
);

/// [`read_active`] reads its columns.
const ALL_ACTIVE: Statement = Statement::new(
    "SELECT n.id, n.name, n.owner, p.game, p.number, p.hash, p.referee, h.policy
    FROM programs p JOIN players n ON n.id = p.bot LEFT JOIN hosted_bots h ON h.bot = p.bot
    WHERE p.state = 'active' AND NOT EXISTS (SELECT 1 FROM banned_programs b WHERE b.hash = p.hash)
    ORDER BY p.bot, p.game",
);
const MODULE: Statement = Statement::new("SELECT module FROM program_files WHERE hash = $1");
const POLICY: Statement = Statement::new("SELECT policy FROM hosted_bots WHERE bot = $1");
const FUEL: Statement = Statement::new("SELECT fuel FROM program_fuel WHERE day = $1 AND bot = $2");
const BANNED: Statement =
    Statement::new("SELECT hash, reason, created_ms FROM banned_programs ORDER BY created_ms, hash");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    MAY_ADD,
    USAGE,
    COUNT_UPLOAD,
    FORGET_UPLOADS,
    NEXT_NUMBER,
    ADD,
    ADD_FILE,
    PRUNE,
    DELETE,
    DELETE_ALL,
    DELETE_FILE,
    FORGET_BOT,
    FORGET_FUEL,
    CLAIM,
    CHECKED,
    TO_ACTIVATE,
    LAST_ACTIVE,
    RETIRE_OTHER,
    ACTIVATE,
    RETIRE,
    SET_NOTE,
    PUBLISH,
    SET_POLICY,
    ADD_FUEL,
    COUNT_MISTAKE,
    COUNT_RESULT,
    FORGET_OLD_FUEL,
    BAN,
    UNBAN,
    LIST,
    WAITING,
    ALL_ACTIVE,
    MODULE,
    POLICY,
    FUEL,
    BANNED,
];
/// Those that answer requests, for the tests of their plans.
#[cfg(test)]
pub(in crate::store) const READS: &[Statement] = &[PROGRAMS];

/// How many days the used fuel of a bot is kept.
const FUEL_DAYS: i64 = 31;

/// Carries out a change; returns the number of programs, bots or modules that it changed, of a new program its number.
pub(in crate::store) async fn carry_out(
    db: &mut Connection<'_>,
    change: &ProgramChange,
) -> Result<u64, DatabaseError> {
    let of = |statement, bot, number: &u32| query(statement).bind(bot).bind(i64::from(*number));
    let query = match change {
        ProgramChange::Add(new) => return add(db, new).await,
        ProgramChange::Claim { bot, number, node } => of(CLAIM, bot, number).bind(node),
        ProgramChange::Checked { bot, number, node, passed, referee, report, at_ms } => {
            let state = if *passed { ProgramState::Ready } else { ProgramState::Refused };
            let checked = of(CHECKED, bot, number).bind(node).bind(state.name()).bind(referee).bind(report);
            let Some(row) = db.fetch_optional(checked).await? else { return Ok(0) };
            if *passed && row.get(0)? {
                activate(db, bot, *number, *at_ms).await?;
            }
            return Ok(1);
        }
        ProgramChange::Activate { bot, number, at_ms } => return activate(db, bot, *number, *at_ms).await,
        ProgramChange::Retire { bot, number } => of(RETIRE, bot, number),
        ProgramChange::SetNote { bot, number, note } => of(SET_NOTE, bot, number).bind(note),
        ProgramChange::Publish { bot, number, published } => of(PUBLISH, bot, number).bind(*published),
        ProgramChange::Delete { bot, number } => {
            let deleted = db.fetch_all(of(DELETE, bot, number)).await?;
            return delete_files(db, &deleted).await;
        }
        ProgramChange::SetPolicy { bot, policy } => query(SET_POLICY).bind(bot).bind(policy),
        ProgramChange::AddFuel { bot, day, fuel } => {
            db.execute(query(FORGET_OLD_FUEL).bind(day - FUEL_DAYS)).await?;
            query(ADD_FUEL).bind(*day).bind(bot).bind(number_of(*fuel))
        }
        ProgramChange::Ban { hash, reason, at_ms } => {
            query(BAN).bind(hash.as_str()).bind(reason).bind(*at_ms)
        }
        ProgramChange::Unban(hash) => query(UNBAN).bind(hash.as_str()),
    };
    db.execute(query).await
}

/// Counts the result of a match for a program that played in it. One that was deleted meanwhile has none.
pub(in crate::store) async fn count_result(
    db: &mut Connection<'_>,
    ProgramResult { bot, number, outcome }: &ProgramResult,
) -> Result<(), DatabaseError> {
    let mut count = query(COUNT_RESULT).bind(bot).bind(i64::from(*number));
    for counted in [SeatOutcome::Won, SeatOutcome::Drawn, SeatOutcome::Lost] {
        count = count.bind(i64::from(*outcome == counted));
    }
    db.execute(count).await.map(drop)
}

/// Counts a mistake of a program.
pub(in crate::store) async fn count_mistake(
    db: &mut Connection<'_>,
    bot: &str,
    number: u32,
) -> Result<(), DatabaseError> {
    db.execute(query(COUNT_MISTAKE).bind(bot).bind(i64::from(number))).await.map(drop)
}

async fn add(db: &mut Connection<'_>, new: &NewProgram) -> Result<u64, DatabaseError> {
    let day = new.created_ms.div_euclid(DAY_MS);
    let hash = new.hash.as_str();
    let may = query(MAY_ADD).bind(&new.bot).bind(&new.owner).bind(&new.game).bind(hash);
    let usage = db.fetch_one(query(USAGE).bind(&new.owner).bind(day)).await?;
    let (uploads, bytes): (i64, i64) = (usage.get(0)?, usage.get(1)?);
    let size = new.module.len() as u64;
    let within =
        uploads < i64::from(new.most_per_day) && bytes.unsigned_abs().saturating_add(size) <= new.most_bytes;
    if !within || !db.fetch_one(may).await?.get::<bool>(0)? {
        return Ok(0);
    }
    db.execute(query(FORGET_UPLOADS).bind(day)).await?;
    db.execute(query(COUNT_UPLOAD).bind(day).bind(&new.owner)).await?;
    let number: i64 = db.fetch_one(query(NEXT_NUMBER).bind(&new.bot)).await?.get(0)?;
    db.execute(query(ADD_FILE).bind(hash).bind(&*new.module)).await?;
    let add = query(ADD).bind(&new.bot).bind(number).bind(&new.game).bind(hash).bind(number_of(size));
    db.execute(add.bind(&new.note).bind(new.created_ms).bind(new.activate).bind(false)).await?;
    let old = db.fetch_all(query(PRUNE).bind(&new.bot).bind(i64::from(new.most_kept))).await?;
    delete_files(db, &old).await?;
    Ok(number.unsigned_abs())
}

async fn activate(
    db: &mut Connection<'_>,
    bot: &str,
    number: u32,
    at_ms: Millis,
) -> Result<u64, DatabaseError> {
    let number = i64::from(number);
    let found = db.fetch_optional(query(TO_ACTIVATE).bind(bot).bind(number)).await?;
    let Some(row) = found else { return Ok(0) };
    let (game, hash): (String, String) = (row.get(0)?, row.get(1)?);
    let last = db.fetch_optional(query(LAST_ACTIVE).bind(bot).bind(&game)).await?;
    let is_other = match &last {
        Some(row) => row.get::<&str>(0)? != hash,
        None => true,
    };
    db.execute(query(RETIRE_OTHER).bind(bot).bind(&game)).await?;
    let changed = db.execute(query(ACTIVATE).bind(bot).bind(number).bind(at_ms)).await?;
    if is_other {
        ratings::widen(db, bot, &game).await?;
    }
    Ok(changed)
}

/// Deletes the modules of deleted programs that no other program has. Returns the number of programs.
async fn delete_files(db: &mut Connection<'_>, deleted: &[Row]) -> Result<u64, DatabaseError> {
    for row in deleted {
        db.execute(query(DELETE_FILE).bind(row.get::<&str>(0)?)).await?;
    }
    Ok(deleted.len() as u64)
}

/// Deletes the programs of a bot, with all that is stored about them.
pub(in crate::store) async fn forget(db: &mut Connection<'_>, bot: &str) -> Result<u64, DatabaseError> {
    db.execute(query(FORGET_BOT).bind(bot)).await?;
    db.execute(query(FORGET_FUEL).bind(bot)).await?;
    let deleted = db.fetch_all(query(DELETE_ALL).bind(bot)).await?;
    delete_files(db, &deleted).await
}

/// A number as both databases store it.
fn number_of(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The programs of a bot, the newest first.
pub(in crate::store) async fn of_bot(db: &Readers, bot: &str) -> Result<Vec<StoredProgram>, StoreError> {
    db.fetch_all(query(PROGRAMS).bind(bot)).await?.iter().map(read_program).collect()
}

/// All programs after this one, in the order of the bots' ids; only those of this module.
pub(in crate::store) async fn list(
    db: &Readers,
    after: (&str, u32),
    hash: Option<&ProgramHash>,
    limit: u32,
) -> Result<Vec<ListedProgram>, StoreError> {
    let list = query(LIST).bind(after.0).bind(i64::from(after.1)).bind(i64::from(limit));
    let read =
        |row: &Row| Ok(ListedProgram { program: read_program(row)?, bot: row.get(21)?, owner: row.get(22)? });
    db.fetch_all(list.bind(hash.map(ProgramHash::as_str))).await?.iter().map(read).collect()
}

/// Programs that wait for a node to check them, and those that this node has begun to check: first those of the owners who have
/// uploaded least on the day of `now`, of each the oldest.
pub(in crate::store) async fn waiting(
    db: &Readers,
    node: &str,
    now: Millis,
    limit: u32,
) -> Result<Vec<StoredProgram>, StoreError> {
    let waiting = query(WAITING).bind(i64::from(limit)).bind(node).bind(now.div_euclid(DAY_MS));
    db.fetch_all(waiting).await?.iter().map(read_program).collect()
}

/// All active programs whose modules are not banned.
pub(in crate::store) async fn all_active(db: &Readers) -> Result<Vec<ActiveProgram>, StoreError> {
    db.fetch_all(query(ALL_ACTIVE)).await?.iter().map(read_active).collect()
}

/// The module with this hash.
pub(in crate::store) async fn module(db: &Readers, hash: &ProgramHash) -> Result<Option<Bytes>, StoreError> {
    let Some(row) = db.fetch_optional(query(MODULE).bind(hash.as_str())).await? else { return Ok(None) };
    Ok(Some(row.get::<Vec<u8>>(0)?.into()))
}

/// The policy of a bot for its programs, as JSON.
pub(in crate::store) async fn policy(db: &Readers, bot: &str) -> Result<Option<String>, StoreError> {
    let found = db.fetch_optional(query(POLICY).bind(bot)).await?;
    Ok(found.map_or(Ok(None), |row| row.get(0))?)
}

/// What the programs of a bot have used on a day.
pub(in crate::store) async fn fuel(db: &Readers, bot: &str, day: i64) -> Result<u64, StoreError> {
    let found = db.fetch_optional(query(FUEL).bind(day).bind(bot)).await?;
    Ok(found.map_or(Ok(0), |row| row.get::<i64>(0))?.unsigned_abs())
}

/// What the programs of a person's bots use of the limits.
pub(in crate::store) async fn usage(db: &Readers, owner: &str, day: i64) -> Result<ProgramUsage, StoreError> {
    let row = db.fetch_one(query(USAGE).bind(owner).bind(day)).await?;
    let number = |column| Ok::<_, StoreError>(row.get::<i64>(column)?.unsigned_abs());
    Ok(ProgramUsage { uploads: number(0)?, bytes: number(1)? })
}

/// The modules that the operator has disabled.
pub(in crate::store) async fn banned(db: &Readers) -> Result<Vec<BannedProgram>, StoreError> {
    let read = |row: &Row| {
        Ok(BannedProgram { hash: hash_of(row.get(0)?)?, reason: row.get(1)?, created_ms: row.get(2)? })
    };
    db.fetch_all(query(BANNED)).await?.iter().map(read).collect()
}

fn hash_of(text: &str) -> Result<ProgramHash, StoreError> {
    ProgramHash::parse(text).ok_or_else(broken)
}

fn number32(row: &Row, column: usize) -> Result<u32, StoreError> {
    u32::try_from(row.get::<i64>(column)?).map_err(|_| broken())
}

fn settings(text: &str) -> Result<BTreeMap<String, String>, StoreError> {
    serde_json::from_str(text).map_err(|_| broken())
}

fn read_program(row: &Row) -> Result<StoredProgram, StoreError> {
    let (mu, sigma): (Option<f64>, Option<f64>) = (row.get(19)?, row.get(20)?);
    Ok(StoredProgram {
        bot: row.get(0)?,
        number: number32(row, 1)?,
        game: row.get(2)?,
        hash: hash_of(row.get(3)?)?,
        size: row.get::<i64>(4)?.unsigned_abs(),
        note: row.get(5)?,
        created_ms: row.get(6)?,
        state: ProgramState::parse(row.get(7)?).ok_or_else(broken)?,
        activate: row.get(8)?,
        referee: settings(row.get(9)?)?,
        report: row.get(10)?,
        published: row.get(11)?,
        activated_ms: row.get(12)?,
        banned: row.get(13)?,
        tally: ProgramTally {
            won: row.get::<i64>(14)?.unsigned_abs(),
            drawn: row.get::<i64>(15)?.unsigned_abs(),
            lost: row.get::<i64>(16)?.unsigned_abs(),
            mistakes: row.get::<i64>(17)?.unsigned_abs(),
            rated: row.get::<i64>(18)?.unsigned_abs(),
            rating: mu.zip(sigma).map(|(mu, sigma)| Rating { mu, sigma }),
        },
    })
}

fn read_active(row: &Row) -> Result<ActiveProgram, StoreError> {
    Ok(ActiveProgram {
        bot: PlayerRef { id: row.get(0)?, name: row.get(1)?, owner: row.get(2)? },
        game: row.get(3)?,
        number: number32(row, 4)?,
        hash: hash_of(row.get(5)?)?,
        referee: settings(row.get(6)?)?,
        policy: row.get(7)?,
    })
}
