//! Each warning about the data is given when it is due, and not by its near miss.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/program.rs"]
mod program;
mod support;

use std::collections::BTreeMap;

use support::kallsyms;
use support::perfdata::{Counter, Event, Read, Record, Recording, Sample, field, format};

const KERNEL: u64 = 0xffff_ffff_8100_0000;
const LOCK: [u64; 3] = [KERNEL + 0x10, KERNEL + 0x110, KERNEL + 0x210];
const UNLOCK: [u64; 2] = [KERNEL + 0x410, KERNEL + 0x210];

fn symbols() -> String {
    kallsyms::text(&[
        (KERNEL, "_text"),
        (KERNEL + 1, "native_queued_spin_lock_slowpath"),
        (KERNEL + 0x100, "_raw_spin_lock"),
        (KERNEL + 0x200, "caller"),
        (KERNEL + 0x400, "_raw_spin_unlock_irqrestore"),
        (KERNEL + 0x500, "default_idle"),
        (KERNEL + 0x1000, "_etext"),
    ])
}

fn sample(n: u64) -> Sample {
    Sample::at(1_000_000_000 + n * 1_000_000).thread(7, 7).period(1000)
}

fn empty(event: Event) -> Recording {
    Recording::new().event(event).kernel_map(KERNEL, 0x100_0000).comm(7, "worker")
}

/// `n` samples of a lock, of which nothing is to be said where there are 1000 of them.
fn sound(n: u64) -> Recording {
    empty(Event::cycles().callchain()).records((0..n).map(|n| sample(n).kernel_chain(&LOCK)))
}

/// Codes with their texts.
fn warnings(bytes: &[u8], symbols: &str, args: &[&str]) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("perf.data");
    std::fs::write(&file, bytes).expect("the recording is written");
    std::fs::write(folder.path().join("kallsyms"), symbols).expect("the symbols are written");
    let file = file.to_str().expect("UTF-8");
    let report = program::json(&[&["report", "-q", "--format", "json", file], args].concat());
    let rows = report["warnings"].as_array().expect("a list");
    rows.iter()
        .map(|row| {
            (row["code"].as_str().unwrap_or("").to_owned(), row["text"].as_str().unwrap_or("").to_owned())
        })
        .collect()
}

fn of(recording: &Recording) -> BTreeMap<String, String> {
    warnings(&recording.write(), &symbols(), &[])
}

/// Exactly this warning, whose text has these parts.
#[track_caller]
fn only(code: &str, parts: &[&str], found: &BTreeMap<String, String>) {
    assert_eq!(found.keys().collect::<Vec<_>>(), [code], "{found:#?}");
    for part in parts {
        assert!(found[code].contains(part), "no '{part}' in {}", found[code]);
    }
}

#[track_caller]
fn none(found: &BTreeMap<String, String>) {
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn few_samples() {
    none(&of(&sound(1000)));
    // 1.96 sqrt(0.1 * 0.9 / 999)
    only("few-samples", &["999 samples", "1.9 points"], &of(&sound(999)));
}

#[test]
fn truncated() {
    only("truncated", &["SIGINT"], &warnings(&sound(1000).write_unfinished(), &symbols(), &[]));
}

#[test]
fn damaged() {
    let image = sound(1200).file();
    let at = *image.record_offsets().last().expect("records");
    // The last record claims to be larger than what is left.
    let mut bytes = image.bytes;
    bytes[at + 6..at + 8].copy_from_slice(&0xfff8u16.to_le_bytes());
    let found = warnings(&bytes, &symbols(), &[]);
    assert!(found.contains_key("damaged"), "{found:#?}");
    assert!(found["damaged"].contains("65528 bytes"), "{found:#?}");
}

#[test]
fn undecodable() {
    let image = sound(1200).file();
    let at = *image.record_offsets().last().expect("records");
    let mut bytes = image.bytes.clone();
    // The callchain of the last sample claims more words than the record has: id, ip, pid, time, cpu, period, count.
    let count = at + 8 + 6 * 8;
    assert_eq!(image.u64_at(count), 4, "the count of a callchain of a marker and three addresses");
    bytes[count..count + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    let mut found = warnings(&bytes, &symbols(), &[]);
    let truncated = found.remove("truncated").expect("a part of the recording is missing");
    assert!(truncated.contains(&format!("from offset {at} on")), "{truncated}");
    only("undecodable", &["1 samples"], &found);
}

#[test]
fn lost_samples() {
    only(
        "lost-samples",
        &["250 records", "20.0 %", "-m 16M"],
        &of(&sound(1000).record(Record::lost(1, 250))),
    );
    only("lost-samples", &["3 records"], &of(&sound(1000).record(Record::lost_samples(3))));
    none(&of(&sound(1000).record(Record::lost(1, 0))));
}

#[test]
fn throttled() {
    let found = of(&sound(1000).record(Record::throttle(1_500_000_000, 1, 1)));
    only("throttled", &["1 times", "perf_cpu_time_max_percent"], &found);
    none(&of(&sound(1000).record(Record::unthrottle(1_500_000_000, 1, 1))));
}

#[test]
fn multiplexed() {
    let event = || {
        let times = format::TOTAL_TIME_ENABLED | format::TOTAL_TIME_RUNNING;
        Event::cycles().callchain().with(field::READ).read_format(times)
    };
    let with = |running: u64| {
        let read = move |n: u64| Read {
            enabled: 1000 * (n + 1),
            running: running * (n + 1),
            counters: vec![Counter { value: 1000 * (n + 1), ..Counter::default() }],
        };
        empty(event()).records((0..1000).map(move |n| sample(n).kernel_chain(&LOCK).read(read(n))))
    };
    only("multiplexed", &["only 25.0 % of the time"], &of(&with(250)));
    none(&of(&with(1000)));
}

#[test]
fn paused() {
    let with_gap = |gap: u64| {
        empty(Event::cycles().callchain())
            .records((0..1000).map(move |n| sample(if n < 500 { n } else { n + gap }).kernel_chain(&LOCK)))
    };
    // 1000 of 2000 milliseconds stand still: ten of twenty parts.
    only("paused", &["10 of 20"], &of(&with_gap(1000)));
    none(&of(&with_gap(40)));
}

#[test]
fn no_callchains() {
    let leaf = |n: u64| {
        Sample::at(1_000_000_000 + n * 1_000_000).thread(7, 7).ip(KERNEL + 0x10).period(1000).misc(1)
    };
    let recording = empty(Event::cycles()).records((0..1000).map(leaf));
    only("no-callchains", &["no sample has a callchain", "-g"], &of(&recording));
    let some = sound(1000).records((1000..1010).map(leaf));
    only("no-callchains", &["1.0 % of samples"], &of(&some));
}

#[test]
fn cut_callchains() {
    let deep = |depth: usize| {
        let chain: Vec<u64> = LOCK.into_iter().chain(std::iter::repeat(LOCK[2])).take(depth).collect();
        sound(999).sample(sample(999).kernel_chain(&chain))
    };
    only("cut-callchains", &["1 callchains (0.1 %)", "127 frames", "perf_event_max_stack"], &of(&deep(127)));
    none(&of(&deep(126)));
}

#[test]
fn deferred_callchains() {
    let recording = |parts: &[u64]| {
        let part = |&cookie: &u64| Record::callchain_deferred(cookie, &[]).thread(7, 7).time(5_000_000_000);
        sound(998)
            .records((998..1000).map(|n| sample(n).kernel_chain(&LOCK).deferred_chain(n)))
            .records(parts.iter().map(part))
    };
    only(
        "deferred-callchains",
        &["1 callchains (0.1 %)", "-m 16M", "--call-graph fp"],
        &of(&recording(&[998])),
    );
    none(&of(&recording(&[999, 998])));
}

/// The kernel that runs the tests may hide its addresses or not: the counts are made here.
#[test]
fn hidden_kernel_addresses() {
    use lockblame::report::quality::{Quality, warnings};
    use lockblame::run::{Counting, Rate, RunInfo};
    let run = RunInfo {
        samples: Some(1000),
        weight: Some(lockblame::units::Weight(1000)),
        rate: Some(Rate::Period(1)),
        counting: Counting::Counted,
        ..RunInfo::of_event("perf.data", "cycles")
    };
    let with = |restricted: bool| {
        let found = warnings(&run, &Quality { restricted, recorded: 1000, ..Quality::default() });
        found.into_iter().map(|warning| (warning.code.to_owned(), warning.text)).collect()
    };
    only("kptr-restrict", &["kernel.kptr_restrict to 0"], &with(true));
    none(&with(false));
}

#[test]
fn unresolved() {
    let with = |unnamed: u64| {
        let chain = |n: u64| {
            if n < unnamed {
                sample(n).user_chain(&[0x40_0010, 0x40_0020, 0x40_0030])
            } else {
                sample(n).kernel_chain(&LOCK)
            }
        };
        empty(Event::cycles().callchain()).records((0..1000).map(chain))
    };
    only("unresolved", &["21.0 % of frames", "mapping"], &of(&with(210)));
    none(&of(&with(200)));
}

#[test]
fn cpu_clock() {
    let with = |event: Event, unlock: u64| {
        let chain = move |n: u64| sample(n).kernel_chain(if n < unlock { &UNLOCK } else { &LOCK });
        empty(event.callchain()).records((0..1000).map(chain))
    };
    only("cpu-clock", &["cpu-clock", "10.0 %", "interrupts"], &of(&with(Event::cpu_clock(), 100)));
    none(&of(&with(Event::cpu_clock(), 50)));
    none(&of(&with(Event::cycles(), 100)));
}

#[test]
fn idle() {
    let with = |idle: u64| {
        let of_task = move |n: u64| {
            if n < idle {
                sample(n).thread(0, 0).kernel_chain(&[KERNEL + 0x510])
            } else {
                sample(n).kernel_chain(&LOCK)
            }
        };
        empty(Event::cycles().callchain()).records((0..2100).map(of_task))
    };
    only("idle", &["50.5 %", "--no-idle"], &of(&with(1060)));
    none(&of(&with(1050)));
    none(&warnings(&with(1060).write(), &symbols(), &["--no-idle"]));
}

#[test]
fn other_events() {
    let two = |second: u64| {
        empty(Event::cycles().callchain())
            .event(Event::instructions().callchain())
            .records((0..1000).map(|n| sample(n).id(1).kernel_chain(&LOCK)))
            .records((0..second).map(|n| sample(n).id(2).kernel_chain(&LOCK)))
    };
    only("other-events", &["instructions", "--event"], &of(&two(1)));
    none(&of(&two(0)));
}

#[test]
fn of_several_runs_a_warning_says_which() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("kallsyms"), symbols()).expect("the symbols are written");
    let mut args = ["report", "-q", "--format", "json"].map(str::to_owned).to_vec();
    for (name, samples) in [("good.data", 1000), ("small.data", 10)] {
        let file = folder.path().join(name);
        std::fs::write(&file, sound(samples).write()).expect("the recording is written");
        args.push(file.to_str().expect("UTF-8").to_owned());
    }
    let report = program::json(&args);
    let warnings = report["warnings"].as_array().expect("a list");
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    let text = warnings[0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("small.data: 10 samples"), "{text}");
}
