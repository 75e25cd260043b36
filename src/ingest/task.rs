//! The names of threads over time.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::id::{Interner, NameId};
use crate::perf::sideband::SideBand;

/// The names that threads had, and when.
#[derive(Debug, Default)]
pub struct Tasks {
    names: Interner,
    of_thread: FxHashMap<u32, Vec<(u64, NameId)>>,
}

impl Tasks {
    /// Takes a side-band record in; records come in the order of their times.
    pub fn apply(&mut self, time: u64, record: &SideBand) {
        match record {
            SideBand::Comm { tid, comm, .. } => {
                let name = self.names.intern(comm);
                self.of_thread.entry(*tid).or_default().push((time, name));
            }
            SideBand::Fork { tid, ptid, .. } => {
                if let Some(&(_, name)) = self.of_thread.get(ptid).and_then(|names| names.last()) {
                    self.of_thread.entry(*tid).or_default().push((time, name));
                }
            }
            _ => {}
        }
    }

    /// Names every thread that samples may come from as long as no record names it: `:tid`, as perf does, and the idle task.
    pub fn name_unnamed(&mut self, tids: impl IntoIterator<Item = u32>) {
        for tid in tids {
            let named = self.of_thread.entry(tid).or_default();
            if named.first().is_none_or(|(since, _)| *since > 0) {
                let name = if tid == 0 { "swapper".to_owned() } else { format!(":{}", tid.cast_signed()) };
                named.insert(0, (0, self.names.intern(&name)));
            }
        }
    }

    /// The name of a thread at a time.
    pub fn at(&self, tid: u32, time: u64) -> Option<NameId> {
        let names = self.of_thread.get(&tid)?;
        let after = names.partition_point(|(since, _)| *since <= time);
        Some(names.get(after.checked_sub(1)?)?.1)
    }

    /// The ids of these names, as far as any thread has them.
    pub fn ids_of(&self, names: &[String]) -> FxHashSet<NameId> {
        let used = self.of_thread.values().flatten().map(|&(_, id)| id);
        used.filter(|&id| names.iter().any(|name| name == self.names.name(id))).collect()
    }

    /// The string behind a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names.name(id)
    }

    /// All names.
    pub fn names(&self) -> &Interner {
        &self.names
    }
}
