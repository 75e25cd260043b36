//! One run, from a recording or from a text that somebody mailed.

use std::path::{Path, PathBuf};

use super::load::{Loaded, load};
use super::progress::Progress;
use super::quality;
use crate::cli::SymbolArgs;
use crate::compare::comparability;
use crate::error::{Error, Result};
use crate::file;
use crate::ingest::Selection;
use crate::ingest::grid::Rewalk;
use crate::lock::site::SiteTable;
use crate::perf::{Recording, begins_recording};
use crate::profile::Profile;
use crate::run::{Counting, RunInfo, Warning};
use crate::symbol::Symbol;
use crate::text::{self, Found};
use crate::transcript;
use crate::units::{Nanos, Weight};

/// A run, from a recording or from a text.
pub(super) struct Run {
    pub(super) profile: Profile<Symbol>,
    pub(super) event: u16,
    pub(super) info: RunInfo,
    /// The recording and what one more walk over it needs, where the selection asked for it.
    pub(super) again: Option<(Recording, Rewalk)>,
    judge: Judge,
}

/// What there is to know about a run's data, once its locks are known.
type Judge = Box<dyn Fn(&SiteTable) -> Vec<Warning>>;

impl Run {
    /// The warnings about this run's data.
    pub(super) fn warnings(&self, table: &SiteTable) -> Vec<Warning> {
        (self.judge)(table)
    }

    /// The name that most of the event's weight ran under.
    pub(super) fn comm(&self) -> String {
        let mut weights = std::collections::BTreeMap::new();
        for entry in self.profile.entries.iter().filter(|entry| entry.key.event == self.event) {
            *weights.entry(self.profile.comms.name(entry.key.comm)).or_insert(Weight(0)) += entry.weight;
        }
        let best = weights.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        best.map_or_else(String::new, |(name, _)| (*name).to_owned())
    }
}

/// Warnings of runs; of several, each with the file it is about.
pub(super) fn warnings<'a>(runs: impl IntoIterator<Item = (&'a Run, &'a SiteTable)>) -> Vec<Warning> {
    let of_runs: Vec<(&Run, Vec<Warning>)> =
        runs.into_iter().map(|(run, table)| (run, run.warnings(table))).collect();
    let several = of_runs.len() > 1;
    let named = |run: &Run, warning: Warning| match several {
        true => Warning { text: format!("{}: {}", run.info.file, warning.text), ..warning },
        false => warning,
    };
    of_runs
        .into_iter()
        .flat_map(|(run, found)| found.into_iter().map(move |warning| named(run, warning)))
        .collect()
}

/// Reads runs of one thing.
///
/// # Errors
/// Where one cannot be read or is given twice, or their events differ.
pub(super) fn runs(
    files: &[PathBuf],
    event: Option<&str>,
    selection: &Selection,
    symbols: &SymbolArgs,
    quiet: bool,
) -> Result<Vec<Run>> {
    twice(files)?;
    let progress = Progress::over(files, quiet);
    let read = |file: &PathBuf| run(file, event, selection, symbols, &progress);
    let runs: Vec<Run> = files.iter().map(read).collect::<Result<_>>()?;
    one_event(&runs)?;
    Ok(runs)
}

/// The same recording twice on a side is one run, not two.
pub(super) fn twice(files: &[PathBuf]) -> Result<()> {
    let mut seen = std::collections::BTreeSet::new();
    match files.iter().find(|file| !seen.insert(file.canonicalize().unwrap_or_else(|_| file.to_path_buf()))) {
        Some(file) => Err(Error::file(file, "is given twice").remedy("a run counts once: leave it out")),
        None => Ok(()),
    }
}

/// Runs of one side are summed or averaged, which means nothing where their events differ. A text that tells no event is
/// taken to be of the others'.
fn one_event(runs: &[Run]) -> Result<()> {
    let told = |run: &&Run| run.info.weight.is_some();
    let base = |run: &Run| comparability::base(&run.info.event).to_owned();
    if let Some(first) = runs.iter().find(told)
        && let Some(other) = runs.iter().filter(told).find(|run| base(run) != base(first))
    {
        let problem =
            format!("is of {}, where {} is of {}", other.info.event, first.info.file, first.info.event);
        return Err(Error::new(other.info.file.clone(), problem)
            .remedy("choose an event that all have with --event, or take them one by one"));
    }
    Ok(())
}

/// Reads one run, from a recording or from a text.
pub(super) fn run(
    path: &Path,
    event: Option<&str>,
    selection: &Selection,
    symbols: &SymbolArgs,
    progress: &Progress,
) -> Result<Run> {
    let (path, number) = numbered(path);
    let recording = match path.is_dir() {
        true => Recording::open(&path)?,
        false => {
            let bytes = file::open(&path)?;
            if !begins_recording(&bytes) && text::detect(&bytes).is_some() {
                return mailed(&path, &bytes, number, event);
            }
            Recording::of(&path, bytes)?
        }
    };
    let loaded = load(recording, event, selection, symbols, &|bytes| progress.advance(bytes))?;
    Ok(recorded(loaded))
}

fn recorded(loaded: Loaded) -> Run {
    let info = loaded.info();
    let counts = quality::Counts::of(&loaded);
    let shown = info.clone();
    let judge: Judge = Box::new(move |table| crate::report::quality::warnings(&shown, &counts.with(table)));
    let again = loaded.rewalk.map(|rewalk| (loaded.recording, rewalk));
    Run { profile: loaded.profile, event: loaded.event, info, again, judge }
}

/// `thread.mbox#2` is the second report in it.
fn numbered(path: &Path) -> (PathBuf, usize) {
    let text = path.to_string_lossy();
    match text.rsplit_once('#') {
        Some((file, number)) if !path.exists() => match number.parse::<usize>() {
            Ok(n) if n > 0 => (PathBuf::from(file), n),
            _ => (path.to_owned(), 1),
        },
        _ => (path.to_owned(), 1),
    }
}

fn mailed(path: &Path, bytes: &[u8], number: usize, event: Option<&str>) -> Result<Run> {
    let found = text::read(bytes).map_err(|e| Error::file(path, e.to_string()))?;
    let fits = |found: &&Found| match (found, event) {
        (_, None) => true,
        (Found::Report(report), Some(name)) => report.event.as_deref() == Some(name),
        (Found::Stacks(stacks), Some(name)) => stacks.event.as_deref() == Some(name),
    };
    let fitting: Vec<&Found> = found.iter().filter(fits).collect();
    let Some(&chosen) = fitting.get(number - 1) else {
        let of = event.map_or_else(String::new, |name| format!(" of event '{name}'"));
        return Err(Error::file(
            path,
            format!("holds {} reports{of}, and no number {number}", fitting.len()),
        )
        .remedy("name another, as in thread.mbox#1"));
    };
    let several = (fitting.len() > 1).then(|| {
        let text = format!(
            "{} reports are in it, and this is number {number}: name another as {}#2",
            fitting.len(),
            path.display()
        );
        Warning { code: "several-reports", text }
    });
    let (profile, info) = match chosen {
        Found::Report(report) => (transcript::of_report(report), report_info(path, report)),
        Found::Stacks(stacks) => (transcript::of_stacks(stacks), stacks_info(path, stacks)),
    };
    let unread = match chosen {
        Found::Stacks(stacks) if stacks.unread_lines > 0 => Some(Warning {
            code: "unread-lines",
            text: format!("{} lines were not understood, and are in no number", stacks.unread_lines),
        }),
        _ => None,
    };
    let found: Vec<Warning> = several.into_iter().chain(unread).collect();
    let judge: Judge = Box::new(move |_| found.clone());
    Ok(Run { profile, event: 0, info, again: None, judge })
}

fn report_info(path: &Path, report: &text::PerfReport) -> RunInfo {
    RunInfo {
        samples: report.samples,
        weight: report.weight.map(Weight),
        lost: report.lost.unwrap_or(0),
        host: report.header.hostname.clone(),
        kernel: report.header.os_release.clone(),
        cpus: report.header.nr_cpus.and_then(|n| u32::try_from(n).ok()),
        cpu_model: report.header.cpudesc.clone(),
        command: report.header.cmdline.clone(),
        ..RunInfo::of_event(&path.display().to_string(), report.event.as_deref().unwrap_or("cycles"))
    }
}

fn stacks_info(path: &Path, stacks: &text::Stacks) -> RunInfo {
    let sum = |of: fn(&text::Stack) -> u64| stacks.samples.iter().map(of).sum::<u64>();
    let times = stacks.samples.iter().filter_map(|stack| stack.time);
    let span = times.fold(None, |span: Option<(u64, u64)>, time| {
        let (first, last) = span.unwrap_or((time.first_ns, time.last_ns));
        Some((first.min(time.first_ns), last.max(time.last_ns)))
    });
    let event = stacks.event.as_deref().unwrap_or(if stacks.folded { "samples" } else { "cycles" });
    RunInfo {
        samples: (!stacks.folded).then(|| sum(|stack| stack.count)),
        weight: (!stacks.folded).then(|| Weight(sum(|stack| stack.weight))),
        duration: span.map(|(first, last)| Nanos(last - first)),
        counting: if stacks.folded { Counting::SharesOnly } else { Counting::Counted },
        ..RunInfo::of_event(&path.display().to_string(), event)
    }
}
