//! Lists of matches. A list reads only the one index that fits its filter; SQLite is told which one.

use crate::domain::{MatchId, PlayerRef};
use crate::store::data::row::{broken, stage_of, stage_text};
use crate::store::database::{Readers, Row, Statement, query};
use crate::store::{
    FinishedFilter, FinishedMatch, FinishedOf, ListedMatch, MatchFilter, MatchRow, Scope, StoreError,
};

/// The columns of a match in a list; [`read_match`] reads them.
macro_rules! columns {
    () => {
        "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players,
            m.private, m.never_begun"
    };
}

/// Public matches. $1: the match before which the list begins; $2: its length; $3, $4: the game and the stage, if the list
/// asks for one.
macro_rules! all {
    ($index:literal, $where:literal) => {
        Statement::of_each(
            concat!(
                columns!(),
                " FROM matches m INDEXED BY ",
                $index,
                " WHERE private = 0 AND never_begun = 0 AND id < $1",
                $where,
                " ORDER BY id DESC LIMIT $2"
            ),
            concat!(
                columns!(),
                " FROM matches m WHERE NOT private AND NOT never_begun AND id < $1",
                $where,
                " ORDER BY id DESC LIMIT $2"
            ),
        )
    };
}

/// Public matches of a player. The same parameters; $5: the player.
macro_rules! of_player {
    ($index:literal, $where:literal) => {
        Statement::of_each(
            concat!(
                columns!(),
                " FROM match_players p INDEXED BY ",
                $index,
                " CROSS JOIN matches m ON m.nr = p.match_nr
                WHERE p.private = 0 AND m.never_begun = 0 AND p.match_id < $1 AND p.player = $5",
                $where,
                " ORDER BY p.match_id DESC LIMIT $2"
            ),
            concat!(
                columns!(),
                " FROM match_players p JOIN matches m ON m.nr = p.match_nr
                WHERE NOT p.private AND NOT m.never_begun AND p.match_id < $1 AND p.player = $5",
                $where,
                " ORDER BY p.match_id DESC LIMIT $2"
            ),
        )
    };
}

/// The list of public matches with a filter by game, by stage, by player.
const fn public_list(game: bool, stage: bool, player: bool) -> Statement {
    match (game, stage, player) {
        (false, false, false) => all!("matches_all", ""),
        (true, false, false) => all!("matches_game", " AND game = $3"),
        (false, true, false) => all!("matches_stage", " AND stage = $4"),
        (true, true, false) => all!("matches_game_stage", " AND game = $3 AND stage = $4"),
        (false, false, true) => of_player!("match_players_all", ""),
        (true, false, true) => of_player!("match_players_game", " AND p.game = $3"),
        (false, true, true) => of_player!("match_players_stage", " AND p.stage = $4"),
        (true, true, true) => of_player!("match_players_game_stage", " AND p.game = $3 AND p.stage = $4"),
    }
}

/// Lists that contain private matches: for the operator, and for a player's own matches. $6: only private or only public
/// ones; $7: also those that ended before they began; $8: of a player, only those with a time for each move of a day or more.
const OPERATORS_LIST: Statement = Statement::of_each(
    concat!(
        columns!(),
        " FROM matches m WHERE id < min($1, 'deleted:') AND ($3 IS NULL OR game = $3) AND ($4 IS NULL OR stage = $4)
            AND ($6 IS NULL OR private = $6) AND (never_begun = 0 OR $7)
        ORDER BY id DESC LIMIT $2"
    ),
    concat!(
        columns!(),
        " FROM matches m WHERE id < least($1, 'deleted:')
            AND ($3::text IS NULL OR game = $3) AND ($4::text IS NULL OR stage = $4)
            AND ($6::bool IS NULL OR private = $6) AND (NOT never_begun OR $7::bool)
        ORDER BY id DESC LIMIT $2"
    ),
);
const OWN_LIST: Statement = Statement::of_each(
    concat!(
        columns!(),
        " FROM match_players p INDEXED BY match_players_own CROSS JOIN matches m ON m.nr = p.match_nr
        WHERE p.player = $5 AND p.match_id < $1 AND ($3 IS NULL OR p.game = $3) AND ($4 IS NULL OR p.stage = $4)
            AND ($6 IS NULL OR p.private = $6) AND (m.never_begun = 0 OR $7)
            AND (NOT $8 OR m.summary ->> '$.clock.move_ms' >= 86400000)
        ORDER BY p.match_id DESC LIMIT $2"
    ),
    concat!(
        columns!(),
        " FROM match_players p JOIN matches m ON m.nr = p.match_nr
        WHERE p.player = $5 AND p.match_id < $1
            AND ($3::text IS NULL OR p.game = $3) AND ($4::text IS NULL OR p.stage = $4)
            AND ($6::bool IS NULL OR p.private = $6) AND (NOT m.never_begun OR $7::bool)
            AND (NOT $8::bool OR (m.summary::jsonb #>> '{clock,move_ms}')::bigint >= 86400000)
        ORDER BY p.match_id DESC LIMIT $2"
    ),
);

/// Matches that are over, the oldest first, each with the least rating of its players after it.
macro_rules! finished {
    ($index:literal, $of:literal) => {
        Statement::of_each(
            concat!(
                "SELECT m.id, m.summary,
                    (SELECT min(h.mu) FROM rated_results r CROSS JOIN rating_history h ON h.nr = r.nr
                    WHERE r.match_id = m.id)
                FROM match_players p INDEXED BY ",
                $index,
                " CROSS JOIN matches m ON m.nr = p.match_nr
                WHERE m.never_begun = 0 AND p.private = 0 AND p.stage = 'over' AND p.player = $4",
                $of,
                " AND p.match_id > $1 AND p.match_id < $2 ORDER BY p.match_id LIMIT $3"
            ),
            concat!(
                "SELECT m.id, m.summary, (SELECT min(h.mu) FROM rated_results r JOIN rating_history h ON h.nr = r.nr
                    WHERE r.match_id = m.id)
                FROM match_players p JOIN matches m ON m.nr = p.match_nr
                WHERE NOT m.never_begun AND NOT p.private AND p.stage = 'over' AND p.player = $4",
                $of,
                " AND p.match_id > $1 AND p.match_id < $2 ORDER BY p.match_id LIMIT $3"
            ),
        )
    };
}
const FINISHED_OF_GAME: Statement = Statement::of_each(
    "SELECT m.id, m.summary, (SELECT min(h.mu) FROM rated_results r CROSS JOIN rating_history h ON h.nr = r.nr
        WHERE r.match_id = m.id)
    FROM matches m INDEXED BY matches_game_stage
    WHERE m.never_begun = 0 AND m.private = 0 AND m.stage = 'over' AND m.game = $4 AND m.id > $1 AND m.id < $2
    ORDER BY m.id LIMIT $3",
    "SELECT m.id, m.summary, (SELECT min(h.mu) FROM rated_results r JOIN rating_history h ON h.nr = r.nr
        WHERE r.match_id = m.id)
    FROM matches m
    WHERE NOT m.never_begun AND NOT m.private AND m.stage = 'over' AND m.game = $4 AND m.id > $1 AND m.id < $2
    ORDER BY m.id LIMIT $3",
);
const FINISHED_OF_PLAYER: Statement = finished!("match_players_stage", "");
const FINISHED_OF_PLAYER_IN_GAME: Statement = finished!("match_players_game_stage", " AND p.game = $5");

/// All of them, for the tests of their plans.
#[cfg(test)]
pub(in crate::store) fn reads() -> Vec<Statement> {
    let lists = (0..8).map(|i| public_list(i & 1 > 0, i & 2 > 0, i & 4 > 0));
    let others = [OPERATORS_LIST, OWN_LIST, FINISHED_OF_GAME, FINISHED_OF_PLAYER, FINISHED_OF_PLAYER_IN_GAME];
    lists.chain(others).collect()
}

/// Matches as lists show them.
pub(in crate::store) async fn list(
    db: &Readers,
    filter: &MatchFilter,
) -> Result<Vec<ListedMatch>, StoreError> {
    let statement = match (filter.scope, &filter.player) {
        (Scope::Public, _) => {
            public_list(filter.game.is_some(), filter.stage.is_some(), filter.player.is_some())
        }
        (_, None) => OPERATORS_LIST,
        (_, Some(_)) => OWN_LIST,
    };
    // "~" sorts after all ids.
    let query = query(statement).bind(filter.before.as_ref().map_or("~", MatchId::as_str));
    let query = query.bind(i64::from(filter.limit)).bind(&filter.game).bind(filter.stage.map(stage_text));
    let query = query.bind(&filter.player).bind((filter.scope == Scope::Private).then_some(true));
    db.fetch_all(query.bind(filter.never_begun).bind(filter.days)).await?.iter().map(read_match).collect()
}

fn read_match(row: &Row) -> Result<ListedMatch, StoreError> {
    let parse = |text: &str| MatchId::parse(text).ok_or_else(broken);
    let players: Vec<(String, String, Option<f64>)> =
        serde_json::from_str(row.get(7)?).map_err(|_| broken())?;
    let players = players.into_iter().map(|(id, name, score)| (PlayerRef::new(id, name), score));
    let listed = MatchRow {
        game: row.get(1)?,
        stage: stage_of(row.get(2)?)?,
        private: row.get(8)?,
        never_begun: row.get(9)?,
        created_ms: row.get(3)?,
        ended_ms: row.get(4)?,
        rematch_of: row.get::<Option<&str>>(5)?.map(parse).transpose()?,
        summary: row.get(6)?,
        players: players.collect(),
    };
    Ok(ListedMatch { id: parse(row.get(0)?)?, row: listed })
}

/// Public matches that are over, the oldest first.
pub(in crate::store) async fn finished(
    db: &Readers,
    filter: &FinishedFilter,
) -> Result<Vec<FinishedMatch>, StoreError> {
    let (statement, of, game) = match &filter.of {
        FinishedOf::Game(game) => (FINISHED_OF_GAME, game, None),
        FinishedOf::Player(player, None) => (FINISHED_OF_PLAYER, player, None),
        FinishedOf::Player(player, Some(game)) => (FINISHED_OF_PLAYER_IN_GAME, player, Some(game)),
    };
    let query = query(statement).bind(filter.after.as_str()).bind(filter.until.as_str());
    let query = query.bind(i64::from(filter.limit)).bind(of);
    let query = if let Some(game) = game { query.bind(game) } else { query };
    let read = |row: &Row| {
        let id = MatchId::parse(row.get(0)?).ok_or_else(broken)?;
        Ok(FinishedMatch { id, summary: row.get(1)?, least_mu: row.get(2)? })
    };
    db.fetch_all(query).await?.iter().map(read).collect()
}
