//! The heaviest locks of some runs, and which of them each distinct callchain is in: what tells locks apart where there
//! is room for a few only.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::attribution::{Frames, Options, classes, lock_place};
use super::choice::Choice;
use super::run::Finding;
use super::site::{Labels, Lock, SiteTable};
use crate::id::PartId;
use crate::profile::Profile;
use crate::symbol::Symbol;
use crate::units::Weight;

/// At most `most` of the locks that a choice takes, with the largest mean share over these runs, heaviest first; a run counts
/// as much as another.
pub fn heaviest(tables: &[SiteTable], choice: &Choice, most: usize) -> Vec<Lock> {
    let mut shares: BTreeMap<&Lock, f64> = BTreeMap::new();
    for table in tables {
        let mut weights: BTreeMap<&Lock, Weight> = BTreeMap::new();
        for (site, row) in table.sites.iter().filter(|(site, _)| choice.takes(site)) {
            *weights.entry(&site.lock).or_default() += row.weight;
        }
        for (lock, weight) in weights {
            *shares.entry(lock).or_default() += weight.share_of(table.total).0;
        }
    }
    let mut locks: Vec<(&Lock, f64)> = shares.into_iter().filter(|&(_, share)| share > 0.0).collect();
    // Stable: locks of one share stay in the order of their names.
    locks.sort_by(|a, b| b.1.total_cmp(&a.1));
    locks.into_iter().take(most).map(|(lock, _)| lock.clone()).collect()
}

/// Which of some locks the callchains of a profile are in, by the ids of their parts.
#[derive(Debug, Clone, Default)]
pub struct LockOfPair(FxHashMap<(PartId, PartId), u16>);

impl LockOfPair {
    /// Of one event's callchains. `labels` must know the profile's attribution with these options.
    pub fn new(
        profile: &Profile<Symbol>,
        event: u16,
        options: &Options,
        labels: &Labels,
        locks: &[Lock],
    ) -> Self {
        let classes = classes(profile, &options.matcher);
        let mut pairs = FxHashMap::default();
        for (entry, _) in profile.by_callchain(event) {
            let frames = Frames::of(profile, entry);
            if let Finding::Lock(run) = frames.find(&classes)
                && let Some((place, _)) = lock_place(frames, &classes, run, options.through)
            {
                let own = labels.site(profile, &place).lock;
                let at = locks.iter().position(|lock| *lock == own).unwrap_or(locks.len());
                pairs.insert((entry.key.kernel, entry.key.user), at as u16);
            }
        }
        Self(pairs)
    }

    /// The place of the lock in the list, the list's length for a lock that is not in it, `None` outside of locks.
    pub fn of(&self, kernel: PartId, user: PartId) -> Option<u16> {
        self.0.get(&(kernel, user)).copied()
    }
}
