//! The terms that two players agree on, and the choice of their seats. Pure.

use serde::{Deserialize, Serialize};

use crate::catalogue::{Offer, no_bot_seat};
use crate::domain::PlayerKind;
use crate::error::{Code, Error};
use crate::matches::clock::ClockSpec;
use crate::store::data::lobby::LobbyPlayer;

/// The terms of a challenge, as they are stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Terms {
    /// The game's short name.
    pub game: String,
    pub clock: Option<ClockSpec>,
    /// Whether the match is rated.
    pub rated: bool,
    /// The challenger's seat.
    pub seat: u8,
}

impl Terms {
    /// The terms in the form in which they are stored.
    pub(super) fn stored(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON")
    }

    /// Reads stored terms.
    ///
    /// # Errors
    /// `internal`.
    pub(super) fn read(stored: &str) -> Result<Self, Error> {
        serde_json::from_str(stored)
            .map_err(|_| Error::new(Code::Internal, "the terms of a challenge cannot be read"))
    }
}

/// A player, as far as the choice of seats goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeatCandidate {
    /// A person, a bot or an engine.
    pub kind: PlayerKind,
    /// Whether a bot knows the mirror dialogue, see [`engines::dialogue::MIRROR`].
    pub mirror: bool,
}

impl From<PlayerKind> for SeatCandidate {
    /// A player of this kind; a bot without the mirror dialogue.
    fn from(kind: PlayerKind) -> Self {
        Self { kind, mirror: false }
    }
}

/// The seat of the challenger in a match of two. `wanted`: only this seat; `toss`: decides where both seats are
/// possible.
///
/// # Errors
/// `bad_seats`, `no_bot_seat`.
pub(super) fn challenger_seat(
    offer: &Offer,
    challenger: impl Into<SeatCandidate>,
    opponent: impl Into<SeatCandidate>,
    wanted: Option<u8>,
    toss: bool,
) -> Result<u8, Error> {
    let info = offer.info;
    if !(info.min_seats..=info.max_seats).contains(&2) {
        return Err(Error::new(Code::BadSeats, format!("{} is not for two players", info.title)));
    }
    if wanted.is_some_and(|seat| seat > 1) {
        return Err(Error::new(Code::BadSeats, "seat: a match of two has the seats 0 and 1"));
    }
    let (challenger, opponent) = (challenger.into(), opponent.into());
    let fits = |candidate: SeatCandidate, seat| {
        candidate.kind != PlayerKind::Bot || info.bot_can_hold(seat, candidate.mirror)
    };
    let possible = |seat: &u8| fits(challenger, *seat) && fits(opponent, 1 - *seat);
    let seats = if toss { [0, 1] } else { [1, 0] };
    seats.into_iter().filter(|seat| wanted.is_none_or(|wanted| wanted == *seat)).find(possible).ok_or_else(
        || no_bot_seat(info, "leave that seat to the bot, or choose an opponent who can have the other"),
    )
}

/// Checks the conditions of a rated match between two players, before there is a match.
///
/// # Errors
/// `rated_clock`, `rated_owners`.
pub(super) fn check_rated(
    rated: bool,
    clock: Option<&ClockSpec>,
    one: &LobbyPlayer,
    other: &LobbyPlayer,
) -> Result<(), Error> {
    if let Some(clock) = clock {
        clock.check().map_err(|detail| Error::new(Code::BadField, detail))?;
    }
    if rated && clock.is_none() {
        return Err(Error::new(Code::RatedClock, "rated: a rated match needs a clock"));
    }
    if rated && one.who.owner_id() == other.who.owner_id() {
        return Err(Error::new(Code::RatedOwners, "rated: both players belong to the same person"));
    }
    Ok(())
}
