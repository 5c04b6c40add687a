//! Work that is split among threads without a trace in its result.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The items `0..n`, in this order, made on `threads` threads, at least one. If `make` depends only on the number,
/// the result is the same on any number of threads. A thread ends at the first `None`.
pub(crate) fn in_order<T: Send>(n: u64, threads: usize, make: impl Fn(u64) -> Option<T> + Sync) -> Vec<T> {
    let next = AtomicU64::new(0);
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Relaxed)).filter(|number| *number < n));
        numbers.map_while(|number| Some((number, make(number)?))).collect()
    };
    let mut all: Vec<(u64, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let made =
            workers.into_iter().map(|worker| worker.join().expect("a thread of the training panicked"));
        made.flat_map(|own: Vec<(u64, T)>| own).collect()
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_and_end_where_making_ends() {
        let squares: Vec<u64> = (0..100).map(|i| i * i).collect();
        for threads in [0, 1, 3] {
            assert_eq!(in_order(100, threads, |i| Some(i * i)), squares);
        }
        assert_eq!(in_order(100, 1, |i| (i < 7).then_some(i * i)), squares[..7]);
        assert!(in_order(0, 2, Some).is_empty());
    }
}
