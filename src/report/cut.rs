//! Which rows are shown, by the smallest share and the most rows, and what the others sum to.

use std::collections::BTreeSet;

use super::LockRow;
use crate::lock::choice::Choice;
use crate::stats::Spread;

/// Rows that were left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// How many.
    pub rows: usize,
    /// Their share together.
    pub share: Spread,
}

/// Leaves out rows below the smallest share and beyond the limit, and says what they sum to. Rows come heaviest first.
pub(super) fn cut_rows<T>(rows: &mut Vec<T>, choice: &Choice, share: impl Fn(&T) -> &Spread) -> Option<Cut> {
    let worth = rows.iter().take_while(|row| share(row).mean >= choice.min_share).count();
    let cut = rows.split_off(choice.limit.map_or(worth, |limit| limit.min(worth)));
    let runs = cut.first().map(|row| share(row).runs.len())?;
    let of_run = |run: usize| cut.iter().map(|row| share(row).runs[run]).sum::<f64>();
    Some(Cut { rows: cut.len(), share: Spread::over((0..runs).map(of_run).collect()) })
}

/// The same for the call sites of all locks together.
pub(super) fn cut_sites(locks: &mut Vec<LockRow>, choice: &Choice) -> Option<Cut> {
    let shares = |row: usize, lock: &LockRow| -> Vec<(usize, usize, Spread)> {
        lock.callers.iter().enumerate().map(|(at, caller)| (row, at, caller.share.clone())).collect()
    };
    let mut sites: Vec<_> = locks.iter().enumerate().flat_map(|(row, lock)| shares(row, lock)).collect();
    sites.sort_by(|a, b| b.2.mean.total_cmp(&a.2.mean));
    let cut = cut_rows(&mut sites, choice, |site| &site.2);
    let kept: BTreeSet<(usize, usize)> = sites.iter().map(|&(row, at, _)| (row, at)).collect();
    for (row, lock) in locks.iter_mut().enumerate() {
        let mut at = 0..;
        lock.callers.retain(|_| at.next().is_some_and(|at| kept.contains(&(row, at))));
    }
    locks.retain(|lock| !lock.callers.is_empty());
    cut
}
