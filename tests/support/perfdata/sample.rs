//! `PERF_RECORD_SAMPLE`: every field of the ABI, in the order in which the kernel writes them.

use super::event::{Event, branch, format};
use super::fields::Fields;

/// `PERF_SAMPLE_*`: the fields of a sample.
pub mod field {
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
}

/// `PERF_CONTEXT_*`: the marks in a callchain that say where the next addresses belong.
pub mod context {
    pub const HYPERVISOR: u64 = -32_i64 as u64;
    pub const KERNEL: u64 = -128_i64 as u64;
    pub const USER: u64 = -512_i64 as u64;
    pub const USER_DEFERRED: u64 = -640_i64 as u64;
    pub const GUEST: u64 = -2048_i64 as u64;
    pub const GUEST_KERNEL: u64 = -2176_i64 as u64;
    pub const GUEST_USER: u64 = -2560_i64 as u64;
    /// Values from here up are marks.
    pub const MAX: u64 = -4095_i64 as u64;
}

/// One counter of a READ value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter {
    pub value: u64,
    pub id: u64,
    pub lost: u64,
}

/// A READ value: one counter, or those of a group; what is written depends on the event's read format.
#[derive(Clone, Debug, Default)]
pub struct Read {
    pub enabled: u64,
    pub running: u64,
    pub counters: Vec<Counter>,
}

impl Read {
    pub(super) fn fields(&self, read_format: u64) -> Fields {
        let has = |bit| read_format & bit != 0;
        let times = [(format::TOTAL_TIME_ENABLED, self.enabled), (format::TOTAL_TIME_RUNNING, self.running)];
        let times: Vec<u64> = times.into_iter().filter(|&(bit, _)| has(bit)).map(|(_, time)| time).collect();
        let more = |counter: &Counter| {
            let parts = [(format::ID, counter.id), (format::LOST, counter.lost)];
            parts.into_iter().filter(|&(bit, _)| has(bit)).map(|(_, part)| part).collect::<Vec<u64>>()
        };
        if has(format::GROUP) {
            let head = Fields::new().u64(self.counters.len() as u64).u64s(&times);
            self.counters.iter().fold(head, |fields, counter| fields.u64(counter.value).u64s(&more(counter)))
        } else {
            let counter = self.counters.first().copied().unwrap_or_default();
            Fields::new().u64(counter.value).u64s(&times).u64s(&more(&counter))
        }
    }
}

/// One taken branch, with the bit-fields of `struct perf_branch_entry`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Branch {
    pub from: u64,
    pub to: u64,
    pub mispredicted: u64,
    pub predicted: u64,
    pub in_transaction: u64,
    pub abort: u64,
    pub cycles: u64,
    pub kind: u64,
    pub speculation: u64,
    pub new_kind: u64,
    pub privilege: u64,
    /// The event counts of this branch; written with `PERF_SAMPLE_BRANCH_COUNTERS`.
    pub counters: u64,
}

/// A sample's branches, newest first.
#[derive(Clone, Debug, Default)]
pub struct Branches {
    /// Where the hardware's ring stood; written with `PERF_SAMPLE_BRANCH_HW_INDEX`.
    pub hw_index: u64,
    pub entries: Vec<Branch>,
}

impl Branches {
    /// A stack of calls as (from, to), newest first.
    pub fn calls(calls: &[(u64, u64)]) -> Self {
        let entries = calls.iter().map(|&(from, to)| Branch { from, to, ..Branch::default() });
        Self { entries: entries.collect(), ..Self::default() }
    }

    fn fields(&self, branch_type: u64) -> Fields {
        let mut fields = Fields::new().u64(self.entries.len() as u64);
        if branch_type & branch::HW_INDEX != 0 {
            fields = fields.u64(self.hw_index);
        }
        for entry in &self.entries {
            fields = fields.u64(entry.from).u64(entry.to).bits(&[
                (entry.mispredicted, 1),
                (entry.predicted, 1),
                (entry.in_transaction, 1),
                (entry.abort, 1),
                (entry.cycles, 16),
                (entry.kind, 4),
                (entry.speculation, 2),
                (entry.new_kind, 4),
                (entry.privilege, 3),
                (0, 31),
            ]);
        }
        if branch_type & branch::COUNTERS != 0 {
            fields = self.entries.iter().fold(fields, |fields, entry| fields.u64(entry.counters));
        }
        fields
    }
}

/// Registers, in the order of the bits of the event's mask.
#[derive(Clone, Debug, Default)]
pub enum Regs {
    /// ABI 0: there were none, as for the user registers of a kernel thread. No values follow.
    #[default]
    None,
    /// ABI 2: 64-bit values.
    Wide(Vec<u64>),
}

impl Regs {
    fn fields(&self) -> Fields {
        match self {
            Self::None => Fields::new().u64(0),
            Self::Wide(values) => Fields::new().u64(2).u64s(values),
        }
    }
}

/// A piece of the user stack.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// What is stored, a multiple of 8 bytes. With none, no `dyn_size` follows.
    pub bytes: Vec<u8>,
    /// How many of the bytes were copied from the stack.
    pub dyn_size: u64,
}

/// One sample. A field is written only where the event's sample type asks for it.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub(super) event: usize,
    pub(super) cpu: u32,
    misc: Option<u16>,
    id: Option<u64>,
    ip: Option<u64>,
    thread: (u32, u32),
    time: u64,
    addr: u64,
    stream_id: u64,
    period: u64,
    read: Read,
    chain: Vec<u64>,
    raw: Vec<u8>,
    branches: Branches,
    regs_user: Regs,
    stack_user: Stack,
    weight: u64,
    data_src: u64,
    transaction: u64,
    regs_intr: Regs,
    phys_addr: u64,
    cgroup: u64,
    data_page_size: u64,
    code_page_size: u64,
    aux: Vec<u8>,
}

/// A method of the same name for each field that is only stored.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        $($(#[$doc])* pub fn $name(mut self, $name: $type) -> Self {
            self.$name = $name;
            self
        })*
    };
}

impl Sample {
    /// A sample at this time (ns) of the first event, in thread 1000 of process 1000, on cpu 0, of period 1.
    pub fn at(time: u64) -> Self {
        Self { time, thread: (1000, 1000), period: 1, ..Self::default() }
    }

    /// The process and the thread.
    pub fn thread(mut self, pid: u32, tid: u32) -> Self {
        self.thread = (pid, tid);
        self
    }

    /// The instruction pointer, if it is not the chain's leaf.
    pub fn ip(mut self, ip: u64) -> Self {
        self.ip = Some(ip);
        self
    }

    /// The id, if it is not the one of the event on that cpu.
    pub fn id(mut self, id: u64) -> Self {
        self.id = Some(id);
        self
    }

    /// The header's `misc`, if the cpu mode does not follow from the chain's first mark.
    pub fn misc(mut self, misc: u16) -> Self {
        self.misc = Some(misc);
        self
    }

    /// Adds addresses of the kernel to the chain, leaf first, behind their mark.
    pub fn kernel_chain(self, addresses: &[u64]) -> Self {
        self.chain_in(context::KERNEL, addresses)
    }

    /// Adds addresses of the process to the chain, leaf first, behind their mark.
    pub fn user_chain(self, addresses: &[u64]) -> Self {
        self.chain_in(context::USER, addresses)
    }

    /// Adds addresses to the chain behind any mark.
    pub fn chain_in(mut self, mark: u64, addresses: &[u64]) -> Self {
        self.chain.push(mark);
        self.chain.extend(addresses);
        self
    }

    /// Ends the chain with the mark of a user's part that is recorded later, and its cookie.
    pub fn deferred_chain(self, cookie: u64) -> Self {
        self.chain_in(context::USER_DEFERRED, &[cookie])
    }

    /// The weight as three parts (`PERF_SAMPLE_WEIGHT_STRUCT`).
    pub fn weight_parts(self, var1: u32, var2: u16, var3: u16) -> Self {
        self.weight(u64::from(var1) | u64::from(var2) << 32 | u64::from(var3) << 48)
    }

    setters! {
        /// The position of the event in the recording.
        event: usize;
        /// The cpu.
        cpu: u32;
        /// The number of events that the sample stands for.
        period: u64;
        /// The address of the data.
        addr: u64;
        stream_id: u64;
        read: Read;
        /// The whole chain, marks included.
        chain: Vec<u64>;
        /// The raw record; zeros are added so that its size and itself fill 8-byte words.
        raw: Vec<u8>;
        branches: Branches;
        regs_user: Regs;
        stack_user: Stack;
        weight: u64;
        data_src: u64;
        transaction: u64;
        regs_intr: Regs;
        phys_addr: u64;
        cgroup: u64;
        data_page_size: u64;
        code_page_size: u64;
        aux: Vec<u8>;
    }

    /// The instruction pointer: as set, else the chain's leaf.
    fn leaf(&self) -> u64 {
        self.ip.or_else(|| self.chain.iter().copied().find(|&entry| entry < context::MAX)).unwrap_or(0)
    }

    /// The header's `misc`: as set, else the cpu mode of the chain's first mark or of the address.
    pub(super) fn header_misc(&self) -> u16 {
        let mode = match self.chain.first().copied() {
            Some(context::KERNEL) => 1,
            Some(context::USER) => 2,
            Some(context::HYPERVISOR) => 3,
            Some(context::GUEST_KERNEL) => 4,
            Some(context::GUEST_USER) => 5,
            _ if self.leaf() >> 63 == 1 => 1,
            _ => 2,
        };
        self.misc.unwrap_or(mode)
    }

    /// The record's body for this event.
    pub(super) fn fields(&self, event: &Event) -> Fields {
        let id = self.id.unwrap_or_else(|| event.id_on(self.cpu));
        let raw_size = (self.raw.len() + 4).next_multiple_of(8) - 4;
        let stack = Fields::new().u64(self.stack_user.bytes.len() as u64).bytes(&self.stack_user.bytes);
        let stack =
            if self.stack_user.bytes.is_empty() { stack } else { stack.u64(self.stack_user.dyn_size) };
        let one = |value| Fields::new().u64(value);
        let in_order: [(u64, Fields); 24] = [
            (field::IDENTIFIER, one(id)),
            (field::IP, one(self.leaf())),
            (field::TID, Fields::new().u32(self.thread.0).u32(self.thread.1)),
            (field::TIME, one(self.time)),
            (field::ADDR, one(self.addr)),
            (field::ID, one(id)),
            (field::STREAM_ID, one(self.stream_id)),
            (field::CPU, Fields::new().u32(self.cpu).u32(0)),
            (field::PERIOD, one(self.period)),
            (field::READ, self.read.fields(event.read_format)),
            (field::CALLCHAIN, one(self.chain.len() as u64).u64s(&self.chain)),
            (field::RAW, Fields::new().u32(raw_size as u32).sized(Fields::new().bytes(&self.raw), raw_size)),
            (field::BRANCH_STACK, self.branches.fields(event.branch_type)),
            (field::REGS_USER, self.regs_user.fields()),
            (field::STACK_USER, stack),
            (field::WEIGHT | field::WEIGHT_STRUCT, one(self.weight)),
            (field::DATA_SRC, one(self.data_src)),
            (field::TRANSACTION, one(self.transaction)),
            (field::REGS_INTR, self.regs_intr.fields()),
            (field::PHYS_ADDR, one(self.phys_addr)),
            (field::CGROUP, one(self.cgroup)),
            (field::DATA_PAGE_SIZE, one(self.data_page_size)),
            (field::CODE_PAGE_SIZE, one(self.code_page_size)),
            (field::AUX, one(self.aux.len() as u64).bytes(&self.aux)),
        ];
        let asked = in_order.into_iter().filter(|(bits, _)| event.sample_type & bits != 0);
        asked.fold(Fields::new(), |fields, (_, value)| fields.then(value))
    }
}
