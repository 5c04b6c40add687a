//! A player that makes the choices of the playouts' player at random, by its weights, and records how each weight would
//! make its choices likelier (the score function of REINFORCE; Williams, 1992).

use engines::games::buraco::engine::RANKS;
use engines::games::buraco::engine::habits::{
    CHOICES, Choice, FACTS, FEW, PHASES, RolloutPolicy, SuitSurroundings, WEIGHTS, facts, phase,
};
use engines::games::buraco::engine::hand::bits;
use engines::games::buraco::engine::position::FastPosition;
use engines::rng::Rng;

/// Number of weights.
pub(super) const ALL: usize = PHASES * FACTS + CHOICES * FEW;

/// Chooses at random, better choices with higher probability, and adds up the gradient of the choices' log-probability.
pub(super) struct Explorer<'r> {
    /// The weights of cards by phase, then those of the choices.
    pub weights: [f32; ALL],
    /// The temperature of the choice between cards, and of a yes-or-no choice.
    pub heat: [f32; 2],
    /// The random numbers.
    pub rng: &'r mut Rng,
    /// The gradient since it was last cleared.
    pub gradient: [f32; ALL],
}

impl<'r> Explorer<'r> {
    /// A player with the weights in use.
    pub(super) fn new(heat: [f32; 2], rng: &'r mut Rng) -> Self {
        let mut weights = [0.0; ALL];
        let fitted = WEIGHTS.keep.iter().flatten().chain(WEIGHTS.choices.iter().flatten());
        weights.iter_mut().zip(fitted).for_each(|(to, from)| *to = *from as f32);
        Self { weights, heat, rng, gradient: [0.0; ALL] }
    }
}

impl RolloutPolicy for Explorer<'_> {
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

    fn throws(&mut self, pos: &FastPosition) -> Option<u8> {
        let at = phase(pos.hand()) * FACTS;
        let weights = &self.weights[at..at + FACTS];
        let hand = *pos.hand();
        let mut cards = Vec::with_capacity(20);
        for suit in (0..4).filter(|suit| hand.one[*suit] != 0) {
            let around = SuitSurroundings::of(pos, suit, &hand);
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
