//! Runs the shell commands of the README and of `docs/` as they are written, against a real server. Blocks marked `sh`
//! run from top to bottom in one shell; commands after `$` in blocks marked `console` must print what the page shows. Also compares
//! `docs/dependencies.md` with what the packages depend on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use kibitz_test_support::unused_address;
use serde_json::Value;

use crate::end_to_end::{Home, shim};
use crate::server_process::ServerProcess;

/// The server that the pages expect.
const USUAL: &str = "http://127.0.0.1:8080";

/// The address of the servers that some pages start themselves.
const SECOND: &str = "127.0.0.1:8081";

/// The port of the NATS server that a page starts.
const NATS_PORT: &str = "4222";

/// The README's commands that build the programs and start the server, which this test has already, and the command that
/// runs this test.
const SET_UP: [&str; 3] =
    ["scripts/setup && cargo run --release -p kibitz -- serve", "scripts/check", "cargo build --release"];

/// Only a command that blocks takes longer.
const LIMIT_SECONDS: &str = "900";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder that looks like the repository after a build, and a running server.
struct Reader {
    server: ServerProcess,
    home: Home,
    second: String,
    nats_port: String,
}

impl Reader {
    fn new() -> Self {
        let home = Home::new();
        for profile in ["release", "shim"] {
            let folder = home.path().join("target").join(profile);
            std::fs::create_dir_all(&folder).unwrap();
            symlink(env!("CARGO_BIN_EXE_kibitz"), folder.join("kibitz")).unwrap();
            symlink(shim(), folder.join("kibitz-shim")).unwrap();
        }
        for folder in ["server", "scripts", "templates"] {
            symlink(repository().join(folder), home.path().join(folder)).unwrap();
        }
        let bot = "#!/bin/sh\nexec kibitz-shim ioiwari\n";
        std::fs::write(home.path().join("my-bot"), bot).unwrap();
        run(Command::new("chmod").args(["+x", "my-bot"]).current_dir(home.path()));
        // An HTTP error fails the command.
        std::fs::write(home.path().join(".curlrc"), "fail-with-body\n").unwrap();
        let (second, nats_port) = (unused_address().to_string(), unused_address().port().to_string());
        Self { server: ServerProcess::start(&[]), home, second, nats_port }
    }

    /// Runs a script and ends all processes that it leaves; whether it succeeded, and its output.
    fn run(&self, script: &str) -> (bool, String) {
        let script = script.replace(USUAL, &self.server.url()).replace(SECOND, &self.second);
        let script = script.replace(NATS_PORT, &self.nats_port);
        let home = self.home.path();
        let log = home.join("output");
        let output = File::create(&log).unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut child = Command::new("timeout")
            .args([LIMIT_SECONDS, "bash", "-euo", "pipefail", "-c", &script])
            .current_dir(home)
            .env("PATH", format!("{}:{path}", home.join("target/release").display()))
            .env("KIBITZ_SERVER", self.server.url())
            .env("KIBITZ_LADDER", "false")
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("CURL_HOME", home)
            .stdin(std::process::Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        let status = child.wait().unwrap();
        // `timeout` leads a process group of its own; an error says that the group is empty already.
        let group = format!("-{}", child.id());
        let _ =
            Command::new("kill").args(["-KILL", "--", &group]).stderr(std::process::Stdio::null()).status();
        (status.success(), std::fs::read_to_string(&log).unwrap())
    }

    /// Runs a script that must succeed; its output.
    fn must_run(&self, what: &str, script: &str) -> String {
        let (success, output) = self.run(script);
        assert!(success, "{what}:\n{script}\n--- printed:\n{output}");
        output
    }
}

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success());
}

/// The blocks of a page that are marked with `language`.
pub(crate) fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// The pages of `docs/`, with their names.
fn pages() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(repository().join("docs")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    pages.sort();
    pages
}

/// The folders of the repository that documentation names files of.
const FOLDERS: [&str; 9] = [
    "server/",
    "engines/",
    "clients/",
    "docs/",
    "python/",
    "scripts/",
    "migrations/",
    "deploy/",
    "templates/",
];

#[test]
fn files_that_the_docs_name_exist() {
    let decisions = repository().join("docs/decisions");
    let others = ["README.md", "CONTRIBUTING.md"].map(|name| repository().join(name));
    let decisions = std::fs::read_dir(decisions).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| (path.display().to_string(), std::fs::read_to_string(path).unwrap());
    let all = pages().into_iter().chain(decisions.chain(others).map(read));
    let (mut found, mut missing) = (0, Vec::new());
    for (page, text) in all {
        // The texts between single backquotes on one line.
        let quoted = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        for name in quoted.filter(|name| FOLDERS.iter().any(|folder| name.starts_with(folder))) {
            let is_pattern = name.contains(|c: char| " *<{…".contains(c));
            if !is_pattern {
                found += 1;
                if !repository().join(name).exists() {
                    missing.push(format!("{page}: {name}"));
                }
            }
        }
    }
    assert!(found > 50, "the pages name files in another way: {found} found");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The packages whose dependencies `docs/dependencies.md` lists: their names and folders.
const PACKAGES: [(&str, &str); 9] = [
    ("engines", "engines"),
    ("engines-train", "engines/train"),
    ("engines-fuzz", "engines/fuzz"),
    ("kibitz", "server"),
    ("kibitz-bot-output", "engines/bot-output"),
    ("kibitz-python", "python"),
    ("kibitz-sandbox", "server/sandbox"),
    ("kibitz-shim", "server/shim"),
    ("kibitz-test-support", "server/test-support"),
];

/// The names in the dependency tables of a `Cargo.toml`, without the packages of this repository.
fn dependencies(manifest: &str) -> Vec<String> {
    let own = |name: &str| PACKAGES.iter().any(|(package, _)| *package == name);
    let mut is_table = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            is_table = table.trim_end_matches(']').ends_with("dependencies");
        } else if let Some((name, _)) = line.split_once('=').filter(|_| is_table && !line.starts_with('#')) {
            names.extend(Some(name.trim().to_owned()).filter(|name| !own(name)));
        }
    }
    names
}

/// The rows of the table under this title, without its head: the name in the first column, and the other columns.
fn table(page: &str, title: &str) -> BTreeMap<String, Vec<String>> {
    let (_, section) = page.split_once(&format!("\n## {title}\n")).expect("the page has the section");
    let rows = section.split("\n## ").next().unwrap_or_default().lines().filter(|l| l.starts_with("| `"));
    let cells = |row: &str| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    let named = |row: &str| {
        let mut cells: Vec<String> = cells(row);
        (cells.remove(0).trim_matches('`').to_owned(), cells)
    };
    rows.map(named).collect()
}

#[test]
fn every_dependency_has_its_reason_and_no_other() {
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).unwrap();
    let page = read("docs/dependencies.md");
    let mut users: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (package, folder) in PACKAGES {
        for name in dependencies(&read(&format!("{folder}/Cargo.toml"))) {
            users.entry(name).or_default().insert(package);
        }
    }
    assert!(users.len() > 60 && users["serde_json"].len() > 3, "the manifests are read: {users:?}");
    let rust = table(&page, "Rust");
    let listed = rust.iter().map(|(name, cells)| (name.clone(), cells[0].split(", ").collect())).collect();
    assert_eq!(users, listed);
    let scripts = [
        "package.json",
        "clients/typescript/package.json",
        "server/tests/browser/package.json",
        "server/tests/clients/typescript/package.json",
    ];
    let manifests = scripts.map(|name| serde_json::from_str::<Value>(&read(name)).unwrap());
    let names = manifests.iter().flat_map(|m| m["devDependencies"].as_object().unwrap().keys().cloned());
    let javascript = table(&page, "JavaScript");
    assert_eq!(names.collect::<BTreeSet<_>>(), javascript.keys().cloned().collect());
    // Its versions are fixed in a file of its own.
    let python = read("server/tests/clients/python/requirements.in")
        + &read("python/requirements.in")
        + "schemathesis\n";
    let listed = table(&page, "Python");
    assert_eq!(python.lines().collect::<BTreeSet<_>>(), listed.keys().map(String::as_str).collect());
    for (name, cells) in rust.iter().chain(&javascript).chain(&listed) {
        assert!(cells.len() >= 2 && cells.iter().all(|cell| !cell.is_empty()), "{name}: {cells:?}");
    }
}

#[test]
fn readme_commands_run_in_order_in_one_shell() {
    let page = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let all = blocks(&page, "sh").concat();
    let (set_up, rest): (Vec<_>, Vec<_>) =
        all.lines().partition(|line| SET_UP.iter().any(|command| line.starts_with(command)));
    assert_eq!(set_up.len(), SET_UP.len(), "{set_up:?}");
    let output = Reader::new().must_run("README.md", &rest.join("\n"));
    for expected in ["\"notation\":\"2\"", "the match is over: ", "true: ioiwari: ", "Elo [95%]"] {
        assert!(output.contains(expected), "{expected} is missing:\n{output}");
    }
}

#[test]
fn shim_readme_commands_run_in_order_in_one_shell() {
    let page = std::fs::read_to_string(repository().join("server/shim/README.md")).unwrap();
    let all = blocks(&page, "sh").concat();
    let (builds, rest): (Vec<_>, Vec<_>) =
        all.lines().partition(|line| line.contains("cargo build --profile shim"));
    assert_eq!(builds.len(), 2, "{builds:?}");
    let output = Reader::new().must_run("server/shim/README.md", &rest.join("\n"));
    assert!(output.contains("the match is over: "), "{output}");
}

#[test]
fn docs_commands_run_in_order_in_one_shell_per_page() {
    let mut pages_with_commands = 0;
    for (name, page) in pages() {
        let commands = blocks(&page, "sh").concat();
        if !commands.is_empty() {
            Reader::new().must_run(&name, &commands);
            pages_with_commands += 1;
        }
    }
    assert!(pages_with_commands >= 5, "{pages_with_commands} pages have commands");
}

/// The author of a bot reads both.
#[test]
fn docs_of_bots_and_players_run_after_each_other_in_one_shell() {
    let named = |name: &str| std::fs::read_to_string(repository().join("docs").join(name)).unwrap();
    let commands = ["bots.md", "players.md"].map(|name| blocks(&named(name), "sh").concat()).concat();
    Reader::new().must_run("docs/bots.md and docs/players.md", &commands);
}

/// A command in a `console` block.
struct ConsoleExample {
    command: String,
    /// The output on the page.
    output: String,
}

fn shown(page: &str) -> Vec<ConsoleExample> {
    let mut all: Vec<ConsoleExample> = Vec::new();
    for block in blocks(page, "console") {
        for line in block.lines().filter(|line| *line != "^C") {
            if let Some(command) = line.strip_prefix("$ ") {
                all.push(ConsoleExample { command: command.to_owned(), output: String::new() });
            } else if let Some(last) = all.last_mut() {
                last.output += line;
                last.output.push('\n');
            }
        }
    }
    all
}

/// The command with two games and little thinking time: the long runs of the page are examples.
fn shortened(arena: &str) -> String {
    let mut previous = "";
    let words: Vec<String> = arena
        .split(' ')
        .map(|word| match std::mem::replace(&mut previous, word) {
            "-n" | "--games" => "2".to_owned(),
            _ => with_number(&with_number(word, "nodes=", "20"), "think=", "5"),
        })
        .collect();
    format!("{} --move-limit 200 --match-limit 3000", words.join(" "))
}

/// `word` with another number after `key`.
fn with_number(word: &str, key: &str, number: &str) -> String {
    match word.split_once(key) {
        Some((before, after)) => {
            format!("{before}{key}{number}{}", after.trim_start_matches(|digit: char| digit.is_ascii_digit()))
        }
        None => word.to_owned(),
    }
}

#[test]
fn console_commands_print_what_the_docs_show() {
    let mut count = 0;
    for (name, page) in pages() {
        let reader = Reader::new();
        for ConsoleExample { command, output } in shown(&page) {
            count += 1;
            if command.starts_with("kibitz arena") {
                // Two games leave a sequential test undecided.
                let undecided = if command.contains("--sprt") { " || test $? = 4" } else { "" };
                reader.must_run(&name, &(shortened(&command) + undecided));
            } else if output.is_empty() {
                reader.must_run(&name, &command);
            } else {
                assert_eq!(reader.run(&command).1, output, "{name}: {command}");
            }
        }
    }
    assert!(count >= 10, "{count} commands are shown");
}

#[test]
fn shortened_runs_keep_everything_but_games_and_time() {
    let long =
        "kibitz arena azul -p a=engine:think=500ms -p b=server:http://x,nodes=20000 --games 200 --seed 7";
    let short = "kibitz arena azul -p a=engine:think=5ms -p b=server:http://x,nodes=20 --games 2 --seed 7";
    assert_eq!(shortened(long), format!("{short} --move-limit 200 --match-limit 3000"));
}
