//! Reads dialogues without marks: the lines of both sides in the order in which they were written. The game's own side of the
//! bot says whose line is next.

use std::collections::VecDeque;

use super::HarnessFileError;
use crate::game::Game;
use crate::protocol::{Awaits, Entry, Lines, Player, PlayerAwaits, same_words};

/// Reads the lines of both sides. `own`: whether a line is the bot's where either side may be next. Empty lines say nothing.
///
/// # Errors
/// At the first line that fits neither side. The bot's last line may be anything: the match may have ended by it.
pub fn interleaved<G: Game>(
    player: Box<dyn Player<G>>,
    text: &str,
    own: fn(&str) -> bool,
) -> Result<Vec<Entry>, HarnessFileError> {
    let mut reader = DialogueReader::start(player, own);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    while let Some((number, line)) = lines.next() {
        let is_last = lines.peek().is_none();
        reader.line(line.trim_end(), is_last).map_err(|what| {
            let column = line.chars().take_while(|c| c.is_whitespace()).count() + 1;
            HarnessFileError::new(number + 1, column, what)
        })?;
    }
    Ok(reader.entries)
}

/// Reads the input of a process for one move. All lines were read; then the input ended.
///
/// # Errors
/// At the first line that the dialogue does not allow, or at the end if a part is missing.
pub fn bare_input<G: Game>(
    mut player: Box<dyn Player<G>>,
    text: &str,
) -> Result<Vec<Entry>, HarnessFileError> {
    let mut out = Lines::new();
    let mut awaits = player.start(&mut out);
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            awaits = player.line(line, &mut out).map_err(|e| HarnessFileError::new(number + 1, 1, e.0))?;
        }
        entries.push(Entry::Read(line.to_owned()));
    }
    if !matches!(awaits, Awaits::Decision(_)) {
        return Err(HarnessFileError::at(text, text.len(), "the input ends before the position is complete"));
    }
    entries.push(Entry::End);
    Ok(entries)
}

struct DialogueReader<G: Game> {
    player: Box<dyn Player<G>>,
    awaits: PlayerAwaits<G>,
    own: fn(&str) -> bool,
    /// Lines of the bot that it writes without a decision.
    due: VecDeque<String>,
    entries: Vec<Entry>,
}

impl<G: Game> DialogueReader<G> {
    fn start(mut player: Box<dyn Player<G>>, own: fn(&str) -> bool) -> Self {
        let mut out = Lines::new();
        let awaits = player.start(&mut out);
        Self { player, awaits, own, due: out.into(), entries: Vec::new() }
    }

    fn line(&mut self, line: &str, is_last: bool) -> Result<(), String> {
        if let Some(due) = self.due.pop_front() {
            if same_words(&due, line) {
                self.entries.push(Entry::Printed(line.to_owned()));
                return Ok(());
            }
            self.due.clear();
        }
        match &self.awaits {
            Awaits::Nothing => Err("the dialogue is over before this line".to_owned()),
            Awaits::Decision(_) => self.printed(line, is_last),
            Awaits::EntryWithin(_) if (self.own)(line) => {
                let mut out = Lines::new();
                self.awaits = self.player.silence(&mut out);
                if out.is_empty() && matches!(self.awaits, Awaits::Decision(_)) {
                    return self.printed(line, is_last);
                }
                self.due.extend(out.into_iter().skip(1));
                self.entries.push(Entry::Printed(line.to_owned()));
                Ok(())
            }
            Awaits::Entry | Awaits::EntryWithin(_) => {
                let mut out = Lines::new();
                self.awaits = self.player.line(line, &mut out).map_err(|e| e.0)?;
                self.due.extend(out);
                self.entries.push(Entry::Read(line.to_owned()));
                Ok(())
            }
        }
    }

    /// Reads the answer to a decision.
    fn printed(&mut self, line: &str, is_last: bool) -> Result<(), String> {
        match line.trim().parse::<G::Move>() {
            Ok(mv) => {
                let mut out = Lines::new();
                self.awaits = self.player.played(&mv, &mut out);
                self.due.extend(out.into_iter().skip(1));
            }
            Err(_) if is_last => {}
            Err(e) => return Err(format!("here an answer of the bot must be, and this is none: {e}")),
        }
        self.entries.push(Entry::Printed(line.to_owned()));
        Ok(())
    }
}
