//! What the judge needs of a match that is over.

use engines::erased::{AnyGame, FinishedMatch};
use engines::game::{Outcome, Seat};
use engines::judge::{MatchEnd, MatchToJudge};

use crate::matches::record::{Record, RecordedEvent};

impl Record {
    /// The match without its times, as a game takes it.
    pub(in crate::matches) fn finished(&self) -> FinishedMatch {
        let dealt = self.creation().map_or(serde_json::Value::Null, |creation| creation.state.clone());
        let mut moves = Vec::new();
        for entry in &self.events {
            if let RecordedEvent::TakenBack { ply, .. } = entry.what {
                moves.truncate(ply as usize);
            }
            if let Some(mut played) = entry.what.played_move() {
                played.remarks = self.unverified.lines_of(played.seat, moves.len());
                moves.push(played);
            }
        }
        FinishedMatch { dealt, moves, names: self.names() }
    }

    /// The match as the judge takes it.
    pub fn to_judge(&self, game: &dyn AnyGame) -> MatchToJudge {
        MatchToJudge { played: self.finished(), seed: self.seed, end: self.end(game) }
    }

    /// How the match ended; `None` if it has no result.
    fn end(&self, game: &dyn AnyGame) -> Option<MatchEnd> {
        let RecordedEvent::Ended { result: Some(result), .. } = &self.events.last()?.what else {
            return None;
        };
        let seats = u8::try_from(result.ranks.len()).ok().filter(|seats| *seats <= game.info().max_seats)?;
        let outcome = Outcome { points: Vec::new(), ranks: result.ranks.clone(), reason: String::new() };
        let gave_up = |what: &RecordedEvent| match what {
            RecordedEvent::WentOut { seat, .. } | RecordedEvent::Fouled { seat, instead: None, .. } => {
                Some(*seat)
            }
            _ => None,
        };
        Some(MatchEnd {
            scores: (0..seats).map(|seat| outcome.score(Seat(seat))).collect(),
            forfeited: self.events.iter().filter_map(|entry| gave_up(&entry.what)).collect(),
        })
    }
}
