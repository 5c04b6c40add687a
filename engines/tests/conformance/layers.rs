//! Tests of the layers, read from the source files: which parts may name which others. A failure names the file.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// All Rust sources below `folder` (relative to the workspace), with their text without comment lines.
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

/// Asserts that no source for which `here` is true contains one of the words.
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

/// Whether `code` contains `word` without a letter, digit or `_` before or after it.
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
fn engines_use_no_runtime_no_socket_no_database() {
    let words = ["tokio", "axum", "sqlx", "hyper", "TcpStream", "TcpListener", "UdpSocket", "async"];
    forbid("engines/src", |_| true, &words, "engines must not use these");
}

#[test]
fn only_timer_and_arena_read_a_clock() {
    let may = |path: &str| path.ends_with("src/timer.rs") || path.contains("src/arena/");
    forbid("engines/src", |p| !may(p), &["Instant", "SystemTime"], "only the host measures time");
}

#[test]
fn games_do_not_name_each_other() {
    for game in games() {
        let others: Vec<String> = games().into_iter().filter(|g| *g != game).collect();
        let words: Vec<&str> = others.iter().map(String::as_str).collect();
        forbid(&format!("engines/src/games/{game}"), |_| true, &words, "a game must not name another");
    }
}

#[test]
fn rules_name_no_protocol_and_no_engine() {
    let rules = |path: &str| path.contains("/rules") || path.ends_with("/view.rs");
    let words = ["protocol", "engine", "search"];
    forbid("engines/src/games", rules, &words, "rules and views are below protocols and engines");
}

/// The numbers of a game for learning programs follow from its views and moves alone, and nothing else uses them.
#[test]
fn encodings_are_beside_protocols_and_engines() {
    let encoding = |path: &str| path.ends_with("/encoding.rs") || path.contains("/encoding/");
    let words = ["protocol", "engine", "search", "State"];
    forbid("engines/src/games", encoding, &words, "an encoding knows views and moves only");
    forbid("engines/src", |path| path.ends_with("src/encoding.rs"), &["games", "search"], "it knows no game");
    let other = |path: &str| !encoding(path) && !path.ends_with("/mod.rs") && !path.contains("/tests/");
    forbid("engines/src/games", other, &["encoding"], "only the game itself names its encoding");
}

#[test]
fn protocols_and_engines_do_not_name_each_other() {
    // A protocol may use the traits in `crate::protocol`, an engine those in `crate::search`, but not the game's other half.
    let protocol = |path: &str| path.contains("/protocol");
    forbid(
        "engines/src/games",
        protocol,
        &["super::engine", "crate::search", "engine::"],
        "a protocol must not use an engine",
    );
    let engine = |path: &str| path.contains("/engine");
    forbid(
        "engines/src/games",
        engine,
        &["super::protocol", "crate::protocol"],
        "an engine must not use a protocol",
    );
}

#[test]
fn only_the_registry_names_games() {
    let names: Vec<String> = games();
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    let outside = |path: &str| !path.contains("src/games/");
    forbid("engines/src", outside, &words, "only the registry lists the games");
    forbid("server/src", |_| true, &words, "the server must not name a game");
    // `table.rs` is a copy of the registry's facts; the shim's tests compare them.
    let program = |path: &str| !path.ends_with("/tests.rs") && !path.ends_with("src/games/table.rs");
    forbid("server/shim/src", program, &words, "the shim must not name a game");
}

/// What games of perfect information share is below all games, and knows no engine; the search tools are above it.
#[test]
fn perfect_information_knows_no_game_and_no_search() {
    let words = ["crate::games", "crate::search", "search_kit", "erased", "arena"];
    forbid(
        "engines/src/perfect_information",
        |_| true,
        &words,
        "the parts that games of perfect information share must not use these",
    );
    let words = ["crate::games", "erased", "arena"];
    forbid("engines/src/search_kit", |p| !p.ends_with("strength.rs"), &words, "search tools know no game");
}

#[test]
fn server_uses_games_through_erased_only() {
    let words = ["engines::game::Game", "engines::session", "engines::conformance", "engines::search_kit"];
    forbid("server/src", |_| true, &words, "the server uses games through `engines::erased`");
}

#[test]
fn sql_is_in_the_store_only() {
    let outside = |path: &str| !path.contains("src/store/");
    forbid("server/src", outside, &["sqlx", "SELECT", "INSERT"], "only the store contains SQL");
}

/// A reader who knows one game's folder finds everything in another's.
#[test]
fn every_game_has_the_same_shape() {
    let parts = [
        "README.md",
        "mod.rs",
        "view.rs",
        "rules/mod.rs",
        "protocol/mod.rs",
        "tests/mod.rs",
        "board",
        "golden",
    ];
    // A game of perfect information can have the dialogue of `engines/src/perfect_information`, which has both sides.
    let sides = ["protocol/player.rs", "protocol/referee.rs"];
    for game in games() {
        let folder = root().join("engines/src/games").join(&game);
        let protocol = fs::read_to_string(folder.join("protocol/mod.rs")).unwrap_or_default();
        let shared = protocol.contains("impl Alternating for");
        let parts = parts.iter().chain(sides.iter().filter(|_| !shared));
        let missing: Vec<_> = parts.filter(|part| !folder.join(part).exists()).collect();
        assert!(missing.is_empty(), "{game} lacks {missing:?}");
        let lines = fs::read_to_string(folder.join("README.md")).unwrap().lines().count();
        assert!(lines <= 130, "{game}: a README of {lines} lines; measurements belong in docs/lab");
    }
}

#[test]
fn games_use_one_module_style() {
    let beside_folder = |(path, _): &(String, String)| root().join(path).with_extension("").is_dir();
    let both: Vec<String> =
        sources("engines/src/games").into_iter().filter(beside_folder).map(|(path, _)| path).collect();
    assert!(both.is_empty(), "move these into their folders as mod.rs: {both:#?}");
}

#[test]
fn no_source_file_exceeds_500_lines() {
    let long: Vec<String> = ["engines/src", "server/src", "server/sandbox/src", "server/shim/src"]
        .iter()
        .flat_map(|folder| sources(folder))
        .filter(|(path, _)| path.starts_with("engines/src/games") || !is_test(path))
        .map(|(path, _)| (fs::read_to_string(root().join(&path)).unwrap().lines().count(), path))
        .filter(|(lines, _)| *lines > 500)
        .map(|(lines, path)| format!("{path}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "split these by meaning: {long:#?}");
}

fn is_test(path: &str) -> bool {
    path.ends_with("tests.rs") || path.contains("/tests/")
}

/// The folders and files of the arena, lowest first. Those of one layer do not use each other.
const ARENA: [&[&str]; 8] = [
    &["clock", "lineup", "opening", "positions", "spec", "sprt"],
    &["plan"],
    &["record"],
    &["count", "play"],
    &["earlier_games"],
    &["replay", "run"],
    &["check"],
    &["mod"],
];

/// The same inside the folders `play`, `replay`, `count` and `check` of the arena.
const ARENA_PLAY: [&[&str]; 6] = [
    &["decision", "output", "standstill"],
    &["running"],
    &["child", "sandboxed", "thinker"],
    &["command"],
    &["hosted", "http"],
    &["mod"],
];
const ARENA_REPLAY: [&[&str]; 7] = [
    &["recording"],
    &["comparison"],
    &["course"],
    &["script"],
    &["dialogue", "run_file", "shown_turns"],
    &["asked_position", "program"],
    &["mod"],
];
const ARENA_CHECK: [&[&str]; 3] = [&["report"], &["words"], &["mod"]];
const ARENA_COUNT: [&[&str]; 7] = [
    &["beta", "copies"],
    &["stats"],
    &["score"],
    &["calibration", "trial", "versus"],
    &["summary"],
    &["table"],
    &["mod"],
];

#[test]
fn arena_has_no_circles() {
    let folders = [
        ("", &ARENA[..]),
        ("play/", &ARENA_PLAY[..]),
        ("replay/", &ARENA_REPLAY[..]),
        ("count/", &ARENA_COUNT[..]),
        ("check/", &ARENA_CHECK[..]),
    ];
    let all = sources("engines/src/arena");
    let mut broken = Vec::new();
    for (folder, layers) in folders {
        let below = format!("engines/src/arena/{folder}");
        let layer_of = |name: &str| layers.iter().position(|layer| layer.contains(&name));
        for (path, code) in &all {
            let Some(rest) = path.strip_prefix(&below) else { continue };
            let own = rest.split('/').next().unwrap().trim_end_matches(".rs");
            let from = layer_of(own).unwrap_or_else(|| panic!("{path} is in no layer: add it to the list"));
            let module = format!("crate::arena::{}", folder.replace('/', "::"));
            let is_here = rest.split('/').count() == 1;
            let uses = code.split(&module).skip(1).chain(code.split("super::").skip(1).filter(|_| is_here));
            for used in
                uses.map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap())
            {
                if used != own && layer_of(used).is_some_and(|to| to >= from) {
                    broken.push(format!("{path} uses {used}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
