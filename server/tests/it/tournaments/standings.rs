//! Standings computed from the downloaded records alone, independently of the server's code.

use std::collections::{BTreeMap, HashMap};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn bytes(hex: &Value) -> Vec<u8> {
    let text = hex.as_str().unwrap();
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The names of a record's seats, as players.
fn players(record: &Value) -> Vec<String> {
    let events = record["events"].as_array().unwrap();
    let seats = events[0]["seats"].as_array().unwrap();
    let name = |(seat, setup): (usize, &Value)| {
        if setup["kind"] == "engine" {
            let (engine, level) = (setup["engine"].as_str().unwrap(), setup["level"].as_str().unwrap());
            return format!("{}:{engine}:{}:{level}", record["game"].as_str().unwrap(), setup["version"]);
        }
        let joined = events.iter().find(|event| event["type"] == "joined" && event["seat"] == seat);
        joined.unwrap()["name"].as_str().unwrap().to_owned()
    };
    seats.iter().enumerate().map(name).collect()
}

/// Checks that the secret is what the tournament committed to, that all deals follow from it, that games exchange seats on
/// the same deals, and that the standings are those of the records.
#[track_caller]
pub(crate) fn assert_follow_from(page: &Value, records: &[Value]) {
    let (secret, salt) = (bytes(&page["secret"]), bytes(&page["salt"]));
    let committed = Sha256::new().chain_update(&salt).chain_update(&secret).finalize();
    assert_eq!(page["commitment"], hex(&committed));
    let by_id: HashMap<&str, &Value> =
        records.iter().map(|record| (record["id"].as_str().unwrap(), record)).collect();
    let entrants: Vec<&str> = page["entrants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entrant| entrant["name"].as_str().unwrap())
        .collect();
    let mut sums = vec![(0.0, 0_u64, 0_u64); entrants.len()];
    let mut direct: BTreeMap<(usize, usize), (f64, u64)> = BTreeMap::new();
    let mut deals: BTreeMap<u64, Vec<Vec<usize>>> = BTreeMap::new();
    for game in page["games"].as_array().unwrap() {
        let record = by_id[game["match"].as_str().expect("every game was played")];
        let seats: Vec<usize> =
            game["seats"].as_array().unwrap().iter().map(|seat| seat.as_u64().unwrap() as usize).collect();
        let names: Vec<&str> = seats.iter().map(|entrant| entrants[*entrant]).collect();
        assert_eq!(players(record), names);
        let deal = game["deal"].as_u64().unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
        mac.update(format!("deal {deal}").as_bytes());
        assert_eq!(record["seed"], hex(&mac.finalize().into_bytes()), "deal {deal}");
        deals.entry(deal).or_default().push(seats.clone());
        let last = record["events"].as_array().unwrap().last().unwrap();
        let ranks: Vec<u64> =
            last["result"]["ranks"].as_array().unwrap().iter().map(|rank| rank.as_u64().unwrap()).collect();
        for (own, entrant) in seats.iter().enumerate() {
            let mut points = 0.0;
            for (other, opponent) in seats.iter().enumerate().filter(|(other, _)| *other != own) {
                let versus = match ranks[own].cmp(&ranks[other]) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
                points += versus;
                let cell = direct.entry((*entrant, *opponent)).or_default();
                *cell = (cell.0 + versus, cell.1 + 1);
            }
            let score = points / (seats.len() - 1) as f64;
            let sum = &mut sums[*entrant];
            *sum = (sum.0 + score, sum.1 + 1, sum.2 + u64::from(score == 1.0));
        }
    }
    for games in deals.values() {
        assert_eq!(games.len(), games[0].len(), "each deal was played once for each seat");
        for (turn, seats) in games.iter().enumerate() {
            let mut rotated = games[0].clone();
            rotated.rotate_left(turn);
            assert_eq!(*seats, rotated, "the entrants change seats");
        }
    }
    let standings = page["standings"].as_array().unwrap();
    assert_eq!(standings.len(), entrants.len());
    for line in standings {
        let (points, games, won) = sums[line["entrant"].as_u64().unwrap() as usize];
        assert_eq!((line["points"].as_f64(), line["games"].as_u64()), (Some(points), Some(games)), "{line}");
        assert_eq!(line["won"].as_u64(), Some(won), "{line}");
    }
    assert!(standings.is_sorted_by(|a, b| a["points"].as_f64() >= b["points"].as_f64()));
    let shown: BTreeMap<(usize, usize), (f64, u64)> = page["crosstable"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| {
            let number = |field: &str| cell[field].as_u64().unwrap();
            let pair = (number("entrant") as usize, number("opponent") as usize);
            (pair, (cell["points"].as_f64().unwrap(), number("games")))
        })
        .collect();
    assert_eq!(shown, direct);
}
