//! Moves, fouls and resignations: the events they become, and that a command sent twice takes effect once.

use crate::matches::ledger::tests::*;

fn foul(host: &HostedLedger, kind: FoulKind) -> Command {
    let (seat, ply) = (host.ledger.turn().unwrap(), host.ledger.ply());
    Command::Foul { seat, ply, kind, detail: "it wrote \"9\"".into(), arrived_ms: host.now, measured: None }
}

#[test]
fn move_sent_again_is_the_same_move() {
    for game in GAMES {
        let mut host = HostedLedger::guests(*game, 2, None);
        let first = host.any_move(0);
        host.does(&first);
        assert_eq!(host.act(&first), Ok(LedgerDecision::Already(2)));
        while host.ledger.stage() == Stage::Running {
            let last = host.any_move(3);
            let events = host.does(&last);
            let seq = host.log.len() - events.len();
            assert_eq!(host.act(&last), Ok(LedgerDecision::Already(seq as u32)), "also after the end");
            assert_eq!(host.act(&first), Ok(LedgerDecision::Already(2)));
        }
        let end = host.ledger.ended().unwrap();
        let result = end.result.as_ref().unwrap();
        assert_eq!(end.how, EndKind::Played);
        assert!(result.points.is_some() && result.ranks.len() == 2, "{result:?}");
        assert_eq!(seen(&host.reloaded()), seen(&host.ledger));
        let Command::Move { seat, ply, .. } = first else { unreachable!() };
        let other = host.mv(seat, ply, "1 1");
        assert!(host.act(&other).is_err());
    }
}

#[test]
fn respelled_move_is_the_same_move() {
    let mut respelled = 0;
    for game in GAMES {
        let mut host = HostedLedger::guests(*game, 2, None);
        let Command::Move { seat, ply, notation, .. } = host.any_move(0) else { unreachable!() };
        let spellings = [
            format!("{notation} "),
            format!(" {notation}"),
            notation.replace(' ', "  "),
            format!("0{notation}"),
        ];
        for text in spellings.iter().filter(|text| **text != notation) {
            if host.ledger.move_text(text).is_ok_and(|mv| mv.notation == notation) {
                let mut host = HostedLedger::guests(*game, 2, None);
                let events = host.does(&host.mv(seat, ply, text));
                assert!(
                    matches!(&events[0], Event::Moved(moved) if moved.notation == notation),
                    "{events:?}"
                );
                assert_eq!(host.act(&host.mv(seat, ply, &notation)), Ok(LedgerDecision::Already(2)));
                assert_eq!(host.act(&host.mv(seat, ply, text)), Ok(LedgerDecision::Already(2)));
                respelled += 1;
            }
        }
        let json = host.ledger.move_text(&notation).unwrap().mv;
        let read = host.ledger.read(MoveInput::Json(&json)).unwrap();
        assert_eq!(read.text.notation, *notation);
        host.does(&host.mv(seat, ply, &notation));
    }
    assert!(respelled > 0, "no game reads a spelling that it does not write");
}

#[test]
fn refused_moves_change_nothing() {
    for game in GAMES {
        let mut host = HostedLedger::guests(*game, 2, per_match(60_000, 0));
        host.until_turn_of(Seat(0));
        host.until_turn_of(Seat(1));
        let (ply, before) = (host.ledger.ply(), seen(&host.ledger));
        let legal = host.any_move(0);
        let Command::Move { notation, .. } = &legal else { unreachable!() };
        let refused = |host: &mut HostedLedger, seat, ply, text: &str| {
            host.act(&host.mv(Seat(seat), ply, text)).unwrap_err()
        };
        assert_eq!(
            refused(&mut host, 0, ply, notation),
            MatchRefusal::NotYourTurn { turn: Seat(1), seat: Seat(0) }
        );
        assert_eq!(refused(&mut host, 1, ply + 1, notation), MatchRefusal::StalePly(ply));
        assert_eq!(refused(&mut host, 1, ply - 1, notation), MatchRefusal::StalePly(ply));
        assert_eq!(refused(&mut host, 1, u32::MAX, notation), MatchRefusal::StalePly(ply));
        assert_eq!(refused(&mut host, 7, ply, notation), MatchRefusal::NoSuchSeat(Seat(7)));
        for nonsense in ["", "\0", "castle", &"9 ".repeat(5_000)] {
            let refused = refused(&mut host, 1, ply, nonsense);
            assert_eq!(refused.code().name(), "bad_move", "{nonsense:?}");
            assert!(refused.to_string().len() < 500, "the message does not repeat all of it");
        }
        assert_eq!(seen(&host.ledger), before);
        host.does(&legal);
    }
}

#[test]
fn moves_against_the_rules_are_illegal() {
    let mut illegal = 0;
    for game in GAMES {
        let mut host = HostedLedger::guests(*game, 2, None);
        let mut known: Vec<String> = Vec::new();
        for n in 0..40 {
            let Some(seat) = host.ledger.turn() else { break };
            let legal: Vec<_> = host
                .ledger
                .view(Viewer::Seat(seat))
                .legal_moves()
                .into_iter()
                .map(|mv| mv.notation)
                .collect();
            for text in known.iter().filter(|text| !legal.contains(text)) {
                match host.ledger.decide(&host.mv(seat, host.ledger.ply(), text), host.now) {
                    Err(refused) => {
                        assert_eq!(refused.code().name(), "illegal_move");
                        illegal += 1;
                    }
                    // Some games list only a part of their moves.
                    Ok(decided) => assert!(matches!(decided, LedgerDecision::New(_))),
                }
            }
            known.extend(legal.into_iter().take(5));
            host.step(1, n);
        }
    }
    assert!(illegal > 50, "{illegal}");
}

#[test]
fn foul_has_the_penalty_of_its_game() {
    let (ending, passing) = games_by_foul();
    assert!(!ending.is_empty() && !passing.is_empty());
    for kind in [FoulKind::IllegalMove, FoulKind::BadLine, FoulKind::Crash] {
        for game in &ending {
            let mut host = HostedLedger::guests(*game, 2, per_match(60_000, 1_000));
            host.until_turn_of(Seat(1));
            host.now += 2_500;
            let command = foul(&host, kind);
            let seq = host.ledger.next_seq();
            let events = host.does(&command);
            let Event::Fouled(fouled) = &events[0] else { panic!("{events:?}") };
            assert_eq!((fouled.instead.as_ref(), fouled.left_ms), (None, Some(58_500)));
            let result = ended(&events).unwrap().result.clone().unwrap();
            assert_eq!(result.ranks, [1, 2]);
            assert_eq!(result.reason, result::foul_reason(Seat(1), kind));
            assert_eq!(host.act(&command), Ok(LedgerDecision::Already(seq)), "the same foul again");
            let late = host.mv(Seat(1), fouled.ply, "1");
            assert_eq!(host.act(&late), Err(MatchRefusal::MatchOver));
            assert_eq!(seen(&host.reloaded()), seen(&host.ledger));
        }
        for game in &passing {
            let mut host = HostedLedger::guests(*game, 2, per_match(60_000, 1_000));
            host.now += 2_500;
            let (legal, command) = (host.any_move(0), foul(&host, kind));
            let events = host.does(&command);
            let [Event::Fouled(fouled)] = &events[..] else { panic!("{events:?}") };
            assert!(fouled.instead.is_some());
            assert_eq!((host.ledger.turn(), host.ledger.ply()), (Some(Seat(1)), 1));
            assert_eq!(host.act(&command), Ok(LedgerDecision::Already(2)), "the same foul again");
            assert_eq!(host.act(&legal), Err(MatchRefusal::StalePly(1)), "a move after the penalty");
            let instead = host.mv(Seat(0), 0, fouled.instead.as_ref().unwrap());
            assert_eq!(
                host.act(&instead),
                Err(MatchRefusal::StalePly(1)),
                "the penalty move is not the seat's own"
            );
            assert_eq!(seen(&host.reloaded()), seen(&host.ledger));
        }
    }
    let host = HostedLedger::guests(GAMES[0], 2, None);
    for kind in [FoulKind::Time, FoulKind::Out] {
        let refused = host.ledger.decide(&foul(&host, kind), host.now).unwrap_err();
        assert_eq!(refused.code().name(), "internal", "only the ledger itself decides these");
    }
}

#[test]
fn resigning_against_one_opponent_loses_at_once() {
    for game in GAMES {
        let resign = Command::Resign { seat: Seat(0) };
        let mut host = HostedLedger::guests(*game, 2, None);
        host.until_turn_of(Seat(1));
        let events = host.does(&resign);
        let end = ended(&events).unwrap();
        let result = end.result.clone().unwrap();
        assert_eq!((end.how, result.ranks, result.points), (EndKind::Walkover, vec![2, 1], None));
        assert_eq!(host.act(&resign), Ok(LedgerDecision::Already(host.ledger.next_seq() - 2)));
        assert_eq!(host.act(&Command::Resign { seat: Seat(1) }), Err(MatchRefusal::MatchOver));
        assert_eq!(
            host.act(&Command::Resume { away_ms: 1, grace_ms: 0, vacation: false }),
            Err(MatchRefusal::MatchOver)
        );
        assert_eq!((host.ledger.turn(), host.ledger.due()), (None, Due::Never));
    }
}

#[test]
fn single_player_can_win_and_resign() {
    let Some(game) = GAMES.iter().copied().find(|game| game.options_for(1).is_some()) else { return };
    let mut host = HostedLedger::guests(game, 1, None);
    host.step(1, 0);
    assert_eq!(
        host.ledger.due(),
        Due::At(host.now + IDLE as Millis),
        "the idle limit applies to a single player too"
    );
    let events = host.does(&Command::Resign { seat: Seat(0) });
    assert_eq!(ended(&events).unwrap().result.as_ref().unwrap().ranks, [2]);
    let mut host = HostedLedger::guests(game, 1, None);
    for choose in 0.. {
        if ended(&host.step(1, choose)).is_some() {
            break;
        }
    }
    assert_eq!(host.ledger.ended().unwrap().how, EndKind::Played);
}

#[test]
fn seats_that_are_out_pass_until_one_is_left() {
    let game = game_for(4);
    let mut host = HostedLedger::guests(game, 4, per_match(60_000, 2_000));
    host.until_turn_of(Seat(1));
    host.now += 1_000;
    assert_eq!(host.does(&Command::Resign { seat: Seat(1) }).len(), 1);
    assert_eq!(host.ledger.due(), Due::Now, "its turn is passed at once");
    assert_eq!(host.act(&host.any_move(0)), Err(MatchRefusal::SeatOut(Seat(1))));
    assert_eq!(host.act(&Command::Abort { seat: Seat(1) }), Err(MatchRefusal::SeatOut(Seat(1))));
    let events = host.tick();
    let [Event::Fouled(fouled)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(
        (fouled.kind, fouled.times, fouled.left_ms),
        (FoulKind::Out, event::MoveTimes::default(), Some(60_000))
    );
    assert_eq!(host.ledger.turn(), Some(Seat(2)));
    host.does(&Command::Resign { seat: Seat(3) });
    host.step(1, 0);
    assert_eq!(
        (host.ledger.turn(), host.tick().len(), host.ledger.turn()),
        (Some(Seat(3)), 1, Some(Seat(0)))
    );
    let events = host.does(&Command::Resign { seat: Seat(0) });
    let result = ended(&events).unwrap().result.clone().unwrap();
    assert_eq!(result.ranks, [2, 2, 1, 2]);
    assert_eq!(seen(&host.reloaded()), seen(&host.ledger));
}

#[test]
fn seat_that_went_out_is_ranked_last() {
    let game = game_for(4);
    let mut host = HostedLedger::guests(game, 4, None);
    for choose in 0..12 {
        host.step(1, choose);
    }
    host.does(&Command::Resign { seat: Seat(2) });
    let mut choose = 7;
    while host.ledger.stage() == Stage::Running {
        choose += 1;
        if host.ledger.due() == Due::Now {
            host.tick();
        } else {
            host.step(1, choose);
        }
    }
    let result = host.ledger.ended().unwrap().result.clone().unwrap();
    assert_eq!((host.ledger.ended().unwrap().how, result.ranks[2]), (EndKind::Played, 4), "{result:?}");
    assert!(result.points.is_some());
}
