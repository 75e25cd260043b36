//! What graphs and pages share: the runs of one side with their report, and graphs drawn of runs.

use std::path::{Path, PathBuf};

use super::input::{self, Run};
use super::progress::Progress;
use super::{output, sides};
use crate::cli::{FilterArgs, LockArgs, SelectionArgs, SymbolArgs, choose};
use crate::error::Result;
use crate::graph::{Drawn, Graph, Limits, Plan, Stand, WidthBy, graph};
use crate::ingest::Selection;
use crate::ingest::selection::Again;
use crate::lock::attribution::{Attribution, Options, attribute};
use crate::lock::choice::{By, Choice};
use crate::lock::heaviest::heaviest;
use crate::lock::site::{self, Labels, Lock};
use crate::report::timeline::LOCKS;
use crate::report::{self, Report};

/// What is read, and what of it counts.
pub(super) struct Asked<'a> {
    /// The runs.
    pub files: &'a [PathBuf],
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
}

/// The runs of one side.
pub(super) struct OneSide {
    /// The runs.
    pub runs: Vec<Run>,
    /// What they say.
    pub report: Report,
}

/// Reads one side. `limit` is the most locks that its report names.
///
/// # Errors
/// Where a run cannot be read, is given twice, or would be overwritten.
pub(super) fn one_side(asked: &Asked<'_>, limit: Option<usize>) -> Result<OneSide> {
    let named = asked.symbols.kallsyms.iter().chain(&asked.locks.rules);
    output::spare(asked.target, asked.files.iter().chain(named).map(PathBuf::as_path))?;
    sides::twice(asked.files)?;
    let options = choose::attribution(asked.locks, By::Lock)?;
    let choice = choose::rows(&filter(asked.locks), By::Lock, limit);
    let selection = Selection { again: asked.again, ..choose::selection(asked.selection, By::Lock) };
    let progress = Progress::over(asked.files, asked.quiet);
    let event = asked.selection.event.as_deref();
    let read = |file: &PathBuf| input::run(file, event, &selection, asked.symbols, &progress);
    let runs: Vec<Run> = asked.files.iter().map(read).collect::<Result<_>>()?;
    drop(progress);
    sides::one_event(&runs)?;
    let attributions: Vec<Attribution> =
        runs.iter().map(|run| attribute(&run.profile, run.event, &options)).collect();
    let pairs: Vec<_> = runs.iter().map(|run| &run.profile).zip(&attributions).collect();
    let tables = site::tables(&pairs);
    let warnings = input::warnings(runs.iter().zip(&tables));
    let infos = runs.iter().map(|run| run.info.clone()).collect();
    let report = report::report(infos, &tables, Vec::new(), &choice, warnings);
    Ok(OneSide { runs, report })
}

/// The locks that count; neither graphs nor pages leave rows out by their share.
pub(super) fn filter(locks: &LockArgs) -> FilterArgs {
    FilterArgs { locks: locks.clone(), min_share: None, limit: None }
}

/// What decides which frames are locks, and what they are called.
pub(super) struct Rules {
    /// What is a lock.
    pub options: Options,
    /// Which locks count.
    pub choice: Choice,
    /// What locks are called, on all sides together.
    pub labels: Labels,
    /// The heaviest of those that count, where several are told apart.
    pub heaviest: Vec<Lock>,
}

impl Rules {
    /// For the runs of all sides.
    ///
    /// # Errors
    /// Where the file of rules cannot be read.
    pub(super) fn over(sides: &[&[Run]], locks: &LockArgs) -> Result<Self> {
        let options = choose::attribution(locks, By::Lock)?;
        let choice = choose::rows(&filter(locks), By::Lock, None);
        let runs = || sides.iter().copied().flatten();
        let attributions: Vec<Attribution> =
            runs().map(|run| attribute(&run.profile, run.event, &options)).collect();
        let pairs: Vec<_> = runs().map(|run| &run.profile).zip(&attributions).collect();
        let labels = site::site_labels(&pairs);
        let mut tables = site::tables(&pairs);
        tables.iter_mut().for_each(|table| table.sites.retain(|site, _| choice.takes(site)));
        let heaviest = heaviest(&tables, LOCKS);
        Ok(Self { options, choice, labels, heaviest })
    }

    /// Draws the runs of one side, or of two.
    pub(super) fn graph(&self, sides: &[&[Run]], sketch: Sketch) -> Graph {
        let Sketch { stand, width_by, limits } = sketch;
        let plan = Plan {
            options: &self.options,
            labels: &self.labels,
            choice: &self.choice,
            stand,
            width_by,
            limits,
        };
        graph(&sides.iter().copied().map(of_runs).collect::<Vec<_>>(), &plan)
    }
}

/// How to draw.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sketch {
    /// What the tree stands on.
    pub stand: Stand,
    /// What frames of a difference are as wide as.
    pub width_by: WidthBy,
    /// What is left out.
    pub limits: Limits,
}

fn of_runs(runs: &[Run]) -> Vec<Drawn<'_>> {
    runs.iter().map(|run| Drawn { profile: &run.profile, event: run.event }).collect()
}
