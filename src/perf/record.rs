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
    pub const SAMPLE: u32 = 9;
    pub const MMAP2: u32 = 10;
    pub const LOST_SAMPLES: u32 = 13;
    pub const KSYMBOL: u32 = 17;
    pub const CALLCHAIN_DEFERRED: u32 = 22;
    pub const HEADER_ATTR: u32 = 64;
    pub const HEADER_TRACING_DATA: u32 = 66;
    pub const HEADER_BUILD_ID: u32 = 67;
    pub const AUXTRACE: u32 = 71;
    pub const EVENT_UPDATE: u32 = 78;
    pub const HEADER_FEATURE: u32 = 80;
    pub const COMPRESSED: u32 = 81;
    pub const COMPRESSED2: u32 = 83;
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

const TOOL_NAMES: [&str; 21] = [
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
];

/// The name of a record type as perf writes it.
pub fn type_name(kind: u32) -> String {
    let known = match kind {
        1..64 => KERNEL_NAMES.get(kind as usize),
        _ => kind.checked_sub(kind::USER).and_then(|i| TOOL_NAMES.get(i as usize)),
    };
    known.map_or_else(|| format!("UNKNOWN({kind})"), |&name| name.to_owned())
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
    /// Where its header stands, counted from the front of the walk.
    pub offset: usize,
}

/// Why a walk ended before the end of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadRecord {
    /// Where the header stands.
    pub offset: usize,
    /// What it claims.
    pub size: usize,
    /// The bytes that are left there.
    pub left: usize,
}

/// A walk over the records of a slice.
#[derive(Debug)]
pub struct Walk<'a> {
    data: &'a [u8],
    offset: usize,
    endian: Endian,
    bad: Option<BadRecord>,
}

impl<'a> Walk<'a> {
    /// Starts at the front of `data`.
    pub fn new(data: &'a [u8], endian: Endian) -> Self {
        Self { data, offset: 0, endian, bad: None }
    }

    /// Where the next header stands.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
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
        let mut head = Bytes::new(rest, self.endian);
        let header = (|| Some((head.u32()?, head.u16()?, head.u16()? as usize)))();
        let (kind, misc, size) = header.unwrap_or((0, 0, 0));
        let Some(body) = rest.get(8..size) else {
            self.bad = Some(BadRecord { offset: self.offset, size, left: rest.len() });
            self.offset = self.data.len();
            return None;
        };
        let record = Record { kind, misc, body, offset: self.offset };
        self.offset += size + trailing_data(kind, body, self.endian);
        Some(record)
    }
}

/// Bytes that follow a record outside its size. A damaged count ends the walk, as the next header lies past the end.
fn trailing_data(kind: u32, body: &[u8], endian: Endian) -> usize {
    let mut bytes = Bytes::new(body, endian);
    match kind {
        kind::AUXTRACE => bytes.u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
        // Four bytes of length alone say that the data follows; some recorders put it inside the record.
        kind::HEADER_TRACING_DATA if body.len() <= 8 => {
            bytes.u32().map_or(0, |n| (n as usize).next_multiple_of(8))
        }
        _ => 0,
    }
    .min(isize::MAX as usize >> 1)
}
