//! The quantiles of the Beta distribution, for intervals. Pure arithmetic.

use statrs::function::beta::beta_reg;

/// Beyond these parameters the normal distribution agrees to more digits than are printed, and the library's series has not
/// converged.
const LARGE: f64 = 1e5;

/// The interval that holds the middle 95% of Beta(a, b); `z` is the same point of the normal distribution.
pub(super) fn middle_95(a: f64, b: f64, z: f64) -> (f64, f64) {
    if a > LARGE && b > LARGE {
        let mean = a / (a + b);
        let half = z * (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
        return (mean - half, mean + half);
    }
    (quantile(0.025, a, b), quantile(0.975, a, b))
}

/// The point that a share `p` of Beta(a, b) lies below, by bisection: the library's own inverse (`inv_beta_reg`, Newton's method)
/// does not end for some parameters above a million.
fn quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if beta_reg(a, b, middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    }

    #[test]
    fn quantiles_have_their_closed_forms() {
        near(quantile(0.3, 1.0, 1.0), 0.3);
        near(quantile(0.027, 3.0, 1.0), 0.3);
        near(quantile(1.0 - 0.7_f64.powi(4), 1.0, 4.0), 0.3);
        // Beta(1/2, 1/2) is the arcsine law: 2/pi arcsin(sqrt(x)).
        near(quantile(2.0 / std::f64::consts::PI * 0.3_f64.sqrt().asin(), 0.5, 0.5), 0.3);
        // Whole parameters are tails of the binomial: at least 3 of 7 heads, 99/128.
        near(quantile(99.0 / 128.0, 3.0, 5.0), 0.5);
    }

    #[test]
    fn quantiles_invert_the_distribution_and_match_the_normal_one() {
        for (a, b) in [(0.5, 10.5), (3.0, 4.0), (900.5, 0.5), (70_000.0, 2e5)] {
            near(beta_reg(a, b, quantile(0.025, a, b)), 0.025);
        }
        let (a, b) = (1.1e5, 3.3e5);
        let (low, high) = middle_95(a, b, 1.959_964);
        near(low / 10.0, quantile(0.025, a, b) / 10.0);
        near(high / 10.0, quantile(0.975, a, b) / 10.0);
    }
}
