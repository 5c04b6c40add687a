//! Reads the standard input of one move, which has no answer.

use super::super::super::Splendor;
use super::super::super::rules::SEATS;
use super::super::PlayerDialogue;
use crate::game::RecordedMatch;
use crate::harness_file::{BotDialogue, HarnessFile, HarnessFileError, HarnessFormat, bare_input};
use crate::protocol::Settings;

/// The input of a process for one move.
pub(in super::super::super) const INPUT: HarnessFormat<Splendor> =
    HarnessFormat { name: "the input of one move of Splendor", detect, read };

/// Whether the text begins like a position: players and the own number, the round, the chips.
fn detect(text: &str) -> bool {
    let numbers = |line: &str| line.split_whitespace().map(str::parse).collect::<Result<Vec<u32>, _>>();
    let mut first = text.lines().map(numbers);
    let mut next = || first.next().and_then(Result::ok).unwrap_or_default();
    let header = next();
    let players = 1..=SEATS as u32;
    header.len() == 2 && players.contains(&header[0]) && next().len() == 1 && next().len() == 6
}

fn read(text: &str) -> Result<HarnessFile<RecordedMatch<Splendor>>, HarnessFileError> {
    let player = PlayerDialogue::new(&Settings::default()).expect("the default settings are allowed");
    let entries = bare_input::<Splendor>(Box::new(player), text)?;
    Ok(HarnessFile::Dialogues(vec![BotDialogue { entries, ..BotDialogue::default() }]))
}
