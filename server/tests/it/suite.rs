//! `kibitz suite` as authors of bots run it, in every game: the suite is made from a recorded match, and a bot that plays this match
//! again is asked in its positions.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use quick_junit::{Report, TestCaseStatus};
use serde_json::Value;
use tempfile::TempDir;

/// The exit code, standard output and standard error.
type Ran = (Option<i32>, String, String);

/// Runs the program with these arguments; the bot's words come after `--`.
fn kibitz(arguments: &[&str], bot: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    command.args(arguments).stdin(Stdio::null());
    if !bot.is_empty() {
        command.arg("--").args(bot);
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn record(game: &str) -> PathBuf {
    let name = format!("src/matches/record/golden/{game}-played.json");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The suite of the games' folder.
pub(crate) fn golden(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../engines/src/games/{game}/suite.jsonl"))
}

/// Makes a suite from the recorded match: the lines of this seat in `folder`.
fn suite_of(folder: &TempDir, game: &str, seat: u8) -> (String, Vec<Value>) {
    let file = folder.path().join(format!("{game}.jsonl"));
    let file = file.to_str().unwrap().to_owned();
    let record = record(game);
    let arguments = ["analyse", "--suite", &file, "--least-loss", "0.01", "--nodes", "600"];
    let (code, out, errors) = kibitz(&[&arguments[..], &[record.to_str().unwrap()]].concat(), &[]);
    assert_eq!(code, Some(0), "{game}: {errors}");
    assert!(out.contains(" positions written to "), "{out}");
    let text = std::fs::read_to_string(&file).unwrap();
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let own: Vec<Value> =
        all.filter(|line| line["source"].as_str().unwrap().starts_with(&format!("seat {seat} "))).collect();
    assert!(!own.is_empty(), "{game}: random moves lose something");
    std::fs::write(&file, own.iter().map(|line| line.to_string() + "\n").collect::<String>()).unwrap();
    (file, own)
}

/// The move that was made in the match.
fn played(line: &Value) -> &str {
    line["source"].as_str().unwrap().rsplit_once(" played ").unwrap().1
}

/// A program that prints what the bot of this seat printed in the recorded match, in the official dialogue.
fn parrot(game: &str, seat: u8) -> String {
    let record = record(game);
    let arguments = ["replay", record.to_str().unwrap(), "--dialogue", "--seat", &seat.to_string()];
    let (_, out, _) = kibitz(&arguments, &[]);
    let lines = out.lines().filter_map(|line| line.strip_prefix("> "));
    let quoted: String = lines.map(|line| format!("'{line}' ")).collect();
    format!("printf '%s\\n' {quoted}; exec cat > /dev/null")
}

#[test]
fn bot_that_plays_the_match_again_is_asked_in_every_position() {
    let folder = TempDir::new().unwrap();
    for (game, seat) in [("azul", 1), ("buraco", 0), ("ioiwari", 0), ("septica", 1)] {
        let (file, lines) = suite_of(&folder, game, seat);
        let script = parrot(game, seat);
        let arguments = ["suite", &file, "--move-limit", "30s"];
        let (code, out, errors) = kibitz(&arguments, &["sh", "-c", &script]);
        assert_eq!(errors, "", "{game}: {out}");
        let solved =
            lines.iter().filter(|line| line["losses"][played(line)].as_f64().unwrap() < 0.05).count();
        assert!(out.contains(&format!("solved {solved} of {}", lines.len())), "{game}: {out}");
        assert!(!out.contains("not counted"), "{game}: {out}");
        assert_eq!(code, Some(i32::from(solved < lines.len())), "{game}: {out}");
        // A bot that crashes at once makes a mistake, or is never asked in the positions after that.
        let (code, out, _) = kibitz(&arguments, &["sh", "-c", "exit 3"]);
        assert!(matches!(code, Some(1 | 2)), "{game}: {out}");
        assert!(out.contains("solved 0 of "), "{game}: {out}");
    }
}

#[test]
fn bot_with_a_process_for_each_move_is_given_each_position() {
    let folder = TempDir::new().unwrap();
    let (file, lines) = suite_of(&folder, "splendor", 0);
    let (code, out, errors) = kibitz(&["suite", &file], &["sh", "-c", "cat > /dev/null; echo 1 0"]);
    assert_eq!((code, errors.as_str()), (Some(1), ""), "{out}");
    assert!(out.contains(&format!(" of {}: ", lines.len())) && out.contains(" 1 0 "), "{out}");
    let (code, out, _) = kibitz(&["suite", &file], &["sh", "-c", "echo what now >&2; exit 4"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("crash: no move") && out.contains("  | what now"), "{out}");
    assert!(out.contains("mean loss 100.0 points"), "{out}");
}

#[test]
fn engines_are_given_the_positions_of_every_game() {
    let folder = TempDir::new().unwrap();
    for game in engines::games::GAMES {
        let slug = game.info().slug;
        let (file, lines) = suite_of(&folder, slug, 0);
        let (code, out, errors) =
            kibitz(&["suite", &file, "-p", "engine:nodes=600", "--min-score", "50"], &[]);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{slug}: {out}");
        assert!(out.contains(&format!(" of {}: ", lines.len())), "{slug}: {out}");
        let again = kibitz(&["suite", &file, "-p", "engine:nodes=600", "--min-score", "50"], &[]);
        let without_times = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split("; longest").next().unwrap().to_owned()).collect()
        };
        assert_eq!(without_times(&out).last(), without_times(&again.1).last(), "the same score again");
    }
}

/// The reports of a run: the exit code, the JUnit report and the Markdown.
fn reports(file: &str, more: &[&str]) -> (Option<i32>, Report, String) {
    let folder = TempDir::new().unwrap();
    let [xml, markdown] = ["r.xml", "r.md"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    std::fs::write(&markdown, "before\n").unwrap();
    let arguments =
        ["suite", file, "-p", "engine:name=random,nodes=1", "--junit", &xml, "--markdown", &markdown];
    let (code, _, errors) = kibitz(&[&arguments[..], more].concat(), &[]);
    assert_eq!(errors, "");
    let report = Report::deserialize_from_str(&std::fs::read_to_string(&xml).unwrap()).unwrap();
    (code, report, std::fs::read_to_string(&markdown).unwrap())
}

#[test]
fn junit_and_markdown_agree_with_the_exit_code() {
    let file = golden("azul");
    let file = file.to_str().unwrap();
    let lines = std::fs::read_to_string(file).unwrap().lines().count();
    let failures = |report: &Report| report.test_suites.iter().map(|suite| suite.failures).sum::<usize>();
    let (code, report, markdown) = reports(file, &[]);
    assert_eq!((code, report.test_suites[0].test_cases.len()), (Some(1), lines + 1));
    assert!(failures(&report) > 1, "{report:?}");
    assert!(markdown.starts_with("before\n### Suite ") && markdown.contains("FAILED"), "{markdown}");
    let missed = report.test_suites[0].test_cases.iter().find_map(|case| match &case.status {
        TestCaseStatus::NonSuccess { message, .. } => message.as_ref(),
        _ => None,
    });
    assert!(missed.unwrap().as_str().contains(" points; best: "), "{missed:?}");
    let (code, report, markdown) = reports(file, &["--min-score", "0"]);
    assert_eq!((code, failures(&report)), (Some(0), 0), "{report:?}");
    assert!(markdown.contains(": passed") && markdown.contains("| position not solved |"), "{markdown}");
    let (code, report, markdown) = reports(file, &["--against", "engine:nodes=200"]);
    assert_eq!((code, failures(&report)), (Some(1), 1), "random moves are worse: {markdown}");
    assert!(markdown.contains("against the other: "), "{markdown}");
    let same = reports(file, &["--against", "engine:name=random,nodes=1"]);
    assert_eq!((same.0, failures(&same.1)), (Some(0), 0));
}

#[test]
fn bot_that_leaves_the_match_is_not_scored_there() {
    let folder = TempDir::new().unwrap();
    let (file, lines) = suite_of(&folder, "ioiwari", 0);
    let last = lines.last().unwrap().to_string() + "\n";
    assert!(lines.last().unwrap()["history"]["moves"].as_array().unwrap().len() >= 2);
    std::fs::write(&file, last).unwrap();
    let mut other = lines[0]["history"]["start"]["pits"].as_array().unwrap().len();
    let first = lines.last().unwrap()["history"]["moves"][0].as_str().unwrap().parse::<usize>().unwrap();
    if other == first {
        other = 1;
    }
    let (code, out, errors) =
        kibitz(&["suite", &file], &["sh", "-c", &format!("echo {other}; cat > /dev/null")]);
    assert_eq!(code, Some(2), "{out}");
    assert!(
        out.contains(&format!("at ply 0 the match went on with {first}, and the bot answers {other}")),
        "{out}"
    );
    assert!(errors.contains("no position counts"), "{errors}");
}

#[test]
fn wrong_arguments_and_files_are_explained() {
    let folder = TempDir::new().unwrap();
    let good = golden("septica");
    let good = good.to_str().unwrap();
    let bad = folder.path().join("bad.jsonl");
    let text = std::fs::read_to_string(good).unwrap();
    let second = text.lines().nth(1).unwrap();
    std::fs::write(&bad, text.replacen(second, "{}", 1)).unwrap();
    for (arguments, bot, part) in [
        (&["suite", "/no/such/file"][..], &["./x"][..], "/no/such/file: No such file"),
        (&["suite", bad.to_str().unwrap()], &["./x"], "bad.jsonl, line 2, column 2: missing field `game`"),
        (&["suite", good], &["./no-such-bot"], "./no-such-bot cannot be started"),
        (&["suite", good], &[], "required arguments"),
        (&["suite", good, "-p", "engine"], &["./x"], "cannot be used with"),
        (&["suite", good, "-p", "engine:speed=1"], &[], "what can be set here"),
        (&["suite", good, "--min-score", "101"], &["./x"], "is not 0 to 100"),
        (&["suite", good, "--referee", "base=0"], &["./x"], "no setting is called 'base'"),
        (
            &["suite", good, "-p", "engine", "--junit", "/no/such/folder/x.xml", "--nodes", "9"],
            &[],
            "/no/such/folder/x.xml: ",
        ),
    ] {
        let (code, out, errors) = kibitz(arguments, bot);
        assert_eq!(code, Some(2), "{arguments:?}: {out}");
        assert!(errors.contains(part), "{part}: {errors}");
    }
}
