//! A dialogue that goes on from its transcript: what the transcript says was read is not told again, and what the bot
//! wrote last counts although it never arrived. The log decides what happened; the transcript, what the bot knows.

use std::time::Instant;

use engines::erased::Refusal;
use engines::game::Process;
use engines::protocol::Entry;

use crate::domain::time::Millis;
use crate::matches::bot_seat::BotSeat;

/// The remark with which whoever runs the bot says that a program of it has ended.
const ENDED: &str = "ended";

/// How the program ended, if that is what this remark says.
pub fn program_ended(remark: &str) -> Option<&str> {
    let how = remark.strip_prefix(ENDED)?;
    (how.is_empty() || how.starts_with(' ')).then(|| how.trim())
}

/// The ply and the time that a prompt's remark told.
fn told(remark: &str) -> Option<(u32, Option<u64>)> {
    let mut words = remark.strip_prefix("turn ")?.split(' ');
    let ply = words.next()?.parse().ok()?;
    match words.next() {
        None => Some((ply, None)),
        Some(ms) => Some((ply, Some(ms.parse().ok()?))),
    }
}

impl BotSeat {
    /// Goes on from a transcript, after the whole log up to now has been heard. `Err(None)`: it contradicts the log, so
    /// the bot must begin anew.
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
            Entry::Remark(text) => told(text),
            _ => None,
        });
        self.told.extend(remarks);
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

    /// One program for the match: its whole dialogue is gone through, line by line.
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
                // Only the end of the match ends its input, and that needs no answer.
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

    /// A program for each move: only the last one can matter, if it was started for the turn that is still open.
    fn resume_move(&mut self, transcript: &[Entry], now: Millis, at: Instant) -> Result<(), Option<Refusal>> {
        self.advance(now).map_err(Some)?;
        let is_read = |e: &Entry| matches!(e, Entry::Read(_));
        let is_end = |e: &Entry| matches!(e, Entry::End);
        let Some(input_end) = transcript.iter().rposition(|e| is_read(e) || is_end(e)) else { return Ok(()) };
        let begun = transcript[..input_end].iter().rposition(|e| !is_read(e)).map_or(0, |before| before + 1);
        let input = &transcript[begun..=input_end];
        let ply = begun.checked_sub(1).and_then(|before| match &transcript[before] {
            Entry::Remark(text) => told(text),
            _ => None,
        });
        let rest = &transcript[input_end + 1..];
        let same_turn = ply.is_none_or(|(ply, _)| self.turn.as_ref().is_some_and(|turn| turn.ply == ply));
        let ours = || self.entries.iter().skip_while(|e| !is_read(e));
        if self.is_prompted() && same_turn && ours().take(input.len()).eq(input.iter()) {
            // The end of its input may not have reached it: then that is what it gets now.
            let skipped = self.entries.len() - ours().count() + input.len();
            self.entries.drain(..skipped);
        } else {
            // Its answer comes too late, and so does every line of it until it has ended.
            self.running += 1;
        }
        // What it wrote at a turn that is over may well have counted: the log knows, so nothing is told of it here.
        let told = std::mem::replace(&mut self.late_told, true);
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
        self.late_told = told;
        Ok(())
    }
}
