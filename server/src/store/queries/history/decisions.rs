//! The decisions of players in analysed matches: an index of the analyses, for lists of mistakes.

use crate::domain::MatchId;
use crate::store::StoreError;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

const ADD: Statement = Statement::new(
    "INSERT INTO decisions (match_id, ply, player, game, private, phase, kind, loss)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
);
/// $1: the player; $2: the game; $3: whether private matches are listed; $4, $5: the phase and the kind, if the list asks for one;
/// $6 to $8: the loss, match and ply before which the list begins; $9: the least loss; $10: the length.
const COSTLY: Statement = Statement::of_each(
    "SELECT match_id, ply, loss FROM decisions INDEXED BY decisions_costly
    WHERE player = $1 AND game = $2 AND (private = 0 OR $3) AND ($4 IS NULL OR phase = $4) AND ($5 IS NULL OR kind = $5)
        AND (loss, match_id, ply) < ($6, $7, $8) AND loss >= $9
    ORDER BY loss DESC, match_id DESC, ply DESC LIMIT $10",
    "SELECT match_id, ply, loss FROM decisions
    WHERE player = $1 AND game = $2 AND (NOT private OR $3::bool)
        AND ($4::text IS NULL OR phase = $4) AND ($5::text IS NULL OR kind = $5)
        AND (loss, match_id, ply) < ($6, $7, $8) AND loss >= $9
    ORDER BY loss DESC, match_id DESC, ply DESC LIMIT $10",
);
/// $4: the least loss of a mistake.
const COUNTS: Statement = Statement::of_each(
    "SELECT phase, kind, count(*), sum(loss), sum(CASE WHEN loss >= $4 THEN 1 ELSE 0 END)
    FROM decisions INDEXED BY decisions_counted
    WHERE player = $1 AND game = $2 AND (private = 0 OR $3) GROUP BY phase, kind ORDER BY phase, kind",
    "SELECT phase, kind, count(*), CAST(sum(loss) AS BIGINT),
        CAST(sum(CASE WHEN loss >= $4 THEN 1 ELSE 0 END) AS BIGINT)
    FROM decisions
    WHERE player = $1 AND game = $2 AND (NOT private OR $3::bool) GROUP BY phase, kind ORDER BY phase, kind",
);

/// How many decisions lost how much.
const LOSSES: Statement = Statement::of_each(
    "SELECT loss, count(*) FROM decisions INDEXED BY decisions_counted
    WHERE player = $1 AND game = $2 AND (private = 0 OR $3) GROUP BY loss",
    "SELECT loss, count(*) FROM decisions
    WHERE player = $1 AND game = $2 AND (NOT private OR $3::bool) GROUP BY loss",
);

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[ADD, COSTLY, COUNTS, LOSSES];

/// A decision of a player in an analysed match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDecision {
    /// Moves made before it.
    pub ply: u32,
    /// The id of the player.
    pub player: String,
    /// The game's short name.
    pub game: String,
    /// Whether the match is private.
    pub private: bool,
    /// The phase, as the game names it.
    pub phase: String,
    /// The kind, as the game names it.
    pub kind: String,
    /// What it lost of the expected score, in ten-thousandths.
    pub loss: u32,
}

/// The decisions of a player that a list is to contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MistakeFilter {
    /// The id of the player.
    pub player: String,
    /// The game's short name.
    pub game: String,
    /// Whether those of private matches are listed, too.
    pub private: bool,
    /// Only this phase.
    pub phase: Option<String>,
    /// Only this kind.
    pub kind: Option<String>,
    /// The list begins after this one.
    pub after: Option<StoredMistake>,
    /// The least loss, in ten-thousandths.
    pub least_loss: u32,
    /// The length.
    pub limit: u32,
}

/// A costly decision in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMistake {
    /// The match.
    pub id: MatchId,
    /// Moves made before it.
    pub ply: u32,
    /// What it lost of the expected score, in ten-thousandths.
    pub loss: u32,
}

/// The decisions of a player in one phase and of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`decisions` says all")]
pub struct MistakeCount {
    /// The phase, as the game names it.
    pub phase: String,
    /// The kind, as the game names it.
    pub kind: String,
    pub decisions: u64,
    /// The sum of what they lost of the expected score, in ten-thousandths.
    pub lost: u64,
    /// Those of them that lost at least as much as a mistake does.
    pub mistakes: u64,
}

/// The decisions of a player that lost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossCount {
    /// What each of them lost of the expected score, in ten-thousandths.
    pub loss: u32,
    /// Their number.
    pub decisions: u64,
}

/// Adds the decisions of a match that had none.
pub(in crate::store) async fn add(
    db: &mut Connection<'_>,
    id: &MatchId,
    decisions: &[NewDecision],
) -> Result<(), DatabaseError> {
    for one in decisions {
        let query = query(ADD).bind(id.as_str()).bind(i64::from(one.ply)).bind(&one.player).bind(&one.game);
        let query = query.bind(one.private).bind(&one.phase).bind(&one.kind).bind(i64::from(one.loss));
        db.execute(query).await?;
    }
    Ok(())
}

/// Costly decisions of a player, the costliest first.
pub(in crate::store) async fn costly(
    db: &Readers,
    filter: &MistakeFilter,
) -> Result<Vec<StoredMistake>, StoreError> {
    // "~" sorts after all ids.
    let (loss, id, ply) = match &filter.after {
        Some(StoredMistake { id, ply, loss }) => (i64::from(*loss), id.as_str(), i64::from(*ply)),
        None => (i64::MAX, "~", 0),
    };
    let query = query(COSTLY).bind(&filter.player).bind(&filter.game).bind(filter.private);
    let query = query.bind(&filter.phase).bind(&filter.kind).bind(loss).bind(id).bind(ply);
    let query = query.bind(i64::from(filter.least_loss)).bind(i64::from(filter.limit));
    let read = |row: &Row| {
        let id = MatchId::parse(row.get(0)?).ok_or_else(broken)?;
        Ok(StoredMistake { id, ply: number(row.get(1)?)?, loss: number(row.get(2)?)? })
    };
    db.fetch_all(query).await?.iter().map(read).collect()
}

/// The decisions of a player in a game, by phase and kind. `private`: also those of private matches; `mistake`: the least loss of a
/// mistake, in ten-thousandths.
pub(in crate::store) async fn counts(
    db: &Readers,
    player: &str,
    game: &str,
    private: bool,
    mistake: u32,
) -> Result<Vec<MistakeCount>, StoreError> {
    let query = query(COUNTS).bind(player).bind(game).bind(private).bind(i64::from(mistake));
    let read = |row: &Row| {
        let [decisions, lost, mistakes] = [number(row.get(2)?)?, number(row.get(3)?)?, number(row.get(4)?)?];
        Ok(MistakeCount { phase: row.get(0)?, kind: row.get(1)?, decisions, lost, mistakes })
    };
    db.fetch_all(query).await?.iter().map(read).collect()
}

/// The decisions of a player in a game, by what they lost. `private`: also those of private matches.
pub(in crate::store) async fn losses(
    db: &Readers,
    player: &str,
    game: &str,
    private: bool,
) -> Result<Vec<LossCount>, StoreError> {
    let read = |row: &Row| Ok(LossCount { loss: number(row.get(0)?)?, decisions: number(row.get(1)?)? });
    db.fetch_all(query(LOSSES).bind(player).bind(game).bind(private)).await?.iter().map(read).collect()
}

/// A number that is not negative.
fn number<T: TryFrom<i64>>(n: i64) -> Result<T, StoreError> {
    T::try_from(n).map_err(|_| broken())
}
