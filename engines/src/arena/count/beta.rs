//! The Beta distribution, as far as intervals need it: its distribution function and its quantiles. Pure arithmetic.

/// Beyond these parameters the normal distribution agrees to more digits than are printed.
const LARGE: f64 = 1e5;

/// ln of the gamma function, by Lanczos' approximation (g = 7, nine terms; 15 digits).
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let base = x + 7.5;
    let sum = TERMS.iter().zip(1..).fold(0.999_999_999_999_809_9, |sum, (c, i)| sum + c / (x + f64::from(i)));
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

/// The share of Beta(a, b) below `x`: the regularized incomplete beta function, by its continued fraction (Lentz's
/// method; Numerical Recipes, 6.4).
pub(super) fn below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return f64::from(x >= 1.0);
    }
    // The fraction converges fast only on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - below(1.0 - x, b, a);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    let kept = |y: f64| if y.abs() < 1e-300 { 1e-300 } else { y };
    let mut c = 1.0;
    let mut d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for term in [even, odd] {
            d = 1.0 / kept(1.0 + term * d);
            c = kept(1.0 + term / c);
            last = c * d;
            fraction *= last;
        }
        if (last - 1.0).abs() < 1e-13 {
            break;
        }
    }
    (front.exp() * fraction / a).clamp(0.0, 1.0)
}

/// The interval that holds the middle 95% of Beta(a, b); `z` is the same point of the normal distribution.
pub(super) fn middle_95(a: f64, b: f64, z: f64) -> (f64, f64) {
    if a > LARGE && b > LARGE {
        let mean = a / (a + b);
        let half = z * (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
        return (mean - half, mean + half);
    }
    (quantile(0.025, a, b), quantile(0.975, a, b))
}

/// The point that a share `p` of Beta(a, b) lies below, by bisection.
pub(super) fn quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if below(middle, a, b) < p { low = middle } else { high = middle }
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
    fn beta_distribution_has_its_closed_forms() {
        near(below(0.3, 1.0, 1.0), 0.3);
        near(below(0.3, 3.0, 1.0), 0.027);
        near(below(0.3, 1.0, 4.0), 1.0 - 0.7_f64.powi(4));
        // Beta(1/2, 1/2) is the arcsine law: 2/pi arcsin(sqrt(x)).
        near(below(0.3, 0.5, 0.5), 2.0 / std::f64::consts::PI * 0.3_f64.sqrt().asin());
        // Whole parameters are tails of the binomial: at least 3 of 7 heads, 99/128.
        near(below(0.5, 3.0, 5.0), 99.0 / 128.0);
        assert_eq!((below(0.0, 2.0, 2.0), below(1.0, 2.0, 2.0)), (0.0, 1.0));
    }

    #[test]
    fn quantiles_invert_the_distribution_and_match_the_normal_one() {
        for (a, b) in [(0.5, 10.5), (3.0, 4.0), (900.5, 0.5), (70_000.0, 2e5)] {
            near(below(quantile(0.025, a, b), a, b), 0.025);
        }
        let (a, b) = (1.1e5, 3.3e5);
        let (low, high) = middle_95(a, b, 1.959_964);
        near(low / 10.0, quantile(0.025, a, b) / 10.0);
        near(high / 10.0, quantile(0.975, a, b) / 10.0);
    }
}
