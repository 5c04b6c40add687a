//! Reads a dialogue as the judge's log has it: the lines of the computer and of the player in the order in which they were written.

use super::super::Septica;
use super::super::rules::HAND;
use super::PlayerDialogue;
use crate::game::RecordedMatch;
use crate::harness_file::{BotDialogue, HarnessFile, HarnessFileError, HarnessFormat, interleaved};
use crate::protocol::Settings;

/// The dialogue of the player.
pub(in super::super) const DIALOGUE: HarnessFormat<Septica> =
    HarnessFormat { name: "a Septica dialogue", detect, read };

/// Whether the first line is a hand.
fn detect(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_rank = |word: &str| word.parse::<u8>().is_ok_and(|rank| (7..=14).contains(&rank));
    first.split_whitespace().count() == HAND && first.split_whitespace().all(is_rank)
}

fn read(text: &str) -> Result<HarnessFile<RecordedMatch<Septica>>, HarnessFileError> {
    let player = PlayerDialogue::new(&Settings::default()).expect("the default settings are allowed");
    // The computer never writes 0.
    let entries = interleaved::<Septica>(Box::new(player), text, |line| line.trim() == "0")?;
    Ok(HarnessFile::Dialogues(vec![BotDialogue { entries, ..BotDialogue::default() }]))
}
