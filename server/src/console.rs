//! What a command says to whoever called it. They may have hung up, or their disk may be full; that ends nothing.

use std::fmt::Display;
use std::io::{self, Write};

/// A line on standard output, or the reason why it cannot be written.
pub fn say(line: impl Display) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.map_err(|e| format!("standard output cannot be written: {e}"))
}

/// A line on standard error; if that cannot be written there is nobody left to tell.
pub fn complain(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
