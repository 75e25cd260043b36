//! The walk over the samples, block by block on all processors: what each weighs for which event, and whether the
//! selection takes it. What becomes of a weighed sample is its sink's: see [`super::fold`] and [`super::grid`].

use std::sync::Mutex;

use rustc_hash::{FxHashMap, FxHashSet};

use super::chain::{Branches, Chain, Rules};
use super::selection::{Cores, Idle, Selection, Space};
use super::space::{EMPTY_SPACE, Spaces};
use super::survey::{Survey, is_timed};
use crate::id::{NameId, SpaceId};
use crate::perf::Recording;
use crate::perf::attr::{flag, read_format, sample_type as st};
use crate::perf::block::{BlockSource, Order};
use crate::perf::hybrid;
use crate::perf::record::{CpuMode, Record, Walk, kind};
use crate::perf::sample::{Sample, decode};
use crate::profile::TIME_BLOCKS;
use crate::units::Weight;

/// The state that stands for the addresses of guests and hypervisors.
pub(super) const FOREIGN_SPACE: SpaceId = SpaceId(u32::MAX);

/// What the kernel writes for the process of a thread that has ended; among mappings it stands for the kernel.
const NO_PROCESS: u32 = u32::MAX;

/// What weighed samples go to, one for each worker.
pub(super) trait Sink: Send {
    /// Takes a sample that is selected.
    fn take(&mut self, sample: &Weighed<'_>);
    /// Is told of one that is not.
    fn leave(&mut self, why: LeftOut);
}

/// Why a sample, or its part for an event, counts for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// The selection does not take it.
    Unselected,
    /// It does not fit its own record, which stands at this place.
    Undecodable(u64),
    /// Its id belongs to no event.
    UnknownEvent,
}

/// A selected sample, and what it weighs for one event.
pub(super) struct Weighed<'a> {
    /// Its fields.
    pub(super) fields: &'a Sample<'a>,
    /// The event, by its place in the recording.
    pub(super) event: usize,
    /// What it weighs.
    pub(super) weight: Weight,
    /// Its time; 0 where it has none.
    pub(super) time: u64,
    /// The thread's name.
    pub(super) comm: NameId,
    /// Its callchain.
    pub(super) chain: &'a Chain,
    /// The moment whose names and mappings hold: its time, or the end where it has none; in a recording without times, its
    /// place.
    moment: u64,
    spaces: &'a Spaces,
}

impl Weighed<'_> {
    /// The kernel's part of the callchain.
    pub(super) fn kernel(&self) -> (SpaceId, &[u64]) {
        (self.spaces.kernel_at(self.moment), &self.chain.kernel)
    }

    /// The user's part, or a guest's where there is nothing else.
    pub(super) fn user(&self) -> (SpaceId, &[u64]) {
        if self.chain.user.is_empty() && self.chain.kernel.is_empty() {
            return (FOREIGN_SPACE, &self.chain.foreign);
        }
        let moment = self.chain.deferred_until.unwrap_or(self.moment);
        let space = match self.fields.pid {
            None | Some(NO_PROCESS) => EMPTY_SPACE,
            Some(pid) => self.spaces.at(pid, moment),
        };
        (space, &self.chain.user)
    }
}

/// Gives every sample to a sink. `threads` workers share the blocks, each with a sink of its own, of which there is at
/// least one; `progress` is told of bytes done.
pub(super) fn walk<S: Sink>(
    context: &Context<'_>,
    threads: usize,
    progress: &(dyn Fn(usize) + Sync),
    sink: impl Fn() -> S + Sync,
) -> Vec<S> {
    // Values of READ are counts since the start: their differences need the order in which they were read.
    let threads = if context.reads_values.iter().any(|&reads| reads) { 1 } else { threads.max(1) };
    let order = context.order();
    let source = Mutex::new(BlockSource::new(context.recording, &context.survey.blocks, order));
    let work = || {
        let rules = Rules {
            endian: context.recording.endian,
            kernel_start: context.survey.spaces.kernel_start(),
            deferred: &context.survey.deferred,
        };
        let (chain, counters) = (Chain::default(), FxHashMap::default());
        let mut weigher = Weigher { context, rules, chain, counters, sink: sink() };
        loop {
            let block = source.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next_block();
            let Some(block) = block else { break };
            let samples = Walk::sifted(&block, context.recording.endian, block.position)
                .filter(|record| record.kind == kind::SAMPLE);
            match order {
                Order::Forward => samples.for_each(|record| weigher.sample(&record)),
                Order::Backward => {
                    let samples: Vec<Record<'_>> = samples.collect();
                    samples.iter().rev().for_each(|record| weigher.sample(record));
                }
            }
            progress(block.len());
        }
        weigher.sink
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut sinks = vec![work()];
        sinks.extend(others.into_iter().filter_map(|worker| worker.join().ok()));
        sinks
    })
}

/// What all workers share.
pub(super) struct Context<'a> {
    pub(super) recording: &'a Recording,
    pub(super) survey: &'a Survey,
    pub(super) selection: &'a Selection,
    comms: Option<FxHashSet<NameId>>,
    bounds: (u64, u64),
    /// Start and length of the span that is cut into blocks.
    pub(super) span: (u64, u64),
    /// By event, whether its weight is the growth of a counter's value in READ.
    reads_values: Vec<bool>,
    is_timed: bool,
    /// By event, the one under which its samples are kept.
    pub(super) kept_as: Vec<usize>,
}

impl<'a> Context<'a> {
    pub(super) fn new(recording: &'a Recording, survey: &'a Survey, selection: &'a Selection) -> Self {
        let span = survey.span.unwrap_or((0, 0));
        let bounds = selection.time.map_or((0, u64::MAX), |time| time.bounds(span));
        let (start, end) = (span.0.max(bounds.0), span.1.min(bounds.1));
        let comms = (!selection.comms.is_empty()).then(|| survey.tasks.ids_of(&selection.comms));
        let reads_values = recording
            .events
            .iter()
            .map(|e| e.attr.samples(st::READ) && e.attr.read_format & read_format::ID != 0)
            .collect();
        let span = (start, end.saturating_sub(start).saturating_add(1));
        let is_timed = is_timed(recording);
        let kept_as = match selection.cores {
            Cores::Together => hybrid::together(&recording.events),
            Cores::Apart => (0..recording.events.len()).collect(),
        };
        Self { recording, survey, selection, comms, bounds, span, reads_values, is_timed, kept_as }
    }

    /// Into a ring that is overwritten the kernel writes backward: the newest record stands first in the file.
    fn order(&self) -> Order {
        let mut events = self.recording.events.iter();
        match events.any(|event| event.attr.has(flag::WRITE_BACKWARD)) {
            true => Order::Backward,
            false => Order::Forward,
        }
    }

    /// The block of a time.
    pub(super) fn block(&self, time: u64) -> u8 {
        let into = u128::from(time.saturating_sub(self.span.0));
        let block = into * TIME_BLOCKS as u128 / u128::from(self.span.1);
        block.min(TIME_BLOCKS as u128 - 1) as u8
    }

    fn selects(&self, sample: &Weighed<'_>) -> bool {
        let (selection, fields) = (self.selection, sample.fields);
        let one_of = |chosen: &[u32], own: Option<u32>| {
            chosen.is_empty() || own.is_some_and(|own| chosen.contains(&own))
        };
        one_of(&selection.pids, fields.pid)
            && one_of(&selection.tids, fields.tid)
            && one_of(&selection.cpus, fields.cpu)
            && self.comms.as_ref().is_none_or(|comms| comms.contains(&sample.comm))
            && (selection.time.is_none()
                || fields.time.is_some_and(|time| (self.bounds.0..=self.bounds.1).contains(&time)))
            && (selection.idle == Idle::Kept || fields.pid != Some(0))
            && (selection.space == Space::All || !sample.chain.kernel.is_empty())
    }
}

struct Weigher<'a, S> {
    context: &'a Context<'a>,
    rules: Rules<'a>,
    chain: Chain,
    counters: FxHashMap<u64, u64>,
    sink: S,
}

impl<S: Sink> Weigher<'_, S> {
    fn sample(&mut self, record: &Record<'_>) {
        let recording = self.context.recording;
        let Some(event) = recording.index.event_of(record.body, recording.endian) else {
            return self.sink.leave(LeftOut::UnknownEvent);
        };
        let attr = &recording.events[event].attr;
        let Some(sample) = decode(record.body, attr, recording.endian) else {
            return self.sink.leave(LeftOut::Undecodable(record.position));
        };
        if self.context.reads_values[event] {
            return self.counted_values(record, &sample);
        }
        let weight = sample.period.unwrap_or(match attr.period_or_freq {
            0 => 1,
            period => period,
        });
        self.weigh(record, &sample, event, Weight(weight));
    }

    /// Leader sampling (`{a,b}:S`): one record stands for each member whose counter grew, by its growth.
    fn counted_values(&mut self, record: &Record<'_>, sample: &Sample<'_>) {
        let Some(read) = sample.read else { return };
        for value in read.values() {
            let Some(id) = value.id else { continue };
            let Some(event) = self.context.recording.index.event_with(id) else {
                self.sink.leave(LeftOut::UnknownEvent);
                continue;
            };
            let before = self.counters.insert(id, value.value).unwrap_or(0);
            let growth = value.value.wrapping_sub(before);
            if growth != 0 {
                self.weigh(record, sample, event, Weight(growth));
            }
        }
    }

    fn weigh(&mut self, record: &Record<'_>, fields: &Sample<'_>, event: usize, weight: Weight) {
        let context = self.context;
        let (time, tid) = (fields.time.unwrap_or(0), fields.tid.unwrap_or(u32::MAX));
        let moment = match context.is_timed {
            true => fields.time.unwrap_or(u64::MAX),
            false => record.position,
        };
        let comm = context.survey.tasks.at(tid, moment).unwrap_or(NameId(0));
        let branches = Branches::of(&context.recording.events[event].attr);
        self.chain.set(fields, CpuMode::of_misc(record.misc), branches, &self.rules);
        let (chain, spaces) = (&self.chain, &context.survey.spaces);
        let weighed = Weighed { fields, event, weight, time, comm, chain, moment, spaces };
        match context.selects(&weighed) {
            true => self.sink.take(&weighed),
            false => self.sink.leave(LeftOut::Unselected),
        }
    }
}
