//! `lockblame report`.

use std::io::Write;
use std::path::PathBuf;

use super::attributed::Attributed;
use super::input::{self, Run};
use super::{hint, output, traces};
use crate::cli::{FormatArg, ReportArgs, choose};
use crate::error::{Error, Result};
use crate::lock::choice::By;
use crate::lock::inclusive::inclusive;
use crate::metric::MetricTable;
use crate::render::perf::{Branch, PerfRow};
use crate::render::{LkpStyle, csv, json, mail, markdown, perf, table, write_lkp};
use crate::report::{self, LockRow, Report};

/// Rows where the user asks for no number.
fn rows(by: By, form: FormatArg) -> Option<usize> {
    match (form, by) {
        (FormatArg::Csv | FormatArg::Json, _) => None,
        (FormatArg::Mail, _) => Some(12),
        (_, By::Symbol) => Some(30),
        (_, By::Cpu) => None,
        (_, By::Lock | By::Site | By::Comm | By::Path) => Some(12),
    }
}

/// Runs the subcommand.
///
/// # Errors
/// Where an input cannot be read, or the output not be written.
pub(super) fn run(args: &ReportArgs, stdout: &mut dyn Write, stderr: &mut dyn Write) -> Result<()> {
    let named = args.symbols.kallsyms.iter().chain(&args.rows.filter.locks.rules);
    output::spare(args.output.output.as_deref(), args.files.iter().chain(named).map(PathBuf::as_path))?;
    let by = choose::by(args.rows.by);
    let options = choose::attribution(&args.rows.filter.locks, by)?;
    let form = args.output.form();
    let choice = choose::rows(&args.rows.filter, by, rows(by, form));
    if form == FormatArg::Perf && !matches!(by, By::Lock | By::Symbol) {
        return Err(Error::new("--format perf", "shows locks or symbols")
            .remedy("choose --by lock or --by symbol, or another format"));
    }
    let selection = choose::selection(&args.selection, choice.by);
    let event = args.selection.event.as_deref();
    let loaded = input::runs(&args.files, event, &selection, &args.symbols, args.output.quiet)?;
    let Attributed { attributions, tables, labels, .. } = Attributed::over(&loaded, options);
    let runs: Vec<_> = loaded.iter().map(|run| &run.profile).zip(&attributions).collect();
    let groups = report::group::groups(&runs, &tables, &labels, &choice);
    let warnings = input::warnings(loaded.iter().zip(&tables));
    let mut report = report::report(
        loaded.iter().map(|run| run.info.clone()).collect(),
        &tables,
        groups,
        &choice,
        warnings,
    );
    if form == FormatArg::Json {
        let weights: Vec<_> = loaded.iter().map(|run| inclusive(&run.profile, run.event)).collect();
        let runs: Vec<_> =
            weights.iter().zip(&tables).map(|(weights, table)| (weights, table.total)).collect();
        report.functions = report::function_rows(&runs);
    }
    hint(&report.warnings, &args.output, stderr);
    let style = output::style(&args.output);
    let profiles: Vec<_> =
        loaded.iter().map(|run| (&run.profile, run.event, run.info.event.as_str())).collect();
    let traces = match form {
        FormatArg::Lkp | FormatArg::LkpAscii => traces::of_runs(&profiles),
        _ => MetricTable::default(),
    };
    output::write(&args.output, stdout, |out| match form {
        FormatArg::Table => table::report(&report, style, out),
        FormatArg::Perf => {
            perf::not_whole(&report.runs, out)?;
            perf::rows(&perf_rows(&report, &loaded), out)
        }
        FormatArg::Csv => csv::report(&report, out),
        FormatArg::Json => json::write(&json::report(&report), out),
        FormatArg::Mail => mail::report(&report, args.output.width, out),
        FormatArg::Markdown => markdown::report(&report, out),
        FormatArg::Lkp => write_lkp(&traces, LkpStyle::Lkp, out),
        FormatArg::LkpAscii => write_lkp(&traces, LkpStyle::Ascii, out),
    })
}

/// Callers below this part of their lock are summed up, as perf does.
const PERF_LIMIT: f64 = 0.005;

fn perf_rows(report: &Report, loaded: &[Run]) -> Vec<PerfRow> {
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
