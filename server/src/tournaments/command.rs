//! Commands to a tournament, and the reasons why it refuses them.

use crate::domain::{MatchId, PlayerRef};
use crate::tournaments::GameScores;

/// A request of a player, the organizer or the runner.
#[expect(missing_docs, reason = "`player`, `game` and `match_id` say all")]
#[derive(Clone, Debug, PartialEq)]
pub enum TournamentCommand {
    /// A player enters.
    Enter {
        player: PlayerRef,
        /// The player's rating.
        strength: f64,
        /// Whether as a fixed opponent of a gauntlet.
        opponent: bool,
    },
    /// A player leaves, or the organizer removes them.
    Withdraw {
        /// The id of the player.
        player: String,
    },
    /// Begins the games.
    Start,
    /// Stops beginning games.
    Pause,
    /// Begins games again.
    Resume,
    /// Ends the tournament early. As long as deals are sealed, some of them are opened instead.
    Abort,
    /// Removes the title. No events: it was removed before.
    RemoveTitle,
    /// The match of a game was created.
    GameStarted { game: usize, match_id: MatchId },
    /// The match of a game is over. `scores`: `None`: it ended without a result.
    GameOver {
        game: usize,
        /// The scores of the seats.
        scores: Option<GameScores>,
    },
    /// A player did not come to the match of a game, which waits on.
    Postpone { game: usize },
    /// Players were absent for too long. The others win.
    Forfeit {
        game: usize,
        /// The seats of the absent players.
        absent: Vec<usize>,
    },
    /// Does what follows from the state alone: pairs the next round, forfeits games of entrants who left, ends the
    /// tournament. No events: there is nothing to do.
    Proceed {
        /// The entrants for whom games wait: a ladder pairs them later.
        absent: Vec<usize>,
    },
}

/// The reason why a tournament refuses a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TournamentRefusal {
    /// The command does not fit the stage.
    #[error("the tournament {0}")]
    WrongStage(&'static str),
    /// The player has entered already.
    #[error("the player has entered already")]
    Entered,
    /// The player is not in the tournament.
    #[error("the player is not in the tournament")]
    NotEntered,
    /// The tournament is full.
    #[error("the tournament is full: {0} players have entered")]
    Full(usize),
    /// Too few players have entered to begin.
    #[error("at least {0} players must enter before the tournament can start")]
    TooFew(usize),
    /// The number of rounds does not fit the number of entrants.
    #[error("{entrants} entrants can play at most {most} rounds without meeting twice")]
    TooManyRounds {
        /// The number of entrants.
        entrants: usize,
        /// The most rounds.
        most: u32,
    },
    /// A fixed opponent has a place in a gauntlet only.
    #[error("opponent: only a gauntlet has fixed opponents")]
    NoOpponents,
    /// A gauntlet lacks a fixed opponent, or another entrant.
    #[error("a gauntlet needs at least one fixed opponent and one other entrant")]
    OneSided,
    /// With these entrants and opponents there would be too many games.
    #[error("there would be {0} games, more than a tournament may have; remove opponents or entrants")]
    TooManyGames(u64),
    /// The hours are too few for one game of each entrant from every seat.
    #[error(
        "in this time {entrants} entrants cannot play from every seat; allow more hours or more games at a time"
    )]
    TooLittleTime {
        /// The number of entrants.
        entrants: usize,
    },
    /// There is no such game, or the command does not fit its state.
    #[error("game {0} is not at this point")]
    WrongGame(usize),
}
