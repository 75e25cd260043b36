//! Plain rows and sentences: what a report says, before any format. Reads no clock, environment or terminal.

pub mod cut;
pub mod difference;
pub mod group;
pub mod page;
pub mod picture;
pub mod quality;
pub mod sentence;
pub mod timeline;
pub mod trees;

use std::collections::{BTreeMap, BTreeSet};

pub use crate::lock::choice::By;
use crate::lock::choice::Choice;
use crate::lock::family::Family;
pub use crate::lock::site::{Function, Lock};
use crate::lock::site::{Site, SiteTable, SiteWeight};
use crate::run::{self, RunInfo, Warning};
use crate::stats::{Block, Interval, Spread, jackknife_ratio, mean_interval};
use crate::units::Weight;
pub use cut::Cut;
use cut::{cut_rows, cut_sites};
pub use group::GroupRow;

/// A report over runs of one thing.
#[derive(Debug, Clone)]
pub struct Report {
    /// The runs.
    pub runs: Vec<RunInfo>,
    /// What it says in one sentence.
    pub headline: String,
    /// All locks together.
    pub contention: Contention,
    /// Giving locks back, by family; never part of contention.
    pub unlock: BTreeMap<Family, Spread>,
    /// Leaves in idle functions.
    pub idle: Spread,
    /// Leaves in functions of the kernel without a name.
    pub untold: Spread,
    /// Locks, heaviest first.
    pub locks: Vec<LockRow>,
    /// What the limits cut off the rows that were asked for.
    pub cut: Option<Cut>,
    /// Leaf functions, heaviest first.
    pub symbols: Vec<SymbolRow>,
    /// Functions with all that they called, heaviest first, where they were asked for.
    pub functions: Vec<SymbolRow>,
    /// Rows by what was asked for, beside locks.
    pub groups: Vec<GroupRow>,
    /// What the rows are made of.
    pub by: By,
    /// Whether all locks count, or some were chosen.
    pub is_whole: bool,
    /// What to know about the data.
    pub warnings: Vec<Warning>,
}

/// All locks together.
#[derive(Debug, Clone, PartialEq)]
pub struct Contention {
    /// Of the total.
    pub share: Spread,
    /// Of the total without the idle task, locks of the idle task left out too.
    pub busy_share: Spread,
    /// The sum over runs.
    pub weight: Weight,
    /// The sum over runs.
    pub samples: u64,
}

/// A lock and its callers.
#[derive(Debug, Clone, PartialEq)]
pub struct LockRow {
    /// The lock.
    pub lock: Lock,
    /// Of the total.
    pub share: Spread,
    /// Of the total without the idle task.
    pub busy_share: Spread,
    /// The sum over runs.
    pub weight: Weight,
    /// The sum over runs.
    pub samples: u64,
    /// 95 %: over runs, or within the one run.
    pub interval: Option<Interval>,
    /// Callers, heaviest first.
    pub callers: Vec<CallerRow>,
    /// By innermost frame, the sum over runs.
    pub phases: BTreeMap<String, Weight>,
    /// Of it another lock's inside this one, the sum over runs.
    pub inner: BTreeMap<String, Weight>,
}

/// A caller of a lock.
#[derive(Debug, Clone, PartialEq)]
pub struct CallerRow {
    /// Who; `None` where the callchain ends with the lock.
    pub caller: Option<Function>,
    /// Of the total.
    pub share: Spread,
    /// The sum over runs.
    pub weight: Weight,
    /// The sum over runs.
    pub samples: u64,
    /// Wrappers seen through.
    pub through: Vec<String>,
}

/// A leaf function.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolRow {
    /// The function.
    pub function: Function,
    /// Of the total.
    pub share: Spread,
    /// The sum over runs.
    pub weight: Weight,
    /// The sum over runs.
    pub samples: u64,
}

impl Report {
    /// A count of a row, where all runs have counts.
    pub fn counted(&self, count: u64) -> Option<u64> {
        run::counted(&self.runs, count)
    }

    /// Whether the idle task took enough to show shares of busy time beside those of the total.
    pub fn idle_matters(&self) -> bool {
        self.idle.mean >= 0.005
    }
}

impl SymbolRow {
    /// Whether it runs in the kernel, as its module's name in brackets tells.
    pub fn is_kernel(&self) -> bool {
        let module = self.function.module.as_str();
        module.starts_with("bpf_")
            || (module.starts_with('[') && !["[vdso]", "[vsyscall]", "[unknown]"].contains(&module))
    }
}

/// Builds the report of runs from their site tables.
pub fn report(
    runs: Vec<RunInfo>,
    tables: &[SiteTable],
    groups: Vec<GroupRow>,
    choice: &Choice,
    warnings: Vec<Warning>,
) -> Report {
    let sites = chosen_sites(tables, choice);
    let contention = contention(tables, &sites);
    let (mut locks, mut symbols, mut groups) = (lock_rows(tables, &sites), symbol_rows(tables), groups);
    // Limits are of the rows that were asked for.
    let cut = match choice.by {
        By::Lock => cut_rows(&mut locks, choice, |row| &row.share),
        By::Site => cut_sites(&mut locks, choice),
        By::Symbol => cut_rows(&mut symbols, choice, |row| &row.share),
        By::Comm | By::Cpu | By::Path => cut_rows(&mut groups, choice, |row| &row.share),
    };
    let mut report = Report {
        headline: String::new(),
        unlock: unlock(tables),
        idle: spread(tables, |table| table.idle),
        untold: spread(tables, |table| table.untold),
        is_whole: choice.is_whole(),
        symbols,
        functions: Vec::new(),
        runs,
        contention,
        locks,
        cut,
        groups,
        by: choice.by,
        warnings,
    };
    report.headline = sentence::headline(&report);
    report
}

/// The share of each run's total.
pub fn spread(tables: &[SiteTable], part: impl Fn(&SiteTable) -> Weight) -> Spread {
    Spread::over(tables.iter().map(|table| part(table).share_of(table.total).0).collect())
}

fn busy_spread(tables: &[SiteTable], part: impl Fn(&SiteTable) -> Weight) -> Spread {
    Spread::over(tables.iter().map(|table| part(table).share_of(table.busy_total).0).collect())
}

fn chosen_sites(tables: &[SiteTable], choice: &Choice) -> BTreeSet<Site> {
    tables.iter().flat_map(|table| table.sites.keys()).filter(|site| choice.takes(site)).cloned().collect()
}

fn sum(table: &SiteTable, sites: &[&Site], of: impl Fn(&SiteWeight) -> Weight) -> Weight {
    sites.iter().filter_map(|site| table.sites.get(*site)).map(of).sum()
}

fn contention(tables: &[SiteTable], sites: &BTreeSet<Site>) -> Contention {
    let all: Vec<&Site> = sites.iter().collect();
    Contention {
        share: spread(tables, |table| sum(table, &all, |row| row.weight)),
        busy_share: busy_spread(tables, |table| sum(table, &all, |row| row.busy)),
        weight: tables.iter().map(|table| sum(table, &all, |row| row.weight)).sum(),
        samples: count(tables, &all),
    }
}

fn count(tables: &[SiteTable], sites: &[&Site]) -> u64 {
    let of_table = |table: &SiteTable| {
        sites.iter().filter_map(|s| table.sites.get(*s)).map(|row| row.samples).sum::<u64>()
    };
    tables.iter().map(of_table).sum()
}

fn lock_rows(tables: &[SiteTable], sites: &BTreeSet<Site>) -> Vec<LockRow> {
    let mut by_lock: BTreeMap<&Lock, Vec<&Site>> = BTreeMap::new();
    for site in sites {
        by_lock.entry(&site.lock).or_default().push(site);
    }
    let mut rows: Vec<LockRow> =
        by_lock.into_iter().map(|(lock, sites)| lock_row(tables, lock, &sites)).collect();
    // Ties are broken by name, in which the map has them.
    rows.sort_by(|a, b| b.share.mean.total_cmp(&a.share.mean));
    rows
}

fn lock_row(tables: &[SiteTable], lock: &Lock, sites: &[&Site]) -> LockRow {
    let mut callers: Vec<CallerRow> = sites
        .iter()
        .map(|&site| {
            let own = [site];
            CallerRow {
                caller: site.caller.clone(),
                share: spread(tables, |table| sum(table, &own, |row| row.weight)),
                weight: tables.iter().map(|table| sum(table, &own, |row| row.weight)).sum(),
                samples: count(tables, &own),
                through: site.through.clone(),
            }
        })
        .collect();
    callers.sort_by(|a, b| b.share.mean.total_cmp(&a.share.mean));
    let share = spread(tables, |table| sum(table, sites, |row| row.weight));
    let mut phases: BTreeMap<String, Weight> = BTreeMap::new();
    let mut inner: BTreeMap<String, Weight> = BTreeMap::new();
    for row in tables.iter().flat_map(|table| sites.iter().filter_map(|site| table.sites.get(*site))) {
        row.phases.iter().for_each(|(name, &weight)| *phases.entry(name.clone()).or_default() += weight);
        row.inner.iter().for_each(|(name, &weight)| *inner.entry(name.clone()).or_default() += weight);
    }
    LockRow {
        lock: lock.clone(),
        busy_share: busy_spread(tables, |table| sum(table, sites, |row| row.busy)),
        weight: tables.iter().map(|table| sum(table, sites, |row| row.weight)).sum(),
        samples: count(tables, sites),
        interval: interval(tables, sites, &share),
        share,
        callers,
        phases,
        inner,
    }
}

/// Over several runs the t interval of their mean; of one run the jackknife's over its blocks of time, which is the
/// error within the run only. A share's interval stays within 0 and 1.
fn interval(tables: &[SiteTable], sites: &[&Site], share: &Spread) -> Option<Interval> {
    let interval = match tables {
        [table] => {
            let part = |block: usize| sum(table, sites, |row| row.blocks[block]).0 as f64;
            let blocks: Vec<Block> = table
                .blocks
                .iter()
                .enumerate()
                .map(|(block, whole)| Block { part: part(block), whole: whole.0 as f64 })
                .collect();
            jackknife_ratio(&blocks)?.interval
        }
        _ => mean_interval(&share.runs)?,
    };
    Some(interval.within(Interval { low: 0.0, high: 1.0 }))
}

fn unlock(tables: &[SiteTable]) -> BTreeMap<Family, Spread> {
    let families: BTreeSet<Family> = tables.iter().flat_map(|table| table.unlock.keys().copied()).collect();
    let of = |family: Family| spread(tables, |table| table.unlock.get(&family).copied().unwrap_or_default());
    families.into_iter().map(|family| (family, of(family))).collect()
}

fn symbol_rows(tables: &[SiteTable]) -> Vec<SymbolRow> {
    let runs: Vec<_> = tables.iter().map(|table| (&table.leaves, table.total)).collect();
    function_rows(&runs)
}

/// Weight and samples by function.
type ByFunction = BTreeMap<Function, (Weight, u64)>;

/// Rows of functions, heaviest first, from what each weighs in each run and the run's total.
pub fn function_rows(runs: &[(&ByFunction, Weight)]) -> Vec<SymbolRow> {
    let functions: BTreeSet<&Function> = runs.iter().flat_map(|(weights, _)| weights.keys()).collect();
    let mut rows: Vec<SymbolRow> = functions
        .into_iter()
        .map(|function| {
            let of = |weights: &ByFunction| weights.get(function).copied().unwrap_or_default();
            let shares = runs.iter().map(|(weights, total)| of(weights).0.share_of(*total).0).collect();
            SymbolRow {
                function: function.clone(),
                share: Spread::over(shares),
                weight: runs.iter().map(|(weights, _)| of(weights).0).sum(),
                samples: runs.iter().map(|(weights, _)| of(weights).1).sum(),
            }
        })
        .collect();
    rows.sort_by(|a, b| b.share.mean.total_cmp(&a.share.mean));
    rows
}
