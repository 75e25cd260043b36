//! Damaged recordings through the program: an object whose parts add up, or one line and nothing else.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use super::every::{Chance, mutate};
use super::fuzz::heap::alone;
use super::program::lockblame;
use super::support::written::every_way;

/// What the program says about these bytes.
fn report(folder: &Path, bytes: &[u8]) -> Output {
    let file = folder.join("some.data");
    std::fs::write(&file, bytes).expect("the file is written");
    let mut command = lockblame();
    command.args(["report", "--format", "json"]).arg(&file);
    command.output().expect("the program starts")
}

/// Whether the program took the bytes for a recording.
fn answers(folder: &Path, bytes: &[u8]) -> bool {
    let output = report(folder, bytes);
    let errors = String::from_utf8(output.stderr).expect("errors are UTF-8");
    match output.status.code() {
        Some(0) => {
            adds_up(&serde_json::from_slice(&output.stdout).expect("it prints JSON"));
            true
        }
        Some(2) => {
            assert!(output.stdout.is_empty());
            assert!(errors.starts_with("lockblame: ") && errors.ends_with('\n'), "{errors:?}");
            assert_eq!(errors.lines().count(), 1, "{errors:?}");
            assert!(!errors.trim_end().chars().any(char::is_control), "{errors:?}");
            false
        }
        code => panic!("it ends with {code:?}: {errors}"),
    }
}

/// Call sites are the whole of their lock, locks are the whole of the contention, and all are parts of the run.
fn adds_up(report: &Value) {
    let number = |value: &Value, key: &str| value[key].as_u64().unwrap_or_else(|| panic!("{key} in {value}"));
    let rows = |value: &Value, key: &str| value[key].as_array().expect("it is a list").clone();
    for key in ["samples", "weight"] {
        let sum = |rows: &[Value]| rows.iter().fold(0_u64, |sum, row| sum.saturating_add(number(row, key)));
        let locks = rows(report, "locks");
        for lock in &locks {
            assert_eq!(sum(&rows(lock, "callers")), number(lock, key), "{lock}");
        }
        let contention = number(&report["contention"], key);
        assert_eq!(sum(&locks), contention, "{key}");
        let whole = number(&report["runs"][0], key);
        assert!(contention <= whole, "{contention} of {whole} {key}");
        if key == "samples" {
            assert!(sum(&rows(report, "symbols")) <= whole);
        }
    }
    for row in rows(report, "locks").iter().chain(&rows(report, "groups")) {
        assert!(row["share"].as_f64().is_some_and(|share| (0.0..=1.0 + 1e-9).contains(&share)), "{row}");
    }
    for warning in rows(report, "warnings") {
        let text = warning["text"].as_str().expect("a warning is text");
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
}

#[test]
fn damaged_files_are_answered_by_the_program() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut chance = Chance(7);
    let (mut read, mut refused) = (0, 0);
    for (_, image) in every_way() {
        assert!(answers(folder.path(), &image.bytes), "it is sound");
        let all = 0..image.bytes.len();
        let mut inputs: Vec<Vec<u8>> = Vec::new();
        for part in 1..12 {
            inputs.push(image.bytes[..all.end * part / 12].to_vec());
        }
        for n in 0..28 {
            let mut bytes = image.bytes.clone();
            // Half of them where the recording says what it is.
            let place = if n % 2 == 0 { all.clone() } else { 0..300 };
            mutate(&mut bytes, place, &mut chance);
            inputs.push(bytes);
        }
        for bytes in inputs {
            *(if answers(folder.path(), &bytes) { &mut read } else { &mut refused }) += 1;
        }
    }
    assert!(read > 100 && refused > 30, "{read} were read, {refused} refused");
}
