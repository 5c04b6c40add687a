//! Takes the ratings of an export. Most of them follow from the results of its matches; the others are set.

use std::collections::HashMap;

use serde::Deserialize;

use crate::domain::time::Millis;
use crate::domain::{EnginePlayer, PlayerKind};
use crate::matches::import::players::is_imported;
use crate::matches::import::{EndedResult, ImportError, MatchImport, find_game};
use crate::matches::record::plain;
use crate::ratings::Rating;
use crate::store::{ImportedRating, StoreChange};

/// A line of a file of ratings: a player on the leaderboard of a game.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "`rating` says all")]
pub struct RatingLine {
    /// The game's short name.
    pub game: String,
    /// The player's name.
    pub name: String,
    /// Whether it is a person, a bot or a built-in engine.
    pub kind: PlayerKind,
    /// Of a bot: the name of its owner.
    #[serde(default)]
    pub owner: Option<String>,
    #[serde(flatten)]
    pub rating: Rating,
    /// The rated matches that count.
    pub played: u64,
    /// The time at which the last of them ended.
    pub last_ms: Millis,
}

impl MatchImport {
    /// Takes ratings of the export's last day, where the results that count here make others of them. Call it last. Returns the
    /// lines that were refused, each with the reason.
    ///
    /// # Errors
    /// One sentence.
    pub async fn take_ratings(&mut self, lines: &[(u64, RatingLine)]) -> Result<Vec<(u64, String)>, String> {
        let results = std::mem::take(&mut self.results);
        let (mut refused, seen) = (Vec::new(), SeenResults::of(&results));
        for (number, line) in lines {
            match self.take_rating(line, &seen).await {
                Ok(imported) => self.summary.ratings += imported,
                Err(ImportError::Refused(why)) => refused.push((*number, plain(&why))),
                Err(ImportError::Failed(why)) => return Err(why),
            }
        }
        Ok(refused)
    }

    async fn take_rating(&mut self, line: &RatingLine, seen: &SeenResults<'_>) -> Result<u64, ImportError> {
        let RatingLine { game, name, kind, rating, played, last_ms, .. } = line;
        find_game(game).map_err(ImportError::Refused)?;
        let is_possible = rating.mu.is_finite() && rating.sigma > 0.0 && rating.sigma <= Rating::NEW.sigma;
        if *played == 0 || !is_possible {
            return Err(ImportError::Refused(format!("{name:?} cannot have this rating")));
        }
        let player = match kind {
            PlayerKind::Engine => {
                let engine = EnginePlayer::parse(name).filter(|engine| engine.game == *game);
                let wrong = || ImportError::Refused(format!("{name:?} is no engine of this game"));
                let engine = engine.ok_or_else(wrong)?.player();
                let id = engine.id.clone();
                self.store.change(StoreChange::AddEngines { engines: vec![engine], at_ms: *last_ms }).await?;
                id
            }
            PlayerKind::Person | PlayerKind::Bot => self.players.find(name, *last_ms).await?.id,
        };
        let (results, last_seen_ms) = seen.0.get(&(&*player, &**game)).copied().unwrap_or_default();
        if !self.is_of_import(&player, line, results).await? {
            return Ok(0);
        }
        let (known_until_ms, game) = (last_seen_ms.max(*last_ms), game.clone());
        let (rating, played, last_ms) = (*rating, *played, *last_ms);
        let imported = ImportedRating { player, game, rating, played, last_ms, known_until_ms };
        Ok(self.store.change(StoreChange::SetRating(imported)).await?)
    }

    /// Whether all that counts here for a player comes from exports. `results`: how many results of the player were read.
    async fn is_of_import(&self, player: &str, line: &RatingLine, results: u64) -> Result<bool, ImportError> {
        if line.kind != PlayerKind::Engine {
            return Ok(is_imported(player, &line.name));
        }
        // Every server has the engines.
        let here = self.store.strengths(line.game.clone(), vec![player.to_owned()]).await?;
        Ok(here.first().is_none_or(|here| here.played <= results || here.played == line.played))
    }
}

/// The results that were read: their number, and the time of the last one, by player and game.
struct SeenResults<'a>(HashMap<(&'a str, &'a str), (u64, Millis)>);

impl<'a> SeenResults<'a> {
    fn of(results: &'a [EndedResult]) -> Self {
        let mut seen: HashMap<_, (u64, Millis)> = HashMap::new();
        for EndedResult { at_ms, result, .. } in results {
            for (player, _) in &result.seats {
                let entry = seen.entry((player.as_str(), result.game.as_str())).or_default();
                *entry = (entry.0 + 1, entry.1.max(*at_ms));
            }
        }
        Self(seen)
    }
}
