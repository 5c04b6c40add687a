//! The workflow of `docs/ci.md`: it is parsed, and its commands run in the repository of a small bot. Also what `kibitz arena` writes
//! for services of continuous integration.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use quick_junit::Report;
use serde::Deserialize;
use tempfile::TempDir;

use crate::suite::golden;

#[derive(Deserialize)]
struct Workflow {
    env: BTreeMap<String, String>,
    jobs: BTreeMap<String, Job>,
}

#[derive(Deserialize)]
struct Job {
    #[serde(rename = "runs-on")]
    runs_on: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    name: Option<String>,
    uses: Option<String>,
    run: Option<String>,
}

/// The workflow on the page.
fn workflow() -> Workflow {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ci.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    serde_saphyr::from_str(block).unwrap()
}

/// Runs a script in this folder with these variables, and this one in front of `PATH`.
fn shell(folder: &Path, bin: &Path, env: &BTreeMap<String, String>, script: &str) -> (Option<i32>, String) {
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    // As the service runs steps.
    let mut command = Command::new("bash");
    command.args(["-e", "-c", script]).current_dir(folder).envs(env).env("PATH", path);
    let done = command.output().unwrap();
    let text = [done.stdout, done.stderr].concat();
    (done.status.code(), String::from_utf8(text).unwrap())
}

/// A repository with a bot that always passes, and a tag of its release.
fn repository(home: &Path) {
    let folder = home.join("bot");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("bot.sh"), "#!/bin/sh\ncat > /dev/null\necho 1 0\n").unwrap();
    std::fs::write(folder.join("Makefile"), "my-bot: bot.sh\n\tcp bot.sh my-bot && chmod +x my-bot\n")
        .unwrap();
    std::fs::copy(golden("splendor"), folder.join("suite.jsonl")).unwrap();
    let git = "git init -q && git config user.name bot && git config user.email bot@example.com && git add . \
               && git commit -qm one && git tag v1 && git commit -q --allow-empty -m two";
    let done = shell(&folder, home, &BTreeMap::new(), git);
    assert_eq!(done.0, Some(0), "{}", done.1);
}

#[test]
fn workflow_of_the_docs_runs_in_the_repository_of_a_bot() {
    let home = TempDir::new().unwrap();
    repository(home.path());
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_kibitz"), bin.join("kibitz")).unwrap();
    let Workflow { mut env, jobs } = workflow();
    assert_eq!(env["GAME"], "splendor");
    let summary = home.path().join("summary.md");
    env.insert("GITHUB_STEP_SUMMARY".to_owned(), summary.to_str().unwrap().to_owned());
    let job = &jobs["bot"];
    assert!(job.runs_on.starts_with("ubuntu-"));
    let mut ran = Vec::new();
    for step in &job.steps {
        assert!(step.run.is_some() != step.uses.is_some(), "{:?}", step.name);
        let (Some(name), Some(script)) = (&step.name, &step.run) else { continue };
        // The program is there already.
        if name == "Install kibitz" {
            continue;
        }
        // A few games instead of thousands.
        let script = script.replace("-n 2000", "-n 4");
        let (code, output) = shell(&home.path().join("bot"), &bin, &env, &script);
        assert_eq!(code, Some(0), "{name}:\n{output}");
        ran.push(name.as_str());
    }
    assert_eq!(
        ran,
        ["Build", "Build the last release", "Check the bot", "Positions", "Against the last release"]
    );
    let report = |name: &str| {
        let xml = std::fs::read_to_string(home.path().join("bot").join(name)).unwrap();
        Report::deserialize_from_str(&xml).unwrap()
    };
    let suite = report("suite.xml");
    let last = suite.test_suites[0].test_cases.last().unwrap();
    assert_eq!(last.name.as_str(), "not worse than program ../release/./my-bot");
    assert_eq!(suite.test_suites[0].failures, 0);
    let arena = report("arena.xml");
    assert_eq!(arena.test_suites[0].test_cases.len(), 2);
    let summary = std::fs::read_to_string(summary).unwrap();
    assert!(summary.contains("### Suite ") && summary.contains("### Arena splendor: 4 games"), "{summary}");
}

#[test]
fn step_of_the_workflow_fails_for_a_bot_that_makes_mistakes() {
    let home = TempDir::new().unwrap();
    let bot = home.path().join("my-bot");
    std::fs::write(&bot, "#!/bin/sh\ncat > /dev/null\necho 9 9\n").unwrap();
    std::fs::set_permissions(&bot, std::fs::Permissions::from_mode(0o755)).unwrap();
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_kibitz"), bin.join("kibitz")).unwrap();
    let Workflow { env, jobs } = workflow();
    let step = jobs["bot"].steps.iter().find(|step| step.name.as_deref() == Some("Check the bot")).unwrap();
    let (code, output) = shell(home.path(), &bin, &env, step.run.as_ref().unwrap());
    assert_eq!(code, Some(1), "{output}");
}

/// Runs a sequential test in an arena; returns the exit code, the report and the summary.
fn arena(players: [&str; 2], more: &[&str]) -> (Option<i32>, Report, String) {
    let folder = TempDir::new().unwrap();
    let [xml, markdown] = ["r.xml", "r.md"].map(|name| folder.path().join(name));
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    command.args(["arena", "ioiwari", "-p", players[0], "-p", players[1], "--sprt=0,400", "--no-limits"]);
    command.arg("--junit").arg(&xml).arg("--markdown").arg(&markdown).args(more);
    let done = command.output().unwrap();
    let report = Report::deserialize_from_str(&std::fs::read_to_string(&xml).unwrap()).unwrap();
    (done.status.code(), report, std::fs::read_to_string(&markdown).unwrap())
}

#[test]
fn sequential_test_is_a_check_of_its_own() {
    let (strong, weak) = ("A=engine:nodes=1", "B=engine:name=random,nodes=1");
    for (players, more, code, failures, word) in [
        ([strong, weak], &["-n", "2000"][..], 0, 0, "passed"),
        (["A=engine:name=random,nodes=1", "B=engine:nodes=1"], &["-n", "2000"], 3, 1, "FAILED"),
        ([strong, weak], &["-n", "2"], 4, 1, "undecided"),
    ] {
        let (found, report, markdown) = arena(players, more);
        let suite = &report.test_suites[0];
        assert_eq!((found, suite.failures, suite.test_cases.len()), (Some(code), failures, 2), "{markdown}");
        assert_eq!(suite.test_cases[1].name.as_str(), "A is 400 Elo stronger than B, and not 0");
        assert!(markdown.contains(&format!("**{word}**")) && markdown.contains("Elo [95%]"), "{markdown}");
    }
}
