//! The optimizer of all training: it turns gradients into steps of the weights. A step can update the whole vector or
//! single rows of it, so that a sparse input costs only its own rows.

/// The rule by which a gradient becomes a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UpdateRule {
    /// The rate times the gradient (stochastic gradient ascent).
    Plain,
    /// Each weight slows down as its gradients add up (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011).
    Adagrad,
    /// Running means of the gradient and of its square (Kingma and Ba, "Adam: a method for stochastic optimization",
    /// 2015), the mean over about ten steps.
    Adam {
        /// The share of the mean square that stays from one step to the next, 0 to 1; 0.999 in the paper.
        memory: f32,
    },
}

/// The sum of squares with which [`UpdateRule::Adagrad`] starts: keeps the first steps small.
const FIRST_SQUARE: f32 = 0.02;

/// An optimizer, with its memory of each weight.
#[derive(Clone, Debug)]
pub struct Optimizer {
    rule: UpdateRule,
    mean: Vec<f32>,
    square: Vec<f32>,
    /// Remaining share of the zeros with which the means began. The shares are running products, as a library's powers
    /// may differ between machines.
    fades: [f32; 2],
}

impl Optimizer {
    /// An optimizer of this many weights.
    pub fn new(rule: UpdateRule, weights: usize) -> Self {
        let (means, squares, first) = match rule {
            UpdateRule::Plain => (0, 0, 0.0),
            UpdateRule::Adagrad => (0, weights, FIRST_SQUARE),
            UpdateRule::Adam { .. } => (weights, weights, 0.0),
        };
        Self { rule, mean: vec![0.0; means], square: vec![first; squares], fades: [1.0; 2] }
    }

    /// Begins a step. Call it once before the rows of a step are updated.
    pub fn begin_step(&mut self) {
        if let UpdateRule::Adam { memory } = self.rule {
            self.fades[0] *= 0.9;
            self.fades[1] *= memory;
        }
    }

    /// Moves weights up the gradient: from place `at` on, as many as the gradient has.
    ///
    /// # Panics
    /// If there are fewer weights than that.
    pub fn update(&mut self, weights: &mut [f32], at: usize, gradient: &[f32], rate: f32) {
        let places = at..at + gradient.len();
        let weights = weights[places.clone()].iter_mut().zip(gradient);
        match self.rule {
            UpdateRule::Plain => weights.for_each(|(weight, g)| *weight += rate * g),
            UpdateRule::Adagrad => {
                for ((weight, g), square) in weights.zip(&mut self.square[places]) {
                    *square += g * g;
                    *weight += rate * g / square.sqrt();
                }
            }
            UpdateRule::Adam { memory } => {
                let [a, b] = self.fades.map(|fade| 1.0 - fade);
                let moments = self.mean[places.clone()].iter_mut().zip(&mut self.square[places]);
                for ((weight, g), (mean, square)) in weights.zip(moments) {
                    *mean = 0.9 * *mean + 0.1 * g;
                    *square = memory * *square + (1.0 - memory) * g * g;
                    *weight += rate * (*mean / a) / ((*square / b).sqrt() + 1e-8);
                }
            }
        }
    }

    /// One whole step: all weights up the gradient.
    ///
    /// # Panics
    /// If there are not as many weights as the optimizer was made for.
    pub fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32) {
        self.begin_step();
        self.update(weights, 0, gradient, rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Climbs the hill -(x - 3)^2 - 10 (y + 1)^2 to its top.
    #[test]
    fn every_selection_rule_finds_the_best_move() {
        for (rule, rate) in [
            (UpdateRule::Plain, 0.04),
            (UpdateRule::Adagrad, 1.0),
            (UpdateRule::Adam { memory: 0.999 }, 0.05),
        ] {
            let mut weights = [0.0f32, 0.0];
            let mut optimizer = Optimizer::new(rule, 2);
            for _ in 0..2_000 {
                let gradient = [-2.0 * (weights[0] - 3.0), -20.0 * (weights[1] + 1.0)];
                optimizer.step(&mut weights, &gradient, rate);
            }
            let close = (weights[0] - 3.0).abs() < 0.02 && (weights[1] + 1.0).abs() < 0.02;
            assert!(close, "{rule:?}: {weights:?}");
        }
    }

    #[test]
    fn single_rows_sum_to_a_whole_step() {
        for rule in [UpdateRule::Plain, UpdateRule::Adagrad, UpdateRule::Adam { memory: 0.98 }] {
            let (mut whole, mut rows) = ([1.0f32; 6], [1.0f32; 6]);
            let (mut first, mut second) = (Optimizer::new(rule, 6), Optimizer::new(rule, 6));
            for step in 0..5 {
                let gradient = [0.1, -0.2, 0.3, -0.4, 0.5, 0.6 * step as f32];
                first.step(&mut whole, &gradient, 0.1);
                second.begin_step();
                second.update(&mut rows, 0, &gradient[..2], 0.1);
                second.update(&mut rows, 2, &gradient[2..], 0.1);
            }
            assert_eq!(whole, rows, "{rule:?}");
        }
    }
}
