//! Byte streams over NATS, as the pipes of a process on another machine. NATS delivers in order, but may lose what is sent around a
//! reconnection: each part tells its position, so a loss ends the stream, and its process is started again elsewhere. Both ends send
//! a part every second, also when there is nothing to say: a silent stream is over.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::{Client, Message};
use tokio::sync::mpsc as queue;
use tokio_util::sync::CancellationToken;

use crate::bot_runner::remote::wire::{self, Content, StreamKey, StreamPart};

/// How often an end that has nothing to say tells that it is there.
const BEAT: Duration = Duration::from_secs(1);

/// A stream whose other end is silent for this long is over.
pub(super) const SILENCE: Duration = Duration::from_secs(5);

/// The most bytes of a part, well below NATS's limit of a megabyte.
const LONGEST_PART: usize = 256 * 1024;

/// The streams of a node or a worker.
#[derive(Clone)]
pub(super) struct Streams {
    client: Client,
    open: Arc<Mutex<HashMap<StreamKey, OpenStream>>>,
}

/// This end of a stream.
struct OpenStream {
    received: u64,
    heard: Instant,
    bytes: Sender<Vec<u8>>,
    ended: CancellationToken,
}

/// What a part was for.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A stream that is open, or was.
    Known,
    /// The beginning of a stream that is not open here.
    New(StreamPart),
}

impl Streams {
    pub(super) fn new(client: Client) -> Self {
        Self { client, open: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<StreamKey, OpenStream>> {
        // No holder of the lock can panic half-way.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens this end of a stream. `to`: the subject of the parts to its other end. Needs the runtime.
    pub(super) fn open(&self, stream: StreamKey, to: String) -> (StreamReader, StreamWriter) {
        let (bytes, incoming) = mpsc::channel();
        let (outgoing, to_send) = queue::unbounded_channel();
        let ended = CancellationToken::new();
        let open = OpenStream { received: 0, heard: Instant::now(), bytes, ended: ended.clone() };
        self.lock().insert(stream.clone(), open);
        tokio::spawn(send(self.client.clone(), stream, to, to_send, ended));
        (StreamReader { incoming, part: Vec::new(), at: 0 }, StreamWriter(outgoing))
    }

    /// Closes a stream; the other end learns it.
    pub(super) fn close(&self, stream: &StreamKey) {
        if let Some(open) = self.lock().remove(stream) {
            open.ended.cancel();
        }
    }

    /// Closes all streams.
    pub(super) fn close_all(&self) {
        for (_, open) in self.lock().drain() {
            open.ended.cancel();
        }
    }

    /// Closes the streams whose other ends are silent.
    pub(super) fn close_silent(&self) {
        self.lock().retain(|_, open| {
            let is_there = open.heard.elapsed() < SILENCE;
            if !is_there {
                open.ended.cancel();
            }
            is_there
        });
    }

    /// Takes a part of a stream.
    pub(super) fn take(&self, message: &Message) -> Incoming {
        let part: StreamPart = match postcard::from_bytes(&message.payload) {
            Ok(part) => part,
            Err(e) => {
                tracing::warn!(error = %e, "a part of a stream cannot be read");
                return Incoming::Known;
            }
        };
        let mut streams = self.lock();
        let Some(open) = streams.get_mut(&part.stream) else {
            let begins = part.position == 0 && part.content != Content::End;
            return if begins { Incoming::New(part) } else { Incoming::Known };
        };
        open.heard = Instant::now();
        let goes_on = part.position == open.received
            && match part.content {
                Content::Bytes(bytes) => {
                    open.received += bytes.len() as u64;
                    bytes.is_empty() || open.bytes.send(bytes).is_ok()
                }
                Content::End => false,
            };
        if !goes_on && let Some(open) = streams.remove(&part.stream) {
            open.ended.cancel();
        }
        Incoming::Known
    }
}

/// Sends what is written into a stream, until it ends.
async fn send(
    client: Client,
    stream: StreamKey,
    to: String,
    mut to_send: queue::UnboundedReceiver<Vec<u8>>,
    ended: CancellationToken,
) {
    let mut position = 0;
    // A failure shows as a lost part or as silence.
    let publish = async |position: u64, content: Content| {
        let part = StreamPart { stream: stream.clone(), position, content };
        let _ = client.publish(to.clone(), wire::to_bytes(&part)).await;
    };
    loop {
        let bytes = tokio::select! {
            biased;
            () = ended.cancelled() => break,
            bytes = to_send.recv() => match bytes {
                Some(bytes) => bytes,
                // The writer is gone; the reader may go on.
                None => {
                    ended.cancelled().await;
                    break;
                }
            },
            () = tokio::time::sleep(BEAT) => Vec::new(),
        };
        let mut rest = bytes.as_slice();
        loop {
            let (part, later) = rest.split_at(rest.len().min(LONGEST_PART));
            publish(position, Content::Bytes(part.to_vec())).await;
            position += part.len() as u64;
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
    }
    publish(position, Content::End).await;
}

/// Reads what the other end has written. It ends when the stream is over.
pub(super) struct StreamReader {
    incoming: Receiver<Vec<u8>>,
    part: Vec<u8>,
    at: usize,
}

impl Read for StreamReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.part.len() {
            match self.incoming.recv() {
                Ok(part) => (self.part, self.at) = (part, 0),
                Err(mpsc::RecvError) => return Ok(0),
            }
        }
        let read = (&self.part[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

/// Writes to the other end. It never blocks.
pub(super) struct StreamWriter(queue::UnboundedSender<Vec<u8>>);

impl Write for StreamWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
