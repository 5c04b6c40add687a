//! Vacations: one at a time for each player, changed by one request at a time; matches that sleep are looked at again.

use crate::store::tests::*;

on_both_databases! {
    vacations_of_a_player_begin_one_after_the_other,
    end_of_a_vacation_is_moved_by_one_request_and_wakes_matches,
    vacations_of_a_deleted_player_are_deleted,
}

async fn begin(store: &TestStore, name: &str, number: u32, [begun_ms, until_ms]: [Millis; 2]) -> u64 {
    let vacation = PlannedVacation { begun_ms, until_ms };
    let change = VacationChange::Begin { player: format!("id of {name}"), number, vacation };
    store.change(StoreChange::Vacation(change)).await.unwrap()
}

async fn move_end(store: &TestStore, number: u32, [before_ms, until_ms, now]: [Millis; 3]) -> u64 {
    let player = "id of ann".to_owned();
    let change = VacationChange::MoveEnd { player, number, before_ms, until_ms, now };
    store.change(StoreChange::Vacation(change)).await.unwrap()
}

fn times(vacations: &[PlannedVacation]) -> Vec<[Millis; 2]> {
    vacations.iter().map(|vacation| [vacation.begun_ms, vacation.until_ms]).collect()
}

async fn of(store: &TestStore, name: &str) -> Vec<[Millis; 2]> {
    times(&store.vacations(format!("id of {name}")).await.unwrap())
}

/// A store with ann and ben.
async fn people(database: &TestDatabase) -> Arc<TestStore> {
    let store = database.open(0).await;
    store.add_player(named("ann"), hash(1), 5, None).await.unwrap();
    store.add_player(named("ben"), hash(2), 5, None).await.unwrap();
    store
}

async fn vacations_of_a_player_begin_one_after_the_other(database: TestDatabase) {
    let store = people(&database).await;
    let version = store.accounts_version().await.unwrap();
    assert_eq!(begin(&store, "ann", 0, [10, 20]).await, 1);
    assert!(store.accounts_version().await.unwrap() > version, "other nodes learn of it");
    assert_eq!(begin(&store, "ann", 0, [11, 30]).await, 0, "another request was faster");
    assert_eq!(begin(&store, "ann", 1, [40, 50]).await, 1);
    assert_eq!(begin(&store, "ben", 0, [15, 60]).await, 1);
    assert_eq!(begin(&store, "nobody", 0, [15, 60]).await, 0);
    assert_eq!(of(&store, "ann").await, [[10, 20], [40, 50]]);
    let since = store.vacations_since("id of ann".to_owned(), 20).await.unwrap();
    assert_eq!(times(&since), [[40, 50]]);
    let mut going_on: Vec<String> =
        store.vacations_going_on(45).await.unwrap().into_iter().map(|(player, _)| player).collect();
    going_on.sort();
    assert_eq!(going_on, ["id of ann", "id of ben"]);
    assert_eq!(store.vacations_going_on(60).await, Ok(Vec::new()));
}

async fn end_of_a_vacation_is_moved_by_one_request_and_wakes_matches(database: TestDatabase) {
    let store = people(&database).await;
    let [anns, bens] = [MatchId::fresh(), MatchId::fresh()];
    for (id, name) in [(&anns, "ann"), (&bens, "ben")] {
        let row = MatchRow { players: vec![(named(name), None)], ..row(Stage::Running) };
        store.append(Append { row: Some(row), ..first(id) }).await.unwrap();
        store.release(id.clone(), Some(1_000));
    }
    assert_eq!(begin(&store, "ann", 0, [10, 1_000]).await, 1);
    poll_until(async || (store.due(1_000, 10).await.unwrap().len() == 2).then_some(())).await;
    assert_eq!(store.due(999, 10).await, Ok(Vec::new()));
    assert_eq!(move_end(&store, 0, [999, 500, 20]).await, 0, "it has another end");
    assert_eq!(move_end(&store, 1, [1_000, 500, 20]).await, 0, "there is none");
    assert_eq!(move_end(&store, 0, [1_000, 500, 1_000]).await, 0, "it is over");
    assert_eq!(store.due(999, 10).await, Ok(Vec::new()));
    assert_eq!(move_end(&store, 0, [1_000, 500, 20]).await, 1);
    assert_eq!(of(&store, "ann").await, [[10, 500]]);
    assert_eq!(store.due(20, 10).await, Ok(vec![anns]));
}

async fn vacations_of_a_deleted_player_are_deleted(database: TestDatabase) {
    let store = people(&database).await;
    for name in ["ann", "ben"] {
        assert_eq!(begin(&store, name, 0, [10, 20]).await, 1);
    }
    let player = "id of ann".to_owned();
    let change = StoreChange::DeletePlayer { player, at_ms: 15, held_until_ms: 100 };
    assert_eq!(store.change(change).await, Ok(1));
    assert_eq!(begin(&store, "ann", 0, [16, 20]).await, 0);
    assert_eq!((of(&store, "ann").await, of(&store, "ben").await), (Vec::new(), vec![[10, 20]]));
}
