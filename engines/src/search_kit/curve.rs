//! Curves from unbounded numbers to values between 0 and 1. They use only operations that IEEE 754 rounds exactly, so that
//! a search decides alike on every machine; library functions such as `exp` may differ in their last bit.

/// A curve that is 1/2 at 0 and approaches 0 and 1 like the reciprocal of `x`: half the softsign `x / (1 + |x|)`, moved up
/// by 1/2.
#[inline]
pub fn softsign(x: f32) -> f32 {
    0.5 + 0.5 * x / (1.0 + x.abs())
}

/// The slope of [`softsign`] at `x`.
#[inline]
pub fn softsign_slope(x: f32) -> f32 {
    let beyond = 1.0 + x.abs();
    0.5 / (beyond * beyond)
}

/// A curve that is 1/2 at 0 and approaches 0 and 1 like the reciprocal of the square of `x`: half of `x / sqrt(1 + x^2)`,
/// moved up by 1/2.
#[inline]
pub fn algebraic(x: f32) -> f32 {
    0.5 + 0.5 * x / (1.0 + x * x).sqrt()
}

/// The exponential of `x`, clamped to -80 to 80, to six digits. The power of two of the whole part is exact, and a
/// polynomial gives that of the rest: the Taylor series around its middle.
#[inline]
pub fn exp(x: f32) -> f32 {
    const LN_2: f32 = std::f32::consts::LN_2;
    let twos = x.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    // The nearest whole number: the conversion rounds towards 0.
    let whole = (twos + if twos < 0.0 { -0.5 } else { 0.5 }) as i32;
    let rest = (twos - whole as f32) * LN_2;
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    series * f32::from_bits(((whole + 127) as u32) << 23)
}

/// A lead in points as an expected score, for display: 3/4 for a lead of `half` points.
#[inline]
pub fn lead(points: f64, half: f64) -> f64 {
    0.5 + 0.5 * points / (points.abs() + half)
}

/// The value at `at` of the curve through `knots`, which are in thousandths; between knots it is straight. `at` counts
/// knots from 0; the last piece continues beyond the last knot. There are at least two knots.
pub fn through(knots: &[u16], at: f64) -> f64 {
    let step = (at as usize).min(knots.len() - 2);
    let [low, high] = [knots[step], knots[step + 1]].map(|value| f64::from(value) / 1_000.0);
    low + (at - step as f64) * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_from_0_to_1_around_a_half() {
        for curve in [softsign, algebraic] {
            assert_eq!(curve(0.0), 0.5);
            let values: Vec<f32> = (-50..=50).map(|x| curve(x as f32 / 5.0)).collect();
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(values[0] > 0.0 && values[100] < 1.0);
        }
        assert_eq!((lead(0.0, 15.0), lead(15.0, 15.0), lead(-15.0, 15.0)), (0.5, 0.75, 0.25));
    }

    #[test]
    fn exponential_is_the_librarys() {
        for x in (-800..=800).map(|tenths| tenths as f32 / 10.0) {
            let (own, library) = (exp(x), x.exp());
            assert!((own - library).abs() <= 1e-5 * library, "{x}: {own} and {library}");
        }
    }

    #[test]
    fn slope_is_that_of_the_curve() {
        for x in [-2.0f32, -0.5, 0.0, 0.3, 4.0] {
            let measured = (softsign(x + 0.01) - softsign(x - 0.01)) / 0.02;
            assert!((measured - softsign_slope(x)).abs() < 5e-3, "{x}");
        }
    }

    #[test]
    fn table_is_straight_between_its_knots() {
        let knots = [0, 100, 500];
        for (at, value) in [(0.0, 0.0), (0.5, 0.05), (1.0, 0.1), (1.5, 0.3), (2.0, 0.5)] {
            assert!((through(&knots, at) - value).abs() < 1e-12, "{at}");
        }
    }
}
