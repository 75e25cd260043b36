//! Records to a profile of addresses: address spaces over time, folding into distinct callchains.
//!
//! Two walks: the first ([`survey`]) finds what happened besides samples, the second ([`fold`]) folds the samples and
//! needs no order among them. Who wants to know where weight lies in time walks once more ([`grid`]).

mod chain;
mod deferred;
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
use crate::perf::block::Gap;
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
    /// The first offset from which on something is missing: the file ends there, or what stands there is damaged.
    pub truncated: Option<u64>,
    /// Bytes of AUX data: traces of the hardware, which are not decoded.
    pub aux: u64,
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
    damage.extend(gaps(recording, &survey.blocks.gaps));
    damage.extend(survey.blocks.bad_compression.iter().map(|problem| {
        let file = recording.file_name(problem.file);
        format!("{file}decompression stopped at offset {}: {}", problem.offset, problem.text)
    }));
    if survey.damaged_records > 0 {
        damage.push(format!("{} side-band records do not fit their own size", survey.damaged_records));
    }
    let damaged_tables = recording.features.symbols.damaged;
    if damaged_tables > 0 {
        damage
            .push(format!("{damaged_tables} of the recorder's tables of symbols are damaged, and left out"));
    }
    let gap = survey.blocks.gaps.iter().map(|gap| gap.range.start as u64);
    let packed = survey.blocks.bad_compression.iter().map(|problem| problem.offset as u64);
    // Of what was compressed, the file tells only where the compressed bytes stand.
    let undecodable = tally.undecodable_at.map(|at| survey.blocks.offset_of(recording, at));
    Facts {
        records: survey.records.clone(),
        samples: survey.samples(),
        lost: survey.lost,
        throttled: survey.throttled,
        span: survey.span,
        truncated: gap.chain(packed).chain(recording.cut).chain(undecodable).min(),
        aux: survey.aux,
        tally,
        damage,
    }
}

/// So many places are named one by one.
const NAMED_GAPS: usize = 3;

/// What to say of bytes that are no records.
fn gaps(recording: &Recording, gaps: &[Gap]) -> Vec<String> {
    let mut lines: Vec<String> = gaps
        .iter()
        .take(NAMED_GAPS)
        .map(|Gap { file, range, bad, is_last }| {
            let file = recording.file_name(*file);
            let (at, size, left) = (range.start, bad.size, bad.left);
            if bad.is_overrun() {
                return format!(
                    "{file}the sample at offset {at} has no size: the recorder's buffer was overrun, and the {left} bytes \
                     from there on may be old"
                );
            }
            if *is_last {
                return format!(
                    "{file}the record at offset {at} claims {size} bytes where {left} are left: reading stopped there"
                );
            }
            format!(
                "{file}the {} bytes from offset {at} on are no records: reading went on at offset {}",
                range.len(),
                range.end
            )
        })
        .collect();
    let rest = gaps.get(NAMED_GAPS..).unwrap_or_default();
    if !rest.is_empty() {
        let bytes: usize = rest.iter().map(|gap| gap.range.len()).sum();
        lines
            .push(format!("{bytes} more bytes, in {} places, are no records, and were left out", rest.len()));
    }
    lines
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
