//! Who holds which match, who lives, and for how long nobody did.

use crate::store::tests::*;

#[tokio::test]
async fn a_match_is_due_when_nobody_holds_it() {
    let place = Place::new();
    let store = place.open(0).await;
    let [a, b, c] = [made(&store).await, made(&store).await, made(&store).await];
    assert_eq!(store.due(i64::MAX, 10).await.unwrap(), [], "its maker holds it");
    store.release(a.clone(), Some(200));
    store.release(b.clone(), Some(100));
    store.release(c.clone(), None);
    let due = async |now| store.due(now, 10).await.unwrap();
    soon(async || (due(i64::MAX).await.len() == 2).then_some(())).await;
    assert_eq!(due(99).await, []);
    assert_eq!(due(100).await, std::slice::from_ref(&b));
    assert_eq!(due(200).await, [b.clone(), a.clone()], "the longest due first");
    assert_eq!(store.due(200, 1).await.unwrap(), std::slice::from_ref(&b));
    // What is held is not due from that moment on, written or not.
    store.hold(b.clone());
    assert_eq!(due(200).await, std::slice::from_ref(&a));
    store.release(b.clone(), Some(500));
    assert_eq!(due(200).await, std::slice::from_ref(&a));
    store.hold(a.clone());
    assert_eq!(due(200).await, []);
    store.append(last(&a, 1)).await.unwrap();
    store.release(a.clone(), Some(0));
    store.release(c.clone(), Some(300));
    soon(async || (due(i64::MAX).await == [c.clone(), b.clone()]).then_some(())).await;
}

#[tokio::test]
async fn what_another_server_holds_is_not_due_and_not_ours_to_release() {
    let place = Place::new();
    let (ours, theirs) = (place.open(0).await, place.open(0).await);
    let id = made(&ours).await;
    theirs.hold(id.clone());
    // Written in order: once the second one's own match is there, so is that it holds the first.
    made(&theirs).await;
    ours.release(id.clone(), Some(0));
    made(&ours).await;
    assert_eq!(ours.due(i64::MAX, 10).await.unwrap(), []);
    theirs.release(id.clone(), Some(0));
    soon(async || (ours.due(1, 10).await.unwrap() == [id.clone()]).then_some(())).await;
}

/// It may live here all the same; then it is held anew, so that it is free should this server die.
#[tokio::test]
async fn what_another_server_took_over_and_let_go_of_is_due_here() {
    let place = Place::new();
    let (ours, theirs) = (place.open(0).await, place.open(0).await);
    let id = made(&ours).await;
    theirs.hold(id.clone());
    made(&theirs).await;
    theirs.release(id.clone(), Some(7));
    made(&theirs).await;
    assert_eq!(ours.due(7, 10).await.unwrap(), std::slice::from_ref(&id));
    ours.hold(id.clone());
    assert_eq!(ours.due(7, 10).await.unwrap(), []);
    made(&ours).await;
    assert_eq!(theirs.due(i64::MAX, 10).await.unwrap(), [], "it is held again");
    drop(ours);
    let due = soon(async || {
        theirs.beat(2000);
        let due = theirs.due(2000, 10).await.unwrap();
        due.contains(&id).then_some(due)
    });
    assert_eq!(due.await.len(), 2);
}

#[tokio::test]
async fn a_dead_servers_matches_are_due_at_once() {
    let place = Place::new();
    let (ours, theirs) = (place.open(0).await, place.open(0).await);
    let id = made(&theirs).await;
    ours.beat(1000);
    made(&ours).await;
    assert_eq!(ours.due(i64::MAX, 10).await.unwrap(), [], "it lives");
    drop(theirs);
    let due = soon(async || {
        ours.beat(2000);
        let due = ours.due(2000, 10).await.unwrap();
        (!due.is_empty()).then_some(due)
    })
    .await;
    assert_eq!(due, [id]);
    assert_eq!(ours.downtimes(0), [], "another server was alive");
}

/// Whatever they call the file.
#[tokio::test]
async fn servers_on_one_file_know_each_other() {
    let place = Place::new();
    let ours = place.open(0).await;
    let id = made(&ours).await;
    let link = place.0.path().join("link.db");
    std::os::unix::fs::symlink(place.file(), &link).unwrap();
    let theirs = Sqlite::open(&link, 90_000, StoreMetrics::default()).await.unwrap();
    theirs.serve(90_000).await.unwrap();
    assert_eq!(theirs.downtimes(0), []);
    assert_eq!(theirs.due(100_000, 10).await.unwrap(), []);
    theirs.append(next(&id, 1)).await.unwrap();
    hears_of(&ours, &id).await;
}

#[tokio::test]
async fn news_is_what_others_have_written() {
    let place = Place::new();
    let (ours, theirs) = (place.open(0).await, place.open(0).await);
    let id = made(&ours).await;
    hears_of(&theirs, &id).await;
    // Whether the other one is idle or busy.
    theirs.append(next(&id, 1)).await.unwrap();
    hears_of(&ours, &id).await;
    let busy = made(&ours).await;
    for seq in 1..20 {
        let (a, b) = tokio::join!(ours.append(next(&busy, seq)), theirs.append(next(&id, seq + 1)));
        assert!(a.is_ok() && b.is_ok());
    }
    hears_of(&ours, &id).await;
    hears_of(&theirs, &busy).await;
    // Nobody hears of what they have written themselves.
    let alone = Place::new();
    let store = alone.open(0).await;
    let id = made(&store).await;
    store.append(next(&id, 1)).await.unwrap();
    let heard = tokio::time::timeout(Duration::from_millis(200), store.news()).await;
    assert!(heard.is_err(), "{heard:?}");
}

/// What happened a moment after this time, on a slow machine.
fn soon_after(begin: Millis) -> std::ops::Range<Millis> {
    begin..begin + 60_000
}

const HOUR: Millis = 3_600_000;

#[tokio::test]
async fn time_without_a_server_is_known() {
    let place = Place::new();
    let store = place.open(HOUR).await;
    assert_eq!(store.downtimes(0), [], "before the first server there was none");
    let pepper = *store.pepper();
    store.beat(2 * HOUR);
    store.close().await;
    let store = place.open(3 * HOUR).await;
    assert_eq!(*store.pepper(), pepper, "the secret stays");
    let first = store.downtimes(0);
    assert!(
        soon_after(2 * HOUR).contains(&first[0].0) && soon_after(3 * HOUR).contains(&first[0].1),
        "{first:?}"
    );
    assert_eq!(store.downtimes(first[0].1 - 1), first);
    assert_eq!(store.downtimes(first[0].1), []);
    store.beat(3 * HOUR + HOUR / 2);
    store.close().await;
    let store = place.open(4 * HOUR).await;
    let both = store.downtimes(0);
    assert_eq!(both[..1], first, "what serving took is written with the next beat");
    assert!(
        soon_after(3 * HOUR + HOUR / 2).contains(&both[1].0) && soon_after(4 * HOUR).contains(&both[1].1),
        "{both:?}"
    );
    store.close().await;
}

#[tokio::test]
async fn downtime_runs_from_the_begin_of_a_stop_until_a_server_serves() {
    let place = Place::new();
    let stopping = place.open(HOUR).await;
    stopping.stop(2 * HOUR);
    // It still lives, and says so; neither makes it serve.
    stopping.stop(3 * HOUR);
    stopping.beat(3 * HOUR);
    // Written in order: once the player is there, so is the stop.
    stopping.add_player(named("ana"), hash(1), 0, None).await.unwrap();
    let next = place.try_open(4 * HOUR).await.unwrap();
    next.serve(5 * HOUR).await.unwrap();
    let known = next.downtimes(0);
    assert!(known.len() == 1 && soon_after(5 * HOUR).contains(&known[0].1), "{known:?}");
    assert_eq!(known[0].0, 2 * HOUR);
    stopping.close().await;
    next.close().await;
    let third = place.open(6 * HOUR).await;
    assert_eq!(third.downtimes(0)[0].0, 2 * HOUR, "its end has not moved it");
}

#[tokio::test]
async fn a_server_that_starts_does_not_serve_yet() {
    let place = Place::new();
    drop(place.open(HOUR).await);
    let slow = place.try_open(2 * HOUR).await.unwrap();
    let quick = soon(async || {
        // The first one dies a moment after it is dropped.
        let quick = place.try_open(3 * HOUR).await.unwrap();
        quick.serve(3 * HOUR).await.unwrap();
        (!quick.downtimes(0).is_empty()).then_some(quick)
    });
    let quick = quick.await;
    assert!(soon_after(3 * HOUR).contains(&quick.downtimes(0)[0].1));
    slow.serve(4 * HOUR).await.unwrap();
    assert_eq!(slow.downtimes(0).len(), 1, "the quick one served meanwhile");
}

#[tokio::test]
async fn time_goes_on_where_the_systems_clock_was_set_back() {
    let place = Place::new();
    let store = place.open(30 * HOUR).await;
    store.beat(31 * HOUR);
    let id = made(&store).await;
    store.close().await;
    let store = place.open(6 * HOUR).await;
    assert!(soon_after(31 * HOUR).contains(&store.now().ms()), "{}", store.now().ms());
    // The last event counts where it came after the last beat.
    let late = StoredEvent { at_ms: 32 * HOUR, ..event("moved") };
    store.append(Append { events: vec![late], ..next(&id, 1) }).await.unwrap();
    store.close().await;
    let store = place.open(6 * HOUR).await;
    assert!(soon_after(32 * HOUR).contains(&store.now().ms()), "{}", store.now().ms());
    store.close().await;
    // Set forward, nothing has to be done: the jump is downtime.
    let store = place.open(90 * HOUR).await;
    assert!(soon_after(90 * HOUR).contains(&store.now().ms()), "{}", store.now().ms());
}

#[tokio::test]
async fn servers_agree_on_the_time_whatever_the_systems_clock_says() {
    let place = Place::new();
    let first = place.open(50 * HOUR).await;
    let (told, beating) = (Arc::clone(&first), first.now());
    let beats = tokio::spawn(async move {
        loop {
            told.beat(beating.ms());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    for system in [20 * HOUR, 80 * HOUR] {
        let other = place.open(system).await;
        let apart = first.now().ms() - other.now().ms();
        // As far as a beat takes to be written and read.
        assert!(soon_after(0).contains(&apart), "{apart} at {system}");
    }
    beats.abort();
}

#[tokio::test]
async fn when_a_late_turn_was_shown_is_kept_with_the_next_beat() {
    let place = Place::new();
    let store = place.open(HOUR).await;
    let [late, other] = [made(&store).await, made(&store).await];
    store.shown(late.clone(), 0, HOUR + 300);
    assert_eq!(store.shown_at(late.clone()).await.unwrap(), Some((0, HOUR + 300)));
    store.beat(HOUR + 1_000);
    store.close().await;
    let store = place.open(2 * HOUR).await;
    assert_eq!(store.shown_at(late).await.unwrap(), Some((0, HOUR + 300)));
    assert_eq!(store.shown_at(other).await.unwrap(), None);
}

#[tokio::test]
async fn a_second_server_that_starts_finds_no_time_without_one() {
    let place = Place::new();
    let first = place.open(HOUR).await;
    let id = made(&first).await;
    first.beat(2 * HOUR);
    let second = place.open(2 * HOUR).await;
    assert_eq!(second.downtimes(0), []);
    assert_eq!(second.due(2 * HOUR, 10).await.unwrap(), [], "the first one lives");
    second.close().await;
    first.close().await;
    let third = place.open(3 * HOUR).await;
    assert_eq!(third.due(3 * HOUR, 10).await.unwrap(), [id]);
    assert_eq!(third.downtimes(0).len(), 1);
}

#[tokio::test]
async fn a_close_leaves_one_file() {
    let place = Place::new();
    let store = place.open(0).await;
    let id = made(&store).await;
    store.log(id.clone(), 0).await.unwrap();
    store.close().await;
    store.close().await;
    let names: Vec<_> = std::fs::read_dir(place.0.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["kibitz.db"]);
    assert!(matches!(store.append(next(&id, 1)).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(store.log(id, 0).await, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn whoever_was_dropped_is_dead() {
    let place = Place::new();
    let id = made(&*place.open(1_000).await).await;
    let due = soon(async || {
        let store = place.open(50_000).await;
        let due = store.due(50_000, 10).await.unwrap();
        (!due.is_empty()).then_some(due)
    })
    .await;
    assert_eq!(due, [id]);
}
