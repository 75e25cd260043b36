//! What a mailed text tells, as a profile of symbols, so that everything behind it is the same as for a recording.
//!
//! A report's shares become weights of a round total. What it does not print (rows and callers below its limit) is
//! weight without frames: the total stays whole, and nothing is guessed.

use std::collections::HashMap;

use crate::id::{FrameId, Interner, PartId};
use crate::profile::part::{EMPTY, Parts};
use crate::profile::{Entry, EntryKey, ModuleKind, NO_CPU, Profile};
use crate::symbol::{Naming, Reason, Symbol};
use crate::text::{Caller, PerfReport, Row, Stacks};
use crate::units::Weight;

/// The weight that stands for all of a report's event: shares are printed with two decimals, so this is exact.
pub const WHOLE: u64 = 1_000_000_000;

/// The callchains that a report prints.
pub fn of_report(report: &PerfReport) -> Profile<Symbol> {
    let mut building = Building::default();
    let mut told = 0;
    for row in &report.rows {
        let leaf = building.frame(Some(&row.symbol), row.module.as_deref(), is_kernel(row));
        let weight = (row.share * WHOLE as f64).round() as u64;
        told += weight;
        let comm = row.comm.as_deref().unwrap_or_default();
        building.branches(row, &row.callers, &mut vec![leaf], weight, comm);
    }
    // Percentages are rounded: together they may be a little more than all.
    building.add(&[], WHOLE.saturating_sub(told), 0, "");
    building.finish()
}

/// The callchains of samples that were printed.
pub fn of_stacks(stacks: &Stacks) -> Profile<Symbol> {
    let mut building = Building::default();
    for stack in &stacks.samples {
        let frames: Vec<FrameId> = stack
            .frames
            .iter()
            .map(|frame| {
                let kernel = frame.kernel.unwrap_or_else(|| module_is_kernel(frame.module.as_deref()));
                match (&frame.symbol, frame.address) {
                    (None, Some(address)) => building.frame(
                        Some(&format!("[unknown]+0x{address:x}")),
                        frame.module.as_deref(),
                        kernel,
                    ),
                    (symbol, _) => building.frame(symbol.as_deref(), frame.module.as_deref(), kernel),
                }
            })
            .collect();
        building.add(&frames, stack.weight, stack.count, stack.comm.as_deref().unwrap_or_default());
    }
    building.finish()
}

/// Whether a row's function runs in the kernel: perf's letter tells, else the object's name; without either it is
/// taken to, as locks of the kernel are what such lists are mailed for.
fn is_kernel(row: &Row) -> bool {
    match row.space {
        Some(letter) => matches!(letter, 'k' | 'g'),
        None => row.module.is_none() || module_is_kernel(row.module.as_deref()),
    }
}

fn module_is_kernel(module: Option<&str>) -> bool {
    module.is_none_or(|name| {
        name.starts_with('[') && !["[vdso]", "[vsyscall]", "[unknown]", "[heap]", "[stack]"].contains(&name)
    })
}

#[derive(Default)]
struct Building {
    frames: Vec<Symbol>,
    ids: HashMap<Symbol, FrameId>,
    parts: Parts,
    part_ids: HashMap<Vec<FrameId>, PartId>,
    comms: Interner,
    sums: HashMap<(PartId, crate::id::NameId, bool), (Weight, u64)>,
}

impl Building {
    fn frame(&mut self, name: Option<&str>, module: Option<&str>, kernel: bool) -> FrameId {
        let module = module.unwrap_or(if kernel { "[kernel.kallsyms]" } else { "[unknown]" });
        // As recordings name it: by the file, without its folders.
        let module =
            if module.starts_with('[') { module } else { module.rsplit('/').next().unwrap_or(module) };
        let named = name.filter(|name| !name.starts_with("0x") && !name.starts_with("[unknown]"));
        let symbol = Symbol {
            name: name.unwrap_or("[unknown]").to_owned(),
            module: module.to_owned(),
            kind: if kernel { ModuleKind::Kernel } else { ModuleKind::User },
            naming: if named.is_some() { Naming::Named } else { Naming::Unnamed(Reason::Gap) },
        };
        *self.ids.entry(symbol).or_insert_with_key(|symbol| {
            self.frames.push(symbol.clone());
            FrameId(self.frames.len() as u32 - 1)
        })
    }

    /// Adds the callchains through these callers, and what is left of the weight without them.
    fn branches(&mut self, row: &Row, callers: &[Caller], chain: &mut Vec<FrameId>, weight: u64, comm: &str) {
        let whole = (row.share * WHOLE as f64).round();
        let mut left = weight;
        for caller in callers {
            let own = ((caller.share_of_row * whole).round() as u64).min(left);
            let Some(name) = &caller.symbol else { continue };
            left -= own;
            let frame = self.frame(Some(name), None, is_kernel(row));
            chain.push(frame);
            self.branches(row, &caller.callers, chain, own, comm);
            chain.pop();
        }
        self.add(&chain.clone(), left, 0, comm);
    }

    fn add(&mut self, chain: &[FrameId], weight: u64, samples: u64, comm: &str) {
        if weight == 0 && samples == 0 {
            return;
        }
        let part = match self.part_ids.get(chain) {
            _ if chain.is_empty() => EMPTY,
            Some(&part) => part,
            None => {
                let part = self.parts.push(chain.iter().copied());
                self.part_ids.insert(chain.to_vec(), part);
                part
            }
        };
        let name = self.comms.intern(comm);
        let sum = self.sums.entry((part, name, comm == "swapper")).or_default();
        *sum = (sum.0 + Weight(weight), sum.1 + samples);
    }

    fn finish(self) -> Profile<Symbol> {
        let key = |(kernel, comm, idle)| EntryKey {
            kernel,
            user: EMPTY,
            comm,
            event: 0,
            cpu: NO_CPU,
            block: 0,
            idle,
        };
        let mut entries: Vec<Entry> = self
            .sums
            .into_iter()
            .map(|(parts, (weight, samples))| Entry { key: key(parts), weight, samples })
            .collect();
        entries.sort_unstable_by_key(|entry| entry.key);
        Profile {
            modules: Vec::new(),
            frames: self.frames,
            kernel: self.parts,
            user: Parts::default(),
            comms: self.comms,
            entries,
        }
    }
}
