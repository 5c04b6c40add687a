//! All matches of a plan, several at a time. The order in which they end changes nothing: records are handed on in
//! the order of their numbers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;

use super::http::Http;
use super::plan::Plan;
use super::play::play;
use super::record::Record;

/// Matches voided one after another after which the machine, or a command, is taken to be broken.
const VOIDS_IN_A_ROW: u32 = 20;

/// Plays the plan. `each` gets every record once, in the order of the games; `ended` is told how many have ended, in
/// whatever order. Setting `stop` ends the run early: matches in progress are dropped, what `each` got stands. The run
/// also ends when match after match is voided.
pub fn run(
    plan: &Plan,
    http: &dyn Http,
    stop: &Arc<AtomicBool>,
    mut each: impl FnMut(&Record),
    mut ended: impl FnMut(u32),
) -> Vec<Record> {
    let next = AtomicU32::new(0);
    let voids = AtomicU32::new(0);
    let broken = || voids.load(Ordering::Relaxed) >= VOIDS_IN_A_ROW;
    let (sender, records) = mpsc::channel();
    let mut waiting: BTreeMap<u32, Record> = BTreeMap::new();
    let mut done = Vec::new();
    thread::scope(|scope| {
        for _ in 0..plan.wanted.concurrency.min(plan.wanted.games as usize) {
            let sender = sender.clone();
            let (next, voids) = (&next, &voids);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) && !broken() {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    if game >= plan.wanted.games {
                        return;
                    }
                    let Some(record) = play(plan, &plan.fixture(game), http, stop) else { return };
                    if record.void.is_some() {
                        voids.fetch_add(1, Ordering::Relaxed);
                    } else {
                        voids.store(0, Ordering::Relaxed);
                    }
                    if sender.send(record).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut count = 0;
        for record in records {
            count += 1;
            ended(count);
            waiting.insert(record.game, record);
            while let Some(record) = u32::try_from(done.len()).ok().and_then(|next| waiting.remove(&next)) {
                each(&record);
                done.push(record);
            }
        }
    });
    // What ended behind a match that was stopped counts too.
    for record in waiting.into_values() {
        each(&record);
        done.push(record);
    }
    done
}
