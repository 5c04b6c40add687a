//! Fits the weights of `habits.rs` by playing against itself and the careful player (REINFORCE, by Williams). Not a check:
//! `cargo test -p engines --release learn -- --ignored --nocapture` writes the file of weights.

use super::super::rules::RANKS;
use super::fast::Pos;
use super::fit::Adam;
use super::habits::{
    Around, CHOICES, Choice, FACTS, FEW, Fitted, Mind, PHASES, WEIGHTS, facts, phase, play_turn,
};
use super::hand::bits;
use super::policy::careful_turn;
use super::rollout::{Noise, worth};
use crate::game::{Game, State as _, Turn};
use crate::games::buraco::{Buraco, Options};
use crate::rng::{Rng, Seed};

/// All weights.
const ALL: usize = PHASES * FACTS + CHOICES * FEW;

/// A match as the rules deal it.
pub fn deal(seed: u64) -> Pos {
    let state = Buraco::deal(&Options::default(), &Seed::from(seed)).unwrap();
    let Turn::Of(me) = state.turn() else { unreachable!() };
    super::tests::exact(&state, me)
}

/// A number of the environment.
pub fn var(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or)
}

/// Decides at random, the likelier the better by the weights, and remembers how each weight would have made its
/// decisions likelier.
pub struct Explorer<'r> {
    pub weights: [f32; ALL],
    /// How much the weights' sums may differ for both to be likely: of cards, of a yes or no.
    pub heat: [f32; 2],
    pub rng: &'r mut Rng,
    gradient: [f32; ALL],
}

impl<'r> Explorer<'r> {
    /// One that begins with the fitted weights.
    pub fn new(heat: [f32; 2], rng: &'r mut Rng) -> Self {
        let mut weights = [0.0; ALL];
        let fitted = WEIGHTS.keep.iter().flatten().chain(WEIGHTS.choices.iter().flatten());
        weights.iter_mut().zip(fitted).for_each(|(to, from)| *to = *from as f32);
        Self { weights, heat, rng, gradient: [0.0; ALL] }
    }
}

impl Mind for Explorer<'_> {
    fn says(&mut self, choice: Choice, facts: &[i32; FEW]) -> bool {
        let at = PHASES * FACTS + choice as usize * FEW;
        let weights = &self.weights[at..at + FEW];
        let sum: f32 = facts.iter().zip(weights).map(|(fact, weight)| *fact as f32 * weight).sum();
        let yes = 1.0 / (1.0 + (-sum / self.heat[1]).exp());
        let says = (self.rng.unit() as f32) < yes;
        let by = (if says { 1.0 - yes } else { -yes }) / self.heat[1];
        self.gradient[at..at + FEW].iter_mut().zip(facts).for_each(|(g, fact)| *g += by * *fact as f32);
        says
    }

    fn throws(&mut self, pos: &Pos) -> Option<u8> {
        let at = phase(pos.hand()) * FACTS;
        let weights = &self.weights[at..at + FACTS];
        let hand = *pos.hand();
        let mut cards = Vec::with_capacity(20);
        for suit in (0..4).filter(|suit| hand.one[*suit] != 0) {
            let around = Around::of(pos, suit, &hand);
            for rank in bits(hand.one[suit]) {
                let facts = facts(pos, &around, rank);
                let keep: f32 = facts.iter().zip(weights).map(|(fact, weight)| *fact as f32 * weight).sum();
                let keep = keep + weights[facts.len() + usize::from(rank)];
                cards.push((suit as u8 * RANKS + rank, facts, -keep / self.heat[0]));
            }
        }
        let most = cards.iter().fold(f32::MIN, |most, (_, _, sum)| most.max(*sum));
        let mut total = 0.0;
        for (_, _, sum) in &mut cards {
            *sum = (*sum - most).exp();
            total += *sum;
        }
        let mut left = self.rng.unit() as f32 * total;
        let chosen = cards.iter().position(|(_, _, share)| {
            left -= share;
            left < 0.0
        });
        let chosen = chosen.unwrap_or(0);
        let gradient = &mut self.gradient[at..at + FACTS];
        for (i, (card, facts, share)) in cards.iter().enumerate() {
            let by = (share / total - if i == chosen { 1.0 } else { 0.0 }) / self.heat[0];
            gradient.iter_mut().zip(facts).for_each(|(g, fact)| *g += by * *fact as f32);
            gradient[facts.len() + usize::from(card % RANKS)] += by;
        }
        Some(cards[chosen].0)
    }
}

/// Score of the fitted player against the careful one over `deals` deals with seats swapped, and mean lead.
fn against_careful(deals: u64) -> (f64, f64) {
    let (mut won, mut far) = (0.0, 0.0);
    let mut noise = Noise(0x9e37_79b9);
    for i in 0..2 * deals {
        let mut pos = deal(77_000_000_000 + i / 2);
        let me = (i % 2) as usize;
        while !pos.over {
            if pos.me == me {
                play_turn(&mut pos, &mut Fitted(|| noise.next()));
            } else {
                careful_turn(&mut pos);
            }
        }
        won += f64::from(pos.lead(me).signum() + 1) / 2.0;
        far += f64::from(pos.lead(me));
    }
    (won / (2 * deals) as f64, far / (2 * deals) as f64)
}

#[test]
#[ignore = "a tool"]
fn learn() {
    println!("before, against the careful player: {:?}", against_careful(20_000));
    let (steps, games) = (var("STEPS", 400), var("DEALS", 10_000));
    let mut rng = Rng::new(&Seed::from(var("SEED", 1)));
    let mut explorer = Explorer::new([var("HEAT", 20) as f32, 12.0], &mut rng);
    let mut adam = Adam::new(ALL, 0.98);
    let (mut won, mut of) = (0.0, 0.0);
    for step in 1..=steps {
        let mut gradient = [0.0f32; ALL];
        for game in 0..games {
            let mut pos = deal(9_000_000_000 + (var("SEED", 1) * 1000 + step) * games + game);
            // The seat that the careful player has, in a third of the matches.
            let careful = if game % 3 == 0 { (game / 3 % 2) as usize } else { 2 };
            let mut gradients = [[0.0f32; ALL]; 2];
            for _ in 0..300 {
                if pos.over {
                    break;
                }
                if pos.me == careful {
                    careful_turn(&mut pos);
                    continue;
                }
                std::mem::swap(&mut explorer.gradient, &mut gradients[pos.me]);
                let me = pos.me;
                play_turn(&mut pos, &mut explorer);
                std::mem::swap(&mut explorer.gradient, &mut gradients[me]);
            }
            for seat in (0..2).filter(|seat| *seat != careful) {
                let lead = pos.lead(seat);
                let better = worth(lead) as f32 - if careful < 2 { 0.7 } else { 0.5 };
                gradient.iter_mut().zip(&gradients[seat]).for_each(|(to, by)| *to += better * by);
                if careful < 2 {
                    won += f64::from(lead.signum() + 1) / 2.0;
                    of += 1.0;
                }
            }
        }
        gradient.iter_mut().for_each(|g| *g /= games as f32);
        let rate = var("RATE", 100) as f32 / 100.0 * (1.0 - 0.9 * step as f32 / steps as f32);
        adam.step(&mut explorer.weights, &gradient, rate);
        if step % 20 == 0 {
            println!("step {step}: while learning, against the careful player {:.4}", won / of);
            (won, of) = (0.0, 0.0);
            let row = |weights: &[f32]| {
                weights.iter().map(|w| format!("{}", w.round() as i32)).collect::<Vec<_>>().join(" ")
            };
            let (keep, choices) = explorer.weights.split_at(PHASES * FACTS);
            let rows: Vec<String> = keep.chunks(FACTS).chain(choices.chunks(FEW)).map(row).collect();
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/games/buraco/engine/habits.txt");
            std::fs::write(std::env::var("OUT").unwrap_or(path.to_owned()), rows.join("\n") + "\n").unwrap();
        }
    }
}
