//! Locks over time: one more walk over the samples of each run, once the locks of all runs are known.

use std::path::PathBuf;

use super::input::{self, Run};
use super::load::threads;
use super::progress::Progress;
use crate::cli::SymbolArgs;
use crate::error::Result;
use crate::ingest::Selection;
use crate::ingest::grid::grid;
use crate::ingest::selection::Again;
use crate::lock::attribution::{Attribution, Options, attribute};
use crate::lock::heaviest::{LockOfPair, heaviest};
use crate::lock::site::{AttributedRun, Labels, Lock, site_labels, tables};
use crate::report::timeline::{FINEST, LOCKS, Timeline, Untimed, timeline};
use crate::run::RunInfo;

/// Reads runs and their locks over time; a run without times has the reason instead.
///
/// # Errors
/// Where a run cannot be read, or has no event of the wanted name.
pub fn timelines(
    files: &[PathBuf],
    event: Option<&str>,
    selection: &Selection,
    symbols: &SymbolArgs,
    options: &Options,
) -> Result<Vec<(RunInfo, std::result::Result<Timeline, Untimed>)>> {
    let selection = Selection { again: Again::Possible, ..selection.clone() };
    let progress = Progress::over(files, true);
    let read = |file: &PathBuf| input::run(file, event, &selection, symbols, &progress);
    let runs: Vec<Run> = files.iter().map(read).collect::<Result<_>>()?;
    let attributions: Vec<Attribution> =
        runs.iter().map(|run| attribute(&run.profile, run.event, options)).collect();
    let attributed: Vec<AttributedRun<'_>> = runs.iter().map(|run| &run.profile).zip(&attributions).collect();
    let locks = heaviest(&tables(&attributed), LOCKS);
    let labels = site_labels(&attributed);
    let timelines = runs.iter().map(|run| of_run(run, options, &labels, &locks, &progress));
    Ok(runs.iter().map(|run| run.info.clone()).zip(timelines).collect())
}

/// The timeline of a run that was read with [`Again::Possible`]. `labels` and `locks` are those of all runs that are
/// shown together, so that a lock has one name and one band in all of them.
pub(super) fn of_run(
    run: &Run,
    options: &Options,
    labels: &Labels,
    locks: &[Lock],
    progress: &Progress,
) -> std::result::Result<Timeline, Untimed> {
    let (recording, rewalk) = run.again.as_ref().ok_or(Untimed::Text)?;
    let pairs = LockOfPair::new(&run.profile, run.event, options, labels, locks);
    let class = |kernel, user| pairs.of(kernel, user);
    let advance = |bytes| progress.advance(bytes);
    let grid = grid(recording, rewalk, run.event, FINEST, &class, threads(), &advance);
    timeline(&grid.ok_or(Untimed::NoTimes)?, locks)
}
