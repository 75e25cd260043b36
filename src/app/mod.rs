//! One function a subcommand: what it reads, in which order, and what it hands to which renderer.

mod attributed;
mod callers;
mod check;
mod diff;
mod event;
mod export;
mod find;
mod flame;
mod html;
mod input;
mod inspect;
mod load;
mod operations;
mod output;
mod picture;
mod progress;
mod quality;
mod report;
mod sides;
mod timeline;
mod traces;

use std::io::Write;

use clap::{CommandFactory, ValueEnum};

use crate::cli::{Cli, Command, FormatArg, OutputArgs};
use crate::error::{Error, Result};
use crate::render::escape::visible;
use crate::run::Warning;
pub use timeline::timelines;

/// How a command ended that had no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// As it should: exit code 0.
    Done,
    /// A condition of a check was met: exit code 1.
    Tripped,
}

/// Runs a command: the report goes to `stdout`, warnings and hints to `stderr`.
///
/// # Errors
/// One line for the user: what is wrong with which file, flag or symbol, and what to do.
pub fn run(cli: &Cli, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<Status> {
    let done = match &cli.command {
        Command::Check(args) => return check::run(args, stdout, stderr),
        Command::Report(args) => report::run(args, stdout, stderr),
        Command::Callers(args) => callers::run(args, stdout, stderr),
        Command::Inspect(args) => inspect::run(args, stdout, stderr),
        Command::Diff(args) => diff::run(args, stdout, stderr),
        Command::Flame(args) => flame::run(args, stdout, stderr),
        Command::Export(args) => export::run(args, stdout, stderr),
        Command::Html(args) => html::run(args, stdout, stderr),
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "lockblame", stdout);
            Ok(())
        }
        Command::Man { subcommand } => man(subcommand.as_deref(), stdout),
    };
    done.map(|()| Status::Done)
}

/// Prints warnings, unless the user wants silence.
fn hint(warnings: &[Warning], output: &OutputArgs, stderr: &mut dyn Write) {
    if !output.quiet {
        tell(warnings, stderr);
    }
}

fn tell(warnings: &[Warning], stderr: &mut dyn Write) {
    for warning in warnings {
        // Nobody is there to be told that a warning could not be told.
        let _ = writeln!(stderr, "lockblame: {}: {}", warning.code, visible(&warning.text));
    }
}

/// Refuses a format that a subcommand does not have.
fn only(output: &OutputArgs, forms: &[FormatArg], subcommand: &str) -> Result<()> {
    if forms.contains(&output.form()) {
        return Ok(());
    }
    let name =
        |form: &FormatArg| form.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
    let known: Vec<String> = forms.iter().map(name).collect();
    Err(Error::new(format!("--format {}", name(&output.form())), format!("is no format of {subcommand}"))
        .remedy(format!("take one of: {}", known.join(", "))))
}

fn man(subcommand: Option<&str>, stdout: &mut dyn Write) -> Result<()> {
    let mut command = Cli::command();
    command.build();
    let page = match subcommand {
        None => command,
        Some(name) => command
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| Error::new(format!("subcommand '{name}'"), "is not known"))?,
    };
    let source = concat!("lockblame ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(page)
        .source(source)
        .render(stdout)
        .map_err(|e| Error::new("man page", e.to_string()))
}
