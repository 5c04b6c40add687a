//! Azul's runner against hand-worked cases and bots written in the shell.

use super::board::{RefereeBoard, column};
use super::*;
use crate::official::Bot;

fn wall(rows: [&str; 5]) -> [[bool; 5]; 5] {
    rows.map(|row| {
        let cells: Vec<bool> = row.chars().map(|cell| cell == '#').collect();
        cells.try_into().unwrap()
    })
}

/// The score after tiling one full line of a colour, with this many tiles on the floor.
fn tiled(rows: [&str; 5], line: usize, colour: usize, floor: usize, score: i32) -> (i32, RefereeBoard) {
    let mut rng = SplitMix::new(1);
    let mut table = RefereeTable::new(&mut rng);
    let board = &mut table.boards[0];
    board.wall = wall(rows);
    board.lines[line] = (line + 1, colour);
    board.floor = vec![Some(0); floor];
    board.score = score;
    table.tile();
    (table.boards[0].score, table.boards[0].clone())
}

#[test]
fn wall_has_the_fixed_pattern() {
    for (row, letters) in ["gobyr", "rgoby", "yrgob", "byrgo", "obyrg"].iter().enumerate() {
        for (colour, &letter) in COLOURS.iter().enumerate() {
            assert_eq!(letters.chars().nth(column(row, colour)), Some(letter));
        }
    }
}

#[test]
fn tiling_scores_runs() {
    let empty = ["....."; 5];
    assert_eq!(tiled(empty, 0, 0, 0, 0).0, 1, "alone");
    // Blue in row 1 is column 3.
    assert_eq!(tiled([".....", "##.##", ".....", ".....", "....."], 1, 1, 0, 0).0, 5, "across");
    assert_eq!(tiled(["...#.", ".....", "...#.", "...#.", "....."], 1, 2, 0, 0).0, 4, "down");
    assert_eq!(tiled(["...#.", ".##..", ".....", "...#.", "....."], 1, 2, 0, 0).0, 3 + 2, "both");
    assert_eq!(
        tiled(["..#..", "#....", "..#..", "...#.", "....."], 1, 2, 0, 9).0,
        9 + 1,
        "corners do not count"
    );
    let (score, board) = tiled(empty, 4, 4, 0, 0);
    // Red in row 4 is column 3.
    assert_eq!((score, board.lines[4].0, board.wall[4]), (1, 0, [false, false, false, true, false]));
}

#[test]
fn floor_line_is_charged_after_all_rows() {
    let empty = ["....."; 5];
    for (floor, cost) in [(0, 0), (1, 1), (2, 2), (3, 4), (4, 6), (5, 8), (6, 11), (7, 14)] {
        let (score, board) = tiled(empty, 0, 0, floor, 30);
        assert_eq!((score, board.floor.len()), (31 - cost, 0));
    }
    assert_eq!(tiled(empty, 0, 0, 7, 5).0, 0, "never below 0");
    let mut table = RefereeTable::new(&mut SplitMix::new(1));
    // Both rows in the same round, the upper one first: 1, then 2 for the pair in a column.
    table.boards[1].lines = [(1, 0), (2, 4), (2, 0), (0, 0), (0, 0)];
    table.boards[1].floor = vec![None];
    table.marker = Some(1);
    assert_eq!(table.tile(), Some(1));
    assert_eq!((table.boards[1].score, table.boards[1].lines[2]), (1 + 2 - 1, (2, 0)), "unfilled lines stay");
}

#[test]
fn bonuses_decide_the_winner() {
    let mut table = RefereeTable::new(&mut SplitMix::new(1));
    table.boards[0].wall = wall(["#####", "#....", "#....", "#....", "#...."]);
    table.boards[1].wall = wall(["#....", ".#...", "..#..", "...#.", "....#"]);
    table.reward();
    assert_eq!(
        table.boards.clone().map(|board| (board.score, board.rows())),
        [(9, 1), (10, 0)],
        "green is complete"
    );
    let mut report = Report::new(2);
    report.rank(&[(20, 2), (20, 1)]);
    assert_eq!(report.winner, Some(0));
}

#[test]
fn tiles_are_taken_by_the_rules() {
    let mut table = RefereeTable::new(&mut SplitMix::new(2));
    table.displays = [[2, 1, 0, 1, 0], [0, 4, 0, 0, 0], [0; 5], [0; 5], [0; 5]];
    table.centre = [0; 5];
    let go = |table: &mut RefereeTable, seat, text: &str| table.take(seat, read_move(text).unwrap());
    assert!(go(&mut table, 0, "1 b 0").is_err() && go(&mut table, 0, "0 g 0").is_err(), "no such tiles");
    go(&mut table, 0, "1 g 0").unwrap();
    assert_eq!(
        (table.centre, table.boards[0].lines[0], table.boards[0].floor.len()),
        ([0, 1, 0, 1, 0], (1, 0), 1)
    );
    assert!(table.text(1).starts_with("0 1 0 1 0 1\n0 0 0 0 0\n0 4 0 0 0\n"));
    go(&mut table, 1, "0 o 5").unwrap();
    assert_eq!(
        (table.marker, table.boards[1].floor.clone()),
        (Some(1), vec![None, Some(1)]),
        "the marker first"
    );
    assert!(table.text(1).contains("\nyou\n") && table.text(0).contains("\nopponent\n"));
    assert!(table.text(0).ends_with("\n2 0\n"), "the marker counts in the floor's length");
    assert!(go(&mut table, 0, "2 o 0").is_err(), "a full line, another colour");
    table.boards[0].wall[2][column(2, 1)] = true;
    assert!(go(&mut table, 0, "2 o 2").is_err(), "it is on the wall");
    table.boards[0].floor = vec![Some(0); 6];
    let bag = table.bag[1];
    go(&mut table, 0, "2 o 1").unwrap();
    assert_eq!((table.boards[0].floor.len(), table.bag[1]), (7, bag + 1), "past seven it is dropped");
    table.boards[0].lines[3] = (3, 3);
    go(&mut table, 0, "0 y 3").unwrap();
    assert!(table.is_empty());
    assert_eq!(table.boards[0].lines[3], (4, 3));
}

#[test]
fn moves_are_read_strictly() {
    assert_eq!(read_move("0 r 5\r"), Some(Move { display: 0, colour: 4, line: 5 }));
    for bad in
        ["", "0 r", "6 r 0", "0 r 6", "0 x 1", "0 R 1", "0 r 1 1", "00 r 1", "-1 r 1", "0 gr 1", "r 0 1"]
    {
        assert_eq!(read_move(bad), None, "{bad}");
    }
}

#[test]
fn text_of_a_turn_equals_the_documented_example() {
    let mut table = RefereeTable::new(&mut SplitMix::new(2));
    table.centre = [0, 0, 1, 1, 0];
    table.displays = [[0; 5], [0, 1, 1, 1, 1], [1, 1, 1, 0, 1], [0, 1, 1, 1, 1], [0; 5]];
    table.marker = Some(1);
    table.boards[0].lines = [(0, 0), (2, 4), (0, 0), (2, 2), (3, 0)];
    table.boards[0].wall = wall(["..##.", "..##.", "...##", ".....", "....."]);
    table.boards[0].score = 7;
    table.boards[1].lines = [(1, 0), (0, 0), (2, 0), (3, 3), (3, 3)];
    table.boards[1].wall = wall([".#...", ".##..", "#....", "..#..", "....."]);
    table.boards[1].floor = vec![None];
    table.boards[1].score = 6;
    let news = [Update::Move(read_move("0 g 0").unwrap())];
    let text = turn_text(Duration::from_millis(28220), Wish::Both, &news, &table, 0);
    let example = "28220\n1\nmove\n0 g 0\n0 0 1 1 0 0\n0 0 0 0 0\n0 1 1 1 1\n1 1 1 0 1\n0 1 1 1 1\n0 0 0 0 0\n\
        opponent\n0 .\n2 r\n0 .\n2 b\n3 g\n. . b y .\n. . o b .\n. . . o b\n. . . . .\n. . . . .\n0 7\n\
        1 g\n0 .\n2 g\n3 y\n3 y\n. o . . .\n. g o . .\ny . . . .\n. . r . .\n. . . . .\n1 6\n";
    assert_eq!(text, example);
    let restock = [Update::Restock(table.displays), news[0].clone()];
    let text = turn_text(Duration::ZERO, Wish::Update, &restock, &table, 0);
    assert_eq!(text, "0\n2\nrestock\n0 0 0 0 0\n0 1 1 1 1\n1 1 1 0 1\n0 1 1 1 1\n0 0 0 0 0\nmove\n0 g 0\n");
    assert_eq!(turn_text(Duration::ZERO, Wish::State, &news, &table, 0).lines().count(), 1 + 7 + 22);
}

#[test]
fn random_matches_end_and_keep_all_tiles() {
    let mut winners = [0, 0];
    for seed in 0..50 {
        let report = Match::new([SeatBot::Random, SeatBot::Random], seed).play();
        assert!(report.faults.is_empty() && report.points.iter().all(|&points| points >= 0), "{report}");
        assert!(report.decisions[0] > 20 && report.ended == "a complete row");
        report.winner.into_iter().for_each(|seat| winners[seat] += 1);
    }
    assert!(winners.iter().all(|&wins| wins > 5), "{winners:?}");
}

/// Takes the first tiles it sees to the floor.
const FLOOR: &str = r#"
    echo state
    while read left; do
        choice=
        for display in 0 1 2 3 4 5; do
            read g o b y r p
            for tile in g$g o$o b$b y$y r$r; do
                case $tile in ?0) ;; *) choice="$display ${tile%?} 5" ;; esac
            done
        done
        for skip in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do read rest; done
        echo "$choice"; echo thinking >&2
    done"#;

fn against_random(script: &str, seat: usize, clock_ms: u64) -> Report {
    let mut seats = [SeatBot::Random, SeatBot::Random];
    seats[seat] = SeatBot::Child(Bot::sh(script));
    Match { clock: Duration::from_millis(clock_ms), ..Match::new(seats, 9) }.play()
}

#[test]
fn bot_plays_a_whole_match_by_the_state() {
    for seat in 0..2 {
        let report = against_random(FLOOR, seat, 600_000);
        assert!(report.faults.is_empty() && report.lingered.is_empty(), "{report}");
        assert_eq!((report.points[seat], report.winner), (0, Some(1 - seat)), "{report}");
        assert!(report.decisions[seat] >= 20 && report.thought[seat] >= report.slowest[seat]);
        assert!(report.transcripts[seat].starts_with("> state\n< "));
    }
}

#[test]
fn faults_cost_fifty_and_the_match() {
    let line = "read left; sleep 0.2; ";
    let cases = [
        ("echo hello".to_owned(), RefereeFaultKind::Malformed),
        ("exit 1".to_owned(), RefereeFaultKind::Died),
        ("sleep 1000".to_owned(), RefereeFaultKind::TooSlow),
        ("echo both; exit".to_owned(), RefereeFaultKind::Died),
        ("echo both; sleep 1000".to_owned(), RefereeFaultKind::TooSlow),
        (format!("echo state; {line} echo 0 g 0"), RefereeFaultKind::Illegal),
        (format!("echo state; {line} echo; sleep 1000"), RefereeFaultKind::Malformed),
        (format!("echo update; {line} echo 1 g 2 3; sleep 1000"), RefereeFaultKind::Malformed),
        (format!("echo state; {line} head -c 100000 /dev/zero >&2; echo 0 g 0"), RefereeFaultKind::TooSlow),
    ];
    for (script, kind) in cases {
        let report =
            against_random(&script, 0, if kind == RefereeFaultKind::TooSlow { 600 } else { 600_000 });
        let kinds: Vec<RefereeFaultKind> = report.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(
            (kinds, report.points[0], report.winner),
            (vec![kind], PENALTY, Some(1)),
            "{script}: {report}"
        );
    }
    let report = Match::new(
        [SeatBot::Random, SeatBot::Child(Bot { command: vec!["/no/such/bot".to_owned()], ..Bot::sh("") })],
        1,
    );
    assert_eq!(report.play().points, [0, PENALTY]);
}

#[test]
fn extra_line_is_the_next_move() {
    // The first line is a legal move, a tile of a full display to the floor. The second line is read as the next move at
    // once: waiting for a third one would be too slow.
    let script = r#"
        echo state
        read left; read centre; read g o b y r
        for tile in g$g o$o b$b y$y r$r; do case $tile in ?0) ;; *) choice="1 ${tile%?} 5" ;; esac; done
        echo "$choice"; echo "5 x 5"; sleep 1000"#;
    let report = against_random(script, 0, 120_000);
    assert_eq!((report.count(RefereeFaultKind::Malformed), report.decisions[0]), (1, 1), "{report}");
}
