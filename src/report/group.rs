//! Lock weight by something else than the lock: thread's name, processor, call path.

use std::collections::BTreeMap;

use crate::lock::attribution::About;
use crate::lock::choice::{By, Choice};
use crate::lock::site::{AttributedRun, Labels, SiteTable};
use crate::profile::NO_CPU;
use crate::stats::Spread;
use crate::units::Weight;

/// Lock weight of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupRow {
    /// The thread's name, the processor, or the path.
    pub label: String,
    /// Weight in locks, of the total.
    pub share: Spread,
    /// The sum over runs.
    pub weight: Weight,
    /// The sum over runs.
    pub samples: u64,
}

/// Groups the weight in locks that a choice takes; heaviest first.
pub fn groups(
    runs: &[AttributedRun<'_>],
    tables: &[SiteTable],
    labels: &Labels,
    choice: &Choice,
) -> Vec<GroupRow> {
    if !matches!(choice.by, By::Comm | By::Cpu | By::Path) {
        return Vec::new();
    }
    let mut sums: BTreeMap<String, Vec<(Weight, u64)>> = BTreeMap::new();
    for (run, (profile, attribution)) in runs.iter().enumerate() {
        for atom in &attribution.atoms {
            let place = &attribution.places[atom.place];
            let About::Lock(lock) = &place.about else { continue };
            let site = labels.site(profile, lock);
            if !choice.takes(&site) {
                continue;
            }
            let label = match choice.by {
                By::Comm => profile.comms.name(atom.comm).to_owned(),
                By::Cpu if atom.cpu == NO_CPU => "not recorded".to_owned(),
                By::Cpu => format!("{:>5}", atom.cpu),
                _ => {
                    let names = place.path.iter().map(|frame| profile.frames[frame.index()].name.as_str());
                    std::iter::once(site.lock.name.as_str()).chain(names).collect::<Vec<_>>().join(" < ")
                }
            };
            let sum = &mut sums.entry(label).or_insert_with(|| vec![(Weight(0), 0); runs.len()])[run];
            *sum = (sum.0 + atom.weight, sum.1 + atom.samples);
        }
    }
    let mut rows: Vec<GroupRow> = sums
        .into_iter()
        .map(|(label, sums)| GroupRow {
            label,
            share: Spread::over(
                sums.iter().zip(tables).map(|(s, table)| s.0.share_of(table.total).0).collect(),
            ),
            weight: sums.iter().map(|s| s.0).sum(),
            samples: sums.iter().map(|s| s.1).sum(),
        })
        .collect();
    rows.sort_by(|a, b| b.share.mean.total_cmp(&a.share.mean));
    if choice.by == By::Cpu {
        // Padded until here, so that of equal shares the lower processor comes first.
        rows.iter_mut().for_each(|row| row.label = row.label.trim_start().to_owned());
    }
    rows
}
