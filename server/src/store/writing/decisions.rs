//! The commands of one transaction, as far as they are decided, in either database.

use crate::store::data::ratings::ResultToWrite;
use crate::store::database::Connection;
use crate::store::database_error::DatabaseError;
use crate::store::queries::people::players;
use crate::store::queries::{bot_faults, changes, programs, ratings, tournaments};
use crate::store::writing::command_error::CommandError;
use crate::store::writing::commands::NewPlayer;
use crate::store::writing::write_plan::{AppendContext, WritePlan};
use crate::store::{Append, StoreChange, StoreError};

/// The commands of one transaction, as far as they are decided. Each is decided as if the ones before it were done.
pub(in crate::store) struct Decisions<'a> {
    /// The rows and events to write.
    pub plan: WritePlan<'a>,
    /// The results of rated matches to write.
    pub rated: Vec<ResultToWrite<'a>>,
    /// Per command: the number of players, bans or matches that it has added or changed; of an append 0.
    pub results: Vec<Result<u64, StoreError>>,
}

impl<'a> Decisions<'a> {
    /// No commands. `last_nr`: the number of the last match in the database.
    pub(in crate::store) fn new(last_nr: i64) -> Self {
        Self { plan: WritePlan::new(last_nr), rated: Vec::new(), results: Vec::new() }
    }

    /// Records the result of the next command.
    ///
    /// # Errors
    /// The error of the database, after which the whole transaction is given up.
    pub(in crate::store) fn record(
        &mut self,
        result: Result<u64, CommandError>,
    ) -> Result<(), DatabaseError> {
        self.results.push(match result {
            Ok(changed) => Ok(changed),
            Err(CommandError::Command(refused)) => Err(refused),
            Err(CommandError::Transaction(error)) => return Err(error),
        });
        Ok(())
    }

    /// Decides an append; counts a rated match that begins, and notes the result of one that ends.
    pub(in crate::store) async fn append(
        &mut self,
        db: &mut Connection<'_>,
        append: &'a Append,
        context: AppendContext,
    ) -> Result<(), DatabaseError> {
        let result = self.plan_append(db, append, context).await;
        self.record(result.map(|()| 0))
    }

    async fn plan_append(
        &mut self,
        db: &mut Connection<'_>,
        append: &'a Append,
        context: AppendContext,
    ) -> Result<(), CommandError> {
        ratings::check_pairs(db, append).await?;
        self.plan.append(append, context)?;
        ratings::count_pairs(db, append).await?;
        for fault in &append.faults {
            bot_faults::add(db, &append.id, fault).await?;
        }
        for result in &append.program_results {
            programs::count_result(db, result).await?;
        }
        if let (Some(result), Some(event)) = (&append.rated, append.events.last()) {
            self.rated.push(ResultToWrite { id: &append.id, at_ms: event.at_ms, result });
        }
        Ok(())
    }

    pub(in crate::store) async fn add_player(
        &mut self,
        db: &mut Connection<'_>,
        new: &'a NewPlayer,
    ) -> Result<(), DatabaseError> {
        let result = match self.plan.has_request(new.request.as_ref()) {
            true => Err(StoreError::Conflict.into()),
            false => players::add(db, new).await,
        };
        if matches!(result, Ok(true)) {
            self.plan.add_request(new.request.as_ref());
        }
        self.record(result.map(u64::from))
    }

    /// Carries out a change. `node`: the id of this node.
    pub(in crate::store) async fn change(
        &mut self,
        db: &mut Connection<'_>,
        node: &str,
        change: &'a StoreChange,
    ) -> Result<(), DatabaseError> {
        let mut changed = changes::carry_out(db, node, change).await?;
        if let StoreChange::CountResult { id, at_ms, result } = change
            && changed > 0
        {
            if self.rated.iter().any(|other| other.id == id) {
                changed = 0;
            } else {
                self.rated.push(ResultToWrite { id, at_ms: *at_ms, result });
            }
        }
        if let StoreChange::AppendTournament(append) = change
            && changed > 0
        {
            tournaments::open_matches(db, &mut self.plan, &mut self.rated, append).await?;
        }
        self.record(Ok(changed))
    }
}
