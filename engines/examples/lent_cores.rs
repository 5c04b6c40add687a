//! What a lent core brings to the engines that search: the nodes of a search, and the score in matches against the same engine on
//! one core, with the same time for each move, on the same deals with the seats exchanged.
//! `cargo run --release -p engines --example lent_cores GAME [MATCHES] [MILLISECONDS]`; it needs two idle cores.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engines::cores::Cores;
use engines::game::{Game, Seat, State as _, Turn, Viewer};
use engines::games::{azul::Azul, buraco::Buraco, splendor::Splendor};
use engines::rng::Seed;
use engines::search::{Limits, Search};
use engines::timer::Timer;

/// Lends one core at a time.
#[derive(Debug, Default)]
struct SecondCore(AtomicBool);

impl Cores for SecondCore {
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
    fn may_keep(&self) -> bool {
        true
    }
    fn give_back(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// The move of the game's own engine after this time, and the nodes of its search.
fn think<G: Game>(view: &G::View, time: Duration, seed: Seed, lent: bool) -> (G::Move, u64) {
    let timer = Timer::lasting(time);
    let timer = if lent { timer.lending(Arc::new(SecondCore::default())) } else { timer };
    let mut search = Search::new(Limits { seed, ..Limits::default() }, &timer);
    let mv = (G::engines()[0].make)().choose(view, &mut search).mv;
    (mv, search.nodes())
}

/// Plays a match in which this seat has a second core. Returns its score, 0 to 1, and the nodes of each seat and their decisions.
fn play<G: Game>(deal: u64, helped: Seat, time: Duration) -> (f64, [[u64; 2]; 2]) {
    let mut state = G::deal(&G::Options::default(), &Seed::from(deal)).expect("the usual options are valid");
    let mut nodes = [[0; 2]; 2];
    while let Turn::Of(seat) = state.turn() {
        let view = state.view(Viewer::Seat(seat));
        let (mv, searched) = think::<G>(&view, time, Seed::from(deal), seat == helped);
        let [all, decisions] = &mut nodes[usize::from(seat != helped)];
        *all += searched;
        *decisions += 1;
        state.play(&mv);
    }
    (state.outcome().map_or(0.5, |outcome| outcome.score(helped)), nodes)
}

fn measure<G: Game>(matches: u64, time: Duration) {
    let (mut scores, mut total) = (Vec::new(), [[0; 2]; 2]);
    for number in 0..matches {
        let (score, nodes) = play::<G>(number / 2, Seat((number % 2) as u8), time);
        scores.push(score);
        for (sum, new) in total.iter_mut().flatten().zip(nodes.as_flattened()) {
            *sum += new;
        }
    }
    let [two, one] = total.map(|[nodes, decisions]| nodes as f64 / decisions as f64);
    // The standard error by pairs: both matches of a deal.
    let pairs: Vec<f64> = scores.chunks(2).map(|pair| pair.iter().sum::<f64>() / pair.len() as f64).collect();
    let mean = pairs.iter().sum::<f64>() / pairs.len() as f64;
    let squares: f64 = pairs.iter().map(|score| (score - mean) * (score - mean)).sum();
    let error = (squares / (pairs.len() as f64 - 1.0) / pairs.len() as f64).sqrt();
    println!("nodes of a search: {two:.0} with a second core, {one:.0} without: {:.2} times", two / one);
    println!(
        "score with a second core: {:.1}% [{:.1}, {:.1}] in {matches} matches",
        100.0 * mean,
        100.0 * (mean - 1.96 * error),
        100.0 * (mean + 1.96 * error)
    );
}

fn main() {
    let mut words = std::env::args().skip(1);
    let game = words.next().unwrap_or_default();
    let mut number = |usual: u64| words.next().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (matches, time) = (number(100), Duration::from_millis(number(100)));
    match game.as_str() {
        "azul" => measure::<Azul>(matches, time),
        "buraco" => measure::<Buraco>(matches, time),
        "splendor" => measure::<Splendor>(matches, time),
        _ => println!("name azul, buraco or splendor"),
    }
}
