//! The words of the pages: those of `server/web/en.json`, and what games say of themselves.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::web::asset;

/// The words of this name. A name that is not there stands for itself; a test sees to it that all are.
pub fn t(name: &'static str) -> &'static str {
    static WORDS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        let words = asset::find("en.json").and_then(|file| serde_json::from_slice(&file.bytes).ok());
        words.unwrap_or_default()
    });
    WORDS.get(name).map_or(name, String::as_str)
}

/// The words of this name, `{name}` in them replaced by values.
pub fn say(name: &'static str, values: &[(&str, &str)]) -> String {
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
    values.iter().fold(t(name).to_owned(), fill)
}

/// What a game says of itself, in its own `about.en.json`; a game need not.
#[derive(Default, Deserialize)]
pub struct GameWords {
    /// The game in a sentence.
    pub about: Option<String>,
    /// How it is played, in some paragraphs.
    #[serde(default)]
    pub how: Vec<String>,
    /// What its official harness wants of a bot.
    pub harness: Option<Harness>,
}

/// What a game's official harness wants of a bot.
#[derive(Deserialize)]
pub struct Harness {
    /// In some paragraphs.
    pub say: Vec<String>,
    /// Commands that try the bot out as the harness would use it.
    #[serde(rename = "try")]
    pub trial: String,
}

impl GameWords {
    /// Those of this game.
    pub fn of(slug: &str) -> Self {
        let file = asset::find(&format!("games/{slug}/about.en.json"));
        file.and_then(|file| serde_json::from_slice(&file.bytes).ok()).unwrap_or_default()
    }
}
