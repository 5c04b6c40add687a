//! Results and ratings that another server has computed.

use futures_util::future::join;

use crate::ratings::{Rating, after_match};
use crate::store::tests::*;

on_both_databases! {
    result_is_counted_once,
    imported_rating_replaces_the_last_point_of_the_history,
}

const GO: &str = "go";

/// A match that ann has won against bob, whose result does not count yet.
async fn unrated(store: &TestStore) -> (MatchId, RatedResult) {
    for (n, name) in [(1, "ann"), (2, "bob")] {
        store.add_player(named(name), hash(n), 0, None).await.unwrap();
    }
    let id = MatchId::fresh();
    store.append(first(&id)).await.unwrap();
    store.append(last(&id, 1)).await.unwrap();
    let seats = vec![(named("ann").id, 1), (named("bob").id, 2)];
    (id, RatedResult { game: GO.to_owned(), seats, programs: Vec::new() })
}

async fn history(store: &TestStore) -> Vec<RatingPoint> {
    store.rating_history(named("ann").id, GO.to_owned(), (1..20).collect()).await.unwrap()
}

async fn result_is_counted_once(database: TestDatabase) {
    let store = database.open(0).await;
    let (id, result) = unrated(&store).await;
    let count =
        || store.change(StoreChange::CountResult { id: id.clone(), at_ms: 50, result: result.clone() });
    // Both may be in one transaction.
    let (first, second) = join(count(), count()).await;
    assert_eq!(first.unwrap() + second.unwrap(), 1);
    assert_eq!(count().await, Ok(0));
    let check = store.check_ratings().await.unwrap();
    assert_eq!((check.results, check.differences.as_slice()), (1, &[][..]));
    let expected = after_match(&[Rating::NEW; 2], &[1, 2])[0];
    let points = history(&store).await;
    assert_eq!(points.len(), 1);
    assert_eq!((points[0].rating, points[0].at_ms, &points[0].match_id), (expected, 50, &id));
    // An annulled one is not counted again.
    assert_eq!(store.change(StoreChange::AnnulMatch { id: id.clone(), at_ms: 60 }).await, Ok(1));
    assert_eq!(count().await, Ok(0));
}

async fn imported_rating_replaces_the_last_point_of_the_history(database: TestDatabase) {
    let store = database.open(0).await;
    let (id, result) = unrated(&store).await;
    store.change(StoreChange::CountResult { id: id.clone(), at_ms: 50, result }).await.unwrap();
    let imported = |mu: f64, played: u64| ImportedRating {
        player: named("ann").id,
        game: GO.to_owned(),
        rating: Rating { mu, sigma: 3.0 },
        played,
        last_ms: 60,
        known_until_ms: 60,
    };
    let take = |imported: ImportedRating| store.change(StoreChange::SetRating(imported));
    for (mu, played) in [(30.0, 7), (31.0, 1)] {
        assert_eq!(take(imported(mu, played)).await, Ok(1));
        assert_eq!(take(imported(mu, played)).await, Ok(0), "it is so already");
        let points = history(&store).await;
        assert_eq!(points.len(), 1, "{points:?}");
        let RatingPoint { played: number, match_id, rating, at_ms } = &points[0];
        assert_eq!((*number, match_id, rating.mu, *at_ms), (played, &id, mu, 60));
    }
    // A later match here counts more.
    assert_eq!(take(ImportedRating { known_until_ms: 59, ..imported(40.0, 9) }).await, Ok(0));
    // Without any match here.
    assert_eq!(take(ImportedRating { game: "chess".to_owned(), ..imported(33.0, 4) }).await, Ok(1));
    let ratings = store.player("ann".to_owned()).await.unwrap().unwrap().ratings;
    let shown: Vec<_> = ratings.iter().map(|one| (one.game.as_str(), one.rating.mu, one.played)).collect();
    assert_eq!(shown, [("chess", 33.0, 4), (GO, 31.0, 1)]);
}
