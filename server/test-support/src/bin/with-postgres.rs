//! `with-postgres COMMAND [ARGUMENT...]` runs a command beside a private PostgreSQL server, on which the test programs that
//! the command starts create their databases. Ends with the command's exit status.

use std::process::{Command, ExitCode};

use kibitz_test_support::{PrivatePostgres, SHARED_SERVER};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("usage: with-postgres COMMAND [ARGUMENT...]");
        return ExitCode::from(2);
    };
    let server = PrivatePostgres::start();
    match Command::new(&program).args(arguments).env(SHARED_SERVER, server.address().to_string()).status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(e) => {
            eprintln!("with-postgres: {} does not start: {e}", program.display());
            ExitCode::from(127)
        }
    }
}
