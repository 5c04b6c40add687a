//! Tests of an ambiguous header: the base is judged by the cards and chips of the players.

use super::{give, table, view_of_lines};
use crate::game::{Game, Seat, State as _, Turn, View as _, Viewer};
use crate::games::splendor::protocol::write_input;
use crate::games::splendor::{Move, Options, Splendor, State, View};
use crate::protocol::Lines;
use crate::rng::{Rng, Seed};
use crate::search::{Level, Limits, Patient, Search};

/// A position of seat 3 of four in round 27, counted from 0. It is also possible when counted from 1.
fn late() -> Lines {
    let text = include_str!("../golden/four-from-0-late.dialogue");
    text.lines().filter_map(|line| line.strip_prefix("< ")).map(str::to_owned).collect()
}

fn legal(view: &View) -> Vec<Move> {
    let mut moves = Vec::new();
    view.legal(&mut moves);
    moves
}

fn choose(engine: usize, view: &View, limits: Limits) -> Move {
    (Splendor::engines()[engine].make)().choose(view, &mut Search::new(limits, &Patient)).mv
}

#[test]
fn ambiguous_late_table_is_read_right_and_answered_safely() {
    let view = view_of_lines(&late(), &[]).unwrap();
    assert_eq!((view.turn(), view.board().round), (Turn::Of(Seat(3)), 27));
    let views = ["0", "1"].map(|base| view_of_lines(&late(), &[("base", base)]).unwrap());
    assert_eq!(views[1].turn(), Turn::Of(Seat(2)));
    let both: Vec<Move> = legal(&views[0]).into_iter().filter(|mv| views[1].is_legal(mv)).collect();
    assert_eq!(legal(&view), both);
    assert!(both.len() < legal(&views[0]).len() && both.contains(&Move::PASS));
    for engine in 0..Splendor::engines().len() {
        for seed in 0..3 {
            let limits = Limits { nodes: Some(60), seed: Seed::from(seed), ..Limits::default() };
            let mv = choose(engine, &view, limits);
            assert!(both.contains(&mv), "{} plays {mv}", Splendor::engines()[engine].name);
        }
    }
    // With a known base all actions are legal.
    assert_eq!(view_of_lines(&late(), &[("base_before", "0")]).as_ref(), Ok(&views[0]));
    assert_eq!(view_of_lines(&late(), &[("base_before", "1")]).as_ref(), Ok(&views[1]));
}

#[test]
fn player_with_fifteen_points_cannot_be_to_move() {
    let mut state = table(3);
    state.board.nobles = vec![8, 9, 10, 7];
    give(&mut state, 1, [0; 6], &[77, 78, 79, 80]);
    assert!(state.board.hands[1].points() >= 15);
    state.board.to_move = Seat(2);
    let mut lines = Lines::new();
    let view = state.view(Viewer::Seat(Seat(2)));
    write_input(&view, 0, &mut lines);
    assert_eq!(lines[..2], ["3 2", "60"], "counted from 1 this is seat 1, which would have won a round ago");
    assert_eq!(view_of_lines(&lines, &[]), Ok(view));
}

/// Players of the measured matches: index of the engine, level, nodes.
const PLAYERS: [(usize, Level, u64); 7] = [
    (0, Level::Max, 400),
    (0, Level::Hard, 120),
    (0, Level::Medium, 40),
    (0, Level::Easy, 20),
    (1, Level::Max, 1),
    (2, Level::Max, 1),
    (3, Level::Max, 60),
];

/// Counts of positions with an ambiguous header, for one number of seats and one base.
#[derive(Debug, Default)]
struct MisreadCount {
    open: u32,
    /// Number of misread positions if the base is 1 unless the table contradicts it.
    wrong_before: u32,
    /// Those in which the chosen action was illegal.
    void_before: u32,
    /// Number of positions misread by the odds.
    wrong: u32,
    /// Those in which the chosen action was illegal.
    void: u32,
    /// Number of positions in which only actions that are legal with both bases remain.
    safe: u32,
}

fn measure(state: &State, mover: Seat, base: u8, seed: u64, count: &mut MisreadCount) {
    let truth = state.view(Viewer::Seat(mover));
    let mut lines = Lines::new();
    write_input(&truth, base, &mut lines);
    let (id, round) = (mover.0 + base, truth.board().round + base);
    if id == 0 || round == 0 || usize::from(id) == truth.board().hands.len() {
        return;
    }
    count.open += 1;
    let choice =
        |view: &View| choose(1, view, Limits { nodes: Some(1), seed: Seed::from(seed), ..Limits::default() });
    let before =
        view_of_lines(&lines, &[("base", "1")]).or_else(|_| view_of_lines(&lines, &[("base", "0")])).unwrap();
    if before.turn() != truth.turn() {
        count.wrong_before += 1;
        count.void_before += u32::from(!truth.is_legal(&choice(&before)));
    }
    let now = view_of_lines(&lines, &[]).unwrap();
    count.safe += u32::from(
        legal(&now).len() < legal(&view_of_lines(&lines, &[("base", &base_of(&now, id))]).unwrap()).len(),
    );
    if now.turn() != truth.turn() {
        count.wrong += 1;
        count.void += u32::from(!truth.is_legal(&choice(&now)));
    }
}

/// The base with which a view was read from a header with this id.
fn base_of(view: &View, id: u8) -> String {
    (id - view.board().to_move.0).to_string()
}

/// `cargo test -p engines --lib splendor::tests::header -- --ignored --nocapture` prints a table. For each number of
/// seats and each base it says how often the header is ambiguous, and how often it is then misread.
#[test]
#[ignore = "a measurement of about a minute"]
fn misviews_of_the_base_are_counted() {
    println!("seats base   open | wrong before (void) | wrong now (void) | safe actions only");
    for players in 2..=4 {
        let mut counts = [MisreadCount::default(), MisreadCount::default()];
        for seed in 0..40 {
            let mut rng = Rng::stream(&Seed::from(seed), 17 + u64::from(players));
            let seated: Vec<usize> = (0..players).map(|_| rng.below(PLAYERS.len())).collect();
            let mut state = Splendor::deal(&Options { players }, &Seed::from(seed)).unwrap();
            while let Turn::Of(mover) = state.turn() {
                for base in 0..=1 {
                    measure(&state, mover, base, seed, &mut counts[usize::from(base)]);
                }
                let (engine, level, nodes) = PLAYERS[seated[mover.index()]];
                let limits = Limits { nodes: Some(nodes), level, seed: rng.next_u64().into(), candidates: 1 };
                state.play(&choose(engine, &state.view(Viewer::Seat(mover)), limits));
            }
        }
        for (base, c) in counts.iter().enumerate() {
            println!(
                "{players:5} {base:4} {:6} | {:12} {:6} | {:9} {:6} | {:17}",
                c.open, c.wrong_before, c.void_before, c.wrong, c.void, c.safe
            );
        }
    }
}
