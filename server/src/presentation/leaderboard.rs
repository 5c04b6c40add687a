//! Pages of leaderboards.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::domain::PlayerKind;
use crate::domain::schema::{AnyPlayerName, GameSlug, PlayerName};
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::presentation::rating::RatingShown;
use crate::request::extract::{UrlQuery, unknown};
use crate::store::{LeaderboardFilter, RatedPlayer, refused_by_store};

/// How many entries a page of a list holds by default, and at most.
pub(crate) const DEFAULT_LIMIT: u32 = 50;
pub(crate) const MAX_LIMIT: u32 = 200;

/// A page of a game's leaderboard.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Leaderboard {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// Players whose rating is not provisional, then provisional ones; each the best first, by `points` minus `margin`.
    pub(crate) players: Vec<LeaderboardEntry>,
    /// The value of `after` that requests the next page; `null`: there is none.
    pub(crate) next: Option<String>,
}

/// A player on a leaderboard.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LeaderboardEntry {
    /// The place in this list, from 1; `null` for provisional ratings.
    pub(crate) rank: Option<u64>,
    #[schemars(with = "AnyPlayerName")]
    pub(crate) name: String,
    /// Whether it is a person, a bot or a built-in engine.
    pub(crate) kind: PlayerKind,
    /// The person who owns it, if it is a bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PlayerName>")]
    pub(crate) owner: Option<String>,
    #[serde(flatten)]
    pub(crate) rating: RatingShown,
    /// Rated matches.
    pub(crate) played: u64,
    /// The time at which the last of them ended, in milliseconds since 1970.
    pub(crate) last_ms: Millis,
}

/// The beginning of a page of a leaderboard: after this player, who has this rank or follows it.
struct Cursor {
    rank: u64,
    listed: f64,
    player: String,
}

impl Cursor {
    fn text(&self) -> String {
        format!("{}_{:016x}_{}", self.rank, self.listed.to_bits(), self.player)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '_');
        let rank = parts.next()?.parse().ok()?;
        let listed = f64::from_bits(u64::from_str_radix(parts.next()?, 16).ok()?);
        let player = parts.next()?.to_owned();
        listed.is_finite().then_some(Self { rank, listed, player })
    }
}

/// The refusal of a query.
pub(crate) fn bad(detail: &str) -> Error {
    Error::new(Code::BadQuery, detail)
}

/// Reads a number from 1 to `most`.
pub(crate) fn number<N: std::str::FromStr + PartialOrd + From<u8> + std::fmt::Display>(
    name: &str,
    value: &str,
    most: N,
) -> Result<N, Error> {
    let number = value.parse().ok().filter(|n| (N::from(1)..).contains(n) && *n <= most);
    number.ok_or_else(|| bad(&format!("{name}: must be from 1 to {most}")))
}

/// Reads a query for a page of a leaderboard: the filter, and the rank of the last player before the page.
fn filter(game: &str, query: UrlQuery) -> Result<(LeaderboardFilter, u64), Error> {
    let mut filter = LeaderboardFilter {
        game: game.to_owned(),
        kind: None,
        provisional: true,
        after: None,
        limit: DEFAULT_LIMIT,
    };
    let mut rank = 0;
    for (name, value) in query.0 {
        match name.as_str() {
            "kind" => {
                let kind = PlayerKind::parse(&value);
                filter.kind = Some(kind.ok_or_else(|| bad("kind: must be person, bot or engine"))?);
            }
            "provisional" => {
                let wanted = value.parse();
                filter.provisional = wanted.map_err(|_| bad("provisional: must be true or false"))?;
            }
            "after" => {
                let cursor = Cursor::parse(&value);
                let cursor = cursor.ok_or_else(|| bad("after: must be `next` of the previous page"))?;
                rank = cursor.rank;
                filter.after = Some((cursor.listed, cursor.player));
            }
            "limit" => filter.limit = number("limit", &value, MAX_LIMIT)?,
            _ => return Err(unknown(&name, "kind, provisional, after and limit")),
        }
    }
    Ok((filter, rank))
}

/// The page of a game's leaderboard that the query asks for.
pub(crate) async fn board(app: &App, game: &str, query: UrlQuery) -> Result<Leaderboard, Error> {
    let (mut filter, mut rank) = filter(game, query)?;
    let limit = filter.limit as usize;
    // One more than the limit shows whether there is another page.
    filter.limit += 1;
    let mut found = app.matches.store().leaderboard(filter).await.map_err(|e| refused_by_store(&e))?;
    let more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| more).map(|last| (last.listed, last.who.id.clone()));
    let mut entry = |RatedPlayer { who, kind, owner, rating, played, last_ms, .. }: RatedPlayer| {
        let rating = RatingShown::from(rating);
        rank += u64::from(!rating.provisional);
        let rank = (!rating.provisional).then_some(rank);
        LeaderboardEntry { rank, name: who.name, kind, owner, rating, played, last_ms }
    };
    let players = found.into_iter().map(&mut entry).collect();
    let next = last.map(|(listed, player)| Cursor { rank, listed, player }.text());
    Ok(Leaderboard { game: game.to_owned(), players, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_is_read_back() {
        let text = Cursor { rank: 12, listed: -974.25, player: "engine:a_b:c:1:max".into() }.text();
        let read = Cursor::parse(&text).unwrap();
        assert_eq!((read.rank, read.listed, read.player.as_str()), (12, -974.25, "engine:a_b:c:1:max"));
        for wrong in ["", "1", "1_x_y", "x_0_y", "1_7ff0000000000000_y"] {
            assert!(Cursor::parse(wrong).is_none(), "{wrong}");
        }
    }
}
