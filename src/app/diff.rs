//! `lockblame diff`.

use std::io::Write;

use crate::cli::DiffArgs;
use crate::error::Result;

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read, the sides cannot be compared, or the output cannot be written.
pub(super) fn run(_args: &DiffArgs, _stdout: &mut dyn Write, _stderr: &mut dyn Write) -> Result<()> {
    Ok(())
}
