//! Resumes a dialogue from its transcript. Lines that the transcript contains are not sent again, and the bot's last
//! lines count although they never arrived. The log says what happened; the transcript says what the bot knows.

use std::time::Instant;

use engines::erased::Refusal;
use engines::game::Process;
use engines::protocol::Entry;

use crate::domain::time::Millis;
use crate::matches::bots::bot_seat::BotSeat;

/// The remark with which the client says that a program of the bot has ended.
const ENDED: &str = "ended";

/// How the program ended, if this remark says that it did.
pub fn program_ended(remark: &str) -> Option<&str> {
    let how = remark.strip_prefix(ENDED)?;
    (how.is_empty() || how.starts_with(' ')).then(|| how.trim())
}

/// The ply and the remaining time, in milliseconds, in the remark of a prompt.
fn prompt_of(remark: &str) -> Option<(u32, Option<u64>)> {
    let mut words = remark.strip_prefix("turn ")?.split(' ');
    let ply = words.next()?.parse().ok()?;
    match words.next() {
        None => Some((ply, None)),
        Some(ms) => Some((ply, Some(ms.parse().ok()?))),
    }
}

impl BotSeat {
    /// Resumes from a transcript, after all events of the log up to now. `Err(None)`: the transcript contradicts the log, so
    /// the bot must start again.
    ///
    /// # Errors
    /// As [`BotSeat::advance`].
    pub fn resume(
        &mut self,
        transcript: Vec<Entry>,
        now: Millis,
        at: Instant,
    ) -> Result<(), Option<Refusal>> {
        let remarks = transcript.iter().filter_map(|e| match e {
            Entry::Remark(text) => prompt_of(text),
            _ => None,
        });
        self.prompted_ms.extend(remarks);
        match self.process() {
            Process::PerMatch => {
                self.resuming = true;
                let resumed = self.resume_match(transcript, now, at);
                self.resuming = false;
                resumed?;
            }
            Process::PerMove => self.resume_move(&transcript, now, at)?,
        }
        self.advance(now).map_err(Some)
    }

    /// Resumes a program for the whole match: replays its dialogue line by line.
    fn resume_match(
        &mut self,
        transcript: Vec<Entry>,
        now: Millis,
        at: Instant,
    ) -> Result<(), Option<Refusal>> {
        for entry in transcript {
            match entry {
                Entry::Printed(line) => self.wrote(line, at),
                Entry::Remark(text) => {
                    if let Some(how) = program_ended(&text) {
                        self.program_ended(how, at);
                    }
                }
                // Its input ends only with the match, which needs no answer.
                Entry::End => break,
                Entry::Read(line) => {
                    self.advance(now).map_err(Some)?;
                    let ours = loop {
                        match self.entries.pop_front() {
                            Some(Entry::Remark(_)) => {}
                            other => break other,
                        }
                    };
                    if ours != Some(Entry::Read(line)) {
                        return Err(None);
                    }
                }
            }
        }
        Ok(())
    }

    /// Resumes a bot with a program for each move. Only the last program matters, if its turn is still open.
    fn resume_move(&mut self, transcript: &[Entry], now: Millis, at: Instant) -> Result<(), Option<Refusal>> {
        self.advance(now).map_err(Some)?;
        let is_read = |e: &Entry| matches!(e, Entry::Read(_));
        let is_end = |e: &Entry| matches!(e, Entry::End);
        let Some(input_end) = transcript.iter().rposition(|e| is_read(e) || is_end(e)) else { return Ok(()) };
        let begun = transcript[..input_end].iter().rposition(|e| !is_read(e)).map_or(0, |before| before + 1);
        let input = &transcript[begun..=input_end];
        let ply = begun.checked_sub(1).and_then(|before| match &transcript[before] {
            Entry::Remark(text) => prompt_of(text),
            _ => None,
        });
        let rest = &transcript[input_end + 1..];
        let same_turn = ply.is_none_or(|(ply, _)| self.turn.as_ref().is_some_and(|turn| turn.ply == ply));
        let ours = || self.entries.iter().skip_while(|e| !is_read(e));
        if self.is_prompted() && same_turn && ours().take(input.len()).eq(input.iter()) {
            // The end of its input may not have reached it; if so, it is sent now.
            let skipped = self.entries.len() - ours().count() + input.len();
            self.entries.drain(..skipped);
        } else {
            // Its answer is too late, and so is every line of it until it ends.
            self.running += 1;
        }
        // Lines at a turn that is over may well have counted: only the log knows, so they get no remark as late.
        let late_remarked = std::mem::replace(&mut self.late_remarked, true);
        for entry in rest {
            match entry {
                Entry::Printed(line) => self.wrote(line.clone(), at),
                Entry::Remark(text) => {
                    if let Some(how) = program_ended(text) {
                        self.program_ended(how, at);
                    }
                }
                Entry::Read(_) | Entry::End => {}
            }
        }
        self.late_remarked = late_remarked;
        Ok(())
    }
}
