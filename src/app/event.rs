//! Which event of a recording is reported: the one that was named, or the one that a person means.

use std::cmp::Reverse;

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

    /// The event that is kept at `at`, with all that is kept there.
    fn together(recording: &Recording, at: usize) -> Self {
        let kept_as = hybrid::together(&recording.events);
        let parts: Vec<usize> = (0..kept_as.len()).filter(|&part| kept_as[part] == at).collect();
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

/// The event that the user named: exactly; as it was asked for, of all kinds of cores; or without its modifiers, which must
/// then fit one event.
///
/// # Errors
/// Where there is none; the error lists those that there are.
pub(super) fn named(recording: &Recording, name: &str) -> Result<Chosen> {
    let events = &recording.events;
    if let Some(exact) = events.iter().position(|event| event.name == name) {
        return Ok(Chosen::one(recording, exact));
    }
    let kept_as = hybrid::together(events);
    let asked = |at: usize| hybrid::asked_name(&events[at].name).unwrap_or_else(|| events[at].name.clone());
    let heads = || (0..events.len()).filter(|&at| kept_as[at] == at);
    if let Some(at) = heads().find(|&at| asked(at) == name) {
        return Ok(Chosen::together(recording, at));
    }
    let base = |full: &str| full.rsplit_once(':').map_or(full.to_owned(), |(base, _)| base.to_owned());
    let mut fitting = heads().filter(|&at| base(&asked(at)) == name);
    match (fitting.next(), fitting.next()) {
        (Some(at), None) => Ok(Chosen::together(recording, at)),
        _ => {
            let mut known: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
            known.dedup();
            let shown: Vec<&str> = known.iter().take(NAMED).copied().collect();
            let rest = match known.len() - shown.len() {
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
    let kept_as = hybrid::together(&recording.events);
    let heads = (0..recording.events.len()).filter(|&at| kept_as[at] == at);
    let all = heads.map(|at| Chosen::together(recording, at));
    let rank = |chosen: &Chosen| {
        let event = &recording.events[chosen.at];
        let kind = Kind::of(event);
        let holds = chosen.sums(facts).0 > 0;
        (Reverse(holds && kind != Kind::Dummy), kind, chosen.at)
    };
    all.min_by_key(rank).unwrap_or_else(|| Chosen::one(recording, 0))
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
