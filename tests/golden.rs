//! Whole outputs on the fixtures, byte for byte, with one processor and with all.
//!
//! A case is what one types behind `lockblame`; its file's name follows from it. `UPDATE_GOLDEN=1` rewrites the files:
//! read the difference, and hold new numbers to `tests/peers.rs` or `tests/lab.rs` before keeping them.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `@name` stands for a fixture's recording.
const CASES: &[&str] = &[
    "report @latencytop-before",
    "report @latencytop-after",
    "report @dup-before",
    "report @mmap-before",
    "report @user-mutex",
    "report @control",
    "report @dup-before @dup-fixed",
    "report @dup-before --ascii --width 72",
    "report @dup-before --color always",
    "report @mmap-before --through",
    "report @mmap-before --by site",
    "report @mmap-before --by site --through --limit 4",
    "report @mmap-before --by symbol --limit 10",
    "report @mmap-before --by comm",
    "report @mmap-before --by cpu",
    "report @mmap-before --by path --limit 6",
    "report @user-mutex --by path",
    "report @mmap-before --family rwsem",
    "report @dup-before --caller alloc_*",
    "report @mmap-before --lock _raw_spin_lock --min-share 1",
    "report @dup-before --min-share 70",
    "report @dup-before --time 20%-60%",
    "report @dup-before --cpu 0-3",
    "report @dup-before --comm lockbench --kernel-only",
    "report @dup-before --no-idle --limit 1",
    "report @dup-before --format perf",
    "report @mmap-before --format perf",
    "report @dup-before --format perf --by symbol --limit 5",
    "report @dup-before @dup-fixed --format perf",
    "report @mmap-before --format csv",
    "report @mmap-before --format csv --through --by site --limit 5",
    "report @dup-before @dup-fixed --format csv",
    "report @control --format csv --by symbol",
    "report @mmap-before --format csv --by comm",
    "report @mmap-before --format csv --by cpu",
    "report @mmap-before --format csv --by path",
    "report @mmap-before --format json --by symbol --limit 5",
    "report @dup-before @dup-fixed --format json --by symbol --limit 5",
    "report @control --format json",
    "callers @dup-before --lock _raw_spin_lock --depth 3",
    "callers @dup-before --lock _raw_spin_lock --depth 3 --format perf",
    "callers @dup-before --lock _raw_spin_lock --depth 2 --format csv",
    "callers @dup-before --lock _raw_spin_lock --depth 2 --format json",
    "callers @mmap-before --lock down_write_killable --depth 2 --absolute",
    "callers @mmap-before --symbol osq_lock --depth 4 --limit 1 --format perf",
    "callers @mmap-before --symbol native_queued_spin_lock_slowpath --min-share 10",
    "inspect @dup-before",
    "inspect @user-mutex --format csv",
    "inspect @latencytop-before --format json",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// `report-dup-before-by-site.txt` for `report @dup-before --by site`.
fn file_name(case: &str) -> String {
    let ending = ["csv", "json"].into_iter().find(|format| case.contains(&format!("--format {format}")));
    let words = case.replace(" --format csv", "").replace(" --format json", "").replace(['@', '*'], "");
    let plain: String =
        words.replace("--", "").chars().map(|c| if c == ' ' || c == '%' { '-' } else { c }).collect();
    format!("{}.{}", plain.trim_end_matches('-'), ending.unwrap_or("txt"))
}

/// The arguments, with paths that do not hang on where the crate lies.
fn arguments(case: &str) -> Vec<String> {
    let expand = |word: &str| match word.strip_prefix('@') {
        Some(name) => format!("fixtures/{name}/perf.data"),
        None => word.to_owned(),
    };
    case.split(' ').map(expand).collect()
}

fn output(mut command: Command, case: &str) -> String {
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("HOME", "/nonexistent");
    let output = command.args(arguments(case)).output().expect("the program starts");
    assert!(output.status.success(), "{case}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn outputs_are_the_golden_ones() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for case in CASES {
        let (file, text) = (folder().join(file_name(case)), output(program::lockblame(), case));
        if update {
            fs::create_dir_all(folder()).expect("the folder can be made");
            fs::write(&file, text).expect("the file can be written");
        } else {
            let golden = fs::read_to_string(&file).unwrap_or_default();
            if let Some(line) = differ(&golden, &text) {
                wrong.push(format!("{case}\n  {}, line {line}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "differ (UPDATE_GOLDEN=1 rewrites them):\n{}", wrong.join("\n"));
}

/// The first line in which two texts differ, with what it was and is.
fn differ(golden: &str, text: &str) -> Option<String> {
    if golden == text {
        return None;
    }
    let pairs = golden.lines().zip(text.lines()).enumerate();
    let found = pairs.into_iter().find(|(_, (was, is))| was != is);
    Some(found.map_or("end".to_owned(), |(at, (was, is))| format!("{}:\n  - {was}\n  + {is}", at + 1)))
}

#[test]
fn every_golden_file_has_its_case() {
    let expected: BTreeSet<String> = CASES.iter().map(|case| file_name(case)).collect();
    assert_eq!(expected.len(), CASES.len(), "two cases have one file");
    let entries = fs::read_dir(folder()).expect("the folder can be read");
    let present = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    // Those of comparisons built in code belong to another test.
    let present: BTreeSet<String> = present
        .filter(|name| !["diff-", "report-mail", "report-markdown"].iter().any(|of| name.starts_with(of)))
        .collect();
    assert_eq!(present, expected);
}

/// The first processor that this process may run on.
fn one_processor() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim().to_owned();
    Some(list.split([',', '-']).next()?.to_owned())
}

#[test]
fn one_processor_prints_the_same_bytes() {
    let pinned = |processor: &str| {
        let mut command = Command::new("taskset");
        command
            .args(["-c", processor, env!("CARGO_BIN_EXE_lockblame")])
            .env_remove("NO_COLOR")
            .env("TERM", "xterm");
        command
    };
    let processor = one_processor().filter(|processor| {
        pinned(processor).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    let Some(processor) = processor else { return eprintln!("skipped: no taskset") };
    for case in CASES {
        assert_eq!(output(pinned(&processor), case), output(program::lockblame(), case), "{case}");
    }
}
