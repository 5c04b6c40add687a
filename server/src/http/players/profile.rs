//! A player's page: the kind of player, results and ratings.

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::About;
use crate::domain::schema::{AnyPlayerName, EngineName, GameSlug, PlayerName};
use crate::domain::time::Millis;
use crate::domain::{EnginePlayer, PlayerKind};
use crate::presentation::rating::RatingShown;
use crate::store::PlayerProfile;
use engines::search::Level;

/// A player, their results and their ratings.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlayerPage {
    #[schemars(with = "AnyPlayerName")]
    name: String,
    /// Whether it is a person, a bot or a built-in engine.
    kind: PlayerKind,
    /// The person who owns it, if it is a bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PlayerName>")]
    owner: Option<String>,
    /// The player's description of itself.
    about: About,
    /// The facts about it, if it is an engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<EngineFacts>,
    /// The time of the player's creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The end of the player's vacation, in milliseconds since 1970. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    vacation_until_ms: Option<Millis>,
    /// Results of all public matches (for an engine: of rated matches), one entry per game, in the order of the games'
    /// names.
    results: Vec<GameResults>,
    /// Ratings: one entry per game with a rated match, in the order of the games' names.
    ratings: Vec<GameRating>,
}

/// The facts about a built-in engine.
#[derive(Debug, Serialize, JsonSchema)]
struct EngineFacts {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The engine's name.
    #[schemars(with = "EngineName")]
    name: String,
    version: u32,
    level: Level,
}

/// A player's results in a game.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GameResults {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// Matches with a result.
    played: u64,
    /// Matches won alone.
    won: u64,
    /// Matches with a shared first place.
    shared: u64,
}

/// A player's rating in a game.
#[derive(Debug, Serialize, JsonSchema)]
struct GameRating {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    #[serde(flatten)]
    rating: RatingShown,
    /// Rated matches.
    played: u64,
    /// The place among the players whose rating is not provisional, from 1. `null`: the rating is provisional, or the place
    /// is beyond 10,000.
    rank: Option<u64>,
    /// The time at which the last rated match ended, in milliseconds since 1970.
    last_ms: Millis,
}

impl PlayerPage {
    /// The page of a player. `vacation_until_ms`: the end of the player's vacation.
    pub(crate) fn of(player: PlayerProfile, vacation_until_ms: Option<Millis>) -> Self {
        let results = player.results.into_iter().map(|r| GameResults {
            game: r.game,
            played: r.played,
            won: r.won,
            shared: r.shared,
        });
        let ratings = player.ratings.into_iter().map(|r| GameRating {
            game: r.game,
            rating: r.rating.into(),
            played: r.played,
            rank: r.rank,
            last_ms: r.last_ms,
        });
        let engine = EnginePlayer::parse(&player.who.name).map(|engine| EngineFacts {
            game: engine.game,
            name: engine.engine,
            version: engine.version,
            level: engine.level,
        });
        Self {
            name: player.who.name,
            kind: player.kind,
            owner: player.owner,
            about: About::read(player.about.as_deref()),
            engine,
            created_ms: player.created_ms,
            vacation_until_ms,
            results: results.collect(),
            ratings: ratings.collect(),
        }
    }
}
