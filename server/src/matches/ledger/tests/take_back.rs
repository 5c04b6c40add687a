//! Taking moves back.

use crate::matches::ledger::tests::*;

fn back(host: &HostedLedger) -> Command {
    Command::TakeBack { seat: Seat(0), ply: host.ledger.ply() }
}

/// A match of guest 1 against an engine, in which the engine may be asked.
fn against_engine(game: &'static dyn AnyGame, clock: Option<ClockSpec>) -> HostedLedger {
    let beginning = beginning(vec![held(1), engine(game)], clock, 5);
    HostedLedger::of(game, Beginning { hints: Some(true), ..beginning })
}

#[test]
fn own_move_and_all_after_it_are_undone() {
    for game in GAMES {
        let mut host = against_engine(*game, None);
        host.until_turn_of(Seat(0));
        let mut stops = Vec::new();
        for _ in 0..3 {
            let before = (host.ledger.ply(), seen(&host.ledger).views);
            stops.push(before);
            host.step(10, 1);
            while host.ledger.turn().is_some_and(|turn| turn != Seat(0)) {
                host.step(10, 0);
            }
            if host.ledger.turn().is_none() {
                break;
            }
        }
        if host.ledger.turn().is_none() {
            continue;
        }
        for (ply, views) in stops.into_iter().rev() {
            let events = host.does(&back(&host));
            assert_eq!(events, vec![Event::TakenBack { seat: Seat(0), ply }]);
            assert_eq!((host.ledger.ply(), host.ledger.turn()), (ply, Some(Seat(0))));
            assert_eq!(seen(&host.ledger).views, views);
            assert_eq!(seen(&host.reloaded()), seen(&host.ledger));
        }
        // The match goes on from there.
        host.step(10, 0);
        assert_eq!(seen(&host.reloaded()), seen(&host.ledger));
    }
}

#[test]
fn nothing_is_taken_back_where_it_would_be_unfair() {
    for game in GAMES {
        let mut people = HostedLedger::of(
            *game,
            Beginning { hints: Some(true), ..beginning(vec![held(1), held(2)], None, 5) },
        );
        people.step(10, 0);
        assert_eq!(people.act(&back(&people)), Err(MatchRefusal::NoTakeBack));
        let mut timed = against_engine(*game, per_match(60_000, 0));
        timed.step(10, 0);
        assert_eq!(timed.act(&back(&timed)), Err(MatchRefusal::NoTakeBack));
        let no_hints = Beginning { hints: Some(false), ..beginning(vec![held(1), engine(*game)], None, 5) };
        let mut silent = HostedLedger::of(*game, no_hints);
        silent.step(10, 0);
        assert_eq!(silent.act(&back(&silent)), Err(MatchRefusal::NoTakeBack));
    }
}

#[test]
fn moves_are_taken_back_a_limited_number_of_times() {
    let mut host = against_engine(GAMES[0], None);
    let mut times = 0;
    let refused = loop {
        host.until_turn_of(Seat(0));
        host.step(10, 0);
        match host.act(&back(&host)) {
            Ok(_) => times += 1,
            Err(refused) => break refused,
        }
    };
    assert_eq!((times, refused), (100, MatchRefusal::TakenBackTooOften(100)));
    assert_eq!(seen(&host.reloaded()), seen(&host.ledger), "and the match goes on");
}

#[test]
fn stale_request_takes_nothing_back() {
    let game = GAMES[0];
    let mut host = against_engine(game, None);
    host.until_turn_of(Seat(0));
    let ply = host.ledger.ply();
    assert_eq!(host.act(&back(&host)), Err(MatchRefusal::NothingToTakeBack));
    host.step(10, 0);
    let early = Command::TakeBack { seat: Seat(0), ply };
    assert_eq!(host.act(&early), Err(MatchRefusal::StalePly(ply + 1)));
    assert_eq!(host.does(&back(&host)).len(), 1);
    assert_eq!(host.act(&back(&host)), Err(MatchRefusal::NothingToTakeBack));
}
