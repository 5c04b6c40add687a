//! The templates of bots: each is compiled by the commands of its README, word for word, and plays without a fault and better than at
//! random.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::readme::blocks;

/// The folders that need no more than `scripts/setup check` installs and a few seconds, with their games.
const QUICK: [(&str, &str); 3] = [("c", "ioiwari"), ("cpp", "azul"), ("rust", "splendor")];

/// Those that need more.
const SLOW: [(&str, &str); 2] = [("go", "buraco"), ("javascript", "septica")];

fn templates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates")
}

/// A copy of a folder, without what was built in it.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() == "target" => {}
            true => copied(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

/// Follows the README of a template, then plays and looks at each match.
fn template_plays(folder: &str, game: &str) {
    let place = TempDir::new().unwrap();
    let bot = place.path().join("bot");
    copied(&templates().join(folder), &bot);
    let programs = Path::new(env!("CARGO_BIN_EXE_kibitz")).parent().unwrap();
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/bin");
    let path = format!("{}:{}:{}", programs.display(), tools.display(), std::env::var("PATH").unwrap());
    let bash = |script: &str| {
        let mut bash = Command::new("bash");
        bash.args(["-euo", "pipefail", "-c", script]).current_dir(&bot).env("PATH", &path);
        // What a program is built with is not what the tests are built with.
        bash.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS").env("GOCACHE", place.path().join("go"));
        let output = bash.output().unwrap();
        assert!(output.status.success(), "{folder}:\n{script}\n{output:?}");
    };
    let readme = fs::read_to_string(bot.join("README.md")).unwrap();
    let commands = blocks(&readme, "sh");
    assert_eq!(commands.len(), 1, "{folder}");
    bash(commands[0]);
    bash(&format!(
        "kibitz arena {game} --player Mine=wasm:bot.wasm --player Random=engine:name=random --games 10 --json games.jsonl"
    ));
    let lines = fs::read_to_string(bot.join("games.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records: Vec<&Value> = lines.iter().map(|line| &line["record"]).filter(|r| !r.is_null()).collect();
    assert_eq!(records.len(), 10, "{folder}");
    let mut won = 0;
    for record in records {
        assert!(record["faults"].as_array().is_none_or(Vec::is_empty), "{folder}: {record}");
        let seat =
            record["seats"].as_array().unwrap().iter().position(|seat| seat["player"] == "Mine").unwrap();
        won += u32::from(record["outcome"]["ranks"][seat] == 1);
    }
    assert!(won >= 7, "{folder}: it won {won} of 10 matches against random moves");
    let upload =
        format!("kibitz-shim upload SERVER --token-file TOKEN_FILE --bot NAME --game {game} bot.wasm");
    assert!(blocks(&readme, "text").iter().any(|block| block.contains(&upload)), "{folder}");
}

/// Whether rustc compiles for the sandbox: `scripts/setup` installs the target where it can be downloaded.
fn has_rust_target() -> bool {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let sysroot = String::from_utf8(sysroot.stdout).unwrap();
    Path::new(sysroot.trim()).join("lib/rustlib/wasm32-wasip1").is_dir()
}

#[test]
fn templates_that_compile_quickly_play_as_their_readmes_say() {
    for (folder, game) in QUICK {
        if folder == "rust" && !has_rust_target() {
            eprintln!("rustup could not install the target wasm32-wasip1: the template in Rust is not tried");
            continue;
        }
        template_plays(folder, game);
    }
}

#[test]
#[ignore = "needs Go, and compiles its library and QuickJS, which takes minutes; see docs/development.md"]
fn templates_with_a_large_runtime_play_as_their_readmes_say() {
    for (folder, game) in SLOW {
        template_plays(folder, game);
    }
}

#[test]
fn every_game_has_a_template_and_every_template_is_tested() {
    let tested: Vec<&str> = QUICK.iter().chain(&SLOW).map(|(folder, _)| *folder).collect();
    for game in engines::games::GAMES {
        assert!(QUICK.iter().chain(&SLOW).any(|(_, of)| *of == game.info().slug), "{}", game.info().slug);
    }
    for entry in fs::read_dir(templates()).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        assert!(!entry.file_type().unwrap().is_dir() || tested.contains(&name.as_str()), "{name}");
    }
}
