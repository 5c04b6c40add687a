//! Splendor's referee against hand-worked cases.

use super::table::{CARDS, NOBLES};
use super::*;
use std::time::Duration;

const ALWAYS: Nobles = Nobles::EveryAction;

fn table(players: usize) -> RefereeTable {
    RefereeTable::deal(players, &mut SplitMix::new(5))
}

fn kind(table: &mut RefereeTable, seat: usize, action: &[i64]) -> Option<RefereeFaultKind> {
    let before = table.clone();
    let kind = table.act(seat, action, ALWAYS).err().map(|(kind, _)| kind);
    assert!(kind.is_none() || *table == before, "a void action changes nothing");
    kind
}

/// Cards of the same colour and level one, bought for nothing.
fn grant(table: &mut RefereeTable, seat: usize, bonus: usize, count: usize) {
    let ids = (1..=40).filter(|&id| CARDS[id].bonus == bonus).take(count);
    table.players[seat].bought.extend(ids);
}

#[test]
fn tables_are_complete() {
    assert_eq!((CARDS.len(), NOBLES.len()), (91, 11));
    for level in 1..=3 {
        assert_eq!(CARDS.iter().filter(|card| card.level == level).count(), [40, 30, 20][level - 1]);
    }
    assert!((1..=90).all(|id| CARDS[id].level
        == if id <= 40 {
            1
        } else if id <= 70 {
            2
        } else {
            3
        }));
    assert_eq!((CARDS[90].points, CARDS[90].cost), (3, [3, 5, 3, 3, 0]));
    assert_eq!(NOBLES[5], [4, 0, 0, 0, 4]);
}

#[test]
fn deal_depends_on_the_number_of_players() {
    for (players, chips) in [(1, 4), (2, 4), (3, 5), (4, 7)] {
        let table = table(players);
        assert_eq!((table.bank, table.nobles.len()), ([chips, chips, chips, chips, chips, 5], players + 1));
        assert_eq!([0, 1, 2].map(|level| table.decks[level].len()), [36, 26, 16]);
        table.check();
    }
}

#[test]
fn chips_are_taken_by_the_rules() {
    let mut table = table(2);
    assert_eq!(kind(&mut table, 0, &[1, 3, 0, 1, 2]), None);
    assert_eq!(kind(&mut table, 1, &[1, 1, 4]), None);
    assert_eq!(kind(&mut table, 1, &[1, 0]), None);
    assert_eq!(table.bank, [3, 3, 3, 4, 3, 5]);
    assert_eq!(kind(&mut table, 1, &[2, 3]), None);
    assert_eq!(table.players[1].chips, [0, 0, 0, 2, 1, 0]);
    for bad in
        [&[2, 0][..], &[2, 3], &[1, 2, 1, 1], &[1, 1, 5], &[1, 1, -1], &[2, 5], &[1, 4, 0, 1, 2, 3], &[1, -1]]
    {
        assert_eq!(kind(&mut table, 0, bad), Some(RefereeFaultKind::Illegal), "{bad:?}");
    }
    for bad in [
        &[][..],
        &[1],
        &[1, 2, 0],
        &[1, 1, 0, 1],
        &[2],
        &[3],
        &[4],
        &[0, 1],
        &[5, 1],
        &[1, 0, 0],
        &[i64::MIN],
    ] {
        assert_eq!(kind(&mut table, 0, bad), Some(RefereeFaultKind::Malformed), "{bad:?}");
    }
    table.bank[0] = 0;
    assert_eq!(kind(&mut table, 0, &[1, 1, 0]), Some(RefereeFaultKind::Illegal));
}

#[test]
fn surplus_chips_go_back_but_never_gold() {
    let mut table = table(4);
    table.players[0].chips = [2, 2, 2, 2, 0, 2];
    for chip in 0..6 {
        table.bank[chip] -= table.players[0].chips[chip];
    }
    assert_eq!(kind(&mut table, 0, &[1, 2, 0, 2]), Some(RefereeFaultKind::Malformed), "no returns");
    assert_eq!(kind(&mut table, 0, &[1, 2, 0, 2, 0]), Some(RefereeFaultKind::Malformed), "too few");
    assert_eq!(kind(&mut table, 0, &[1, 2, 0, 2, 0, 2, 1]), Some(RefereeFaultKind::Malformed), "too many");
    assert_eq!(kind(&mut table, 0, &[1, 2, 0, 2, 5, 0]), Some(RefereeFaultKind::Illegal), "gold");
    assert_eq!(kind(&mut table, 0, &[1, 2, 0, 2, 4, 4]), Some(RefereeFaultKind::Illegal), "none held");
    assert_eq!(kind(&mut table, 0, &[1, 2, 0, 2, 0, 2]), None, "what was just taken");
    assert_eq!(table.players[0].chips, [2, 2, 2, 2, 0, 2]);
    assert_eq!(kind(&mut table, 0, &[3, -1, 3]), None, "a reservation's gold counts");
    assert_eq!(table.players[0].chips, [2, 2, 2, 1, 0, 3]);
    table.check();
}

#[test]
fn cards_are_reserved_by_the_rules() {
    let mut table = table(2);
    let id = table.face_up[1][2];
    let next = *table.decks[1].last().unwrap();
    let blind = *table.decks[2].last().unwrap();
    assert_eq!(kind(&mut table, 0, &[3, id as i64]), None);
    assert_eq!(table.face_up[1][2], next, "the same slot");
    assert_eq!(kind(&mut table, 0, &[3, id as i64]), Some(RefereeFaultKind::Illegal), "it is gone");
    assert_eq!(kind(&mut table, 0, &[3, -3]), None);
    assert_eq!(table.players[0].reserved, [(id, false), (blind, true)]);
    assert_eq!((table.players[0].chips[5], table.bank[5]), (2, 3));
    table.check();
    let own = table.text(0, 7, 1);
    let other = table.text(1, 7, 0);
    assert!(own.starts_with("2 1\n8\n4 4 4 4 4 3\n36 "), "{own}");
    assert!(own.contains(&format!("\n0 0 0 0 0 2\n0\n2 {id} {blind}\n0\n")), "{own}");
    assert!(other.starts_with("2 1\n7\n"), "{other}");
    assert!(other.contains(&format!("\n0 0 0 0 0 2\n0\n2 {id} -3\n0\n0 0 0 0 0 0\n0\n0\n0\n")), "{other}");
    assert_eq!(other.lines().count(), 7 + 8);
    table.decks[0].clear();
    assert_eq!(kind(&mut table, 0, &[3, -1]), Some(RefereeFaultKind::Illegal), "an empty deck");
    let last = table.face_up[0][0] as i64;
    assert_eq!(kind(&mut table, 0, &[3, last]), None);
    assert_eq!(table.face_up[0][0], 0);
    assert!(table.text(0, 0, 0).contains("\n0 0 "), "an empty slot is 0");
    for bad in [&[3, 0][..], &[4, 0], &[3, -4], &[4, -1], &[3, -2], &[4, id as i64]] {
        assert_eq!(
            kind(&mut table, 0, bad),
            Some(RefereeFaultKind::Illegal),
            "{bad:?}: a fourth, or none, or too dear"
        );
    }
    assert_eq!(kind(&mut table, 1, &[4, blind as i64]), Some(RefereeFaultKind::Illegal), "another's card");
    table.bank[5] = 0;
    assert_eq!(kind(&mut table, 1, &[3, -2]), None);
    assert_eq!(table.players[1].chips[5], 0, "no gold is left");
}

#[test]
fn purchases_pay_with_bonuses_then_chips_then_gold() {
    let mut table = table(4);
    // Card 86: red, 3 points, costs 0 red, 3 green, 5 blue, 3 white, 3 black.
    table.players[0].reserved = vec![(86, true)];
    table.players[0].chips = [1, 1, 2, 1, 3, 2];
    grant(&mut table, 0, 1, 1);
    grant(&mut table, 0, 2, 2);
    grant(&mut table, 0, 3, 1);
    let mut poor = table.clone();
    poor.players[0].chips[4] = 2;
    assert_eq!(kind(&mut poor, 0, &[4, 86]), Some(RefereeFaultKind::Illegal));
    poor.players[0].chips[5] = 3;
    assert_eq!(poor.players[0].payment(86), None, "four gold are due");
    // Green 3 - 1 - 1, blue 5 - 2 - 2, white 3 - 1 - 1: three gold.
    table.players[0].chips[5] = 3;
    table.bank = [0; 6];
    assert_eq!(kind(&mut table, 0, &[4, 86, 0]), Some(RefereeFaultKind::Malformed));
    assert_eq!(kind(&mut table, 0, &[4, 86]), None);
    assert_eq!((table.players[0].chips, table.bank), ([1, 0, 0, 0, 0, 0], [0, 1, 2, 1, 3, 3]));
    assert_eq!(table.players[0].reserved, []);
    assert_eq!((table.players[0].bought.last(), table.players[0].points()), (Some(&86), 3));
}

#[test]
fn nobles_come_one_a_turn_in_table_order() {
    let mut first = table(2);
    // Noble 7 needs 3 green, 3 blue, 3 white; noble 2 4 green, 4 blue; noble 3 4 blue, 4 white.
    first.nobles = vec![7, 2, 3];
    grant(&mut first, 0, 1, 4);
    grant(&mut first, 0, 2, 4);
    grant(&mut first, 0, 3, 3);
    assert_eq!(kind(&mut first, 0, &[9]), Some(RefereeFaultKind::Malformed));
    assert_eq!(first.players[0].nobles, [0usize; 0], "none after a void action");
    let mut old = first.clone();
    old.act(0, &[1, 0], Nobles::Purchases).unwrap();
    assert_eq!(old.players[0].nobles, [0usize; 0], "older versions: only after purchases");
    assert_eq!(kind(&mut first, 1, &[1, 0]), None);
    assert_eq!(first.nobles.len(), 3, "not another's");
    assert_eq!(kind(&mut first, 0, &[1, 0]), None);
    assert_eq!(
        (first.players[0].nobles.as_slice(), first.nobles.as_slice()),
        ([7].as_slice(), [2, 3].as_slice())
    );
    assert_eq!(kind(&mut first, 0, &[1, 1, 0]), None);
    assert_eq!(kind(&mut first, 0, &[1, 0]), None);
    assert_eq!(
        (first.players[0].nobles.as_slice(), first.nobles.as_slice()),
        ([7, 2].as_slice(), [3].as_slice())
    );
    old.players[0].reserved = vec![(4, false)];
    old.players[0].chips = [0, 0, 3, 0, 0, 0];
    old.act(0, &[4, 4], Nobles::Purchases).unwrap();
    assert_eq!((old.players[0].nobles.as_slice(), old.players[0].points()), ([7].as_slice(), 3 + 3));
}

/// A match of players who already own these cards and, to make the numbers up, some worthless ones, and pass.
fn finish(players: &[(&[usize], usize)], rounds: usize) -> Report {
    let mut table = table(players.len());
    let mut worthless = (1..=90).filter(|&id| CARDS[id].points == 0).collect::<Vec<_>>();
    table.face_up = Default::default();
    for (player, &(cards, count)) in table.players.iter_mut().zip(players) {
        player.bought = cards.to_vec();
        while player.bought.len() < count {
            player.bought.push(worthless.pop().unwrap());
        }
    }
    let taken: Vec<usize> = table.players.iter().flat_map(|player| player.bought.clone()).collect();
    table.decks = [(1..=90).filter(|id| !taken.contains(id)).collect(), Vec::new(), Vec::new()];
    table.nobles.fill(10);
    let seats = vec![SeatBot::Child(Bot::sh("echo 1 0")); players.len()];
    Match { rounds, nobles: Nobles::Purchases, ..Match::new(seats, 1) }.play_from(table, SplitMix::new(1)).0
}

#[test]
fn match_ends_after_a_full_round_and_fewer_cards_win() {
    let (five, four, ten, eight) = ([76, 77, 78], [71, 72, 73, 86], [79, 80], [74, 75]);
    let report = finish(&[(&ten, 4), (&five, 9), (&four, 8)], 100);
    assert_eq!((report.decisions.as_slice(), report.winner), ([1, 1, 1].as_slice(), Some(2)), "{report}");
    assert_eq!(
        (report.points.as_slice(), report.ranks.as_slice()),
        ([10, 15, 15].as_slice(), [3, 2, 1].as_slice())
    );
    let report = finish(&[(&five, 3), (&ten, 4)], 100);
    assert_eq!(
        (report.decisions.as_slice(), report.winner),
        ([1, 1].as_slice(), Some(0)),
        "the round is played out"
    );
    let report = finish(&[(&five, 8), (&four, 8)], 100);
    assert_eq!((report.ranks.as_slice(), report.winner), ([1, 1].as_slice(), None), "shared");
    let report = finish(&[(&eight, 5), (&ten, 5)], 3);
    assert_eq!(
        (report.decisions.as_slice(), report.winner),
        ([3, 3].as_slice(), None),
        "no player wins below 15 points"
    );
    assert_eq!((report.ranks.as_slice(), report.faults.len()), ([2, 1].as_slice(), 0));
}

#[test]
fn random_matches_end_and_keep_all_pieces() {
    let mut decided = 0;
    for seed in 0..60 {
        let seats = vec![SeatBot::Random; 1 + seed as usize % 4];
        let nobles = if seed % 3 == 0 { Nobles::Purchases } else { ALWAYS };
        let (report, table) = {
            let mut rng = SplitMix::new(seed);
            let table = RefereeTable::deal(seats.len(), &mut rng);
            Match { nobles, ..Match::new(seats, seed) }.play_from(table, rng)
        };
        table.check();
        assert!(report.faults.is_empty(), "{report}");
        decided += usize::from(report.winner.is_some());
    }
    assert!(decided > 10, "some random matches reach 15 points: {decided}");
}

fn against_random(script: &str, rounds: usize) -> Report {
    let seats = vec![SeatBot::Child(Bot::sh(script)), SeatBot::Random];
    Match {
        rounds,
        base: 0,
        move_limit: Duration::from_millis(if script.contains("sleep") { 300 } else { 600_000 }),
        ..Match::new(seats, 3)
    }
    .play()
}

#[test]
fn mistakes_are_passes_and_are_counted() {
    let cases = [
        ("echo 1 01 0", RefereeFaultKind::Malformed),
        ("echo 1.0 0", RefereeFaultKind::Malformed),
        ("echo hello", RefereeFaultKind::Malformed),
        ("printf '\\377\\n'", RefereeFaultKind::Malformed),
        ("true", RefereeFaultKind::Malformed),
        ("exit 3", RefereeFaultKind::Died),
        ("kill -9 $$", RefereeFaultKind::Died),
        ("echo 2 9", RefereeFaultKind::Illegal),
        ("echo 1 0; sleep 1000", RefereeFaultKind::TooSlow),
    ];
    for (script, kind) in cases {
        let report = against_random(script, 2);
        assert_eq!(
            (report.count(kind), voided(&report, 0).count(), report.faults.len()),
            (2, 2, 2),
            "{script}: {report}"
        );
        assert!(report.transcripts[0].contains("# voided: "));
        assert_eq!((report.decisions[0], report.ended.as_str()), (2, "2 rounds"));
    }
    let report = finish_missing();
    assert_eq!(report.count(RefereeFaultKind::Start), 2);
}

fn finish_missing() -> Report {
    let bot = Bot { command: vec!["/no/such/bot".to_owned()], ..Bot::sh("") };
    Match { rounds: 2, ..Match::new(vec![SeatBot::Child(bot)], 3) }.play()
}

#[test]
fn valid_tokens_count_whatever_else_happens() {
    for script in [
        "printf '1\\r\\n0\\r\\n'",
        "printf '\\n\\n 1\\t0'",
        "echo 1 0; exit 7",
        "echo 1 0; kill -9 $$",
        "echo 1 0; echo kibitz hello >&2; printf '\\377' >&2",
        "test -f /dev/stdin && wc -l < /dev/stdin | tr -d '1-9' | sed 's/.*/1 0/'",
    ] {
        let report = against_random(script, 2);
        assert!(report.faults.is_empty(), "{script}: {report}");
    }
}

#[test]
fn percent_sign_crashes_the_referee() {
    for script in ["echo 1 0 %", "echo 1 0; echo 100% >&2", "echo 1 0; printf 'kibitz \\377\\n' >&2"] {
        let report = against_random(script, 2);
        assert_eq!(
            (report.count(RefereeFaultKind::RefereeCrash), report.decisions[0]),
            (1, 1),
            "{script}: {report}"
        );
        assert_eq!(voided(&report, 0).count(), 0);
    }
}
