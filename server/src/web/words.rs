//! The texts of the pages: those of `server/web/LANGUAGE.json`, and those of each game's `about.LANGUAGE.json`. A text that
//! a language lacks is English; a test checks that none is missing.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use engines::search::Level;
use icu_locale_core::Locale;
use icu_plurals::{PluralCategory, PluralRules, PluralRulesPreferences};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::domain::EnginePlayer;
use crate::web::asset;
use crate::web::visit::{Language, language};

/// A text: one for all numbers, or several by a number's plural form.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    /// The text.
    Plain(String),
    /// By the name of the value that is the number: the texts by plural form (`one`, `few`, `many`, `other`).
    Plural(HashMap<String, HashMap<String, String>>),
}

impl Text {
    /// The text for these values.
    fn of(&self, language: Language, values: &[(&str, &str)]) -> Option<&str> {
        match self {
            Self::Plain(text) => Some(text),
            Self::Plural(by) => {
                let (name, forms) = by.iter().next()?;
                let number = values.iter().find(|(known, _)| known == name).map(|(_, number)| *number);
                let form = number.map_or("other", |number| plural_form(language, number));
                forms.get(form).or_else(|| forms.get("other")).map(String::as_str)
            }
        }
    }
}

/// The plural form of a number in a language.
fn plural_form(language: Language, number: &str) -> &'static str {
    // Making the rules from the data in the program costs little.
    let rules = language
        .tag
        .parse::<Locale>()
        .ok()
        .and_then(|locale| PluralRules::try_new_cardinal(PluralRulesPreferences::from(&locale)).ok());
    let number: u64 = number.parse().unwrap_or(0);
    match rules.map(|rules| rules.category_for(number)) {
        Some(PluralCategory::One) => "one",
        Some(PluralCategory::Few) => "few",
        Some(PluralCategory::Many) => "many",
        _ => "other",
    }
}

/// The text with this key in the visitor's language, if there is one.
fn find(name: &str) -> Option<&'static Text> {
    static WORDS: LazyLock<HashMap<&str, HashMap<String, Text>>> = LazyLock::new(|| {
        let of = |language: Language| {
            let words = asset::find(&format!("{}.json", language.tag));
            words.and_then(|file| serde_json::from_slice(&file.bytes).ok()).unwrap_or_default()
        };
        Language::ALL.into_iter().map(|language| (language.tag, of(language))).collect()
    });
    let table = |tag| WORDS.get(tag)?.get(name);
    table(language().tag).or_else(|| table(Language::ALL[0].tag))
}

/// The text with this key. A missing text shows its key; a test checks that none is missing.
pub(super) fn t(name: &'static str) -> &'static str {
    find(name).and_then(|text| text.of(language(), &[])).unwrap_or(name)
}

/// The text with this key, with each `{name}` in it replaced by the value of that name.
pub(super) fn say(name: &'static str, values: &[(&str, &str)]) -> String {
    let text = find(name).and_then(|text| text.of(language(), values)).unwrap_or(name);
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
    values.iter().fold(text.to_owned(), fill)
}

/// A table of texts by key, laid over the English one, as its module gets it: no text is missing. `path`: of the table.
pub(super) fn complete(path: &str) -> Option<Vec<u8>> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let language =
        Language::ALL.into_iter().find(|language| name.strip_suffix(".json") == Some(language.tag))?;
    let read = |tag: &str| -> Option<Map<String, Value>> {
        let slash = if folder.is_empty() { "" } else { "/" };
        let file = asset::find(&format!("{folder}{slash}{tag}.json"))?;
        serde_json::from_slice(&file.bytes).ok()
    };
    let mut table = read(Language::ALL[0].tag)?;
    table.extend(read(language.tag).unwrap_or_default());
    serde_json::to_vec(&table).ok()
}

/// The name of an engine for people, from the game's texts; the engine's own name if it has none.
pub(super) fn engine_name(slug: &str, engine: &str) -> String {
    game_text(slug, &format!("engine.{engine}")).unwrap_or_else(|| engine.to_owned())
}

/// The name of a player for people: that of a built-in engine in words, any other as it is.
pub(super) fn player_name(name: &str) -> Cow<'_, str> {
    let Some(EnginePlayer { game, engine, version, level }) = EnginePlayer::parse(name) else {
        return Cow::Borrowed(name);
    };
    let (engine, version) = (engine_name(&game, &engine), version.to_string());
    let level = level_name(level);
    Cow::Owned(say("engine.player", &[("engine", &engine), ("level", level), ("version", &version)]))
}

/// The name of a level.
pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Easy => t("level.easy"),
        Level::Medium => t("level.medium"),
        Level::Hard => t("level.hard"),
        Level::Max => t("level.max"),
    }
}

/// A text of a game in the visitor's language; a game may have none.
pub(super) fn game_text(slug: &str, key: &str) -> Option<String> {
    let table = complete(&format!("games/{slug}/{}.json", language().tag))?;
    let mut words: Map<String, Value> = serde_json::from_slice(&table).ok()?;
    match words.remove(key)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// What the pages say about a game, from the game's `about.LANGUAGE.json`; a game may have none.
#[derive(Default, Deserialize)]
pub(super) struct GameWords {
    /// The game in one sentence.
    pub about: Option<String>,
    /// How to play it, in paragraphs.
    #[serde(default)]
    pub how: Vec<String>,
    /// How its official harness runs a bot.
    pub harness: Option<Harness>,
}

/// How a game's official harness runs a bot.
#[derive(Deserialize)]
pub(super) struct Harness {
    /// The explanation, in paragraphs.
    pub say: Vec<String>,
    /// Commands that run the bot as the harness would. The English file has them.
    #[serde(rename = "try", default)]
    pub trial: String,
}

impl GameWords {
    /// The texts of this game. What the visitor's language lacks is English.
    pub(super) fn of(slug: &str) -> Self {
        let read = |language: Language| -> Option<Self> {
            let file = asset::find(&format!("games/{slug}/about.{}.json", language.tag))?;
            serde_json::from_slice(&file.bytes).ok()
        };
        let english = read(Language::ALL[0]).unwrap_or_default();
        let Some(own) = read(language()) else { return english };
        let mut harness = own.harness;
        if let (Some(harness), Some(english)) = (&mut harness, &english.harness) {
            harness.trial.clone_from(&english.trial);
        }
        Self {
            about: own.about.or(english.about),
            how: if own.how.is_empty() { english.how } else { own.how },
            harness: harness.or(english.harness),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plural_forms_follow_the_language() {
        let [english, romanian, portuguese] = Language::ALL;
        let forms = |language| ["0", "1", "2", "19", "20", "101"].map(|number| plural_form(language, number));
        assert_eq!(forms(english), ["other", "one", "other", "other", "other", "other"]);
        assert_eq!(forms(romanian), ["few", "one", "few", "few", "other", "few"]);
        assert_eq!(forms(portuguese)[1..4], ["one", "other", "other"]);
    }
}
