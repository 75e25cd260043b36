//! From a path to a named profile: opens, reads, symbolizes, and says which event is reported.

use std::path::{Path, PathBuf};

use super::event::{self, Chosen};
use crate::cli::SymbolArgs;
use crate::error::{Error, Result};
use crate::file;
use crate::ingest::grid::Rewalk;
use crate::ingest::selection::Cores;
use crate::ingest::{Facts, Selection, ingest, listings};
use crate::perf::Recording;
use crate::perf::attr::{EventAttr, flag, sample_type};
use crate::profile::Profile;
use crate::run::{Counting, Rate, RunInfo};
use crate::symbol::{Host, Resolution, Sources, Symbol, symbolize};
use crate::units::{Nanos, Unit};

/// A recording, read.
pub(super) struct Loaded {
    /// Its head.
    pub recording: Recording,
    /// Its callchains.
    pub profile: Profile<Symbol>,
    /// What was met on the way.
    pub facts: Facts,
    /// What has no name.
    pub resolution: Resolution,
    /// The reported event, by its place.
    pub event: u16,
    /// Which it is.
    pub chosen: Chosen,
    /// What one more walk over the samples needs, where the selection asked for it.
    pub rewalk: Option<Rewalk>,
}

/// Reads a recording.
///
/// # Errors
/// Where it cannot be read, or has no event of the wanted name.
pub(super) fn load(
    recording: Recording,
    wanted: Option<&str>,
    selection: &Selection,
    symbols: &SymbolArgs,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Loaded> {
    if let Some(root) = symbols.symfs.as_ref().filter(|root| !root.is_dir()) {
        return Err(Error::file(root, "is no folder").remedy("name the copied root of the recorded machine"));
    }
    let path = recording.path.as_path();
    let wanted = wanted.map(|name| event::named(&recording, name)).transpose()?;
    let cores = wanted.as_ref().map_or(Cores::Together, event::Named::cores);
    let ingested = ingest(&recording, &Selection { cores, ..selection.clone() }, threads(), progress);
    let chosen = match wanted {
        Some(named) => named.choose(&ingested.facts),
        None => event::meant(&recording, &ingested.facts),
    };
    let sources = sources(&recording, symbols);
    let release = recording.features.os_release.as_deref();
    let (profile, resolution) = symbolize(ingested.profile, path, release, &sources)?;
    let (facts, rewalk) = (ingested.facts, ingested.rewalk);
    Ok(Loaded { profile, facts, resolution, event: chosen.at as u16, chosen, recording, rewalk })
}

/// Workers: as many as there are processors.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Where symbols come from: the recording, what was named, and else what lies beside the recording.
fn sources(recording: &Recording, symbols: &SymbolArgs) -> Sources {
    let beside = || {
        let place = Some(recording.path.as_path()).filter(|path| *path != Path::new(file::STDIN))?;
        let folder = place.parent()?.join("symfs");
        folder.is_dir().then_some(folder)
    };
    Sources {
        recorded: listings(recording),
        kallsyms: symbols.kallsyms.clone(),
        symfs: symbols.symfs.clone().or_else(beside),
        home: std::env::var_os("HOME").map(PathBuf::from),
        host: Host::Considered,
    }
}

impl Loaded {
    /// The facts of the run.
    pub(super) fn info(&self) -> RunInfo {
        let event = &self.recording.events[self.chosen.at];
        let (samples, weight) = self.chosen.sums(&self.facts);
        let features = &self.recording.features;
        let span = self.facts.span;
        RunInfo {
            file: self.recording.path.display().to_string(),
            event: self.chosen.name.clone(),
            unit: unit(&self.chosen.name, &event.attr),
            samples: Some(samples),
            weight: Some(weight),
            lost: self.facts.lost,
            duration: span.map(|(first, last)| Nanos(last - first)),
            host: features.hostname.clone(),
            kernel: features.os_release.clone(),
            arch: features.arch.clone(),
            cpus: features.cpus_online,
            cpu_model: features.cpu_model.clone(),
            command: features.command.as_ref().map(|words| words.join(" ")),
            rate: Some(rate(&event.attr)),
            truncated: self.facts.truncated,
            unnamed_share: self.resolution.unnamed_share(),
            counting: Counting::Counted,
        }
    }
}

/// What an event's weight counts: its name tells, and for software clocks its number.
pub(super) fn unit(name: &str, attr: &EventAttr) -> Unit {
    match (attr.kind, attr.config) {
        (1, 0 | 1) => Unit::Nanoseconds,
        (0, 0) => Unit::Cycles,
        _ => Unit::of_event(name),
    }
}

/// How often an event was sampled.
pub(super) fn rate(attr: &EventAttr) -> Rate {
    if attr.has(flag::FREQ) {
        Rate::Frequency(attr.period_or_freq)
    } else {
        Rate::Period(attr.period_or_freq)
    }
}

/// The names of a sample's fields.
pub(super) fn fields(attr: &EventAttr) -> Vec<&'static str> {
    let bits = sample_type::NAMES.iter().enumerate();
    bits.filter(|(bit, _)| attr.sample_type >> bit & 1 == 1).map(|(_, name)| *name).collect()
}
