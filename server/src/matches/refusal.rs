//! The reasons why a match refuses a command. Each becomes a problem with its own code.

use engines::erased::Refusal;
use engines::game::Seat;

use crate::error::{Code, Error};

/// A command that the match refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchRefusal {
    /// The game forbids it: `illegal_move`, `bad_move`, `bad_options`, ...
    #[error("{}", .0.detail)]
    Rules(Refusal),
    /// The move is for another ply than the current one.
    #[error("the match is at ply {0}")]
    StalePly(u32),
    /// The time of the seat was up before the command arrived. Perform [`crate::matches::ledger::Command::Tick`], so that the turn
    /// counts as a foul.
    #[error("the time of seat {0} was up before this arrived")]
    TimeUp(Seat),
    /// It is the turn of another seat.
    #[error("it is seat {turn}'s turn, not seat {seat}'s")]
    NotYourTurn {
        /// The seat to move.
        turn: Seat,
        /// The seat that tried to move.
        seat: Seat,
    },
    /// The seat has dropped out.
    #[error("seat {0} has dropped out")]
    SeatOut(Seat),
    /// Seats are open, so nothing can be played yet.
    #[error("the match has not begun: seats are free")]
    NotStarted,
    /// The match has begun: possible only before the start, or before the first move.
    #[error("the match has begun")]
    Started,
    /// Nothing is possible after the end.
    #[error("the match is over")]
    MatchOver,
    /// Moves cannot be taken back in this match.
    #[error("moves can be taken back only against engines, without a clock, where hints are allowed")]
    NoTakeBack,
    /// Moves were taken back this often, which is the limit.
    #[error("moves were taken back {0} times, which is the limit of a match")]
    TakenBackTooOften(u32),
    /// The seat has not moved yet.
    #[error("there is no move to take back")]
    NothingToTakeBack,
    /// A hosted program plays the seat, so no client can.
    #[error("the hosted program of this bot plays seat {0}; nobody else can")]
    Hosted(Seat),
    /// There is no such seat.
    #[error("there is no seat {0}")]
    NoSuchSeat(Seat),
    /// The seat is not held by a token.
    #[error("seat {0} has no holder who could do this")]
    NotHeld(Seat),
    /// The seat is taken, or reserved for another player.
    #[error("seat {0} is taken or reserved for another player")]
    SeatTaken(Seat),
    /// The match has no open seat for this caller.
    #[error("no seat is free")]
    NoOpenSeat,
    /// The caller has this seat already.
    #[error("the caller has seat {0} already")]
    AlreadySeated(Seat),
    /// Another seat is reserved for the caller.
    #[error("seat {0} is reserved for the caller, who can take no other")]
    SeatKept(Seat),
    /// A seat can be held only by a player or by the holder of a token.
    #[error("a seat cannot be held without a token")]
    NoIdentity,
    /// The creator of the match has removed the caller.
    #[error("the creator of this match has removed this player from it")]
    Removed,
    /// The seats do not fit the game; the text says how.
    #[error("{0}")]
    BadSeats(String),
    /// A field of the request is wrong; the text names it.
    #[error("{0}")]
    BadField(String),
    /// The match cannot be rated, or the caller cannot have a seat in this rated match.
    #[error("{0}")]
    NotRated(RatedRule),
    /// The seats of a match of a tournament cannot be given up.
    #[error("the match belongs to a tournament: resign once it has begun, or withdraw from the tournament")]
    OfTournament,
    /// The server itself sent a command that is never valid.
    #[error("{0}")]
    Internal(&'static str),
}

/// A rule of rated matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatedRule {
    /// Everyone can see it.
    #[error("rated: a private match cannot be rated")]
    Public,
    /// A rated match needs a clock.
    #[error("rated: a rated match needs a clock with a limit")]
    Clock,
    /// The server chooses the seed.
    #[error("rated: a match whose seed the caller chose cannot be rated")]
    Seed,
    /// It is dealt.
    #[error("rated: a match that begins with a position cannot be rated; leave position or rated out")]
    Deal,
    /// There are no hints.
    #[error("rated: a match with hints cannot be rated")]
    NoHints,
    /// At least two players, of whom at least one is no engine, and no engine twice.
    #[error(
        "rated: the seats must be for at least two different players; matches of engines alone are rated only when \
         the server itself arranges them"
    )]
    Seats,
    /// Everyone has an account.
    #[error("a guest cannot have a seat in a rated match; send a player's token")]
    Players,
    /// No person controls two seats.
    #[error("two seats of a rated match cannot belong to the same person, with their own name or with a bot")]
    Owners,
    /// An engine plays as it usually does.
    #[error("rated: an engine in a rated match has its usual thinking time; leave think_ms and nodes out")]
    EngineTime,
}

impl RatedRule {
    /// The error code of its refusals.
    pub fn code(self) -> Code {
        match self {
            Self::Public => Code::RatedPrivate,
            Self::Clock => Code::RatedClock,
            Self::Seed => Code::RatedSeed,
            Self::Deal => Code::RatedPosition,
            Self::NoHints => Code::RatedHints,
            Self::Seats => Code::RatedSeats,
            Self::Players => Code::RatedGuest,
            Self::Owners => Code::RatedOwners,
            Self::EngineTime => Code::RatedEngine,
        }
    }
}

impl MatchRefusal {
    /// The error code of the refusal.
    pub fn code(&self) -> Code {
        match self {
            Self::Rules(refusal) => Error::from(refusal.clone()).code(),
            Self::StalePly(_) => Code::StalePly,
            Self::TimeUp(_) => Code::TimeUp,
            Self::NotYourTurn { .. } | Self::SeatOut(_) => Code::NotYourTurn,
            Self::Hosted(_) => Code::HostedSeat,
            Self::NotStarted => Code::NotStarted,
            Self::Started => Code::Started,
            Self::NoTakeBack | Self::NothingToTakeBack | Self::TakenBackTooOften(_) => Code::NoTakeBack,
            Self::MatchOver => Code::MatchOver,
            Self::NoSuchSeat(_) | Self::BadSeats(_) => Code::BadSeats,
            Self::NotHeld(_) => Code::NotYourSeat,
            Self::SeatTaken(_) => Code::SeatTaken,
            Self::NoOpenSeat => Code::NoOpenSeat,
            Self::AlreadySeated(_) | Self::SeatKept(_) => Code::AlreadySeated,
            Self::NoIdentity => Code::TokenNeeded,
            Self::Removed => Code::Removed,
            Self::BadField(_) => Code::BadField,
            Self::NotRated(rule) => rule.code(),
            Self::OfTournament => Code::TournamentMatch,
            Self::Internal(_) => Code::Internal,
        }
    }
}

impl From<Refusal> for MatchRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Rules(refusal)
    }
}

impl From<MatchRefusal> for Error {
    fn from(refused: MatchRefusal) -> Self {
        match refused {
            MatchRefusal::Rules(refusal) => refusal.into(),
            other => Self::new(other.code(), other.to_string()),
        }
    }
}
