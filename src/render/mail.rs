//! Text to paste into a reply on a mailing list: 7-bit ASCII, at most 72 columns.

use std::io::{self, Write};

use crate::report::Report;
use crate::report::difference::Difference;

/// Writes a report.
///
/// # Errors
/// Those of `out`.
pub fn report(_report: &Report, _width: Option<u16>, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

/// Writes a comparison.
///
/// # Errors
/// Those of `out`.
pub fn difference(_difference: &Difference, _width: Option<u16>, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}
