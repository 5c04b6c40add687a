//! Measures players as the contest's seat, 1, for which equal points win: on the same deals for every player. The player
//! `omniscient` sees all cards; no engine can do better.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use engines::game::{Game, Seat, State as _, Turn, View as _, Viewer};
use engines::games::septica::engine::omniscient::Omniscient;
use engines::games::septica::{Draws, Options, Septica};
use engines::rng::{Rng, Seed};
use engines::search::{Engine, Level, Limits, Patient, Search};

use crate::budget::Budget;

/// The arguments of `septica-measure`.
#[derive(clap::Args)]
pub(crate) struct MeasureArgs {
    /// Players: an engine's name, then :NODES or :LEVEL or :NODES:LEVEL if wanted; or omniscient, which sees all cards
    #[arg(required = true)]
    players: Vec<MeasuredName>,
    /// Engines that hold seat 0
    #[arg(long, value_delimiter = ',', default_value = "page,points,page_leads,greedy")]
    opponents: Vec<MeasuredName>,
    /// Seed of all deals and random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games of each player against each opponent
    #[arg(long, default_value_t = 2_000)]
    games: u64,
    /// Stop each pairing after this many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// Write the table to this file too
    #[arg(long)]
    out: Option<PathBuf>,
}

enum PlayerKind {
    Engine(Box<dyn Engine<Septica>>),
    Omniscient(Box<Omniscient>),
}

/// A player as written on the command line.
#[derive(Clone, Debug)]
pub(crate) struct MeasuredName {
    text: String,
    /// The engine's place in the game's list; `None` for the omniscient player.
    engine: Option<usize>,
    nodes: Option<u64>,
    level: Level,
}

impl FromStr for MeasuredName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let engine = Septica::engines().iter().position(|engine| engine.name == name);
        if engine.is_none() && name != "omniscient" {
            let names: Vec<&str> = Septica::engines().iter().map(|engine| engine.name).collect();
            return Err(format!("no player is called '{name}': there are omniscient, {}", names.join(", ")));
        }
        let mut player = Self { text: text.to_owned(), engine, nodes: None, level: Level::Max };
        for part in parts {
            match part.parse() {
                Ok(nodes) => player.nodes = Some(nodes),
                Err(_) => player.level = part.parse()?,
            }
        }
        Ok(player)
    }
}

struct MeasuredPlayer {
    text: String,
    kind: PlayerKind,
    nodes: Option<u64>,
    level: Level,
}

impl MeasuredPlayer {
    fn new(name: &MeasuredName) -> Self {
        let kind = match name.engine {
            Some(engine) => PlayerKind::Engine((Septica::engines()[engine].make)()),
            None => PlayerKind::Omniscient(Box::default()),
        };
        Self { text: name.text.clone(), kind, nodes: name.nodes, level: name.level }
    }
}

/// The points of both seats, the time that seat 1 took, and the number of its decisions.
fn play(deal: u64, seed: &Seed, players: [&mut MeasuredPlayer; 2]) -> (Vec<i32>, Duration, u32) {
    let options = Options { draws: Draws::Player, ..Options::default() };
    let seed = Rng::stream(seed, deal).seed();
    let mut state = Septica::deal(&options, &seed).expect("all options can be dealt");
    let mut rng = Rng::stream(&seed, 1);
    let (mut time, mut decisions) = (Duration::ZERO, 0);
    while let Turn::Of(seat) = state.turn() {
        let view = state.view(Viewer::Seat(seat));
        let player = &mut *players[seat.index()];
        let limits = Limits { nodes: player.nodes, seed: rng.seed(), level: player.level, candidates: 1 };
        let started = Instant::now();
        let mv = match &mut player.kind {
            PlayerKind::Engine(engine) => engine.choose(&view, &mut Search::new(limits, &Patient)).mv,
            PlayerKind::Omniscient(all) => all.choose(&state, seat),
        };
        if seat == Seat(1) {
            time += started.elapsed();
            decisions += 1;
        }
        assert!(view.is_legal(&mv), "{} plays {mv} in {view:?}", player.text);
        state.play(&mv);
    }
    (state.outcome().expect("the match is over").points, time, decisions)
}

/// A row of the table: this player against this opponent.
fn row(args: &MeasureArgs, player: &mut MeasuredPlayer, name: &MeasuredName) -> String {
    let mut other = MeasuredPlayer::new(name);
    let (mut won, mut points, mut time, mut decisions, mut games) = (0u64, 0, Duration::ZERO, 0, 0u64);
    let mut budget = Budget::new(args.games, args.minutes);
    while let Some(deal) = budget.next_game() {
        let (scores, taken, made) = play(deal, &Seed::from(args.seed), [&mut other, player]);
        won += u64::from(scores[1] >= scores[0]);
        points += scores[1];
        time += taken;
        decisions += made;
        games += 1;
    }
    let n = games.max(1) as f64;
    let share = won as f64 / n;
    let half = 1.96 * (share * (1.0 - share) / n).sqrt();
    format!(
        "{:<24} {:<12} {:>7.2}% ± {:.2}% {:>7.3} {:>9.4}",
        player.text,
        name.text,
        100.0 * share,
        100.0 * half,
        f64::from(points) / n,
        time.as_secs_f64() * 1e3 / f64::from(decisions.max(1)),
    )
}

/// The command.
pub(crate) fn run(args: &MeasureArgs) -> Result<(), String> {
    let mut table =
        format!("{:<24} {:<12} {:>16} {:>7} {:>9}\n", "player", "against", "won [95%]", "points", "ms/move");
    for name in &args.players {
        let mut player = MeasuredPlayer::new(name);
        for opponent in &args.opponents {
            let row = row(args, &mut player, opponent);
            writeln!(table, "{row}").expect("a text takes all that is written to it");
        }
    }
    print!("{table}");
    match &args.out {
        Some(out) => std::fs::write(out, &table).map_err(|e| format!("cannot write {}: {e}", out.display())),
        None => Ok(()),
    }
}
