//! Reads the lobby: at first the whole, then the rows that have changed. The list of changes names them.

use std::collections::BTreeSet;

use engines::game::Seat;

use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerRef};
use crate::ratings::Rating;
use crate::store::StoreError;
use crate::store::data::lobby::{
    ConnectedSeat, LobbyKeys, LobbyMark, LobbyMatch, LobbyNews, LobbyPlayer, LobbyRows, OpenConnection,
    Recheck, StoredChallenge, Ticket,
};
use crate::store::data::row::{broken, kind_of, stage_of};
use crate::store::database::{Query, Readers, Row, Statement, query};

/// The nodes that live and serve; the one that runs the ladder; the first and the last number in the list of changes; whether it
/// has changes after the parameter; and of PostgreSQL: the first transaction that is under way, and the one after the last.
const STATE: Statement = Statement::of_each(
    "SELECT (SELECT group_concat(id, ' ') FROM (SELECT id FROM nodes WHERE NOT stopping ORDER BY id)),
        (SELECT holder FROM duties WHERE name = 'ladder'),
        (SELECT min(nr) FROM lobby_changes), (SELECT max(nr) FROM lobby_changes),
        EXISTS (SELECT 1 FROM lobby_changes WHERE nr > $1), NULL, NULL",
    "SELECT (SELECT string_agg(id, ' ' ORDER BY id) FROM nodes
            WHERE expires_at > clock_timestamp() AND NOT stopping),
        (SELECT holder FROM duties WHERE name = 'ladder'),
        (SELECT min(nr) FROM lobby_changes), (SELECT max(nr) FROM lobby_changes),
        EXISTS (SELECT 1 FROM lobby_changes WHERE tx >= $1),
        pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint",
);
const CHANGES: Statement = Statement::of_each(
    "SELECT DISTINCT kind, key FROM lobby_changes WHERE nr > $1",
    "SELECT DISTINCT kind, key FROM lobby_changes WHERE tx >= $1",
);

/// A statement for rows whose column is among the keys, a JSON list.
macro_rules! of_keys {
    ($before:expr, $column:literal) => {
        Statement::of_each(
            concat!($before, $column, " IN (SELECT value FROM json_each($1))"),
            concat!($before, $column, " = ANY (ARRAY(SELECT json_array_elements_text($1::json)))"),
        )
    };
}

macro_rules! connections {
    () => {
        "SELECT c.connection, c.node, p.id, p.name, p.kind, p.owner, o.name, p.about, c.since_ms, c.policy
        FROM presence c JOIN players p ON p.id = c.player LEFT JOIN players o ON o.id = p.owner
        WHERE p.deleted_ms IS NULL"
    };
}
const CONNECTIONS: Statement = Statement::new(connections!());
const CHANGED_CONNECTIONS: Statement = of_keys!(concat!(connections!(), " AND "), "c.connection");

macro_rules! tickets {
    () => {
        "SELECT t.id, t.node, p.id, p.name, p.kind, p.owner, t.terms, t.created_ms
        FROM tickets t JOIN players p ON p.id = t.player WHERE p.deleted_ms IS NULL"
    };
}
const TICKETS: Statement = Statement::new(tickets!());
const CHANGED_TICKETS: Statement = of_keys!(concat!(tickets!(), " AND "), "t.id");

macro_rules! challenges {
    () => {
        "SELECT c.id, a.id, a.name, a.kind, a.owner, b.id, b.name, b.kind, b.owner, c.terms, c.created_ms,
            c.until_ms, c.stage, c.settled_ms, c.reason, c.match_id, c.tickets
        FROM challenges c JOIN players a ON a.id = c.challenger JOIN players b ON b.id = c.opponent
        WHERE a.deleted_ms IS NULL AND b.deleted_ms IS NULL AND "
    };
}
const CHALLENGES: Statement =
    Statement::new(concat!(challenges!(), "(c.settled_ms IS NULL OR c.settled_ms > $1)"));
const CHANGED_CHALLENGES: Statement = of_keys!(challenges!(), "c.id");
const ONE_CHALLENGE: Statement = Statement::new(concat!(challenges!(), "c.id = $1"));

macro_rules! unfinished_matches {
    () => {
        "SELECT player, match_id, game, stage FROM match_players
        WHERE stage <> 'over' AND player IN (SELECT player FROM presence)"
    };
}
const MATCHES: Statement = Statement::new(concat!(unfinished_matches!(), " ORDER BY match_id, player"));
const CHANGED_MATCHES: Statement = of_keys!(concat!(unfinished_matches!(), " AND "), "player");

macro_rules! ratings {
    () => {
        "SELECT player, game, mu, sigma FROM ratings WHERE player IN (SELECT player FROM presence)"
    };
}
const RATINGS: Statement = Statement::new(ratings!());
const CHANGED_RATINGS: Statement = of_keys!(concat!(ratings!(), " AND "), "player");

macro_rules! seats {
    () => {
        "SELECT match_id, seat, node, follows FROM match_presence"
    };
}
const SEATS: Statement = Statement::new(seats!());
const CHANGED_SEATS: Statement = of_keys!(concat!(seats!(), " WHERE "), "match_id");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    STATE,
    CHANGES,
    CONNECTIONS,
    CHANGED_CONNECTIONS,
    TICKETS,
    CHANGED_TICKETS,
    CHALLENGES,
    CHANGED_CHALLENGES,
    ONE_CHALLENGE,
    MATCHES,
    CHANGED_MATCHES,
    RATINGS,
    CHANGED_RATINGS,
    SEATS,
    CHANGED_SEATS,
];

/// The challenge with this id.
pub(in crate::store) async fn challenge(
    db: &Readers,
    id: &str,
) -> Result<Option<StoredChallenge>, StoreError> {
    db.fetch_optional(query(ONE_CHALLENGE).bind(id)).await?.as_ref().map(read_challenge).transpose()
}

/// The rows that have changed since the mark; the whole lobby without a mark, when other nodes live than then, or when the list
/// of changes does not reach back as far. `settled_after_ms`: of the whole lobby, challenges settled before are left out.
pub(in crate::store) async fn news(
    db: &Readers,
    node: &str,
    since: Option<&LobbyMark>,
    settled_after_ms: Millis,
) -> Result<LobbyNews, StoreError> {
    let state = db.fetch_one(query(STATE).bind(since.map_or(i64::MAX, |mark| mark.changes_after))).await?;
    let nodes: Option<String> = state.get(0)?;
    let (first, last): (Option<i64>, Option<i64>) = (state.get(2)?, state.get(3)?);
    let (has_changes, under_way, next): (bool, Option<i64>, Option<i64>) =
        (state.get(4)?, state.get(5)?, state.get(6)?);
    let nodes = nodes.unwrap_or_default();
    let holder: Option<String> = state.get(1)?;
    let ladder_holder = holder.filter(|holder| nodes.split(' ').any(|node| node == holder));
    let last = last.unwrap_or(0);
    let mut mark = LobbyMark { nodes, last, changes_after: under_way.unwrap_or(last), rechecks: Vec::new() };
    let reaches = |mark: &&LobbyMark| first.is_none_or(|first| first <= mark.last + 1);
    let since = since.filter(|since| since.nodes == mark.nodes).filter(reaches);
    let mut changed = None;
    if let Some(since) = since {
        let mut keys = LobbyKeys::default();
        if has_changes {
            for row in db.fetch_all(query(CHANGES).bind(since.changes_after)).await? {
                keys.add(row.get(0)?, row.get(1)?).ok_or_else(broken)?;
            }
        }
        for Recheck { player, before } in &since.rechecks {
            match (*before, under_way) {
                (Some(before), Some(under_way)) if under_way >= before => {
                    keys.players.insert(player.clone());
                }
                (before, _) => {
                    mark.rechecks.push(Recheck { player: player.clone(), before: before.or(next) })
                }
            }
        }
        changed = Some(keys);
    }
    let reader = Reader { db, node, changed: changed.as_ref(), nodes: mark.nodes.split(' ').collect() };
    let rows = LobbyRows { ladder_holder, ..reader.rows(settled_after_ms).await? };
    if next.is_some() {
        let players = rows.connections.iter().map(|open| open.player.who.id.clone());
        mark.rechecks.extend(players.map(|player| Recheck { player, before: None }));
    }
    Ok(LobbyNews { mark, changed, rows })
}

/// Reads the changed rows; without a list of changes all rows.
struct Reader<'a> {
    db: &'a Readers,
    node: &'a str,
    changed: Option<&'a LobbyKeys>,
    /// The nodes that live and serve. What others have left does not count.
    nodes: BTreeSet<&'a str>,
}

impl Reader<'_> {
    /// Tickets are read before challenges: if a ticket is gone because it was paired, its challenge exists already.
    async fn rows(&self, settled_after_ms: Millis) -> Result<LobbyRows, StoreError> {
        let keys = self.changed;
        let connections =
            self.fetch(query(CONNECTIONS), CHANGED_CONNECTIONS, keys.map(|keys| &keys.connections)).await?;
        let tickets = self.fetch(query(TICKETS), CHANGED_TICKETS, keys.map(|keys| &keys.tickets)).await?;
        let all = query(CHALLENGES).bind(settled_after_ms);
        let challenges = self.fetch(all, CHANGED_CHALLENGES, keys.map(|keys| &keys.challenges)).await?;
        let players = keys.map(|keys| &keys.players);
        let matches = self.fetch(query(MATCHES), CHANGED_MATCHES, players).await?;
        let ratings = self.fetch(query(RATINGS), CHANGED_RATINGS, players).await?;
        let seats = self.fetch(query(SEATS), CHANGED_SEATS, keys.map(|keys| &keys.matches)).await?;
        let [own_seats, other_seats] = self.split_seats(&seats)?;
        let connections = connections.iter().map(read_connection);
        let tickets = tickets.iter().map(read_ticket);
        let lives = |node: &str| self.nodes.contains(node);
        Ok(LobbyRows {
            connections: connections
                .filter(|open| open.as_ref().map_or(true, |open| lives(&open.node)))
                .collect::<Result<_, _>>()?,
            tickets: tickets
                .filter(|ticket| ticket.as_ref().map_or(true, |ticket| lives(&ticket.node)))
                .collect::<Result<_, _>>()?,
            challenges: challenges.iter().map(read_challenge).collect::<Result<_, _>>()?,
            matches: matches.iter().map(read_match).collect::<Result<_, _>>()?,
            ratings: ratings.iter().map(read_rating).collect::<Result<_, _>>()?,
            own_seats,
            other_seats,
            ladder_holder: None,
        })
    }

    /// `keys`: `None`: all rows.
    async fn fetch<K: serde::Serialize>(
        &self,
        all: Query<'_>,
        changed: Statement,
        keys: Option<&BTreeSet<K>>,
    ) -> Result<Vec<Row>, StoreError> {
        Ok(match keys {
            None => self.db.fetch_all(all).await?,
            Some(keys) if keys.is_empty() => Vec::new(),
            Some(keys) => {
                let keys = serde_json::to_string(keys).expect("texts are JSON");
                self.db.fetch_all(query(changed).bind(keys)).await?
            }
        })
    }

    /// The seats of matches whose players are connected, to this node and to others.
    fn split_seats(&self, rows: &[Row]) -> Result<[BTreeSet<ConnectedSeat>; 2], StoreError> {
        let [mut own, mut other] = [BTreeSet::new(), BTreeSet::new()];
        for row in rows {
            let id = MatchId::parse(row.get(0)?).ok_or_else(broken)?;
            let seat = Seat(u8::try_from(row.get::<i16>(1)?).map_err(|_| broken())?);
            let connected = ConnectedSeat { id, seat, follows: row.get(3)? };
            match row.get::<&str>(2)? {
                node if node == self.node => own.insert(connected),
                node if self.nodes.contains(node) => other.insert(connected),
                _ => false,
            };
        }
        Ok([own, other])
    }
}

/// The player in four columns from this one on.
fn read_player(row: &Row, column: usize) -> Result<LobbyPlayer, StoreError> {
    let who = PlayerRef {
        owner: row.get(column + 3)?,
        ..PlayerRef::new(row.get::<String>(column)?, row.get::<String>(column + 1)?)
    };
    Ok(LobbyPlayer { who, kind: kind_of(row.get(column + 2)?)? })
}

fn read_challenge(row: &Row) -> Result<StoredChallenge, StoreError> {
    let match_id: Option<&str> = row.get(15)?;
    Ok(StoredChallenge {
        id: row.get(0)?,
        challenger: read_player(row, 1)?,
        opponent: read_player(row, 5)?,
        terms: row.get(9)?,
        created_ms: row.get(10)?,
        until_ms: row.get(11)?,
        stage: row.get(12)?,
        settled_ms: row.get(13)?,
        reason: row.get(14)?,
        match_id: match_id.map(|id| MatchId::parse(id).ok_or_else(broken)).transpose()?,
        tickets: row.get(16)?,
    })
}

fn read_connection(row: &Row) -> Result<OpenConnection, StoreError> {
    Ok(OpenConnection {
        id: row.get(0)?,
        node: row.get(1)?,
        player: read_player(row, 2)?,
        owner: row.get(6)?,
        about: row.get(7)?,
        since_ms: row.get(8)?,
        policy: row.get(9)?,
    })
}

fn read_ticket(row: &Row) -> Result<Ticket, StoreError> {
    Ok(Ticket {
        id: row.get(0)?,
        node: row.get(1)?,
        player: read_player(row, 2)?,
        terms: row.get(6)?,
        created_ms: row.get(7)?,
    })
}

fn read_match(row: &Row) -> Result<LobbyMatch, StoreError> {
    let id = MatchId::parse(row.get(1)?).ok_or_else(broken)?;
    Ok(LobbyMatch { player: row.get(0)?, id, game: row.get(2)?, stage: stage_of(row.get(3)?)? })
}

fn read_rating(row: &Row) -> Result<(String, String, Rating), StoreError> {
    Ok((row.get(0)?, row.get(1)?, Rating { mu: row.get(2)?, sigma: row.get(3)? }))
}
