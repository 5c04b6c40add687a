//! Tokens with a scope: for whom they act, their limit, their last use, and what ends them.

use crate::domain::scope::TokenScope;
use crate::store::tests::*;

on_both_databases! {
    token_acts_for_its_owner_or_a_bot,
    tokens_of_a_player_are_bounded,
    tokens_end_alone_or_with_their_player,
}

/// A token of the scope `play`.
pub(in crate::store::tests) fn new_token(n: u8, player: &str) -> NewToken {
    NewToken {
        id: format!("token {n}"),
        key: hash(n),
        player: format!("id of {player}"),
        bot: None,
        name: format!("name {n}"),
        scope: TokenScope::Play,
        created_ms: 10,
        expires_ms: None,
        most: 3,
    }
}

fn bot_token(n: u8, player: &str, bot: &str) -> NewToken {
    NewToken { bot: Some(format!("id of {bot}")), scope: TokenScope::Bot, ..new_token(n, player) }
}

/// A store with ann, her bot robo, and ben.
async fn club(database: &TestDatabase) -> Arc<TestStore> {
    let store = database.open(0).await;
    store.add_player(named("ann"), hash(1), 5, None).await.unwrap();
    store.add_player(named("ben"), hash(2), 5, None).await.unwrap();
    let who = PlayerRef { owner: Some("id of ann".to_owned()), ..named("robo") };
    let bot = NewBot { who, key: hash(3), created_ms: 5, about: "{}".to_owned(), most: 3, request: None };
    store.add_bot(bot).await.unwrap();
    store
}

async fn add(store: &TestStore, token: NewToken) -> u64 {
    store.change(StoreChange::AddToken(token)).await.unwrap()
}

async fn token_acts_for_its_owner_or_a_bot(database: TestDatabase) {
    let store = club(&database).await;
    let account = store.token_holder(hash(1)).await.unwrap().unwrap();
    assert_eq!((account.scope, account.id, account.who), (TokenScope::Account, None, named("ann")));
    let version = store.accounts_version().await.unwrap();
    assert_eq!(add(&store, NewToken { expires_ms: Some(90), ..new_token(7, "ann") }).await, 1);
    assert_eq!(add(&store, bot_token(8, "ann", "robo")).await, 1);
    let held = store.token_holder(hash(7)).await.unwrap().unwrap();
    assert_eq!((held.who, held.scope, held.expires_ms), (named("ann"), TokenScope::Play, Some(90)));
    let held = store.token_holder(hash(8)).await.unwrap().unwrap();
    assert_eq!((held.who.name.as_str(), held.who.owner.as_deref()), ("robo", Some("id of ann")));
    assert_eq!(held.scope, TokenScope::Bot);
    assert_eq!(store.known_keys((1..9).map(hash).collect()).await.unwrap().len(), 5);
    // A use is recorded and never goes back.
    for (at_ms, changed, shown) in [(50, 1, 50), (40, 0, 50), (60, 1, 60)] {
        let used = StoreChange::UseToken { id: "token 8".to_owned(), at_ms };
        assert_eq!(store.change(used).await, Ok(changed));
        assert_eq!(store.token_holder(hash(8)).await.unwrap().unwrap().used_ms, Some(shown));
    }
    let listed = store.tokens("id of ann".to_owned()).await.unwrap();
    let entry = |token: &StoredToken| (token.name.clone(), token.bot.clone(), token.used_ms);
    assert_eq!(
        listed.iter().map(entry).collect::<Vec<_>>(),
        [("name 7".to_owned(), None, None), ("name 8".to_owned(), Some("robo".to_owned()), Some(60))]
    );
    assert_eq!(store.tokens("id of ben".to_owned()).await.unwrap(), []);
    assert_eq!(store.accounts_version().await.unwrap(), version, "no node has anything to forget");
}

async fn tokens_of_a_player_are_bounded(database: TestDatabase) {
    let store = club(&database).await;
    for n in 11..14 {
        assert_eq!(
            add(&store, NewToken { expires_ms: Some(20 + i64::from(n)), ..new_token(n, "ann") }).await,
            1
        );
    }
    assert_eq!(add(&store, new_token(20, "ann")).await, 0, "three are the most");
    assert_eq!(add(&store, new_token(20, "ben")).await, 1, "another player has room");
    // An expired one makes room, and is gone then.
    assert_eq!(add(&store, NewToken { created_ms: 31, ..new_token(21, "ann") }).await, 1);
    assert_eq!(store.token_holder(hash(11)).await.unwrap(), None);
    assert!(store.token_holder(hash(12)).await.unwrap().is_some());
    for of_no_player in [new_token(22, "nobody"), bot_token(22, "ben", "nobody")] {
        assert_eq!(add(&store, of_no_player).await, 0);
    }
}

async fn tokens_end_alone_or_with_their_player(database: TestDatabase) {
    let store = club(&database).await;
    for token in [new_token(7, "ann"), new_token(8, "ann"), bot_token(9, "ann", "robo"), new_token(10, "ben")]
    {
        assert_eq!(add(&store, token).await, 1);
    }
    let valid = async || {
        let known = store.known_keys((1..11).map(hash).collect()).await.unwrap();
        let mut known: Vec<u8> =
            known.into_iter().map(|(key, _)| (1..11).find(|n| hash(*n) == key).unwrap()).collect();
        known.sort_unstable();
        known
    };
    let version = store.accounts_version().await.unwrap();
    let end = |player: &str| StoreChange::EndToken { player: player.to_owned(), id: "token 7".to_owned() };
    assert_eq!(store.change(end("id of ben")).await, Ok(0), "another player's token");
    assert_eq!(store.change(end("id of ann")).await, Ok(1));
    assert!(store.accounts_version().await.unwrap() > version, "other nodes learn of it");
    assert_eq!(valid().await, [1, 2, 3, 8, 9, 10]);
    let replace = |key, end_others| StoreChange::ReplaceToken {
        player: "id of ann".to_owned(),
        key,
        end_others,
        by: None,
    };
    assert_eq!(store.change(replace(hash(4), false)).await, Ok(1));
    assert_eq!(valid().await, [2, 3, 4, 8, 9, 10], "the others stay");
    assert_eq!(store.change(replace(hash(5), true)).await, Ok(1));
    assert_eq!(valid().await, [2, 3, 5, 10]);
    for token in [new_token(7, "ann"), bot_token(9, "ann", "robo")] {
        assert_eq!(add(&store, token).await, 1);
    }
    let delete =
        |player: &str| StoreChange::DeletePlayer { player: player.to_owned(), at_ms: 6, held_until_ms: 7 };
    assert_eq!(store.change(delete("id of robo")).await, Ok(1));
    assert_eq!(valid().await, [2, 5, 7, 10], "a deleted bot's token");
    assert_eq!(store.change(delete("id of ann")).await, Ok(1));
    assert_eq!(valid().await, [2, 10]);
}
