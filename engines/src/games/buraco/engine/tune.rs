//! Fits the table of habits by matches against itself and the careful player. Not a check:
//! `cargo test -p engines --release tune -- --ignored --nocapture`.

use super::fast::Pos;
use super::habits::Habits;
use super::policy::{Style, best_take, next_lay, wants, worst_card};
use crate::game::{Game, State as _, Turn};
use crate::games::buraco::{Buraco, Options};
use crate::rng::{Rng, Seed};

/// A player of the trials.
#[derive(Clone, Copy)]
enum Who {
    Habits(Habits),
    Careful,
}

fn deal(seed: u64) -> Pos {
    let state = Buraco::deal(&Options::default(), &Seed::from(seed)).unwrap();
    let Turn::Of(me) = state.turn() else { unreachable!() };
    super::tests::exact(&state, me)
}

fn careful_turn(pos: &mut Pos) {
    match best_take(pos).filter(|take| wants(pos, take)) {
        Some(take) => pos.take(&take),
        None => pos.draw(),
    }
    while !pos.over
        && let Some(lay) = next_lay(pos, Style::CAREFUL)
    {
        pos.lay(&lay);
    }
    if !pos.over
        && let Some(card) = worst_card(pos)
    {
        pos.discard(card);
    }
}

/// The lead of the first at the end.
fn game(mut pos: Pos, who: [&Who; 2], first: usize) -> i32 {
    let mut noise = 0x9e37_79b9_u64;
    for _ in 0..300 {
        if pos.over {
            break;
        }
        let mut next = || {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            (noise >> 32) as i32 & 3
        };
        match who[pos.me] {
            Who::Habits(habits) => habits.play_turn(&mut pos, &mut next),
            Who::Careful => careful_turn(&mut pos),
        }
    }
    pos.lead(first)
}

/// Score of A over `deals` deals with seats swapped, and mean lead.
fn score(a: &Who, b: &Who, deals: &[Pos]) -> (f64, f64) {
    let (mut won, mut far) = (0.0, 0.0);
    for pos in deals {
        for (who, first) in [([a, b], 0), ([b, a], 1)] {
            let lead = game(*pos, who, first);
            won += f64::from(lead.signum() + 1) / 2.0;
            far += f64::from(lead);
        }
    }
    let n = 2.0 * deals.len() as f64;
    (won / n, far / n)
}

fn var(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or)
}

#[test]
#[ignore = "a tool"]
fn tune() {
    let (n, tries) = (var("DEALS", 4000) as usize, var("TRIES", 200));
    let seed = var("SEED", 1);
    let mut deals: Vec<Pos> = (0..n as u64).map(|i| deal(seed * 1_000_000 + i)).collect();
    let mut best = Habits::FITTED;
    if let Ok(text) = std::env::var("SET") {
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap();
            let i = Habits::NAMES.iter().position(|n| *n == name).unwrap();
            *best.all()[i] = value.parse().unwrap();
        }
    }
    let fitted = Who::Habits(Habits::FITTED);
    let pool = [Who::Careful, fitted];
    for (name, who) in ["careful", "fitted"].iter().zip(&pool) {
        let (won, far) = score(&Who::Habits(best), who, &deals);
        println!("{name}: {won:.4} {far:.1}");
    }
    let value = |h: &Habits, deals: &[Pos]| -> f64 {
        pool.iter().map(|who| score(&Who::Habits(*h), who, deals)).map(|(w, f)| w + f / 3000.0).sum()
    };
    let mut rng = Rng::new(&Seed::from(seed));
    for t in 0..tries {
        if t % 20 == 0 {
            deals = (0..n as u64).map(|i| deal((seed * 1000 + t) * 1_000_000 + i)).collect();
        }
        let mut next = best;
        for _ in 0..1 + rng.below(3) {
            let i = rng.below(Habits::NAMES.len());
            let mut all = next.all();
            let size = (all[i].abs() / 3).max(2);
            *all[i] += rng.below(2 * size as usize + 1) as i32 - size;
        }
        let now = value(&best, &deals);
        let then = value(&next, &deals);
        if then > now + 0.6 / (n as f64).sqrt() {
            best = next;
            println!("try {t}: {now:.4} -> {then:.4}");
        }
    }
    let check: Vec<Pos> = (0..10_000).map(|i| deal(77_000_000_000 + i)).collect();
    for (name, who) in ["careful", "fitted"].iter().zip(&pool) {
        let (won, far) = score(&Who::Habits(best), who, &check);
        println!("{name}: {won:.4} {far:.1}");
    }
    let mut shown = best;
    for (name, value) in Habits::NAMES.iter().zip(shown.all()) {
        println!("    {name}: {value},");
    }
}
