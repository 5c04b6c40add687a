//! `kibitz run`: one program on this terminal, so that it can stand wherever a command can.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use engines::rng::Seed;
use kibitz_sandbox::runner::FILES;
use kibitz_sandbox::{Ending, Instance, Pause, PrivateFiles, time_of, wall_of};

use super::{load, sandbox};
use crate::cli::console;

/// The exit code for a fault of the program, which is not one of its own codes, or where there is no program.
const FAULT: u8 = 125;

/// Settings of `kibitz run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Exit status: the program's own; 125 if the file is no program, or if the program was stopped for a fault.")]
pub(crate) struct RunArgs {
    /// The program: a WebAssembly module for WASI preview 1
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The seed of its random numbers: a number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: Seed,

    /// Print at the end how much fuel it has used, to standard error
    #[arg(long)]
    fuel: bool,
}

/// Passes the lines of standard input to the program and its lines to standard output.
pub(crate) fn run(args: &RunArgs) -> ExitCode {
    try_run(args).unwrap_or_else(|text| {
        console::print_error(format_args!("kibitz run: {text}"));
        ExitCode::from(FAULT)
    })
}

fn try_run(args: &RunArgs) -> Result<ExitCode, String> {
    let sandbox = sandbox().map_err(|e| e.to_string())?;
    let program = load(&sandbox, &args.file)?;
    let mut instance = Instance::start(&program, args.seed.0, PrivateFiles::new(FILES), 0);
    let mut fuel = 0_u64;
    let ending = loop {
        let step = instance.resume(u64::MAX, wall_of(None));
        fuel = fuel.saturating_add(step.fuel);
        // Standard error may be closed; that does not concern the program.
        let _ = io::stderr().write_all(&step.errors);
        write_lines(&step.lines).map_err(|e| format!("standard output cannot be written: {e}"))?;
        match step.state {
            Ok(Pause::Wrote) => {}
            Ok(Pause::Waits) => match read_line().map_err(|e| format!("standard input: {e}"))? {
                Some(line) => instance.say(&line),
                None => instance.end_input(),
            },
            Err(ending) => break ending,
        }
    };
    if args.fuel {
        console::print_error(format_args!("fuel: {fuel}, {:.3} s of its clock", time_of(fuel).as_secs_f64()));
    }
    match ending {
        Ending::Exited(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))),
        fault => Err(fault.to_string()),
    }
}

fn write_lines(lines: &[Vec<u8>]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines {
        out.write_all(line)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// The next line of standard input, without its end; `None`: there is none.
fn read_line() -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = io::stdin().lock().read_until(b'\n', &mut line)?;
    line.pop_if(|last| *last == b'\n');
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
