//! `lockblame check`.

use std::io::Write;

use super::sides::{Compared, How, compared};
use super::{Status, output, tell};
use crate::check::{Check, Condition, evaluate};
use crate::cli::{CheckArgs, CheckFormatArg};
use crate::compare::{Comparison, RowsBy, comparability};
use crate::error::{Error, Result};
use crate::ingest::selection::Again;
use crate::render::{check as render_check, github, json, junit};
use crate::report::difference::headline;
use crate::run::Warning;

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read, the sides cannot be compared, a condition asks for what they do not tell, or the
/// output cannot be written.
pub(super) fn run(args: &CheckArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<Status> {
    let read = comparisons(args)?;
    let sides = read.comparisons.iter().zip(&read.warnings);
    let checks: Vec<Check> = sides
        .map(|(comparison, of_runs)| check(&args.fail_if, comparison, of_runs))
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

fn check(conditions: &[Condition], comparison: &Comparison, of_runs: &[Warning]) -> Result<Check> {
    let mut warnings = comparability::warnings(comparison);
    warnings.extend(of_runs.iter().cloned());
    if comparison.untold > crate::report::sentence::UNTOLD {
        let text = crate::report::sentence::untold_words(comparison.untold, "the event");
        return Err(Error::new("lockblame check", text.trim_end_matches('.').to_owned()));
    }
    Ok(Check {
        before: comparison.before.name.clone(),
        after: comparison.after.name.clone(),
        headline: headline(comparison),
        outcomes: conditions
            .iter()
            .map(|condition| evaluate(condition, comparison))
            .collect::<Result<_>>()?,
        warnings,
    })
}

/// Each further side compared with the first, by call sites, and no row left out.
fn comparisons(args: &CheckArgs) -> Result<Compared> {
    let read = compared(
        &args.sides,
        &How {
            by: RowsBy::Site,
            selection: &args.selection,
            filter: &args.rows,
            symbols: &args.symbols,
            quiet: args.output.quiet,
            target: args.output.output.as_deref(),
            again: Again::Never,
        },
    )?;
    if read.comparisons.is_empty() {
        return Err(Error::new("lockblame check", "needs recordings on two sides")
            .remedy("lockblame check --before … --after … --fail-if CONDITION"));
    }
    Ok(read)
}
