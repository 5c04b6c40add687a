//! The texts of the pages: those of `server/web/en.json`, and those of each game's `about.en.json`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use engines::search::Level;
use serde::Deserialize;

use crate::domain::EnginePlayer;
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

/// A text of the game's `en.json`; a game may have none.
pub(super) fn game_text(slug: &str, key: &str) -> Option<String> {
    let file = asset::find(&format!("games/{slug}/en.json"))?;
    let mut words: HashMap<String, String> = serde_json::from_slice(&file.bytes).ok()?;
    words.remove(key)
}

/// The name of an engine for people, from the game's `en.json`; the engine's own name if the file has none.
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
