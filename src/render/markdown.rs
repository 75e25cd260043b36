//! Tables for pages and issues.

use std::io::{self, Write};

use crate::report::Report;
use crate::report::difference::Difference;

/// Writes a report.
///
/// # Errors
/// Those of `out`.
pub fn report(_report: &Report, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

/// Writes a comparison.
///
/// # Errors
/// Those of `out`.
pub fn difference(_difference: &Difference, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}
