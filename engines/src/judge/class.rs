//! The class of a decision and the accuracy of a player, from losses of expected score. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How good a decision was, by the expected score that it lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoveClass {
    /// Lost less than 1 point of winning probability.
    Best,
    /// Lost less than 5 points.
    Good,
    /// Lost less than 10 points.
    Inaccuracy,
    /// Lost less than 20 points.
    Mistake,
    /// Lost 20 points or more.
    Blunder,
}

impl MoveClass {
    /// All classes, the best first.
    pub const ALL: [Self; 5] = [Self::Best, Self::Good, Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The class of a decision that lost this much expected score, 0 to 1.
    pub fn of(loss: f64) -> Self {
        match loss {
            loss if loss < 0.01 => Self::Best,
            loss if loss < 0.05 => Self::Good,
            loss if loss < 0.10 => Self::Inaccuracy,
            loss if loss < 0.20 => Self::Mistake,
            _ => Self::Blunder,
        }
    }

    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Good => "good",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

/// The accuracy of one decision, 0 to 100, by the formula that Lichess fitted to chess: a loss of 1 point of winning
/// probability costs about 4.4 points of accuracy, further ones cost less.
pub fn accuracy(loss: f64) -> f64 {
    (103.1669 * (-4.354 * loss).exp() - 3.1669).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_the_loss() {
        let classes = [0.0, 0.0099, 0.01, 0.05, 0.0999, 0.10, 0.20, 1.0].map(MoveClass::of);
        use MoveClass::{Best, Blunder, Good, Inaccuracy, Mistake};
        assert_eq!(classes, [Best, Best, Good, Inaccuracy, Inaccuracy, Mistake, Blunder, Blunder]);
        assert!(MoveClass::ALL.is_sorted());
        for class in MoveClass::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.name());
        }
    }

    #[test]
    fn accuracy_falls_with_the_loss() {
        let all: Vec<f64> = (0..=100).map(|loss| accuracy(f64::from(loss) / 100.0)).collect();
        assert_eq!(all[0], 100.0);
        assert!(all.windows(2).all(|pair| pair[0] >= pair[1]));
        assert!((95.0..96.5).contains(&all[1]), "{}", all[1]);
        assert!(all[100] < 1.0 && all.iter().all(|one| (0.0..=100.0).contains(one)));
    }
}
