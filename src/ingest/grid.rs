//! One more walk over the samples, after their locks are known: counts them by slot of time, processor and class.
//!
//! Keeping time and processors apart while folding would make memory follow samples; here it is bounded by the grid.

use rustc_hash::FxHashMap;

use super::intern::RawParts;
use super::samples::{Context, LeftOut, Sink, Weighed, walk};
use super::selection::Selection;
use super::survey::Survey;
use crate::id::PartId;
use crate::perf::Recording;
use crate::profile::grid::{Cell, Grid, Place};
use crate::units::{Nanos, Weight};

/// What a further walk over a recording's samples needs: the selection, the address spaces, and the raw callchains
/// under the ids that the profile has them by.
#[derive(Debug)]
pub struct Rewalk {
    pub(super) survey: Survey,
    pub(super) selection: Selection,
    pub(super) kernel: RawParts,
    pub(super) user: RawParts,
}

/// The class of the callchains with this kernel part and this user part.
pub type ClassOf<'a> = &'a (dyn Fn(PartId, PartId) -> Option<u16> + Sync);

/// Counts the selected weight of an event in at most `slots` slots of equal time, from the first moment of the
/// selection to its last. `None` where the recording, or a sample of the event, has no time.
///
/// The sum of the cells is the profile's total, and that of a class what the profile weighs in it. Memory is bounded
/// as [`Grid::cells`] is, for each of the `threads`.
pub fn grid(
    recording: &Recording,
    rewalk: &Rewalk,
    event: u16,
    slots: u16,
    class: ClassOf<'_>,
    threads: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> Option<Grid> {
    rewalk.survey.span?;
    let context = Context::new(recording, &rewalk.survey, &rewalk.selection);
    let (start, length) = context.span;
    let slot = length.div_ceil(u64::from(slots.max(1)));
    let slots = length.div_ceil(slot) as u16;
    let counter = || Counter {
        context: &context,
        rewalk,
        event: usize::from(event),
        class,
        start,
        slot,
        slots,
        cells: FxHashMap::default(),
        untimed: 0,
    };
    let mut parts = walk(&context, threads, progress, counter);
    let mut all = parts.swap_remove(0);
    for part in parts {
        all.untimed += part.untimed;
        part.cells.into_iter().for_each(|(place, (weight, samples))| all.add(place, weight, samples));
    }
    if all.untimed > 0 {
        return None;
    }
    let mut cells: Vec<Cell> =
        all.cells.into_iter().map(|(place, (weight, samples))| Cell { place, weight, samples }).collect();
    cells.sort_unstable_by_key(|cell| cell.place);
    Some(Grid { start: Nanos(start), slot: Nanos(slot), slots, cells })
}

struct Counter<'a> {
    context: &'a Context<'a>,
    rewalk: &'a Rewalk,
    event: usize,
    class: ClassOf<'a>,
    start: u64,
    slot: u64,
    slots: u16,
    cells: FxHashMap<Place, (Weight, u64)>,
    /// Samples of the event without a time.
    untimed: u64,
}

impl Counter<'_> {
    fn add(&mut self, place: Place, weight: Weight, samples: u64) {
        let cell = self.cells.entry(place).or_default();
        *cell = (cell.0 + weight, cell.1 + samples);
    }

    fn class_of(&self, sample: &Weighed<'_>) -> Option<u16> {
        let ((kernel_space, kernel), (user_space, user)) = (sample.kernel(), sample.user());
        let kernel = self.rewalk.kernel.find(kernel_space, kernel)?;
        let user = self.rewalk.user.find(user_space, user)?;
        (self.class)(kernel, user)
    }
}

impl Sink for Counter<'_> {
    fn take(&mut self, sample: &Weighed<'_>) {
        if self.context.kept_as[sample.event] != self.event {
            return;
        }
        if sample.fields.time.is_none() {
            self.untimed += 1;
            return;
        }
        let slot = sample.time.saturating_sub(self.start) / self.slot;
        let slot = slot.min(u64::from(self.slots - 1)) as u16;
        let place = Place { cpu: sample.fields.cpu, slot, class: self.class_of(sample) };
        self.add(place, sample.weight, 1);
    }

    // The fold has counted them.
    fn leave(&mut self, _: LeftOut) {}
}
