//! The lobby: connected players, challenges, tickets, seats of matches whose players are connected.

mod read;

use crate::domain::time::Millis;
use crate::domain::{MatchId, NotificationKind};
use crate::store::data::lobby::{ConnectedSeat, LobbyChange, NewChallenge};
use crate::store::data::push::NewNotification;
use crate::store::database::{Connection, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::push;

#[cfg(test)]
pub(in crate::store) use read::STATEMENTS as READ_STATEMENTS;
pub(in crate::store) use read::{challenge, news};

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

/// A statement with the ids of the nodes that live and serve between its two parts.
macro_rules! of_living_nodes {
    ($before:literal, $after:literal) => {
        Statement::of_each(
            concat!($before, "(SELECT id FROM nodes WHERE NOT stopping)", $after),
            concat!(
                $before,
                "(SELECT id FROM nodes WHERE expires_at > clock_timestamp() AND NOT stopping)",
                $after
            ),
        )
    };
}
const KEEP_LADDER: Statement = of_living_nodes!(
    "INSERT INTO duties (name, holder) VALUES ('ladder', $1)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder WHERE duties.holder NOT IN ",
    ""
);
const DEAD_SEATS: Statement = of_living_nodes!("DELETE FROM match_presence WHERE node NOT IN ", "");
const DEAD_CONNECTIONS: Statement = of_living_nodes!("DELETE FROM presence WHERE node NOT IN ", "");
const DEAD_TICKETS: Statement = of_living_nodes!("DELETE FROM tickets WHERE node NOT IN ", "");

/// A node that has not read the lobby for this many changes reads the whole again.
const OLD_CHANGES: Statement =
    Statement::new("DELETE FROM lobby_changes WHERE nr <= (SELECT max(nr) FROM lobby_changes) - 100000");

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
    DEAD_CONNECTIONS,
    DEAD_TICKETS,
    DEAD_SEATS,
    OLD_CHANGES,
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
            return challenge_and_notify(db, new, *most).await;
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

/// Adds a challenge, and the notification of its opponent.
async fn challenge_and_notify(
    db: &mut Connection<'_>,
    new: &NewChallenge,
    most: u32,
) -> Result<u64, DatabaseError> {
    let query = query(CHALLENGE).bind(&new.id).bind(&new.challenger).bind(&new.opponent);
    let query = query.bind(&new.terms).bind(new.created_ms).bind(new.until_ms);
    let added = db.execute(query.bind(i64::from(most))).await?;
    if added > 0 {
        let notification = NewNotification {
            player: new.opponent.clone(),
            kind: NotificationKind::Challenge,
            subject: new.id.clone(),
            due_ms: new.created_ms,
            until_ms: new.until_ms,
        };
        push::notify(db, &notification).await?;
    }
    Ok(added)
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
    db.execute(query(OLD_CHANGES)).await?;
    Ok(changed)
}
