//! `kibitz verify`: reads the record of a match, deals and plays it again, and reports the first thing that is wrong. Needs
//! no server, database or network.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::console;
use crate::matches::record::verdict;

/// The largest record that is read, in bytes. The records of the longest matches are a hundred times smaller.
const LARGEST: u64 = 32 << 20;

/// Settings of `kibitz verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The record, as `GET /v1/matches/ID/record` returns it; `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Run the hosted programs of the match again: a folder with their modules, under any names. Every decision and its fuel must be
    /// the same
    #[cfg(feature = "programs")]
    #[arg(long, value_name = "FOLDER")]
    pub programs: Option<PathBuf>,
}

/// Checks a record and prints the result in one line. Returns the program's exit code: 0, all of it is true; 1, it is not;
/// 2, there was nothing to check.
pub fn run(args: &VerifyArgs) -> ExitCode {
    let text = match read(&args.file) {
        Ok(text) => text,
        Err(e) => {
            console::print_error(format_args!("kibitz verify: {}: {e}", args.file.display()));
            return ExitCode::from(2);
        }
    };
    let (line, code) = match verdict(&text) {
        Ok(summary) => (format!("true: {summary}"), ExitCode::SUCCESS),
        Err(wrong) => (format!("not true: {wrong}"), ExitCode::FAILURE),
    };
    if let Err(e) = console::print_line(line) {
        console::print_error(format_args!("kibitz verify: {e}"));
    }
    #[cfg(feature = "programs")]
    if let (Some(folder), true) = (&args.programs, code == ExitCode::SUCCESS) {
        return prove(&text, folder);
    }
    code
}

/// Runs the programs of a true record again, and prints a line for each. Returns the exit code.
#[cfg(feature = "programs")]
fn prove(text: &[u8], folder: &Path) -> ExitCode {
    let proofs = match crate::cli::programs::prove(text, folder) {
        Ok(proofs) => proofs,
        Err(e) => {
            console::print_error(format_args!("kibitz verify: {e}"));
            return ExitCode::from(2);
        }
    };
    let mut code = ExitCode::SUCCESS;
    if proofs.is_empty() {
        console::print_error(format_args!("kibitz verify: no hosted program plays in this match"));
    }
    for proof in proofs {
        let line = match &proof.difference {
            None => format!(
                "true: seat {}, program {}: {} decisions and {} units of fuel, all as recorded",
                proof.seat, proof.program.number, proof.decisions, proof.fuel
            ),
            Some(difference) => {
                code = ExitCode::FAILURE;
                format!("not true: seat {}, program {}: {difference}", proof.seat, proof.program.number)
            }
        };
        if let Err(e) = console::print_line(line) {
            console::print_error(format_args!("kibitz verify: {e}"));
        }
    }
    code
}

/// The content of a file with a record; `-`: of standard input.
pub(super) fn read(file: &Path) -> io::Result<Vec<u8>> {
    let source: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        if file.is_dir() {
            return Err(io::Error::other("this is a directory; name a file"));
        }
        Box::new(File::open(file)?)
    };
    let mut text = Vec::new();
    source.take(LARGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("no record is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(text)
}
