//! The statements about the lobby, which both databases understand, and the functions that run them, written once for
//! both.

/// Writes while a transaction is open.
pub(super) mod write {
    pub(in crate::store) const CONNECTED: &str =
        "INSERT INTO presence (connection, node, player, since_ms, policy) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (connection) DO UPDATE SET policy = excluded.policy";
    pub(in crate::store) const DISCONNECTED: &str = "DELETE FROM presence WHERE connection = $1";
    pub(in crate::store) const CHALLENGE: &str =
        "INSERT INTO challenges (id, challenger, opponent, terms, created_ms, until_ms, stage)
        SELECT $1, $2, $3, $4, $5, $6, 'open'
        WHERE (SELECT count(*) FROM challenges WHERE challenger = $2 AND settled_ms IS NULL) < $7";
    pub(in crate::store) const SETTLE: &str =
        "UPDATE challenges SET stage = $3, settled_ms = $4, reason = $5, match_id = $6,
            until_ms = coalesce($7, until_ms)
        WHERE id = $1 AND stage = $2 AND settled_ms IS NULL";
    pub(in crate::store) const TICKET: &str =
        "INSERT INTO tickets (id, node, player, terms, created_ms) VALUES ($1, $2, $3, $4, $5)";
    pub(in crate::store) const LEAVE: &str = "DELETE FROM tickets WHERE id = $1";
    pub(in crate::store) const PAIR: &str =
        "INSERT INTO challenges (id, challenger, opponent, terms, created_ms, until_ms, stage, tickets)
        SELECT $1, $2, $3, $4, $5, $6, 'accepted', $7
        WHERE EXISTS (SELECT 1 FROM tickets WHERE id = $8) AND EXISTS (SELECT 1 FROM tickets WHERE id = $9)";
    pub(in crate::store) const EXPIRE: &str = "UPDATE challenges SET stage = 'expired', settled_ms = $1
        WHERE settled_ms IS NULL AND stage = 'open' AND until_ms <= $1";
    pub(in crate::store) const FORGET: &str = "DELETE FROM challenges WHERE settled_ms < $1";

    /// The reason for which the opponent declined.
    pub(in crate::store) const FORGET_REASON: &str = "UPDATE challenges SET reason = NULL
        WHERE id = $1 AND opponent = $2 AND stage = 'declined'";
    pub(in crate::store) const FORGET_REASONS: &str =
        "UPDATE challenges SET reason = NULL WHERE opponent = $1 AND stage = 'declined'";

    pub(in crate::store) const SEAT_CAME: &str =
        "INSERT INTO match_presence (match_id, seat, node, follows) VALUES ($1, $2, $3, $4)
        ON CONFLICT (match_id, seat, node) DO UPDATE SET follows = excluded.follows
        WHERE match_presence.follows <> excluded.follows";
    pub(in crate::store) const SEAT_LEFT: &str =
        "DELETE FROM match_presence WHERE match_id = $1 AND seat = $2 AND node = $3";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 13] = [
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
    ];
}

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

/// Reads.
pub(super) mod read {
    pub(in crate::store) const CHALLENGES: &str = challenges!("(c.settled_ms IS NULL OR c.settled_ms > $1)");
    pub(in crate::store) const CHALLENGE: &str = challenges!("c.id = $1");
    pub(in crate::store) const MATCHES: &str = "SELECT player, match_id, game, stage FROM match_players
        WHERE stage <> 'over' AND player IN (SELECT player FROM presence) ORDER BY match_id, player";
    pub(in crate::store) const RATINGS: &str = "SELECT player, game, mu, sigma FROM ratings
        WHERE player IN (SELECT player FROM presence)";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 4] = [CHALLENGES, CHALLENGE, MATCHES, RATINGS];
}

/// Reads and writes of one database. `$Pool`: its pools; `$Connection`: its connections; `$Row`: its rows; `$living`: a
/// query for the ids of the nodes that live and serve.
macro_rules! lobby_sql {
    ($Pool:ty, $Connection:ty, $Row:ty, $living:literal) => {
        use std::collections::BTreeSet;

        use engines::game::Seat;
        use sqlx::Row;

        use crate::domain::time::Millis;
        use crate::domain::{MatchId, PlayerRef};
        use crate::ratings::Rating;
        use crate::store::database_error::DatabaseError;
        use crate::store::lobby::{ConnectedSeat, LobbyChange, LobbyMatch, LobbyPlayer, LobbyRows, NewChallenge, OpenConnection, StoredChallenge, Ticket};
        use crate::store::lobby_sql::{read, write};
        use crate::store::row::{broken, kind_of, stage_of};
        use crate::store::StoreError;

        const CONNECTIONS: &str = concat!(
            "SELECT c.connection, c.node, p.id, p.name, p.kind, p.owner, o.name, p.about, c.since_ms, c.policy
            FROM presence c JOIN players p ON p.id = c.player LEFT JOIN players o ON o.id = p.owner
            WHERE p.deleted_ms IS NULL AND c.node IN (",
            $living,
            ") ORDER BY c.connection"
        );
        const TICKETS: &str = concat!(
            "SELECT t.id, t.node, p.id, p.name, p.kind, p.owner, t.terms, t.created_ms
            FROM tickets t JOIN players p ON p.id = t.player
            WHERE p.deleted_ms IS NULL AND t.node IN (",
            $living,
            ") ORDER BY t.id"
        );
        const SEATS: &str =
            concat!("SELECT match_id, seat, node, follows FROM match_presence WHERE node IN (", $living, ")");
        const LADDER_KEEPER: &str =
            concat!("SELECT keeper FROM duties WHERE name = 'ladder' AND keeper IN (", $living, ")");
        const KEEP_LADDER: &str = concat!(
            "INSERT INTO duties (name, keeper) VALUES ('ladder', $1)
            ON CONFLICT (name) DO UPDATE SET keeper = excluded.keeper WHERE duties.keeper NOT IN (",
            $living,
            ")"
        );
        const DEAD_SEATS: &str = concat!("DELETE FROM match_presence WHERE node NOT IN (", $living, ")");
        const DEAD_CONNECTIONS: &str = concat!("DELETE FROM presence WHERE node NOT IN (", $living, ")");
        const DEAD_TICKETS: &str = concat!("DELETE FROM tickets WHERE node NOT IN (", $living, ")");

        /// The statements of this database alone, for the test that prepares them all.
        #[cfg(test)]
        pub(super) const STATEMENTS: [&str; 8] = [
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
        pub(super) async fn carry_out(
            db: &mut $Connection,
            node: &str,
            change: &LobbyChange,
        ) -> Result<u64, DatabaseError> {
            let done = match change {
                LobbyChange::Connected(open) => {
                    let query = sqlx::query(write::CONNECTED).bind(&open.id).bind(node).bind(&open.player);
                    query.bind(open.since_ms).bind(&open.policy).execute(&mut *db).await?
                }
                LobbyChange::Disconnected { id } => {
                    sqlx::query(write::DISCONNECTED).bind(id).execute(&mut *db).await?
                }
                LobbyChange::Challenge { challenge: new, most } => {
                    let query = sqlx::query(write::CHALLENGE).bind(&new.id).bind(&new.challenger);
                    let query = query.bind(&new.opponent).bind(&new.terms).bind(new.created_ms);
                    query.bind(new.until_ms).bind(i64::from(*most)).execute(&mut *db).await?
                }
                LobbyChange::Settle(settle) => {
                    let query = sqlx::query(write::SETTLE).bind(&settle.id).bind(settle.from);
                    let query = query.bind(settle.to).bind(settle.settled_ms).bind(&settle.reason);
                    let query = query.bind(settle.match_id.as_ref().map(MatchId::as_str));
                    query.bind(settle.until_ms).execute(&mut *db).await?
                }
                LobbyChange::ForgetReason { id, opponent } => {
                    sqlx::query(write::FORGET_REASON).bind(id).bind(opponent).execute(&mut *db).await?
                }
                LobbyChange::Ticket { id, player, terms, created_ms } => {
                    let query = sqlx::query(write::TICKET).bind(id).bind(node).bind(player);
                    query.bind(terms).bind(created_ms).execute(&mut *db).await?
                }
                LobbyChange::Leave { id } => sqlx::query(write::LEAVE).bind(id).execute(&mut *db).await?,
                LobbyChange::Pair { challenge, first, second } => {
                    return pair(db, challenge, first, second).await;
                }
                LobbyChange::Seats { came, left } => return seats(db, node, came, left).await,
                LobbyChange::KeepLadder => sqlx::query(KEEP_LADDER).bind(node).execute(&mut *db).await?,
                LobbyChange::Sweep { now, settled_before_ms } => {
                    return sweep(db, *now, *settled_before_ms).await;
                }
            };
            Ok(done.rows_affected())
        }

        /// Forgets the reasons for which a player has declined challenges.
        pub(super) async fn forget_reasons(db: &mut $Connection, player: &str) -> Result<(), sqlx::Error> {
            sqlx::query(write::FORGET_REASONS).bind(player).execute(db).await.map(drop)
        }

        async fn seats(
            db: &mut $Connection,
            node: &str,
            came: &[ConnectedSeat],
            left: &[ConnectedSeat],
        ) -> Result<u64, DatabaseError> {
            let mut changed = 0;
            for ConnectedSeat { id, seat, .. } in left {
                let query = sqlx::query(write::SEAT_LEFT).bind(id.as_str()).bind(i16::from(seat.0)).bind(node);
                changed += query.execute(&mut *db).await?.rows_affected();
            }
            for ConnectedSeat { id, seat, follows } in came {
                let query = sqlx::query(write::SEAT_CAME).bind(id.as_str()).bind(i16::from(seat.0)).bind(node);
                changed += query.bind(*follows).execute(&mut *db).await?.rows_affected();
            }
            Ok(changed)
        }

        async fn pair(
            db: &mut $Connection,
            new: &NewChallenge,
            first: &str,
            second: &str,
        ) -> Result<u64, DatabaseError> {
            let query = sqlx::query(write::PAIR).bind(&new.id).bind(&new.challenger).bind(&new.opponent);
            let query = query.bind(&new.terms).bind(new.created_ms).bind(new.until_ms);
            let query = query.bind(format!("{first} {second}")).bind(first).bind(second);
            let paired = query.execute(&mut *db).await?.rows_affected();
            if paired > 0 {
                for ticket in [first, second] {
                    sqlx::query(write::LEAVE).bind(ticket).execute(&mut *db).await?;
                }
            }
            Ok(paired)
        }

        async fn sweep(
            db: &mut $Connection,
            now: Millis,
            settled_before_ms: Millis,
        ) -> Result<u64, DatabaseError> {
            let expired = sqlx::query(write::EXPIRE).bind(now).execute(&mut *db).await?.rows_affected();
            let forgotten = sqlx::query(write::FORGET).bind(settled_before_ms).execute(&mut *db).await?;
            let connections = sqlx::query(DEAD_CONNECTIONS).execute(&mut *db).await?.rows_affected();
            let tickets = sqlx::query(DEAD_TICKETS).execute(&mut *db).await?.rows_affected();
            let seats = sqlx::query(DEAD_SEATS).execute(&mut *db).await?.rows_affected();
            Ok(expired + forgotten.rows_affected() + connections + tickets + seats)
        }

        fn player(
            id: String,
            name: String,
            kind: String,
            owner: Option<String>,
        ) -> Result<LobbyPlayer, StoreError> {
            Ok(LobbyPlayer { who: PlayerRef { owner, ..PlayerRef::new(id, name) }, kind: kind_of(&kind)? })
        }

        fn challenge(row: &$Row) -> Result<StoredChallenge, StoreError> {
            let match_id: Option<String> = row.try_get(15)?;
            Ok(StoredChallenge {
                id: row.try_get(0)?,
                challenger: player(row.try_get(1)?, row.try_get(2)?, row.try_get(3)?, row.try_get(4)?)?,
                opponent: player(row.try_get(5)?, row.try_get(6)?, row.try_get(7)?, row.try_get(8)?)?,
                terms: row.try_get(9)?,
                created_ms: row.try_get(10)?,
                until_ms: row.try_get(11)?,
                stage: row.try_get(12)?,
                settled_ms: row.try_get(13)?,
                reason: row.try_get(14)?,
                match_id: match_id.map(|id| MatchId::parse(&id).ok_or_else(broken)).transpose()?,
                tickets: row.try_get(16)?,
            })
        }

        /// One challenge.
        pub(super) async fn one(db: &$Pool, id: &str) -> Result<Option<StoredChallenge>, StoreError> {
            let row = sqlx::query(read::CHALLENGE).bind(id).fetch_optional(db).await?;
            row.as_ref().map(challenge).transpose()
        }

        /// The seats of matches whose players are connected, to this node and to others.
        async fn connected(
            db: &$Pool,
            node: &str,
        ) -> Result<[BTreeSet<ConnectedSeat>; 2], StoreError> {
            let rows: Vec<(String, i16, String, bool)> = sqlx::query_as(SEATS).fetch_all(db).await?;
            let [mut own, mut other] = [BTreeSet::new(), BTreeSet::new()];
            for (id, seat, of, follows) in rows {
                let id = MatchId::parse(&id).ok_or_else(broken)?;
                let seat = Seat(u8::try_from(seat).map_err(|_| broken())?);
                let connected = ConnectedSeat { id, seat, follows };
                if of == node { own.insert(connected) } else { other.insert(connected) };
            }
            Ok([own, other])
        }

        /// The whole lobby. Tickets are read before challenges: if a ticket is gone because it was paired, its
        /// challenge exists already. `settled_after_ms`: older challenges are left out.
        pub(super) async fn all(
            db: &$Pool,
            node: &str,
            settled_after_ms: Millis,
        ) -> Result<LobbyRows, StoreError> {
            let connections = sqlx::query(CONNECTIONS).fetch_all(db).await?;
            let tickets = sqlx::query(TICKETS).fetch_all(db).await?;
            let challenges = sqlx::query(read::CHALLENGES).bind(settled_after_ms).fetch_all(db).await?;
            let matches: Vec<(String, String, String, String)> =
                sqlx::query_as(read::MATCHES).fetch_all(db).await?;
            let ratings: Vec<(String, String, f64, f64)> = sqlx::query_as(read::RATINGS).fetch_all(db).await?;
            let ladder_keeper: Option<(String,)> = sqlx::query_as(LADDER_KEEPER).fetch_optional(db).await?;
            let [own_seats, other_seats] = connected(db, node).await?;
            let connection = |row: &$Row| -> Result<OpenConnection, StoreError> {
                Ok(OpenConnection {
                    id: row.try_get(0)?,
                    node: row.try_get(1)?,
                    player: player(row.try_get(2)?, row.try_get(3)?, row.try_get(4)?, row.try_get(5)?)?,
                    owner: row.try_get(6)?,
                    about: row.try_get(7)?,
                    since_ms: row.try_get(8)?,
                    policy: row.try_get(9)?,
                })
            };
            let ticket = |row: &$Row| -> Result<Ticket, StoreError> {
                Ok(Ticket {
                    id: row.try_get(0)?,
                    node: row.try_get(1)?,
                    player: player(row.try_get(2)?, row.try_get(3)?, row.try_get(4)?, row.try_get(5)?)?,
                    terms: row.try_get(6)?,
                    created_ms: row.try_get(7)?,
                })
            };
            let playing = |(player, id, game, stage): (String, String, String, String)| {
                let (id, stage) = (MatchId::parse(&id).ok_or_else(broken)?, stage_of(&stage)?);
                Ok(LobbyMatch { player, id, game, stage })
            };
            // Sort here: to return sorted rows, the database would read settled challenges, too.
            let mut challenges = challenges.iter().map(challenge).collect::<Result<Vec<_>, _>>()?;
            challenges.sort_by(|a, b| a.id.cmp(&b.id));
            Ok(LobbyRows {
                connections: connections.iter().map(connection).collect::<Result<_, _>>()?,
                tickets: tickets.iter().map(ticket).collect::<Result<_, _>>()?,
                challenges,
                matches: matches.into_iter().map(playing).collect::<Result<_, StoreError>>()?,
                ladder_keeper: ladder_keeper.map(|(keeper,)| keeper),
                own_seats,
                other_seats,
                ratings: ratings
                    .into_iter()
                    .map(|(player, game, mu, sigma)| (player, game, Rating { mu, sigma }))
                    .collect(),
            })
        }
    };
}
pub(super) use lobby_sql;
