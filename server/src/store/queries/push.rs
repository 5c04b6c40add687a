//! Subscriptions of browsers to notifications, and the notifications to send.

use crate::domain::time::Millis;
use crate::domain::{NotificationKind, PlayerRef};
use crate::store::StoreError;
use crate::store::data::push::{
    DueNotification, ListedPushSubscription, NewNotification, NewPushSubscription, NotificationKey,
    PushChange, PushTarget, StoredPushSubscription,
};
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::people::accounts;

/// A condition on a subscription `s` before and after the time's parameter: the token that added it is still valid.
macro_rules! of_valid_token {
    ($before:literal, $now:literal, $after:literal) => {
        concat!(
            $before,
            "(EXISTS (SELECT 1 FROM players h WHERE h.id = s.player AND h.key = s.holder)
            OR EXISTS (SELECT 1 FROM tokens h WHERE h.key = s.holder
                AND (h.expires_ms IS NULL OR h.expires_ms > ",
            $now,
            ")))",
            $after
        )
    };
}

/// How long a subscription waits to be renewed that its push service does not know any more, in milliseconds: 60 days.
const RENEWABLE_MS: Millis = 60 * 86_400_000;

const KEEP_KEY: Statement =
    Statement::new("INSERT INTO settings (name, value) VALUES ('push_key', $1) ON CONFLICT DO NOTHING");
const KEY: Statement = Statement::new("SELECT value FROM settings WHERE name = 'push_key'");
/// An older subscription of the same browser. Who knows its keys is that browser, whoever is signed in there.
const REPLACE: Statement = Statement::new(
    "DELETE FROM push_subscriptions
    WHERE endpoint = $1 AND (player = $2 OR (public_key = $3 AND secret = $4))",
);
/// When a player has too many, those that wait to be renewed go first.
const DROP_LAPSED: Statement = Statement::new(
    "DELETE FROM push_subscriptions WHERE player = $1 AND gone_ms IS NOT NULL
        AND (SELECT count(*) FROM push_subscriptions WHERE player = $1) >= CAST($2 AS BIGINT)",
);
const ADD: Statement = Statement::new(
    "INSERT INTO push_subscriptions
        (id, player, holder, name, endpoint, public_key, secret, language, kinds, created_ms)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, CAST($10 AS BIGINT)
    WHERE EXISTS (SELECT 1 FROM players WHERE id = $2 AND deleted_ms IS NULL)
        AND (SELECT count(*) FROM push_subscriptions WHERE player = $2) < CAST($11 AS BIGINT)",
);
/// Another row of the browser that renews a subscription. Both are one from then on.
const DROP_TWIN: Statement = Statement::new(
    "DELETE FROM push_subscriptions
    WHERE endpoint = $4 AND public_key = $5 AND secret = $6 AND endpoint <> $1
        AND EXISTS (SELECT 1 FROM push_subscriptions WHERE endpoint = $1 AND public_key = $2 AND secret = $3)",
);
const RENEW: Statement = Statement::new(of_valid_token!(
    "UPDATE push_subscriptions AS s SET endpoint = $4, public_key = $5, secret = $6, gone_ms = NULL
    WHERE s.endpoint = $1 AND s.public_key = $2 AND s.secret = $3 AND ",
    "$7",
    ""
));
const LAPSE: Statement = Statement::new(
    "UPDATE push_subscriptions SET gone_ms = $3 WHERE id = $1 AND endpoint = $2 AND gone_ms IS NULL",
);
const CHOOSE: Statement =
    Statement::new("UPDATE push_subscriptions SET kinds = $3 WHERE player = $1 AND id = $2");
const REMOVE: Statement = Statement::new("DELETE FROM push_subscriptions WHERE player = $1 AND id = $2");
const FORGET: Statement = Statement::new("DELETE FROM push_subscriptions WHERE player = $1");
const LIST: Statement = Statement::new(of_valid_token!(
    "SELECT s.id, s.name, s.kinds, s.created_ms, s.delivered_ms FROM push_subscriptions s
    WHERE s.player = $1 AND s.gone_ms IS NULL AND ",
    "$2",
    " ORDER BY s.id"
));
const FIND: Statement = Statement::new(of_valid_token!(
    "SELECT s.id, p.id, p.name, p.owner, s.endpoint, s.public_key, s.secret, s.language
    FROM push_subscriptions s JOIN players p ON p.id = s.player
    WHERE s.player = $1 AND s.id = $3 AND s.gone_ms IS NULL AND ",
    "$2",
    ""
));
const PLAYERS: Statement = Statement::new("SELECT DISTINCT player FROM push_subscriptions");
const DELIVERED: Statement = Statement::new("UPDATE push_subscriptions SET delivered_ms = $2 WHERE id = $1");
const NOTIFY: Statement = Statement::new(
    "INSERT INTO push_notifications (subscription, kind, subject, due_ms, until_ms, tries)
    SELECT id, $2, $3, CAST($4 AS BIGINT), CAST($5 AS BIGINT), 0 FROM push_subscriptions
    WHERE player = $1 AND ' ' || kinds || ' ' LIKE '% ' || $2 || ' %'
    ON CONFLICT DO NOTHING",
);
const DUE: Statement = Statement::new(of_valid_token!(
    "SELECT s.id, p.id, p.name, p.owner, s.endpoint, s.public_key, s.secret, s.language,
        n.kind, n.subject, n.due_ms, n.until_ms, n.tries
    FROM push_notifications n
    JOIN push_subscriptions s ON s.id = n.subscription
    JOIN players p ON p.id = s.player
    WHERE n.due_ms <= $1 AND n.until_ms > $1 AND s.gone_ms IS NULL AND ",
    "$1",
    " ORDER BY n.due_ms LIMIT $2"
));
const CLAIM: Statement = Statement::new(
    "UPDATE push_notifications SET due_ms = $5, tries = tries + 1
    WHERE subscription = $1 AND kind = $2 AND subject = $3 AND due_ms = $4",
);
const POSTPONE: Statement = Statement::new(
    "UPDATE push_notifications SET due_ms = $4, until_ms = coalesce($5, until_ms)
    WHERE subscription = $1 AND kind = $2 AND subject = $3",
);
const SETTLE: Statement = Statement::new(
    "UPDATE push_notifications SET due_ms = NULL WHERE subscription = $1 AND kind = $2 AND subject = $3",
);
const SWEEP: Statement = Statement::new(
    "DELETE FROM push_notifications WHERE until_ms <= $1
        OR subscription NOT IN (SELECT id FROM push_subscriptions)",
);
const SWEEP_SUBSCRIPTIONS: Statement = Statement::new(of_valid_token!(
    "DELETE FROM push_subscriptions
    WHERE gone_ms <= $2 OR id IN (SELECT s.id FROM push_subscriptions s WHERE NOT ",
    "$1",
    ")"
));

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    KEEP_KEY,
    KEY,
    REPLACE,
    DROP_LAPSED,
    ADD,
    DROP_TWIN,
    RENEW,
    LAPSE,
    CHOOSE,
    REMOVE,
    FORGET,
    LIST,
    FIND,
    PLAYERS,
    DELIVERED,
    NOTIFY,
    DUE,
    CLAIM,
    POSTPONE,
    SETTLE,
    SWEEP,
    SWEEP_SUBSCRIPTIONS,
];

/// The private key of this database's servers, once there is one.
pub(in crate::store) async fn key(db: &Readers) -> Result<Option<String>, StoreError> {
    db.fetch_optional(query(KEY)).await?.map(|row| Ok(row.get(0)?)).transpose()
}

/// The subscriptions of a player, the oldest first, without those that wait to be renewed.
pub(in crate::store) async fn subscriptions(
    db: &Readers,
    player: &str,
    now: Millis,
) -> Result<Vec<ListedPushSubscription>, StoreError> {
    let read = |row: &Row| {
        Ok(ListedPushSubscription {
            id: row.get(0)?,
            name: row.get(1)?,
            kinds: kinds_of(row.get(2)?),
            created_ms: row.get(3)?,
            delivered_ms: row.get(4)?,
        })
    };
    db.fetch_all(query(LIST).bind(player).bind(now)).await?.iter().map(read).collect()
}

/// The subscription of a player with this id, unless it waits to be renewed.
pub(in crate::store) async fn subscription(
    db: &Readers,
    player: &str,
    id: &str,
    now: Millis,
) -> Result<Option<StoredPushSubscription>, StoreError> {
    db.fetch_optional(query(FIND).bind(player).bind(now).bind(id)).await?.as_ref().map(stored).transpose()
}

/// The ids of the players who have a subscription.
pub(in crate::store) async fn players(db: &Readers) -> Result<Vec<String>, StoreError> {
    db.fetch_all(query(PLAYERS)).await?.iter().map(|row| Ok(row.get(0)?)).collect()
}

/// The notifications that are due, those that have waited longest first.
pub(in crate::store) async fn due(
    db: &Readers,
    now: Millis,
    limit: u32,
) -> Result<Vec<DueNotification>, StoreError> {
    let read = |row: &Row| {
        let to = stored(row)?;
        let kind = NotificationKind::parse(row.get(8)?).ok_or_else(broken)?;
        let key = NotificationKey { subscription: to.id.clone(), kind, subject: row.get(9)? };
        let tries = row.get::<i32>(12)?.cast_unsigned();
        Ok(DueNotification { key, due_ms: row.get(10)?, until_ms: row.get(11)?, tries, to })
    };
    db.fetch_all(query(DUE).bind(now).bind(i64::from(limit))).await?.iter().map(read).collect()
}

/// The subscription in the first columns of a row.
fn stored(row: &Row) -> Result<StoredPushSubscription, StoreError> {
    Ok(StoredPushSubscription {
        id: row.get(0)?,
        who: PlayerRef { id: row.get(1)?, name: row.get(2)?, owner: row.get(3)? },
        target: PushTarget { endpoint: row.get(4)?, public_key: row.get(5)?, secret: row.get(6)? },
        language: row.get(7)?,
    })
}

/// The kinds in a text of the tables. A program of another version may have written kinds that this one does not know.
fn kinds_of(text: &str) -> Vec<NotificationKind> {
    text.split(' ').filter_map(NotificationKind::parse).collect()
}

fn kinds_text(kinds: &[NotificationKind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" ")
}

/// Carries out a change; returns the number of rows that it changed.
pub(in crate::store) async fn carry_out(
    db: &mut Connection<'_>,
    change: &PushChange,
) -> Result<u64, DatabaseError> {
    let of = |statement, NotificationKey { subscription, kind, subject }| {
        query(statement).bind(subscription).bind(kind.name()).bind(subject)
    };
    match change {
        PushChange::KeepKey(key) => db.execute(query(KEEP_KEY).bind(key)).await,
        PushChange::Subscribe(new) => subscribe(db, new).await,
        PushChange::Choose { player, id, kinds } => {
            db.execute(query(CHOOSE).bind(player).bind(id).bind(kinds_text(kinds))).await
        }
        PushChange::Unsubscribe { player, id } => {
            let rows = db.execute(query(REMOVE).bind(player).bind(id)).await?;
            announce(db, rows).await
        }
        PushChange::Renew { from, to, now } => renew(db, from, to, *now).await,
        PushChange::Lapse { id, endpoint, at_ms } => {
            db.execute(query(LAPSE).bind(id).bind(endpoint).bind(*at_ms)).await
        }
        PushChange::Notify(new) => {
            let mut added = 0;
            for one in new {
                added += notify(db, one).await?;
            }
            Ok(added)
        }
        PushChange::Claim { key, due_ms, again_ms } => {
            db.execute(of(CLAIM, key.clone()).bind(*due_ms).bind(*again_ms)).await
        }
        PushChange::Postpone { key, due_ms, until_ms } => {
            db.execute(of(POSTPONE, key.clone()).bind(*due_ms).bind(*until_ms)).await
        }
        PushChange::Settle { key, delivered_ms } => {
            if let Some(at_ms) = delivered_ms {
                db.execute(query(DELIVERED).bind(&key.subscription).bind(*at_ms)).await?;
            }
            db.execute(of(SETTLE, key.clone())).await
        }
        PushChange::Delivered { id, at_ms } => db.execute(query(DELIVERED).bind(id).bind(*at_ms)).await,
        PushChange::Sweep { now } => {
            let sweep = query(SWEEP_SUBSCRIPTIONS).bind(*now).bind(now.saturating_sub(RENEWABLE_MS));
            let rows = db.execute(sweep).await?;
            let others = db.execute(query(SWEEP).bind(*now)).await?;
            Ok(announce(db, rows).await? + others)
        }
    }
}

async fn subscribe(db: &mut Connection<'_>, new: &NewPushSubscription) -> Result<u64, DatabaseError> {
    let PushTarget { endpoint, public_key, secret } = &new.target;
    let replace = query(REPLACE).bind(endpoint).bind(&new.player).bind(public_key).bind(secret);
    db.execute(replace).await?;
    db.execute(query(DROP_LAPSED).bind(&new.player).bind(i64::from(new.most))).await?;
    let add = query(ADD).bind(&new.id).bind(&new.player).bind(new.holder.to_string()).bind(&new.name);
    let add = add.bind(endpoint).bind(public_key).bind(secret).bind(&new.language);
    let add = add.bind(kinds_text(&new.kinds)).bind(new.created_ms).bind(i64::from(new.most));
    let rows = db.execute(add).await?;
    announce(db, rows).await
}

async fn renew(
    db: &mut Connection<'_>,
    from: &PushTarget,
    to: &PushTarget,
    now: Millis,
) -> Result<u64, DatabaseError> {
    let of = |statement, from: &PushTarget| {
        let query = query(statement).bind(from.endpoint.clone());
        let query = query.bind(from.public_key.clone()).bind(from.secret.clone());
        query.bind(to.endpoint.clone()).bind(to.public_key.clone()).bind(to.secret.clone())
    };
    db.execute(of(DROP_TWIN, from)).await?;
    match db.execute(of(RENEW, from).bind(now)).await? {
        // Perhaps it was done before, and the browser did not get the answer.
        0 => db.execute(of(RENEW, to).bind(now)).await,
        rows => Ok(rows),
    }
}

/// Tells all nodes that players have other subscriptions, if so. They know which players have one.
async fn announce(db: &mut Connection<'_>, rows: u64) -> Result<u64, DatabaseError> {
    if rows > 0 {
        accounts::count_up(db).await?;
    }
    Ok(rows)
}

/// Adds a notification to each subscription of its player that wants it, once.
pub(in crate::store) async fn notify(
    db: &mut Connection<'_>,
    new: &NewNotification,
) -> Result<u64, DatabaseError> {
    let query = query(NOTIFY).bind(&new.player).bind(new.kind.name()).bind(&new.subject);
    db.execute(query.bind(new.due_ms).bind(new.until_ms)).await
}

/// Removes all subscriptions of a player.
pub(in crate::store) async fn forget(db: &mut Connection<'_>, player: &str) -> Result<(), DatabaseError> {
    db.execute(query(FORGET).bind(player)).await.map(drop)
}
