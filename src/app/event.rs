//! Which event of a recording is reported: the one that was named, or the one that a person means.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::ingest::Facts;
use crate::ingest::selection::Cores;
use crate::perf::Recording;
use crate::perf::event::Event;
use crate::perf::hybrid;
use crate::units::Weight;

/// An event for people: one of the recording's, or several that count the same on different kinds of cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The place under which its samples are kept.
    pub at: usize,
    /// All its places; one, most often.
    pub parts: Vec<usize>,
    /// What it is called.
    pub name: String,
    /// Whether kinds of cores are taken together.
    pub cores: Cores,
}

impl Chosen {
    fn one(recording: &Recording, at: usize) -> Self {
        Self { at, parts: vec![at], name: recording.events[at].name.clone(), cores: Cores::Apart }
    }

    /// Every event with those that are kept with it, in their order.
    fn all_together(recording: &Recording) -> Vec<Self> {
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (part, at) in hybrid::together(&recording.events).into_iter().enumerate() {
            parts.entry(at).or_default().push(part);
        }
        parts.into_iter().map(|(at, parts)| Self::together(recording, at, parts)).collect()
    }

    fn together(recording: &Recording, at: usize, parts: Vec<usize>) -> Self {
        let name = &recording.events[at].name;
        let name = match parts.len() {
            1 => name.clone(),
            _ => hybrid::asked_name(name).unwrap_or_else(|| name.clone()),
        };
        Self { at, parts, name, cores: Cores::Together }
    }

    /// Its samples and their weight.
    pub(super) fn sums(&self, facts: &Facts) -> (u64, Weight) {
        let parts = self.parts.iter().map(|&part| facts.tally.events[part]);
        parts.fold((0, Weight(0)), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    }

    /// By kind of cores, the event's name and its part of the samples; nothing where there is one kind only.
    pub(super) fn by_core(&self, recording: &Recording, facts: &Facts) -> Vec<(String, f64)> {
        let all = self.sums(facts).0.max(1) as f64;
        let part = |&part: &usize| {
            let samples = facts.tally.events[part].0 as f64;
            (recording.events[part].name.clone(), samples / all)
        };
        if self.parts.len() > 1 { self.parts.iter().map(part).collect() } else { Vec::new() }
    }
}

/// So many events are named one by one.
const NAMED: usize = 12;

/// What the user named, before it is known which events hold samples.
pub(super) struct Named {
    candidates: Vec<Chosen>,
}

impl Named {
    /// Whether kinds of cores are taken together.
    pub(super) fn cores(&self) -> Cores {
        self.candidates.first().map_or(Cores::Together, |chosen| chosen.cores)
    }

    /// The first that holds samples.
    pub(super) fn choose(mut self, facts: &Facts) -> Chosen {
        let at = self.candidates.iter().position(|chosen| chosen.sums(facts).0 > 0).unwrap_or(0);
        self.candidates.swap_remove(at)
    }
}

/// What each event is called here: by its name and, where others before it have the same, its number among them.
pub(super) fn labels(recording: &Recording) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let label = |event: &'_ Event, n: usize| match n {
        1 => event.name.clone(),
        n => format!("{}#{n}", event.name),
    };
    let mut labels = Vec::new();
    for event in &recording.events {
        let n = seen.entry(&event.name).or_insert(0);
        *n += 1;
        labels.push(label(event, *n));
    }
    labels
}

/// The event that the user named: exactly, the first of those that hold samples; by its number among those of one name
/// (`cycles#2`); as it was asked for, of all kinds of cores; or without its modifiers, which must then fit one event.
///
/// # Errors
/// Where there is none; the error lists those that there are.
pub(super) fn named(recording: &Recording, name: &str) -> Result<Named> {
    let events = &recording.events;
    let one = |at: usize| Chosen::one(recording, at);
    let exact: Vec<Chosen> = (0..events.len()).filter(|&at| events[at].name == name).map(one).collect();
    if !exact.is_empty() {
        return Ok(Named { candidates: exact });
    }
    let labels = labels(recording);
    if let Some(at) = labels.iter().position(|label| label == name) {
        return Ok(Named { candidates: vec![Chosen { name: labels[at].clone(), ..one(at) }] });
    }
    let together = |chosen: Chosen| Ok(Named { candidates: vec![chosen] });
    let all = Chosen::all_together(recording);
    let asked = |chosen: &Chosen| {
        let name = &events[chosen.at].name;
        hybrid::asked_name(name).unwrap_or_else(|| name.clone())
    };
    if let Some(chosen) = all.iter().find(|chosen| asked(chosen) == name) {
        return together(chosen.clone());
    }
    let base = |full: &str| full.rsplit_once(':').map_or(full.to_owned(), |(base, _)| base.to_owned());
    let mut fitting = all.iter().filter(|chosen| base(&asked(chosen)) == name);
    match (fitting.next(), fitting.next()) {
        (Some(chosen), None) => together(chosen.clone()),
        _ => {
            let shown: Vec<&str> = labels.iter().take(NAMED).map(String::as_str).collect();
            let rest = match labels.len() - shown.len() {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            Err(Error::file(&recording.path, format!("holds no event '{name}'"))
                .remedy(format!("take one of: {}{rest}", shown.join(", "))))
        }
    }
}

/// The event that a person means who names none: cycles before cpu-clock before task-clock before others, and the first
/// of these, among those that hold samples. A dummy only where there is nothing else.
pub(super) fn meant(recording: &Recording, facts: &Facts) -> Chosen {
    let rank = |chosen: &Chosen| {
        let event = &recording.events[chosen.at];
        let kind = Kind::of(event);
        let holds = chosen.sums(facts).0 > 0;
        (Reverse(holds && kind != Kind::Dummy), kind, chosen.at)
    };
    let all = Chosen::all_together(recording);
    all.into_iter().min_by_key(rank).unwrap_or_else(|| Chosen::one(recording, 0))
}

/// What events are to a person who asks where time goes, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Cycles,
    CpuClock,
    TaskClock,
    Other,
    Dummy,
}

impl Kind {
    fn of(event: &Event) -> Self {
        // The upper half names the kind of cores.
        match (event.attr.kind, event.attr.config & 0xffff_ffff) {
            (0, 0) => return Kind::Cycles,
            (1, 0) => return Kind::CpuClock,
            (1, 1) => return Kind::TaskClock,
            (1, 9) => return Kind::Dummy,
            _ => {}
        }
        let name = event.name.split_once('/').map_or(event.name.as_str(), |(_, rest)| rest);
        match name.split([':', '/']).next().unwrap_or_default() {
            "cycles" | "cpu-cycles" | "cpu_cycles" => Kind::Cycles,
            _ => Kind::Other,
        }
    }
}
