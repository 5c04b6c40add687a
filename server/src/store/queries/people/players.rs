//! Players, bots and engines.

use crate::domain::PlayerRef;
use crate::domain::names::{NameKey, folded};
use crate::domain::time::Millis;
use crate::store::data::row::kind_of;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::leaderboards;
use crate::store::queries::people::moderation;
use crate::store::writing::command_error::CommandError;
use crate::store::writing::commands::NewPlayer;
use crate::store::{BotEntry, PlayerEntry, PlayerGameResults, PlayerProfile, StoreError};

/// Adds a player, unless the name or the request is taken.
const ADD: Statement = Statement::new(
    "INSERT INTO players (id, name, folded_name, key, created_ms, skeleton)
    SELECT $1, $2, $3, $4, $5, $7 WHERE NOT EXISTS (SELECT 1 FROM requests WHERE key = $6)
        AND NOT EXISTS (SELECT 1 FROM players WHERE skeleton = $7)
        AND NOT EXISTS (SELECT 1 FROM held_names WHERE (folded_name = $8 OR skeleton = $9) AND until_ms > $5)
    ON CONFLICT DO NOTHING",
);
const ENGINE: Statement = Statement::new(
    "INSERT INTO players (id, name, folded_name, key, created_ms, skeleton, kind)
    VALUES ($1, $2, $3, $4, $5, $6, 'engine') ON CONFLICT DO NOTHING",
);
const ABOUT: Statement = Statement::new("UPDATE players SET about = $2 WHERE id = $1 AND deleted_ms IS NULL");
const REVOKE: Statement =
    Statement::new("UPDATE players SET key = 'revoked:' || id WHERE id = $1 AND deleted_ms IS NULL");
const BOTS_OF: Statement =
    Statement::new("SELECT id FROM players WHERE owner = $1 AND deleted_ms IS NULL ORDER BY id");
const BOT: Statement =
    Statement::new("UPDATE players SET kind = 'bot', owner = $2, about = $3 WHERE id = $1");
const MAY_OWN: Statement = Statement::new(
    "SELECT count(*) FROM players WHERE owner = $1 AND deleted_ms IS NULL
    UNION ALL SELECT count(*) FROM players WHERE id = $1 AND deleted_ms IS NULL",
);
const BOTS: Statement = Statement::new(
    "SELECT id, name, created_ms, about FROM players
    WHERE owner = $1 AND deleted_ms IS NULL ORDER BY folded_name",
);
const PLAYER: Statement = Statement::new(
    "SELECT p.id, p.name, p.created_ms, p.kind, p.about, p.owner, o.name
    FROM players p LEFT JOIN players o ON o.id = p.owner WHERE p.folded_name = $1 AND p.deleted_ms IS NULL",
);
const RESULTS: Statement =
    Statement::new("SELECT game, played, won, shared FROM results WHERE player = $1 ORDER BY game");
const PLAYERS: Statement = Statement::new(
    "SELECT id, name, created_ms FROM players
    WHERE deleted_ms IS NULL AND kind <> 'engine' AND folded_name > $1 ORDER BY folded_name LIMIT $2",
);

/// Those that change something, for the test that prepares all statements.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] =
    &[ADD, ENGINE, ABOUT, REVOKE, BOTS_OF, BOT, MAY_OWN, PLAYERS];
/// Those that answer requests, for the tests of their plans.
#[cfg(test)]
pub(in crate::store) const READS: &[Statement] = &[PLAYER, RESULTS, BOTS];

/// Adds a player. Players are few, so they are written one by one, and the database itself finds conflicts. `false`: the
/// invitation is not valid.
pub(in crate::store) async fn add(db: &mut Connection<'_>, new: &NewPlayer) -> Result<bool, CommandError> {
    let bot = new.who.owner.as_ref().zip(new.bot.as_ref());
    if let Some((owner, (_, most))) = bot
        && !may_own(db, owner, *most).await?
    {
        return Err(StoreError::Conflict.into());
    }
    if let Some(invitation) = new.invitation
        && !moderation::use_invitation(db, invitation, new.created_ms).await?
    {
        return Ok(false);
    }
    let (key, held) = (NameKey::of(&new.who.name), NameKey::of(&new.who.name).held());
    let add = query(ADD).bind(&new.who.id).bind(&new.who.name).bind(key.folded).bind(new.key.to_string());
    let add = add.bind(new.created_ms).bind(new.request.as_ref().map(|request| request.key.to_string()));
    let add = add.bind(key.skeleton).bind(held.folded).bind(held.skeleton);
    if db.execute(add).await? == 0 {
        if let Some(invitation) = new.invitation {
            moderation::unuse_invitation(db, invitation).await?;
        }
        return Err(StoreError::Conflict.into());
    }
    if let Some((owner, (about, _))) = bot {
        db.execute(query(BOT).bind(&new.who.id).bind(owner).bind(about)).await?;
    }
    Ok(true)
}

/// Whether this owner exists and has fewer bots than this.
async fn may_own(db: &mut Connection<'_>, owner: &str, most: u32) -> Result<bool, DatabaseError> {
    let rows = db.fetch_all(query(MAY_OWN).bind(owner)).await?;
    let counts = rows.iter().map(|row| row.get(0)).collect::<Result<Vec<i64>, _>>()?;
    Ok(counts[1..] == [1] && counts[0] < i64::from(most))
}

/// Adds engines that are not there yet; returns how many.
pub(in crate::store) async fn add_engines(
    db: &mut Connection<'_>,
    engines: &[PlayerRef],
    at_ms: Millis,
) -> Result<u64, DatabaseError> {
    let mut added = 0;
    for engine in engines {
        let key = NameKey::of(&engine.name);
        // Its id in place of the hash of a token: no token has it.
        let query = query(ENGINE).bind(&engine.id).bind(&engine.name).bind(key.folded);
        added += db.execute(query.bind(&engine.id).bind(at_ms).bind(key.skeleton)).await?;
    }
    Ok(added)
}

/// Replaces a player's description of itself.
pub(in crate::store) async fn set_about(
    db: &mut Connection<'_>,
    player: &str,
    about: &str,
) -> Result<u64, DatabaseError> {
    db.execute(query(ABOUT).bind(player).bind(about)).await
}

/// Makes the token of a player invalid.
pub(in crate::store) async fn revoke(db: &mut Connection<'_>, player: &str) -> Result<u64, DatabaseError> {
    db.execute(query(REVOKE).bind(player)).await
}

/// The ids of a player's bots.
pub(in crate::store) async fn bots_of(
    db: &mut Connection<'_>,
    owner: &str,
) -> Result<Vec<String>, DatabaseError> {
    db.fetch_all(query(BOTS_OF).bind(owner)).await?.iter().map(|row| row.get(0)).collect()
}

/// The bots of a player, in the order of their names.
pub(in crate::store) async fn bots(db: &Readers, owner: &str) -> Result<Vec<BotEntry>, StoreError> {
    let read = |row: &Row| {
        let who = PlayerRef { id: row.get(0)?, name: row.get(1)?, owner: Some(owner.to_owned()) };
        Ok(BotEntry { who, created_ms: row.get(2)?, about: row.get(3)? })
    };
    db.fetch_all(query(BOTS).bind(owner)).await?.iter().map(read).collect()
}

/// The player with this name; upper and lower case are the same.
pub(in crate::store) async fn player(db: &Readers, name: &str) -> Result<Option<PlayerProfile>, StoreError> {
    let Some(row) = db.fetch_optional(query(PLAYER).bind(folded(name))).await? else { return Ok(None) };
    let who = PlayerRef { id: row.get(0)?, name: row.get(1)?, owner: row.get(5)? };
    Ok(Some(PlayerProfile {
        kind: kind_of(row.get(3)?)?,
        owner: row.get(6)?,
        about: row.get(4)?,
        ratings: leaderboards::ratings(db, &who.id).await?,
        created_ms: row.get(2)?,
        results: results(db, &who.id).await?,
        who,
    }))
}

async fn results(db: &Readers, player: &str) -> Result<Vec<PlayerGameResults>, StoreError> {
    let read = |row: &Row| {
        Ok(PlayerGameResults {
            game: row.get(0)?,
            played: row.get::<i64>(1)?.unsigned_abs(),
            won: row.get::<i64>(2)?.unsigned_abs(),
            shared: row.get::<i64>(3)?.unsigned_abs(),
        })
    };
    db.fetch_all(query(RESULTS).bind(player)).await?.iter().map(read).collect()
}

/// Players in the order of their folded names, beginning after `after`.
pub(in crate::store) async fn players(
    db: &Readers,
    after: &str,
    limit: u32,
) -> Result<Vec<PlayerEntry>, StoreError> {
    let read = |row: &Row| {
        let who = PlayerRef::new(row.get::<String>(0)?, row.get::<String>(1)?);
        Ok(PlayerEntry { who, created_ms: row.get(2)? })
    };
    db.fetch_all(query(PLAYERS).bind(after).bind(i64::from(limit))).await?.iter().map(read).collect()
}
