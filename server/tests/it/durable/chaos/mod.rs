//! Three nodes, two workers, PostgreSQL and NATS as real processes, of which everything fails in turn, while clients play
//! matches of all games at any of them. No acknowledged move is lost or changed, no ply is there twice, no stream has a
//! gap, every record verifies, no clock is charged for a fault, and every match goes on.
//!
//! `KIBITZ_CHAOS_S=600 cargo test --release -p kibitz --test it chaos -- --nocapture` is the long form: for this number
//! of seconds, with a database that waits for the disk, and with the bounds that hold on a machine with time to spare.

mod caller;
mod faults;
pub(super) mod link;
mod player;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engines::rng::{Rng, Seed};

use self::faults::{Fault, PastFault, Service};
use self::player::{FinishedMatch, PlayStyle, Turn, play};
use super::network::listed;
use crate::server_process::now_ms;

/// The time that a clock may be charged beyond its player's own time, in milliseconds.
const TOLERANCE_MS: f64 = 100.0;

/// After a fault every match goes on within this time. On a slow machine the test only detects a match that never goes
/// on.
const GOES_ON: Duration = Duration::from_secs(6);
const GOES_ON_SLOWLY: Duration = Duration::from_secs(90);

/// The time after a fault in which its consequences are looked for.
const AFTERMATH: Duration = Duration::from_secs(8);

/// The form of the test.
struct Form {
    /// How long things go on failing; `None`: until each has failed once.
    time: Option<Duration>,
    clients: usize,
    matches: usize,
    manner: PlayStyle,
    postgres: &'static [&'static str],
    goes_on: Duration,
}

fn form() -> Form {
    let think = |ms| Duration::from_millis(ms);
    match std::env::var("KIBITZ_CHAOS_S") {
        Ok(seconds) => Form {
            time: Some(Duration::from_secs(seconds.parse().expect("KIBITZ_CHAOS_S is a number"))),
            clients: 40,
            matches: 200,
            manner: PlayStyle { think: think(300), long_match: 20, short_clock: Some(4) },
            postgres: &[],
            goes_on: GOES_ON,
        },
        Err(_) => Form {
            time: None,
            clients: 8,
            matches: 12,
            manner: PlayStyle { think: think(100), long_match: 50, short_clock: None },
            postgres: &["fsync=off", "full_page_writes=off"],
            goes_on: GOES_ON_SLOWLY,
        },
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn chaos_costs_no_player_a_move_or_time() {
    let form = form();
    let mut service = Service::start(form.postgres).await;
    let nodes = service.addresses();
    let (next, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let clients: Vec<_> = (0..form.clients)
        .map(|_| {
            let (nodes, next, done) = (nodes.clone(), Arc::clone(&next), Arc::clone(&done));
            let (matches, manner) = (form.matches, form.manner);
            tokio::spawn(async move {
                let mut played = Vec::new();
                loop {
                    // Matches begin as long as something fails.
                    let is_done = done.load(Ordering::Relaxed);
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= matches && is_done {
                        return played;
                    }
                    played.push(play(&nodes, n, manner).await);
                }
            })
        })
        .collect();
    let happened = fail(&mut service, form.time).await;
    done.store(true, Ordering::Relaxed);
    let mut played = Vec::new();
    for client in clients {
        played.extend(client.await.unwrap());
    }
    for node in &nodes {
        assert_eq!(listed(*node).await, played.len(), "each match once, on every node");
    }
    service.assert_no_deadlocks();
    let sum = |count: fn(&FinishedMatch) -> usize| played.iter().map(count).sum::<usize>();
    println!(
        "{} matches with {} acknowledged moves; {} faults; streams were taken up again {} times",
        played.len(),
        sum(|played| played.moves),
        happened.len(),
        sum(|played| played.returns)
    );
    println!(
        "{} clocks were corrected, {} of them by less than 50 ms",
        sum(|p| p.resumed.0),
        sum(|p| p.resumed.1)
    );
    let longest = longest_pause(&played, &happened);
    by_kind(&played, &happened);
    let lost = played.iter().filter(|played| played.lost.is_some()).count();
    assert_eq!(lost, 0, "matches were lost on time");
    check_clocks(played.into_iter().flat_map(|played| played.turns).collect(), &happened);
    assert!(longest > Duration::ZERO, "no match was running when something failed");
    assert!(longest <= form.goes_on, "a match stood still for {longest:.1?}");
}

/// Lets each thing fail once; or for this time anything, in random order.
async fn fail(service: &mut Service, time: Option<Duration>) -> Vec<PastFault> {
    let seed = now_ms() as u64;
    println!("the faults follow from the seed {seed}");
    let (mut rng, mut happened) = (Rng::new(&Seed::from(seed)), Vec::new());
    let began = Instant::now();
    for n in 0.. {
        let (fault, pause) = match time {
            None if n == Fault::ALL.len() => break,
            Some(time) if began.elapsed() >= time => break,
            None => (Fault::ALL[n], 200),
            // Each once, then any of them.
            Some(_) => {
                let chosen = if n < Fault::ALL.len() { n } else { rng.below(Fault::ALL.len()) };
                (Fault::ALL[chosen], 500 + rng.below(3_000))
            }
        };
        tokio::time::sleep(Duration::from_millis(pause as u64)).await;
        happened.push(service.suffer(fault, &mut rng, time.is_some()).await);
    }
    happened
}

/// Something that took a time, to be told by the kind of fault in which it happened.
struct Observation {
    from: Instant,
    to: Instant,
    /// In seconds.
    value: f64,
    what: String,
}

/// Prints, for each kind of fault: what clocks were charged beyond the time from the moment at which the turn was shown, the
/// same without the time for which the client waited for a silent node before it asked another one, how late followers were,
/// and how many matches were lost on time.
fn by_kind(played: &[FinishedMatch], happened: &[PastFault]) {
    let charged = |waited: fn(&Turn) -> f64| {
        let turns = played.iter().flat_map(|played| &played.turns);
        turns.map(move |turn| Observation {
            from: turn.shown - Duration::from_secs_f64((turn.beyond_shown / 1000.0).max(0.0)),
            to: turn.at,
            value: (turn.beyond_shown - waited(turn)) / 1000.0,
            what: turn.what.clone(),
        })
    };
    let late = played.iter().flat_map(|played| &played.late).map(|late| Observation {
        from: late.acknowledged,
        to: late.arrived,
        value: late.arrived.saturating_duration_since(late.acknowledged).as_secs_f64(),
        what: format!("{:?}", late.how),
    });
    let lost = played.iter().filter_map(|played| played.lost);
    let lost = lost.map(|at| Observation { from: at, to: at, value: 1.0, what: String::new() });
    tell("charged beyond its time, s", charged(|_| 0.0).collect(), happened);
    let without = charged(|turn| turn.waited).collect();
    tell("charged beyond its time, without waits for silent nodes, s", without, happened);
    tell("late at a follower, s", late.collect(), happened);
    tell("lost on time", lost.collect(), happened);
}

fn tell(what: &str, observations: Vec<Observation>, happened: &[PastFault]) {
    let mut kinds: BTreeMap<Option<Fault>, Vec<Observation>> = BTreeMap::new();
    for one in observations {
        let common =
            |fault: &&PastFault| one.to.min(fault.to).saturating_duration_since(one.from.max(fault.from));
        let most = happened.iter().max_by_key(common).filter(|fault| !common(fault).is_zero());
        let last = || happened.iter().rfind(|last| last.from <= one.to && one.from <= last.to + AFTERMATH);
        kinds.entry(most.or_else(last).map(|fault| fault.fault)).or_default().push(one);
    }
    for (kind, mut all) in kinds {
        all.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
        let (count, kind) = (all.len(), kind.map_or("no fault".to_owned(), |kind| format!("{kind:?}")));
        let [p99, most] = [(count - 1) * 99 / 100, count - 1].map(|n| &all[n]);
        let over = all.iter().filter(|one| one.value > 0.5).count();
        println!(
            "{kind}: {what}: {count}, p99 {:.2}, at most {:.2}, {over} above 0.5",
            p99.value, most.value
        );
        if over > 0 {
            println!("    {}", most.what);
        }
    }
}

/// A time for which a match stood still.
struct Pause<'a> {
    played: &'a FinishedMatch,
    from: Instant,
    to: Instant,
}

/// The longest time for which a match stood still after a fault; after an outage of the whole service, from its end.
fn longest_pause(played: &[FinishedMatch], happened: &[PastFault]) -> Duration {
    let mut pauses: BTreeMap<Fault, Vec<Pause<'_>>> = BTreeMap::new();
    // While a fault stops all nodes, no match can go on.
    let all_stopped = |from: Instant, to: Instant| {
        let meanwhile = happened.iter().filter(|one| one.fault.stops_all() && one.from < to && one.to > from);
        meanwhile.map(|one| one.to).max().unwrap_or(from).min(to)
    };
    for PastFault { fault, from, to } in happened {
        let open = if fault.stops_all() { *to } else { *from };
        for played in played.iter().filter(|played| played.began < *from) {
            let around = played.progress.windows(2).filter(|two| two[1] > open && two[0] < *to + AFTERMATH);
            let pauses_of = around.map(|two| {
                let from = two[0].max(open);
                Pause { played, from: all_stopped(from, two[1]), to: two[1] }
            });
            pauses.entry(*fault).or_default().extend(pauses_of.max_by_key(|pause| pause.to - pause.from));
        }
    }
    let mut longest = Duration::ZERO;
    for (fault, mut pauses) in pauses {
        pauses.sort_unstable_by_key(|pause| pause.to - pause.from);
        let Some(worst) = pauses.last() else { continue };
        let time = |pause: &Pause<'_>| pause.to - pause.from;
        longest = longest.max(time(worst));
        let count = pauses.len();
        let [p50, p99] = [50, 99].map(|percent| time(&pauses[(count - 1) * percent / 100]));
        let most = time(worst);
        println!("{fault:?}: {count} matches went on after p50 {p50:.2?}, p99 {p99:.2?}, at most {most:.2?}");
        explain(worst, happened);
    }
    longest
}

/// Prints the events while a match stood still, in seconds since it did.
fn explain(pause: &Pause<'_>, happened: &[PastFault]) {
    println!("    a match {} an engine", if pause.played.has_engine { "with" } else { "without" });
    let since = |at: Instant| {
        let before = pause.from.saturating_duration_since(at).as_secs_f64();
        at.saturating_duration_since(pause.from).as_secs_f64() - before
    };
    let meanwhile = |at: Instant| (pause.from..pause.to).contains(&at);
    for PastFault { fault, from, to } in
        happened.iter().filter(|one| one.from < pause.to && one.to > pause.from)
    {
        println!("    {fault:?} from {:.2} to {:.2}", since(*from), since(*to));
    }
    for request in pause.played.slow.iter().filter(|request| meanwhile(request.sent)) {
        println!("    at {:.2} {request}", since(request.sent));
    }
}

fn check_clocks(turns: Vec<Turn>, happened: &[PastFault]) {
    let worst = |what: &str, turns: &[&Turn], beyond: fn(&Turn) -> f64| {
        let Some(worst) = turns.iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b))) else { return 0.0 };
        let last = happened.iter().rfind(|happened| happened.from < worst.at);
        let after = last.map(|last| (last.fault, worst.at - last.from));
        println!(
            "{} turns {what}: at most {:.1} ms, after {after:.1?}; {}",
            turns.len(),
            beyond(worst),
            worst.what
        );
        beyond(worst)
    };
    let (met, missed): (Vec<_>, Vec<_>) = turns.iter().partition(|turn| turn.met_outage);
    let most = [
        worst("in an outage, charged beyond their own time", &met, |turn| turn.beyond),
        worst("without one, the same", &missed, |turn| turn.beyond),
    ];
    worst(
        "in all, charged beyond the time until the move was first sent",
        &turns.iter().collect::<Vec<_>>(),
        |turn| turn.beyond_first,
    );
    assert!(!met.is_empty(), "no turn met an outage");
    assert!(most.iter().all(|most| *most <= TOLERANCE_MS), "a clock was charged for a fault: {most:?}");
}
