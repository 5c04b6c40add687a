//! Reads a dialogue as a log of the runner has it: the bot's first word, then the input and the answer of each turn.

use super::{InputFormat, PlayerDialogue};
use crate::game::RecordedMatch;
use crate::games::azul::Azul;
use crate::harness_file::{BotDialogue, HarnessFile, HarnessFileError, HarnessFormat, interleaved};
use crate::protocol::Settings;

/// The dialogue of one bot.
pub(in super::super) const DIALOGUE: HarnessFormat<Azul> =
    HarnessFormat { name: "an Azul dialogue", detect, read };

/// The first word of the text, if it is that of a bot.
fn format_of(text: &str) -> Option<InputFormat> {
    text.lines().find(|line| !line.trim().is_empty()).and_then(|line| InputFormat::of_word(line.trim()))
}

fn detect(text: &str) -> bool {
    format_of(text).is_some()
}

fn read(text: &str) -> Result<HarnessFile<RecordedMatch<Azul>>, HarnessFileError> {
    let format = format_of(text).unwrap_or(InputFormat::State);
    let settings = Settings([("input".to_owned(), format.word().to_owned())].into());
    let player = PlayerDialogue::new(&settings).expect("these are the settings of a bot");
    let entries = interleaved::<Azul>(Box::new(player), text, |_| false)?;
    Ok(HarnessFile::Dialogues(vec![BotDialogue { entries, ..BotDialogue::default() }]))
}
