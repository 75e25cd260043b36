//! Plain rows and sentences: what a report says, before any format. Reads no clock, environment or terminal.

pub mod cut;
pub mod group;
pub mod quality;
pub mod sentence;

use std::collections::{BTreeMap, BTreeSet};

use crate::lock::family::Family;
use crate::lock::matcher::fits;
use crate::lock::site::{Function, Lock, Site, SiteTable, SiteWeight};
use crate::stats::{Block, Interval, Summary, jackknife_ratio, mean_interval, summarize};
use crate::units::{Nanos, Unit, Weight};
pub use cut::Cut;
use cut::{cut_rows, cut_sites};
pub use group::{By, GroupRow};
pub use quality::Warning;

/// What one recording is, for the facts of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInfo {
    /// As the user named it.
    pub file: String,
    /// The event that is reported.
    pub event: String,
    /// What its weight counts.
    pub unit: Unit,
    /// Samples of the event.
    pub samples: u64,
    /// Their weight.
    pub weight: Weight,
    /// Records or samples that were lost.
    pub lost: u64,
    /// From the first sample to the last.
    pub duration: Option<Nanos>,
    /// `uname -n`.
    pub host: Option<String>,
    /// `uname -r`.
    pub kernel: Option<String>,
    /// `uname -m`.
    pub arch: Option<String>,
    /// CPUs online.
    pub cpus: Option<u32>,
    /// The processor's model.
    pub cpu_model: Option<String>,
    /// What was run, as the recorder was told.
    pub command: Option<String>,
    /// Period or frequency of the event.
    pub rate: Rate,
    /// The recorder did not finish, or the file's end is missing.
    pub truncated: bool,
    /// The part of frames without a name.
    pub unnamed_share: f64,
}

/// How often an event was sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// Every so many.
    Period(u64),
    /// So many times a second.
    Frequency(u64),
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rate::Period(n) => write!(f, "period {n}"),
            Rate::Frequency(n) => write!(f, "{n} Hz"),
        }
    }
}

/// A share over runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// The share of each run's total, 0 to 1, in the order of the runs.
    pub runs: Vec<f64>,
    /// Their mean.
    pub mean: f64,
    /// Their sample deviation (n - 1); `None` for one run.
    pub stddev: Option<f64>,
}

impl Spread {
    /// Over the shares of runs.
    pub fn over(runs: Vec<f64>) -> Self {
        let summary = summarize(&runs);
        let mean = summary.map_or(0.0, |s: Summary| s.mean);
        Self { mean, stddev: summary.and_then(|s| s.stddev), runs }
    }
}

/// Which rows to show.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// Families; all where empty.
    pub families: Vec<Family>,
    /// Locks, by name; `*` stands for anything.
    pub locks: Vec<String>,
    /// Callers, by name.
    pub callers: Vec<String>,
    /// The smallest share of a row, 0 to 1.
    pub min_share: f64,
    /// The most rows; the rest is summed up.
    pub limit: Option<usize>,
    /// What rows are made of.
    pub by: By,
}

impl Choice {
    /// Whether a site counts.
    pub fn takes(&self, site: &Site) -> bool {
        let any = |patterns: &[String], name: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, name))
        };
        let caller = site.caller.as_ref().map_or("", |caller| caller.name.as_str());
        (self.families.is_empty() || self.families.contains(&site.lock.family))
            && any(&self.locks, &site.lock.name)
            && any(&self.callers, caller)
    }
}

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
    /// Locks, heaviest first.
    pub locks: Vec<LockRow>,
    /// What the limits cut off the rows that were asked for.
    pub cut: Option<Cut>,
    /// Leaf functions, heaviest first.
    pub symbols: Vec<SymbolRow>,
    /// Rows by what was asked for, beside locks.
    pub groups: Vec<GroupRow>,
    /// What the rows are made of.
    pub by: By,
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
        symbols,
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
    let functions: BTreeSet<&Function> = tables.iter().flat_map(|table| table.leaves.keys()).collect();
    let mut rows: Vec<SymbolRow> = functions
        .into_iter()
        .map(|function| {
            let of = |table: &SiteTable| table.leaves.get(function).copied().unwrap_or_default();
            SymbolRow {
                function: function.clone(),
                share: spread(tables, |table| of(table).0),
                weight: tables.iter().map(|table| of(table).0).sum(),
                samples: tables.iter().map(|table| of(table).1).sum(),
            }
        })
        .collect();
    rows.sort_by(|a, b| b.share.mean.total_cmp(&a.share.mean));
    rows
}
