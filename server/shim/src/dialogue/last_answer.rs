//! The answer of last resort: in a game with a pass the program prints the pass instead of failing, since the
//! referee counts silence and any status other than 0 as a crash. It must print nothing after an answer was printed.

use crate::dialogue::answer::Failure;
use crate::dialogue::notes;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The line that passes the turn, if the game has one.
static PASS: OnceLock<&'static str> = OnceLock::new();

/// Whether the referee waits for an answer. Starting the program is the first question.
static DUE: AtomicBool = AtomicBool::new(true);

/// Prepares for failures of every kind, panics included. `pass`: the line that passes a turn of the game.
pub(crate) fn prepare(pass: Option<&'static str>) {
    if let Some(pass) = pass {
        // Set once, before anything can fail.
        let _ = PASS.set(pass);
    }
    std::panic::set_hook(Box::new(|panic| {
        let passed = print_pass();
        notes::write_last(&with_pass(&format!("a fault in this program: {panic}"), passed));
        std::process::exit(if passed.is_some() { 0 } else { 1 });
    }));
}

/// Notes that the referee has sent a question.
pub(crate) fn is_due() {
    DUE.store(true, Ordering::Relaxed);
}

/// Notes that an answer is being printed.
pub(crate) fn is_given() {
    DUE.store(false, Ordering::Relaxed);
}

/// The result of the program: a failure becomes a pass if the game has one and no answer was printed.
pub(crate) fn settle(result: Result<(), Failure>) -> Result<(), Failure> {
    let passed = print_pass();
    match (result, passed) {
        (Err(failure), Some(_)) => notes::write_last(&with_pass(&failure.reason, passed)),
        (Ok(()), Some(_)) => notes::write_last(&with_pass("the session ended without an answer", passed)),
        (result, None) => return result,
    }
    Ok(())
}

/// Prints the pass if an answer is due. Returns the printed line.
fn print_pass() -> Option<&'static str> {
    let pass = *PASS.get()?;
    if !DUE.swap(false, Ordering::Relaxed) {
        return None;
    }
    let line = format!("{pass}\n");
    let written = rustix::io::write(std::io::stdout(), line.as_bytes());
    written.is_ok_and(|count| count == line.len()).then_some(pass)
}

fn with_pass(reason: &str, passed: Option<&str>) -> String {
    match passed {
        // The pass comes first, because a long note loses its end.
        Some(pass) => format!("passed with {pass}: {reason}"),
        None => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// The variable that makes the test's own program panic.
    const PANICS: &str = "KIBITZ_TEST_PANICS";

    #[test]
    fn panic_prints_the_pass_once_and_no_percent_sign() {
        if let Ok(how) = std::env::var(PANICS) {
            prepare(Some("1 0"));
            if how == "after the answer" {
                is_given();
            }
            panic!("100% wrong");
        }
        for (how, status, pass) in [("before", 0, 1), ("after the answer", 1, 0)] {
            let this = std::env::current_exe().expect("the test program has a path");
            let name = "dialogue::last_answer::tests::panic_prints_the_pass_once_and_no_percent_sign";
            let output =
                Command::new(this).args(["--exact", name, "--nocapture"]).env(PANICS, how).output().unwrap();
            let (stdout, stderr) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(status), "{how}: {stdout}{stderr}");
            assert_eq!(stdout.lines().filter(|line| line.ends_with("1 0")).count(), pass, "{how}: {stdout}");
            assert!(stderr.starts_with("kibitz shim: ") && !stderr.contains('%'), "{how}: {stderr}");
        }
    }
}
