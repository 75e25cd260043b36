//! The walk over records: a header of eight bytes, a type, a body; and the types that carry data outside their size.

use super::bytes::{Bytes, Endian};

/// Record types.
pub mod kind {
    #![allow(missing_docs, reason = "the names are the kernel's and perf's own")]
    pub const MMAP: u32 = 1;
    pub const LOST: u32 = 2;
    pub const COMM: u32 = 3;
    pub const EXIT: u32 = 4;
    pub const THROTTLE: u32 = 5;
    pub const UNTHROTTLE: u32 = 6;
    pub const FORK: u32 = 7;
    pub const READ: u32 = 8;
    pub const SAMPLE: u32 = 9;
    pub const MMAP2: u32 = 10;
    pub const AUX: u32 = 11;
    pub const LOST_SAMPLES: u32 = 13;
    pub const KSYMBOL: u32 = 17;
    pub const CALLCHAIN_DEFERRED: u32 = 22;
    pub const HEADER_ATTR: u32 = 64;
    pub const HEADER_TRACING_DATA: u32 = 66;
    pub const HEADER_BUILD_ID: u32 = 67;
    pub const FINISHED_ROUND: u32 = 68;
    pub const AUXTRACE: u32 = 71;
    pub const EVENT_UPDATE: u32 = 78;
    pub const HEADER_FEATURE: u32 = 80;
    pub const COMPRESSED: u32 = 81;
    pub const COMPRESSED2: u32 = 83;
    /// simpleperf's own types begin behind this one; their size has 32 bits.
    pub const SIMPLEPERF: u32 = 32768;
    pub const SIMPLEPERF_EVENT_ID: u32 = 32774;
    /// Types from here on are a recorder's own.
    pub const USER: u32 = 64;
}

const KERNEL_NAMES: [&str; 23] = [
    "",
    "MMAP",
    "LOST",
    "COMM",
    "EXIT",
    "THROTTLE",
    "UNTHROTTLE",
    "FORK",
    "READ",
    "SAMPLE",
    "MMAP2",
    "AUX",
    "ITRACE_START",
    "LOST_SAMPLES",
    "SWITCH",
    "SWITCH_CPU_WIDE",
    "NAMESPACES",
    "KSYMBOL",
    "BPF_EVENT",
    "CGROUP",
    "TEXT_POKE",
    "AUX_OUTPUT_HW_ID",
    "CALLCHAIN_DEFERRED",
];

const TOOL_NAMES: [&str; 23] = [
    "HEADER_ATTR",
    "HEADER_EVENT_TYPE",
    "HEADER_TRACING_DATA",
    "HEADER_BUILD_ID",
    "FINISHED_ROUND",
    "ID_INDEX",
    "AUXTRACE_INFO",
    "AUXTRACE",
    "AUXTRACE_ERROR",
    "THREAD_MAP",
    "CPU_MAP",
    "STAT_CONFIG",
    "STAT",
    "STAT_ROUND",
    "EVENT_UPDATE",
    "TIME_CONV",
    "HEADER_FEATURE",
    "COMPRESSED",
    "FINISHED_INIT",
    "COMPRESSED2",
    "BPF_METADATA",
    "SCHEDSTAT_CPU",
    "SCHEDSTAT_DOMAIN",
];

const SIMPLEPERF_NAMES: [&str; 10] = [
    "KERNEL_SYMBOL",
    "DSO",
    "SYMBOL",
    "SPLIT",
    "SPLIT_END",
    "EVENT_ID",
    "CALLCHAIN",
    "UNWINDING_RESULT",
    "TRACING_DATA",
    "DEBUG",
];

/// The name of a record type as its recorder writes it.
pub fn type_name(kind: u32) -> String {
    known_name(kind).map_or_else(|| format!("UNKNOWN({kind})"), str::to_owned)
}

fn known_name(kind: u32) -> Option<&'static str> {
    let name = match kind {
        1..kind::USER => KERNEL_NAMES.get(kind as usize),
        kind::USER..=kind::SIMPLEPERF => TOOL_NAMES.get((kind - kind::USER) as usize),
        _ => SIMPLEPERF_NAMES.get(kind.checked_sub(kind::SIMPLEPERF + 1)? as usize),
    };
    name.copied()
}

/// Whether a type is one that a recorder is known to write.
#[inline]
fn is_known(kind: u32) -> bool {
    const KERNEL: u32 = KERNEL_NAMES.len() as u32;
    const TOOL: u32 = kind::USER + TOOL_NAMES.len() as u32;
    const SIMPLEPERF: u32 = kind::SIMPLEPERF + 1 + SIMPLEPERF_NAMES.len() as u32;
    matches!(kind, 1..KERNEL | kind::USER..TOOL) || (kind > kind::SIMPLEPERF && kind < SIMPLEPERF)
}

/// Where the processor was, from a record's misc bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CpuMode {
    /// Not told.
    Unknown,
    /// The kernel.
    Kernel,
    /// User space.
    User,
    /// The hypervisor.
    Hypervisor,
    /// A guest's kernel.
    GuestKernel,
    /// A guest's user space.
    GuestUser,
}

impl CpuMode {
    /// The lowest three bits of misc.
    #[inline]
    pub fn of_misc(misc: u16) -> Self {
        match misc & 7 {
            1 => CpuMode::Kernel,
            2 => CpuMode::User,
            3 => CpuMode::Hypervisor,
            4 => CpuMode::GuestKernel,
            5 => CpuMode::GuestUser,
            _ => CpuMode::Unknown,
        }
    }
}

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its type.
    pub kind: u32,
    /// Its misc bits.
    pub misc: u16,
    /// What stands behind the header.
    pub body: &'a [u8],
    /// Where its header stands, counted from where the walk was told that it begins.
    pub position: u64,
}

/// Why a walk ended before the end of its bytes: a record whose type nobody knows, or that reaches past the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadRecord {
    /// Where the header stands in the bytes.
    pub offset: usize,
    /// The type, 0 where not even a header is left.
    pub kind: u32,
    /// The misc bits.
    pub misc: u16,
    /// What it claims.
    pub size: usize,
    /// The bytes that are left there.
    pub left: usize,
}

impl BadRecord {
    /// Whether it is there as a whole, and only its type is not known.
    pub fn is_foreign(&self) -> bool {
        !is_known(self.kind) && self.kind != 0 && (8..=self.left).contains(&self.size)
    }

    /// Whether it looks like a sample that was written without a size, as by a recorder whose ring was overrun while it read:
    /// what stands behind it may be old samples once more.
    pub fn is_overrun(&self) -> bool {
        self.kind == kind::SAMPLE && self.size == 0 && CpuMode::of_misc(self.misc) != CpuMode::Unknown
    }
}

/// A walk over the records of a slice.
#[derive(Debug)]
pub struct Walk<'a> {
    data: &'a [u8],
    offset: usize,
    position: u64,
    endian: Endian,
    types: Types,
    bad: Option<BadRecord>,
}

/// Which types a walk takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Types {
    /// Those that a recorder is known to write: another one is a sign of damage.
    Known,
    /// All.
    All,
}

impl<'a> Walk<'a> {
    /// Starts at the front of `data`.
    pub fn new(data: &'a [u8], endian: Endian) -> Self {
        Self::at(data, endian, 0)
    }

    /// Starts at the front of `data`, which stands at `position` of something larger.
    pub fn at(data: &'a [u8], endian: Endian, position: u64) -> Self {
        Self { data, offset: 0, position, endian, types: Types::Known, bad: None }
    }

    /// As [`Walk::at`], over records that were sifted: whatever type they have, they are records.
    pub fn sifted(data: &'a [u8], endian: Endian, position: u64) -> Self {
        Self { types: Types::All, ..Self::at(data, endian, position) }
    }

    /// Where the next header stands.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether the next header can be one: its type is known, its size is there. So is the end of the bytes.
    #[inline]
    pub fn is_sound(&self) -> bool {
        let rest = &self.data[self.offset.min(self.data.len())..];
        rest.is_empty()
            || header(rest, self.endian)
                .is_some_and(|(kind, _, size)| is_known(kind) && (8..=rest.len()).contains(&size))
    }

    /// The record that could not be read, after the walk ended.
    pub fn bad(&self) -> Option<BadRecord> {
        self.bad
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        let rest = self.data.get(self.offset..).filter(|rest| !rest.is_empty())?;
        let (kind, misc, size) = header(rest, self.endian).unwrap_or((0, 0, 0));
        let body = rest.get(8..size).filter(|_| self.types == Types::All || is_known(kind));
        let whole = body.and_then(|body| {
            let end = size.checked_add(trailing_data(kind, body, self.endian))?;
            (end <= rest.len()).then_some((body, end))
        });
        let Some((body, end)) = whole else {
            self.bad = Some(BadRecord { offset: self.offset, kind, misc, size, left: rest.len() });
            self.offset = self.data.len();
            return None;
        };
        let record = Record { kind, misc, body, position: self.position + self.offset as u64 };
        self.offset += end;
        Some(record)
    }
}

/// Type, misc bits and size of the record at the front of `data`.
#[inline]
fn header(data: &[u8], endian: Endian) -> Option<(u32, u16, usize)> {
    let mut head = Bytes::new(data, endian);
    let (kind, misc, size) = (head.u32()?, head.u16()?, head.u16()?);
    match kind > kind::SIMPLEPERF && is_known(kind) {
        false => Some((kind, misc, usize::from(size))),
        true => Some((kind, 0, usize::from(misc) << 16 | usize::from(size))),
    }
}

/// Bytes that follow a record outside its size. A damaged count ends the walk, as it reaches past the end.
fn trailing_data(kind: u32, body: &[u8], endian: Endian) -> usize {
    let mut bytes = Bytes::new(body, endian);
    match kind {
        kind::AUXTRACE => bytes.u64().map_or(0, |n| usize::try_from(n).unwrap_or(usize::MAX)),
        // Four bytes of length alone say that the data follows; some recorders put it inside the record.
        kind::HEADER_TRACING_DATA if body.len() <= 8 => {
            bytes.u32().map_or(0, |n| (n as usize).next_multiple_of(8))
        }
        _ => 0,
    }
}
