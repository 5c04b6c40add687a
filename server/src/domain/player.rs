//! A player as other records refer to it, and the built-in engines as players.

use engines::search::Level;
use serde::{Deserialize, Serialize};

/// A reference to a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerRef {
    /// Never changes, even when the name does.
    pub id: String,
    /// Unique in upper and lower case; it can change.
    pub name: String,
    /// Of a bot: the id of the person who owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

impl PlayerRef {
    /// A player without an owner: a person or an engine.
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), owner: None }
    }

    /// Whether it is a built-in engine.
    pub fn is_engine(&self) -> bool {
        EnginePlayer::is_id(&self.id)
    }

    /// The id of the person behind the player: a bot's owner, otherwise the player.
    pub fn owner_id(&self) -> &str {
        self.owner.as_deref().unwrap_or(&self.id)
    }
}

/// A person, a bot or an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// A person with a name of their own.
    Person,
    /// A program that a person owns.
    Bot,
    /// A built-in engine, in one version, at one level.
    Engine,
}

impl PlayerKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Person, Self::Bot, Self::Engine];

    /// As the API and the database write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Bot => "bot",
            Self::Engine => "engine",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A built-in engine as a player. Its ratings are those of this version at this level, with the usual thinking time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnginePlayer {
    /// The game's short name.
    pub game: String,
    /// The engine's name.
    pub engine: String,
    /// Another version is another player.
    pub version: u32,
    /// Another level is another player.
    pub level: Level,
}

/// The beginning of the ids of engine players.
const ENGINE_ID: &str = "engine:";

impl EnginePlayer {
    /// The engine's name among players, `GAME:ENGINE:VERSION:LEVEL`. The names of people and bots have no colon.
    pub fn name(&self) -> String {
        format!("{}:{}:{}:{}", self.game, self.engine, self.version, self.level.name())
    }

    /// The engine's id.
    pub fn id(&self) -> String {
        format!("{ENGINE_ID}{}", self.name())
    }

    /// Whether a player's id is an engine's.
    pub fn is_id(id: &str) -> bool {
        id.starts_with(ENGINE_ID)
    }

    /// A reference to the engine.
    pub fn player(&self) -> PlayerRef {
        PlayerRef::new(self.id(), self.name())
    }

    /// The engine with this name.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split(':');
        let [game, engine, version, level] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        let level = Level::ALL.into_iter().find(|known| known.name() == level)?;
        let this =
            Self { game: game.to_owned(), engine: engine.to_owned(), version: version.parse().ok()?, level };
        // Accept only the canonical spelling.
        (this.name() == name && !game.is_empty() && !engine.is_empty()).then_some(this)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_an_engine_is_read_back() {
        let engine =
            EnginePlayer { game: "go".into(), engine: "wall".into(), version: 12, level: Level::Hard };
        assert_eq!(
            (engine.name().as_str(), engine.id().as_str()),
            ("go:wall:12:hard", "engine:go:wall:12:hard")
        );
        assert_eq!(EnginePlayer::parse(&engine.name()), Some(engine));
        for wrong in
            ["", "go:wall:12", "go:wall:012:hard", "go:wall:12:hard:", "go:wall:12:Hard", ":wall:1:max"]
        {
            assert_eq!(EnginePlayer::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn person_is_their_own_owner() {
        let bot = PlayerRef { owner: Some("1".into()), ..PlayerRef::new("2", "robo") };
        assert_eq!((bot.owner_id(), PlayerRef::new("1", "ann").owner_id()), ("1", "1"));
        let json = serde_json::to_value(PlayerRef::new("1", "ann")).unwrap();
        assert_eq!(json, serde_json::json!({ "id": "1", "name": "ann" }), "logs of people read as before");
    }
}
