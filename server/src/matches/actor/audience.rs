//! The subscribers of a match: one channel per kind of viewer, and one for referees of foreign bots. An event is
//! rendered once per kind, and only if that kind has subscribers. Spectators, who may be many, come after the seats.

use std::sync::Arc;

use engines::erased::MoveText;
use engines::game::Viewer;
use tokio::sync::broadcast;

use crate::matches::chat::ChatRoom;
use crate::matches::event::LoggedEvent;
use crate::matches::ledger::Ledger;
use crate::matches::render;
use crate::matches::render::RenderedEvent;

/// How many events the stream of a seat may lag, at most. The others wait for a seat at its turn, so it cannot lag much, and
/// each channel takes memory for as many.
const SEAT_BEHIND: usize = 64;

/// The subscribers of a match.
pub(crate) struct Audience {
    /// How many events a subscriber may lag before it must reconnect.
    behind: usize,
    viewers: Vec<(Viewer, broadcast::Sender<Arc<RenderedEvent>>)>,
    /// The frames that spectators have not been sent yet.
    unreleased: Vec<Arc<RenderedEvent>>,
    referees: Option<broadcast::Sender<Arc<LoggedEvent>>>,
}

impl Audience {
    /// No subscribers.
    pub(crate) fn new(behind: usize) -> Self {
        Self { behind, viewers: Vec::new(), unreleased: Vec::new(), referees: None }
    }

    /// Subscribes a viewer to all further events.
    pub(crate) fn watch(&mut self, viewer: Viewer) -> broadcast::Receiver<Arc<RenderedEvent>> {
        // The new subscriber's page includes the frames that wait here.
        self.release();
        if let Some((_, channel)) = self.viewers.iter().find(|(who, _)| *who == viewer) {
            return channel.subscribe();
        }
        let behind = match viewer {
            Viewer::Seat(_) => self.behind.min(SEAT_BEHIND),
            Viewer::Spectator => self.behind,
        };
        let (channel, receiver) = broadcast::channel(behind);
        self.viewers.push((viewer, channel));
        receiver
    }

    /// Subscribes a referee to all further events, with their secrets.
    pub(crate) fn follow(&mut self) -> broadcast::Receiver<Arc<LoggedEvent>> {
        let behind = self.behind;
        self.referees.get_or_insert_with(|| broadcast::channel(behind).0).subscribe()
    }

    /// Renders an applied event and sends it to all seats; spectators get it with [`Self::release`]. `mv`: its move, if it
    /// was read already; `also`: a viewer for whom the event is rendered in any case and returned.
    pub(crate) fn show(
        &mut self,
        ledger: &Ledger,
        stamped: &Arc<LoggedEvent>,
        mv: Option<MoveText>,
        also: Option<Viewer>,
    ) -> Option<Arc<RenderedEvent>> {
        let mv = mv.or_else(|| render::played(ledger, stamped));
        let render = |viewer| render::event(ledger, stamped, viewer, mv.as_ref());
        // The event is rendered for all before the first viewer gets it, so that the answer to the caller follows at once.
        let followed = self.viewers.iter().filter(|(_, channel)| channel.receiver_count() > 0);
        let rendered: Vec<_> =
            followed.map(|(viewer, channel)| (*viewer, channel, render(*viewer))).collect();
        let asked = also.map(|also| {
            let found = rendered.iter().find(|(viewer, ..)| *viewer == also);
            found.map_or_else(|| render(also), |(.., event)| Arc::clone(event))
        });
        for (viewer, channel, event) in rendered {
            match viewer {
                Viewer::Spectator => self.unreleased.push(event),
                // The subscriber may have gone; ignore the error.
                Viewer::Seat(_) => drop(channel.send(event)),
            }
        }
        if let Some(channel) = &self.referees {
            let _ = channel.send(Arc::clone(stamped));
        }
        asked
    }

    /// Sends all viewers a frame that is the same for each and is no event.
    pub(crate) fn tell(&mut self, frame: &Arc<RenderedEvent>) {
        for (viewer, channel) in &self.viewers {
            match viewer {
                Viewer::Spectator => self.unreleased.push(Arc::clone(frame)),
                // The subscriber may have gone; ignore the error.
                Viewer::Seat(_) => drop(channel.send(Arc::clone(frame))),
            }
        }
    }

    /// Sends the seats, or the spectators, a message of their chat.
    pub(crate) fn tell_room(&mut self, room: ChatRoom, frame: &Arc<RenderedEvent>) {
        for (viewer, channel) in &self.viewers {
            match (room, viewer) {
                (ChatRoom::Spectators, Viewer::Spectator) => self.unreleased.push(Arc::clone(frame)),
                // The subscriber may have gone; ignore the error.
                (ChatRoom::Players, Viewer::Seat(_)) => drop(channel.send(Arc::clone(frame))),
                _ => {}
            }
        }
    }

    /// Whether frames for spectators wait.
    pub(crate) fn is_unreleased(&self) -> bool {
        !self.unreleased.is_empty()
    }

    /// Sends spectators the frames that the seats have been sent. Called when the player who made the move has the answer,
    /// because sending to a thousand spectators takes as long as many moves. The events of one commit go out together.
    pub(crate) fn release(&mut self) {
        let spectators = self.viewers.iter().find(|(viewer, _)| *viewer == Viewer::Spectator);
        for frame in self.unreleased.drain(..) {
            // They may have gone; ignore the error.
            let _ = spectators.map(|(_, channel)| channel.send(frame));
        }
    }

    /// Whether there are no subscribers. Frees the channels of those who have gone.
    pub(crate) fn is_empty(&mut self) -> bool {
        self.viewers.retain(|(_, channel)| channel.receiver_count() > 0);
        if self.referees.as_ref().is_some_and(|channel| channel.receiver_count() == 0) {
            self.referees = None;
        }
        self.viewers.is_empty() && self.referees.is_none()
    }

    /// Closes all channels.
    pub(crate) fn close(&mut self) {
        self.release();
        *self = Self::new(self.behind);
    }
}
