//! The standings that are shown, computed again by `scripts/recompute-standings`: another program, from the published rules.

use std::collections::BTreeSet;
use std::process::Command;

use engines::game::ContestScore;
use engines::rng::{Rng, Seed};

use super::downloads::csv;
use super::page::TournamentPage;
use crate::domain::{PlayerRef, TournamentId, TournamentStage};
use crate::matches::names::Names;
use crate::tournaments::event::{Contest, Dealing, Format, Setup};
use crate::tournaments::ledger::{GameState, Tournament, TournamentCommand};
use crate::tournaments::service::LoadedTournament;
use crate::tournaments::tests::simulation::{LoggedTournament, player, setup};

/// Fails where the script computes other standings than those that are shown.
#[track_caller]
fn assert_recomputed(state: &Tournament) {
    let loaded = LoadedTournament {
        id: TournamentId::fresh(),
        state: state.clone(),
        events: 1,
        created_ms: 0,
        started_ms: None,
        last_ms: 0,
    };
    let page = TournamentPage::of(&loaded, &Names::default());
    let folder = tempfile::tempdir().unwrap();
    let [json, table] = ["tournament.json", "standings.csv"].map(|name| folder.path().join(name));
    std::fs::write(&json, serde_json::to_string(&page).unwrap()).unwrap();
    std::fs::write(&table, csv(&page)).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/recompute-standings");
    let done = Command::new(script).args([json, table]).output().unwrap();
    assert!(done.status.success(), "{}\n{:?}", String::from_utf8_lossy(&done.stderr), state.setup);
}

/// Plays a tournament in which entrants come late, withdraw and forfeit games.
fn play(setup: Setup, entrants: usize, seed: u64) {
    let late = !setup.format.is_fixed_at_start();
    let mut rng = Rng::new(&Seed::from(seed));
    let mut all = LoggedTournament::new(setup, entrants);
    all.must(TournamentCommand::Start);
    let (mut next, mut chance) = (entrants, Rng::new(&Seed::from(seed + 1)));
    all.play(&mut rng, |all, step| {
        if step == 25 {
            assert_recomputed(&all.state);
        }
        if all.state.stage != TournamentStage::Running {
            return;
        }
        match chance.below(40) {
            0 if late && next < entrants + 4 => {
                all.must(TournamentCommand::Enter {
                    player: player(next),
                    strength: 1500.0,
                    opponent: false,
                });
                next += 1;
            }
            1 => {
                let leaver = player(chance.below(next)).id;
                let staying = all.state.entrants.iter().filter(|entrant| entrant.takes_part).count();
                if staying > all.state.setup.seats + 2 && all.state.entrant_of(&leaver).is_some() {
                    all.must(TournamentCommand::Withdraw { player: leaver });
                }
            }
            2..6 => {
                let games = &all.state.games;
                let open = games.iter().position(|game| matches!(game.state, GameState::Running(_)));
                if let Some(game) = open {
                    let absent: Vec<usize> =
                        (0..games[game].seats.len()).filter(|_| chance.below(2) == 0).collect();
                    if !absent.is_empty() {
                        all.must(TournamentCommand::Forfeit { game, absent });
                    }
                }
            }
            _ => {}
        }
    });
    assert_recomputed(&all.state);
}

#[test]
fn standings_of_every_format_are_those_of_an_independent_script() {
    let sampled = Format::SampledRoundRobin { games: Some(12), hours: None };
    let formats = [Format::RoundRobin, sampled, Format::Swiss { rounds: 5 }, Format::Ladder { pairings: 4 }];
    for (number, format) in formats.into_iter().enumerate() {
        for seats in 2..=4 {
            let mut dealings = vec![Dealing::Duplicate, Dealing::Independent, Dealing::Mirror];
            dealings.truncate(if format == sampled { 2 } else { 3 });
            for (place, dealing) in dealings.into_iter().enumerate() {
                let setup = Setup { dealing: Some(dealing), deals: 1, ..setup(format, seats) };
                let entrants = if format == Format::RoundRobin { 6 } else { 11 };
                play(setup, entrants, (100 * number + 10 * seats + place) as u64);
            }
        }
    }
    // Many ties.
    for seed in 0..6 {
        let independent =
            Setup { dealing: Some(Dealing::Independent), deals: 1, ..setup(Format::RoundRobin, 2) };
        play(independent, 7, 1000 + seed);
    }
}

/// A gauntlet of five entrants against two opponents, from one seat and from all of them, in each way to count a match.
#[test]
fn gauntlet_counts_the_points_of_the_contest_on_the_same_deals() {
    let result = ContestScore::Result { win: 4, draw: 2, loss: 0 };
    for (number, score) in [result, ContestScore::Points, ContestScore::Places].into_iter().enumerate() {
        for (seats, own) in [(2, vec![1]), (2, vec![0, 1]), (3, vec![0, 1, 2])] {
            let contest = Some(Contest { seats: own.clone(), score });
            let setup = Setup { contest, ..setup(Format::Gauntlet { games: 6 }, seats) };
            let mut all = LoggedTournament::new(setup, 5);
            for opponent in [20, 21] {
                // An engine: what it has seen does not matter.
                let player = PlayerRef::new(format!("engine:{opponent}"), format!("engine {opponent}"));
                all.must(TournamentCommand::Enter { player, strength: 1.0, opponent: true });
            }
            all.must(TournamentCommand::Start);
            assert_eq!(all.state.games.len(), 5 * 2 * 6);
            for game in &all.state.games {
                let entrant = game.seats.iter().position(|entrant| *entrant < 5).unwrap();
                assert!(own.contains(&entrant), "from the contest's seats: {game:?}");
            }
            let deals = |entrant: usize| -> BTreeSet<u64> {
                let own = all.state.games.iter().filter(|game| game.seats.contains(&entrant));
                own.map(|game| game.deal).collect()
            };
            assert!(
                deals(0).len() == 12 && (1..5).all(|entrant| deals(entrant) == deals(0)),
                "the same deals"
            );
            all.play(&mut Rng::new(&Seed::from(number as u64)), |_, _| {});
            assert_recomputed(&all.state);
            let standings = all.state.standings();
            assert_eq!(standings.lines.len(), 5, "opponents have no place");
            assert!(
                standings.lines[..4].iter().all(|line| line.ahead.is_some() && line.superiority.is_some())
            );
        }
    }
}
