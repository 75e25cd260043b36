//! Parses the arguments, runs the subcommand, and turns its result into an exit code.

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use lockblame::app::Status;
use lockblame::cli::Cli;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // Help and version: clap lays them out for the terminal.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return ExitCode::from(2);
        }
        Err(error) => {
            let _ = writeln!(stderr(), "lockblame: {}", lockblame::cli::in_one_line(&error));
            return ExitCode::from(2);
        }
    };
    let out = stdout();
    match lockblame::app::run(&cli, &mut out.lock(), &mut stderr()) {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::Tripped) => ExitCode::from(1),
        Err(error) => {
            let _ = writeln!(stderr(), "lockblame: {error}");
            ExitCode::from(2)
        }
    }
}
