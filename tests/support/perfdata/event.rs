//! What is recorded: `struct perf_event_attr`, with the event's name and ids.

use super::fields::Fields;
use super::sample::field;

/// `PERF_FORMAT_*`: what a READ value holds.
pub mod format {
    pub const TOTAL_TIME_ENABLED: u64 = 1 << 0;
    pub const TOTAL_TIME_RUNNING: u64 = 1 << 1;
    pub const ID: u64 = 1 << 2;
    pub const GROUP: u64 = 1 << 3;
    pub const LOST: u64 = 1 << 4;
}

/// The attribute's one-bit flags, numbered in the order of their declaration.
pub mod flag {
    pub const DISABLED: u64 = 1 << 0;
    pub const INHERIT: u64 = 1 << 1;
    pub const EXCLUDE_USER: u64 = 1 << 4;
    pub const EXCLUDE_KERNEL: u64 = 1 << 5;
    pub const MMAP: u64 = 1 << 8;
    pub const COMM: u64 = 1 << 9;
    pub const FREQ: u64 = 1 << 10;
    pub const TASK: u64 = 1 << 13;
    pub const SAMPLE_ID_ALL: u64 = 1 << 18;
    pub const EXCLUDE_GUEST: u64 = 1 << 20;
    pub const MMAP2: u64 = 1 << 23;
    pub const COMM_EXEC: u64 = 1 << 24;
    pub const USE_CLOCKID: u64 = 1 << 25;
    pub const CONTEXT_SWITCH: u64 = 1 << 26;
    pub const WRITE_BACKWARD: u64 = 1 << 27;
    pub const NAMESPACES: u64 = 1 << 28;
    pub const KSYMBOL: u64 = 1 << 29;
    pub const BPF_EVENT: u64 = 1 << 30;
    pub const CGROUP: u64 = 1 << 32;
    pub const TEXT_POKE: u64 = 1 << 33;
    pub const BUILD_ID: u64 = 1 << 34;
    pub const DEFER_CALLCHAIN: u64 = 1 << 38;
    pub const DEFER_OUTPUT: u64 = 1 << 39;
}

/// `PERF_SAMPLE_BRANCH_*`: those that change what a branch stack holds, and two to choose branches.
pub mod branch {
    pub const USER: u64 = 1 << 0;
    pub const ANY: u64 = 1 << 3;
    pub const CALL_STACK: u64 = 1 << 11;
    pub const HW_INDEX: u64 = 1 << 17;
    pub const COUNTERS: u64 = 1 << 19;
}

/// One event of a recording.
#[derive(Clone, Debug, Default)]
pub struct Event {
    pub name: String,
    pub(super) ids: Option<Vec<u64>>,
    pub(super) sample_type: u64,
    pub(super) read_format: u64,
    pub(super) flags: u64,
    pub(super) branch_type: u64,
    kind: u32,
    config: u64,
    period_or_frequency: u64,
    precise_ip: u64,
    wakeup: u32,
    bp_type: u32,
    config1: u64,
    config2: u64,
    regs_user: u64,
    stack_user: u32,
    clockid: u32,
    regs_intr: u64,
    aux_watermark: u32,
    max_stack: u16,
    aux_sample_size: u32,
    sig_data: u64,
}

impl Event {
    /// An event by `PERF_TYPE_*` and config, with the flags and the sample type of `perf record -a`.
    pub fn new(kind: u32, config: u64, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            config,
            period_or_frequency: 4000,
            sample_type: field::IDENTIFIER
                | field::IP
                | field::TID
                | field::TIME
                | field::CPU
                | field::PERIOD,
            read_format: format::ID,
            flags: flag::DISABLED
                | flag::INHERIT
                | flag::MMAP
                | flag::COMM
                | flag::FREQ
                | flag::TASK
                | flag::SAMPLE_ID_ALL
                | flag::EXCLUDE_GUEST
                | flag::MMAP2
                | flag::COMM_EXEC,
            ..Self::default()
        }
    }

    /// Hardware cycles, 4000 times a second.
    pub fn cycles() -> Self {
        Self::new(0, 0, "cycles")
    }

    /// Hardware instructions, 4000 times a second.
    pub fn instructions() -> Self {
        Self::new(0, 1, "instructions")
    }

    /// The software clock whose periods are nanoseconds.
    pub fn cpu_clock() -> Self {
        Self::new(1, 0, "cpu-clock")
    }

    /// A tracepoint by its id, each of its hits, with the raw record.
    pub fn tracepoint(id: u64, name: &str) -> Self {
        Self::new(2, id, name).period(1).with(field::RAW)
    }

    /// Samples every `period` events instead of at a frequency.
    pub fn period(mut self, period: u64) -> Self {
        self.period_or_frequency = period;
        self.without_flags(flag::FREQ)
    }

    /// Samples `hertz` times a second.
    pub fn frequency(mut self, hertz: u64) -> Self {
        self.period_or_frequency = hertz;
        self.flags(flag::FREQ)
    }

    /// Records callchains.
    pub fn callchain(self) -> Self {
        self.with(field::CALLCHAIN)
    }

    /// Adds fields to the sample type.
    pub fn with(mut self, fields: u64) -> Self {
        self.sample_type |= fields;
        self
    }

    /// Takes fields from the sample type.
    pub fn without(mut self, fields: u64) -> Self {
        self.sample_type &= !fields;
        self
    }

    /// Replaces the read format.
    pub fn read_format(mut self, format: u64) -> Self {
        self.read_format = format;
        self
    }

    /// Sets flags.
    pub fn flags(mut self, flags: u64) -> Self {
        self.flags |= flags;
        self
    }

    /// Clears flags.
    pub fn without_flags(mut self, flags: u64) -> Self {
        self.flags &= !flags;
        self
    }

    /// Sets how precise the instruction pointer is, 0 to 3.
    pub fn precise_ip(mut self, precise: u64) -> Self {
        self.precise_ip = precise;
        self
    }

    /// Records branch stacks of this `branch_sample_type`.
    pub fn branches(mut self, kind: u64) -> Self {
        self.branch_type = kind;
        self.with(field::BRANCH_STACK)
    }

    /// Records these user registers, a bit each.
    pub fn regs_user(mut self, mask: u64) -> Self {
        self.regs_user = mask;
        self.with(field::REGS_USER)
    }

    /// Records these registers at the interrupt, a bit each.
    pub fn regs_intr(mut self, mask: u64) -> Self {
        self.regs_intr = mask;
        self.with(field::REGS_INTR)
    }

    /// Records up to `size` bytes of the user stack.
    pub fn stack_user(mut self, size: u32) -> Self {
        self.stack_user = size;
        self.with(field::STACK_USER)
    }

    /// Sets the second and the third word of the event's configuration.
    pub fn config_more(mut self, config1: u64, config2: u64) -> Self {
        (self.config1, self.config2) = (config1, config2);
        self
    }

    /// Takes times from this clock (`CLOCK_*`).
    pub fn clock(mut self, id: u32) -> Self {
        self.clockid = id;
        self.flags(flag::USE_CLOCKID)
    }

    /// Sets the ids; several are one for each cpu. Without a call, an event has one id of its own.
    pub fn ids(mut self, ids: &[u64]) -> Self {
        self.ids = Some(ids.to_vec());
        self
    }

    /// The number of the event within its type.
    pub(super) fn config(&self) -> u64 {
        self.config
    }

    /// The id of what is recorded on this cpu.
    pub(super) fn id_on(&self, cpu: u32) -> u64 {
        let ids = self.ids.as_deref().unwrap_or_default();
        ids.get(cpu as usize).or_else(|| ids.first()).copied().unwrap_or(0)
    }

    /// The attribute as 128 known bytes, cut or filled with zeros to `size`, which it says of itself.
    pub(super) fn attr(&self, size: u32) -> Fields {
        let bit = |number: u32| (self.flags >> number & 1, 1);
        let mut flags: Vec<(u64, u32)> = (0..15).map(bit).collect();
        flags.push((self.precise_ip, 2));
        flags.extend((17..64).map(bit));
        let attr = Fields::new()
            .u32(self.kind)
            .u32(size)
            .u64(self.config)
            .u64(self.period_or_frequency)
            .u64(self.sample_type)
            .u64(self.read_format)
            .bits(&flags)
            .u32(self.wakeup)
            .u32(self.bp_type)
            .u64(self.config1)
            .u64(self.config2)
            .u64(self.branch_type)
            .u64(self.regs_user)
            .u32(self.stack_user)
            .u32(self.clockid)
            .u64(self.regs_intr)
            .u32(self.aux_watermark)
            .u16(self.max_stack)
            .u16(0)
            .u32(self.aux_sample_size)
            .u32(0)
            .u64(self.sig_data);
        Fields::new().sized(attr, size as usize)
    }
}
