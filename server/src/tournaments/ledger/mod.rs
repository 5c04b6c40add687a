//! A tournament as the fold of its events: its state, the commands that it allows, and the next steps. Pure: no clock,
//! no I/O. `decide` turns a command into events and changes nothing; `apply` folds a stored event.

mod decide;

use crate::domain::{MatchId, PlayerRef, TournamentStage};
use crate::tournaments::event::{Format, Setup, TournamentEvent};
use crate::tournaments::standings::{PlayedGame, Standings, TieBreak};
use crate::tournaments::{Pairing, games_of};

pub use crate::tournaments::command::{TournamentCommand, TournamentRefusal};

/// How often a game is played at most until it has a result.
pub const ATTEMPTS: u32 = 3;

/// An entrant.
#[derive(Clone, Debug, PartialEq)]
pub struct EntrantState {
    /// The player.
    pub player: PlayerRef,
    /// The rating at the time of entry.
    pub strength: f64,
    /// Whether the entrant still takes part.
    pub takes_part: bool,
}

/// The state of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum GameState {
    /// It has not begun.
    Waiting,
    /// Its match is being played.
    Running(MatchId),
    /// It is finished.
    Done {
        /// The score of each seat.
        scores: Vec<f64>,
        /// Its match; `None` if it was forfeited before one was created.
        match_id: Option<MatchId>,
    },
    /// It had no result in any attempt, and counts for no entrant.
    Void,
}

/// A game of the tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentGame {
    /// The pairing, by its number.
    pub pairing: usize,
    /// The number of the deal in the tournament: games with the same number share a seed.
    pub deal: u64,
    /// The entrants by seat.
    pub seats: Vec<usize>,
    /// Its state.
    pub state: GameState,
    /// Attempts so far, the current one included.
    pub attempts: u32,
}

/// A tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Tournament {
    /// The organizer's decisions.
    pub setup: Setup,
    /// The stage of its life.
    pub stage: TournamentStage,
    /// The entrants, by number.
    pub entrants: Vec<EntrantState>,
    /// All pairings so far.
    pub pairings: Vec<Pairing>,
    /// The byes so far, each with its round.
    pub byes: Vec<(u32, usize)>,
    /// All games of the pairings, in the order in which they are to be played.
    pub games: Vec<TournamentGame>,
}

impl Tournament {
    /// A tournament with its first event.
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            stage: TournamentStage::Registration,
            entrants: Vec::new(),
            pairings: Vec::new(),
            byes: Vec::new(),
            games: Vec::new(),
        }
    }

    /// The fold of a log; `None` if it does not begin with a creation.
    pub fn load(events: impl IntoIterator<Item = TournamentEvent>) -> Option<Self> {
        let mut events = events.into_iter();
        let Some(TournamentEvent::Created(setup)) = events.next() else { return None };
        let mut tournament = Self::new(*setup);
        events.for_each(|event| tournament.apply(event));
        Some(tournament)
    }

    /// Folds an event.
    pub fn apply(&mut self, event: TournamentEvent) {
        match event {
            TournamentEvent::Created(setup) => *self = Self::new(*setup),
            TournamentEvent::Entered { player, strength } => {
                self.entrants.push(EntrantState { player, strength, takes_part: true });
            }
            TournamentEvent::Withdrew { entrant } if self.stage == TournamentStage::Registration => {
                self.entrants.remove(entrant);
            }
            TournamentEvent::Withdrew { entrant } => self.entrants[entrant].takes_part = false,
            TournamentEvent::Started | TournamentEvent::Resumed => self.stage = TournamentStage::Running,
            TournamentEvent::Paused => self.stage = TournamentStage::Paused,
            TournamentEvent::Ended => self.stage = TournamentStage::Ended,
            TournamentEvent::Aborted => self.stage = TournamentStage::Aborted,
            TournamentEvent::TitleRemoved => self.setup.title.clear(),
            TournamentEvent::Paired { pairings, byes } => {
                pairings.into_iter().for_each(|pairing| self.add(pairing));
                self.byes.extend(byes);
            }
            TournamentEvent::GameStarted { game, match_id } => {
                self.games[game].attempts += 1;
                self.games[game].state = GameState::Running(match_id);
            }
            TournamentEvent::GameEnded { game, scores, .. } => {
                let match_id = self.running_match(game);
                self.games[game].state = GameState::Done { scores, match_id };
            }
            TournamentEvent::GameVoided { game } => {
                let last = self.games[game].attempts >= ATTEMPTS;
                self.games[game].state = if last { GameState::Void } else { GameState::Waiting };
            }
        }
    }

    fn add(&mut self, pairing: Pairing) {
        let number = self.pairings.len();
        let first_deal = number as u64 * u64::from(self.setup.deals);
        let first_game = self.games.len() as u64;
        let games = games_of(&pairing, self.setup.deals).into_iter().enumerate();
        self.games.extend(games.map(|(at, game)| TournamentGame {
            pairing: number,
            deal: if self.setup.duplicate {
                first_deal + u64::from(game.deal)
            } else {
                first_game + at as u64
            },
            seats: game.seats,
            state: GameState::Waiting,
            attempts: 0,
        }));
        self.pairings.push(pairing);
    }

    fn running_match(&self, game: usize) -> Option<MatchId> {
        match &self.games[game].state {
            GameState::Running(match_id) => Some(match_id.clone()),
            _ => None,
        }
    }

    /// Whether no game has begun, and none will unless the organizer starts it.
    pub fn is_unplayed(&self) -> bool {
        self.stage == TournamentStage::Registration
            || (self.stage.is_over() && self.games.iter().all(|game| game.attempts == 0))
    }

    /// The entrant who is this player and still takes part.
    pub fn entrant_of(&self, player: &str) -> Option<usize> {
        self.entrants.iter().position(|entrant| entrant.takes_part && entrant.player.id == player)
    }

    /// The games with a result.
    fn played(&self) -> Vec<PlayedGame> {
        let played = self.games.iter().filter_map(|game| match &game.state {
            GameState::Done { scores, .. } => {
                Some(PlayedGame { seats: game.seats.clone(), scores: scores.clone(), deal: game.deal })
            }
            _ => None,
        });
        played.collect()
    }

    /// The standings. Games without a result do not count.
    pub fn standings(&self) -> Standings {
        let played = self.played();
        // A bye counts as a pairing won.
        let points = f64::from(self.setup.deals) * self.setup.seats as f64;
        let byes: Vec<(usize, f64)> = self.byes.iter().map(|(_, entrant)| (*entrant, points)).collect();
        let by = match self.setup.format {
            Format::RoundRobin => TieBreak::SonnebornBerger,
            Format::Swiss { .. } | Format::Ladder { .. } => TieBreak::Buchholz,
        };
        Standings::new(self.entrants.len(), &played, &byes, by)
    }

    /// The games to begin now, in order. The games of a deal begin together, so that what happened in one cannot help in
    /// another, unless the setup or an entrant allows fewer games at a time. `at_once`: how many games an entrant plays at
    /// the same time at most; 0 if the entrant cannot play now.
    pub fn to_start(&self, at_once: impl Fn(usize) -> usize) -> Vec<usize> {
        if self.stage != TournamentStage::Running {
            return Vec::new();
        }
        let mut free = self.setup.max_running;
        let limits: Vec<usize> = (0..self.entrants.len()).map(at_once).collect();
        let mut left = limits.clone();
        for game in self.games.iter().filter(|game| matches!(game.state, GameState::Running(_))) {
            free = free.saturating_sub(1);
            game.seats.iter().for_each(|entrant| left[*entrant] = left[*entrant].saturating_sub(1));
        }
        let mut start = Vec::new();
        let mut waiting = Vec::new();
        for (number, game) in self.games.iter().enumerate() {
            if game.state == GameState::Waiting {
                waiting.push(number);
            }
            if self.games.get(number + 1).is_some_and(|next| next.deal == game.deal) {
                continue;
            }
            let of_all = |of: &[usize]| game.seats.iter().map(|entrant| of[*entrant]).min().unwrap_or(0);
            let together = waiting.len().min(self.setup.max_running).min(of_all(&limits));
            if free >= together && of_all(&left) >= together {
                game.seats.iter().for_each(|entrant| left[*entrant] -= together);
                free -= together;
                start.extend(waiting.drain(..together));
            }
            waiting.clear();
        }
        start
    }

    /// The number of rounds paired so far.
    pub fn rounds_paired(&self) -> u32 {
        let byes = self.byes.iter().map(|(round, _)| *round);
        self.pairings.iter().map(|pairing| pairing.round).chain(byes).max().unwrap_or(0)
    }
}
