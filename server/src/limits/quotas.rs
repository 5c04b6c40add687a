//! Counts what each owner, a network address or a player, holds, so that one owner cannot hold everything. It must not know
//! what is counted.

use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::{DashMap, Entry};

use crate::error::{Code, Error};

/// The time after which a refused caller may try again. Holdings end at any time, so there is no better estimate.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The owner of a share of most counters.
const ADDRESS: &str = "an address";

/// A bound and the command line's name for it.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The largest number allowed.
    pub most: usize,
    /// The setting, such as `--max-sockets`: refusals name it.
    pub setting: &'static str,
}

/// A counter with a bound for each owner and, where given, one for all owners together.
///
/// Its map is sharded, so that requests of different owners rarely wait for the same lock.
pub struct Quotas<K: Hash + Eq + Clone + 'static = IpAddr> {
    /// The plural noun of what is counted, such as `open connections`.
    what: &'static str,
    /// The noun of an owner with its article.
    owner: &'static str,
    each: Limit,
    all: Option<(Limit, Code)>,
    total: AtomicUsize,
    /// Only owners that hold something.
    held: DashMap<K, usize>,
}

/// A part of a [`Quotas`] counter; it is returned on drop.
#[must_use = "the place is given back at once when it is dropped"]
pub struct QuotaGuard<K: Hash + Eq + Clone + 'static = IpAddr> {
    shares: &'static Quotas<K>,
    /// `None`: counts only toward the bound for all owners.
    owner: Option<K>,
    amount: usize,
}

impl Quotas<String> {
    /// A counter of `what`, bounded for each player.
    pub fn of_players(what: &'static str, each: Limit) -> &'static Self {
        Self::leak(what, "a player", each, None)
    }
}

impl Quotas {
    /// A counter of `what`, bounded for each address.
    pub fn new(what: &'static str, each: Limit) -> &'static Self {
        Self::leak(what, ADDRESS, each, None)
    }

    /// A counter that is also bounded for all addresses together; `code`: the refusal when that bound is reached.
    pub fn with_total(what: &'static str, each: Limit, all: Limit, code: Code) -> &'static Self {
        Self::leak(what, ADDRESS, each, Some((all, code)))
    }
}

impl<K: Hash + Eq + Clone + 'static> Quotas<K> {
    /// Leaks the counter, so that guards need no reference count. A program makes few counters, which live as long as
    /// it does.
    fn leak(
        what: &'static str,
        owner: &'static str,
        each: Limit,
        all: Option<(Limit, Code)>,
    ) -> &'static Self {
        let (total, held) = (AtomicUsize::new(0), DashMap::new());
        Box::leak(Box::new(Self { what, owner, each, all, total, held }))
    }

    /// Takes this amount for an owner; `None`: for callers without a bound of their own.
    ///
    /// # Errors
    /// `too_many` when the owner holds too much; the counter's own code when all owners together do.
    pub fn take(&'static self, owner: Option<K>, amount: usize) -> Result<QuotaGuard<K>, Error> {
        let mut held = QuotaGuard { shares: self, owner, amount: 0 };
        held.grow(amount)?;
        Ok(held)
    }

    /// The amount that all owners together hold.
    pub fn total(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    fn add(&self, owner: Option<&K>, more: usize) -> Result<(), Error> {
        let bound = self.all.as_ref().map_or(usize::MAX, |(all, _)| all.most);
        let fits = |now: usize| now.checked_add(more).filter(|sum| *sum <= bound);
        if self.total.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_err() {
            return Err(self.all_full());
        }
        let Some(owner) = owner else { return Ok(()) };
        let fits = |now: usize| now.checked_add(more).filter(|sum| *sum <= self.each.most);
        let added = match self.held.entry(owner.clone()) {
            Entry::Occupied(mut entry) => fits(*entry.get()).map(|sum| *entry.get_mut() = sum),
            Entry::Vacant(entry) => fits(0).map(|sum| drop(entry.insert(sum))),
        };
        added.ok_or_else(|| {
            self.total.fetch_sub(more, Ordering::Relaxed);
            self.owner_full()
        })
    }

    fn remove(&self, owner: Option<&K>, amount: usize) {
        self.total.fetch_sub(amount, Ordering::Relaxed);
        if let Some(owner) = owner
            && let Entry::Occupied(mut entry) = self.held.entry(owner.clone())
        {
            *entry.get_mut() -= amount;
            if *entry.get() == 0 {
                entry.remove();
            }
        }
    }

    fn owner_full(&self) -> Error {
        let Limit { most, setting } = self.each;
        let detail = format!("{} may have {most} {}, the limit that {setting} sets", self.owner, self.what);
        Error::new(Code::TooMany, detail).retry_after(RETRY_AFTER)
    }

    fn all_full(&self) -> Error {
        let (most, setting, code) = match &self.all {
            Some((limit, code)) => (limit.most, limit.setting, *code),
            None => (usize::MAX, self.each.setting, Code::Overloaded),
        };
        let detail =
            format!("the server may have {most} {} in all, the limit that {setting} sets", self.what);
        Error::new(code, detail).retry_after(RETRY_AFTER)
    }
}

impl<K: Hash + Eq + Clone + 'static> QuotaGuard<K> {
    /// Takes more of the same. On refusal, what was held is still held.
    ///
    /// # Errors
    /// As [`Quotas::take`].
    pub fn grow(&mut self, more: usize) -> Result<(), Error> {
        if more > 0 {
            self.shares.add(self.owner.as_ref(), more)?;
            self.amount += more;
        }
        Ok(())
    }

    /// Returns all of it. More can be taken later.
    pub fn clear(&mut self) {
        if self.amount > 0 {
            self.shares.remove(self.owner.as_ref(), self.amount);
            self.amount = 0;
        }
    }
}

impl<K: Hash + Eq + Clone + 'static> Drop for QuotaGuard<K> {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EACH: Limit = Limit { most: 3, setting: "--each" };
    const ALL: Limit = Limit { most: 5, setting: "--all" };

    #[test]
    fn addresses_have_bounds_of_their_own_and_one_together() {
        let shares = Quotas::with_total("things", EACH, ALL, Code::TooManySockets);
        let [a, b, c] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|text| text.parse().ok());
        let mut first = shares.take(a, 2).unwrap();
        let refused = shares.take(a, 2).err().unwrap();
        assert_eq!(refused.code(), Code::TooMany);
        assert!(refused.detail().contains("3 things") && refused.detail().contains("--each"), "{refused}");
        first.grow(1).unwrap();
        assert!(first.grow(1).is_err(), "the address is full");
        let second = shares.take(b, 2).unwrap();
        let refused = shares.take(c, 1).err().unwrap();
        assert_eq!(refused.code(), Code::TooManySockets);
        assert!(refused.detail().contains("5 things") && refused.detail().contains("--all"), "{refused}");
        drop(first);
        assert_eq!(shares.total(), 2);
        let third = shares.take(None, 3).unwrap();
        assert!(shares.take(None, 1).is_err(), "exempt from the bound for an address, not from the other");
        drop((second, third));
        assert_eq!((shares.total(), shares.held.len()), (0, 0), "idle addresses are forgotten");
    }

    #[test]
    fn refused_amount_leaves_no_trace() {
        let shares = Quotas::new("things", EACH);
        let a = "10.0.0.1".parse().ok();
        assert!(shares.take(a, 4).is_err());
        assert!(shares.take(a, usize::MAX).is_err());
        assert_eq!((shares.total(), shares.held.len()), (0, 0));
        drop(shares.take(a, 0).unwrap());
        assert_eq!(shares.held.len(), 0);
    }
}
