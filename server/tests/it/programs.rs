//! Programs in the sandbox as their authors run them: bots in C, compiled by clang for WASI, in the arena and on the command line.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use engines::games::GAMES;
use serde_json::Value;
use tempfile::TempDir;

fn kibitz(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Compiles a C program for the sandbox.
pub(crate) fn compiled(folder: &Path, source: &Path) -> PathBuf {
    let program = folder.join(source.with_extension("wasm").file_name().unwrap());
    let mut clang = Command::new("clang");
    clang.args(["--target=wasm32-wasi", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-o"]);
    let status = clang.arg(&program).arg(source).status().expect("clang is there: scripts/setup check");
    assert!(status.success(), "{} is compiled", source.display());
    program
}

/// The same of this text.
pub(crate) fn written(folder: &Path, name: &str, text: &str) -> String {
    let source = folder.join(name).with_extension("c");
    fs::write(&source, format!("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n{text}"))
        .unwrap();
    compiled(folder, &source).to_str().unwrap().to_owned()
}

/// The records of an arena's run: this player against an engine of few nodes.
fn records(folder: &Path, game: &str, player: &str, options: &[&str]) -> Vec<Value> {
    let file = folder.join(format!("{}.jsonl", fs::read_dir(folder).unwrap().count()));
    let (bot, log) = (format!("Bot={player}"), file.to_str().unwrap());
    let run =
        ["arena", game, "-p", &bot, "-p", "Engine=engine:level=easy,nodes=30", "--moves", "--json", log];
    let run = kibitz(&run).args(options).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let text = fs::read_to_string(file).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["record"].take());
    records.filter(|record| !record.is_null()).collect()
}

/// The seat of the bot in a record.
fn seat(record: &Value) -> &Value {
    record["seats"].as_array().unwrap().iter().find(|seat| seat["player"] == "Bot").unwrap()
}

/// The bots that were written in C from the contests' statements, unchanged: in the sandbox they make the same moves as natively, and
/// with other load the same moves in the same time, to the instruction.
#[test]
fn bots_of_the_contests_play_in_the_sandbox_as_natively() {
    let folder = TempDir::new().unwrap();
    for game in GAMES {
        let slug = game.info().slug;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/bots/{slug}.c"));
        let native = folder.path().join(slug);
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-o"]).arg(&native).arg(&source);
        assert!(cc.status().unwrap().success());
        let program = format!("wasm:{}", compiled(folder.path(), &source).display());
        let of = |player: &str, options: &[&str]| {
            let options = [&["-n", "4", "--no-limits"], options].concat();
            records(folder.path(), slug, player, &options)
        };
        let sandboxed = of(&program, &["--concurrency", "1"]);
        assert_eq!(sandboxed.len(), 4, "{slug}");
        let natively = of(&format!("cmd:{}", native.display()), &[]);
        let again = of(&program, &["--concurrency", "4"]);
        for ((one, other), again) in sandboxed.iter().zip(&natively).zip(&again) {
            assert_eq!(one["moves"], other["moves"], "{slug}");
            assert_eq!(one["moves"], again["moves"], "{slug}");
            let fuel = seat(one)["fuel"].as_array().unwrap();
            assert!(
                fuel.len() == seat(one)["times_us"].as_array().unwrap().len() && fuel.len() > 1,
                "{slug}"
            );
            assert_eq!(seat(one), seat(again), "{slug}");
        }
    }
}

/// Each fault is found, named, and costs what the program's clock shows, on any machine.
#[test]
fn faults_of_programs_are_those_of_the_clock_that_they_see() {
    let folder = TempDir::new().unwrap();
    let bot = |name: &str, text: &str| {
        let main = format!("int main(void) {{ char line[1000]; fgets(line, 1000, stdin); {text} }}");
        format!("wasm:{}", written(folder.path(), name, &main))
    };
    for (name, text, kind, detail) in [
        ("endless", "volatile int n = 1; while (n) n++; return 0;", "time", "no move after 1000 ms"),
        // It waits for a line that the referee does not send before it has moved.
        ("silent", "while (fgets(line, 1000, stdin)) {} return 0;", "time", "no move after 1000 ms"),
        ("aborts", "fprintf(stderr, \"no idea\\n\"); abort();", "crash", "no move: it aborted"),
        ("leaves", "return 3;", "crash", "no move: exit status: 3"),
        ("talks", "puts(\"what?\"); fflush(stdout); return 0;", "bad_line", "what?"),
    ] {
        let records = records(folder.path(), "ioiwari", &bot(name, text), &["-n", "1", "--move-limit", "1s"]);
        let fault = &records[0]["faults"][0];
        assert_eq!(fault["kind"], kind, "{name}: {fault}");
        assert!(fault["detail"].as_str().unwrap().contains(detail), "{name}: {fault}");
        if kind == "time" {
            assert_eq!(seat(&records[0])["times_us"][0], 1_000_000, "{name}");
        }
        if name == "aborts" {
            assert!(fault["errors"].to_string().contains("no idea"), "{fault}");
        }
    }
}

fn run(program: &str, options: &[&str], input: &str) -> Output {
    let mut child = kibitz(&["run"]).args(options).arg(program).stdin(Stdio::piped()).spawn().unwrap();
    // A program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn program_runs_on_the_command_line() {
    let folder = TempDir::new().unwrap();
    let doubles = written(
        folder.path(),
        "doubles",
        "int main(void) { int n; while (scanf(\"%d\", &n) == 1) { printf(\"%d\\n\", 2 * n); fflush(stdout); } \
         fprintf(stderr, \"bye\\n\"); return 7; }",
    );
    let output = run(&doubles, &["--fuel"], "1\n20\n300");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2\n40\n600\n");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.starts_with("bye\nfuel: ") && errors.contains(" s of its clock"), "{errors}");
    assert_eq!(run(&doubles, &["--fuel"], "1\n20\n300").stderr, output.stderr, "the same fuel");

    let crashes =
        written(folder.path(), "crashes", "int main(void) { int *p = (int *)1000000000; return *p; }");
    let output = run(&crashes, &[], "");
    assert_eq!(output.status.code(), Some(125));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.starts_with("kibitz run: it read or wrote outside its memory"), "{errors}");

    let text = folder.path().join("doubles.c");
    let output = run(text.to_str().unwrap(), &[], "");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(125) && errors.ends_with("this is no WebAssembly file\n"),
        "{errors}"
    );
    let player = format!("Bot=wasm:{}", text.display());
    let output = kibitz(&["arena", "ioiwari", "-p", &player, "-p", "Engine=engine"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
