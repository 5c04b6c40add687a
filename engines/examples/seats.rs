//! cargo run --release -p engines --example seats -- GAME OPTIONS_JSON ENGINE OTHERS DEALS [nodes] [nodes of others]:
//! one seat, in turn each, held by ENGINE among OTHERS, on the same deals.
use engines::game::{Seat, Turn, Viewer};
use engines::rng::Seed;
use engines::search::{Limits, Patient};
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let game = engines::games::find(&a[0]).expect("game");
    let options: serde_json::Value = serde_json::from_str(&a[1]).expect("options");
    let deals: u64 = a[4].parse().expect("deals");
    let nodes = |i: usize| a.get(i).and_then(|n| n.parse().ok());
    let seats = game.deal(&options, &Seed::from(0)).expect("deal").seats();
    let (mut score, mut square) = (0.0, 0.0);
    for deal in 0..deals {
        let mut of_deal = 0.0;
        for own in 0..seats {
            let mut table = game.deal(&options, &Seed::from(deal)).expect("deal");
            while let Turn::Of(seat) = table.turn() {
                let (engine, nodes) = if seat.0 == own { (&a[2], nodes(5)) } else { (&a[3], nodes(6)) };
                let limits = Limits { nodes, seed: Seed::from(deal), ..Limits::default() };
                let answer =
                    table.view(Viewer::Seat(seat)).think(Some(engine), limits, &Patient).expect("think");
                table.play(seat, &answer.mv.notation).expect("play");
            }
            of_deal += table.outcome().expect("outcome").score(Seat(own)) / f64::from(seats);
        }
        score += of_deal;
        square += of_deal * of_deal;
    }
    let n = deals as f64;
    let mean = score / n;
    let error = 1.96 * ((square / n - mean * mean) / n).max(0.0).sqrt();
    println!(
        "{} among {} at {seats} seats: {:.1}% +- {:.1} of {} games, a fair share is {:.1}%",
        a[2],
        a[3],
        100.0 * mean,
        100.0 * error,
        deals * u64::from(seats),
        100.0 / f64::from(seats)
    );
}
