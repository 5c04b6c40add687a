//! Who holds which match, who lives, and for how long nobody did.

use super::*;

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
    assert_eq!(ours.away_ms(0, 10_000), 0, "somebody was alive");
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
    assert_eq!(theirs.away_ms(0, 100_000), 0);
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

#[tokio::test]
async fn time_without_a_server_is_known() {
    let place = Place::new();
    let store = place.open(1_000).await;
    assert_eq!(store.away_ms(0, i64::MAX), 0, "there was no first time");
    let pepper = *store.pepper();
    store.beat(5_000);
    store.close().await;
    let store = place.open(60_000).await;
    assert_eq!(*store.pepper(), pepper, "the secret stays");
    // A moment may have passed between the beat and the end.
    let away = store.away_ms(0, 100_000);
    assert!((50_000..=55_000).contains(&away), "{away}");
    assert_eq!(store.away_ms(20_000, 30_000), 10_000, "as much as lies within");
    assert_eq!(store.away_ms(50_000, 100_000), 10_000);
    assert_eq!(store.away_ms(60_000, 100_000), 0);
    assert_eq!(store.away_ms(30_000, 20_000), 0);
    store.close().await;
    // Both times count; and a clock that was set back finds no time in the future.
    let store = place.open(80_000).await;
    let both = store.away_ms(0, 100_000);
    assert!(both >= away + 15_000 && both <= away + 20_000, "{both}");
    store.close().await;
    let store = place.open(100).await;
    assert_eq!(store.away_ms(0, 100_000), both);
    store.close().await;
    let store = place.open(400).await;
    assert!(store.away_ms(0, 1_000) <= 300);
}

#[tokio::test]
async fn a_second_server_that_starts_finds_no_time_without_one() {
    let place = Place::new();
    let first = place.open(1_000).await;
    let id = made(&first).await;
    let second = place.open(90_000).await;
    assert_eq!(second.away_ms(0, 100_000), 0);
    assert_eq!(second.due(100_000, 10).await.unwrap(), [], "the first one lives");
    second.close().await;
    first.close().await;
    let third = place.open(200_000).await;
    assert_eq!(third.due(200_000, 10).await.unwrap(), [id]);
    assert!(third.away_ms(0, 200_000) >= 100_000);
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
