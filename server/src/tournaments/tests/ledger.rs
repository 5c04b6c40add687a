//! Whole tournaments by their ledger.

use std::collections::HashSet;

use engines::rng::{Rng, Seed};

use super::simulation::{LoggedTournament, player, setup};
use crate::domain::{MatchId, TournamentStage};
use crate::tournaments::event::{Dealing, Format, Setup, TournamentEvent};
use crate::tournaments::ledger::*;
use crate::tournaments::{GamePoints, GameScores};

#[test]
fn round_robin_plays_every_game_within_the_limits() {
    for (seats, entrants) in [(2, 8), (2, 5), (3, 5), (4, 6)] {
        let mut all = LoggedTournament::new(setup(Format::RoundRobin, seats), entrants);
        all.must(TournamentCommand::Start);
        all.play(&mut Rng::new(&Seed::from(seats as u64)), |_, _| {});
        assert!(all.is_finished() && all.state.stage == TournamentStage::Ended);
        let games = all.state.pairings.len() * 2 * seats;
        assert_eq!(all.state.games.len(), games);
        let played = all.state.standings().lines.iter().map(|line| line.games).sum::<usize>();
        let void = all.state.games.iter().filter(|game| game.state == GameState::Void).count();
        assert_eq!(played, (games - void) * seats);
    }
}

#[test]
fn swiss_goes_on_when_entrants_leave_and_come_late() {
    let mut all = LoggedTournament::new(setup(Format::Swiss { rounds: 6 }, 2), 13);
    all.must(TournamentCommand::Start);
    all.play(&mut Rng::new(&Seed::from(1)), |all, step| {
        if step == 30 {
            all.must(TournamentCommand::Withdraw { player: player(3).id });
        }
        if step == 50 {
            all.must(TournamentCommand::Enter { player: player(20), strength: 1500.0, opponent: false });
        }
    });
    assert!(all.is_finished() && all.state.stage == TournamentStage::Ended);
    assert_eq!(all.state.rounds_paired(), 6);
    let pairs: Vec<(usize, usize)> = all
        .state
        .pairings
        .iter()
        .map(|p| (p.entrants[0].min(p.entrants[1]), p.entrants[0].max(p.entrants[1])))
        .collect();
    assert_eq!(pairs.iter().collect::<HashSet<_>>().len(), pairs.len(), "no pair meets twice");
    let byes: Vec<usize> = all.state.byes.iter().map(|(_, entrant)| *entrant).collect();
    assert_eq!(byes.iter().collect::<HashSet<_>>().len(), byes.len(), "at most one bye each");
}

#[test]
fn games_of_a_mirrored_deal_begin_together_where_entrants_can() {
    let mirrored = Setup { dealing: Some(Dealing::Mirror), ..setup(Format::RoundRobin, 2) };
    let mut all = LoggedTournament::new(mirrored, 4);
    all.must(TournamentCommand::Start);
    let together = all.state.to_start(|_| 2);
    assert_eq!(together.len(), 4, "two pairings, two games each");
    let deals: Vec<u64> = together.iter().map(|game| all.state.games[*game].deal).collect();
    assert_eq!(deals.iter().collect::<HashSet<_>>().len(), 2);
    assert_eq!(all.state.to_start(|_| 1).len(), 2, "one after the other");
    assert_eq!(all.state.to_start(|entrant| usize::from(entrant != 0)).len(), 1, "0 is not there");
    all.must(TournamentCommand::Pause);
    assert!(all.state.to_start(|_| 2).is_empty());
    all.must(TournamentCommand::Resume);
    assert_eq!(all.state.to_start(|_| 2), together);
}

#[test]
fn independent_games_have_deals_of_their_own() {
    let independent = Setup { dealing: Some(Dealing::Independent), ..setup(Format::RoundRobin, 2) };
    let mut all = LoggedTournament::new(independent, 4);
    all.must(TournamentCommand::Start);
    let deals: HashSet<u64> = all.state.games.iter().map(|game| game.deal).collect();
    assert_eq!(deals.len(), all.state.games.len());
    assert!(all.state.sealed.is_empty());
}

/// Logs that were written before there was a choice name no dealing.
#[test]
fn old_logs_keep_their_deals() {
    let old = |duplicate| Setup { dealing: None, duplicate, ..setup(Format::RoundRobin, 2) };
    let deals = |duplicate| {
        let mut all = LoggedTournament::new(old(duplicate), 3);
        all.must(TournamentCommand::Start);
        all.state.games.iter().map(|game| game.deal).collect::<Vec<u64>>()
    };
    assert_eq!(deals(true), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    assert_eq!(deals(false), (0..12).collect::<Vec<u64>>());
}

/// The numbers of the games of a deal.
fn of_deal(all: &LoggedTournament, deal: u64) -> Vec<usize> {
    (0..all.state.games.len()).filter(|game| all.state.games[*game].deal == deal).collect()
}

#[test]
fn games_of_a_deal_are_sealed_until_the_last_is_finished() {
    let mut all = LoggedTournament::new(setup(Format::RoundRobin, 2), 4);
    all.must(TournamentCommand::Start);
    let [first, second] = of_deal(&all, 0)[..] else { panic!("two tables") };
    assert_ne!(all.state.games[first].pairing, all.state.games[second].pairing);
    let played =
        |all: &LoggedTournament| all.state.standings().lines.iter().map(|line| line.games).sum::<usize>();
    let ids = [MatchId::fresh(), MatchId::fresh()];
    for (game, match_id) in [first, second].into_iter().zip(ids.clone()) {
        all.must(TournamentCommand::GameStarted { game, match_id });
    }
    let scores = Some(GameScores::of_places(&[1, 2]));
    all.must(TournamentCommand::GameOver { game: first, scores: scores.clone() });
    assert!(all.state.is_sealed(first) && all.state.points().is_empty() && played(&all) == 0);
    assert_eq!(all.state.sealed[&0].matches, ids);
    all.must(TournamentCommand::GameOver { game: second, scores });
    assert_eq!(all.log.last(), Some(&TournamentEvent::DealOpened { deal: 0 }));
    assert!(!all.state.is_sealed(first) && played(&all) == 4);
    // Both won from the first seat: one other win, seven drawn games.
    assert_eq!(all.state.points()[&first][0], GamePoints::new(3, 2) - GamePoints::new(9, 16));
}

#[test]
fn game_without_a_result_is_played_again_with_another_deal() {
    let mut all = LoggedTournament::new(setup(Format::RoundRobin, 2), 4);
    all.must(TournamentCommand::Start);
    let [first, second] = of_deal(&all, 0)[..] else { panic!("two tables") };
    let voided = MatchId::fresh();
    all.must(TournamentCommand::GameStarted { game: first, match_id: voided.clone() });
    all.must(TournamentCommand::GameOver { game: first, scores: None });
    let deals: HashSet<u64> = all.state.games.iter().map(|game| game.deal).collect();
    assert_eq!(of_deal(&all, all.state.games[first].deal), [first], "a deal of its own");
    assert!(!all.state.is_sealed(first) && all.state.is_sealed(second) && deals.len() == 13);
    assert_eq!(all.state.sealed[&0].matches, [voided], "which shows the deal");
    all.must(TournamentCommand::Forfeit { game: second, absent: vec![0] });
    assert_eq!(all.log.last(), Some(&TournamentEvent::DealOpened { deal: 0 }));
}

#[test]
fn abort_opens_all_deals_before_the_end() {
    let mut all = LoggedTournament::new(setup(Format::RoundRobin, 2), 8);
    all.must(TournamentCommand::Start);
    let sealed = all.state.sealed.len();
    assert_eq!(sealed, 7 * 4);
    let mut steps = 0;
    while all.state.stage != TournamentStage::Aborted {
        all.must(TournamentCommand::Abort);
        assert!(
            all.state.to_start(|_| 1).iter().all(|game| all.state.is_sealed(*game)),
            "no entrant plays an open deal"
        );
        steps += 1;
    }
    assert_eq!((steps, all.state.sealed.len()), (sealed.div_ceil(8) + 1, 0));
}

#[test]
fn absent_players_forfeit_and_the_others_win() {
    let mut all = LoggedTournament::new(setup(Format::RoundRobin, 3), 3);
    all.must(TournamentCommand::Start);
    all.must(TournamentCommand::Forfeit { game: 0, absent: vec![1] });
    let GameState::Done { scores, match_id, .. } = &all.state.games[0].state else {
        panic!("it is finished")
    };
    assert_eq!((scores.rounded(), match_id), (vec![0.75, 0.0, 0.75], &None));
    all.must(TournamentCommand::Forfeit { game: 1, absent: vec![0, 1, 2] });
    let GameState::Done { scores, .. } = &all.state.games[1].state else { panic!("it is finished") };
    assert_eq!(scores.rounded(), [0.0; 3]);
    let again = all.state.decide(TournamentCommand::Forfeit { game: 1, absent: vec![0] });
    assert_eq!(again, Err(TournamentRefusal::WrongGame(1)));
    all.must(TournamentCommand::Withdraw { player: player(2).id });
    all.must(TournamentCommand::Proceed { absent: Vec::new() });
    assert!(all.is_finished(), "all other games are forfeited by the one who left");
    all.must(TournamentCommand::Proceed { absent: Vec::new() });
    assert_eq!(all.state.stage, TournamentStage::Ended);
}

#[test]
fn match_without_a_result_is_played_again_and_at_last_counts_for_no_entrant() {
    let mut all = LoggedTournament::new(setup(Format::RoundRobin, 2), 2);
    all.must(TournamentCommand::Start);
    for attempt in 1..=ATTEMPTS {
        assert_eq!(all.state.games[0].state, GameState::Waiting);
        all.must(TournamentCommand::GameStarted { game: 0, match_id: MatchId::fresh() });
        assert_eq!(all.state.games[0].attempts, attempt);
        all.must(TournamentCommand::GameOver { game: 0, scores: None });
    }
    assert_eq!(all.state.games[0].state, GameState::Void);
    assert!(all.state.standings().lines.iter().all(|line| line.games == 0));
}

#[test]
fn commands_that_do_not_fit_are_refused_with_the_reason() {
    let mut all =
        LoggedTournament::new(Setup { max_entrants: 2, ..setup(Format::Swiss { rounds: 2 }, 2) }, 1);
    let enter = |number| TournamentCommand::Enter { player: player(number), strength: 0.0, opponent: false };
    assert_eq!(all.state.decide(enter(0)), Err(TournamentRefusal::Entered));
    assert_eq!(all.state.decide(TournamentCommand::Start), Err(TournamentRefusal::TooFew(2)));
    all.must(enter(1));
    assert_eq!(all.state.decide(enter(2)), Err(TournamentRefusal::Full(2)));
    let most = Err(TournamentRefusal::TooManyRounds { entrants: 2, most: 1 });
    assert_eq!(all.state.decide(TournamentCommand::Start), most);
    all.must(TournamentCommand::Withdraw { player: player(0).id });
    let gone = all.state.decide(TournamentCommand::Withdraw { player: player(0).id });
    assert_eq!(gone, Err(TournamentRefusal::NotEntered));
    assert!(matches!(all.state.decide(TournamentCommand::Pause), Err(TournamentRefusal::WrongStage(_))));
    all.must(TournamentCommand::Abort);
    assert!(matches!(all.state.decide(enter(5)), Err(TournamentRefusal::WrongStage(_))));
    assert!(matches!(all.state.decide(TournamentCommand::Abort), Err(TournamentRefusal::WrongStage(_))));
    assert_eq!(all.state.decide(TournamentCommand::Proceed { absent: Vec::new() }), Ok(Vec::new()));
}

#[test]
fn ladder_pairs_free_entrants_until_each_has_its_pairings() {
    let mut rng = Rng::new(&Seed::from(5));
    for seats in [2, 3] {
        let mut all = LoggedTournament::new(setup(Format::Ladder { pairings: 4 }, seats), 7);
        all.must(TournamentCommand::Start);
        let before = all.state.pairings.len();
        assert_eq!(before, 7 / seats, "all who fit play at once");
        all.play(&mut rng, |all, step| {
            let command = match step {
                10 => TournamentCommand::Enter { player: player(50), strength: 1990.0, opponent: false },
                20 => TournamentCommand::Withdraw { player: player(1).id },
                _ => return,
            };
            all.must(command);
        });
        assert_eq!(all.state.stage, TournamentStage::Ended);
        assert!(all.is_finished());
        let paired = |entrant: usize| {
            all.state.pairings.iter().filter(|pairing| pairing.entrants.contains(&entrant)).count()
        };
        let left: Vec<usize> = (0..8)
            .filter(|entrant| all.state.entrants[*entrant].takes_part && paired(*entrant) < 4)
            .collect();
        assert!(left.len() < seats, "too few for another table: {left:?}");
        assert!((0..8).all(|entrant| paired(entrant) <= 4));
        assert!(paired(7) > 0, "the late entrant plays");
    }
}

/// A game to which a player did not come waits on, however often; it has a new deal, and attempts of its own.
#[test]
fn postponed_games_are_no_attempts() {
    let mut all = LoggedTournament::new(setup(Format::RoundRobin, 2), 2);
    all.must(TournamentCommand::Start);
    let mut deals = HashSet::new();
    for _ in 0..10 {
        deals.insert(all.state.games[0].deal);
        all.must(TournamentCommand::GameStarted { game: 0, match_id: MatchId::fresh() });
        all.must(TournamentCommand::Postpone { game: 0 });
        assert_eq!(all.state.games[0].state, GameState::Waiting);
    }
    assert_eq!(deals.len(), 10);
    for attempt in 1..=ATTEMPTS {
        all.must(TournamentCommand::GameStarted { game: 0, match_id: MatchId::fresh() });
        all.must(TournamentCommand::GameOver { game: 0, scores: None });
        let is_last = attempt == ATTEMPTS;
        assert_eq!(all.state.games[0].state == GameState::Void, is_last, "attempt {attempt}");
    }
}

/// A ladder pairs only those who are there, and does not end before the others have come.
#[test]
fn ladder_waits_for_absent_entrants() {
    let mut all = LoggedTournament::new(setup(Format::Ladder { pairings: 1 }, 2), 4);
    let start = TournamentEvent::Started;
    all.state.apply(start);
    let absent = vec![1, 2];
    all.must(TournamentCommand::Proceed { absent: absent.clone() });
    assert_eq!(all.state.pairings.len(), 1);
    assert_eq!(all.state.pairings[0].entrants.iter().sum::<usize>(), 3, "0 and 3");
    for game in 0..all.state.games.len() {
        all.must(TournamentCommand::GameStarted { game, match_id: MatchId::fresh() });
        all.must(TournamentCommand::Forfeit { game, absent: vec![0] });
    }
    while all.must(TournamentCommand::Proceed { absent: absent.clone() }) > 0 {}
    assert_eq!(all.state.stage, TournamentStage::Running);
    all.must(TournamentCommand::Proceed { absent: Vec::new() });
    assert_eq!(all.state.pairings.len(), 2);
    // An entrant who has played all games may leave.
    for game in 0..all.state.games.len() {
        let waiting = all.state.games[game].state == GameState::Waiting;
        waiting.then(|| all.must(TournamentCommand::Forfeit { game, absent: vec![0] }));
    }
    while all.must(TournamentCommand::Proceed { absent: vec![0, 3] }) > 0 {}
    assert_eq!(all.state.stage, TournamentStage::Ended);
}
