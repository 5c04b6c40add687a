//! A tournament as the fold of its events: its state, the commands that it allows, and the next steps. Pure: no clock,
//! no I/O. `decide` turns a command into events and changes nothing; `apply` folds a stored event.

mod decide;

use crate::domain::{MatchId, PlayerRef, TournamentStage};
use std::collections::BTreeMap;

use crate::tournaments::event::{Dealing, Format, Setup, TournamentEvent};
use crate::tournaments::{
    GamePoints, GameSchedule, GameScores, Pairing, PlayedGame, Ranking, Rounds, Standings, compare,
};

pub use crate::tournaments::command::{TournamentCommand, TournamentRefusal};

/// How often a game is played at most until it has a result.
pub const ATTEMPTS: u32 = 3;

/// An entrant after the events so far.
#[derive(Clone, Debug, PartialEq)]
pub struct EntrantState {
    /// A person, a bot or an engine.
    pub player: PlayerRef,
    /// The rating at the time of entry.
    pub strength: f64,
    /// Whether the entrant still takes part.
    pub takes_part: bool,
    /// Whether it is a fixed opponent of a gauntlet.
    pub opponent: bool,
}

/// How far a game has come.
#[derive(Clone, Debug, PartialEq)]
pub enum GameState {
    /// It has not begun.
    Waiting,
    /// Its match is being played.
    Running(MatchId),
    /// It is finished.
    Done {
        /// The scores of the seats.
        scores: GameScores,
        /// The seats that forfeited it.
        forfeited: Vec<usize>,
        /// Its match; `None` if it was forfeited before one was created.
        match_id: Option<MatchId>,
    },
    /// It had no result in any attempt, and counts for no entrant.
    Void,
}

/// A game to play, with its attempts.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentGame {
    /// The pairing, by its number.
    pub pairing: usize,
    /// The number of the deal in the tournament: games with the same number share a seed. A duplicate game that had no
    /// result is played again with a new deal, since its players have seen parts of the old one.
    pub deal: u64,
    /// The entrants by seat.
    pub seats: Vec<usize>,
    /// How far it has come.
    pub state: GameState,
    /// Attempts so far, the current one included.
    pub attempts: u32,
    /// How many of them a player did not come to, so that the game waits on.
    pub postponed: u32,
}

/// A duplicate deal of several games that are not all finished. Its matches are sealed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SealedDeal {
    /// Games of the deal that are not finished.
    pub unfinished: usize,
    /// All its matches, those without a result included.
    pub matches: Vec<MatchId>,
}

/// A tournament as the fold of its events.
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
    /// The deals that are sealed, by number.
    pub sealed: BTreeMap<u64, SealedDeal>,
    /// The number of the next new deal.
    next_deal: u64,
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
            sealed: BTreeMap::new(),
            next_deal: 0,
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
            TournamentEvent::Entered { player, strength, opponent } => {
                self.entrants.push(EntrantState { player, strength, takes_part: true, opponent });
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
                self.add(pairings);
                self.byes.extend(byes);
            }
            TournamentEvent::GameStarted { game, match_id } => {
                if let Some(deal) = self.sealed.get_mut(&self.games[game].deal) {
                    deal.matches.push(match_id.clone());
                }
                self.games[game].attempts += 1;
                self.games[game].state = GameState::Running(match_id);
            }
            TournamentEvent::GameEnded { game, scores, forfeited } => {
                self.finish(game);
                let match_id = self.running_match(game);
                self.games[game].state = GameState::Done { scores, forfeited, match_id };
            }
            TournamentEvent::GameVoided { game, postponed } => {
                self.finish(game);
                self.games[game].postponed += u32::from(postponed);
                let last = !postponed && self.games[game].attempts - self.games[game].postponed >= ATTEMPTS;
                self.games[game].state = if last { GameState::Void } else { GameState::Waiting };
                if !last && self.setup.dealing.is_some() && self.setup.dealing() != Dealing::Mirror {
                    self.games[game].deal = self.next_deal;
                    self.next_deal += 1;
                }
            }
            TournamentEvent::DealOpened { deal } => self.open(deal),
        }
    }

    /// Counts a game of a sealed deal as finished.
    fn finish(&mut self, game: usize) {
        if let Some(deal) = self.sealed.get_mut(&self.games[game].deal) {
            deal.unfinished = deal.unfinished.saturating_sub(1);
        }
    }

    /// Opens a deal. Nobody may play it any more.
    fn open(&mut self, deal: u64) {
        self.sealed.remove(&deal);
        let of_deal = |game: &&mut TournamentGame| game.deal == deal && game.state == GameState::Waiting;
        self.games.iter_mut().filter(of_deal).for_each(|game| game.state = GameState::Void);
    }

    /// Adds the games of these pairings.
    fn add(&mut self, pairings: Vec<Pairing>) {
        let schedule = GameSchedule {
            games: self.setup.games_of_pairing(),
            turns: self.setup.contest.as_ref().is_none_or(|contest| contest.seats.len() > 1),
            dealing: self.setup.dealing(),
            // The pairings of a ladder belong to no round.
            by_round: !matches!(self.setup.format, Format::Ladder { .. }),
            first_deal: self.next_deal,
        };
        let person = |entrant: usize| {
            let player = &self.entrants[entrant].player;
            (!player.is_engine()).then(|| player.owner_id())
        };
        let games = schedule.games(&pairings, person);
        let first = self.pairings.len();
        let mut tables: BTreeMap<u64, usize> = BTreeMap::new();
        for game in games {
            *tables.entry(game.deal).or_default() += 1;
            self.next_deal = self.next_deal.max(game.deal + 1);
            self.games.push(TournamentGame {
                pairing: first + game.pairing,
                deal: game.deal,
                seats: game.seats,
                state: GameState::Waiting,
                attempts: 0,
                postponed: 0,
            });
        }
        if self.setup.dealing() == Dealing::Duplicate {
            let shared = tables.into_iter().filter(|(_, games)| *games > 1);
            let sealed = |(deal, unfinished)| (deal, SealedDeal { unfinished, matches: Vec::new() });
            self.sealed.extend(shared.map(sealed));
        }
        self.pairings.extend(pairings);
    }

    /// Whether only its own players may see the game's match and result now.
    pub fn is_sealed(&self, game: usize) -> bool {
        let deal = self.games.get(game).map(|game| game.deal);
        !self.stage.is_over() && deal.is_some_and(|deal| self.sealed.contains_key(&deal))
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

    /// The games with a result that is open to all.
    fn played(&self) -> Vec<PlayedGame> {
        let mut played: Vec<PlayedGame> = self.results().map(|(_, played)| played).collect();
        if self.setup.dealing() == Dealing::Duplicate && self.setup.contest.is_none() {
            compare(&mut played);
        }
        played
    }

    /// The points of each seat of the games with a result that is open to all, by the number of the game.
    pub fn points(&self) -> BTreeMap<usize, Vec<GamePoints>> {
        let numbers = self.results().map(|(number, _)| number);
        numbers.zip(self.played()).map(|(number, played)| (number, played.points)).collect()
    }

    fn results(&self) -> impl Iterator<Item = (usize, PlayedGame)> {
        self.games.iter().enumerate().filter_map(|(number, game)| match &game.state {
            GameState::Done { scores, forfeited, .. } if !self.is_sealed(number) => {
                let points = match &self.setup.contest {
                    Some(contest) => {
                        (0..game.seats.len()).map(|seat| scores.contest_points(contest.score, seat)).collect()
                    }
                    None => scores.shares(),
                };
                let played = PlayedGame {
                    round: self.pairings[game.pairing].round,
                    seats: game.seats.clone(),
                    scores: scores.clone(),
                    points,
                    deal: game.deal,
                    forfeited: forfeited.clone(),
                };
                Some((number, played))
            }
            _ => None,
        })
    }

    /// The standings. Games without a result, and sealed ones, do not count.
    pub fn standings(&self) -> Standings {
        let entrants = self.entrants.len();
        let played = self.played();
        let of_rounds = |rounds: &Rounds| Standings::new(entrants, &played, Ranking::OpponentsDiffer(rounds));
        match self.setup.format {
            Format::RoundRobin | Format::SampledRoundRobin { .. } => {
                Standings::new(entrants, &played, Ranking::AllMeet)
            }
            Format::Gauntlet { .. } => {
                let opponents: Vec<bool> = self.entrants.iter().map(|entrant| entrant.opponent).collect();
                Standings::new(entrants, &played, Ranking::SameOpponents(&opponents))
            }
            Format::Swiss { .. } => {
                let (games, seats) = (self.setup.games_of_pairing(), self.setup.seats);
                of_rounds(&Rounds::new(entrants, &self.pairings, &self.byes, games, seats))
            }
            Format::Ladder { .. } => of_rounds(&Rounds::none(entrants)),
        }
    }

    /// The games to begin now, in order. The games of a mirrored deal begin together, so that what happened in one cannot help
    /// in another, unless the setup or an entrant allows fewer games at a time. `at_once`: how many games an entrant plays at
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
            let is_of_same = |next: &TournamentGame| (next.pairing, next.deal) == (game.pairing, game.deal);
            if self.games.get(number + 1).is_some_and(is_of_same) {
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
