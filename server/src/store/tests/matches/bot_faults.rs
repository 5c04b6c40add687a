//! Faults of bots: written with their events, listed by bot, for others only those in public matches that are over.

use crate::domain::PlayerRef;
use crate::store::tests::*;

on_both_databases! {
    faults_are_written_with_their_events_and_listed_by_bot,
    others_see_faults_of_shown_public_matches,
}

pub(in crate::store::tests) fn fault(player: &str, seq: u32, kind: &str) -> NewFault {
    let fault = StoredFault {
        seq,
        game: "chess".to_owned(),
        seat: 1,
        ply: seq + 10,
        kind: kind.to_owned(),
        detail: "\"x\": it is no move".to_owned(),
        instead: Some("e4".to_owned()),
        think_us: 5000,
        at_ms: 70 + i64::from(seq),
    };
    NewFault { player: player.to_owned(), program: None, fault }
}

pub(in crate::store::tests) fn filter(player: &str, only_public: bool) -> FaultFilter {
    FaultFilter { player: player.to_owned(), only_public, game: None, before: None, limit: 10 }
}

/// The places of the faults in a list.
async fn listed(store: &TestStore, filter: FaultFilter) -> Vec<(MatchId, u32)> {
    let found = store.bot_faults(filter).await.unwrap();
    found.into_iter().map(|one| (one.id, one.fault.seq)).collect()
}

async fn faults_are_written_with_their_events_and_listed_by_bot(database: TestDatabase) {
    let store = database.open(0).await;
    let ann = PlayerRef::new("a", "ann");
    store.add_player(ann, hash(1), 5, None).await.unwrap();
    let robo = PlayerRef { owner: Some("a".to_owned()), ..PlayerRef::new("r", "robo") };
    let about = r#"{"version": "1.2"}"#.to_owned();
    store
        .add_bot(NewBot { who: robo, key: hash(2), created_ms: 6, about, most: 5, request: None })
        .await
        .unwrap();
    let ids = [create_match(&store).await, create_match(&store).await];
    for id in &ids {
        store.append(Append { faults: vec![fault("r", 1, "crash")], ..next(id, 1) }).await.unwrap();
        let both = vec![fault("r", 2, "time"), fault("other", 3, "time")];
        let refused = Append { faults: both.clone(), ..next(id, 5) };
        assert_eq!(store.append(refused).await, Err(StoreError::Conflict), "nothing is written");
        store.append(Append { faults: both, ..next(id, 2) }).await.unwrap();
    }
    let of = |at: usize, seq| (ids[at].clone(), seq);
    assert_eq!(listed(&store, filter("r", false)).await, [of(1, 2), of(1, 1), of(0, 2), of(0, 1)]);
    let rest = FaultFilter { before: Some(of(1, 1)), limit: 1, ..filter("r", false) };
    assert_eq!(listed(&store, rest).await, [of(0, 2)]);
    assert_eq!(listed(&store, FaultFilter { game: Some("go".into()), ..filter("r", false) }).await, []);
    let first = store.bot_faults(filter("r", false)).await.unwrap().swap_remove(0);
    assert_eq!((first.fault, first.version.as_deref()), (fault("r", 2, "time").fault, Some("1.2")));
    let groups = store.fault_groups("r".to_owned(), false, 5).await.unwrap();
    let told: Vec<_> = groups.iter().map(|g| (g.kind.as_str(), g.count, g.first_ms, g.last_ms)).collect();
    assert_eq!(told, [("time", 2, 72, 72), ("crash", 2, 71, 71)]);
    assert!(store.fault_groups("other".to_owned(), false, 5).await.unwrap()[0].version.is_none());

    store.append(last(&ids[1], 3)).await.unwrap();
    assert_eq!(store.change(StoreChange::DeleteMatch { id: ids[1].clone(), at_ms: 5 }).await, Ok(1));
    assert_eq!(listed(&store, filter("r", false)).await, [of(0, 2), of(0, 1)], "they go with the match");
}

async fn others_see_faults_of_shown_public_matches(database: TestDatabase) {
    let store = database.open(0).await;
    let rows = [
        row(Stage::Over),
        row(Stage::Running),
        MatchRow { private: true, ..row(Stage::Over) },
        MatchRow { summary: r#"{"seats":[],"sealed":true}"#.to_owned(), ..row(Stage::Over) },
    ];
    let mut shown = Vec::new();
    for row in rows {
        let id = MatchId::fresh();
        let begun = MatchRow { private: row.private, ..row.clone() };
        let begun = MatchRow { stage: Stage::Running, ended_ms: None, ..begun };
        store.append(Append { row: Some(begun), ..first(&id) }).await.unwrap();
        let append = Append { row: Some(row), faults: vec![fault("r", 1, "crash")], ..next(&id, 1) };
        store.append(append).await.unwrap();
        shown.push((id, 1));
    }
    assert_eq!(listed(&store, filter("r", false)).await.len(), 4);
    assert_eq!(listed(&store, filter("r", true)).await, shown[..1]);
    let counted =
        async |only_public| store.fault_groups("r".to_owned(), only_public, 5).await.unwrap()[0].count;
    assert_eq!((counted(false).await, counted(true).await), (4, 1));
}
