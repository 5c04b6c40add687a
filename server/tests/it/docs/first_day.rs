//! The steps of `docs/first-day.md`: files, names and commands in them exist, and what costs little is run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{module_of, read, repository, sources};

const PAGE: &str = include_str!("../../../../docs/first-day.md");

/// The sections with steps.
const CHANGES: [&str; 5] =
    ["Add an endpoint", "Add an event", "Add a migration", "Add a game", "Add a text in three languages"];

/// The beginnings of the names of files and folders.
const FOLDERS: [&str; 5] = ["server/", "engines/", "docs/", "scripts/", "migrations/"];

/// The steps below this title, each on one line.
fn steps(title: &str) -> Vec<String> {
    let (_, rest) =
        PAGE.split_once(&format!("\n### {title}\n")).unwrap_or_else(|| panic!("{title} is missing"));
    let section = rest.split("\n##").next().unwrap_or_default();
    let mut steps: Vec<String> = Vec::new();
    for line in section.lines() {
        let number = format!("{}. ", steps.len() + 1);
        match (line.strip_prefix(&number), steps.last_mut()) {
            (Some(text), _) => steps.push(text.to_owned()),
            (None, Some(step)) if line.starts_with("   ") => *step += &format!(" {}", line.trim()),
            _ => {}
        }
    }
    steps
}

/// A part of a step that can be checked.
#[derive(Debug)]
enum Claim<'a> {
    /// This file or folder exists and contains these names.
    Contains(&'a str, Vec<&'a str>),
    Runs(&'a str),
}

/// The claims of a step: its texts in backquotes, and the names in parentheses that follow a file.
fn claims(step: &str) -> Vec<Claim<'_>> {
    let mut claims = Vec::new();
    let mut within = false;
    let mut parts = step.split('`');
    parts.next();
    while let Some(quoted) = parts.next() {
        let after = parts.next().unwrap_or_default();
        let is_command = quoted.contains("cargo ") || quoted.starts_with("scripts/");
        if is_command {
            claims.push(Claim::Runs(quoted));
        } else if FOLDERS.iter().any(|folder| quoted.starts_with(folder)) {
            claims.push(Claim::Contains(quoted, Vec::new()));
            within = after == " (";
            continue;
        } else if let (true, Some(Claim::Contains(_, names))) = (within, claims.last_mut()) {
            names.push(quoted);
        }
        within &= !after.contains(')');
    }
    claims
}

/// The full names of all tests of a target, such as `store::tests::sqlite_only::a_test`. `target`: `--lib`, or the name of a
/// folder in `tests`.
fn tests(package: &str, target: Option<&str>) -> Vec<String> {
    let folder = match package {
        "kibitz" => "server",
        "kibitz-shim" => "server/shim",
        "engines" => "engines",
        other => panic!("there is no package {other}"),
    };
    let folders = match target {
        Some("--lib") => vec![format!("{folder}/src")],
        Some(name) => vec![format!("{folder}/tests/{name}")],
        None => ["src", "tests"].map(|part| format!("{folder}/{part}")).into(),
    };
    let mut names = Vec::new();
    for (path, text) in folders.iter().flat_map(|folder| sources(folder)) {
        let mut module = module_of(&path);
        let mut is_test = false;
        for line in text.lines() {
            if line.starts_with("mod tests {") {
                module += "::tests";
            }
            let line = line.trim_start();
            if let Some((_, rest)) = line.split_once("fn ").filter(|_| is_test) {
                names.push(format!("{module}::{}", rest.split(['(', '<']).next().unwrap_or_default()));
                is_test = false;
            }
            is_test |= ["#[test]", "#[tokio::test"].iter().any(|begin| line.starts_with(begin));
        }
    }
    names
}

/// Checks that a command exists; the reason if it does not.
fn check_command(command: &str) -> Result<(), String> {
    let words: Vec<&str> = command.split(' ').filter(|word| !word.starts_with("KIBITZ_")).collect();
    match words.as_slice() {
        ["cargo", "test", "-p", package, rest @ ..] => {
            let (target, filter) = match rest {
                [] => (None, None),
                ["--lib", filter] => (Some("--lib"), Some(*filter)),
                ["--test", target, filter] => (Some(*target), Some(*filter)),
                [filter] => (None, Some(*filter)),
                _ => return Err("unknown arguments".to_owned()),
            };
            let found =
                tests(package, target).iter().any(|name| filter.is_none_or(|filter| name.contains(filter)));
            found.then_some(()).ok_or_else(|| "it finds no test".to_owned())
        }
        [script, arguments @ ..] if script.starts_with("scripts/") => {
            let text = fs::read_to_string(repository().join(script)).map_err(|e| e.to_string())?;
            if !text.starts_with("#!") {
                return Err("it is not a program".to_owned());
            }
            let is_step = |step: &&&str| text.contains(&format!("\n  \"{step}: "));
            match arguments.iter().find(|step| !is_step(step)) {
                Some(step) => Err(format!("there is no step {step}")),
                None => Ok(()),
            }
        }
        _ => Err("unknown command".to_owned()),
    }
}

#[test]
fn files_names_and_commands_of_the_steps_exist() {
    let mut wrong = Vec::new();
    for title in CHANGES {
        let steps = steps(title);
        let (mut files, mut commands) = (0, 0);
        for claim in steps.iter().flat_map(|step| claims(step)) {
            match claim {
                Claim::Runs(command) => {
                    commands += 1;
                    wrong
                        .extend(check_command(command).err().map(|why| format!("{title}: {command}: {why}")));
                }
                Claim::Contains(path, names) => {
                    files += 1;
                    if !repository().join(path).exists() {
                        wrong.push(format!("{title}: {path} does not exist"));
                        continue;
                    }
                    let text = if names.is_empty() { String::new() } else { read(path) };
                    let missing = names.iter().filter(|name| !text.contains(**name));
                    wrong.extend(missing.map(|name| format!("{title}: {path} has no {name}")));
                }
            }
        }
        assert!(
            steps.len() >= 4 && files >= 3 && commands >= 1,
            "{title}: {} steps, {files} files and {commands} commands were found",
            steps.len()
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A step that is written in another way is not overlooked.
#[test]
fn claims_are_found_and_wrong_ones_are_refused() {
    let step = "Look at `server/src/app.rs` (`App`,\n`no such name`), then run `scripts/check clients`."
        .replace('\n', " ");
    let found = claims(&step);
    let [Claim::Contains("server/src/app.rs", names), Claim::Runs("scripts/check clients")] = &found[..]
    else {
        panic!("{found:?}");
    };
    assert_eq!(names, &["App", "no such name"]);
    for good in ["scripts/check clients", "cargo test -p kibitz --test it first_day", "cargo test -p engines"]
    {
        assert_eq!(check_command(good), Ok(()), "{good}");
    }
    for bad in ["scripts/chek", "scripts/check no-such-step", "cargo test -p kibitz --lib no::such::test"] {
        assert!(check_command(bad).is_err(), "{bad}");
    }
}

/// "Add an endpoint": a handler with a description is also in the list of routes.
#[test]
fn every_described_handler_is_a_route() {
    let list = read("server/src/http/openapi/mod.rs");
    let (_, list) = list.split_once("fn described_routes()").expect("the list of routes");
    let list = list.split("split_for_parts").next().unwrap_or_default();
    let routes: BTreeSet<&str> =
        list.split(|c: char| !(c.is_ascii_alphanumeric() || "_:".contains(c))).collect();
    let mut count = 0;
    for (path, text) in sources("server/src/http") {
        let module = module_of(&path);
        for rest in text.split("#[utoipa::path(").skip(1) {
            let (_, handler) = rest.split_once("async fn ").expect("the description of a handler");
            let handler = handler.split('(').next().unwrap_or_default();
            // The list names a module by its last part, except those of `admin`, which are called like others.
            let last = module.rsplit("::").next().unwrap_or_default();
            let place = if module.starts_with("admin") { module.as_str() } else { last };
            let is_route = routes.contains(format!("{place}::{handler}").as_str());
            assert!(is_route, "{}: {handler} has a description and is no route", path.display());
            count += 1;
        }
    }
    assert!(count > 90, "{count} handlers were found");
}

/// "Add a migration": both databases have the same files, each schema lists all of its own, and tables of SQLite are strict.
#[test]
fn migrations_are_listed_in_order_for_both_databases() {
    let mut both = BTreeMap::new();
    for database in ["sqlite", "postgres"] {
        let folder = repository().join("migrations").join(database);
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names: BTreeSet<String> = names.collect();
        let schema = read(&format!("server/src/store/{database}/schema.rs"));
        let folder = format!("migrations/{database}/");
        let listed = schema.split(&folder).skip(1);
        let listed: Vec<&str> = listed.map(|rest| rest.split('"').next().unwrap_or_default()).collect();
        assert_eq!(listed, names.iter().collect::<Vec<_>>(), "{database}");
        for (n, name) in listed.iter().enumerate() {
            assert!(name.starts_with(&format!("{:04}_", n + 1)), "{name} is number {}", n + 1);
        }
        both.insert(database, names);
    }
    assert_eq!(both["sqlite"], both["postgres"]);
    for name in &both["sqlite"] {
        let sql = read(&format!("migrations/sqlite/{name}"));
        let sql: String = sql.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
        for table in sql.split("CREATE TABLE ").skip(1) {
            let end = table.split(';').next().unwrap_or_default();
            assert!(end.contains("STRICT"), "{name}: a table is not strict: {end}");
        }
    }
}

/// "Add a game": each folder has its two lines in the registry.
#[test]
fn every_folder_of_a_game_is_registered() {
    let registry = read("engines/src/games/mod.rs");
    let mut count = 0;
    for entry in fs::read_dir(repository().join("engines/src/games")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let game = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(registry.contains(&format!("\npub mod {game};\n")), "{game} has no module");
            assert!(registry.contains(&format!("&ErasedGame::<{game}::")), "{game} has no entry");
            count += 1;
        }
    }
    assert_eq!(count, engines::games::GAMES.len());
}

/// "Add a text in three languages": with a text in one language only, the check asks for the two others.
#[test]
fn check_of_texts_names_a_text_that_two_languages_lack() {
    let copy = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let to = copy.path().join(path);
        fs::create_dir_all(to.parent().expect("a file is in a folder")).unwrap();
        fs::write(to, text).unwrap();
    };
    for path in ["scripts/check-texts", "package.json"] {
        put(path, &read(path));
    }
    for language in ["en", "ro", "pt"] {
        let path = format!("server/web/{language}.json");
        put(&path, &read(&path));
    }
    for game in fs::read_dir(repository().join("engines/src/games")).unwrap() {
        let board = game.unwrap().path().join("board");
        for file in fs::read_dir(&board).into_iter().flatten().map(|file| file.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == "json") {
                let path = file.strip_prefix(repository()).expect("it is in the repository");
                let path = path.to_string_lossy().into_owned();
                put(&path, &read(&path));
            }
        }
    }
    let check = || faults(copy.path());
    assert_eq!(check(), Vec::<String>::new(), "all texts are there");
    let add = |language: &str| {
        let path = format!("server/web/{language}.json");
        put(&path, &read(&path).replacen('{', "{\n  \"a.new.text\": \"{n}\",", 1));
    };
    add("en");
    let missing = check();
    assert_eq!(missing.len(), 2, "{missing:#?}");
    for (fault, language) in missing.iter().zip(["ro", "pt"]) {
        assert!(fault.starts_with(&format!("server/web/{language}.json lacks a.new.text")), "{fault}");
    }
    add("ro");
    add("pt");
    assert_eq!(check(), Vec::<String>::new(), "the text is in all languages");
}

/// The faults that `scripts/check-texts` finds in a copy of the texts.
fn faults(copy: &Path) -> Vec<String> {
    let run = Command::new("node").arg(copy.join("scripts/check-texts")).output();
    let output = run.expect("node is needed: see docs/development.md");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let faults: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(output.status.success(), faults.is_empty());
    faults
}
