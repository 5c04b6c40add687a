//! Measures two settings of Azul's search against each other on the same deals, with the seats exchanged.

use std::sync::Arc;
use std::time::Instant;

use engines::game::Seat;
use engines::games::azul::Move;
use engines::games::azul::engine::Position;
use engines::games::azul::engine::mid_round_net::MidRoundNet;
use engines::games::azul::engine::refill::refill;
use engines::games::azul::engine::round_end_net::RoundEndNet;
use engines::games::azul::engine::search::{AzulTree, Guide, rank_exactly};
use engines::search_kit::fast_rng::FastRng;

use crate::paired::{Clocks, Deal, Score};
use crate::parallel::in_order;

/// The arguments of `azul-measure`.
#[derive(clap::Args)]
pub(crate) struct MeasureArgs {
    /// A player: `FILE:ITERATIONS[,mid-round=FILE][,share=X][,least=X][,most=X][,exploration=X][,untried=X]
    /// [,outcome-growth=X][,temper=X][,spread=X][,exact=X][,most-nodes=N]`; the first file holds a round-end network, and
    /// `least=99` searches without the mid-round network's values
    first: String,
    /// Its opponent, in the same form
    second: String,
    /// Deals, each played twice
    #[arg(long, default_value_t = 100)]
    deals: u64,
    /// Seed of the deals
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads that play at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// A player in a measurement.
pub(super) struct Contestant {
    /// The guide of its search.
    pub guide: Guide,
    /// Iterations for each decision.
    pub iterations: u32,
}

impl Contestant {
    /// The move that its search chooses.
    pub(super) fn choose(&self, position: &Position, seed: u64) -> Move {
        let exact = rank_exactly(&self.guide, position, u64::from(self.iterations), &mut || true);
        let mut tree = AzulTree::with_exact(self.guide.clone(), *position, exact, seed);
        if tree.moves().nth(1).is_some() {
            (0..self.iterations).for_each(|_| tree.iterate());
        }
        tree.most_visited().mv
    }
}

/// The player that an argument describes.
pub(super) fn contestant(text: &str) -> Result<Contestant, String> {
    let wrong = || format!("{text:?} is not FILE:ITERATIONS[,NAME=NUMBER...]");
    let (file, rest) = text.split_once(':').ok_or_else(wrong)?;
    let mut parts = rest.split(',');
    let iterations = parts.next().and_then(|n| n.parse().ok()).ok_or_else(wrong)?;
    let bytes = std::fs::read(file).map_err(|e| format!("cannot read {file}: {e}"))?;
    let round_end_net = Arc::new(RoundEndNet::read(&bytes).map_err(|e| e.to_string())?);
    let mut guide = Guide { round_end_net, ..Guide::in_use() };
    for part in parts {
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        if name == "mid-round" {
            let bytes = std::fs::read(value).map_err(|e| format!("cannot read {value}: {e}"))?;
            guide.mid_round_net = Arc::new(MidRoundNet::read(&bytes).map_err(|e| e.to_string())?);
            continue;
        }
        let value: f32 = value.parse().map_err(|_| wrong())?;
        match name {
            "share" => guide.share = value,
            "least" => guide.both[0] = value as usize,
            "most" => guide.both[1] = value as usize,
            "exploration" => guide.tree.exploration = value,
            "untried" => guide.tree.untried = value,
            "outcome-growth" => guide.tree.outcome_growth = value,
            "temper" => guide.temper = value,
            "spread" => guide.spread = value,
            "exact" => guide.exact = value as u64,
            "most-nodes" => guide.tree.most_nodes = (value as usize).max(1),
            _ => return Err(wrong()),
        }
    }
    Ok(Contestant { guide, iterations })
}

/// One game in which the first player has the seat `own`: its score, 0 to 1, and its lead in points.
fn game(players: [&Contestant; 2], own: Seat, deal: u64, clocks: &mut Clocks) -> (f64, f64) {
    let (mut refills, mut seeds) = (FastRng::new(deal), FastRng::new(!deal));
    let mut position = Position::empty();
    while !position.has_row() {
        refill(&mut position, &mut refills);
        while !position.is_bare() {
            let player = usize::from(position.to_move != own);
            let started = Instant::now();
            let best = players[player].choose(&position, seeds.next_u64());
            clocks.add(player, started.elapsed());
            position.take(&best);
        }
        position.end_round();
    }
    let result = |seat: Seat| {
        let board = &position.boards[seat.index()];
        (board.score, board.wall.rows())
    };
    let (own, other) = (result(own), result(own.other()));
    (if own == other { 0.5 } else { f64::from(u8::from(own > other)) }, f64::from(own.0 - other.0))
}

/// The command.
pub(crate) fn run(args: &MeasureArgs) -> Result<(), String> {
    let [first, second] = [contestant(&args.first)?, contestant(&args.second)?];
    let played = in_order(args.deals, args.threads, |number| {
        let deal = FastRng::new(args.seed.wrapping_mul(7_919).wrapping_add(number)).next_u64();
        let mut clocks = Clocks::default();
        let games = [Seat(0), Seat(1)].map(|own| game([&first, &second], own, deal, &mut clocks));
        let [(there, lead), (back, other_lead)] = games;
        Some((Deal { score: (there + back) / 2.0, clocks }, (lead + other_lead) / 2.0))
    });
    let (deals, leads): (Vec<Deal>, Vec<f64>) = played.into_iter().unzip();
    let score = Score::of(&deals);
    let lead = leads.iter().sum::<f64>() / leads.len().max(1) as f64;
    let [own, other] = score.thought;
    println!(
        "{}: {score} against {}, lead {lead:.2} ({own:.2} : {other:.2} ms a move)",
        args.first, args.second
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: MeasureArgs,
    }

    #[test]
    fn players_are_read_and_the_longer_search_wins() {
        let round_end_net = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/games/azul/engine/round_end.net");
        let [strong, weak] = [format!("{round_end_net}:120,temper=5"), format!("{round_end_net}:2")];
        let [first, second] = [&strong, &weak].map(|text| contestant(text).unwrap());
        assert_eq!((first.iterations, first.guide.temper), (120, 5.0));
        let mut clocks = Clocks::default();
        let games = (0..10).flat_map(|deal| [(deal, Seat(0)), (deal, Seat(1))]);
        let won: f64 = games.map(|(deal, own)| game([&first, &second], own, deal, &mut clocks).0).sum();
        assert!(won >= 15.0, "{won} of 20");
        for wrong in ["", "no-file:10", &format!("{round_end_net}:x"), &format!("{round_end_net}:5,speed=1")]
        {
            assert!(contestant(wrong).is_err(), "{wrong}");
        }
        run(&Line::parse_from(["azul-measure", &weak, &weak, "--deals", "2", "--threads", "2"]).args)
            .unwrap();
    }
}
