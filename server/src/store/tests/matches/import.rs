//! Copying an SQLite database to PostgreSQL: all of it, after an interruption, and what is refused.

use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::{Connection, Executor, PgConnection};

use crate::store::tests::people::passkeys::new_passkey;
use crate::store::tests::people::push::{new_notification, new_subscription};
use crate::store::tests::people::tokens::new_token;
use crate::store::tests::programs::{new_bot, new_program};
use crate::store::tests::*;

const MATCHES: usize = 450;

/// A club's data: players, matches of all stages, results, requests, a ban, a name that was given up.
async fn fill(database: &TestDatabase) {
    let store = database.open(0).await;
    for (n, name) in [(1, "ann"), (2, "bob"), (3, "cyd")] {
        store.add_player(named(name), hash(n), 5, Some(request(n))).await.unwrap();
    }
    let mut appends = [const { Vec::new() }; 3];
    for n in 0..MATCHES {
        let id = MatchId::fresh();
        let mut begin = first(&id);
        let players = vec![(named("ann"), None), (named("bob"), None)];
        let begun = MatchRow { players, private: n % 7 == 0, ..row(Stage::Running) };
        begin.row = Some(begun.clone());
        appends[0].push(begin);
        let text = format!(r#"{{"text":"é \" \\ \u0001 {n} {}"}}"#, "x".repeat(n));
        appends[1].push(Append {
            events: vec![StoredEvent { at_ms: i64::MAX - n as i64, body: text }],
            ..next(&id, 1)
        });
        if n % 3 > 0 {
            let players = vec![(named("ann"), Some(1.0 / 3.0)), (named("bob"), Some(1.0))];
            appends[2].push(Append { row: Some(MatchRow { players, ..ended(begun) }), ..next(&id, 2) });
        }
    }
    for appends in appends {
        for done in futures_util::future::join_all(appends.into_iter().map(|a| store.append(a))).await {
            done.unwrap();
        }
    }
    let rename = StoreChange::RenamePlayer {
        player: "id of cyd".to_owned(),
        name: "dan".to_owned(),
        at_ms: 7,
        held_until_ms: i64::MAX,
    };
    let ban =
        Ban { network: "10.0.0.0/8".to_owned(), reason: "no".to_owned(), created_ms: 1, until_ms: None };
    assert_eq!(store.change(rename).await, Ok(1));
    assert_eq!(store.change(StoreChange::Ban(ban)).await, Ok(1));
    let token = NewToken { expires_ms: Some(i64::MAX), ..new_token(7, "ann") };
    assert_eq!(store.change(StoreChange::AddToken(token)).await, Ok(1));
    let keys = vec![hash(60), hash(61)];
    for change in [
        SignInChange::AddPasskey(new_passkey(7, "ann")),
        SignInChange::ReplaceRecoveryCodes { player: "id of ann".to_owned(), keys },
    ] {
        assert!(store.change(StoreChange::SignIn(change)).await.unwrap() > 0);
    }
    for change in [
        PushChange::KeepKey("the key".to_owned()),
        PushChange::Subscribe(new_subscription(1, "ann", 1)),
        PushChange::Notify(vec![new_notification("m 1")]),
    ] {
        assert_eq!(store.change(StoreChange::Push(change)).await, Ok(1));
    }
    store.add_bot(new_bot(8, "robo", "ann")).await.unwrap();
    let program = new_program("id of robo", "id of ann", &[0, 1, 92, 255, 34]);
    assert_eq!(store.change(StoreChange::Program(ProgramChange::Add(Box::new(program)))).await, Ok(1));
    store.close().await;
}

fn ended(row: MatchRow) -> MatchRow {
    MatchRow { stage: Stage::Over, ended_ms: Some(9), ..row }
}

async fn import_all(from: &TestDatabase, to: &TestDatabase) -> Result<Imported, String> {
    import(&from.address(), &to.address(), &mut |_| ()).await
}

/// Imports until some matches are copied, and stops in the middle of the next.
async fn import_some(from: &TestDatabase, to: &TestDatabase) {
    let copied = AtomicUsize::new(0);
    let mut progress = |_| {
        copied.fetch_add(1, Ordering::Relaxed);
    };
    let (from, to) = (from.address(), to.address());
    let mut work = Box::pin(import(&from, &to, &mut progress));
    let stopped = std::future::poll_fn(|context| {
        let done = work.as_mut().poll(context).is_ready();
        assert!(!done, "it is interrupted before its end");
        match copied.load(Ordering::Relaxed) {
            0 => std::task::Poll::Pending,
            _ => std::task::Poll::Ready(()),
        }
    });
    stopped.await;
}

#[tokio::test]
async fn interrupted_import_goes_on_and_copies_all() {
    let (from, to) = (TestDatabase::sqlite(), TestDatabase::postgres().await);
    fill(&from).await;
    import_some(&from, &to).await;
    let refused = to.try_open(0).await.err().unwrap().to_string();
    assert!(refused.contains("import into it was interrupted"), "{refused}");
    let other = TestDatabase::sqlite();
    fill(&other).await;
    let refused = import_all(&other, &to).await.unwrap_err();
    assert!(refused.contains("interrupted import of another database"), "{refused}");
    let imported = import_all(&from, &to).await.unwrap();
    let events = 2 * MATCHES + MATCHES - MATCHES.div_ceil(3);
    assert_eq!(imported, Imported { matches: MATCHES as u64, events: events as u64, players: 4 });
    let refused = import_all(&from, &to).await.unwrap_err();
    assert!(refused.contains("not empty"), "{refused}");

    let (old, new) = (from.open(100).await, to.open(100).await);
    assert_eq!(old.pepper(), new.pepper());
    assert_eq!(new.push_key().await, Ok(Some("the key".to_owned())));
    let all = MatchFilter { scope: Scope::All, limit: 1000, ..MatchFilter::default() };
    let listed = old.list(all.clone()).await.unwrap();
    assert_eq!((listed.len(), new.list(all).await.unwrap()), (MATCHES, listed.clone()));
    for ListedMatch { id, .. } in &listed {
        assert_eq!(old.log(id.clone(), 0).await.unwrap(), new.log(id.clone(), 0).await.unwrap());
    }
    for name in ["ann", "bob", "dan"] {
        let player = old.player(name.to_owned()).await.unwrap();
        assert!(player.is_some() && player == new.player(name.to_owned()).await.unwrap());
    }
    let token = old.token_holder(hash(7)).await.unwrap();
    assert!(token.is_some() && token == new.token_holder(hash(7)).await.unwrap());
    let programs = old.programs("id of robo".to_owned()).await.unwrap();
    assert_eq!((programs.len(), &programs), (1, &new.programs("id of robo".to_owned()).await.unwrap()));
    let module = new.module(programs[0].hash.clone()).await.unwrap().unwrap();
    assert_eq!(*module, [0, 1, 92, 255, 34]);
    assert_eq!(old.bans().await.unwrap(), new.bans().await.unwrap());
    assert_eq!(old.former_names().await.unwrap(), new.former_names().await.unwrap());
    assert_eq!(old.request(hash(2)).await.unwrap(), new.request(hash(2)).await.unwrap());
    assert_eq!(old.accounts_version().await.unwrap(), new.accounts_version().await.unwrap());
    // Matches that were running are due, and new ones get numbers of their own.
    assert_eq!(new.due(i64::MAX, 1000).await.unwrap().len(), MATCHES.div_ceil(3));
    let id = create_match(&new).await;
    new.append(next(&id, 1)).await.unwrap();
}

#[tokio::test]
async fn import_notices_what_differs() {
    let (from, to) = (TestDatabase::sqlite(), TestDatabase::postgres().await);
    fill(&from).await;
    import_some(&from, &to).await;
    let mut db = PgConnection::connect(&to.text()).await.unwrap();
    let change = "UPDATE matches SET summary = '{}' WHERE nr = (SELECT min(nr) FROM matches)";
    assert_eq!(db.execute(change).await.unwrap().rows_affected(), 1);
    let differs = import_all(&from, &to).await.unwrap_err();
    assert!(differs.contains("match number 1 differs"), "{differs}");
}

#[tokio::test]
async fn import_refuses_what_it_cannot_copy() {
    let (from, to) = (TestDatabase::sqlite(), TestDatabase::postgres().await);
    let refused = import_all(&from, &to).await.unwrap_err();
    assert!(refused.contains("does not exist"), "{refused}");
    let store = from.open(0).await;
    create_match(&store).await;
    let refused = import_all(&from, &to).await.unwrap_err();
    assert!(refused.contains("a server uses it"), "{refused}");
    store.close().await;
    drop(to.open(0).await);
    let refused = import_all(&from, &to).await.unwrap_err();
    assert!(refused.contains("a server uses it"), "the target: {refused}");
    let refused = import_all(&to, &from).await.unwrap_err();
    assert!(refused.contains("--from must be an SQLite file"), "{refused}");
}
