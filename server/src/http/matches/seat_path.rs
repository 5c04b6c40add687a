//! The seat in the path of a request.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use engines::game::Seat;

use crate::app::App;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;

/// The seat in the path.
pub(crate) enum SeatOf {
    /// This seat.
    Number(Seat),
    /// `me`: the caller's seat.
    Mine,
}

impl FromRequestParts<&'static App> for SeatOf {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app).await.ok();
        let text = params.as_ref().and_then(|p| p.iter().find(|(name, _)| *name == "seat")).map(|(_, v)| v);
        match text {
            Some("me") => Ok(Self::Mine),
            Some(number) if number.parse::<u8>().is_ok_and(|n| n.to_string() == number) => {
                Ok(Self::Number(Seat(number.parse().unwrap_or_default())))
            }
            _ => Err(Error::new(Code::NotFound, "a seat is a number from 0 on, or me")),
        }
    }
}

impl SeatOf {
    /// The number of the seat.
    ///
    /// # Errors
    /// `not_your_seat` where the caller holds no seat; those of a page.
    pub(super) async fn of(self, app: &App, id: &MatchId, caller: &Caller) -> Result<Seat, Error> {
        let seat = match self {
            Self::Number(seat) => return Ok(seat),
            Self::Mine => app.matches.page(id, caller).await?.place.seat,
        };
        seat.ok_or_else(|| {
            Error::new(Code::NotYourSeat, "the token holds no seat here: join the match first")
        })
    }
}
