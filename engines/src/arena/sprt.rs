//! The sequential test: plays until one of two claims about the Elo difference is accepted. Pure arithmetic.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The count of a score that was never seen, so that such a score is not impossible; fastchess and fishtest use the same.
const UNSEEN: f64 = 1e-3;

/// A sequential probability ratio test of two claims about the first player: H0, it is `elo0` stronger than the second,
/// and H1, it is `elo1` stronger. Elo is that of the table, `-400 log10(1/score - 1)`.
///
/// It is the generalized test that fastchess (`sprt.cpp`, model `logistic`) and fishtest (`LLRcalc.py`) use, on pairs
/// ("pentanomial"): the log-likelihood ratio is that of the two most likely distributions of the pairs' scores which
/// have the means of H0 and of H1. The source is Michel Van den Bergh, "The Generalized Maximum Likelihood Ratio for
/// the Expectation Value of a Distribution"; the bounds are Wald's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// Elo of H0, the lower.
    pub elo0: f64,
    /// Elo of H1.
    pub elo1: f64,
    /// Allowed probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// Allowed probability of accepting H0 when H1 holds.
    pub beta: f64,
}

/// Elo bounds as people write them, `0,5`, with the usual risks of 5%.
impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |t: &str| t.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let pair = text.split_once(',').and_then(|(a, b)| Some((number(a)?, number(b)?)));
        let (elo0, elo1) = pair.ok_or_else(|| format!("'{text}' is not ELO0,ELO1, for example 0,5"))?;
        Self { elo0, elo1, alpha: 0.05, beta: 0.05 }.checked()
    }
}

impl Sprt {
    /// The test itself, if it can end.
    ///
    /// # Errors
    /// When the bounds do not rise, or a risk is not between 0 and 1/2.
    pub fn checked(self) -> Result<Self, String> {
        let risk = |x: f64| x > 0.0 && x < 0.5;
        if !(self.elo0 < self.elo1 && self.elo0.abs() <= 2000.0 && self.elo1.abs() <= 2000.0) {
            return Err(format!("{} has to be below {}, and both within 2000", self.elo0, self.elo1));
        }
        if !(risk(self.alpha) && risk(self.beta)) {
            return Err(format!("{} and {} have to lie between 0 and 0.5", self.alpha, self.beta));
        }
        Ok(self)
    }

    /// Wald's bounds of the log-likelihood ratio: at the lower one H0 is accepted, at the upper one H1.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 to H0. `counts`: how often each score was seen, evenly spaced from 0 to 1.
    pub fn llr(&self, counts: &[u64]) -> f64 {
        if counts.iter().all(|n| *n == 0) {
            return 0.0;
        }
        let weights = counts.iter().map(|n| if *n == 0 { UNSEEN } else { *n as f64 });
        let last = counts.len() as f64 - 1.0;
        let seen: Vec<(f64, f64)> = weights.zip(0..).map(|(w, k)| (f64::from(k) / last, w)).collect();
        log_likelihood(&seen, score_of(self.elo1)) - log_likelihood(&seen, score_of(self.elo0))
    }

    /// The claim that is accepted at this ratio, if any.
    pub fn accepts(&self, llr: f64) -> Option<Hypothesis> {
        let (lower, upper) = self.bounds();
        match llr {
            x if x >= upper => Some(Hypothesis::H1),
            x if x <= lower => Some(Hypothesis::H0),
            _ => None,
        }
    }
}

/// One of the two claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hypothesis {
    /// The difference is the lower Elo.
    H0,
    /// The difference is the upper Elo.
    H1,
}

impl Display for Hypothesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::H0 { "H0" } else { "H1" })
    }
}

fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The log-likelihood, up to a constant, of the observed scores (score and weight) under the most likely distribution with
/// the mean `mean`. That distribution gives score a the share p / (1 + t (a - mean)), where p is the observed share and t
/// the only root of sum p (a - mean) / (1 + t (a - mean)) (Van den Bergh, proposition 1.1).
fn log_likelihood(seen: &[(f64, f64)], mean: f64) -> f64 {
    // The sum falls from plus to minus infinity between these two poles, one for each end of the scores.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    let mut t = 0.0;
    for _ in 0..200 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (score, weight) in seen {
            let part = (score - mean) / (1.0 + t * (score - mean));
            sum += weight * part;
            slope -= weight * part * part;
        }
        if sum > 0.0 {
            low = t
        } else {
            high = t
        }
        let newton = t - sum / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - t).abs() <= 1e-13 * (1.0 + t.abs()) {
            break;
        }
        t = next;
    }
    seen.iter().map(|(score, weight)| -weight * (1.0 + t * (score - mean)).ln()).sum()
}

/// The state of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The hypotheses and the error rates.
    #[serde(flatten)]
    pub test: Sprt,
    /// Deals it has counted.
    pub deals: u64,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The ratio at which H0 is accepted.
    pub lower: f64,
    /// The ratio at which H1 is accepted.
    pub upper: f64,
    /// The accepted claim, if there is one.
    pub accepted: Option<Hypothesis>,
}

/// `LLR +1.23 [-2.94, +2.94] after 120 deals`
impl Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { llr, lower, upper, deals, .. } = self;
        write!(f, "LLR {llr:+.2} [{lower:+.2}, {upper:+.2}] after {deals} deals")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, Seed};

    fn near(a: f64, b: f64, error: f64) {
        assert!((a - b).abs() < error, "{a} is not {b}");
    }

    fn sprt(text: &str) -> Sprt {
        text.parse().expect("a test")
    }

    #[test]
    fn bounds_are_those_of_wald() {
        let (lower, upper) = sprt("0,5").bounds();
        near(lower, -2.944_439, 1e-6);
        near(upper, 2.944_439, 1e-6);
        let (lower, upper) = Sprt { alpha: 0.01, beta: 0.1, ..sprt("0,5") }.bounds();
        near(lower, (0.1_f64 / 0.99).ln(), 1e-12);
        near(upper, 90_f64.ln(), 1e-12);
        for text in ["5,0", "1", "1,1", "a,b", "0,1e9", "0,NaN", "-inf,0"] {
            assert!(text.parse::<Sprt>().is_err(), "{text}");
        }
        assert!(Sprt { alpha: 0.0, ..sprt("0,5") }.checked().is_err());
    }

    /// With two scores the distribution is its mean, so the ratio is that of two binomials.
    #[test]
    fn results_without_draws_are_binomial() {
        let test = sprt("0,40");
        let (s0, s1) = (score_of(0.0), score_of(40.0));
        let known = 70.0 * (s1 / s0).ln() + 50.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        near(test.llr(&[50, 70]), known, 1e-9);
        near(test.llr(&[50, 0, 0, 0, 70]), known, 1e-2);
        assert_eq!(test.llr(&[0; 5]), 0.0);
    }

    /// For small differences it is N (s1 - s0) (2 m - s0 - s1) / (2 v), the form that fishtest used before.
    #[test]
    fn small_elo_differences_match_the_approximation() {
        let test = sprt("-1,3");
        let counts = [120, 1900, 3900, 2100, 150];
        let n: u64 = counts.iter().sum();
        let of = |f: &dyn Fn(f64) -> f64| {
            counts.iter().zip(0..).map(|(c, k)| *c as f64 * f(f64::from(k) / 4.0)).sum::<f64>() / n as f64
        };
        let mean = of(&|a| a);
        let variance = of(&|a| (a - mean).powi(2));
        let (s0, s1) = (score_of(-1.0), score_of(3.0));
        let known = n as f64 * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        near(test.llr(&counts), known, 0.01 * known.abs());
    }

    #[test]
    fn extreme_results_have_a_finite_ratio_of_the_right_sign() {
        for elo in ["0,5", "-5,0", "400,900", "-2000,2000"] {
            let won = sprt(elo).llr(&[0, 0, 0, 0, 1000]);
            let lost = sprt(elo).llr(&[1000, 0, 0, 0, 0]);
            assert!(won.is_finite() && won > 0.0 && lost.is_finite() && lost < 0.0, "{elo}: {won} {lost}");
        }
        assert_eq!(sprt("0,5").accepts(3.0), Some(Hypothesis::H1));
        assert_eq!(sprt("0,5").accepts(-3.0), Some(Hypothesis::H0));
        assert_eq!(sprt("0,5").accepts(2.9), None);
    }

    /// Weights of the five scores whose mean is that of `elo`, as a mixture of two shapes.
    fn shape(elo: f64) -> [f64; 5] {
        let (weak, strong) = ([0.20, 0.22, 0.40, 0.13, 0.05], [0.05, 0.13, 0.40, 0.22, 0.20]);
        let mean = |w: &[f64; 5]| w.iter().zip(0..).map(|(w, k)| w * f64::from(k) / 4.0).sum::<f64>();
        let share = (score_of(elo) - mean(&weak)) / (mean(&strong) - mean(&weak));
        std::array::from_fn(|k| share * strong[k] + (1.0 - share) * weak[k])
    }

    /// Over many simulated runs the wrong claim is accepted about as rarely as promised, and every run ends.
    #[test]
    fn error_rates_are_within_alpha_and_beta() {
        const RUNS: u32 = 1500;
        let mut rng = Rng::new(&Seed::from(3));
        let mut wrong = |test: Sprt, elo: f64, truth: Hypothesis| {
            let weights = shape(elo);
            let mut run = || {
                let mut counts = [0; 5];
                for _ in 0..100_000 {
                    let mut left = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                    let k = weights.iter().position(|w| {
                        left -= w;
                        left < 0.0
                    });
                    counts[k.unwrap_or(4)] += 1;
                    if let Some(accepted) = test.accepts(test.llr(&counts)) {
                        return accepted;
                    }
                }
                panic!("the test does not end");
            };
            f64::from((0..RUNS).map(|_| u32::from(run() != truth)).sum::<u32>()) / f64::from(RUNS)
        };
        let even = sprt("0,40");
        let careful = Sprt { alpha: 0.01, beta: 0.1, ..sprt("-20,20") };
        // The limits hold in the long run. With these few runs the share may exceed them by three deviations of the count.
        for (test, elo, truth, most) in [
            (even, 0.0, Hypothesis::H0, 0.05 + 0.017),
            (even, 40.0, Hypothesis::H1, 0.05 + 0.017),
            (careful, -20.0, Hypothesis::H0, 0.01 + 0.008),
            (careful, 20.0, Hypothesis::H1, 0.1 + 0.023),
        ] {
            let share = wrong(test, elo, truth);
            assert!(share <= most, "{test:?} at {elo}: wrong in {share}");
            assert!(share > 0.1 * most, "{test:?} at {elo}: wrong in {share}, so it plays far too long");
        }
    }
}
