//! Prints lines for the caller of a command. Standard output may be closed or its disk full; that is an error, not a panic.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a line to standard output.
pub(crate) fn print_line(line: impl Display) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.map_err(|e| format!("standard output cannot be written: {e}"))
}

/// Prints a line to standard error. Ignores errors, because there is nowhere else to report them.
pub(crate) fn print_error(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
