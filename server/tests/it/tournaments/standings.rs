//! Standings computed from the downloaded files alone, independently of the server's code.

use std::collections::{BTreeMap, HashMap};
use std::process::Command;

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

/// Checks that the standings of the page, and of the CSV, are those that another program computes from the records.
#[track_caller]
pub(crate) fn assert_recomputed(page: &Value, records: &[Value], csv: Option<&str>) {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
    let files = [
        ("tournament.json", Some(page.to_string())),
        ("records.ndjson", Some(lines.concat())),
        ("standings.csv", csv.map(str::to_owned)),
    ];
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/recompute-standings"));
    for (name, content) in files {
        if let Some(content) = content {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            command.arg(path);
        }
    }
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Checks that the secret is what the tournament committed to, that all deals follow from it, that nobody plays a deal twice
/// (or, where deals are mirrored, that entrants exchange seats), and that the standings are those of the records.
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
            for (other, opponent) in seats.iter().enumerate().filter(|(other, _)| *other != own) {
                let versus = match ranks[own].cmp(&ranks[other]) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
                let cell = direct.entry((*entrant, *opponent)).or_default();
                *cell = (cell.0 + versus, cell.1 + 1);
            }
        }
    }
    let mirrored = page["dealing"] == "mirror";
    for games in deals.values() {
        if !mirrored {
            // The fixed opponents of a gauntlet are engines, which remember nothing.
            let is_opponent = |entrant: &usize| page["entrants"][*entrant]["opponent"] == true;
            let mut entrants: Vec<usize> =
                games.iter().flatten().copied().filter(|entrant| !is_opponent(entrant)).collect();
            entrants.sort_unstable();
            assert!(entrants.windows(2).all(|two| two[0] != two[1]), "nobody plays a deal twice: {games:?}");
            continue;
        }
        assert_eq!(games.len(), games[0].len(), "each deal was played once for each seat");
        for (turn, seats) in games.iter().enumerate() {
            let mut rotated = games[0].clone();
            rotated.rotate_left(turn);
            assert_eq!(*seats, rotated, "the entrants change seats");
        }
    }
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
    assert_recomputed(page, records, None);
}
