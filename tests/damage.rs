//! Bytes never crash the reader: whatever is damaged, it ends soon, in little memory, with counts or with one line.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "damage/every.rs"]
mod every;
#[path = "../fuzz/src/lib.rs"]
mod fuzz;
#[path = "damage/hostile.rs"]
mod hostile;
#[path = "support/program.rs"]
mod program;
#[path = "damage/through.rs"]
mod through;

mod support;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fuzz::heap::alone;
use lockblame::perf::Recording as Opened;
use proptest::prelude::*;
use support::perfdata::{Event, HeaderField, Recording, Sample, Section, feature_id};
use support::written::{every_way, rich};

/// More than any of these small recordings needs.
const LONG: Duration = Duration::from_secs(20);

/// Reads the bytes as far as they go: to counts that add up, or to one line, in little memory and soon.
fn survive(bytes: &[u8]) {
    survive_named(bytes, None);
}

fn survive_named(bytes: &[u8], kallsyms: Option<&Path>) {
    let begun = Instant::now();
    fuzz::recording::check_named(bytes, kallsyms);
    assert!(begun.elapsed() < LONG, "it took {:?}", begun.elapsed());
}

/// What is done to the bytes; places are parts of their number.
#[derive(Debug, Clone)]
enum Harm {
    Flip(f64, u8),
    Overwrite(f64, u64),
    Narrow(f64, u16),
    Repeat(f64, u16),
    Remove(f64, u16),
    Cut(f64),
}

fn harm() -> impl Strategy<Value = Harm> {
    let odd = prop_oneof![
        Just(0),
        Just(1),
        Just(7),
        Just(8),
        Just(u64::MAX),
        Just(u64::MAX / 8 + 1),
        Just(1 << 63),
        Just(1 << 32),
        Just(0xffff_ffff),
        Just((1 << 48) | 9),
        0..4096u64,
        any::<u64>(),
    ];
    // The header and what follows it matter most.
    let place = prop_oneof![0.0..1.0f64, 0.0..0.1f64];
    prop_oneof![
        4 => (place.clone(), 0..8u8).prop_map(|(at, bit)| Harm::Flip(at, bit)),
        4 => (place.clone(), odd).prop_map(|(at, value)| Harm::Overwrite(at, value)),
        2 => (place.clone(), any::<u16>()).prop_map(|(at, value)| Harm::Narrow(at, value)),
        1 => (place.clone(), 1..300u16).prop_map(|(at, n)| Harm::Repeat(at, n)),
        1 => (place.clone(), 1..64u16).prop_map(|(at, n)| Harm::Remove(at, n)),
        1 => place.prop_map(Harm::Cut),
    ]
}

fn apply(bytes: &mut Vec<u8>, harm: &Harm) {
    let place = |at: f64, bytes: &[u8]| (at * bytes.len() as f64) as usize;
    if bytes.is_empty() {
        return;
    }
    match *harm {
        Harm::Flip(at, bit) => {
            let at = place(at, bytes);
            bytes[at] ^= 1 << bit;
        }
        Harm::Overwrite(at, value) => {
            let at = place(at, bytes) & !7;
            bytes.iter_mut().skip(at).zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
        }
        Harm::Narrow(at, value) => {
            let at = place(at, bytes) & !1;
            bytes.iter_mut().skip(at).zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
        }
        Harm::Repeat(at, n) => {
            let at = place(at, bytes);
            let piece: Vec<u8> = bytes.iter().skip(at).take(usize::from(n)).copied().collect();
            bytes.splice(at..at, piece);
        }
        Harm::Remove(at, n) => {
            let at = place(at, bytes);
            bytes.drain(at..bytes.len().min(at + usize::from(n)));
        }
        Harm::Cut(at) => bytes.truncate(place(at, bytes)),
    }
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let entries = std::fs::read_dir(folder).expect("there are fixtures").filter_map(Result::ok);
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path().join("perf.data")).filter(|path| path.is_file()).collect();
    found.sort();
    found
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

#[test]
fn built_recordings_may_be_damaged_anywhere() {
    let _alone = alone();
    let built = every_way();
    let strategy = (0..built.len(), prop::collection::vec(harm(), 1..6));
    let mut runner = proptest::test_runner::TestRunner::new(config(2_000));
    let outcome = runner.run(&strategy, |(which, harms)| {
        let mut bytes = built[which].1.bytes.clone();
        harms.iter().for_each(|harm| apply(&mut bytes, harm));
        survive(&bytes);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn real_recordings_may_be_damaged_anywhere() {
    let fixtures: Vec<(PathBuf, Vec<u8>)> = fixtures()
        .into_iter()
        .map(|path| (path.with_file_name("kallsyms"), std::fs::read(&path).expect("it can be read")))
        .collect();
    assert!(fixtures.len() >= 8, "{}", fixtures.len());
    let _alone = alone();
    let strategy = (0..fixtures.len(), prop::collection::vec(harm(), 1..6));
    let mut runner = proptest::test_runner::TestRunner::new(config(80));
    let outcome = runner.run(&strategy, |(which, harms)| {
        let (kallsyms, bytes) = &fixtures[which];
        let mut bytes = bytes.clone();
        harms.iter().for_each(|harm| apply(&mut bytes, harm));
        survive_named(&bytes, Some(kallsyms));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn every_odd_size_of_a_record_is_survived() {
    let _alone = alone();
    let image = rich().file();
    for offset in image.record_offsets() {
        for size in [0, 1, 7, 8, 9, 0x7fff, 0xffff_u16] {
            let mut bytes = image.bytes.clone();
            bytes[offset + 6..offset + 8].copy_from_slice(&size.to_le_bytes());
            survive(&bytes);
        }
    }
}

#[test]
fn claims_of_the_header_are_not_believed() {
    use HeaderField::{
        AttrSize, AttrsOffset, AttrsSize, DataOffset, DataSize, EventTypesSize, Features, Size,
    };
    let huge = [0, 1, 15, 16, 17, 1 << 20, 1 << 40, u64::MAX / 2, u64::MAX - 7, u64::MAX];
    let _alone = alone();
    let image = rich().file();
    for field in [AttrSize, AttrsOffset, AttrsSize, DataOffset, DataSize, EventTypesSize, Features, Size] {
        for value in huge {
            survive(&image.clone().set_header(field, value).bytes);
        }
    }
    for feature in [feature_id::HOSTNAME, feature_id::CMDLINE, feature_id::EVENT_DESC, feature_id::BUILD_ID] {
        let section = image.feature(feature);
        for value in huge {
            survive(&image.clone().set_feature(feature, Section { size: value, ..section }).bytes);
            survive(&image.clone().set_feature(feature, Section { offset: value, ..section }).bytes);
            // The count or the length at the section's front.
            survive(&image.clone().set_u64_at(section.offset as usize, value).bytes);
        }
    }
}

#[test]
fn ids_that_overlap_are_not_multiplied() {
    let _alone = alone();
    // Each of many events claims the whole file as its ids.
    let events = (0..3_000).fold(Recording::new(), |recording, n| recording.event(Event::cycles().ids(&[n])));
    let mut image = events.attr_size(64).sample(Sample::at(1)).file();
    let (at, size) = (image.header(HeaderField::AttrsOffset), image.bytes.len() as u64);
    for n in 0..3_000 {
        let place = at as usize + 80 * n + 64;
        image = image.set_u64_at(place, 0).set_u64_at(place + 8, size);
    }
    survive(&image.bytes);
    let opened = Opened::from_bytes(Path::new("some.data"), image.bytes).expect("it is a recording");
    let ids: usize = opened.events.iter().map(|event| event.ids.len()).sum();
    // The attributes may name each byte of the file once, and the section of descriptions once more.
    assert!(8 * ids as u64 <= 2 * size, "{ids} ids in a file of {size} bytes");
}

#[test]
fn more_events_than_can_be_numbered_are_told() {
    let _alone = alone();
    let many = (0..70_000)
        .fold(Recording::new().attr_size(64), |recording, n| recording.event(Event::cycles().ids(&[n + 1])));
    let opened = Opened::from_bytes(Path::new("some.data"), many.sample(Sample::at(1)).write())
        .expect("it can be read");
    assert!(opened.events.len() < 1 << 16);
    assert!(opened.damage.iter().any(|line| line.contains("events")), "{:?}", opened.damage);
}

#[test]
fn what_is_no_recording_is_refused_with_a_remedy() {
    for bytes in [
        &b""[..],
        b"P",
        b"PERFILE2",
        b"PERFILE2\x68\0\0\0\0\0\0\0",
        b"ELF\0\0\0\0\0\0",
        b"some text\n",
        b"{}",
    ] {
        let error = Opened::from_bytes(Path::new("some.data"), bytes.to_vec()).expect_err("it is none");
        let line = error.to_string();
        assert!(line.starts_with("some.data: ") && line.contains("; "), "{line}");
    }
    let text =
        Opened::from_bytes(Path::new("some.data"), b"# perf report\n".to_vec()).expect_err("it is text");
    assert!(text.to_string().contains("text file"), "{text}");
}
