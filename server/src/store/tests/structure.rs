//! The shape of the store's sources: narrow traits, ordinary functions, and no statement that no test prepares.

use std::fs;
use std::path::{Path, PathBuf};

/// The most methods of a trait.
const METHODS: usize = 15;

/// The sources of the store in this folder and below it, without its tests.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let (mut folders, mut found) =
        (vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store").join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.ends_with("tests") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}

/// A list of statements is written by hand, so a statement can be missing in it.
#[test]
fn every_statement_is_in_a_list_of_those_to_prepare() {
    let mut count = 0;
    for (path, source) in sources("queries") {
        let lists: Vec<&str> =
            source.split("#[cfg(test)]\n").skip(1).map(|rest| rest.split("\n\n").next().unwrap()).collect();
        let lists = lists.join("\n");
        let listed: Vec<&str> = lists.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
        for name in source.split("const ").skip(1).filter_map(|rest| rest.split_once(": Statement =")) {
            let name = name.0;
            assert!(listed.contains(&name), "{}: {name} is in no list", path.display());
            count += 1;
        }
    }
    assert!(count > 100, "{count} statements were found");
}

#[test]
fn traits_are_narrow() {
    let mut traits = 0;
    for (path, source) in sources("topics") {
        for rest in source.split("\npub trait ").skip(1) {
            let body = rest.split("\n}\n").next().unwrap();
            let methods = body.lines().filter(|line| line.starts_with("    fn ")).count();
            assert!(methods <= METHODS, "{}: {methods} methods", path.display());
            traits += 1;
        }
    }
    assert!(traits >= 10, "{traits} traits were found");
}

/// A search for the name of a function must find its definition.
#[test]
fn macros_define_no_functions() {
    let sources = sources(".");
    assert!(sources.len() > 60, "{} files", sources.len());
    for (path, source) in sources {
        for rest in source.split("macro_rules! ").skip(1) {
            let body = rest.split("\n}\n").next().unwrap();
            let defines = body.lines().any(|line| {
                let line = line.trim_start();
                ["fn ", "pub fn ", "async fn ", "pub async fn "].iter().any(|how| line.starts_with(how))
                    || (line.starts_with("pub(") && line.contains(" fn "))
            });
            assert!(!defines, "{}: a macro defines a function", path.display());
        }
    }
}
