//! Recordings of every mode that perf could record in hold the samples that `perf script` prints, frame by frame.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use lockblame::ingest::Ingested;
use lockblame::perf::attr::sample_type as st;
use lockblame::perf::block::walk;
use lockblame::perf::bytes::{Endian, words};
use lockblame::perf::record::{Walk, kind, type_name};
use lockblame::perf::sample::{Registers, Sample, decode};
use lockblame::perf::{Mode, Recording};
use support::reading::{Stack, Stacks, places, read};
use support::shared;

/// A folder of `fixtures/modes`, and what in its recording shows that it was made in that mode.
struct Recorded {
    name: &'static str,
    mode: Mode,
    /// Bits of the sample type of every event.
    fields: u64,
    /// A type of record.
    record: Option<&'static str>,
}

const fn file(name: &'static str, fields: u64, record: Option<&'static str>) -> Recorded {
    Recorded { name, mode: Mode::File, fields, record }
}

const fn written(name: &'static str, mode: Mode) -> Recorded {
    Recorded { name, mode, fields: 0, record: None }
}

const PAGE_SIZES: u64 = st::ADDR | st::DATA_SRC | st::PHYS_ADDR | st::DATA_PAGE_SIZE | st::CODE_PAGE_SIZE;

const RECORDED: [Recorded; 19] = [
    file("all-cgroups", st::CGROUP, Some("CGROUP")),
    file("compressed", 0, None),
    file("compressed-events", st::ID, None),
    file("compressed-killed", 0, None),
    written("compressed-pipe", Mode::Pipe),
    written("compressed-threads", Mode::Directory),
    file("dwarf", st::REGS_USER | st::STACK_USER, None),
    file("four-events", st::ID, None),
    file("group", st::READ | st::ID, None),
    file("intr-regs", st::REGS_INTR, None),
    file("killed", 0, None),
    file("namespaces", 0, Some("NAMESPACES")),
    file("overwrite", 0, None),
    file("overwrite-group", st::READ | st::ID, None),
    file("page-sizes", PAGE_SIZES, None),
    written("pipe", Mode::Pipe),
    file("switch-events", 0, Some("SWITCH")),
    written("threads", Mode::Directory),
    file("weight", st::WEIGHT_STRUCT, None),
];

fn modes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/modes")
}

fn data_of(name: &str) -> PathBuf {
    modes().join(name).join("perf.data")
}

fn open(name: &str) -> Recording {
    Recording::open(&data_of(name)).expect("it is a recording")
}

/// The killed recorder did not write how many bytes of records there are, nor what the compressed ones need to be
/// read. perf reads the records once the header tells, so this tells it: the records reach to the end of the file, and
/// behind them stands one section, the one of compression.
fn finished(bytes: &[u8]) -> Vec<u8> {
    const DATA_SIZE: usize = 48;
    const FEATURES: usize = 72;
    const COMPRESSED: u64 = 27;
    let start = u64::from_le_bytes(bytes[40..48].try_into().expect("eight bytes"));
    let end = bytes.len() as u64;
    let mut bytes = bytes.to_vec();
    bytes[DATA_SIZE..DATA_SIZE + 8].copy_from_slice(&(end - start).to_le_bytes());
    let features = [1 << COMPRESSED, 0, 0, 0u64].map(u64::to_le_bytes);
    bytes[FEATURES..FEATURES + 32].copy_from_slice(features.as_flattened());
    // Version, zstd, level, ratio, and the bytes to which a record unfolds at most.
    let section = [1, 1, 1, 1, 1 << 20u32].map(u32::to_le_bytes);
    for place in [end + 16, section.as_flattened().len() as u64] {
        bytes.extend(place.to_le_bytes());
    }
    bytes.extend(section.as_flattened());
    bytes
}

/// A sample as perf prints it.
struct Printed {
    comm: String,
    tid: u32,
    time: u64,
    event: String,
    period: u64,
    frames: Vec<String>,
}

/// What `perf script` prints of a recording's fields; nothing where there is no perf.
fn script(data: &Path, fields: &str) -> Option<String> {
    let mut command = Command::new("perf");
    // With a home, perf would look for programs there to unwind stacks with.
    command.env("HOME", "/nonexistent");
    command.args(["script", "-f", "--no-inline", "--ns", "-F", fields, "-i"]);
    let Ok(output) = command.arg(data).output() else {
        shared::skip("perf");
        return None;
    };
    assert!(output.status.success(), "{}: {}", data.display(), String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("perf prints UTF-8 of these"))
}

/// Reads `comm tid seconds.nanoseconds: period event:`, then `address (file)` for each frame. Of a pipe, perf prints a
/// symbol between the two though it was not asked to.
fn parse(text: &str) -> Vec<Printed> {
    let mut samples: Vec<Printed> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(frame) = line.strip_prefix('\t') {
            let (address, rest) = frame.trim().split_once(' ').expect("an address and a file");
            let file = rest.rsplit('(').next().expect("a file").trim_end_matches(')');
            let name = if file.starts_with('[') { file } else { file.rsplit('/').next().expect("a name") };
            // Where a walk of frame pointers ended: no address (docs/peers.md).
            if address != "0" {
                let sample = samples.last_mut().expect("a frame of a sample");
                sample.frames.push(format!("{name}+0x{address}"));
            }
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [comm @ .., tid, time, period, event] = words.as_slice() else { panic!("no sample: {line}") };
        let (seconds, nanos) = time.trim_end_matches(':').split_once('.').expect("a time");
        let number = |text: &str| text.parse::<u64>().unwrap_or_else(|e| panic!("{text} in {line}: {e}"));
        samples.push(Printed {
            comm: comm.join(" "),
            tid: tid.parse().expect("a thread"),
            time: number(seconds) * 1_000_000_000 + number(nanos),
            event: event.strip_suffix(':').expect("an event").to_owned(),
            period: number(period),
            frames: Vec::new(),
        });
    }
    samples
}

/// perf's samples folded as ours are.
fn folded(samples: &[Printed], recording: &Recording) -> Stacks {
    let mut stacks = Stacks::new();
    for sample in samples {
        let event = recording.events.iter().position(|event| event.name == sample.event);
        let event = event.expect("an event of the recording") as u16;
        let stack = Stack { event, comm: sample.comm.clone(), frames: sample.frames.clone() };
        let sum = stacks.entry(stack).or_default();
        *sum = (sum.0 + sample.period, sum.1 + 1);
    }
    stacks
}

fn is_kernel(frame: &str) -> bool {
    frame.starts_with("[kernel.kallsyms]+") || frame.starts_with("[unknown kernel]+")
}

/// The kernel's frames, or where there are none the leaf. The user's other frames are not in the callchains of
/// `--call-graph dwarf`: perf makes them out of registers and a copy of the stack, and lockblame does not yet.
fn without_user_callers(stacks: Stacks) -> Stacks {
    let mut cut = Stacks::new();
    for (mut stack, (weight, samples)) in stacks {
        let kernel = stack.frames.iter().take_while(|frame| is_kernel(frame)).count();
        stack.frames.truncate(kernel.max(1));
        let sum = cut.entry(stack).or_default();
        *sum = (sum.0 + weight, sum.1 + samples);
    }
    cut
}

/// Hands over each sample.
fn each(recording: &Recording, visit: &mut dyn FnMut(&Sample<'_>)) {
    walk(recording, &mut |record| {
        if record.kind == kind::SAMPLE {
            let event = recording.index.event_of(record.body, recording.endian).expect("a known event");
            let attr = &recording.events[event].attr;
            visit(&decode(record.body, attr, recording.endian).expect("it fits"));
        }
    });
}

/// Which thread was sampled when: one moment for all events of a group.
fn moments(recording: &Recording) -> BTreeSet<(u32, u64)> {
    let mut moments = BTreeSet::new();
    each(recording, &mut |sample| {
        moments.insert((sample.tid.expect("a thread"), sample.time.expect("a time")));
    });
    moments
}

/// Samples and weight of each event.
fn totals(stacks: &Stacks) -> BTreeMap<u16, (u64, u64)> {
    let mut totals = BTreeMap::new();
    for (stack, (weight, samples)) in stacks {
        let sum: &mut (u64, u64) = totals.entry(stack.event).or_default();
        *sum = (sum.0 + weight, sum.1 + samples);
    }
    totals
}

#[track_caller]
fn assert_same(name: &str, own: &Stacks, perfs: &Stacks) {
    assert_eq!(totals(own), totals(perfs), "{name}: weight and samples by event");
    let only = |a: &Stacks, b: &Stacks| -> Vec<String> {
        let lines = a.iter().filter(|(stack, sums)| b.get(*stack) != Some(sums));
        lines.take(9).map(|(stack, sums)| format!("{stack:?} {sums:?}")).collect()
    };
    let (here, there) = (only(own, perfs), only(perfs, own));
    assert!(here.is_empty() && there.is_empty(), "{name}: only here {here:#?}, only there {there:#?}");
}

/// Holds what is read of a recording against what perf prints of `data`; answers how many samples that are.
fn compare(name: &str, data: &Path) -> Option<usize> {
    let printed = parse(&script(data, "comm,tid,time,event,period,ip,dso")?);
    let recording = open(name);
    let Ingested { profile, facts, .. } = read(&recording);
    let (mut own, mut perfs) = (places(&profile), folded(&printed, &recording));
    if name == "dwarf" {
        (own, perfs) = (without_user_callers(own), without_user_callers(perfs));
    }
    assert_same(name, &own, &perfs);
    let times: BTreeSet<(u32, u64)> = printed.iter().map(|sample| (sample.tid, sample.time)).collect();
    assert_eq!(moments(&recording), times, "{name}: thread and time of each sample");
    let span = times.iter().map(|&(_, time)| time);
    assert_eq!(facts.span, span.clone().min().zip(span.max()), "{name}: from the first to the last");
    Some(printed.len())
}

#[test]
fn perf_prints_the_samples_that_are_read_in_every_mode() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let mut compared = 0;
    for Recorded { name, .. } in &RECORDED {
        let mut data = data_of(name);
        if name.ends_with("killed") {
            let bytes = std::fs::read(&data).expect("the recording can be read");
            data = folder.path().join(name);
            std::fs::write(&data, finished(&bytes)).expect("it is written");
        }
        let Some(samples) = compare(name, &data) else { return };
        assert!(samples > 50, "{name}: {samples} samples");
        compared += samples;
    }
    assert!(compared > 3_000, "only {compared} samples");
}

/// Kind and values of registers as perf prints them, without their names.
fn registers(registers: Option<Registers<'_>>) -> Vec<String> {
    let Some(Registers { abi, values }) = registers else { return Vec::new() };
    let values = words(values, Endian::Little).map(|value| format!("0x{value:x}"));
    std::iter::once(abi.to_string()).chain(values).collect()
}

fn page_size(bytes: Option<u64>) -> Vec<String> {
    let text = match bytes {
        Some(0x1000) => "4K".to_owned(),
        Some(0x20_0000) => "2M".to_owned(),
        other => format!("{other:?}"),
    };
    vec![text]
}

#[test]
fn fields_behind_the_callchain_are_those_that_perf_prints() {
    type Words = fn(&Sample<'_>) -> Vec<String>;
    let fields: [(&str, &str, Words); 4] = [
        ("intr-regs", "iregs", |sample| registers(sample.regs_intr)),
        ("dwarf", "uregs", |sample| registers(sample.regs_user)),
        ("page-sizes", "code_page_size", |sample| page_size(sample.code_page_size)),
        ("weight", "weight", |sample| vec![sample.weight.map_or(String::new(), |weight| weight.to_string())]),
    ];
    for (name, field, own_words) in fields {
        let Some(text) = script(&data_of(name), &format!("tid,time,{field}")) else { return };
        let value = |word: &str| word.rsplit(':').next().expect("a value").to_owned();
        let (mut perfs, mut own) = (Vec::new(), Vec::new());
        for line in text.lines().filter(|line| !line.is_empty()) {
            let (moment, rest) = line.split_once(": ").expect("a moment, then the field");
            let tid = moment.split_whitespace().next().expect("a thread").to_owned();
            perfs.push((tid, rest.split_whitespace().map(value).collect::<Vec<_>>()));
        }
        each(&open(name), &mut |sample| {
            own.push((sample.tid.expect("a thread").to_string(), own_words(sample)))
        });
        perfs.sort();
        own.sort();
        assert!(own.len() > 50, "{name}: {} samples", own.len());
        assert_eq!(own, perfs, "{name}: {field}");
    }
}

#[test]
fn every_recording_is_of_its_mode_and_read_without_damage() {
    let folders: BTreeSet<String> = std::fs::read_dir(modes())
        .expect("the folder can be listed")
        .map(|entry| entry.expect("it can be listed").file_name().into_string().expect("UTF-8"))
        .collect();
    assert_eq!(folders, RECORDED.iter().map(|recorded| recorded.name.to_owned()).collect());
    for Recorded { name, mode, fields, record } in &RECORDED {
        let recording = open(name);
        assert_eq!(recording.mode, *mode, "{name}");
        assert_eq!(recording.cut.is_some(), name.ends_with("killed"), "{name}");
        assert!(recording.events.iter().all(|event| event.attr.samples(*fields)), "{name}: fields");
        assert_eq!(has_compressed(name), name.starts_with("compressed"), "{name}");
        let facts = read(&recording).facts;
        let has = |wanted: &str| facts.records.keys().any(|&kind| type_name(kind) == wanted);
        assert!(record.is_none_or(has), "{name}: {:?}", facts.records);
        assert_eq!(facts.damage, [""; 0], "{name}");
        assert_eq!((facts.tally.undecodable, facts.tally.unknown_event), (0, 0), "{name}");
    }
}

/// Whether a file of the recording holds a compressed record.
fn has_compressed(name: &str) -> bool {
    let data = data_of(name);
    // The threads' files are records and nothing else; a pipe has a header of 16 bytes, and a file tells the place.
    let (path, start) = match std::fs::read(data.join("data.0")) {
        Ok(_) => (data.join("data.0"), Some(0)),
        Err(_) => (data, None),
    };
    let bytes = std::fs::read(path).expect("the recording can be read");
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize;
    let start = start.unwrap_or_else(|| if word(8) == 16 { 16 } else { word(40) });
    Walk::new(&bytes[start..], Endian::Little).any(|record| record.kind == kind::COMPRESSED)
}
