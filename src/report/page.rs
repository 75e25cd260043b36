//! What a page for a browser shows, in its order: all that its renderer needs, computed.

use super::cut::cut_rows;
use super::difference::Difference;
use super::picture::Picture;
use super::timeline::{Timeline, Untimed};
use super::trees::Stem;
use super::{CallerRow, Cut, Lock, LockRow, Report};
use crate::compare::Row;
use crate::lock::choice::Choice;
use crate::run::{self, RunInfo};
use crate::stats::Spread;

/// Rows of a table that has no limit of the user's: a page is read, and has a size.
pub const ROWS: usize = 200;

/// Rows of a mail.
const MAIL: usize = 12;

/// A page.
#[derive(Debug, Clone)]
pub struct Page {
    /// What it is about.
    pub content: Content,
    /// Who calls the heaviest locks, heaviest first.
    pub trees: Vec<Stem>,
    /// Graphs.
    pub graphs: Vec<Drawing>,
    /// Locks over time.
    pub times: Times,
    /// The command that made the page, for a shell.
    pub command: String,
}

/// What a page is about.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "there is one value of it in a page")]
pub enum Content {
    /// The runs of one thing.
    Side(OneSide),
    /// Two sides.
    Sides(TwoSides),
}

/// The runs of one thing.
#[derive(Debug, Clone)]
pub struct OneSide {
    /// Locks, and leaf functions as far as they are shown.
    pub report: Report,
    /// Locks at call sites, heaviest first.
    pub sites: Vec<SiteRow>,
    /// Call sites that are not shown.
    pub sites_cut: Option<Cut>,
    /// Functions that are not shown.
    pub symbols_cut: Option<Cut>,
    /// The report as a mail has it, with few rows.
    pub mail: Report,
}

/// A lock at a call site.
#[derive(Debug, Clone)]
pub struct SiteRow {
    /// The lock.
    pub lock: Lock,
    /// The lock's share of the total.
    pub of: Spread,
    /// The call site.
    pub caller: CallerRow,
}

/// Two sides.
#[derive(Debug, Clone)]
pub struct TwoSides {
    /// The comparison.
    pub difference: Difference,
    /// Functions that moved, the largest change first, as far as they are shown.
    pub symbols: Vec<Row>,
    /// How many more moved.
    pub more_symbols: usize,
    /// The comparison as a mail has it, with few rows.
    pub mail: Difference,
}

/// A graph with its place in the page.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// `before`, `after`, `difference`, `stacks`, `callers`.
    pub id: &'static str,
    /// What it shows, in a few words.
    pub title: String,
    /// The graph.
    pub picture: Picture,
}

/// Locks over time.
#[derive(Debug, Clone)]
pub struct Times {
    /// Runs, those of one side together.
    pub runs: Vec<TimedRun>,
    /// How many more there are.
    pub more: usize,
}

/// A run over time.
#[derive(Debug, Clone)]
pub struct TimedRun {
    /// Its side's name; a single side has none.
    pub side: String,
    /// Its file.
    pub file: String,
    /// Its locks over time, or why there are none.
    pub timeline: Result<Timeline, Untimed>,
}

impl OneSide {
    /// The tables of a report.
    pub fn new(mut report: Report) -> Self {
        let mail = of_mail(&report);
        let choice = Choice { limit: Some(ROWS), ..Choice::default() };
        let of_lock = |row: &LockRow| -> Vec<SiteRow> {
            let site = |caller: &CallerRow| SiteRow {
                lock: row.lock.clone(),
                of: row.share.clone(),
                caller: caller.clone(),
            };
            row.callers.iter().map(site).collect()
        };
        let mut sites: Vec<SiteRow> = report.locks.iter().flat_map(of_lock).collect();
        sites.sort_by(|a, b| b.caller.share.mean.total_cmp(&a.caller.share.mean));
        let sites_cut = cut_rows(&mut sites, &choice, |row| &row.caller.share);
        let symbols_cut = cut_rows(&mut report.symbols, &choice, |row| &row.share);
        Self { report, sites, sites_cut, symbols_cut, mail }
    }
}

/// The report with its heaviest locks alone; the others join those that are cut already.
fn of_mail(report: &Report) -> Report {
    let mut mail = report.clone();
    let choice = Choice { limit: Some(MAIL), ..Choice::default() };
    let further = cut_rows(&mut mail.locks, &choice, |row| &row.share);
    mail.cut = match (further, mail.cut.take()) {
        (Some(one), Some(other)) => {
            let runs = one.share.runs.iter().zip(&other.share.runs).map(|(one, other)| one + other);
            Some(Cut { rows: one.rows + other.rows, share: Spread::over(runs.collect()) })
        }
        (one, other) => one.or(other),
    };
    mail
}

impl TwoSides {
    /// The tables of a comparison.
    pub fn new(difference: Difference) -> Self {
        let moved = || difference.comparison.symbols.iter().filter(|row| row.points != 0.0);
        let symbols: Vec<Row> = moved().take(ROWS).cloned().collect();
        let more_symbols = moved().count() - symbols.len();
        let mail = Difference { shown: difference.shown.min(MAIL), ..difference.clone() };
        Self { difference, symbols, more_symbols, mail }
    }
}

impl Page {
    /// What the page says in one sentence.
    pub fn headline(&self) -> &str {
        match &self.content {
            Content::Side(side) => &side.report.headline,
            Content::Sides(sides) => &sides.difference.headline,
        }
    }

    /// The sides with the facts of their runs; a single one has no name.
    pub fn sides(&self) -> Vec<(&str, &[RunInfo])> {
        match &self.content {
            Content::Side(side) => vec![("", &side.report.runs)],
            Content::Sides(sides) => {
                let comparison = &sides.difference.comparison;
                vec![
                    (comparison.before.name.as_str(), &comparison.before.runs),
                    (comparison.after.name.as_str(), &comparison.after.runs),
                ]
            }
        }
    }

    /// What weights count.
    pub fn unit(&self) -> &'static str {
        run::unit(self.sides().iter().flat_map(|(_, runs)| *runs))
    }

    /// How shares are called: "of cycles".
    pub fn whole(&self) -> String {
        run::whole(self.sides().iter().flat_map(|(_, runs)| *runs))
    }
}
