//! Tests of the tables of cards and nobles, and of the text of moves.

use super::*;
use crate::games::splendor::rules::COLORS;

#[test]
fn tables_are_the_published_ones() {
    let names = ["red", "green", "blue", "white", "black"];
    let rows: Vec<Vec<&str>> =
        include_str!("../cards.csv").lines().skip(1).map(|l| l.split(',').collect()).collect();
    assert_eq!(rows.len(), 90);
    for (card, row) in cards().zip(&rows) {
        let cost = card.cost.map(|n| n.to_string());
        let read = [card.id, card.level + 1].map(|n| n.to_string());
        assert_eq!(row[..2], read);
        assert_eq!(row[2], names[usize::from(card.bonus)]);
        assert_eq!(row[3], card.points.to_string());
        assert_eq!(row[4..], cost);
    }
    // The balance of the printed game: 8, 6 and 4 cards of each colour, and equal demand for all colours.
    for (level, each) in [8, 6, 4].into_iter().enumerate() {
        let of_level = || cards().filter(|c| usize::from(c.level) == level);
        assert!(of_level().all(|c| ids_of(level).contains(&c.id)));
        for color in 0..COLORS {
            assert_eq!(of_level().filter(|c| usize::from(c.bonus) == color).count(), each);
        }
        let asked: Vec<u32> =
            (0..COLORS).map(|c| of_level().map(|card| u32::from(card.cost[c])).sum()).collect();
        assert!(asked.iter().all(|n| *n == asked[0]), "level {level} asks for {asked:?}");
    }
    assert_eq!(cards().map(|c| u32::from(c.points)).sum::<u32>(), 5 + 55 + 80);
    let rows: Vec<Vec<u8>> = include_str!("../nobles.csv")
        .lines()
        .skip(1)
        .map(|l| l.split(',').map(|n| n.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let noble = noble(row[0]);
        assert_eq!((noble.id, noble.points, &noble.needs[..]), (row[0], row[1], &row[2..]));
        assert!(matches!((noble.points, noble.needs.iter().sum()), (3, 8 | 9)));
    }
}

#[test]
fn browser_board_has_the_same_tables() {
    let drawn = include_str!("../board/cards.js");
    for table in [include_str!("../cards.csv"), include_str!("../nobles.csv")] {
        assert!(drawn.contains(&format!("= `\\\n{table}`;")), "board/cards.js lacks this table:\n{table}");
    }
}

#[test]
fn every_order_of_colours_is_the_same_move() {
    for (text, canonical) in [
        ("1 3 2 0 1", "1 3 0 1 2"),
        ("1 2 0 2 0 2", "1 2 0 2 0 2"),
        ("1 2 2 0 2 0", "1 2 0 2 0 2"),
        ("1 3 4 3 2 4 0 0", "1 3 2 3 4 0 0 4"),
        (" 1\t0 ", "1 0"),
        ("2 3 4 1", "2 3 1 4"),
        ("3 -2", "3 -2"),
        ("3 90 0", "3 90 0"),
        ("4 17", "4 17"),
        ("0", "0"),
    ] {
        assert_eq!(mv(text).to_string(), canonical);
        assert_eq!(mv(canonical), mv(text));
        let json = serde_json::to_string(&mv(text)).unwrap();
        assert_eq!(serde_json::from_str::<Move>(&json).unwrap(), mv(text), "{json}");
    }
    let json = r#"{"action":"take","colors":["blue","red"]}"#;
    assert_eq!(serde_json::from_str::<Move>(json).unwrap(), mv("1 2 0 2"));
    for text in [
        "",
        "1",
        "1 4 0 1 2 3",
        "1 3 0 1",
        "1 2 0 0",
        "1 3 0 1 5",
        "1 3 0 1 2 5",
        "1 3 0 1 2 0 0 0 0",
        "2",
        "2 5",
        "2 -1",
        "2 0 1 1 1 1",
        "3",
        "3 0",
        "3 91",
        "3 -4",
        "3 -128",
        "4",
        "4 0",
        "4 -1",
        "4 1 0",
        "5 1",
        "1 01 0",
        "+1 0",
        "1.0 0",
        "1 0x",
        "1 -0",
        "0 0",
        "1 3 0 1 256",
        "4 257",
        "-1",
        "99999999999",
    ] {
        assert!(text.parse::<Move>().is_err(), "{text:?} is read as a move");
    }
}
