//! Locks over time, and by processor and time: what two pictures are drawn from, without any text or format.

use std::collections::{BTreeMap, BTreeSet};

use crate::lock::site::Lock;
use crate::profile::grid::Grid;
use crate::units::{Nanos, Share, Weight};

mod convoy;

pub use convoy::Convoy;

/// Slots that are counted at first; [`slots`] merges neighbours.
pub const FINEST: u16 = 120;
/// Locks that are told apart; with more, colours are hard to tell apart.
pub const LOCKS: usize = 5;
/// Rows of processors; with more, a row is less than a few points high.
pub const MOST_ROWS: usize = 128;

/// Locks of one run over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// Where the first slot begins, by the recording's clock.
    pub start: Nanos,
    /// The length of a slot.
    pub slot: Nanos,
    /// What locks are told apart by: some locks, heaviest first, and last all others, which may weigh nothing.
    pub bands: Vec<Band>,
    /// By slot, over all processors.
    pub all: Vec<Cell>,
    /// By processor and slot, in the order of their numbers.
    pub rows: Vec<Row>,
    /// Processors in a row: 1, or more where there are so many that neighbours are summed up ([`MOST_ROWS`]); the last
    /// row may have fewer.
    pub cpus_per_row: usize,
    /// When most processors were in one lock, heaviest first.
    pub convoys: Vec<Convoy>,
}

/// A lock, or all that have no band of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Band {
    /// `None` for all other locks.
    pub lock: Option<Lock>,
    /// Its weight in the run.
    pub weight: Weight,
}

/// A processor, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Their numbers; none where the samples do not tell theirs.
    pub cpus: Vec<u32>,
    /// By slot.
    pub cells: Vec<Cell>,
}

/// What was sampled in a slot. Without samples nothing is known of it: that is not the same as a share of 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// All weight.
    pub weight: Weight,
    /// All samples.
    pub samples: u64,
    /// Of the weight, that in locks, by band.
    pub locks: Vec<Weight>,
}

impl Cell {
    fn empty(bands: usize) -> Self {
        Self { locks: vec![Weight(0); bands], ..Self::default() }
    }

    /// The part of the cell's weight that is in locks; `None` where nothing weighs.
    pub fn share(&self) -> Option<Share> {
        self.part(self.locks.iter().copied().sum())
    }

    /// The part of the cell's weight that is in the locks of a band; `None` where nothing weighs.
    pub fn share_of(&self, band: usize) -> Option<Share> {
        self.part(self.locks.get(band).copied().unwrap_or_default())
    }

    fn part(&self, weight: Weight) -> Option<Share> {
        (self.weight > Weight(0)).then(|| weight.share_of(self.weight))
    }
}

/// Why a run has no timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untimed {
    /// It is a text.
    Text,
    /// Its samples have no times.
    NoTimes,
    /// It has no samples, or the selection takes none.
    NoSamples,
}

impl Untimed {
    /// Cause and, where there is one, remedy.
    pub fn words(self) -> &'static str {
        match self {
            Untimed::Text => {
                "a printed text does not tell when samples were taken: read the recording itself"
            }
            Untimed::NoTimes => "the samples have no times: record with -T",
            Untimed::NoSamples => "there are no samples to show",
        }
    }
}

/// The number of slots for so many samples in so many rows: the largest of 120, 60, 40, 30, 24 and 20, all of which
/// [`FINEST`] can be merged to, that leaves a cell 10 samples on average, and 20 where none does.
///
/// With 10 samples in a cell a share's standard error is at most √(¼/10) = 16 points, so that a cell where a lock holds
/// nearly all is told from one where it holds little. Fewer than 20 slots show no course; more than 120 are narrower
/// than what an eye tells apart in a picture as wide as a page.
pub fn slots(samples: u64, rows: usize) -> u16 {
    const ENOUGH: u64 = 10;
    let wanted = |slots: u16| ENOUGH.saturating_mul(u64::from(slots)).saturating_mul(rows as u64);
    (1..6).map(|merged| FINEST / merged).find(|&slots| samples >= wanted(slots)).unwrap_or(FINEST / 6)
}

/// The timeline of a grid with at most [`FINEST`] slots, whose classes are the places in `locks` and, behind them, all
/// other locks.
///
/// # Errors
/// Where the grid holds no samples.
pub fn timeline(grid: &Grid, locks: &[Lock]) -> Result<Timeline, Untimed> {
    let (_, samples) = grid.total();
    if samples == 0 {
        return Err(Untimed::NoSamples);
    }
    let cpus: BTreeSet<Option<u32>> = grid.cells.iter().map(|cell| cell.place.cpu).collect();
    let (groups, cpus_per_row) = groups(&cpus);
    let merged = FINEST / slots(samples, groups.len());
    let slot = Nanos(grid.slot.0.saturating_mul(u64::from(merged)));
    let by_slot = by_slot(grid, merged, locks.len() + 1);
    let all = by_slot.iter().map(|cells| sum(cells.values(), locks.len() + 1)).collect();
    let row = |cpus: Vec<Option<u32>>| {
        let own = |cells: &BySlot| sum(cpus.iter().filter_map(|cpu| cells.get(cpu)), locks.len() + 1);
        let cells = by_slot.iter().map(own).collect();
        Row { cpus: cpus.into_iter().flatten().collect(), cells }
    };
    let named = locks.iter().cloned().map(Some).chain([None]).enumerate();
    let bands = named.map(|(at, lock)| Band { lock, weight: grid.of_class(at as u16).0 }).collect();
    Ok(Timeline {
        start: grid.start,
        slot,
        bands,
        all,
        rows: groups.into_iter().map(row).collect(),
        cpus_per_row,
        convoys: convoy::convoys(&by_slot, locks.len(), grid.start, slot),
    })
}

/// The processors of each row, and how many they are at most.
fn groups(cpus: &BTreeSet<Option<u32>>) -> (Vec<Vec<Option<u32>>>, usize) {
    let numbered: Vec<Option<u32>> = cpus.iter().copied().filter(Option::is_some).collect();
    let cpus_per_row = numbered.len().div_ceil(MOST_ROWS).max(1);
    let mut groups: Vec<Vec<Option<u32>>> = numbered.chunks(cpus_per_row).map(<[_]>::to_vec).collect();
    if cpus.contains(&None) {
        groups.push(vec![None]);
    }
    (groups, cpus_per_row)
}

/// The cells of the processors with samples in one slot.
type BySlot = BTreeMap<Option<u32>, Cell>;

/// Every slot, `merged` of the grid's in one.
fn by_slot(grid: &Grid, merged: u16, n_bands: usize) -> Vec<BySlot> {
    let mut by_slot = vec![BySlot::new(); usize::from(grid.slots.div_ceil(merged))];
    for cell in &grid.cells {
        let cells = &mut by_slot[usize::from(cell.place.slot / merged)];
        let sum = cells.entry(cell.place.cpu).or_insert_with(|| Cell::empty(n_bands));
        sum.weight += cell.weight;
        sum.samples += cell.samples;
        if let Some(class) = cell.place.class {
            sum.locks[usize::from(class)] += cell.weight;
        }
    }
    by_slot
}

fn sum<'a>(cells: impl Iterator<Item = &'a Cell>, n_bands: usize) -> Cell {
    cells.fold(Cell::empty(n_bands), |mut sum, cell| {
        sum.weight += cell.weight;
        sum.samples += cell.samples;
        sum.locks.iter_mut().zip(&cell.locks).for_each(|(sum, weight)| *sum += *weight);
        sum
    })
}
