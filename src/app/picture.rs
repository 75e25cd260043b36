//! What graphs and pages share: what they are of, one side or two, read once, and how graphs are drawn of it.

use std::path::{Path, PathBuf};

use super::attributed::Attributed;
use super::input::{self, Run};
use super::output;
use super::sides::{Compared, How, compared};
use crate::cli::{
    BenchmarkArgs, ComparedArgs, FilterArgs, LockArgs, SelectionArgs, SidesArgs, SymbolArgs, choose,
};
use crate::compare::{Comparison, RowsBy};
use crate::error::{Error, Result};
use crate::graph::{Drawn, Folded, Plan, Stand, WidthBy};
use crate::ingest::Selection;
use crate::ingest::selection::Again;
use crate::lock::attribution::Options;
use crate::lock::choice::{By, Choice};
use crate::lock::heaviest::heaviest;
use crate::lock::site::{Labels, Lock, SiteTable};
use crate::metric::MetricTable;
use crate::report::timeline::LOCKS;
use crate::report::{self, Report};
use crate::run::Warning;

/// What is read, and what of it counts.
pub(super) struct Asked<'a> {
    /// The subcommand, as it is typed.
    pub command: &'static str,
    /// The runs of one side.
    pub files: &'a [PathBuf],
    /// Two sides.
    pub compared: &'a ComparedArgs,
    /// What the benchmark itself said.
    pub benchmark: BenchmarkArgs,
    /// Which samples count.
    pub selection: &'a SelectionArgs,
    /// Which locks count.
    pub locks: &'a LockArgs,
    /// Where symbols come from.
    pub symbols: &'a SymbolArgs,
    /// Whether no progress is shown.
    pub quiet: bool,
    /// Where the output goes.
    pub target: Option<&'a Path>,
    /// Whether samples are walked over once more.
    pub again: Again,
    /// The most locks that the report of one side names.
    pub limit: Option<usize>,
}

/// One side or two, read.
#[allow(clippy::large_enum_variant, reason = "there is one value of it, for as long as the program runs")]
pub(super) enum Read {
    /// The runs of one thing.
    Side(OneSide),
    /// Before and after.
    Sides(TwoSides),
}

/// The runs of one side.
pub(super) struct OneSide {
    /// The runs.
    pub runs: Vec<Run>,
    /// What they say.
    pub report: Report,
    /// What their locks are.
    pub rules: Rules,
}

/// Two sides.
pub(super) struct TwoSides {
    /// Their runs.
    pub sides: Vec<Vec<Run>>,
    /// What comes of comparing them.
    pub comparison: Comparison,
    /// What to know about the runs.
    pub warnings: Vec<Warning>,
    /// The benchmark's own figures.
    pub metrics: Option<MetricTable>,
    /// What the locks of both are.
    pub rules: Rules,
}

/// Reads what was asked for: one side by its files, or two by their flags.
///
/// # Errors
/// Where neither or both are given, a run cannot be read, is given twice, or would be overwritten, or the sides cannot be
/// compared.
pub(super) fn read(asked: &Asked<'_>) -> Result<Read> {
    match (asked.files.first(), asked.compared.is_empty()) {
        (Some(_), true) => one_side(asked).map(Read::Side),
        (None, false) => two_sides(asked).map(Read::Sides),
        (None, true) => Err(Error::new(asked.command, "needs a recording")
            .remedy(format!("{} FILE… -o OUTPUT, or --before … --after …", asked.command))),
        (Some(file), false) => Err(Error::file(file, "stands beside --before and --after")
            .remedy("give runs of one side by name alone, or two sides by flags alone")),
    }
}

fn one_side(asked: &Asked<'_>) -> Result<OneSide> {
    let named = asked.symbols.kallsyms.iter().chain(&asked.locks.rules);
    output::spare(asked.target, asked.files.iter().chain(named).map(PathBuf::as_path))?;
    let options = choose::attribution(asked.locks, By::Lock)?;
    let selection = Selection { again: asked.again, ..choose::selection(asked.selection, By::Lock) };
    let event = asked.selection.event.as_deref();
    let runs = input::runs(asked.files, event, &selection, asked.symbols, asked.quiet)?;
    let Attributed { options, tables, labels, .. } = Attributed::over(&runs, options);
    let warnings = input::warnings(runs.iter().zip(&tables));
    let infos = runs.iter().map(|run| run.info.clone()).collect();
    let choice = choose::rows(&filter(asked.locks), By::Lock, asked.limit);
    let report = report::report(infos, &tables, Vec::new(), &choice, warnings);
    Ok(OneSide { runs, report, rules: Rules::new(options, labels, choice, &tables) })
}

fn two_sides(asked: &Asked<'_>) -> Result<TwoSides> {
    let sides = SidesArgs {
        paths: Vec::new(),
        compared: asked.compared.clone(),
        side: Vec::new(),
        benchmark: asked.benchmark.clone(),
    };
    let how = How {
        by: RowsBy::Site,
        selection: asked.selection,
        filter: &filter(asked.locks),
        symbols: asked.symbols,
        quiet: asked.quiet,
        target: asked.target,
        again: asked.again,
    };
    let Compared { comparisons, warnings, metrics, sides, rules } = compared(&sides, &how)?;
    match (comparisons.into_iter().next(), rules) {
        (Some(comparison), Some(rules)) => {
            Ok(TwoSides { sides, comparison, warnings: warnings.concat(), metrics, rules })
        }
        _ => Err(Error::new("the sides", "hold no profile")),
    }
}

/// The locks that count; neither graphs nor pages leave rows out by their share.
fn filter(locks: &LockArgs) -> FilterArgs {
    FilterArgs { locks: locks.clone(), min_share: None, limit: None }
}

/// What decides which frames are locks, and what they are called.
pub(super) struct Rules {
    /// What is a lock.
    pub options: Options,
    /// What locks are called, on all sides together.
    pub labels: Labels,
    /// Which locks count.
    pub choice: Choice,
    /// The heaviest of those that count, where several are told apart.
    pub heaviest: Vec<Lock>,
}

impl Rules {
    /// For runs that have these tables.
    pub(super) fn new(options: Options, labels: Labels, choice: Choice, tables: &[SiteTable]) -> Self {
        let heaviest = heaviest(tables, &choice, LOCKS);
        Self { options, labels, choice, heaviest }
    }

    /// Folds the runs of one side, or of two, for graphs.
    pub(super) fn fold(&self, sides: &[&[Run]], stand: Stand, width_by: WidthBy) -> Folded {
        let plan =
            Plan { options: &self.options, labels: &self.labels, choice: &self.choice, stand, width_by };
        let sides: Vec<Vec<Drawn<'_>>> = sides.iter().copied().map(of_runs).collect();
        Folded::of(&sides, &plan)
    }
}

fn of_runs(runs: &[Run]) -> Vec<Drawn<'_>> {
    runs.iter().map(|run| Drawn { profile: &run.profile, event: run.event }).collect()
}
