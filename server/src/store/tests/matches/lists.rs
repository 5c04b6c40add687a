//! Lists and results against a simple model; and the query plans, which decide how long reads take.

use std::collections::BTreeMap;

use engines::rng::{Rng, Seed};

use crate::store::tests::*;

on_both_databases! {
    lists_and_results_match_the_model,
    pages_continue_each_other,
    results_count_once,
    finished_matches_match_the_model,
    matches_of_older_versions_that_never_began_leave_the_lists,
}

const GAMES: [&str; 3] = ["chess", "go", "reversi"];
const NAMES: [&str; 3] = ["ann", "bob", "cyd"];
/// The clocks of rows: none, one for all moves, a time for each move of less than a day, and of days.
const CLOCKS: [&str; 4] =
    ["", r#","clock":{"initial_ms":99000000}"#, r#","clock":{"move_ms":86399999}"#, DAYS];
const DAYS: &str = r#","clock":{"move_ms":86400000}"#;
const STAGES: [Stage; 3] = [Stage::Open, Stage::Running, Stage::Over];

/// The list that this filter must give.
fn model(all: &[ListedMatch], filter: &MatchFilter) -> Vec<ListedMatch> {
    let mut found: Vec<ListedMatch> = all
        .iter()
        .filter(|l| match filter.scope {
            Scope::Public => !l.row.private,
            Scope::Private => l.row.private,
            Scope::All => true,
        })
        .filter(|l| !l.row.never_begun || (filter.never_begun && filter.scope != Scope::Public))
        .filter(|l| filter.game.as_ref().is_none_or(|g| l.row.game == *g))
        .filter(|l| !filter.days || l.row.summary.contains(DAYS))
        .filter(|l| filter.stage.is_none_or(|s| l.row.stage == s))
        .filter(|l| filter.player.as_ref().is_none_or(|p| l.row.players.iter().any(|(w, _)| w.id == *p)))
        .filter(|l| filter.before.as_ref().is_none_or(|b| l.id < *b))
        .cloned()
        .collect();
    found.sort_by(|a, b| b.id.cmp(&a.id));
    found.truncate(filter.limit as usize);
    found
}

fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len())].clone()
}

fn random_row(rng: &mut Rng, stage: Stage) -> MatchRow {
    let score = |rng: &mut Rng| (stage == Stage::Over).then(|| pick(rng, &[0.0, 1.0 / 3.0, 0.5, 1.0]));
    let mut players = Vec::new();
    for name in NAMES {
        if rng.below(2) == 0 {
            players.push((named(name), score(rng)));
        }
    }
    MatchRow {
        game: pick(rng, &GAMES).to_owned(),
        private: rng.below(4) == 0,
        never_begun: stage == Stage::Over && rng.below(4) == 0,
        created_ms: rng.below(1000) as i64,
        players,
        summary: format!(r#"{{"seats":[]{}}}"#, pick(rng, &CLOCKS)),
        ..row(stage)
    }
}

async fn lists_and_results_match_the_model(database: TestDatabase) {
    let store = database.open(0).await;
    for (i, name) in NAMES.into_iter().enumerate() {
        store.add_player(named(name), hash(i as u8), 0, None).await.unwrap();
    }
    let mut rng = Rng::new(&Seed::from(1));
    let mut all = Vec::new();
    for _ in 0..150 {
        let id = MatchId::fresh();
        // Some rows change: players join and leave until the start, the stage advances, results come at the end.
        let mut now = random_row(&mut rng, Stage::Open);
        store.append(Append { row: Some(now.clone()), ..first(&id) }).await.unwrap();
        for (seq, stage) in [(1, Stage::Running), (2, Stage::Over)] {
            if rng.below(3) == 0 {
                break;
            }
            let changed = random_row(&mut rng, stage);
            now = MatchRow { game: now.game, private: now.private, created_ms: now.created_ms, ..changed };
            store.append(Append { row: Some(now.clone()), ..next(&id, seq) }).await.unwrap();
        }
        all.push(ListedMatch { id, row: now });
    }
    let one_in_two = |rng: &mut Rng| rng.below(2) == 0;
    for _ in 0..1000 {
        let scope = pick(&mut rng, &[Scope::Public, Scope::Private, Scope::All]);
        let player = one_in_two(&mut rng).then(|| named(pick(&mut rng, &NAMES)).id);
        let filter = MatchFilter {
            days: scope != Scope::Public && player.is_some() && one_in_two(&mut rng),
            game: one_in_two(&mut rng).then(|| pick(&mut rng, &GAMES).to_owned()),
            stage: one_in_two(&mut rng).then(|| pick(&mut rng, &STAGES)),
            player,
            before: one_in_two(&mut rng).then(|| pick(&mut rng, &all).id),
            scope,
            never_begun: one_in_two(&mut rng),
            limit: 1 + rng.below(30) as u32,
        };
        let found = store.list(filter.clone()).await.unwrap();
        assert_eq!(found, model(&all, &filter), "{filter:?}");
    }
    let unknown = MatchFilter { player: Some("unknown".to_owned()), limit: 9, ..MatchFilter::default() };
    assert_eq!(store.list(unknown).await.unwrap(), []);
    for name in NAMES {
        let player = store.player(name.to_owned()).await.unwrap().unwrap();
        assert_eq!(player.results, results(&all, name), "{name}");
    }
}

fn results(all: &[ListedMatch], name: &str) -> Vec<PlayerGameResults> {
    let mut by_game: BTreeMap<&str, PlayerGameResults> = BTreeMap::new();
    for listed in all.iter().filter(|l| !l.row.private) {
        for score in listed.row.players.iter().filter(|(w, _)| w.name == name).filter_map(|(_, score)| *score)
        {
            let game = listed.row.game.as_str();
            let none = PlayerGameResults { game: game.to_owned(), played: 0, won: 0, shared: 0 };
            let sum = by_game.entry(game).or_insert(none);
            sum.played += 1;
            sum.won += u64::from(score == 1.0);
            sum.shared += u64::from(score > 0.0 && score < 1.0);
        }
    }
    by_game.into_values().collect()
}

async fn pages_continue_each_other(database: TestDatabase) {
    let store = database.open(0).await;
    let mut ids = Vec::new();
    for _ in 0..25 {
        ids.push(create_match(&store).await);
    }
    ids.reverse();
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let page = store.list(MatchFilter { before, limit: 10, ..MatchFilter::default() }).await.unwrap();
        before = page.last().map(|l| l.id.clone());
        seen.extend(page.into_iter().map(|l| l.id));
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, ids);
}

/// A result counts once, however often its row is written, also within one transaction.
async fn results_count_once(database: TestDatabase) {
    let store = database.open(0).await;
    store.add_player(named("ann"), hash(1), 0, None).await.unwrap();
    let id = MatchId::fresh();
    let over = MatchRow { players: vec![(named("ann"), Some(1.0))], ..row(Stage::Over) };
    let with = |append: Append| Append { row: Some(over.clone()), ..append };
    let results = tokio::join!(
        store.append(first(&id)),
        store.append(with(next(&id, 1))),
        store.append(with(next(&id, 2)))
    );
    assert!(results.0.is_ok() && results.1.is_ok() && results.2.is_ok(), "{results:?}");
    store.append(with(next(&id, 3))).await.unwrap();
    let results = store.player("ann".to_owned()).await.unwrap().unwrap().results;
    assert_eq!(results, [PlayerGameResults { game: "go".to_owned(), played: 1, won: 1, shared: 0 }]);
}

/// Downloads read page by page: together the pages have each finished public match once, the oldest first.
async fn finished_matches_match_the_model(database: TestDatabase) {
    let store = database.open(0).await;
    for (i, name) in NAMES.into_iter().enumerate() {
        store.add_player(named(name), hash(i as u8), 0, None).await.unwrap();
    }
    let mut rng = Rng::new(&Seed::from(2));
    let mut all: Vec<ListedMatch> = Vec::new();
    for _ in 0..150 {
        let (id, stage) = (MatchId::fresh(), pick(&mut rng, &[Stage::Open, Stage::Over, Stage::Over]));
        let row = random_row(&mut rng, stage);
        store.append(Append { row: Some(row.clone()), ..first(&id) }).await.unwrap();
        all.push(ListedMatch { id, row });
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    for _ in 0..100 {
        let game = pick(&mut rng, &GAMES).to_owned();
        let player = named(pick(&mut rng, &NAMES)).id;
        let of = match rng.below(3) {
            0 => FinishedOf::Game(game),
            1 => FinishedOf::Player(player, None),
            _ => FinishedOf::Player(player, Some(game)),
        };
        let (from, until) = (pick(&mut rng, &all).id, pick(&mut rng, &all).id);
        let is_of = |l: &&ListedMatch| {
            let plays = |p: &String| l.row.players.iter().any(|(who, _)| who.id == *p);
            match &of {
                FinishedOf::Game(game) => l.row.game == *game,
                FinishedOf::Player(player, game) => {
                    plays(player) && game.as_ref().is_none_or(|game| l.row.game == *game)
                }
            }
        };
        let is_open = |l: &&ListedMatch| l.row.stage == Stage::Over && !l.row.private && !l.row.never_begun;
        let expected = all.iter().filter(is_of).filter(is_open).filter(|l| l.id > from && l.id < until);
        let expected: Vec<MatchId> = expected.map(|l| l.id.clone()).collect();
        let mut filter =
            FinishedFilter { of: of.clone(), after: from.clone(), until: until.clone(), limit: 4 };
        let mut found = Vec::new();
        loop {
            let page = store.finished(filter.clone()).await.unwrap();
            assert!(page.iter().all(|found| found.least_mu.is_none()), "none of them was rated");
            let Some(last) = page.last() else { break };
            filter.after = last.id.clone();
            found.extend(page.into_iter().map(|found| found.id));
        }
        assert_eq!(found, expected, "{of:?}");
    }
}

async fn matches_of_older_versions_that_never_began_leave_the_lists(database: TestDatabase) {
    let id = |n: usize| format!("00000000-0000-7000-8000-00000000000{n}");
    // Cancelled before the start; aborted after it; played; waiting.
    let rows = [
        ("over", "{}", "ended"),
        ("over", "{}", "started"),
        ("over", r#"{"result":{}}"#, "started"),
        ("open", "{}", "joined"),
    ];
    let mut sql = String::new();
    for (n, (stage, summary, event)) in rows.into_iter().enumerate() {
        sql += &format!(
            r#"INSERT INTO matches (nr, id, game, stage, private, created_ms, summary, players)
                VALUES ({n}, '{}', 'go', '{stage}', FALSE, 1, '{summary}', '[]');
            INSERT INTO events (match_nr, seq, at_ms, body) VALUES ({n}, 0, 1, '{{"type":"created"}}'),
                ({n}, 1, 1, '{{"type":"{event}"}}');"#,
            id(n)
        );
    }
    database.make_older("never_begun", &sql).await;
    let store = database.open(9).await;
    let listed = store.list(MatchFilter { limit: 9, ..MatchFilter::default() }).await.unwrap();
    assert_eq!(listed.iter().map(|l| l.id.to_string()).collect::<Vec<_>>(), [id(3), id(2), id(1)]);
}
