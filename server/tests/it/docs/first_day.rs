//! The steps of `docs/first-day.md`: files, names and commands in them exist.

use std::fs;

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
    let (variables, words): (Vec<&str>, Vec<&str>) = command.split(' ').partition(|word| word.contains('='));
    for variable in variables {
        let name = variable.split('=').next().unwrap_or_default();
        let is_read =
            |folder: &str| sources(folder).iter().any(|(_, text)| text.contains(&format!("\"{name}\"")));
        if !["server/src", "server/shim/tests", "engines/tests"].into_iter().any(is_read) {
            return Err(format!("{name} is read nowhere"));
        }
    }
    match words.as_slice() {
        ["cargo", "test", "-p", package, rest @ ..] => {
            let (target, filter) = match rest {
                [] => (None, None),
                ["--lib", filter] => (Some("--lib"), Some(*filter)),
                ["--test", target] => (Some(*target), None),
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
            // A word in capital letters represents a value.
            let is_known = |word: &&&str| match *script {
                "scripts/check" => text.contains(&format!("\n  \"{word}: ")),
                _ => !word.starts_with("--") || text.contains(**word),
            };
            match arguments.iter().find(|word| !is_known(word)) {
                Some(word) => Err(format!("it does not know {word}")),
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
    for good in [
        "scripts/check clients",
        "scripts/new-game --records NAME",
        "cargo test -p kibitz --test it first_day",
        "KIBITZ_RECORD=1 cargo test -p kibitz-shim facts",
    ] {
        assert_eq!(check_command(good), Ok(()), "{good}");
    }
    for bad in [
        "scripts/chek",
        "scripts/check no-such-step",
        "scripts/new-game --no-such-option",
        "cargo test -p kibitz --lib no::such::test",
        "KIBITZ_NO_SUCH_VARIABLE=1 cargo test -p engines",
    ] {
        assert!(check_command(bad).is_err(), "{bad}");
    }
}
