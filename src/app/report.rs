//! `lockblame report`.

use std::io::Write;

use super::load::{Loaded, load};
use super::progress::Progress;
use super::{hint, output, quality};
use crate::cli::{ByArg, FormatArg, ReportArgs, choose};
use crate::error::{Error, Result};
use crate::lock::attribution::{Attribution, attribute};
use crate::lock::site;
use crate::render::perf::{Branch, PerfRow};
use crate::render::{csv, json, perf, table};
use crate::report::{self, By, LockRow, Report};

/// Rows of a text where the user asks for no number.
fn rows(by: ByArg) -> Option<usize> {
    match by {
        ByArg::Symbol => Some(30),
        ByArg::Cpu => None,
        ByArg::Lock | ByArg::Site | ByArg::Comm | ByArg::Path => Some(12),
    }
}

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read, or the output not be written.
pub fn run(args: &ReportArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<()> {
    let options = choose::attribution(&args.rows)?;
    let is_text = matches!(args.output.format, FormatArg::Table | FormatArg::Perf);
    let choice = choose::rows(&args.rows, rows(args.rows.by).filter(|_| is_text));
    if args.output.format == FormatArg::Perf && !matches!(choice.by, By::Lock | By::Symbol) {
        return Err(Error::new("--format perf", "shows locks or symbols")
            .remedy("choose --by lock or --by symbol, or another format"));
    }
    let selection = choose::selection(&args.selection, choice.by);
    let progress = Progress::over(&args.files, args.output.quiet);
    let event = args.selection.event.as_deref();
    let loaded: Vec<Loaded> = args
        .files
        .iter()
        .map(|file| load(file, event, &selection, &args.symbols, &|bytes| progress.advance(bytes)))
        .collect::<Result<_>>()?;
    drop(progress);
    let attributions: Vec<Attribution> =
        loaded.iter().map(|run| attribute(&run.profile, run.event, &options)).collect();
    let runs: Vec<_> = loaded.iter().map(|run| &run.profile).zip(&attributions).collect();
    let tables = site::tables(&runs);
    let groups = report::group::groups(&runs, &tables, &choice);
    let warnings = quality::all(&loaded, &tables);
    let report =
        report::report(loaded.iter().map(Loaded::info).collect(), &tables, groups, &choice, warnings);
    hint(&report.warnings, &args.output, stderr);
    let style = output::style(&args.output);
    output::write(&args.output, stdout, |out| match args.output.format {
        FormatArg::Table => table::report(&report, style, out),
        FormatArg::Perf => perf::rows(&perf_rows(&report, &loaded), out),
        FormatArg::Csv => csv::report(&report, out),
        FormatArg::Json => json::write(&json::report(&report), out),
    })
}

/// Callers below this part of their lock are summed up, as perf does.
const PERF_LIMIT: f64 = 0.005;

fn perf_rows(report: &Report, loaded: &[Loaded]) -> Vec<PerfRow> {
    let comm = match loaded {
        [one] => one.comm(),
        _ => format!("{} runs", loaded.len()),
    };
    match report.by {
        By::Symbol => report
            .symbols
            .iter()
            .map(|row| PerfRow {
                share: row.share.mean,
                comm: comm.clone(),
                module: row.function.module.clone(),
                space: if row.is_kernel() { 'k' } else { '.' },
                symbol: row.function.name.clone(),
                callers: Vec::new(),
            })
            .collect(),
        _ => report.locks.iter().map(|row| perf_row(row, &comm)).collect(),
    }
}

fn perf_row(row: &LockRow, comm: &str) -> PerfRow {
    let part = |share: f64| 100.0 * share / row.share.mean.max(f64::MIN_POSITIVE);
    let is_shown = |share: f64| part(share) >= 100.0 * PERF_LIMIT;
    let mut callers: Vec<Branch> = row
        .callers
        .iter()
        .filter(|caller| is_shown(caller.share.mean))
        .filter_map(|caller| {
            let symbol = Some(caller.caller.as_ref()?.name.clone());
            Some(Branch { percent: part(caller.share.mean), symbol, callers: Vec::new() })
        })
        .collect();
    let rest: f64 = row
        .callers
        .iter()
        .filter(|caller| !is_shown(caller.share.mean) || caller.caller.is_none())
        .map(|caller| caller.share.mean)
        .sum();
    if rest > 0.0 {
        callers.push(Branch { percent: part(rest), symbol: None, callers: Vec::new() });
    }
    let is_user = row.lock.family.is_user();
    PerfRow {
        share: row.share.mean,
        comm: comm.to_owned(),
        module: if is_user { "[user]".to_owned() } else { "[kernel.kallsyms]".to_owned() },
        space: if is_user { '.' } else { 'k' },
        symbol: row.lock.name.clone(),
        callers,
    }
}
