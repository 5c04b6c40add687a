//! Plays all matches of a plan, several at a time. The order in which they end does not matter: records are passed on, and
//! the test decides, in the order of their numbers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::count::trial::Trial;
use super::plan::RunPlan;
use super::play::{Backends, Standstills, play};
use super::record::ArenaRecord;

/// The number of consecutive voided matches that means that the machine or a command is broken.
const VOIDS_IN_A_ROW: u32 = 20;
/// How often the run checks for a stop and for standstills.
const BEAT: Duration = Duration::from_millis(20);

/// Plays the plan. `each` gets every record once, in the order of the games; `ended` gets the number of matches that have
/// ended, in any order. Setting `stop` ends the run early: matches in progress are dropped, and the records that `each` got
/// remain valid. The run also ends after many consecutive voided matches, and when the plan's test has decided; the records
/// then end with the match that decided it.
pub fn run(
    plan: &RunPlan,
    backends: Backends,
    stop: &Arc<AtomicBool>,
    each: impl FnMut(&ArenaRecord),
    ended: impl FnMut(u32),
) -> Vec<ArenaRecord> {
    resume(plan, Vec::new(), backends, stop, each, ended)
}

/// The same for a run of which some matches have been played before: plays only the missing ones and passes them to `each`.
/// Returns all of them, as if the run had never been interrupted.
pub fn resume(
    plan: &RunPlan,
    before: Vec<ArenaRecord>,
    backends: Backends,
    stop: &Arc<AtomicBool>,
    each: impl FnMut(&ArenaRecord),
    mut ended: impl FnMut(u32),
) -> Vec<ArenaRecord> {
    let kept = before.into_iter().filter(|r| r.outcome.is_some() && r.game < plan.games());
    let waiting: BTreeMap<u32, (ArenaRecord, bool)> = kept.map(|r| (r.game, (r, false))).collect();
    let missing: Vec<u32> = (0..plan.games()).filter(|game| !waiting.contains_key(game)).collect();
    let mut count = waiting.len() as u32;
    let mut ordered = OrderedRecords { each, waiting, done: Vec::new(), trial: Trial::of(plan) };
    ordered.advance();
    if ordered.goes_on() && !missing.is_empty() {
        let threads = MatchThreads::new(plan, backends, missing);
        thread::scope(|scope| {
            let (sender, records) = mpsc::channel();
            threads.open(scope, &sender);
            drop(sender);
            loop {
                let before = Instant::now();
                let received = records.recv_timeout(BEAT);
                threads.standstills.note(before, BEAT);
                match received {
                    Ok(record) => {
                        count += 1;
                        ended(count);
                        ordered.add(record);
                        // Matches still in progress can no longer change anything.
                        if !ordered.goes_on() {
                            threads.halt.store(true, Ordering::Relaxed);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if stop.load(Ordering::Relaxed) {
                    threads.halt.store(true, Ordering::Relaxed);
                }
            }
        });
    }
    ordered.end()
}

/// The threads that play matches.
struct MatchThreads<'p> {
    plan: &'p RunPlan,
    backends: Backends<'p>,
    /// The numbers of the matches to play, and how many of them have started.
    missing: Vec<u32>,
    begun: AtomicUsize,
    voids: AtomicU32,
    /// Set when matches in progress are to be dropped.
    halt: Arc<AtomicBool>,
    standstills: Standstills,
}

impl<'p> MatchThreads<'p> {
    fn new(plan: &'p RunPlan, backends: Backends<'p>, missing: Vec<u32>) -> Self {
        Self {
            plan,
            backends,
            missing,
            begun: AtomicUsize::new(0),
            voids: AtomicU32::new(0),
            halt: Arc::new(AtomicBool::new(false)),
            standstills: Standstills::default(),
        }
    }

    /// Starts as many threads as matches are to be played at a time, or as many as the system allows, if fewer.
    fn open<'s>(&'s self, scope: &'s thread::Scope<'s, '_>, sender: &mpsc::Sender<ArenaRecord>) {
        for n in 0..self.plan.wanted.concurrency.min(self.missing.len()) {
            let own = sender.clone();
            let table = thread::Builder::new().name("arena".to_owned());
            if let Err(e) = table.spawn_scoped(scope, move || self.play(&own)) {
                if n == 0 {
                    let mut record = ArenaRecord::of(self.plan, &self.plan.fixture(self.missing[0]));
                    record.void = Some(format!("no thread can be started: {e}"));
                    // The other end is open: it is read after this.
                    let _ = sender.send(record);
                }
                return;
            }
        }
    }

    fn play(&self, sender: &mpsc::Sender<ArenaRecord>) {
        while !self.halt.load(Ordering::Relaxed) && self.voids.load(Ordering::Relaxed) < VOIDS_IN_A_ROW {
            let Some(game) = self.missing.get(self.begun.fetch_add(1, Ordering::Relaxed)) else { return };
            let fixture = self.plan.fixture(*game);
            let played = play(self.plan, &fixture, self.backends, &self.halt, &self.standstills);
            let Some(record) = played else { return };
            if record.void.is_some() {
                self.voids.fetch_add(1, Ordering::Relaxed);
            } else {
                self.voids.store(0, Ordering::Relaxed);
            }
            if sender.send(record).is_err() {
                return;
            }
        }
    }
}

/// The records on their way to the caller, in order.
struct OrderedRecords<E> {
    each: E,
    /// Records that wait for a missing one, and whether they are new.
    waiting: BTreeMap<u32, (ArenaRecord, bool)>,
    done: Vec<ArenaRecord>,
    trial: Option<Trial>,
}

impl<E: FnMut(&ArenaRecord)> OrderedRecords<E> {
    fn add(&mut self, record: ArenaRecord) {
        self.waiting.insert(record.game, (record, true));
        self.advance();
    }

    fn advance(&mut self) {
        while self.goes_on() {
            let next = u32::try_from(self.done.len()).ok().and_then(|next| self.waiting.remove(&next));
            let Some((record, new)) = next else { return };
            if let Some(trial) = &mut self.trial {
                trial.add(&record);
            }
            self.hand_on(record, new);
        }
    }

    fn hand_on(&mut self, record: ArenaRecord, new: bool) {
        if new {
            (self.each)(&record);
        }
        self.done.push(record);
    }

    fn goes_on(&self) -> bool {
        self.trial.as_ref().is_none_or(|t| t.accepted().is_none())
    }

    /// Returns all records. Records after a stopped match count too; records after the test's decision do not.
    fn end(mut self) -> Vec<ArenaRecord> {
        if self.goes_on() {
            for (record, new) in std::mem::take(&mut self.waiting).into_values() {
                self.hand_on(record, new);
            }
        }
        self.done
    }
}
