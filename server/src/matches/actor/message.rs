//! What is asked of a live match, and what it replies.

use std::sync::Arc;
use std::time::Instant;

use engines::game::{Seat, Viewer};
use tokio::sync::{broadcast, oneshot};

use crate::catalogue::Offer;
use crate::domain::Stage;
use crate::error::Error;
use crate::matches::event::{Created, FoulKind, Holder, LoggedEvent};
use crate::matches::idempotency::RequestStamp;
use crate::matches::ledger::{Caller, SeatNow};
use crate::matches::registry::holdings::SeatPlaces;
use crate::matches::service::{RenderedEvent, SeatAction, SeatChoice};

type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// What is asked of a live match.
pub enum MatchMessage {
    Join { wanted: SeatChoice, joiner: Box<JoinRequest>, reply: Reply<JoinOutcome> },
    Act { caller: Caller, act: SeatAction, reply: Reply<ActionOutcome> },
    End { by: EndedBy, reply: Reply<ActionOutcome> },
    Remove { caller: Caller, seat: Seat, reply: Reply<ActionOutcome> },
    Foul { caller: Caller, ply: u32, kind: FoulKind, detail: String, arrived: Instant, reply: Reply<()> },
    Page { caller: Caller, reply: Reply<Arc<RenderedEvent>> },
    Watch { caller: Caller, since: Option<u32>, reply: Reply<ViewerStart> },
    Follow { caller: Caller, seat: Seat, reply: Reply<RefereeStart> },
    Snapshot { caller: Caller, reply: Reply<MatchSnapshot> },
}

/// A caller who wants a seat.
#[derive(Clone)]
pub struct JoinRequest {
    pub caller: Caller,
    /// What will hold the seat.
    pub holder: Holder,
    pub request: Option<RequestStamp>,
    /// What the seat counts as, or why the caller may take no more.
    pub places: Result<Option<SeatPlaces>, Error>,
}

/// Who wants to end a match.
#[derive(Clone, Debug)]
pub enum EndedBy {
    /// This caller, who must be its maker.
    Maker(Caller),
    /// The operator of the server.
    Operator,
}

/// What came of wanting to join.
pub enum JoinOutcome {
    /// A seat, and what holds it.
    Seated(Seat, Holder),
    /// The same was asked for before: what it came to is kept with the request.
    AskedBefore,
}

/// What came of an act.
pub enum ActionOutcome {
    /// This event.
    Now(Arc<RenderedEvent>),
    /// This event, which happened before.
    Before { seq: u32, viewer: Viewer, offer: &'static Offer },
}

/// The beginning of following a match as a viewer.
pub struct ViewerStart {
    pub page: Arc<RenderedEvent>,
    pub viewer: Viewer,
    /// The number of seats.
    pub seats: usize,
    pub offer: &'static Offer,
    /// The number of events that the page knows of.
    pub upto: u32,
    pub live: Option<broadcast::Receiver<Arc<RenderedEvent>>>,
}

/// The beginning of following a match as a referee.
pub struct RefereeStart {
    pub upto: u32,
    pub live: Option<broadcast::Receiver<Arc<LoggedEvent>>>,
}

/// A match as it is now.
pub struct MatchSnapshot {
    pub created: Created,
    pub seats: Vec<SeatNow>,
    pub stage: Stage,
    pub offer: &'static Offer,
    /// The caller's.
    pub seat: Option<Seat>,
}

impl MatchMessage {
    /// Says no to whoever asks.
    pub fn refuse(self, error: Error) {
        // Nobody there any more is fine.
        match self {
            Self::Join { reply, .. } => drop(reply.send(Err(error))),
            Self::Act { reply, .. } => drop(reply.send(Err(error))),
            Self::End { reply, .. } => drop(reply.send(Err(error))),
            Self::Remove { reply, .. } => drop(reply.send(Err(error))),
            Self::Foul { reply, .. } => drop(reply.send(Err(error))),
            Self::Page { reply, .. } => drop(reply.send(Err(error))),
            Self::Watch { reply, .. } => drop(reply.send(Err(error))),
            Self::Follow { reply, .. } => drop(reply.send(Err(error))),
            Self::Snapshot { reply, .. } => drop(reply.send(Err(error))),
        }
    }
}
