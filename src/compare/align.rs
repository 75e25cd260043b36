//! What is compared with what: sites, locks, families and functions that are the same on both sides.
//!
//! Compilers number their clones anew in each build (`.isra.0`), so callers and functions are matched without that.

use std::collections::BTreeMap;

use super::SideRuns;
use crate::lock::choice::Choice;
use crate::lock::family::Family;
use crate::lock::matcher::base_name;
use crate::lock::site::{Function, Lock, Site, SiteTable, SiteWeight};
use crate::units::Weight;

/// What a row is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// All locks together.
    AllLocks,
    /// A family of locks.
    Family(Family),
    /// A lock.
    Lock(Lock),
    /// A lock at a call site.
    Site {
        /// The lock.
        lock: Lock,
        /// Who takes it.
        caller: Option<String>,
        /// Wrappers seen through.
        through: Vec<String>,
    },
    /// A function in which samples lie.
    Symbol(Function),
    /// Several sites, under the name that whoever chose them gave.
    Several(String),
}

impl Subject {
    /// The family, where it is of one.
    pub fn family(&self) -> Option<Family> {
        match self {
            Subject::AllLocks | Subject::Symbol(_) | Subject::Several(_) => None,
            Subject::Family(family) => Some(*family),
            Subject::Lock(lock) | Subject::Site { lock, .. } => Some(lock.family),
        }
    }

    /// The lock's name, the family's word, or the function's name.
    pub fn name(&self) -> &str {
        match self {
            Subject::AllLocks => "all locks",
            Subject::Family(family) => family.word(),
            Subject::Lock(lock) | Subject::Site { lock, .. } => &lock.name,
            Subject::Symbol(function) => &function.name,
            Subject::Several(name) => name,
        }
    }

    /// The caller, where it is of one.
    pub fn caller(&self) -> Option<&str> {
        match self {
            Subject::Site { caller, .. } => caller.as_deref(),
            _ => None,
        }
    }
}

/// What rows are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowsBy {
    /// Locks at call sites.
    #[default]
    Site,
    /// Locks.
    Lock,
    /// Families of locks: a lock that the kernel renamed between the sides stays one row.
    Family,
}

/// Weights of one subject: by run before, and by run after.
pub(super) type Aligned = BTreeMap<Subject, (Vec<Weight>, Vec<Weight>)>;

/// The weight of all locks that a choice takes.
pub(super) fn all_locks(table: &SiteTable, choice: &Choice, of: impl Fn(&SiteWeight) -> Weight) -> Weight {
    table.sites.iter().filter(|(site, _)| choice.takes(site)).map(|(_, row)| of(row)).sum()
}

/// Locks, sites or families of both sides.
pub(super) fn sites(before: &SideRuns, after: &SideRuns, by: RowsBy, choice: &Choice) -> Aligned {
    let subject = |site: &Site| match by {
        RowsBy::Family => Subject::Family(site.lock.family),
        RowsBy::Lock => Subject::Lock(site.lock.clone()),
        RowsBy::Site => Subject::Site {
            lock: site.lock.clone(),
            caller: site.caller.as_ref().map(|caller| base_name(&caller.name).to_owned()),
            through: site.through.iter().map(|name| base_name(name).to_owned()).collect(),
        },
    };
    align(before, after, |table| {
        let chosen = table.sites.iter().filter(|(site, _)| choice.takes(site));
        chosen.map(|(site, row)| (subject(site), row.weight)).collect()
    })
}

/// Functions of both sides.
pub(super) fn symbols(before: &SideRuns, after: &SideRuns) -> Aligned {
    align(before, after, |table| {
        let subject = |function: &Function| {
            Subject::Symbol(Function {
                name: base_name(&function.name).to_owned(),
                module: function.module.clone(),
            })
        };
        // What a text did not tell is no function that moved.
        let told = table.leaves.iter().filter(|(function, _)| **function != Function::none());
        told.map(|(function, (weight, _))| (subject(function), *weight)).collect()
    })
}

fn align(before: &SideRuns, after: &SideRuns, of: impl Fn(&SiteTable) -> Vec<(Subject, Weight)>) -> Aligned {
    let (n_before, n_after) = (before.tables.len(), after.tables.len());
    let mut aligned = Aligned::new();
    for (run, table) in before.tables.iter().chain(&after.tables).enumerate() {
        for (subject, weight) in of(table) {
            let (one, other) = aligned
                .entry(subject)
                .or_insert_with(|| (vec![Weight(0); n_before], vec![Weight(0); n_after]));
            match run.checked_sub(n_before) {
                None => one[run] += weight,
                Some(run) => other[run] += weight,
            }
        }
    }
    aligned
}
