//! Locks over time: one more walk over the samples of each run, once the locks of all runs are known.

use std::path::PathBuf;

use super::attributed::Attributed;
use super::input::{self, Run};
use super::load::threads;
use super::picture::Rules;
use super::progress::Progress;
use crate::cli::SymbolArgs;
use crate::error::Result;
use crate::ingest::Selection;
use crate::ingest::grid::grid;
use crate::ingest::selection::Again;
use crate::lock::attribution::Options;
use crate::lock::choice::Choice;
use crate::lock::heaviest::LockOfPair;
use crate::report::timeline::{FINEST, Timeline, Untimed, timeline};
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
    let Attributed { options, tables, labels, .. } = Attributed::over(&runs, options.clone());
    let rules = Rules::new(options, labels, Choice::default(), &tables);
    let timelines = runs.iter().map(|run| of_run(run, &rules));
    Ok(runs.iter().map(|run| run.info.clone()).zip(timelines).collect())
}

/// The timeline of a run that was read with [`Again::Possible`]. The rules are those of all runs that are shown together, so
/// that a lock has one name and one band in all of them.
pub(super) fn of_run(run: &Run, rules: &Rules) -> std::result::Result<Timeline, Untimed> {
    let (recording, rewalk) = run.again.as_ref().ok_or(Untimed::Text)?;
    let pairs = LockOfPair::new(&run.profile, run.event, &rules.options, &rules.labels, &rules.heaviest);
    let class = |kernel, user| pairs.of(kernel, user);
    let grid = grid(recording, rewalk, run.event, FINEST, &class, threads(), &|_| {});
    timeline(&grid.ok_or(Untimed::NoTimes)?, &rules.heaviest)
}
