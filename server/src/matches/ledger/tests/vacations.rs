//! The matches and turns in which the log may say that a vacation stopped the clock.

use super::*;
use crate::domain::TournamentRef;
use crate::domain::time::DAY_MS;

const DAY: u64 = DAY_MS.unsigned_abs();

fn resume(away_ms: u64) -> Command {
    Command::Resume { away_ms, grace_ms: 0, vacation: true }
}

#[test]
fn vacation_is_taken_out_of_a_turn_of_days_to_the_millisecond() {
    let mut host = HostedLedger::guests(GAMES[0], 2, per_move(DAY));
    host.now += DAY_MS / 2 + 7 * DAY_MS;
    let events = host.does(&resume(7 * DAY));
    assert_eq!(events, [Event::Resumed { away_ms: 7 * DAY, grace_ms: 0, vacation: true }]);
    assert_eq!(host.ledger.due(), Due::At(host.now + DAY_MS / 2));
    assert_eq!(host.reloaded().due(), host.ledger.due());
    assert_eq!(host.ledger.turn_took_ms(host.now), DAY / 2);
}

#[test]
fn vacation_counts_only_where_the_time_for_a_move_is_of_days() {
    let both = Some(ClockSpec { initial_ms: Some(DAY), increment_ms: 0, move_ms: Some(2 * DAY) });
    for (clock, counts) in [
        (None, false),
        (per_match(9 * DAY, 0), false),
        (per_move(DAY - 1), false),
        (per_move(DAY), true),
        (both, true),
    ] {
        let mut host = HostedLedger::guests(GAMES[0], 2, clock);
        host.now += 1_000;
        assert_eq!(host.ledger.has_vacations(), counts, "{clock:?}");
        assert_eq!(host.act(&resume(500)).is_ok(), counts, "{clock:?}");
    }
}

#[test]
fn vacation_does_not_count_in_tournaments_for_engines_and_without_a_turn() {
    let tournament = TournamentRef { id: "any".to_owned(), game: 0, shares_deal: false };
    let of_tournament =
        Beginning { tournament: Some(tournament), ..beginning(vec![held(1), held(2)], per_move(DAY), 1) };
    let with_engine = beginning(vec![engine(GAMES[0]), held(2)], per_move(DAY), 1);
    let open = beginning(vec![SeatSetup::Open, held(2)], per_move(DAY), 1);
    for beginning in [of_tournament, with_engine, open] {
        let mut host = HostedLedger::of(GAMES[0], beginning);
        host.now += 1_000;
        assert!(!host.ledger.vacation_counts());
        assert!(matches!(host.act(&resume(500)), Err(MatchRefusal::Internal(_))));
        // Nor does a log say so.
        let event = Event::Resumed { away_ms: 500, grace_ms: 0, vacation: true };
        let logged = LoggedEvent { seq: host.ledger.next_seq(), at_ms: host.now, event };
        assert!(host.ledger.apply(&logged).is_err());
    }
}
