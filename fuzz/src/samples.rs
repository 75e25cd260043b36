//! One sample of any shape: a byte order, an attribute, and the record's body, one behind the other.

use lockblame::perf::attr::{EventAttr, read_format, sample_type as st};
use lockblame::perf::bytes::Endian;
use lockblame::perf::sample::{Sample, decode};

/// Bytes of the attribute in front of the body.
pub const ATTR: usize = 112;

pub fn check(bytes: &[u8]) {
    let Some((&order, rest)) = bytes.split_first() else { return };
    let Some((attr, body)) = rest.split_at_checked(ATTR) else { return };
    let endian = if order & 1 == 0 { Endian::Little } else { Endian::Big };
    let Some(attr) = EventAttr::decode(attr, endian) else { return };
    let sample = super::within(bytes, || decode(body, &attr, endian));
    // Bytes behind a sample change nothing, and without its last one it is whole only where that was behind it.
    let longer: Vec<u8> = body.iter().chain(&[0xa5; 8]).copied().collect();
    match sample {
        Some(sample) => {
            assert_eq!(decode(&longer, &attr, endian), Some(sample));
            has_what_was_asked_for(&sample, attr.sample_type);
            lies_inside(&sample, body);
            counts_counters(&sample, &attr);
        }
        None => {
            let shorter = &body[..body.len().saturating_sub(1)];
            assert_eq!(decode(shorter, &attr, endian), None);
        }
    }
}

/// A field is there where its bit is, and only there.
fn has_what_was_asked_for(sample: &Sample<'_>, kind: u64) {
    let fields = [
        (st::IDENTIFIER | st::ID, sample.id.is_some()),
        (st::IP, sample.ip.is_some()),
        (st::TID, sample.pid.is_some() && sample.tid.is_some()),
        (st::TIME, sample.time.is_some()),
        (st::ADDR, sample.addr.is_some()),
        (st::STREAM_ID, sample.stream_id.is_some()),
        (st::CPU, sample.cpu.is_some()),
        (st::PERIOD, sample.period.is_some()),
        (st::READ, sample.read.is_some()),
        (st::CALLCHAIN, sample.callchain.is_some()),
        (st::RAW, sample.raw.is_some()),
        (st::BRANCH_STACK, sample.branch_stack.is_some()),
        (st::REGS_USER, sample.regs_user.is_some()),
        (st::STACK_USER, sample.stack_user.is_some()),
        (st::WEIGHT | st::WEIGHT_STRUCT, sample.weight.is_some()),
        (st::DATA_SRC, sample.data_src.is_some()),
        (st::TRANSACTION, sample.transaction.is_some()),
        (st::REGS_INTR, sample.regs_intr.is_some()),
        (st::PHYS_ADDR, sample.phys_addr.is_some()),
        (st::CGROUP, sample.cgroup.is_some()),
        (st::DATA_PAGE_SIZE, sample.data_page_size.is_some()),
        (st::CODE_PAGE_SIZE, sample.code_page_size.is_some()),
        (st::AUX, sample.aux.is_some()),
    ];
    for (bits, there) in fields {
        assert_eq!(kind & bits != 0, there, "bits {bits:#x} of {kind:#x}");
    }
}

/// Slices stand in the record one behind the other, in whole words where they are words.
fn lies_inside(sample: &Sample<'_>, body: &[u8]) {
    let branches = sample.branch_stack;
    let slices = [
        sample.callchain,
        sample.raw,
        branches.map(|branches| branches.entries),
        branches.map(|branches| branches.counters),
        sample.regs_user.map(|registers| registers.values),
        sample.stack_user,
        sample.regs_intr.map(|registers| registers.values),
        sample.aux,
    ];
    let mut from = body.as_ptr_range().start;
    for slice in slices.into_iter().flatten().filter(|slice| !slice.is_empty()) {
        let range = slice.as_ptr_range();
        assert!(from <= range.start && range.end <= body.as_ptr_range().end);
        from = range.end;
    }
    assert!(sample.callchain.is_none_or(|chain| chain.len() % 8 == 0));
    if let Some(branches) = branches {
        assert!(branches.counters.is_empty() || branches.counters.len() * 3 == branches.entries.len());
    }
}

/// One value, or those of a group; each with an id and a loss where the format says so.
fn counts_counters(sample: &Sample<'_>, attr: &EventAttr) {
    let Some(read) = sample.read else { return };
    let values: Vec<_> = read.values().collect();
    assert!(attr.read_format & read_format::GROUP != 0 || values.len() == 1);
    for value in values {
        assert_eq!(value.id.is_some(), attr.read_format & read_format::ID != 0);
        assert_eq!(value.lost.is_some(), attr.read_format & read_format::LOST != 0);
    }
}
