//! Programs in the sandbox: what they may do, what they may not, and that they do the same every time.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod clock;
mod dialogue;
mod hostile;
mod modules;
mod private_files;
mod refusals;
mod worst_modules;

use std::sync::LazyLock;
use std::time::Duration;

use kibitz_sandbox::{Ending, Instance, Pause, PrivateFiles, Program, ProgramLimits, Sandbox, Step};

/// More fuel than any program of these tests needs that ends by itself.
const FUEL: u64 = 1_000_000_000;

/// No machine takes as long.
const WALL: Duration = Duration::from_secs(600);

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(ProgramLimits::default()).unwrap());

/// A program from its text, with the functions, data and imports that [`modules::with`] adds.
fn program(body: &str) -> Program {
    SANDBOX.compile(&modules::with(body)).unwrap()
}

/// A program that has an empty directory, and begins a match.
fn begin(program: &Program) -> Instance {
    Instance::start(program, [7; 32], PrivateFiles::new(1 << 20), 0)
}

/// Runs a program to its end; it must not wait for input.
fn run(program: &Program) -> (Ending, String, String) {
    run_in(program, &PrivateFiles::new(1 << 20))
}

/// The same with this directory.
fn run_in(program: &Program, files: &PrivateFiles) -> (Ending, String, String) {
    let mut instance = Instance::start(program, [7; 32], files.clone(), 0);
    instance.end_input();
    let (mut lines, mut errors) = (Vec::new(), Vec::new());
    loop {
        let step = instance.resume(FUEL, WALL);
        lines.extend(text(&step));
        errors.extend_from_slice(&step.errors);
        match step.state {
            Ok(Pause::Wrote) => {}
            Ok(Pause::Waits) => panic!("it waits for input that has ended"),
            Err(ending) => return (ending, lines.join("\n"), String::from_utf8(errors).unwrap()),
        }
    }
}

/// The lines of a step.
fn text(step: &Step) -> Vec<String> {
    step.lines.iter().map(|line| String::from_utf8(line.clone()).unwrap()).collect()
}
