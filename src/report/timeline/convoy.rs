//! Convoys: moments in which most processors are in one lock.

use super::{BySlot, Cell};
use crate::units::{Nanos, Weight};

/// Samples below which a processor's slot tells nothing: of one or two, most are in a lock by chance.
const ENOUGH: u64 = 3;

/// A stretch of slots in each of which at least half of the processors with samples, and at least two, spend more than
/// half of their weight in one lock; on three samples or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convoy {
    /// The band of the lock.
    pub band: usize,
    /// Where its first slot begins.
    pub start: Nanos,
    /// The length of its slots.
    pub length: Nanos,
    /// The processors that were in the lock in any of the slots, by number.
    pub cpus: Vec<u32>,
    /// What they spent in the lock in these slots.
    pub weight: Weight,
}

/// Slots of a convoy that goes on.
struct Open {
    first: usize,
    cpus: Vec<u32>,
    weight: Weight,
}

/// The convoys in the first `n_locks` bands, heaviest first.
pub(super) fn convoys(by_slot: &[BySlot], n_locks: usize, start: Nanos, slot: Nanos) -> Vec<Convoy> {
    let at = |slots: usize| slot.0.saturating_mul(slots as u64);
    let mut convoys = Vec::new();
    for band in 0..n_locks {
        let mut open: Option<Open> = None;
        // The slot behind the last ends what is open.
        for now in 0..=by_slot.len() {
            if let Some(waiting) = by_slot.get(now).and_then(|cells| waiting(cells, band)) {
                let open = open.get_or_insert(Open { first: now, cpus: Vec::new(), weight: Weight(0) });
                open.weight += waiting.iter().map(|(_, weight)| *weight).sum();
                open.cpus.extend(waiting.iter().map(|(cpu, _)| *cpu));
            } else if let Some(Open { first, mut cpus, weight }) = open.take() {
                cpus.sort_unstable();
                cpus.dedup();
                let (start, length) = (Nanos(start.0.saturating_add(at(first))), Nanos(at(now - first)));
                convoys.push(Convoy { band, start, length, cpus, weight });
            }
        }
    }
    convoys.sort_by_key(|convoy| (std::cmp::Reverse(convoy.weight), convoy.start, convoy.band));
    convoys
}

/// The processors in a lock in a slot, with their weight in it, where they are enough for a convoy.
fn waiting(cells: &BySlot, band: usize) -> Option<Vec<(u32, Weight)>> {
    let present: Vec<(u32, &Cell)> = cells.iter().filter_map(|(cpu, cell)| Some(((*cpu)?, cell))).collect();
    let own = |cell: &Cell| cell.locks[band];
    let is_in = |cell: &Cell| cell.samples >= ENOUGH && own(cell) > cell.weight - own(cell);
    let waiting: Vec<(u32, Weight)> =
        present.iter().filter(|(_, cell)| is_in(cell)).map(|(cpu, cell)| (*cpu, own(cell))).collect();
    (waiting.len() >= 2 && 2 * waiting.len() >= present.len()).then_some(waiting)
}
