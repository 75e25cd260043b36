//! perf itself, where it is installed, says the same of the same recording: self shares, and callers to the last unit.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/lab.rs"]
mod lab;
#[path = "support/peer.rs"]
mod peer;
#[path = "support/program.rs"]
mod program;
#[path = "support/shared.rs"]
mod shared;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use lab::Aliases;
use peer::FIXTURES;
use serde_json::Value;

/// What perf prints, or nothing (said aloud) where there is no perf.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn perf(args: &[&str]) -> Option<String> {
    let required = std::env::var("LOCKBLAME_REQUIRE").is_ok_and(|list| list.contains("perf"));
    match Command::new("perf").args(args).output() {
        Ok(output) if output.status.success() => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!required, "perf {args:?} fails: {why}");
            eprintln!("skipped: perf {args:?} fails: {why}");
            None
        }
        Err(error) => {
            assert!(!required, "perf is required and does not start: {error}");
            eprintln!("skipped: perf does not start: {error}");
            None
        }
    }
}

/// Kernel functions that perf knows, by any name they have, with their percentages as printed; and the weights of
/// their callchains' first two frames.
#[derive(Default)]
struct Printed {
    shares: BTreeMap<String, f64>,
    callers: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Reads `--sort symbol -g folded,0,callee,function,period`.
fn printed(text: &str, aliases: &Aliases) -> Printed {
    let mut printed = Printed::default();
    let mut symbol = None;
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (number, rest) = line.trim_start().split_once(' ').expect("a number and more");
        if let Some(percent) = number.strip_suffix('%') {
            symbol = rest.trim_start().strip_prefix("[k] ").map(|name| {
                let name = name.split("  ").next().unwrap_or(name).trim();
                aliases.one(name).to_owned()
            });
            if let Some(name) = &symbol {
                let percent: f64 = percent.parse().expect("a percentage");
                *printed.shares.entry(name.clone()).or_default() += percent;
            }
        } else if let Some(name) = &symbol {
            let weight: u64 = number.parse().expect("a weight");
            let caller = rest.split(';').nth(1).unwrap_or("none").trim();
            let caller = if caller.starts_with("0x") { "unnamed" } else { aliases.one(caller) };
            *printed.callers.entry(name.clone()).or_default().entry(caller.to_owned()).or_default() += weight;
        }
    }
    printed
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn is_kernel(row: &Value) -> bool {
    text(&row["module"]).starts_with('[') && !["[unknown]", "[vdso]"].contains(&text(&row["module"]))
}

/// The shares of kernel functions in percent, by lockblame.
fn own_shares(report: &Value, aliases: &Aliases) -> BTreeMap<String, f64> {
    let mut shares = BTreeMap::new();
    for row in report["symbols"].as_array().expect("a list").iter().filter(|row| is_kernel(row)) {
        let share = 100.0 * row["self_share"].as_f64().expect("a share");
        *shares.entry(aliases.one(text(&row["symbol"])).to_owned()).or_insert(0.0) += share;
    }
    shares
}

fn assert_shares(what: &str, own: &BTreeMap<String, f64>, printed: &Printed) {
    let named = printed.shares.iter().filter(|(name, _)| !name.starts_with("0x"));
    for (name, percent) in named {
        let share = own.get(name).copied().unwrap_or(0.0);
        assert!((share - percent).abs() < 0.0101, "{what}: {name}: {share:.4} %, perf {percent:.2} %");
    }
    for (name, share) in own.iter().filter(|(name, _)| !name.starts_with('[')) {
        assert!(printed.shares.contains_key(name), "{what}: perf has no {name} ({share:.4} %)");
    }
}

#[test]
fn perf_report_says_the_same_of_the_fixtures() {
    let mut trees = 0;
    for name in FIXTURES {
        let path = |file: &str| program::fixture(name, file).to_str().expect("UTF-8").to_owned();
        let (data, kallsyms, symfs) = (path("perf.data"), path("kallsyms"), path("symfs"));
        let aliases = Aliases::read(Path::new(&kallsyms));
        let sources = ["--kallsyms", &kallsyms, "--symfs", &symfs];
        let how = ["report", "-f", "--stdio", "--no-children", "--percent-limit", "0", "--sort", "symbol"];
        let chains = ["-g", "folded,0,callee,function,period", "-i", &data];
        let Some(text_of_perf) = perf(&[&how[..], &sources, &chains].concat()) else { return };
        let printed = printed(&text_of_perf, &aliases);
        let report = ["report", "-q", "--format", "json", &data];
        let report = program::json(&[&report[..], &sources].concat());
        let own = own_shares(&report, &aliases);
        assert!(own.len() >= 3, "{name}: only {} symbols", own.len());
        assert_shares(name, &own, &printed);

        let mut heaviest: Vec<(&String, &f64)> =
            own.iter().filter(|(name, _)| !name.starts_with('[')).collect();
        heaviest.sort_by(|a, b| b.1.total_cmp(a.1));
        for (symbol, _) in heaviest.into_iter().take(12) {
            // Any of a function's names may be the one that lockblame chose.
            let rows = report["symbols"].as_array().expect("a list");
            let row = rows.iter().find(|row| aliases.one(text(&row["symbol"])) == symbol.as_str());
            let chosen = text(&row.expect("it is in the report")["symbol"]);
            let args = ["callers", "-q", "--format", "json", "--symbol", chosen, &data];
            let root = program::json(&[&args[..], &sources].concat())["root"].take();
            let mut callers: BTreeMap<String, u64> = BTreeMap::new();
            for row in root["callers"].as_array().expect("a list") {
                let caller = text(&row["caller"]);
                let caller = if caller.starts_with('[') { "unnamed" } else { aliases.one(caller) };
                *callers.entry(caller.to_owned()).or_default() += row["weight"].as_u64().expect("a weight");
            }
            if let Some(ended) = root["without_caller"].as_u64().filter(|&ended| ended > 0) {
                callers.insert("none".to_owned(), ended);
            }
            trees += 1;
            assert_eq!(Some(&callers), printed.callers.get(symbol), "{name}: {symbol}");
        }
    }
    assert!(trees > 70, "only {trees} trees");
}

#[test]
fn perf_report_says_the_same_of_a_fresh_recording() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data: PathBuf = folder.path().join("perf.data");
    let data = data.to_str().expect("UTF-8");
    let load = ["--", "perf", "bench", "-f", "simple", "sched", "messaging", "-l", "50"];
    let record = ["record", "-q", "-e", "cpu-clock", "-a", "-g", "-o", data];
    if perf(&[&record[..], &load].concat()).is_none() {
        return;
    }
    let how = ["report", "-f", "--stdio", "--no-children", "--percent-limit", "0", "--sort", "symbol"];
    let Some(text_of_perf) = perf(&[&how[..], &["-g", "none", "-i", data]].concat()) else { return };
    let aliases = Aliases::read(Path::new("/proc/kallsyms"));
    let report = program::json(&["report", "-q", "--format", "json", data]);
    let own = own_shares(&report, &aliases);
    let names = own.keys().filter(|name| !name.starts_with('[')).count();
    if names == 0 {
        // Not root: neither of them may see the kernel's addresses.
        return;
    }
    assert!(names > 20, "only {names} symbols");
    assert_shares("fresh", &own, &printed(&text_of_perf, &aliases));
}
