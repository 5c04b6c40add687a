use engines::game::{Seat, Turn, Viewer};
use engines::rng::Seed;
use engines::search::{Limits, Patient};
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let game = engines::games::find("buraco").unwrap();
    let nodes: u64 = a[2].parse().unwrap();
    let show = a.len() > 3;
    let (mut plies, mut used, mut searched, mut time, mut ends, mut pts) = (0u64, 0u64, 0u64, 0.0, 0, vec![]);
    let n = 10;
    for s in 0..n {
        let mut table = game.deal(&serde_json::json!({}), &Seed::from(s)).unwrap();
        while let Turn::Of(seat) = table.turn() {
            let limits =
                Limits { nodes: Some(nodes), seed: Seed::from(s), candidates: 5, ..Limits::default() };
            let t = std::time::Instant::now();
            let view = table.view(Viewer::Seat(seat));
            let ans = view.think(Some(&a[seat.index()]), limits, &Patient).unwrap();
            if ans.nodes > 1 {
                used += ans.nodes;
                searched += 1;
                time += t.elapsed().as_secs_f64();
            }
            if show && s < 2 {
                let j = view.to_json();
                println!(
                    "seat {seat} stock {} pile {} hands {} hand {}",
                    j["stock"],
                    j["pile"].as_array().unwrap().len(),
                    j["hand_sizes"],
                    j["hand"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|c| c.as_str().unwrap())
                        .collect::<Vec<_>>()
                        .join(" ")
                );
                println!(
                    "    {}  v={:.3} n={} depth {} {:?}",
                    ans.mv.notation,
                    ans.value,
                    ans.nodes,
                    ans.depth,
                    ans.candidates
                        .iter()
                        .map(|c| format!("{} {:.3} {}", c.mv.notation, c.value, c.visits))
                        .collect::<Vec<_>>()
                );
            }
            plies += 1;
            table.play(seat, &ans.mv.notation).unwrap();
        }
        let o = table.outcome().unwrap();
        if o.reason.contains("hand") {
            ends += 1;
        }
        if show && s < 2 {
            println!("{o:?}");
        }
        pts.push(o.points);
    }
    println!(
        "plies/game {} decisions/game {} us/node {:.3} ms/decision {:.2} by hand {ends}/{n} {pts:?}",
        plies / n,
        searched / n,
        1e6 * time / used as f64,
        1e3 * time / searched as f64
    );
}
