//! Matches whose moves are all planned before they are created. They are played on a real server up to a ply, and their
//! database file can then be opened and altered.

use std::net::SocketAddr;
use std::path::Path;

use engines::erased::AnyGame;
use engines::game::{Seat, Turn, Viewer};
use engines::rng::{Rng, Seed};
use kibitz::domain::token::commitment;
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};

use super::super::retrying_client::insist;
use super::altered_state::{AlteredState, Ply, alter};

/// A match, in which all seats are held by tokens known here.
pub(super) struct HostedMatch {
    pub game: &'static dyn AnyGame,
    pub id: String,
    pub tokens: Vec<String>,
    pub dealt: Value,
    /// All moves: those before the server is stopped, and those after.
    pub plies: Vec<Ply>,
    /// The number of moves before the stop.
    pub before: usize,
    pub clock: bool,
}

/// A plan: the game, its seats, moves before and after the stop, whether there is a clock.
pub(super) type PlaySpec = (&'static str, u8, usize, usize, bool);

impl HostedMatch {
    /// Makes the match of this plan and plays it up to the stop.
    pub(super) async fn play(address: SocketAddr, number: u64, plan: PlaySpec) -> Self {
        let (name, seats, before, after, clock) = plan;
        let game = engines::games::find(name).unwrap();
        let options = game.options_for(seats).unwrap();
        let mut table = game.deal(&options, &Seed::from(number)).unwrap();
        let dealt = table.state_json();
        let mut picks = Rng::stream(&Seed::from(number), 1);
        let mut plies = Vec::new();
        while plies.len() < before + after {
            let Turn::Of(seat) = table.turn() else { panic!("{plan:?} is over too soon") };
            let moves = table.view(Viewer::Seat(seat)).legal_moves();
            // Prefers blind draws, whose cards other seats must not see.
            let blind = moves.iter().find(|mv| mv.mv["action"] == "reserve_top");
            let chosen = blind.filter(|_| plies.len() % 3 != 1).unwrap_or(&moves[picks.below(moves.len())]);
            table.play(seat, &chosen.notation).unwrap();
            plies.push(Ply { seat, notation: chosen.notation.clone() });
        }

        let mut order = json!({ "game": name, "options": options, "seed": number });
        order["seats"] = (0..seats).map(|n| json!({ "kind": "me", "name": format!("guest {n}") })).collect();
        if clock {
            order["clock"] = json!({ "initial_ms": 3_600_000, "increment_ms": 1000, "move_ms": 600_000 });
        }
        let key = format!("the-proof-of-match-{number}");
        let made = insist(address, "POST", "/v1/matches", &[("idempotency-key", &key)], &order).await;
        assert_eq!(made.status, 201, "{made:?}");
        let made: Value = serde_json::from_slice(&made.body).unwrap();
        let token = |seat: &Value| seat["token"].as_str().unwrap().to_owned();
        let tokens: Vec<_> = made["seats"].as_array().unwrap().iter().map(token).collect();
        let id = made["id"].as_str().unwrap().to_owned();
        let hosted = Self { game, id, tokens, dealt, plies, before, clock };
        for ply in 0..before {
            let reply = insist(
                address,
                "POST",
                &hosted.moves(),
                &[hosted.bearer(ply).as_header()],
                &hosted.body(ply),
            )
            .await;
            assert_eq!(reply.status, 200, "{reply:?}");
        }
        hosted
    }

    pub(super) fn path(&self) -> String {
        format!("/v1/matches/{}", self.id)
    }

    pub(super) fn moves(&self) -> String {
        format!("{}/moves", self.path())
    }

    /// The seat that makes this move.
    pub(super) fn bearer(&self, ply: usize) -> Bearer {
        self.token(self.plies[ply].seat)
    }

    pub(super) fn token(&self, seat: Seat) -> Bearer {
        Bearer(format!("Bearer {}", self.tokens[seat.index()]))
    }

    /// This move, as a request.
    pub(super) fn body(&self, ply: usize) -> Value {
        json!({ "ply": ply, "notation": self.plies[ply].notation })
    }

    /// All viewers of the match.
    pub(super) fn viewers(&self) -> impl Iterator<Item = Viewer> {
        let seats = self.tokens.len() as u8;
        (0..seats).map(|n| Viewer::Seat(Seat(n))).chain([Viewer::Spectator])
    }

    /// Rewrites the dealt state, the seed and the salt in this file, so that the viewer cannot notice it. Only the
    /// commitment changes for all viewers; it is public and reveals nothing. Returns the old and the new commitment.
    pub(super) async fn alter(&self, database: &Path, viewer: Viewer) -> (AlteredState, [String; 2]) {
        let mut rng = Rng::stream(&Seed::from(self.plies.len() as u64), 2);
        let altered = alter(self.game.info().slug, &self.dealt, &self.plies, viewer, &mut rng);
        let mut file = open(database).await;
        let ours = "seq = 0 AND match_nr = (SELECT nr FROM matches WHERE id = $1)";
        let select = sqlx::AssertSqlSafe(format!("SELECT body FROM events WHERE {ours}"));
        let (body,): (String,) = sqlx::query_as(select).bind(&self.id).fetch_one(&mut file).await.unwrap();
        let mut created: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(created["state"], self.dealt, "the stored deal is the one that was planned");
        let (seed, salt) = (rng.seed(), rng.seed());
        let commitments = [created["commitment"].as_str().unwrap().to_owned(), commitment(&salt.0, &seed)];
        created["commitment"] = commitments[1].clone().into();
        for (name, secret) in [("seed", seed), ("salt", salt)] {
            assert_eq!(created[name].as_str().unwrap().len(), 64, "{name}");
            created[name] = secret.to_string().into();
        }
        created["state"] = altered.state.clone();
        let update = sqlx::AssertSqlSafe(format!("UPDATE events SET body = $2 WHERE {ours}"));
        let done =
            sqlx::query(update).bind(&self.id).bind(created.to_string()).execute(&mut file).await.unwrap();
        assert_eq!(done.rows_affected(), 1);
        file.close().await.unwrap();
        (altered, commitments)
    }

    /// The time at which the last event in the database of a stopped server was decided.
    pub(super) async fn last_event_ms(&self, database: &Path) -> i64 {
        let mut file = open(database).await;
        let select = "SELECT max(at_ms) FROM events WHERE match_nr = (SELECT nr FROM matches WHERE id = $1)";
        let (last,): (i64,) = sqlx::query_as(select).bind(&self.id).fetch_one(&mut file).await.unwrap();
        file.close().await.unwrap();
        last
    }
}

/// The value of the header `Authorization` for a token.
pub(super) struct Bearer(String);

impl Bearer {
    pub(super) fn as_header(&self) -> (&'static str, &str) {
        ("authorization", &self.0)
    }
}

/// Opens the database file of a stopped server, including its write-ahead log, to alter it.
pub(super) async fn open(database: &Path) -> SqliteConnection {
    let mut file = SqliteConnection::connect(&format!("sqlite://{}", database.display())).await.unwrap();
    for statement in ["PRAGMA wal_checkpoint(TRUNCATE)", "DROP TRIGGER IF EXISTS events_stay"] {
        sqlx::query(statement).execute(&mut file).await.unwrap();
    }
    file
}
