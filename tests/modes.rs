//! A recording says the same in whichever way it was written: file, pipe, directory, compressed, old, unfinished.

mod support;

use std::path::Path;

use lockblame::perf::{Mode, Recording as Opened};
use support::perfdata::{
    BuildId, Compression, Event, Feature, Framing, HeaderField, Map, Record, Recording, Sample, feature_id,
    field, kind,
};
use support::reading::{Stacks, check, open_bytes, places, read};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// Two events, several threads on several processors, and enough samples to fill compressed records.
fn whole() -> Recording {
    let sample = |n: u64| {
        let sample = Sample::at(2_000 + n).thread(7, 7 + (n % 3) as u32).cpu((n % 4) as u32).period(n + 1);
        let sample = sample.kernel_chain(&[KERNEL + n % 11, KERNEL + 0x100]);
        if n.is_multiple_of(5) { sample.event(1) } else { sample.user_chain(&[0x40_0010 + n % 7]) }
    };
    Recording::new()
        .event(Event::cycles().callchain())
        .event(Event::instructions().callchain())
        .machine("box", "6.1.0-test", "x86_64", 4)
        .kernel_map(KERNEL, 0x100_0000)
        .comm(7, "main")
        .record(Record::comm(7, 8, "worker"))
        .map(&Map::new(7, 0x40_0000, 0x1000, 0x2000, "/bin/worker"))
        .records((0..2_000).map(sample))
}

fn stacks(recording: &Opened) -> Stacks {
    places(&read(recording).profile)
}

fn reference() -> Stacks {
    let stacks = stacks(&open_bytes(whole().write()));
    let samples: u64 = stacks.values().map(|(_, n)| n).sum();
    let weight: u64 = stacks.values().map(|(weight, _)| weight).sum();
    assert_eq!((samples, weight), (2_000, 2_000 * 2_001 / 2));
    stacks
}

#[test]
fn both_byte_orders_and_the_pipe_say_the_same() {
    let big = whole().big_endian();
    for (bytes, mode) in [
        (whole().write(), Mode::File),
        (big.write(), Mode::File),
        (whole().write_pipe(), Mode::Pipe),
        (big.write_pipe(), Mode::Pipe),
    ] {
        let opened = open_bytes(bytes);
        assert_eq!((opened.mode, opened.cut.is_some()), (mode, false));
        assert_eq!(
            opened.events.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(),
            ["cycles", "instructions"]
        );
        let features = &opened.features;
        let texts = [&features.hostname, &features.os_release, &features.arch].map(|text| text.as_deref());
        assert_eq!(texts, [Some("box"), Some("6.1.0-test"), Some("x86_64")]);
        assert_eq!((features.cpus_online, features.cpus_available), (Some(4), Some(4)));
        assert_eq!(read(&opened).facts.damage, [""; 0]);
        assert_eq!(stacks(&opened), reference());
    }
}

#[test]
fn attributes_of_every_size_are_taken() {
    // The published sizes from 2009 to 2025, and one that nobody knows yet.
    for size in [64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 160, 512] {
        for recording in [whole().attr_size(size), whole().attr_size(size).big_endian()] {
            for bytes in [recording.write(), recording.write_pipe()] {
                assert_eq!(stacks(&open_bytes(bytes)), reference(), "{size} bytes");
            }
        }
    }
}

#[test]
fn the_first_version_of_the_format_is_read() {
    for recording in [whole().version_one(), whole().version_one().big_endian()] {
        let opened = open_bytes(recording.attr_size(72).write());
        assert_eq!(opened.events[1].name, "instructions");
        assert_eq!(stacks(&opened), reference());
    }
    // Before the section of descriptions there was one of names alone.
    let named = whole().version_one().attr_size(64).feature(Feature::raw(feature_id::EVENT_DESC, &[]));
    let opened = open_bytes(named.write());
    assert_eq!(opened.events.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["cycles", "instructions"]);
}

#[test]
fn feature_bits_in_words_of_32_bits_are_read() {
    // A powerpc recorder of 32 bits writes each half of the 64 bits as a word of its own.
    let image = whole().big_endian().file();
    let bits = image.header(HeaderField::Features);
    let opened = open_bytes(image.set_header(HeaderField::Features, bits.rotate_left(32)).bytes);
    assert_eq!(opened.features.hostname.as_deref(), Some("box"));
    assert_eq!(stacks(&opened), reference());
}

#[test]
fn a_header_without_feature_bits_is_read() {
    // As perf of Linux 2.6.31 wrote it: what stands behind it are no bits.
    let image = whole().file().set_header(HeaderField::Size, 72);
    let bytes = image.set_header(HeaderField::Features, u64::MAX).bytes;
    let opened = open_bytes(bytes);
    assert_eq!((opened.features.hostname.as_deref(), opened.damage.len()), (None, 0));
    assert_eq!(read(&opened).facts.samples, 2_000);
}

#[test]
fn events_without_a_name_are_called_as_perf_calls_them() {
    let unnamed = |event: Event| {
        let recording = Recording::new().event(event).feature(Feature::raw(feature_id::EVENT_DESC, &[]));
        open_bytes(recording.sample(Sample::at(1)).write()).events[0].name.clone()
    };
    assert_eq!(unnamed(Event::cycles()), "cycles");
    assert_eq!(unnamed(Event::cpu_clock()), "cpu-clock");
    assert_eq!(unnamed(Event::new(4, 0x1c2, "")), "raw 0x1c2");
}

#[test]
fn an_unfinished_file_is_read_to_its_end() {
    for recording in [whole(), whole().big_endian()] {
        let opened = open_bytes(recording.write_unfinished());
        assert!(opened.cut.is_some());
        assert_eq!(stacks(&opened), reference());
    }
}

#[test]
fn a_file_cut_anywhere_gives_the_records_before_the_cut() {
    let image = whole().file();
    let ends: Vec<usize> = image.record_offsets()[1..].to_vec();
    let first = image.record_offsets()[0];
    for cut in (first..image.header(HeaderField::DataOffset) as usize + 9_000).step_by(37) {
        let opened = open_bytes(image.clone().truncated(cut).bytes);
        let facts = read(&opened).facts;
        let records: u64 = facts.records.values().sum();
        assert_eq!(records, ends.iter().filter(|&&end| end <= cut).count() as u64, "cut at {cut}");
        assert!(opened.cut.is_some());
        assert!(facts.damage[0].contains(&format!("the file ends at {cut}")), "{:?}", facts.damage);
    }
    // Where only what stands behind the records is cut, all records are there.
    let end = (image.header(HeaderField::DataOffset) + image.header(HeaderField::DataSize)) as usize;
    for cut in [end, end + 1, end + 100, image.bytes.len() - 1] {
        assert_eq!(stacks(&open_bytes(image.clone().truncated(cut).bytes)), reference());
    }
}

#[test]
fn a_pipe_that_ends_early_or_with_a_message_gives_its_records() {
    let image = whole().pipe();
    let last = *image.record_offsets().last().expect("it has records");
    let cut = read(&open_bytes(image.clone().truncated(last + 5).bytes));
    assert_eq!(cut.facts.samples, 1_999);
    assert_eq!(cut.facts.damage.len(), 1, "{:?}", cut.facts.damage);
    let mut bytes = image.bytes;
    bytes.extend(b"[ perf record: Woken up 1 times to write data ]\n");
    let spoken = open_bytes(bytes);
    assert_eq!(read(&spoken).facts.damage, [""; 0]);
    assert_eq!(stacks(&spoken), reference());
}

#[test]
fn compressed_records_say_the_same_wherever_they_are_cut() {
    for framing in [Framing::OneOpenFrame, Framing::FramePerRecord] {
        for chunk in [100, 4_099, 50_000] {
            let compression = Compression::chunks_of(chunk).framing(framing);
            for compression in [compression, compression.as_compressed2()] {
                let packed = whole().compressed(compression);
                for bytes in [packed.write(), packed.write_pipe(), packed.big_endian().write()] {
                    let opened = open_bytes(bytes);
                    assert_eq!(read(&opened).facts.damage, [""; 0]);
                    assert_eq!(stacks(&opened), reference(), "{compression:?}");
                }
            }
        }
    }
}

#[test]
fn compressed_and_plain_records_may_alternate() {
    let packed =
        whole().record(Record::finished_round()).records((0..50).map(|n| Sample::at(9_000 + n).ip(n + 1)));
    let packed = packed.compressed(Compression::chunks_of(300));
    let facts = read(&open_bytes(packed.write())).facts;
    assert_eq!((facts.samples, facts.damage.len()), (2_050, 0));
}

#[test]
fn what_compression_lost_is_told() {
    let packed = whole().compressed(Compression::chunks_of(5_000));
    let whole_size = packed.write_unfinished().len();
    let cut = read(&open_bytes(packed.file().truncated(whole_size - 400).bytes));
    assert!((1_000..2_000).contains(&cut.facts.samples), "{}", cut.facts.samples);
    assert!(!cut.facts.damage.is_empty());
    // A cut between two compressed records: the last record inside lacks its rest.
    let image = whole().compressed(Compression::chunks_of(5_001)).file();
    let last = *image.record_offsets().last().expect("it has records");
    let size = (last as u64) - image.header(HeaderField::DataOffset);
    let image =
        image.truncated(last).set_header(HeaderField::DataSize, size).set_header(HeaderField::Features, 0);
    let cut = read(&open_bytes(image.bytes));
    assert!((1_000..2_000).contains(&cut.facts.samples), "{}", cut.facts.samples);
    assert_eq!(cut.facts.damage.len(), 1, "{:?}", cut.facts.damage);
    assert!(cut.facts.damage[0].contains("into a record"), "{:?}", cut.facts.damage);
}

#[test]
fn a_directory_says_the_same() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let plain = folder.path().join("plain");
    whole().write_directory(&plain, 4).expect("it is written");
    check_directory(&plain);
    // Each file of a directory is a zstd stream of its own.
    for framing in [Framing::OneOpenFrame, Framing::FramePerRecord] {
        let packed = folder.path().join(format!("{framing:?}"));
        whole()
            .compressed(Compression::chunks_of(3_000).framing(framing))
            .write_directory(&packed, 4)
            .expect("it is written");
        check_directory(&packed);
    }
}

#[track_caller]
fn check_directory(path: &Path) {
    let opened = Opened::open(path).expect("it is a recording");
    assert_eq!(opened.mode, Mode::Directory);
    let read = read(&opened);
    assert_eq!(read.facts.damage, [""; 0]);
    assert_eq!(places(&read.profile), reference());
}

#[test]
fn a_folder_that_is_no_recording_is_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let refusal = Opened::open(folder.path()).expect_err("it holds nothing").to_string();
    assert!(refusal.starts_with(&folder.path().display().to_string()), "{refusal}");
    assert!(refusal.contains("name the recordings inside it"), "{refusal}");
}

#[test]
fn data_outside_of_a_records_size_are_stepped_over() {
    let poison = Record::raw(kind::SAMPLE, &[0xff; 64]);
    // What looks like records inside a trace is none.
    let mut trace = Vec::new();
    for _ in 0..40 {
        trace.extend([9, 0, 0, 0, 1, 0, 8, 0]);
    }
    let recording = Recording::new()
        .event(Event::cycles().with(field::WEIGHT))
        .record(Record::auxtrace(0, 1, &trace))
        .sample(Sample::at(5).ip(1).period(3))
        .record(Record::auxtrace(0x100, 3, &[0xaa; 64]))
        .sample(Sample::at(6).ip(2).period(4));
    for bytes in [recording.write(), recording.write_pipe(), recording.clone().big_endian().write()] {
        let opened = open_bytes(bytes);
        let read = read(&opened);
        assert_eq!((read.facts.samples, read.facts.damage.len()), (2, 0));
        check(&places(&read.profile), 0, &[":1000: [unknown]+0x1 = 3", ":1000: [unknown]+0x2 = 4"]);
    }
    // A trace larger than what is read at once.
    let large =
        Recording::new().record(Record::auxtrace(0, 1, &vec![0; 3 << 20])).sample(Sample::at(5).ip(1));
    assert_eq!(read(&open_bytes(large.write())).profile.total(0).1, 1);
    // A trace that claims to reach past the end ends the walk, and is no sample.
    let bytes =
        Recording::new().sample(Sample::at(5).ip(1)).record(Record::auxtrace(0, 1, &trace)).record(poison);
    let image = bytes.file();
    let at = image.record_offsets()[1];
    let facts = read(&open_bytes(image.set_u64_at(at + 8, u64::MAX / 4).bytes)).facts;
    assert_eq!(facts.samples, 1);
}

#[test]
fn build_ids_reach_their_modules_in_file_and_pipe() {
    let path = "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz";
    let recording = Recording::new()
        .build_id(BuildId::kernel(&[0xaa; 20]))
        .build_id(BuildId::kernel(&[0xee; 20]).of_file(path))
        .build_id(BuildId::user(&[0xbb; 16], "/bin/w"))
        .kernel_map(KERNEL, 0x1000)
        .record(Record::module_map(KERNEL + 0x10_0000, 0x1000, path))
        .map(&Map::new(7, 0x40_0000, 0x1000, 0, "/bin/w"))
        .sample(Sample::at(1).ip(1));
    for bytes in [recording.write(), recording.write_pipe(), recording.clone().big_endian().write()] {
        let profile = read(&open_bytes(bytes)).profile;
        let id = |name: &str| {
            let module = profile.modules.iter().find(|module| module.name == name).expect("it is there");
            module.build_id.clone()
        };
        assert_eq!(id("[kernel.kallsyms]"), Some(vec![0xaa; 20]));
        assert_eq!(id("[ext4]"), Some(vec![0xee; 20]));
        assert_eq!(id("w"), Some(vec![0xbb; 16]));
    }
}

#[test]
fn a_directory_that_lacks_a_file_is_not_whole() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (gone, said) in [(0, "data.0 is missing"), (2, "data.2 is missing")] {
        let path = folder.path().join(format!("without-{gone}"));
        whole().write_directory(&path, 4).expect("it is written");
        std::fs::remove_file(path.join(format!("data.{gone}"))).expect("it is there");
        let read = read(&Opened::open(&path).expect("it is a recording"));
        assert_eq!(read.facts.samples, 1_500);
        assert!(read.facts.damage[0].contains(said), "{:?}", read.facts.damage);
        assert!(read.facts.truncated.is_some());
    }
    let path = folder.path().join("head");
    whole().write_directory(&path, 4).expect("it is written");
    let head = read(&Opened::open(&path.join("data")).expect("it is a recording"));
    assert!(head.facts.damage[0].contains("name their directory"), "{:?}", head.facts.damage);
    (0..4).for_each(|n| std::fs::remove_file(path.join(format!("data.{n}"))).expect("it is there"));
    let none = read(&Opened::open(&path).expect("it is a recording"));
    assert!(none.facts.damage[0].contains("data.0 is missing") && none.facts.truncated.is_some());
}

#[test]
fn a_second_recording_behind_the_first_is_told() {
    let twice = [whole().write(), whole().write()].concat();
    let facts = read(&open_bytes(twice)).facts;
    assert_eq!(facts.samples, 2_000);
    let end = whole().write().len();
    assert_eq!(
        facts.damage,
        [format!("another recording begins at offset {end}, behind its end: it was not read")]
    );
}
