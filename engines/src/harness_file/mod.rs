//! Files of finished matches that the contests' own harnesses write: what a reader returns, and the place of an error in a file.
//! The formats themselves belong to the games.

mod dialogue;
mod error;
#[cfg(test)]
mod tests;

pub use dialogue::{bare_input, interleaved};
pub(crate) use error::json_message;
pub use error::{HarnessFileError, text_of};

use crate::game::{Game, RecordedMatch};
use crate::protocol::Entry;

/// A format of file that a contest's harness writes or reads.
pub struct HarnessFormat<G: Game> {
    /// What the file is, for messages.
    pub name: &'static str,
    /// Whether a text is meant as this format, by its first lines or its words. It may be damaged further on.
    pub detect: fn(&str) -> bool,
    /// Reads the whole text.
    pub read: fn(&str) -> Result<HarnessFile<RecordedMatch<G>>, HarnessFileError>,
}

/// The content of a file. `M`: the form of a match, with the types of its game or without them.
#[derive(Clone, Debug, PartialEq)]
pub enum HarnessFile<M> {
    /// The whole match, with what the seats did not see. It need not be finished.
    Match(M),
    /// What bots read and printed, a dialogue for each bot.
    Dialogues(Vec<BotDialogue>),
}

impl<M> HarnessFile<M> {
    /// The same with the match in another form.
    pub fn map<T>(self, convert: impl FnOnce(M) -> T) -> HarnessFile<T> {
        match self {
            Self::Match(whole) => HarnessFile::Match(convert(whole)),
            Self::Dialogues(dialogues) => HarnessFile::Dialogues(dialogues),
        }
    }
}

/// The dialogue of one bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BotDialogue {
    /// The name of the bot in the file; empty: the file has none.
    pub name: String,
    /// What it read and printed, in order.
    pub entries: Vec<Entry>,
    /// The mistake with which it ended.
    pub fault: Option<DialogueFault>,
}

/// The mistake with which a dialogue ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogueFault {
    /// Whether the last line that the bot printed is the mistake. Otherwise the bot printed nothing when it had to.
    pub printed: bool,
    /// The words of the file.
    pub what: String,
}

/// For tests: a transcript as the log of both sides, without marks.
#[cfg(test)]
pub(crate) fn without_marks(transcript: &str) -> String {
    let said = |line: &str| {
        line.strip_prefix("< ").or_else(|| line.strip_prefix("> ")).map(|text| format!("{text}\n"))
    };
    transcript.lines().filter_map(said).collect()
}
