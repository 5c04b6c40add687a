//! The statements about restrictions of players, invitations and reports, which both databases understand, and the
//! functions that run them, written once for both.

/// The statements.
pub(super) mod sql {
    pub(in crate::store) const RESTRICT: &str =
        "INSERT INTO restrictions (player, kind, reason, created_ms, until_ms) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (player, kind) DO UPDATE SET reason = excluded.reason, until_ms = excluded.until_ms";
    pub(in crate::store) const UNRESTRICT: &str = "DELETE FROM restrictions WHERE player = $1 AND kind = $2";
    pub(in crate::store) const RESTRICTIONS: &str =
        "SELECT r.player, p.name, r.kind, r.reason, r.created_ms, r.until_ms
        FROM restrictions r JOIN players p ON p.id = r.player ORDER BY p.folded, r.kind";
    pub(in crate::store) const FORGET_RESTRICTIONS: &str = "DELETE FROM restrictions WHERE player = $1";

    pub(in crate::store) const INVITE: &str = "INSERT INTO invitations (key, note, uses, used, created_ms, until_ms) VALUES ($1, $2, $3, 0, $4, $5)";
    pub(in crate::store) const USE_INVITATION: &str = "UPDATE invitations SET used = used + 1
        WHERE key = $1 AND used < uses AND (until_ms IS NULL OR until_ms > $2)";
    pub(in crate::store) const UNUSE_INVITATION: &str =
        "UPDATE invitations SET used = used - 1 WHERE key = $1";
    pub(in crate::store) const REVOKE_INVITATION: &str =
        "DELETE FROM invitations WHERE substr(key, 1, 12) = $1";
    pub(in crate::store) const INVITATIONS: &str =
        "SELECT substr(key, 1, 12), note, uses, used, created_ms, until_ms
        FROM invitations ORDER BY created_ms, key";

    pub(in crate::store) const REPORT: &str =
        "INSERT INTO reports (id, kind, subject, n, reporter, reason, created_ms)
        SELECT $1, $2, $3, CAST($4 AS BIGINT), $5, $6, CAST($7 AS BIGINT)
        WHERE (SELECT count(*) FROM reports WHERE reporter = $5) < CAST($8 AS BIGINT)
        ON CONFLICT DO NOTHING";
    pub(in crate::store) const DELETE_REPORT: &str =
        "DELETE FROM reports WHERE id = $1 AND reporter = coalesce($2, reporter)";
    pub(in crate::store) const FORGET_REPORTS: &str =
        "DELETE FROM reports WHERE reporter = $1 OR subject = $1
        OR (kind = 'chat' AND EXISTS (SELECT 1 FROM chat c
            WHERE c.match_id = reports.subject AND c.n = reports.n AND c.author = $1))";
    pub(in crate::store) const REPORTED: &str =
        "SELECT id FROM reports WHERE kind = $1 AND subject = $2 AND n = $3 AND reporter = $4";
    /// A report holds no copy of what it is about.
    pub(in crate::store) const REPORTS: &str =
        "SELECT r.id, r.kind, r.subject, r.n, a.name, r.reason, r.created_ms,
            p.name, coalesce(c.said, t.summary, CASE WHEN r.kind = 'player' THEN p.about END)
        FROM reports r LEFT JOIN players a ON a.id = r.reporter
        LEFT JOIN chat c ON r.kind = 'chat' AND c.match_id = r.subject AND c.n = r.n
        LEFT JOIN players p ON p.id = CASE WHEN r.kind = 'player' THEN r.subject ELSE c.author END
        LEFT JOIN tournaments t ON r.kind = 'tournament' AND t.id = r.subject
        WHERE r.id > $1 ORDER BY r.id LIMIT $2";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 14] = [
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
}

/// The functions of one database. `$Connection`, `$Pool`: its connections and pools.
macro_rules! moderation_access {
    ($Connection:ty, $Pool:ty) => {
        use crate::domain::time::Millis;
        use crate::domain::token::KeyHash;
        use crate::store::StoreError;
        use crate::store::moderation::{
            Invitation, NewInvitation, NewReport, ReportSubject, RestrictedPlayer, Restriction,
            RestrictionKind, StoredReport,
        };
        use crate::store::moderation_sql::sql;
        use crate::store::row::broken;

        /// Mutes or bans a player, or changes that.
        pub(super) async fn restrict(
            db: &mut $Connection,
            player: &str,
            kind: RestrictionKind,
            restriction: &Restriction,
        ) -> Result<u64, sqlx::Error> {
            let query = sqlx::query(sql::RESTRICT).bind(player).bind(kind.name()).bind(&restriction.reason);
            let query = query.bind(restriction.created_ms).bind(restriction.until_ms);
            Ok(query.execute(db).await?.rows_affected())
        }

        /// Lifts a mute or a ban.
        pub(super) async fn unrestrict(
            db: &mut $Connection,
            player: &str,
            kind: RestrictionKind,
        ) -> Result<u64, sqlx::Error> {
            let query = sqlx::query(sql::UNRESTRICT).bind(player).bind(kind.name());
            Ok(query.execute(db).await?.rows_affected())
        }

        /// All restrictions, in the order of the players' names, including those that have expired.
        pub(super) async fn restrictions(db: &$Pool) -> Result<Vec<RestrictedPlayer>, StoreError> {
            type Found = (String, String, String, String, Millis, Option<Millis>);
            let found: Vec<Found> = sqlx::query_as(sql::RESTRICTIONS).fetch_all(db).await?;
            let entry = |(player, name, kind, reason, created_ms, until_ms): Found| {
                let kind = RestrictionKind::parse(&kind).ok_or_else(broken)?;
                let restriction = Restriction { reason, created_ms, until_ms };
                Ok(RestrictedPlayer { player, name, kind, restriction })
            };
            found.into_iter().map(entry).collect()
        }

        /// Deletes the restrictions of a player, and the reports by and about the player.
        pub(super) async fn forget(db: &mut $Connection, player: &str) -> Result<(), sqlx::Error> {
            sqlx::query(sql::FORGET_RESTRICTIONS).bind(player).execute(&mut *db).await?;
            sqlx::query(sql::FORGET_REPORTS).bind(player).execute(db).await.map(drop)
        }

        /// Adds an invitation.
        pub(super) async fn invite(db: &mut $Connection, new: &NewInvitation) -> Result<u64, sqlx::Error> {
            let query = sqlx::query(sql::INVITE).bind(new.key.to_string()).bind(&new.note);
            let query = query.bind(i64::from(new.uses)).bind(new.created_ms).bind(new.until_ms);
            Ok(query.execute(db).await?.rows_affected())
        }

        /// Uses an invitation once more; returns whether it is valid.
        pub(super) async fn use_invitation(
            db: &mut $Connection,
            key: KeyHash,
            now: Millis,
        ) -> Result<bool, sqlx::Error> {
            let query = sqlx::query(sql::USE_INVITATION).bind(key.to_string()).bind(now);
            Ok(query.execute(db).await?.rows_affected() > 0)
        }

        /// Takes back a use: no player was created.
        pub(super) async fn unuse_invitation(db: &mut $Connection, key: KeyHash) -> Result<(), sqlx::Error> {
            sqlx::query(sql::UNUSE_INVITATION).bind(key.to_string()).execute(db).await.map(drop)
        }

        /// Deletes an invitation.
        pub(super) async fn revoke_invitation(db: &mut $Connection, id: &str) -> Result<u64, sqlx::Error> {
            Ok(sqlx::query(sql::REVOKE_INVITATION).bind(id).execute(db).await?.rows_affected())
        }

        /// All invitations, the oldest first.
        pub(super) async fn invitations(db: &$Pool) -> Result<Vec<Invitation>, StoreError> {
            type Found = (String, String, i64, i64, Millis, Option<Millis>);
            let found: Vec<Found> = sqlx::query_as(sql::INVITATIONS).fetch_all(db).await?;
            let entry = |(id, note, uses, used, created_ms, until_ms): Found| {
                let (uses, used) = (u32::try_from(uses).ok()?, u32::try_from(used).ok()?);
                Some(Invitation { id, note, uses, used, created_ms, until_ms })
            };
            found.into_iter().map(|row| entry(row).ok_or_else(broken)).collect()
        }

        /// Adds a report; returns 0 if the reporter has reported the same before, or has too many reports.
        pub(super) async fn report(db: &mut $Connection, new: &NewReport) -> Result<u64, sqlx::Error> {
            let (kind, subject, n) = new.subject.stored();
            let query = sqlx::query(sql::REPORT).bind(&new.id).bind(kind).bind(subject).bind(i64::from(n));
            let query = query.bind(&new.reporter).bind(&new.reason).bind(new.created_ms);
            Ok(query.bind(i64::from(new.most)).execute(db).await?.rows_affected())
        }

        /// Deletes a report. `reporter`: only if it is theirs.
        pub(super) async fn delete_report(
            db: &mut $Connection,
            id: &str,
            reporter: Option<&str>,
        ) -> Result<u64, sqlx::Error> {
            let query = sqlx::query(sql::DELETE_REPORT).bind(id).bind(reporter);
            Ok(query.execute(db).await?.rows_affected())
        }

        /// The id of the report of this reporter about this subject.
        pub(super) async fn reported(
            db: &$Pool,
            subject: &ReportSubject,
            reporter: &str,
        ) -> Result<Option<String>, StoreError> {
            let (kind, subject, n) = subject.stored();
            let query = sqlx::query_scalar(sql::REPORTED).bind(kind).bind(subject).bind(i64::from(n));
            Ok(query.bind(reporter).fetch_optional(db).await?)
        }

        /// Reports with ids after this one, the oldest first.
        pub(super) async fn reports(
            db: &$Pool,
            after: &str,
            limit: u32,
        ) -> Result<Vec<StoredReport>, StoreError> {
            type Found =
                (String, String, String, i64, Option<String>, String, Millis, Option<String>, Option<String>);
            let query = sqlx::query_as(sql::REPORTS).bind(after).bind(i64::from(limit));
            let found: Vec<Found> = query.fetch_all(db).await?;
            let entry = |(id, kind, subject, n, reporter, reason, created_ms, player, text): Found| {
                let subject = ReportSubject::read(&kind, subject, u32::try_from(n).ok()?)?;
                Some(StoredReport { id, subject, reporter, reason, created_ms, player, text })
            };
            found.into_iter().map(|row| entry(row).ok_or_else(broken)).collect()
        }
    };
}
pub(super) use moderation_access;
