//! The walls of the house, read from the sources: who may know whom. A line that breaks one names the file.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// All Rust sources below `folder` (relative to the workspace), with their text less comments' lines.
fn sources(folder: &str) -> Vec<(String, String)> {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&root().join(folder), &mut files);
    assert!(!files.is_empty(), "{folder} holds no sources");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let code: Vec<&str> = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
        (path.strip_prefix(root()).unwrap().to_string_lossy().into_owned(), code.join("\n"))
    };
    files.into_iter().map(read).collect()
}

/// No source for which `here` holds contains one of the words.
fn forbid(folder: &str, here: impl Fn(&str) -> bool, words: &[&str], why: &str) {
    let broken: Vec<String> = sources(folder)
        .into_iter()
        .filter(|(path, _)| here(path))
        .flat_map(|(path, code)| {
            let found = words.iter().filter(|w| has_word(&code, w)).map(|w| format!("{path}: {w}"));
            found.collect::<Vec<_>>()
        })
        .collect();
    assert!(broken.is_empty(), "{why}: {broken:#?}");
}

/// Whether `word` stands in `code` with no letter, digit or `_` before or behind it.
fn has_word(code: &str, word: &str) -> bool {
    let part_of_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    code.match_indices(word).any(|(i, _)| {
        !part_of_name(code[..i].chars().next_back()) && !part_of_name(code[i + word.len()..].chars().next())
    })
}

fn games() -> Vec<String> {
    engines::games::GAMES.iter().map(|g| g.info().slug.to_owned()).collect()
}

#[test]
fn engines_know_no_runtime_no_socket_no_database() {
    let words = ["tokio", "axum", "sqlx", "hyper", "TcpStream", "TcpListener", "UdpSocket", "async"];
    forbid("engines/src", |_| true, &words, "the engines know none of these");
}

#[test]
fn only_the_timer_and_the_arena_read_a_clock() {
    let may = |path: &str| path.ends_with("src/timer.rs") || path.contains("src/arena/");
    forbid("engines/src", |p| !may(p), &["Instant", "SystemTime"], "time is the host's");
}

#[test]
fn games_do_not_know_each_other() {
    for game in games() {
        let others: Vec<String> = games().into_iter().filter(|g| *g != game).collect();
        let words: Vec<&str> = others.iter().map(String::as_str).collect();
        forbid(&format!("engines/src/games/{game}"), |_| true, &words, "a game knows no other");
    }
}

#[test]
fn rules_know_no_protocol_and_no_engine() {
    let rules = |path: &str| path.contains("/rules") || path.ends_with("/view.rs");
    let words = ["protocol", "engine", "search"];
    forbid("engines/src/games", rules, &words, "rules and views stand below protocols and engines");
}

#[test]
fn protocols_and_engines_do_not_know_each_other() {
    // `crate::protocol` and `crate::search` are the traits they implement; the game's own other half is not theirs.
    let protocol = |path: &str| path.contains("/protocol");
    forbid(
        "engines/src/games",
        protocol,
        &["super::engine", "crate::search", "engine::"],
        "a protocol knows no engine",
    );
    let engine = |path: &str| path.contains("/engine");
    forbid(
        "engines/src/games",
        engine,
        &["super::protocol", "crate::protocol"],
        "an engine knows no protocol",
    );
}

#[test]
fn nobody_but_the_registry_names_a_game() {
    let names: Vec<String> = games();
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    let outside = |path: &str| !path.contains("src/games/");
    forbid("engines/src", outside, &words, "only the registry lists the games");
    forbid("server/src", |_| true, &words, "the server knows no game by name");
    // The table is a copy of the registry's facts; the shim's tests hold it to them.
    let program = |path: &str| !path.ends_with("/tests.rs") && !path.ends_with("src/games/table.rs");
    forbid("server/shim/src", program, &words, "the shim knows no game by name");
}

#[test]
fn the_server_uses_the_door_alone() {
    let words = ["engines::game::Game", "engines::session", "engines::conformance", "engines::search_kit"];
    forbid("server/src", |_| true, &words, "the server goes through `any`");
}

#[test]
fn sql_stays_in_the_store() {
    let outside = |path: &str| !path.contains("src/store/");
    forbid("server/src", outside, &["sqlx", "SELECT", "INSERT"], "only the store knows SQL");
}

#[test]
fn files_stay_readable() {
    let long: Vec<String> = ["engines/src", "server/src", "server/shim/src"]
        .iter()
        .flat_map(|folder| sources(folder))
        .filter(|(path, _)| !path.ends_with("tests.rs") && !path.contains("/tests/"))
        .map(|(path, _)| (fs::read_to_string(root().join(&path)).unwrap().lines().count(), path))
        .filter(|(lines, _)| *lines > 500)
        .map(|(lines, path)| format!("{path}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "split these by meaning: {long:#?}");
}
