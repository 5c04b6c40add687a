//! The man pages and the completions that the packages have.

use std::fs;
use std::process::Command;

fn kibitz(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn each_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    kibitz(&["man-pages", folder.path().to_str().unwrap()]);
    let help = kibitz(&["--help"]);
    let commands = help.split("Commands:\n").nth(1).unwrap().lines().map_while(|line| {
        // A command stands two letters from the edge; its text may go on below.
        line.strip_prefix("  ").and_then(|line| line.split_whitespace().next())
    });
    let mut pages = 0;
    for command in commands.filter(|command| *command != "help") {
        let page = fs::read_to_string(folder.path().join(format!("kibitz-{command}.1")));
        let page = page.unwrap_or_else(|e| panic!("{command} has no page: {e}"));
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{page}");
        pages += 1;
    }
    assert!(pages > 10, "{help}");
    let serve = fs::read_to_string(folder.path().join("kibitz-serve.1")).unwrap();
    assert!(serve.contains("\\-\\-database") && serve.contains("KIBITZ_DATABASE"), "{serve}");
    assert!(folder.path().join("kibitz-admin-backup.1").exists(), "commands of commands have pages, too");
    assert!(!folder.path().join("kibitz-man-pages.1").exists(), "hidden commands have none");
}

#[test]
fn shells_complete_commands_and_flags() {
    for shell in ["bash", "zsh", "fish"] {
        let text = kibitz(&["completions", shell]);
        for word in ["healthcheck", "match-log-level", "export"] {
            assert!(text.contains(word), "{shell} does not know {word}");
        }
    }
}
