//! Runs the programs of bots: WebAssembly modules for WASI preview 1 that read lines and write lines.
//!
//! A program has no network, no threads, no files but a private directory in memory, and no clock but the count of its own executed
//! instructions. All that it can learn is determined by its input and its seed, so the same module, the same lines and the same
//! seed give the same answers and the same fuel on every machine, whatever else the machine does. `docs/programs.md` is for authors.

mod channel;
mod compile_cost;
mod data_segments;
mod fuel;
mod host;
mod instance;
mod memory;
mod program;
mod refusal;
pub mod runner;
mod ticker;
mod wasi;

pub use fuel::{FUEL_PER_SECOND, fuel_of, time_of, wall_of};
pub use instance::{Ending, Instance, Pause, Progress, Step};
pub use program::{Program, ProgramLimits, Sandbox};
pub use refusal::ProgramRefusal;
pub use wasi::files::PrivateFiles;
