//! What is asked of a live match, and what it replies.

use std::sync::Arc;
use std::time::Instant;

use engines::game::{Seat, Viewer};
use tokio::sync::{broadcast, oneshot};

use crate::catalogue::Offer;
use crate::domain::Stage;
use crate::error::Error;
use crate::matches::event::{Created, FoulKind, Holder, Stamped};
use crate::matches::idempotency::Stamp;
use crate::matches::ledger::{Caller, SeatNow};
use crate::matches::registry::holdings::SeatPlaces;
use crate::matches::service::{Act, Frame, Wanted};

type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// What is asked of a live match.
pub enum Ask {
    Join { wanted: Wanted, joiner: Box<Joiner>, reply: Reply<Seating> },
    Act { caller: Caller, act: Act, reply: Reply<Told> },
    End { by: Ender, reply: Reply<Told> },
    Remove { caller: Caller, seat: Seat, reply: Reply<Told> },
    Foul { caller: Caller, ply: u32, kind: FoulKind, detail: String, arrived: Instant, reply: Reply<()> },
    Page { caller: Caller, reply: Reply<Arc<Frame>> },
    Watch { caller: Caller, since: Option<u32>, reply: Reply<Watching> },
    Follow { caller: Caller, seat: Seat, reply: Reply<Following> },
    Look { caller: Caller, reply: Reply<Look> },
}

/// A caller who wants a seat.
#[derive(Clone)]
pub struct Joiner {
    pub caller: Caller,
    /// What will hold the seat.
    pub holder: Holder,
    pub request: Option<Stamp>,
    /// What the seat counts as, or why the caller may take no more.
    pub places: Result<Option<SeatPlaces>, Error>,
}

/// Who wants to end a match.
#[derive(Clone, Debug)]
pub enum Ender {
    /// This caller, who must be its maker.
    Maker(Caller),
    /// The operator of the server.
    Operator,
}

/// What came of wanting to join.
pub enum Seating {
    /// A seat, and what holds it.
    Seated(Seat, Holder),
    /// The same was asked for before: what it came to is kept with the request.
    AskedBefore,
}

/// What came of an act.
pub enum Told {
    /// This event.
    Now(Arc<Frame>),
    /// This event, which happened before.
    Before { seq: u32, viewer: Viewer, offer: &'static Offer },
}

/// The beginning of following a match as a viewer.
pub struct Watching {
    pub page: Arc<Frame>,
    pub viewer: Viewer,
    /// The number of seats.
    pub seats: usize,
    pub offer: &'static Offer,
    /// The number of events that the page knows of.
    pub upto: u32,
    pub live: Option<broadcast::Receiver<Arc<Frame>>>,
}

/// The beginning of following a match as a referee.
pub struct Following {
    pub upto: u32,
    pub live: Option<broadcast::Receiver<Arc<Stamped>>>,
}

/// A match as it is now.
pub struct Look {
    pub created: Created,
    pub seats: Vec<SeatNow>,
    pub stage: Stage,
    pub offer: &'static Offer,
    /// The caller's.
    pub seat: Option<Seat>,
}

impl Ask {
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
            Self::Look { reply, .. } => drop(reply.send(Err(error))),
        }
    }
}
