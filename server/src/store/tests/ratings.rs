//! Ratings, leaderboards and bots against simple models, also while two nodes write.

use crate::ratings::Rating;
use std::collections::{BTreeMap, HashMap};

use engines::rng::{Rng, Seed};
use sqlx::{Connection, Executor, SqliteConnection};

use crate::domain::time::DAY_MS;
use crate::domain::{EnginePlayer, PlayerKind};
use crate::ratings::after_match;
use crate::store::tests::*;

on_both_databases! {
    ratings_are_the_fold_of_results,
    nodes_that_end_rated_matches_at_once_agree,
    annulled_result_never_was,
    deleted_players_leave_the_leaderboard_and_keep_their_opponents_ratings,
    leaderboard_matches_the_model,
    pair_begins_a_limited_number_of_rated_matches_a_day,
    bots_belong_to_their_owner,
    engines_are_added_once,
}

const GAMES: [&str; 2] = ["chess", "go"];
const NAMES: [&str; 6] = ["ann", "bob", "cyd", "dan", "eve", "fay"];

fn id_of(name: &str) -> String {
    named(name).id
}

async fn add_players(store: &TestStore) {
    for (n, name) in (0..).zip(NAMES) {
        store.add_player(named(name), hash(n), 0, None).await.unwrap();
    }
}

/// Some players in random order, with random places.
fn random_result(rng: &mut Rng) -> RatedResult {
    let mut names = NAMES.to_vec();
    let mut seats = Vec::new();
    for _ in 0..2 + rng.below(3) {
        let name = names.swap_remove(rng.below(names.len()));
        seats.push((id_of(name), 1 + rng.below(3) as u8));
    }
    let programs = seats.iter().map(|_| [None, Some(1), Some(7)][rng.below(3)]).collect();
    RatedResult { game: GAMES[rng.below(2)].to_owned(), seats, programs }
}

/// Plays a rated match with this result, which ends at this time.
async fn play(store: &TestStore, result: &RatedResult, at_ms: Millis) -> MatchId {
    let id = MatchId::fresh();
    store.append(first(&id)).await.unwrap();
    let events = vec![StoredEvent { at_ms, ..event("ended") }];
    store.append(Append { rated: Some(result.clone()), events, ..last(&id, 1) }).await.unwrap();
    id
}

/// The ratings after these results, by player and game, each with the number of matches.
fn fold<'a>(results: impl Iterator<Item = &'a RatedResult>) -> BTreeMap<(String, String), (Rating, u64)> {
    let mut ratings: BTreeMap<(String, String), (Rating, u64)> = BTreeMap::new();
    for RatedResult { game, seats, .. } in results {
        let key = |player: &String| (player.clone(), game.clone());
        let before: Vec<Rating> = seats
            .iter()
            .map(|(player, _)| ratings.get(&key(player)).map_or(Rating::NEW, |known| known.0))
            .collect();
        let places: Vec<u8> = seats.iter().map(|(_, place)| *place).collect();
        for ((player, _), after) in seats.iter().zip(after_match(&before, &places)) {
            let entry = ratings.entry(key(player)).or_default();
            *entry = (after, entry.1 + 1);
        }
    }
    ratings
}

/// The stored ratings, by player and game.
async fn stored(store: &TestStore) -> BTreeMap<(String, String), (Rating, u64)> {
    let mut ratings = BTreeMap::new();
    for name in NAMES {
        let Some(profile) = store.player(name.to_owned()).await.unwrap() else { continue };
        for rating in profile.ratings {
            ratings.insert((id_of(name), rating.game), (rating.rating, rating.played));
        }
    }
    ratings
}

async fn assert_consistent(store: &TestStore, results: u64) {
    let check = store.check_ratings().await.unwrap();
    assert_eq!((check.results, check.differences.as_slice()), (results, &[][..]));
}

async fn ratings_are_the_fold_of_results(database: TestDatabase) {
    let store = database.open(0).await;
    add_players(&store).await;
    assert_consistent(&store, 0).await;
    let mut rng = Rng::new(&Seed::from(5));
    let results: Vec<RatedResult> = (0..60).map(|_| random_result(&mut rng)).collect();
    let mut ids = Vec::new();
    for (at_ms, result) in (100..).zip(&results) {
        ids.push(play(&store, result, at_ms).await);
    }
    assert_eq!(stored(&store).await, fold(results.iter()));
    assert_consistent(&store, 60).await;
    // The rows of these matches are all of the game `go`.
    let (of, until) = (FinishedOf::Game("go".to_owned()), MatchId::least_at(Millis::MAX));
    let filter = FinishedFilter { of, after: MatchId::least_at(0), until, limit: 100 };
    let finished = store.finished(filter).await.unwrap();
    let after = |n: usize| fold(results[..=n].iter());
    let least = |n: usize| {
        let key = |player: &String| (player.clone(), results[n].game.clone());
        results[n].seats.iter().map(|(player, _)| after(n)[&key(player)].0.mu).reduce(f64::min)
    };
    let expected: Vec<Option<f64>> = (0..60).map(least).collect();
    assert_eq!(finished.iter().map(|found| found.least_mu).collect::<Vec<_>>(), expected);
    // The history of one player has every match, in order.
    let (ann, go) = (id_of("ann"), "go".to_owned());
    let is_anns =
        |result: &RatedResult| result.game == "go" && result.seats.iter().any(|(who, _)| *who == ann);
    let matches: Vec<usize> = (0..60).filter(|n| is_anns(&results[*n])).collect();
    let wanted = (1..=matches.len() as u64 + 5).collect();
    let history = store.rating_history(ann.clone(), go.clone(), wanted).await.unwrap();
    assert_eq!(history.len(), matches.len());
    for (n, (point, played)) in matches.iter().zip(history.iter().zip(1..)) {
        let after = fold(results[..=*n].iter())[&(ann.clone(), go.clone())];
        assert_eq!((point.rating, point.played), after);
        assert_eq!((point.played, &point.match_id, point.at_ms), (played, &ids[*n], 100 + *n as i64));
    }
    let picked = store.rating_history(ann.clone(), go.clone(), vec![3, 1]).await.unwrap();
    assert_eq!(picked, [history[0].clone(), history[2].clone()]);
    // Results against each opponent, by pages.
    let mut expected: HashMap<String, [u64; 3]> = HashMap::new();
    for RatedResult { seats, .. } in matches.iter().map(|n| &results[*n]) {
        let own = seats.iter().find(|(who, _)| *who == ann).unwrap().1;
        for (other, place) in seats.iter().filter(|(who, _)| *who != ann) {
            let sums = expected.entry(other.clone()).or_default();
            *sums = [sums[0] + 1, sums[1] + u64::from(own < *place), sums[2] + u64::from(own == *place)];
        }
    }
    let (mut after, mut found, mut before) = (None, HashMap::new(), u64::MAX);
    loop {
        let page = store.opponents(ann.clone(), go.clone(), after.clone(), 2).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.played, last.opponent.id.clone()));
        for entry in page {
            assert!(entry.played <= before && !entry.deleted && entry.kind == PlayerKind::Person);
            before = entry.played;
            assert_eq!(found.insert(entry.opponent.id, [entry.played, entry.won, entry.drawn]), None);
        }
    }
    assert_eq!(found, expected);
}

async fn nodes_that_end_rated_matches_at_once_agree(database: TestDatabase) {
    let nodes = [database.open(0).await, database.open(0).await];
    add_players(&nodes[0]).await;
    let tasks = (0..8).map(|n| {
        let store = Arc::clone(&nodes[n as usize % 2]);
        tokio::spawn(async move {
            let mut rng = Rng::new(&Seed::from(n));
            for at_ms in 0..15 {
                play(&store, &random_result(&mut rng), at_ms).await;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    for node in &nodes {
        assert_consistent(node, 120).await;
    }
}

async fn annulled_result_never_was(database: TestDatabase) {
    let second = database.another().await;
    let (store, other) = (database.open(0).await, second.open(0).await);
    add_players(&store).await;
    add_players(&other).await;
    let mut rng = Rng::new(&Seed::from(6));
    let results: Vec<RatedResult> = (0..40).map(|_| random_result(&mut rng)).collect();
    let mut ids = Vec::new();
    for (at_ms, result) in (0..).zip(&results) {
        ids.push(play(&store, result, at_ms).await);
    }
    let annul = |n: usize| StoreChange::AnnulMatch { id: ids[n].clone(), at_ms: 99 };
    let mut gone = Vec::new();
    for n in [17, 0, 39, 18, 16] {
        let game = |n: usize| results[n].game.as_str();
        let after = (n + 1..40).filter(|i| game(*i) == game(n)).count().min(5) as u64;
        assert_eq!(store.rated_since(ids[n].clone(), 5).await, Ok(Some(after)));
        assert_eq!(store.change(annul(n)).await, Ok(1));
        gone.push(n);
        let left = results.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, result)| result);
        assert_eq!(stored(&store).await, fold(left));
        assert_consistent(&store, 40 - gone.len() as u64).await;
    }
    assert_eq!(store.change(annul(17)).await, Ok(0), "it does not count any more");
    assert_eq!(store.rated_since(ids[17].clone(), 5).await, Ok(None));
    let unrated = create_match(&store).await;
    assert_eq!(store.change(StoreChange::AnnulMatch { id: unrated, at_ms: 99 }).await, Ok(0));
    for n in (1..40).filter(|n| !gone.contains(n)) {
        play(&other, &results[n], n as i64).await;
    }
    assert_eq!(stored(&store).await, stored(&other).await);
    // Without any result there is no rating.
    for n in (1..40).filter(|n| !gone.contains(n)) {
        assert_eq!(store.change(annul(n)).await, Ok(1));
    }
    assert_eq!(stored(&store).await, BTreeMap::new());
    assert_eq!(store.check_ratings().await.unwrap(), RatingCheck::default());
}

async fn deleted_players_leave_the_leaderboard_and_keep_their_opponents_ratings(database: TestDatabase) {
    let store = database.open(0).await;
    add_players(&store).await;
    let result = |a: &str, b: &str| RatedResult {
        game: "go".into(),
        seats: vec![(id_of(a), 1), (id_of(b), 2)],
        programs: Vec::new(),
    };
    for (a, b) in [("ann", "bob"), ("cyd", "ann"), ("bob", "cyd")] {
        play(&store, &result(a, b), 5).await;
    }
    let delete = StoreChange::DeletePlayer { player: id_of("bob"), at_ms: 6, held_until_ms: 7 };
    assert_eq!(store.change(delete).await, Ok(1));
    let names = async || {
        let filter =
            LeaderboardFilter { game: "go".into(), kind: None, provisional: true, after: None, limit: 9 };
        let mut names: Vec<String> =
            store.leaderboard(filter).await.unwrap().into_iter().map(|entry| entry.who.name).collect();
        names.sort();
        names
    };
    assert_eq!(names().await, ["ann", "cyd"]);
    // A match that the player left ends only now.
    play(&store, &result("cyd", "bob"), 8).await;
    assert_eq!(names().await, ["ann", "cyd"]);
    assert_consistent(&store, 4).await;
    let opponents = store.opponents(id_of("cyd"), "go".into(), None, 9).await.unwrap();
    let bob = opponents.iter().find(|entry| entry.opponent.id == id_of("bob")).unwrap();
    assert_eq!((bob.deleted, bob.opponent.name.as_str(), bob.played), (true, "", 2));
}

async fn leaderboard_matches_the_model(database: TestDatabase) {
    let store = database.open(0).await;
    add_players(&store).await;
    let engine =
        EnginePlayer { game: "go".into(), engine: "e".into(), version: 1, level: Default::default() };
    let engine = engine.player();
    store.change(StoreChange::AddEngines { engines: vec![engine.clone()], at_ms: 0 }).await.unwrap();
    // Three play so many matches that their ratings are certain; the others play a few.
    let ids = [id_of("ann"), id_of("bob"), engine.id.clone(), id_of("cyd"), id_of("dan"), id_of("eve")];
    let mut rng = Rng::new(&Seed::from(7));
    for n in 0..360 {
        let (a, b) = if n < 350 { (n % 3, (n + 1 + n / 3 % 2) % 3) } else { (3 + n % 3, 3 + (n + 1) % 3) };
        let place = 1 + u8::from(rng.below(3 + a) < 1 + b);
        let seats = vec![(ids[a].clone(), place), (ids[b].clone(), 3 - place)];
        play(&store, &RatedResult { game: "go".into(), seats, programs: Vec::new() }, n as i64).await;
    }
    let seats = vec![(id_of("fay"), 1), (id_of("eve"), 2)];
    play(&store, &RatedResult { game: "go".into(), seats, programs: Vec::new() }, 400).await;
    let filter = |kind, provisional, after, limit| LeaderboardFilter {
        game: "go".into(),
        kind,
        provisional,
        after,
        limit,
    };
    let all = store.leaderboard(filter(None, true, None, 99)).await.unwrap();
    assert_eq!(all.len(), 7);
    let certain = all.iter().take_while(|entry| !entry.rating.is_provisional()).count();
    assert!((1..7).contains(&certain), "{all:?}");
    assert!(all[certain..].iter().all(|entry| entry.rating.is_provisional()));
    for part in [&all[..certain], &all[certain..]] {
        assert!(part.is_sorted_by(|a, b| a.rating.lower_bound() >= b.rating.lower_bound()), "{part:?}");
    }
    assert_eq!(store.leaderboard(filter(None, false, None, 99)).await.unwrap(), all[..certain]);
    let engines = store.leaderboard(filter(Some(PlayerKind::Engine), true, None, 99)).await.unwrap();
    assert_eq!(engines.iter().map(|entry| &entry.who).collect::<Vec<_>>(), [&engine]);
    let (mut paged, mut after) = (Vec::new(), None);
    loop {
        let page = store.leaderboard(filter(None, true, after.clone(), 3)).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.listed, last.who.id.clone()));
        paged.extend(page);
    }
    assert_eq!(paged, all);
    for (place, entry) in (1..).zip(&all) {
        let profile = store.player(entry.who.name.clone()).await.unwrap().unwrap();
        let rank = (place <= certain as u64).then_some(place);
        assert_eq!((profile.ratings[0].rank, profile.kind), (rank, entry.kind));
    }
}

async fn pair_begins_a_limited_number_of_rated_matches_a_day(database: TestDatabase) {
    let nodes = [database.open(0).await, database.open(0).await];
    let begin = |owners: &[&str], at_ms: Millis| {
        let begins = RatedBegin { owners: owners.iter().map(ToString::to_string).collect(), most: 5 };
        Append {
            begins: Some(begins),
            events: vec![StoredEvent { at_ms, ..event("created") }],
            ..first(&MatchId::fresh())
        }
    };
    let tasks: Vec<_> = (0..12)
        .map(|n| {
            let (store, append) = (Arc::clone(&nodes[n % 2]), begin(&["a", "b"], 7));
            tokio::spawn(async move { store.append(append).await })
        })
        .collect();
    let mut begun = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => begun += 1,
            Err(refused) => assert_eq!(refused, StoreError::RatedLimit),
        }
    }
    assert_eq!(begun, 5);
    let store = &nodes[0];
    assert_eq!(store.append(begin(&["b", "c", "a"], 7)).await, Err(StoreError::RatedLimit), "in any seats");
    for _ in 0..5 {
        store.append(begin(&["c", "a"], 7)).await.unwrap();
    }
    let engines = ["engine:1", "engine:2"];
    for _ in 0..6 {
        store.append(begin(&engines, 7)).await.unwrap();
    }
    assert_eq!(store.append(begin(&["a", "b"], DAY_MS - 1)).await, Err(StoreError::RatedLimit));
    store.append(begin(&["a", "b"], DAY_MS)).await.unwrap();
}

fn new_bot(n: u8, name: &str, owner: &str) -> NewBot {
    let who = PlayerRef { owner: Some(id_of(owner)), ..named(name) };
    NewBot { who, key: hash(n), created_ms: 5, about: r#"{"version":"1"}"#.into(), most: 2, request: None }
}

async fn bots_belong_to_their_owner(database: TestDatabase) {
    let store = database.open(0).await;
    add_players(&store).await;
    assert_eq!(
        store.add_bot(new_bot(20, "robo", "nemo")).await,
        Err(StoreError::Conflict),
        "there is no such owner"
    );
    for (n, name) in [(21, "robo"), (22, "Abbo")] {
        store.add_bot(new_bot(n, name, "ann")).await.unwrap();
    }
    assert_eq!(
        store.add_bot(new_bot(23, "more", "ann")).await,
        Err(StoreError::Conflict),
        "two are the most"
    );
    assert_eq!(
        store.add_bot(new_bot(23, "ROBO", "bob")).await,
        Err(StoreError::Conflict),
        "the name is taken"
    );
    let bots = store.bots(id_of("ann")).await.unwrap();
    assert_eq!(bots.iter().map(|bot| bot.who.name.as_str()).collect::<Vec<_>>(), ["Abbo", "robo"]);
    assert_eq!(bots[1].who, new_bot(21, "robo", "ann").who);
    assert_eq!(holder_of(&store, hash(21)).await, Some(bots[1].who.clone()));
    let profile = store.player("Robo".into()).await.unwrap().unwrap();
    assert_eq!((profile.kind, profile.owner.as_deref()), (PlayerKind::Bot, Some("ann")));
    assert_eq!(profile.about.as_deref(), Some(r#"{"version":"1"}"#));
    let robo = bots[1].who.id.clone();
    let about = StoreChange::SetAbout { player: robo.clone(), about: "{}".into() };
    assert_eq!(store.change(about).await, Ok(1));
    assert_eq!(store.bots(id_of("ann")).await.unwrap()[1].about.as_deref(), Some("{}"));
    assert_eq!(store.change(StoreChange::RevokeToken { player: robo.clone() }).await, Ok(1));
    assert_eq!(holder_of(&store, hash(21)).await, None);
    assert_eq!(
        store
            .change(StoreChange::ReplaceToken { player: robo, key: hash(24), end_others: false, by: None })
            .await,
        Ok(1)
    );
    assert!(holder_of(&store, hash(24)).await.is_some());
    // Deleting an account deletes the player's bots, too.
    let delete = StoreChange::DeletePlayer { player: id_of("ann"), at_ms: 6, held_until_ms: 7 };
    assert_eq!(store.change(delete).await, Ok(1));
    assert_eq!(store.bots(id_of("ann")).await.unwrap(), []);
    for gone in ["ann", "robo", "abbo", "deleted:id of ann"] {
        assert_eq!(store.player(gone.into()).await.unwrap(), None, "{gone}");
    }
    assert_eq!(holder_of(&store, hash(24)).await, None);
    assert_eq!(store.add_bot(new_bot(25, "late", "ann")).await, Err(StoreError::Conflict));
}

async fn engines_are_added_once(database: TestDatabase) {
    let store = database.open(0).await;
    let engine = |version| {
        EnginePlayer { game: "go".into(), engine: "e".into(), version, level: Default::default() }.player()
    };
    let add = |versions: &[u32]| StoreChange::AddEngines {
        engines: versions.iter().map(|version| engine(*version)).collect(),
        at_ms: 3,
    };
    assert_eq!(store.change(add(&[1])).await, Ok(1));
    assert_eq!(store.change(add(&[1, 2])).await, Ok(1));
    let found = store.player(engine(2).name).await.unwrap().unwrap();
    assert_eq!((found.who, found.kind, found.created_ms), (engine(2), PlayerKind::Engine, 3));
    assert_eq!(store.players(String::new(), 9).await.unwrap(), [], "they have no accounts");
}

#[tokio::test]
async fn check_finds_what_differs() {
    let database = TestDatabase::sqlite();
    let store = database.open(0).await;
    add_players(&store).await;
    for at_ms in 0..5 {
        let seats = vec![(id_of("ann"), 1), (id_of("bob"), 2)];
        play(&store, &RatedResult { game: "go".into(), seats, programs: Vec::new() }, at_ms).await;
    }
    assert_consistent(&store, 5).await;
    store.close().await;
    let mut db =
        SqliteConnection::connect(&format!("sqlite:{}", database.file().to_str().unwrap())).await.unwrap();
    for (harm, repair, part) in [
        (
            "UPDATE ratings SET mu = mu + 1e-12 WHERE player = 'id of ann'",
            "UPDATE ratings SET mu = (SELECT mu FROM rating_history WHERE player = 'id of ann' AND played = 5)
                WHERE player = 'id of ann'",
            "rating of id of ann",
        ),
        ("UPDATE versus SET won = won + 1", "UPDATE versus SET won = won - 1", "against"),
        (
            "UPDATE rating_history SET at_ms = at_ms + 1 WHERE played = 2",
            "UPDATE rating_history SET at_ms = at_ms - 1 WHERE played = 2",
            "history",
        ),
        (
            "INSERT INTO ratings SELECT 'x', game, kind, mu, sigma, played, last_ms, NULL FROM ratings LIMIT 1",
            "DELETE FROM ratings WHERE player = 'x'",
            "rating of x",
        ),
    ] {
        db.execute(harm).await.unwrap();
        let store = database.open(0).await;
        let found = store.check_ratings().await.unwrap().differences;
        assert!(!found.is_empty() && found.iter().all(|what| what.contains(part)), "{part}: {found:?}");
        store.close().await;
        db.execute(repair).await.unwrap();
    }
    assert_consistent(&*database.open(0).await, 5).await;
}
