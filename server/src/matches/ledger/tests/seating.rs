//! Seats: creating, joining, leaving, aborting.

use crate::matches::ledger::tests::*;

fn join(seat: Option<u8>, holder: &Holder) -> Command {
    Command::Join { seat: seat.map(Seat), caller: caller(holder), holder: holder.clone() }
}

/// The command for a guest without a token, for whom the server creates one.
fn anonymous(who: u8) -> Command {
    Command::Join { seat: None, caller: Caller::default(), holder: guest(who) }
}

#[test]
fn last_seat_taken_starts_the_match() {
    for game in GAMES {
        let mut host = HostedLedger::of(*game, beginning(vec![held(1), SeatSetup::Open], None, 3));
        assert_eq!((host.ledger.stage(), host.ledger.turn()), (Stage::Open, None));
        assert_eq!(host.act(&host_move(&host)), Err(MatchRefusal::NotStarted));
        assert_eq!(host.act(&Command::Resign { seat: Seat(0) }), Err(MatchRefusal::NotStarted));
        host.now += 10;
        let events = host.does(&anonymous(2));
        assert_eq!(events, [Event::Joined { seat: Seat(1), holder: guest(2) }, Event::Started]);
        assert_eq!((host.ledger.stage(), host.ledger.turn_published_ms()), (Stage::Running, Some(host.now)));
        // The same token again, and the creator's: both already have their seats.
        assert_eq!(host.act(&anonymous(2)), Ok(LedgerDecision::Already(1)));
        assert_eq!(host.act(&join(None, &guest(1))), Ok(LedgerDecision::Already(0)));
        assert_eq!(host.act(&join(Some(1), &guest(1))), Err(MatchRefusal::AlreadySeated(Seat(0))));
        assert_eq!(host.act(&anonymous(3)), Err(MatchRefusal::NoOpenSeat));
        assert_eq!(host.act(&join(Some(1), &guest(3))), Err(MatchRefusal::SeatTaken(Seat(1))));
        assert_eq!(host.act(&join(Some(9), &guest(3))), Err(MatchRefusal::NoSuchSeat(Seat(9))));
        assert_eq!(host.act(&Command::Leave { seat: Seat(1) }), Err(MatchRefusal::Started));
        let of_size = |n| Ledger::create(*game, beginning(vec![held(1); n], None, 3));
        assert!(matches!(of_size(9), Err(MatchRefusal::BadSeats(_))));
        assert!(matches!(of_size(0), Err(MatchRefusal::BadSeats(_))));
    }
}

fn host_move(host: &HostedLedger) -> Command {
    host.mv(Seat(0), 0, "1")
}

#[test]
fn match_without_free_seats_starts_at_once() {
    for game in GAMES {
        let host = HostedLedger::of(*game, beginning(vec![engine(*game), engine(*game)], None, 3));
        assert_eq!((host.log.len(), host.ledger.stage()), (2, Stage::Running));
        assert_eq!(host.ledger.due(), Due::Never, "engines have no time limit");
        assert!(host.ledger.engine_to_move().is_some());
    }
}

#[test]
fn invalid_orders_are_refused() {
    let game = GAMES[0];
    let refused = |change: fn(&mut Beginning)| {
        let mut order = beginning(vec![held(1), held(2)], None, 3);
        change(&mut order);
        Ledger::create(game, order).unwrap_err().code().name()
    };
    assert_eq!(refused(|order| order.clock = per_move(0)), "bad_field");
    assert_eq!(refused(|order| order.idle_ms = 0), "bad_field");
    assert_eq!(refused(|order| order.options = Some(serde_json::json!({"no such": 1}))), "bad_options");
    assert_eq!(
        refused(|order| order.seats[0] = SeatSetup::Held { holder: Holder::default() }),
        "token_needed"
    );
    let chair = |who| SeatSetup::Reserved { holder: player(who) };
    assert_eq!(refused(|order| order.seats = vec![SeatSetup::Held { holder: player(1) }; 2]), "bad_seats");
    let order = beginning(vec![chair(1), chair(2)], None, 3);
    assert!(Ledger::create(game, order).is_ok());
    let SeatSetup::Engine(known) = engine(game) else { unreachable!() };
    let unknown = SeatSetup::Engine(EngineSeat { engine: "unknown".into(), ..known });
    let refused = Ledger::create(game, beginning(vec![held(1), unknown], None, 3)).unwrap_err();
    assert_eq!(refused.code().name(), "unknown_engine");
    let many = game_for(4);
    let order = beginning(vec![held(1); 3], None, 3);
    let three = Beginning { options: many.options_for(4), ..order };
    assert!(
        matches!(Ledger::create(many, three), Err(MatchRefusal::BadSeats(_))),
        "options for another number"
    );
}

#[test]
fn reserved_seat_is_only_for_its_holder() {
    let game = game_for(4);
    let kept = |holder| SeatSetup::Reserved { holder };
    let named = Holder { name: Some("Ada".into()), ..guest(2) };
    let seats = vec![held(1), kept(named.clone()), kept(player(3)), SeatSetup::Open];
    let mut host = HostedLedger::of(game, beginning(seats, None, 3));
    assert_eq!(host.act(&join(Some(1), &guest(9))), Err(MatchRefusal::SeatTaken(Seat(1))));
    assert_eq!(host.act(&join(Some(3), &guest(2))), Err(MatchRefusal::SeatKept(Seat(1))));
    // A fresh token from the server is not needed: the guest's own token opens the seat and holds it.
    let fresh = Command::Join { seat: None, caller: caller(&guest(2)), holder: guest(77) };
    assert_eq!(host.does(&fresh), [Event::Joined { seat: Seat(1), holder: named }]);
    assert_eq!(host.ledger.seat_of(&caller(&guest(2))), Some(Seat(1)));
    assert_eq!(host.ledger.seat_of(&caller(&guest(77))), None);
    assert_eq!(host.does(&join(Some(2), &player(3))), [Event::Joined { seat: Seat(2), holder: player(3) }]);
    assert_eq!(host.act(&join(None, &player(3))), Ok(LedgerDecision::Already(2)));
    // A reserved seat that was given up is open.
    assert_eq!(host.does(&Command::Leave { seat: Seat(2) }), [Event::Left { seat: Seat(2), removed: false }]);
    assert_eq!(host.ledger.seats()[2].chair, SeatSetup::Open);
    assert_eq!(host.does(&anonymous(8)), [Event::Joined { seat: Seat(2), holder: guest(8) }]);
    assert_eq!(host.does(&anonymous(9)).len(), 2, "the last seat begins the match");
    assert_eq!(
        host.act(&Command::Join { seat: None, caller: Caller::default(), holder: Holder::default() }),
        Err(MatchRefusal::NoOpenSeat)
    );
}

#[test]
fn seat_can_be_left_and_another_one_joined() {
    let mut host =
        HostedLedger::of(game_for(4), beginning(vec![held(1), SeatSetup::Open, SeatSetup::Open], None, 3));
    host.does(&anonymous(2));
    assert_eq!(host.ledger.left_by(&caller(&guest(2))), None);
    host.does(&Command::Leave { seat: Seat(1) });
    assert_eq!(host.ledger.left_by(&caller(&guest(2))), Some(2));
    assert_eq!(host.ledger.seat_of(&caller(&guest(2))), None);
    assert_eq!(host.act(&Command::Leave { seat: Seat(1) }), Err(MatchRefusal::NotHeld(Seat(1))));
    host.does(&anonymous(3));
    host.does(&join(None, &guest(2)));
    assert_eq!(host.ledger.seat_of(&caller(&guest(2))), Some(Seat(2)));
    assert_eq!(host.ledger.stage(), Stage::Running);
}

#[test]
fn match_that_all_players_left_is_aborted() {
    let game = game_for(4);
    let mut host = HostedLedger::of(game, beginning(vec![engine(game), held(1), SeatSetup::Open], None, 3));
    host.does(&anonymous(2));
    let last = host.act(&Command::Leave { seat: Seat(0) });
    assert!(last.is_err(), "an engine does not leave");
    let mut host = HostedLedger::of(game, beginning(vec![engine(game), held(1), SeatSetup::Open], None, 3));
    let events = host.does(&Command::Leave { seat: Seat(1) });
    assert_eq!(ended(&events).unwrap().how, EndKind::Aborted);
    assert_eq!(ended(&events).unwrap().result, None);
    assert_eq!(host.ledger.left_by(&caller(&guest(1))), Some(1));
    assert_eq!(host.act(&anonymous(2)), Err(MatchRefusal::MatchOver));
    assert_eq!(host.ledger.due(), Due::Never);
}

#[test]
fn match_can_be_aborted_before_its_first_move() {
    for game in GAMES {
        let abort = Command::Abort { seat: Seat(1) };
        let mut host = HostedLedger::guests(*game, 2, None);
        let events = host.does(&abort);
        let end = ended(&events).unwrap();
        assert_eq!((end.how, &end.result), (EndKind::Aborted, &None));
        assert_eq!((end.seed, &end.salt), (Seed::from(5), &"07".repeat(32)), "revealed");
        assert_eq!(host.act(&abort), Ok(LedgerDecision::Already(2)));
        let mut host = HostedLedger::guests(*game, 2, None);
        host.step(5, 0);
        assert_eq!(host.act(&abort), Err(MatchRefusal::Started));
    }
    let game = game_for(4);
    let mut host = HostedLedger::of(game, beginning(vec![engine(game), held(1), SeatSetup::Open], None, 3));
    assert_eq!(host.act(&Command::Abort { seat: Seat(0) }), Err(MatchRefusal::NotHeld(Seat(0))));
    assert_eq!(ended(&host.does(&Command::Abort { seat: Seat(1) })).unwrap().how, EndKind::Aborted);
}

#[test]
fn private_match_is_visible_only_to_its_seats_and_with_its_key() {
    let seats = vec![held(1), SeatSetup::Reserved { holder: player(2) }, SeatSetup::Open];
    let order = Beginning { key: Some(key(99)), ..beginning(seats, None, 3) };
    let host = HostedLedger::of(game_for(3), order);
    let with_key = |who| Caller { match_key: Some(key(who)), ..Caller::default() };
    for (caller, may) in [
        (caller(&guest(1)), true),
        (caller(&player(2)), true),
        (with_key(99), true),
        (with_key(98), false),
        (caller(&guest(99)), false),
        (caller(&player(1)), false),
        (Caller::default(), false),
    ] {
        assert_eq!(host.ledger.may_see(&caller), may, "{caller:?}");
    }
    assert!(HostedLedger::guests(GAMES[0], 2, None).ledger.may_see(&Caller::default()));
}
