//! cargo run --release -p engines --example duel -- GAME ENGINE_A ENGINE_B PAIRS [nodes A] [nodes B]: paired deals.
use engines::game::{Seat, Turn, Viewer};
use engines::rng::Seed;
use engines::search::{Limits, Patient};
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let game = engines::games::find(&a[0]).expect("game");
    let (pairs, nodes): (u64, Vec<Option<u64>>) =
        (a[3].parse().expect("pairs"), (4..6).map(|i| a.get(i).and_then(|n| n.parse().ok())).collect());
    let (mut score, mut square, mut points) = (0.0, 0.0, [0i64; 2]);
    for pair in 0..pairs {
        let mut of_pair = 0.0;
        for swap in 0..2u8 {
            let mut table = game.deal(&serde_json::json!({}), &Seed::from(pair)).expect("deal");
            while let Turn::Of(seat) = table.turn() {
                let who = usize::from(seat.0 ^ swap);
                let limits = Limits { nodes: nodes[who], seed: Seed::from(pair), ..Limits::default() };
                let answer =
                    table.view(Viewer::Seat(seat)).think(Some(&a[1 + who]), limits, &Patient).expect("think");
                table.play(seat, &answer.mv.notation).expect("play");
            }
            let outcome = table.outcome().expect("outcome");
            of_pair += outcome.score(Seat(swap)) / 2.0;
            (0..2).for_each(|who| points[who] += i64::from(outcome.points[who ^ usize::from(swap)]));
        }
        score += of_pair;
        square += of_pair * of_pair;
    }
    let n = pairs as f64;
    let (mean, games) = (score / n, 2.0 * n);
    let error = 1.96 * ((square / n - mean * mean) / n).max(0.0).sqrt();
    println!(
        "{} vs {}: {:.1}% +- {:.1} in {games} games; mean points {:.2} : {:.2}",
        a[1],
        a[2],
        100.0 * mean,
        100.0 * error,
        points[0] as f64 / games,
        points[1] as f64 / games
    );
}
