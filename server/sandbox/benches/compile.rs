//! What the modules cost that are the slowest to compile, or those in files: `cargo bench -p kibitz-sandbox --bench compile [-- FILE...]`.
//! Each is compiled in a process of its own, which prints its time, its peak memory and the refusal, if there is one.

#[path = "../tests/sandbox/worst_modules.rs"]
mod worst_modules;

use std::process::Command;
use std::time::{Duration, Instant};

use kibitz_sandbox::{ProgramLimits, Sandbox};
use worst_modules::{COSTLY, TOO_COSTLY, Worst};

/// Set in the process that compiles: a number in [`modules`], or a file.
const ONE: &str = "KIBITZ_COMPILE_ONE";

/// After which time a compilation is stopped.
const LONGEST: Duration = Duration::from_secs(120);

/// The most memory that a process of this program has had, in MiB.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Those that are compiled, then those that are refused.
fn modules() -> Vec<Worst> {
    [COSTLY, TOO_COSTLY].concat()
}

fn main() {
    if let Ok(one) = std::env::var(ONE) {
        return compile(&one);
    }
    let files: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let all: Vec<String> =
        if files.is_empty() { (0..modules().len()).map(|n| n.to_string()).collect() } else { files };
    for one in all {
        let program = std::env::current_exe().expect("this program has a file");
        let mut child = Command::new(program).env(ONE, &one).spawn().expect("it starts again");
        let began = Instant::now();
        while child.try_wait().expect("it can be waited for").is_none() {
            if began.elapsed() > LONGEST {
                println!("{one}: stopped after {LONGEST:?}");
                child.kill().expect("it can be stopped");
                child.wait().expect("it can be waited for");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn compile(one: &str) {
    let (name, bytes) = match one.parse::<usize>() {
        Ok(number) => (format!("{:?}", modules()[number]), worst_modules::module(modules()[number])),
        Err(_) => (one.to_owned(), std::fs::read(one).expect("the module can be read")),
    };
    let sandbox = Sandbox::new(ProgramLimits::default()).expect("a sandbox");
    let before = peak_mib();
    let began = Instant::now();
    let estimate = sandbox.estimate(&bytes).unwrap_or(0);
    let estimated = began.elapsed();
    let began = Instant::now();
    let refusal = sandbox.compile(&bytes).err().map_or("compiled".to_owned(), |e| e.to_string());
    println!(
        "{name}: {} KiB, estimated at {estimate} in {estimated:.1?}; {:.2} s, {} MiB at most ({before} before): {refusal:.120}",
        bytes.len() / 1024,
        began.elapsed().as_secs_f64(),
        peak_mib(),
    );
}
