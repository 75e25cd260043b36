//! Sides of a comparison made in code: what each run weighs at which lock and caller, and its facts.

use lockblame::compare::{RowsBy, Settings, SideRuns, Test, compare};
use lockblame::lock::choice::Choice;
use lockblame::lock::family::Family;
use lockblame::lock::site::{Function, Lock, Site, SiteTable, SiteWeight};
use lockblame::report::difference::Difference;
use lockblame::run::{Rate, RunInfo};
use lockblame::units::{Nanos, Unit, Weight};

/// A lock at a call site, and what it weighs in a run.
#[derive(Debug, Clone)]
pub struct Place {
    pub lock: String,
    pub family: Family,
    pub caller: Option<String>,
    pub through: Vec<String>,
    pub weight: u64,
}

pub fn place(lock: &str, caller: &str, weight: u64) -> Place {
    let family = if lock.contains("spin") { Family::Spinlock } else { Family::Rwsem };
    Place { lock: lock.to_owned(), family, caller: Some(caller.to_owned()), through: Vec::new(), weight }
}

/// A function that is no lock.
pub fn kernel(name: &str) -> Function {
    Function { name: name.to_owned(), module: "[kernel.kallsyms]".to_owned() }
}

/// The locks of a run of this total weight; the rest lies in `other`.
pub fn table(total: u64, places: &[Place], other: &[(Function, u64)]) -> SiteTable {
    let mut table = SiteTable {
        total: Weight(total),
        busy_total: Weight(total),
        samples: total / 1000,
        ..SiteTable::default()
    };
    for place in places {
        let site = Site {
            lock: Lock { name: place.lock.clone(), family: place.family, mode: None },
            caller: place.caller.as_deref().map(kernel),
            through: place.through.clone(),
        };
        let weight = SiteWeight {
            weight: Weight(place.weight),
            busy: Weight(place.weight),
            samples: place.weight / 1000,
            ..SiteWeight::default()
        };
        table.sites.insert(site, weight);
        let leaf = table.leaves.entry(kernel("native_queued_spin_lock_slowpath")).or_default();
        *leaf = (leaf.0 + Weight(place.weight), leaf.1 + place.weight / 1000);
    }
    for (function, weight) in other {
        table.leaves.insert(function.clone(), (Weight(*weight), weight / 1000));
    }
    table
}

/// The facts of a run.
pub fn info(file: &str, total: u64) -> RunInfo {
    RunInfo {
        file: file.to_owned(),
        event: "cycles".to_owned(),
        unit: Unit::Cycles,
        samples: Some(total / 1000),
        weight: Some(Weight(total)),
        lost: 0,
        duration: Some(Nanos(10_000_000_000)),
        host: Some("lab".to_owned()),
        kernel: Some("6.1.192".to_owned()),
        arch: Some("x86_64".to_owned()),
        cpus: Some(8),
        cpu_model: Some("AMD EPYC 7B13".to_owned()),
        command: Some("perf record -a -g -o out -- ./postpone 16".to_owned()),
        rate: Some(Rate::Frequency(4000)),
        truncated: None,
        unnamed_share: 0.0,
        counting: lockblame::run::Counting::Counted,
    }
}

/// How comparisons are made unless a test says otherwise.
pub fn settings() -> Settings {
    Settings { test: Test::Welch, min_effect: 0.01, choice: Choice::default(), by: RowsBy::Site }
}

/// A side of runs.
pub fn side(name: &str, tables: Vec<SiteTable>) -> SideRuns {
    let runs = tables
        .iter()
        .enumerate()
        .map(|(run, table)| info(&format!("{name}-{}/perf.data", run + 1), table.total.0))
        .collect();
    SideRuns { name: name.to_owned(), runs, tables, operations: None }
}

/// Five runs a side of a patch that takes a spinlock out of the scheduler's accounting: total weights stay, the share of
/// its lock falls from about 71 % to 1 %, another lock grows, one is new, one is gone.
pub fn patch() -> (SideRuns, SideRuns) {
    let noise = [0_u64, 14_000, 3_000, 9_000, 5_000];
    let before = noise.map(|n| {
        let places = [
            place("_raw_spin_lock_irqsave", "__account_scheduler_latency", 690_000 + n),
            place("_raw_spin_lock_irqsave", "try_to_wake_up", 8_000 + n / 10),
            place("_raw_spin_lock", "futex_wake", 6_000 - n / 20),
            place("down_write", "old_path", 2_000 + n / 50),
        ];
        let other = [(kernel("copy_page_to_iter"), 100_000 - n), (kernel("do_syscall_64"), 90_000 + n / 4)];
        table(1_000_000 + 10 * n / 14, &places, &other)
    });
    let after = noise.map(|n| {
        let places = [
            place("_raw_spin_lock_irqsave", "__account_scheduler_latency", 11_000 + n / 8),
            place("_raw_spin_lock_irqsave", "try_to_wake_up", 9_000 + n / 10),
            place("_raw_spin_lock", "futex_wake", 31_000 + n / 10),
            place("_raw_spin_lock", "new_path", 4_000 + n / 50),
        ];
        let other = [(kernel("copy_page_to_iter"), 450_000 - n), (kernel("do_syscall_64"), 300_000 + n / 4)];
        table(1_001_000 + 10 * n / 14, &places, &other)
    });
    (side("base", before.to_vec()), side("patched", after.to_vec()))
}

/// The same with the operations that the benchmark did.
pub fn patch_with_operations() -> (SideRuns, SideRuns) {
    let (mut before, mut after) = patch();
    before.operations = Some(vec![1000.0, 1010.0, 990.0, 1005.0, 1002.0]);
    after.operations = Some(vec![8000.0, 8100.0, 7900.0, 8050.0, 8020.0]);
    (before, after)
}

pub fn difference((before, after): &(SideRuns, SideRuns)) -> Difference {
    Difference::new(compare(before, after, &settings()), Some(12), 0.0)
}
