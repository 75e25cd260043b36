//! Whole recordings: opened and read to named callchains, in which every sample is counted once.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use lockblame::ingest::{Ingested, Selection, ingest};
use lockblame::perf::Recording;
use lockblame::perf::attr::sample_type;
use lockblame::profile::Entry;
use lockblame::symbol::{Host, Sources, symbolize};
use lockblame::units::Weight;

use super::heap;

/// What a user can still read.
const MOST_DAMAGE: usize = 10;

/// The magic of zstd: what is compressed may ask for a window, of which this is the largest that perf can choose.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
pub(super) const LARGEST_WINDOW: usize = 129 << 20;
/// Records unpack to so much whatever their size, and to so many times of it.
pub(super) const UNPACKED: usize = 16 << 20;
pub(super) const MOST_RATIO: usize = 1000;

pub fn check(bytes: &[u8]) {
    check_named(bytes, None);
}

/// As `check`, with the names of a list of kernel symbols.
pub fn check_named(bytes: &[u8], kallsyms: Option<&Path>) {
    let path = Path::new("some.data");
    let (unpacked, peak) = heap::peak_of(|| match Recording::from_bytes(path, bytes.to_vec()) {
        Err(error) => {
            let line = error.to_string();
            super::assert_one_line(&line);
            assert!(line.starts_with("some.data: ") && line.contains("; "), "{line}");
            0
        }
        Ok(opened) => {
            let (one, unpacked) = read(&opened, 1);
            adds_up(&opened, &one);
            // Threads are dear: a part of the inputs compares.
            if bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)).is_multiple_of(8) {
                let (two, _) = read(&opened, 2);
                assert_eq!(one.facts.tally, two.facts.tally);
                assert_eq!(totals(&one), totals(&two));
            }
            let named = symbolize(one.profile, path, None, &sources(kallsyms));
            let (named, resolution) = named.expect("a source that was named can be read");
            let frames = named.entries.iter().map(|entry| {
                let parts = named.kernel.get(entry.key.kernel).len() + named.user.get(entry.key.user).len();
                entry.samples * parts as u64
            });
            assert_eq!(frames.sum::<u64>(), resolution.frames);
            unpacked
        }
    });
    assert!(unpacked <= bytes.len() + UNPACKED + MOST_RATIO * bytes.len(), "{unpacked} of {}", bytes.len());
    let window = if bytes.windows(4).any(|four| four == ZSTD) { LARGEST_WINDOW } else { 0 };
    super::assert_bounded(peak, bytes.len().max(unpacked), window);
}

/// What it says, and how many bytes of records it went through.
fn read(opened: &Recording, threads: usize) -> (Ingested, usize) {
    let done = AtomicUsize::new(0);
    let progress = |n| {
        done.fetch_add(n, Relaxed);
    };
    let ingested = ingest(opened, &Selection::default(), threads, &progress);
    (ingested, done.into_inner())
}

/// Nothing of this machine's.
fn sources(kallsyms: Option<&Path>) -> Sources {
    Sources { kallsyms: kallsyms.map(Path::to_owned), host: Host::Ignored, ..Sources::default() }
}

/// By event, weight and samples of the profile.
fn totals(ingested: &Ingested) -> Vec<(Weight, u64)> {
    let events = ingested.facts.tally.events.len() as u16;
    (0..events).map(|event| ingested.profile.total(event)).collect()
}

fn adds_up(opened: &Recording, ingested: &Ingested) {
    let Ingested { profile, facts, .. } = ingested;
    let tally = &facts.tally;
    let weighed: u64 = tally.events.iter().map(|(samples, _)| samples).sum();
    // A sample with counters stands for each of them that grew.
    if !opened.events.iter().any(|event| event.attr.samples(sample_type::READ)) {
        assert_eq!(weighed + tally.undecodable + tally.unknown_event, facts.samples);
    }
    assert_eq!(tally.unselected, 0);
    assert_eq!(Entry::sum(profile.entries.iter()).1, weighed);
    let by_event = tally.events.iter().map(|&(samples, weight)| (weight, samples));
    assert_eq!(by_event.collect::<Vec<_>>(), totals(ingested));
    for (&(samples, _), (&without, &cut)) in
        tally.events.iter().zip(tally.without_callchain.iter().zip(&tally.cut))
    {
        assert!(without <= samples && cut <= samples, "{without} and {cut} of {samples}");
    }
    assert!(facts.span.is_none_or(|(first, last)| first <= last));
    assert!(facts.damage.len() <= MOST_DAMAGE, "{} lines of damage", facts.damage.len());
    facts.damage.iter().for_each(|line| super::assert_one_line(line));
}
