//! Analyses of finished matches. A node that dies disappears from the table `nodes`, or its lease expires, and its analyses
//! become free.

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::data::puzzles::NewPuzzle;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::history::decisions::{self, NewDecision};
use crate::store::queries::puzzles;

/// Adds an analysis, unless the match has one that did not fail, or too many are pending.
const ASK: Statement = Statement::new(
    "INSERT INTO analyses (match_id, stage, requester, requested_ms, moves, judged)
    SELECT $1, 'pending', $2, CAST($3 AS BIGINT), CAST($4 AS BIGINT), 0
    WHERE (SELECT count(*) FROM analyses WHERE stage = 'pending') < CAST($5 AS BIGINT)
        AND (SELECT count(*) FROM analyses WHERE stage = 'pending' AND requester = $2) < CAST($6 AS BIGINT)
    ON CONFLICT (match_id) DO UPDATE SET stage = excluded.stage, requester = excluded.requester,
        requested_ms = excluded.requested_ms, moves = excluded.moves, judged = 0, holder = NULL, body = NULL
    WHERE analyses.stage = 'failed'",
);
/// Takes an analysis over.
const CLAIM: Statement = Statement::of_each(
    "UPDATE analyses SET holder = $2
    WHERE match_id = $1 AND stage = 'pending'
        AND (holder IS NULL OR holder = $2 OR NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = holder))",
    "UPDATE analyses SET holder = $2
    WHERE match_id = $1 AND stage = 'pending' AND (holder IS NULL OR holder = $2
        OR NOT EXISTS (SELECT 1 FROM nodes s WHERE s.id = holder AND s.expires_at > clock_timestamp()))",
);
const PROGRESS: Statement = Statement::new(
    "UPDATE analyses SET judged = $3 WHERE match_id = $1 AND holder = $2 AND stage = 'pending'",
);
const FINISH: Statement = Statement::new(
    "UPDATE analyses SET stage = $3, body = $4, requester = '', holder = NULL
    WHERE match_id = $1 AND holder = $2 AND stage = 'pending'",
);
/// Only a pending analysis has an requester.
const CANCEL: Statement =
    Statement::new("DELETE FROM analyses WHERE match_id = $1 AND requester = coalesce($2, requester)");
const READ: Statement =
    Statement::new("SELECT stage, requester, moves, judged, body FROM analyses WHERE match_id = $1");
/// The analyses that no living node computes, the oldest first.
const FREE: Statement = Statement::of_each(
    "SELECT match_id FROM analyses WHERE stage = 'pending'
        AND (holder IS NULL OR NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = holder))
    ORDER BY requested_ms, match_id LIMIT $1",
    "SELECT match_id FROM analyses WHERE stage = 'pending' AND (holder IS NULL
        OR NOT EXISTS (SELECT 1 FROM nodes s WHERE s.id = holder AND s.expires_at > clock_timestamp()))
    ORDER BY requested_ms, match_id LIMIT $1",
);

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[ASK, CLAIM, PROGRESS, FINISH, CANCEL, READ, FREE];

/// A change to the analysis of a match.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`node` and `result` say all")]
pub enum AnalysisChange {
    /// Adds an analysis that is to be computed. Changes nothing if the match has one that did not fail, or if too many are
    /// pending.
    Ask(NewAnalysis),
    /// Makes a node compute it. Changes nothing if another living node does.
    Claim {
        /// The match.
        id: MatchId,
        node: String,
    },
    /// The node has judged this many moves. Changes nothing if the analysis was cancelled or is no longer the node's.
    Progress {
        /// The match.
        id: MatchId,
        node: String,
        /// The number of moves.
        judged: u32,
    },
    /// The node has computed it: `Ok`, the analysis; `Err`, the reason why it failed. Changes nothing as above.
    Finish {
        /// The match.
        id: MatchId,
        node: String,
        result: Result<FinishedAnalysis, String>,
    },
    /// Deletes an analysis.
    Cancel {
        /// The match.
        id: MatchId,
        /// Only if it is pending and this caller asked for it; `None`: in any case.
        requester: Option<String>,
    },
}

/// An analysis that was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedAnalysis {
    /// The analysis as JSON.
    pub body: String,
    /// Its decisions of players.
    pub decisions: Vec<NewDecision>,
    /// Its puzzles. A private match, or one whose result was annulled, gets none.
    pub puzzles: Vec<NewPuzzle>,
}

/// An analysis to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAnalysis {
    /// The match.
    pub id: MatchId,
    /// The id of the person who asks, or a key of the address.
    pub requester: String,
    /// The time of the request.
    pub requested_ms: Millis,
    /// The number of moves of the match.
    pub moves: u32,
    /// The most analyses that may be pending, this one included.
    pub most: u32,
    /// The most of them that may be this requester's.
    pub most_of_requester: u32,
}

/// The analysis of a match as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnalysis {
    /// How far it is.
    pub stage: StoredAnalysisStage,
    /// The number of moves of the match.
    pub moves: u32,
    /// How many of them are judged.
    pub judged: u32,
}

/// How far an analysis is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredAnalysisStage {
    /// It waits or is being computed, for this requester.
    Pending {
        /// As in [`NewAnalysis::requester`].
        requester: String,
    },
    /// The analysis as JSON.
    Done(String),
    /// It failed for this reason.
    Failed(String),
}

/// Carries out a change; returns the number of analyses that it changed.
pub(in crate::store) async fn carry_out(
    db: &mut Connection<'_>,
    change: &AnalysisChange,
) -> Result<u64, DatabaseError> {
    let query = match change {
        AnalysisChange::Ask(new) => {
            let query = query(ASK).bind(new.id.as_str()).bind(&new.requester).bind(new.requested_ms);
            query.bind(i64::from(new.moves)).bind(i64::from(new.most)).bind(i64::from(new.most_of_requester))
        }
        AnalysisChange::Claim { id, node } => query(CLAIM).bind(id.as_str()).bind(node),
        AnalysisChange::Progress { id, node, judged } => {
            query(PROGRESS).bind(id.as_str()).bind(node).bind(i64::from(*judged))
        }
        AnalysisChange::Finish { id, node, result } => {
            let (stage, body) = match result {
                Ok(analysis) => ("done", &analysis.body),
                Err(why) => ("failed", why),
            };
            let finish = query(FINISH).bind(id.as_str()).bind(node).bind(stage).bind(body);
            let finished = db.execute(finish).await?;
            if let (1.., Ok(analysis)) = (finished, result) {
                decisions::add(db, id, &analysis.decisions).await?;
                puzzles::add(db, id, &analysis.puzzles).await?;
            }
            return Ok(finished);
        }
        AnalysisChange::Cancel { id, requester } => query(CANCEL).bind(id.as_str()).bind(requester),
    };
    db.execute(query).await
}

/// The analysis of a match.
pub(in crate::store) async fn read(db: &Readers, id: &MatchId) -> Result<Option<StoredAnalysis>, StoreError> {
    let Some(row) = db.fetch_all(query(READ).bind(id.as_str())).await?.into_iter().next() else {
        return Ok(None);
    };
    let stage: String = row.get(0)?;
    let body = |row: &Row| row.get::<Option<String>>(4)?.ok_or_else(broken);
    let stage = match stage.as_str() {
        "pending" => StoredAnalysisStage::Pending { requester: row.get(1)? },
        "done" => StoredAnalysisStage::Done(body(&row)?),
        _ => StoredAnalysisStage::Failed(body(&row)?),
    };
    let number = |n: i64| u32::try_from(n).map_err(|_| broken());
    Ok(Some(StoredAnalysis { stage, moves: number(row.get(2)?)?, judged: number(row.get(3)?)? }))
}

/// The matches whose analyses wait for a node, the oldest request first.
pub(in crate::store) async fn free(db: &Readers, most: u32) -> Result<Vec<MatchId>, StoreError> {
    let read = |row: &Row| MatchId::parse(row.get(0)?).ok_or_else(broken);
    db.fetch_all(query(FREE).bind(i64::from(most))).await?.iter().map(read).collect()
}
