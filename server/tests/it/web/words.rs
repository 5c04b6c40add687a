//! Every word that the pages use is there, and every word that is there is used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{files, quoted};

#[test]
fn words_are_there_and_used() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let words = std::fs::read_to_string(here.join("web/en.json")).unwrap();
    let words: BTreeMap<String, String> = serde_json::from_str(&words).unwrap();
    let mut sources: Vec<_> =
        files().into_iter().filter(|(path, _)| path.ends_with(".js")).map(|(_, file)| file).collect();
    // The boards have words of their own.
    sources.retain(|file| !file.components().any(|part| part.as_os_str() == "board"));
    let pages = std::fs::read_dir(here.join("src/web")).unwrap();
    sources.extend(pages.map(|entry| entry.unwrap().path()));
    let (mut used, mut begun) = (BTreeSet::new(), BTreeSet::new());
    for file in sources {
        let text = std::fs::read_to_string(&file).unwrap();
        for before in ["t(", "say("] {
            for word in quoted(&text, before) {
                used.insert((word.to_owned(), file.clone()));
            }
        }
        // A word whose end is worked out: all that begin so may be meant. And names that stand alone, to be looked up
        // where they are needed.
        begun.extend(text.split("t(`").skip(1).filter_map(|rest| Some(rest.split_once("${")?.0.to_owned())));
        let alone = text.split(['"', '\'']).filter(|word| words.contains_key(*word));
        used.extend(alone.map(|word| (word.to_owned(), file.clone())));
    }
    for (word, file) in &used {
        assert!(words.contains_key(word) || !word.contains('.'), "{file:?} uses {word}, which en.json lacks");
    }
    for word in words.keys() {
        let used =
            used.iter().any(|(name, _)| name == word) || begun.iter().any(|begin| word.starts_with(begin));
        assert!(used, "nobody uses {word}");
    }
}
