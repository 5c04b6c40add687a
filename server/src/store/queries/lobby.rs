//! The lobby: connected players, challenges, tickets, seats of matches whose players are connected.

use std::collections::BTreeSet;

use engines::game::Seat;

use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerRef};
use crate::ratings::Rating;
use crate::store::StoreError;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::lobby::{
    ConnectedSeat, LobbyChange, LobbyMatch, LobbyPlayer, LobbyRows, NewChallenge, OpenConnection,
    StoredChallenge, Ticket,
};
use crate::store::row::{broken, kind_of, stage_of};

const CONNECTED: Statement = Statement::new(
    "INSERT INTO presence (connection, node, player, since_ms, policy) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (connection) DO UPDATE SET policy = excluded.policy",
);
const DISCONNECTED: Statement = Statement::new("DELETE FROM presence WHERE connection = $1");
const CHALLENGE: Statement = Statement::new(
    "INSERT INTO challenges (id, challenger, opponent, terms, created_ms, until_ms, stage)
    SELECT $1, $2, $3, $4, $5, $6, 'open'
    WHERE (SELECT count(*) FROM challenges WHERE challenger = $2 AND settled_ms IS NULL) < $7",
);
const SETTLE: Statement = Statement::new(
    "UPDATE challenges SET stage = $3, settled_ms = $4, reason = $5, match_id = $6,
        until_ms = coalesce($7, until_ms)
    WHERE id = $1 AND stage = $2 AND settled_ms IS NULL",
);
const TICKET: Statement =
    Statement::new("INSERT INTO tickets (id, node, player, terms, created_ms) VALUES ($1, $2, $3, $4, $5)");
const LEAVE: Statement = Statement::new("DELETE FROM tickets WHERE id = $1");
const PAIR: Statement = Statement::new(
    "INSERT INTO challenges (id, challenger, opponent, terms, created_ms, until_ms, stage, tickets)
    SELECT $1, $2, $3, $4, $5, $6, 'accepted', $7
    WHERE EXISTS (SELECT 1 FROM tickets WHERE id = $8) AND EXISTS (SELECT 1 FROM tickets WHERE id = $9)",
);
const EXPIRE: Statement = Statement::new(
    "UPDATE challenges SET stage = 'expired', settled_ms = $1
    WHERE settled_ms IS NULL AND stage = 'open' AND until_ms <= $1",
);
const FORGET: Statement = Statement::new("DELETE FROM challenges WHERE settled_ms < $1");

/// The reason for which the opponent declined.
const FORGET_REASON: Statement = Statement::new(
    "UPDATE challenges SET reason = NULL
    WHERE id = $1 AND opponent = $2 AND stage = 'declined'",
);
const FORGET_REASONS: Statement =
    Statement::new("UPDATE challenges SET reason = NULL WHERE opponent = $1 AND stage = 'declined'");

const SEAT_CAME: Statement = Statement::new(
    "INSERT INTO match_presence (match_id, seat, node, follows) VALUES ($1, $2, $3, $4)
    ON CONFLICT (match_id, seat, node) DO UPDATE SET follows = excluded.follows
    WHERE match_presence.follows <> excluded.follows",
);
const SEAT_LEFT: Statement =
    Statement::new("DELETE FROM match_presence WHERE match_id = $1 AND seat = $2 AND node = $3");

/// The columns of a challenge, with its players.
macro_rules! challenges {
    ($where:literal) => {
        concat!(
            "SELECT c.id, a.id, a.name, a.kind, a.owner, b.id, b.name, b.kind, b.owner, c.terms, c.created_ms,
                c.until_ms, c.stage, c.settled_ms, c.reason, c.match_id, c.tickets
            FROM challenges c JOIN players a ON a.id = c.challenger JOIN players b ON b.id = c.opponent
            WHERE a.deleted_ms IS NULL AND b.deleted_ms IS NULL AND ",
            $where
        )
    };
}
const CHALLENGES: Statement = Statement::new(challenges!("(c.settled_ms IS NULL OR c.settled_ms > $1)"));
const ONE_CHALLENGE: Statement = Statement::new(challenges!("c.id = $1"));
const MATCHES: Statement = Statement::new(
    "SELECT player, match_id, game, stage FROM match_players
    WHERE stage <> 'over' AND player IN (SELECT player FROM presence) ORDER BY match_id, player",
);
const RATINGS: Statement = Statement::new(
    "SELECT player, game, mu, sigma FROM ratings WHERE player IN (SELECT player FROM presence)",
);

/// A statement with the ids of the nodes that live and serve between its two parts.
macro_rules! of_living_nodes {
    ($before:literal, $after:literal) => {
        Statement::of_each(
            concat!($before, "(SELECT id FROM servers WHERE NOT stopping)", $after),
            concat!(
                $before,
                "(SELECT id FROM servers WHERE expires_at > clock_timestamp() AND NOT stopping)",
                $after
            ),
        )
    };
}
const CONNECTIONS: Statement = of_living_nodes!(
    "SELECT c.connection, c.node, p.id, p.name, p.kind, p.owner, o.name, p.about, c.since_ms, c.policy
    FROM presence c JOIN players p ON p.id = c.player LEFT JOIN players o ON o.id = p.owner
    WHERE p.deleted_ms IS NULL AND c.node IN ",
    " ORDER BY c.connection"
);
const TICKETS: Statement = of_living_nodes!(
    "SELECT t.id, t.node, p.id, p.name, p.kind, p.owner, t.terms, t.created_ms
    FROM tickets t JOIN players p ON p.id = t.player
    WHERE p.deleted_ms IS NULL AND t.node IN ",
    " ORDER BY t.id"
);
const SEATS: Statement =
    of_living_nodes!("SELECT match_id, seat, node, follows FROM match_presence WHERE node IN ", "");
const LADDER_KEEPER: Statement =
    of_living_nodes!("SELECT keeper FROM duties WHERE name = 'ladder' AND keeper IN ", "");
const KEEP_LADDER: Statement = of_living_nodes!(
    "INSERT INTO duties (name, keeper) VALUES ('ladder', $1)
    ON CONFLICT (name) DO UPDATE SET keeper = excluded.keeper WHERE duties.keeper NOT IN ",
    ""
);
const DEAD_SEATS: Statement = of_living_nodes!("DELETE FROM match_presence WHERE node NOT IN ", "");
const DEAD_CONNECTIONS: Statement = of_living_nodes!("DELETE FROM presence WHERE node NOT IN ", "");
const DEAD_TICKETS: Statement = of_living_nodes!("DELETE FROM tickets WHERE node NOT IN ", "");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    CONNECTED,
    DISCONNECTED,
    CHALLENGE,
    SETTLE,
    TICKET,
    LEAVE,
    PAIR,
    EXPIRE,
    FORGET,
    FORGET_REASON,
    FORGET_REASONS,
    SEAT_CAME,
    SEAT_LEFT,
    CHALLENGES,
    ONE_CHALLENGE,
    MATCHES,
    RATINGS,
    CONNECTIONS,
    TICKETS,
    SEATS,
    DEAD_CONNECTIONS,
    DEAD_TICKETS,
    DEAD_SEATS,
    LADDER_KEEPER,
    KEEP_LADDER,
];

/// Carries out a change; returns the number of rows that it changed.
pub(in crate::store) async fn carry_out(
    db: &mut Connection<'_>,
    node: &str,
    change: &LobbyChange,
) -> Result<u64, DatabaseError> {
    let query = match change {
        LobbyChange::Connected(open) => {
            let query = query(CONNECTED).bind(&open.id).bind(node).bind(&open.player);
            query.bind(open.since_ms).bind(&open.policy)
        }
        LobbyChange::Disconnected { id } => query(DISCONNECTED).bind(id),
        LobbyChange::Challenge { challenge: new, most } => {
            let query = query(CHALLENGE).bind(&new.id).bind(&new.challenger).bind(&new.opponent);
            query.bind(&new.terms).bind(new.created_ms).bind(new.until_ms).bind(i64::from(*most))
        }
        LobbyChange::Settle(settle) => {
            let query = query(SETTLE).bind(&settle.id).bind(settle.from).bind(settle.to);
            let query = query.bind(settle.settled_ms).bind(&settle.reason);
            query.bind(settle.match_id.as_ref().map(MatchId::as_str)).bind(settle.until_ms)
        }
        LobbyChange::ForgetReason { id, opponent } => query(FORGET_REASON).bind(id).bind(opponent),
        LobbyChange::Ticket { id, player, terms, created_ms } => {
            query(TICKET).bind(id).bind(node).bind(player).bind(terms).bind(*created_ms)
        }
        LobbyChange::Leave { id } => query(LEAVE).bind(id),
        LobbyChange::Pair { challenge, first, second } => return pair(db, challenge, first, second).await,
        LobbyChange::Seats { came, left } => return seats(db, node, came, left).await,
        LobbyChange::KeepLadder => query(KEEP_LADDER).bind(node),
        LobbyChange::Sweep { now, settled_before_ms } => return sweep(db, *now, *settled_before_ms).await,
    };
    db.execute(query).await
}

/// Forgets the reasons for which a player has declined challenges.
pub(in crate::store) async fn forget_reasons(
    db: &mut Connection<'_>,
    player: &str,
) -> Result<(), DatabaseError> {
    db.execute(query(FORGET_REASONS).bind(player)).await.map(drop)
}

async fn seats(
    db: &mut Connection<'_>,
    node: &str,
    came: &[ConnectedSeat],
    left: &[ConnectedSeat],
) -> Result<u64, DatabaseError> {
    let mut changed = 0;
    for ConnectedSeat { id, seat, .. } in left {
        let query = query(SEAT_LEFT).bind(id.as_str()).bind(i16::from(seat.0)).bind(node);
        changed += db.execute(query).await?;
    }
    for ConnectedSeat { id, seat, follows } in came {
        let query = query(SEAT_CAME).bind(id.as_str()).bind(i16::from(seat.0)).bind(node);
        changed += db.execute(query.bind(*follows)).await?;
    }
    Ok(changed)
}

async fn pair(
    db: &mut Connection<'_>,
    new: &NewChallenge,
    first: &str,
    second: &str,
) -> Result<u64, DatabaseError> {
    let insert = query(PAIR).bind(&new.id).bind(&new.challenger).bind(&new.opponent);
    let insert = insert.bind(&new.terms).bind(new.created_ms).bind(new.until_ms);
    let insert = insert.bind(format!("{first} {second}")).bind(first).bind(second);
    let paired = db.execute(insert).await?;
    if paired > 0 {
        for ticket in [first, second] {
            db.execute(query(LEAVE).bind(ticket)).await?;
        }
    }
    Ok(paired)
}

async fn sweep(
    db: &mut Connection<'_>,
    now: Millis,
    settled_before_ms: Millis,
) -> Result<u64, DatabaseError> {
    let mut changed = db.execute(query(EXPIRE).bind(now)).await?;
    changed += db.execute(query(FORGET).bind(settled_before_ms)).await?;
    for dead in [DEAD_CONNECTIONS, DEAD_TICKETS, DEAD_SEATS] {
        changed += db.execute(query(dead)).await?;
    }
    Ok(changed)
}

/// The challenge with this id.
pub(in crate::store) async fn challenge(
    db: &Readers,
    id: &str,
) -> Result<Option<StoredChallenge>, StoreError> {
    db.fetch_optional(query(ONE_CHALLENGE).bind(id)).await?.as_ref().map(read_challenge).transpose()
}

/// The whole lobby. Tickets are read before challenges: if a ticket is gone because it was paired, its challenge exists
/// already. `settled_after_ms`: older challenges are left out.
pub(in crate::store) async fn rows(
    db: &Readers,
    node: &str,
    settled_after_ms: Millis,
) -> Result<LobbyRows, StoreError> {
    let connections = db.fetch_all(query(CONNECTIONS)).await?;
    let tickets = db.fetch_all(query(TICKETS)).await?;
    let challenges = db.fetch_all(query(CHALLENGES).bind(settled_after_ms)).await?;
    let matches = db.fetch_all(query(MATCHES)).await?;
    let ratings = db.fetch_all(query(RATINGS)).await?;
    let ladder_keeper = db.fetch_optional(query(LADDER_KEEPER)).await?;
    let [own_seats, other_seats] = connected_seats(db, node).await?;
    // Sort here: to return sorted rows, the database would read settled challenges, too.
    let mut challenges = challenges.iter().map(read_challenge).collect::<Result<Vec<_>, _>>()?;
    challenges.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(LobbyRows {
        connections: connections.iter().map(read_connection).collect::<Result<_, _>>()?,
        tickets: tickets.iter().map(read_ticket).collect::<Result<_, _>>()?,
        challenges,
        matches: matches.iter().map(read_match).collect::<Result<_, _>>()?,
        ladder_keeper: ladder_keeper.map(|row| row.get(0)).transpose()?,
        own_seats,
        other_seats,
        ratings: ratings.iter().map(read_rating).collect::<Result<_, _>>()?,
    })
}

/// The seats of matches whose players are connected, to this node and to others.
async fn connected_seats(db: &Readers, node: &str) -> Result<[BTreeSet<ConnectedSeat>; 2], StoreError> {
    let [mut own, mut other] = [BTreeSet::new(), BTreeSet::new()];
    for row in db.fetch_all(query(SEATS)).await? {
        let id = MatchId::parse(row.get(0)?).ok_or_else(broken)?;
        let seat = Seat(u8::try_from(row.get::<i16>(1)?).map_err(|_| broken())?);
        let connected = ConnectedSeat { id, seat, follows: row.get(3)? };
        if row.get::<&str>(2)? == node {
            own.insert(connected)
        } else {
            other.insert(connected)
        };
    }
    Ok([own, other])
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
