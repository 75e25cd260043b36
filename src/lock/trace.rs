//! Shares by function and by call trace, as the kernel test robot names them: `calltrace` of up to five frames,
//! `children` with what they called, `self` alone.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::attribution::Frames;
use crate::id::FrameId;
use crate::profile::Profile;
use crate::symbol::{Naming, Symbol};
use crate::units::Weight;

/// Frames of a call trace.
const TRACE: usize = 5;

/// Shares of an event's total in percent, by name: `calltrace.cycles.a.b`, `children.cycles.a`, `self.cycles.a`.
pub fn shares(profile: &Profile<Symbol>, event: u16, event_name: &str) -> BTreeMap<String, f64> {
    let mut own: FxHashMap<FrameId, Weight> = FxHashMap::default();
    let mut children: FxHashMap<&str, Weight> = FxHashMap::default();
    let mut traces: FxHashMap<[Option<FrameId>; TRACE], Weight> = FxHashMap::default();
    let mut total = Weight(0);
    let (mut seen, mut seen_traces) = (FxHashSet::default(), FxHashSet::default());
    for entry in profile.entries.iter().filter(|entry| entry.key.event == event) {
        total += entry.weight;
        let frames = Frames::of(profile, entry);
        if let Some(leaf) = frames.at(0) {
            *own.entry(leaf).or_default() += entry.weight;
        }
        // A function that calls itself counts once for a callchain.
        seen.clear();
        seen_traces.clear();
        for (depth, frame) in frames.from(0).enumerate() {
            // Rows are keyed by name alone: a function of the kernel and one of user space may share it.
            let symbol = &profile.frames[frame.index()];
            if symbol.naming == Naming::Named && seen.insert(symbol.name.as_str()) {
                *children.entry(symbol.name.as_str()).or_default() += entry.weight;
            }
            let mut trace = [None; TRACE];
            trace.iter_mut().zip(frames.from(depth)).for_each(|(slot, frame)| *slot = Some(frame));
            if seen_traces.insert(trace) {
                *traces.entry(trace).or_default() += entry.weight;
            }
        }
    }
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    let name = |frame: FrameId| {
        let symbol = &profile.frames[frame.index()];
        (symbol.naming == Naming::Named).then_some(symbol.name.as_str())
    };
    let mut add = |kind: &str, names: Option<String>, weight: Weight| {
        if let Some(names) = names {
            *shares.entry(format!("{kind}.{event_name}.{names}")).or_default() +=
                weight.share_of(total).percent();
        }
    };
    for (trace, weight) in &traces {
        let names: Option<Vec<&str>> = trace.iter().flatten().map(|&frame| name(frame)).collect();
        add("calltrace", names.map(|names| names.join(".")), *weight);
    }
    children.iter().for_each(|(&name, &weight)| add("children", Some(name.to_owned()), weight));
    own.iter().for_each(|(&frame, &weight)| add("self", name(frame).map(str::to_owned), weight));
    shares
}
