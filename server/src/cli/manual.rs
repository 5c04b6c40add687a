//! The man pages and the completions of shells, made from the declaration of the command line.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::console;

/// The name of the program.
const PROGRAM: &str = "kibitz";

/// Settings of `kibitz completions`.
#[derive(Clone, Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell that reads them.
    #[arg(value_enum)]
    shell: Shell,
}

/// Settings of `kibitz man-pages`.
#[derive(Clone, Debug, Args)]
pub(super) struct ManPagesArgs {
    /// The folder to write them to. It is created if it does not exist.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Prints the completions for a shell; returns the program's exit code.
pub(super) fn print_completions(args: &CompletionsArgs, mut command: Command) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, PROGRAM, &mut text);
    finish(io::stdout().lock().write_all(&text))
}

/// Writes a man page for the program and for each of its commands; returns the program's exit code.
pub(super) fn write_man_pages(args: &ManPagesArgs, command: Command) -> ExitCode {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    finish(fs::create_dir_all(&args.folder).and_then(|()| write_page(&args.folder, &command, PROGRAM)))
}

/// Writes the page of a command and those of its commands. `name`: all words of the command, with `-` between.
fn write_page(folder: &Path, command: &Command, name: &str) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_page(folder, subcommand, &format!("{name}-{}", subcommand.get_name()))?;
    }
    let mut page = Vec::new();
    Man::new(command.clone().display_name(name.to_owned()))
        .title(name.to_uppercase())
        .manual("kibitz")
        // The same for the same version, whenever it is made.
        .date("")
        .render(&mut page)?;
    fs::write(folder.join(format!("{name}.1")), page)
}

fn finish(written: io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            console::print_error(format_args!("cannot write: {e}"));
            ExitCode::FAILURE
        }
    }
}
