//! Keeps what a bot writes to standard error beside the move during which it wrote it: on the terminal, in the log file, and
//! as remarks to the server. It must not hold up the bot or the match.

use crate::dialogue::answer::Failure;
use crate::dialogue::notes::write_bot_line;
use crate::dialogue::transcript::Transcript;
use kibitz_bot_output::{
    Admission, CapturedLine, LogMark, MatchLog, OutputBudget, ProcessUsage, TurnCapture,
};
use std::path::Path;
use std::time::Instant;

/// How much of the match's id each line on the terminal has: its random end.
const SHORT_ID: usize = 8;

/// What is kept of one bot in one match.
pub(super) struct OutputCapture {
    /// The end of the match's id.
    short_id: String,
    turn: TurnCapture,
    budget: OutputBudget,
    /// The usage of the running process when the turn began.
    usage_before: ProcessUsage,
    /// The processor time in milliseconds and the memory in KiB that the server knows, for this turn.
    told: Option<(u128, u64)>,
}

impl OutputCapture {
    /// Prepares to keep the output in the match with this id. `log_dir`: the folder for the log file.
    ///
    /// # Errors
    /// When the log file cannot be opened.
    pub(super) fn new(id: &str, log_dir: Option<&Path>, now: Instant) -> Result<Self, Failure> {
        let open = |folder| {
            MatchLog::open(folder, id, now).map_err(|error| {
                let why = crate::network::connect::brief(&error);
                Failure::setup(format!("cannot write a log file in {}: {why}", folder.display()))
            })
        };
        let start = id.char_indices().rev().nth(SHORT_ID - 1).map_or(0, |(at, _)| at);
        Ok(Self {
            short_id: id.get(start..).unwrap_or(id).to_owned(),
            turn: TurnCapture::new(log_dir.map(open).transpose()?, now),
            budget: OutputBudget::default(),
            usage_before: ProcessUsage::default(),
            told: None,
        })
    }

    /// Begins a turn of the bot. `usage`: of its running process, if there is one.
    pub(super) fn begin_turn(&mut self, ply: u32, usage: Option<ProcessUsage>, now: Instant) {
        self.turn.begin_turn(ply, now);
        self.budget.next_move();
        self.usage_before = usage.unwrap_or_default();
        self.told = None;
    }

    /// Takes bytes that the bot wrote to standard error.
    pub(super) fn wrote(&mut self, bytes: &[u8], now: Instant, transcript: &mut Transcript) {
        let Self { turn, short_id, budget, .. } = self;
        turn.wrote(bytes, now, |line| keep(&line, short_id, budget, transcript));
    }

    /// The process has ended: its last line may lack its line break.
    pub(super) fn ended(&mut self, now: Instant, transcript: &mut Transcript) {
        let Self { turn, short_id, budget, .. } = self;
        turn.ended(now, |line| keep(&line, short_id, budget, transcript));
    }

    /// Tells the server what the bot's process has used for this turn so far, if that has changed.
    pub(super) fn used(&mut self, usage: ProcessUsage, transcript: &mut Transcript) {
        let peak_kib = usage.peak_kib.max(self.told.map_or(0, |(_, peak_kib)| peak_kib));
        let cpu_ms = usage.cpu.saturating_sub(self.usage_before.cpu).as_millis();
        let used = (cpu_ms, peak_kib);
        if self.told.replace(used) != Some(used) {
            transcript.aside(&format!("used {} {cpu_ms} {peak_kib}", self.turn.ply()));
        }
    }

    /// Writes a line of the dialogue to the log file.
    pub(super) fn log(&mut self, mark: LogMark, text: &str, now: Instant) {
        self.turn.log(mark, text, now);
    }

    /// Why nothing more is written to the log file, once.
    pub(super) fn take_failure(&mut self) -> Option<String> {
        let why = crate::network::connect::brief(&self.turn.take_failure()?);
        Some(format!("the log file is not written any more: {why}"))
    }
}

/// Shows a line on the terminal, and sends it to the server if its budget allows that.
fn keep(line: &CapturedLine, short_id: &str, budget: &mut OutputBudget, transcript: &mut Transcript) {
    let CapturedLine { ply, ms, text } = line;
    write_bot_line(&format!("match {short_id} ply {ply}: {text}"));
    match budget.admit(text.len()) {
        Admission::Sent => transcript.aside(&format!("err {ply} {ms} {text}")),
        Admission::FirstLeftOut => transcript.aside(&format!("cut {ply}")),
        Admission::LeftOut => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_and_usage_belong_to_the_turn() {
        let usage = |ms, peak_kib| ProcessUsage { cpu: Duration::from_millis(ms), peak_kib };
        let now = Instant::now();
        let mut transcript = Transcript::of_bot();
        let mut capture = OutputCapture::new("0190-1234-abcdefgh", None, now).unwrap();
        assert_eq!(capture.short_id, "abcdefgh");
        capture.wrote(b"hello\nhalf", now, &mut transcript);
        capture.begin_turn(4, Some(usage(30, 900)), now);
        capture.wrote(b" a line\n", now + Duration::from_millis(7), &mut transcript);
        for _ in 0..2 {
            capture.used(usage(50, 950), &mut transcript);
        }
        capture.wrote(b"last", now, &mut transcript);
        capture.ended(now, &mut transcript);
        let unsent = transcript.unsent_since(0);
        assert_eq!(unsent, "# err 0 0 hello\n# err 4 7 half a line\n# used 4 20 950\n# err 4 0 last");
    }

    #[test]
    fn flood_is_cut_once_a_move() {
        let now = Instant::now();
        let mut transcript = Transcript::of_bot();
        let mut capture = OutputCapture::new("m", None, now).unwrap();
        capture.begin_turn(2, None, now);
        capture.wrote(&[b'\n'; 100_000], now, &mut transcript);
        capture.wrote(&b"0123456789\n".repeat(1000), now, &mut transcript);
        let unsent = transcript.unsent_since(0);
        assert_eq!(unsent.matches("# cut 2").count(), 1);
        assert!(unsent.len() < 60_000, "{}", unsent.len());
        capture.begin_turn(4, None, now);
        capture.wrote(b"again\n", now, &mut transcript);
        assert!(transcript.unsent_since(0).ends_with("# cut 2\n# err 4 0 again"));
    }
}
