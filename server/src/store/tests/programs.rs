//! Programs of bots: uploads within their limits, checks by one node at a time, one active program of a game, and what goes with what.

use bytes::Bytes;

use crate::domain::time::DAY_MS;
use crate::domain::{ProgramHash, ProgramState};
use crate::ratings::Rating;
use crate::store::tests::matches::bot_faults;
use crate::store::tests::*;

on_both_databases! {
    programs_are_numbered_kept_and_pruned,
    uploads_keep_within_the_limits,
    one_living_node_checks_a_program,
    one_program_of_a_game_is_active,
    another_module_makes_the_rating_less_certain,
    widened_ratings_survive_annulments,
    banned_module_does_not_play,
    results_and_mistakes_are_counted_by_program,
    rated_matches_count_for_the_program_that_played,
    programs_go_with_their_bot,
    nodes_learn_of_changes,
}

/// A bot of this person, with the id `id of NAME`.
pub(super) fn new_bot(n: u8, name: &str, owner: &str) -> NewBot {
    let who = PlayerRef { owner: Some(named(owner).id), ..named(name) };
    NewBot { who, key: hash(n), created_ms: 5, about: "{}".into(), most: 5, request: None }
}

/// A program with this module, without limits that matter.
pub(super) fn new_program(bot: &str, owner: &str, module: &[u8]) -> NewProgram {
    NewProgram {
        bot: bot.to_owned(),
        owner: owner.to_owned(),
        game: "go".to_owned(),
        hash: ProgramHash::of(module),
        module: Bytes::copy_from_slice(module),
        note: "first".to_owned(),
        created_ms: 5,
        activate: true,
        most_per_day: 1000,
        most_bytes: 1 << 30,
        most_kept: 10,
    }
}

const ROBO: &str = "id of robo";
const ANN: &str = "id of ann";

/// A node with the person ann and her bot robo.
async fn open_club(database: &TestDatabase) -> Arc<TestStore> {
    let store = database.open(0).await;
    store.add_player(named("ann"), hash(1), 5, None).await.unwrap();
    store.add_player(named("bob"), hash(2), 5, None).await.unwrap();
    store.add_bot(new_bot(3, "robo", "ann")).await.unwrap();
    store
}

async fn change(store: &TestStore, change: ProgramChange) -> u64 {
    store.change(StoreChange::Program(change)).await.unwrap()
}

/// Adds a program with this module; the result is its number.
async fn add(store: &TestStore, module: &[u8]) -> u64 {
    change(store, ProgramChange::Add(Box::new(new_program(ROBO, ANN, module)))).await
}

/// The node's check of a program ends.
async fn check(store: &TestStore, number: u32, passed: bool, at_ms: Millis) {
    let (bot, node) = (ROBO.to_owned(), store.node().to_owned());
    let claim = ProgramChange::Claim { bot: bot.clone(), number, node: node.clone() };
    assert_eq!(change(store, claim).await, 1);
    let (referee, report) = (r#"{"base":"0"}"#.to_owned(), "{}".to_owned());
    let checked = ProgramChange::Checked { bot, number, node, passed, referee, report, at_ms };
    assert_eq!(change(store, checked).await, 1);
}

/// The numbers of the programs and their states, the newest first.
async fn states(store: &TestStore) -> Vec<(u32, ProgramState)> {
    let programs = store.programs(ROBO.to_owned()).await.unwrap();
    programs.into_iter().map(|program| (program.number, program.state)).collect()
}

async fn activate(store: &TestStore, number: u32, at_ms: Millis) -> u64 {
    change(store, ProgramChange::Activate { bot: ROBO.to_owned(), number, at_ms }).await
}

async fn has_file(store: &TestStore, module: &[u8]) -> bool {
    store.module(ProgramHash::of(module)).await.unwrap().is_some()
}

async fn programs_are_numbered_kept_and_pruned(database: TestDatabase) {
    let store = open_club(&database).await;
    let large = vec![7; 1 << 20];
    assert_eq!(add(&store, &large).await, 1);
    assert_eq!(*store.module(ProgramHash::of(&large)).await.unwrap().unwrap(), *large);
    assert_eq!(add(&store, &large).await, 0, "the bot has it");
    let program = store.programs(ROBO.to_owned()).await.unwrap().swap_remove(0);
    assert_eq!(
        (program.size, program.note.as_str(), program.state),
        (1 << 20, "first", ProgramState::Checking)
    );
    assert_eq!((program.published, program.activate, program.report.as_deref()), (false, true, None));
    let of = |number| (ROBO.to_owned(), number);
    let (bot, number) = of(1);
    assert_eq!(change(&store, ProgramChange::SetNote { bot, number, note: "new".into() }).await, 1);
    let (bot, number) = of(1);
    assert_eq!(change(&store, ProgramChange::Publish { bot, number, published: true }).await, 1);
    let program = store.programs(ROBO.to_owned()).await.unwrap().swap_remove(0);
    assert_eq!((program.note.as_str(), program.published), ("new", true));
    check(&store, 1, true, 9).await;
    for n in 2..=12 {
        assert_eq!(add(&store, &[n]).await, u64::from(n));
        check(&store, n.into(), false, 10).await;
    }
    let kept: Vec<u32> = states(&store).await.into_iter().map(|(number, _)| number).collect();
    assert_eq!(kept, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1], "the active one stays");
    assert!(has_file(&store, &large).await && !has_file(&store, &[2]).await && has_file(&store, &[3]).await);
    // Numbers are not used again; a module goes with the last program that has it.
    let (bot, number) = of(12);
    assert_eq!(change(&store, ProgramChange::Delete { bot, number }).await, 1);
    assert!(!has_file(&store, &[12]).await);
    assert_eq!(add(&store, &[12]).await, 13);
    let elsewhere = NewProgram { game: "chess".into(), ..new_program(ROBO, ANN, &[12]) };
    assert_eq!(change(&store, ProgramChange::Add(Box::new(elsewhere))).await, 14, "of another game");
    let (bot, number) = of(13);
    assert_eq!(change(&store, ProgramChange::Delete { bot, number }).await, 1);
    assert!(has_file(&store, &[12]).await);
    let listed = store.list_programs((ROBO.to_owned(), 10), None, 5).await.unwrap();
    assert_eq!(listed.iter().map(|entry| entry.program.number).collect::<Vec<_>>(), [11, 14]);
    assert_eq!((listed[0].bot.as_str(), listed[0].owner.as_str()), ("robo", "ann"));
    let listed = store.list_programs((String::new(), 0), Some(ProgramHash::of(&large)), 5).await.unwrap();
    assert_eq!(listed.iter().map(|entry| entry.program.number).collect::<Vec<_>>(), [1]);
}

async fn uploads_keep_within_the_limits(database: TestDatabase) {
    let store = open_club(&database).await;
    let with = |module: &[u8], day: i64| NewProgram {
        most_per_day: 3,
        most_bytes: 10,
        created_ms: day * DAY_MS,
        ..new_program(ROBO, ANN, module)
    };
    let add = async |new| change(&store, ProgramChange::Add(Box::new(new))).await;
    assert_eq!(add(with(&[1; 6], 2)).await, 1);
    assert_eq!(add(with(&[2; 5], 2)).await, 0, "too many bytes");
    assert_eq!(add(with(&[2; 4], 2)).await, 2);
    assert_eq!(store.program_usage(ANN.into(), 2).await, Ok(ProgramUsage { uploads: 2, bytes: 10 }));
    assert_eq!(change(&store, ProgramChange::Delete { bot: ROBO.into(), number: 1 }).await, 1);
    assert_eq!(add(with(&[3], 2)).await, 3);
    assert_eq!(add(with(&[4], 2)).await, 0, "deleting gives no uploads back");
    assert_eq!(add(with(&[4], 3)).await, 4, "a new day");
    assert_eq!(store.program_usage(ANN.into(), 3).await, Ok(ProgramUsage { uploads: 1, bytes: 6 }));
    let foreign = NewProgram { owner: "id of bob".into(), ..with(&[5], 3) };
    assert_eq!(add(foreign).await, 0, "it is not bob's bot");
    assert_eq!(add(NewProgram { bot: "nobody".into(), ..with(&[5], 3) }).await, 0);
    let fuel = |day, fuel| ProgramChange::AddFuel { bot: ROBO.into(), day, fuel };
    for _ in 0..2 {
        assert_eq!(change(&store, fuel(7, 4_000_000_000_000)).await, 1);
    }
    assert_eq!(store.program_fuel(ROBO.into(), 7).await, Ok(8_000_000_000_000));
    assert_eq!(store.program_fuel(ROBO.into(), 8).await, Ok(0));
    change(&store, fuel(100, 1)).await;
    assert_eq!(store.program_fuel(ROBO.into(), 7).await, Ok(0), "it was long ago");
}

async fn one_living_node_checks_a_program(database: TestDatabase) {
    let (store, other) = (open_club(&database).await, database.open(0).await);
    add(&store, &[1]).await;
    let waiting = async |node: &TestStore| {
        let waiting = node.unchecked_programs(node.node().to_owned(), 5, 5).await.unwrap();
        waiting.into_iter().map(|program| program.number).collect::<Vec<_>>()
    };
    let claim = |node: &str| ProgramChange::Claim { bot: ROBO.into(), number: 1, node: node.to_owned() };
    let checked = |node: &TestStore| ProgramChange::Checked {
        bot: ROBO.into(),
        number: 1,
        node: node.node().to_owned(),
        passed: true,
        referee: "{}".into(),
        report: "{}".into(),
        at_ms: 5,
    };
    // A node that is gone had begun.
    assert_eq!(change(&store, claim("a node that is gone")).await, 1);
    assert_eq!(change(&store, checked(&store)).await, 0, "it is not the node's");
    assert_eq!((waiting(&store).await, waiting(&other).await), (vec![1], vec![1]));
    assert_eq!(change(&store, claim(store.node())).await, 1);
    assert_eq!(change(&other, claim(other.node())).await, 0);
    assert_eq!((waiting(&store).await, waiting(&other).await), (vec![1], vec![]));
    assert_eq!(change(&other, checked(&other)).await, 0, "it is not the node's");
    assert_eq!(change(&store, checked(&store)).await, 1);
    assert_eq!(change(&store, checked(&store)).await, 0, "it has been checked");
    assert_eq!(states(&other).await, [(1, ProgramState::Active)]);
    assert_eq!(waiting(&store).await, [0; 0]);
    // Owners who have uploaded little come first.
    store.add_bot(new_bot(9, "dodo", "bob")).await.unwrap();
    for module in [2, 3] {
        add(&store, &[module]).await;
    }
    let late = NewProgram {
        bot: "id of dodo".into(),
        owner: "id of bob".into(),
        created_ms: 9,
        ..new_program(ROBO, ANN, &[2])
    };
    assert_eq!(change(&store, ProgramChange::Add(Box::new(late))).await, 1);
    let order = store.unchecked_programs(store.node().to_owned(), 5, 9).await.unwrap();
    let order: Vec<_> = order.iter().map(|program| (program.bot.as_str(), program.number)).collect();
    assert_eq!(order, [("id of dodo", 1), (ROBO, 2), (ROBO, 3)]);
}

async fn one_program_of_a_game_is_active(database: TestDatabase) {
    let store = open_club(&database).await;
    add(&store, &[1]).await;
    assert_eq!(activate(&store, 1, 5).await, 0, "it is not checked");
    check(&store, 1, true, 6).await;
    assert_eq!(states(&store).await, [(1, ProgramState::Active)]);
    add(&store, &[2]).await;
    check(&store, 2, false, 7).await;
    assert_eq!(activate(&store, 2, 8).await, 0, "it was refused");
    let later = NewProgram { activate: false, ..new_program(ROBO, ANN, &[3]) };
    assert_eq!(change(&store, ProgramChange::Add(Box::new(later))).await, 3);
    check(&store, 3, true, 9).await;
    let expected = |first, third| [(3, third), (2, ProgramState::Refused), (1, first)];
    assert_eq!(states(&store).await, expected(ProgramState::Active, ProgramState::Ready));
    assert_eq!(activate(&store, 3, 10).await, 1);
    assert_eq!(states(&store).await, expected(ProgramState::Retired, ProgramState::Active));
    let other_game = NewProgram { game: "chess".into(), ..new_program(ROBO, ANN, &[1]) };
    assert_eq!(change(&store, ProgramChange::Add(Box::new(other_game))).await, 4);
    check(&store, 4, true, 11).await;
    let policy = ProgramChange::SetPolicy { bot: ROBO.into(), policy: r#"{"games":["go"]}"#.into() };
    assert_eq!(change(&store, policy).await, 1);
    let active = store.active_programs().await.unwrap();
    let told: Vec<_> = active.iter().map(|one| (one.game.as_str(), one.number)).collect();
    assert_eq!(told, [("chess", 4), ("go", 3)]);
    assert_eq!(active[1].bot, PlayerRef { owner: Some(ANN.into()), ..named("robo") });
    assert_eq!((active[1].referee["base"].as_str(), &active[1].hash), ("0", &ProgramHash::of(&[3])));
    assert_eq!(active[1].policy.as_deref(), Some(r#"{"games":["go"]}"#));
    assert_eq!(change(&store, ProgramChange::Retire { bot: ROBO.into(), number: 3 }).await, 1);
    assert_eq!(change(&store, ProgramChange::Retire { bot: ROBO.into(), number: 3 }).await, 0);
}

/// Plays a rated match of robo and bob; robo wins. Returns the match.
async fn play(store: &TestStore, at_ms: Millis) -> MatchId {
    play_with(store, None, at_ms).await
}

/// The same with a program of robo.
async fn play_with(store: &TestStore, program: Option<u32>, at_ms: Millis) -> MatchId {
    let seats = vec![(ROBO.to_owned(), 1), ("id of bob".to_owned(), 2)];
    let id = MatchId::fresh();
    store.append(first(&id)).await.unwrap();
    let events = vec![StoredEvent { at_ms, ..event("ended") }];
    let rated = Some(RatedResult { game: "go".into(), seats, programs: vec![program, None] });
    store.append(Append { rated, events, ..last(&id, 1) }).await.unwrap();
    id
}

async fn rating(store: &TestStore, name: &str) -> Option<Rating> {
    store.player(name.into()).await.unwrap().unwrap().ratings.first().map(|one| one.rating)
}

async fn assert_consistent(store: &TestStore) {
    assert_eq!(store.check_ratings().await.unwrap().differences, [""; 0]);
}

async fn another_module_makes_the_rating_less_certain(database: TestDatabase) {
    let store = open_club(&database).await;
    add(&store, &[1]).await;
    check(&store, 1, true, 5).await;
    assert_eq!(rating(&store, "robo").await, None);
    for at_ms in 6..30 {
        play(&store, at_ms).await;
    }
    let before = rating(&store, "robo").await.unwrap();
    assert_eq!(change(&store, ProgramChange::Retire { bot: ROBO.into(), number: 1 }).await, 1);
    assert_eq!(activate(&store, 1, 31).await, 1);
    assert_eq!(rating(&store, "robo").await, Some(before), "it is the same module");
    add(&store, &[2]).await;
    check(&store, 2, true, 32).await;
    let wider = rating(&store, "robo").await.unwrap();
    assert_eq!(wider, before.with_new_program());
    assert!(wider.mu == before.mu && wider.sigma > before.sigma && wider.sigma < Rating::NEW.sigma);
    assert_consistent(&store).await;
    for at_ms in 33..60 {
        assert_eq!(activate(&store, 1 + ((at_ms + 1) % 2) as u32, at_ms).await, 1);
    }
    assert_eq!(rating(&store, "robo").await.unwrap().sigma, Rating::NEW.sigma, "it is never wider");
    assert_consistent(&store).await;
    play(&store, 60).await;
    assert_consistent(&store).await;
}

async fn widened_ratings_survive_annulments(database: TestDatabase) {
    let store = open_club(&database).await;
    for module in [1, 2] {
        add(&store, &[module]).await;
        check(&store, module.into(), true, 5).await;
    }
    let mut ids = Vec::new();
    for n in 0..12 {
        ids.push(play(&store, 10 + n).await);
        if n % 3 == 1 {
            assert_eq!(activate(&store, 1 + (n / 3 % 2) as u32, 10 + n).await, 1);
        }
    }
    assert_eq!(activate(&store, 1, 30).await, 1);
    assert_consistent(&store).await;
    for n in [5, 0, 11, 4, 1] {
        let annul = StoreChange::AnnulMatch { id: ids[n].clone(), at_ms: 99 };
        assert_eq!(store.change(annul).await, Ok(1));
        assert_consistent(&store).await;
    }
    // The opponent of a bot whose rating was widened comes into a recomputation later than the bot.
    let robo = rating(&store, "robo").await.unwrap();
    for n in [2, 3, 6, 7, 8, 9, 10] {
        assert_eq!(store.change(StoreChange::AnnulMatch { id: ids[n].clone(), at_ms: 99 }).await, Ok(1));
        assert_consistent(&store).await;
    }
    assert_eq!((rating(&store, "robo").await, rating(&store, "bob").await), (None, None));
    play(&store, 100).await;
    assert_ne!(rating(&store, "robo").await, Some(robo));
    assert_consistent(&store).await;
}

async fn banned_module_does_not_play(database: TestDatabase) {
    let store = open_club(&database).await;
    add(&store, &[1]).await;
    check(&store, 1, true, 5).await;
    let ban =
        |reason: &str| ProgramChange::Ban { hash: ProgramHash::of(&[1]), reason: reason.into(), at_ms: 7 };
    assert_eq!(change(&store, ban("it is hostile")).await, 1);
    assert_eq!(change(&store, ban("it mines")).await, 1);
    let banned = store.banned_programs().await.unwrap();
    assert_eq!((banned.len(), banned[0].reason.as_str(), banned[0].created_ms), (1, "it mines", 7));
    assert_eq!(store.active_programs().await, Ok(vec![]));
    assert_eq!(store.programs(ROBO.into()).await.unwrap()[0].banned.as_deref(), Some("it mines"));
    let elsewhere = NewProgram { game: "chess".into(), ..new_program(ROBO, ANN, &[1]) };
    assert_eq!(change(&store, ProgramChange::Add(Box::new(elsewhere))).await, 0);
    assert_eq!(change(&store, ProgramChange::Retire { bot: ROBO.into(), number: 1 }).await, 1);
    assert_eq!(activate(&store, 1, 8).await, 0);
    assert_eq!(change(&store, ProgramChange::Unban(ProgramHash::of(&[1]))).await, 1);
    assert_eq!(change(&store, ProgramChange::Unban(ProgramHash::of(&[1]))).await, 0);
    assert_eq!(activate(&store, 1, 9).await, 1);
    assert_eq!(store.active_programs().await.unwrap().len(), 1);
}

async fn results_and_mistakes_are_counted_by_program(database: TestDatabase) {
    let store = open_club(&database).await;
    add(&store, &[1]).await;
    add(&store, &[2]).await;
    let result = |number, outcome| ProgramResult { bot: ROBO.into(), number, outcome };
    let id = create_match(&store).await;
    let faults = vec![NewFault { program: Some(2), ..bot_faults::fault(ROBO, 1, "crash") }];
    store.append(Append { faults, ..next(&id, 1) }).await.unwrap();
    let both = vec![result(1, SeatOutcome::Won), result(2, SeatOutcome::Lost)];
    let refused = Append { program_results: both.clone(), ..last(&id, 7) };
    assert_eq!(store.append(refused).await, Err(StoreError::Conflict), "nothing is counted");
    store.append(Append { program_results: both, ..last(&id, 2) }).await.unwrap();
    for outcome in [SeatOutcome::Lost, SeatOutcome::Drawn] {
        let id = create_match(&store).await;
        // A program that was deleted meanwhile has no results.
        let program_results = vec![result(2, outcome), result(9, outcome)];
        store.append(Append { program_results, ..last(&id, 1) }).await.unwrap();
    }
    let tallies: Vec<_> =
        store.programs(ROBO.into()).await.unwrap().into_iter().map(|program| program.tally).collect();
    let second = ProgramTally { drawn: 1, lost: 2, mistakes: 1, ..ProgramTally::default() };
    assert_eq!(tallies, [second, ProgramTally { won: 1, ..ProgramTally::default() }]);
    let filter = bot_faults::filter(ROBO, false);
    assert_eq!(store.bot_faults(filter).await.unwrap()[0].version.as_deref(), Some("program 2"));
}

/// The rated matches of each program of robo, and the rating after the last of them, the newest program first.
async fn rated(store: &TestStore) -> Vec<(u64, Option<Rating>)> {
    let programs = store.programs(ROBO.into()).await.unwrap();
    programs.into_iter().map(|program| (program.tally.rated, program.tally.rating)).collect()
}

async fn rated_matches_count_for_the_program_that_played(database: TestDatabase) {
    let store = open_club(&database).await;
    for module in [1, 2] {
        add(&store, &[module]).await;
        check(&store, module.into(), true, 5).await;
    }
    assert_eq!(rated(&store).await, [(0, None); 2]);
    // Program 2, then program 1 again, a match without a program, and one of a program that is deleted.
    let (mut ids, mut after) = (Vec::new(), Vec::new());
    for (at_ms, program) in (10..).zip([Some(1), Some(2), Some(2), Some(1), None, Some(9)]) {
        ids.push(play_with(&store, program, at_ms).await);
        after.push(rating(&store, "robo").await);
    }
    assert_eq!(rated(&store).await, [(2, after[2]), (2, after[3])]);
    // Annulled results do not count; the ratings after later ones change.
    for (annulled, counts) in [(1, [1, 2]), (3, [1, 1]), (2, [0, 1]), (4, [0, 1])] {
        let annul = StoreChange::AnnulMatch { id: ids[annulled].clone(), at_ms: 99 };
        assert_eq!(store.change(annul).await, Ok(1));
        let [second, first] = rated(&store).await[..] else { panic!("there are two programs") };
        assert_eq!([second.0, first.0], counts);
        assert_eq!(second.1.is_some(), second.0 > 0);
        assert_eq!(first.1 == after[0], first.0 == 1, "nothing was annulled before its first match");
        assert_consistent(&store).await;
    }
    // The other program of another bot with the same number has none.
    store.add_bot(new_bot(4, "dodo", "ann")).await.unwrap();
    let others = NewProgram { bot: "id of dodo".into(), ..new_program(ROBO, ANN, &[2]) };
    assert_eq!(change(&store, ProgramChange::Add(Box::new(others))).await, 1);
    assert_eq!(store.programs("id of dodo".into()).await.unwrap()[0].tally, ProgramTally::default());
    // What is read after a restart.
    let before = rated(&store).await;
    assert_eq!(change(&store, ProgramChange::Delete { bot: ROBO.into(), number: 2 }).await, 1);
    store.close().await;
    assert_eq!(rated(&*database.open(0).await).await, before[1..]);
}

async fn programs_go_with_their_bot(database: TestDatabase) {
    let store = open_club(&database).await;
    store.add_bot(new_bot(4, "dodo", "ann")).await.unwrap();
    add(&store, &[1]).await;
    add(&store, &[2]).await;
    let others = NewProgram { bot: "id of dodo".into(), ..new_program(ROBO, ANN, &[2]) };
    assert_eq!(change(&store, ProgramChange::Add(Box::new(others))).await, 1, "each bot has its numbers");
    let delete =
        |player: &str| StoreChange::DeletePlayer { player: player.into(), at_ms: 6, held_until_ms: 7 };
    assert_eq!(store.change(delete(ROBO)).await, Ok(1));
    assert_eq!(states(&store).await, []);
    assert!(!has_file(&store, &[1]).await && has_file(&store, &[2]).await);
    assert_eq!(add(&store, &[1]).await, 0, "the bot is gone");
    let policy = ProgramChange::SetPolicy { bot: ROBO.into(), policy: "{}".into() };
    assert_eq!(change(&store, policy).await, 0);
    assert_eq!(store.change(delete(ANN)).await, Ok(1));
    assert_eq!(store.programs("id of dodo".into()).await, Ok(vec![]));
    assert!(!has_file(&store, &[2]).await);
}

async fn nodes_learn_of_changes(database: TestDatabase) {
    let store = open_club(&database).await;
    let other = database.open(0).await;
    // Nodes on one file poll.
    let listens = if matches!(database, TestDatabase::Sqlite(_)) { &store } else { &other };
    let mut news = listens.programs_changed();
    add(&store, &[1]).await;
    tokio::time::timeout(HANG, news.changed()).await.expect("news comes").unwrap();
    news.mark_unchanged();
    check(&store, 1, true, 5).await;
    tokio::time::timeout(HANG, news.changed()).await.expect("news comes").unwrap();
}
