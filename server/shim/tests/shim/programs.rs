//! A build with the sandbox: what is no program is named before anything is asked of a server.

use std::process::{Command, Output};

/// Joins a match of a server that does not exist, with this program as the bot.
fn join(program: &str) -> Output {
    let mut shim = Command::new(env!("CARGO_BIN_EXE_kibitz-shim"));
    let url = "http://127.0.0.1:9/v1/matches/0190-x";
    shim.args(["join", url, "--", &format!("wasm:{program}")]).output().expect("it starts")
}

#[test]
fn file_that_is_no_program_is_named() {
    let text = std::env::temp_dir().join(format!("kibitz-shim-{}.wasm", std::process::id()));
    std::fs::write(&text, "#!/bin/sh\n").expect("a file");
    for (file, says) in [
        (text.to_str().expect("a path of text"), "this is no WebAssembly file"),
        ("/no/such.wasm", "cannot be read"),
    ] {
        let output = join(file);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(file) && errors.contains(says), "{errors}");
    }
    std::fs::remove_file(text).expect("it is there");
}
