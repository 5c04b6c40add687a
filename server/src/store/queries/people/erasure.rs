//! The removal of a deleted player's name from the logs of matches and tournaments. The database lets events change only for
//! this.

use crate::domain::time::Millis;
use crate::domain::{MatchId, TournamentId};
use crate::store::StoreError;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

const PENDING: Statement =
    Statement::new("SELECT player, match_nr FROM erasures WHERE at_ms <= $1 ORDER BY at_ms, player LIMIT 1");
/// The number of the last match of the next ones.
const UPTO: Statement =
    Statement::new("SELECT max(nr) FROM (SELECT nr FROM matches WHERE nr > $2 ORDER BY nr LIMIT $1) m");
const ROWS: Statement = Statement::new(
    "SELECT nr, id, summary, players FROM matches
    WHERE nr > $1 AND nr <= $2 AND players LIKE '%' || $3 || '%' ORDER BY nr",
);
const EVENTS: Statement = Statement::new(
    "SELECT e.match_nr, m.id, e.seq, e.body
    FROM events e JOIN matches m ON m.nr = e.match_nr
    WHERE e.match_nr > $1 AND e.match_nr <= $2 AND e.body LIKE '%' || $3 || '%' ORDER BY e.match_nr, e.seq",
);
const TOURNAMENTS: Statement = Statement::new(
    "SELECT tournament, seq, body FROM tournament_events
    WHERE body LIKE '%' || $1 || '%' ORDER BY tournament, seq",
);

const ROW: Statement = Statement::new(
    "UPDATE matches SET summary = $2, players = $3 WHERE nr = $1 AND summary = $4 AND players = $5",
);
const EVENT: Statement = Statement::new(
    "UPDATE events SET body = $3
    WHERE match_nr = $1 AND seq = $2 AND EXISTS (SELECT 1 FROM erasures WHERE player = $4)",
);
const TOURNAMENT: Statement =
    Statement::new("UPDATE tournament_events SET body = $3 WHERE tournament = $1 AND seq = $2 AND body = $4");
const ADVANCE: Statement =
    Statement::new("UPDATE erasures SET match_nr = $2 WHERE player = $1 AND match_nr < $2");
const FINISH: Statement = Statement::new("DELETE FROM erasures WHERE player = $1");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] =
    &[PENDING, UPTO, ROWS, EVENTS, TOURNAMENTS, ROW, EVENT, TOURNAMENT, ADVANCE, FINISH];

/// A text in which a player is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamingText {
    /// The row of a match in lists.
    Row {
        /// The number of the match.
        nr: i64,
        /// The match.
        id: MatchId,
        /// See [`crate::store::MatchRow::summary`].
        summary: String,
        /// JSON: `[[id, name, score or null], ...]`.
        players: String,
    },
    /// An event of a match.
    Event {
        /// The number of the match.
        nr: i64,
        /// The match.
        id: MatchId,
        /// The sequence number.
        seq: u32,
        /// The event as JSON.
        body: String,
    },
    /// An event of a tournament.
    Tournament {
        /// The tournament.
        id: TournamentId,
        /// The sequence number.
        seq: u32,
        /// The event as JSON.
        body: String,
    },
}

/// The next texts from which the name of a deleted player must be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`texts` says all")]
pub struct PendingErasure {
    /// The id of the player.
    pub player: String,
    /// The texts are of the matches up to this number; `None`: no matches are left, and they are of tournaments.
    pub upto: Option<i64>,
    pub texts: Vec<NamingText>,
}

/// Texts without the name of a deleted player.
#[derive(Clone, Debug, PartialEq)]
pub struct NameErasure {
    /// The id of the player.
    pub player: String,
    /// As in [`PendingErasure`].
    pub upto: Option<i64>,
    /// Each text as it was found, and as it is to be.
    pub texts: Vec<(NamingText, NamingText)>,
}

/// The next texts that name a player who was deleted before this time, of at most this many matches.
pub(in crate::store) async fn pending(
    db: &Readers,
    before_ms: Millis,
    matches: u32,
) -> Result<Option<PendingErasure>, StoreError> {
    let Some(row) = db.fetch_optional(query(PENDING).bind(before_ms)).await? else { return Ok(None) };
    let (player, after): (String, i64) = (row.get(0)?, row.get(1)?);
    let upto = query(UPTO).bind(i64::from(matches)).bind(after);
    let upto: Option<i64> = db.fetch_one(upto).await?.get(0)?;
    let texts = match upto {
        Some(upto) => texts_of_matches(db, after, upto, &player).await?,
        None => texts_of_tournaments(db, &player).await?,
    };
    Ok(Some(PendingErasure { player, upto, texts }))
}

async fn texts_of_matches(
    db: &Readers,
    after: i64,
    upto: i64,
    player: &str,
) -> Result<Vec<NamingText>, StoreError> {
    let rows = db.fetch_all(query(ROWS).bind(after).bind(upto).bind(player)).await?;
    let events = db.fetch_all(query(EVENTS).bind(after).bind(upto).bind(player)).await?;
    let match_row = |row: &Row| {
        let id = MatchId::parse(row.get(1)?).ok_or_else(broken)?;
        Ok(NamingText::Row { nr: row.get(0)?, id, summary: row.get(2)?, players: row.get(3)? })
    };
    let event = |row: &Row| {
        let id = MatchId::parse(row.get(1)?).ok_or_else(broken)?;
        let seq = row.get::<i32>(2)?.cast_unsigned();
        Ok(NamingText::Event { nr: row.get(0)?, id, seq, body: row.get(3)? })
    };
    rows.iter().map(match_row).chain(events.iter().map(event)).collect()
}

async fn texts_of_tournaments(db: &Readers, player: &str) -> Result<Vec<NamingText>, StoreError> {
    let read = |row: &Row| {
        let id = TournamentId::parse(row.get(0)?).ok_or_else(broken)?;
        let seq = u32::try_from(row.get::<i64>(1)?).map_err(|_| broken())?;
        Ok(NamingText::Tournament { id, seq, body: row.get(2)? })
    };
    db.fetch_all(query(TOURNAMENTS).bind(player)).await?.iter().map(read).collect()
}

/// Replaces texts. One that has changed meanwhile stays; the node that changed it knows that the player is deleted. Nothing
/// changes if another node has finished meanwhile.
pub(in crate::store) async fn erase(
    db: &mut Connection<'_>,
    erasure: &NameErasure,
) -> Result<u64, DatabaseError> {
    let mut changed = 0;
    for (from, to) in &erasure.texts {
        let query = match (from, to) {
            (
                NamingText::Row { summary: summary_before, players: players_before, .. },
                NamingText::Row { nr, summary, players, .. },
            ) => {
                let query = query(ROW).bind(*nr).bind(summary).bind(players);
                query.bind(summary_before).bind(players_before)
            }
            (_, NamingText::Event { nr, seq, body, .. }) => {
                query(EVENT).bind(*nr).bind(seq.cast_signed()).bind(body).bind(&erasure.player)
            }
            (NamingText::Tournament { body: before, .. }, NamingText::Tournament { id, seq, body }) => {
                query(TOURNAMENT).bind(id.as_str()).bind(i64::from(*seq)).bind(body).bind(before)
            }
            _ => continue,
        };
        changed += db.execute(query).await?;
    }
    let progress = match erasure.upto {
        Some(upto) => query(ADVANCE).bind(&erasure.player).bind(upto),
        None => query(FINISH).bind(&erasure.player),
    };
    db.execute(progress).await?;
    Ok(changed)
}
