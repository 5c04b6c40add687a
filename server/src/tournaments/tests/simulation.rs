//! A tournament that is played by its ledger alone, with random results.

use std::collections::{HashMap, HashSet};

use engines::rng::Rng;

use crate::domain::{MatchId, PlayerRef, TournamentStage};
use crate::matches::clock::ClockSpec;
use crate::tournaments::GameScores;
use crate::tournaments::event::{Dealing, Format, Setup, TournamentEvent};
use crate::tournaments::ledger::*;

pub(crate) fn player(number: usize) -> PlayerRef {
    PlayerRef::new(format!("id-{number}"), format!("player {number}"))
}

pub(crate) fn setup(format: Format, seats: usize) -> Setup {
    Setup {
        title: "Test".into(),
        organizer: player(99),
        game: "a game".into(),
        options: None,
        seats,
        format,
        deals: 2,
        dealing: Some(Dealing::Duplicate),
        duplicate: false,
        contest: None,
        clock: ClockSpec { initial_ms: Some(10_000), increment_ms: 0, move_ms: None },
        rated: true,
        max_running: 6,
        per_entrant: 1,
        grace_ms: 10_000,
        window_ms: None,
        starts_ms: None,
        max_entrants: 64,
        secret: String::new(),
        salt: String::new(),
        commitment: String::new(),
    }
}

/// A tournament with its log.
pub(crate) struct LoggedTournament {
    pub(crate) state: Tournament,
    pub(super) log: Vec<TournamentEvent>,
}

impl LoggedTournament {
    pub(crate) fn new(setup: Setup, entrants: usize) -> Self {
        let log = vec![TournamentEvent::Created(Box::new(setup.clone()))];
        let mut new = Self { state: Tournament::new(setup), log };
        for number in 0..entrants {
            let strength = 2000.0 - number as f64;
            new.must(TournamentCommand::Enter { player: player(number), strength, opponent: false });
        }
        new
    }

    pub(crate) fn must(&mut self, command: TournamentCommand) -> usize {
        let events = self.state.decide(command).unwrap();
        for event in events.clone() {
            let stored = serde_json::to_string(&event).unwrap();
            assert_eq!(serde_json::from_str::<TournamentEvent>(&stored).unwrap(), event);
            self.log.push(event.clone());
            self.state.apply(event);
        }
        events.len()
    }

    /// Plays until the tournament is over. `each`: called after each step.
    pub(crate) fn play(&mut self, rng: &mut Rng, mut each: impl FnMut(&mut Self, usize)) {
        for step in 0.. {
            assert!(step < 100_000, "the tournament does not end");
            if matches!(self.state.stage, TournamentStage::Ended | TournamentStage::Aborted) {
                break;
            }
            while self.must(TournamentCommand::Proceed { absent: Vec::new() }) > 0 {}
            for game in self.state.to_start(|entrant| 1 + entrant % 3) {
                self.must(TournamentCommand::GameStarted { game, match_id: MatchId::fresh() });
            }
            self.check_limits();
            let running: Vec<usize> = (0..self.state.games.len())
                .filter(|game| matches!(self.state.games[*game].state, GameState::Running(_)))
                .collect();
            if !running.is_empty() {
                let game = running[rng.below(running.len())];
                let seats = self.state.games[game].seats.len();
                let places: Vec<u8> = (0..seats).map(|_| rng.below(3) as u8).collect();
                let points = places.iter().map(|place| 10 - 3 * i32::from(*place)).collect();
                let scores = (rng.below(8) > 0).then(|| GameScores::of_result(&places, Some(points)));
                self.must(TournamentCommand::GameOver { game, scores });
            }
            each(self, step);
        }
        assert_eq!(Tournament::load(self.log.clone()).as_ref(), Some(&self.state), "the log tells all");
        assert!(self.state.sealed.is_empty(), "all deals are open");
        let mut seen = HashSet::new();
        let mirrored = self.state.setup.dealing() == Dealing::Mirror;
        for game in self.state.games.iter().filter(|_| !mirrored) {
            let mut people = game.seats.iter().filter(|entrant| !self.state.entrants[**entrant].opponent);
            assert!(people.all(|entrant| seen.insert((*entrant, game.deal))), "{game:?}");
        }
    }

    fn check_limits(&self) {
        let mut playing: HashMap<usize, usize> = HashMap::new();
        let mut running = 0;
        for game in &self.state.games {
            if matches!(game.state, GameState::Running(_)) {
                running += 1;
                game.seats.iter().for_each(|entrant| *playing.entry(*entrant).or_default() += 1);
            }
        }
        assert!(running <= self.state.setup.max_running);
        assert!(playing.iter().all(|(entrant, games)| *games <= 1 + entrant % 3), "{playing:?}");
    }

    pub(super) fn is_finished(&self) -> bool {
        self.state.games.iter().all(|game| matches!(game.state, GameState::Done { .. } | GameState::Void))
    }
}
