//! Several nodes on one database: which node holds which match, which nodes live, and downtimes.

use crate::store::tests::*;

on_both_databases! {
    nodes_agree_on_the_time_despite_different_system_clocks,
    match_is_due_when_no_node_holds_it,
    matches_of_a_dead_node_are_due_at_once,
    node_hears_of_events_that_other_nodes_append,
    time_without_a_node_is_recorded,
    downtime_runs_from_the_start_of_a_stop_until_a_node_serves,
    starting_node_does_not_serve_yet,
    time_continues_when_the_systems_clock_is_set_back,
    time_of_a_late_turn_is_stored_with_the_next_heartbeat,
    second_node_finds_no_downtime,
    dropped_store_counts_as_dead_node,
}

async fn match_is_due_when_no_node_holds_it(database: TestDatabase) {
    let store = database.open(0).await;
    let [a, b, c] = [create_match(&store).await, create_match(&store).await, create_match(&store).await];
    assert_eq!(store.due(i64::MAX, 10).await.unwrap(), [], "the node that created it holds it");
    store.release(a.clone(), Some(200));
    store.release(b.clone(), Some(100));
    store.release(c.clone(), None);
    let due = async |now| store.due(now, 10).await.unwrap();
    poll_until(async || (due(i64::MAX).await.len() == 2).then_some(())).await;
    assert_eq!(due(99).await, []);
    assert_eq!(due(100).await, std::slice::from_ref(&b));
    assert_eq!(due(200).await, [b.clone(), a.clone()], "the longest overdue first");
    assert_eq!(store.due(200, 1).await.unwrap(), std::slice::from_ref(&b));
    // A held match is no longer due, even before the change is written.
    store.hold(b.clone());
    assert_eq!(due(200).await, std::slice::from_ref(&a));
    store.release(b.clone(), Some(500));
    assert_eq!(due(200).await, std::slice::from_ref(&a));
    store.hold(a.clone());
    assert_eq!(due(200).await, []);
    store.append(last(&a, 1)).await.unwrap();
    store.release(a.clone(), Some(0));
    store.release(c.clone(), Some(300));
    poll_until(async || (due(i64::MAX).await == [c.clone(), b.clone()]).then_some(())).await;
}

#[tokio::test]
async fn match_of_another_node_is_neither_due_nor_released_here() {
    let database = TestDatabase::sqlite();
    let (ours, theirs) = (database.open(0).await, database.open(0).await);
    let id = create_match(&ours).await;
    theirs.hold(id.clone());
    // Written in order: once the other node's own match is stored, so is its hold on the first one.
    create_match(&theirs).await;
    ours.release(id.clone(), Some(0));
    create_match(&ours).await;
    assert_eq!(ours.due(i64::MAX, 10).await.unwrap(), []);
    theirs.release(id.clone(), Some(0));
    poll_until(async || (ours.due(1, 10).await.unwrap() == [id.clone()]).then_some(())).await;
}

/// The match may still live here; then this node holds it again, so that it becomes free if this node dies.
#[tokio::test]
async fn match_that_another_node_took_over_and_released_is_due_here() {
    let database = TestDatabase::sqlite();
    let (ours, theirs) = (database.open(0).await, database.open(0).await);
    let id = create_match(&ours).await;
    theirs.hold(id.clone());
    create_match(&theirs).await;
    theirs.release(id.clone(), Some(7));
    create_match(&theirs).await;
    assert_eq!(ours.due(7, 10).await.unwrap(), std::slice::from_ref(&id));
    ours.hold(id.clone());
    assert_eq!(ours.due(7, 10).await.unwrap(), []);
    create_match(&ours).await;
    assert_eq!(theirs.due(i64::MAX, 10).await.unwrap(), [], "the node holds it again");
    drop(ours);
    let due = poll_until(async || {
        theirs.heartbeat(2000);
        let due = theirs.due(2000, 10).await.unwrap();
        due.contains(&id).then_some(due)
    });
    assert_eq!(due.await.len(), 2);
}

async fn matches_of_a_dead_node_are_due_at_once(database: TestDatabase) {
    let (ours, theirs) = (database.open(0).await, database.open(0).await);
    let id = create_match(&theirs).await;
    ours.heartbeat(1000);
    create_match(&ours).await;
    assert_eq!(ours.due(i64::MAX, 10).await.unwrap(), [], "the other node lives");
    drop(theirs);
    let due = poll_until(async || {
        ours.heartbeat(2000);
        let due = ours.due(2000, 10).await.unwrap();
        (!due.is_empty()).then_some(due)
    })
    .await;
    assert_eq!(due, [id]);
    assert_eq!(ours.downtimes(0), [], "another node served");
}

/// They may open it by different paths.
#[tokio::test]
async fn nodes_on_one_file_recognize_each_other() {
    let database = TestDatabase::sqlite();
    let ours = database.open(0).await;
    let id = create_match(&ours).await;
    let link = database.folder().join("link.db");
    std::os::unix::fs::symlink(database.file(), &link).unwrap();
    let theirs = DatabaseStore::open_file(&link, 90_000, StoreMetrics::default()).await.unwrap();
    theirs.serve(90_000).await.unwrap();
    assert_eq!(theirs.downtimes(0), []);
    assert_eq!(theirs.due(100_000, 10).await.unwrap(), []);
    theirs.append(next(&id, 1)).await.unwrap();
    wait_for_news_of(&ours, &id).await;
}

async fn node_hears_of_events_that_other_nodes_append(database: TestDatabase) {
    let (ours, theirs) = (database.open(0).await, database.open(0).await);
    let id = create_match(&ours).await;
    wait_for_news_of(&theirs, &id).await;
    // Both while the other node is idle and while it writes.
    theirs.append(next(&id, 1)).await.unwrap();
    wait_for_news_of(&ours, &id).await;
    let busy = create_match(&ours).await;
    for seq in 1..20 {
        let (a, b) = tokio::join!(ours.append(next(&busy, seq)), theirs.append(next(&id, seq + 1)));
        assert!(a.is_ok() && b.is_ok());
    }
    wait_for_news_of(&ours, &id).await;
    wait_for_news_of(&theirs, &busy).await;
    // A node does not hear of its own events.
    let alone = database.another().await;
    let store = alone.open(0).await;
    let id = create_match(&store).await;
    store.append(next(&id, 1)).await.unwrap();
    let heard = tokio::time::timeout(Duration::from_millis(200), store.changed_elsewhere()).await;
    assert!(heard.is_err(), "{heard:?}");
}

/// A range that begins at this time and is long enough for a slow machine.
fn soon_after(begin: Millis) -> std::ops::Range<Millis> {
    begin..begin + 60_000
}

const HOUR: Millis = 3_600_000;

async fn time_without_a_node_is_recorded(database: TestDatabase) {
    let store = database.open(HOUR).await;
    assert_eq!(store.downtimes(0), [], "there is no downtime before the first node");
    let pepper = *store.pepper();
    store.heartbeat(2 * HOUR);
    store.close().await;
    let store = database.open(3 * HOUR).await;
    assert_eq!(*store.pepper(), pepper, "the secret stays");
    let first = store.downtimes(0);
    assert!(
        soon_after(2 * HOUR).contains(&first[0].0) && soon_after(3 * HOUR).contains(&first[0].1),
        "{first:?}"
    );
    assert_eq!(store.downtimes(first[0].1 - 1), first);
    assert_eq!(store.downtimes(first[0].1), []);
    store.heartbeat(3 * HOUR + HOUR / 2);
    store.close().await;
    let store = database.open(4 * HOUR).await;
    let both = store.downtimes(0);
    assert_eq!(both[..1], first, "what serving took is written with the next beat");
    assert!(
        soon_after(3 * HOUR + HOUR / 2).contains(&both[1].0) && soon_after(4 * HOUR).contains(&both[1].1),
        "{both:?}"
    );
    store.close().await;
}

async fn downtime_runs_from_the_start_of_a_stop_until_a_node_serves(database: TestDatabase) {
    let stopping = database.open(HOUR).await;
    stopping.stop(2 * HOUR);
    // It still lives and sends heartbeats; neither makes it serve.
    stopping.stop(3 * HOUR);
    stopping.heartbeat(3 * HOUR);
    // Written in order: once the player is stored, so is the stop.
    stopping.add_player(named("ana"), hash(1), 0, None).await.unwrap();
    let next = database.try_open(4 * HOUR).await.unwrap();
    next.serve(5 * HOUR).await.unwrap();
    let known = next.downtimes(0);
    assert!(known.len() == 1 && soon_after(5 * HOUR).contains(&known[0].1), "{known:?}");
    assert_eq!(known[0].0, 2 * HOUR);
    stopping.close().await;
    next.close().await;
    let third = database.open(6 * HOUR).await;
    assert_eq!(third.downtimes(0)[0].0, 2 * HOUR, "closing it did not move the start");
}

async fn starting_node_does_not_serve_yet(database: TestDatabase) {
    drop(database.open(HOUR).await);
    let slow = database.try_open(2 * HOUR).await.unwrap();
    let quick = poll_until(async || {
        // The first node dies a moment after it is dropped.
        let quick = database.try_open(3 * HOUR).await.unwrap();
        quick.serve(3 * HOUR).await.unwrap();
        (!quick.downtimes(0).is_empty()).then_some(quick)
    });
    let quick = quick.await;
    assert!(soon_after(3 * HOUR).contains(&quick.downtimes(0)[0].1));
    slow.serve(4 * HOUR).await.unwrap();
    assert_eq!(slow.downtimes(0).len(), 1, "the quick node served meanwhile");
}

async fn time_continues_when_the_systems_clock_is_set_back(database: TestDatabase) {
    let store = database.open(30 * HOUR).await;
    store.heartbeat(31 * HOUR);
    let id = create_match(&store).await;
    store.close().await;
    let store = database.open(6 * HOUR).await;
    assert!(soon_after(31 * HOUR).contains(&store.now().ms()), "{}", store.now().ms());
    // The last event counts if it is later than the last heartbeat.
    let late = StoredEvent { at_ms: 32 * HOUR, ..event("moved") };
    store.append(Append { events: vec![late], ..next(&id, 1) }).await.unwrap();
    store.close().await;
    let store = database.open(6 * HOUR).await;
    assert!(soon_after(32 * HOUR).contains(&store.now().ms()), "{}", store.now().ms());
    store.close().await;
    // A clock that was set forward needs no correction: the jump counts as downtime.
    let store = database.open(90 * HOUR).await;
    assert!(soon_after(90 * HOUR).contains(&store.now().ms()), "{}", store.now().ms());
}

async fn nodes_agree_on_the_time_despite_different_system_clocks(database: TestDatabase) {
    let first = database.open(50 * HOUR).await;
    let (beating_store, clock) = (Arc::clone(&first), first.now());
    let beats = tokio::spawn(async move {
        loop {
            beating_store.heartbeat(clock.ms());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    for system in [20 * HOUR, 80 * HOUR] {
        let other = database.open(system).await;
        // The other is behind by the time that a heartbeat takes to be written and read. It is asked first: time that
        // passes between the two readings adds to that.
        let theirs = other.now().ms();
        let apart = first.now().ms() - theirs;
        assert!(soon_after(0).contains(&apart), "{apart} at {system}");
    }
    beats.abort();
}

async fn time_of_a_late_turn_is_stored_with_the_next_heartbeat(database: TestDatabase) {
    let store = database.open(HOUR).await;
    let [late, other] = [create_match(&store).await, create_match(&store).await];
    store.record_shown(late.clone(), 0, HOUR + 300);
    assert_eq!(store.shown_at(late.clone()).await.unwrap(), Some((0, HOUR + 300)));
    store.heartbeat(HOUR + 1_000);
    store.close().await;
    let store = database.open(2 * HOUR).await;
    assert_eq!(store.shown_at(late).await.unwrap(), Some((0, HOUR + 300)));
    assert_eq!(store.shown_at(other).await.unwrap(), None);
}

async fn second_node_finds_no_downtime(database: TestDatabase) {
    let first = database.open(HOUR).await;
    let id = create_match(&first).await;
    first.heartbeat(2 * HOUR);
    let second = database.open(2 * HOUR).await;
    assert_eq!(second.downtimes(0), []);
    assert_eq!(second.due(2 * HOUR, 10).await.unwrap(), [], "the first node lives");
    second.close().await;
    first.close().await;
    let third = database.open(3 * HOUR).await;
    assert_eq!(third.due(3 * HOUR, 10).await.unwrap(), [id]);
    assert_eq!(third.downtimes(0).len(), 1);
}

#[tokio::test]
async fn close_leaves_one_file() {
    let database = TestDatabase::sqlite();
    let store = database.open(0).await;
    let id = create_match(&store).await;
    store.log(id.clone(), 0).await.unwrap();
    store.close().await;
    store.close().await;
    let names: Vec<_> =
        std::fs::read_dir(database.folder()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["kibitz.db"]);
    assert!(matches!(store.append(next(&id, 1)).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(store.log(id, 0).await, Err(StoreError::Unavailable(_))));
}

async fn dropped_store_counts_as_dead_node(database: TestDatabase) {
    let id = create_match(&*database.open(1_000).await).await;
    let due = poll_until(async || {
        let store = database.open(50_000).await;
        let due = store.due(50_000, 10).await.unwrap();
        (!due.is_empty()).then_some(due)
    })
    .await;
    assert_eq!(due, [id]);
}
