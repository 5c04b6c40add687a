//! What a match refuses, and why. Each becomes a problem with a code of its own.

use engines::erased::Refusal;
use engines::game::Seat;

use crate::error::{Code, Error};

/// A command that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchRefusal {
    /// The game does not allow it: `illegal_move`, `bad_move`, `bad_options`, ...
    #[error("{}", .0.detail)]
    Rules(Refusal),
    /// The move is for another ply than the match is at.
    #[error("the match is at ply {0}")]
    StalePly(u32),
    /// The seat's time was up before it came in. Let [`crate::matches::ledger::Command::Tick`] happen first: then the match has
    /// gone on, and says so itself.
    #[error("seat {0}'s time was up before this came in")]
    TimeUp(Seat),
    /// It is the first seat's turn, not the second's.
    #[error("it is seat {turn}'s turn, not seat {seat}'s")]
    NotYourTurn {
        /// Whose move is awaited.
        turn: Seat,
        /// Who wanted to move.
        seat: Seat,
    },
    /// The seat takes no part any more.
    #[error("seat {0} takes no part any more")]
    SeatOut(Seat),
    /// Seats are free, so nothing can be played yet.
    #[error("the match has not begun: seats are free")]
    NotStarted,
    /// Too late for what is possible before the start, or before the first move.
    #[error("the match has begun")]
    Started,
    /// Nothing happens any more.
    #[error("the match is over")]
    MatchOver,
    /// There is no such seat.
    #[error("there is no seat {0}")]
    NoSuchSeat(Seat),
    /// Nobody holds the seat by a token.
    #[error("seat {0} is held by nobody who could do this")]
    NotHeld(Seat),
    /// Somebody sits there, or it is kept for somebody else.
    #[error("seat {0} is taken or kept for somebody else")]
    SeatTaken(Seat),
    /// No seat is free for this caller.
    #[error("no seat is free")]
    NoOpenSeat,
    /// The caller has this seat.
    #[error("seat {0} is this caller's already")]
    AlreadySeated(Seat),
    /// This seat is kept for the caller, who wants another.
    #[error("seat {0} is kept for this caller: no other can be taken")]
    SeatKept(Seat),
    /// Whoever takes a seat must be somebody: a player or the holder of a token.
    #[error("nobody can hold a seat without a token")]
    Nobody,
    /// The match's maker took the caller's seat away.
    #[error("the maker of this match has removed this player from it")]
    Removed,
    /// The seats do not fit the game; the text says how.
    #[error("{0}")]
    BadSeats(String),
    /// A field of the order is wrong; the text names it.
    #[error("{0}")]
    BadField(String),
    /// The host itself asked for what makes no sense.
    #[error("{0}")]
    Nonsense(&'static str),
}

impl MatchRefusal {
    /// The name of it that callers see.
    pub fn code(&self) -> Code {
        match self {
            Self::Rules(refusal) => Error::from(refusal.clone()).code(),
            Self::StalePly(_) | Self::TimeUp(_) => Code::StalePly,
            Self::NotYourTurn { .. } | Self::SeatOut(_) => Code::NotYourTurn,
            Self::NotStarted => Code::NotStarted,
            Self::Started => Code::Started,
            Self::MatchOver => Code::MatchOver,
            Self::NoSuchSeat(_) | Self::BadSeats(_) => Code::BadSeats,
            Self::NotHeld(_) => Code::NotYourSeat,
            Self::SeatTaken(_) => Code::SeatTaken,
            Self::NoOpenSeat => Code::NoOpenSeat,
            Self::AlreadySeated(_) | Self::SeatKept(_) => Code::AlreadySeated,
            Self::Nobody => Code::TokenNeeded,
            Self::Removed => Code::Removed,
            Self::BadField(_) => Code::BadField,
            Self::Nonsense(_) => Code::Internal,
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
