//! Small recordings with something of everything, in every way in which a recorder writes: what tests then damage.

use super::perfdata::{
    Branch, Branches, BuildId, Compression, Counter, Event, Feature, HeaderField, Image, Map, Read, Record,
    Recording, Regs, Sample, Stack, branch, field, format,
};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// A recording with something of everything.
pub fn rich() -> Recording {
    let event = Event::cycles()
        .callchain()
        .with(field::RAW | field::WEIGHT | field::AUX)
        .branches(branch::ANY | branch::HW_INDEX)
        .regs_user(0b11)
        .stack_user(16);
    let sample = |n: u64| {
        Sample::at(1_000 + n)
            .thread(7, 7 + (n % 2) as u32)
            .kernel_chain(&[KERNEL + 0x10 * n, KERNEL + 0x100])
            .user_chain(&[0x40_0010])
            .raw(vec![1; 12])
            .branches(Branches { hw_index: 0, entries: vec![Branch { from: 1, to: 2, ..Branch::default() }] })
            .regs_user(Regs::Wide(vec![1, 2]))
            .stack_user(Stack { bytes: vec![5; 16], dyn_size: 8 })
            .aux(vec![7; 8])
    };
    Recording::new()
        .event(event)
        .machine("box", "6.1.0-test", "x86_64", 4)
        .feature(Feature::command(&["perf", "record", "-a"]))
        .feature(Feature::sample_time(1_000, 2_000))
        .feature(Feature::total_memory(12_345))
        .build_id(BuildId::kernel(&[0xab; 20]))
        .build_id(BuildId::user(&[0xcd; 16], "/bin/w"))
        .kernel_map(KERNEL, 0x100_0000)
        .record(Record::module_map(KERNEL + 0x200_0000, 0x1000, "/lib/modules/6.1/ext4.ko"))
        .comm(7, "main")
        .record(Record::fork((8, 8), (7, 7), 900))
        .record(Record::exec(8, "other").time(950))
        .map(&Map::new(7, 0x40_0000, 0x1000, 0x2000, "/bin/w"))
        .record(Record::ksymbol(KERNEL + 0x300_0000, 0x100, "bpf_prog"))
        .record(Record::auxtrace(0, 1, &[0x55; 40]))
        .records((0..12).map(sample))
        .record(Record::lost(1, 3))
}

/// Leader sampling of two events.
pub fn group() -> Recording {
    let shape = format::ID | format::GROUP | format::TOTAL_TIME_ENABLED;
    let event = |event: Event| event.with(field::READ).callchain().read_format(shape);
    let sample = |n: u64| {
        let counters =
            vec![Counter { value: 10 * n, id: 1, lost: 0 }, Counter { value: 3 * n, id: 2, lost: 0 }];
        Sample::at(n).read(Read { enabled: n, running: n, counters }).kernel_chain(&[KERNEL + n])
    };
    Recording::new()
        .event(event(Event::cycles()))
        .event(event(Event::instructions()))
        .records((1..9).map(sample))
}

/// Both of them, in every way of writing.
pub fn every_way() -> Vec<(&'static str, Image)> {
    let packed = rich().compressed(Compression::chunks_of(300));
    let packed_anew = rich().compressed(Compression::chunks_of(900).as_compressed2());
    vec![
        ("file", rich().file()),
        ("pipe", rich().pipe()),
        ("big-endian", rich().big_endian().file()),
        ("big-endian-pipe", rich().big_endian().pipe()),
        ("version-1", rich().version_one().attr_size(72).file()),
        ("unfinished", unfinished()),
        ("compressed", packed.file()),
        ("compressed-pipe", packed.pipe()),
        ("compressed-2", packed_anew.file()),
        ("group", group().file()),
        ("group-pipe", group().pipe()),
    ]
}

/// A file whose recorder was killed.
fn unfinished() -> Image {
    let image = rich().file();
    let end = image.header(HeaderField::DataOffset) + image.header(HeaderField::DataSize);
    image.truncated(end as usize).set_header(HeaderField::DataSize, 0)
}
