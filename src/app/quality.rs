//! Gathers the counts that warnings are made from.

use super::event;
use super::load::{Loaded, unit};
use crate::lock::family::Family;
use crate::lock::site::SiteTable;
use crate::profile::TIME_BLOCKS;
use crate::report::quality::Quality;
use crate::symbol::Reason;
use crate::units::{Unit, Weight};

/// The kernel's default for the deepest callchain.
const DEFAULT_MAX_STACK: usize = 127;

/// The counts of one run that do not hang on its locks.
pub(super) struct Counts {
    quality: Quality,
}

impl Counts {
    /// Of a recording.
    pub(super) fn of(loaded: &Loaded) -> Self {
        let facts = &loaded.facts;
        let tally = &facts.tally;
        let events = &loaded.recording.events;
        let own = &loaded.chosen.parts;
        let labels = event::labels(&loaded.recording);
        let event = &events[loaded.chosen.at];
        let part = |n: u64| n as f64 / loaded.resolution.frames.max(1) as f64;
        let mut unnamed: Vec<(f64, &'static str)> =
            loaded.resolution.unnamed.iter().map(|(reason, n)| (part(*n), reason.words())).collect();
        unnamed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let others = events.iter().enumerate().filter(|(at, _)| !own.contains(at) && tally.events[*at].0 > 0);
        // A recorder that does not tell how deep it went did not stop at the default where callchains are deeper.
        let limit = loaded.recording.max_stack().map_or(DEFAULT_MAX_STACK, usize::from);
        let cut = if tally.deepest > limit { 0 } else { own.iter().map(|&at| tally.cut[at]).sum() };
        let quality = Quality {
            cores: loaded.chosen.by_core(&loaded.recording, facts),
            other_events: others.map(|(at, _)| labels[at].clone()).collect(),
            lost: facts.lost,
            recorded: facts.samples,
            throttled: facts.throttled,
            without_callchain: own.iter().map(|&at| tally.without_callchain[at]).sum(),
            cut_callchains: cut,
            deferred_missing: own.iter().map(|&at| tally.deferred_missing[at]).sum(),
            depth_limit: limit,
            unnamed,
            unnamed_share: loaded.resolution.unnamed_share(),
            restricted: loaded.resolution.unnamed.contains_key(&Reason::Restricted),
            counting: own.iter().filter_map(|&at| tally.counting[at]).max(),
            undecodable: tally.undecodable + tally.unknown_event,
            aux: facts.aux,
            damage: facts.damage.clone(),
            is_timer: unit(&event.name, &event.attr) == Unit::Nanoseconds,
            ..Quality::default()
        };
        Self { quality }
    }

    /// With what the run's table tells.
    pub(super) fn with(&self, table: &SiteTable) -> Quality {
        let unlock = |family: Family| table.unlock.get(&family).copied().unwrap_or_default();
        Quality {
            unlock_share: (unlock(Family::Spinlock) + unlock(Family::Rwlock)).share_of(table.total).0,
            idle_share: (table.total - table.busy_total).share_of(table.total).0,
            silent_blocks: silent_blocks(table),
            ..self.quality.clone()
        }
    }
}

/// Blocks of time without weight between blocks with weight; a recording with few samples has them by chance.
fn silent_blocks(table: &SiteTable) -> usize {
    const ENOUGH: u64 = 50 * TIME_BLOCKS as u64;
    if table.samples < ENOUGH {
        return 0;
    }
    let silent = |weight: &&Weight| weight.0 == 0;
    let from = table.blocks.iter().take_while(silent).count();
    let to = TIME_BLOCKS - table.blocks.iter().rev().take_while(silent).count();
    table.blocks.get(from..to).map_or(0, |inner| inner.iter().filter(silent).count())
}
