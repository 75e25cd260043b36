//! The shape of `perf report --stdio`, which readers of kernel lists know.

use std::io::{self, Write};

use super::escape::visible;
use crate::run::RunInfo;

/// A row: a function, its share of the total, and its tree of callers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PerfRow {
    /// Of the total, 0 to 1.
    pub share: f64,
    /// The thread's name.
    pub comm: String,
    /// The object.
    pub module: String,
    /// `k` for the kernel, `.` for user space.
    pub space: char,
    /// The function.
    pub symbol: String,
    /// Its callers.
    pub callers: Vec<Branch>,
}

/// A caller in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The percentage to print.
    pub percent: f64,
    /// The function; `None` for the sum of what was left out.
    pub symbol: Option<String>,
    /// Its callers.
    pub callers: Vec<Branch>,
}

/// Says of runs that are not whole that they are not, in lines that perf's readers take for a header.
///
/// # Errors
/// Those of `out`.
pub fn not_whole<'a>(runs: impl IntoIterator<Item = &'a RunInfo>, out: &mut dyn Write) -> io::Result<()> {
    for run in runs {
        if let Some(at) = run.truncated {
            writeln!(out, "# {}: not whole from offset {at} on", visible(&run.file))?;
        }
    }
    Ok(())
}

/// Writes rows, a blank line between them.
///
/// # Errors
/// Those of `out`.
pub fn rows(rows: &[PerfRow], out: &mut dyn Write) -> io::Result<()> {
    let width =
        |of: fn(&PerfRow) -> &str| rows.iter().map(|row| visible(of(row)).chars().count()).max().unwrap_or(0);
    let (comm, module) = (width(|row| &row.comm).max(7), width(|row| &row.module).max(8));
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let (own_comm, own_module, symbol) = (visible(&row.comm), visible(&row.module), visible(&row.symbol));
        writeln!(
            out,
            "{:>9.2}%  {own_comm:comm$}  {own_module:module$}  [{}] {symbol}",
            100.0 * row.share,
            row.space
        )?;
        branches(&row.callers, "            ", out)?;
    }
    Ok(())
}

fn branches(callers: &[Branch], prefix: &str, out: &mut dyn Write) -> io::Result<()> {
    for (at, branch) in callers.iter().enumerate() {
        let is_last = at + 1 == callers.len();
        let name = branch.symbol.as_deref().map_or("[...]".into(), visible);
        // What was left out follows without a line of its own, as perf has it.
        if branch.symbol.is_some() || at == 0 {
            writeln!(out, "{prefix}|")?;
        }
        let corner = if is_last { ' ' } else { '|' };
        writeln!(out, "{prefix}{corner}--{:.2}%-- {name}", branch.percent)?;
        let deeper = format!("{prefix}{}          ", if is_last { ' ' } else { '|' });
        branches(&branch.callers, &deeper, out)?;
    }
    Ok(())
}
