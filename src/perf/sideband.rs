//! Side-band records: mappings, names, forks, losses, with the time from the trailer that `sample_id_all` adds.

use super::attr::{EventAttr, sample_type as st};
use super::bytes::{Bytes, Endian, text};
use super::record::{CpuMode, Record, kind};

/// What a side-band record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideBand {
    /// Code was mapped.
    Mmap(Mmap),
    /// A thread has a new name; with exec also a new address space.
    Comm {
        /// The process.
        pid: u32,
        /// The thread.
        tid: u32,
        /// Its name.
        comm: String,
        /// It came with exec.
        exec: bool,
    },
    /// A thread or process came to be.
    Fork {
        /// The new process.
        pid: u32,
        /// Its parent.
        ppid: u32,
        /// The new thread.
        tid: u32,
        /// The thread that made it.
        ptid: u32,
        /// The recorder wrote it for a thread that ran already: its mappings follow, the parent's are not its own.
        synthesized: bool,
    },
    /// Records, or samples, were lost.
    Lost(u64),
    /// Samples were lost.
    LostSamples(u64),
    /// The kernel stopped an event for a while.
    Throttle,
    /// A symbol of the kernel came or went: BPF programs, trampolines.
    Ksymbol {
        /// Its address.
        addr: u64,
        /// Its bytes.
        len: u64,
        /// It went.
        unregister: bool,
        /// Its name.
        name: String,
    },
}

/// A mapping of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mmap {
    /// The process; -1 for the kernel.
    pub pid: u32,
    /// The first address.
    pub start: u64,
    /// Its bytes.
    pub len: u64,
    /// The offset in the file; for the kernel the address of its reference symbol.
    pub pgoff: u64,
    /// The file, or a name in brackets.
    pub path: String,
    /// Whether the kernel or a process maps it.
    pub mode: CpuMode,
    /// The build-id, where the kernel recorded one.
    pub build_id: Option<Vec<u8>>,
    /// The inode's number, where the record has it.
    pub inode: Option<u64>,
    /// What the memory may be used for: bits of `PROT_*`, or in records that lack them what their kind implies.
    pub prot: u32,
}

/// Bits of a mapping's `prot`.
pub mod prot {
    /// It may be read.
    pub const READ: u32 = 1;
    /// It may be run.
    pub const EXEC: u32 = 4;
    /// simpleperf's own: the mapping is a function that was generated, and its symbols are by the address it ran at.
    pub const GENERATED: u32 = 0x4000;
}

/// Decodes a side-band record; `None` for other types and for what does not fit.
pub fn decode(record: &Record<'_>, endian: Endian) -> Option<SideBand> {
    let mut bytes = Bytes::new(record.body, endian);
    match record.kind {
        kind::MMAP | kind::MMAP2 => decode_mmap(record, bytes).map(SideBand::Mmap),
        kind::COMM => {
            let (pid, tid) = (bytes.u32()?, bytes.u32()?);
            let exec = record.misc & (1 << 13) != 0;
            Some(SideBand::Comm { pid, tid, comm: text(bytes.c_string()), exec })
        }
        kind::FORK => {
            let (pid, ppid, tid, ptid) = (bytes.u32()?, bytes.u32()?, bytes.u32()?, bytes.u32()?);
            let synthesized = record.misc & (1 << 13) != 0;
            Some(SideBand::Fork { pid, ppid, tid, ptid, synthesized })
        }
        kind::LOST => {
            bytes.u64()?;
            bytes.u64().map(SideBand::Lost)
        }
        kind::LOST_SAMPLES => bytes.u64().map(SideBand::LostSamples),
        kind::THROTTLE => Some(SideBand::Throttle),
        kind::KSYMBOL => {
            let (addr, len) = (bytes.u64()?, bytes.u32()?);
            bytes.u16()?;
            let unregister = bytes.u16()? & 1 != 0;
            Some(SideBand::Ksymbol { addr, len: u64::from(len), unregister, name: text(bytes.c_string()) })
        }
        _ => None,
    }
}

fn decode_mmap(record: &Record<'_>, mut bytes: Bytes<'_>) -> Option<Mmap> {
    let pid = bytes.u32()?;
    bytes.u32()?;
    let (start, len, pgoff) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
    let (mut build_id, mut inode) = (None, None);
    const DATA: u16 = 1 << 13;
    let mut prot = if record.misc & DATA == 0 { prot::READ | prot::EXEC } else { prot::READ };
    if record.kind == kind::MMAP2 {
        let identity = bytes.take(24)?;
        if record.misc & (1 << 14) != 0 {
            let n = usize::from(identity[0]).min(20);
            build_id = Some(identity[4..4 + n].to_vec());
        } else {
            let mut fields = Bytes::new(identity, bytes.endian());
            fields.u64()?;
            inode = fields.u64();
        }
        prot = bytes.u32()?;
        bytes.u32()?;
    }
    let path = text(bytes.c_string());
    Some(Mmap { pid, start, len, pgoff, path, mode: CpuMode::of_misc(record.misc), build_id, inode, prot })
}

/// The user's part of the callchains that hold a cookie, recorded when the thread went back to user space. Slices point
/// into the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeferredCallchain<'a> {
    /// What the callchains hold in place of the part.
    pub cookie: u64,
    /// The part's words, leaf first, behind their context marker.
    pub callchain: &'a [u8],
}

/// Decodes a record of a deferred callchain; `None` where it does not fit its own size.
pub fn deferred_callchain<'a>(record: &Record<'a>, endian: Endian) -> Option<DeferredCallchain<'a>> {
    let mut bytes = Bytes::new(record.body, endian);
    let (cookie, length) = (bytes.u64()?, bytes.u64()?);
    Some(DeferredCallchain { cookie, callchain: bytes.take_items(length, 8)? })
}

/// The time in the trailer of a record that is no sample; `None` where the event's records have no trailer.
pub fn trailer_time(record: &Record<'_>, attr: &EventAttr, endian: Endian) -> Option<u64> {
    let behind = [st::ID, st::STREAM_ID, st::CPU, st::IDENTIFIER];
    trailer_field(record, attr, st::TIME, &behind, endian)?.u64()
}

/// The thread in the trailer of a record that is no sample; `None` where the event's records have no trailer.
pub fn trailer_tid(record: &Record<'_>, attr: &EventAttr, endian: Endian) -> Option<u32> {
    let behind = [st::TIME, st::ID, st::STREAM_ID, st::CPU, st::IDENTIFIER];
    let mut field = trailer_field(record, attr, st::TID, &behind, endian)?;
    field.u32()?;
    field.u32()
}

/// A field of eight bytes of the trailer, before those `behind` it that the event has.
fn trailer_field<'a>(
    record: &Record<'a>,
    attr: &EventAttr,
    field: u64,
    behind: &[u64],
    endian: Endian,
) -> Option<Bytes<'a>> {
    if !attr.has(super::attr::flag::SAMPLE_ID_ALL) || !attr.samples(field) || record.kind >= kind::USER {
        return None;
    }
    let at = record.body.len().checked_sub(super::event::size_of(attr, behind) + 8)?;
    Some(Bytes::new(&record.body[at..], endian))
}
