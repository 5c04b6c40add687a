//! A dialogue behind a panic fence. Long transcripts are processed apart, at the expense of their address. It must not know
//! how the lines are transported.

use std::net::IpAddr;

use engines::erased::{AnySession, Awaits, Refusal};
use engines::game::Info;
use engines::protocol::{Entry, KeptSetting, Lines, ProtocolError};

use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::ClientId;
use crate::error::{Code, Error};
use crate::limits::side_work::SideWork;
use crate::recovery::catch_panic::catch_panic;

/// Texts of more bytes are processed apart; queues of more entries on a blocking thread.
const LONG_TEXT: usize = 2 << 10;
const LONG_QUEUE: usize = 500;

/// Reads the texts of a caller for a dialogue of one game.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    /// Where long texts are processed.
    side_work: &'static SideWork,
    /// The address of the caller.
    network: IpAddr,
    /// The facts of the game.
    game: &'static Info,
}

impl Reader {
    /// A reader for this caller and game.
    pub(crate) fn new(app: &App, client: &ClientId, offer: &Offer) -> Self {
        Self { side_work: app.side_work, network: client.network(), game: offer.info }
    }

    /// Checks that a dialogue of the game can be as long as this text.
    fn check_length(&self, text: &str) -> Result<(), Error> {
        let Info { title, max_dialogue_bytes: most, .. } = self.game;
        if text.len() <= *most || Entry::bytes(text) <= *most {
            return Ok(());
        }
        let detail = format!("a dialogue of {title} has at most {most} bytes without its remarks");
        Err(Error::new(Code::BodyTooLarge, detail))
    }
}

/// A dialogue in progress. Any error ends it.
pub(crate) struct FencedDialogue(Box<dyn AnySession>);

impl FencedDialogue {
    /// A dialogue on this session.
    pub(crate) fn new(session: Box<dyn AnySession>) -> Self {
        Self(session)
    }

    /// Reads a whole transcript, or an official input as the bot would read it.
    ///
    /// # Errors
    /// `bad_dialogue`, `body_too_large`, `too_many`; `internal` after a panic.
    pub(crate) async fn hear_all(self, text: String, reader: Reader) -> Result<(Self, Awaits), Error> {
        self.hear(text, Entry::parse_all, reader).await
    }

    /// Reads lines of a transcript. Returns what the dialogue awaits then.
    ///
    /// # Errors
    /// As [`Self::hear_all`].
    pub(crate) async fn hear_lines(self, text: String, reader: Reader) -> Result<(Self, Awaits), Error> {
        self.hear(text, lines, reader).await
    }

    async fn hear(
        mut self,
        text: String,
        parse: fn(&str) -> Result<Vec<Entry>, ProtocolError>,
        reader: Reader,
    ) -> Result<(Self, Awaits), Error> {
        reader.check_length(&text)?;
        let long = text.len() > LONG_TEXT;
        let read = move || {
            let awaits = catch_panic(|| {
                self.0.push(parse(&text)?);
                self.0.advance()
            })??;
            Ok((self, awaits))
        };
        if long { reader.side_work.run(reader.network, read).await? } else { read() }
    }

    /// Queues lines until the pending decision is made.
    ///
    /// # Errors
    /// `bad_dialogue` when they are not lines of a transcript.
    pub(crate) fn keep(&mut self, text: &str) -> Result<(), Error> {
        self.0.push(lines(text).map_err(Refusal::from)?);
        Ok(())
    }

    /// Answers the pending question with this move.
    ///
    /// # Errors
    /// As [`Self::hear_all`].
    pub(crate) async fn decide(self, notation: String) -> Result<(Self, Awaits), Error> {
        let long = self.waiting() > LONG_QUEUE;
        self.catch_panic(long, move |session| session.decide(&notation)).await
    }

    /// Reports that no entry arrived within the time of [`Awaits::EntryWithin`].
    ///
    /// # Errors
    /// As [`Self::hear_all`].
    pub(crate) async fn silence(self) -> Result<(Self, Awaits), Error> {
        self.catch_panic(false, |session| Ok(session.silence())).await
    }

    /// Takes the lines to print now.
    pub(crate) fn take_lines(&mut self) -> Lines {
        self.0.take_lines()
    }

    /// Takes the contradictions to our rules since the last call, one sentence each.
    pub(crate) fn take_remarks(&mut self) -> Lines {
        self.0.take_remarks()
    }

    /// Whether the dialogue understood at least one line that it read.
    pub(crate) fn has_understood(&self) -> bool {
        self.0.has_understood()
    }

    /// Settings to give to a later dialogue of the same match.
    pub(crate) fn to_keep(&self) -> Vec<KeptSetting> {
        self.0.keep()
    }

    /// The number of entries that are queued behind a decision.
    pub(crate) fn waiting(&self) -> usize {
        self.0.waiting()
    }

    /// Does `work` behind the fence, on a blocking thread if it is `long`.
    async fn catch_panic(
        mut self,
        long: bool,
        work: impl FnOnce(&mut Box<dyn AnySession>) -> Result<Awaits, Refusal> + Send + 'static,
    ) -> Result<(Self, Awaits), Error> {
        let work = move || {
            let awaits = catch_panic(|| work(&mut self.0))??;
            Ok((self, awaits))
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

/// The entries of these lines. Empty lines are skipped.
fn lines(text: &str) -> Result<Vec<Entry>, ProtocolError> {
    text.split('\n').filter(|line| !line.trim_end_matches('\r').is_empty()).map(Entry::parse).collect()
}
