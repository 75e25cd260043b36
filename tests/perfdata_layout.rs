//! What perf 6.1 cannot read of the recordings written in code, decoded by hand.

mod support;

use support::kallsyms;
use support::perfdata::{
    Branch, Branches, Compression, Event, Framing, HeaderField, Map, Order, Record, Recording, Sample,
    Section, branch, feature_id, field, flag, kind,
};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// A small recording of two threads.
fn small() -> Recording {
    let worker = Sample::at(1_234_567_000).thread(7, 8).cpu(2).period(100);
    let leaf_only = Sample::at(2_000_001_000).thread(7, 7).cpu(0).period(5);
    Recording::new()
        .event(Event::cycles().callchain())
        .machine("box", "6.1.0-test", "x86_64", 4)
        .kernel_map(KERNEL, 0x100_0000)
        .comm(7, "main")
        .record(Record::comm(7, 8, "a worker"))
        .map(&Map::new(7, 0x40_0000, 0x1000, 0x2000, "/bin/worker"))
        .sample(worker.kernel_chain(&[KERNEL + 0x10, KERNEL + 0x100]).user_chain(&[0x40_0010]))
        .sample(leaf_only.user_chain(&[0x40_0020]))
}

/// Number, `misc` and body of each little-endian record.
fn walk(mut records: &[u8]) -> Vec<(u32, u16, &[u8])> {
    let mut found = Vec::new();
    while let [a, b, c, d, e, f, g, h, ..] = *records {
        let size = usize::from(u16::from_le_bytes([g, h]));
        found.push((u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]), &records[8..size]));
        records = &records[size..];
    }
    assert!(records.is_empty(), "the records end with the data");
    found
}

/// The data section of a finished file.
fn data_of(bytes: &[u8]) -> &[u8] {
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize;
    &bytes[word(40)..word(40) + word(48)]
}

#[test]
fn larger_attributes_keep_their_head_and_end_in_zeros() {
    let known = small().file();
    let at = known.header(HeaderField::AttrsOffset) as usize;
    for size in [132, 136, 144, 160] {
        let image = small().attr_size(size).file();
        assert_eq!(image.header(HeaderField::AttrSize), u64::from(size) + 16);
        let attr = &image.bytes[at..at + size as usize];
        assert_eq!(attr[4..8], size.to_le_bytes());
        assert_eq!(attr[8..128], known.bytes[at + 8..at + 128]);
        assert!(attr[128..].iter().all(|&byte| byte == 0));
        assert_eq!(image.u64_at(at + size as usize), 104, "the ids stand behind the header");
        assert_eq!(data_of(&image.bytes), data_of(&known.bytes));
    }
}

#[test]
fn an_unfinished_file_ends_with_its_records() {
    let (whole, cut) = (small().write(), small().write_unfinished());
    let data = data_of(&whole);
    assert!(cut.ends_with(data));
    assert_eq!(cut[48..56], [0; 8], "no size");
    assert_eq!(cut[72..80], whole[72..80], "the feature bits stay, as with a killed perf");
    let kinds: Vec<u32> = walk(data).iter().map(|record| record.0).collect();
    assert_eq!(kinds, [1, 3, 3, 10, 9, 9]);
}

#[test]
fn big_endian_bit_fields_begin_at_the_top() {
    // System V ABI of big-endian machines: the first-declared bit-field takes the most significant bits.
    let event = Event::cycles().without_flags(!0).flags(flag::DISABLED | flag::SAMPLE_ID_ALL).precise_ip(1);
    let little = Recording::new().event(event.clone()).write();
    let big = Recording::new().event(event).big_endian().write();
    // Header, one id, then the flags at byte 40 of the attribute.
    let flags = 104 + 8 + 40..104 + 8 + 48;
    assert_eq!(little[flags.clone()], [0x01, 0x80, 0x04, 0, 0, 0, 0, 0]);
    assert_eq!(big[flags], [0x80, 0, 0xa0, 0, 0, 0, 0, 0]);
    assert_eq!(&big[..8], b"2ELIFREP");
    assert_eq!(Order::Big.u64(104), big[8..16]);
}

#[test]
fn branch_counters_stand_behind_the_branches() {
    let event = Event::cycles().branches(branch::ANY | branch::COUNTERS).with(field::WEIGHT);
    let entry = |at| Branch { from: at, to: at + 1, counters: at + 2, ..Branch::default() };
    let branches = Branches { hw_index: 9, entries: vec![entry(10), entry(20)] };
    let bytes = Recording::new().event(event).sample(Sample::at(1).branches(branches).weight(99)).write();
    let words = walk(data_of(&bytes))[0].2.chunks(8);
    let words: Vec<u64> =
        words.map(|word| u64::from_le_bytes(word.try_into().expect("whole words"))).collect();
    assert_eq!(words[6..], [2, 10, 11, 0, 20, 21, 0, 12, 22, 99], "a number, branches, counters, weight");
}

#[test]
fn compressed2_tells_the_size_of_its_data() {
    let plain = data_of(&small().write()).to_vec();
    let compression = Compression::chunks_of(90).framing(Framing::FramePerRecord).as_compressed2();
    let bytes = small().compressed(compression).write();
    let mut unpacked = Vec::new();
    for (number, _, body) in walk(data_of(&bytes)) {
        assert_eq!((number, body.len() % 8), (kind::COMPRESSED2, 0));
        let size = u64::from_le_bytes(body[..8].try_into().expect("eight bytes")) as usize;
        let mut frame = ruzstd::decoding::StreamingDecoder::new(&body[8..8 + size]).expect("a frame");
        std::io::Read::read_to_end(&mut frame, &mut unpacked).expect("a whole frame");
    }
    assert_eq!(unpacked, plain);
}

#[test]
fn a_written_file_can_be_damaged_by_name() {
    let bad = Section { offset: u64::MAX - 1, size: 1 << 60 };
    let image = small().record(Record::raw(4242, b"abc").claiming_size(3)).file();
    let last = *image.record_offsets().last().expect("it has records");
    assert_eq!(image.bytes[last..last + 11], [0x92, 0x10, 0, 0, 0, 0, 3, 0, b'a', b'b', b'c']);
    let hostname = image.feature(feature_id::HOSTNAME);
    assert_eq!(&image.bytes[hostname.offset as usize + 4..][..4], b"box\0");
    let image = image.set_feature(feature_id::HOSTNAME, bad).set_header(HeaderField::DataSize, 7);
    assert_eq!((image.feature(feature_id::HOSTNAME), image.header(HeaderField::DataSize)), (bad, 7));
    assert_eq!(image.truncated(50).bytes.len(), 50);
}

#[test]
fn kallsyms_lists_in_address_order() {
    let text = kallsyms::text(&[(0x20, "b\t[mod]"), (0x10, "a")]);
    assert_eq!(text, "0000000000000010 T a\n0000000000000020 T b\t[mod]\n");
}
