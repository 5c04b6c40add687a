//! What the check matches of a bot say: the places from which it is checked, and whether it has passed. Pure.

use crate::catalogue::Offer;
use crate::domain::MatchId;
use crate::domain::time::Millis;

/// A check match of a bot in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlayedCheck {
    pub(super) id: MatchId,
    pub(super) place: CheckPlace,
    pub(super) created_ms: Millis,
    pub(super) outcome: CheckOutcome,
}

/// The place of a bot in a check match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckPlace {
    /// The number of seats of the match.
    pub seats: u8,
    /// The bot's seat.
    pub seat: u8,
}

/// What a check match has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    /// It is not over.
    Unfinished,
    /// The bot made a legal move.
    LegalMoves,
    /// Every answer of the bot was void, or it gave none.
    VoidOnly,
}

/// Whether a bot has passed its check in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckState {
    /// It has made legal moves: it gets rated matches.
    Passed,
    /// It has still to play a check match from this place.
    Due(CheckPlace),
    /// Check matches are being played.
    Running,
    /// It has made no legal move since it came online.
    Failed,
}

impl CheckState {
    /// What it means for the bot, in one sentence. `title`: the title of the game.
    pub fn verdict(&self, title: &str) -> String {
        match self {
            Self::Passed => format!("passed: the bot now gets rated matches of {title} on the ladder"),
            Self::Due(CheckPlace { seats: 2, seat }) => format!("a check match from seat {seat} follows"),
            Self::Due(CheckPlace { seats, seat }) => {
                format!("a check match of {seats} from seat {seat} follows")
            }
            Self::Running => "another check match is being played".to_owned(),
            Self::Failed => format!(
                "failed: no answer of the bot was a legal move, so it gets no rated matches of {title} on the ladder. Correct it and \
                 start it again: then it is checked again"
            ),
        }
    }
}

/// The places from which a bot is checked: each seat of a match of two that it can hold, and the last seat of each larger match that
/// the game allows, if it can hold that. `mirror`: whether it knows the mirror dialogue.
pub(super) fn places_of(offer: &Offer, mirror: bool) -> impl Iterator<Item = CheckPlace> {
    let of_two = [0, 1].into_iter().map(|seat| CheckPlace { seats: 2, seat });
    let larger = (3..=offer.info.max_seats).filter(|seats| offer.game.options_for(*seats).is_some());
    let larger = larger.map(|seats| CheckPlace { seats, seat: seats - 1 });
    of_two.chain(larger).filter(move |place| offer.info.bot_can_hold(place.seat, mirror))
}

/// Follows from the check matches of a bot that is online since `since_ms` and is checked from these places. A match without a legal move
/// counts until the bot comes online again.
pub(super) fn state_of(
    places: impl Iterator<Item = CheckPlace>,
    played: &[PlayedCheck],
    since_ms: Millis,
) -> CheckState {
    let (mut running, mut legal) = (false, false);
    for place in places {
        let has = |outcome: CheckOutcome, after_ms: Millis| {
            let mut of_place =
                played.iter().filter(|check| check.place == place && check.created_ms >= after_ms);
            of_place.any(|check| check.outcome == outcome)
        };
        if has(CheckOutcome::LegalMoves, Millis::MIN) {
            legal = true;
        } else if has(CheckOutcome::Unfinished, Millis::MIN) {
            running = true;
        } else if !has(CheckOutcome::VoidOnly, since_ms) {
            return CheckState::Due(place);
        }
    }
    match (running, legal) {
        (true, _) => CheckState::Running,
        (false, true) => CheckState::Passed,
        (false, false) => CheckState::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CheckOutcome::{LegalMoves, Unfinished, VoidOnly};

    fn two(seat: u8) -> CheckPlace {
        CheckPlace { seats: 2, seat }
    }

    /// Check matches of two: seat, time of creation, outcome.
    fn played(all: &[(u8, Millis, CheckOutcome)]) -> Vec<PlayedCheck> {
        let check = |(seat, created_ms, outcome): &(u8, Millis, CheckOutcome)| PlayedCheck {
            id: MatchId::fresh(),
            place: two(*seat),
            created_ms: *created_ms,
            outcome: *outcome,
        };
        all.iter().map(check).collect()
    }

    #[test]
    fn bot_passes_after_a_match_from_each_seat() {
        let state = |all: &[_]| state_of([0, 1].map(two).into_iter(), &played(all), 100);
        assert_eq!(state(&[]), CheckState::Due(two(0)));
        assert_eq!(state(&[(0, 100, Unfinished)]), CheckState::Due(two(1)));
        assert_eq!(state(&[(0, 100, LegalMoves)]), CheckState::Due(two(1)));
        assert_eq!(state(&[(0, 100, LegalMoves), (1, 200, Unfinished)]), CheckState::Running);
        assert_eq!(state(&[(0, 100, LegalMoves), (1, 200, LegalMoves)]), CheckState::Passed);
        assert_eq!(state(&[(0, 100, LegalMoves), (1, 200, VoidOnly)]), CheckState::Passed);
        // Matches from before a restart count.
        assert_eq!(state(&[(0, 10, LegalMoves)]), CheckState::Due(two(1)));
        assert_eq!(state(&[(0, 10, LegalMoves), (1, 20, LegalMoves)]), CheckState::Passed);
        assert_eq!(state_of([two(1)].into_iter(), &played(&[(1, 10, LegalMoves)]), 100), CheckState::Passed);
    }

    #[test]
    fn bot_without_a_legal_move_is_checked_again_when_it_comes_online_again() {
        let all = played(&[(0, 100, VoidOnly), (1, 200, VoidOnly)]);
        assert_eq!(state_of([0, 1].map(two).into_iter(), &all, 100), CheckState::Failed);
        assert_eq!(state_of([0, 1].map(two).into_iter(), &all, 201), CheckState::Due(two(0)));
        assert_eq!(state_of([0, 1].map(two).into_iter(), &all[..1], 100), CheckState::Due(two(1)));
    }

    #[test]
    fn larger_matches_are_checked_from_their_last_seat() {
        let catalogue = crate::catalogue::Catalogue::new(engines::games::GAMES);
        for offer in catalogue.offers() {
            let places: Vec<_> = places_of(offer, true).collect();
            let sizes = |seats: u8| places.iter().filter(|place| place.seats == seats).count();
            assert!((1..=2).contains(&sizes(2)), "{}: {places:?}", offer.info.slug);
            let larger = (3..=offer.info.max_seats).filter(|seats| offer.game.options_for(*seats).is_some());
            for seats in larger {
                assert_eq!(sizes(seats), 1, "{}: {places:?}", offer.info.slug);
                assert!(places.contains(&CheckPlace { seats, seat: seats - 1 }));
            }
        }
        assert!(catalogue.offers().iter().any(|offer| places_of(offer, false).count() == 4));
    }
}
