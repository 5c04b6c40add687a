//! Remembers whether the computer waits for the `0` that ends a trick of ours, in the situations that the statement
//! leaves open. Each situation is learned separately or stated by a setting. Must not know cards or lines.

use std::collections::BTreeMap;

use crate::game::BadOptions;
use crate::protocol::Settings;

/// Settings that state the answer for a group of situations. Each is `auto`, `yes` or `no`.
pub(super) const SETTINGS: [&str; 5] = [FINAL, EMPTY_HAND, DECK_LEFT, LAST_CARD, UNANSWERED];
/// The computer answered; both hands and the deck are empty.
const FINAL: &str = "final_zero";
/// The computer answered; our hand and the deck are empty, the computer's hand is not.
const EMPTY_HAND: &str = "empty_hand_zero";
/// The computer answered; our hand is empty, the deck is not.
const DECK_LEFT: &str = "deck_left_zero";
/// The computer answered with its last card; we hold cards.
const LAST_CARD: &str = "last_card_zero";
/// The computer has no card to answer ours with.
const UNANSWERED: &str = "unanswered_zero";

/// The state of a trick of ours that may be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TrickSituation {
    /// Whether the computer has answered our last card. If not, it has no card left.
    pub answered: bool,
    /// Whether the answer cut and we hold cards, so that we may go on instead of ending the trick.
    pub may_go_on: bool,
    /// Whether our hand is empty.
    pub own_hand_empty: bool,
    /// Whether the computer's hand is empty.
    pub their_hand_empty: bool,
    /// Whether the deck is empty.
    pub deck_empty: bool,
}

impl TrickSituation {
    /// The setting that covers this situation. `None`: by the statement the computer waits for us.
    pub(super) fn setting(self) -> Option<&'static str> {
        match self {
            Self { answered: false, .. } => Some(UNANSWERED),
            Self { own_hand_empty: true, deck_empty: false, .. } => Some(DECK_LEFT),
            Self { own_hand_empty: true, their_hand_empty: true, .. } => Some(FINAL),
            Self { own_hand_empty: true, .. } => Some(EMPTY_HAND),
            Self { their_hand_empty: true, .. } => Some(LAST_CARD),
            _ => None,
        }
    }
}

/// The knowledge about the computer: stated by settings, or learned by situation.
#[derive(Clone, Debug, Default)]
pub(super) struct ZeroKnowledge {
    stated: BTreeMap<&'static str, bool>,
    learned: BTreeMap<TrickSituation, bool>,
}

impl ZeroKnowledge {
    /// The knowledge that these settings state.
    ///
    /// # Errors
    /// If one of [`SETTINGS`] has another value than `auto`, `yes` or `no`.
    pub(super) fn new(settings: &Settings) -> Result<Self, BadOptions> {
        let mut stated = BTreeMap::new();
        for name in SETTINGS {
            match settings.choice(name, &["auto", "yes", "no"])? {
                "yes" => stated.insert(name, true),
                "no" => stated.insert(name, false),
                _ => None,
            };
        }
        Ok(Self { stated, learned: BTreeMap::new() })
    }

    /// Whether the computer waits for us in this situation; `None` if not yet known.
    pub(super) fn computer_waits(&self, situation: TrickSituation) -> Option<bool> {
        let Some(setting) = situation.setting() else { return Some(true) };
        self.stated.get(setting).or_else(|| self.learned.get(&situation)).copied()
    }

    /// Records whether the computer waited for us in this situation.
    pub(super) fn learn(&mut self, situation: TrickSituation, waits: bool) {
        self.learned.insert(situation, waits);
    }
}
