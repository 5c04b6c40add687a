//! Every text that the pages use exists, and every text that exists is used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{files, in_quotes};

/// The quoted first arguments of the calls of a function, not of another one whose name only ends like it.
fn first_arguments<'a>(text: &'a str, function: &'a str) -> impl Iterator<Item = &'a str> {
    let calls = text.match_indices(function).filter(|(at, _)| !text[..*at].ends_with(char::is_alphanumeric));
    calls.filter_map(move |(at, _)| in_quotes(&text[at + function.len()..]))
}

#[test]
fn texts_exist_and_are_used() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let words = std::fs::read_to_string(here.join("web/en.json")).unwrap();
    let words: BTreeMap<String, serde_json::Value> = serde_json::from_str(&words).unwrap();
    // The games' boards have texts of their own.
    let modules =
        files().into_iter().filter(|(path, _)| path.ends_with(".js") && !path.starts_with("/web/games/"));
    let mut sources: Vec<_> = modules.map(|(_, file)| file).collect();
    let rust = ["src/web", "src/web/files", "src/web/pages"];
    let entries = rust.iter().flat_map(|folder| std::fs::read_dir(here.join(folder)).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    sources.extend(paths.filter(|path| path.is_file()));
    let (mut used, mut begun) = (BTreeSet::new(), BTreeSet::new());
    for file in sources {
        let text = std::fs::read_to_string(&file).unwrap();
        for function in ["t(", "say("] {
            used.extend(first_arguments(&text, function).map(|word| (word.to_owned(), file.clone())));
        }
        // A key whose end is computed uses every key with the same beginning. A key in quotes elsewhere is looked up
        // later.
        begun.extend(text.split("t(`").skip(1).filter_map(|rest| Some(rest.split_once("${")?.0.to_owned())));
        let alone = text.split(['"', '\'']).filter(|word| words.contains_key(*word));
        used.extend(alone.map(|word| (word.to_owned(), file.clone())));
    }
    for (word, file) in &used {
        // The texts of rules and tips are the games'.
        let of_game = ["rule.", "tip."].iter().any(|begin| word.starts_with(begin));
        let is_key = word.contains('.') && !of_game;
        assert!(words.contains_key(word) || !is_key, "{file:?} uses {word}, which en.json lacks");
    }
    for word in words.keys() {
        let used =
            used.iter().any(|(name, _)| name == word) || begun.iter().any(|begin| word.starts_with(begin));
        assert!(used, "{word} is unused");
    }
}

/// A table of the pages' texts.
fn table(language: &str) -> BTreeMap<String, serde_json::Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("web/{language}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_problem_has_a_text_in_every_language() {
    for language in ["en", "ro", "pt"] {
        let words = table(language);
        for code in kibitz::error::Code::ALL {
            let text = words.get(&format!("problem.{}", code.name())).and_then(|text| text.as_str());
            assert!(text.is_some_and(|text| !text.is_empty()), "{language} lacks a text for {}", code.name());
        }
    }
}

#[test]
fn guests_have_as_many_names_in_every_language() {
    for language in ["en", "ro", "pt", "pt-BR"] {
        for list in ["guest.adjectives", "guest.animals"] {
            let words = table(language);
            // Brazil shares the words of Portugal that it does not change.
            if !words.contains_key(list) && language == "pt-BR" {
                continue;
            }
            let words: Vec<_> = words[list].as_str().unwrap().split(' ').collect();
            let different: BTreeSet<_> = words.iter().collect();
            assert_eq!((words.len(), different.len()), (30, 30), "{language}: {list}");
        }
    }
}
