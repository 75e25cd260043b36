//! Which rows of locks are shown, and what they are made of.

use super::family::Family;
use super::matcher::fits;
use super::site::Site;

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
    /// Whether all locks count.
    pub fn is_whole(&self) -> bool {
        self.families.is_empty() && self.locks.is_empty() && self.callers.is_empty()
    }

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

/// What rows are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum By {
    /// Locks, with their callers below.
    #[default]
    Lock,
    /// Locks at call sites, each a row.
    Site,
    /// Leaf functions, locks or not.
    Symbol,
    /// Threads' names.
    Comm,
    /// Processors.
    Cpu,
    /// Locks with the path of their callers.
    Path,
}

impl By {
    /// The head of the first column.
    pub fn head(self) -> &'static str {
        match self {
            By::Lock => "lock",
            By::Site => "lock, call site",
            By::Symbol => "symbol",
            By::Comm => "command",
            By::Cpu => "cpu",
            By::Path => "lock, callers outwards",
        }
    }
}
