//! Finds out that a bot expects other settings of the referee's side than the dialogue has. Pure.

use engines::dialogue::{SettingInfo, SettingValues};
use engines::erased::AnyTable;
use engines::game::Seat;
use engines::protocol::Settings;

/// So many void answers say enough.
const ENOUGH: u32 = 3;

/// The other settings under which all answers of the bot so far would have been legal.
pub(super) struct Expectation {
    possible: Vec<(&'static SettingInfo, Settings)>,
    void: u32,
    said: bool,
}

impl Expectation {
    /// Before the first answer of a dialogue with these settings.
    pub(super) fn new(known: &'static [SettingInfo], settings: &Settings) -> Self {
        let mut possible = Vec::new();
        for setting in known {
            let now = settings.0.get(setting.name).map_or(setting.default, String::as_str);
            let SettingValues::Words(words) = setting.values else { continue };
            for word in words.iter().filter(|word| **word != now) {
                let mut other = settings.clone();
                other.0.insert(setting.name.to_owned(), (*word).to_owned());
                possible.push((setting, other));
            }
        }
        Self { possible, void: 0, said: false }
    }

    /// Takes an answer of the bot to the position of `table`. Returns, once, what its owner should know.
    pub(super) fn answered(
        &mut self,
        seat: Seat,
        text: &str,
        table: &dyn AnyTable,
        void: bool,
    ) -> Option<String> {
        self.possible.retain(|(_, other)| table.suits(seat, text, other));
        self.void += u32::from(void);
        let (setting, other) = self.possible.first().filter(|_| void && self.void >= ENOUGH && !self.said)?;
        self.said = true;
        let (void, name, meaning) = (self.void, setting.name, setting.meaning);
        let value = other.0.get(name)?;
        Some(format!(
            "all {void} void answers of this bot would be legal with {name}={value} ({}): if the bot expects that, use \
             --referee {name}={value}",
            meaning.trim_end_matches('.')
        ))
    }
}
