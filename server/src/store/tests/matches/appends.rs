//! Appends: what is stored, what is refused, and many in one transaction.

use crate::domain::PlayerKind;
use std::collections::BTreeMap;

use futures_util::future::join_all;

use crate::store::tests::*;

on_both_databases! {
    appended_events_are_read_back,
    sequence_number_is_taken_once,
    append_writes_all_events_or_none,
    transaction_decides_each_append_on_its_own,
    requests_are_carried_out_once,
    match_has_one_rematch,
    names_are_unique_in_any_case,
    two_nodes_create_matches_with_separate_rows,
    two_nodes_append_in_turn,
}

async fn appended_events_are_read_back(database: TestDatabase) {
    let store = database.open(0).await;
    let id = MatchId::fresh();
    // Texts of all kinds survive.
    let bodies = ["{}", r#"{"detail":"a \"quoted\" \\ line\nand ' \u0000 \u2028"}"#, "{\"ä\":\"5♠ 🂡\"}"];
    let events: Vec<_> =
        bodies.iter().map(|body| StoredEvent { at_ms: i64::MAX, body: (*body).to_owned() }).collect();
    store.append(Append { events: events.clone(), ..first(&id) }).await.unwrap();
    store.append(next(&id, 3)).await.unwrap();
    let log = store.log(id.clone(), 0).await.unwrap();
    assert_eq!(log[..3], events);
    assert_eq!(log[3], event("moved 3"));
    assert_eq!(store.log(id.clone(), 3).await.unwrap(), log[3..]);
    assert_eq!(store.log(id.clone(), 4).await.unwrap(), []);
    assert_eq!(store.log(MatchId::fresh(), 0).await.unwrap(), []);
    // And after a restart.
    store.close().await;
    let store = database.open(1).await;
    assert_eq!(store.log(id, 0).await.unwrap(), log);
}

async fn sequence_number_is_taken_once(database: TestDatabase) {
    let store = database.open(0).await;
    let id = create_match(&store).await;
    for wrong in [first(&id), next(&id, 0), next(&id, 2), next(&MatchId::fresh(), 1)] {
        assert_eq!(store.append(wrong).await, Err(StoreError::Conflict));
    }
    store.append(next(&id, 1)).await.unwrap();
    assert_eq!(store.append(next(&id, 1)).await, Err(StoreError::Conflict));
    assert_eq!(store.log(id, 0).await.unwrap(), [event("created"), event("moved 1")]);
}

async fn append_writes_all_events_or_none(database: TestDatabase) {
    let store = database.open(0).await;
    let id = create_match(&store).await;
    let two = Append { events: vec![event("moved"), event("ended")], ..last(&id, 1) };
    store.append(two.clone()).await.unwrap();
    assert_eq!(store.append(Append { seq: 2, ..two.clone() }).await, Err(StoreError::Conflict));
    assert_eq!(store.log(id, 0).await.unwrap().len(), 3);
    // An append that the database refuses half-way leaves nothing, and does not affect others in its transaction.
    let broken = MatchId::fresh();
    let mut unknown = first(&broken);
    unknown.row.as_mut().unwrap().players = vec![(named("unknown"), None)];
    let fine: Vec<MatchId> = (0..20).map(|_| MatchId::fresh()).collect();
    let (refused, others) =
        tokio::join!(store.append(unknown), join_all(fine.iter().map(|id| store.append(first(id)))));
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    assert!(others.iter().all(Result::is_ok), "{others:?}");
    assert_eq!(store.health(), Ok(()), "a wrong request does not mean that the database fails");
    assert_eq!(store.log(broken, 0).await.unwrap(), []);
    for id in fine {
        assert_eq!(store.log(id, 0).await.unwrap().len(), 1);
    }
}

async fn transaction_decides_each_append_on_its_own(database: TestDatabase) {
    let store = database.open(0).await;
    // All are queued before the writer runs, because this runtime has one thread.
    let ids: Vec<MatchId> = (0..10).map(|_| MatchId::fresh()).collect();
    let mut asked = Vec::new();
    for id in &ids {
        asked.extend([first(id), next(id, 1), next(id, 1), first(id), next(id, 3), last(id, 2)]);
    }
    let results = join_all(asked.into_iter().map(|append| store.append(append))).await;
    for (id, results) in ids.iter().zip(results.chunks(6)) {
        let right: Vec<bool> = results.iter().map(Result::is_ok).collect();
        assert_eq!(right, [true, true, false, false, false, true], "{results:?}");
        assert!(results.iter().all(|t| !matches!(t, Err(StoreError::Unavailable(_)))), "{results:?}");
        let log = store.log(id.clone(), 0).await.unwrap();
        assert_eq!(log, [event("created"), event("moved 1"), event("moved 2")]);
    }
    assert_eq!(store.list(MatchFilter { limit: 100, ..MatchFilter::default() }).await.unwrap().len(), 10);
}

async fn requests_are_carried_out_once(database: TestDatabase) {
    let store = database.open(0).await;
    let [a, b, c] = std::array::from_fn(|_| MatchId::fresh());
    assert_eq!(store.request(hash(1)).await.unwrap(), None);
    let with = |id: &MatchId, n| Append { request: Some(request(n)), ..first(id) };
    // Twice in one transaction, and once after it.
    let results = tokio::join!(store.append(with(&a, 1)), store.append(with(&b, 1)));
    assert!(results.0.is_ok() && results.1 == Err(StoreError::Conflict), "{results:?}");
    assert_eq!(store.append(with(&c, 1)).await, Err(StoreError::Conflict));
    assert_eq!(store.request(hash(1)).await.unwrap(), Some(request(1)));
    assert_eq!(store.log(b, 0).await.unwrap(), []);
    assert_eq!(store.log(c.clone(), 0).await.unwrap(), []);
    // A request whose append is refused is not kept.
    let refused = Append { request: Some(request(2)), ..next(&a, 5) };
    assert_eq!(store.append(refused).await, Err(StoreError::Conflict));
    assert_eq!(store.request(hash(2)).await.unwrap(), None);
    // Requests that create players use the same keys.
    let player = store.add_player(named("ann"), hash(50), 1, Some(request(1))).await;
    assert_eq!(player, Err(StoreError::Conflict));
    assert_eq!(store.player("ann".to_owned()).await.unwrap(), None);
    let (player, append) = tokio::join!(
        store.add_player(named("ann"), hash(50), 1, Some(request(3))),
        store.append(with(&c, 3))
    );
    assert_eq!((player, append), (Ok(()), Err(StoreError::Conflict)));
    assert_eq!(store.request(hash(3)).await.unwrap(), Some(request(3)));
}

async fn match_has_one_rematch(database: TestDatabase) {
    let store = database.open(0).await;
    let of = create_match(&store).await;
    assert_eq!(store.rematch(of.clone()).await.unwrap(), None);
    let ids: [MatchId; 3] = std::array::from_fn(|_| MatchId::fresh());
    let rematch = |id: &MatchId| {
        let mut append = first(id);
        append.row.as_mut().unwrap().rematch_of = Some(of.clone());
        append
    };
    let results = tokio::join!(store.append(rematch(&ids[0])), store.append(rematch(&ids[1])));
    assert!(results.0.is_ok() && results.1 == Err(StoreError::Conflict), "{results:?}");
    assert_eq!(store.append(rematch(&ids[2])).await, Err(StoreError::Conflict));
    assert_eq!(store.rematch(of.clone()).await.unwrap(), Some(ids[0].clone()));
    // Writing its own row again is allowed.
    let again = Append { row: rematch(&ids[0]).row, ..next(&ids[0], 1) };
    store.append(again).await.unwrap();
}

async fn names_are_unique_in_any_case(database: TestDatabase) {
    let store = database.open(0).await;
    store.add_player(named("Jürgen"), hash(1), 11, None).await.unwrap();
    for (who, key) in [(named("JÜRGEN"), 2), (named("Jürgen"), 3), (named("other"), 1)] {
        assert_eq!(store.add_player(who, hash(key), 12, None).await, Err(StoreError::Conflict));
    }
    // Two in one transaction.
    let results = tokio::join!(
        store.add_player(named("ann"), hash(4), 13, None),
        store.add_player(named("Ann"), hash(5), 13, None),
    );
    assert_eq!(results, (Ok(()), Err(StoreError::Conflict)));
    let player = store.player("jÜRGEN".to_owned()).await.unwrap().unwrap();
    assert_eq!((player.who, player.created_ms, player.results), (named("Jürgen"), 11, Vec::new()));
    assert_eq!((player.kind, player.owner, player.about), (PlayerKind::Person, None, None));
    assert_eq!(holder_of(&store, hash(1)).await, Some(named("Jürgen")));
    assert_eq!(holder_of(&store, hash(5)).await, None);
    assert_eq!(store.player("unknown".to_owned()).await.unwrap(), None);
}

/// A node's cache is out of date after another node has written; its decisions are right nevertheless. Each node caches
/// the next number, which is wrong whenever the other node has created a match.
async fn two_nodes_create_matches_with_separate_rows(database: TestDatabase) {
    let stores = [database.open(0).await, database.open(0).await];
    let mut made = Vec::new();
    for n in 0..30 {
        let id = MatchId::fresh();
        let mut append = first(&id);
        append.row.as_mut().unwrap().summary = format!("\"{id}\"");
        stores[n / 2 % 2].append(append).await.unwrap();
        made.push(id);
    }
    made.reverse();
    let listed = stores[0].list(MatchFilter { limit: 100, ..MatchFilter::default() }).await.unwrap();
    assert_eq!(listed.iter().map(|found| found.id.clone()).collect::<Vec<_>>(), made);
    for ListedMatch { id, row } in listed {
        assert_eq!(row.summary, format!("\"{id}\""));
        assert_eq!(stores[1].log(id, 0).await.unwrap().len(), 1);
    }
}

async fn two_nodes_append_in_turn(database: TestDatabase) {
    let [a, b] = [database.open(0).await, database.open(0).await];
    let (id, mine) = (create_match(&a).await, create_match(&a).await);
    let mut own = 1;
    for seq in (1..40).step_by(2) {
        a.append(next(&id, seq)).await.unwrap();
        b.append(next(&id, seq + 1)).await.unwrap();
        assert_eq!(b.append(next(&id, seq)).await, Err(StoreError::Conflict));
        // In one transaction with a valid append, or after one, or alone.
        match seq % 3 {
            0 => {
                let results = tokio::join!(a.append(next(&mine, own)), a.append(next(&id, seq + 1)));
                assert!(results.0.is_ok() && results.1 == Err(StoreError::Conflict), "{results:?}");
                own += 1;
            }
            1 => {
                a.append(next(&mine, own)).await.unwrap();
                own += 1;
                assert_eq!(a.append(next(&id, seq + 1)).await, Err(StoreError::Conflict));
            }
            _ => assert_eq!(a.append(next(&id, seq + 1)).await, Err(StoreError::Conflict)),
        }
    }
    for store in [a, b] {
        assert_eq!(store.log(id.clone(), 0).await.unwrap().len(), 41);
        assert_eq!(store.log(mine.clone(), 0).await.unwrap().len() as u32, own);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_nodes_on_sqlite_write_each_sequence_number_once() {
    two_nodes_write_each_sequence_number_once(TestDatabase::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_nodes_on_postgres_write_each_sequence_number_once() {
    two_nodes_write_each_sequence_number_once(TestDatabase::postgres().await).await;
}

async fn two_nodes_write_each_sequence_number_once(database: TestDatabase) {
    const MATCHES: usize = 12;
    const EVENTS: u32 = 25;
    let stores = [database.open(0).await, database.open(0).await];
    let mut ids = Vec::new();
    for i in 0..MATCHES {
        ids.push(create_match(&stores[i % 2]).await);
    }
    // Both append to all matches, and continue from the log after each conflict.
    let play = |store: Arc<TestStore>, id: MatchId, who: usize| async move {
        let (mut seq, mut mine) = (1, 0);
        while seq < EVENTS {
            let text = format!("{who} at {seq}");
            match store.append(Append { events: vec![event(&text)], ..next(&id, seq) }).await {
                Ok(_) => mine += 1,
                Err(StoreError::Conflict) => {}
                Err(e) => panic!("{e}"),
            }
            seq = store.log(id.clone(), 0).await.unwrap().len() as u32;
        }
        mine
    };
    let mut tasks = Vec::new();
    for id in &ids {
        for (who, store) in stores.iter().enumerate() {
            tasks.push((who, tokio::spawn(play(Arc::clone(store), id.clone(), who))));
        }
    }
    let mut mine: BTreeMap<usize, u32> = BTreeMap::new();
    for (who, task) in tasks {
        *mine.entry(who).or_default() += task.await.unwrap();
    }
    let mut by = [0, 0];
    for id in &ids {
        let log = stores[0].log(id.clone(), 0).await.unwrap();
        assert_eq!(log.len() as u32, EVENTS);
        assert_eq!(log, stores[1].log(id.clone(), 0).await.unwrap());
        for (seq, stored) in log.iter().enumerate().skip(1) {
            let who = [0, 1].into_iter().find(|who| *stored == event(&format!("{who} at {seq}")));
            by[who.unwrap_or_else(|| panic!("place {seq} holds {stored:?}"))] += 1;
        }
    }
    assert_eq!(by, [mine[&0], mine[&1]], "each node got the results of its own appends");
}
