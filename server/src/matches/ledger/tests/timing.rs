//! Clocks, time-outs, downtime and idleness.

use crate::matches::ledger::tests::*;

#[test]
fn player_is_charged_only_for_own_time() {
    let mut host = HostedLedger::guests(GAMES[0], 2, per_match(10_000, 500));
    // The turn became visible only after a commit of 300 ms.
    host.now += 300;
    host.ledger.publish_turn(host.now, 300_000);
    host.now += 2_000;
    let Command::Move { seat, ply, notation, arrived_ms, .. } = host.any_move(0) else { unreachable!() };
    host.now += 900; // The move waited in the server.
    let queue_us = 900_000;
    let events = host.does(&Command::Move { seat, ply, notation, arrived_ms, queue_us, measured: None });
    let Event::Moved(moved) = &events[0] else { panic!("{events:?}") };
    assert_eq!(
        moved.times,
        event::MoveTimes { queue_us, think_us: 2_000_000, commit_us: 300_000, fuel: None }
    );
    assert_eq!((moved.left_ms, host.ledger.clocks().left(Seat(0))), (Some(8_500), Some(8_500)));
    assert_eq!(host.ledger.clocks().left(Seat(1)), Some(10_000));
    assert_eq!(seen(&host.reloaded()), seen(&host.ledger));
}

#[test]
fn turn_becomes_visible_once() {
    let mut host = HostedLedger::guests(game_for(3), 3, None);
    host.step(10, 0);
    host.ledger.publish_turn(host.now + 5, 5_000);
    assert_eq!(host.ledger.turn_published_ms(), Some(host.now + 5));
    host.ledger.publish_turn(host.now + 50, 50_000);
    assert_eq!(host.ledger.turn_published_ms(), Some(host.now + 5), "the first time counts");
    // Another seat's event does not start the turn anew.
    let not_to_move = Seat(2);
    host.step(10, 0);
    let out = host.ledger.turn_published_ms();
    host.now += 700;
    host.does(&Command::Resign { seat: not_to_move });
    host.ledger.publish_turn(host.now, 1);
    assert_eq!(host.ledger.turn_published_ms(), out);
    // Nor does loading the log.
    let mut again = host.reloaded();
    again.publish_turn(host.now, 1);
    assert_eq!(again.turn_published_ms(), out);
}

/// Events are rendered again from the log, which does not contain when the turn really became visible.
#[test]
fn resumed_event_renders_from_the_log_alone() {
    let mut host = HostedLedger::guests(GAMES[0], 2, per_match(10_000, 0));
    host.ledger.publish_turn(host.now + 300, 300_000);
    host.now += 5_000;
    host.does(&Command::Resume { away_ms: 1_000, grace_ms: 0, vacation: false });
    let again = host.reloaded();
    let last = host.log.last().unwrap();
    let frame = |ledger| crate::matches::render::event(ledger, last, Viewer::Spectator, None);
    assert_eq!(frame(&host.ledger), frame(&again));
    assert_eq!(host.ledger.turn_published_ms(), Some(START + 1_300), "the running clock is exact");
}

#[test]
fn move_that_arrived_in_time_counts_when_decided_late() {
    for (clock, allowed) in [(per_match(1_000, 0), 1_000), (per_move(1_000), 1_000)] {
        let mut host = HostedLedger::guests(GAMES[0], 2, clock);
        assert_eq!(host.ledger.due(), Due::At(START + allowed));
        host.now = START + allowed - 1;
        assert_eq!(host.tick(), [], "not yet");
        let in_time = host.any_move(0);
        host.now = START + allowed;
        let late = host.any_move(0);
        assert_eq!(host.ledger.decide(&late, host.now), Err(MatchRefusal::TimeUp(Seat(0))));
        assert_eq!(MatchRefusal::TimeUp(Seat(0)).code().name(), "time_up");
        host.now += 60_000;
        host.does(&in_time);
    }
}

#[test]
fn timeout_has_the_penalty_of_its_game() {
    let (ending, passing) = games_by_foul();
    for game in ending {
        let mut host = HostedLedger::guests(game, 2, per_match(1_000, 100));
        host.now += 1_000;
        let events = host.tick();
        let Event::Fouled(fouled) = &events[0] else { panic!("{events:?}") };
        assert_eq!((fouled.kind, fouled.left_ms), (FoulKind::Time, Some(100)));
        let late = host.mv(Seat(0), 0, "1");
        assert_eq!(host.act(&late), Err(MatchRefusal::TimeUp(Seat(0))), "the match is over because of that");
        let others = host.mv(Seat(1), 0, "1");
        assert_eq!(host.act(&others), Err(MatchRefusal::MatchOver));
        assert_eq!(ended(&events).unwrap().result.as_ref().unwrap().ranks, [2, 1]);
        assert_eq!(host.tick(), []);
    }
    for game in passing {
        let mut host = HostedLedger::guests(game, 2, per_match(60_000, 0));
        let late = host.any_move(0);
        host.now += 60_250;
        let events = host.tick();
        assert_eq!(host.act(&late), Err(MatchRefusal::TimeUp(Seat(0))), "the match has gone on");
        let [Event::Fouled(fouled)] = &events[..] else { panic!("{events:?}") };
        let times = event::MoveTimes { queue_us: 250_000, think_us: 60_000_000, commit_us: 0, fuel: None };
        assert_eq!((fouled.times, fouled.left_ms), (times, Some(0)), "no more than it had is charged");
        assert_eq!(host.ledger.seats()[0].missed, 1);
        assert_eq!((host.ledger.turn(), host.ledger.due()), (Some(Seat(1)), Due::At(host.now + 60_000)));
    }
}

#[test]
fn repeated_timeouts_put_a_seat_out() {
    let (_, passing) = games_by_foul();
    for game in passing {
        let mut host = HostedLedger::guests(game, 2, per_move(1_000));
        let miss = |host: &mut HostedLedger| {
            host.until_turn_of(Seat(0));
            host.now += 1_000;
            host.tick()
        };
        (1..MISSED_TURNS_LIMIT).for_each(|_| assert_eq!(miss(&mut host).len(), 1));
        host.until_turn_of(Seat(0));
        host.step(999, 0);
        assert_eq!(host.ledger.seats()[0].missed, 0, "a move in time resets the count");
        (1..MISSED_TURNS_LIMIT).for_each(|_| assert_eq!(miss(&mut host).len(), 1));
        host.until_turn_of(Seat(0));
        let (ply, arrived_ms) = (host.ledger.ply(), host.now);
        let kind = FoulKind::BadLine;
        host.does(&Command::Foul {
            seat: Seat(0),
            ply,
            kind,
            detail: String::new(),
            arrived_ms,
            measured: None,
        });
        assert_eq!(host.ledger.seats()[0].missed, 0, "a foul shows that the player is present");
        (1..MISSED_TURNS_LIMIT).for_each(|_| assert_eq!(miss(&mut host).len(), 1));
        let events = miss(&mut host);
        assert_eq!(events[1], Event::WentOut { seat: Seat(0), why: event::OutReason::Vanished });
        let end = ended(&events).unwrap();
        assert_eq!((end.how, &end.result.as_ref().unwrap().ranks), (EndKind::Walkover, &vec![2, 1]));
        let seq = host.ledger.next_seq() - 2;
        assert_eq!(host.act(&Command::Resign { seat: Seat(0) }), Ok(LedgerDecision::Already(seq)));
    }
}

#[test]
fn engines_have_no_timeout_and_are_charged_the_measured_time() {
    for game in GAMES {
        let mut host =
            HostedLedger::of(*game, beginning(vec![engine(*game), held(1)], per_match(1_000, 50), 5));
        if host.ledger.turn() != Some(Seat(0)) {
            host.until_turn_of(Seat(0));
        }
        host.now += 3 * IDLE as Millis;
        assert_eq!((host.ledger.due(), host.tick()), (Due::Never, vec![]));
        let Command::Move { seat, ply, notation, arrived_ms, .. } = host.any_move(0) else { unreachable!() };
        let measured = |think_us| Some(MeasuredTime { think_us, fuel: None });
        let mv = |measured| Command::Move {
            seat,
            ply,
            notation: notation.clone(),
            arrived_ms,
            queue_us: 9,
            measured,
        };
        let events = host.ledger.decide(&mv(measured(5_000_000)), host.now);
        assert!(matches!(events, Ok(LedgerDecision::New(_))), "even when it thought too long");
        let before = host.ledger.clocks().left(Seat(0)).unwrap();
        let events = host.does(&mv(measured(700_900)));
        assert!(
            matches!(&events[0], Event::Moved(moved) if moved.left_ms == Some(before - 700 + 50)),
            "{events:?}"
        );
    }
}

#[test]
fn downtime_is_charged_to_no_clock() {
    let mut host = HostedLedger::guests(GAMES[0], 2, per_match(10_000, 0));
    host.now += 86_400_000;
    host.ledger = host.reloaded();
    let away_ms = 86_400_000 - 2_000;
    host.does(&Command::Resume { away_ms, grace_ms: 0, vacation: false });
    assert_eq!(host.ledger.due(), Due::At(host.now + 8_000), "two seconds were played before");
    assert_eq!(host.reloaded().due(), host.ledger.due());
    let events = host.step(1_000, 0);
    assert!(matches!(&events[0], Event::Moved(moved) if moved.left_ms == Some(7_000)), "{events:?}");
    // No more than the turn's time is given back.
    host.now += 500;
    host.does(&Command::Resume { away_ms: u64::MAX, grace_ms: 0, vacation: false });
    assert_eq!(host.ledger.turn_published_ms(), Some(host.now));
}

#[test]
fn clock_is_stopped_while_its_player_reconnects() {
    let mut host = HostedLedger::guests(GAMES[0], 2, per_match(10_000, 0));
    host.now += 3_000; // Played.
    host.now += 60_000; // No server ran.
    host.does(&Command::Resume { away_ms: 60_000, grace_ms: 2_000, vacation: false });
    let until = host.now + 2_000;
    assert_eq!((host.ledger.paused_until(host.now), host.ledger.paused_until(until)), (Some(until), None));
    assert_eq!(host.ledger.due(), Due::At(until + 7_000), "three seconds were played before");
    for (passed, used) in [(0, 3_000), (1_999, 3_000), (2_000, 3_000), (2_500, 3_500)] {
        assert_eq!(host.ledger.turn_took_ms(host.now + passed), used, "after {passed}");
    }
    assert_eq!(seen(&host.reloaded()), seen(&host.ledger));
    assert_eq!(host.reloaded().due(), host.ledger.due());
    // After a second crash in the grace period, the rest of the first grace is not given twice.
    assert_eq!(host.ledger.settled_until(), until);
    host.now = until + 50_000;
    host.does(&Command::Resume { away_ms: 50_000, grace_ms: 2_000, vacation: false });
    assert_eq!(host.ledger.due(), Due::At(host.now + 2_000 + 7_000));
    let events = host.step(1_000, 0);
    assert!(matches!(&events[0], Event::Moved(moved) if moved.left_ms == Some(7_000)), "{events:?}");
    // The next turn gets none of it.
    assert_eq!(host.ledger.paused_until(host.now), None);
    assert_eq!(host.ledger.due(), Due::At(host.now + 10_000));
}

#[test]
fn grace_has_a_limit() {
    let mut host = HostedLedger::guests(GAMES[0], 2, per_match(10_000, 0));
    let events = host.does(&Command::Resume { away_ms: 0, grace_ms: u64::MAX, vacation: false });
    assert_eq!(events, [Event::Resumed { away_ms: 0, grace_ms: MAX_GRACE_MS, vacation: false }]);
}

/// The log does not contain when a turn became visible, but the event `resumed` does.
#[test]
fn late_commit_is_not_charged_after_a_restart() {
    let mut host = HostedLedger::guests(GAMES[0], 2, per_match(10_000, 0));
    assert!(host.ledger.publish_turn(host.now + 800, 800_000));
    host.now += 1_000;
    let events = host.does(&Command::Resume { away_ms: 150, grace_ms: 0, vacation: false });
    assert_eq!(events, [Event::Resumed { away_ms: 950, grace_ms: 0, vacation: false }]);
    assert_eq!(host.ledger.turn_took_ms(host.now), 50);
    assert_eq!(host.reloaded().turn_took_ms(host.now), 50);
}

#[test]
fn idle_match_ends() {
    let idle = IDLE as Millis;
    for game in GAMES {
        // Before the start.
        let mut host = HostedLedger::of(*game, beginning(vec![held(1), SeatSetup::Open], per_move(1_000), 5));
        assert_eq!(host.ledger.due(), Due::At(START + idle));
        host.now = START + idle;
        assert_eq!(ended(&host.tick()).unwrap().how, EndKind::Abandoned);
        // Without a clock.
        let mut host = HostedLedger::guests(*game, 2, None);
        host.step(idle - 1, 0);
        host.now += idle - 1;
        assert_eq!(host.tick(), []);
        // Resuming does not restart the idle time; it only excludes the time away.
        host.does(&Command::Resume { away_ms: 1_000, grace_ms: 0, vacation: false });
        assert_eq!(host.ledger.due(), Due::At(host.now + 1 + 1_000));
        host.now += 1_001;
        let events = host.tick();
        let end = ended(&events).unwrap();
        assert_eq!((end.how, &end.result), (EndKind::Abandoned, &None));
        assert_eq!(host.ledger.due(), Due::Never);
    }
}

#[test]
fn log_without_its_last_event_still_ends() {
    for game in GAMES {
        let mut host = HostedLedger::guests(*game, 2, None);
        host.step(1, 0);
        host.does(&Command::Resign { seat: Seat(1) });
        let last = host.log.pop().unwrap();
        host.ledger = host.reloaded();
        assert_eq!(host.ledger.due(), Due::Now);
        assert_eq!(host.ledger.end_due().unwrap().0, EndKind::Walkover);
        assert_eq!(host.tick(), [last.event]);

        let mut host = HostedLedger::guests(*game, 2, None);
        let mut choose = 0;
        while host.ledger.stage() == Stage::Running {
            choose += 1;
            host.step(1, choose);
        }
        let last = host.log.pop().unwrap();
        host.ledger = host.reloaded();
        assert_eq!((host.ledger.due(), host.ledger.turn()), (Due::Now, None));
        assert_eq!(host.act(&Command::Resign { seat: Seat(1) }), Err(MatchRefusal::MatchOver));
        assert_eq!(host.tick(), [last.event]);
    }
}
