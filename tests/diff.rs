//! Comparisons through the program: shares, means and deviations are those of perf's own text, and what cannot be told is
//! not told.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/lab.rs"]
mod lab;
#[path = "support/program.rs"]
mod program;

use std::fs;
use std::path::Path;

use lab::{Aliases, Sample, gunzip, kallsyms_of, script};
use program::{fixture, json, printed, run};

/// The weight of `_raw_spin_lock*` from a caller, and all weight, as an independent reading of perf's text has them.
fn from(samples: &[Sample], aliases: &Aliases, lock: &str, caller: &str) -> f64 {
    let total: u64 = samples.iter().map(|sample| sample.period).sum();
    let name = |sample: &Sample, at: usize| -> Option<String> {
        sample.frames.get(at).map(|frame| aliases.one(&frame.symbol).to_owned())
    };
    let is_it = |sample: &&Sample| {
        let first = name(sample, 0);
        let at = usize::from(first.as_deref() == Some("native_queued_spin_lock_slowpath"));
        name(sample, at).as_deref() == Some(aliases.one(lock))
            && name(sample, at + 1).as_deref() == Some(aliases.one(caller))
    };
    let part: u64 = samples.iter().filter(is_it).map(|sample| sample.period).sum();
    part as f64 / total as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

/// Four runs a side of the latencytop pair: the row of its lock equals perf's text, run by run.
#[test]
fn the_latencytop_pair_is_as_perf_printed_it() {
    let Some(lab) = lab::lab() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let runs = |side: &str| -> Vec<_> {
        (1..=4).map(|n| lab.join(format!("lat8mcs-1-pp-{side}-cycles-r{n}"))).collect()
    };
    let kallsyms = kallsyms_of(&runs("before")[0], folder.path());
    let aliases = Aliases::read(&kallsyms);
    let shares = |side: &str| -> Vec<f64> {
        let share = |folder: &std::path::PathBuf| {
            let samples = script(&gunzip(&folder.join("script.txt.gz")));
            from(&samples, &aliases, "_raw_spin_lock_irqsave", "__account_scheduler_latency")
        };
        runs(side).iter().map(share).collect()
    };
    let glob = |side: &str| lab.join(format!("lat8mcs-1-pp-{side}-cycles-r*")).display().to_string();
    let kallsyms = kallsyms.display().to_string();
    let answer =
        json(&["diff", &glob("before"), &glob("after"), "--kallsyms", &kallsyms, "--format", "json", "-q"]);
    let rows = answer["rows"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|row| row["lock"] == "_raw_spin_lock_irqsave" && row["caller"] == "__account_scheduler_latency")
        .expect("the row of the lock");
    for side in ["before", "after"] {
        let wanted = shares(side);
        let own: Vec<f64> = row[side]["runs"]
            .as_array()
            .expect("runs")
            .iter()
            .map(|v| v.as_f64().expect("a number"))
            .collect();
        for (wanted, own) in wanted.iter().zip(&own) {
            assert!((wanted - own).abs() < 1e-9, "{side}: {wanted} {own}");
        }
        assert!((row[side]["mean"].as_f64().expect("a mean") - mean(&wanted)).abs() < 1e-9);
        assert!((row[side]["stddev"].as_f64().expect("a deviation") - deviation(&wanted)).abs() < 1e-9);
    }
    let sentence = answer["headline"].as_str().expect("a sentence");
    assert!(sentence.starts_with("Lock contention falls from 86.0 % to 3.9 % of cycles"), "{sentence}");
    assert_eq!(answer["contention"]["verdict"], "better");
}

/// Where the sides are alike, nothing is better or worse.
#[test]
fn sides_that_are_alike_are_said_to_be() {
    let f = |name: &str| fixture(name, "perf.data").display().to_string();
    let before = [f("latencytop-after"), f("latencytop-after-r2")];
    let after = [f("latencytop-after-r3"), f("latencytop-after-r4")];
    let mut args: Vec<&str> = vec!["diff", "--format", "json", "-q", "--before"];
    args.extend(before.iter().map(String::as_str));
    args.push("--after");
    args.extend(after.iter().map(String::as_str));
    let answer = json(&args);
    assert!(
        answer["headline"].as_str().expect("a sentence").starts_with("No change beyond noise"),
        "{answer}"
    );
    for row in answer["rows"].as_array().expect("rows") {
        assert!(row["verdict"] != "better" && row["verdict"] != "worse", "{row}");
    }
}

/// A report that was mailed and the recording it was made from say the same.
#[test]
fn a_mailed_report_agrees_with_its_recording() {
    let Some(lab) = lab::lab() else { return };
    let folder = lab.join("lat8mcs-1-pp-before-cycles-r1");
    let temporary = tempfile::tempdir().expect("a folder");
    let kallsyms = kallsyms_of(&folder, temporary.path()).display().to_string();
    let mail = temporary.path().join("thread.mbox");
    let quoted: String =
        gunzip(&folder.join("report-callee.txt.gz")).lines().map(|line| format!("> > {line}\n")).collect();
    fs::write(
        &mail,
        format!("From a Mon Nov 30 19:35:45 2026\nFrom: a@example.org\nSubject: locks\n\nSee:\n{quoted}"),
    )
    .expect("it is written");
    let data = folder.join("perf.data").display().to_string();
    let answer = json(&[
        "diff",
        &mail.display().to_string(),
        &data,
        "--kallsyms",
        &kallsyms,
        "--format",
        "json",
        "-q",
    ]);
    let row = answer["symbols"]
        .as_array()
        .expect("symbols")
        .iter()
        .find(|row| row["symbol"] == "native_queued_spin_lock_slowpath");
    // perf prints two decimals, and leaves rows of single commands below its limit out.
    let points = row.map_or(0.0, |row| row["points"].as_f64().expect("a number"));
    assert!(points.abs() < 0.001, "{points}");
    assert!(
        answer["before"]["runs"][0]["samples"].is_null(),
        "a text that says 5K does not tell the samples"
    );
}

/// The robot's tables come out as they went in.
#[test]
fn the_robots_tables_are_reproduced() {
    for (name, format) in [("lkp-compare-2014.txt", "lkp-ascii"), ("lkp-compare-2025.txt", "lkp")] {
        let path = fixture("mail", name);
        let text = printed(&["diff", &path.display().to_string(), "--format", format]);
        assert_eq!(text, fs::read_to_string(&path).expect("the table"), "{name}");
    }
}

/// Without the kernel's names nothing is said of locks, and a gate does not pass.
#[test]
fn nothing_is_told_without_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = |name: &str| {
        let to = folder.path().join(format!("{name}.data"));
        fs::copy(fixture(name, "perf.data"), &to).expect("it is copied");
        to.display().to_string()
    };
    let (before, after) = (copy("latencytop-after"), copy("latencytop-before"));
    let report = printed(&["report", &after, "-q"]);
    assert!(report.starts_with("Which locks take cycles cannot be told"), "{report}");
    let diff = printed(&["diff", &before, &after, "-q"]);
    assert!(diff.starts_with("Which locks take cycles cannot be told"), "{diff}");
    let check = run(&["check", "--before", &before, "--after", &after, "--fail-if", "total > +1pt", "-q"]);
    assert_eq!(check.status.code(), Some(2), "{}", String::from_utf8_lossy(&check.stderr));
}

/// Exit codes of the gate on real runs.
#[test]
fn the_gate_trips_on_a_regression() {
    let f = |name: &str| fixture(name, "perf.data").display().to_string();
    let check = |before: [&str; 2], after: [&str; 2]| {
        let (before, after) = (before.map(f), after.map(f));
        run(&[
            "check",
            "--before",
            &before[0],
            &before[1],
            "--after",
            &after[0],
            &after[1],
            "--fail-if",
            "spinlock > +1pt",
            "-q",
        ])
        .status
        .code()
    };
    let (high, low) =
        (["latencytop-before", "latencytop-before-r2"], ["latencytop-after", "latencytop-after-r2"]);
    assert_eq!(check(low, high), Some(1));
    assert_eq!(check(high, low), Some(0));
}

/// Symbols of another kernel, an input as output, a run given twice: refused in one line.
#[test]
fn what_would_mislead_is_refused() {
    let recording = fixture("dup-before", "perf.data").display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |args: &[&str], part: &str| {
        let answer = run(args);
        let text = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert_eq!(answer.status.code(), Some(2), "{args:?}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(part), "{text}");
    };
    refused(&["report", &recording, &recording], "given twice");
    refused(&["diff", "--before", &recording, &recording, "--after", &recording], "given twice");
    let copy = folder.path().join("in.data").display().to_string();
    fs::copy(&recording, &copy).expect("it is copied");
    refused(&["report", &copy, "-o", &copy], "is an input");
    refused(&["diff", &copy, &recording, "-o", &copy], "is an input");
    assert_eq!(fs::read(&copy).expect("it is there"), fs::read(&recording).expect("it is there"));
    refused(&["report", &recording, "--symfs", "nowhere"], "is no folder");
    refused(&["report", "/dev/zero"], "is a device");
    let Some(lab) = lab::lab() else { return };
    let other = kallsyms_of(Path::new(&lab.join("lat8mcs-1-pp-before-cycles-r1")), folder.path())
        .display()
        .to_string();
    refused(&["report", &recording, "--kallsyms", &other], "is of another kernel");
}
