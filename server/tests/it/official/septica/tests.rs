//! Septica's judge against hand-worked tricks and bots written in the shell.

use super::*;
use crate::official::Bot;

fn game(player: &[u8], computer: &[u8], deck: &[u8]) -> SingleMatch {
    SingleMatch { hands: [player.to_vec(), computer.to_vec()], deck: deck.to_vec(), taken: [0; 2], cards: 0 }
}

/// One trick with a bot that prints these tokens; the winner, and what the computer printed.
fn trick(game: &mut SingleMatch, leader: usize, tokens: &str) -> Result<(usize, String), RefereeFaultKind> {
    let bot = Bot::sh(&format!("echo {tokens}; exec cat >/dev/null"));
    let process = BotChild::start(&bot, Split::Tokens, Stderr::Free).unwrap();
    let limit = Duration::from_secs(20);
    let mut dialogue =
        BotDialogue { process: Some(process), pending: String::new(), limit, decisions: Vec::new() };
    let referee = Match::new(SeatBot::Random, 1);
    let winner =
        referee.trick(game, leader, &mut dialogue, &mut SplitMix::new(1)).map_err(|(kind, _)| kind)?;
    dialogue.flush();
    let transcript = &dialogue.process.as_ref().unwrap().transcript;
    let said: Vec<&str> = transcript.lines().filter_map(|line| line.strip_prefix("< ")).collect();
    Ok((winner, said.join(" ")))
}

#[test]
fn tricks_the_computer_leads() {
    // 14 on 13 is no cut: the leader takes it, and its points.
    let mut first = game(&[14, 8, 9, 11], &[13], &[]);
    assert_eq!(trick(&mut first, COMPUTER, "14"), Ok((COMPUTER, "13".to_owned())));
    assert_eq!((first.taken, first.cards), ([0, 1], 2));
    // A card of the led rank cuts, a 7 too; without points the page's computer does not go on.
    assert_eq!(trick(&mut game(&[13, 8], &[13], &[]), COMPUTER, "13"), Ok((PLAYER, "13".to_owned())));
    assert_eq!(trick(&mut game(&[7, 8], &[13], &[]), COMPUTER, "7"), Ok((PLAYER, "13".to_owned())));
    // It does with points, and the last to cut takes all four.
    let mut long = game(&[7, 10, 8], &[10, 7, 7], &[]);
    assert_eq!(trick(&mut long, COMPUTER, "10 7 8"), Ok((COMPUTER, "10 7 7".to_owned())));
    assert_eq!((long.taken, long.cards, long.hands[PLAYER].as_slice()), ([0, 2], 6, [].as_slice()));
}

#[test]
fn tricks_the_player_leads() {
    // The computer cannot cut: 0 ends the trick.
    let mut plain = game(&[10, 8], &[9, 9], &[]);
    assert_eq!(trick(&mut plain, PLAYER, "10 0"), Ok((PLAYER, "9".to_owned())));
    assert_eq!(plain.taken, [1, 0]);
    // It cuts; the player stops, or goes on.
    assert_eq!(trick(&mut game(&[9, 7], &[7, 8], &[]), PLAYER, "9 0"), Ok((COMPUTER, "7".to_owned())));
    assert_eq!(trick(&mut game(&[9, 7], &[7, 8], &[]), PLAYER, "9 7 0"), Ok((PLAYER, "7 8".to_owned())));
    assert_eq!(trick(&mut game(&[9, 9, 7], &[7, 9], &[]), PLAYER, "9 9 0").unwrap().0, COMPUTER);
    // A computer without cards does not answer.
    assert_eq!(trick(&mut game(&[14, 7], &[], &[]), PLAYER, "14"), Ok((PLAYER, String::new())));
}

#[test]
fn zero_that_the_statement_leaves_open_can_be_sent_or_not() {
    let needs_none = |last_zero, player: &[u8], computer: &[u8], deck: &[u8]| {
        Match { last_zero, ..Match::new(SeatBot::Random, 1) }.needs_no_zero(&game(player, computer, deck))
    };
    let none = [&[][..], &[], &[]];
    for (last_zero, [end, computer_holds, deck_left, player_holds]) in [
        (LastZero::Awaited, [false, false, false, false]),
        (LastZero::AwaitedUnanswered, [false, false, false, false]),
        (LastZero::NotAtTheEnd, [true, false, false, false]),
        (LastZero::NotFromAnEmptyHand, [true, true, false, false]),
        (LastZero::NeverFromAnEmptyHand, [true, true, true, false]),
        (LastZero::NeverWithAnEmptyHand, [true, true, true, true]),
    ] {
        let [player, computer, deck] = none;
        assert_eq!(needs_none(last_zero, player, computer, deck), end);
        assert_eq!(needs_none(last_zero, player, &[9], deck), computer_holds);
        assert_eq!(needs_none(last_zero, player, computer, &[9, 9]), deck_left);
        assert_eq!(needs_none(last_zero, &[9], computer, deck), player_holds);
        assert!(!needs_none(last_zero, &[9], &[9], deck), "{last_zero:?}");
    }
}

#[test]
fn cards_are_all_checked() {
    let illegal = Err(RefereeFaultKind::Illegal);
    let cases = [
        (COMPUTER, "8", "not held"),
        (COMPUTER, "0", "a card is due"),
        (PLAYER, "0", "a card is due"),
        (PLAYER, "12", "not held"),
        (PLAYER, "9 9", "no cut was made: 0 is due"),
        (PLAYER, "11 9", "a card that does not cut"),
        (PLAYER, "11 7", "a cut that is not held"),
    ];
    for (leader, tokens, why) in cases {
        let mut game = game(&[9, 9, 11], &[11, 13], &[]);
        assert_eq!(trick(&mut game, leader, tokens), illegal, "{tokens}: {why}");
    }
    for tokens in ["x", "09", "9.0"] {
        assert_eq!(trick(&mut game(&[9], &[11], &[]), PLAYER, tokens), Err(RefereeFaultKind::Malformed));
    }
}

#[test]
fn short_deck_is_shared_in_five_ways() {
    // Both need three, four are left; the last is drawn first.
    let expected: [(Draw, &[u8], &[u8]); 3] = [
        (Draw::InTurn, &[3, 1], &[4, 2]),
        (Draw::WinnerFirst, &[1], &[4, 3, 2]),
        (Draw::LoserFirst, &[4, 3, 2], &[1]),
    ];
    for (draw, player, computer) in expected {
        let mut game = game(&[8], &[8], &[1, 2, 3, 4]);
        assert_eq!(game.draw(COMPUTER, draw).len(), game.hands[PLAYER].len() - 1);
        assert_eq!((&game.hands[PLAYER][1..], &game.hands[COMPUTER][1..]), (player, computer));
    }
}

#[test]
fn page_of_the_contest_leads_and_answers_by_its_rule() {
    let mut rng = SplitMix::new(4);
    let rng = &mut rng;
    assert_eq!(ComputerStyle::Page.lead(&[14, 7, 14, 8], rng), 14);
    assert_eq!(ComputerStyle::Page.lead(&[10, 7, 7, 8], rng), 10);
    assert_eq!(ComputerStyle::Page.lead(&[7, 7, 8, 7], rng), 7);
    assert_eq!(ComputerStyle::Page.lead(&[7, 10, 14, 8], rng), 8);
    assert_eq!(ComputerStyle::Page.lead(&[10], rng), 10);
    assert_eq!(ComputerStyle::Page.answer(&[7, 8, 10, 10], 14, rng), 8, "one cut is too few for a 14");
    assert!([7, 14].contains(&ComputerStyle::Page.answer(&[7, 8, 14, 10], 14, rng)));
    assert_eq!(ComputerStyle::Page.answer(&[7, 8, 10, 10], 9, rng), 7, "anything else is cut");
}

#[test]
fn random_matches_end_with_all_cards_played() {
    for draw in DRAWS {
        for last_zero in LAST_ZEROS {
            for style in [ComputerStyle::Random, ComputerStyle::Page] {
                let referee =
                    Match { matches: 100, draw, last_zero, style, ..Match::new(SeatBot::Random, 8) };
                let report = referee.play();
                assert!(report.faults.is_empty(), "{report}");
                assert_eq!(report.points.iter().sum::<i32>(), 100);
                assert!((0.05..0.95).contains(&report.share()), "{}", report.share());
            }
        }
    }
}

/// The state machine of the facts; leads and answers with the first card it holds, never goes on.
/// `ZERO` says whether it prints the last 0.
const FIRST: &str = r#"
    take() { [ $# = 0 ] || hand="$hand $*"; }
    first() { set -- $hand; card=$1; shift; hand="$*"; }
    command() {
        case $1 in
            2|3) state=$1; shift 2; take $*; seen=$((seen + $#)) ;;
            4) state=4; echo "$*" >&2 ;;
        esac
    }
    while read deal; do
        hand=$deal state=2 seen=12
        while [ $state != 4 ]; do
            if [ $state = 2 ]; then
                read line || exit
                case $line in
                    2\ *|3\ *|4\ *) command $line ;;
                    *) if [ -n "$hand" ]; then first; echo $card; fi ;;
                esac
            else
                first; echo $card
                read line || exit
                case $line in
                    2\ *|3\ *|4\ *) command $line ;;
                    *) if [ "$ZERO" = yes ] || [ -n "$hand" ]; then echo 0; fi
                       read line || exit; command $line ;;
                esac
            fi
        done
    done"#;

fn against(script: &str, zero: &str, matches: usize) -> Match {
    let mut bot = Bot::sh(script);
    bot.env.push(("ZERO".to_owned(), zero.to_owned()));
    Match { matches, ..Match::new(SeatBot::Child(bot), 21) }
}

#[test]
fn bot_plays_matches_in_a_row() {
    for draw in DRAWS {
        let report = Match { draw, ..against(FIRST, "yes", 20) }.play();
        assert!(report.faults.is_empty() && report.lingered.is_empty(), "{draw:?}: {report}");
        assert!(report.decisions[PLAYER] > 20 * 10 && report.ended == "all matches played");
        assert_eq!(report.winner == Some(PLAYER), report.share() >= 0.5);
    }
}

#[test]
fn extra_zero_is_found() {
    let referee = Match { last_zero: LastZero::NotAtTheEnd, ..against(FIRST, "yes", 20) };
    let report = referee.play();
    assert_eq!((report.count(RefereeFaultKind::Illegal), report.winner), (1, Some(COMPUTER)), "{report}");
    assert!(report.faults[0].detail.contains("a card is due"), "{report}");
}

#[test]
fn faults_lose_all_remaining_matches() {
    let cases = [
        ("read a; echo hello", RefereeFaultKind::Malformed),
        ("read a; echo 0", RefereeFaultKind::Illegal),
        ("read a; exit 1", RefereeFaultKind::Died),
        ("sleep 1000", RefereeFaultKind::TooSlow),
    ];
    for (script, kind) in cases {
        let limit = Duration::from_millis(if kind == RefereeFaultKind::TooSlow { 500 } else { 600_000 });
        let report = Match { limit, ..against(script, "", 5) }.play();
        let kinds: Vec<RefereeFaultKind> = report.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!((kinds, report.points.as_slice()), (vec![kind], [0, 5].as_slice()), "{script}: {report}");
    }
}
