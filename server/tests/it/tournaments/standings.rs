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

/// The points of all games of duplicate deals by the rule in `docs/tournaments.md`: a half, plus the own score, minus the mean
/// of the other scores of the deal from the same seat and of seven drawn results. `games`: the deals and the scores by seat.
fn compared(games: &[(u64, Vec<f64>)]) -> Vec<Vec<f64>> {
    let points = |(number, (deal, scores)): (usize, &(u64, Vec<f64>))| {
        let of_seat = |(seat, own): (usize, &f64)| {
            let others = games.iter().enumerate().filter(|(other, game)| *other != number && game.0 == *deal);
            let others: Vec<f64> = others.map(|(_, game)| game.1[seat]).collect();
            0.5 + own - (others.iter().sum::<f64>() + 7.0 * 0.5) / (others.len() + 7) as f64
        };
        scores.iter().enumerate().map(of_seat).collect()
    };
    games.iter().enumerate().map(points).collect()
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
    let mut sums = vec![(0.0, 0_u64, 0_u64); entrants.len()];
    let mut seatings: Vec<Vec<usize>> = Vec::new();
    let mut games: Vec<(u64, Vec<f64>)> = Vec::new();
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
        let mut scores = Vec::new();
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
            *sum = (sum.0, sum.1 + 1, sum.2 + u64::from(score == 1.0));
            scores.push(score);
        }
        seatings.push(seats);
        games.push((deal, scores));
    }
    let mirrored = page["dealing"] == "mirror";
    let points =
        if mirrored { games.into_iter().map(|(_, scores)| scores).collect() } else { compared(&games) };
    for (seats, points) in seatings.iter().zip(&points) {
        seats.iter().zip(points).for_each(|(entrant, points)| sums[*entrant].0 += points);
    }
    for games in deals.values() {
        if !mirrored {
            let mut entrants: Vec<usize> = games.iter().flatten().copied().collect();
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
    let standings = page["standings"].as_array().unwrap();
    assert_eq!(standings.len(), entrants.len());
    for line in standings {
        let (points, games, won) = sums[line["entrant"].as_u64().unwrap() as usize];
        assert!((line["points"].as_f64().unwrap() - points).abs() < 1e-9, "{line}: {points}");
        assert_eq!(line["games"].as_u64(), Some(games), "{line}");
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
