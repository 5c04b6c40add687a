//! Collects positions late in a round in which the search chooses a worse move than searches of each move alone. Counts
//! the positions that a search gets right.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engines::game::{State as _, Turn, Viewer};
use engines::games::azul::engine::Position;
use engines::games::azul::engine::search::{AzulTree, Guide};
use engines::games::azul::engine::solve::solve;
use engines::games::azul::{Move, View};
use engines::search_kit::fast_rng::FastRng;
use engines::suite::{SOLVED, SuitePosition, read_suite};
use serde::Deserialize;

use super::deal;
use super::measure::{Contestant, contestant};
use crate::budget::{Budget, TrainArgs};
use crate::parallel::in_order;

/// Games unless the arguments say otherwise.
const GAMES: u64 = 150;
/// Iterations for each decision of a match.
const PLAYED: u32 = 600;
/// Numbers of (source, colour) choices at which a position is late in its round and still a decision.
const CHOICES: RangeInclusive<usize> = 5..=9;
/// Iterations of the search under test.
const TREE: u32 = 10_000;
/// Least loss of the chosen move against the best, by exact play and by the searches of the moves alone.
const MARGIN: f64 = 0.03;
/// Moves worth less than the best by more than this, by exact play, are not searched alone.
const WINDOW: f32 = 0.12;
/// Positions that exact play may visit.
const MOST: u64 = 20_000_000;
/// Iterations for each move alone: for its value, and to confirm the best and the chosen one with other random numbers.
const ALONE: [u32; 2] = [10_000, 40_000];
/// A move counts as right if it is worth at most this much less than the best. The sampled refills make values uncertain
/// by about this much.
const EQUAL: f64 = 0.02;

/// A position and the values of its moves.
struct HardPosition {
    position: View,
    /// The moves and their values to the seat to move, 0 to 1, each searched alone; the best first.
    moves: Vec<(Move, f64)>,
    /// Its line in the suite.
    line: SuitePosition,
}

/// The arguments of `azul-hard`.
#[derive(clap::Args)]
pub(crate) struct HardArgs {
    #[command(flatten)]
    train: TrainArgs,
    /// Keep the positions of this file as well, and give their moves new values
    #[arg(long)]
    with: Option<PathBuf>,
}

/// The arguments of `azul-hard-check`.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// The positions, as `azul-hard` writes them
    positions: PathBuf,
    /// Searches, written as the players of `azul-measure`
    #[arg(required = true)]
    searches: Vec<String>,
    /// Searches of each position, with different random numbers
    #[arg(long, default_value_t = 1)]
    repeats: u64,
    /// Threads that search at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// The moves by exact play, the best first.
fn exact(position: &Position) -> Option<Vec<(Move, f32)>> {
    let Guide { policy, round_end_net, .. } = Guide::in_use();
    solve(policy, &round_end_net, position, WINDOW, MOST, &mut || true)
}

/// The value of a move to the seat to move, by a search of the position after it that knows exact play.
fn alone(position: &Position, mv: Move, iterations: u32, seed: u64) -> f64 {
    let mut next = *position;
    next.take(&mv);
    let found = exact(&next).unwrap_or_default();
    let mut tree = AzulTree::with_exact(Guide::in_use(), next, found, seed);
    (0..iterations).for_each(|_| tree.iterate());
    1.0 - tree.most_visited().mean().unwrap_or(0.5)
}

/// All different moves and their values, the best first. Moves about as good as the best by exact play are searched alone.
/// `None` if exact play takes too long.
fn ranked(position: &Position, seed: u64) -> Option<Vec<(Move, f64)>> {
    let moves = exact(position)?;
    let best = moves[0].1;
    let value = |(mv, value): (Move, f32)| {
        let is_near = best - value < WINDOW;
        (mv, if is_near { alone(position, mv, ALONE[0], seed) } else { f64::from(value) })
    };
    let mut values: Vec<_> = moves.into_iter().map(value).collect();
    values.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(values)
}

/// The loss of a move against the best one. Of equal displays only the first has moves.
fn loss(position: &Position, values: &[(Move, f64)], mv: Move) -> f64 {
    let tiles = |mv: &Move| position.sources[usize::from(mv.display)];
    let is_same = |other: &Move| {
        (other.colour, other.line) == (mv.colour, mv.line)
            && (other.display == 0) == (mv.display == 0)
            && tiles(other) == tiles(&mv)
    };
    let value = values.iter().find(|(other, _)| is_same(other)).map_or(0.0, |(_, value)| *value);
    values.first().map_or(0.0, |(_, best)| best - value)
}

/// The values of the moves, if the search chooses one that is worse than the best by more than the margin.
fn examine(search: &Contestant, position: &Position, rng: &mut FastRng) -> Option<Vec<(Move, f64)>> {
    let by_play: Vec<_> = exact(position)?.into_iter().map(|(mv, value)| (mv, f64::from(value))).collect();
    let choice = search.choose(position, rng.next_u64());
    if loss(position, &by_play, choice) < MARGIN {
        return None;
    }
    let values = ranked(position, rng.next_u64())?;
    let confirm = |mv| alone(position, mv, ALONE[1], !0);
    let is_worse =
        loss(position, &values, choice) >= MARGIN && confirm(values[0].0) - confirm(choice) >= MARGIN;
    is_worse.then_some(values)
}

/// The position as a line of a suite. Moves that are neither as good as the best nor far from it are bad ones, because all of them
/// are mistakes here.
fn line(position: &View, values: &[(Move, f64)], name: String, source: &str) -> SuitePosition {
    let round = |value: f64| (1_000.0 * value).round() / 1_000.0;
    let best = values.first().map_or(0.0, |(_, best)| round(*best));
    let losses: BTreeMap<String, f64> =
        values.iter().map(|(mv, value)| (mv.to_string(), round(best - round(*value)))).collect();
    let is_bad = |loss: f64| loss > EQUAL && loss < SOLVED;
    SuitePosition {
        game: "azul".to_owned(),
        name,
        source: source.to_owned(),
        phase: String::new(),
        kind: String::new(),
        position: serde_json::to_value(position).expect("a position is plain values with text keys"),
        history: None,
        value: Some(best),
        good: Vec::new(),
        bad: losses.iter().filter(|(_, loss)| is_bad(**loss)).map(|(mv, _)| mv.clone()).collect(),
        losses,
        judged_by: Some(format!("exact play and {} iterations after each move", ALONE[0])),
    }
}

/// Appends the hard positions of one match. Returns how many positions were examined.
fn collect(searches: &[Contestant; 2], game: u64, seed: u64, out: &mut Vec<SuitePosition>) -> u32 {
    let mut rng = FastRng::new(seed.wrapping_mul(7_919).wrapping_add(game));
    let mut state = deal(rng.next_u64());
    let mut examined = 0;
    while let Turn::Of(seat) = state.turn() {
        let position = *state.position();
        if CHOICES.contains(&position.choices()) {
            examined += 1;
            let hard = examine(&searches[1], &position, &mut rng);
            let name = format!("hard {}", out.len() + 1);
            let view = || state.view(Viewer::Seat(seat));
            out.extend(hard.map(|values| line(&view(), &values, name, "a bad choice of version 5")));
        }
        state.play(&searches[0].choose(&position, rng.next_u64()));
    }
    examined
}

fn read(file: &Path) -> Result<Vec<HardPosition>, String> {
    let text = fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let wrong = |e: String| format!("{}: {e}", file.display());
    let cases = read_suite(&text).map_err(|e| wrong(e.to_string()))?;
    cases.into_iter().map(|case| hard(case.entry).map_err(wrong)).collect()
}

/// The position of a line.
fn hard(line: SuitePosition) -> Result<HardPosition, String> {
    let position = View::deserialize(&line.position).map_err(|e| e.to_string())?;
    let best = line.value.unwrap_or(1.0);
    let value = |(mv, loss): (&String, &f64)| Ok((mv.parse()?, best - loss));
    let mut moves = line.losses.iter().map(value).collect::<Result<Vec<(Move, f64)>, String>>()?;
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(HardPosition { position, moves, line })
}

/// The file's text: a position a line.
fn text(positions: &[SuitePosition]) -> Result<String, String> {
    let lines: Result<Vec<_>, _> = positions.iter().map(serde_json::to_string).collect();
    Ok(lines.map_err(|e| e.to_string())?.join("\n") + "\n")
}

/// The command that collects.
pub(crate) fn run(args: &HardArgs) -> Result<(), String> {
    // The search of version 5, without exact play.
    let searches = [PLAYED, TREE]
        .map(|iterations| Contestant { guide: Guide { exact: 0, ..Guide::in_use() }, iterations });
    let mut positions = Vec::new();
    for HardPosition { position, line: given, .. } in args.with.as_deref().map_or(Ok(Vec::new()), read)? {
        let values = ranked(position.position(), args.train.seed)
            .ok_or("exact play of a given position takes too long")?;
        positions.push(line(&position, &values, given.name, &given.source));
    }
    let mut budget: Budget = args.train.budget(GAMES);
    let mut examined = 0;
    while let Some(game) = budget.next_game() {
        examined += collect(&searches, game, args.train.seed, &mut positions);
        budget.report(&format!("match {game}: {} hard positions, {examined} examined", positions.len()));
        // Written after every match, so that a stopped run keeps its positions.
        fs::write(&args.train.out, text(&positions)?).map_err(|e| e.to_string())?;
    }
    args.train.write(text(&positions)?.as_bytes())
}

/// The loss of a search's choice in one position, against the best move.
fn lost(search: &Contestant, hard: &HardPosition, seed: u64) -> f64 {
    let position = hard.position.position();
    loss(position, &hard.moves, search.choose(position, seed))
}

/// The command that checks.
pub(crate) fn check(args: &CheckArgs) -> Result<(), String> {
    let positions = read(&args.positions)?;
    for text in &args.searches {
        let search = contestant(text)?;
        let number = positions.len() as u64 * args.repeats;
        let started = Instant::now();
        let losses = in_order(number, args.threads, |i| {
            let (at, repeat) = (i as usize % positions.len(), i / positions.len() as u64);
            Some(lost(&search, &positions[at], repeat))
        });
        let right = losses.iter().filter(|loss| **loss <= EQUAL).count();
        let mean = losses.iter().sum::<f64>() / number.max(1) as f64;
        let each = started.elapsed().as_secs_f64() * 1_000.0 / number.max(1) as f64;
        println!("{text}: {right} of {number} right, {mean:.4} lost on average, {each:.0} ms each");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/games/azul/suite-hard.jsonl");
    const ROUND_END: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/games/azul/engine/round_end.net");

    #[derive(Parser)]
    struct Collecting {
        #[command(flatten)]
        args: HardArgs,
    }

    #[derive(Parser)]
    struct Checking {
        #[command(flatten)]
        args: CheckArgs,
    }

    #[test]
    fn collected_positions_have_their_moves_in_order() {
        let positions = read(Path::new(FILE)).unwrap();
        assert!(positions.len() >= 30, "{}", positions.len());
        for HardPosition { position, moves, .. } in &positions {
            let mut legal = Vec::new();
            position.position().legal(&mut legal);
            assert!(moves.len() > 1 && moves.iter().all(|(mv, _)| legal.contains(mv)));
            assert!(moves.windows(2).all(|pair| pair[0].1 >= pair[1].1));
            let known = |mv: &Move| loss(position.position(), moves, *mv) < moves[0].1;
            assert!(legal.iter().all(known), "a move or its equal has a value: {position:?}");
        }
        let search = contestant(&format!("{ROUND_END}:20000")).unwrap();
        let right = positions.iter().filter(|hard| lost(&search, hard, 0) <= EQUAL).count();
        assert!(right >= 23, "{right} right; 25 with exact play, 19 without");
    }

    #[test]
    fn positions_are_collected_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let [given, made] = ["given.jsonl", "made.jsonl"].map(|name| folder.path().join(name));
        let first = read(Path::new(FILE)).unwrap().swap_remove(0).line;
        fs::write(&given, text(&[first]).unwrap()).unwrap();
        let [given, made] = [&given, &made].map(|path| path.to_str().unwrap());
        let line = ["azul-hard", "--games", "0", "--with", given, "--out", made];
        run(&Collecting::parse_from(line).args).unwrap();
        assert_eq!(read(Path::new(made)).unwrap().len(), 1);
        let search = format!("{ROUND_END}:50");
        check(&Checking::parse_from(["azul-hard-check", made, &search, "--repeats", "2"]).args).unwrap();
        let missing = Checking::parse_from(["azul-hard-check", "no such file", &search]).args;
        assert!(check(&missing).unwrap_err().contains("no such file"));
    }
}
