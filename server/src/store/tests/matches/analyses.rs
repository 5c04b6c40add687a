//! Analyses of finished matches: one for a match, limits, several nodes, and the end of a match.

use crate::store::tests::*;

on_both_databases! {
    match_has_one_analysis_that_one_node_computes,
    pending_analyses_are_limited,
    analysis_of_a_dead_node_is_free_again,
    decisions_of_a_player_are_listed_and_counted,
}

fn ask(id: &MatchId, requester: &str, requested_ms: Millis) -> StoreChange {
    StoreChange::Analysis(AnalysisChange::Ask(NewAnalysis {
        id: id.clone(),
        requester: requester.to_owned(),
        requested_ms,
        moves: 9,
        most: 3,
        most_of_requester: 2,
    }))
}

fn claim(id: &MatchId, node: &str) -> StoreChange {
    StoreChange::Analysis(AnalysisChange::Claim { id: id.clone(), node: node.to_owned() })
}

fn progress(id: &MatchId, node: &str, judged: u32) -> StoreChange {
    StoreChange::Analysis(AnalysisChange::Progress { id: id.clone(), node: node.to_owned(), judged })
}

fn finish(id: &MatchId, node: &str, result: Result<&str, &str>) -> StoreChange {
    let analysed =
        |body: &str| FinishedAnalysis { body: body.to_owned(), decisions: Vec::new(), puzzles: Vec::new() };
    let result = result.map(analysed).map_err(str::to_owned);
    StoreChange::Analysis(AnalysisChange::Finish { id: id.clone(), node: node.to_owned(), result })
}

fn cancel(id: &MatchId, requester: Option<&str>) -> StoreChange {
    StoreChange::Analysis(AnalysisChange::Cancel { id: id.clone(), requester: requester.map(str::to_owned) })
}

async fn match_has_one_analysis_that_one_node_computes(database: TestDatabase) {
    let (one, two) = (database.open(0).await, database.open(0).await);
    let (a, b) = (one.node().to_owned(), two.node().to_owned());
    let id = MatchId::fresh();
    assert_eq!(one.analysis(id.clone()).await, Ok(None));
    assert_eq!(one.change(ask(&id, "ana", 1)).await, Ok(1));
    assert_eq!(two.change(ask(&id, "bob", 2)).await, Ok(0), "it has one");
    assert_eq!(two.free_analyses(9).await, Ok(vec![id.clone()]));
    assert_eq!(one.change(claim(&id, &a)).await, Ok(1));
    assert_eq!(two.change(claim(&id, &b)).await, Ok(0), "another node computes it");
    assert_eq!(two.free_analyses(9).await, Ok(Vec::new()));
    assert_eq!(one.change(progress(&id, &a, 4)).await, Ok(1));
    assert_eq!(two.change(progress(&id, &b, 5)).await, Ok(0));
    let pending = StoredAnalysisStage::Pending { requester: "ana".to_owned() };
    let now = |stage, judged| Ok(Some(StoredAnalysis { stage, moves: 9, judged }));
    assert_eq!(two.analysis(id.clone()).await, now(pending, 4));
    assert_eq!(one.change(finish(&id, &a, Err("no"))).await, Ok(1));
    assert_eq!(two.analysis(id.clone()).await, now(StoredAnalysisStage::Failed("no".to_owned()), 4));
    assert_eq!(two.change(ask(&id, "bob", 3)).await, Ok(1), "a failed one can be asked for again");
    assert_eq!(two.change(cancel(&id, Some("ana"))).await, Ok(0), "another one asked");
    assert_eq!(two.change(claim(&id, &b)).await, Ok(1));
    assert_eq!(two.change(finish(&id, &b, Ok("{}"))).await, Ok(1));
    assert_eq!(one.analysis(id.clone()).await, now(StoredAnalysisStage::Done("{}".to_owned()), 0));
    assert_eq!(two.change(cancel(&id, Some("bob"))).await, Ok(0), "it is done");
    assert_eq!(two.change(cancel(&id, None)).await, Ok(1), "the operator deletes it");
}

async fn pending_analyses_are_limited(database: TestDatabase) {
    let store = database.open(0).await;
    let ids: Vec<MatchId> = (0..5).map(|_| MatchId::fresh()).collect();
    assert_eq!(store.change(ask(&ids[0], "ana", 1)).await, Ok(1));
    assert_eq!(store.change(ask(&ids[1], "ana", 2)).await, Ok(1));
    assert_eq!(store.change(ask(&ids[2], "ana", 3)).await, Ok(0), "two of one requester");
    assert_eq!(store.change(ask(&ids[2], "bob", 4)).await, Ok(1));
    assert_eq!(store.change(ask(&ids[3], "eve", 5)).await, Ok(0), "three in all");
    assert_eq!(store.free_analyses(2).await, Ok(ids[..2].to_vec()), "the oldest first");
    assert_eq!(store.change(cancel(&ids[0], Some("ana"))).await, Ok(1));
    assert_eq!(store.change(progress(&ids[0], store.node(), 1)).await, Ok(0), "it was cancelled");
    assert_eq!(store.change(ask(&ids[3], "eve", 6)).await, Ok(1));
    assert_eq!(store.change(cancel(&ids[3], None)).await, Ok(1));
}

async fn analysis_of_a_dead_node_is_free_again(database: TestDatabase) {
    let store = database.open(0).await;
    let id = MatchId::fresh();
    assert_eq!(store.change(ask(&id, "ana", 1)).await, Ok(1));
    assert_eq!(store.change(claim(&id, "a node that is gone")).await, Ok(1));
    assert_eq!(store.free_analyses(9).await, Ok(vec![id.clone()]));
    assert_eq!(store.change(claim(&id, store.node())).await, Ok(1));
}

/// A decision of a player: ply, phase, kind, loss and whether the match is private.
fn decision(player: &str, ply: u32, phase: &str, kind: &str, loss: u32, private: bool) -> NewDecision {
    NewDecision {
        ply,
        player: player.to_owned(),
        game: "chess".to_owned(),
        private,
        phase: phase.to_owned(),
        kind: kind.to_owned(),
        loss,
    }
}

/// Stores an analysis with these decisions.
async fn analysed(store: &TestStore, decisions: Vec<NewDecision>) -> MatchId {
    let id = MatchId::fresh();
    store.change(ask(&id, "ana", 1)).await.unwrap();
    store.change(claim(&id, store.node())).await.unwrap();
    let result = Ok(FinishedAnalysis { body: "{}".to_owned(), decisions, puzzles: Vec::new() });
    let finish = AnalysisChange::Finish { id: id.clone(), node: store.node().to_owned(), result };
    assert_eq!(store.change(StoreChange::Analysis(finish)).await, Ok(1));
    id
}

async fn decisions_of_a_player_are_listed_and_counted(database: TestDatabase) {
    let store = database.open(0).await;
    let public = vec![
        decision("a", 0, "opening", "floor", 2_000, false),
        decision("b", 1, "opening", "floor", 9_000, false),
        decision("a", 2, "ending", "floor", 700, false),
        decision("a", 4, "ending", "bonus", 0, false),
    ];
    let one = analysed(&store, public).await;
    let two = analysed(&store, vec![decision("a", 3, "opening", "floor", 2_000, true)]).await;
    let filter = MistakeFilter {
        player: "a".to_owned(),
        game: "chess".to_owned(),
        private: true,
        phase: None,
        kind: None,
        after: None,
        least_loss: 500,
        limit: 9,
    };
    let row = |id: &MatchId, ply, loss| StoredMistake { id: id.clone(), ply, loss };
    let all = vec![row(&two, 3, 2_000), row(&one, 0, 2_000), row(&one, 2, 700)];
    assert_eq!(store.mistakes(filter.clone()).await, Ok(all.clone()));
    for (place, after) in all.iter().enumerate() {
        let next = MistakeFilter { after: Some(after.clone()), limit: 1, ..filter.clone() };
        assert_eq!(
            store.mistakes(next).await.unwrap(),
            all.get(place + 1).cloned().into_iter().collect::<Vec<_>>()
        );
    }
    let public = MistakeFilter { private: false, ..filter.clone() };
    assert_eq!(store.mistakes(public.clone()).await, Ok(all[1..].to_vec()));
    let ending = MistakeFilter { phase: Some("ending".to_owned()), ..filter.clone() };
    assert_eq!(store.mistakes(ending).await, Ok(all[2..].to_vec()));
    let none = MistakeFilter { kind: Some("bonus".to_owned()), ..filter.clone() };
    assert_eq!(store.mistakes(none).await, Ok(Vec::new()), "it lost nothing");
    let count = |phase: &str, kind: &str, decisions, lost, mistakes| MistakeCount {
        phase: phase.to_owned(),
        kind: kind.to_owned(),
        decisions,
        lost,
        mistakes,
    };
    let some = vec![
        count("ending", "bonus", 1, 0, 0),
        count("ending", "floor", 1, 700, 0),
        count("opening", "floor", 1, 2_000, 1),
    ];
    assert_eq!(store.mistake_counts(public.clone(), 1_000).await, Ok(some.clone()));
    let losses = |mut all: Vec<LossCount>| {
        all.sort_by_key(|one| one.loss);
        all.into_iter().map(|one| (one.loss, one.decisions)).collect::<Vec<_>>()
    };
    assert_eq!(losses(store.losses(public).await.unwrap()), [(0, 1), (700, 1), (2_000, 1)]);
    assert_eq!(losses(store.losses(filter.clone()).await.unwrap()), [(0, 1), (700, 1), (2_000, 2)]);
    let own = store.mistake_counts(filter.clone(), 1_000).await.unwrap();
    assert_eq!(own.last(), Some(&count("opening", "floor", 2, 4_000, 2)));
    assert_eq!(store.change(cancel(&one, None)).await, Ok(1));
    assert_eq!(store.mistakes(filter).await, Ok(all[..1].to_vec()), "they go with the analysis");
}
