//! `lockblame diff`.

use std::io::Write;

use serde_json::json;

use super::sides::{Compared, How, compared};
use super::traces::{self, Rows};
use super::{hint, output};
use crate::cli::{DiffArgs, FormatArg, choose};
use crate::error::{Error, Result};
use crate::ingest::selection::Again;
use crate::metric::MetricTable;
use crate::render::{LkpStyle, diff, json as render_json, mail, markdown, write_lkp};
use crate::report::difference::Difference;
use crate::run::Warning;

/// Rows of a table where the user asks for no number.
const ROWS: usize = 12;

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read, the sides cannot be compared, or the output cannot be written.
pub(super) fn run(args: &DiffArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<()> {
    let by = choose::rows_by(args.by);
    let read = compared(
        &args.sides,
        &How {
            by,
            selection: &args.selection,
            filter: &args.rows,
            symbols: &args.symbols,
            quiet: args.output.quiet,
            target: args.output.output.as_deref(),
            again: Again::Never,
        },
    )?;
    let form = args.output.form();
    let style = match form {
        FormatArg::LkpAscii => Some(LkpStyle::Ascii),
        FormatArg::Lkp => Some(LkpStyle::Lkp),
        _ if read.comparisons.is_empty() => Some(LkpStyle::Lkp),
        _ => None,
    };
    if let Some(style) = style {
        if read.comparisons.is_empty()
            && !matches!(form, FormatArg::Lkp | FormatArg::LkpAscii | FormatArg::Table)
        {
            return Err(Error::new("metrics alone", "have only the robot's forms")
                .remedy("take --format lkp or lkp-ascii, or give recordings too"));
        }
        let table = robot_table(&read, args);
        hint(&read.warnings.concat(), &args.output, stderr);
        return output::write(&args.output, stdout, |out| write_lkp(&table, style, out));
    }
    let differences = differences(read, args);
    for difference in &differences {
        hint(&difference.warnings, &args.output, stderr);
    }
    let layout = output::style(&args.output);
    output::write(&args.output, stdout, |out| {
        if form == FormatArg::Json {
            return match differences.as_slice() {
                [one] => render_json::write(&diff::object(one), out),
                several => {
                    let objects: Vec<_> = several.iter().map(diff::object).collect();
                    render_json::write(&json!({"schema": "lockblame/diff/1", "comparisons": objects}), out)
                }
            };
        }
        for (at, difference) in differences.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            match form {
                FormatArg::Mail => mail::difference(difference, args.output.width, out)?,
                FormatArg::Markdown => markdown::difference(difference, out)?,
                FormatArg::Csv => diff::csv(difference, out)?,
                FormatArg::Perf => diff::perf(difference, out)?,
                _ => {
                    diff::table(difference, layout, out)?;
                    if let Some(metrics) = &difference.metrics {
                        writeln!(out)?;
                        write_lkp(metrics, LkpStyle::Lkp, out)?;
                    }
                }
            }
        }
        Ok(())
    })
}

fn differences(read: Compared, args: &DiffArgs) -> Vec<Difference> {
    let is_data = matches!(args.output.form(), FormatArg::Csv | FormatArg::Json);
    let limit = args.rows.limit.or((!is_data).then_some(ROWS));
    let least = args.rows.min_share.unwrap_or(0.0) / 100.0;
    let Compared { comparisons, warnings, metrics, .. } = read;
    comparisons
        .into_iter()
        .zip(warnings)
        .map(|(comparison, warnings)| {
            let mut difference = Difference::new(comparison, limit, least);
            difference.warnings.extend(warnings);
            difference.metrics.clone_from(&metrics);
            if metrics.is_some() && !shows_metrics(args.output.form()) {
                difference.warnings.push(Warning {
                    code: "metrics-not-shown",
                    text:
                        "the benchmark's own figures stand in the formats lkp, lkp-ascii, table and json only"
                            .to_owned(),
                });
            }
            difference
        })
        .collect()
}

/// Whether a format shows the benchmark's own figures beside the profile's.
fn shows_metrics(form: FormatArg) -> bool {
    matches!(form, FormatArg::Table | FormatArg::Json | FormatArg::Lkp | FormatArg::LkpAscii)
}

/// Profiles and figures in one table.
fn robot_table(read: &Compared, args: &DiffArgs) -> MetricTable {
    let is_robots = matches!(args.output.form(), FormatArg::Lkp | FormatArg::LkpAscii);
    let rows = if args.lkp_all || !is_robots { Rows::All } else { Rows::Changed };
    let mut table = MetricTable::default();
    let metrics = read.metrics.as_ref().map(|metrics| match rows {
        Rows::All => metrics.clone(),
        Rows::Changed => traces::changed(metrics),
    });
    if let Some((first, others)) = read.sides.split_first() {
        for (comparison, other) in read.comparisons.iter().zip(others) {
            let sides = (&comparison.before.name, &comparison.after.name);
            table.sections.extend(traces::of_sides((sides.0, first), (sides.1, other), rows).sections);
        }
    }
    let mut figures = metrics.map(|metrics| metrics.sections).unwrap_or_default();
    // One table: rows of plain figures stand above the profile's, under the same heads.
    if let ([plain, ..], [profile]) = (figures.as_mut_slice(), table.sections.as_mut_slice())
        && plain.heads == profile.heads
    {
        profile.rows.splice(0..0, std::mem::take(&mut plain.rows));
        figures.remove(0);
    }
    table.sections.extend(figures);
    table
}
