//! The texts of the pages: those of `server/web/LANGUAGE.json`, and those of each game's `about.LANGUAGE.json`. A text that
//! a language lacks is English; a test checks that none is missing.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use engines::erased::EngineInfo;
use engines::games::GAMES;
use engines::search::Level;
use icu_locale_core::Locale;
use icu_plurals::{PluralCategory, PluralRules, PluralRulesPreferences};
use serde::Deserialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::domain::EnginePlayer;
use crate::domain::time::Millis;
use crate::matches::clock::ClockSpec;
use crate::web::files::asset;
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
    language().sources().find_map(|tag| WORDS.get(tag)?.get(name))
}

/// The text with this key. A missing text shows its key; a test checks that none is missing.
pub(in crate::web) fn t(name: &'static str) -> &'static str {
    find(name).and_then(|text| text.of(language(), &[])).unwrap_or(name)
}

/// The text with this key, with each `{name}` in it replaced by the value of that name.
pub(in crate::web) fn say(name: &'static str, values: &[(&str, &str)]) -> String {
    let text = find(name).and_then(|text| text.of(language(), values)).unwrap_or(name);
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
    values.iter().fold(text.to_owned(), fill)
}

/// A table of texts by key, laid over the English one: no text is missing. `path`: of the table.
pub(in crate::web) fn complete(path: &str) -> Option<Map<String, Value>> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let language =
        Language::ALL.into_iter().find(|language| name.strip_suffix(".json") == Some(language.tag))?;
    let read = |tag: &str| -> Option<Map<String, Value>> {
        let slash = if folder.is_empty() { "" } else { "/" };
        let file = asset::find(&format!("{folder}{slash}{tag}.json"))?;
        serde_json::from_slice(&file.bytes).ok()
    };
    let mut tables: Vec<_> = language.sources().map(read).collect();
    let mut table = tables.pop()??;
    for own in tables.into_iter().rev().flatten() {
        table.extend(own);
    }
    Some(table)
}

/// The name of an engine for people, from the game's texts; the engine's own name if it has none.
pub(in crate::web) fn engine_name(slug: &str, engine: &str) -> String {
    GameTexts::of(slug).engine_name(engine).to_owned()
}

/// The name of a player for people: that of a built-in engine in words, any other as it is.
pub(in crate::web) fn player_name(name: &str) -> Cow<'_, str> {
    match EnginePlayer::parse(name) {
        Some(player) => GameTexts::of(&player.game).player_name(name),
        None => Cow::Borrowed(name),
    }
}

pub(in crate::web) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Easy => t("level.easy"),
        Level::Medium => t("level.medium"),
        Level::Hard => t("level.hard"),
        Level::Max => t("level.max"),
    }
}

/// A time control in a few words.
pub(in crate::web) fn clock_text(clock: &ClockSpec) -> String {
    const MINUTE: u64 = 60_000;
    // At most one digit after the point.
    let seconds = |ms: u64| ((ms as f64 / 100.0).round() / 10.0).to_string();
    let in_words = |ms| seconds(ms).replace('.', language().decimal.encode_utf8(&mut [0; 4]));
    let in_seconds = |name, ms| say(name, &[("seconds", &in_words(ms))]);
    let mut parts = Vec::new();
    if let Some(initial) = clock.initial_ms {
        parts.push(match initial % MINUTE {
            0 => say("clock.short.minutes", &[("minutes", &(initial / MINUTE).to_string())]),
            _ => in_seconds("clock.short.seconds", initial),
        });
        if clock.increment_ms > 0 {
            parts.push(in_seconds("clock.short.increment", clock.increment_ms));
        }
    }
    parts.extend(clock.move_ms.map(|each| in_seconds("clock.short.move", each)));
    parts.join(" ")
}

/// The date of a time, in UTC: `2026-03-31`; empty where the calendar ends. A page's module shows it as the visitor writes dates.
pub(in crate::web) fn iso_date(ms: Millis) -> String {
    let time = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1_000));
    time.map_or_else(|_| String::new(), |time| time.date().to_string())
}

/// A moment as text, such as `2026-11-28 20:00 UTC`.
pub(in crate::web) fn iso_minute(ms: Millis) -> String {
    let time = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1_000));
    time.map_or_else(|_| String::new(), |at| format!("{} {:02}:{:02} UTC", at.date(), at.hour(), at.minute()))
}

/// The texts of a game in the visitor's language; a text that the language lacks is English.
pub(in crate::web) struct GameTexts {
    slug: String,
    table: Map<String, Value>,
}

impl GameTexts {
    /// The texts of this game; a game may have none.
    pub(in crate::web) fn of(slug: &str) -> Self {
        let table = complete(&format!("games/{slug}/{}.json", language().tag));
        Self { slug: slug.to_owned(), table: table.unwrap_or_default() }
    }

    /// The text with this key; `None` if there is none, or it depends on a number.
    pub(in crate::web) fn get(&self, key: &str) -> Option<&str> {
        self.table.get(key)?.as_str()
    }

    /// The name of an engine for people; the engine's own name if the game has none for it.
    pub(in crate::web) fn engine_name<'a>(&'a self, engine: &'a str) -> &'a str {
        self.get(&format!("engine.{engine}")).unwrap_or(engine)
    }

    /// The name of an engine that plays at a level: "Easy engine", if it is the game's best one; any other has its own name before
    /// the level. `lib/matches/match-text.js` says the same.
    pub(in crate::web) fn engine_at(&self, engine: &str, level: Level) -> String {
        match present_engine(&self.slug, engine) {
            Some((_, true)) => engine_text(level).to_owned(),
            _ => say("engine.level", &[("engine", self.engine_name(engine)), ("level", level_name(level))]),
        }
    }

    /// The name of a player for people: that of a built-in engine of this game in words, any other as it is. An engine of an earlier
    /// version says which.
    pub(in crate::web) fn player_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let Some(EnginePlayer { engine, version, level, .. }) = EnginePlayer::parse(name) else {
            return Cow::Borrowed(name);
        };
        let name = self.engine_at(&engine, level);
        if present_engine(&self.slug, &engine).is_none_or(|(present, _)| present == version) {
            return Cow::Owned(name);
        }
        Cow::Owned(say("engine.of_version", &[("name", &name), ("version", &version.to_string())]))
    }
}

/// The present version of an engine, and whether it is its game's best one. `None`: there is no such engine.
fn present_engine(slug: &str, engine: &str) -> Option<(u32, bool)> {
    /// By the game's short name: its engines with their versions, the best one first.
    static ENGINES: LazyLock<HashMap<&str, Vec<(String, u32)>>> = LazyLock::new(|| {
        let engines = |all: Vec<EngineInfo>| all.into_iter().map(|one| (one.name, one.version)).collect();
        GAMES.iter().map(|game| (game.info().slug, engines(game.engines()))).collect()
    });
    let all = ENGINES.get(slug)?;
    let place = all.iter().position(|(name, _)| name == engine)?;
    Some((all[place].1, place == 0))
}

/// The name of a game's best engine at a level.
pub(in crate::web) fn engine_text(level: Level) -> &'static str {
    match level {
        Level::Easy => t("engine.easy"),
        Level::Medium => t("engine.medium"),
        Level::Hard => t("engine.hard"),
        Level::Max => t("engine.max"),
    }
}

/// The name of a guest with this number who chose none, such as "Calm Otter". `lib/matches/guests.js` says the same.
pub(in crate::web) fn guest_name(number: u16) -> String {
    let words = |key| t(key).split(' ').collect::<Vec<_>>();
    let (adjectives, animals) = (words("guest.adjectives"), words("guest.animals"));
    let place = usize::from(number.saturating_sub(1));
    let adjective = adjectives[place % adjectives.len()];
    let animal = animals[place / adjectives.len() % animals.len()];
    say("guest.name", &[("adjective", adjective), ("animal", animal)])
}

/// A text of a game in the visitor's language; a game may have none.
pub(in crate::web) fn game_text(slug: &str, key: &str) -> Option<String> {
    GameTexts::of(slug).get(key).map(str::to_owned)
}

/// The pages' texts about a game, from the game's `about.LANGUAGE.json`; a game may have none.
#[derive(Default, Deserialize)]
pub(in crate::web) struct GameWords {
    /// The game in one sentence.
    pub about: Option<String>,
    /// The course of a match in one paragraph.
    pub how: Option<String>,
    /// How its official harness runs a bot.
    pub harness: Option<Harness>,
}

/// How a game's official harness runs a bot.
#[derive(Deserialize)]
pub(in crate::web) struct Harness {
    /// The explanation, in paragraphs.
    pub say: Vec<String>,
    /// Commands that run the bot as the harness would. The English file has them.
    #[serde(rename = "try", default)]
    pub trial: String,
}

impl GameWords {
    /// The texts of this game. Texts that the visitor's language lacks are English.
    pub(in crate::web) fn of(slug: &str) -> Self {
        let read = |tag: &str| -> Option<Self> {
            let file = asset::find(&format!("games/{slug}/about.{tag}.json"))?;
            serde_json::from_slice(&file.bytes).ok()
        };
        let english = read(Language::ALL[0].tag).unwrap_or_default();
        let own = language().sources().find_map(|tag| (tag != Language::ALL[0].tag).then(|| read(tag))?);
        let Some(own) = own else { return english };
        let mut harness = own.harness;
        if let (Some(harness), Some(english)) = (&mut harness, &english.harness) {
            harness.trial.clone_from(&english.trial);
        }
        Self {
            about: own.about.or(english.about),
            how: own.how.or(english.how),
            harness: harness.or(english.harness),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_said_in_minutes_or_seconds() {
        let clock =
            |initial_ms, increment_ms, move_ms| clock_text(&ClockSpec { initial_ms, increment_ms, move_ms });
        assert_eq!(clock(Some(180_000), 2_000, None), "3 min + 2 s");
        assert_eq!(clock(Some(90_000), 0, Some(2_500)), "90 s 2.5 s a move");
        assert_eq!(clock(None, 0, Some(30_000)), "30 s a move");
    }

    #[test]
    fn plural_forms_follow_the_language() {
        let [english, romanian, portuguese, brazilian] = Language::ALL;
        let forms = |language| ["0", "1", "2", "19", "20", "101"].map(|number| plural_form(language, number));
        assert_eq!(forms(english), ["other", "one", "other", "other", "other", "other"]);
        assert_eq!(forms(romanian), ["few", "one", "few", "few", "other", "few"]);
        assert_eq!(forms(portuguese)[1..4], ["one", "other", "other"]);
        assert_eq!(forms(brazilian)[..4], ["one", "one", "other", "other"]);
    }

    #[test]
    fn dates_are_those_of_the_civil_calendar() {
        const DAYS: [(Millis, &str); 7] = [
            (-1, "1969-12-31"),
            (0, "1970-01-01"),
            (951_782_399_999, "2000-02-28"),
            (951_782_400_000, "2000-02-29"),
            (1_772_323_200_000, "2026-03-01"),
            (1_798_761_599_999, "2026-12-31"),
            (4_107_542_400_000, "2100-03-01"),
        ];
        assert_eq!(DAYS.map(|(ms, _)| iso_date(ms)), DAYS.map(|(_, date)| date));
    }
}
