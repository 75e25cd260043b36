//! The feature sections of the header: the machine, the command line, the events' names, build-ids.

use super::event::Event;
use super::fields::Fields;
use super::record::{KERNEL_PID, kind, misc};

/// `HEADER_*`: the numbers of the features.
pub mod id {
    pub const TRACING_DATA: u32 = 1;
    pub const BUILD_ID: u32 = 2;
    pub const HOSTNAME: u32 = 3;
    pub const OSRELEASE: u32 = 4;
    pub const VERSION: u32 = 5;
    pub const ARCH: u32 = 6;
    pub const NRCPUS: u32 = 7;
    pub const CPUDESC: u32 = 8;
    pub const CPUID: u32 = 9;
    pub const TOTAL_MEM: u32 = 10;
    pub const CMDLINE: u32 = 11;
    pub const EVENT_DESC: u32 = 12;
    pub const GROUP_DESC: u32 = 17;
    pub const SAMPLE_TIME: u32 = 21;
    pub const DIR_FORMAT: u32 = 24;
    pub const COMPRESSED: u32 = 27;
    pub const SIMPLEPERF_FILE: u32 = 128;
    pub const SIMPLEPERF_META_INFO: u32 = 129;
    pub const SIMPLEPERF_FILE2: u32 = 132;
}

/// One feature: its number and its section.
#[derive(Clone, Debug)]
pub struct Feature {
    pub(super) id: u32,
    pub(super) body: Fields,
}

impl Feature {
    /// Any feature, from its bytes.
    pub fn raw(id: u32, body: &[u8]) -> Self {
        Self { id, body: Fields::new().bytes(body) }
    }

    /// One of those that are a single string: HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID.
    pub fn string(id: u32, text: &str) -> Self {
        Self { id, body: string(text) }
    }

    /// NRCPUS: cpus that the machine may have, and those that were online.
    pub fn cpus(available: u32, online: u32) -> Self {
        Self { id: id::NRCPUS, body: Fields::new().u32(available).u32(online) }
    }

    /// TOTAL_MEM, in KiB as perf writes it.
    pub fn total_memory(kib: u64) -> Self {
        Self { id: id::TOTAL_MEM, body: Fields::new().u64(kib) }
    }

    /// CMDLINE: the words of the command.
    pub fn command(words: &[&str]) -> Self {
        let head = Fields::new().u32(words.len() as u32);
        let body = words.iter().fold(head, |fields, word| fields.then(string(word)));
        Self { id: id::CMDLINE, body }
    }

    /// SAMPLE_TIME: the times of the first and of the last sample, in ns.
    pub fn sample_time(first: u64, last: u64) -> Self {
        Self { id: id::SAMPLE_TIME, body: Fields::new().u64(first).u64(last) }
    }

    /// GROUP_DESC: for each group its name, the position of its leader and its number of events.
    pub fn groups(groups: &[(&str, u32, u32)]) -> Self {
        let head = Fields::new().u32(groups.len() as u32);
        let body = groups.iter().fold(head, |fields, (name, leader, members)| {
            fields.then(string(name)).u32(*leader).u32(*members)
        });
        Self { id: id::GROUP_DESC, body }
    }

    /// COMPRESSED: zstd at level 1, and the most bytes that one record unpacks to.
    pub(super) fn compressed(unpacked: u32) -> Self {
        let (version, zstd, level, ratio) = (0, 1, 1, 2);
        let body = Fields::new().u32(version).u32(zstd).u32(level).u32(ratio).u32(unpacked);
        Self { id: id::COMPRESSED, body }
    }

    /// DIR_FORMAT: the data lie in files beside this one.
    pub(super) fn directory() -> Self {
        Self { id: id::DIR_FORMAT, body: Fields::new().u64(1) }
    }

    /// EVENT_DESC: attribute, name and ids of each event.
    pub(super) fn events(events: &[Event], attr_size: u32) -> Self {
        let mut body = Fields::new().u32(events.len() as u32).u32(attr_size);
        for event in events {
            let ids = event.ids.as_deref().unwrap_or_default();
            body = body.then(event.attr(attr_size)).u32(ids.len() as u32).then(string(&event.name)).u64s(ids);
        }
        Self { id: id::EVENT_DESC, body }
    }

    /// BUILD_ID: one record each.
    pub(super) fn build_ids(build_ids: &[BuildId]) -> Self {
        let body = build_ids.iter().fold(Fields::new(), |fields, build_id| {
            let body = build_id.body();
            let misc = build_id.misc | misc::BUILD_ID_SIZE;
            fields.u32(kind::HEADER_BUILD_ID).u16(misc).u16(8 + body.len() as u16).then(body)
        });
        Self { id: id::BUILD_ID, body }
    }
}

/// `perf_header_string`: a length, and a string that is filled up to a multiple of 64 bytes.
fn string(text: &str) -> Fields {
    let padded = (text.len() + 1).next_multiple_of(64);
    Fields::new().u32(padded as u32).sized(Fields::new().bytes(text.as_bytes()), padded)
}

/// The build-id of a file or of the kernel.
#[derive(Clone, Debug)]
pub struct BuildId {
    pub(super) misc: u16,
    id: Vec<u8>,
    filename: String,
}

impl BuildId {
    /// The kernel's.
    pub fn kernel(id: &[u8]) -> Self {
        Self { misc: misc::KERNEL, id: id.to_vec(), filename: "[kernel.kallsyms]".to_owned() }
    }

    /// A user file's.
    pub fn user(id: &[u8], filename: &str) -> Self {
        Self { misc: misc::USER, id: id.to_vec(), filename: filename.to_owned() }
    }

    /// The same for another file: a module of the kernel.
    pub fn of_file(self, filename: &str) -> Self {
        Self { filename: filename.to_owned(), ..self }
    }

    /// `build_id_event` behind its header: pid, the id in 20 bytes, its size, the name.
    pub(super) fn body(&self) -> Fields {
        let name = (self.filename.len() + 1).next_multiple_of(64);
        Fields::new()
            .u32(KERNEL_PID)
            .sized(Fields::new().bytes(&self.id), 20)
            .bytes(&[self.id.len() as u8, 0, 0, 0])
            .sized(Fields::new().bytes(self.filename.as_bytes()), name)
    }
}
