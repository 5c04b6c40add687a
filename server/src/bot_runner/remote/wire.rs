//! The messages between nodes and the workers that run programs, in the format of `postcard` over NATS: announcements, and the parts
//! of byte streams. A worker learns modules and what programs read: no token, name, address or id of a match.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// The first words of all subjects. The streams carry frames whose format may change with every version of the program, so programs of
/// different versions do not meet.
const PREFIX: &str = concat!(
    "kibitz.runners.",
    env!("CARGO_PKG_VERSION_MAJOR"),
    "-",
    env!("CARGO_PKG_VERSION_MINOR"),
    "-",
    env!("CARGO_PKG_VERSION_PATCH")
);

/// The subject on which workers announce that they run programs.
pub(super) fn announcements() -> String {
    format!("{PREFIX}.announcements")
}

/// The subject of the parts of streams to the worker with this key.
pub(super) fn to_worker(key: &str) -> String {
    format!("{PREFIX}.worker.{key}")
}

/// The subject of the parts of streams to the node with this key.
pub(super) fn to_node(key: &str) -> String {
    format!("{PREFIX}.node.{key}")
}

/// The announcement of a worker that runs programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunnerAnnouncement {
    /// Its key.
    pub runner: String,
    /// The programs that run at a time.
    pub threads: u32,
}

/// A stream between a node and a process that a worker runs for it, in both directions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct StreamKey {
    /// The key of the node that has opened it.
    pub node: String,
    /// Its number among the node's streams.
    pub number: u64,
}

/// A part of one direction of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StreamPart {
    pub stream: StreamKey,
    /// The number of bytes before it. If it is not the number that the receiver has, NATS has lost a part, and the stream is over.
    pub position: u64,
    pub content: Content,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Content {
    /// The next bytes. None at all: the sender is there, and has sent everything up to here.
    Bytes(Vec<u8>),
    /// The stream is over.
    End,
}

/// A message as its bytes.
pub(super) fn to_bytes<T: Serialize>(message: &T) -> Bytes {
    postcard::to_stdvec(message).expect("messages are plain values").into()
}
