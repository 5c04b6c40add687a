//! What the parent and the runner write to each other: frames, each a length of four bytes (little end first) and a value in the
//! format of `postcard`. Both ends are the same program, so the format may change with every version.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// More than a module and what belongs to it.
const LONGEST_FRAME: u32 = 32 << 20;

/// The SHA-256 of a module.
pub type ModuleHash = [u8; 32];

/// What the parent wants.
#[expect(missing_docs, reason = "`process`, `hash` and `seat` say all")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Check and compile a module, and keep it. The answer is [`Answer::Compiled`].
    Compile {
        /// Its hash, by which other orders name it.
        hash: ModuleHash,
        /// The file.
        bytes: Vec<u8>,
    },
    /// Forget a module. Its processes go on.
    Forget { hash: ModuleHash },
    /// Start a process of a module. It has no answer.
    Start {
        /// The number of the process, chosen by the parent, never used before.
        process: u64,
        /// The module.
        hash: ModuleHash,
        /// The number of the seat: processes of one seat share a private directory.
        seat: u64,
        /// The seed of its random numbers.
        seed: [u8; 32],
        /// The fuel that the seat has used before.
        before: u64,
    },
    /// Let a process run until it rests. The answer is [`Answer::Runs`], [`Answer::Rests`] or [`Answer::Gone`].
    Run {
        process: u64,
        /// Lines that it can read from now on.
        lines: Vec<String>,
        /// Whether nothing follows these lines.
        end_input: bool,
        /// The fuel that it may use.
        fuel: u64,
        /// The time of the machine after which it is ended, in milliseconds.
        wall_ms: u64,
        /// The id of the request for which it runs, for what this process writes to standard error.
        request: Option<String>,
    },
    /// Let a process run on after [`Answer::Runs`]. The same answers.
    GoOn { process: u64 },
    /// End a process. It has no answer.
    End { process: u64 },
    /// Forget the private directory of a seat. It has no answer.
    Leave { seat: u64 },
}

/// What the runner answers.
#[expect(missing_docs, reason = "`process` and `hash` say all")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The runner is confined and takes orders. Always the first answer.
    Ready {
        /// What the system could not take from it, in words; empty where all of it is taken.
        missing: Vec<String>,
    },
    /// A module was checked.
    Compiled {
        hash: ModuleHash,
        /// Why it is refused, as a sentence; `None`: it is compiled.
        refusal: Option<String>,
    },
    /// A process has run for a slice of time and can run on.
    Runs { process: u64 },
    /// A process rests.
    Rests {
        process: u64,
        /// What it did.
        step: RestedStep,
    },
    /// The runner has no such process: it never had its module, or it has ended it to make room.
    Gone { process: u64 },
}

/// What a process did until it rested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestedStep {
    /// Why it rests.
    pub state: RestState,
    /// The lines that it has written, without their ends.
    pub lines: Vec<String>,
    /// What it has written to standard error.
    pub errors: Vec<u8>,
    /// The fuel that it has used.
    pub fuel: u64,
}

/// Why a process rests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RestState {
    /// It has written lines, and can go on.
    Wrote,
    /// It waits for more input than there is.
    Waits,
    /// It has used up its fuel, and is over.
    OutOfFuel,
    /// It has written a line without an end, and is over.
    LineTooLong,
    /// It is over, in this way.
    Over(String),
    /// There is no memory for it on this machine, and it is over.
    NoRoom,
}

/// Writes a frame.
///
/// # Errors
/// When it cannot be written.
pub fn write_frame(out: &mut impl Write, frame: &impl Serialize) -> io::Result<()> {
    let body = postcard::to_stdvec(frame).map_err(io::Error::other)?;
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= LONGEST_FRAME);
    let length = length.ok_or_else(|| io::Error::other("a frame is too long"))?;
    // One write, so that a short frame wakes the reader once.
    let mut whole = length.to_le_bytes().to_vec();
    whole.extend(body);
    out.write_all(&whole)?;
    out.flush()
}

/// Reads a frame; `None`: the other end has closed.
///
/// # Errors
/// When it cannot be read, or is none.
pub fn read_frame<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(e),
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST_FRAME {
        return Err(io::Error::other("a frame is too long"));
    }
    let mut body = vec![0; length as usize];
    input.read_exact(&mut body)?;
    postcard::from_bytes(&body).map(Some).map_err(io::Error::other)
}
