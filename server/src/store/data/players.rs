//! The store's data about players: accounts, ratings and results.

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::domain::{MatchId, PlayerKind, PlayerRef};
use crate::ratings::Rating;
use crate::store::StoredRequest;

/// A player whose name in older events is out of date: the id, and the current name; `None`: deleted.
pub type FormerName = (String, Option<String>);

/// A player in the operator's list.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerEntry {
    /// The player.
    pub who: PlayerRef,
    /// The time at which the account was created.
    pub created_ms: Millis,
}

/// A bot to add.
#[derive(Clone, Debug, PartialEq)]
pub struct NewBot {
    /// The bot; it has an owner.
    pub who: PlayerRef,
    /// The hash of its token.
    pub key: KeyHash,
    /// The time of its creation.
    pub created_ms: Millis,
    /// Its description of itself, as JSON.
    pub about: String,
    /// The most bots of its owner.
    pub most: u32,
    /// The request that caused this.
    pub request: Option<StoredRequest>,
}

/// A bot in its owner's list.
#[derive(Clone, Debug, PartialEq)]
pub struct BotEntry {
    /// The bot.
    pub who: PlayerRef,
    /// The time of its creation.
    pub created_ms: Millis,
    /// Its description of itself, as JSON.
    pub about: Option<String>,
}

/// The page of a game's leaderboard to read: players whose rating is certain enough, the best first by the lower end of its
/// interval, then provisional ones.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaderboardFilter {
    /// The game's short name.
    pub game: String,
    /// Only players of this kind.
    pub kind: Option<PlayerKind>,
    /// Whether provisional players follow.
    pub provisional: bool,
    /// Only players after this one: [`RatedPlayer::listed`] and the id of the last one of the page before.
    pub after: Option<(f64, String)>,
    /// The maximum number of players.
    pub limit: u32,
}

/// A player on a leaderboard.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`rating` says all")]
pub struct RatedPlayer {
    /// The player.
    pub who: PlayerRef,
    /// The kind of player.
    pub kind: PlayerKind,
    /// Of a bot: the name of its owner.
    pub owner: Option<String>,
    pub rating: Rating,
    /// The rated matches that count.
    pub played: u64,
    /// The time at which the last of them ended.
    pub last_ms: Millis,
    /// The value by which the leaderboard sorts the player.
    pub listed: f64,
}

/// A player's rating in a game.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`rating` says all")]
pub struct PlayerRating {
    /// The game's short name.
    pub game: String,
    pub rating: Rating,
    /// The rated matches that count.
    pub played: u64,
    /// The time at which the last of them ended.
    pub last_ms: Millis,
    /// The place among the players whose rating is not provisional, from 1; `None`: the rating is provisional, or the
    /// place is beyond 10,000.
    pub rank: Option<u64>,
}

/// A rating that another server has computed. It replaces the stored one, and the last point of its history, unless the player has
/// a later rated match here.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`rating` says all")]
pub struct ImportedRating {
    /// The player's id.
    pub player: String,
    /// The game's short name.
    pub game: String,
    pub rating: Rating,
    /// The rated matches that count; at least 1.
    pub played: u64,
    /// The time at which the last of them ended.
    pub last_ms: Millis,
    /// A rated match of the player that ended after this time is a later one.
    pub known_until_ms: Millis,
}

/// The rating of a player after one of their matches.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`match_id` says all")]
pub struct RatingPoint {
    /// The number of the match among the player's rated matches of the game, from 1.
    pub played: u64,
    pub match_id: MatchId,
    /// The rating after it.
    pub rating: Rating,
    /// The time at which the match ended.
    pub at_ms: Millis,
}

/// The rating of a player in a game.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`rating` says all")]
pub struct PlayerStrength {
    /// The player's id.
    pub player: String,
    pub rating: Rating,
    /// The player's rated matches of the game.
    pub played: u64,
}

/// What a match has changed in a player's rating.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingChange {
    /// The player's id.
    pub player: String,
    /// The rating before the match; `None`: it was the player's first one.
    pub before: Option<Rating>,
    /// The rating after it.
    pub after: Rating,
    /// The greatest mean before it, in the units of Weng and Lin.
    pub best_before: Option<f64>,
    /// The number of the match among the player's rated matches of the game, from 1.
    pub played: u64,
}

/// Results of a player against an opponent, in rated matches.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`opponent` says all")]
pub struct OpponentResults {
    pub opponent: PlayerRef,
    /// The opponent's kind.
    pub kind: PlayerKind,
    /// Whether the opponent's account was deleted.
    pub deleted: bool,
    /// Matches with this opponent.
    pub played: u64,
    /// Those in which the player had the better place.
    pub won: u64,
    /// Those in which both had the same place.
    pub drawn: u64,
}

/// A player with their results.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerProfile {
    /// The player.
    pub who: PlayerRef,
    /// The kind of player.
    pub kind: PlayerKind,
    /// Of a bot: the name of its owner.
    pub owner: Option<String>,
    /// The player's description of itself, as JSON.
    pub about: Option<String>,
    /// One entry per game with a rating, in the order of the games' names.
    pub ratings: Vec<PlayerRating>,
    /// The time at which the account was created.
    pub created_ms: Millis,
    /// One entry per game, in the order of the games' names. Private matches do not count, because the numbers would
    /// reveal them.
    pub results: Vec<PlayerGameResults>,
}

/// A player's results in one game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerGameResults {
    /// The game's short name.
    pub game: String,
    /// Matches with a result.
    pub played: u64,
    /// Matches won alone.
    pub won: u64,
    /// Matches in which the player shared the first place.
    pub shared: u64,
}
