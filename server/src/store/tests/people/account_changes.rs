//! Names, accounts and old matches on real files: databases of older versions, names that look alike, positions that
//! must not be used again.

use sqlx::{Connection, Executor, SqliteConnection};

use crate::domain::names::NameKey;
use crate::store::tests::*;

on_both_databases! {
    name_that_was_given_up_is_held_for_its_time,
    numbers_of_deleted_matches_are_not_used_again,
}

async fn connect(database: &TestDatabase) -> SqliteConnection {
    let url = format!("sqlite:{}?mode=rwc", database.file().to_str().unwrap());
    SqliteConnection::connect(&url).await.unwrap()
}

/// A database of the first schema version, with names that would be refused today.
#[tokio::test]
async fn players_of_an_older_database_keep_their_names() {
    let database = TestDatabase::sqlite();
    let mut db = connect(&database).await;
    let first = include_str!("../../../../../migrations/sqlite/0001_matches.sql");
    db.execute(sqlx::raw_sql(first)).await.unwrap();
    db.execute("PRAGMA application_id = 0x6b696269").await.unwrap();
    db.execute("PRAGMA user_version = 1").await.unwrap();
    for (n, name) in [(1, "bot1"), (2, "Botl"), (3, "Ann_x.y")] {
        let insert = "INSERT INTO players (id, name, folded, key, created_ms) VALUES ($1, $2, $3, $4, 5)";
        let query = sqlx::query(insert).bind(format!("id{n}")).bind(name).bind(name.to_lowercase());
        query.bind(hash(n).to_string()).execute(&mut db).await.unwrap();
    }
    db.close().await.unwrap();
    for time in [1, 2] {
        let store = database.open(time).await;
        for (n, name) in [(1, "bot1"), (2, "Botl"), (3, "Ann_x.y")] {
            let who = PlayerRef::new(format!("id{n}"), name);
            assert_eq!(holder_of(&store, hash(n)).await, Some(who.clone()));
            assert_eq!(store.player(name.to_uppercase()).await.unwrap().unwrap().who, who);
        }
        // A new player may not have a name that looks like one of them.
        for name in ["botI", "ann_x.y"] {
            let refused = store.add_player(named(name), hash(9), 6, None).await;
            assert_eq!(refused, Err(StoreError::Conflict), "{name}");
        }
        store.close().await;
    }
}

async fn name_that_was_given_up_is_held_for_its_time(database: TestDatabase) {
    let store = database.open(0).await;
    store.add_player(named("ann"), hash(1), 0, None).await.unwrap();
    store.add_player(named("ben"), hash(2), 0, None).await.unwrap();
    let rename = |name: &str, at_ms| StoreChange::RenamePlayer {
        player: "id of ann".to_owned(),
        name: name.to_owned(),
        at_ms,
        held_until_ms: at_ms + 100,
    };
    let version = store.accounts_version().await.unwrap();
    assert_eq!(store.change(rename("BEN", 10)).await, Ok(0));
    assert_eq!(store.accounts_version().await.unwrap(), version, "the refused name changed nothing");
    assert_eq!(store.change(rename("Anna", 10)).await, Ok(1));
    assert!(store.accounts_version().await.unwrap() > version);
    assert!(store.is_taken(NameKey::of("ann"), 109).await.unwrap());
    assert!(!store.is_taken(NameKey::of("ann"), 110).await.unwrap());
    assert_eq!(store.add_player(named("Ann"), hash(3), 109, None).await, Err(StoreError::Conflict));
    store.add_player(named("Ann"), hash(3), 110, None).await.unwrap();
    assert_eq!(store.former_names().await.unwrap(), [("id of ann".to_owned(), Some("Anna".to_owned()))]);
    let delete = StoreChange::DeletePlayer { player: "id of ann".to_owned(), at_ms: 200, held_until_ms: 300 };
    assert_eq!(store.change(delete.clone()).await, Ok(1));
    assert_eq!(store.change(delete).await, Ok(0), "the player is deleted already");
    assert_eq!(holder_of(&store, hash(1)).await, None);
    assert_eq!(store.player("anna".to_owned()).await.unwrap(), None);
    assert!(store.is_taken(NameKey::of("Anna"), 299).await.unwrap());
    assert_eq!(store.former_names().await.unwrap(), [("id of ann".to_owned(), None)]);
    let key = StoreChange::ReplaceToken {
        player: "id of ben".to_owned(),
        key: hash(3),
        end_others: false,
        by: None,
    };
    assert_eq!(store.change(key).await, Err(StoreError::Conflict), "another player's token");
}

/// Another node detects new events by their position, so positions and numbers must not be used twice.
async fn numbers_of_deleted_matches_are_not_used_again(database: TestDatabase) {
    let (store, other) = (database.open(0).await, database.open(0).await);
    let mut over = Vec::new();
    for _ in 0..3 {
        let id = create_match(&store).await;
        store.append(last(&id, 1)).await.unwrap();
        over.push(id);
    }
    let expire = |most| StoreChange::DeleteMatches { ended_before_ms: 10, most };
    assert_eq!(
        store.change(StoreChange::DeleteMatches { ended_before_ms: 9, most: 16 }).await,
        Ok(0),
        "the matches are not old enough"
    );
    assert_eq!(store.change(expire(1)).await, Ok(1));
    assert_eq!(store.change(expire(16)).await, Ok(1), "the newest stays");
    assert_eq!(store.change(expire(16)).await, Ok(0));
    assert_eq!(store.log(over[0].clone(), 0).await.unwrap(), []);
    assert_eq!(store.log(over[2].clone(), 0).await.unwrap().len(), 2);
    for _ in 0..3 {
        let id = create_match(&other).await;
        wait_for_news_of(&store, &id).await;
        let id = create_match(&store).await;
        wait_for_news_of(&other, &id).await;
        store.append(next(&id, 1)).await.unwrap();
        other.append(next(&id, 2)).await.unwrap();
    }
}
