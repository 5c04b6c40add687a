//! Tests of a round: lines, floor, tiling, bonuses, marker, refills, end of the match.

use super::*;

const EMPTY: [&str; 5] = ["....."; 5];

#[test]
fn wall_has_the_published_pattern() {
    let mut full = Position::empty();
    full.boards[0].wall = Wall((1 << 25) - 1);
    let json = serde_json::to_value(State::at(full, Seed::from(0))).unwrap();
    assert_eq!(
        json["position"]["boards"][0]["wall"],
        serde_json::json!(["gobyr", "rgoby", "yrgob", "byrgo", "obyrg"])
    );
}

#[test]
fn tile_scores_its_runs() {
    let points = |rows, row, colour: Colour| wall(rows).points(row, colour.index());
    assert_eq!(points(EMPTY, 2, Colour::Green), 1);
    // Green in row 2 is the middle of the wall.
    assert_eq!(points([".....", ".....", ".x.x.", ".....", "....."], 2, Colour::Green), 3);
    assert_eq!(points([".....", "..x..", ".....", "..x..", "..x.."], 2, Colour::Green), 4);
    assert_eq!(points([".....", "..x..", ".x...", ".....", "....."], 2, Colour::Green), 4);
    assert_eq!(points(["xxxxx", "xxxxx", "xx.xx", "xxxxx", "xxxxx"], 2, Colour::Green), 10);
    assert_eq!(points(["x.x.x", ".x.x.", "x...x", ".x.x.", "x.x.x"], 2, Colour::Green), 1);
    // The corners: green in row 0, green in row 4, red in row 0, orange in row 4.
    assert_eq!(points([".xxxx", "x....", "x....", "x....", "x...."], 0, Colour::Green), 10);
    assert_eq!(points(["....x", "....x", "....x", "....x", "xxxx."], 4, Colour::Green), 10);
    assert_eq!(points(["xxxx.", "....x", ".....", "....x", "....x"], 0, Colour::Red), 7);
    assert_eq!(points(["x....", "x....", "x....", "x....", ".x.xx"], 4, Colour::Orange), 7);
}

/// The same by counting neighbours one by one, for every space of many walls.
#[test]
fn runs_agree_with_counting() {
    let mut rng = Rng::new(&Seed::from(5));
    for _ in 0..2_000 {
        let wall = Wall((rng.next_u64() & rng.next_u64() & ((1 << 25) - 1)) as u32);
        for (row, colour) in (0..5).flat_map(|r| (0..5).map(move |c| (r, c))) {
            let column = (colour + row) % 5;
            let has =
                |r: i32, c: i32| (0..5).contains(&r) && (0..5).contains(&c) && wall.0 >> (5 * r + c) & 1 == 1;
            let run = |dr: i32, dc: i32| {
                (1..).take_while(|i| has(row as i32 + i * dr, column as i32 + i * dc)).count() as i16
            };
            let (across, down) = (1 + run(0, 1) + run(0, -1), 1 + run(1, 0) + run(-1, 0));
            let sum = if across > 1 { across } else { 0 } + if down > 1 { down } else { 0 };
            assert_eq!(wall.points(row, colour), sum.max(1), "{wall:?} {row} {colour}");
        }
    }
}

#[test]
fn bonuses_are_counted_once_per_line() {
    assert_eq!(wall(["xxxxx", ".....", ".....", ".....", "....."]).bonus(), 2);
    assert_eq!(wall(["x....", "x....", "x....", "x....", "x...."]).bonus(), 7);
    assert_eq!(wall(["x....", ".x...", "..x..", "...x.", "....x"]).bonus(), 10);
    assert_eq!(Wall((1 << 25) - 1).bonus(), 5 * 19);
    assert_eq!(wall([".xxxx", "x.xxx", "xx.xx", "xxx.x", "xxxx."]).bonus(), 4 * 10);
}

#[test]
fn full_lines_refuse_tiles_and_surplus_goes_to_the_floor() {
    let mut board = Board { wall: wall(["x....", ".....", ".....", ".....", "....."]), ..Board::default() };
    let green = Colour::Green.index();
    assert!(!board.accepts(green, 0), "the row has the colour");
    assert!(board.accepts(green, 1) && board.accepts(green, 5));
    board.put(green, 1, 1);
    assert!(!board.accepts(Colour::Red.index(), 1), "the line holds another colour");
    assert!(board.accepts(green, 1));
    board.put(green, 3, 1);
    assert_eq!((board.lines[1], board.floor), (line(2, Colour::Green), 2));
    assert!(!board.accepts(green, 1), "it is full");
    board.put(green, 9, 5);
    assert_eq!(board.floor, 7, "tiles past the seventh slot are dropped");
}

#[test]
fn tiling_goes_from_the_top_and_counts_new_tiles() {
    let mut board = Board { score: 1, floor: 3, ..Board::default() };
    board.lines[0] = line(1, Colour::Orange); // column 1
    board.lines[1] = line(2, Colour::Green); // column 1: two below each other
    board.lines[2] = line(2, Colour::Red); // not full: stays
    board.tile();
    assert_eq!(board.score, 1 + 1 + 2 - 4);
    assert_eq!((board.floor, board.lines[0], board.lines[2]), (0, Line::default(), line(2, Colour::Red)));
    for (floor, score) in [(0, 20), (1, 19), (2, 18), (3, 16), (4, 14), (5, 12), (6, 9), (7, 6)] {
        let mut board = Board { score: 20, floor, ..Board::default() };
        board.tile();
        assert_eq!(board.score, score);
    }
    let mut poor = Board { score: 3, floor: 7, ..Board::default() };
    poor.tile();
    assert_eq!(poor.score, 0, "never below 0");
}

#[test]
fn marker_takes_a_floor_slot_before_surplus_tiles() {
    let mut p = Position::empty();
    p.sources[0] = [3, 0, 2, 0, 0];
    p.sources[1] = [1, 1, 1, 1, 0];
    p.take(&mv("0 g 0"));
    assert_eq!((p.marker, p.boards[0].floor), (Some(Seat(0)), 3), "the marker and two surplus tiles");
    p.take(&mv("0 b 1"));
    assert_eq!((p.marker, p.boards[1].floor), (Some(Seat(0)), 0), "only the first seat gets the marker");
    p.take(&mv("1 y 4"));
    assert_eq!((p.sources[0], p.sources[1]), ([1, 1, 1, 0, 0], [0; 5]), "the rest goes to the centre");
}

#[test]
fn marker_on_a_full_floor_costs_nothing_and_still_decides_who_begins() {
    let mut p = Position::empty();
    p.sources[0] = [0, 1, 0, 0, 0];
    p.boards[0].floor = 7;
    p.boards[0].score = 20;
    p.take(&mv("0 o 0"));
    assert_eq!((p.marker, p.boards[0].floor), (Some(Seat(0)), 7));
    p.end_round();
    assert_eq!((p.boards[0].score, p.to_move, p.marker), (20 + 1 - 14, Seat(0), None));
}

#[test]
fn marker_holder_begins_the_next_round_after_any_last_move() {
    for holder in [Seat(0), Seat(1)] {
        let mut p = Position::empty();
        p.sources[0] = [0, 1, 0, 0, 0];
        p.marker = Some(holder);
        p.boards[holder.index()].floor = 1;
        p.take(&mv("0 o 0"));
        p.end_round();
        assert_eq!(p.to_move, holder);
    }
}

#[test]
fn refill_depends_only_on_seed_round_and_bag() {
    let counts = |s: &State| s.position().sources;
    assert_eq!(counts(&deal(3)), counts(&deal(3)));
    assert_ne!(counts(&deal(3)), counts(&deal(4)));
    let total: u8 = counts(&deal(3)).iter().flatten().sum();
    assert_eq!(total, 20);
    // Two ways to the same boards, with different floors.
    let end = |floors: [u8; 2]| {
        let mut p = Position::empty();
        p.sources[0] = [0, 0, 0, 0, 1];
        p.marker = Some(Seat(0));
        p.boards[0].floor = floors[0];
        p.boards[1].floor = floors[1];
        p.boards[0].wall = wall(["xxx..", ".....", ".....", ".....", "....."]);
        let mut state = State::at(p, Seed::from(11));
        state.play(&mv("0 r 4"));
        counts(&state)
    };
    assert_eq!(end([4, 2]), end([1, 7]));
}

#[test]
fn bag_holds_the_tiles_that_are_on_no_board() {
    let mut p = Position::empty();
    p.boards[0].wall = wall(["x....", ".....", ".....", ".....", "....."]);
    p.boards[1].wall = wall(["x....", "....x", ".....", ".....", "....."]);
    p.boards[1].lines[4] = line(3, Colour::Blue);
    assert_eq!(p.bag(), [18, 20, 17, 19, 20]);
}

/// Only a refill of five full single-coloured displays counts as dull.
#[test]
fn five_single_coloured_displays_are_filled_again() {
    let mut p = Position::empty();
    p.fill(&[0; 20]);
    assert!(p.is_dull());
    p.fill(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]);
    assert!(p.is_dull());
    p.fill(&[0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]);
    assert!(!p.is_dull());
}

/// A state with one tile on the table. On `lines[0]` it completes a row.
fn last_tile(second: Board) -> State {
    let mut p = Position::empty();
    p.sources[0] = [0, 0, 0, 0, 1];
    p.marker = Some(Seat(1));
    p.boards[0].wall = wall(["xxxx.", ".....", ".....", ".....", "....."]);
    p.boards[0].score = 10;
    p.boards[1] = second;
    State::at(p, Seed::from(0))
}

#[test]
fn complete_row_ends_the_match_after_the_tiling() {
    let second = Board { score: 12, floor: 1, ..Board::default() };
    let mut state = last_tile(second);
    state.play(&mv("0 r 0"));
    assert_eq!(state.turn(), Turn::Over);
    let outcome = state.outcome().unwrap();
    assert_eq!(outcome.points, [10 + 5 + 2, 12 - 1]);
    assert_eq!(outcome.ranks, [1, 2]);
    let mut other = last_tile(second);
    other.play(&mv("0 r 1"));
    assert_eq!((other.turn(), other.outcome()), (Turn::Of(Seat(1)), None));
    assert_eq!(other.position().on_table(), 20);
}

#[test]
fn equal_points_are_decided_by_rows_then_shared() {
    let mut state = last_tile(Board { score: 18, floor: 1, ..Board::default() });
    state.play(&mv("0 r 0"));
    assert_eq!(state.outcome().unwrap().points, [17, 17]);
    assert_eq!(state.outcome().unwrap().ranks, [1, 2], "seat 0 has one more row");
    let own_row = Board {
        score: 12,
        floor: 1,
        wall: wall(["xxxx.", ".....", ".....", ".....", "....."]),
        ..Board::default()
    };
    let mut state = last_tile(Board { lines: red_top_line(), ..own_row });
    state.play(&mv("0 r 0"));
    assert_eq!(state.outcome().unwrap().points, [17, 18]);
    let mut state = last_tile(Board { lines: red_top_line(), score: 11, ..own_row });
    state.play(&mv("0 r 0"));
    assert_eq!((state.outcome().unwrap().points, state.outcome().unwrap().ranks), (vec![17, 17], vec![1, 1]));
}

/// Lines of which the top one is full with red.
fn red_top_line() -> [Line; 5] {
    [line(1, Colour::Red), Line::default(), Line::default(), Line::default(), Line::default()]
}

#[test]
fn offender_gets_minus_fifty_and_the_other_keeps_its_points() {
    let mut state = last_tile(Board { score: 12, floor: 1, ..Board::default() });
    let Foul::End(outcome) = Azul::foul(&state, Seat(0), "late") else { panic!("the match goes on") };
    assert_eq!((outcome.points, outcome.ranks), (vec![-50, 12], vec![2, 1]));
    state.play(&mv("0 r 1"));
    let mut table = Table::<Azul>::new(state);
    assert!(table.foul(Seat(0), "not its turn").is_err());
    table.foul(Seat(1), "a mistake").unwrap();
    assert_eq!(table.turn(), Turn::Over);
    assert_eq!(table.outcome().unwrap().ranks, [1, 2]);
}
