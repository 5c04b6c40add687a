//! `kibitz verify`: reads the record of a match, deals and plays it again, and reports the first thing that is wrong. Needs
//! no server, database or network.

mod replay;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::console;
use crate::matches::record::Record;
pub use replay::{Discrepancy, check};

/// The largest record that is read, in bytes. The records of the longest matches are a hundred times smaller.
const LARGEST: u64 = 32 << 20;

/// Settings of `kibitz verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The record, as `GET /v1/matches/ID/record` returns it; `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
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
    code
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
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

/// Checks a text as a record: `Ok`, its summary in one line.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn verdict(text: &[u8]) -> Result<String, String> {
    let record = Record::read(text).map_err(|unreadable| match unreadable.event {
        Some(place) => plain(&format!("event {place}: {}", unreadable.what)),
        None => plain(&unreadable.what),
    })?;
    check(&record).map_err(|wrong| plain(&wrong.to_string()))?;
    Ok(plain(&replay::summary(&record)))
}

/// Escapes the content of a file, so that a terminal and programs that read lines can show it safely.
fn plain(text: &str) -> String {
    // Marks that reverse the direction of writing could make a line look like another one.
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().flat_map(|c| if hidden(c) { c.escape_unicode().collect() } else { vec![c] }).collect()
}
