//! The texts of the pages: those of `server/web/en.json`, and those of each game's `about.en.json`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::web::asset;

/// The text with this key. A missing text shows its key; a test checks that none is missing.
pub(super) fn t(name: &'static str) -> &'static str {
    static WORDS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        let words = asset::find("en.json").and_then(|file| serde_json::from_slice(&file.bytes).ok());
        words.unwrap_or_default()
    });
    WORDS.get(name).map_or(name, String::as_str)
}

/// The text with this key, with each `{name}` in it replaced by the value of that name.
pub(super) fn say(name: &'static str, values: &[(&str, &str)]) -> String {
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
    values.iter().fold(t(name).to_owned(), fill)
}

/// The name of an engine for people, from the game's `en.json`; the engine's own name if the file has none.
pub(super) fn engine_name(slug: &str, engine: &str) -> String {
    let file = asset::find(&format!("games/{slug}/en.json"));
    let words: Option<HashMap<String, String>> =
        file.and_then(|file| serde_json::from_slice(&file.bytes).ok());
    words.and_then(|mut words| words.remove(&format!("engine.{engine}"))).unwrap_or_else(|| engine.to_owned())
}

/// What the pages say about a game, from the game's `about.en.json`; a game may have none.
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
    /// Commands that run the bot as the harness would.
    #[serde(rename = "try")]
    pub trial: String,
}

impl GameWords {
    /// The texts of this game.
    pub(super) fn of(slug: &str) -> Self {
        let file = asset::find(&format!("games/{slug}/about.en.json"));
        file.and_then(|file| serde_json::from_slice(&file.bytes).ok()).unwrap_or_default()
    }
}
