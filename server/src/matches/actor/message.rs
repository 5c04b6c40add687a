//! The messages to the actor of a live match, and its replies.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use engines::game::{Seat, Viewer};
use tokio::sync::{broadcast, oneshot};

use crate::catalogue::Offer;
use crate::domain::Stage;
use crate::domain::request_id::RequestId;
use crate::domain::time::Millis;
use crate::error::Error;
use crate::matches::chat::ChatMessage;
use crate::matches::event::{Created, FoulKind, Holder, LoggedEvent};
use crate::matches::idempotency::RequestStamp;
use crate::matches::ledger::{Caller, SeatNow};
use crate::matches::registry::holdings::SeatPlaces;
use crate::matches::registry::presence::SeatConnection;
use crate::matches::render::RenderedEvent;
use crate::matches::request::{SeatAction, SeatChoice};

type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// A message in the mailbox of an actor.
pub(crate) struct MailedMessage {
    pub message: MatchMessage,
    /// The request for which it was sent.
    pub request: Option<RequestId>,
}

/// A message to the actor.
pub(crate) enum MatchMessage {
    Join {
        wanted: SeatChoice,
        joiner: Box<SeatClaim>,
        reply: Reply<JoinOutcome>,
    },
    Act {
        caller: Caller,
        act: SeatAction,
        reply: Reply<ActionOutcome>,
    },
    End {
        by: EndedBy,
        reply: Reply<ActionOutcome>,
    },
    Remove {
        caller: Caller,
        seat: Seat,
        reply: Reply<ActionOutcome>,
    },
    Foul {
        caller: Caller,
        ply: u32,
        kind: FoulKind,
        detail: String,
        arrived: Instant,
        reply: Reply<()>,
    },
    SetReferee {
        caller: Caller,
        seat: Seat,
        settings: BTreeMap<String, String>,
        reply: Reply<()>,
    },
    Page {
        caller: Caller,
        reply: Reply<Arc<RenderedEvent>>,
    },
    Watch {
        caller: Caller,
        since: Option<u32>,
        reply: Reply<ViewerStart>,
    },
    Follow {
        caller: Caller,
        seat: Seat,
        reply: Reply<RefereeStart>,
    },
    Snapshot {
        caller: Caller,
        reply: Reply<MatchSnapshot>,
    },
    NewChat {
        message: ChatMessage,
        reply: Reply<()>,
    },
    /// The match was deleted.
    Gone {
        reply: Reply<()>,
    },
}

/// A caller who wants a seat.
#[derive(Clone)]
pub(crate) struct SeatClaim {
    pub caller: Caller,
    /// The future holder of the seat.
    pub holder: Holder,
    pub request: Option<RequestStamp>,
    /// The amounts that the seat counts toward the limits of its address, or the reason why the caller may
    /// take no more seats.
    pub places: Result<Option<SeatPlaces>, Error>,
}

/// The party that ends a match.
#[derive(Clone, Debug)]
pub(crate) enum EndedBy {
    /// A caller, who must be the creator.
    Maker(Box<Caller>),
    /// The operator of the server.
    Operator,
}

/// The outcome of a request for a seat.
pub(crate) enum JoinOutcome {
    /// The seat and its holder.
    Seated(Seat, Holder),
    /// The same request was made before; its result is stored with it.
    AskedBefore,
}

pub(crate) enum ActionOutcome {
    /// It has become this event.
    Now(Arc<RenderedEvent>),
    /// It was performed before; its event has this place.
    Before { seq: u32, viewer: Viewer, offer: &'static Offer },
}

/// The start of a stream for a viewer.
pub(crate) struct ViewerStart {
    pub page: Arc<RenderedEvent>,
    pub viewer: Viewer,
    /// The number of seats.
    pub seats: usize,
    pub offer: &'static Offer,
    /// The number of events that the page includes.
    pub upto: u32,
    pub live: Option<broadcast::Receiver<Arc<RenderedEvent>>>,
    pub connection: Option<SeatConnection>,
    /// Whether it is sealed.
    pub sealed: bool,
}

/// The start of a stream for a referee.
pub(crate) struct RefereeStart {
    pub upto: u32,
    pub live: Option<broadcast::Receiver<Arc<LoggedEvent>>>,
    pub connection: Option<SeatConnection>,
}

/// The state of a match.
pub(crate) struct MatchSnapshot {
    pub created: Created,
    pub seats: Vec<SeatNow>,
    pub stage: Stage,
    pub offer: &'static Offer,
    /// The seat of the caller.
    pub seat: Option<Seat>,
    /// Whether it is sealed.
    pub sealed: bool,
    /// The turn that runs.
    pub turn: Option<RunningTurn>,
}

/// The turn that runs in a match.
pub(crate) struct RunningTurn {
    pub seat: Seat,
    pub ply: u32,
    /// When it ends by itself; `None`: at once, or never.
    pub end_ms: Option<Millis>,
    /// The end of the vacation of its player, for which its clock is paused; `None`: there is none.
    pub vacation_until_ms: Option<Millis>,
    /// Whether the player of the seat follows the match by a stream.
    pub follows: bool,
}

impl MatchMessage {
    /// Refuses the message with this error.
    pub(crate) fn refuse(self, error: Error) {
        // The caller may have gone; ignore the error.
        match self {
            Self::Join { reply, .. } => drop(reply.send(Err(error))),
            Self::Act { reply, .. } => drop(reply.send(Err(error))),
            Self::End { reply, .. } => drop(reply.send(Err(error))),
            Self::Remove { reply, .. } => drop(reply.send(Err(error))),
            Self::Foul { reply, .. } => drop(reply.send(Err(error))),
            Self::SetReferee { reply, .. } => drop(reply.send(Err(error))),
            Self::Page { reply, .. } => drop(reply.send(Err(error))),
            Self::Watch { reply, .. } => drop(reply.send(Err(error))),
            Self::Follow { reply, .. } => drop(reply.send(Err(error))),
            Self::Snapshot { reply, .. } => drop(reply.send(Err(error))),
            Self::NewChat { reply, .. } => drop(reply.send(Err(error))),
            Self::Gone { reply } => drop(reply.send(Err(error))),
        }
    }
}
