//! What is open when a token is replaced or revoked or expires, an account deleted, a player or an address banned ends at once, on all servers,
//! and nothing can be done with it any more.

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{AdminServer, player};
use crate::client::{DialogueClient, TestResponse, TestServer};
use crate::matches::{EventStream, LONG, SHORT, TestCaller, create, join, me, open, order};
use crate::server_process::until;

/// How a token or an address loses its rights.
#[derive(Clone, Copy, Debug)]
enum Loss {
    Replaced,
    RevokedByOwner,
    RevokedByOperator,
    Deleted,
    Banned,
    /// A token of the scope `bot:robo`.
    ScopedRevoked,
    ScopedRevokedByOperator,
    ScopedExpired,
    OwnerBanned,
}

/// How long a token lives that expires: longer than it takes to open everything.
const LIFETIME_MS: u64 = 10_000;

/// Everything that a player can have open at a server.
struct OpenConnections {
    sockets: Vec<DialogueClient>,
    streams: Vec<EventStream>,
    pool: JoinHandle<TestResponse>,
}

impl OpenConnections {
    async fn at(host: &'static TestServer, who: &TestCaller, path: &str) -> Self {
        let mut sockets = Vec::new();
        for path in [format!("{path}/live"), format!("{path}/seats/me/stdio"), "/v1/me/live".to_owned()] {
            sockets.push(who.dial(host, &path).await);
        }
        // The referee speaks when the bot has.
        sockets[1].say("# a bot").await;
        let mut streams = Vec::new();
        for path in [format!("{path}/events"), "/v1/me/events".to_owned()] {
            streams.push(EventStream::sse(host, who, &path, &[]).await.opened());
            streams.push(EventStream::ndjson(host, who, &path).await.opened());
        }
        let (caller, wish) = (who.clone(), json!({ "game": SHORT, "stay_ms": 60_000 }));
        let pool = tokio::spawn(async move { caller.post(host, "/v1/pool", wish).await });
        host.until("kibitz_streams{kind=\"pool\"} 1").await;
        Self { sockets, streams, pool }
    }

    /// Checks that all of it ends because of this loss.
    async fn ends(self, loss: Loss) {
        let (code, why) = match loss {
            Loss::Banned | Loss::OwnerBanned => ("banned", "has banned"),
            Loss::ScopedExpired => ("token_expired", "has expired"),
            _ => ("bad_token", "was replaced or revoked"),
        };
        for (n, mut socket) in self.sockets.into_iter().enumerate() {
            let end = loop {
                match socket.next().await {
                    tokio_tungstenite::tungstenite::Message::Close(frame) => break frame.unwrap(),
                    message => {
                        assert!(!message.to_text().unwrap().contains("\"type\":\"moved\""), "{message}")
                    }
                }
            };
            // A deleted player resigns first, which ends the dialogue of the bot.
            if matches!(loss, Loss::Deleted) && n == 1 && u16::from(end.code) == 1000 {
                continue;
            }
            assert!(u16::from(end.code) == 4403 && end.reason.contains(why), "{end:?}");
        }
        for stream in self.streams {
            let frames = stream.all().await;
            assert_eq!(frames.last().unwrap().json["code"], code, "{:?}", frames.last());
            assert!(frames.iter().all(|frame| frame.kind != "moved"));
        }
        let status = if code == "banned" { 403 } else { 401 };
        self.pool.await.unwrap().problem(status, code);
    }
}

async fn lose(place: &AdminServer, loss: Loss, owner: &TestCaller, who: &TestCaller) {
    let host = &place.host;
    let reply = match loss {
        Loss::Replaced => owner.tell(host, "/v1/me/bots/robo/token").await,
        Loss::RevokedByOwner => owner.send(host, "DELETE", "/v1/me/bots/robo/token", &[], None).await,
        Loss::Deleted => owner.send(host, "DELETE", "/v1/me/bots/robo", &[], None).await,
        Loss::ScopedRevoked => {
            let id = owner.get(host, "/v1/me/tokens").await.json()["tokens"][0]["id"].clone();
            owner.send(host, "DELETE", &format!("/v1/me/tokens/{}", id.as_str().unwrap()), &[], None).await
        }
        Loss::ScopedExpired => {
            until(|| async { (who.get(host, "/v1/me").await.status == 401).then_some(()) }).await;
            who.get(host, "/v1/me").await.names(401, "token_expired", "has expired");
            return;
        }
        Loss::RevokedByOperator | Loss::ScopedRevokedByOperator | Loss::Banned | Loss::OwnerBanned => {
            let args: &[&str] = match loss {
                Loss::Banned => &["ban", "127.0.0.1"],
                Loss::OwnerBanned => &["players", "ban", "ann", "--for", "1h"],
                Loss::ScopedRevokedByOperator => &["tokens", "revoke", "ann"],
                _ => &["tokens", "revoke", "robo"],
            };
            AdminServer::said(&place.admin(args).await);
            return;
        }
    };
    assert!(reply.status.is_success(), "{loss:?} {reply:?}");
    who.get(host, "/v1/me").await.problem(401, "bad_token");
}

async fn everything_open_ends(loss: Loss) {
    let place: &'static AdminServer = Box::leak(Box::new(AdminServer::start(&[]).await));
    let other: &'static TestServer = Box::leak(Box::new(place.another().await));
    let (ann, ben) = (player(&place.host, "ann").await, player(&place.host, "ben").await);
    let made = ann.post(&place.host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let made = match loss {
        Loss::ScopedRevoked | Loss::ScopedRevokedByOperator | Loss::ScopedExpired => {
            let lifetime_ms = matches!(loss, Loss::ScopedExpired).then_some(LIFETIME_MS);
            let wanted = json!({ "name": "shim", "scope": "bot:robo", "lifetime_ms": lifetime_ms });
            ann.post(&place.host, "/v1/me/tokens", wanted).await.made()
        }
        _ => made,
    };
    let robo = TestCaller::with(made["token"].as_str().unwrap());
    let (path, _) = create(&place.host, &robo, order(LONG, &[me(), open(), open()])).await;
    join(&place.host, &ben, &path).await;
    join(&place.host, &TestCaller::anonymous(), &path).await;
    let mv = robo.page(&place.host, &path).await["legal_moves"][0]["notation"].clone();
    // The bot's other connections, at both servers.
    let here = OpenConnections::at(&place.host, &robo, &path).await;
    let there = OpenConnections::at(other, &robo, &path).await;
    let mut late = robo.dial(&place.host, &format!("{path}/live")).await;
    lose(place, loss, &ann, &robo).await;
    // It is too late for this move, although the socket was open.
    let say = json!({ "type": "move", "ply": 0, "notation": mv }).to_string();
    let _ = futures_util::SinkExt::send(&mut late.socket, tokio_tungstenite::tungstenite::Message::text(say))
        .await;
    here.ends(loss).await;
    there.ends(loss).await;
    if !matches!(loss, Loss::Banned) {
        let page = ben.page(&place.host, &path).await;
        // The turn of a player who has resigned is passed over.
        assert_eq!(page["ply"], u32::from(matches!(loss, Loss::Deleted)), "{page}");
        assert_eq!(page["stage"], "running");
    }
}

macro_rules! losses {
    ($($name:ident: $loss:expr,)+) => {$(
        #[tokio::test]
        async fn $name() {
            everything_open_ends($loss).await;
        }
    )+};
}

losses! {
    replaced_token_ends_what_it_opened: Loss::Replaced,
    token_revoked_by_its_owner_ends_what_it_opened: Loss::RevokedByOwner,
    token_revoked_by_the_operator_ends_what_it_opened: Loss::RevokedByOperator,
    deleted_account_ends_what_it_opened: Loss::Deleted,
    banned_address_ends_what_it_opened: Loss::Banned,
    revoked_scoped_token_ends_what_it_opened: Loss::ScopedRevoked,
    scoped_token_revoked_by_the_operator_ends_what_it_opened: Loss::ScopedRevokedByOperator,
    expired_token_ends_what_it_opened: Loss::ScopedExpired,
    ban_of_a_person_ends_what_their_bot_opened: Loss::OwnerBanned,
}

#[tokio::test]
async fn other_players_keep_what_they_have_open() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let (path, _) = create(host, &ann, order(SHORT, &[me(), open()])).await;
    join(host, &ben, &path).await;
    let mut live = ann.dial(host, &format!("{path}/live")).await;
    let mut guest = TestCaller::anonymous().dial(host, &format!("{path}/live")).await;
    assert_eq!(ben.tell(host, "/v1/me/token").await.status, 200);
    let mv = ann.page(host, &path).await["legal_moves"][0]["notation"].clone();
    live.say(&json!({ "type": "move", "ply": 0, "notation": mv }).to_string()).await;
    for socket in [&mut live, &mut guest] {
        let moved = loop {
            let event: Value = serde_json::from_str(&socket.hear().await).unwrap();
            if event["type"] != "match" {
                break event;
            }
        };
        assert_eq!(moved["type"], "moved", "{moved}");
    }
}
