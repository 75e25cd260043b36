//! User parts of callchains that the kernel records apart from their samples, and the cookies that join the two.
//!
//! The kernel walks a thread's user stack once, on its way back to user space, for all samples since it came in. Each of
//! these holds a cookie: the processor and a counter of that processor, which is the same only after 2³¹ more of them.
//! As perf joins them, a part belongs to the samples before it of the same thread that hold its cookie.

use super::intern::RawParts;
use crate::id::{PartId, SpaceId};

/// The parts by their cookies. Distinct parts are stored once, and each record takes 24 bytes beside them: together no
/// more than the records in the file, which have at least their header, cookie, length and trailer.
#[derive(Debug, Default)]
pub(super) struct DeferredParts {
    parts: RawParts,
    records: Vec<DeferredRecord>,
}

/// A record; the order is that in which parts are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DeferredRecord {
    cookie: u64,
    tid: u32,
    /// [`NO_TIME`] where it has none, so that it stands behind every sample.
    time: u64,
    part: PartId,
}

const NO_TIME: u64 = u64::MAX;

impl DeferredParts {
    /// Takes in the user part of a record.
    pub(super) fn add(&mut self, cookie: u64, user: &[u64], tid: Option<u32>, time: Option<u64>) {
        // Addresses mean what the sample's process says: no space is told apart here.
        let part = self.parts.intern(SpaceId(0), user);
        let (tid, time) = (tid.unwrap_or(u32::MAX), time.unwrap_or(NO_TIME));
        self.records.push(DeferredRecord { cookie, tid, time, part });
    }

    /// Makes ready for looking up, after the last record.
    pub(super) fn sort(&mut self) {
        self.records.sort_unstable();
        self.records.dedup();
    }

    /// The part for a cookie of a thread's sample, leaf first, and when it was recorded.
    pub(super) fn find(
        &self,
        cookie: u64,
        tid: Option<u32>,
        time: Option<u64>,
    ) -> Option<(Option<u64>, &[u64])> {
        let (tid, time) = (tid.unwrap_or(u32::MAX), time.unwrap_or(0));
        let before = |record: &DeferredRecord| (record.cookie, record.tid, record.time) < (cookie, tid, time);
        let found = self.records.get(self.records.partition_point(before))?;
        if (found.cookie, found.tid) != (cookie, tid) {
            return None;
        }
        let (_, words) = self.parts.get(found.part);
        Some(((found.time != NO_TIME).then_some(found.time), words))
    }
}
