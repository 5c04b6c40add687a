//! Who looks on: a channel for each kind of viewer somebody is, and one for referees of foreign bots. What is shown is
//! rendered once for all of a kind, and only where there are some.

use std::sync::Arc;

use engines::game::Viewer;
use tokio::sync::broadcast;

use crate::matches::event::LoggedEvent;
use crate::matches::ledger::Ledger;
use crate::matches::render;
use crate::matches::service::RenderedEvent;

/// Everybody who follows a match.
pub struct Audience {
    /// How far behind a reader may fall before it is told to come back.
    behind: usize,
    viewers: Vec<(Viewer, broadcast::Sender<Arc<RenderedEvent>>)>,
    referees: Option<broadcast::Sender<Arc<LoggedEvent>>>,
}

impl Audience {
    /// Nobody, as yet.
    pub fn new(behind: usize) -> Self {
        Self { behind, viewers: Vec::new(), referees: None }
    }

    /// What this viewer will see from now on.
    pub fn watch(&mut self, viewer: Viewer) -> broadcast::Receiver<Arc<RenderedEvent>> {
        if let Some((_, channel)) = self.viewers.iter().find(|(who, _)| *who == viewer) {
            return channel.subscribe();
        }
        let (channel, receiver) = broadcast::channel(self.behind);
        self.viewers.push((viewer, channel));
        receiver
    }

    /// All that will happen from now on.
    pub fn follow(&mut self) -> broadcast::Receiver<Arc<LoggedEvent>> {
        let behind = self.behind;
        self.referees.get_or_insert_with(|| broadcast::channel(behind).0).subscribe()
    }

    /// Shows an event that was just applied to this ledger to everybody; its frame for `also`, who asked for it.
    pub fn show(
        &mut self,
        ledger: &Ledger,
        stamped: &Arc<LoggedEvent>,
        also: Option<Viewer>,
    ) -> Option<Arc<RenderedEvent>> {
        let mut asked = None;
        for (viewer, channel) in &self.viewers {
            if channel.receiver_count() > 0 {
                let frame = render::frame(ledger, stamped, *viewer);
                if also == Some(*viewer) {
                    asked = Some(Arc::clone(&frame));
                }
                // Nobody there any more is fine.
                let _ = channel.send(frame);
            }
        }
        if let Some(channel) = &self.referees {
            let _ = channel.send(Arc::clone(stamped));
        }
        asked.or_else(|| also.map(|viewer| render::frame(ledger, stamped, viewer)))
    }

    /// Tells all viewers something that is the same for each and no event.
    pub fn tell(&mut self, frame: &Arc<RenderedEvent>) {
        for (_, channel) in &self.viewers {
            // A viewer may have gone; ignore the error.
            let _ = channel.send(Arc::clone(frame));
        }
    }

    /// Whether nobody follows. What was kept for those who have gone is given back.
    pub fn is_empty(&mut self) -> bool {
        self.viewers.retain(|(_, channel)| channel.receiver_count() > 0);
        if self.referees.as_ref().is_some_and(|channel| channel.receiver_count() == 0) {
            self.referees = None;
        }
        self.viewers.is_empty() && self.referees.is_none()
    }

    /// Nothing more will come.
    pub fn close(&mut self) {
        *self = Self::new(self.behind);
    }
}
