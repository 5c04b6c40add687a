//! `kibitz verify`: the real program on real files; checks its exit code and its line.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn verify(arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    run_on_input("verify", arguments, input)
}

/// Runs a command of `kibitz` with these arguments and this input: its exit code, its output and its errors.
pub(crate) fn run_on_input(command: &str, arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .arg(command)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may refuse before it has read everything; ignore the write error.
    let _ = child.stdin.take().unwrap().write_all(input);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn golden() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/matches/record/golden");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn true_records_are_reported_in_one_line() {
    let files = golden();
    assert!(files.len() >= engines::games::GAMES.len());
    for file in files {
        let path = file.to_str().unwrap();
        let from_file = verify(&[path], b"");
        let from_input = verify(&["-"], &std::fs::read(&file).unwrap());
        assert_eq!(from_file, from_input);
        let (code, line, errors) = from_file;
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{path}: {line}");
        assert!(line.starts_with("true: ") && line.lines().count() == 1, "{line}");
    }
}

#[test]
fn changed_record_is_not_true() {
    for file in golden() {
        let text = std::fs::read_to_string(&file).unwrap();
        // The last byte of the seed, at the head alone.
        let place = text.find("\"seed\":\"").unwrap() + 8 + 63;
        let other = if &text[place..=place] == "0" { "1" } else { "0" };
        let changed = format!("{}{other}{}", &text[..place], &text[place + 1..]);
        let (code, line, errors) = verify(&["-"], changed.as_bytes());
        assert_eq!((code, errors.as_str()), (Some(1), ""));
        assert!(line.starts_with("not true: commitment: ") && line.lines().count() == 1, "{line}");
    }
    let (code, line, _) = verify(&["-"], b"no record");
    assert_eq!(code, Some(1));
    assert!(line.starts_with("not true: this is not JSON"), "{line}");
}

#[test]
fn unusable_arguments_and_records_are_explained() {
    let huge = b"[".repeat(33 << 20);
    for (arguments, input, part) in [
        (&["/no/such/record.json"][..], &b""[..], "/no/such/record.json: No such file"),
        (&[env!("CARGO_MANIFEST_DIR")], b"", "this is a directory"),
        (&["-"], &huge, "no record is larger than 32 MiB"),
        (&[], b"", "FILE"),
        (&["a", "b"], b"", "unexpected argument"),
    ] {
        let (code, line, errors) = verify(arguments, input);
        assert_eq!((code, line.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(errors.contains(part), "{errors}");
    }
}

/// The commands of `docs/records.md` print the output that it shows.
#[test]
fn walkthrough_of_the_docs_is_true() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/records.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let file = golden().into_iter().find(|file| docs.contains(file.file_name().unwrap().to_str().unwrap()));
    let text = std::fs::read_to_string(file.unwrap()).unwrap();
    let changed = text.replace("\"ranks\":[2,1]", "\"ranks\":[1,2]");
    for text in [&text, &changed] {
        let (_, line, _) = verify(&["-"], text.as_bytes());
        assert!(docs.contains(&line), "{line}");
    }
    // The commands that check the commitment by hand print the same number twice.
    let found = docs.lines().filter(|line| line.starts_with("jq -r") && line.contains("record.json"));
    let commands: [&str; 2] = found.collect::<Vec<_>>().try_into().unwrap();
    assert!(commands[0].ends_with("sha256sum"), "{commands:?}");
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("record.json"), &text).unwrap();
    let printed = commands.map(|command| {
        let output = Command::new("bash").args(["-c", command]).current_dir(&folder).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        printed.split_whitespace().next().unwrap_or_default().to_owned()
    });
    assert_eq!(printed[0], printed[1]);
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["commitment"], printed[0]);
}
