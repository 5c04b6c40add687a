//! The share of the ladder in virtual time: it never has less than its share when all want the slots, and never more than
//! the others leave.

use std::time::Duration;

use crate::engine_pool::shares::{AccountPath, QUANTUM, Source};
use crate::engine_pool::shares_tests::{MS, SECOND, Sim, guest, near, seat};

/// Longer than any test.
const LONG_SEARCH: Duration = Duration::from_secs(3600);

/// How far from its share the ladder may be over any time, in seconds for each slot: the slice by which it may be ahead, and the
/// turn that is under way.
const SLICE_S: f64 = 0.05;

fn ladder(game: &str) -> AccountPath {
    Source::Ladder { game: game.into(), engines_only: false }.path()
}

fn ladder_engines(game: &str) -> AccountPath {
    Source::Ladder { game: game.into(), engines_only: true }.path()
}

#[test]
fn analyses_share_the_part_of_the_ladder() {
    let analysis = Source::Analysis { game: "x".into() }.path();
    let mut sim = Sim::with_ladder(1, 10);
    let people = crowd(&mut sim, 1);
    let id = sim.add(&analysis, LONG_SEARCH);
    sim.run(100 * SECOND);
    assert!((sim.ran(id) - 10.0).abs() < 2.0 * SLICE_S, "a tenth against people: {}", sim.ran(id));
    let bots = sim.add(&ladder("x"), LONG_SEARCH);
    sim.run(220 * SECOND);
    let both = [sim.ran(id) - 10.0, sim.ran(bots)];
    assert!((both[0] + both[1] - 22.0).abs() < 1.0, "{both:?}");
    assert!(both[1] > 5.0 * both[0], "matches with bots come before analyses: {both:?}");
    assert!((total(&sim, &people) - 288.0).abs() < 1.0);
}

fn total(sim: &Sim, ids: &[u64]) -> f64 {
    ids.iter().map(|id| sim.ran(*id)).sum()
}

/// Searches of people that want all slots.
fn crowd(sim: &mut Sim, slots: usize) -> Vec<u64> {
    let paths = [guest(1), guest(2), seat("a")];
    (0..3 * slots).map(|n| sim.add(&paths[n % 3], LONG_SEARCH)).collect()
}

/// Searches of the ladder that want all slots.
fn climbers(sim: &mut Sim, slots: usize) -> Vec<u64> {
    ["x", "y"]
        .iter()
        .flat_map(|game| vec![*game; slots])
        .map(|game| sim.add(&ladder(game), LONG_SEARCH))
        .collect()
}

#[test]
fn ladder_has_its_share_in_every_saturated_time_and_others_the_rest() {
    for (slots, percent) in [1, 2, 5].into_iter().flat_map(|slots| [2, 10, 50].map(|p| (slots, p))) {
        for before in ["nothing", "ladder alone", "callers alone", "one caller", "one climber"] {
            let mut sim = Sim::with_ladder(slots, percent);
            // The past must not count: neither what the ladder had of the slots that were left, nor what it did not want.
            let (mut callers, mut climbing) = match before {
                "ladder alone" => (Vec::new(), climbers(&mut sim, slots)),
                "callers alone" => (crowd(&mut sim, slots), Vec::new()),
                "one caller" => (vec![sim.add(&guest(1), LONG_SEARCH)], climbers(&mut sim, slots)),
                "one climber" => (crowd(&mut sim, slots), vec![sim.add(&ladder("x"), LONG_SEARCH)]),
                _ => (Vec::new(), Vec::new()),
            };
            sim.run(8 * SECOND);
            if callers.len() < 2 {
                callers.extend(crowd(&mut sim, slots));
            }
            if climbing.len() < 2 {
                climbing.extend(climbers(&mut sim, slots));
            }
            // Callers who were away have a head start of half a second.
            sim.run(if before == "ladder alone" { 8 * SECOND } else { Duration::ZERO });
            let had: Vec<f64> = (0..600)
                .map(|_| {
                    let had = total(&sim, &climbing);
                    sim.run(QUANTUM);
                    had
                })
                .collect();
            let per_step = QUANTUM.as_secs_f64() * slots as f64 * f64::from(percent) / 100.0;
            // Over any time: how far the ladder falls behind its share, and how far it runs ahead of it.
            let lead: Vec<f64> =
                had.iter().zip(0_i32..).map(|(had, n)| had - per_step * f64::from(n)).collect();
            let (mut most, mut least) = (lead[0], lead[0]);
            for now in lead {
                (most, least) = (most.max(now), least.min(now));
                let slice = SLICE_S * slots as f64;
                assert!(most - now <= slice, "{slots} {percent} {before}: {} behind", most - now);
                assert!(now - least <= slice, "{slots} {percent} {before}: {} ahead", now - least);
            }
        }
    }
}

#[test]
fn ladder_uses_what_others_leave() {
    let mut sim = Sim::with_ladder(2, 10);
    let alone = climbers(&mut sim, 2);
    sim.run(10 * SECOND);
    near(total(&sim, &alone), 20.0);
    let caller = sim.add(&guest(1), LONG_SEARCH);
    sim.run(10 * SECOND);
    near(total(&sim, &alone), 30.0);
    near(sim.ran(caller), 10.0);
}

#[test]
fn request_runs_at_once_beside_a_busy_ladder() {
    for slots in [1, 2, 4] {
        let mut sim = Sim::with_ladder(slots, 10);
        let climbing = climbers(&mut sim, slots);
        sim.run(60 * SECOND);
        assert!(sim.admits(&guest(1), SECOND / 2, 530 * MS), "{slots}");
        let (request, came, before) = (sim.add(&guest(1), SECOND / 2), sim.now, total(&sim, &climbing));
        assert!(sim.runs(request), "{slots}");
        sim.run(SECOND);
        assert!(sim.ended[&request] <= came + 560 * MS, "{slots}: {:?}", sim.ended[&request] - came);
        assert!(total(&sim, &climbing) > before, "{slots}: the ladder continues");
    }
}

#[test]
fn request_beside_a_caller_and_the_ladder_is_hardly_delayed() {
    for slots in [2, 4] {
        let mut sim = Sim::with_ladder(slots, 10);
        for n in 1..slots {
            sim.add(&guest(u8::try_from(n).unwrap()), LONG_SEARCH);
        }
        climbers(&mut sim, slots);
        sim.run(60 * SECOND);
        let (request, came) = (sim.add(&guest(99), SECOND / 2), sim.now);
        sim.run(SECOND);
        assert!(sim.ended[&request] <= came + 550 * MS, "{slots}: {:?}", sim.ended[&request] - came);
    }
}

#[test]
fn games_of_the_ladder_have_equal_time_for_any_number_of_matches() {
    let mut sim = Sim::with_ladder(1, 10);
    sim.add(&guest(1), LONG_SEARCH);
    let (many, one) = (ladder("many"), sim.add(&ladder("one"), LONG_SEARCH));
    let begin = sim.now;
    let mut had = 0.0;
    // A game of many short searches beside a game of one long search.
    while sim.now < begin + 100 * SECOND {
        let quick: Vec<u64> = (0..4).map(|_| sim.add(&many, 50 * MS)).collect();
        while quick.iter().any(|id| !sim.ended.contains_key(id)) {
            sim.run(QUANTUM);
        }
        had += 0.2;
    }
    near(had + sim.ran(one), 10.0);
    near(sim.ran(one), 5.0);
}

#[test]
fn engines_among_themselves_come_after_bots_on_the_ladder() {
    let mut sim = Sim::with_ladder(1, 10);
    let [bots, engines] = [ladder("x"), ladder_engines("x")].map(|path| sim.add(&path, LONG_SEARCH));
    sim.run(110 * SECOND);
    near(sim.ran(bots), 100.0);
    near(sim.ran(engines), 10.0);
}
