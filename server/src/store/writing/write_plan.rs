//! Decides what a transaction will write. Pure: the facts come from the cache or from a query.

use std::collections::{BTreeMap, HashMap};

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::{Append, MatchRow, StoreError, StoredRequest};

/// A row of the table of events: number of the match, sequence number, time, body.
pub(in crate::store) type EventRow<'a> = (i64, u32, Millis, &'a str);

/// The facts that decide an append.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct AppendContext {
    /// The number of the match; `None`: it does not exist yet.
    pub nr: Option<i64>,
    /// The sequence number of its last event.
    pub last_seq: Option<u32>,
    /// Whether the request is stored already.
    pub request_stored: bool,
    /// The number of the match that is the rematch already.
    pub rematch: Option<i64>,
}

/// The rows and events that a transaction will write, as far as they are decided.
#[derive(Default)]
pub(in crate::store) struct WritePlan<'a> {
    /// Rows, by the number of the match; a later row replaces an earlier one.
    pub rows: BTreeMap<i64, (&'a MatchId, &'a MatchRow)>,
    /// Requests, by the text of their key.
    pub requests: HashMap<String, &'a StoredRequest>,
    /// Events, in order.
    pub events: Vec<EventRow<'a>>,
    matches: HashMap<&'a MatchId, PlannedMatch>,
    rematches: HashMap<&'a MatchId, i64>,
    last_nr: i64,
}

/// A match after the events planned so far; without a number if it does not exist yet.
#[derive(Clone, Copy)]
struct PlannedMatch {
    nr: Option<i64>,
    next_seq: u32,
}

impl<'a> WritePlan<'a> {
    /// An empty plan. `last_nr`: the number of the last match in the database.
    pub(in crate::store) fn new(last_nr: i64) -> Self {
        Self { last_nr, ..Self::default() }
    }

    /// The number of the last match after this plan.
    pub(in crate::store) fn last_nr(&self) -> i64 {
        self.last_nr
    }

    /// The matches of the plan, each with its number and its next sequence number.
    pub(in crate::store) fn matches(&self) -> impl Iterator<Item = (&'a MatchId, i64, u32)> {
        self.matches.iter().filter_map(|(id, planned)| Some((*id, planned.nr?, planned.next_seq)))
    }

    /// Decides an append as if the ones before it were done.
    pub(in crate::store) fn append(
        &mut self,
        append: &'a Append,
        context: AppendContext,
    ) -> Result<(), StoreError> {
        let AppendContext { nr, last_seq, request_stored, rematch } = context;
        let before = PlannedMatch { nr, next_seq: last_seq.map_or(0, |seq| seq + 1) };
        let mut planned = *self.matches.entry(&append.id).or_insert(before);
        let repeated = request_stored || self.has_request(append.request.as_ref());
        let of = append.row.as_ref().and_then(|row| row.rematch_of.as_ref());
        let other = of.and_then(|of| self.rematches.get(of).copied().or(rematch));
        let rematch_taken = other.is_some_and(|nr| Some(nr) != planned.nr);
        if append.seq != planned.next_seq || repeated || rematch_taken {
            return Err(StoreError::Conflict);
        }
        if planned.nr.is_none() && append.row.is_none() {
            return Err(StoreError::Unavailable("a new match needs a row for lists".to_owned()));
        }
        let nr = planned.nr.unwrap_or_else(|| {
            self.last_nr += 1;
            self.last_nr
        });
        for event in &append.events {
            self.events.push((nr, planned.next_seq, event.at_ms, &event.body));
            planned.next_seq += 1;
        }
        self.matches.insert(&append.id, PlannedMatch { nr: Some(nr), ..planned });
        if let Some(row) = &append.row {
            self.rows.insert(nr, (&append.id, row));
        }
        if let Some(of) = of {
            self.rematches.insert(of, nr);
        }
        self.add_request(append.request.as_ref());
        Ok(())
    }

    /// Whether the plan contains the request already.
    pub(in crate::store) fn has_request(&self, request: Option<&StoredRequest>) -> bool {
        request.is_some_and(|r| self.requests.contains_key(&r.key.to_string()))
    }

    /// Adds a request to the plan.
    pub(in crate::store) fn add_request(&mut self, request: Option<&'a StoredRequest>) {
        self.requests.extend(request.map(|r| (r.key.to_string(), r)));
    }
}
