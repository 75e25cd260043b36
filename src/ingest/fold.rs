//! The second walk: folds samples into distinct callchains, block by block, on all processors.

use std::sync::Mutex;

use rustc_hash::{FxHashMap, FxHashSet};

use super::chain::Chain;
use super::intern::RawParts;
use super::selection::{ByCpu, Idle, Selection, Space};
use super::survey::Survey;
use crate::id::{NameId, SpaceId};
use crate::perf::Recording;
use crate::perf::attr::{read_format, sample_type as st};
use crate::perf::block::BlockSource;
use crate::perf::record::{CpuMode, Record, Walk, kind};
use crate::perf::sample::{Sample, decode};
use crate::profile::{EntryKey, NO_CPU, TIME_BLOCKS};
use crate::units::Weight;

/// The state that stands for the addresses of guests and hypervisors.
pub(super) const FOREIGN_SPACE: SpaceId = SpaceId(u32::MAX);
/// The kernel's default for the deepest callchain.
const DEFAULT_MAX_STACK: usize = 127;

/// What was met while folding, for the data's quality.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Samples and weight of each event, after the selection.
    pub events: Vec<(u64, Weight)>,
    /// Samples that the selection left out.
    pub unselected: u64,
    /// Samples that did not fit their own record.
    pub undecodable: u64,
    /// Samples whose id belongs to no event.
    pub unknown_event: u64,
    /// By event, samples without a callchain, or with an empty one.
    pub without_callchain: Vec<u64>,
    /// By event, samples whose callchain is as deep as the recorder allowed.
    pub cut: Vec<u64>,
    /// By event, the longest time enabled, and the time counting with it, where samples carry READ.
    pub counting: Vec<Option<(u64, u64)>>,
    /// Frames in all callchains, and the deepest callchain.
    pub frames: u64,
    /// The deepest callchain.
    pub deepest: usize,
}

impl Tally {
    fn new(events: usize) -> Self {
        Self {
            events: vec![(0, Weight(0)); events],
            without_callchain: vec![0; events],
            cut: vec![0; events],
            counting: vec![None; events],
            ..Self::default()
        }
    }

    fn add(&mut self, other: &Tally) {
        for (mine, theirs) in self.events.iter_mut().zip(&other.events) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        self.unselected += other.unselected;
        self.undecodable += other.undecodable;
        self.unknown_event += other.unknown_event;
        self.without_callchain
            .iter_mut()
            .zip(&other.without_callchain)
            .for_each(|(mine, theirs)| *mine += theirs);
        self.cut.iter_mut().zip(&other.cut).for_each(|(mine, theirs)| *mine += theirs);
        self.counting.iter_mut().zip(&other.counting).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
        self.frames += other.frames;
        self.deepest = self.deepest.max(other.deepest);
    }
}

/// What folding leaves: raw parts and weights.
pub(super) struct Folded {
    pub(super) kernel: RawParts,
    pub(super) user: RawParts,
    pub(super) entries: FxHashMap<EntryKey, (Weight, u64)>,
    pub(super) tally: Tally,
}

/// Folds all samples that the selection takes. `threads` workers share the blocks; `progress` is told of bytes done.
pub(super) fn fold(
    recording: &Recording,
    survey: &Survey,
    selection: &Selection,
    threads: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> Folded {
    let context = Context::new(recording, survey, selection);
    // Values of READ are counts since the start: their differences need the order of the file.
    let threads = if context.reads_values.iter().any(|&reads| reads) { 1 } else { threads.max(1) };
    let source = Mutex::new(BlockSource::new(recording, &survey.blocks));
    let work = || {
        let mut folder = Folder::new(&context);
        loop {
            let block = source.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next_block();
            let Some(block) = block else { break };
            for record in Walk::new(&block, recording.endian).filter(|record| record.kind == kind::SAMPLE) {
                folder.sample(&record);
            }
            progress(block.len());
        }
        folder.folded
    };
    let mut parts: Vec<Folded> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut parts = vec![work()];
        parts.extend(others.into_iter().filter_map(|worker| worker.join().ok()));
        parts
    });
    let mut folded = parts.swap_remove(0);
    parts.iter().for_each(|part| merge(&mut folded, part));
    folded
}

fn merge(into: &mut Folded, from: &Folded) {
    let renumber = |into: &mut RawParts, from: &RawParts| -> Vec<_> {
        from.ids()
            .map(|id| {
                let (space, words) = from.get(id);
                into.intern(space, words)
            })
            .collect()
    };
    let kernel = renumber(&mut into.kernel, &from.kernel);
    let user = renumber(&mut into.user, &from.user);
    for (key, &(weight, samples)) in &from.entries {
        let key = EntryKey { kernel: kernel[key.kernel.index()], user: user[key.user.index()], ..*key };
        let entry = into.entries.entry(key).or_default();
        *entry = (entry.0 + weight, entry.1 + samples);
    }
    into.tally.add(&from.tally);
}

/// What all workers share.
struct Context<'a> {
    recording: &'a Recording,
    survey: &'a Survey,
    selection: &'a Selection,
    comms: Option<FxHashSet<NameId>>,
    bounds: (u64, u64),
    /// Start and length of the span that is cut into blocks.
    span: (u64, u64),
    /// By event, whether its weight is the growth of a counter's value in READ.
    reads_values: Vec<bool>,
}

impl<'a> Context<'a> {
    fn new(recording: &'a Recording, survey: &'a Survey, selection: &'a Selection) -> Self {
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
        Self { recording, survey, selection, comms, bounds, span, reads_values }
    }

    fn block(&self, time: u64) -> u8 {
        let into = u128::from(time.saturating_sub(self.span.0));
        let block = into * TIME_BLOCKS as u128 / u128::from(self.span.1);
        block.min(TIME_BLOCKS as u128 - 1) as u8
    }
}

struct Folder<'a> {
    context: &'a Context<'a>,
    chain: Chain,
    counters: FxHashMap<u64, u64>,
    folded: Folded,
}

impl<'a> Folder<'a> {
    fn new(context: &'a Context<'a>) -> Self {
        Self {
            context,
            chain: Chain::default(),
            counters: FxHashMap::default(),
            folded: Folded {
                kernel: RawParts::default(),
                user: RawParts::default(),
                entries: FxHashMap::default(),
                tally: Tally::new(context.recording.events.len()),
            },
        }
    }

    fn sample(&mut self, record: &Record<'_>) {
        let recording = self.context.recording;
        let Some(event) = recording.index.event_of(record.body, recording.endian) else {
            self.folded.tally.unknown_event += 1;
            return;
        };
        let attr = &recording.events[event].attr;
        let Some(sample) = decode(record.body, attr, recording.endian) else {
            self.folded.tally.undecodable += 1;
            return;
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
                self.folded.tally.unknown_event += 1;
                continue;
            };
            let before = self.counters.insert(id, value.value).unwrap_or(0);
            let growth = value.value.wrapping_sub(before);
            if growth != 0 {
                self.weigh(record, sample, event, Weight(growth));
            }
        }
    }

    fn weigh(&mut self, record: &Record<'_>, sample: &Sample<'_>, event: usize, weight: Weight) {
        let context = self.context;
        let (time, pid) = (sample.time.unwrap_or(0), sample.pid.unwrap_or(u32::MAX));
        let tid = sample.tid.unwrap_or(u32::MAX);
        let comm = context.survey.tasks.at(tid, time).unwrap_or(NameId(0));
        let mode = CpuMode::of_misc(record.misc);
        self.chain.set(sample.ip, mode, sample.callchain.unwrap_or_default(), context.recording.endian);
        if !self.is_selected(sample, comm, time) {
            self.folded.tally.unselected += 1;
            return;
        }
        let folded = &mut self.folded;
        let (samples, sum) = &mut folded.tally.events[event];
        *samples += 1;
        *sum += weight;
        let depth = self.chain.depth();
        folded.tally.frames += depth as u64;
        folded.tally.deepest = folded.tally.deepest.max(depth);
        folded.tally.without_callchain[event] += u64::from(sample.callchain.is_none_or(<[u8]>::is_empty));
        if let Some((enabled, running)) =
            sample.read.and_then(|read| read.time_enabled.zip(read.time_running))
        {
            let counting = &mut folded.tally.counting[event];
            *counting = (*counting).max(Some((enabled, running)));
        }
        let limit = match context.recording.events[event].attr.max_stack {
            0 => DEFAULT_MAX_STACK,
            n => usize::from(n),
        };
        folded.tally.cut[event] += u64::from(depth >= limit);

        let kernel = folded.kernel.intern(context.survey.spaces.kernel_at(time), &self.chain.kernel);
        let user = if self.chain.user.is_empty() && self.chain.kernel.is_empty() {
            folded.user.intern(FOREIGN_SPACE, &self.chain.foreign)
        } else {
            folded.user.intern(context.survey.spaces.at(pid, time), &self.chain.user)
        };
        let cpu = match context.selection.by_cpu {
            ByCpu::Apart => sample.cpu.and_then(|cpu| u16::try_from(cpu).ok()).unwrap_or(NO_CPU),
            ByCpu::Together => NO_CPU,
        };
        let key = EntryKey {
            kernel,
            user,
            comm,
            event: event as u16,
            cpu,
            block: context.block(time),
            idle: pid == 0,
        };
        let entry = folded.entries.entry(key).or_default();
        *entry = (entry.0 + weight, entry.1 + 1);
    }

    fn is_selected(&self, sample: &Sample<'_>, comm: NameId, time: u64) -> bool {
        let selection = self.context.selection;
        let one_of = |chosen: &[u32], own: Option<u32>| {
            chosen.is_empty() || own.is_some_and(|own| chosen.contains(&own))
        };
        one_of(&selection.pids, sample.pid)
            && one_of(&selection.tids, sample.tid)
            && one_of(&selection.cpus, sample.cpu)
            && self.context.comms.as_ref().is_none_or(|comms| comms.contains(&comm))
            && (selection.time.is_none() || (self.context.bounds.0..=self.context.bounds.1).contains(&time))
            && (selection.idle == Idle::Kept || sample.pid != Some(0))
            && (selection.space == Space::All || !self.chain.kernel.is_empty())
    }
}
