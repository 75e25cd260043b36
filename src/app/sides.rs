//! The sides of a comparison: which runs belong to which, what they hold, and what comes of comparing them.

use std::path::{Path, PathBuf};

use super::attributed::Attributed;
use super::input::{self, Run, run};
use super::picture::Rules;
use super::progress::Progress;
use super::{find, operations, output};
use crate::cli::{FilterArgs, SelectionArgs, SidesArgs, SymbolArgs, choose};
use crate::compare::{Comparison, RowsBy, Settings, SideRuns, comparability, compare};
use crate::error::{Error, Result};
use crate::file;
use crate::ingest::Selection;
use crate::ingest::selection::Again;
use crate::lock::choice::By;
use crate::lock::site::SiteTable;
use crate::metric::{MetricTable, Metrics, read_lkp, read_metrics};
use crate::perf::is_recording;
use crate::run::Warning;
use crate::text;

/// What there is to compare.
pub(super) struct Compared {
    /// Each further side against the first.
    pub(super) comparisons: Vec<Comparison>,
    /// What to know about the runs of each comparison.
    pub(super) warnings: Vec<Vec<Warning>>,
    /// The benchmark's own figures, or a table that was mailed.
    pub(super) metrics: Option<MetricTable>,
    /// The runs of all sides, in their order.
    pub(super) sides: Vec<Vec<Run>>,
    /// What their locks are; `None` without any run.
    pub(super) rules: Option<Rules>,
}

impl Compared {
    /// Figures without any run.
    fn figures(metrics: Option<MetricTable>) -> Self {
        Self { comparisons: Vec::new(), warnings: Vec::new(), metrics, sides: Vec::new(), rules: None }
    }
}

/// How sides are read and compared.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    /// What rows are made of.
    pub(super) by: RowsBy,
    /// Which samples count.
    pub(super) selection: &'a SelectionArgs,
    /// Which rows there are.
    pub(super) filter: &'a FilterArgs,
    /// Where symbols come from.
    pub(super) symbols: &'a SymbolArgs,
    /// Whether no progress is shown.
    pub(super) quiet: bool,
    /// Where the output goes.
    pub(super) target: Option<&'a Path>,
    /// Whether samples are walked over once more.
    pub(super) again: Again,
}

/// A side as it was asked for.
struct Asked {
    name: String,
    paths: Vec<PathBuf>,
    operations: Option<Vec<f64>>,
    kallsyms: Option<PathBuf>,
}

/// Reads all sides and compares each with the first.
///
/// # Errors
/// Where an input cannot be read, a side is missing, or the sides' events differ and nobody insists.
pub(super) fn compared(sides: &SidesArgs, how: &How<'_>) -> Result<Compared> {
    let &How { by, selection, filter, symbols, quiet, target, again } = how;
    if let Some(table) = mailed_table(sides)? {
        return Ok(Compared::figures(Some(table)));
    }
    let asked = asked(sides)?;
    let metrics = metrics(sides, &asked)?;
    let named = [
        &symbols.kallsyms,
        &sides.compared.kallsyms_before,
        &sides.compared.kallsyms_after,
        &filter.locks.rules,
    ];
    let tables = [&sides.benchmark.metrics_before, &sides.benchmark.metrics_after];
    let files = asked.iter().flat_map(|side| &side.paths).chain(named.into_iter().chain(tables).flatten());
    output::spare(target, files.map(PathBuf::as_path))?;
    for side in &asked {
        input::twice(&side.paths)?;
    }
    if asked.is_empty() {
        return Ok(Compared::figures(metrics));
    }
    let options = choose::attribution(&filter.locks, By::Lock)?;
    let chosen = Selection { again, ..choose::selection(selection, By::Lock) };
    let files: Vec<PathBuf> = asked.iter().flat_map(|side| side.paths.clone()).collect();
    let progress = Progress::over(&files, quiet);
    let event = selection.event.as_deref();
    let mut runs: Vec<Vec<Run>> = Vec::new();
    for side in &asked {
        let symbols = SymbolArgs {
            kallsyms: side.kallsyms.clone().or_else(|| symbols.kallsyms.clone()),
            symfs: symbols.symfs.clone(),
        };
        let read = |path: &PathBuf| run(path, event, &chosen, &symbols, &progress);
        runs.push(side.paths.iter().map(read).collect::<Result<_>>()?);
    }
    drop(progress);
    // What a lock is called is decided over the runs of all sides together.
    let Attributed { options, tables, labels, .. } = Attributed::over(runs.iter().flatten(), options);
    let rules = Rules::new(options, labels, choose::rows(filter, By::Lock, None), &tables);
    let settings = Settings {
        test: choose::test(sides.compared.test),
        min_effect: sides.compared.min_effect / 100.0,
        choice: rules.choice.clone(),
        by,
    };
    let mut of_tables = tables.iter();
    let by_side: Vec<Vec<(&Run, &SiteTable)>> =
        runs.iter().map(|side| side.iter().zip(of_tables.by_ref()).collect()).collect();
    let warnings =
        by_side[1..].iter().map(|side| input::warnings(by_side[0].iter().chain(side).copied())).collect();
    let mut tables = tables.into_iter();
    let side_runs: Vec<SideRuns> = asked
        .into_iter()
        .zip(&runs)
        .map(|(side, runs)| SideRuns {
            name: side.name,
            runs: runs.iter().map(|run| run.info.clone()).collect(),
            tables: tables.by_ref().take(runs.len()).collect(),
            operations: side.operations,
        })
        .collect();
    let (first, others) = side_runs.split_first().expect("there are at least two sides");
    let comparisons: Vec<Comparison> = others.iter().map(|other| compare(first, other, &settings)).collect();
    if !sides.compared.force
        && let Some((before, after)) = comparisons.iter().find_map(comparability::different_events)
    {
        return Err(Error::new(
            "the sides",
            format!("hold different events: {before} before, {after} after"),
        )
        .remedy("choose one that both have with --event, or insist with --force"));
    }
    Ok(Compared { comparisons, warnings, metrics, sides: runs, rules: Some(rules) })
}

/// A single path may be a comparison table that somebody mailed: it holds both sides.
fn mailed_table(sides: &SidesArgs) -> Result<Option<MetricTable>> {
    let [path] = sides.paths.as_slice() else { return Ok(None) };
    if path.is_dir() || is_recording(path) {
        return Ok(None);
    }
    let bytes = file::open(path)?;
    let read = read_lkp(&String::from_utf8_lossy(&bytes));
    let read = read.or_else(|e| text::bodies(&bytes).iter().find_map(|body| read_lkp(body).ok()).ok_or(e));
    match read {
        Ok(table) => Ok(Some(table)),
        Err(e) if text::detect(&bytes).is_none() => Err(Error::file(path, e.to_string())),
        Err(_) => Ok(None),
    }
}

fn asked(sides: &SidesArgs) -> Result<Vec<Asked>> {
    let mut asked: Vec<(String, Vec<PathBuf>)> = Vec::new();
    match (sides.paths.as_slice(), sides.compared.before.is_empty(), sides.compared.after.is_empty()) {
        ([before, after], true, true) => {
            asked.push(("before".to_owned(), find::runs(before)?));
            asked.push(("after".to_owned(), find::runs(after)?));
        }
        ([], before, after) if !before || !after => {
            asked.push(("before".to_owned(), all(&sides.compared.before)?));
            asked.push(("after".to_owned(), all(&sides.compared.after)?));
        }
        ([], true, true) => {}
        ([path], _, _) => {
            return Err(
                Error::file(path, "is one side only").remedy("name two sides, or use --before and --after")
            );
        }
        _ => {
            return Err(Error::new("the sides", "are given twice")
                .remedy("name two paths, or use --before and --after, not both"));
        }
    }
    for side in &sides.side {
        asked.push((side.name.clone(), all(&side.paths)?));
    }
    let from_stdin = |path: &&PathBuf| path.as_path() == Path::new(file::STDIN);
    if asked.iter().flat_map(|(_, paths)| paths).filter(from_stdin).count() > 1 {
        return Err(Error::new("standard input", "is given twice").remedy("it is one recording: name a file"));
    }
    if let Some((name, _)) = asked.iter().find(|(_, paths)| paths.is_empty()) {
        return Err(Error::new(format!("side '{name}'"), "has no run").remedy("name its recordings"));
    }
    let has_metrics = sides.benchmark.metrics_before.is_some() || sides.benchmark.metrics_after.is_some();
    if asked.len() == 1 || (asked.is_empty() && !has_metrics) {
        return Err(Error::new("lockblame diff", "needs two sides")
            .remedy("lockblame diff BEFORE AFTER, or --before … --after …"));
    }
    let n = |at: usize| asked.get(at).map_or(0, |(_, paths): &(String, Vec<PathBuf>)| paths.len());
    let pattern = sides.benchmark.ops_pattern.as_deref();
    let before = operations::read(&sides.benchmark.ops_before, pattern, n(0), "--ops-before")?;
    let after = operations::read(&sides.benchmark.ops_after, pattern, n(1), "--ops-after")?;
    if before.is_some() != after.is_some() {
        return Err(
            Error::new("--ops-before and --ops-after", "stand together").remedy("give both, or neither")
        );
    }
    let mut operations = vec![before, after].into_iter();
    let mut kallsyms =
        vec![sides.compared.kallsyms_before.clone(), sides.compared.kallsyms_after.clone()].into_iter();
    let side = |(name, paths)| Asked {
        name,
        paths,
        operations: operations.next().flatten(),
        kallsyms: kallsyms.next().flatten(),
    };
    Ok(asked.into_iter().map(side).collect())
}

fn all(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut runs = Vec::new();
    for path in paths {
        runs.extend(find::runs(path)?);
    }
    Ok(runs)
}

fn metrics(sides: &SidesArgs, asked: &[Asked]) -> Result<Option<MetricTable>> {
    let read = |path: &Path| -> Result<Metrics> {
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, "read", &e))?;
        read_metrics(&path.display().to_string(), &bytes).map_err(|e| {
            let text = e.to_string();
            let (subject, problem) = text.split_once(": ").unwrap_or((&text, ""));
            Error::new(subject, problem)
        })
    };
    match (&sides.benchmark.metrics_before, &sides.benchmark.metrics_after) {
        (Some(before), Some(after)) => {
            let name = |at: usize, or: &str| asked.get(at).map_or(or.to_owned(), |side| side.name.clone());
            let (one, other) = (read(before)?, read(after)?);
            Ok(Some(MetricTable::compare((&name(0, "before"), &one), (&name(1, "after"), &other))))
        }
        (None, None) => Ok(None),
        _ => Err(Error::new("--metrics-before and --metrics-after", "stand together")
            .remedy("give both, or neither")),
    }
}
