//! What the numbers of a position cost.

use std::hint::black_box;
use std::time::Instant;

use engines::erased::Position;
use engines::game::{Turn, Viewer};
use engines::rng::{Rng, Seed};

use super::encoded_games;

/// Times each position is encoded.
const REPEATS: u32 = 20;

/// Microseconds of `each` for one position.
fn mean_us(positions: &[Box<dyn Position>], mut each: impl FnMut(&dyn Position)) -> f64 {
    let start = Instant::now();
    (0..REPEATS).for_each(|_| positions.iter().for_each(|position| each(position.as_ref())));
    start.elapsed().as_secs_f64() * 1e6 / f64::from(REPEATS) / positions.len() as f64
}

#[test]
#[ignore = "a measurement of some seconds; run it with --release and --nocapture"]
fn cost_of_observations_and_masks() {
    for (game, encoding) in encoded_games() {
        let info = game.info();
        let mut positions = Vec::new();
        for seed in 0..40 {
            let options = game.options_for(2.clamp(info.min_seats, info.max_seats)).unwrap();
            let mut table = game.deal(&options, &Seed::from(seed)).unwrap();
            let mut rng = Rng::stream(&Seed::from(seed), 5);
            while let Turn::Of(seat) = table.turn() {
                let view = table.view(Viewer::Seat(seat));
                table.play(seat, &rng.pick(&view.legal_moves()).unwrap().notation).unwrap();
                positions.push(view);
            }
        }
        let mut observation = vec![0; encoding.observation_len()];
        let mut mask = vec![false; encoding.action_count()];
        let observe = mean_us(&positions, |view| view.observe_into(black_box(&mut observation)).unwrap());
        let masks = mean_us(&positions, |view| view.mask_into(black_box(&mut mask)).unwrap());
        let moves: usize = positions.iter().map(|view| view.legal_moves().len()).sum();
        let moves = moves as f64 / positions.len() as f64;
        println!("{}: observe {observe:.2} µs, mask {masks:.2} µs, {moves:.1} moves", info.slug);
    }
}
