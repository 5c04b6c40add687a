//! The events of a tournament, as they are stored. Variants and fields are only ever added, with defaults. This module
//! must not decide anything.

use engines::game::ContestScore;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerRef};
use crate::matches::clock::ClockSpec;
use crate::tournaments::{GameScores, Pairing};

/// An entry of the log of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "`player`, `entrant`, `game` and `match_id` say all")]
pub enum TournamentEvent {
    /// The tournament was created: always the first event, and only the first.
    Created(Box<Setup>),
    /// A player entered. Entrants are numbered from 0; the new one has the highest number.
    Entered {
        player: PlayerRef,
        /// The rating at that time, which orders entrants of equal points.
        strength: f64,
        /// Whether it is a fixed opponent of a gauntlet, against which the others are compared.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        opponent: bool,
    },
    /// An entrant left. Before the start the entry counts as never made, and higher numbers move down by one; later, games
    /// not begun are forfeited.
    Withdrew { entrant: usize },
    /// Registration is over, except for formats with late entry, and games begin.
    Started,
    /// No new games begin until [`TournamentEvent::Resumed`].
    Paused,
    /// Games begin again.
    Resumed,
    /// A round was paired. A round robin pairs all its rounds at the start.
    Paired {
        /// The pairings, in order.
        pairings: Vec<Pairing>,
        /// Entrants without opponents, each with the round.
        byes: Vec<(u32, usize)>,
    },
    /// The match of a game was created.
    GameStarted { game: usize, match_id: MatchId },
    /// A game is finished.
    GameEnded {
        game: usize,
        /// The scores of the seats.
        #[serde(flatten)]
        scores: GameScores,
        /// The seats that forfeited it without playing.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        forfeited: Vec<usize>,
    },
    /// The match of a game ended without a result; the game will be played again, unless this was the last attempt.
    GameVoided {
        game: usize,
        /// Whether it waits on because a player was absent; then it is none of the attempts.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        postponed: bool,
    },
    /// All games of a shared deal are finished, and their matches become visible to everybody. A game of the deal that has
    /// not begun is not played any more.
    DealOpened {
        /// The number of the deal.
        deal: u64,
    },
    /// All games are finished: the last event that changes the games of a tournament that was played to its end.
    Ended,
    /// The organizer or the operator ended the tournament: the last event that changes its games.
    Aborted,
    /// The title was removed, from the first event, too. It can come after the end.
    TitleRemoved,
}

/// The method that finds opponents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Format {
    /// Every group of entrants that fits a table meets once.
    RoundRobin,
    /// Each entrant plays a part of the games of a round robin, as many from each seat; all pairs of entrants meet about
    /// equally often. Exactly one of the fields is needed.
    SampledRoundRobin {
        /// The games of each entrant, a multiple of the seats.
        games: Option<u32>,
        /// As many games as are estimated to fit into this time, in hours, if each takes as long as its clocks allow.
        hours: Option<u32>,
    },
    /// Each entrant plays against the same fixed opponents on the same deals, from the seats that the contest gives its bots,
    /// and has the points of the contest.
    Gauntlet {
        /// The games of each entrant against each opponent, a multiple of those seats.
        games: u32,
    },
    /// Entrants with equal points meet, for this many rounds.
    Swiss {
        /// The number of rounds.
        rounds: u32,
    },
    /// Entrants are paired whenever they are free, by rating and uncertainty.
    Ladder {
        /// How many pairings each entrant plays.
        pairings: u32,
    },
}

impl Format {
    /// Whether all games are known at the start, so that entry ends then.
    pub fn is_fixed_at_start(self) -> bool {
        matches!(self, Self::RoundRobin | Self::SampledRoundRobin { .. } | Self::Gauntlet { .. })
    }
}

/// Which games have the same deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dealing {
    /// As in duplicate bridge: all tables of a round play the same deals, no entrant plays a deal twice, and the result of a game
    /// is compared with the other results of its deal from the same seat.
    Duplicate,
    /// The entrants of a pairing play each deal once from every seat. Only for games of perfect information, in which the
    /// first game of a deal reveals nothing about the second.
    Mirror,
    /// Every game has a deal of its own.
    Independent,
}

/// The facts of the game's contest that a gauntlet takes over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Contest {
    /// The seats that it gives its bots.
    pub seats: Vec<usize>,
    /// How it counts a match.
    pub score: ContestScore,
}

/// The organizer's decisions when creating a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Empty if it was removed.
    pub title: String,
    /// The player who created it.
    pub organizer: PlayerRef,
    /// The game's short name.
    pub game: String,
    /// The options of every deal; `None`: those that fit the number of seats.
    pub options: Option<Value>,
    /// Seats of a table.
    pub seats: usize,
    /// The method that finds opponents.
    pub format: Format,
    /// How often the entrants of a pairing play from every seat: it has this many games for each seat.
    pub deals: u32,
    /// Which games have the same deal; `None` in logs older than this field, see [`Setup::dealing`].
    #[serde(default)]
    pub dealing: Option<Dealing>,
    /// In logs without `dealing`: whether deals are mirrored.
    #[serde(default)]
    pub duplicate: bool,
    /// The contest whose points a gauntlet counts; `None` in other formats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<Contest>,
    /// The time control of every game.
    pub clock: ClockSpec,
    /// Whether the games change the players' ratings.
    pub rated: bool,
    /// The most games that are played at the same time.
    pub max_running: usize,
    /// The most games that a person or bot plays at the same time.
    #[serde(default = "one")]
    pub per_entrant: usize,
    /// How long a game waits for its players, in milliseconds, before those who are absent forfeit it.
    pub grace_ms: u64,
    /// How long after the start games wait for absent players, in milliseconds, instead of being forfeited; `None`: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_ms: Option<u64>,
    /// The time at which it starts by itself, in milliseconds since 1970; `None`: when its organizer starts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_ms: Option<Millis>,
    /// The most entrants.
    pub max_entrants: usize,
    /// The secret from which all deals are made, 32 bytes, hexadecimal; published at the end.
    pub secret: String,
    /// The salt of the commitment.
    pub salt: String,
    /// The commitment to the secret, published from the beginning: SHA-256 of the salt's bytes followed by the secret's.
    pub commitment: String,
}

impl Setup {
    /// How many games the entrants of a pairing play.
    pub fn games_of_pairing(&self) -> usize {
        match self.format {
            Format::SampledRoundRobin { .. } => 1,
            Format::Gauntlet { games } => games as usize,
            _ => self.deals as usize * self.seats,
        }
    }

    /// Which games have the same deal.
    pub fn dealing(&self) -> Dealing {
        self.dealing.unwrap_or(if self.duplicate { Dealing::Mirror } else { Dealing::Independent })
    }
}

fn one() -> usize {
    1
}
