//! Folds weighed samples into distinct callchains.

use rustc_hash::FxHashMap;

use super::chain::Deferral;
use super::intern::RawParts;
use super::samples::{Context, LeftOut, Sink, Weighed, walk};
use super::selection::ByCpu;
use crate::profile::{EntryKey, NO_CPU};
use crate::units::Weight;

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
    /// Where the first of them stands in the recording.
    pub undecodable_at: Option<u64>,
    /// Samples whose id belongs to no event.
    pub unknown_event: u64,
    /// By event, samples without a callchain, or with an empty one.
    pub without_callchain: Vec<u64>,
    /// By event, samples whose callchain is as deep as the recorder allowed.
    pub cut: Vec<u64>,
    /// By event, samples whose user part was to be recorded later, and was not.
    pub deferred_missing: Vec<u64>,
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
            deferred_missing: vec![0; events],
            counting: vec![None; events],
            ..Self::default()
        }
    }

    fn count(&mut self, sample: &Weighed<'_>, max_stack: u16) {
        let (event, fields) = (sample.event, sample.fields);
        let (samples, sum) = &mut self.events[event];
        *samples += 1;
        *sum += sample.weight;
        let depth = sample.chain.depth();
        self.frames += depth as u64;
        self.deepest = self.deepest.max(depth);
        self.without_callchain[event] += u64::from(fields.callchain.is_none_or(<[u8]>::is_empty));
        if let Some((enabled, running)) =
            fields.read.and_then(|read| read.time_enabled.zip(read.time_running))
        {
            let counting = &mut self.counting[event];
            *counting = (*counting).max(Some((enabled, running)));
        }
        let limit = match max_stack {
            0 => DEFAULT_MAX_STACK,
            n => usize::from(n),
        };
        self.cut[event] += u64::from(depth >= limit);
        self.deferred_missing[event] += u64::from(sample.chain.deferral == Deferral::Missing);
    }

    fn add(&mut self, other: &Tally) {
        for (mine, theirs) in self.events.iter_mut().zip(&other.events) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        self.unselected += other.unselected;
        self.undecodable += other.undecodable;
        self.undecodable_at = earliest(self.undecodable_at, other.undecodable_at);
        self.unknown_event += other.unknown_event;
        for (mine, theirs) in [
            (&mut self.without_callchain, &other.without_callchain),
            (&mut self.cut, &other.cut),
            (&mut self.deferred_missing, &other.deferred_missing),
        ] {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self.counting.iter_mut().zip(&other.counting).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
        self.frames += other.frames;
        self.deepest = self.deepest.max(other.deepest);
    }
}

/// The earlier of two places, as far as there are any.
fn earliest(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

/// What folding leaves: raw parts and weights.
pub(super) struct Folded {
    pub(super) kernel: RawParts,
    pub(super) user: RawParts,
    pub(super) entries: FxHashMap<EntryKey, (Weight, u64)>,
    pub(super) tally: Tally,
}

/// Folds all samples that the selection takes. `threads` workers share the blocks; `progress` is told of bytes done.
pub(super) fn fold(context: &Context<'_>, threads: usize, progress: &(dyn Fn(usize) + Sync)) -> Folded {
    let mut parts = walk(context, threads, progress, || Folder::new(context));
    let mut folded = parts.swap_remove(0).folded;
    parts.iter().for_each(|part| merge(&mut folded, &part.folded));
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

struct Folder<'a> {
    context: &'a Context<'a>,
    folded: Folded,
}

impl<'a> Folder<'a> {
    fn new(context: &'a Context<'a>) -> Self {
        Self {
            context,
            folded: Folded {
                kernel: RawParts::default(),
                user: RawParts::default(),
                entries: FxHashMap::default(),
                tally: Tally::new(context.recording.events.len()),
            },
        }
    }
}

impl Sink for Folder<'_> {
    fn take(&mut self, sample: &Weighed<'_>) {
        let (context, folded, event) = (self.context, &mut self.folded, sample.event);
        folded.tally.count(sample, context.recording.events[event].attr.max_stack);
        let (kernel_space, kernel) = sample.kernel();
        let (user_space, user) = sample.user();
        let cpu = match context.selection.by_cpu {
            ByCpu::Apart => sample.fields.cpu.and_then(|cpu| u16::try_from(cpu).ok()).unwrap_or(NO_CPU),
            ByCpu::Together => NO_CPU,
        };
        let key = EntryKey {
            kernel: folded.kernel.intern(kernel_space, kernel),
            user: folded.user.intern(user_space, user),
            comm: sample.comm,
            event: context.kept_as[event] as u16,
            cpu,
            block: context.block(sample.time),
            idle: sample.fields.pid == Some(0),
        };
        let entry = folded.entries.entry(key).or_default();
        *entry = (entry.0 + sample.weight, entry.1 + 1);
    }

    fn leave(&mut self, why: LeftOut) {
        let tally = &mut self.folded.tally;
        match why {
            LeftOut::Unselected => tally.unselected += 1,
            LeftOut::Undecodable(position) => {
                tally.undecodable += 1;
                tally.undecodable_at = earliest(tally.undecodable_at, Some(position));
            }
            LeftOut::UnknownEvent => tally.unknown_event += 1,
        }
    }
}
