//! Measures two settings of Azul's search against each other on the same deals, with the seats exchanged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use engines::games::azul::engine::Position;
use engines::games::azul::engine::outlook::Outlook;
use engines::games::azul::engine::refill::refill;
use engines::games::azul::engine::search::{AzulTree, Guide};
use engines::search_kit::fast_rng::FastRng;

/// The arguments of `azul-measure`.
#[derive(clap::Args)]
pub(crate) struct MeasureArgs {
    /// Two players: `FILE:ITERATIONS[,exploration=X,untried=X,growth=X,temper=X,spread=X]`, where FILE holds an outlook
    #[arg(num_args = 2, required = true)]
    players: Vec<String>,
    /// Deals, each played twice
    #[arg(long, default_value_t = 100)]
    deals: u64,
    /// Seed of the deals and searches
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at once
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// A player in a measurement.
struct Contestant {
    guide: Guide,
    iterations: u32,
}

/// The player that an argument describes.
fn contestant(text: &str) -> Result<Contestant, String> {
    let wrong = || format!("{text:?} is not FILE:ITERATIONS[,NAME=NUMBER...]");
    let (file, rest) = text.split_once(':').ok_or_else(wrong)?;
    let mut parts = rest.split(',');
    let iterations = parts.next().and_then(|n| n.parse().ok()).ok_or_else(wrong)?;
    let bytes = std::fs::read(file).map_err(|e| format!("cannot read {file}: {e}"))?;
    let outlook = Arc::new(Outlook::read(&bytes).map_err(|e| e.to_string())?);
    let mut guide = Guide { outlook, ..Guide::in_use() };
    for part in parts {
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        let value: f32 = value.parse().map_err(|_| wrong())?;
        match name {
            "exploration" => guide.tree.exploration = value,
            "untried" => guide.tree.untried = value,
            "growth" => guide.tree.outcome_growth = value,
            "temper" => guide.temper = value,
            "spread" => guide.spread = value,
            _ => return Err(wrong()),
        }
    }
    Ok(Contestant { guide, iterations })
}

/// Thinking time and the number of moves.
#[derive(Clone, Copy, Default)]
struct Clock {
    time: Duration,
    moves: u32,
}

impl Clock {
    fn add(&mut self, other: Self) {
        self.time += other.time;
        self.moves += other.moves;
    }

    fn milliseconds_a_move(&self) -> f64 {
        1e3 * self.time.as_secs_f64() / f64::from(self.moves.max(1))
    }
}

/// A deal played twice: the first player's score (0 to 1) and lead in points, both as means of the two games.
struct Pair {
    score: f64,
    lead: f64,
}

/// One game: the score and the lead of the first player, who has seat 0.
fn game(players: [&Contestant; 2], deal: u64, clocks: [&mut Clock; 2]) -> Pair {
    let (mut refills, mut seeds) = (FastRng::new(deal), FastRng::new(!deal));
    let mut position = Position::empty();
    while !position.has_row() {
        refill(&mut position, &mut refills);
        while !position.is_bare() {
            let seat = position.to_move.index();
            let started = Instant::now();
            let mut tree = AzulTree::new(players[seat].guide.clone(), position, seeds.next_u64());
            if tree.moves().nth(1).is_some() {
                (0..players[seat].iterations).for_each(|_| tree.iterate());
            }
            let best = tree.most_visited().mv;
            clocks[seat].add(Clock { time: started.elapsed(), moves: 1 });
            position.take(&best);
        }
        position.end_round();
    }
    let [a, b] = position.boards.map(|board| (board.score, board.wall.rows()));
    let score = if a == b { 0.5 } else { f64::from(u8::from(a > b)) };
    Pair { score, lead: f64::from(a.0 - b.0) }
}

/// A deal with the seats exchanged.
fn pair(players: &[Contestant; 2], deal: u64, clocks: &mut [Clock; 2]) -> Pair {
    let [a, b] = players;
    let [first, second] = clocks;
    let there = game([a, b], deal, [&mut *first, &mut *second]);
    let back = game([b, a], deal, [second, first]);
    Pair { score: (there.score + 1.0 - back.score) / 2.0, lead: (there.lead - back.lead) / 2.0 }
}

/// The command.
pub(crate) fn run(args: &MeasureArgs) -> Result<(), String> {
    let players = [contestant(&args.players[0])?, contestant(&args.players[1])?];
    let next = AtomicU64::new(0);
    let work = || {
        let (mut own, mut clocks) = (Vec::new(), [Clock::default(); 2]);
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= args.deals {
                return (own, clocks);
            }
            let deal = FastRng::new(args.seed.wrapping_mul(7_919).wrapping_add(number)).next_u64();
            own.push(pair(&players, deal, &mut clocks));
        }
    };
    let (mut pairs, mut clocks) = (Vec::new(), [Clock::default(); 2]);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..args.threads.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let (own, used) = worker.join().expect("measured games do not panic");
            pairs.extend(own);
            clocks.iter_mut().zip(used).for_each(|(clock, used)| clock.add(used));
        }
    });
    let n = pairs.len().max(1) as f64;
    let mean = |of: &dyn Fn(&Pair) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let score = mean(&|pair| pair.score);
    let variance = mean(&|pair| (pair.score - score).powi(2)) * n / (n - 1.0).max(1.0);
    println!(
        "{}: {:.1}% ± {:.1} against {}, lead {:.2} ({:.2} : {:.2} ms a move)",
        args.players[0],
        100.0 * score,
        196.0 * (variance / n).sqrt(),
        args.players[1],
        mean(&|pair| pair.lead),
        clocks[0].milliseconds_a_move(),
        clocks[1].milliseconds_a_move(),
    );
    Ok(())
}
