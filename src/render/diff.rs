//! Comparisons as a table for a terminal, as CSV, as JSON, and in the shape of perf.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::style::Style;
use crate::report::difference::Difference;

/// A table for a terminal.
///
/// # Errors
/// Those of `out`.
pub fn table(difference: &Difference, _style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", difference.headline)
}

/// The shape of `perf report --stdio`, both sides in a row.
///
/// # Errors
/// Those of `out`.
pub fn perf(_difference: &Difference, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

/// One row a lock and call site.
///
/// # Errors
/// Those of `out`.
pub fn csv(_difference: &Difference, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

/// The object of a comparison.
pub fn object(_difference: &Difference) -> Value {
    json!({"schema": "lockblame/diff/1"})
}
