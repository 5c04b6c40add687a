//! Buraco's referee against the facts' table of melds, hand-worked ends, and bots written in the shell.

use super::rules::{is_dirty, points};
use super::*;
use crate::official::Bot;

fn read(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|token| Card::read(token).unwrap()).collect()
}

fn meld(text: &str) -> Option<String> {
    arrange(&read(text), Rules::Written).map(|meld| list(&meld))
}

#[test]
fn cards_are_written_and_read() {
    let all = cards();
    assert_eq!(all.len(), 104);
    for card in all {
        assert_eq!(Card::read(&card.to_string()), Some(card));
    }
    assert_eq!(
        read("10♥ A♠").iter().map(|card| (card.rank, card.suit)).collect::<Vec<_>>(),
        [(10, 0), (1, 3)]
    );
    for bad in ["", "♥", "1♥", "10", "11♥", "a♥", "A♥♥", "[5♠", "A♡", "05♠"] {
        assert_eq!(Card::read(bad), None, "{bad}");
    }
}

#[test]
fn melds_follow_the_written_rules() {
    let full = "A♦ 2♦ 3♦ 4♦ 5♦ 6♦ 7♦ 8♦ 9♦ 10♦ J♦ Q♦ K♦ A♦";
    let legal = [
        ("7♠ 5♠ 6♠", "5♠ 6♠ 7♠"),
        ("A♣ 2♣ 3♣", "A♣ 2♣ 3♣"),
        ("A♣ Q♣ K♣", "Q♣ K♣ A♣"),
        ("3♠ 4♠ 5♠ 2♥ 7♠", "3♠ 4♠ 5♠ 2♥ 7♠"),
        ("3♠ 4♠ 5♠ 2♥ 7♠ 6♠", "2♥ 3♠ 4♠ 5♠ 6♠ 7♠"),
        ("2♥ 3♠ 4♠", "2♥ 3♠ 4♠"),
        ("Q♠ 2♦ A♠", "Q♠ 2♦ A♠"),
        ("2♠ 2♥ 3♠ 5♠", "2♠ 3♠ 2♥ 5♠"),
        ("2♠ 2♠ 3♠", "2♠ 2♠ 3♠"),
        ("2♠ 4♠ 5♠", "2♠ 4♠ 5♠"),
        ("A♠ 2♠ 2♥", "A♠ 2♠ 2♥"),
        (full, full),
    ];
    for (cards, order) in legal {
        assert_eq!(meld(cards).as_deref(), Some(order), "{cards}");
    }
    // The wild card may be at either end.
    for cards in ["Q♠ K♠ 2♦", "3♠ 4♠ 5♠ 2♥", "2♥ A♠ 2♠ 3♠ 4♠", "2♥ A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠ 10♠ J♠ Q♠ K♠"]
    {
        assert!(meld(cards).is_some(), "{cards}");
    }
    let illegal = [
        "5♠ 6♠",
        "5♠ 5♥ 5♦",
        "5♠ 6♠ 7♥",
        "5♠ 6♠ 8♠",
        "5♠ 6♠ 6♠ 7♠",
        "K♠ A♠ 2♠ 3♠",
        "Q♠ K♠ A♠ 3♠ 4♠",
        "5♠ 2♥ 2♦ 8♠",
        "2♠ 2♥ 5♠",
        "2♥ 2♦ 3♠",
        "5♠ 2♥ 9♠",
        "A♥ 2♠ 3♠",
        "2♥ A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠ 10♠ J♠ Q♠ K♠ A♠",
        "2♥ 2♠ 2♦",
        "",
    ];
    for cards in illegal {
        assert_eq!(meld(cards), None, "{cards}");
    }
}

#[test]
fn melds_that_only_the_referee_accepts() {
    let full = "2♥ A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠ 10♠ J♠ Q♠ K♠ A♠";
    for cards in ["A♥ 2♠ 3♠", "Q♠ K♠ A♦", "A♥ A♦ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠ 10♠ J♠ Q♠ K♠", full]
    {
        assert!(meld(cards).is_none() && arrange(&read(cards), Rules::Lenient).is_some(), "{cards}");
    }
    for cards in ["K♥ A♠ 3♠", "5♠ 6♥ 7♠", "2♥ 2♦ 3♠", "K♠ A♠ 2♠ 3♠", "5♠ 6♠ 6♠ 7♠"]
    {
        assert_eq!(arrange(&read(cards), Rules::Lenient), None, "{cards}");
    }
}

#[test]
fn canastras_and_hands_are_counted() {
    let worth = |text: &str| points(&arrange(&read(text), Rules::Written).unwrap());
    assert_eq!(worth("3♠ 4♠ 5♠"), 15);
    assert_eq!(worth("Q♠ K♠ A♠"), 35);
    assert_eq!(worth("3♠ 4♠ 5♠ 6♠ 7♠ 8♠"), 35);
    assert_eq!(worth("3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠"), 45 + 200);
    assert_eq!(worth("3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 2♥"), 45 + 100);
    assert_eq!(worth("2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠"), 45 + 200, "a natural 2");
    assert_eq!(worth("2♥ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠"), 45 + 100);
    assert_eq!(worth("2♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠"), 50 + 100, "its own suit, but as the 3");
    assert_eq!(worth("2♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠"), 45 + 100);
    // A hand of seven is counted like a meld, in the order of the hand.
    assert_eq!(points(&read("K♠ 4♥ 9♣ A♦ 5♦ J♠ 8♥")), 65 + 200);
    assert_eq!(points(&read("K♠ 2♥ 9♣ A♦ 5♦ J♠ 8♥")), 70 + 100);
    assert_eq!(points(&read("K♠ 2♥ 3♥ A♦ 5♦ J♠ 8♥")), 65 + 200);
    assert_eq!(points(&read("K♠ 2♥ 9♣ A♦ 5♦ J♠")), 60);
    assert!(is_dirty(&read("2♥ 3♠")) && !is_dirty(&read("2♥ 3♥")) && is_dirty(&read("3♥ 2♥")));
}

fn table(mine: &str, yours: &str, pile: &str, stock: &str) -> RefereeTable {
    let hands = [read(mine), read(yours)];
    RefereeTable { hands, pile: read(pile), stock: read(stock), ..RefereeTable::default() }
}

/// Obeys the commands of seat 0; the last one's outcome.
fn obey(table: &mut RefereeTable, commands: &[&str]) -> Result<table::CommandEffect, RefereeFaultKind> {
    let mut last = Ok(table::CommandEffect::default());
    for command in commands {
        last = table.obey(0, command, false).map_err(|(kind, _)| kind);
    }
    last
}

#[test]
fn turn_follows_the_rules() {
    let mut table = table("5♠ 6♠ 7♠ 9♠ K♥ Q♥ 3♦", "4♣", "2♣ 8♦ J♥", "A♦ 8♠");
    let done = obey(&mut table, &["GET_STOCK"]).unwrap();
    assert_eq!((done.answer.as_deref(), done.over, done.passes), (Some("8♠"), None, false));
    assert_eq!(list(&table.hands[0]), "5♠ 6♠ 7♠ 9♠ K♥ Q♥ 3♦ 8♠");
    let commands = ["MELD_NEW [ 7♠ 5♠ 6♠ ]", "MELD_JOIN 0 [ 9♠ 8♠ ]"];
    assert_eq!(obey(&mut table, &commands), Ok(table::CommandEffect::default()));
    assert!(obey(&mut table, &["DISCARD 3♦"]).unwrap().passes);
    let answer = obey(&mut table, &["GET_STOCK", "DISCARD A♦"]);
    assert!(answer.unwrap().passes);
    assert_eq!(
        (list(&table.pile), list(&table.melds[0][0])),
        ("2♣ 8♦ J♥ 3♦ A♦".to_owned(), "5♠ 6♠ 7♠ 8♠ 9♠".to_owned())
    );
    assert_eq!(table.points(), [5 + 5 + 5 + 10 + 10 - 20, -5]);
}

#[test]
fn pile_is_taken_by_the_rules() {
    let fresh = table("K♥ Q♥ 3♦", "4♣", "2♣ 8♦ J♥", "A♦");
    let mut first = fresh.clone();
    let done = first.obey(0, "GET_DISCARD [ Q♥ K♥ ]", false).unwrap();
    assert_eq!((done.answer.as_deref(), done.over), (Some("[ 2♣ 8♦ ]"), None));
    assert_eq!((list(&first.hands[0]), first.pile.len()), ("3♦ 2♣ 8♦".to_owned(), 0));
    assert_eq!(first.melds[0], [read("J♥ Q♥ K♥")]);
    let done = fresh.clone().obey(0, "GET_DISCARD [ Q♥ K♥ ]", true).unwrap();
    assert_eq!(done.answer.as_deref(), Some("[ 2♣ 8♦ J♥ ]"), "the text's way");
    for bad in ["GET_DISCARD [ Q♥ ]", "GET_DISCARD [ ]", "GET_DISCARD [ K♥ 3♦ ]", "GET_DISCARD [ 10♥ 9♥ ]"]
    {
        assert_eq!(obey(&mut fresh.clone(), &[bad]), Err(RefereeFaultKind::Illegal), "{bad}");
    }
    // A pile of one card, and nothing left in the hand: over at once.
    let mut last = table("K♥ Q♥", "4♣", "J♥", "A♦");
    let done = obey(&mut last, &["GET_DISCARD [ Q♥ K♥ ]"]).unwrap();
    assert_eq!((done.answer.as_deref(), done.over), (Some("[  ]"), Some("an empty hand")));
    assert_eq!(last.points(), [130, -5]);
}

#[test]
fn empty_hand_ends_the_match_after_any_command() {
    for commands in [
        &["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "DISCARD A♦"][..],
        &["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "MELD_JOIN 0 [ 4♠ ]"],
        &["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ 4♠ ]"],
    ] {
        let stock = if commands.len() == 3 && commands[2].starts_with("DISCARD") { "A♦" } else { "4♠" };
        let mut table = table("5♠ 6♠ 7♠", "4♣", "J♥", stock);
        let done = obey(&mut table, commands).unwrap();
        assert_eq!(done.over, Some("an empty hand"), "{commands:?}");
    }
    let mut table = table("5♠", "4♣", "J♥", "");
    let done = obey(&mut table, &["GET_STOCK"]).unwrap();
    assert_eq!((done.over, done.answer), (Some("the stock is empty"), None));
}

#[test]
fn commands_that_lose_pass_or_crash_the_referee() {
    use RefereeFaultKind::{Illegal, Malformed, RefereeCrash};
    let fresh = table("5♠ 6♠ 7♠ 2♥ 2♦ 2♣ A♥ 3♣ 2♠", "4♣", "J♥", "K♦ Q♦");
    for (commands, kind) in [
        (&["DISCARD 5♠"][..], Illegal),
        (&["MELD_NEW [ 5♠ 6♠ 7♠ ]"], Illegal),
        (&["GET_STOCK", "GET_STOCK"], Illegal),
        (&["GET_STOCK", "DISCARD 9♠"], Illegal),
        (&["GET_STOCK", "MELD_NEW [ 7♠ 8♠ 9♠ ]"], Illegal),
        (&["GET_STOCK", "MELD_NEW [ ]"], Illegal),
        (&["GET_STOCK", "MELD_JOIN 0 [ 7♠ ]"], Illegal),
        (&["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "MELD_JOIN 0 [ 3♣ ]"], Illegal),
        (&[""], Malformed),
        (&["get_stock"], Malformed),
        (&["GET_STOCK 1"], Malformed),
        (&["GET_STOCK", "PASS"], Malformed),
        (&["GET_STOCK", "DISCARD"], Malformed),
        (&["GET_STOCK", "DISCARD 5♠ 6♠"], Malformed),
        (&["GET_STOCK", "DISCARD [ 5♠ ]"], Malformed),
        (&["GET_STOCK", "MELD_NEW [5♠ 6♠ 7♠]"], Malformed),
        (&["GET_STOCK", "MELD_NEW 5♠ 6♠ 7♠"], Malformed),
        (&["GET_STOCK", "MELD_NEW [ 5♠, 6♠ 7♠ ]"], Malformed),
        (&["GET_STOCK", "MELD_NEW [ 2♥ 2♦ 2♣ ]"], RefereeCrash),
        (&["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "MELD_JOIN x [ 2♥ ]"], RefereeCrash),
        (&["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "MELD_JOIN [ 2♥ ]"], RefereeCrash),
    ] {
        assert_eq!(obey(&mut fresh.clone(), commands), Err(kind), "{commands:?}");
    }
    for commands in [
        &["GET_STOCK", "MELD_NEW [ A♥ 2♣ 3♣ ]"][..],
        &["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "MELD_JOIN 0 [ ]"],
        &["GET_STOCK", "MELD_NEW [ 2♣ 2♣ 3♣ ]"],
    ] {
        let mut table = fresh.clone();
        assert_eq!(obey(&mut table, commands).map(|done| done.lenient.len()), Ok(1), "{commands:?}");
        assert_eq!(table.count(), fresh.count());
    }
}

#[test]
fn random_matches_end_and_keep_all_cards() {
    let mut ends = [0, 0];
    for seed in 0..60 {
        let (report, table) = Match::new([SeatBot::Random, SeatBot::Random], seed).play_out();
        assert!(report.faults.is_empty(), "{report}");
        let mut all: Vec<Card> =
            [&table.stock, &table.pile].into_iter().chain(&table.hands).flatten().copied().collect();
        all.extend(table.melds.iter().flatten().flatten());
        let mut expected = cards();
        all.sort();
        expected.sort();
        assert_eq!(all, expected);
        ends[usize::from(report.ended == "an empty hand")] += 1;
    }
    assert!(ends.iter().all(|&count| count > 0), "both ends are seen: {ends:?}");
}

/// Draws and throws the drawn card away again.
const DRAWER: &str = r#"
    trap 'exit 0' INT
    read ids; read me; read hand; read top
    while read mover; do
        case $mover in
            $me) echo GET_STOCK; read card || exit; echo "DISCARD $card" ;;
            p?.*) while read heard; do case $heard in DISCARD*) break ;; esac; done ;;
        esac
    done"#;

fn against_random(script: &str, seat: usize) -> Match {
    let mut seats = [SeatBot::Random, SeatBot::Random];
    seats[seat] = SeatBot::Child(Bot::sh(script));
    Match { starter: Some(0), limit: Duration::from_secs(600), ..Match::new(seats, 6) }
}

#[test]
fn bots_play_whole_matches() {
    for (seat, goodbye) in [(0, Goodbye::Interrupt), (1, Goodbye::EndOfInput)] {
        let report = Match { goodbye, ..against_random(DRAWER, seat) }.play();
        assert!(report.faults.is_empty() && report.lingered.is_empty(), "{report}");
        assert!(report.decisions[seat] > 10, "{report}");
        assert!(
            report.transcripts[seat]
                .contains(&format!("< p1.{}", if seat == 0 { "sh p2.random" } else { "random p2.sh" }))
        );
    }
    let seats = [SeatBot::Child(Bot::sh(DRAWER)), SeatBot::Child(Bot::sh(DRAWER))];
    let report =
        Match { hand_in_brackets: false, limit: Duration::from_secs(600), ..Match::new(seats, 1) }.play();
    assert!(report.faults.is_empty() && report.ended == "the stock is empty", "{report}");
    // Eleven cards are left on each hand: they cost what a canastra gives.
    assert!(report.points.iter().all(|&points| points < -150), "{report}");
    assert_eq!(report.decisions.iter().sum::<usize>(), 2 * 81 + 1);
    assert!(!report.transcripts[0].contains('['));
}

#[test]
fn faults_lose_the_match() {
    for (script, kind) in [
        ("echo hello; exec sleep 1000", RefereeFaultKind::Malformed),
        ("echo GET_STOCK; echo GET_STOCK; exec sleep 1000", RefereeFaultKind::Illegal),
        ("printf 'GET_STOCK\\r\\nDISCARD\\r\\n'; exec sleep 1000", RefereeFaultKind::Malformed),
        ("echo GET_STOCK; exit 1", RefereeFaultKind::Died),
        ("exec sleep 1000", RefereeFaultKind::TooSlow),
        ("printf GET_STOCK; exec sleep 1000", RefereeFaultKind::TooSlow),
    ] {
        let limit = Duration::from_millis(if kind == RefereeFaultKind::TooSlow { 500 } else { 600_000 });
        let report = Match { limit, ..against_random(script, 0) }.play();
        let kinds: Vec<RefereeFaultKind> = report.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!((kinds, report.winner), (vec![kind], Some(1)), "{script}: {report}");
    }
}

#[test]
fn bot_that_does_not_exit_is_noticed() {
    let deal = Some(table("5♠", "4♣", "J♥", ""));
    let report = Match { deal, ..against_random("trap '' INT; echo GET_STOCK; sleep 1000", 0) }.play();
    assert_eq!((report.lingered.as_slice(), report.winner), ([0].as_slice(), None), "{report}");
}
