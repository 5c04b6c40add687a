//! What the steps of `docs/first-day.md` say of lists and texts is true of the sources, and `scripts/check-texts` does what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{module_of, read, repository, sources};

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
