//! Recordings that are whole and made to be dear: what they cost is held to what they are.

use super::fuzz::heap::alone;
use super::support::perfdata::{
    BuildId, Compression, Event, Map, Record, Recording, Sample, feature_id, kind,
};
use super::survive;

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// Each of many attributes is damaged: that is told in few lines.
#[test]
fn thousands_of_damaged_attributes() {
    let _alone = alone();
    let attribute = Record::raw(64, &[]);
    let pipe = Recording::new().records(vec![attribute; 20_000]).sample(Sample::at(1));
    survive(&pipe.write_pipe());
    let many =
        (0..20_000).fold(Recording::new().attr_size(64), |all, n| all.event(Event::cycles().ids(&[n + 1])));
    let image = many.sample(Sample::at(1)).file();
    let at = image.header(super::HeaderField::AttrsOffset) as usize;
    let mut bytes = image.bytes;
    for n in 1..20_000 {
        bytes[at + 80 * n + 4] = 1;
    }
    survive(&bytes);
}

/// A process with many mappings forks again and again, and each child maps something of its own.
#[test]
#[ignore = "an address space is copied where it changes, until its states share what they have in common"]
fn many_forks_of_many_mappings() {
    let _alone = alone();
    let maps = (0..3_000_u64).map(|n| Record::mmap(&Map::new(1, 0x1000 * n, 0x1000, 0, "/lib/a.so")));
    let forks = (2..3_000_u32).flat_map(|pid| {
        [Record::fork((pid, pid), (1, 1), 0), Record::mmap(&Map::new(pid, 0x1000, 0x1000, 0, "/bin/b"))]
    });
    survive(&Recording::new().records(maps).records(forks).sample(Sample::at(9)).write());
}

/// A mapping that changes its object again and again, in a space with many others.
#[test]
#[ignore = "an address space is copied where it changes, until its states share what they have in common"]
fn many_changes_of_many_mappings() {
    let _alone = alone();
    let maps = (1..3_000_u64).map(|n| Record::mmap(&Map::new(1, 0x1000 * n, 0x1000, 0, "/lib/a.so")));
    let changes = (0..3_000).map(|n| Record::mmap(&Map::new(1, 0x1000, 0x1000, 0x1000 * n, "/bin/b")));
    survive(&Recording::new().records(maps).records(changes).sample(Sample::at(9)).write());
}

/// Each of many objects is looked for among as many build-ids.
#[test]
fn many_objects_and_many_build_ids() {
    let _alone = alone();
    let name = |n: u64| format!("/lib/modules/{n}.ko");
    let maps = (0..6_000).map(|n| Record::module_map(KERNEL + 0x1000 * n, 0x1000, &name(n)));
    let all = (0..6_000).fold(Recording::new().records(maps), |all, n| {
        all.build_id(BuildId::user(&[n as u8; 20], &format!("/x/{n}/y")))
    });
    survive(&all.sample(Sample::at(9)).write());
}

/// Small records that each have to be kept.
#[test]
fn nothing_but_names_and_symbols() {
    let _alone = alone();
    let names = (0..100_000_u32).map(|n| Record::comm(n, n, "a"));
    survive(&Recording::new().records(names).sample(Sample::at(9)).write());
    let symbols = (0..100_000_u64).map(|n| Record::ksymbol(KERNEL + n, 1, "f"));
    survive(&Recording::new().records(symbols).sample(Sample::at(9)).write());
}

/// Records of one kind, packed as tightly as they can be: what is read of them is bounded by the file.
#[test]
fn little_that_unpacks_to_much() {
    let _alone = alone();
    let names = vec![Record::comm(1, 1, "a"); 200_000];
    let recording = Recording::new().records(names).sample(Sample::at(9));
    let bytes = recording.compressed(Compression::chunks_of(59_000)).write();
    assert!(bytes.len() < 1 << 17, "{}", bytes.len());
    survive(&bytes);
    survive(&zeros(4_000));
}

/// A pipe whose one compressed record says `blocks` times: 128 KiB of a byte that makes records of 2,570 bytes.
fn zeros(blocks: usize) -> Vec<u8> {
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (21 - 10) << 3];
    let block = (128_u32 << 10) << 3 | 1 << 1;
    let mut packed = frame.to_vec();
    for _ in 0..blocks {
        packed.extend(&block.to_le_bytes()[..3]);
        packed.push(10);
    }
    Recording::new().record(Record::raw(kind::COMPRESSED, &packed)).sample(Sample::at(9)).write_pipe()
}

/// Sections that claim many entries, and events that share all their ids.
#[test]
fn counts_that_promise_much() {
    let _alone = alone();
    let image = super::rich().file();
    for feature in [feature_id::CMDLINE, feature_id::EVENT_DESC, feature_id::BUILD_ID] {
        let at = image.feature(feature).offset as usize;
        for count in [0xffff, 0xff_ffff, 0xffff_ffff_u32] {
            let mut bytes = image.bytes.clone();
            bytes[at..at + 4].copy_from_slice(&count.to_le_bytes());
            survive(&bytes);
        }
    }
}
