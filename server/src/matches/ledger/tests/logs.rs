//! Logs that contradict themselves are refused with a reason. They are never played on and never cause a panic.

use serde_json::json;

use crate::matches::event::LadderMatch;
use crate::matches::ledger::tests::*;

/// A finished match of two guests whose log contains every kind of event.
fn played(game: &'static dyn AnyGame) -> HostedLedger {
    let mut host =
        HostedLedger::of(game, beginning(vec![held(1), SeatSetup::Open], per_match(600_000, 10), 5));
    host.does(&Command::Join { seat: None, caller: Caller::default(), holder: guest(2) });
    host.does(&Command::Resume { away_ms: 5, grace_ms: 0, vacation: false });
    for choose in 0..8 {
        if host.ledger.stage() == Stage::Running {
            host.step(17, choose);
        }
    }
    if host.ledger.stage() == Stage::Running {
        host.does(&Command::Resign { seat: Seat(1) });
    }
    host
}

fn bad(game: &'static dyn AnyGame, log: &[LoggedEvent]) -> InvalidLog {
    Ledger::load(game, log).map(|_| ()).unwrap_err()
}

#[test]
fn log_without_gaps_loads_and_any_other_is_refused() {
    for game in GAMES {
        let host = played(*game);
        for end in 1..=host.log.len() {
            assert_eq!(Ledger::load(*game, &host.log[..end]).unwrap().next_seq(), end as u32);
        }
        assert_eq!(bad(*game, &[]).seq, 0);
        assert_eq!(bad(*game, &host.log[1..]).seq, 1);
        for at in 1..host.log.len() {
            let mut gap = host.log.clone();
            gap.remove(at);
            if at + 1 < host.log.len() {
                assert_eq!(bad(*game, &gap).seq, at as u32 + 1);
            }
            let mut twice = host.log.clone();
            twice.insert(at, twice[at].clone());
            assert_eq!(bad(*game, &twice).seq, at as u32);
            // The same with the events renumbered.
            let mut created_twice = host.log.clone();
            created_twice.insert(at, host.log[0].clone());
            assert_eq!(bad(*game, &renumbered(created_twice)).seq, at as u32);
        }
        let mut after_the_end = host.log.clone();
        after_the_end.push(LoggedEvent {
            event: Event::Resumed { away_ms: 1, grace_ms: 0, vacation: false },
            ..host.log[2].clone()
        });
        assert_eq!(bad(*game, &renumbered(after_the_end)).what, "event after the end of the match");
        let other = GAMES.iter().find(|other| other.info().slug != game.info().slug).unwrap();
        assert_eq!(bad(*other, &host.log).seq, 0);
    }
}

fn renumbered(mut log: Vec<LoggedEvent>) -> Vec<LoggedEvent> {
    (0..).zip(&mut log).for_each(|(seq, stamped)| stamped.seq = seq);
    log
}

/// The log with its event of this type changed.
fn changed(host: &HostedLedger, of_type: &str, change: impl Fn(&mut Value)) -> Result<Ledger, String> {
    let mut log = host.log.clone();
    let mut found = false;
    for stamped in &mut log {
        let mut json = serde_json::to_value(&stamped.event).unwrap();
        if json["type"] == of_type && !found {
            found = true;
            change(&mut json);
            stamped.event = serde_json::from_value(json).map_err(|e| format!("not stored so: {e}"))?;
        }
    }
    assert!(found, "no event {of_type}");
    Ledger::load(host.game, &log).map_err(|e| e.to_string())
}

#[test]
fn false_event_fields_are_refused() {
    for game in GAMES {
        let host = played(*game);
        let lie = |of_type: &str, field: &str, value: Value| {
            let refusal = changed(&host, of_type, |json| json[field] = value.clone()).map(|_| ());
            let refusal = refusal.expect_err(&format!("{of_type}.{field} = {value} was believed"));
            assert!(!refusal.starts_with("not stored so"), "{of_type}.{field}: {refusal}");
        };
        lie("moved", "seat", json!(9));
        lie("moved", "ply", json!(77));
        lie("moved", "notation", json!("nonsense"));
        lie("moved", "left_ms", json!(1));
        lie("joined", "seat", json!(0));
        lie("joined", "seat", json!(200));
        lie("joined", "holder", json!({}));
        lie("ended", "salt", json!("00".repeat(32)));
        lie("ended", "seed", json!("3"));
        lie("ended", "result", json!({"ranks": [1], "points": null, "reason": ""}));
        lie("ended", "result", json!(null));
        lie("ended", "how", json!("aborted"));
        lie("created", "game", json!("chess"));
        lie("created", "seats", json!([{"kind": "open"}]));
        lie("created", "seats", json!(vec![json!({"kind": "open"}); 300]));
        lie("created", "state", json!(null));
        lie("created", "salt", json!("short"));
        lie("created", "seed", json!("6"));
        lie("created", "clock", json!({"increment_ms": 5}));
    }
}

#[test]
fn match_of_a_removed_engine_still_loads() {
    let game = GAMES[0];
    let mut host = HostedLedger::of(game, beginning(vec![engine(game), held(1)], None, 5));
    host.does(&Command::Resign { seat: Seat(1) });
    let ledger = changed(&host, "created", |json| json["seats"][0]["engine"] = json!("forgotten")).unwrap();
    assert_eq!(ledger.stage(), Stage::Over);
}

#[test]
fn refused_event_changes_nothing() {
    let (ending, passing) = games_by_foul();
    for game in ending.into_iter().chain(passing) {
        let mut host = HostedLedger::guests(game, 2, per_match(60_000, 0));
        host.step(5, 0);
        let before = (seen(&host.ledger), host.ledger.due());
        let seat = host.ledger.turn().unwrap();
        let foul = |instead: Option<&str>, left_ms, kind| {
            let instead = instead.map(str::to_owned);
            let times = event::MoveTimes::default();
            Event::Fouled(event::Fouled {
                seat,
                ply: 1,
                kind,
                detail: String::new(),
                instead,
                times,
                left_ms,
            })
        };
        let end = |how, ranks: &[u8]| {
            let result = event::Result { ranks: ranks.to_vec(), points: None, reason: String::new() };
            Event::Ended(Ended { how, result: Some(result), seed: Seed::from(5), salt: "07".repeat(32) })
        };
        let left = Some(60_000);
        let mut lies = vec![
            foul(Some("nonsense"), left, FoulKind::Time),
            foul(None, None, FoulKind::Time),
            foul(None, left, FoulKind::Out),
            end(EndKind::Played, &[1, 2]),
            end(EndKind::Walkover, &[1, 2]),
            end(EndKind::Aborted, &[1, 2]),
            Event::Started,
            Event::Left { seat, removed: false },
            Event::Joined { seat, holder: guest(9) },
            Event::WentOut { seat: Seat(9), why: event::OutReason::Resigned },
        ];
        let legal = host.ledger.table.fork().foul(seat, "tried").unwrap();
        if legal.is_some() {
            lies.push(foul(None, left, FoulKind::Time)); // In this game a penalty move is played, and it is missing.
        }
        for event in lies {
            let stamped = LoggedEvent { seq: host.ledger.next_seq(), at_ms: host.now + 9, event };
            assert!(host.ledger.apply(&stamped).is_err(), "{stamped:?}");
            assert_eq!((seen(&host.ledger), host.ledger.due()), before, "{stamped:?}");
        }
    }
}

/// Changes numbers, texts and lists of a log, one at a time: the log loads and is usable, or it is refused.
#[test]
fn changed_log_never_panics() {
    for game in GAMES {
        let host = played(*game);
        let mut rng = Rng::new(&Seed::from(11));
        let texts: Vec<Value> = host.log.iter().map(|s| serde_json::to_value(&s.event).unwrap()).collect();
        for _ in 0..4_000 {
            let mut log = host.log.clone();
            // The first event is the largest and the most complex.
            let at = if rng.below(2) == 0 { 0 } else { rng.below(log.len()) };
            let mut json = texts[at].clone();
            spoil(&mut json, &mut rng);
            let Ok(event) = serde_json::from_value(json) else { continue };
            log[at].event = event;
            let Ok(ledger) = Ledger::load(*game, &log) else { continue };
            let _ = (seen(&ledger), ledger.due(), ledger.decide(&Command::Tick, i64::MAX));
            let _ = Ledger::load(*game, &log[..log.len() - 2])
                .map(|ledger| ledger.decide(&Command::Tick, i64::MAX));
        }
    }
}

/// Changes one value somewhere inside.
fn spoil(json: &mut Value, rng: &mut Rng) {
    match json {
        Value::Array(items) if !items.is_empty() && rng.below(8) > 0 => {
            let at = rng.below(items.len());
            match rng.below(12) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.swap(0, at),
                _ => spoil(&mut items[at], rng),
            }
        }
        Value::Object(fields) if !fields.is_empty() && rng.below(20) > 0 => {
            let at = rng.below(fields.len());
            spoil(fields.values_mut().nth(at).unwrap(), rng);
        }
        Value::Number(n) => {
            let n = n.as_i64().unwrap_or(0);
            let other = [n + 1, n - 1, 0, -1, 127, 255, 256, i64::MAX, i64::MIN][rng.below(9)];
            *json = json!(other);
        }
        Value::Bool(b) => *b = !*b,
        other => {
            *other =
                [json!(null), json!(""), json!(7), json!([]), json!("x"), json!("A♥")][rng.below(6)].clone()
        }
    }
}

/// Logs of older matches have no field for hints: the default rule applies.
#[test]
fn old_logs_say_whether_hints_are_allowed() {
    for (seats, hints) in [(vec![held(1), engine(GAMES[0])], true), (vec![held(1), SeatSetup::Open], false)] {
        let mut old = json!({
            "game": "any", "options": {}, "seats": seats, "clock": null, "idle_ms": 1, "key": null, "seed_from": "host",
            "seed": Seed::from(1), "salt": "", "commitment": "", "state": null, "rematch_of": null,
        });
        let read = |created: &Value| serde_json::from_value::<Created>(created.clone()).unwrap();
        assert_eq!(read(&old).hints(), hints);
        old["hints"] = (!hints).into();
        assert_eq!(read(&old).hints(), !hints, "an explicit value is kept");
    }
}

/// Logs of older matches lack the field `ladder`: matches of the ladder are rated there and have no payer.
#[test]
fn log_without_the_field_of_the_ladder_reads_as_before() {
    let events = |ladder, rated| {
        let seats = vec![SeatSetup::Held { holder: player(1) }, SeatSetup::Held { holder: player(2) }];
        let beginning = Beginning { ladder, rated, ..beginning(seats, per_match(600_000, 0), 3) };
        serde_json::to_value(&Ledger::create(GAMES[0], beginning).unwrap()[0]).unwrap()
    };
    let is_of_ladder = |event: &Value| match serde_json::from_value(event.clone()).unwrap() {
        Event::Created(created) => (created.is_of_ladder(), created.is_check()),
        other => panic!("{other:?}"),
    };
    for rated in [false, true] {
        let mut old = events(None, rated);
        assert!(old.get("ladder").is_none(), "{old}");
        assert_eq!(is_of_ladder(&old), (rated, false));
        old["payer"] = json!("someone");
        assert_eq!(is_of_ladder(&old), (false, false));
    }
    assert_eq!(is_of_ladder(&events(Some(LadderMatch::Rated), true)), (true, false));
    assert_eq!(is_of_ladder(&events(Some(LadderMatch::Check), false)), (true, true));
}
