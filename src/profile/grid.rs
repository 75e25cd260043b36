//! Weight by slot of time, processor and class: what a profile, which keeps no more than [`super::TIME_BLOCKS`] of a
//! run's course, does not tell. Knows nothing of perf, nor of what the classes are.

use crate::units::{Nanos, Weight};

/// The weight of one event in slots of equal time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Where the first slot begins, by the recording's clock.
    pub start: Nanos,
    /// The length of a slot, whole nanoseconds, so that the last slot may reach a few of them past the end.
    pub slot: Nanos,
    /// The number of slots.
    pub slots: u16,
    /// Cells with samples, in order. Their number is bounded by that of the samples and by slots × processors with
    /// samples × (classes + 1), whatever the recording's size.
    pub cells: Vec<Cell>,
}

/// A cell that has samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Where it lies.
    pub place: Place,
    /// The sum of periods.
    pub weight: Weight,
    /// The number of samples.
    pub samples: u64,
}

/// Where a cell lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The processor; `None` where the samples do not tell theirs.
    pub cpu: Option<u32>,
    /// The slot, from 0 on.
    pub slot: u16,
    /// The class; `None` for weight that is in none.
    pub class: Option<u16>,
}

impl Grid {
    /// The sum of all cells.
    pub fn total(&self) -> (Weight, u64) {
        self.sum(|_| true)
    }

    /// The sum of a class.
    pub fn of_class(&self, class: u16) -> (Weight, u64) {
        self.sum(|place| place.class == Some(class))
    }

    fn sum(&self, of: impl Fn(&Place) -> bool) -> (Weight, u64) {
        let cells = self.cells.iter().filter(|cell| of(&cell.place));
        cells.fold((Weight(0), 0), |(weight, n), cell| (weight + cell.weight, n + cell.samples))
    }
}
