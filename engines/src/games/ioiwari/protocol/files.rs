//! Reads a dialogue as the evaluator's log has it: the line with the seven pits, then both sides' pits in turn.

use super::super::Ioiwari;
use crate::game::RecordedMatch;
use crate::harness_file::{BotDialogue, HarnessFile, HarnessFileError, HarnessFormat, interleaved};
use crate::perfect_information::AlternatingPlayer;

use super::super::rules::{BEADS, PITS};

/// The dialogue of one bot.
pub(in super::super) const DIALOGUE: HarnessFormat<Ioiwari> =
    HarnessFormat { name: "an Ioiwari dialogue", detect, read };

/// Whether the text begins with a start of the game.
fn detect(text: &str) -> bool {
    // In the mirror dialogue a 0 comes first.
    let words = text.split_whitespace().skip_while(|word| *word == "0").take(PITS);
    let pits: Vec<u8> = words.map_while(|word| word.parse().ok().filter(|n| (2..=4).contains(n))).collect();
    pits.len() == PITS && pits.iter().sum::<u8>() == BEADS
}

fn read(text: &str) -> Result<HarnessFile<RecordedMatch<Ioiwari>>, HarnessFileError> {
    let entries = interleaved::<Ioiwari>(Box::new(AlternatingPlayer::default()), text, |_| false)?;
    Ok(HarnessFile::Dialogues(vec![BotDialogue { entries, ..BotDialogue::default() }]))
}
