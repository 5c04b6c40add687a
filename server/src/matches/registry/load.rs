//! Rebuilds matches, and the events that a viewer saw, from logs. Long logs are replayed on a blocking thread.

use std::sync::Arc;

use engines::erased::AnyGame;
use engines::game::Viewer;

use crate::catalogue::Offer;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::matches::actor::requests::no_such_match;
use crate::matches::event::{Event, LoggedEvent};
use crate::matches::ledger::{InvalidLog, Ledger};
use crate::matches::registry::MatchRegistry;
use crate::matches::render;
use crate::matches::render::RenderedEvent;

/// Logs of at most this many events are replayed in place.
const MAX_IN_PLACE: usize = 32;

/// Rebuilds a match from its log.
pub(crate) async fn load(registry: &MatchRegistry, id: &MatchId) -> Result<Ledger, Error> {
    let log = registry.read_log(id, 0).await?;
    let Some(first) = log.first() else { return Err(no_such_match(id)) };
    let Event::Created(created) = &first.event else {
        return Err(broken(id, &"it does not begin with the creation"));
    };
    let game = registry.games.find(&created.game).map_err(|e| broken(id, &e))?.game;
    run_blocking_if_long(registry, log.len(), move || Ledger::load(game, &log))
        .await?
        .map_err(|e| broken(id, &e))
}

/// The events after `since` and before `upto`, each rendered as the viewer saw it then.
pub(crate) async fn frames(
    registry: &MatchRegistry,
    id: &MatchId,
    offer: &'static Offer,
    viewer: Viewer,
    since: u32,
    upto: u32,
) -> Result<Vec<Arc<RenderedEvent>>, Error> {
    if since + 1 >= upto {
        return Ok(Vec::new());
    }
    let mut log = registry.read_log(id, 0).await?;
    log.truncate(upto as usize);
    let game = offer.game;
    let replayed =
        run_blocking_if_long(registry, log.len(), move || replay(game, &log, viewer, since)).await?;
    replayed.map_err(|e| broken(id, &e))
}

fn replay(
    game: &dyn AnyGame,
    log: &[LoggedEvent],
    viewer: Viewer,
    since: u32,
) -> Result<Vec<Arc<RenderedEvent>>, InvalidLog> {
    let Some((first, rest)) = log.split_first() else { return Ok(Vec::new()) };
    let mut ledger = Ledger::load(game, std::slice::from_ref(first))?;
    let mut frames = Vec::new();
    for stamped in rest {
        ledger.apply(stamped)?;
        if stamped.seq > since {
            frames.push(render::event(&ledger, stamped, viewer, None));
        }
    }
    Ok(frames)
}

/// Does work on a log of `length` events, on a blocking thread if it is long.
async fn run_blocking_if_long<T: Send + 'static>(
    registry: &MatchRegistry,
    length: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    if length <= MAX_IN_PLACE {
        return Ok(work());
    }
    // The semaphore is never closed, so this always succeeds.
    let _permit = registry.replays.acquire().await;
    tokio::task::spawn_blocking(work).await.map_err(|_| {
        Error::new(Code::Internal, "a log could not be replayed: a game panicked, or the server stops")
    })
}

fn broken(id: &MatchId, what: &dyn std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("the log of match {id}: {what}"))
}
