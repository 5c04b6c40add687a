//! The input of a writer, in either database: requests, the content of one transaction, and heartbeats.

use std::time::Instant;

use tokio::sync::{mpsc, oneshot};

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::domain::{MatchId, PlayerRef};
use crate::store::downtime::Span;
use crate::store::writing::holds::HoldChange;
use crate::store::{Append, NewBot, StoreChange, StoreError, StoredRequest};

/// The maximum number of requests in one transaction.
pub(in crate::store) const MAX_REQUESTS: usize = 256;

/// One request to the writer.
pub(in crate::store) enum WriteCommand {
    /// Appends events.
    Append(Append),
    /// Adds a player.
    Player(NewPlayer),
    /// Records that this node serves from this time on.
    Serve(Millis),
    /// Changes accounts, bans or old matches.
    Change(StoreChange),
    /// Runs any statement, for tests.
    #[cfg(test)]
    Raw(&'static str),
}

/// A player to add.
pub(in crate::store) struct NewPlayer {
    /// The player.
    pub who: PlayerRef,
    /// The hash of the player's token.
    pub key: KeyHash,
    /// The time at which the account was created.
    pub created_ms: Millis,
    /// The request that caused this.
    pub request: Option<StoredRequest>,
    /// Of a bot: its description of itself, as JSON, and the most bots of its owner.
    pub bot: Option<(String, u32)>,
    /// The key of the invitation by which the player is created.
    pub invitation: Option<KeyHash>,
}

impl From<NewBot> for NewPlayer {
    fn from(NewBot { who, key, created_ms, about, most, request }: NewBot) -> Self {
        Self { who, key, created_ms, request, bot: Some((about, most)), invitation: None }
    }
}

impl WriteCommand {
    /// Whether it changes ratings, or counts a rated match that begins.
    pub(in crate::store) fn changes_ratings(&self) -> bool {
        match self {
            Self::Append(append) => append.rated.is_some() || append.begins.is_some(),
            Self::Change(change) => change.changes_ratings(),
            _ => false,
        }
    }
}

/// The content of one transaction.
pub(in crate::store) struct Batch<'a> {
    /// The requests; each is carried out as if the ones before it were done.
    pub commands: &'a [&'a WriteCommand],
    /// Changes of holders.
    pub holds: &'a [(MatchId, HoldChange)],
    /// This node's heartbeat.
    pub heartbeat: Option<Heartbeat>,
}

/// The facts that a node records about itself about once a second.
#[derive(Debug, Default)]
pub(in crate::store) struct Heartbeat {
    /// The node serves at this time; or it began to stop at this time.
    pub at_ms: Millis,
    /// Whether it stops.
    pub stopping: bool,
    /// Times in which it could not write.
    pub downtimes: Vec<Span>,
    /// Turns that became visible late: the match, the event that gave the turn, and the time at which it became
    /// visible.
    pub shown: Vec<(MatchId, u32, Millis)>,
}

/// A request to write, and the receiver of its result.
pub(in crate::store) struct WriteRequest {
    /// The command to carry out.
    pub command: WriteCommand,
    /// The time of the request.
    pub made: Instant,
    /// Receives the result. The receiver may be gone: the request is carried out nevertheless.
    pub reply: oneshot::Sender<Result<WriteReceipt, StoreError>>,
}

/// The result of a request that is on disk.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct WriteReceipt {
    /// How long that took, in microseconds.
    pub took_us: u64,
    /// The number of players, bans or matches that were added or changed.
    pub changed: u64,
}

/// Clients that just received a response often send their next request at once. As long as more requests arrive, give
/// each client a turn to send its own, since all share the wait for the disk.
pub(in crate::store) async fn gather(
    queue: &mut mpsc::Receiver<WriteRequest>,
    requests: &mut Vec<WriteRequest>,
) {
    while requests.len() < MAX_REQUESTS {
        tokio::task::yield_now().await;
        let before = requests.len();
        while requests.len() < MAX_REQUESTS
            && let Ok(request) = queue.try_recv()
        {
            requests.push(request);
        }
        if requests.len() == before {
            break;
        }
    }
}

/// The time at which the earliest event of these requests was decided.
pub(in crate::store) fn oldest_event(requests: &[WriteRequest]) -> Option<Millis> {
    let events = requests.iter().filter_map(|request| match &request.command {
        WriteCommand::Append(append) => append.events.first().map(|event| event.at_ms),
        _ => None,
    });
    events.min()
}
