//! The fixed facts of a game's official dialogue, for programs on the bot's side and for their manuals: settings, the pass,
//! and the kind of time that the contest's limits count. This module neither reads nor writes a dialogue.

use crate::protocol::Settings;

/// The facts of a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DialogueInfo {
    /// The settings of the bot's side that a caller can set by name; see [`crate::protocol::Settings`].
    pub settings: &'static [SettingInfo],
    /// The settings of the referee's side, for each seat of a foreign bot.
    pub referee: &'static [SettingInfo],
    /// The line that passes the turn. A bot that has no answer prints it, because the referee counts silence as a
    /// crash. `None`: this game's turns cannot be passed.
    pub pass: Option<&'static str>,
    /// The kind of time that the contest's limits count.
    pub counts: CountedTime,
}

impl DialogueInfo {
    /// No settings, no pass, limits of wall time.
    pub const PLAIN: Self = Self { settings: &[], referee: &[], pass: None, counts: CountedTime::Wall };
}

/// A setting of one side of a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingInfo {
    /// Its name, one word.
    pub name: &'static str,
    /// The allowed values.
    pub values: SettingValues,
    /// The value when the caller sets none.
    pub default: &'static str,
    /// Its effect, in one to three sentences.
    pub meaning: &'static str,
}

/// The setting of the referee's side by which a bot says that it knows the *mirror dialogue* of its game: that of the seats which
/// the contest gives to no bot ([`crate::game::Info::mirror_seats`]). The game's README defines it. Without the setting no bot
/// reads it.
pub const MIRROR: SettingInfo = SettingInfo {
    name: "mirror",
    values: SettingValues::Words(&["no", "yes"]),
    default: "no",
    meaning: "Whether the bot also knows the dialogue of the other seat, which the contest does not have: the mirror dialogue.",
};

/// Whether these settings of the referee's side say that the bot knows the mirror dialogue.
pub fn knows_mirror(settings: &Settings) -> bool {
    settings.0.get(MIRROR.name).is_some_and(|value| value == "yes")
}

/// The allowed values of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValues {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A whole number, this one or more.
    From(u32),
    /// One of these words, or what dialogues asked to keep (see [`crate::protocol::KeptSetting`]).
    Kept(&'static [&'static str]),
}

impl std::fmt::Display for SettingValues {
    /// `a, b or c`, or `a whole number from N on`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Words([rest @ .., before, last]) => {
                rest.iter().try_for_each(|word| write!(f, "{word}, "))?;
                write!(f, "{before} or {last}")
            }
            Self::Words(words) => f.write_str(&words.concat()),
            Self::From(least) => write!(f, "a whole number from {least} on"),
            Self::Kept(words) => write!(f, "{} or kept values", words.join(", ")),
        }
    }
}

/// The kind of time that a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedTime {
    /// Elapsed time.
    Wall,
    /// Processor time of the bot's process, in all its threads. Waiting does not count.
    Processor,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;

    #[test]
    fn values_read_as_a_sentence() {
        assert_eq!(SettingValues::Words(&["auto", "yes", "no"]).to_string(), "auto, yes or no");
        assert_eq!(SettingValues::Words(&["no", "yes"]).to_string(), "no or yes");
        assert_eq!(SettingValues::From(1).to_string(), "a whole number from 1 on");
    }

    /// The listed settings and values are those that both sides accept.
    #[test]
    fn listed_settings_are_those_that_dialogues_take() {
        for game in GAMES {
            let dialogue = game.dialogue();
            let session = |settings: &Settings| game.session(settings).map(drop).map_err(|e| e.detail);
            assert_takes(game.info().slug, dialogue.settings, &session);
            let referee = |settings: &Settings| game.check_referee(settings).map_err(|e| e.detail);
            assert_takes(game.info().slug, dialogue.referee, &referee);
        }
    }

    fn assert_takes(slug: &str, settings: &[SettingInfo], side: &dyn Fn(&Settings) -> Result<(), String>) {
        let with = |name: &str, value: &str| side(&Settings([(name.to_owned(), value.to_owned())].into()));
        let refusal = with("no-such-setting", "1").expect_err("an unknown setting");
        let (_, known) = refusal.split_once("there are ").expect("the refusal lists the settings");
        let mut known: Vec<_> = known.split(", ").filter(|name| *name != "none here").collect();
        let mut listed: Vec<_> = settings.iter().map(|setting| setting.name).collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, known, "{slug}");
        for SettingInfo { name, values, default, .. } in settings {
            let (good, bad) = match values {
                SettingValues::Words(words) | SettingValues::Kept(words) => {
                    (words.to_vec(), "no-such-value".to_owned())
                }
                SettingValues::From(least) => (vec![], least.saturating_sub(1).to_string()),
            };
            for value in good.iter().chain([default]) {
                assert_eq!(with(name, value), Ok(()), "{slug}: {name}={value}");
            }
            assert!(with(name, &bad).is_err(), "{slug}: {name}={bad}");
        }
    }
}
