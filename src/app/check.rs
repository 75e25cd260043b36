//! `lockblame check`.

use std::io::Write;

use super::{Status, output, tell};
use crate::check::{Check, Condition, evaluate};
use crate::cli::{CheckArgs, CheckFormatArg};
use crate::compare::{Comparison, comparability};
use crate::error::{Error, Result};
use crate::render::{check as render_check, github, json, junit};
use crate::report::difference::headline;

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read, the sides cannot be compared, a condition asks for what they do not tell, or the
/// output cannot be written.
pub(super) fn run(args: &CheckArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<Status> {
    let checks: Vec<Check> = comparisons(args)?
        .iter()
        .map(|comparison| check(&args.fail_if, comparison))
        .collect::<Result<_>>()?;
    if !args.output.quiet {
        checks.iter().for_each(|check| tell(&check.warnings, stderr));
    }
    output::write_to(args.output.output.as_deref(), stdout, |out| match args.output.format {
        CheckFormatArg::Text => render_check::text(&checks, out),
        CheckFormatArg::Junit => junit::checks(&checks, out),
        CheckFormatArg::Github => github::checks(&checks, out),
        CheckFormatArg::Json => json::write(&render_check::object(&checks), out),
    })?;
    Ok(if checks.iter().any(Check::has_tripped) { Status::Tripped } else { Status::Done })
}

fn check(conditions: &[Condition], comparison: &Comparison) -> Result<Check> {
    Ok(Check {
        before: comparison.before.name.clone(),
        after: comparison.after.name.clone(),
        headline: headline(comparison),
        outcomes: conditions
            .iter()
            .map(|condition| evaluate(condition, comparison))
            .collect::<Result<_>>()?,
        warnings: comparability::warnings(comparison),
    })
}

/// Each further side compared with the first. Rows must be of call sites, and no row left out.
fn comparisons(_args: &CheckArgs) -> Result<Vec<Comparison>> {
    Err(Error::new("lockblame check", "cannot read sides yet"))
}
