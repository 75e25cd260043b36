//! The first walk over a recording: counts records, collects the few side-band records, finds the span of time and the
//! borders of blocks. Samples are only looked at for their time and thread.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::chain::Chain;
use super::deferred::DeferredParts;
use super::space::Spaces;
use super::task::Tasks;
use crate::perf::Recording;
use crate::perf::attr::{flag, read_format};
use crate::perf::block::{Blocks, walk};
use crate::perf::bytes::Bytes;
use crate::perf::event::{Event, tid_offset, time_offset};
use crate::perf::feature::build_id;
use crate::perf::record::{Record, kind};
use crate::perf::sideband::{self, SideBand};

/// What the first walk found.
#[derive(Debug)]
pub struct Survey {
    /// Records by type.
    pub records: BTreeMap<u32, u64>,
    /// Records, or samples, that the kernel had no room for.
    pub lost: u64,
    /// How often the kernel stopped an event for a while.
    pub throttled: u64,
    /// The first and the last sample's time; `None` without samples or times.
    pub span: Option<(u64, u64)>,
    /// Side-band records that did not fit their own size.
    pub damaged_records: u64,
    /// Bytes of AUX data.
    pub aux: u64,
    /// Address spaces.
    pub spaces: Spaces,
    /// Threads' names.
    pub tasks: Tasks,
    /// User parts of callchains that were recorded apart from their samples.
    pub(super) deferred: DeferredParts,
    /// Where the records stand.
    pub blocks: Blocks,
}

impl Survey {
    /// SAMPLE records.
    pub fn samples(&self) -> u64 {
        self.records.get(&kind::SAMPLE).copied().unwrap_or(0)
    }
}

/// Walks the recording once.
pub fn survey(recording: &Recording) -> Survey {
    let mut gather = Gather::new(recording);
    let blocks = walk(recording, &mut |record| gather.take(record));
    gather.finish(recording, blocks)
}

/// Whether records take effect in the order of their times. Where samples have none, or the others have none (before Linux
/// 2.6.38), all are taken in the order in which they stand, as perf takes them.
pub(super) fn is_timed(recording: &Recording) -> bool {
    let has_times = |event: &Event| time_offset(&event.attr).is_some() && event.attr.has(flag::SAMPLE_ID_ALL);
    recording.events.iter().any(has_times)
}

/// What was lost, from the sums of LOST and of LOST_SAMPLES. A recorder that reads how many samples each event lost (since
/// perf 6.1) writes at its end what the kernel has told already: the larger sum holds the other.
fn lost(recording: &Recording, records: u64, samples: u64) -> u64 {
    match recording.events.iter().any(|event| event.attr.read_format & read_format::LOST != 0) {
        true => records.max(samples),
        false => records.saturating_add(samples),
    }
}

struct Gather<'a> {
    recording: &'a Recording,
    /// By event, where a sample has its time and its thread.
    places: Vec<(Option<usize>, Option<usize>)>,
    records: BTreeMap<u32, u64>,
    samples: u64,
    span: Option<(u64, u64)>,
    tids: FxHashSet<u32>,
    last_tid: Option<u32>,
    sideband: Vec<(u64, SideBand)>,
    build_ids: Vec<(String, Vec<u8>)>,
    deferred: DeferredParts,
    /// Kept between records, so that nothing is allocated for each.
    chain: Chain,
    lost: u64,
    lost_samples: u64,
    throttled: u64,
    damaged_records: u64,
    aux: u64,
    is_timed: bool,
}

impl<'a> Gather<'a> {
    fn new(recording: &'a Recording) -> Self {
        let places = recording.events.iter().map(|e| (time_offset(&e.attr), tid_offset(&e.attr))).collect();
        Self {
            recording,
            places,
            records: BTreeMap::new(),
            samples: 0,
            span: None,
            tids: FxHashSet::default(),
            last_tid: None,
            sideband: Vec::new(),
            build_ids: Vec::new(),
            deferred: DeferredParts::default(),
            chain: Chain::default(),
            lost: 0,
            lost_samples: 0,
            throttled: 0,
            damaged_records: 0,
            aux: 0,
            is_timed: is_timed(recording),
        }
    }

    fn take(&mut self, record: &Record<'_>) {
        if record.kind == kind::SAMPLE {
            return self.sample(record);
        }
        *self.records.entry(record.kind).or_default() += 1;
        match record.kind {
            kind::MMAP
            | kind::MMAP2
            | kind::COMM
            | kind::FORK
            | kind::LOST
            | kind::LOST_SAMPLES
            | kind::THROTTLE
            | kind::KSYMBOL => self.sideband(record),
            kind::CALLCHAIN_DEFERRED => self.deferred_callchain(record),
            kind::AUXTRACE => {
                let size = Bytes::new(record.body, self.recording.endian).u64();
                self.aux = self.aux.saturating_add(size.unwrap_or(0));
            }
            kind::HEADER_BUILD_ID => self.build_ids.extend(build_id(record, self.recording.endian)),
            _ => {}
        }
    }

    #[inline]
    fn sample(&mut self, record: &Record<'_>) {
        self.samples += 1;
        let endian = self.recording.endian;
        let Some(event) = self.recording.index.event_of(record.body, endian) else { return };
        let (time_at, tid_at) = self.places[event];
        let bytes = |at: usize| record.body.get(at..).map(|rest| Bytes::new(rest, endian));
        if let Some(time) = time_at.and_then(bytes).and_then(|mut bytes| bytes.u64()) {
            let (first, last) = self.span.unwrap_or((time, time));
            self.span = Some((first.min(time), last.max(time)));
        }
        let tid = tid_at.and_then(bytes).and_then(|mut bytes| bytes.u32());
        if tid != self.last_tid
            && let Some(tid) = tid
        {
            self.tids.insert(tid);
            self.last_tid = Some(tid);
        }
    }

    fn sideband(&mut self, record: &Record<'_>) {
        let endian = self.recording.endian;
        match sideband::decode(record, endian) {
            Some(SideBand::Lost(n)) => self.lost = self.lost.saturating_add(n),
            Some(SideBand::LostSamples(n)) => self.lost_samples = self.lost_samples.saturating_add(n),
            Some(SideBand::Throttle) => self.throttled += 1,
            Some(decoded) => {
                let event = self.recording.index.event_of_trailer(record.body, endian);
                let attr = &self.recording.events[event].attr;
                let moment = match self.is_timed {
                    true => sideband::trailer_time(record, attr, endian).unwrap_or(0),
                    false => record.position,
                };
                self.sideband.push((moment, decoded));
            }
            None => self.damaged_records += 1,
        }
    }

    fn deferred_callchain(&mut self, record: &Record<'_>) {
        let endian = self.recording.endian;
        let Some(deferred) = sideband::deferred_callchain(record, endian) else {
            self.damaged_records += 1;
            return;
        };
        let event = self.recording.index.event_of_trailer(record.body, endian);
        let attr = &self.recording.events[event].attr;
        let tid = sideband::trailer_tid(record, attr, endian);
        let time = sideband::trailer_time(record, attr, endian);
        let user = self.chain.only_user(deferred.callchain, endian);
        self.deferred.add(deferred.cookie, user, tid, time);
    }

    fn finish(mut self, recording: &Recording, blocks: Blocks) -> Survey {
        if self.samples > 0 {
            self.records.insert(kind::SAMPLE, self.samples);
        }
        // Stable: records of one time, and all of a recording without times, stay in their order.
        self.sideband.sort_by_key(|(time, _)| *time);
        self.deferred.sort();
        let (mut spaces, mut tasks) = (Spaces::default(), Tasks::default());
        for (time, record) in &self.sideband {
            spaces.apply(*time, record);
            tasks.apply(*time, record);
        }
        spaces.set_build_ids(&recording.features.build_ids);
        spaces.set_build_ids(&self.build_ids);
        let mut tids: Vec<u32> = self.tids.into_iter().chain([0, u32::MAX]).collect();
        tids.sort_unstable();
        tasks.name_unnamed(tids);
        Survey {
            records: self.records,
            lost: lost(recording, self.lost, self.lost_samples),
            throttled: self.throttled,
            span: self.span,
            damaged_records: self.damaged_records,
            aux: self.aux,
            spaces,
            tasks,
            deferred: self.deferred,
            blocks,
        }
    }
}
