//! Turns commands into events. Nothing here changes the tournament.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::domain::{PlayerRef, TournamentStage};
use crate::tournaments::event::{Format, TournamentEvent};
use crate::tournaments::formats::ladder::{RatedEntrant, ladder_pairings, ratings_after};
use crate::tournaments::formats::swiss::{Entrant, SwissError, swiss_round};
use crate::tournaments::ledger::{
    GameState, Tournament, TournamentCommand, TournamentGame, TournamentRefusal,
};
use crate::tournaments::setup::MAX_GAMES;
use crate::tournaments::{GameScores, Pairing, games_within, gauntlet, round_robin, sampled_round_robin};

/// How many sealed deals an abort opens in one step.
const OPENED_AT_ONCE: usize = 8;

impl Tournament {
    /// The events of a command.
    ///
    /// # Errors
    /// The reason why the tournament refuses it.
    pub fn decide(&self, command: TournamentCommand) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        let mut events = self.answer(command)?;
        let opened = self.deals_finished_by(&events);
        events.extend(opened.into_iter().map(|deal| TournamentEvent::DealOpened { deal }));
        Ok(events)
    }

    /// The sealed deals whose last games these events finish.
    fn deals_finished_by(&self, events: &[TournamentEvent]) -> Vec<u64> {
        let mut finished: BTreeMap<u64, usize> = BTreeMap::new();
        for event in events {
            if let TournamentEvent::GameEnded { game, .. } | TournamentEvent::GameVoided { game, .. } = event
            {
                *finished.entry(self.games[*game].deal).or_default() += 1;
            }
        }
        let is_last = |(deal, games): &(u64, usize)| {
            self.sealed.get(deal).is_some_and(|sealed| sealed.unfinished <= *games)
        };
        finished.into_iter().filter(is_last).map(|(deal, _)| deal).collect()
    }

    fn answer(&self, command: TournamentCommand) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        match command {
            TournamentCommand::Enter { player, strength, opponent } => self.enter(player, strength, opponent),
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
                // A few deals at a time, since their matches change with them. Then the tournament can end.
                let sealed = self.sealed.keys().take(OPENED_AT_ONCE);
                let opened: Vec<_> = sealed.map(|deal| TournamentEvent::DealOpened { deal: *deal }).collect();
                Ok(if opened.is_empty() { vec![TournamentEvent::Aborted] } else { opened })
            }
            TournamentCommand::RemoveTitle if self.setup.title.is_empty() => Ok(Vec::new()),
            TournamentCommand::RemoveTitle => Ok(vec![TournamentEvent::TitleRemoved]),
            TournamentCommand::GameStarted { game, match_id } => {
                self.require_game(game, |state| *state == GameState::Waiting)?;
                Ok(vec![TournamentEvent::GameStarted { game, match_id }])
            }
            TournamentCommand::GameOver { game, scores } => {
                self.require_game(game, |state| matches!(state, GameState::Running(_)))?;
                Ok(vec![match scores {
                    Some(scores) => TournamentEvent::GameEnded { game, scores, forfeited: Vec::new() },
                    None => TournamentEvent::GameVoided { game, postponed: false },
                }])
            }
            TournamentCommand::Postpone { game } => {
                self.require_game(game, |state| matches!(state, GameState::Running(_)))?;
                Ok(vec![TournamentEvent::GameVoided { game, postponed: true }])
            }
            TournamentCommand::Forfeit { game, absent } => {
                let is_open = |state: &GameState| matches!(state, GameState::Waiting | GameState::Running(_));
                self.require_game(game, is_open)?;
                Ok(vec![self.forfeit(game, absent)])
            }
            TournamentCommand::Proceed { absent } => self.proceed(&absent),
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

    fn enter(
        &self,
        player: PlayerRef,
        strength: f64,
        opponent: bool,
    ) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        self.require_not_over()?;
        if opponent && !matches!(self.setup.format, Format::Gauntlet { .. }) {
            return Err(TournamentRefusal::NoOpponents);
        }
        if self.stage != TournamentStage::Registration && self.setup.format.is_fixed_at_start() {
            return Err(TournamentRefusal::WrongStage("has begun, and this format has no late entry"));
        }
        if self.entrants.iter().any(|entrant| entrant.player.id == player.id) {
            return Err(TournamentRefusal::Entered);
        }
        if self.entrants.len() >= self.setup.max_entrants {
            return Err(TournamentRefusal::Full(self.entrants.len()));
        }
        Ok(vec![TournamentEvent::Entered { player, strength, opponent }])
    }

    fn start(&self) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        if self.stage != TournamentStage::Registration {
            return Err(TournamentRefusal::WrongStage("has begun already"));
        }
        let entrants = self.entrants.len();
        if entrants < self.setup.seats && self.setup.contest.is_none() {
            return Err(TournamentRefusal::TooFew(self.setup.seats));
        }
        let mut events = vec![TournamentEvent::Started];
        match self.setup.format {
            Format::RoundRobin => {
                let pairings = round_robin(entrants, self.setup.seats);
                events.push(TournamentEvent::Paired { pairings, byes: Vec::new() });
            }
            Format::SampledRoundRobin { games, hours } => {
                let games = games.or_else(|| games_within(&self.setup, entrants, hours?));
                let games = games.filter(|games| *games as usize >= self.setup.seats);
                let games = games.ok_or(TournamentRefusal::TooLittleTime { entrants })?;
                let pairings = sampled_round_robin(entrants, self.setup.seats, games as usize);
                events.push(TournamentEvent::Paired { pairings, byes: Vec::new() });
            }
            Format::Gauntlet { .. } => {
                events.push(TournamentEvent::Paired { pairings: self.gauntlet()?, byes: Vec::new() });
            }
            // With up to half as many rounds as entrants a round without old opponents always exists (Dirac's theorem).
            Format::Swiss { rounds } if self.setup.seats == 2 && rounds as usize > entrants.div_ceil(2) => {
                let most = entrants.div_ceil(2) as u32;
                return Err(TournamentRefusal::TooManyRounds { entrants, most });
            }
            Format::Swiss { .. } => events.extend(self.next_round().unwrap_or_default()),
            Format::Ladder { pairings } => events.extend(self.next_of_ladder(pairings, &[])),
        }
        Ok(events)
    }

    fn gauntlet(&self) -> Result<Vec<Pairing>, TournamentRefusal> {
        let (opponents, entrants): (Vec<usize>, Vec<usize>) =
            (0..self.entrants.len()).partition(|entrant| self.entrants[*entrant].opponent);
        if opponents.is_empty() || entrants.is_empty() {
            return Err(TournamentRefusal::OneSided);
        }
        let games = (opponents.len() * entrants.len() * self.setup.games_of_pairing()) as u64;
        if games > MAX_GAMES {
            return Err(TournamentRefusal::TooManyGames(games));
        }
        let seat = self.setup.contest.as_ref().and_then(|contest| contest.seats.first());
        Ok(gauntlet(&entrants, &opponents, self.setup.seats, seat.copied().unwrap_or(0)))
    }

    /// The events that follow from the state alone. `absent`: the entrants for whom games wait.
    fn proceed(&self, absent: &[usize]) -> Result<Vec<TournamentEvent>, TournamentRefusal> {
        if self.stage != TournamentStage::Running {
            return Ok(Vec::new());
        }
        let mut forfeits = Vec::new();
        for (game, found) in
            self.games.iter().enumerate().filter(|(_, game)| game.state == GameState::Waiting)
        {
            let left: Vec<usize> =
                (0..found.seats.len()).filter(|seat| !self.entrants[found.seats[*seat]].takes_part).collect();
            if !left.is_empty() {
                forfeits.push(self.forfeit(game, left));
            }
        }
        let is_open =
            |game: &TournamentGame| matches!(game.state, GameState::Waiting | GameState::Running(_));
        if let (Format::Ladder { pairings }, true) = (self.setup.format, forfeits.is_empty())
            && let Some(next) = self.next_of_ladder(pairings, absent)
        {
            return Ok(vec![next]);
        }
        if !forfeits.is_empty() || self.games.iter().any(is_open) {
            return Ok(forfeits);
        }
        if let Format::Ladder { pairings } = self.setup.format
            && absent.iter().any(|entrant| self.wants_pairings(*entrant, pairings))
        {
            // They are paired when they come, or when the window ends.
            return Ok(Vec::new());
        }
        let next = match self.setup.format {
            Format::Swiss { rounds } if self.rounds_paired() < rounds => self.next_round().ok(),
            _ => None,
        };
        Ok(next.unwrap_or_else(|| vec![TournamentEvent::Ended]))
    }

    /// Whether a ladder still has to pair an entrant, who takes part and has had fewer than `most` pairings.
    fn wants_pairings(&self, entrant: usize, most: u32) -> bool {
        let paired = self.pairings.iter().filter(|pairing| pairing.entrants.contains(&entrant)).count();
        self.entrants[entrant].takes_part && paired < most as usize
    }

    /// The pairings of a ladder that can begin now, if there are some. `absent`: the entrants who are not paired now.
    fn next_of_ladder(&self, most: u32, absent: &[usize]) -> Option<TournamentEvent> {
        let strengths: Vec<f64> = self.entrants.iter().map(|entrant| entrant.strength).collect();
        let ratings = ratings_after(&strengths, &self.played());
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
        let plays = |number: &usize| {
            self.entrants[*number].takes_part && paired[*number] < most && !absent.contains(number)
        };
        let entrants: Vec<RatedEntrant> = (0..self.entrants.len())
            .filter(plays)
            .map(|number| RatedEntrant {
                number,
                rating: ratings[number],
                paired: paired[number],
                is_free: is_free[number],
            })
            .collect();
        let pairings = ladder_pairings(&entrants, self.setup.seats, &met);
        (!pairings.is_empty()).then(|| TournamentEvent::Paired { pairings, byes: Vec::new() })
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
                points: line.points.clone(),
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
        let scores = GameScores::of_forfeit(self.games[game].seats.len(), &absent);
        TournamentEvent::GameEnded { game, scores, forfeited: absent }
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
