//! Rated matches: the players who may have seats, the meaning of an abort, and logs older than the field.

use serde_json::json;

use crate::matches::ledger::tests::*;
use crate::matches::refusal::RatedRule;

fn sits(who: u8) -> SeatSetup {
    SeatSetup::Held { holder: player(who) }
}

fn bot_of(owner: u8, who: u8) -> Holder {
    let mut holder = player(who);
    if let Some(player) = &mut holder.player {
        player.owner = Some(format!("id {owner}"));
    }
    holder
}

fn rated(seats: Vec<SeatSetup>) -> Beginning {
    Beginning { rated: true, ..beginning(seats, per_match(600_000, 0), 3) }
}

#[test]
fn each_rule_has_its_refusal() {
    let game = game_for(2);
    let two = || vec![sits(1), SeatSetup::Open];
    for (order, rule) in [
        (Beginning { key: Some(key(9)), ..rated(two()) }, RatedRule::Public),
        (Beginning { clock: None, ..rated(two()) }, RatedRule::Clock),
        (Beginning { seed_from: SeedFrom::Caller, ..rated(two()) }, RatedRule::Seed),
        (Beginning { hints: Some(true), ..rated(two()) }, RatedRule::NoHints),
        (rated(vec![engine(game), engine(game)]), RatedRule::Seats),
        (rated(vec![held(1), SeatSetup::Open]), RatedRule::Players),
        (rated(vec![sits(1), SeatSetup::Reserved { holder: bot_of(1, 2) }]), RatedRule::Owners),
    ] {
        assert_eq!(Ledger::create(game, order).unwrap_err(), MatchRefusal::NotRated(rule));
    }
    let Ok(events) = Ledger::create(game, rated(vec![sits(1), engine(game)])) else {
        panic!("it can be rated")
    };
    let Event::Created(created) = &events[0] else { panic!("it is created") };
    assert!(created.rated && !created.hints(), "hints are off although one seat is an engine's");
}

#[test]
fn seats_are_checked_when_they_are_taken() {
    let mut host = HostedLedger::of(game_for(2), rated(vec![sits(1), SeatSetup::Open]));
    let join = |holder: Holder| Command::Join { seat: None, caller: caller(&holder), holder };
    assert_eq!(host.act(&join(guest(2))), Err(MatchRefusal::NotRated(RatedRule::Players)));
    assert_eq!(host.act(&join(bot_of(1, 3))), Err(MatchRefusal::NotRated(RatedRule::Owners)));
    host.does(&join(bot_of(4, 3)));
    assert_eq!(host.ledger.stage(), Stage::Running);
}

#[test]
fn abort_after_the_deal_is_a_loss_and_before_it_is_none() {
    for game in GAMES {
        let mut host = HostedLedger::of(*game, rated(vec![sits(1), SeatSetup::Open]));
        host.does(&Command::Abort { seat: Seat(0) });
        assert_eq!(host.ledger.ended().unwrap().result, None);
        let mut host = HostedLedger::of(*game, rated(vec![sits(1), sits(2)]));
        host.does(&Command::Abort { seat: Seat(0) });
        assert_eq!(host.ledger.ended().unwrap().result.as_ref().unwrap().ranks, [2, 1]);
        assert!(matches!(host.act(&Command::Abort { seat: Seat(0) }), Ok(LedgerDecision::Already(_))));
        assert_eq!(host.act(&Command::Abort { seat: Seat(1) }), Err(MatchRefusal::MatchOver));
    }
}

#[test]
fn logs_without_the_field_are_unrated_and_stay_as_they_are() {
    let events = Ledger::create(game_for(2), beginning(vec![held(1), held(2)], None, 3)).unwrap();
    let stored = serde_json::to_value(&events[0]).unwrap();
    assert_eq!((&stored["rated"], &stored["tournament"]), (&json!(null), &json!(null)));
    assert_eq!(serde_json::from_value::<Event>(stored).unwrap(), events[0]);
    let events = Ledger::create(game_for(2), rated(vec![sits(1), sits(2)])).unwrap();
    let stored = serde_json::to_value(&events[0]).unwrap();
    assert_eq!(stored["rated"], true);
    assert_eq!(serde_json::from_value::<Event>(stored).unwrap(), events[0]);
}
