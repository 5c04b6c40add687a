//! The program `kibitz`: calls the library, which does the work.

use std::process::ExitCode;

fn main() -> ExitCode {
    kibitz::cli::run()
}
