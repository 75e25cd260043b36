//! Which event is reported: the one that was named, or the one that a person means.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/program.rs"]
mod program;
mod support;

use std::path::{Path, PathBuf};

use program::{json, run};
use serde_json::Value;
use support::perfdata::{Event, Recording, Sample};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// A software event of this number.
fn software(config: u64, name: &str) -> Event {
    Event::new(1, config, name).callchain()
}

fn tracepoint() -> Event {
    Event::tracepoint(300, "sched:sched_switch").callchain()
}

/// Writes a recording with so many samples of each event.
fn written(folder: &tempfile::TempDir, events: &[(Event, u64)]) -> PathBuf {
    let mut recording = Recording::new();
    for (event, _) in events {
        recording = recording.event(event.clone());
    }
    for (at, (_, n)) in events.iter().enumerate() {
        let sample = |k: u64| {
            Sample::at(10 * k + at as u64).event(at).period(100).cpu(0).kernel_chain(&[KERNEL + k, KERNEL])
        };
        recording = recording.records((0..*n).map(sample));
    }
    let path = folder.path().join("perf.data");
    std::fs::write(&path, recording.write()).expect("it is written");
    path
}

/// The event of a report, its samples, and the codes of warnings.
fn reported(path: &Path, event: Option<&str>) -> (String, u64, Vec<(String, String)>) {
    let mut args = vec!["report", "--format", "json", "-q"];
    args.extend(event.iter().flat_map(|event| ["--event", event]));
    let path = path.display().to_string();
    args.push(&path);
    let report: Value = json(&args);
    let run = &report["runs"][0];
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let warnings = report["warnings"].as_array().expect("warnings");
    let warnings = warnings.iter().map(|warning| (text(&warning["code"]), text(&warning["text"]))).collect();
    (text(&run["event"]), run["samples"].as_u64().expect("samples"), warnings)
}

#[test]
fn cycles_come_before_clocks_and_clocks_before_others() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let cycles = || Event::cycles().callchain();
    let instructions = || Event::instructions().callchain();
    let (cpu_clock, task_clock) = (|| software(0, "cpu-clock"), || software(1, "task-clock:u"));
    let dummy = || software(9, "dummy:HG");
    let simpleperf = || Event::new(8, 17, "cpu-cycles").callchain();
    for (events, name, samples) in [
        (
            vec![(tracepoint(), 9), (instructions(), 8), (task_clock(), 7), (cpu_clock(), 6), (cycles(), 5)],
            "cycles",
            5,
        ),
        (
            vec![(tracepoint(), 9), (instructions(), 8), (task_clock(), 7), (cpu_clock(), 6), (cycles(), 0)],
            "cpu-clock",
            6,
        ),
        (
            vec![(tracepoint(), 9), (instructions(), 8), (task_clock(), 7), (cpu_clock(), 0)],
            "task-clock:u",
            7,
        ),
        (vec![(tracepoint(), 9), (instructions(), 8)], "sched:sched_switch", 9),
        (vec![(instructions(), 8), (tracepoint(), 9)], "instructions", 8),
        (vec![(dummy(), 9), (tracepoint(), 1)], "sched:sched_switch", 1),
        (vec![(tracepoint(), 3), (simpleperf(), 2)], "cpu-cycles", 2),
        (vec![(dummy(), 0), (instructions(), 0)], "instructions", 0),
        (vec![(dummy(), 4)], "dummy:HG", 4),
    ] {
        let names: Vec<&str> = events.iter().map(|(event, _)| event.name.as_str()).collect();
        let (event, n, warnings) = reported(&written(&folder, &events), None);
        assert_eq!((event.as_str(), n), (name, samples), "{names:?}");
        let others: Vec<&str> = events
            .iter()
            .filter(|(event, n)| *n > 0 && event.name != name)
            .map(|(event, _)| event.name.as_str())
            .collect();
        let told = warnings.iter().find(|(code, _)| code == "other-events");
        assert_eq!(told.is_some(), !others.is_empty(), "{names:?}: {warnings:?}");
        for other in others {
            let (_, text) = told.expect("it is told");
            assert!(text.contains(&format!("shares are of {name};")) && text.contains(other), "{text}");
            assert!(text.contains("--event"), "{text}");
        }
    }
}

#[test]
fn an_event_that_is_not_there_is_answered_by_the_list() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = written(&folder, &[(Event::cycles().callchain(), 2), (tracepoint(), 3)]);
    let output = run(&["report", "--event", "cache-misses", &path.display().to_string()]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors.ends_with("holds no event 'cache-misses'; take one of: cycles, sched:sched_switch\n"),
        "{errors}"
    );
}

#[test]
fn kinds_of_cores_are_taken_together_and_told_apart() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // perf names them in these ways; the type's number of the kind of cores stands in the upper half of config.
    for (core, atom, together) in [
        ("cpu_core/cycles:ppp/", "cpu_atom/cycles:ppp/", "cycles:ppp"),
        ("cpu_core/cycles/P", "cpu_atom/cycles/P", "cycles:P"),
        ("cpu_core/cycles/", "cpu_atom/cycles/", "cycles"),
        ("armv8_cortex_a53/cycles/", "armv8_cortex_a72/cycles/", "cycles"),
    ] {
        let of = |kind: u64, name: &str| Event::new(0, kind << 32, name).callchain();
        let events =
            [(of(4, core), 30), (software(9, "dummy:HG"), 2), (of(10, atom), 10), (tracepoint(), 50)];
        let path = written(&folder, &events);
        let (event, samples, warnings) = reported(&path, None);
        assert_eq!((event.as_str(), samples), (together, 40));
        let (_, text) = warnings.iter().find(|(code, _)| code == "hybrid").expect("it is told");
        assert!(text.contains(&format!("75.0 % of {core}, 25.0 % of {atom}")), "{text}");
        // What was asked for names both, with and without modifiers; each is to be had alone.
        assert_eq!(reported(&path, Some(together)).1, 40);
        assert_eq!(reported(&path, Some("cycles")).1, 40);
        let (event, samples, warnings) = reported(&path, Some(atom));
        assert_eq!((event.as_str(), samples), (atom, 10));
        assert!(warnings.iter().all(|(code, _)| code != "hybrid"));
        assert_eq!(reported(&path, Some(core)).1, 30);
        let inspected = json(&["inspect", "--format", "json", "-q", &path.display().to_string()]);
        let apart: Vec<u64> = inspected["events"]
            .as_array()
            .expect("events")
            .iter()
            .filter_map(|e| e["samples"].as_u64())
            .collect();
        assert_eq!(apart, [30, 2, 10, 50]);
        assert_eq!(inspected["reported"]["name"], together);
        assert_eq!(inspected["reported"]["events"], serde_json::json!([core, atom]));
    }
}

#[test]
fn other_names_with_a_slash_stay_apart() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let of = |kind: u32, name: &str| Event::new(kind, 1, name).callchain();
    let path = written(&folder, &[(of(20, "uncore_imc_0/cas/"), 3), (of(21, "uncore_imc_1/cas/"), 4)]);
    let (event, samples, _) = reported(&path, None);
    assert_eq!((event.as_str(), samples), ("uncore_imc_0/cas/", 3));
}

#[test]
fn of_events_of_one_name_the_first_with_samples_is_shown_and_each_can_be_named() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let of = |n: u64| (Event::new(0, 3, "cache-misses").callchain(), n);
    let path = written(&folder, &[of(0), of(7), of(9)]);
    assert_eq!(reported(&path, Some("cache-misses")).1, 7);
    let (event, samples, warnings) = reported(&path, Some("cache-misses#3"));
    assert_eq!((event.as_str(), samples), ("cache-misses#3", 9));
    let (_, text) = warnings.iter().find(|(code, _)| code == "other-events").expect("it is told");
    assert!(text.contains("also holds cache-misses#2: choose"), "{text}");
    let (event, samples, warnings) = reported(&path, None);
    assert_eq!((event.as_str(), samples), ("cache-misses", 7));
    let (_, text) = warnings.iter().find(|(code, _)| code == "other-events").expect("it is told");
    assert!(text.contains("also holds cache-misses#3: choose"), "{text}");
}
