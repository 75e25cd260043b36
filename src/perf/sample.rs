//! The zero-copy decoder of SAMPLE records: every field of the ABI, in the ABI's order.
//!
//! Our own, because the reader library has the two shapes of READ the wrong way round, does not skip
//! WEIGHT_STRUCT and CGROUP, and keeps no branch stack.

use super::attr::{EventAttr, branch_sample, read_format, sample_type as st};
use super::bytes::{Bytes, Endian};

/// One sample; a field is `None` or empty where the event did not ask for it. Slices point into the record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sample<'a> {
    /// The event's id, from IDENTIFIER or ID.
    pub id: Option<u64>,
    /// The instruction pointer.
    pub ip: Option<u64>,
    /// The process.
    pub pid: Option<u32>,
    /// The thread.
    pub tid: Option<u32>,
    /// Nanoseconds of the recording's clock.
    pub time: Option<u64>,
    /// A data address.
    pub addr: Option<u64>,
    /// The id of the event before inheritance.
    pub stream_id: Option<u64>,
    /// The processor.
    pub cpu: Option<u32>,
    /// The weight of this sample.
    pub period: Option<u64>,
    /// Counter values.
    pub read: Option<Read<'a>>,
    /// The callchain's words, leaf first, with context markers between.
    pub callchain: Option<&'a [u8]>,
    /// A tracepoint's own fields.
    pub raw: Option<&'a [u8]>,
    /// Taken branches.
    pub branch_stack: Option<BranchStack<'a>>,
    /// Registers of user space.
    pub regs_user: Option<Registers<'a>>,
    /// Bytes of the user stack, without what was not filled.
    pub stack_user: Option<&'a [u8]>,
    /// WEIGHT, or the 64 bits of WEIGHT_STRUCT.
    pub weight: Option<u64>,
    /// Where data came from.
    pub data_src: Option<u64>,
    /// Transaction flags.
    pub transaction: Option<u64>,
    /// Registers where the interrupt hit.
    pub regs_intr: Option<Registers<'a>>,
    /// The physical data address.
    pub phys_addr: Option<u64>,
    /// The control group's id.
    pub cgroup: Option<u64>,
    /// The data address's page size.
    pub data_page_size: Option<u64>,
    /// The code address's page size.
    pub code_page_size: Option<u64>,
    /// A snapshot of the AUX area.
    pub aux: Option<&'a [u8]>,
}

/// The values of READ: one, or one for each member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read<'a> {
    /// Nanoseconds that the event was enabled.
    pub time_enabled: Option<u64>,
    /// Nanoseconds that it counted.
    pub time_running: Option<u64>,
    single: Option<ReadValue>,
    group: &'a [u8],
    format: u64,
    endian: Endian,
}

/// A counter's value in READ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadValue {
    /// The count since the event was opened.
    pub value: u64,
    /// Whose count.
    pub id: Option<u64>,
    /// Samples that this event lost.
    pub lost: Option<u64>,
}

impl Read<'_> {
    /// The values in the kernel's order.
    pub fn values(&self) -> impl Iterator<Item = ReadValue> + '_ {
        let mut bytes = Bytes::new(self.group, self.endian);
        let members = std::iter::from_fn(move || {
            let value = bytes.u64()?;
            let id = if self.format & read_format::ID != 0 { Some(bytes.u64()?) } else { None };
            let lost = if self.format & read_format::LOST != 0 { Some(bytes.u64()?) } else { None };
            Some(ReadValue { value, id, lost })
        });
        self.single.into_iter().chain(members)
    }
}

/// Taken branches, newest first: 24 bytes each (from, to, flags).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchStack<'a> {
    /// The hardware's index of the newest entry.
    pub hw_index: Option<u64>,
    /// The entries.
    pub entries: &'a [u8],
    /// A counter word for each entry, or nothing.
    pub counters: &'a [u8],
}

/// A set of registers: 8 bytes for each bit of the attribute's mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers<'a> {
    /// 0 none, 1 of 32 bits, 2 of 64 bits.
    pub abi: u64,
    /// The values, lowest bit of the mask first.
    pub values: &'a [u8],
}

/// Decodes a SAMPLE's body. `None` where a field reaches past the record's end.
#[inline]
pub fn decode<'a>(body: &'a [u8], attr: &EventAttr, endian: Endian) -> Option<Sample<'a>> {
    decode_from(&mut Bytes::new(body, endian), attr)
}

/// How many bytes stand in a SAMPLE's body behind its fields: padding, where it is whole. `None` where a field reaches past
/// the end.
pub fn left_over(body: &[u8], attr: &EventAttr, endian: Endian) -> Option<usize> {
    let mut bytes = Bytes::new(body, endian);
    decode_from(&mut bytes, attr)?;
    Some(bytes.rest().len())
}

#[inline]
fn decode_from<'a>(bytes: &mut Bytes<'a>, attr: &EventAttr) -> Option<Sample<'a>> {
    let kind = attr.sample_type;
    let mut sample = Sample::default();
    if kind & st::IDENTIFIER != 0 {
        sample.id = Some(bytes.u64()?);
    }
    if kind & st::IP != 0 {
        sample.ip = Some(bytes.u64()?);
    }
    if kind & st::TID != 0 {
        sample.pid = Some(bytes.u32()?);
        sample.tid = Some(bytes.u32()?);
    }
    if kind & st::TIME != 0 {
        sample.time = Some(bytes.u64()?);
    }
    if kind & st::ADDR != 0 {
        sample.addr = Some(bytes.u64()?);
    }
    if kind & st::ID != 0 {
        sample.id = Some(bytes.u64()?);
    }
    if kind & st::STREAM_ID != 0 {
        sample.stream_id = Some(bytes.u64()?);
    }
    if kind & st::CPU != 0 {
        sample.cpu = Some(bytes.u32()?);
        bytes.u32()?;
    }
    if kind & st::PERIOD != 0 {
        sample.period = Some(bytes.u64()?);
    }
    if kind & st::READ != 0 {
        sample.read = Some(decode_read(bytes, attr.read_format)?);
    }
    if kind & st::CALLCHAIN != 0 {
        let length = bytes.u64()?;
        sample.callchain = Some(bytes.take_items(length, 8)?);
    }
    if kind >= st::STREAM_ID << 1 {
        decode_tail(bytes, attr, &mut sample)?;
    }
    Some(sample)
}

/// The fields behind the callchain.
fn decode_tail<'a>(bytes: &mut Bytes<'a>, attr: &EventAttr, sample: &mut Sample<'a>) -> Option<()> {
    let kind = attr.sample_type;
    if kind & st::RAW != 0 {
        let size = bytes.u32()?;
        sample.raw = Some(bytes.take(size as usize)?);
    }
    if kind & st::BRANCH_STACK != 0 {
        sample.branch_stack = Some(decode_branches(bytes, attr.branch_sample_type)?);
    }
    if kind & st::REGS_USER != 0 {
        sample.regs_user = Some(decode_registers(bytes, attr.regs_user)?);
    }
    if kind & st::STACK_USER != 0 {
        let size = bytes.u64()?;
        let stack = bytes.take_items(size, 1)?;
        let filled = if size == 0 { 0 } else { usize::try_from(bytes.u64()?).ok()? };
        sample.stack_user = Some(stack.get(..filled).unwrap_or(stack));
    }
    if kind & (st::WEIGHT | st::WEIGHT_STRUCT) != 0 {
        sample.weight = Some(bytes.u64()?);
    }
    if kind & st::DATA_SRC != 0 {
        sample.data_src = Some(bytes.u64()?);
    }
    if kind & st::TRANSACTION != 0 {
        sample.transaction = Some(bytes.u64()?);
    }
    if kind & st::REGS_INTR != 0 {
        sample.regs_intr = Some(decode_registers(bytes, attr.regs_intr)?);
    }
    if kind & st::PHYS_ADDR != 0 {
        sample.phys_addr = Some(bytes.u64()?);
    }
    if kind & st::CGROUP != 0 {
        sample.cgroup = Some(bytes.u64()?);
    }
    if kind & st::DATA_PAGE_SIZE != 0 {
        sample.data_page_size = Some(bytes.u64()?);
    }
    if kind & st::CODE_PAGE_SIZE != 0 {
        sample.code_page_size = Some(bytes.u64()?);
    }
    if kind & st::AUX != 0 {
        let size = bytes.u64()?;
        sample.aux = Some(bytes.take_items(size, 1)?);
    }
    Some(())
}

/// READ stands as value, enabled, running, id, lost for one counter, and as number, enabled, running and a list of
/// (value, id, lost) for a group.
fn decode_read<'a>(bytes: &mut Bytes<'a>, format: u64) -> Option<Read<'a>> {
    let optional = |bytes: &mut Bytes<'a>, bit: u64| match format & bit {
        0 => Some(None),
        _ => bytes.u64().map(Some),
    };
    let is_group = format & read_format::GROUP != 0;
    let head = bytes.u64()?;
    let time_enabled = optional(bytes, read_format::TOTAL_TIME_ENABLED)?;
    let time_running = optional(bytes, read_format::TOTAL_TIME_RUNNING)?;
    let (single, group) = if is_group {
        let fields = 1 + (format & (read_format::ID | read_format::LOST)).count_ones() as usize;
        (None, bytes.take_items(head, 8 * fields)?)
    } else {
        let id = optional(bytes, read_format::ID)?;
        let lost = optional(bytes, read_format::LOST)?;
        (Some(ReadValue { value: head, id, lost }), &[][..])
    };
    Some(Read { time_enabled, time_running, single, group, format, endian: bytes.endian() })
}

fn decode_branches<'a>(bytes: &mut Bytes<'a>, branch_sample_type: u64) -> Option<BranchStack<'a>> {
    let n = bytes.u64()?;
    let hw_index = match branch_sample_type & branch_sample::HW_INDEX {
        0 => None,
        _ => Some(bytes.u64()?),
    };
    let entries = bytes.take_items(n, 24)?;
    let counters = match branch_sample_type & branch_sample::COUNTERS {
        0 => &[][..],
        _ => bytes.take_items(n, 8)?,
    };
    Some(BranchStack { hw_index, entries, counters })
}

fn decode_registers<'a>(bytes: &mut Bytes<'a>, mask: u64) -> Option<Registers<'a>> {
    let abi = bytes.u64()?;
    let n = if abi == 0 { 0 } else { u64::from(mask.count_ones()) };
    Some(Registers { abi, values: bytes.take_items(n, 8)? })
}
