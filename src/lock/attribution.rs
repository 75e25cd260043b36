//! Attribution: every weight of a profile goes to a place, a lock and its call site or whatever else the leaf is.
//! One pass over the distinct pairs of parts; nothing is dropped, so the places' weights sum to the profile's.

use rustc_hash::FxHashMap;

use super::family::{Family, Mode, Side};
use super::matcher::{Class, Matcher};
use super::run::{Finding, LockRun, find};
use crate::id::{FrameId, NameId};
use crate::profile::{Entry, Profile, TIME_BLOCKS};
use crate::symbol::{Naming, Symbol};
use crate::units::Weight;

/// Where weight lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The frame that ran; `None` for a sample without any.
    pub leaf: Option<FrameId>,
    /// What the leaf was about.
    pub about: About,
    /// The callers above, nearest first, as many as were asked for.
    pub path: Vec<FrameId>,
}

/// What a leaf was about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum About {
    /// Waiting for, or taking, a lock.
    Lock(LockPlace),
    /// Giving a lock of this family back.
    Unlock(Family),
    /// Nothing to do.
    Idle,
    /// Anything else.
    Other,
}

/// A lock at a call site.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LockPlace {
    /// Its family.
    pub family: Family,
    /// Its mode, where a name told it.
    pub mode: Option<Mode>,
    /// The lock as written, where the callchain has it.
    pub entry: Option<FrameId>,
    /// The outermost frame of the lock.
    pub outermost: FrameId,
    /// The innermost.
    pub phase: FrameId,
    /// A sleeping lock's own spinlock, where it was that.
    pub inner: Option<FrameId>,
    /// The call site; `None` where the callchain ends with the lock.
    pub caller: Option<FrameId>,
    /// Wrappers between lock and call site that were seen through, nearest to the lock first.
    pub through: Vec<FrameId>,
}

/// A sum of weight that reports do not divide further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Atom {
    /// Index into the places.
    pub place: usize,
    /// The thread's name.
    pub comm: NameId,
    /// The processor, or [`crate::profile::NO_CPU`].
    pub cpu: u16,
    /// The idle task.
    pub idle: bool,
    /// By block of time.
    pub blocks: [Weight; TIME_BLOCKS],
    /// The sum.
    pub weight: Weight,
    /// The number of samples.
    pub samples: u64,
}

/// A profile's weight by place.
#[derive(Debug, Clone)]
pub struct Attribution {
    /// Distinct places.
    pub places: Vec<Place>,
    /// Weights, in no order.
    pub atoms: Vec<Atom>,
    /// The event's total.
    pub total: Weight,
    /// Its samples.
    pub samples: u64,
}

/// Whether wrappers are seen through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Through {
    /// A wrapper is a call site of its own.
    #[default]
    Direct,
    /// The call site is the first caller that is no wrapper.
    Wrappers,
}

/// How to attribute.
#[derive(Debug, Clone)]
pub struct Options {
    /// The rules.
    pub matcher: Matcher,
    /// Whether wrappers are seen through.
    pub through: Through,
    /// How many callers above the leaf or the lock a place keeps.
    pub path: usize,
}

impl Default for Options {
    /// By the built-in rules, every wrapper a call site of its own, without paths.
    fn default() -> Self {
        Self { matcher: Matcher::new(&[], &[]), through: Through::Direct, path: 0 }
    }
}

/// The class of every frame of a profile.
pub fn classes(profile: &Profile<Symbol>, matcher: &Matcher) -> Vec<Class> {
    let class = |symbol: &Symbol| {
        if symbol.naming != Naming::Named {
            return Class::default();
        }
        let side = if symbol.kind.is_kernel() { Side::Kernel } else { Side::User };
        matcher.class(&symbol.name, side)
    };
    profile.frames.iter().map(class).collect()
}

/// Attributes all weight of one event.
pub fn attribute(profile: &Profile<Symbol>, event: u16, options: &Options) -> Attribution {
    let classes = classes(profile, &options.matcher);
    let mut places: Vec<Place> = Vec::new();
    let mut ids: FxHashMap<Place, usize> = FxHashMap::default();
    let mut atoms: Vec<Atom> = Vec::new();
    let mut atom_ids: FxHashMap<(usize, NameId, u16, bool), usize> = FxHashMap::default();
    let (mut total, mut samples) = (Weight(0), 0);
    for (first, entries) in profile.by_callchain(event) {
        let place = place(profile, &classes, first, options);
        let place = *ids.entry(place).or_insert_with_key(|place| {
            places.push(place.clone());
            places.len() - 1
        });
        for entry in entries {
            let key = (place, entry.key.comm, entry.key.cpu, entry.key.idle);
            let atom = *atom_ids.entry(key).or_insert_with(|| {
                let (_, comm, cpu, idle) = key;
                let blocks = [Weight(0); TIME_BLOCKS];
                atoms.push(Atom { place, comm, cpu, idle, blocks, weight: Weight(0), samples: 0 });
                atoms.len() - 1
            });
            let atom = &mut atoms[atom];
            atom.blocks[usize::from(entry.key.block)] += entry.weight;
            atom.weight += entry.weight;
            atom.samples += entry.samples;
            total += entry.weight;
            samples += entry.samples;
        }
    }
    Attribution { places, atoms, total, samples }
}

/// What stands at a depth of an entry's callchain, leaf first, kernel before user.
#[derive(Clone, Copy)]
pub struct Frames<'a> {
    kernel: &'a [FrameId],
    user: &'a [FrameId],
}

impl<'a> Frames<'a> {
    /// The callchain of an entry.
    pub fn of(profile: &'a Profile<Symbol>, entry: &Entry) -> Self {
        Self { kernel: profile.kernel.get(entry.key.kernel), user: profile.user.get(entry.key.user) }
    }

    /// The number of frames.
    pub fn depth(self) -> usize {
        self.kernel.len() + self.user.len()
    }

    /// The frame at a depth.
    pub fn at(self, depth: usize) -> Option<FrameId> {
        match depth.checked_sub(self.kernel.len()) {
            None => self.kernel.get(depth).copied(),
            Some(user) => self.user.get(user).copied(),
        }
    }

    /// The frames from a depth on.
    pub fn from(self, depth: usize) -> impl Iterator<Item = FrameId> + 'a {
        self.kernel.iter().chain(self.user).skip(depth).copied()
    }

    /// What the leaf is about.
    pub fn find(self, classes: &[Class]) -> Finding {
        find(self.depth(), |depth| self.at(depth).map_or(Class::default(), |frame| classes[frame.index()]))
    }
}

fn place(profile: &Profile<Symbol>, classes: &[Class], entry: &Entry, options: &Options) -> Place {
    let frames = Frames::of(profile, entry);
    let (about, above) = match frames.find(classes) {
        Finding::Lock(run) => match lock_place(frames, classes, run, options.through) {
            Some((place, above)) => (About::Lock(place), above),
            None => (About::Other, 1),
        },
        Finding::Unlock { family, end } => (About::Unlock(family), end),
        Finding::Idle => (About::Idle, 1),
        Finding::Other => (About::Other, 1),
    };
    Place { leaf: frames.at(0), about, path: frames.from(above).take(options.path).collect() }
}

/// The lock of a run, and the depth of its call site.
pub fn lock_place(
    frames: Frames<'_>,
    classes: &[Class],
    run: LockRun,
    through: Through,
) -> Option<(LockPlace, usize)> {
    let mut call_site = run.end;
    if through == Through::Wrappers {
        let is_wrapper = |frame: FrameId| classes[frame.index()].is_wrapper;
        // A wrapper without a caller above it stays the call site.
        while frames.at(call_site).is_some_and(is_wrapper) && frames.at(call_site + 1).is_some() {
            call_site += 1;
        }
    }
    let place = LockPlace {
        family: run.family,
        mode: run.mode,
        entry: run.entry.and_then(|depth| frames.at(depth)),
        outermost: frames.at(run.outermost)?,
        phase: frames.at(run.phase)?,
        inner: run.inner.and_then(|depth| frames.at(depth)),
        caller: frames.at(call_site),
        through: (run.end..call_site).filter_map(|depth| frames.at(depth)).collect(),
    };
    Some((place, call_site))
}
