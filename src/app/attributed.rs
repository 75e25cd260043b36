//! Runs that are read together, each attributed once, and their locks under names that all of them share.

use super::input::Run;
use crate::lock::attribution::{Attribution, Options, attribute};
use crate::lock::site::{AttributedRun, Labels, SiteTable, labelled_tables};
use crate::profile::Profile;
use crate::symbol::Symbol;

/// What the locks of some runs are.
pub(super) struct Attributed {
    /// What is a lock.
    pub(super) options: Options,
    /// By run.
    pub(super) attributions: Vec<Attribution>,
    /// By run.
    pub(super) tables: Vec<SiteTable>,
    /// What the locks are called.
    pub(super) labels: Labels,
}

impl Attributed {
    /// Over runs.
    pub(super) fn over<'a>(runs: impl IntoIterator<Item = &'a Run>, options: Options) -> Self {
        Self::over_profiles(runs.into_iter().map(|run| (&run.profile, run.event)), options)
    }

    /// Over profiles, each with its event.
    pub(super) fn over_profiles<'a>(
        profiles: impl IntoIterator<Item = (&'a Profile<Symbol>, u16)>,
        options: Options,
    ) -> Self {
        let profiles: Vec<_> = profiles.into_iter().collect();
        let attributions: Vec<Attribution> =
            profiles.iter().map(|(profile, event)| attribute(profile, *event, &options)).collect();
        let runs: Vec<AttributedRun<'_>> =
            profiles.iter().map(|(profile, _)| *profile).zip(&attributions).collect();
        let (tables, labels) = labelled_tables(&runs);
        Self { options, attributions, tables, labels }
    }
}
