//! The pictures of positions: each piece of a position is drawn as often as it is there, and no picture needs a font.

use std::collections::HashMap;

use engines::erased::AnyTable;
use engines::game::{Turn, Viewer};
use engines::picture::background;
use engines::rng::{Rng, Seed};
use serde_json::Value;

use crate::games_under_test;

/// How often each piece of a picture is used, by its name.
fn pieces(svg: &str) -> HashMap<String, usize> {
    let name_of = |part: &str| -> Option<(String, String)> {
        let (number, rest) = part.split_once("\" class=\"")?;
        Some((number.to_owned(), rest.split_once('"')?.0.to_owned()))
    };
    let names: HashMap<String, String> = svg.split("<g id=\"piece-").skip(1).filter_map(name_of).collect();
    let mut counts = HashMap::new();
    for used in svg.split("<use href=\"#piece-").skip(1) {
        let number = used.split_once('"').unwrap().0;
        *counts.entry(names[number].clone()).or_default() += 1;
    }
    counts
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().filter_map(Value::as_u64).collect()
}

/// The pieces that a picture of this position must have, at least so often.
fn expected(slug: &str, view: &Value) -> Vec<(String, usize)> {
    let all = |list: &Value| list.as_array().unwrap().clone();
    let mut found: HashMap<String, usize> = HashMap::new();
    let mut add = |name: String, count: usize| *found.entry(name).or_default() += count;
    match slug {
        "azul" => {
            let places = all(&view["displays"]).into_iter().chain([view["centre"].clone()]);
            for source in places {
                for (colour, count) in ["g", "o", "b", "y", "r"].iter().zip(numbers(&source)) {
                    add((*colour).to_owned(), count as usize);
                }
            }
            for line in all(&view["boards"]).iter().flat_map(|board| all(&board["lines"])) {
                if let Some(colour) = line["colour"].as_str() {
                    add(colour.to_owned(), line["count"].as_u64().unwrap() as usize);
                }
            }
            // Each wall shows all its tiles, those that are not laid yet faintly.
            ["g", "o", "b", "y", "r"].iter().for_each(|colour| add((*colour).to_owned(), 10));
            add("marker".to_owned(), 1);
        }
        "buraco" => {
            let melds =
                all(&view["melds"]).iter().flat_map(&all).flat_map(|meld| all(&meld)).collect::<Vec<_>>();
            for card in melds.iter().chain(&all(&view["pile"])) {
                add(card.as_str().unwrap().chars().last().unwrap().to_string(), 2);
            }
        }
        "septica" => {
            let trick = numbers(&view["trick"]);
            trick.iter().for_each(|rank| add(rank.to_string(), 1));
            for rank in all(&view["taken"]).iter().flat_map(numbers).chain(trick) {
                match rank {
                    7 => add("scissors".to_owned(), 1),
                    10 | 14 => add("star".to_owned(), 1),
                    _ => {}
                }
            }
        }
        "splendor" => {
            let held = all(&view["players"])
                .iter()
                .flat_map(|player| numbers(&player["nobles"]))
                .collect::<Vec<_>>();
            numbers(&view["nobles"]).into_iter().chain(held).for_each(|id| add(format!("noble {id}"), 1));
            ["red", "green", "blue", "white", "black", "gold"]
                .iter()
                .for_each(|name| add(format!("chip {name}"), 1));
        }
        _ => {}
    }
    found.into_iter().collect()
}

fn check(slug: &str, table: &dyn AnyTable) {
    let view = table.view(Viewer::Spectator);
    let svg = view.picture().unwrap_or_else(|| panic!("{slug} draws no picture"));
    assert!(svg.contains("viewBox=\"0 0 1200 630\"") && background(&svg).is_some(), "{slug}");
    assert!(!svg.contains("<text") && !svg.contains("NaN") && !svg.contains("inf"), "{slug}");
    assert!(
        !svg.contains("\"></g></defs>") && !svg.contains("fill=\"#000\""),
        "{slug}: a piece or colour that its board lacks"
    );
    let (drawn, json) = (pieces(&svg), view.to_json());
    for (name, count) in expected(slug, &json) {
        let there = drawn.get(&name).copied().unwrap_or_default();
        assert!(there >= count, "{slug}: {name} is drawn {there} times and there are {count}: {json}");
    }
}

#[test]
fn every_piece_of_a_position_is_in_its_picture() {
    for game in games_under_test() {
        let info = game.info();
        for (seats, seed) in
            (info.min_seats..=info.max_seats).flat_map(|seats| (0..4).map(move |seed| (seats, seed)))
        {
            let mut rng = Rng::new(&Seed::from(seed));
            let mut table = game.deal(&game.options_for(seats).unwrap(), &Seed::from(seed)).unwrap();
            check(info.slug, &*table);
            for ply in 0_u64.. {
                if table.turn() == Turn::Over || !table.play_random(&mut rng) {
                    break;
                }
                if ply % 7 == 0 {
                    check(info.slug, &*table);
                }
            }
            check(info.slug, &*table);
        }
    }
}
