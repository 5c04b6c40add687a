//! What commands write for services of continuous integration: JUnit XML and Markdown.

mod junit;
mod markdown;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

pub(super) use markdown::cell;

/// The files of a command for a service of continuous integration.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct CiFiles {
    /// Write the result as JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Append a summary in Markdown to this file, such as "$GITHUB_STEP_SUMMARY"
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// The result of a command, as services show it.
pub(super) struct CiReport {
    /// The name of the whole.
    pub name: String,
    /// What was checked, in order.
    pub checks: Vec<CiCheck>,
    /// The output for people.
    pub output: String,
    /// The summary in Markdown.
    pub markdown: String,
}

/// One thing that was checked.
pub(super) struct CiCheck {
    /// Its name; no other check of the report has it.
    pub name: String,
    /// How it ended.
    pub verdict: CiVerdict,
    /// How long it took.
    pub taken: Duration,
    /// What the player wrote to its standard error.
    pub stderr: String,
}

/// How a check ended.
pub(super) enum CiVerdict {
    Passed,
    Failed {
        /// The kind of failure, in one or two words.
        kind: String,
        /// The failure, in one sentence.
        what: String,
    },
    /// It was not made; the reason.
    Skipped(String),
}

impl CiCheck {
    /// A check without a time.
    pub(super) fn new(name: impl Into<String>, verdict: CiVerdict) -> Self {
        Self { name: name.into(), verdict, taken: Duration::ZERO, stderr: String::new() }
    }
}

impl CiVerdict {
    /// A failure.
    pub(super) fn failed(kind: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Failed { kind: kind.into(), what: what.into() }
    }
}

impl CiFiles {
    /// Writes the files that the caller asked for. `report`: called if there is one.
    ///
    /// # Errors
    /// When a file cannot be written; one sentence.
    pub(super) fn write(&self, report: impl FnOnce() -> CiReport) -> Result<(), String> {
        if self.junit.is_none() && self.markdown.is_none() {
            return Ok(());
        }
        let report = report();
        if let Some(path) = &self.junit {
            let written = junit::xml(&report).and_then(|xml| fs::write(path, xml).map_err(|e| e.to_string()));
            written.map_err(|e| format!("{}: {e}", path.display()))?;
        }
        if let Some(path) = &self.markdown {
            let file = OpenOptions::new().create(true).append(true).open(path);
            let written = file.and_then(|mut file| writeln!(file, "{}", report.markdown));
            written.map_err(|e| format!("{}: {e}", path.display()))?;
        }
        Ok(())
    }
}
