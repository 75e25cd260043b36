//! Samples by kernel function are those that `perf report` counts, except for names that are no functions.

#[path = "support/golden.rs"]
mod golden;
#[path = "support/peer.rs"]
mod peer;
#[path = "support/shared.rs"]
#[allow(dead_code, unreachable_pub, reason = "each integration test compiles this module anew")]
mod shared;

use std::collections::BTreeMap;

use peer::{FIXTURES, has_perf, real};

/// Samples by kernel function, as perf counts them.
fn of_perf(folder: &str) -> BTreeMap<String, u64> {
    let text = golden::stdout_of(&format!(
        "perf report -i {folder}/perf.data --kallsyms={folder}/kallsyms --no-children --stdio -g none --sort symbol -n"
    ));
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, samples, "[k]", name, ..] = words.as_slice() {
            *found.entry(real(name).to_owned()).or_default() +=
                samples.parse::<u64>().expect("perf prints a number");
        }
    }
    found
}

/// The same, as lockblame counts them.
fn of_lockblame(folder: &str) -> BTreeMap<String, u64> {
    let text = golden::stdout_of(&format!("lockblame report --format json -q {folder}/perf.data"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("the program prints JSON");
    let symbols = report["symbols"].as_array().expect("a report has symbols");
    let in_kernel =
        symbols.iter().filter(|row| row["module"].as_str().is_some_and(|m| m.starts_with("[kernel")));
    in_kernel
        .map(|row| {
            (row["symbol"].as_str().expect("a name").to_owned(), row["samples"].as_u64().expect("a count"))
        })
        .collect()
}

#[test]
fn samples_by_kernel_function_are_those_of_perf() {
    if !has_perf() {
        return;
    }
    let mut functions = 0;
    for name in FIXTURES {
        let folder = format!("fixtures/{name}");
        let (perf, own) = (of_perf(&folder), of_lockblame(&folder));
        assert_eq!(own, perf, "{name}");
        functions += own.len();
    }
    assert!(functions > 500, "only {functions} functions were compared");
}
