//! Puzzles: which matches get some, the puzzle of a day, the next one for a player, tries, and what deletes them.

use crate::domain::PuzzleId;
use crate::ratings::{Rating, after_match};
use crate::store::tests::*;

on_both_databases! {
    puzzles_come_and_go_with_the_analysis_of_a_public_match,
    daily_puzzle_stays_while_others_are_made,
    first_try_of_a_player_counts_once,
    next_puzzle_is_near_the_rating_and_not_tried,
}

fn new_puzzle(ply: u32, made_ms: Millis) -> NewPuzzle {
    NewPuzzle { id: PuzzleId::fresh(), ply, game: "go".to_owned(), made_ms, body: format!("{{\"n\":{ply}}}") }
}

async fn finished_match(store: &TestStore, private: bool, rated: Option<RatedResult>) -> MatchId {
    let id = MatchId::fresh();
    let row = |stage| Some(MatchRow { private, ..row(stage) });
    store.append(Append { row: row(Stage::Running), ..first(&id) }).await.unwrap();
    store.append(Append { row: row(Stage::Over), rated, ..last(&id, 1) }).await.unwrap();
    id
}

/// Stores the analysis of a match with these puzzles.
async fn analyse(store: &TestStore, id: &MatchId, puzzles: Vec<NewPuzzle>) {
    let ask = AnalysisChange::Ask(NewAnalysis {
        id: id.clone(),
        requester: "ana".to_owned(),
        requested_ms: 1,
        moves: 9,
        most: 9,
        most_of_requester: 9,
    });
    let claim = AnalysisChange::Claim { id: id.clone(), node: store.node().to_owned() };
    let result = Ok(FinishedAnalysis { body: "{}".to_owned(), decisions: Vec::new(), puzzles });
    let finish = AnalysisChange::Finish { id: id.clone(), node: store.node().to_owned(), result };
    for change in [ask, claim, finish] {
        assert_eq!(store.change(StoreChange::Analysis(change)).await, Ok(1));
    }
}

/// The puzzles of a new public match, one for each time.
async fn puzzles_made_at(store: &TestStore, times: &[Millis]) -> Vec<PuzzleId> {
    let id = finished_match(store, false, None).await;
    let puzzles: Vec<NewPuzzle> = (0..).zip(times).map(|(ply, at)| new_puzzle(ply, *at)).collect();
    let ids = puzzles.iter().map(|one| one.id.clone()).collect();
    analyse(store, &id, puzzles).await;
    ids
}

async fn exists(store: &TestStore, id: &PuzzleId) -> bool {
    store.puzzle(id.clone()).await.unwrap().is_some()
}

fn first_try(puzzle: &PuzzleId, name: &str, solved: bool) -> StoreChange {
    StoreChange::TryPuzzle(PuzzleTry { puzzle: puzzle.clone(), player: named(name).id, solved, at_ms: 7 })
}

async fn puzzles_come_and_go_with_the_analysis_of_a_public_match(database: TestDatabase) {
    let store = database.open(0).await;
    for (n, name) in [(1, "ann"), (2, "bob")] {
        store.add_player(named(name), hash(n), 0, None).await.unwrap();
    }
    let result = || {
        let seats = vec![(named("ann").id, 1), (named("bob").id, 2)];
        Some(RatedResult { game: "go".to_owned(), seats, programs: Vec::new() })
    };
    let annul = |id: &MatchId| StoreChange::AnnulMatch { id: id.clone(), at_ms: 5 };
    let (private, running) = (finished_match(&store, true, None).await, create_match(&store).await);
    let annulled = finished_match(&store, false, result()).await;
    assert_eq!(store.change(annul(&annulled)).await, Ok(1));
    for id in [&private, &running, &annulled] {
        let puzzle = new_puzzle(3, 7);
        let made = puzzle.id.clone();
        analyse(&store, id, vec![puzzle]).await;
        assert!(!exists(&store, &made).await, "{id}");
    }
    for what in ["annulled", "match deleted", "analysis deleted", "match expired"] {
        let id = finished_match(&store, false, result()).await;
        let puzzle = new_puzzle(3, 7);
        let made = puzzle.id.clone();
        analyse(&store, &id, vec![puzzle]).await;
        let stored = store.puzzle(made.clone()).await.unwrap().unwrap();
        assert_eq!((&stored.match_id, stored.ply, stored.game.as_str()), (&id, 3, "go"));
        assert_eq!((stored.body.as_str(), stored.rating, stored.tries), ("{\"n\":3}", Rating::NEW, 0));
        assert_eq!(store.change(first_try(&made, "ann", true)).await, Ok(1));
        let change = match what {
            "annulled" => annul(&id),
            "match deleted" => StoreChange::DeleteMatch { id: id.clone(), at_ms: 8 },
            "analysis deleted" => {
                StoreChange::Analysis(AnalysisChange::Cancel { id: id.clone(), requester: None })
            }
            _ => {
                // The newest match stays, so another one must follow.
                create_match(&store).await;
                StoreChange::DeleteMatches { ended_before_ms: 10, most: 99 }
            }
        };
        assert!(store.change(change).await.unwrap() > 0, "{what}");
        assert!(!exists(&store, &made).await, "{what}");
        assert_eq!(store.puzzle_try(named("ann").id, made).await, Ok(None), "{what}");
    }
}

async fn daily_puzzle_stays_while_others_are_made(database: TestDatabase) {
    let (store, other) = (database.open(0).await, database.open(0).await);
    let daily = async |place, before_ms| {
        let [one, two] = [&store, &other].map(|node| node.daily_puzzle("go".to_owned(), place, before_ms));
        let (one, two) = (one.await.unwrap(), two.await.unwrap());
        assert_eq!(one, two, "the same on every node");
        one.map(|puzzle| puzzle.id)
    };
    assert_eq!(daily(0, 100).await, None);
    let today = puzzles_made_at(&store, &[150, 120, 130]).await;
    assert_eq!(
        daily(7, 100).await.as_ref(),
        Some(&today[1]),
        "the first of all, if none is older than the day"
    );
    let mut older = puzzles_made_at(&store, &[1; 8]).await;
    older.sort_by_key(PuzzleId::place);
    let chosen = daily(older[3].place(), 100).await;
    assert_eq!(chosen.as_ref(), Some(&older[3]));
    puzzles_made_at(&store, &[100; 20]).await;
    assert_eq!(daily(older[3].place(), 100).await, chosen, "those of the day itself do not count");
    assert_eq!(daily(older[3].place() + 1, 100).await.as_ref(), Some(&older[4]));
    assert_eq!(daily(older[7].place() + 1, 100).await.as_ref(), Some(&older[0]), "after the last place");
    assert_eq!(store.daily_puzzle("chess".to_owned(), 0, 100).await, Ok(None), "of another game");
}

async fn first_try_of_a_player_counts_once(database: TestDatabase) {
    let (store, other) = (database.open(0).await, database.open(0).await);
    for (n, name) in [(1, "ann"), (2, "bob")] {
        store.add_player(named(name), hash(n), 0, None).await.unwrap();
    }
    let puzzle = puzzles_made_at(&store, &[1]).await.remove(0);
    let (ann, game) = (named("ann").id, "go".to_owned());
    assert_eq!(store.change(first_try(&puzzle, "ann", true)).await, Ok(1));
    assert_eq!(other.change(first_try(&puzzle, "ann", false)).await, Ok(0), "only the first one counts");
    assert_eq!(store.change(first_try(&PuzzleId::fresh(), "ann", true)).await, Ok(0), "no such puzzle");
    let expected = after_match(&[Rating::NEW, Rating::NEW], &[1, 2]);
    let tried = StoredPuzzleTry { solved: true, before: Rating::NEW, after: expected[0] };
    assert_eq!(other.puzzle_try(ann.clone(), puzzle.clone()).await, Ok(Some(tried)));
    let rating = PuzzleRating { rating: expected[0], tries: 1, solved: 1 };
    assert_eq!(other.puzzle_rating(ann.clone(), game.clone()).await, Ok(rating));
    assert_eq!(other.change(first_try(&puzzle, "bob", false)).await, Ok(1));
    let then = after_match(&[Rating::NEW, expected[1]], &[2, 1]);
    let stored = store.puzzle(puzzle.clone()).await.unwrap().unwrap();
    assert_eq!((stored.rating, stored.tries, stored.solved), (then[1], 2, 1));
    // The ratings of matches are others.
    assert_eq!(store.strengths(game.clone(), vec![ann.clone()]).await, Ok(Vec::new()));
    let gone = StoreChange::DeletePlayer { player: ann.clone(), at_ms: 9, held_until_ms: 9 };
    assert_eq!(store.change(gone).await, Ok(1));
    assert_eq!(store.puzzle_rating(ann.clone(), game).await, Ok(PuzzleRating::default()));
    assert_eq!(store.puzzle_try(ann, puzzle).await, Ok(None), "the tries of a deleted account are deleted");
}

async fn next_puzzle_is_near_the_rating_and_not_tried(database: TestDatabase) {
    let store = database.open(0).await;
    for (n, name) in [(1, "ann"), (2, "bob")] {
        store.add_player(named(name), hash(n), 0, None).await.unwrap();
    }
    let ids = puzzles_made_at(&store, &[1; 3]).await;
    let next = async |wanted: WantedPuzzle, except: Option<&PuzzleId>| {
        let next = NextPuzzle { game: "go".to_owned(), wanted, except: except.cloned() };
        store.next_puzzle(next).await.unwrap().map(|puzzle| puzzle.id)
    };
    let near = |name: &str, mu| WantedPuzzle::Near { player: named(name).id, mu };
    // Bob fails at one and solves another: one is harder than the third, and one is easier.
    assert_eq!(store.change(first_try(&ids[0], "bob", false)).await, Ok(1));
    assert_eq!(store.change(first_try(&ids[1], "bob", true)).await, Ok(1));
    for (mu, expected) in [(99.0, 0), (-99.0, 1), (Rating::NEW.mu, 2)] {
        assert_eq!(next(near("ann", mu), None).await.as_ref(), Some(&ids[expected]), "{mu}");
    }
    assert_ne!(next(near("ann", Rating::NEW.mu), Some(&ids[2])).await.as_ref(), Some(&ids[2]));
    assert_eq!(next(near("bob", 99.0), None).await.as_ref(), Some(&ids[2]), "bob has tried the others");
    assert_eq!(next(near("bob", 99.0), Some(&ids[2])).await, None);
    // Guests get any, round and round.
    let mut places = ids.clone();
    places.sort_by_key(PuzzleId::place);
    assert_eq!(next(WantedPuzzle::At(places[1].place()), None).await.as_ref(), Some(&places[1]));
    assert_eq!(next(WantedPuzzle::At(places[1].place()), Some(&places[1])).await.as_ref(), Some(&places[2]));
    assert_eq!(next(WantedPuzzle::At(places[2].place() + 1), None).await.as_ref(), Some(&places[0]));
}
