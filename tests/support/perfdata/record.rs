//! Every record that is no sample, and the header and trailer that all records share.

use super::event::{Event, flag};
use super::fields::Fields;
use super::sample::{Read, Sample, field};

/// `PERF_RECORD_*`: the kernel's types below 64, perf's own from there.
pub mod kind {
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
    pub const ITRACE_START: u32 = 12;
    pub const LOST_SAMPLES: u32 = 13;
    pub const SWITCH: u32 = 14;
    pub const SWITCH_CPU_WIDE: u32 = 15;
    pub const NAMESPACES: u32 = 16;
    pub const KSYMBOL: u32 = 17;
    pub const BPF_EVENT: u32 = 18;
    pub const CGROUP: u32 = 19;
    pub const TEXT_POKE: u32 = 20;
    pub const AUX_OUTPUT_HW_ID: u32 = 21;
    pub const CALLCHAIN_DEFERRED: u32 = 22;
    pub const HEADER_ATTR: u32 = 64;
    pub const HEADER_TRACING_DATA: u32 = 66;
    pub const HEADER_BUILD_ID: u32 = 67;
    pub const FINISHED_ROUND: u32 = 68;
    pub const AUXTRACE: u32 = 71;
    pub const EVENT_UPDATE: u32 = 78;
    pub const HEADER_FEATURE: u32 = 80;
    pub const COMPRESSED: u32 = 81;
    pub const FINISHED_INIT: u32 = 82;
    pub const COMPRESSED2: u32 = 83;
}

/// `PERF_RECORD_MISC_*`: the cpu modes, and the bits that each type of record uses in its own way.
pub mod misc {
    pub const KERNEL: u16 = 1;
    pub const USER: u16 = 2;
    pub const HYPERVISOR: u16 = 3;
    pub const GUEST_KERNEL: u16 = 4;
    pub const GUEST_USER: u16 = 5;
    pub const MMAP_DATA: u16 = 1 << 13;
    pub const COMM_EXEC: u16 = 1 << 13;
    pub const SWITCH_OUT: u16 = 1 << 13;
    pub const EXACT_IP: u16 = 1 << 14;
    pub const SWITCH_OUT_PREEMPT: u16 = 1 << 14;
    pub const MMAP_BUILD_ID: u16 = 1 << 14;
    /// In a build-id record: the size of the id stands behind it.
    pub const BUILD_ID_SIZE: u16 = 1 << 15;
}

/// `PROT_*`, and simpleperf's bit for code that was generated.
pub mod prot {
    pub const READ: u32 = 1;
    pub const EXEC: u32 = 4;
    pub const GENERATED: u32 = 0x4000;
}

/// The pid of a kernel map.
pub const KERNEL_PID: u32 = u32::MAX;

/// A mapping: what of a file (or of the kernel) stands where in memory.
#[derive(Clone, Debug)]
pub struct Map {
    pub pid: u32,
    pub tid: u32,
    pub addr: u64,
    pub len: u64,
    pub pgoff: u64,
    pub filename: String,
}

impl Map {
    /// A process' mapping of `filename`, by its main thread.
    pub fn new(pid: u32, addr: u64, len: u64, pgoff: u64, filename: &str) -> Self {
        Self { pid, tid: pid, addr, len, pgoff, filename: filename.to_owned() }
    }

    fn head(&self) -> Fields {
        Fields::new().u32(self.pid).u32(self.tid).u64(self.addr).u64(self.len).u64(self.pgoff)
    }
}

/// What tells an MMAP2 record's file from others of the same name.
#[derive(Clone, Copy, Debug)]
pub enum Identity {
    /// The device's numbers, the inode and its generation.
    Inode { major: u32, minor: u32, inode: u64, generation: u64 },
    /// The ELF build-id.
    BuildId([u8; 20]),
}

#[derive(Clone, Debug)]
enum Body {
    Plain(Fields),
    Read { pid: u32, tid: u32, values: Read },
    Sample(Box<Sample>),
}

/// Who, where and when: what the trailer of `sample_id_all` tells.
#[derive(Clone, Copy, Debug, Default)]
struct Stamp {
    event: usize,
    thread: (u32, u32),
    time: u64,
    stream_id: u64,
    cpu: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trailer {
    AsTheEventSays,
    Omitted,
}

/// One record.
#[derive(Clone, Debug)]
pub struct Record {
    pub(super) kind: u32,
    misc: u16,
    body: Body,
    stamp: Stamp,
    trailer: Trailer,
    claimed_size: Option<u16>,
    behind: Vec<u8>,
}

impl From<Sample> for Record {
    fn from(sample: Sample) -> Self {
        let stamp = Stamp { event: sample.event, cpu: Some(sample.cpu), ..Stamp::default() };
        let misc = sample.header_misc();
        Self { body: Body::Sample(Box::new(sample)), stamp, misc, ..Self::plain(kind::SAMPLE, Fields::new()) }
    }
}

impl Record {
    fn plain(kind: u32, body: Fields) -> Self {
        Self {
            kind,
            misc: 0,
            body: Body::Plain(body),
            stamp: Stamp::default(),
            trailer: Trailer::AsTheEventSays,
            claimed_size: None,
            behind: Vec::new(),
        }
    }

    /// A record of any type with exactly this body, and no trailer.
    pub fn raw(kind: u32, body: &[u8]) -> Self {
        Self::plain(kind, Fields::new().bytes(body)).without_trailer()
    }

    /// Where the kernel's text stands: `[kernel.kallsyms]_text` at the address of `_text`.
    pub fn kernel_map(addr: u64, len: u64) -> Self {
        let map = Map {
            pid: KERNEL_PID,
            tid: 0,
            addr,
            len,
            pgoff: addr,
            filename: "[kernel.kallsyms]_text".to_owned(),
        };
        Self::mmap(&map).misc(misc::KERNEL)
    }

    /// Where a module's text stands.
    pub fn module_map(addr: u64, len: u64, path: &str) -> Self {
        let map = Map { pid: KERNEL_PID, tid: 0, addr, len, pgoff: 0, filename: path.to_owned() };
        Self::mmap(&map).misc(misc::KERNEL)
    }

    /// MMAP, of executable memory.
    pub fn mmap(map: &Map) -> Self {
        Self::plain(kind::MMAP, map.head().text(&map.filename)).misc(misc::USER).thread(map.pid, map.tid)
    }

    /// MMAP2, readable, executable and private.
    pub fn mmap2(map: &Map, identity: Identity) -> Self {
        let (file, bit) = match identity {
            Identity::Inode { major, minor, inode, generation } => {
                (Fields::new().u32(major).u32(minor).u64(inode).u64(generation), 0)
            }
            Identity::BuildId(id) => (Fields::new().bytes(&[20, 0, 0, 0]).bytes(&id), misc::MMAP_BUILD_ID),
        };
        let prot = prot::READ | prot::EXEC;
        Self::mmap2_of(map, file, prot).misc(misc::USER | bit)
    }

    /// MMAP2 of memory that may be used for this only.
    pub fn mmap2_with(map: &Map, prot: u32) -> Self {
        Self::mmap2_of(map, Fields::new().u64s(&[0, 0, 0]), prot).misc(misc::USER)
    }

    fn mmap2_of(map: &Map, file: Fields, prot: u32) -> Self {
        let private = 0b10;
        let body = map.head().then(file).u32(prot).u32(private).text(&map.filename);
        Self::plain(kind::MMAP2, body).thread(map.pid, map.tid)
    }

    /// COMM: a thread has this name from now on.
    pub fn comm(pid: u32, tid: u32, name: impl AsRef<[u8]>) -> Self {
        Self::plain(kind::COMM, Fields::new().u32(pid).u32(tid).text(name)).thread(pid, tid)
    }

    /// COMM because the process executes another program: its mappings are gone.
    pub fn exec(pid: u32, name: impl AsRef<[u8]>) -> Self {
        Self::comm(pid, pid, name).misc(misc::COMM_EXEC)
    }

    /// FORK: `(pid, tid)` comes from `(ppid, ptid)`.
    pub fn fork((pid, tid): (u32, u32), (ppid, ptid): (u32, u32), time: u64) -> Self {
        let body = Fields::new().u32(pid).u32(ppid).u32(tid).u32(ptid).u64(time);
        Self::plain(kind::FORK, body).thread(ppid, ptid).time(time)
    }

    /// EXIT of `(pid, tid)`.
    pub fn exit((pid, tid): (u32, u32), (ppid, ptid): (u32, u32), time: u64) -> Self {
        Self { kind: kind::EXIT, ..Self::fork((pid, tid), (ppid, ptid), time).thread(pid, tid) }
    }

    /// LOST: the ring was full for so many records.
    pub fn lost(id: u64, count: u64) -> Self {
        Self::plain(kind::LOST, Fields::new().u64(id).u64(count))
    }

    /// LOST_SAMPLES: the hardware dropped so many.
    pub fn lost_samples(count: u64) -> Self {
        Self::plain(kind::LOST_SAMPLES, Fields::new().u64(count))
    }

    /// THROTTLE: interrupts came too fast.
    pub fn throttle(time: u64, id: u64, stream_id: u64) -> Self {
        Self::plain(kind::THROTTLE, Fields::new().u64(time).u64(id).u64(stream_id)).time(time)
    }

    /// UNTHROTTLE.
    pub fn unthrottle(time: u64, id: u64, stream_id: u64) -> Self {
        Self { kind: kind::UNTHROTTLE, ..Self::throttle(time, id, stream_id) }
    }

    /// READ: the counters of a thread that ends.
    pub fn read(pid: u32, tid: u32, values: Read) -> Self {
        let record = Self::plain(kind::READ, Fields::new()).thread(pid, tid);
        Self { body: Body::Read { pid, tid, values }, ..record }
    }

    /// KSYMBOL of type BPF: the kernel gained a symbol.
    pub fn ksymbol(addr: u64, len: u32, name: &str) -> Self {
        Self::plain(kind::KSYMBOL, Fields::new().u64(addr).u32(len).u16(1).u16(0).text(name))
    }

    /// KSYMBOL of type BPF: the symbol went.
    pub fn ksymbol_gone(addr: u64, len: u32, name: &str) -> Self {
        Self::plain(kind::KSYMBOL, Fields::new().u64(addr).u32(len).u16(1).u16(1).text(name))
    }

    /// BPF_EVENT: a program was loaded (1) or unloaded (2).
    pub fn bpf_event(what: u16, id: u32, tag: [u8; 8]) -> Self {
        Self::plain(kind::BPF_EVENT, Fields::new().u16(what).u16(0).u32(id).bytes(&tag))
    }

    /// CGROUP: the path of a cgroup's id.
    pub fn cgroup(id: u64, path: &str) -> Self {
        Self::plain(kind::CGROUP, Fields::new().u64(id).text(path))
    }

    /// NAMESPACES: device and inode of each.
    pub fn namespaces(pid: u32, tid: u32, links: &[(u64, u64)]) -> Self {
        let head = Fields::new().u32(pid).u32(tid).u64(links.len() as u64);
        let body = links.iter().fold(head, |fields, &(dev, inode)| fields.u64(dev).u64(inode));
        Self::plain(kind::NAMESPACES, body).thread(pid, tid)
    }

    /// SWITCH: the thread comes in; with `misc::SWITCH_OUT` it goes.
    pub fn switch(pid: u32, tid: u32) -> Self {
        Self::plain(kind::SWITCH, Fields::new()).thread(pid, tid)
    }

    /// SWITCH_CPU_WIDE: the same, with the thread that comes next or came before.
    pub fn switch_cpu_wide((pid, tid): (u32, u32), (other_pid, other_tid): (u32, u32)) -> Self {
        Self::plain(kind::SWITCH_CPU_WIDE, Fields::new().u32(other_pid).u32(other_tid)).thread(pid, tid)
    }

    /// TEXT_POKE: the kernel changed its own text.
    pub fn text_poke(addr: u64, old: &[u8], new: &[u8]) -> Self {
        let head = Fields::new().u64(addr).u16(old.len() as u16).u16(new.len() as u16);
        let padded = (12 + old.len() + new.len()).next_multiple_of(8) - 12;
        Self::plain(kind::TEXT_POKE, head.sized(Fields::new().bytes(old).bytes(new), padded))
    }

    /// AUX: the hardware wrote a trace.
    pub fn aux(offset: u64, size: u64, flags: u64) -> Self {
        Self::plain(kind::AUX, Fields::new().u64(offset).u64(size).u64(flags))
    }

    /// ITRACE_START.
    pub fn itrace_start(pid: u32, tid: u32) -> Self {
        Self::plain(kind::ITRACE_START, Fields::new().u32(pid).u32(tid)).thread(pid, tid)
    }

    /// CALLCHAIN_DEFERRED: the user's part of the chains that hold this cookie.
    pub fn callchain_deferred(cookie: u64, chain: &[u64]) -> Self {
        let body = Fields::new().u64(cookie).u64(chain.len() as u64).u64s(chain);
        Self::plain(kind::CALLCHAIN_DEFERRED, body)
    }

    /// HEADER_TRACING_DATA as perf writes it into a pipe: the section stands behind the record, outside its size.
    pub fn tracing_data(section: &[u8]) -> Self {
        let size = section.len().next_multiple_of(8);
        let mut behind = section.to_vec();
        behind.resize(size, 0);
        Self { behind, ..Self::plain(kind::HEADER_TRACING_DATA, Fields::new().u32(size as u32)) }
    }

    /// HEADER_TRACING_DATA as simpleperf writes it: the section stands in the record.
    pub fn tracing_data_inside(section: &[u8]) -> Self {
        let size = section.len().next_multiple_of(4);
        let body = Fields::new().u32(section.len() as u32).sized(Fields::new().bytes(section), size);
        Self::plain(kind::HEADER_TRACING_DATA, body)
    }

    /// AUXTRACE: the trace itself, which stands behind the record and outside its size.
    pub fn auxtrace(offset: u64, cpu: u32, trace: &[u8]) -> Self {
        let reference = 0;
        let body = Fields::new().u64(trace.len() as u64).u64(offset).u64(reference);
        let body = body.u32(cpu).u32(u32::MAX).u32(cpu).u32(0);
        Self { behind: trace.to_vec(), ..Self::plain(kind::AUXTRACE, body) }
    }

    /// FINISHED_ROUND: nothing that follows is older than what stood before the last one.
    pub fn finished_round() -> Self {
        Self::plain(kind::FINISHED_ROUND, Fields::new())
    }

    /// One of the records that perf adds, from its fields.
    pub(super) fn own(kind: u32, body: Fields) -> Self {
        Self::plain(kind, body)
    }

    /// Replaces the header's `misc`.
    pub fn misc(mut self, misc: u16) -> Self {
        self.misc = misc;
        self
    }

    /// The process and the thread, for the trailer.
    pub fn thread(mut self, pid: u32, tid: u32) -> Self {
        self.stamp.thread = (pid, tid);
        self
    }

    /// The time in ns, for the trailer.
    pub fn time(mut self, time: u64) -> Self {
        self.stamp.time = time;
        self
    }

    /// The cpu, for the trailer and for the file of a directory.
    pub fn cpu(mut self, cpu: u32) -> Self {
        self.stamp.cpu = Some(cpu);
        self
    }

    /// The event whose attribute says what the trailer holds.
    pub fn event(mut self, event: usize) -> Self {
        self.stamp.event = event;
        self
    }

    /// Leaves the trailer away, whatever the event says.
    pub fn without_trailer(mut self) -> Self {
        self.trailer = Trailer::Omitted;
        self
    }

    /// Lets the header tell a size that may be wrong.
    pub fn claiming_size(mut self, size: u16) -> Self {
        self.claimed_size = Some(size);
        self
    }

    /// The cpu, where one was given.
    pub(super) fn on_cpu(&self) -> Option<u32> {
        self.stamp.cpu
    }

    /// Header, body, trailer, and what stands behind.
    pub(super) fn fields(&self, events: &[Event]) -> Fields {
        let event = &events[self.stamp.event];
        let body = match &self.body {
            Body::Plain(body) => body.clone(),
            Body::Read { pid, tid, values } => {
                Fields::new().u32(*pid).u32(*tid).then(values.fields(event.read_format))
            }
            Body::Sample(sample) => sample.fields(event),
        };
        let of_kernel = self.kind < kind::HEADER_ATTR && self.kind != kind::SAMPLE;
        let has_trailer = self.trailer == Trailer::AsTheEventSays && event.flags & flag::SAMPLE_ID_ALL != 0;
        let trailer = if of_kernel && has_trailer { self.stamp.fields(event) } else { Fields::new() };
        let size = self.claimed_size.unwrap_or_else(|| {
            u16::try_from(8 + body.len() + trailer.len()).expect("a record holds at most 65535 bytes")
        });
        let header = Fields::new().u32(self.kind).u16(self.misc).u16(size);
        header.then(body).then(trailer).bytes(&self.behind)
    }
}

impl Stamp {
    /// `struct sample_id`.
    fn fields(&self, event: &Event) -> Fields {
        let cpu = self.cpu.unwrap_or(0);
        let id = event.id_on(cpu);
        let one = |value| Fields::new().u64(value);
        let in_order = [
            (field::TID, Fields::new().u32(self.thread.0).u32(self.thread.1)),
            (field::TIME, one(self.time)),
            (field::ID, one(id)),
            (field::STREAM_ID, one(self.stream_id)),
            (field::CPU, Fields::new().u32(cpu).u32(0)),
            (field::IDENTIFIER, one(id)),
        ];
        let asked = in_order.into_iter().filter(|(bit, _)| event.sample_type & bit != 0);
        asked.fold(Fields::new(), |fields, (_, value)| fields.then(value))
    }
}
