//! A tournament as the fold of its events: its state, the commands that it allows, and the next steps. Pure: no clock,
//! no I/O. `decide` turns a command into events and changes nothing; `apply` folds a stored event.

use std::collections::{HashMap, HashSet};

use crate::domain::{MatchId, PlayerRef, TournamentStage};
use crate::tournaments::event::{Format, Setup, TournamentEvent};
use crate::tournaments::ladder::{Climber, climb, ladder_pairings};
use crate::tournaments::standings::{PlayedGame, Standings, TieBreak};
use crate::tournaments::swiss::{Entrant, SwissError, swiss_round};
use crate::tournaments::{Pairing, games_of, round_robin};

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

    /// The events of a command.
    ///
    /// # Errors
    /// The reason why the tournament refuses it.
    pub fn decide(&self, command: TournamentCommand) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        match command {
            TournamentCommand::Enter { player, strength } => self.enter(player, strength),
            TournamentCommand::Withdraw { player } => {
                self.require_not_over()?;
                let entrant = self.entrant_of(&player).ok_or(TournamentRefusal::NotEntered)?;
                Ok(vec![TournamentEvent::Withdrew { entrant }])
            }
            TournamentCommand::Start => self.start(),
            TournamentCommand::Pause if self.stage == TournamentStage::Running => {
                Ok(vec![TournamentEvent::Paused])
            }
            TournamentCommand::Pause => Err(TournamentRefusal::WrongStage("is not running")),
            TournamentCommand::Resume if self.stage == TournamentStage::Paused => {
                Ok(vec![TournamentEvent::Resumed])
            }
            TournamentCommand::Resume => Err(TournamentRefusal::WrongStage("is not paused")),
            TournamentCommand::Abort => {
                self.require_not_over()?;
                Ok(vec![TournamentEvent::Aborted])
            }
            TournamentCommand::GameStarted { game, match_id } => {
                self.require_game(game, |state| *state == GameState::Waiting)?;
                Ok(vec![TournamentEvent::GameStarted { game, match_id }])
            }
            TournamentCommand::GameOver { game, scores } => {
                self.require_game(game, |state| matches!(state, GameState::Running(_)))?;
                Ok(vec![match scores {
                    Some(scores) => TournamentEvent::GameEnded { game, scores, forfeited: Vec::new() },
                    None => TournamentEvent::GameVoided { game },
                }])
            }
            TournamentCommand::Forfeit { game, absent } => {
                let is_open = |state: &GameState| matches!(state, GameState::Waiting | GameState::Running(_));
                self.require_game(game, is_open)?;
                Ok(vec![self.forfeit(game, absent)])
            }
            TournamentCommand::Proceed => self.proceed(),
        }
    }

    fn require_not_over(&self) -> Result<(), TournamentRefusal> {
        match self.stage {
            TournamentStage::Ended | TournamentStage::Aborted => {
                Err(TournamentRefusal::WrongStage("is over"))
            }
            _ => Ok(()),
        }
    }

    fn require_game(&self, game: usize, fits: impl Fn(&GameState) -> bool) -> Result<(), TournamentRefusal> {
        let found = self.games.get(game).filter(|found| fits(&found.state));
        found.map(|_| ()).ok_or(TournamentRefusal::WrongGame(game))
    }

    fn enter(&self, player: PlayerRef, strength: f64) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        self.require_not_over()?;
        let late = matches!(self.setup.format, Format::Swiss { .. } | Format::Ladder { .. });
        if self.stage != TournamentStage::Registration && !late {
            return Err(TournamentRefusal::WrongStage("has begun, and this format has no late entry"));
        }
        if self.entrants.iter().any(|entrant| entrant.player.id == player.id) {
            return Err(TournamentRefusal::Entered);
        }
        if self.entrants.len() >= self.setup.max_entrants {
            return Err(TournamentRefusal::Full(self.entrants.len()));
        }
        Ok(vec![TournamentEvent::Entered { player, strength }])
    }

    fn start(&self) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        if self.stage != TournamentStage::Registration {
            return Err(TournamentRefusal::WrongStage("has begun already"));
        }
        let entrants = self.entrants.len();
        if entrants < self.setup.seats {
            return Err(TournamentRefusal::TooFew(self.setup.seats));
        }
        let mut events = vec![TournamentEvent::Started];
        match self.setup.format {
            Format::RoundRobin => {
                let pairings = round_robin(entrants, self.setup.seats);
                events.push(TournamentEvent::Paired { pairings, byes: Vec::new() });
            }
            // With up to half as many rounds as entrants a round without old opponents always exists (Dirac's theorem).
            Format::Swiss { rounds } if self.setup.seats == 2 && rounds as usize > entrants.div_ceil(2) => {
                let most = entrants.div_ceil(2) as u32;
                return Err(TournamentRefusal::TooManyRounds { entrants, most });
            }
            Format::Swiss { .. } => events.extend(self.next_round().unwrap_or_default()),
            Format::Ladder { pairings } => events.extend(self.next_of_ladder(pairings)),
        }
        Ok(events)
    }

    /// The events that follow from the state alone.
    fn proceed(&self) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        if self.stage != TournamentStage::Running {
            return Ok(Vec::new());
        }
        let mut forfeits = Vec::new();
        for (game, found) in
            self.games.iter().enumerate().filter(|(_, game)| game.state == GameState::Waiting)
        {
            let absent: Vec<usize> =
                (0..found.seats.len()).filter(|seat| !self.entrants[found.seats[*seat]].takes_part).collect();
            if !absent.is_empty() {
                forfeits.push(self.forfeit(game, absent));
            }
        }
        let is_open =
            |game: &TournamentGame| matches!(game.state, GameState::Waiting | GameState::Running(_));
        if let (Format::Ladder { pairings }, true) = (self.setup.format, forfeits.is_empty())
            && let Some(next) = self.next_of_ladder(pairings)
        {
            return Ok(vec![next]);
        }
        if !forfeits.is_empty() || self.games.iter().any(is_open) {
            return Ok(forfeits);
        }
        let next = match self.setup.format {
            Format::Swiss { rounds } if self.rounds_paired() < rounds => self.next_round().ok(),
            _ => None,
        };
        Ok(next.unwrap_or_else(|| vec![TournamentEvent::Ended]))
    }

    /// The pairings of a ladder that can begin now, if there are some.
    fn next_of_ladder(&self, most: u32) -> Option<TournamentEvent> {
        let strengths: Vec<f64> = self.entrants.iter().map(|entrant| entrant.strength).collect();
        let ratings = climb(&strengths, &self.played());
        let mut paired = vec![0; self.entrants.len()];
        let mut met = HashMap::new();
        for pairing in &self.pairings {
            pairing.entrants.iter().for_each(|entrant| paired[*entrant] += 1);
            pairs_of(pairing).into_iter().for_each(|pair| *met.entry(pair).or_default() += 1);
        }
        let mut is_free = vec![true; self.entrants.len()];
        let is_open =
            |game: &&TournamentGame| matches!(game.state, GameState::Waiting | GameState::Running(_));
        for game in self.games.iter().filter(is_open) {
            game.seats.iter().for_each(|entrant| is_free[*entrant] = false);
        }
        let climbs = |number: &usize| self.entrants[*number].takes_part && paired[*number] < most;
        let climbers: Vec<Climber> = (0..self.entrants.len())
            .filter(climbs)
            .map(|number| Climber {
                number,
                rating: ratings[number],
                paired: paired[number],
                is_free: is_free[number],
            })
            .collect();
        let pairings = ladder_pairings(&climbers, self.setup.seats, &met);
        (!pairings.is_empty()).then(|| TournamentEvent::Paired { pairings, byes: Vec::new() })
    }

    /// The number of rounds paired so far.
    pub fn rounds_paired(&self) -> u32 {
        let byes = self.byes.iter().map(|(round, _)| *round);
        self.pairings.iter().map(|pairing| pairing.round).chain(byes).max().unwrap_or(0)
    }

    fn next_round(&self) -> Result<Vec<TournamentEvent>, SwissError> {
        let round = self.rounds_paired() + 1;
        let points = self.standings();
        let entrants: Vec<Entrant> = points
            .lines
            .iter()
            .filter(|line| self.entrants[line.entrant].takes_part)
            .map(|line| Entrant {
                number: line.entrant,
                points: line.points,
                strength: self.entrants[line.entrant].strength,
                had_bye: self.byes.iter().any(|(_, entrant)| *entrant == line.entrant),
            })
            .collect();
        let met: HashSet<(usize, usize)> = self.pairings.iter().flat_map(pairs_of).collect();
        let paired = swiss_round(round, &entrants, self.setup.seats, &met)?;
        let byes = paired.byes.into_iter().map(|entrant| (round, entrant)).collect();
        Ok(vec![TournamentEvent::Paired { pairings: paired.pairings, byes }])
    }

    /// The end of a game whose absent players lose; the present ones share the first place.
    fn forfeit(&self, game: usize, absent: Vec<usize>) -> TournamentEvent {
        let seats = self.games[game].seats.len();
        let others = seats.saturating_sub(1).max(1) as f64;
        let present = seats - absent.len();
        let share = (absent.len() as f64 + present.saturating_sub(1) as f64 / 2.0) / others;
        let score = |seat| if absent.contains(&seat) { 0.0 } else { share };
        TournamentEvent::GameEnded { game, scores: (0..seats).map(score).collect(), forfeited: absent }
    }
}

/// The pairs of entrants who meet in a pairing, the smaller number first.
fn pairs_of(pairing: &Pairing) -> Vec<(usize, usize)> {
    let entrants = &pairing.entrants;
    let mut pairs = Vec::with_capacity(entrants.len());
    for (at, a) in entrants.iter().enumerate() {
        pairs.extend(entrants[at + 1..].iter().map(|b| (*a.min(b), *a.max(b))));
    }
    pairs
}
