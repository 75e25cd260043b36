//! Rows of locks and call sites of one run, under labels that all runs of a comparison share.

use std::collections::{BTreeMap, BTreeSet};

use super::attribution::{About, Attribution, LockPlace};
use super::family::{Family, Mode};
use super::matcher::base_name;
use crate::id::FrameId;
use crate::profile::{Profile, TIME_BLOCKS};
use crate::symbol::{Naming, Symbol};
use crate::units::Weight;

/// A lock as reports name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lock {
    /// As written (`_raw_spin_lock_irqsave`), or its family and mode (`rwsem:W`) where no callchain shows that.
    pub name: String,
    /// Its family.
    pub family: Family,
    /// Its mode.
    pub mode: Option<Mode>,
}

impl Lock {
    /// Its family and mode: `rwsem:W`, `mutex`.
    pub fn kind(&self) -> String {
        family_and_mode(self.family, self.mode)
    }
}

/// A function as reports name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The object it lies in.
    pub module: String,
}

/// A lock at a call site.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The lock.
    pub lock: Lock,
    /// Who takes it; `None` where the callchain ends with the lock.
    pub caller: Option<Function>,
    /// Wrappers in between that were seen through, nearest to the lock first.
    pub through: Vec<String>,
}

/// What a site weighs in one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteWeight {
    /// The sum.
    pub weight: Weight,
    /// Of it, what is not the idle task's.
    pub busy: Weight,
    /// The number of samples.
    pub samples: u64,
    /// By block of time.
    pub blocks: [Weight; TIME_BLOCKS],
    /// By innermost frame.
    pub phases: BTreeMap<String, Weight>,
    /// Of it, what is another lock's inside this one.
    pub inner: BTreeMap<String, Weight>,
}

/// What one run weighs, lock by lock.
#[derive(Debug, Clone, Default)]
pub struct SiteTable {
    /// The event's total.
    pub total: Weight,
    /// The total without the idle task.
    pub busy_total: Weight,
    /// The number of samples.
    pub samples: u64,
    /// The total by block of time.
    pub blocks: [Weight; TIME_BLOCKS],
    /// Locks and call sites.
    pub sites: BTreeMap<Site, SiteWeight>,
    /// Giving locks back, by family.
    pub unlock: BTreeMap<Family, Weight>,
    /// Leaves in idle functions.
    pub idle: Weight,
    /// Leaves in functions of the kernel that have no name: whether they are locks cannot be told.
    pub untold: Weight,
    /// Leaf functions, locks or not.
    pub leaves: BTreeMap<Function, (Weight, u64)>,
}

/// A run, named and attributed.
pub type AttributedRun<'a> = (&'a Profile<Symbol>, &'a Attribution);

/// Site tables of runs that are read together, and what their locks are called, which is decided over all of them.
pub fn labelled_tables(runs: &[AttributedRun<'_>]) -> (Vec<SiteTable>, Labels) {
    let labels = Labels::over(runs);
    (runs.iter().map(|(profile, attribution)| table(profile, attribution, &labels)).collect(), labels)
}

/// The site tables alone.
pub fn tables(runs: &[AttributedRun<'_>]) -> Vec<SiteTable> {
    labelled_tables(runs).0
}

fn table(profile: &Profile<Symbol>, attribution: &Attribution, labels: &Labels) -> SiteTable {
    let mut table =
        SiteTable { total: attribution.total, samples: attribution.samples, ..SiteTable::default() };
    for atom in &attribution.atoms {
        let place = &attribution.places[atom.place];
        let busy = if atom.idle { Weight(0) } else { atom.weight };
        table.busy_total += busy;
        add(&mut table.blocks, &atom.blocks);
        let is_untold = |frame: FrameId| {
            let symbol = &profile.frames[frame.index()];
            symbol.kind.is_kernel() && symbol.naming != Naming::Named
        };
        if place.leaf.is_some_and(is_untold) {
            table.untold += atom.weight;
        }
        let leaf = place.leaf.map_or_else(Function::none, |frame| function(profile, frame));
        let leaf = table.leaves.entry(leaf).or_default();
        *leaf = (leaf.0 + atom.weight, leaf.1 + atom.samples);
        match &place.about {
            About::Lock(lock) => {
                let row = table.sites.entry(labels.site(profile, lock)).or_default();
                row.weight += atom.weight;
                row.busy += busy;
                row.samples += atom.samples;
                add(&mut row.blocks, &atom.blocks);
                *row.phases.entry(name(profile, lock.phase).to_owned()).or_default() += atom.weight;
                if let Some(inner) = lock.inner {
                    *row.inner.entry(name(profile, inner).to_owned()).or_default() += atom.weight;
                }
            }
            About::Unlock(family) => *table.unlock.entry(*family).or_default() += atom.weight,
            About::Idle => table.idle += atom.weight,
            About::Other => {}
        }
    }
    table
}

fn add(into: &mut [Weight; TIME_BLOCKS], from: &[Weight; TIME_BLOCKS]) {
    into.iter_mut().zip(from).for_each(|(sum, &weight)| *sum += weight);
}

impl Function {
    /// What stands for a sample without any frame.
    pub fn none() -> Self {
        Self { name: "[no frame]".to_owned(), module: "[unknown]".to_owned() }
    }
}

/// The function of a frame.
pub fn function(profile: &Profile<Symbol>, frame: FrameId) -> Function {
    let symbol = &profile.frames[frame.index()];
    Function { name: symbol.name.clone(), module: symbol.module.clone() }
}

/// A frame's name as locks are called: without what compilers append and, in user space, without the underscores of
/// an alias.
fn name(profile: &Profile<Symbol>, frame: FrameId) -> &str {
    let symbol = &profile.frames[frame.index()];
    let name = base_name(&symbol.name);
    match symbol.kind.is_kernel() {
        true => name,
        false if name.contains("pthread_") => name.trim_start_matches('_'),
        false => name,
    }
}

type SiteGroup = (Family, Option<Mode>, Option<String>);

/// The names of locks. The entry of a sleeping lock, of a rwlock, or of libc's locks is often missing from a callchain, as
/// it jumps to its slow path or has no frame: rows of one family, mode and caller are one lock, called as its heaviest entry is, or by family and mode.
#[derive(Debug)]
pub struct Labels {
    entries: BTreeMap<SiteGroup, String>,
    names: BTreeSet<String>,
}

impl Labels {
    fn over(runs: &[AttributedRun<'_>]) -> Self {
        let mut weights: BTreeMap<SiteGroup, BTreeMap<&str, Weight>> = BTreeMap::new();
        for (profile, attribution) in runs {
            for atom in &attribution.atoms {
                let About::Lock(lock) = &attribution.places[atom.place].about else { continue };
                if let Some(entry) = lock.entry.filter(|_| jumps(lock.family)) {
                    let entries = weights.entry(group(profile, lock)).or_default();
                    *entries.entry(name(profile, entry)).or_default() += atom.weight;
                }
            }
        }
        let heaviest = |entries: BTreeMap<&str, Weight>| {
            let best = entries.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
            best.map(|(name, _)| (*name).to_owned())
        };
        let entries =
            weights.into_iter().filter_map(|(key, entries)| Some((key, heaviest(entries)?))).collect();
        let mut labels = Self { entries, names: BTreeSet::new() };
        for (profile, attribution) in runs {
            for place in &attribution.places {
                if let About::Lock(lock) = &place.about {
                    let name = labels.site(profile, lock).lock.name;
                    labels.names.insert(name);
                }
            }
        }
        labels
    }

    /// Whether a lock of these runs is called so.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The site of a place of one of these runs.
    pub fn site(&self, profile: &Profile<Symbol>, lock: &LockPlace) -> Site {
        let name = if jumps(lock.family) {
            self.entries
                .get(&group(profile, lock))
                .cloned()
                .unwrap_or_else(|| family_and_mode(lock.family, lock.mode))
        } else {
            name(profile, lock.entry.unwrap_or(lock.outermost)).to_owned()
        };
        Site {
            lock: Lock { name, family: lock.family, mode: lock.mode },
            caller: lock.caller.map(|frame| function(profile, frame)),
            through: lock.through.iter().map(|&frame| profile.frames[frame.index()].name.clone()).collect(),
        }
    }
}

/// Whether the entries of a family jump to their slow path.
fn jumps(family: Family) -> bool {
    family.sleeps() || matches!(family, Family::Rwlock | Family::Pthread)
}

fn group(profile: &Profile<Symbol>, lock: &LockPlace) -> SiteGroup {
    (
        lock.family,
        lock.mode,
        lock.caller.map(|frame| base_name(&profile.frames[frame.index()].name).to_owned()),
    )
}

/// `rwsem:W`, `mutex`.
pub fn family_and_mode(family: Family, mode: Option<Mode>) -> String {
    match mode {
        Some(mode) => format!("{}:{}", family.word(), mode.letter()),
        None => family.word().to_owned(),
    }
}
