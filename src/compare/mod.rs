//! Before and after: aligns locks and call sites across runs, and says how large each difference is and whether it is
//! more than noise. The run is the unit; samples inside one are never replicates.

mod align;
pub mod comparability;
mod row;

pub use align::{RowsBy, Subject};
pub use row::{Costs, PerOperation, Row, Test, Verdict, judge};

use std::collections::BTreeMap;

use crate::lock::choice::Choice;
use crate::lock::site::SiteTable;
use crate::run::RunInfo;
use crate::stats::{Spread, detectable};

/// The runs of one side.
#[derive(Debug, Clone, Default)]
pub struct SideRuns {
    /// What it is called.
    pub name: String,
    /// The facts of its runs.
    pub runs: Vec<RunInfo>,
    /// Their locks.
    pub tables: Vec<SiteTable>,
    /// The operations that each run did, where they are known.
    pub operations: Option<Vec<f64>>,
}

/// How to compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The test.
    pub test: Test,
    /// A smaller change is called none, in parts of the total (0.01 is a point).
    pub min_effect: f64,
    /// Which locks count.
    pub choice: Choice,
    /// What rows are made of.
    pub by: RowsBy,
}

/// The level of the verdicts.
pub const LEVEL: f64 = 0.05;

/// Two sides compared.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The side before.
    pub before: Side,
    /// The side after.
    pub after: Side,
    /// All locks together.
    pub contention: Row,
    /// All locks together, of busy time.
    pub busy: Row,
    /// Locks or call sites, the largest change first.
    pub rows: Vec<Row>,
    /// Families of locks, the largest change first: few rows, and so the test that sees most.
    pub families: Vec<Row>,
    /// Functions, locks or not, the largest change first.
    pub symbols: Vec<Row>,
    /// The smallest difference of the contention's share that this experiment would have seen four times in five.
    pub detectable: Option<f64>,
    /// The largest part of any run that lies in functions of the kernel without a name: locks cannot be told there.
    pub untold: f64,
    /// Operations after, in times of before, with the test of their difference.
    pub throughput: Option<Throughput>,
    /// The most that removing all contention of the before side could gain (Amdahl).
    pub ceiling: Option<f64>,
    /// The settings it was made with.
    pub settings: Settings,
}

impl Comparison {
    /// The rows that `takes` chooses as one row, tested as one: their shares of a run add up.
    pub fn sum(&self, subject: Subject, takes: impl Fn(&Row) -> bool) -> Row {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| takes(row)).collect();
        row::sum(subject, &rows, &self.contention, &self.settings)
    }

    /// The rows summed up by another subject, the largest change first, with p adjusted over the sums.
    pub fn regroup(&self, subject: impl Fn(&Row) -> Subject) -> Vec<Row> {
        let mut groups: BTreeMap<Subject, Vec<&Row>> = BTreeMap::new();
        for row in &self.rows {
            groups.entry(subject(row)).or_default().push(row);
        }
        row::sums(groups, &self.contention, &self.settings)
    }
}

/// What a comparison says of one side.
#[derive(Debug, Clone)]
pub struct Side {
    /// What it is called.
    pub name: String,
    /// The facts of its runs.
    pub runs: Vec<RunInfo>,
    /// Total weight for each second and CPU, where the recordings tell.
    pub rate: Option<Spread>,
    /// Operations of its runs.
    pub operations: Option<Spread>,
}

/// How much more a benchmark did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throughput {
    /// After, in times of before.
    pub ratio: f64,
    /// Of the difference of means.
    pub p: Option<f64>,
}

/// Compares two sides.
pub fn compare(before: &SideRuns, after: &SideRuns, settings: &Settings) -> Comparison {
    let costs = Costs::of(before, after);
    let total = |table: &SiteTable| align::all_locks(table, &settings.choice, |row| row.weight);
    let contention = row::whole(Subject::AllLocks, before, after, &costs, settings, total);
    let busy = {
        let part = |table: &SiteTable| {
            align::all_locks(table, &settings.choice, |row| row.busy).share_of(table.busy_total).0
        };
        row::of_shares(Subject::AllLocks, shares(before, part), shares(after, part), settings)
    };
    let rows = row::rows(
        align::sites(before, after, settings.by, &settings.choice),
        before,
        after,
        &costs,
        settings,
    );
    let families = align::sites(before, after, RowsBy::Family, &settings.choice);
    let families = row::rows(families, before, after, &costs, settings);
    let symbols = row::rows(align::symbols(before, after), before, after, &costs, settings);
    Comparison {
        before: side(before),
        after: side(after),
        untold: largest_untold(before).max(largest_untold(after)),
        detectable: detectable(&contention.before.runs, &contention.after.runs),
        throughput: throughput(before, after),
        ceiling: crate::stats::ceiling(busy.before.mean),
        contention,
        busy,
        rows,
        families,
        symbols,
        settings: settings.clone(),
    }
}

fn largest_untold(side: &SideRuns) -> f64 {
    shares(side, |table| table.untold.share_of(table.total).0).into_iter().fold(0.0, f64::max)
}

fn shares(side: &SideRuns, part: impl Fn(&SiteTable) -> f64) -> Vec<f64> {
    side.tables.iter().map(part).collect()
}

fn side(runs: &SideRuns) -> Side {
    let rates: Option<Vec<f64>> =
        runs.runs.iter().zip(&runs.tables).map(|(run, table)| row::rate(table.total, run)).collect();
    Side {
        name: runs.name.clone(),
        runs: runs.runs.clone(),
        rate: rates.filter(|rates| !rates.is_empty()).map(Spread::over),
        operations: runs.operations.clone().map(Spread::over),
    }
}

fn throughput(before: &SideRuns, after: &SideRuns) -> Option<Throughput> {
    let (before, after) = (before.operations.as_ref()?, after.operations.as_ref()?);
    let (one, other) = (Spread::over(before.clone()), Spread::over(after.clone()));
    let p = crate::stats::welch(before, after).and_then(|difference| difference.p);
    (one.mean > 0.0).then(|| Throughput { ratio: other.mean / one.mean, p })
}
