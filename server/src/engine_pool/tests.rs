//! The pool with positions that do what a test wants. Gates order the events; no test measures real time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engines::search::{Host, Limits};

use crate::domain::ClientId;
use crate::engine_pool::scripted_position::{ScriptedPosition, SearchBody};
use crate::engine_pool::{EnginePool, EngineRef, LocalPool, Pending, PoolOptions, Source, Task};
use crate::error::{Code, Error};
use crate::metrics::Metrics;

const SLOW: EngineRef = EngineRef { game: "test", name: "slow", instant: false };
const INSTANT: EngineRef = EngineRef { game: "test", name: "instant", instant: true };
const SECOND: Duration = Duration::from_secs(1);
/// A timeout that only a hang reaches.
const HANG: Duration = Duration::from_secs(30);

fn task(engine: EngineRef, think: Duration, deadline: Duration, act: SearchBody) -> Task {
    let deadline = Instant::now() + deadline;
    let (position, source, limits) = (Arc::new(ScriptedPosition(act)), caller(1), Limits::default());
    Task { position, source, engine, limits, think, deadline, updates: None }
}

/// A guest at this address.
fn caller(n: u8) -> Source {
    Source::Request(ClientId::new([10, 0, 0, n].into(), None))
}

fn nothing() -> SearchBody {
    Box::new(|_| {})
}

/// A search that ends only when the gate opens, whatever its host says; it signals when it has begun.
fn gated(begun: &Sender<()>) -> (Sender<()>, SearchBody) {
    let (open, gate) = channel();
    let (begun, gate) = (Mutex::new(begun.clone()), Mutex::new(gate));
    let act = move |_: &dyn Host| {
        begun.lock().unwrap().send(()).unwrap();
        let _ = gate.lock().unwrap().recv_timeout(HANG);
    };
    (open, Box::new(act))
}

/// A search that thinks until its host says stop.
fn patient(begun: &Sender<()>) -> SearchBody {
    let begun = Mutex::new(begun.clone());
    Box::new(move |host| {
        begun.lock().unwrap().send(()).unwrap();
        let hang = Instant::now() + HANG;
        while host.go_on() && Instant::now() < hang {
            std::thread::yield_now();
        }
    })
}

fn pool(threads: usize, queue: usize) -> (LocalPool, Metrics) {
    let metrics = Metrics::default();
    let options =
        PoolOptions { threads: Some(threads.try_into().unwrap()), queue, ladder_share: 10, bots_share: 20 };
    (LocalPool::start(&options, &metrics).unwrap(), metrics)
}

fn wait(pending: Pending) -> Result<crate::engine_pool::TimedDecision, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(pending.answer())
}

fn refused(pool: &LocalPool, task: Task) -> Error {
    pool.think(task).err().expect("the task is refused")
}

fn next(events: &Receiver<()>) {
    events.recv_timeout(HANG).expect("the search begins");
}

fn counted(metrics: &Metrics, line: &str) -> bool {
    metrics.text().lines().any(|l| l == line)
}

#[test]
fn quick_search_overtakes_all_long_ones() {
    let (pool, _) = pool(2, 16);
    let (begun, events) = channel();
    let mut gates = Vec::new();
    let mut long = Vec::new();
    for _ in 0..2 {
        let (open, act) = gated(&begun);
        gates.push(open);
        long.push(pool.think(task(SLOW, SECOND, HANG, act)).unwrap());
        next(&events);
    }
    // All threads for long searches are busy; these searches are answered nevertheless.
    for _ in 0..100 {
        wait(pool.think(task(INSTANT, SECOND, HANG, nothing())).unwrap()).unwrap();
        wait(pool.think(task(SLOW, Duration::from_millis(50), HANG, nothing())).unwrap()).unwrap();
    }
    drop(gates);
    long.into_iter().for_each(|pending| assert!(wait(pending).is_ok()));
}

#[test]
fn search_without_enough_time_is_refused_at_once() {
    let (pool, metrics) = pool(2, 16);
    let (begun, events) = channel();
    let mut gates = Vec::new();
    let half = SECOND / 2;
    let mut long = Vec::new();
    for _ in 0..2 {
        // Hour-long searches, so that nothing here depends on the machine's speed.
        let (open, act) = gated(&begun);
        gates.push(open);
        long.push(pool.think(task(SLOW, 3600 * SECOND, 3601 * SECOND, act)).unwrap());
        next(&events);
    }
    let e = refused(&pool, task(SLOW, half, half, nothing()));
    assert_eq!(e.code(), Code::Busy);
    assert!(e.comes_back_after().unwrap() > 3000 * SECOND, "{e:?}");
    assert!(counted(&metrics, "kibitz_pool_refused_total{lane=\"long\"} 1"));
    // A search with enough time is queued.
    let queued = pool.think(task(SLOW, half, 7200 * SECOND, nothing())).unwrap();
    drop(gates);
    let result = wait(queued).unwrap();
    assert!(result.took < 3600 * SECOND);
    long.into_iter().for_each(|pending| assert!(wait(pending).is_ok()));
}

#[test]
fn full_queue_says_when_to_try_again() {
    let (pool, _) = pool(1, 2);
    let (begun, events) = channel();
    let (gate, act) = gated(&begun);
    let running = pool.think(task(SLOW, SECOND, 3600 * SECOND, act)).unwrap();
    next(&events);
    let waiting: Vec<_> =
        (0..2).map(|_| pool.think(task(SLOW, SECOND, 3600 * SECOND, nothing())).unwrap()).collect();
    let e = refused(&pool, task(SLOW, SECOND, 3600 * SECOND, nothing()));
    assert_eq!(e.code(), Code::Busy);
    assert!(e.comes_back_after().is_some() && e.detail().contains('2'), "{e:?}");
    // Cancelling one makes room.
    let mut waiting = waiting.into_iter();
    drop(waiting.next());
    let last = pool.think(task(SLOW, SECOND, 3600 * SECOND, nothing())).unwrap();
    drop(gate);
    for pending in [running, waiting.next().unwrap(), last] {
        assert!(wait(pending).is_ok());
    }
}

#[test]
fn sole_search_borrows_the_other_cores_until_another_begins() {
    let (pool, _) = pool(2, 16);
    let (begun, events) = channel();
    let (needed, seen) = channel();
    let taken = Mutex::new(needed);
    let told = Mutex::new(begun.clone());
    // Takes all the cores that it gets, and returns them when it is asked to.
    let act: SearchBody = Box::new(move |host| {
        let cores = host.cores().expect("the pool lends cores");
        let lent = (0..3).filter(|_| cores.take()).count();
        taken.lock().unwrap().send(lent).unwrap();
        told.lock().unwrap().send(()).unwrap();
        let hang = Instant::now() + HANG;
        while cores.may_keep() && Instant::now() < hang {
            std::thread::yield_now();
        }
        (0..lent).for_each(|_| cores.give_back());
    });
    let alone = pool.think(task(SLOW, SECOND, 3600 * SECOND, act)).unwrap();
    next(&events);
    assert_eq!(seen.recv_timeout(HANG).unwrap(), 1);
    let (gate, act) = gated(&begun);
    let other = pool.think(task(SLOW, SECOND, 3600 * SECOND, act)).unwrap();
    next(&events);
    let result = wait(alone).unwrap();
    assert!(result.took < HANG, "it noticed that a core was needed");
    drop(gate);
    wait(other).unwrap();
}

#[test]
fn dropping_the_answer_cancels_the_search() {
    let (pool, metrics) = pool(1, 16);
    let (begun, events) = channel();
    let running = pool.think(task(SLOW, HANG, 2 * HANG, patient(&begun))).unwrap();
    next(&events);
    let (never, unheard) = channel();
    let waiting = pool.think(task(SLOW, HANG, 9 * HANG, patient(&never))).unwrap();
    drop(waiting);
    drop(running);
    let last = pool.think(task(SLOW, SECOND, 9 * HANG, nothing())).unwrap();
    let before = Instant::now();
    wait(last).unwrap();
    assert!(before.elapsed() < HANG, "the running search was told to stop");
    assert!(unheard.try_recv().is_err(), "the waiting one never ran");
    assert!(counted(&metrics, "kibitz_pool_cancelled_total{lane=\"long\"} 2"), "{}", metrics.text());
}

#[test]
fn search_ends_by_its_time_and_by_its_deadline() {
    let (pool, _) = pool(1, 16);
    let (begun, _events) = channel();
    for (think, deadline) in [(100, 60_000), (60_000, 500)]
        .map(|(a, b): (u64, u64)| (Duration::from_millis(a), Duration::from_millis(b)))
    {
        let result = wait(pool.think(task(SLOW, think, deadline, patient(&begun))).unwrap()).unwrap();
        assert!(result.took < HANG, "{:?}", result.took);
    }
}

#[test]
fn panic_costs_one_decision() {
    let (pool, metrics) = pool(1, 16);
    for engine in [SLOW, INSTANT] {
        let panics: SearchBody = Box::new(|_| panic!("a test's panic"));
        let e = wait(pool.think(task(engine, SECOND, HANG, panics)).unwrap()).unwrap_err();
        assert_eq!(e.code(), Code::EngineFailed);
        assert!(!e.detail().contains("panic"), "the message hides the panic: {}", e.detail());
        assert!(
            wait(pool.think(task(engine, SECOND, HANG, nothing())).unwrap()).is_ok(),
            "the thread lives on"
        );
    }
    assert!(counted(&metrics, "kibitz_engine_panics_total 2"), "{}", metrics.text());
    assert!(counted(&metrics, "kibitz_pool_running{lane=\"long\"} 0"), "{}", metrics.text());
}

#[test]
fn search_that_ignores_its_deadline_is_given_up() {
    let (pool, _) = pool(1, 16);
    let (begun, events) = channel();
    let (gate, act) = gated(&begun);
    let pending = pool.think(task(SLOW, SECOND, SECOND / 2, act)).unwrap();
    next(&events);
    assert_eq!(wait(pending).unwrap_err().code(), Code::EngineFailed);
    drop(gate);
}

#[test]
fn stop_ends_searches_with_what_they_have() {
    let (pool, _) = pool(1, 16);
    let (begun, events) = channel();
    let running = pool.think(task(SLOW, HANG, 2 * HANG, patient(&begun))).unwrap();
    next(&events);
    let waiting = pool.think(task(SLOW, HANG, 9 * HANG, nothing())).unwrap();
    pool.stop();
    assert!(wait(running).is_ok(), "the search returns its best decision so far");
    assert_eq!(wait(waiting).unwrap_err().code(), Code::Stopping);
    assert_eq!(refused(&pool, task(SLOW, SECOND, HANG, nothing())).code(), Code::Stopping);
}

#[test]
fn searches_limited_by_nodes_are_planned_by_their_cost() {
    let (pool, _) = pool(1, 300);
    let (begun, events) = channel();
    let counted = |act| {
        let mut task = task(SLOW, SECOND, HANG, act);
        task.limits.nodes = Some(1);
        task
    };
    let (gate, act) = gated(&begun);
    let held = pool.think(counted(act)).unwrap();
    next(&events);
    // By their time limits, 200 of these would need minutes.
    let all: Vec<_> = (0..200).map(|_| pool.think(counted(nothing())).unwrap()).collect();
    drop(gate);
    assert!(wait(held).is_ok());
    all.into_iter().for_each(|pending| assert!(wait(pending).is_ok()));
}

#[test]
fn instant_engine_needs_no_thread() {
    let (pool, metrics) = pool(1, 1);
    let (begun, events) = channel();
    let quick = Duration::from_millis(50);
    let mut held = Vec::new();
    for think in [SECOND, quick] {
        let (gate, act) = gated(&begun);
        held.push((pool.think(task(SLOW, think, HANG, act)).unwrap(), gate));
        next(&events);
    }
    // The slot is held by a search that does not give it up.
    assert!(wait(pool.think(task(INSTANT, SECOND, HANG, nothing())).unwrap()).is_ok());
    assert!(counted(&metrics, "kibitz_pool_queue{lane=\"quick\"} 0"), "{}", metrics.text());
    for (pending, gate) in held {
        drop(gate);
        assert!(wait(pending).is_ok());
    }
    pool.stop();
    assert_eq!(refused(&pool, task(INSTANT, SECOND, HANG, nothing())).code(), Code::Stopping);
}

#[test]
fn one_caller_cannot_hold_all_slots() {
    let (pool, metrics) = pool(2, 16);
    let (begun, events) = channel();
    let mut held = Vec::new();
    for _ in 0..2 {
        // They never ask whether to continue.
        let (gate, act) = gated(&begun);
        held.push((pool.think(task(SLOW, 30 * SECOND, 3600 * SECOND, act)).unwrap(), gate));
        next(&events);
    }
    let queued = pool.think(task(SLOW, 30 * SECOND, 3600 * SECOND, nothing())).unwrap();
    for n in 2..5 {
        let other = Task { source: caller(n), ..task(SLOW, SECOND / 2, SECOND, nothing()) };
        wait(pool.think(other).unwrap()).unwrap();
    }
    assert!(counted(&metrics, "kibitz_pool_queue{lane=\"long\"} 1"), "the third search of one caller waits");
    assert!(counted(&metrics, "kibitz_pool_refused_total{lane=\"long\"} 0"));
    for (pending, gate) in held {
        drop(gate);
        assert!(wait(pending).is_ok());
    }
    assert!(wait(queued).is_ok());
}

#[test]
fn search_without_a_slot_waits_and_continues() {
    let (pool, metrics) = pool(1, 16);
    let (begun, events) = channel();
    let first = pool.think(task(SLOW, 3600 * SECOND, 7200 * SECOND, patient(&begun))).unwrap();
    next(&events);
    // The other search does not give up its slot, so the first one is suspended.
    let (gate, act) = gated(&begun);
    let other = Task { source: caller(2), ..task(SLOW, HANG, 3600 * SECOND, act) };
    let other = pool.think(other).unwrap();
    next(&events);
    assert!(counted(&metrics, "kibitz_pool_running{lane=\"long\"} 1"), "{}", metrics.text());
    assert!(counted(&metrics, "kibitz_pool_suspended{lane=\"long\"} 1"), "{}", metrics.text());
    drop(gate);
    wait(other).unwrap();
    assert!(counted(&metrics, "kibitz_pool_running{lane=\"long\"} 1"), "{}", metrics.text());
    assert!(counted(&metrics, "kibitz_pool_suspended{lane=\"long\"} 0"), "{}", metrics.text());
    pool.stop();
    assert!(wait(first).is_ok(), "it was alive all the time");
}

#[test]
fn search_that_lost_its_slot_gets_its_full_thinking_time() {
    let (pool, _) = pool(1, 16);
    let (begun, events) = channel();
    let think = Duration::from_millis(300);
    let first = pool.think(task(SLOW, think, 3600 * SECOND, patient(&begun))).unwrap();
    next(&events);
    let other = Task { source: caller(2), ..task(SLOW, think, 3600 * SECOND, patient(&begun)) };
    let other = pool.think(other).unwrap();
    for result in [wait(first).unwrap(), wait(other).unwrap()] {
        assert!(result.took >= think, "{result:?}");
    }
}

#[test]
fn suspended_search_ends_by_its_deadline() {
    let (pool, _) = pool(1, 16);
    let (begun, events) = channel();
    let first = pool.think(task(SLOW, SECOND, SECOND, patient(&begun))).unwrap();
    next(&events);
    let (gate, act) = gated(&begun);
    // A quick search of the same caller keeps the slot for as long as it lasts.
    let held = pool.think(task(SLOW, Duration::from_millis(50), 3600 * SECOND, act)).unwrap();
    next(&events);
    assert!(wait(first).is_ok(), "it returns its best decision so far");
    drop(gate);
    assert!(wait(held).is_ok());
}

/// A search that a node sent.
fn of_node(search: u64, think: Duration, act: SearchBody) -> Task {
    Task { source: Source::Node("node".into(), search), ..task(SLOW, think, 3600 * SECOND, act) }
}

#[test]
fn search_that_its_node_suspends_waits_until_it_is_resumed() {
    let (pool, metrics) = pool(1, 16);
    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let act: SearchBody = Box::new(move |host| {
        while host.go_on() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    let first = pool.think(of_node(1, 3000 * SECOND, act)).unwrap();
    // Whether it computes within this time; a slow machine may need several looks.
    let computes = || {
        let before = asked.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
        asked.load(Ordering::Relaxed) > before
    };
    let until_it = |wanted: bool| {
        let hang = Instant::now() + HANG;
        while computes() != wanted {
            assert!(Instant::now() < hang, "it computes: {}", !wanted);
        }
    };
    until_it(true);
    let switch = first.switch().expect("it has not ended");
    switch.suspend();
    assert!(counted(&metrics, "kibitz_pool_running{lane=\"long\"} 0"), "{}", metrics.text());
    until_it(false);
    wait(pool.think(of_node(2, SECOND, nothing())).unwrap()).unwrap();
    // It may have been about to count once when it was suspended: its thread may not have run since then.
    let before = asked.load(Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(20));
    assert!(asked.load(Ordering::Relaxed) <= before + 1, "a free slot is not for it");
    switch.resume();
    until_it(true);
    assert!(!switch.finish(), "it had begun");
    assert!(wait(first).is_ok());
}

#[test]
fn search_that_is_suspended_before_it_begins_begins_when_it_is_resumed() {
    let (pool, _) = pool(1, 16);
    let (begun, events) = channel();
    let (gate, act) = gated(&begun);
    let running = pool.think(of_node(1, SECOND, act)).unwrap();
    next(&events);
    // Of the same account, so that it waits for the first one.
    let waiting = pool.think(of_node(1, SECOND / 4, patient(&begun))).unwrap();
    let switch = waiting.switch().expect("it has not ended");
    switch.suspend();
    drop(gate);
    wait(running).unwrap();
    wait(pool.think(of_node(3, SECOND, nothing())).unwrap()).unwrap();
    assert!(events.try_recv().is_err(), "it has not begun");
    switch.resume();
    next(&events);
    assert!(wait(waiting).is_ok());
}

#[test]
fn without_slots_waiting_searches_are_withdrawn_and_others_refused() {
    let (pool, _) = pool(1, 16);
    let (begun, events) = channel();
    let running = pool.think(task(SLOW, SECOND / 4, 3600 * SECOND, patient(&begun))).unwrap();
    next(&events);
    let _waiting: Vec<_> =
        (0..2).map(|_| pool.think(task(SLOW, HANG, 3600 * SECOND, nothing())).unwrap()).collect();
    let withdrawn = pool.schedule.set_slots(0);
    assert_eq!(withdrawn.len(), 2);
    assert!(withdrawn[0].times.arrived <= withdrawn[1].times.arrived);
    let refused = refused(&pool, task(SLOW, SECOND, HANG, nothing()));
    assert!(refused.code() == Code::Busy && refused.comes_back_after().is_some(), "{refused:?}");
    assert!(pool.schedule.set_slots(1).is_empty());
    assert!(wait(running).is_ok(), "it continues");
}

#[test]
fn program_has_a_slot_and_is_told_to_stop_when_nobody_waits() {
    let (pool, _) = pool(1, 16);
    let (begun, events) = channel();
    let (ended, stopped) = channel();
    let bot = || Source::Program { owner: "ann".into(), bot: "robo".into() };
    let turn = move |host: Result<&dyn Host, Error>| {
        let host = host.unwrap_or_else(|e| panic!("{e}"));
        begun.send(()).unwrap();
        let hang = Instant::now() + HANG;
        while host.go_on() && Instant::now() < hang {
            std::thread::yield_now();
        }
        ended.send(Instant::now() < hang).unwrap();
    };
    let run = pool.run(bot(), Box::new(turn)).unwrap();
    next(&events);
    // A person's search gets the only slot, and the program waits.
    wait(pool.think(task(SLOW, SECOND / 50, HANG, nothing())).unwrap()).unwrap();
    assert!(stopped.try_recv().is_err(), "it goes on after that");
    drop(run);
    assert!(stopped.recv_timeout(HANG).unwrap(), "its host has told it to stop");

    pool.stop();
    assert!(pool.run(bot(), Box::new(|_| {})).is_err_and(|e| e.code() == Code::Stopping));
}
