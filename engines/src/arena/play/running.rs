//! A program that runs, however it is run: as a process of the system, or in a sandbox.

use std::time::Instant;

use kibitz_bot_output::ProcessUsage;

use super::decision::Interruption;

/// The result of waiting for a line of the program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProgramOutput {
    /// A line, without its end, and when it came by the program's clock.
    Line(String, Instant),
    /// A line was too long; no more is read.
    TooLong,
    /// Its output ended.
    Ended,
    /// Nothing before the deadline.
    Late,
    /// The run is being stopped.
    Stopped,
    /// The machine has lost the program: no fault of its own.
    Lost(String),
}

/// A program that runs. Dropping it ends it.
pub(super) trait RunningProgram: Send {
    /// Queues lines for its input; never blocks.
    fn say(&mut self, lines: &[String]);
    /// Ends its input after all queued lines.
    fn close_input(&mut self);
    /// A decision begins: its clock shows this time.
    fn begin(&mut self, at: Instant);
    /// Waits for its next line.
    fn hear(&mut self, deadline: Option<Instant>, interruption: Interruption) -> ProgramOutput;
    /// The time that its clock shows.
    fn now(&self) -> Instant;
    /// The fuel that it has used since the decision began; `None`: its clock is that of the machine.
    fn fuel(&self) -> Option<u64>;
    /// Reads what it has written to its standard error up to now.
    fn read_errors(&self);
    /// The system's number of its process, if it has one.
    fn id(&self) -> Option<u32>;
    /// Looks at the memory of its process. Once it has ended, the system does not know it any more.
    fn measure(&self);
    /// Describes its end, in words; may wait a moment for it.
    fn how_it_ended(&mut self) -> String;
    /// Ends it after its match, and gives it time to exit by itself. Returns what it has used.
    fn end(self: Box<Self>) -> ProcessUsage;
    /// Ends it at once. Returns what it has used.
    fn stop(self: Box<Self>) -> ProcessUsage;
}
