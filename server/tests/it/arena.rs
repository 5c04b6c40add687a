//! The arena as its users run it: the real program, killed, stopped, paused and starved in the middle of a run. Its
//! result is that of an undisturbed run, or a report that there is none; never a different one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::server_process::ServerProcess;

/// Longer than any step takes, even on a slow machine; reached only by a failing test.
const LIMIT: Duration = Duration::from_secs(600);

/// The folder of one test, removed after it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kibitz-arena-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// A bot that runs `first`, a piece of shell script, and then becomes the honest bot of the engines' tests. In the
    /// script, `$here` is this folder.
    fn bot(&self, first: &str) -> String {
        let honest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/tests/bots/sower.sh");
        let script = format!("here='{}'\n{first}\nexec sh '{}' honest\n", self.0.display(), honest.display());
        fs::write(self.0.join("bot.sh"), script).unwrap();
        format!("Bot=cmd:sh '{}'", self.file("bot.sh"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn arena(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    command.args(["arena", "ioiwari"]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the arena to its end.
fn finish(arguments: &[&str]) -> Output {
    arena(arguments).output().unwrap()
}

/// Scripts read the result of a test from the exit status.
#[test]
fn exit_status_tells_which_hypothesis_was_accepted() {
    let code = |first: &str, second: &str, games: &str| {
        let players = [format!("A={first}"), format!("B={second}")];
        let run = finish(&["-p", &players[0], "-p", &players[1], "-n", games, "--sprt", "0,200"]);
        (run.status.code(), String::from_utf8(run.stdout).unwrap())
    };
    let (strong, weak) = ("engine:nodes=200", "engine:name=random");
    for (first, second, games, expected, says) in [
        (strong, weak, "400", 0, "H1 accepted"),
        (weak, strong, "400", 3, "H0 accepted"),
        (strong, weak, "2", 4, "LLR"),
    ] {
        let (code, table) = code(first, second, games);
        assert!(code == Some(expected) && table.contains(says), "{code:?}: {table}");
    }
    let help = String::from_utf8(finish(&["--help"]).stdout).unwrap();
    assert!(help.contains("3  with --sprt: H0 was accepted"), "{help}");
}

fn lines(file: &str) -> Vec<Value> {
    let text = fs::read(file).unwrap_or_default();
    text.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn records(file: &str) -> Vec<Value> {
    let mut records: Vec<Value> =
        lines(file).iter().map(|l| l["record"].clone()).filter(Value::is_object).collect();
    records.sort_by_key(|r| r["game"].as_u64());
    records
}

/// The summary, the last line, without the durations of decisions and the memory, which differ between runs.
fn summary(file: &str) -> Value {
    let mut summary = lines(file).last().unwrap()["summary"].clone();
    for player in summary["players"].as_array_mut().expect("the run has ended") {
        for time in ["p50_ms", "p99_ms", "max_ms", "nodes_per_s", "cpu_ms", "peak_kib"] {
            player[time] = Value::Null;
        }
    }
    summary
}

/// The tables on standard output, without the heading and the one with times.
fn tables(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let (_, tables) = text.split_once("\n\n").unwrap();
    tables.split("\n\n").filter(|t| !t.starts_with("play ")).map(str::to_owned).collect()
}

fn until(what: &str, mut met: impl FnMut() -> bool) {
    let start = Instant::now();
    while !met() {
        assert!(start.elapsed() < LIMIT, "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// A script that makes a bot wait until the file `gate` is removed. So the run cannot end before the test's signal.
/// The first `free` bots do not wait.
fn gate(free: u32) -> String {
    format!(
        "echo x >> \"$here/begun\"\n\
         while [ -e \"$here/gate\" ] && [ $(wc -l < \"$here/begun\") -gt {free} ]; do sleep 0.02; done"
    )
}

#[test]
fn run_that_was_killed_and_continued_has_the_same_result() {
    let folder = Folder::new("killed");
    let bot = folder.bot(&gate(12));
    let common =
        ["-p", &bot, "-p", "E=engine:level=easy,nodes=50", "-n", "40", "-c", "2", "--move-limit", "60s"];
    let (whole_file, cut_file) = (folder.file("whole.jsonl"), folder.file("cut.jsonl"));
    let whole = [&common[..], &["--json", &whole_file]].concat();
    let cut = [&common[..], &["--json", &cut_file]].concat();
    let uninterrupted = finish(&whole);
    assert!(uninterrupted.status.success(), "{uninterrupted:?}");
    let mut played = 0;
    for name in ["-KILL", "-TERM", "-KILL"] {
        fs::write(folder.file("begun"), "").unwrap();
        fs::write(folder.file("gate"), "").unwrap();
        let mut child = arena(&cut).spawn().unwrap();
        until("a record", || records(&cut_file).len() >= played + 5);
        signal(&child, name);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), (name == "-TERM").then_some(1), "{name}");
        fs::remove_file(folder.file("gate")).unwrap();
        played = records(&cut_file).len();
        assert!((5..40).contains(&played), "{name}: {played}");
    }
    // A half-written line.
    fs::File::options().append(true).open(&cut_file).unwrap().write_all(b"{\"record\":{\"ga").unwrap();
    let continued = finish(&cut);
    assert!(continued.status.success(), "{continued:?}");
    assert_eq!(tables(&continued), tables(&uninterrupted));
    assert_eq!(summary(&cut_file), summary(&whole_file));
    assert_eq!(records(&cut_file).len(), 40, "no match is played twice");
    let again = finish(&cut);
    assert_eq!(tables(&again), tables(&uninterrupted));
}

#[test]
fn file_of_another_run_is_refused_and_left_unchanged() {
    let folder = Folder::new("another");
    let file = folder.file("run.jsonl");
    let run = |seed: &str| {
        let players = ["-p", "A=engine:nodes=5", "-p", "B=engine:name=random", "-n", "4"];
        finish(&[&players[..], &["--json", &file, "--seed", seed]].concat())
    };
    assert!(run("1").status.success());
    let before = fs::read(&file).unwrap();
    let refused = run("2");
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), error.trim_end().lines().count()), (Some(2), 1), "{error}");
    assert!(error.contains("holds another run: seed is"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), before);
    let lock = fs::File::options().append(true).open(&file).unwrap();
    lock.lock().unwrap();
    let error = String::from_utf8(run("1").stderr).unwrap();
    assert!(error.contains("is being written by another run"), "{error}");
}

/// When a service is stopped, its bots get the signal too, so their end is no result.
#[test]
fn bots_that_end_with_the_run_have_not_lost() {
    let folder = Folder::new("felled");
    let first = "echo x >> \"$here/begun\"\n\
        if [ $(wc -l < \"$here/begun\") -eq 4 ]; then kill -TERM $PPID; exit 1; fi";
    let file = folder.file("run.jsonl");
    let output = finish(&[
        "-p",
        &folder.bot(first),
        "-p",
        "E=engine:nodes=5",
        "-n",
        "20",
        "-c",
        "1",
        "--move-limit",
        "60s",
        "--json",
        &file,
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(records(&file).len(), 3);
    assert_eq!(summary(&file)["players"][0]["faults"]["crash"], 0);
}

/// Many bots and few file descriptors: a bot waits for a free one; without any, no bot loses.
#[test]
fn lack_of_file_descriptors_decides_nothing() {
    let folder = Folder::new("starved");
    let bot = folder.bot("");
    for (files, games, all_are_played) in [(17, 8, true), (9, 4, false)] {
        let file = folder.file(&format!("{files}.jsonl"));
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -n {files} && exec \"$@\""), "sh", env!("CARGO_BIN_EXE_kibitz")])
            .args([
                "arena",
                "ioiwari",
                "-p",
                &bot,
                "-p",
                "E=engine:nodes=5",
                "-n",
                &games.to_string(),
                "-c",
                "4",
            ])
            .args(["--move-limit", "60s", "--json", &file])
            .output()
            .unwrap();
        let summary = summary(&file);
        assert_eq!(output.status.success(), all_are_played, "{files}: {summary}");
        assert_eq!(summary["players"][0]["faults"]["crash"], 0, "{files}: {summary}");
        assert_eq!(summary["games"], if all_are_played { games } else { 0 }, "{files}: {summary}");
        assert_eq!(summary["voided"].as_object().unwrap().is_empty(), all_are_played, "{summary}");
    }
}

/// Pauses a run, as Ctrl-Z and `fg` do, for longer than a move may take, while a bot has not moved yet. Returns whether
/// the bot was charged for the pause.
#[cfg(target_os = "linux")]
fn pause_is_charged(limit: u64) -> bool {
    let folder = Folder::new(&format!("paused-{limit}"));
    let bot = folder.bot(&gate(2));
    let file = folder.file("run.jsonl");
    fs::write(folder.file("gate"), "").unwrap();
    let seconds = format!("{limit}s");
    let arguments = [
        "-p",
        &bot,
        "-p",
        "E=engine:nodes=5",
        "-n",
        "6",
        "-c",
        "1",
        "--move-limit",
        &seconds,
        "--json",
        &file,
    ];
    let child = arena(&arguments).spawn().unwrap();
    until("a bot that waits", || fs::read_to_string(folder.file("begun")).is_ok_and(|t| t.len() == 6));
    signal(&child, "-STOP");
    std::thread::sleep(Duration::from_secs(limit + 2));
    fs::remove_file(folder.file("gate")).unwrap();
    signal(&child, "-CONT");
    let output = child.wait_with_output().unwrap();
    let counted = summary(&file);
    if counted["players"][0]["faults"]["time"] != 0 {
        return true;
    }
    if output.status.code() == Some(1) {
        let why = counted["voided"].to_string();
        assert!(why.contains("stood still"), "{why}");
        assert!(finish(&arguments).status.success(), "the voided match is played again");
    }
    assert_eq!(summary(&file)["games"], 6);
    false
}

/// An arena that charges pauses does so at every limit; on a slow machine the bot itself may exceed a short one.
#[test]
#[cfg(target_os = "linux")]
fn pause_of_the_run_is_charged_to_no_player() {
    assert!(
        [3, 15, 60].iter().any(|limit| !pause_is_charged(*limit)),
        "the pause was charged at every limit"
    );
}

/// A server that is killed during a run and restarted decides nothing and voids nothing.
#[test]
fn restart_of_a_server_costs_no_match() {
    let folder = Folder::new("restarted");
    let mut server = ServerProcess::start(&[]);
    let run = |server: &str, file: &str| {
        let file = folder.file(file);
        let player = format!("S={server}");
        let bot = folder.bot("");
        arena(&["-p", &bot, "-p", &player, "-n", "24", "-c", "1", "--move-limit", "60s", "--json", &file])
            .spawn()
            .unwrap()
    };
    let file = folder.file("run.jsonl");
    let remote = format!("server:{},nodes=5,seed=7", server.url());
    let mut child = run(&remote, "run.jsonl");
    until("some matches", || records(&file).len() >= 4);
    server.kill();
    // The arena tries to reach the server while it is away.
    let away = TcpListener::bind(server.address).unwrap();
    for _ in 0..2 {
        drop(away.accept().unwrap());
    }
    drop(away);
    server.begin();
    assert!(child.wait().unwrap().success(), "{}", summary(&file));
    let counted = summary(&file);
    assert_eq!((&counted["games"], &counted["not_played"]), (&Value::from(24), &Value::from(0)), "{counted}");
    let uninterrupted = run(&remote, "whole.jsonl").wait().unwrap();
    assert!(uninterrupted.success());
    assert_eq!(summary(&folder.file("whole.jsonl")), counted);
}

#[test]
fn closed_output_is_reported_in_a_sentence_and_the_file_is_complete() {
    let folder = Folder::new("hangs-up");
    let bot = folder.bot(&gate(2));
    fs::write(folder.0.join("gate"), "").unwrap();
    let file = folder.file("run.jsonl");
    let run = ["-p", &bot, "-p", "E=engine:nodes=10", "-n", "6", "-c", "1", "--move-limit", "60s"];
    let mut child = arena(&[&run[..], &["--json", &file]].concat()).spawn().unwrap();
    let mut table = BufReader::new(child.stdout.take().unwrap());
    table.read_line(&mut String::new()).unwrap();
    until("a game", || !records(&file).is_empty());
    drop(table);
    fs::remove_file(folder.0.join("gate")).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let error = "error: standard output cannot be written: ";
    assert!(said.starts_with(error) && said.lines().count() == 1, "{said}");
    assert_eq!(summary(&file)["not_played"], 0);

    // A full disk is reported before any game.
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let output = arena(&["-p", "E=engine", "-n", "1000000"]).stdout(full()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.starts_with(error)), (Some(1), true), "{said}");

    // Warnings that cannot be written do not fail the run; here each game has one.
    let failing = "Bot=cmd:sh -c 'exit 3'";
    let output =
        arena(&["-p", failing, "-p", "E=engine:nodes=10", "-n", "4"]).stderr(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(tables(&output).iter().any(|table| table.starts_with("player ")));
}

#[test]
fn run_begins_with_the_positions_of_a_file() {
    let folder = Folder::new("positions");
    let file = folder.file("positions.jsonl");
    let position = |pits: &str| format!("{{\"pits\": {pits}, \"banks\": [3, 2], \"to_move\": 1}}\n");
    let good = position("[2, 2, 2, 2, 2, 2, 3]") + &position("[0, 5, 2, 2, 2, 2, 2]");
    fs::write(&file, &good).unwrap();
    let players = ["-p", "A=engine:level=easy,nodes=9", "-p", "B=engine:name=random", "--positions", &file];
    let output = finish(&players);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("start: 2 positions, a deal each in turn\n"), "{text}");
    assert!(text.contains("4 games, 2 a deal"), "each position once in every line-up: {text}");
    fs::write(&file, good + "\n" + &position("[9, 0, 0, 0, 0, 0, 0]")).unwrap();
    let output = finish(&players);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("positions.jsonl: line 4, column 1: "), "{told}");
    let missing = finish(&["-p", "A=engine", "--positions", "/nowhere/at.all"]);
    assert_eq!(missing.status.code(), Some(2));
    let both = finish(&[&players[..], &["--opening-plies", "2"]].concat());
    assert_eq!(both.status.code(), Some(2));
}
