//! Records to a profile of addresses: address spaces over time, folding into distinct callchains.
//!
//! Two walks: the first ([`survey`]) finds what happened besides samples, the second ([`fold`]) folds the samples and
//! needs no order among them. Who wants to know where weight lies in time walks once more ([`grid`]).

mod chain;
pub mod fold;
pub mod grid;
mod intern;
mod listing;
mod samples;
pub mod selection;
mod space;
pub mod survey;
mod task;

use rustc_hash::FxHashMap;

use crate::id::{FrameId, SpaceId};
use crate::perf::Recording;
use crate::profile::part::Parts;
use crate::profile::{Address, AddressKind, Entry, Profile};
use fold::{Folded, Tally};
use grid::Rewalk;
use intern::RawParts;
pub use listing::listings;
use samples::{Context, FOREIGN_SPACE};
use selection::Again;
pub use selection::Selection;
use space::FOREIGN;
use survey::Survey;

/// A recording as a profile of addresses, and what was met on the way.
#[derive(Debug)]
pub struct Ingested {
    /// Callchains with weights.
    pub profile: Profile<Address>,
    /// Counts for the data's quality.
    pub facts: Facts,
    /// What one more walk needs, where the selection asked for it.
    pub rewalk: Option<Rewalk>,
}

/// What was met on the way, besides weight.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Records by type.
    pub records: std::collections::BTreeMap<u32, u64>,
    /// SAMPLE records in the recording, whatever the selection.
    pub samples: u64,
    /// Lost records or samples.
    pub lost: u64,
    /// How often an event was throttled.
    pub throttled: u64,
    /// The first and the last sample's time.
    pub span: Option<(u64, u64)>,
    /// What folding counted.
    pub tally: Tally,
    /// What was damaged, one line each.
    pub damage: Vec<String>,
}

/// Reads all samples that the selection takes. `progress` is told of bytes done.
pub fn ingest(
    recording: &Recording,
    selection: &Selection,
    threads: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> Ingested {
    let survey = survey::survey(recording);
    let Folded { kernel, user, entries, tally } =
        fold::fold(&Context::new(recording, &survey, selection), threads, progress);
    let facts = facts(recording, &survey, tally);
    let mut entries: Vec<Entry> =
        entries.into_iter().map(|(key, (weight, samples))| Entry { key, weight, samples }).collect();
    entries.sort_unstable_by_key(|entry| entry.key);
    let profile = resolve(entries, (&kernel, &user), &survey);
    let rewalk = match selection.again {
        Again::Never => None,
        Again::Possible => Some(Rewalk { survey, selection: selection.clone(), kernel, user }),
    };
    Ingested { profile, facts, rewalk }
}

fn facts(recording: &Recording, survey: &Survey, tally: Tally) -> Facts {
    let mut damage = recording.damage.clone();
    damage.extend(survey.blocks.bad.iter().map(|(_, bad)| {
        format!(
            "the record at offset {} claims {} bytes where {} are left: reading stopped there",
            bad.offset, bad.size, bad.left
        )
    }));
    damage.extend(survey.blocks.bad_compression.iter().map(|why| format!("decompression stopped: {why}")));
    if survey.damaged_records > 0 {
        damage.push(format!("{} side-band records do not fit their own size", survey.damaged_records));
    }
    let damaged_tables = recording.features.symbols.damaged;
    if damaged_tables > 0 {
        damage
            .push(format!("{damaged_tables} of the recorder's tables of symbols are damaged, and left out"));
    }
    Facts {
        records: survey.records.clone(),
        samples: survey.samples(),
        lost: survey.lost,
        throttled: survey.throttled,
        span: survey.span,
        tally,
        damage,
    }
}

/// Raw words to frames: every distinct address of every distinct part is looked up once in its address space.
fn resolve(entries: Vec<Entry>, (kernel, user): (&RawParts, &RawParts), survey: &Survey) -> Profile<Address> {
    let spaces = &survey.spaces;
    let mut frames = FrameTable::default();
    let kernel = frames.parts(kernel, |space, word| spaces.resolve_kernel(space, word));
    let user = frames.parts(user, |space, word| match space {
        FOREIGN_SPACE => (FOREIGN, word),
        space => spaces.resolve_user(space, word),
    });
    Profile {
        frames: frames.frames,
        kernel,
        user,
        entries,
        comms: survey.tasks.names().clone(),
        modules: spaces.modules().to_vec(),
    }
}

#[derive(Default)]
struct FrameTable {
    frames: Vec<Address>,
    ids: FxHashMap<Address, FrameId>,
}

impl FrameTable {
    fn parts(
        &mut self,
        raw: &RawParts,
        resolve: impl Fn(SpaceId, u64) -> (crate::id::ModuleId, u64),
    ) -> Parts {
        let mut parts = Parts::default();
        for id in raw.ids().skip(1) {
            let (space, words) = raw.get(id);
            parts.push(words.iter().enumerate().map(|(depth, &word)| {
                // A return address at the very end of a mapping belongs to the call before it.
                let kind = if depth == 0 { AddressKind::Instruction } else { AddressKind::Return };
                let (module, offset) = match kind {
                    AddressKind::Instruction => resolve(space, word),
                    AddressKind::Return => {
                        let (module, offset) = resolve(space, word.wrapping_sub(1));
                        (module, offset.wrapping_add(1))
                    }
                };
                self.intern(Address { module, offset, kind })
            }));
        }
        parts
    }

    fn intern(&mut self, address: Address) -> FrameId {
        *self.ids.entry(address).or_insert_with(|| {
            self.frames.push(address);
            FrameId(self.frames.len() as u32 - 1)
        })
    }
}
