//! `perf_event_attr` of any size: what was asked of the kernel for one event.

use super::bytes::{Bytes, Endian};

/// Bits of `sample_type`, in the order of their numbers, not of their fields.
pub mod sample_type {
    #![allow(missing_docs, reason = "the names are the kernel's own")]
    pub const IP: u64 = 1 << 0;
    pub const TID: u64 = 1 << 1;
    pub const TIME: u64 = 1 << 2;
    pub const ADDR: u64 = 1 << 3;
    pub const READ: u64 = 1 << 4;
    pub const CALLCHAIN: u64 = 1 << 5;
    pub const ID: u64 = 1 << 6;
    pub const CPU: u64 = 1 << 7;
    pub const PERIOD: u64 = 1 << 8;
    pub const STREAM_ID: u64 = 1 << 9;
    pub const RAW: u64 = 1 << 10;
    pub const BRANCH_STACK: u64 = 1 << 11;
    pub const REGS_USER: u64 = 1 << 12;
    pub const STACK_USER: u64 = 1 << 13;
    pub const WEIGHT: u64 = 1 << 14;
    pub const DATA_SRC: u64 = 1 << 15;
    pub const IDENTIFIER: u64 = 1 << 16;
    pub const TRANSACTION: u64 = 1 << 17;
    pub const REGS_INTR: u64 = 1 << 18;
    pub const PHYS_ADDR: u64 = 1 << 19;
    pub const AUX: u64 = 1 << 20;
    pub const CGROUP: u64 = 1 << 21;
    pub const DATA_PAGE_SIZE: u64 = 1 << 22;
    pub const CODE_PAGE_SIZE: u64 = 1 << 23;
    pub const WEIGHT_STRUCT: u64 = 1 << 24;

    /// The names, by bit.
    pub const NAMES: [&str; 25] = [
        "IP",
        "TID",
        "TIME",
        "ADDR",
        "READ",
        "CALLCHAIN",
        "ID",
        "CPU",
        "PERIOD",
        "STREAM_ID",
        "RAW",
        "BRANCH_STACK",
        "REGS_USER",
        "STACK_USER",
        "WEIGHT",
        "DATA_SRC",
        "IDENTIFIER",
        "TRANSACTION",
        "REGS_INTR",
        "PHYS_ADDR",
        "AUX",
        "CGROUP",
        "DATA_PAGE_SIZE",
        "CODE_PAGE_SIZE",
        "WEIGHT_STRUCT",
    ];
}

/// Bits of `read_format`.
pub mod read_format {
    #![allow(missing_docs, reason = "the names are the kernel's own")]
    pub const TOTAL_TIME_ENABLED: u64 = 1 << 0;
    pub const TOTAL_TIME_RUNNING: u64 = 1 << 1;
    pub const ID: u64 = 1 << 2;
    pub const GROUP: u64 = 1 << 3;
    pub const LOST: u64 = 1 << 4;
}

/// Bits of `branch_sample_type` that change a sample's shape, or what its branches mean.
pub mod branch_sample {
    #![allow(missing_docs, reason = "the names are the kernel's own")]
    pub const CALL_STACK: u64 = 1 << 11;
    pub const HW_INDEX: u64 = 1 << 17;
    pub const COUNTERS: u64 = 1 << 19;
}

/// Bits of the attribute's flags that this program asks about.
pub mod flag {
    #![allow(missing_docs, reason = "the names are the kernel's own")]
    pub const INHERIT: u64 = 1 << 1;
    pub const EXCLUDE_USER: u64 = 1 << 4;
    pub const EXCLUDE_KERNEL: u64 = 1 << 5;
    pub const FREQ: u64 = 1 << 10;
    pub const SAMPLE_ID_ALL: u64 = 1 << 18;
    pub const EXCLUDE_CALLCHAIN_KERNEL: u64 = 1 << 21;
    pub const EXCLUDE_CALLCHAIN_USER: u64 = 1 << 22;
    pub const WRITE_BACKWARD: u64 = 1 << 27;
}

/// One event's settings. Fields that the recorder's attribute was too short for are zero, as the ABI means it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventAttr {
    /// The PMU's number: 0 hardware, 1 software, 2 tracepoint, 3 cache, 4 raw, 5 breakpoint, above dynamic.
    pub kind: u32,
    /// Which event of the PMU.
    pub config: u64,
    /// The period, or the frequency where [`flag::FREQ`] is set.
    pub period_or_freq: u64,
    /// Which fields a sample has.
    pub sample_type: u64,
    /// The shape of READ.
    pub read_format: u64,
    /// Flags, bit 0 first.
    pub flags: u64,
    /// Kinds of branches, and fields of the branch stack.
    pub branch_sample_type: u64,
    /// Mask of user registers.
    pub regs_user: u64,
    /// Bytes of user stack asked for.
    pub stack_user: u32,
    /// Mask of registers at the interrupt.
    pub regs_intr: u64,
    /// The deepest callchain asked for, 0 for the system's limit.
    pub max_stack: u16,
}

impl EventAttr {
    /// Decodes the attribute at the front of `data`. Its own size field bounds it; a larger one than is known
    /// here is taken, and its tail ignored. `None` where even the first version does not fit.
    pub fn decode(data: &[u8], endian: Endian) -> Option<Self> {
        let own_size = Bytes::new(data.get(4..8)?, endian).u32()? as usize;
        let size = if own_size == 0 { 64 } else { own_size }.min(data.len());
        if size < 48 {
            return None;
        }
        let data = &data[..size];
        let u64_at = |at: usize| data.get(at..at + 8).and_then(|b| Bytes::new(b, endian).u64()).unwrap_or(0);
        let u32_at = |at: usize| data.get(at..at + 4).and_then(|b| Bytes::new(b, endian).u32()).unwrap_or(0);
        let u16_at = |at: usize| data.get(at..at + 2).and_then(|b| Bytes::new(b, endian).u16()).unwrap_or(0);
        // A bit field is laid out from the most significant end on big-endian machines.
        let flags = match endian {
            Endian::Little => u64_at(40),
            Endian::Big => u64_at(40).reverse_bits(),
        };
        Some(Self {
            kind: u32_at(0),
            config: u64_at(8),
            period_or_freq: u64_at(16),
            sample_type: u64_at(24),
            read_format: u64_at(32),
            flags,
            branch_sample_type: u64_at(72),
            regs_user: u64_at(80),
            stack_user: u32_at(88),
            regs_intr: u64_at(96),
            max_stack: u16_at(108),
        })
    }

    /// Whether all bits of `mask` are in the sample type.
    #[inline]
    pub fn samples(&self, mask: u64) -> bool {
        self.sample_type & mask == mask
    }

    /// Whether a sample has fields that are not known here.
    #[inline]
    pub fn samples_unknown(&self) -> bool {
        self.sample_type >> sample_type::NAMES.len() != 0
    }

    /// Whether a flag is set.
    #[inline]
    pub fn has(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    /// The name that perf gives to an event of this type, where no section of the file names it.
    pub fn default_name(&self) -> String {
        const HARDWARE: [&str; 10] = [
            "cycles",
            "instructions",
            "cache-references",
            "cache-misses",
            "branches",
            "branch-misses",
            "bus-cycles",
            "stalled-cycles-frontend",
            "stalled-cycles-backend",
            "ref-cycles",
        ];
        const SOFTWARE: [&str; 12] = [
            "cpu-clock",
            "task-clock",
            "page-faults",
            "context-switches",
            "cpu-migrations",
            "minor-faults",
            "major-faults",
            "alignment-faults",
            "emulation-faults",
            "dummy",
            "bpf-output",
            "cgroup-switches",
        ];
        let named = |names: &[&str]| {
            usize::try_from(self.config).ok().and_then(|i| names.get(i).copied().map(str::to_owned))
        };
        match self.kind {
            0 => named(&HARDWARE),
            1 => named(&SOFTWARE),
            2 => Some(format!("tracepoint:{}", self.config)),
            4 => Some(format!("raw 0x{:x}", self.config)),
            _ => None,
        }
        .unwrap_or_else(|| format!("pmu{}:0x{:x}", self.kind, self.config))
    }
}
