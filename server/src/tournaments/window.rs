//! The window of a tournament: the time in which a game waits until all its players are there, instead of being forfeited. It must
//! not know where players are connected.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::domain::time::Millis;
use crate::domain::{PlayerRef, TournamentStage};
use crate::tournaments::event::Format;
use crate::tournaments::ledger::{GameState, Tournament, TournamentCommand};
use crate::tournaments::service::LoadedTournament;

/// For how long an entrant who did not come to a match, although connected, counts as away.
const MISSED: Duration = Duration::from_secs(600);

impl LoadedTournament {
    /// The time until which games wait for absent players: the end of the window; in a Swiss tournament, whose next round waits
    /// for all games of this one, each round has an equal share of the window. `None`: there is no window, or it has not begun.
    pub fn waits_until_ms(&self) -> Option<Millis> {
        let (window, started) = (self.state.setup.window_ms?, self.started_ms?);
        let share = match self.state.setup.format {
            Format::Swiss { rounds } => {
                let rounds = u64::from(rounds.max(1));
                window * u64::from(self.state.rounds_paired()).min(rounds) / rounds
            }
            _ => window,
        };
        Some(started.saturating_add_unsigned(share))
    }

    /// Whether games wait for absent players now.
    pub(super) fn waits(&self, now: Millis) -> bool {
        self.waits_until_ms().is_some_and(|until| now < until)
    }
}

/// Which entrants of a tournament with a window are there, as the node that runs it has seen it.
#[derive(Default)]
pub(super) struct Attendance {
    /// The entrants who are not connected, with the time since which they are not.
    away: HashMap<usize, Instant>,
    /// The entrants who did not come to a match, with the time at which it ended.
    missed: HashMap<usize, Instant>,
}

impl Attendance {
    /// Looks who is there. Engines always are. `connected`: the ids of players.
    pub(super) fn look(&mut self, state: &Tournament, connected: &HashSet<String>, now: Instant) {
        let is_there = |player: &PlayerRef| player.is_engine() || connected.contains(&player.id);
        for (entrant, found) in state.entrants.iter().enumerate() {
            if is_there(&found.player) {
                self.away.remove(&entrant);
            } else {
                self.away.entry(entrant).or_insert(now);
            }
        }
        self.missed.retain(|_, at| now.duration_since(*at) < MISSED);
    }

    /// Notes that an entrant did not come to a match. Other games of the opponents come first then.
    pub(super) fn missed(&mut self, entrant: usize, now: Instant) {
        self.missed.insert(entrant, now);
    }

    /// Whether a game with the entrant can begin. `waits`: whether games wait for absent players.
    pub(super) fn can_play(&self, entrant: usize, waits: bool) -> bool {
        !(self.away.contains_key(&entrant) || waits && self.missed.contains_key(&entrant))
    }

    /// The entrants for whom games wait.
    pub(super) fn absent(&self, state: &Tournament) -> Vec<usize> {
        (0..state.entrants.len()).filter(|entrant| !self.can_play(*entrant, true)).collect()
    }

    /// After the window: the games that have not begun and whose players have been away for the grace of the tournament.
    pub(super) fn forfeits(&self, state: &Tournament, now: Instant) -> Vec<TournamentCommand> {
        if state.stage != TournamentStage::Running {
            return Vec::new();
        }
        let grace = Duration::from_millis(state.setup.grace_ms);
        let is_gone =
            |entrant: &usize| self.away.get(entrant).is_some_and(|since| now.duration_since(*since) >= grace);
        let waiting = state.games.iter().enumerate().filter(|(_, game)| game.state == GameState::Waiting);
        let forfeits = waiting.map(|(number, game)| TournamentCommand::Forfeit {
            game: number,
            absent: (0..game.seats.len()).filter(|seat| is_gone(&game.seats[*seat])).collect(),
        });
        let has_absent = |command: &TournamentCommand| matches!(command, TournamentCommand::Forfeit { absent, .. } if !absent.is_empty());
        forfeits.filter(has_absent).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournaments::tests::simulation::{LoggedTournament, player, setup};

    #[test]
    fn rounds_of_a_swiss_tournament_share_the_window() {
        let mut wanted = setup(Format::Swiss { rounds: 4 }, 2);
        wanted.window_ms = Some(4_000);
        let mut all = LoggedTournament::new(wanted, 8);
        let loaded = |all: &LoggedTournament, started_ms| LoadedTournament {
            id: crate::domain::TournamentId::fresh(),
            state: all.state.clone(),
            events: 1,
            created_ms: 0,
            started_ms,
            last_ms: 0,
        };
        assert_eq!(loaded(&all, None).waits_until_ms(), None);
        all.must(TournamentCommand::Start);
        assert_eq!(loaded(&all, Some(500)).waits_until_ms(), Some(1_500));
        assert!(loaded(&all, Some(500)).waits(1_499) && !loaded(&all, Some(500)).waits(1_500));
    }

    #[test]
    fn absent_entrants_forfeit_after_the_grace() {
        let mut wanted = setup(Format::RoundRobin, 2);
        wanted.grace_ms = 10_000;
        let mut all = LoggedTournament::new(wanted, 3);
        all.must(TournamentCommand::Start);
        let (mut attendance, start) = (Attendance::default(), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        let there = HashSet::from([player(0).id, player(1).id]);
        attendance.look(&all.state, &there, start);
        assert_eq!(attendance.absent(&all.state), [2]);
        assert!(attendance.forfeits(&all.state, after(9)).is_empty());
        let forfeits = attendance.forfeits(&all.state, after(10));
        let with_2 = all.state.games.iter().filter(|game| game.seats.contains(&2)).count();
        assert_eq!(forfeits.len(), with_2);
        for forfeit in forfeits {
            let TournamentCommand::Forfeit { game, absent } = forfeit else { panic!("{forfeit:?}") };
            assert_eq!(absent.iter().map(|seat| all.state.games[game].seats[*seat]).collect::<Vec<_>>(), [2]);
        }
        // A player who was there for a moment counts as away from the start again.
        attendance.look(&all.state, &HashSet::from([player(2).id]), after(11));
        attendance.look(&all.state, &HashSet::new(), after(12));
        let gone = attendance.forfeits(&all.state, after(21));
        assert_eq!(gone.len(), all.state.games.len(), "0 and 1 are away since 11");
        assert!(attendance.forfeits(&all.state, after(20)).is_empty());
    }

    #[test]
    fn player_who_misses_a_match_counts_as_away_for_a_while() {
        let all = LoggedTournament::new(setup(Format::RoundRobin, 2), 2);
        let (mut attendance, start) = (Attendance::default(), Instant::now());
        let there = HashSet::from([player(0).id, player(1).id]);
        attendance.look(&all.state, &there, start);
        attendance.missed(0, start);
        assert!(
            !attendance.can_play(0, true) && attendance.can_play(0, false) && attendance.can_play(1, true)
        );
        attendance.look(&all.state, &there, start + MISSED);
        assert!(attendance.can_play(0, true));
    }
}
