//! `docs/encodings.md` shows the layouts of all games as they are.

use std::path::PathBuf;

use engines::encoding::Encoding;
use engines::games::GAMES;

use super::{RECORD, is_recording};

/// The line of the page after which the layouts follow.
const MARK: &str = "<!-- The rest is written by the test `page_shows_all_layouts`. -->\n";

fn shape(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

/// The two tables of a layout.
fn tables(title: &str, encoding: &Encoding) -> String {
    let mut text = format!(
        "\n## {title}\n\nVersion {}: {} values, {} actions.\n\n\
         | values from | field | shape | range | meaning |\n|---|---|---|---|---|\n",
        encoding.version,
        encoding.observation_len(),
        encoding.action_count()
    );
    let mut start = 0;
    for field in encoding.observation {
        let (low, high, meaning) = (field.low, field.high, field.meaning);
        text += &format!(
            "| {start} | `{}` | {} | {low} to {high} | {meaning} |\n",
            field.name,
            shape(field.shape)
        );
        start += field.shape.iter().product::<usize>();
    }
    text += "\n| actions from | block | shape | meaning |\n|---|---|---|---|\n";
    for (i, block) in encoding.actions.iter().enumerate() {
        let start = encoding.first_action(i);
        text += &format!("| {start} | `{}` | {} | {} |\n", block.name, shape(block.shape), block.meaning);
    }
    text
}

#[test]
fn page_shows_all_layouts() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/encodings.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (head, shown) = page.split_once(MARK).expect("the page has the mark");
    let games = GAMES.iter().filter_map(|game| Some(tables(game.info().title, game.encoding()?)));
    let layouts: String = games.collect();
    if is_recording() {
        std::fs::write(&file, format!("{head}{MARK}{layouts}")).unwrap();
    } else {
        assert_eq!(shown, layouts, "docs/encodings.md shows other layouts: run {RECORD}");
    }
}
