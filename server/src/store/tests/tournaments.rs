//! Tournaments: appends, lists, and the node that runs one.

use crate::domain::{TournamentId, TournamentStage};
use crate::store::tests::*;

on_both_databases! {
    events_are_appended_in_order_and_once,
    organizer_has_a_limited_number_of_unfinished_tournaments,
    request_creates_one_tournament,
    tournaments_are_listed_by_game,
    one_living_node_runs_a_tournament,
    status_of_matches_tells_how_they_ended,
    opened_matches_count_from_then_on_and_once,
    title_leaves_the_first_event,
    tournament_is_deleted_unless_it_runs,
}

fn append(id: &TournamentId, seq: u32, texts: &[&str], stage: TournamentStage) -> TournamentAppend {
    TournamentAppend {
        id: id.clone(),
        seq,
        events: texts.iter().map(|text| event(text)).collect(),
        stage,
        summary: format!(r#"{{"after":{seq}}}"#),
        new: None,
        opened: Vec::new(),
        first: None,
    }
}

fn creation(id: &TournamentId, game: &str) -> TournamentAppend {
    let new = NewTournament {
        game: game.to_owned(),
        organizer: "ann".to_owned(),
        created_ms: 5,
        most: 3,
        request: None,
    };
    TournamentAppend { new: Some(new), ..append(id, 0, &["created"], TournamentStage::Registration) }
}

async fn write(store: &TestStore, append: TournamentAppend) -> bool {
    store.change(StoreChange::AppendTournament(Box::new(append))).await.unwrap() == 1
}

async fn run(store: &TestStore, id: &TournamentId) -> bool {
    let node = store.node().to_owned();
    store.change(StoreChange::RunTournament { id: id.clone(), node }).await.unwrap() == 1
}

async fn events_are_appended_in_order_and_once(database: TestDatabase) {
    let (ours, theirs) = (database.open(0).await, database.open(0).await);
    let id = TournamentId::fresh();
    assert!(!write(&ours, append(&id, 0, &["entered"], TournamentStage::Running)).await, "it does not exist");
    assert!(write(&ours, creation(&id, "go")).await);
    assert!(!write(&theirs, creation(&id, "go")).await, "it exists");
    let two = append(&id, 1, &["entered", "started"], TournamentStage::Running);
    let (a, b) = tokio::join!(write(&ours, two.clone()), write(&theirs, two));
    assert!(a != b, "one of them was first");
    assert!(!write(&ours, append(&id, 2, &["late"], TournamentStage::Running)).await);
    assert!(write(&theirs, append(&id, 3, &["paused"], TournamentStage::Paused)).await);
    let log = ours.tournament_log(id.clone(), 0).await.unwrap();
    assert_eq!(log, ["created", "entered", "started", "paused"].map(event));
    assert_eq!(ours.tournament_log(id, 3).await.unwrap(), [event("paused")]);
    assert_eq!(ours.tournament_log(TournamentId::fresh(), 0).await.unwrap(), []);
}

async fn organizer_has_a_limited_number_of_unfinished_tournaments(database: TestDatabase) {
    let store = database.open(0).await;
    let ids = [TournamentId::fresh(), TournamentId::fresh(), TournamentId::fresh(), TournamentId::fresh()];
    for id in &ids[..3] {
        assert!(write(&store, creation(id, "go")).await);
    }
    assert!(!write(&store, creation(&ids[3], "go")).await);
    assert!(write(&store, append(&ids[0], 1, &["aborted"], TournamentStage::Aborted)).await);
    assert!(write(&store, creation(&ids[3], "go")).await);
}

async fn request_creates_one_tournament(database: TestDatabase) {
    let store = database.open(0).await;
    let ask = || {
        let mut asked = creation(&TournamentId::fresh(), "go");
        asked.new.as_mut().unwrap().request = Some(request(1));
        asked
    };
    assert!(write(&store, ask()).await);
    assert!(!write(&store, ask()).await);
    assert_eq!(store.request(hash(1)).await.unwrap(), Some(request(1)));
    assert_eq!(store.tournaments(None, None, 10).await.unwrap().len(), 1);
}

async fn tournaments_are_listed_by_game(database: TestDatabase) {
    let store = database.open(0).await;
    let ids = [TournamentId::fresh(), TournamentId::fresh(), TournamentId::fresh()];
    for (id, game) in ids.iter().zip(["go", "chess", "go"]) {
        assert!(write(&store, creation(id, game)).await);
    }
    assert!(write(&store, append(&ids[2], 1, &["started"], TournamentStage::Running)).await);
    let list = async |game: Option<&str>, before: Option<&TournamentId>, limit| {
        let found = store.tournaments(game.map(str::to_owned), before.cloned(), limit).await.unwrap();
        found.into_iter().map(|found| found.id).collect::<Vec<_>>()
    };
    let [first, second, third] = &ids;
    assert_eq!(list(None, None, 2).await, [third.clone(), second.clone()]);
    assert_eq!(list(None, Some(second), 2).await, std::slice::from_ref(first));
    assert_eq!(list(Some("go"), None, 5).await, [third.clone(), first.clone()]);
    assert_eq!(list(Some("go"), Some(third), 5).await, std::slice::from_ref(first));
    let newest = store.tournaments(None, None, 1).await.unwrap().remove(0);
    let expected = (TournamentStage::Running, "go", 5, r#"{"after":1}"#);
    assert_eq!((newest.stage, &*newest.game, newest.created_ms, &*newest.summary), expected);
}

async fn one_living_node_runs_a_tournament(database: TestDatabase) {
    let (ours, theirs) = (database.open(0).await, database.open(0).await);
    let id = TournamentId::fresh();
    assert!(write(&ours, creation(&id, "go")).await);
    assert!(!run(&ours, &id).await, "it has not begun");
    assert_eq!(ours.running_tournaments().await.unwrap(), []);
    assert!(write(&ours, append(&id, 1, &["started"], TournamentStage::Running)).await);
    assert_eq!(
        ours.running_tournaments().await.unwrap(),
        [RunningTournament { id: id.clone(), holder: None }]
    );
    assert!(run(&theirs, &id).await && run(&theirs, &id).await);
    assert!(!run(&ours, &id).await, "the other node lives");
    let holder = Some(theirs.node().to_owned());
    assert_eq!(ours.running_tournaments().await.unwrap(), [RunningTournament { id: id.clone(), holder }]);
    drop(theirs);
    poll_until(async || {
        ours.heartbeat(ours.now().ms());
        (ours.running_tournaments().await.unwrap()[0].holder.is_none()).then_some(())
    })
    .await;
    assert!(run(&ours, &id).await, "the other node is dead");
    assert!(write(&ours, append(&id, 2, &["ended"], TournamentStage::Ended)).await);
    assert_eq!(ours.running_tournaments().await.unwrap(), []);
    assert!(!run(&ours, &id).await, "it is over");
}

async fn status_of_matches_tells_how_they_ended(database: TestDatabase) {
    let store = database.open(0).await;
    let [running, over] = [create_match(&store).await, create_match(&store).await];
    store.append(last(&over, 1)).await.unwrap();
    let mut found = store.match_status(vec![over.clone(), MatchId::fresh(), running.clone()]).await.unwrap();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    let expected: Vec<(MatchId, Stage)> = vec![(running, Stage::Running), (over, Stage::Over)];
    assert_eq!(found.iter().map(|f| (f.id.clone(), f.stage)).collect::<Vec<_>>(), expected);
    assert_eq!(found[1].summary, r#"{"seats":[]}"#);
}

async fn opened_matches_count_from_then_on_and_once(database: TestDatabase) {
    let (ours, theirs) = (database.open(0).await, database.open(0).await);
    let [ann, ben] = ["ann", "ben"].map(named);
    for (n, player) in [(1, &ann), (2, &ben)] {
        ours.add_player(player.clone(), hash(n), 0, None).await.unwrap();
    }
    let (id, tournament) = (MatchId::fresh(), TournamentId::fresh());
    let sealed = MatchRow { players: vec![(ann.clone(), None), (ben.clone(), None)], ..row(Stage::Over) };
    ours.append(first(&id)).await.unwrap();
    ours.append(Append { row: Some(sealed.clone()), ..last(&id, 1) }).await.unwrap();
    assert!(write(&ours, creation(&tournament, "go")).await);
    let played = async |store: &TestStore| {
        let profile = store.player("ann".to_owned()).await.unwrap().unwrap();
        let results: Vec<u64> = profile.results.iter().map(|result| result.played).collect();
        (results, profile.ratings.iter().map(|rating| rating.played).collect::<Vec<u64>>())
    };
    assert_eq!(played(&ours).await, (vec![], vec![]));
    let summary = r#"{"seats":[],"rated":true}"#.to_owned();
    let players = vec![(ann.clone(), Some(1.0)), (ben.clone(), Some(0.0))];
    let rated =
        RatedResult { game: "go".to_owned(), seats: vec![(ann.id, 1), (ben.id, 2)], programs: Vec::new() };
    let opened =
        OpenedMatch { id: id.clone(), row: MatchRow { summary, players, ..sealed }, rated: Some(rated) };
    let deleted = OpenedMatch { id: MatchId::fresh(), ..opened.clone() };
    let append = TournamentAppend {
        opened: vec![opened.clone(), deleted],
        ..append(&tournament, 1, &["opened"], TournamentStage::Running)
    };
    let (a, b) = tokio::join!(write(&ours, append.clone()), write(&theirs, append));
    assert!(a != b, "one of them was first");
    assert_eq!(played(&theirs).await, (vec![1], vec![1]));
    let check = ours.check_ratings().await.unwrap();
    assert_eq!((check.results, check.differences.as_slice()), (1, &[][..]));
    let listed = ours.list(MatchFilter { limit: 5, ..MatchFilter::default() }).await.unwrap();
    assert_eq!(listed, [ListedMatch { id, row: opened.row }]);
}

async fn title_leaves_the_first_event(database: TestDatabase) {
    let store = database.open(0).await;
    let id = TournamentId::fresh();
    assert!(write(&store, creation(&id, "go")).await);
    let first = Some("untitled".to_owned());
    assert!(
        write(
            &store,
            TournamentAppend { first, ..append(&id, 1, &["removed"], TournamentStage::Registration) }
        )
        .await
    );
    let log = store.tournament_log(id, 0).await.unwrap();
    assert_eq!(
        log.iter().map(|event| event.body.as_str()).collect::<Vec<_>>(),
        ["untitled", event("removed").body.as_str()]
    );
}

async fn tournament_is_deleted_unless_it_runs(database: TestDatabase) {
    let store = database.open(0).await;
    let (id, other) = (TournamentId::fresh(), TournamentId::fresh());
    assert!(write(&store, creation(&id, "go")).await);
    assert!(write(&store, creation(&other, "go")).await);
    assert_eq!(store.organized("ann".to_owned()).await, Ok(vec![id.clone(), other.clone()]));
    assert!(write(&store, append(&id, 1, &["started"], TournamentStage::Running)).await);
    let delete = StoreChange::DeleteTournament(id.clone());
    assert_eq!(store.change(delete.clone()).await, Ok(0), "it runs");
    assert!(write(&store, append(&id, 2, &["aborted"], TournamentStage::Aborted)).await);
    assert_eq!(store.change(delete.clone()).await, Ok(1));
    assert_eq!(store.change(delete).await, Ok(0));
    assert_eq!(store.tournament_log(id, 0).await, Ok(Vec::new()));
    assert_eq!(store.organized("ann".to_owned()).await, Ok(vec![other]));
}
