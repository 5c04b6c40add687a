//! The rule that an illegal move of Septica breaks, in words.

use super::View;
use super::rules::{Move, Rank};

/// See [`crate::game::Game::broken_rule`]. A mistake ends the match, so the words may speak of the hand.
pub(super) fn broken_rule(view: &View, mv: &Move) -> Option<String> {
    let answers = !view.open.trick.len().is_multiple_of(2);
    match (mv, view.open.trick.first()) {
        (Move::Stop, None) => Some("a trick begins with a card; 0 ends one that has begun".to_owned()),
        (Move::Stop, Some(_)) if answers => {
            Some("the card has to be answered; only the leader of the trick may end it with 0".to_owned())
        }
        (Move::Stop, Some(_)) => None,
        (Move::Card(card), _) if !view.hand.contains(card) => Some(format!("the hand has no {card}")),
        (Move::Card(card), Some(led)) if !answers && !card.cuts(*led) => Some(match *led {
            Rank::SEVEN => format!("{card} does not cut: a 7 was led, so only a 7 cuts; 0 ends the trick"),
            led => format!("{card} does not cut: {led} was led, so only {led} and 7 cut; 0 ends the trick"),
        }),
        (Move::Card(_), _) => None,
    }
}
