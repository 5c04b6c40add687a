//! The statements about accounts, bans and old matches that both databases understand, and the functions that run them,
//! written once for both. A change to an account or a ban increases a version, by which other nodes on the database learn
//! of it.

/// The statements.
pub(super) mod sql {
    pub(in crate::store) const KEY: &str = "UPDATE players SET key = $1 WHERE id = $2 AND deleted_ms IS NULL";
    pub(in crate::store) const RENAME: &str =
        "UPDATE players SET name = $1, folded = $2, skeleton = $3, renamed_ms = $4
        WHERE id = $5 AND deleted_ms IS NULL
            AND NOT EXISTS (SELECT 1 FROM players p WHERE p.id <> $5 AND (p.folded = $2 OR p.skeleton = $3))
            AND NOT EXISTS (SELECT 1 FROM held_names h
                WHERE (h.folded = $6 OR h.skeleton = $7) AND h.until_ms > $4)";
    pub(in crate::store) const NAME_KEY: &str =
        "SELECT folded, skeleton FROM players WHERE id = $1 AND deleted_ms IS NULL";
    /// Names that were given up are kept as hashes.
    pub(in crate::store) const HOLD: &str =
        "INSERT INTO held_names (folded, skeleton, until_ms) VALUES ($1, $2, $3)
        ON CONFLICT (folded) DO UPDATE SET until_ms = excluded.until_ms";
    pub(in crate::store) const DELETE: &str =
        "UPDATE players SET name = '', folded = 'deleted:' || id, skeleton = '', key = 'deleted:' || id,
            about = NULL, renamed_ms = $2, deleted_ms = $2
        WHERE id = $1 AND deleted_ms IS NULL";
    pub(in crate::store) const ERASE_LATER: &str =
        "INSERT INTO erasures (player, at_ms, match_nr) VALUES ($1, $2, 0)
        ON CONFLICT (player) DO NOTHING";
    pub(in crate::store) const FORGET_RESULTS: &str = "DELETE FROM results WHERE player = $1";
    pub(in crate::store) const FORGET_BLOCKS: &str = "DELETE FROM blocks WHERE player = $1 OR blocked = $1";
    pub(in crate::store) const NOTE_DELETED: &str =
        "INSERT INTO deleted_matches (id, at_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    pub(in crate::store) const FORGET_DELETED: &str = "DELETE FROM deleted_matches WHERE at_ms < $1";
    pub(in crate::store) const DELETED: &str = "SELECT id FROM deleted_matches";
    pub(in crate::store) const BLOCK: &str = "INSERT INTO blocks (player, blocked, at_ms)
        SELECT $1, $2, CAST($3 AS BIGINT)
        WHERE (SELECT count(*) FROM blocks WHERE player = $1) < CAST($4 AS BIGINT)
        ON CONFLICT DO NOTHING";
    pub(in crate::store) const UNBLOCK: &str = "DELETE FROM blocks WHERE player = $1 AND blocked = $2";
    pub(in crate::store) const BLOCKS: &str = "SELECT player, blocked FROM blocks";
    pub(in crate::store) const BLOCKED_BY: &str =
        "SELECT p.name FROM blocks b JOIN players p ON p.id = b.blocked
        WHERE b.player = $1 ORDER BY p.folded";
    pub(in crate::store) const BAN: &str =
        "INSERT INTO bans (network, reason, created_ms, until_ms) VALUES ($1, $2, $3, $4)
        ON CONFLICT (network) DO UPDATE SET reason = excluded.reason, until_ms = excluded.until_ms";
    pub(in crate::store) const UNBAN: &str = "DELETE FROM bans WHERE network = $1";
    pub(in crate::store) const FREE_NAMES: &str = "DELETE FROM held_names WHERE until_ms <= $1";
    pub(in crate::store) const VERSION: &str =
        "SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'accounts'";
    pub(in crate::store) const BANS: &str =
        "SELECT network, reason, created_ms, until_ms FROM bans ORDER BY network";
    pub(in crate::store) const TAKEN: &str =
        "SELECT EXISTS (SELECT 1 FROM players WHERE folded = $1 OR skeleton = $2)
        OR EXISTS (SELECT 1 FROM held_names WHERE (folded = $4 OR skeleton = $5) AND until_ms > $3)";
    pub(in crate::store) const PLAYING: &str =
        "SELECT match_id FROM match_players WHERE player = $1 AND stage <> 'over' ORDER BY match_id";
    pub(in crate::store) const PLAYERS: &str = "SELECT id, name, created_ms FROM players
        WHERE deleted_ms IS NULL AND kind <> 'engine' AND folded > $1 ORDER BY folded LIMIT $2";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 23] = [
        KEY,
        RENAME,
        NAME_KEY,
        HOLD,
        DELETE,
        ERASE_LATER,
        NOTE_DELETED,
        FORGET_DELETED,
        DELETED,
        FORGET_RESULTS,
        FORGET_BLOCKS,
        BLOCK,
        UNBLOCK,
        BLOCKS,
        BLOCKED_BY,
        BAN,
        UNBAN,
        FREE_NAMES,
        VERSION,
        BANS,
        TAKEN,
        PLAYING,
        PLAYERS,
    ];
}

/// The functions of one database. `$Connection`, `$Pool`: its connections and pools; `$FORGET_REQUESTS`: deletes the
/// requests that created an account; `$EXPIRE`: deletes old matches; `$COUNT_UP`: increases the version of accounts;
/// `$FORMER`: the players whose names have changed. The caller's modules `chat`, `erasure`, `lobby`, `moderation`, `ratings`,
/// `tokens` and `tournaments` carry out the changes to those, and `delete_match` deletes one match.
macro_rules! account_access {
    (
        $Connection:ty,
        $Pool:ty,
        $FORGET_REQUESTS:ident,
        $EXPIRE:ident,
        $COUNT_UP:ident,
        $FORMER:ident
    ) => {
        use crate::domain::names::NameKey;
        use crate::domain::time::Millis;
        use crate::domain::{MatchId, PlayerRef};
        use crate::store::account_sql::sql;
        use crate::store::database_error::DatabaseError;
        use crate::store::row::broken;
        use crate::store::{Ban, FormerName, PlayerEntry, StoreChange, StoreError};

        /// Carries out a change; returns the number of players, bans or matches that it changed.
        pub(super) async fn carry_out(
            db: &mut $Connection,
            change: &StoreChange,
        ) -> Result<u64, DatabaseError> {
            let rows = match change {
                StoreChange::ReplaceToken { player, key, end_others } => {
                    if *end_others {
                        tokens::revoke_all(db, player).await?;
                    }
                    let query = sqlx::query(sql::KEY).bind(key.to_string()).bind(player);
                    query.execute(&mut *db).await?.rows_affected()
                }
                // Its hash is new, so no node has anything to forget.
                StoreChange::AddToken(token) => return Ok(tokens::add(db, token).await?),
                StoreChange::EndToken { player, id } => tokens::revoke(db, player, id).await?,
                StoreChange::UseToken { id, at_ms } => return Ok(tokens::used(db, id, *at_ms).await?),
                StoreChange::RenamePlayer { player, name, at_ms, held_until_ms } => {
                    rename(db, player, name, *at_ms, *held_until_ms).await?
                }
                StoreChange::DeletePlayer { player, at_ms, held_until_ms } => {
                    for bot in ratings::bots_of(db, player).await? {
                        delete(db, &bot, *at_ms, *held_until_ms).await?;
                    }
                    delete(db, player, *at_ms, *held_until_ms).await?
                }
                StoreChange::RevokeToken { player } => ratings::revoke(db, player).await?,
                // It is read with the player each time; no node keeps it.
                StoreChange::SetAbout { player, about } => {
                    return Ok(ratings::set_about(db, player, about).await?);
                }
                StoreChange::AddEngines { engines, at_ms } => {
                    ratings::add_engines(db, engines, *at_ms).await?
                }
                StoreChange::AnnulMatch { id, at_ms } => ratings::annul(db, id, *at_ms).await?,
                StoreChange::AppendTournament(append) => return Ok(tournaments::append(db, append).await?),
                StoreChange::RunTournament { id, node } => {
                    return Ok(tournaments::run(db, id, node).await?);
                }
                // The lobby has a module of its own.
                StoreChange::Lobby(_) => 0,
                StoreChange::Say(line) => return Ok(chat::say(db, line).await?),
                StoreChange::Unsay(deletion) => return Ok(chat::unsay(db, deletion).await?),
                StoreChange::DeleteMatch { id, at_ms } => delete_and_note(db, id, *at_ms).await?,
                StoreChange::DeleteTournament(id) => return Ok(tournaments::delete(db, id).await?),
                StoreChange::EraseName(erasure) => return Ok(erasure::erase(db, erasure).await?),
                StoreChange::Restrict { player, kind, restriction } => {
                    moderation::restrict(db, player, *kind, restriction).await?
                }
                StoreChange::Unrestrict { player, kind } => moderation::unrestrict(db, player, *kind).await?,
                StoreChange::Invite(invitation) => return Ok(moderation::invite(db, invitation).await?),
                StoreChange::RevokeInvitation(id) => return Ok(moderation::revoke_invitation(db, id).await?),
                StoreChange::Report(report) => return Ok(moderation::report(db, report).await?),
                StoreChange::DeleteReport { id, reporter } => {
                    return Ok(moderation::delete_report(db, id, reporter.as_deref()).await?);
                }
                StoreChange::Block { player, blocked, at_ms, most } => {
                    let query = sqlx::query(sql::BLOCK).bind(player).bind(blocked).bind(at_ms);
                    query.bind(i64::from(*most)).execute(&mut *db).await?.rows_affected()
                }
                StoreChange::Unblock { player, blocked } => {
                    let query = sqlx::query(sql::UNBLOCK).bind(player).bind(blocked);
                    query.execute(&mut *db).await?.rows_affected()
                }
                StoreChange::Ban(ban) => {
                    let query = sqlx::query(sql::BAN).bind(&ban.network).bind(&ban.reason);
                    query.bind(ban.created_ms).bind(ban.until_ms).execute(&mut *db).await?.rows_affected()
                }
                StoreChange::Unban(network) => {
                    sqlx::query(sql::UNBAN).bind(network).execute(&mut *db).await?.rows_affected()
                }
                StoreChange::DeleteMatches { ended_before_ms, most } => {
                    let query = sqlx::query($EXPIRE).bind(ended_before_ms).bind(i64::from(*most));
                    return Ok(query.execute(&mut *db).await?.rows_affected());
                }
            };
            if rows > 0 {
                sqlx::query($COUNT_UP).execute(db).await?;
            }
            Ok(rows)
        }

        async fn delete(
            db: &mut $Connection,
            player: &str,
            at_ms: Millis,
            held_until_ms: Millis,
        ) -> Result<u64, DatabaseError> {
            let Some(before) = name_key(db, player).await? else { return Ok(0) };
            hold(db, &before, held_until_ms).await?;
            let done = sqlx::query(sql::DELETE).bind(player).bind(at_ms).execute(&mut *db).await?;
            sqlx::query(sql::ERASE_LATER).bind(player).bind(at_ms).execute(&mut *db).await?;
            sqlx::query(sql::FORGET_RESULTS).bind(player).execute(&mut *db).await?;
            sqlx::query(sql::FORGET_BLOCKS).bind(player).execute(&mut *db).await?;
            tokens::revoke_all(db, player).await?;
            sqlx::query($FORGET_REQUESTS).bind(player).execute(&mut *db).await?;
            chat::unsay_all(db, player).await?;
            lobby::forget_reasons(db, player).await?;
            moderation::forget(db, player).await?;
            ratings::unlist(db, player).await?;
            Ok(done.rows_affected())
        }

        /// Deletes a match, and notes it for an hour, so that every node on which it is live learns of it.
        async fn delete_and_note(
            db: &mut $Connection,
            id: &MatchId,
            at_ms: Millis,
        ) -> Result<u64, DatabaseError> {
            let rows = delete_match(db, id).await?;
            if rows > 0 {
                sqlx::query(sql::FORGET_DELETED).bind(at_ms - 3_600_000).execute(&mut *db).await?;
                sqlx::query(sql::NOTE_DELETED).bind(id.as_str()).bind(at_ms).execute(db).await?;
            }
            Ok(rows)
        }

        /// The matches that the operator has deleted lately.
        pub(super) async fn deleted_matches(db: &$Pool) -> Result<Vec<MatchId>, StoreError> {
            let ids: Vec<String> = sqlx::query_scalar(sql::DELETED).fetch_all(db).await?;
            ids.iter().map(|id| MatchId::parse(id).ok_or_else(broken)).collect()
        }

        /// The key of the player's name; `None`: there is no such account.
        async fn name_key(db: &mut $Connection, player: &str) -> Result<Option<NameKey>, DatabaseError> {
            let found: Option<(String, Option<String>)> =
                sqlx::query_as(sql::NAME_KEY).bind(player).fetch_optional(db).await?;
            let key = |(folded, skeleton): (String, Option<String>)| NameKey {
                folded,
                skeleton: skeleton.unwrap_or_default(),
            };
            Ok(found.map(key))
        }

        async fn hold(db: &mut $Connection, name: &NameKey, until_ms: Millis) -> Result<(), DatabaseError> {
            let NameKey { folded, skeleton } = name.held();
            sqlx::query(sql::HOLD).bind(folded).bind(skeleton).bind(until_ms).execute(db).await?;
            Ok(())
        }

        async fn rename(
            db: &mut $Connection,
            player: &str,
            name: &str,
            at_ms: Millis,
            held_until_ms: Millis,
        ) -> Result<u64, DatabaseError> {
            let (key, held) = (NameKey::of(name), NameKey::of(name).held());
            let before = name_key(db, player).await?;
            sqlx::query(sql::FREE_NAMES).bind(at_ms).execute(&mut *db).await?;
            let query = sqlx::query(sql::RENAME).bind(name).bind(&key.folded).bind(&key.skeleton);
            let query = query.bind(at_ms).bind(player).bind(held.folded).bind(held.skeleton);
            let rows = query.execute(&mut *db).await?.rows_affected();
            if let Some(before) = before.filter(|before| rows > 0 && before.folded != key.folded) {
                hold(db, &before, held_until_ms).await?;
            }
            Ok(rows)
        }

        /// Increases with every change to an account or a ban.
        pub(super) async fn version(db: &$Pool) -> Result<i64, StoreError> {
            Ok(sqlx::query_scalar(sql::VERSION).fetch_optional(db).await?.unwrap_or(0))
        }

        /// All blocks: the one who blocks, and the one who is blocked.
        pub(super) async fn blocks(db: &$Pool) -> Result<Vec<(String, String)>, StoreError> {
            Ok(sqlx::query_as(sql::BLOCKS).fetch_all(db).await?)
        }

        /// The names of those whom a player has blocked.
        pub(super) async fn blocked_by(db: &$Pool, player: &str) -> Result<Vec<String>, StoreError> {
            Ok(sqlx::query_scalar(sql::BLOCKED_BY).bind(player).fetch_all(db).await?)
        }

        /// Players whose names in older events are out of date: the id, and the current name; `None`: deleted.
        pub(super) async fn former_names(db: &$Pool) -> Result<Vec<FormerName>, StoreError> {
            Ok(sqlx::query_as($FORMER).fetch_all(db).await?)
        }

        /// All bans, including those that have expired.
        pub(super) async fn bans(db: &$Pool) -> Result<Vec<Ban>, StoreError> {
            let rows: Vec<(String, String, Millis, Option<Millis>)> =
                sqlx::query_as(sql::BANS).fetch_all(db).await?;
            let ban = |(network, reason, created_ms, until_ms)| Ban { network, reason, created_ms, until_ms };
            Ok(rows.into_iter().map(ban).collect())
        }

        /// Whether a player has a name that looks like this one, or gave such a name up a short time ago.
        pub(super) async fn is_taken(db: &$Pool, key: &NameKey, now: Millis) -> Result<bool, StoreError> {
            let held = key.held();
            let query = sqlx::query_scalar(sql::TAKEN).bind(&key.folded).bind(&key.skeleton).bind(now);
            Ok(query.bind(held.folded).bind(held.skeleton).fetch_one(db).await?)
        }

        /// The unfinished matches of a player.
        pub(super) async fn playing(db: &$Pool, player: &str) -> Result<Vec<MatchId>, StoreError> {
            let ids: Vec<String> = sqlx::query_scalar(sql::PLAYING).bind(player).fetch_all(db).await?;
            ids.iter().map(|id| MatchId::parse(id).ok_or_else(broken)).collect()
        }

        /// Players in the order of their folded names, beginning after `after`.
        pub(super) async fn players(
            db: &$Pool,
            after: &str,
            limit: u32,
        ) -> Result<Vec<PlayerEntry>, StoreError> {
            let rows: Vec<(String, String, Millis)> =
                sqlx::query_as(sql::PLAYERS).bind(after).bind(i64::from(limit)).fetch_all(db).await?;
            let entry = |(id, name, created_ms): (String, String, Millis)| PlayerEntry {
                who: PlayerRef::new(id, name),
                created_ms,
            };
            Ok(rows.into_iter().map(entry).collect())
        }
    };
}
pub(super) use account_access;
