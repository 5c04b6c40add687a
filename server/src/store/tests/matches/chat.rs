//! The chat of a match: order, limits, and several nodes.

use crate::store::tests::people::moderation;
use crate::store::tests::*;

on_both_databases! {
    messages_come_back_in_order_and_within_their_limits,
    nodes_share_the_chat,
    deleted_message_keeps_its_number_and_nothing_else,
    spectators_have_a_name_and_limits_of_their_own,
}

fn line(id: &MatchId, seat: u8, at_ms: Millis, said: &str) -> StoreChange {
    let said = said.to_owned();
    StoreChange::Say(ChatLine {
        id: id.clone(),
        seat: Some(seat),
        at_ms,
        said,
        author: format!("author {seat}"),
        most: 5,
        most_lately: 2,
        since_ms: at_ms - 100,
    })
}

async fn messages_come_back_in_order_and_within_their_limits(database: TestDatabase) {
    let store = database.open(0).await;
    let (id, other) = (MatchId::fresh(), MatchId::fresh());
    assert_eq!(store.chat(id.clone(), 0).await, Ok(Vec::new()));
    assert_eq!(store.change(line(&id, 0, 1_000, "a")).await, Ok(1));
    assert_eq!(store.change(line(&id, 0, 1_010, "b")).await, Ok(1));
    assert_eq!(store.change(line(&id, 0, 1_020, "too much")).await, Ok(0), "two within 100 ms");
    assert_eq!(store.change(line(&id, 1, 1_020, "c")).await, Ok(1), "each author counts by itself");
    assert_eq!(store.change(line(&other, 0, 1_020, "elsewhere")).await, Ok(1));
    assert_eq!(store.change(line(&id, 0, 2_000, "d")).await, Ok(1), "later again");
    assert_eq!(store.change(line(&id, 1, 3_000, "e")).await, Ok(1));
    assert_eq!(store.change(line(&id, 1, 4_000, "full")).await, Ok(0), "the match has five");
    let all = store.chat(id.clone(), 0).await.unwrap();
    let told: Vec<_> = all.iter().map(|m| (m.n, m.seat, m.at_ms, m.said.as_str())).collect();
    let wanted =
        [(0, 0, 1_000, "a"), (1, 0, 1_010, "b"), (2, 1, 1_020, "c"), (3, 0, 2_000, "d"), (4, 1, 3_000, "e")];
    let wanted = wanted.map(|(n, seat, at_ms, said)| (n, Some(seat), at_ms, said));
    assert_eq!(told, wanted);
    assert_eq!(store.chat(id, 3).await.unwrap(), all[3..]);
    assert_eq!(store.chat(other, 0).await.unwrap().len(), 1);
}

async fn nodes_share_the_chat(database: TestDatabase) {
    let (one, two) = (database.open(0).await, database.open(0).await);
    let id = MatchId::fresh();
    assert_eq!(one.change(line(&id, 0, 1_000, "a")).await, Ok(1));
    assert_eq!(two.change(line(&id, 1, 1_000, "b")).await, Ok(1));
    assert_eq!(one.chat(id.clone(), 0).await.unwrap(), two.chat(id, 0).await.unwrap());
}

async fn deleted_message_keeps_its_number_and_nothing_else(database: TestDatabase) {
    let (one, two) = (database.open(0).await, database.open(0).await);
    let id = MatchId::fresh();
    for (n, seat) in [0, 1, 0].into_iter().enumerate() {
        let said = format!(r#"{{"text":"{n}"}}"#);
        assert_eq!(one.change(line(&id, seat, 1_000 * (n as Millis + 1), &said)).await, Ok(1));
    }
    let deletion = |n, by| StoreChange::Unsay(MessageDeletion { id: id.clone(), n, by });
    assert_eq!(one.change(deletion(0, DeletedBy::Author)).await, Ok(1));
    assert_eq!(one.change(deletion(0, DeletedBy::Operator)).await, Ok(0), "it is gone already");
    assert_eq!(one.change(deletion(7, DeletedBy::Operator)).await, Ok(0));
    assert_eq!(one.change(deletion(1, DeletedBy::Operator)).await, Ok(1));
    let told = |messages: Vec<StoredMessage>| messages.into_iter().map(|m| (m.n, m.said)).collect::<Vec<_>>();
    let wanted = [
        (0, r#"{"deleted":"author"}"#.to_owned()),
        (1, r#"{"deleted":"operator"}"#.to_owned()),
        (2, r#"{"text":"2"}"#.to_owned()),
    ];
    assert_eq!(told(two.chat(id.clone(), 0).await.unwrap()), wanted);
    assert_eq!(
        told(two.chat(id.clone(), 3).await.unwrap()),
        wanted[..2],
        "readers who know them learn of it"
    );
    assert_eq!(two.change(line(&id, 1, 9_000, "next")).await, Ok(1));
    assert_eq!(two.chat(id, 3).await.unwrap().last().unwrap().n, 3, "numbers are not used again");
}

/// Two events and the chat of a match as older versions stored them.
const OLD_CHAT: &str = r#"
    INSERT INTO players (id, name, folded, key, created_ms) VALUES ('p1', 'ann', 'ann', 'k1', 1), ('p2', 'bob', 'bob', 'k2', 1);
    INSERT INTO matches (nr, id, game, stage, private, created_ms, summary, players)
        VALUES (1, 'm', 'go', 'open', FALSE, 1, '{}', '[]');
    INSERT INTO events (match_nr, seq, at_ms, body) VALUES
        (1, 0, 10, '{"type":"created","seats":[{"kind":"held","holder":{"player":{"id":"p1","name":"ann"}}},{"kind":"open"}]}'),
        (1, 1, 20, '{"type":"joined","seat":1,"holder":{"key":"guest","player":null,"name":"x"}}'),
        (1, 2, 30, '{"type":"left","seat":1}'),
        (1, 3, 40, '{"type":"joined","seat":1,"holder":{"key":null,"player":{"id":"p2","name":"bob"}}}');
    INSERT INTO chat (match_id, n, seat, at_ms, said) VALUES
        ('m', 0, 0, 15, 'a'), ('m', 1, 1, 25, 'b'), ('m', 2, 1, 45, 'c'), ('unknown', 0, 0, 5, 'd');
"#;

/// The authors of the old messages: who held the seat when the message was written.
const OLD_AUTHORS: [(&str, Option<&str>); 4] =
    [("a", Some("p1")), ("b", Some("guest")), ("c", Some("p2")), ("d", None)];

/// The texts of all messages with their authors.
const AUTHORS: &str = "SELECT said, author FROM chat ORDER BY said";

fn assert_authors(found: &[(String, Option<String>)]) {
    let found: Vec<_> = found.iter().map(|(said, author)| (said.as_str(), author.as_deref())).collect();
    assert_eq!(found, OLD_AUTHORS);
}

#[tokio::test]
async fn messages_of_older_versions_get_their_authors() {
    use sqlx::Connection;
    let database = TestDatabase::sqlite();
    database.make_older("ADD COLUMN author", OLD_CHAT).await;
    database.open(1).await.close().await;
    let mut db = sqlx::SqliteConnection::connect(&format!("sqlite:{}", database.text())).await.unwrap();
    assert_authors(&sqlx::query_as(AUTHORS).fetch_all(&mut db).await.unwrap());
}

#[tokio::test]
async fn messages_of_older_versions_get_their_authors_on_postgres() {
    use sqlx::Connection;
    let database = TestDatabase::postgres().await;
    database.make_older("ADD COLUMN author", OLD_CHAT).await;
    database.open(1).await.close().await;
    let mut db = sqlx::PgConnection::connect(&database.text()).await.unwrap();
    assert_authors(&sqlx::query_as(AUTHORS).fetch_all(&mut db).await.unwrap());
}

async fn spectators_have_a_name_and_limits_of_their_own(database: TestDatabase) {
    let store = database.open(0).await;
    let id = MatchId::fresh();
    let eve = moderation::player(&store, "eve", 1).await.id;
    let from_spectator = |author: &str, at_ms| match line(&id, 0, at_ms, "hi") {
        StoreChange::Say(said) => {
            StoreChange::Say(ChatLine { seat: None, author: author.to_owned(), most: 3, ..said })
        }
        other => other,
    };
    for at_ms in [1_000, 2_000, 3_000, 4_000, 5_000] {
        assert_eq!(store.change(line(&id, 1, at_ms, "of a player")).await, Ok(1));
    }
    assert_eq!(store.change(line(&id, 1, 6_000, "full")).await, Ok(0), "the players have five");
    assert_eq!(
        store.change(from_spectator(&eve, 6_000)).await,
        Ok(1),
        "they do not take the spectators' room"
    );
    assert_eq!(store.change(from_spectator(&eve, 6_010)).await, Ok(1));
    assert_eq!(store.change(from_spectator(&eve, 6_020)).await, Ok(0), "two within 100 ms");
    assert_eq!(store.change(from_spectator("somebody", 6_020)).await, Ok(1));
    assert_eq!(store.change(from_spectator(&eve, 9_000)).await, Ok(0), "the spectators have three");
    let heard = store.chat(id, 5).await.unwrap();
    let told: Vec<_> = heard.iter().map(|m| (m.n, m.seat, m.name.as_deref())).collect();
    assert_eq!(told, [(5, None, Some("eve")), (6, None, Some("eve")), (7, None, None)]);
}
