//! What functions weigh with all that they called: perf's "Children".

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::attribution::Frames;
use super::site::{Function, function};
use crate::id::FrameId;
use crate::profile::{Entry, Profile};
use crate::symbol::Symbol;
use crate::units::Weight;

/// Weight and samples of the callchains that each function is in. A function that calls itself counts once for a
/// callchain.
pub fn inclusive(profile: &Profile<Symbol>, event: u16) -> BTreeMap<Function, (Weight, u64)> {
    // Frames of one function have one number.
    let mut numbers: FxHashMap<Function, usize> = FxHashMap::default();
    let number_of: Vec<usize> = (0..profile.frames.len())
        .map(|frame| {
            let next = numbers.len();
            *numbers.entry(function(profile, FrameId(frame as u32))).or_insert(next)
        })
        .collect();
    let mut sums = vec![(Weight(0), 0); numbers.len()];
    let mut seen = vec![0; numbers.len()];
    for ((first, entries), turn) in profile.by_callchain(event).zip(1_u64..) {
        let (weight, samples) = Entry::sum(entries);
        for frame in Frames::of(profile, first).from(0) {
            let number = number_of[frame.index()];
            if seen[number] != turn {
                seen[number] = turn;
                let sum = &mut sums[number];
                *sum = (sum.0 + weight, sum.1 + samples);
            }
        }
    }
    let sums = numbers.into_iter().map(|(function, number)| (function, sums[number]));
    sums.filter(|(_, (_, samples))| *samples > 0).collect()
}
