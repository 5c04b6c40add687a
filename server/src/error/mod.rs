//! The one error of the server: it knows its stable code and its log level. It reveals nothing about the inside of the server
//! to a caller. `request::problem` turns it into a response.

mod code;

use std::sync::Arc;
use std::time::Duration;

use engines::erased::{Refusal, RefusalCode};
use serde_json::value::RawValue;

use crate::domain::scope::{Right, TokenScope};
use crate::domain::token;

pub use code::{Class, Code};

/// The time after which to retry a request that failed because the database is unavailable.
const STORE_RETRY_AFTER: Duration = Duration::from_secs(2);

/// A request that cannot be served, and why.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {detail}", code.name())]
pub struct Error {
    code: Code,
    detail: String,
    retry_after: Option<Duration>,
    current: Option<Arc<CurrentMatch>>,
}

/// A match as it is now, for a caller whose request was made for an earlier state of it.
#[derive(Debug)]
pub struct CurrentMatch {
    /// Moves made so far.
    pub ply: u32,
    /// The page of the match as the caller may see it, JSON.
    pub page: Box<RawValue>,
}

impl Error {
    /// An error with this code; `detail`: the error and its place. It may quote the request; tokens in it are masked.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: token::hidden(detail.into()), retry_after: None, current: None }
    }

    /// The error when all engines are busy for this long.
    pub fn busy(detail: String, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::Busy, detail) }
    }

    /// The error when the database cannot be read or written now, for this reason.
    pub fn store_unavailable(why: &str) -> Self {
        let detail = format!("the database is unavailable ({why}); clocks are stopped meanwhile");
        Self::new(Code::StoreUnavailable, detail).retry_after(STORE_RETRY_AFTER)
    }

    /// The caller's address is banned.
    pub fn banned() -> Self {
        Self::new(Code::Banned, "the operator of this server has banned this address")
    }

    /// The token was valid once.
    pub fn token_ended() -> Self {
        Self::new(Code::BadToken, "the token was replaced or revoked")
    }

    /// The token was valid until a moment ago.
    pub fn token_expired() -> Self {
        Self::new(Code::TokenExpired, "the token has expired; make another one (POST /v1/me/tokens)")
    }

    /// The token of this scope lacks a right.
    pub fn scope_needed(right: Right, has: TokenScope) -> Self {
        let (code, needed) = match right {
            // Every token has this right.
            Right::Read => (Code::BadToken, "a token that is valid"),
            Right::Play => (Code::PlayScopeNeeded, "a token of the scope play"),
            Right::Manage => (Code::ManageScopeNeeded, "a token of the scope manage"),
            Right::Account => (Code::AccountTokenNeeded, "the account's own token (kbp_...) or a sign-in"),
        };
        Self::new(code, format!("this needs {needed}; the token has the scope {}", has.name()))
    }

    /// This node has lost the database that it shares with others.
    pub fn cut_off() -> Self {
        let detail = "this node has lost its database: connect again, to another node if there is one";
        Self::new(Code::StoreUnavailable, detail).retry_after(STORE_RETRY_AFTER)
    }

    /// The error when the server takes no new work.
    pub fn stopping() -> Self {
        let retry_after = Some(Duration::from_secs(1));
        Self { retry_after, ..Self::new(Code::Stopping, "the server is stopping and takes no new work") }
    }

    /// Adds the time after which a retry may succeed.
    pub fn retry_after(self, time: Duration) -> Self {
        Self { retry_after: Some(time), ..self }
    }

    /// Adds the match as it is now, for a caller who may see it.
    pub fn with_match(self, current: CurrentMatch) -> Self {
        Self { current: Some(Arc::new(current)), ..self }
    }

    /// The match as it is now, if it has gone on.
    pub fn current_match(&self) -> Option<&CurrentMatch> {
        self.current.as_deref()
    }

    /// The kind of the error.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The detail for the caller. Internal failures are masked.
    pub fn detail(&self) -> &str {
        match self.code {
            Code::Internal => "the server failed; a retry may help",
            Code::EngineFailed => "the engine failed at this decision; a retry may help",
            _ => &self.detail,
        }
    }

    /// The time after which a retry may succeed.
    pub fn comes_back_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Writes the error to the log: failures of the server at level `error`, refusals at `info` or `debug`. The line has the
    /// id of the request for which this code runs, as all lines of the log have.
    pub fn log(&self) {
        let (code, detail) = (self.code.name(), &self.detail);
        match self.code {
            Code::Internal | Code::EngineFailed | Code::StoreUnavailable => {
                tracing::error!(code, detail, "failed")
            }
            Code::Busy | Code::TooManySockets | Code::Overloaded => tracing::info!(code, detail, "refused"),
            _ => tracing::debug!(code, detail, "refused"),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.code {
            RefusalCode::BadOptions => Code::BadOptions,
            RefusalCode::BadPosition => Code::BadPosition,
            RefusalCode::BadMove => Code::BadMove,
            RefusalCode::BadDialogue => Code::BadDialogue,
            RefusalCode::UnknownFormat => Code::UnknownFormat,
            RefusalCode::UnknownEngine => Code::UnknownEngine,
            RefusalCode::EngineFailed => Code::EngineFailed,
            RefusalCode::PositionFinished => Code::PositionFinished,
            RefusalCode::NotToMove => Code::NotToMove,
            RefusalCode::MatchOver => Code::MatchOver,
            RefusalCode::NotYourTurn => Code::NotYourTurn,
            RefusalCode::IllegalMove => Code::IllegalMove,
            RefusalCode::NoBotSeat => Code::NoBotSeat,
            // The server itself keeps states and names, and asks for no numbers, so these cannot be the caller's mistakes.
            RefusalCode::BadState | RefusalCode::BadNames | RefusalCode::NoEncoding => {
                return Self::new(Code::Internal, format!("{}: {}", refusal.code, refusal.detail));
            }
        };
        Self::new(code, refusal.detail)
    }
}
