//! The policy of a bot: the matches that it accepts. Pure.

use std::collections::BTreeMap;

use engines::dialogue::knows_mirror;
use engines::protocol::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalogue::Catalogue;
use crate::domain::PlayerKind;
use crate::domain::schema::GameSlug;
use crate::error::{Code, Error};
use crate::lobby::seating::Terms;
use crate::store::data::lobby::LobbyPlayer;

/// The most matches at a time that a bot can offer.
const MAX_CONCURRENT: u32 = 64;

/// The matches that a bot accepts, as long as the connection is open on which it sent this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The short names of the games that it plays.
    #[schemars(with = "Vec<GameSlug>", length(min = 1))]
    pub games: Vec<String>,
    /// How many matches it plays at a time.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 64))]
    pub concurrent: u32,
    /// Whether its matches are rated.
    #[serde(default)]
    pub rated: PolicyRated,
    /// The shortest and the longest clock, in milliseconds: the time for all moves of a seat, or for each move if there is no
    /// such limit. Absent: any clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<u64>>", length(min = 2, max = 2))]
    pub clock_ms: Option<[u64; 2]>,
    /// Whether it plays without a clock.
    #[serde(default = "yes")]
    pub unlimited: bool,
    /// The opponents that it accepts.
    #[serde(default)]
    pub from: PolicyFrom,
    /// Whether it plays on the permanent ladder.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub ladder: bool,
    /// The settings of the referee's side with which its program opens its dialogues, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub referee: BTreeMap<String, String>,
}

/// Whether a bot plays rated matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyRated {
    /// Rated and unrated ones.
    #[default]
    Any,
    /// Only rated ones.
    Only,
    /// Only unrated ones.
    Never,
}

/// The opponents that a bot accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyFrom {
    /// Anyone with a name.
    #[default]
    Anyone,
    /// People, and no bots.
    People,
    /// Other bots.
    Bots,
    /// Its owner, and the owner's other bots.
    Owner,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// Older servers do not know the field, so it is sent only if it is `false`.
fn is_true(value: &bool) -> bool {
    *value
}

impl Policy {
    /// The usual policy of a bot whose programs play these games: two matches at a time, against anyone, on the ladder too.
    pub fn of_programs(games: Vec<String>) -> Self {
        Self {
            games,
            concurrent: 2,
            rated: PolicyRated::Any,
            clock_ms: None,
            unlimited: true,
            from: PolicyFrom::Anyone,
            ladder: true,
            referee: BTreeMap::new(),
        }
    }

    /// Checks a policy that a bot sent, and returns it as JSON to be stored.
    ///
    /// # Errors
    /// `bad_field`, `unknown_game`.
    pub fn checked(&self, games: &Catalogue) -> Result<String, Error> {
        let bad = |what: &str| Error::new(Code::BadField, format!("policy.{what}"));
        if self.games.is_empty() || self.games.len() > games.offers().len() {
            return Err(bad("games: name at least one game, and each only once"));
        }
        for game in &self.games {
            let offer = games.find(game)?;
            let settings = Settings(self.referee.clone());
            offer.game.check_referee(&settings).map_err(|e| bad(&format!("referee: {}", e.detail)))?;
        }
        if !(1..=MAX_CONCURRENT).contains(&self.concurrent) {
            return Err(bad(&format!("concurrent: must be from 1 to {MAX_CONCURRENT}")));
        }
        if self.clock_ms.is_some_and(|[least, most]| least > most) {
            return Err(bad("clock_ms: the shortest clock is longer than the longest"));
        }
        Ok(serde_json::to_string(self).expect("texts and numbers are JSON"))
    }

    /// Reads a stored policy; `None` if a later version of the program wrote it and this one cannot read it.
    pub fn read(stored: &str) -> Option<Self> {
        serde_json::from_str(stored).ok()
    }

    /// Whether the bot knows the mirror dialogue of its games, see [`engines::dialogue::MIRROR`].
    pub(super) fn knows_mirror(&self) -> bool {
        knows_mirror(&Settings(self.referee.clone()))
    }

    /// Whether the bot accepts these terms from this player; `Err`: the reason why not, as the end of a sentence that begins
    /// with the bot's name.
    pub(super) fn accepts(&self, bot: &LobbyPlayer, terms: &Terms, from: &LobbyPlayer) -> Result<(), String> {
        self.accepts_terms(terms)?;
        let same_owner = bot.who.owner_id() == from.who.owner_id();
        match self.from {
            PolicyFrom::People if from.kind != PlayerKind::Person => Err("plays only people".to_owned()),
            PolicyFrom::Bots if from.kind != PlayerKind::Bot => Err("plays only bots".to_owned()),
            PolicyFrom::Owner if !same_owner => Err("plays only its owner and the owner's bots".to_owned()),
            _ => Ok(()),
        }
    }

    /// As [`Self::accepts`], for any opponent.
    pub(super) fn accepts_terms(&self, terms: &Terms) -> Result<(), String> {
        if !self.games.contains(&terms.game) {
            return Err(format!("plays only {}", self.games.join(", ")));
        }
        match (self.rated, terms.rated) {
            (PolicyRated::Only, false) => return Err("plays only rated matches".to_owned()),
            (PolicyRated::Never, true) => return Err("plays only unrated matches".to_owned()),
            _ => {}
        }
        let time = terms.clock.as_ref().and_then(|clock| clock.initial_ms.or(clock.move_ms));
        match (time, self.clock_ms) {
            (None, _) if !self.unlimited => return Err("plays only with a clock".to_owned()),
            (Some(ms), Some([least, most])) if !(least..=most).contains(&ms) => {
                return Err(format!("plays only with clocks of {least} to {most} ms"));
            }
            _ => {}
        }
        Ok(())
    }
}
