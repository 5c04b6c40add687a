//! Restrictions of players, invitations and reports.

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::StoreError;
use crate::store::data::moderation::{
    Invitation, NewInvitation, NewReport, ReportSubject, RestrictedPlayer, Restriction, RestrictionKind,
    StoredReport,
};
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

const RESTRICT: Statement = Statement::new(
    "INSERT INTO restrictions (player, kind, reason, created_ms, until_ms) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (player, kind) DO UPDATE SET reason = excluded.reason, until_ms = excluded.until_ms",
);
const UNRESTRICT: Statement = Statement::new("DELETE FROM restrictions WHERE player = $1 AND kind = $2");
const RESTRICTIONS: Statement = Statement::new(
    "SELECT r.player, p.name, r.kind, r.reason, r.created_ms, r.until_ms
    FROM restrictions r JOIN players p ON p.id = r.player ORDER BY p.folded_name, r.kind",
);
const FORGET_RESTRICTIONS: Statement = Statement::new("DELETE FROM restrictions WHERE player = $1");

const INVITE: Statement = Statement::new(
    "INSERT INTO invitations (key, note, uses, used, created_ms, until_ms) VALUES ($1, $2, $3, 0, $4, $5)",
);
const USE_INVITATION: Statement = Statement::new(
    "UPDATE invitations SET used = used + 1
    WHERE key = $1 AND used < uses AND (until_ms IS NULL OR until_ms > $2)",
);
const UNUSE_INVITATION: Statement = Statement::new("UPDATE invitations SET used = used - 1 WHERE key = $1");
const REVOKE_INVITATION: Statement = Statement::new("DELETE FROM invitations WHERE substr(key, 1, 12) = $1");
const INVITATIONS: Statement = Statement::new(
    "SELECT substr(key, 1, 12), note, uses, used, created_ms, until_ms
    FROM invitations ORDER BY created_ms, key",
);

const REPORT: Statement = Statement::new(
    "INSERT INTO reports (id, kind, subject, n, reporter, reason, created_ms)
    SELECT $1, $2, $3, CAST($4 AS BIGINT), $5, $6, CAST($7 AS BIGINT)
    WHERE (SELECT count(*) FROM reports WHERE reporter = $5) < CAST($8 AS BIGINT)
    ON CONFLICT DO NOTHING",
);
const DELETE_REPORT: Statement =
    Statement::new("DELETE FROM reports WHERE id = $1 AND reporter = coalesce($2, reporter)");
const FORGET_REPORTS: Statement = Statement::new(
    "DELETE FROM reports WHERE reporter = $1 OR subject = $1
    OR (kind = 'chat' AND EXISTS (SELECT 1 FROM chat c
        WHERE c.match_id = reports.subject AND c.n = reports.n AND c.author = $1))",
);
const REPORTED: Statement =
    Statement::new("SELECT id FROM reports WHERE kind = $1 AND subject = $2 AND n = $3 AND reporter = $4");
/// A report holds no copy of what it is about.
const REPORTS: Statement = Statement::new(
    "SELECT r.id, r.kind, r.subject, r.n, a.name, r.reason, r.created_ms,
        p.name, coalesce(c.said, t.summary, CASE WHEN r.kind = 'player' THEN p.about END)
    FROM reports r LEFT JOIN players a ON a.id = r.reporter
    LEFT JOIN chat c ON r.kind = 'chat' AND c.match_id = r.subject AND c.n = r.n
    LEFT JOIN players p ON p.id = CASE WHEN r.kind = 'player' THEN r.subject ELSE c.author END
    LEFT JOIN tournaments t ON r.kind = 'tournament' AND t.id = r.subject
    WHERE r.id > $1 ORDER BY r.id LIMIT $2",
);

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    RESTRICT,
    UNRESTRICT,
    RESTRICTIONS,
    FORGET_RESTRICTIONS,
    INVITE,
    USE_INVITATION,
    UNUSE_INVITATION,
    REVOKE_INVITATION,
    INVITATIONS,
    REPORT,
    DELETE_REPORT,
    FORGET_REPORTS,
    REPORTED,
    REPORTS,
];

/// Mutes or bans a player, or changes that.
pub(in crate::store) async fn restrict(
    db: &mut Connection<'_>,
    player: &str,
    kind: RestrictionKind,
    restriction: &Restriction,
) -> Result<u64, DatabaseError> {
    let query = query(RESTRICT).bind(player).bind(kind.name()).bind(&restriction.reason);
    db.execute(query.bind(restriction.created_ms).bind(restriction.until_ms)).await
}

/// Lifts a mute or a ban.
pub(in crate::store) async fn unrestrict(
    db: &mut Connection<'_>,
    player: &str,
    kind: RestrictionKind,
) -> Result<u64, DatabaseError> {
    db.execute(query(UNRESTRICT).bind(player).bind(kind.name())).await
}

/// All restrictions, in the order of the players' names, including those that have expired.
pub(in crate::store) async fn restrictions(db: &Readers) -> Result<Vec<RestrictedPlayer>, StoreError> {
    let read = |row: &Row| {
        Ok(RestrictedPlayer {
            player: row.get(0)?,
            name: row.get(1)?,
            kind: RestrictionKind::parse(row.get(2)?).ok_or_else(broken)?,
            restriction: Restriction { reason: row.get(3)?, created_ms: row.get(4)?, until_ms: row.get(5)? },
        })
    };
    db.fetch_all(query(RESTRICTIONS)).await?.iter().map(read).collect()
}

/// Deletes the restrictions of a player, and the reports by and about the player.
pub(in crate::store) async fn forget(db: &mut Connection<'_>, player: &str) -> Result<(), DatabaseError> {
    db.execute(query(FORGET_RESTRICTIONS).bind(player)).await?;
    db.execute(query(FORGET_REPORTS).bind(player)).await.map(drop)
}

/// Adds an invitation.
pub(in crate::store) async fn invite(
    db: &mut Connection<'_>,
    new: &NewInvitation,
) -> Result<u64, DatabaseError> {
    let query = query(INVITE).bind(new.key.to_string()).bind(&new.note);
    db.execute(query.bind(i64::from(new.uses)).bind(new.created_ms).bind(new.until_ms)).await
}

/// Uses an invitation once more; returns whether it is valid.
pub(in crate::store) async fn use_invitation(
    db: &mut Connection<'_>,
    key: KeyHash,
    now: Millis,
) -> Result<bool, DatabaseError> {
    Ok(db.execute(query(USE_INVITATION).bind(key.to_string()).bind(now)).await? > 0)
}

/// Takes back a use: no player was created.
pub(in crate::store) async fn unuse_invitation(
    db: &mut Connection<'_>,
    key: KeyHash,
) -> Result<(), DatabaseError> {
    db.execute(query(UNUSE_INVITATION).bind(key.to_string())).await.map(drop)
}

/// Deletes an invitation.
pub(in crate::store) async fn revoke_invitation(
    db: &mut Connection<'_>,
    id: &str,
) -> Result<u64, DatabaseError> {
    db.execute(query(REVOKE_INVITATION).bind(id)).await
}

/// All invitations, the oldest first.
pub(in crate::store) async fn invitations(db: &Readers) -> Result<Vec<Invitation>, StoreError> {
    let read = |row: &Row| {
        Ok(Invitation {
            id: row.get(0)?,
            note: row.get(1)?,
            uses: u32::try_from(row.get::<i64>(2)?).map_err(|_| broken())?,
            used: u32::try_from(row.get::<i64>(3)?).map_err(|_| broken())?,
            created_ms: row.get(4)?,
            until_ms: row.get(5)?,
        })
    };
    db.fetch_all(query(INVITATIONS)).await?.iter().map(read).collect()
}

/// Adds a report; returns 0 if the reporter has reported the same before, or has too many reports.
pub(in crate::store) async fn report(db: &mut Connection<'_>, new: &NewReport) -> Result<u64, DatabaseError> {
    let (kind, subject, n) = new.subject.stored();
    let query = query(REPORT).bind(&new.id).bind(kind).bind(subject).bind(i64::from(n));
    let query = query.bind(&new.reporter).bind(&new.reason).bind(new.created_ms);
    db.execute(query.bind(i64::from(new.most))).await
}

/// Deletes a report. `reporter`: only if it is theirs.
pub(in crate::store) async fn delete_report(
    db: &mut Connection<'_>,
    id: &str,
    reporter: Option<&str>,
) -> Result<u64, DatabaseError> {
    db.execute(query(DELETE_REPORT).bind(id).bind(reporter)).await
}

/// The id of the report of this reporter about this subject.
pub(in crate::store) async fn reported(
    db: &Readers,
    subject: &ReportSubject,
    reporter: &str,
) -> Result<Option<String>, StoreError> {
    let (kind, subject, n) = subject.stored();
    let query = query(REPORTED).bind(kind).bind(subject).bind(i64::from(n)).bind(reporter);
    Ok(db.fetch_optional(query).await?.map(|row| row.get(0)).transpose()?)
}

/// Reports with ids after this one, the oldest first.
pub(in crate::store) async fn reports(
    db: &Readers,
    after: &str,
    limit: u32,
) -> Result<Vec<StoredReport>, StoreError> {
    let read = |row: &Row| {
        let n = u32::try_from(row.get::<i64>(3)?).map_err(|_| broken())?;
        Ok(StoredReport {
            id: row.get(0)?,
            subject: ReportSubject::read(row.get(1)?, row.get(2)?, n).ok_or_else(broken)?,
            reporter: row.get(4)?,
            reason: row.get(5)?,
            created_ms: row.get(6)?,
            player: row.get(7)?,
            text: row.get(8)?,
        })
    };
    db.fetch_all(query(REPORTS).bind(after).bind(i64::from(limit))).await?.iter().map(read).collect()
}
