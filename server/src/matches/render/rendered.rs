//! A value rendered once for all viewers of a kind, with the numbers that readers would otherwise parse out of its
//! JSON.

use bytes::Bytes;
use engines::game::{Seat, Viewer};
use serde::Serialize;

use crate::matches::ledger::Ledger;

/// An event, the page of a match or the state of its clocks, as one kind of viewer sees it.
#[derive(Clone, Debug)]
pub struct RenderedEvent {
    /// The place of the event in the log; `None` if it is no event.
    pub seq: Option<u32>,
    /// The type of the event; `match` for the page, `clock` for the clocks, `presence` for the connected seats.
    pub kind: &'static str,
    /// The place of the match after it.
    pub place: ViewerPosition,
    /// A JSON object, without line breaks.
    pub json: Bytes,
}

/// Two are equal if all viewers receive the same bytes for them.
impl PartialEq for RenderedEvent {
    fn eq(&self, other: &Self) -> bool {
        (self.seq, self.kind, &self.json) == (other.seq, other.kind, &other.json)
    }
}

/// The progress of a match, and the seat of its viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewerPosition {
    /// The place of the last event in the log.
    pub seq: u32,
    /// The number of moves made so far, those of penalties included.
    pub ply: u32,
    /// The viewer's own seat.
    pub seat: Option<Seat>,
}

impl ViewerPosition {
    /// The place of a match whose last event is `seq`.
    pub fn of(ledger: &Ledger, seq: u32, viewer: Viewer) -> Self {
        let seat = match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        };
        Self { seq, ply: ledger.ply(), seat }
    }
}

/// A value as JSON.
pub(super) fn json(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("plain values with text keys").into()
}
