//! All reads. They never wait for the writer, and see what is committed.

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqlitePool};

use crate::domain::names::folded;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::domain::{MatchId, PlayerRef};
#[cfg(test)]
use crate::store::rating_sql;
use crate::store::row::{broken, kind_of, stage_of, stage_text};
use crate::store::sqlite::boards;
#[cfg(test)]
use crate::store::tournament_sql;
use crate::store::{
    ListedMatch, MatchFilter, MatchRow, PlayerGameResults, PlayerProfile, Scope, StoreError, StoredEvent,
    StoredRequest,
};

/// A list reads only the one index that fits its filter.
macro_rules! list {
    (matches, $index:literal, $where:literal) => {
        concat!(
            "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players, ",
            "m.private FROM matches m INDEXED BY ",
            $index,
            " WHERE private = 0 AND id < $1",
            $where,
            " ORDER BY id DESC LIMIT $2"
        )
    };
    (players, $index:literal, $where:literal) => {
        concat!(
            "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players, ",
            "m.private FROM match_players p INDEXED BY ",
            $index,
            " CROSS JOIN matches m ON m.nr = p.match_nr",
            " WHERE p.private = 0 AND p.match_id < $1 AND p.player = $5",
            $where,
            " ORDER BY p.match_id DESC LIMIT $2"
        )
    };
}

/// The statement for a filter by game, by stage, by player.
const fn list_sql(game: bool, stage: bool, player: bool) -> &'static str {
    match (game, stage, player) {
        (false, false, false) => list!(matches, "matches_all", ""),
        (true, false, false) => list!(matches, "matches_game", " AND game = $3"),
        (false, true, false) => list!(matches, "matches_stage", " AND stage = $4"),
        (true, true, false) => list!(matches, "matches_game_stage", " AND game = $3 AND stage = $4"),
        (false, false, true) => list!(players, "match_players_all", ""),
        (true, false, true) => list!(players, "match_players_game", " AND p.game = $3"),
        (false, true, true) => list!(players, "match_players_stage", " AND p.stage = $4"),
        (true, true, true) => {
            list!(players, "match_players_game_stage", " AND p.game = $3 AND p.stage = $4")
        }
    }
}

/// Lists that contain private matches: for the operator, and for a player's own matches. $6: only private or only public
/// ones.
const LIST_ALL: &str =
    "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players, m.private
    FROM matches m WHERE id < $1 AND ($3 IS NULL OR game = $3) AND ($4 IS NULL OR stage = $4)
        AND ($6 IS NULL OR private = $6)
    ORDER BY id DESC LIMIT $2";
const LIST_OWN: &str =
    "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players, m.private
    FROM match_players p INDEXED BY match_players_own CROSS JOIN matches m ON m.nr = p.match_nr
    WHERE p.player = $5 AND p.match_id < $1 AND ($3 IS NULL OR p.game = $3) AND ($4 IS NULL OR p.stage = $4)
        AND ($6 IS NULL OR p.private = $6)
    ORDER BY p.match_id DESC LIMIT $2";

const LOG: &str = "SELECT at_ms, body FROM events
    WHERE match_nr = (SELECT nr FROM matches WHERE id = $1) AND seq >= $2 ORDER BY seq";
const SHOWN: &str = "SELECT shown_seq, shown_ms FROM matches WHERE id = $1 AND shown_seq IS NOT NULL";
const REMATCH: &str = "SELECT id FROM matches WHERE rematch_of = $1";
const REQUEST: &str = "SELECT asked, answer FROM requests WHERE key = $1";
const PLAYER_BY_KEY: &str = "SELECT id, name, owner FROM players WHERE key = $1";
const PLAYER: &str = "SELECT p.id, p.name, p.created_ms, p.kind, p.about, p.owner, o.name
    FROM players p LEFT JOIN players o ON o.id = p.owner WHERE p.folded = $1 AND p.deleted_ms IS NULL";
const RESULTS: &str = "SELECT game, played, won, shared FROM results WHERE player = $1 ORDER BY game";
const DUE: &str =
    "SELECT id FROM matches INDEXED BY matches_due WHERE wake_ms <= $1 ORDER BY wake_ms LIMIT $2";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    let lists = (0..8).map(|i| list_sql(i & 1 > 0, i & 2 > 0, i & 4 > 0));
    lists
        .chain([LIST_ALL, LIST_OWN, LOG, REMATCH, REQUEST, PLAYER_BY_KEY, PLAYER, RESULTS, DUE, SHOWN])
        .chain(rating_sql::read::STATEMENTS)
        .chain(tournament_sql::sql::READS)
        .collect()
}

/// The events of a match from sequence number `from` on.
pub(super) async fn log(db: &SqlitePool, id: &MatchId, from: u32) -> Result<Vec<StoredEvent>, StoreError> {
    let rows: Vec<(Millis, String)> = sqlx::query_as(LOG).bind(id.as_str()).bind(from).fetch_all(db).await?;
    Ok(rows.into_iter().map(|(at_ms, body)| StoredEvent { at_ms, body }).collect())
}

/// The event whose turn became visible late, and when.
pub(super) async fn shown_at(db: &SqlitePool, id: &MatchId) -> Result<Option<(u32, Millis)>, StoreError> {
    Ok(sqlx::query_as(SHOWN).bind(id.as_str()).fetch_optional(db).await?)
}

/// Matches as lists show them.
pub(super) async fn list(db: &SqlitePool, filter: &MatchFilter) -> Result<Vec<ListedMatch>, StoreError> {
    let sql = match (filter.scope, &filter.player) {
        (Scope::Public, _) => {
            list_sql(filter.game.is_some(), filter.stage.is_some(), filter.player.is_some())
        }
        (_, None) => LIST_ALL,
        (_, Some(_)) => LIST_OWN,
    };
    // "~" sorts after all ids.
    let rows = sqlx::query(sql)
        .bind(filter.before.as_ref().map_or("~", MatchId::as_str))
        .bind(filter.limit)
        .bind(filter.game.as_deref())
        .bind(filter.stage.map(stage_text))
        .bind(filter.player.as_deref())
        .bind((filter.scope == Scope::Private).then_some(true))
        .fetch_all(db)
        .await?;
    rows.iter().map(listed).collect()
}

fn listed(row: &SqliteRow) -> Result<ListedMatch, StoreError> {
    let parse = |text: &str| MatchId::parse(text).ok_or_else(broken);
    let id = parse(row.try_get(0)?)?;
    let stage = stage_of(row.try_get(2)?)?;
    let players: Vec<(String, String, Option<f64>)> =
        serde_json::from_str(row.try_get(7)?).map_err(|_| broken())?;
    let row = MatchRow {
        game: row.try_get(1)?,
        stage,
        private: row.try_get(8)?,
        created_ms: row.try_get(3)?,
        ended_ms: row.try_get(4)?,
        rematch_of: row.try_get::<Option<&str>, _>(5)?.map(parse).transpose()?,
        summary: row.try_get(6)?,
        players: players.into_iter().map(|(id, name, worth)| (PlayerRef::new(id, name), worth)).collect(),
    };
    Ok(ListedMatch { id, row })
}

/// The rematch of a match.
pub(super) async fn rematch(db: &SqlitePool, of: &MatchId) -> Result<Option<MatchId>, StoreError> {
    let id: Option<String> = sqlx::query_scalar(REMATCH).bind(of.as_str()).fetch_optional(db).await?;
    id.map(|id| MatchId::parse(&id).ok_or_else(broken)).transpose()
}

/// The request stored under this key.
pub(super) async fn request(db: &SqlitePool, key: KeyHash) -> Result<Option<StoredRequest>, StoreError> {
    let found: Option<(String, String)> =
        sqlx::query_as(REQUEST).bind(key.to_string()).fetch_optional(db).await?;
    found
        .map(|(asked, answer)| {
            let asked = KeyHash::try_from(asked).map_err(|_| broken())?;
            Ok(StoredRequest { key, asked, answer })
        })
        .transpose()
}

/// The player whose token has this hash.
pub(super) async fn player_by_key(db: &SqlitePool, key: KeyHash) -> Result<Option<PlayerRef>, StoreError> {
    let found: Option<(String, String, Option<String>)> =
        sqlx::query_as(PLAYER_BY_KEY).bind(key.to_string()).fetch_optional(db).await?;
    Ok(found.map(|(id, name, owner)| PlayerRef { id, name, owner }))
}

/// The player with this name.
pub(super) async fn player(db: &SqlitePool, name: &str) -> Result<Option<PlayerProfile>, StoreError> {
    type Found = (String, String, Millis, String, Option<String>, Option<String>, Option<String>);
    let found: Option<Found> = sqlx::query_as(PLAYER).bind(folded(name)).fetch_optional(db).await?;
    let Some((id, name, created_ms, kind, about, owner_id, owner)) = found else { return Ok(None) };
    let (kind, ratings) = (kind_of(&kind)?, boards::ratings(db, &id).await?);
    let results: Vec<(String, i64, i64, i64)> =
        sqlx::query_as(RESULTS).bind(id.as_str()).fetch_all(db).await?;
    let results = results
        .into_iter()
        .map(|(game, played, won, shared)| PlayerGameResults {
            game,
            played: played.unsigned_abs(),
            won: won.unsigned_abs(),
            shared: shared.unsigned_abs(),
        })
        .collect();
    let who = PlayerRef { owner: owner_id, ..PlayerRef::new(id, name) };
    Ok(Some(PlayerProfile { who, kind, owner, about, ratings, created_ms, results }))
}

/// Matches that the database lists as due.
pub(super) async fn due(db: &SqlitePool, now: Millis, limit: i64) -> Result<Vec<MatchId>, StoreError> {
    let ids: Vec<String> = sqlx::query_scalar(DUE).bind(now).bind(limit).fetch_all(db).await?;
    ids.iter().map(|id| MatchId::parse(id).ok_or_else(broken)).collect()
}
