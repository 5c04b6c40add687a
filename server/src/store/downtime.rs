//! The times in which nothing could be written, as this process knows them: times in which no node served (read from
//! the database), and times in which writing failed. Their meaning for a match is decided elsewhere.

use crate::domain::time::Millis;

/// The beginning and the end of a period, in milliseconds since 1970; the end is exclusive.
pub(crate) type Span = (Millis, Millis);

/// The known downtimes, and those that are not written to the database yet.
#[derive(Debug, Default)]
pub(super) struct Downtimes {
    /// Sorted by their beginnings, without overlaps.
    known: Vec<Span>,
    /// The same, of those that are in the database: they concern all nodes.
    common: Vec<Span>,
    /// The time since which writing fails.
    failing_since: Option<Millis>,
    unwritten: Vec<Span>,
}

impl Downtimes {
    /// Adds downtimes that are in the database. Returns whether any of them was unknown.
    pub(super) fn add_known(&mut self, spans: impl IntoIterator<Item = Span> + Clone) -> bool {
        merge(&mut self.common, spans.clone());
        merge(&mut self.known, spans)
    }

    /// Adds a downtime that is not in the database yet.
    pub(super) fn add(&mut self, span: Span) {
        if span.0 < span.1 {
            self.unwritten.push(span);
            merge(&mut self.known, [span]);
        }
    }

    /// The same for one that concerns all nodes.
    pub(super) fn add_common(&mut self, span: Span) {
        self.add(span);
        if span.0 < span.1 {
            merge(&mut self.common, [span]);
        }
    }

    /// Records that writing fails since `since`, unless it failed before already.
    pub(super) fn writing_failed(&mut self, since: Millis) {
        self.failing_since.get_or_insert(since);
    }

    /// Records that writing works again at this time.
    pub(super) fn writing_worked(&mut self, now: Millis) {
        if let Some(since) = self.failing_since.take() {
            self.add((since, now));
        }
    }

    /// The downtimes that a transaction that begins now must write, including a failure that lasts until now.
    pub(super) fn unwritten(&self, now: Millis) -> Vec<Span> {
        let lasting = self.failing_since.map(|since| (since, now)).filter(|span| span.0 < span.1);
        self.unwritten.iter().copied().chain(lasting).collect()
    }

    /// Records that these are now in the database.
    pub(super) fn written(&mut self, spans: &[Span]) {
        self.unwritten.retain(|span| !spans.contains(span));
    }

    /// All downtimes that end after this time, in order; a failure that still lasts has no end yet ([`Millis::MAX`]).
    pub(super) fn after(&self, from: Millis) -> Vec<Span> {
        let lasting = self.failing_since.map(|since| (since, Millis::MAX));
        self.known.iter().copied().filter(|span| span.1 > from).chain(lasting).collect()
    }

    /// The same, without the failures of this node alone.
    pub(super) fn common_after(&self, from: Millis) -> Vec<Span> {
        self.common.iter().copied().filter(|span| span.1 > from).collect()
    }
}

/// Adds spans. Returns whether that changes anything.
fn merge(all: &mut Vec<Span>, spans: impl IntoIterator<Item = Span>) -> bool {
    let before = all.clone();
    all.extend(spans);
    all.sort_unstable();
    all.dedup_by(|next, before| {
        let overlap = next.0 <= before.1;
        if overlap {
            before.1 = before.1.max(next.1);
        }
        overlap
    });
    *all != before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_downtimes_become_one() {
        let mut downtimes = Downtimes::default();
        downtimes.add_known([(50, 60), (10, 20), (15, 30), (30, 31)]);
        assert_eq!(downtimes.after(0), [(10, 31), (50, 60)]);
        assert_eq!(downtimes.after(31), [(50, 60)]);
        assert_eq!(downtimes.after(30), [(10, 31), (50, 60)]);
        assert_eq!(downtimes.common_after(0), downtimes.after(0));
    }

    #[test]
    fn failure_counts_from_its_start_until_writing_works() {
        let mut downtimes = Downtimes::default();
        downtimes.writing_failed(100);
        downtimes.writing_failed(200);
        assert_eq!(downtimes.after(150), [(100, Millis::MAX)]);
        assert_eq!(downtimes.unwritten(250), [(100, 250)]);
        downtimes.written(&[(100, 250)]);
        downtimes.writing_worked(300);
        assert_eq!((downtimes.after(0), downtimes.unwritten(400)), (vec![(100, 300)], vec![(100, 300)]));
        downtimes.written(&[(100, 300)]);
        assert_eq!(downtimes.unwritten(400), []);
        assert_eq!(downtimes.common_after(0), [], "other nodes may have served");
        downtimes.writing_worked(500);
        assert_eq!(downtimes.after(0), [(100, 300)]);
    }
}
