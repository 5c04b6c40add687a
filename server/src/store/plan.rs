//! What a transaction will write, decided from what is known: pure. And what the writer remembers of live matches, so
//! that it need not ask about each move.

use std::collections::{BTreeMap, HashMap};

use crate::domain::MatchId;
use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::store::batch::{Batch, Deed, PLACES};
use crate::store::{Append, MatchRow, RequestKey, StoreError};

/// Matches that are remembered at most; then all are forgotten and looked up again.
const REMEMBERED: usize = 1 << 16;

/// An event as it is written: number of the match, seq, time, body.
pub type Event<'a> = (i64, u32, Millis, &'a str);

/// What must be known to decide an append: number of the match, its last seq, whether the request is there, number of
/// the rematch.
pub type Fact = (Option<i64>, Option<u32>, u8, Option<i64>);

/// A match, as far as it goes.
#[derive(Clone, Copy, Debug)]
struct Known {
    nr: i64,
    next: u32,
}

/// What this server remembers of the matches it writes to. It may be behind the truth where another server writes, but
/// never before it.
#[derive(Debug, Default)]
pub struct Memory {
    /// The position of the last event of which this server knows.
    pub seen: i64,
    /// The number of the last match, once it was looked up.
    last_nr: Option<i64>,
    matches: HashMap<MatchId, Known>,
}

impl Memory {
    /// Nothing but the position of the last event.
    pub fn new(seen: i64) -> Self {
        Self { seen, ..Self::default() }
    }

    /// What is to be written, if that is nothing but events that continue matches as they are remembered, and matches
    /// that begin.
    pub fn recall<'a>(&self, batch: &Batch<'a>) -> Option<Plan<'a>> {
        if !batch.wishes.is_empty() || batch.beat.is_some() || batch.deeds.is_empty() {
            return None;
        }
        let mut plan = Plan::new(self.last_nr?);
        for deed in batch.deeds {
            let Deed::Append(append) = deed else { return None };
            let fact = self.fact(append).or_else(|| self.is_new(append).then(Fact::default))?;
            // What is refused is looked up first.
            plan.append(append, fact).ok()?;
        }
        (plan.events.len() <= PLACES[PLACES.len() - 1]).then_some(plan)
    }

    /// Whether it begins a match about which nothing else must be known. Its name is fresh, and if it were not, the key
    /// of the table would find it.
    fn is_new(&self, append: &Append) -> bool {
        append.seq == 0 && !asks(append) && !self.matches.contains_key(&append.id)
    }

    /// What is remembered for an append, where nothing else must be known of it.
    pub fn fact(&self, append: &Append) -> Option<Fact> {
        let known = self.matches.get(&append.id).filter(|_| !asks(append))?;
        Some((Some(known.nr), known.next.checked_sub(1), 0, None))
    }

    /// All of the plan was written.
    pub fn learn(&mut self, plan: &Plan<'_>) {
        if self.matches.len() + plan.matches.len() > REMEMBERED {
            self.matches.clear();
        }
        self.last_nr = Some(plan.last_nr);
        for (id, now) in &plan.matches {
            if let Some(nr) = now.nr {
                self.matches.insert((*id).clone(), Known { nr, next: now.next });
            }
        }
        for (id, row) in plan.rows.values() {
            if row.stage == Stage::Over {
                self.matches.remove(id);
            }
        }
    }

    /// Another server has written to it.
    pub fn forget(&mut self, id: &MatchId) {
        self.matches.remove(id);
    }

    /// Others have written somewhere, or what was written is not sure.
    pub fn forget_all(&mut self) {
        self.last_nr = None;
        self.matches.clear();
    }
}

/// Whether more must be known than the match itself.
fn asks(append: &Append) -> bool {
    append.request.is_some() || append.row.as_ref().is_some_and(|row| row.rematch_of.is_some())
}

fn push<'a>(events: &mut Vec<Event<'a>>, nr: i64, next: &mut u32, append: &'a Append) {
    for event in &append.events {
        events.push((nr, *next, event.at_ms, &event.body));
        *next += 1;
    }
}

/// What will be written, as far as it is decided.
#[derive(Default)]
pub struct Plan<'a> {
    /// Rows, by the number of the match; the last one counts.
    pub rows: BTreeMap<i64, (&'a MatchId, &'a MatchRow)>,
    /// Requests, by the text of their key.
    pub requests: HashMap<String, &'a RequestKey>,
    /// Events, in their order.
    pub events: Vec<Event<'a>>,
    matches: HashMap<&'a MatchId, Now>,
    rematches: HashMap<&'a MatchId, i64>,
    last_nr: i64,
}

/// A match, the events of this transaction included; without a number where there is none yet.
#[derive(Clone, Copy)]
struct Now {
    nr: Option<i64>,
    next: u32,
}

impl<'a> Plan<'a> {
    /// Nothing yet. `last_nr`: the number of the last match there is.
    pub fn new(last_nr: i64) -> Self {
        Self { last_nr, ..Self::default() }
    }

    /// Decides an append, as if those before it were done.
    pub fn append(&mut self, append: &'a Append, fact: Fact) -> Result<(), StoreError> {
        let (nr, last, request_there, rematch) = fact;
        let before = Now { nr, next: last.map_or(0, |seq| seq + 1) };
        let mut now = *self.matches.entry(&append.id).or_insert(before);
        let done = request_there != 0 || self.is_done(append.request.as_ref());
        let of = append.row.as_ref().and_then(|row| row.rematch_of.as_ref());
        let other = of.and_then(|of| self.rematches.get(of).copied().or(rematch));
        let rematch_taken = other.is_some_and(|nr| Some(nr) != now.nr);
        if append.seq != now.next || done || rematch_taken {
            return Err(StoreError::Conflict);
        }
        if now.nr.is_none() && append.row.is_none() {
            return Err(StoreError::Unavailable("a match begins with its row in lists".to_owned()));
        }
        let nr = now.nr.unwrap_or_else(|| {
            self.last_nr += 1;
            self.last_nr
        });
        push(&mut self.events, nr, &mut now.next, append);
        self.matches.insert(&append.id, Now { nr: Some(nr), ..now });
        if let Some(row) = &append.row {
            self.rows.insert(nr, (&append.id, row));
        }
        if let Some(of) = of {
            self.rematches.insert(of, nr);
        }
        self.request(append.request.as_ref());
        Ok(())
    }

    /// Whether this transaction does the request already.
    pub fn is_done(&self, request: Option<&RequestKey>) -> bool {
        request.is_some_and(|r| self.requests.contains_key(&r.key.to_string()))
    }

    /// This transaction does the request.
    pub fn request(&mut self, request: Option<&'a RequestKey>) {
        self.requests.extend(request.map(|r| (r.key.to_string(), r)));
    }
}
