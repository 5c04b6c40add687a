//! Records of matches of every game, true ones and ones that somebody has changed.

mod driver;

use engines::any::AnyGame;
use engines::games::GAMES;
use serde_json::Value;

use super::verdict;
use crate::host::event::Stamped;
use crate::host::record::Record;
use driver::{Plan, play};

const ID: &str = "0198c0de-1111-7000-8000-000000000000";

fn record(game: &'static dyn AnyGame, plan: Plan) -> Record {
    Record::of(ID, &play(game, plan)).unwrap()
}

fn plans(game: &dyn AnyGame, seeds: u64) -> Vec<Plan> {
    let info = game.info();
    let plan = |seed: u64| {
        let seats = info.min_seats + (seed % u64::from(info.max_seats - info.min_seats + 1)) as u8;
        Plan { seats, seed, clock: seed % 3 != 0, trouble: [0, 5, 60, 200][seed as usize / 2 % 4] }
    };
    (0..seeds).map(plan).collect()
}

#[test]
fn what_happened_is_true() {
    for game in GAMES {
        let mut sum = 0;
        for plan in plans(*game, 24) {
            let record = record(*game, plan);
            let text = record.to_json();
            let result = verdict(text.as_bytes());
            let told = result.unwrap_or_else(|e| panic!("{plan:?}: {e}\n{text}"));
            eprintln!("{plan:?} {} {told}", text.len());
            sum += text.len();
        }
    }
}
