//! Parses the arguments, runs the subcommand, and turns its result into an exit code.

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;
use lockblame::app::Status;
use lockblame::cli::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
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
