//! The numeric forms of games through the erased interface: whole matches by index, refusals, layouts that stay as they are.

mod golden;
mod measure;
mod page;
mod play;

use engines::encoding::Encoding;
use engines::erased::AnyGame;

use crate::games_under_test;

/// The games with a numeric form. All games of this repository have one.
fn encoded_games() -> impl Iterator<Item = (&'static dyn AnyGame, &'static Encoding)> {
    games_under_test().into_iter().filter_map(|game| Some((game, game.encoding()?)))
}

/// Whether the files that hold layouts are to be written.
fn is_recording() -> bool {
    std::env::var_os("KIBITZ_RECORD").is_some()
}

/// How to write them.
const RECORD: &str = "KIBITZ_RECORD=1 cargo test -p engines --test conformance encodings";

#[test]
fn layouts_are_well_formed() {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    for (game, encoding) in encoded_games() {
        let slug = game.info().slug;
        assert!(encoding.version >= 1, "{slug}");
        let fields = encoding.observation.iter().map(|field| (field.name, field.shape, field.meaning));
        let blocks = encoding.actions.iter().map(|block| (block.name, block.shape, block.meaning));
        for parts in [fields.collect::<Vec<_>>(), blocks.collect()] {
            for (i, (name, shape, meaning)) in parts.iter().enumerate() {
                assert!(is_name(name) && parts[..i].iter().all(|other| other.0 != *name), "{slug}: {name}");
                assert!(!shape.is_empty() && !shape.contains(&0), "{slug}: {name} has the shape {shape:?}");
                assert!(meaning.ends_with('.') && !meaning.contains('|'), "{slug}: {name}: {meaning}");
            }
        }
        assert!(encoding.observation.iter().all(|field| field.low < field.high), "{slug}");
        let sizes = encoding.observation.iter().map(|field| field.shape.iter().product::<usize>());
        assert_eq!(sizes.sum::<usize>(), encoding.observation_len(), "{slug}");
        let mut blocks = (0..=encoding.actions.len()).map(|block| encoding.first_action(block));
        assert!(blocks.clone().is_sorted() && blocks.next_back() == Some(encoding.action_count()), "{slug}");
    }
}
