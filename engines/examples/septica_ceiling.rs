//! How Septica's contest player does against the reference opponents: matches of seat 1, in which equal points win, on
//! the same deals for every player, one of which may see all cards: the ceiling. A measuring tool.

use std::time::{Duration, Instant};

use engines::game::{Game, Seat, State as _, Turn, View as _, Viewer};
use engines::games::septica::engine::ceiling::Omniscient;
use engines::games::septica::{Draws, Options, Septica};
use engines::rng::{Rng, Seed};
use engines::search::{Engine, Level, Limits, Patient, Search};

const HELP: &str = "septica_ceiling [--games N] [--seed S] [--opponents A,B] PLAYER...
PLAYER: an engine's name, with :NODES or :LEVEL or :NODES:LEVEL behind it; or omniscient, which sees all cards";

enum Mind {
    Engine(Box<dyn Engine<Septica>>),
    Omniscient(Box<Omniscient>),
}

struct Player {
    text: String,
    mind: Mind,
    nodes: Option<u64>,
    level: Level,
}

impl Player {
    fn new(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let name = parts.next()?;
        let mind = match name {
            "omniscient" => Mind::Omniscient(Box::default()),
            _ => Mind::Engine((Septica::engines().iter().find(|e| e.name == name)?.make)()),
        };
        let mut player = Self { text: text.to_owned(), mind, nodes: None, level: Level::Max };
        for part in parts {
            match part.parse() {
                Ok(nodes) => player.nodes = Some(nodes),
                Err(_) => player.level = part.parse().ok()?,
            }
        }
        Some(player)
    }
}

/// The points of both seats, and how long the player took for how many decisions with a choice or without.
fn play(deal: u64, seed: &Seed, players: [&mut Player; 2]) -> (Vec<i32>, Duration, u32) {
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
        let mv = match &mut player.mind {
            Mind::Engine(engine) => engine.choose(&view, &mut Search::new(limits, &Patient)).mv,
            Mind::Omniscient(all) => all.choose(&state, seat),
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

fn main() {
    let (mut games, mut seed, mut names) = (2_000u64, 1u64, "page,points,page_leads,greedy".to_owned());
    let mut players = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().expect(HELP);
        match arg.as_str() {
            "--games" => games = value().parse().expect(HELP),
            "--seed" => seed = value().parse().expect(HELP),
            "--opponents" => names = value(),
            _ => players.push(Player::new(&arg).expect(HELP)),
        }
    }
    let seed = Seed::from(seed);
    println!("{:<24} {:<12} {:>16} {:>7} {:>9}", "player", "against", "won [95%]", "points", "ms/move");
    for player in &mut players {
        for name in names.split(',') {
            let mut other = Player::new(name).expect(HELP);
            let (mut won, mut points, mut time, mut decisions) = (0u64, 0, Duration::ZERO, 0);
            for deal in 0..games {
                let (scores, taken, made) = play(deal, &seed, [&mut other, player]);
                won += u64::from(scores[1] >= scores[0]);
                points += scores[1];
                time += taken;
                decisions += made;
            }
            let share = won as f64 / games as f64;
            let half = 1.96 * (share * (1.0 - share) / games as f64).sqrt();
            println!(
                "{:<24} {:<12} {:>7.2}% ± {:.2}% {:>7.3} {:>9.4}",
                player.text,
                name,
                100.0 * share,
                100.0 * half,
                f64::from(points) / games as f64,
                time.as_secs_f64() * 1e3 / f64::from(decisions),
            );
        }
    }
}
