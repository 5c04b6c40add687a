//! The costly decisions of players over all their analysed matches: kept as an index of the analyses, listed by phase and kind, and
//! shown with their positions.

use std::collections::BTreeMap;

use engines::erased::AnyGame;
use engines::game::Seat;
use engines::judge::{JudgedDecision, MatchAnalysis, accuracy};
use engines::suite::{SuitePosition, costly_positions};

use crate::analysis::Analyses;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::matches::event::{Event, Holder, LoggedEvent};
use crate::matches::ledger::Caller;
use crate::matches::record::Record;
use crate::store::{
    FinishedAnalysis, LossCount, MistakeCount, MistakeFilter, NewDecision, NewPuzzle, StoredAnalysisStage,
    StoredMistake, refused_by_store,
};

/// The least loss of a decision in a list, in ten-thousandths of the expected score: that of an inaccuracy.
pub const LEAST_LOSS: u32 = 500;
/// The least loss of a mistake, in the same measure.
const MISTAKE: u32 = 1_000;
/// What is stored as a loss of the whole expected score.
const WHOLE: f64 = 10_000.0;

/// Costly decisions, and what is needed to show their positions.
#[expect(missing_docs, reason = "`game` says all")]
pub struct FoundMistakes {
    pub game: &'static dyn AnyGame,
    /// The decisions, the costliest first.
    rows: Vec<StoredMistake>,
    /// The matches that the caller may see.
    matches: BTreeMap<String, AnalysedMatch>,
}

/// A match with its analysis.
struct AnalysedMatch {
    log: Vec<LoggedEvent>,
    /// The analysis as JSON.
    body: String,
}

/// A costly decision with its position.
pub struct ShownMistake {
    /// The match.
    pub id: MatchId,
    /// The decision; it has a value.
    pub decision: JudgedDecision,
    /// The position, as a line of a suite.
    pub line: SuitePosition,
}

/// The analysis as it is stored, with the decisions of players and its puzzles. `game`: the short name.
pub(super) fn finished(
    analysis: &MatchAnalysis,
    game: &str,
    log: &[LoggedEvent],
    puzzles: Vec<NewPuzzle>,
) -> FinishedAnalysis {
    let holders = players(log);
    let private = matches!(log.first(), Some(LoggedEvent { event: Event::Created(created), .. }) if created.key.is_some());
    let decision = |one: &JudgedDecision| {
        let loss = one.value.as_ref().filter(|_| !one.penalty)?.loss;
        Some(NewDecision {
            ply: one.ply,
            player: holders.get(&one.seat)?.clone(),
            game: game.to_owned(),
            private,
            phase: one.phase.clone(),
            kind: one.kind.clone(),
            loss: (WHOLE * loss).round() as u32,
        })
    };
    FinishedAnalysis {
        body: serde_json::to_string(analysis).expect("an analysis is plain values with text keys"),
        decisions: analysis.decisions.iter().filter_map(decision).collect(),
        puzzles,
    }
}

/// The ids of the players who held the seats at the end.
fn players(log: &[LoggedEvent]) -> BTreeMap<Seat, String> {
    let mut players = BTreeMap::new();
    let mut hold = |seat: Seat, holder: Option<&Holder>| match holder.and_then(|held| held.player.as_ref()) {
        Some(player) => players.insert(seat, player.id.clone()),
        None => players.remove(&seat),
    };
    for LoggedEvent { event, .. } in log {
        match event {
            Event::Created(created) => {
                for (seat, setup) in (0..).map(Seat).zip(&created.seats) {
                    hold(seat, setup.holder());
                }
            }
            Event::Joined { seat, holder } => drop(hold(*seat, Some(holder))),
            Event::Left { seat, .. } => drop(hold(*seat, None)),
            _ => {}
        }
    }
    players
}

impl Analyses {
    /// The costly decisions that pass the filter, in matches that the caller may see; and the last row of the page, if more follow.
    ///
    /// # Errors
    /// `store_unavailable`; `internal` if an analysis or a log is damaged.
    pub async fn mistakes(
        &self,
        game: &'static dyn AnyGame,
        filter: MistakeFilter,
        caller: &Caller,
    ) -> Result<(FoundMistakes, Option<StoredMistake>), Error> {
        let store = self.matches.store();
        let limit = filter.limit as usize;
        // One more than the limit shows whether there is another page.
        let filter = MistakeFilter { limit: filter.limit + 1, ..filter };
        let mut rows = store.mistakes(filter).await.map_err(|e| refused_by_store(&e))?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).cloned();
        let mut matches = BTreeMap::new();
        for StoredMistake { id, .. } in &rows {
            if matches.contains_key(id.as_str()) {
                continue;
            }
            let log = match self.matches.log(id, caller).await {
                Ok(log) => log,
                // It was deleted meanwhile, or the caller may not see it.
                Err(e) if [Code::NoSuchMatch, Code::Sealed].contains(&e.code()) => continue,
                Err(e) => return Err(e),
            };
            let stored = store.analysis(id.clone()).await.map_err(|e| refused_by_store(&e))?;
            if let Some(StoredAnalysisStage::Done(body)) = stored.map(|found| found.stage) {
                matches.insert(id.to_string(), AnalysedMatch { log, body });
            }
        }
        Ok((FoundMistakes { game, rows, matches }, next))
    }

    /// The decisions of a player, counted by phase and kind.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn mistake_counts(&self, filter: MistakeFilter) -> Result<Vec<MistakeCount>, Error> {
        let counts = self.matches.store().mistake_counts(filter, MISTAKE).await;
        counts.map_err(|e| refused_by_store(&e))
    }

    /// The mean accuracy of a player's decisions, 0 to 100; `None`: there is no decision.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn accuracy(&self, filter: MistakeFilter) -> Result<Option<f64>, Error> {
        let losses = self.matches.store().losses(filter).await.map_err(|e| refused_by_store(&e))?;
        let decisions: u64 = losses.iter().map(|one| one.decisions).sum();
        let of = |one: &LossCount| accuracy(f64::from(one.loss) / WHOLE) * one.decisions as f64;
        Ok((decisions > 0).then(|| losses.iter().map(of).sum::<f64>() / decisions as f64))
    }
}

impl FoundMistakes {
    /// The decisions with their positions. Plays each match once, which takes some milliseconds.
    ///
    /// # Errors
    /// `internal` if an analysis or a log is damaged.
    pub fn positions(&self) -> Result<Vec<ShownMistake>, Error> {
        let mut found: BTreeMap<(String, u32), ShownMistake> = BTreeMap::new();
        for (id, analysed) in &self.matches {
            let wanted: Vec<u32> =
                self.rows.iter().filter(|row| row.id.as_str() == id).map(|row| row.ply).collect();
            for (decision, line) in self.lines(id, analysed, &wanted)? {
                let Some(match_id) = MatchId::parse(id) else { continue };
                found.insert((id.clone(), decision.ply), ShownMistake { id: match_id, decision, line });
            }
        }
        let place = |row: &StoredMistake| (row.id.to_string(), row.ply);
        Ok(self.rows.iter().filter_map(|row| found.remove(&place(row))).collect())
    }

    /// The decisions at these plies of a match, in order.
    fn lines(
        &self,
        id: &str,
        analysed: &AnalysedMatch,
        plies: &[u32],
    ) -> Result<Vec<(JudgedDecision, SuitePosition)>, Error> {
        let broken = |what: String| Error::new(Code::Internal, format!("the analysis of match {id}: {what}"));
        let analysis: MatchAnalysis =
            serde_json::from_str(&analysed.body).map_err(|e| broken(e.to_string()))?;
        let record = Record::of(id, &analysed.log, Vec::new());
        let record = record.ok_or_else(|| broken("the match is not over".to_owned()))?;
        let finished = record.to_judge(self.game);
        let mut decisions = Vec::new();
        let positions = costly_positions(self.game, &finished.played, &analysis, id, |one| {
            let is_wanted = plies.contains(&one.ply);
            if is_wanted {
                decisions.push(one.clone());
            }
            is_wanted
        });
        let positions = positions.map_err(|e| broken(e.detail))?;
        Ok(decisions.into_iter().zip(positions).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::PlayerRef;

    #[test]
    fn decisions_belong_to_the_last_holder_of_a_seat() {
        let held = |id: &str| Holder {
            player: Some(PlayerRef::new(id.to_owned(), id.to_owned())),
            ..Holder::default()
        };
        let event = |event| LoggedEvent { seq: 0, at_ms: 0, event };
        let log = [
            event(Event::Joined { seat: Seat(0), holder: held("a") }),
            event(Event::Left { seat: Seat(0), removed: false }),
            event(Event::Joined { seat: Seat(0), holder: held("b") }),
            event(Event::Joined { seat: Seat(1), holder: Holder::default() }),
        ];
        assert_eq!(players(&log), BTreeMap::from([(Seat(0), "b".to_owned())]));
    }
}
