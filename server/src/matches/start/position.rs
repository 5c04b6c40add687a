//! Positions of matches that are over, from which other matches begin.

use engines::erased::{AnyGame, StartPosition};

use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::matches::event::PositionSource;
use crate::matches::ledger::Caller;
use crate::matches::record::Record;
use crate::matches::request::StartFrom;
use crate::matches::service::Matches;

impl Matches {
    /// The position after `ply` moves of a match of this game that is over, with what all seats together knew then.
    ///
    /// # Errors
    /// As [`Self::log`]; `bad_field` if the match is of another game or has fewer moves; `position_finished`.
    pub async fn position_in(
        &self,
        id: &MatchId,
        caller: &Caller,
        game: &'static str,
        ply: u32,
    ) -> Result<StartFrom, Error> {
        let log = self.log(id, caller).await?;
        let rules = self.registry.games.find(game)?.game;
        let source = PositionSource { id: id.to_string(), ply };
        // Every move may have to be played again.
        let made = tokio::task::spawn_blocking(move || {
            let record = Record::of(&source.id, &log, Vec::new())
                .ok_or_else(|| Error::new(Code::Internal, "a match that is over has no end"))?;
            if record.game != game {
                let detail = format!("position.match: that match is one of {}, not of {game}", record.game);
                return Err(Error::new(Code::BadField, detail));
            }
            let position = after(rules, &record, source.ply)?;
            let is_public = record.creation().is_some_and(|creation| !creation.private);
            Ok(StartFrom { position, of: is_public.then_some(source) })
        });
        made.await.unwrap_or_else(|_| Err(Error::new(Code::Internal, "a position could not be made")))
    }
}

/// The position of a match after this many moves. Moves that were taken back do not count.
fn after(game: &dyn AnyGame, record: &Record, ply: u32) -> Result<StartPosition, Error> {
    let played = record.finished();
    let moves = played.moves.get(..ply as usize).ok_or_else(|| {
        let detail = format!("position.ply: that match has {} moves, not {ply}", played.moves.len());
        Error::new(Code::BadField, detail)
    })?;
    let mut table = game.restore(&played.dealt)?;
    for one in moves {
        table.play(one.seat, &one.notation)?;
    }
    Ok(StartPosition::of(&*table, true)?)
}
