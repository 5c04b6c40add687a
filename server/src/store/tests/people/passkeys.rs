//! Passkeys, recovery codes and sign-ins: their limit, what uses them up, and what ends them.

use crate::domain::scope::TokenScope;
use crate::store::tests::*;

on_both_databases! {
    passkeys_of_a_player_are_bounded,
    passkey_answers_each_challenge_once,
    recovery_code_works_once,
    sign_in_with_the_own_token_ends_with_it,
    sign_ins_of_a_player_are_bounded,
    passkeys_and_codes_go_with_their_player,
}

/// A passkey of a player.
pub(in crate::store::tests) fn new_passkey(n: u8, player: &str) -> NewPasskey {
    NewPasskey {
        id: format!("passkey {n}"),
        player: format!("id of {player}"),
        name: format!("name {n}"),
        credential_id: format!("credential {n}"),
        credential: "{}".to_owned(),
        created_ms: 10,
        challenge_ms: 5,
        most: 2,
    }
}

fn sign_in_token(n: u8, player: &str, created_ms: Millis) -> NewToken {
    NewToken {
        id: format!("sign-in {n}"),
        key: hash(n),
        player: format!("id of {player}"),
        bot: None,
        name: "a browser".to_owned(),
        scope: TokenScope::Account,
        created_ms,
        expires_ms: Some(1_000),
        most: 3,
    }
}

/// A store with ann and ben.
async fn people(database: &TestDatabase) -> Arc<TestStore> {
    let store = database.open(0).await;
    store.add_player(named("ann"), hash(1), 5, None).await.unwrap();
    store.add_player(named("ben"), hash(2), 5, None).await.unwrap();
    store
}

async fn change(store: &TestStore, change: SignInChange) -> Result<u64, StoreError> {
    store.change(StoreChange::SignIn(change)).await
}

async fn add(store: &TestStore, passkey: NewPasskey) -> Result<u64, StoreError> {
    change(store, SignInChange::AddPasskey(passkey)).await
}

async fn codes(store: &TestStore, player: &str, keys: &[u8]) -> u64 {
    let keys = keys.iter().map(|n| hash(*n)).collect();
    let wanted = SignInChange::ReplaceRecoveryCodes { player: format!("id of {player}"), keys };
    change(store, wanted).await.unwrap()
}

/// Signs in with a code, whose token gets the same number plus 100.
async fn use_code(store: &TestStore, n: u8, player: &str) -> u64 {
    let (proof, token) = (SignInProof::RecoveryCode(hash(n)), sign_in_token(n + 100, player, 20));
    change(store, SignInChange::SignIn { proof, token }).await.unwrap()
}

async fn passkeys_of_a_player_are_bounded(database: TestDatabase) {
    let store = people(&database).await;
    for n in [7, 8] {
        assert_eq!(add(&store, new_passkey(n, "ann")).await, Ok(1));
    }
    assert_eq!(add(&store, new_passkey(9, "ann")).await, Ok(0), "two are the most");
    assert_eq!(add(&store, new_passkey(9, "ben")).await, Ok(1), "another player has room");
    assert_eq!(add(&store, new_passkey(10, "nobody")).await, Ok(0));
    let same = NewPasskey { id: "another".to_owned(), ..new_passkey(7, "ben") };
    assert_eq!(add(&store, same).await, Err(StoreError::Conflict), "one passkey is of one player");
    let names = async |player: &str| {
        let listed = store.passkeys(format!("id of {player}")).await.unwrap();
        listed.into_iter().map(|passkey| passkey.name).collect::<Vec<_>>()
    };
    assert_eq!(names("ann").await, ["name 7", "name 8"]);
    let rename = |player: &str| SignInChange::RenamePasskey {
        player: format!("id of {player}"),
        id: "passkey 7".to_owned(),
        name: "phone".to_owned(),
    };
    let remove = |player: &str| SignInChange::RemovePasskey {
        player: format!("id of {player}"),
        id: "passkey 7".to_owned(),
    };
    for (player, changed) in [("ben", 0), ("ann", 1)] {
        assert_eq!(change(&store, rename(player)).await, Ok(changed), "{player}");
    }
    assert_eq!(names("ann").await, ["phone", "name 8"]);
    for (player, changed) in [("ben", 0), ("ann", 1), ("ann", 0)] {
        assert_eq!(change(&store, remove(player)).await, Ok(changed), "{player}");
    }
    assert_eq!(names("ann").await, ["name 8"]);
    assert_eq!(store.passkey("credential 7".to_owned()).await, Ok(None));
    assert_eq!(add(&store, new_passkey(11, "ann")).await, Ok(1), "there is room again");
}

async fn passkey_answers_each_challenge_once(database: TestDatabase) {
    let store = people(&database).await;
    assert_eq!(add(&store, new_passkey(7, "ann")).await, Ok(1));
    let answer = async |n: u8, player: &str, challenge_ms| {
        let credential = format!("{{\"n\":{n}}}");
        let proof = SignInProof::Passkey { id: "passkey 7".to_owned(), credential, challenge_ms };
        let token = sign_in_token(n, player, 20);
        change(&store, SignInChange::SignIn { proof, token }).await.unwrap()
    };
    let version = store.accounts_version().await.unwrap();
    assert_eq!(answer(20, "ann", 5).await, 0, "the challenge that made it");
    assert_eq!(answer(21, "ben", 6).await, 0, "another player's");
    assert_eq!(store.accounts_version().await.unwrap(), version);
    assert_eq!(answer(22, "ann", 15).await, 1);
    assert!(store.accounts_version().await.unwrap() > version, "other nodes learn of what it may have ended");
    for challenge_ms in [15, 14] {
        assert_eq!(answer(23, "ann", challenge_ms).await, 0, "again, or an older one");
    }
    let held = store.token_holder(hash(22)).await.unwrap().unwrap();
    assert_eq!((held.who, held.scope, held.expires_ms), (named("ann"), TokenScope::Account, Some(1_000)));
    for n in [20, 21, 23] {
        assert_eq!(store.token_holder(hash(n)).await.unwrap(), None, "{n}");
    }
    let stored = store.passkey("credential 7".to_owned()).await.unwrap().unwrap();
    assert_eq!((stored.who, stored.credential.as_str()), (named("ann"), "{\"n\":22}"));
    assert_eq!(store.passkeys("id of ann".to_owned()).await.unwrap()[0].used_ms, Some(20));
}

async fn recovery_code_works_once(database: TestDatabase) {
    let store = people(&database).await;
    assert_eq!(codes(&store, "ann", &[30, 31]).await, 2);
    assert_eq!(codes(&store, "ben", &[40]).await, 1);
    assert_eq!(codes(&store, "nobody", &[50]).await, 0);
    assert_eq!(store.recovery_code_holder(hash(30)).await, Ok(Some(named("ann"))));
    assert_eq!(use_code(&store, 30, "ben").await, 0, "another player's");
    assert_eq!(use_code(&store, 30, "ann").await, 1);
    assert_eq!(use_code(&store, 30, "ann").await, 0, "it is used up");
    assert_eq!(store.recovery_code_holder(hash(30)).await, Ok(None));
    assert_eq!(store.recovery_codes("id of ann".to_owned()).await, Ok(1));
    assert_eq!(codes(&store, "ann", &[32, 33]).await, 2);
    assert_eq!(store.recovery_codes("id of ann".to_owned()).await, Ok(2));
    assert_eq!(use_code(&store, 31, "ann").await, 0, "it was replaced");
    assert_eq!(store.recovery_codes("id of ben".to_owned()).await, Ok(1), "another player's stay");
}

async fn sign_in_with_the_own_token_ends_with_it(database: TestDatabase) {
    let store = people(&database).await;
    let sign_in = async |own: u8, n: u8, player: &str| {
        let (proof, token) = (SignInProof::Token(hash(own)), sign_in_token(n, player, 20));
        change(&store, SignInChange::SignIn { proof, token }).await.unwrap()
    };
    assert_eq!(sign_in(2, 20, "ann").await, 0, "another player's");
    assert_eq!(codes(&store, "ann", &[30]).await, 1);
    assert_eq!(use_code(&store, 30, "ann").await, 1);
    for n in [21, 22] {
        assert_eq!(sign_in(1, n, "ann").await, 1);
    }
    assert_eq!(sign_in(2, 23, "ben").await, 1);
    let replace = async |key: u8, by: Option<u8>| {
        let (player, by) = ("id of ann".to_owned(), by.map(hash));
        let replace = StoreChange::ReplaceToken { player, key: hash(key), end_others: false, by };
        assert_eq!(store.change(replace).await, Ok(1));
        let mut valid = Vec::new();
        for n in [21, 22, 23, 130] {
            if store.token_holder(hash(n)).await.unwrap().is_some() {
                valid.push(n);
            }
        }
        valid
    };
    assert_eq!(replace(10, Some(22)).await, [22, 23, 130], "the one that asks for it goes on");
    assert_eq!(sign_in(1, 24, "ann").await, 0, "the former token");
    assert_eq!(replace(11, None).await, [23, 130], "that of the recovery code stays");
}

async fn sign_ins_of_a_player_are_bounded(database: TestDatabase) {
    let store = people(&database).await;
    let program = NewToken { scope: TokenScope::Play, expires_ms: None, ..sign_in_token(60, "ann", 10) };
    assert_eq!(store.change(StoreChange::AddToken(program)).await, Ok(1));
    assert_eq!(codes(&store, "ann", &[30, 31, 32, 33]).await, 4);
    for n in 30..33 {
        assert_eq!(use_code(&store, n, "ann").await, 1);
    }
    // The oldest one was used last.
    let used = StoreChange::UseToken { id: "sign-in 130".to_owned(), at_ms: 90 };
    assert_eq!(store.change(used).await, Ok(1));
    assert_eq!(use_code(&store, 33, "ann").await, 1);
    let known = store.tokens("id of ann".to_owned()).await.unwrap();
    let ids: Vec<_> = known.iter().map(|token| token.id.as_str()).collect();
    assert_eq!(ids, ["sign-in 130", "sign-in 132", "sign-in 133", "sign-in 60"], "131 was used longest ago");
    // They leave room for tokens of programs.
    for n in [61, 62] {
        let program = NewToken { scope: TokenScope::Play, ..sign_in_token(n, "ann", 10) };
        assert_eq!(store.change(StoreChange::AddToken(program)).await, Ok(1));
    }
}

async fn passkeys_and_codes_go_with_their_player(database: TestDatabase) {
    let store = people(&database).await;
    for player in ["ann", "ben"] {
        let n = player.as_bytes()[0];
        assert_eq!(add(&store, new_passkey(n, player)).await, Ok(1));
        assert_eq!(codes(&store, player, &[n]).await, 1);
    }
    let left = async |player: &str| {
        let id = format!("id of {player}");
        let codes = store.recovery_codes(id.clone()).await.unwrap();
        (store.passkeys(id).await.unwrap().len(), codes)
    };
    let delete = StoreChange::DeletePlayer { player: "id of ann".to_owned(), at_ms: 6, held_until_ms: 7 };
    assert_eq!(store.change(delete).await, Ok(1));
    assert_eq!((left("ann").await, left("ben").await), ((0, 0), (1, 1)));
    let forget = SignInChange::Forget { player: "id of ben".to_owned() };
    assert_eq!(change(&store, forget).await, Ok(2));
    assert_eq!(left("ben").await, (0, 0));
}
