//! Behind damage, reading goes on where records stand again: nothing that is whole is lost, and nothing is made up.

mod support;

use support::perfdata::{
    Compression, Event, Framing, HeaderField, Image, Map, Record, Recording, Sample, field, kind,
};
use support::reading::{Stacks, open_bytes, places, read};

const KERNEL: u64 = 0xffff_ffff_8100_0000;
const SAMPLES: u64 = 400;

/// Samples whose weights tell which they are.
fn whole() -> Recording {
    let sample =
        |n: u64| Sample::at(2_000 + n).thread(7, 7).cpu(1).period(n + 1).kernel_chain(&[KERNEL + n, KERNEL]);
    Recording::new()
        .event(Event::cycles().callchain())
        .kernel_map(KERNEL, 0x100_0000)
        .comm(7, "main")
        .records((0..SAMPLES).map(sample))
}

/// What was read of damaged bytes: stacks, damage, the first offset that is not whole.
fn damaged(bytes: Vec<u8>) -> (Stacks, Vec<String>, Option<u64>) {
    let read = read(&open_bytes(bytes));
    (places(&read.profile), read.facts.damage, read.facts.truncated)
}

/// The weights of what was read, each of which is one sample's.
fn weights(stacks: &Stacks) -> Vec<u64> {
    let mut weights: Vec<u64> = stacks.values().map(|(weight, _)| *weight).collect();
    assert!(stacks.values().all(|(_, n)| *n == 1), "no sample is read twice");
    weights.sort_unstable();
    weights
}

fn with_size(image: &Image, record: usize, size: u16) -> Vec<u8> {
    let mut bytes = image.bytes.clone();
    let at = image.record_offsets()[record];
    bytes[at + 6..at + 8].copy_from_slice(&size.to_le_bytes());
    bytes
}

#[test]
fn a_wrong_size_costs_the_record_and_no_more() {
    let image = whole().file();
    let first = image.record_offsets().len() - SAMPLES as usize;
    let own = (image.record_offsets()[first + 1] - image.record_offsets()[first]) as u16;
    for hit in [first, first + 1, first + 57, first + 390, first + 399] {
        // Also sizes that lead to the head of another sample, which nothing but the fields of this one contradicts.
        for size in [1, 7, 8, 12, own - 8, own + 4, own + 8, 2 * own - 8, 2 * own, 9 * own, 0x7ff1, 0xffff] {
            let (stacks, damage, truncated) = damaged(with_size(&image, hit, size));
            let read = weights(&stacks);
            let lost = SAMPLES - read.len() as u64;
            // Of the last few no row is left that tells them from other bytes.
            let tail = hit >= first + 390;
            assert!(lost <= 1 || (tail && lost <= 10), "{hit} with {size}: {lost} lost, {damage:?}");
            assert!(read.iter().all(|&weight| weight <= SAMPLES), "{hit} with {size}: {read:?}");
            let place = image.record_offsets()[hit] as u64;
            assert_eq!(truncated, Some(place), "{hit} with {size}: {damage:?}");
        }
    }
}

#[test]
fn side_band_records_may_not_swallow_samples() {
    let small = [
        Record::fork((8, 8), (7, 7), 2_100),
        Record::exit((8, 8), (7, 7), 2_100),
        Record::comm(7, 8, "other"),
        Record::lost(1, 1),
        Record::throttle(2_100, 1, 1),
        Record::switch(7, 7),
        Record::ksymbol(KERNEL, 8, "prog"),
        Record::cgroup(1, "/some"),
        Record::finished_round(),
        Record::mmap(&Map::new(7, 0x40_0000, 0x1000, 0, "/bin/w")),
    ];
    for (n, record) in small.into_iter().enumerate() {
        let recording = Recording::new().event(Event::cycles().callchain()).record(record);
        let samples = (0..50).map(|n| Sample::at(n).period(n + 1).kernel_chain(&[KERNEL + n, KERNEL]));
        let image = recording.records(samples).file();
        let [at, next, behind] = [0, 1, 11].map(|n| image.record_offsets()[n]);
        let size = (next - at) + (behind - next);
        let facts = read(&open_bytes(with_size(&image, 0, size as u16))).facts;
        assert_eq!((facts.samples, facts.truncated), (50, Some(at as u64)), "{n}: {:?}", facts.damage);
    }
}

#[test]
fn samples_that_cannot_be_decoded_mark_the_run() {
    // The number of words in the callchain is made up, the size is right.
    let image = whole().file();
    let first = image.record_offsets().len() - SAMPLES as usize;
    let words = image.record_offsets()[first + 5];
    let count =
        (words..words + 200).step_by(8).find(|&at| image.u64_at(at) == 3).expect("a marker and two words");
    let facts = read(&open_bytes(image.set_u64_at(count, 1 << 60).bytes)).facts;
    assert_eq!((facts.tally.undecodable, facts.truncated), (1, Some(words as u64)));
}

#[test]
fn a_page_of_zeros_costs_what_it_covers() {
    let image = whole().file();
    let data = image.header(HeaderField::DataOffset) as usize;
    for from in [data + 2_001, data + 5_000, data + 9_999] {
        let mut bytes = image.bytes.clone();
        bytes[from..from + 4096].fill(0);
        let covered = |pair: &[usize]| pair[1] > from && pair[0] < from + 4096;
        let hit = image.record_offsets().windows(2).filter(|pair| covered(pair)).count();
        let (stacks, damage, truncated) = damaged(bytes);
        let read = weights(&stacks);
        // A sample whose end alone is covered still fits its record.
        assert!(SAMPLES as usize - read.len() <= hit, "{from}: {} of {SAMPLES}", read.len());
        assert!(SAMPLES as usize - read.len() + 1 >= hit, "{from}: {} of {SAMPLES}", read.len());
        assert_eq!(damage.iter().filter(|line| line.contains("are no records")).count(), 1, "{damage:?}");
        let at = truncated.expect("it is not whole") as usize;
        assert!(at >= from - 100 && at < from + 4096, "{at}");
    }
}

#[test]
fn many_damaged_places_are_told_in_few_lines() {
    let image = whole().file();
    let mut bytes = image.bytes.clone();
    let first = image.record_offsets().len() - SAMPLES as usize;
    for hit in (first..first + 390).step_by(10) {
        let at = image.record_offsets()[hit];
        bytes[at..at + 8].fill(0);
    }
    let (stacks, damage, truncated) = damaged(bytes);
    assert_eq!(weights(&stacks).len() as u64, SAMPLES - 39);
    assert_eq!(damage.len(), 4, "{damage:?}");
    assert!(damage[3].contains("in 36 places"), "{damage:?}");
    assert_eq!(truncated, Some(image.record_offsets()[first] as u64));
}

#[test]
fn types_that_nobody_knows_are_records_where_records_go_on() {
    let foreign = || Record::raw(200, &[0xab; 40]);
    let recording = whole()
        .record(foreign())
        .record(foreign())
        .records((0..4).map(|n| Sample::at(9_000 + n).period(1_000 + n).kernel_chain(&[KERNEL + 0x5000 + n])))
        .record(foreign());
    for bytes in [recording.write(), recording.write_pipe(), recording.clone().big_endian().write()] {
        let facts = read(&open_bytes(bytes)).facts;
        assert_eq!((facts.samples, facts.records.get(&200)), (SAMPLES + 4, Some(&3)), "{facts:?}");
        assert_eq!((facts.damage.len(), facts.truncated), (0, None));
    }
    let packed = recording.compressed(Compression::chunks_of(700));
    assert_eq!(read(&open_bytes(packed.write())).facts.samples, SAMPLES + 4);
}

#[test]
fn a_sample_without_size_ends_the_reading() {
    // A recorder whose ring was overrun writes this; what stands behind it may have been read before.
    let image = whole().file();
    let first = image.record_offsets().len() - SAMPLES as usize;
    let (stacks, damage, truncated) = damaged(with_size(&image, first + 100, 0));
    assert_eq!(weights(&stacks), (1..=100).collect::<Vec<u64>>());
    assert!(damage[0].contains("the sample at offset") && damage[0].contains("no size"), "{damage:?}");
    assert_eq!(truncated, Some(image.record_offsets()[first + 100] as u64));
}

#[test]
fn what_looks_like_records_in_a_trace_is_none() {
    // The trace claims more than there is; single samples stand in it, and none of them is taken for one.
    let sample = whole().file();
    let [at, end] = [sample.record_offsets()[300], sample.record_offsets()[301]];
    let mut trace = vec![0x5a; 256];
    trace.extend(&sample.bytes[at..end]);
    trace.extend([0x5a; 256]);
    trace.extend(&sample.bytes[at..end]);
    trace.extend(vec![0x5a; 4_000_usize.next_multiple_of(8)]);
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .sample(Sample::at(1).period(5))
        .record(Record::auxtrace(0, 1, &trace));
    let image = recording.file();
    let place = image.record_offsets()[1];
    let facts = read(&open_bytes(image.set_u64_at(place + 8, 1 << 40).bytes)).facts;
    assert_eq!(facts.samples, 1, "{:?}", facts.damage);
    assert_eq!(facts.truncated, Some(place as u64));
}

#[test]
fn a_damaged_compressed_record_costs_its_frame() {
    let chunk = Compression::chunks_of(4_000).framing(Framing::FramePerRecord);
    let image = whole().compressed(chunk).file();
    let compressed: Vec<usize> = (0..image.record_offsets().len() - 1)
        .filter(|&n| {
            let at = image.record_offsets()[n];
            u32::from_le_bytes(image.bytes[at..at + 4].try_into().expect("four bytes")) == kind::COMPRESSED
        })
        .collect();
    assert!(compressed.len() > 5);
    let hit = image.record_offsets()[compressed[3]];
    let mut bytes = image.bytes.clone();
    // The frame's magic, and all of its front.
    bytes[hit + 8..hit + 40].fill(0xff);
    let (stacks, damage, truncated) = damaged(bytes);
    let read = weights(&stacks);
    let lost = SAMPLES as usize - read.len();
    assert!((20..120).contains(&lost), "{lost} lost");
    assert!(read.contains(&1) && read.contains(&SAMPLES), "{read:?}");
    assert!(damage.iter().any(|line| line.contains("decompression stopped at offset")), "{damage:?}");
    assert!(truncated.is_some_and(|at| at as usize >= hit), "{truncated:?}");
}

#[test]
fn records_that_are_compressed_beyond_belief_are_not_unpacked() {
    // 40 thousand blocks that say "128 KiB of the same byte": 5 GiB of records of 0x0808 bytes each.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, (17 - 10) << 3];
    for _ in 0..4_000 {
        frame.extend([0x02, 0x00, 0x10, 0x08]);
    }
    let mut bytes = Recording::new().event(Event::cycles().without(field::CALLCHAIN)).pipe().bytes;
    for payload in frame.chunks(4_000) {
        bytes.extend(81_u32.to_le_bytes());
        bytes.extend(0_u16.to_le_bytes());
        bytes.extend((payload.len() as u16 + 8).to_le_bytes());
        bytes.extend(payload);
    }
    let facts = read(&open_bytes(bytes)).facts;
    assert!(facts.damage.iter().any(|line| line.contains("more than 1000 times")), "{:?}", facts.damage);
}
