//! A dialogue behind a fence: long transcripts are read beside the runtime, and a panic in a game's protocol ends
//! one dialogue, not more. It must not know who carries the lines.

use std::panic::{AssertUnwindSafe, catch_unwind};

use engines::erased::{AnySession, Awaits, Refusal};
use engines::protocol::{Entry, Lines, ProtocolError};

use crate::error::{Code, Error};

/// Texts longer than this, and queues longer than that, are worked off beside the runtime.
const LONG_TEXT: usize = 16 << 10;
const LONG_QUEUE: usize = 500;

/// A dialogue in progress. What fails ends it.
pub struct FencedDialogue(Box<dyn AnySession>);

impl FencedDialogue {
    /// A dialogue of this session.
    pub fn new(session: Box<dyn AnySession>) -> Self {
        Self(session)
    }

    /// Hears a whole transcript, or a bare official input.
    ///
    /// # Errors
    /// `bad_dialogue`; `internal` after a panic.
    pub async fn hear_all(self, text: String) -> Result<(Self, Awaits), Error> {
        self.hear(text, Entry::parse_all).await
    }

    /// Hears lines of a transcript; `awaits`: what the dialogue waits for after them.
    ///
    /// # Errors
    /// As [`Self::hear_all`].
    pub async fn hear_lines(self, text: String) -> Result<(Self, Awaits), Error> {
        self.hear(text, lines).await
    }

    async fn hear(
        self,
        text: String,
        parse: fn(&str) -> Result<Vec<Entry>, ProtocolError>,
    ) -> Result<(Self, Awaits), Error> {
        let long = text.len() > LONG_TEXT;
        self.fenced(long, move |session| {
            session.push(parse(&text)?);
            session.advance()
        })
        .await
    }

    /// Keeps lines for when the decision under way is made.
    ///
    /// # Errors
    /// `bad_dialogue` when they are no lines of a transcript.
    pub fn keep(&mut self, text: &str) -> Result<(), Error> {
        self.0.push(lines(text).map_err(Refusal::from)?);
        Ok(())
    }

    /// The decision that was asked for.
    ///
    /// # Errors
    /// As [`Self::hear_all`].
    pub async fn decide(self, notation: String) -> Result<(Self, Awaits), Error> {
        let long = self.waiting() > LONG_QUEUE;
        self.fenced(long, move |session| session.decide(&notation)).await
    }

    /// Nothing came for the time that [`Awaits::EntryWithin`] named.
    ///
    /// # Errors
    /// As [`Self::hear_all`].
    pub async fn silence(self) -> Result<(Self, Awaits), Error> {
        self.fenced(false, |session| Ok(session.silence())).await
    }

    /// The lines to print now, each once.
    pub fn take_lines(&mut self) -> Lines {
        self.0.take_lines()
    }

    /// What contradicted our rules since the last call, one sentence each.
    pub fn take_remarks(&mut self) -> Lines {
        self.0.take_remarks()
    }

    /// Whether at least one line that was read made sense.
    pub fn has_understood(&self) -> bool {
        self.0.has_understood()
    }

    /// Settings that a later dialogue of the same match should be given.
    pub fn to_keep(&self) -> Vec<(&'static str, String)> {
        self.0.keep()
    }

    /// Number of entries that wait behind a decision.
    pub fn waiting(&self) -> usize {
        self.0.waiting()
    }

    /// Does `work` behind the fence, beside the runtime if it is `long`.
    async fn fenced(
        mut self,
        long: bool,
        work: impl FnOnce(&mut Box<dyn AnySession>) -> Result<Awaits, Refusal> + Send + 'static,
    ) -> Result<(Self, Awaits), Error> {
        let work = move || match catch_unwind(AssertUnwindSafe(|| work(&mut self.0))) {
            Ok(awaits) => Ok((self, awaits?)),
            Err(_) => Err(Error::new(Code::Internal, "a protocol panicked")),
        };
        if !long {
            return work();
        }
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(_) => Err(Error::new(Code::Internal, "a dialogue was lost")),
        }
    }
}

/// The entries of these lines; empty ones are none.
fn lines(text: &str) -> Result<Vec<Entry>, ProtocolError> {
    text.split('\n').filter(|line| !line.trim_end_matches('\r').is_empty()).map(Entry::parse).collect()
}
