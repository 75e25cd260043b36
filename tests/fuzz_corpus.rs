//! What the fuzzer has kept, on any toolchain: its small corpus, and every input that once failed.
//!
//! `fuzz/seeds/TARGET/` holds the corpus and `fuzz/crashers/TARGET/` the failures, named by what went wrong. The
//! ignored test writes the inputs that a new corpus starts from.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "../fuzz/src/lib.rs"]
mod fuzz;
#[path = "fuzz_corpus/start.rs"]
mod start;

mod support;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The fuzzer's own limit for one input; nothing that it kept takes a tenth of it.
const LONG: Duration = Duration::from_secs(10);

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

/// The files of a folder, sorted; none where there is no folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

#[test]
fn what_was_kept_still_holds() {
    let _alone = fuzz::heap::alone();
    for (target, check) in fuzz::TARGETS {
        let kept = files(&folder("seeds").join(target));
        assert!(kept.len() >= 10, "{target} has {} inputs", kept.len());
        for path in kept.iter().chain(&files(&folder("crashers").join(target))) {
            let bytes = std::fs::read(path).expect("it can be read");
            let begun = Instant::now();
            if let Err(panic) = std::panic::catch_unwind(|| check(&bytes)) {
                panic!("{}: {}", path.display(), said(&*panic));
            }
            assert!(begun.elapsed() < LONG, "{} took {:?}", path.display(), begun.elapsed());
        }
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Every target is in Cargo.toml, has a program, and nothing lies in a folder of no target.
#[test]
fn targets_are_complete() {
    let manifest = std::fs::read_to_string(folder("Cargo.toml")).expect("it is there");
    let names: Vec<&str> = fuzz::TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(manifest.matches("[[bin]]").count(), names.len());
    for name in &names {
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"targets/{name}.rs\"")), "{name}");
        let program =
            std::fs::read_to_string(folder("targets").join(format!("{name}.rs"))).expect("it is there");
        assert!(program.contains(&format!("::{name}::check(bytes)")), "{name}");
    }
    for kept in ["seeds", "crashers"] {
        for entry in std::fs::read_dir(folder(kept)).into_iter().flatten().filter_map(Result::ok) {
            let name = entry.file_name();
            assert!(names.iter().any(|known| name == **known), "{kept}/{} has no target", name.display());
        }
    }
}

/// What is fuzzed is built of the same crates: the versions of all that the program names are those of the root.
#[test]
fn both_locks_agree() {
    let read = |path: &str| std::fs::read_to_string(folder(path)).expect("it is there");
    let (manifest, root, own) = (read("../Cargo.toml"), read("../Cargo.lock"), read("Cargo.lock"));
    let named = manifest.split("[dependencies]\n").nth(1).and_then(|rest| rest.split("\n[").next());
    let names = named.unwrap_or_default().lines().filter_map(|line| line.split_once(" = "));
    for (name, _) in names {
        let package = format!("name = \"{name}\"\nversion = ");
        let version =
            |lock: &str| lock.split(&package).nth(1).and_then(|rest| rest.lines().next()).map(str::to_owned);
        assert_eq!(
            version(&own),
            version(&root),
            "{name}: run `cargo update --manifest-path fuzz/Cargo.toml`"
        );
    }
}

/// The corpus comes with every clone.
#[test]
fn what_was_kept_is_small() {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |meta| meta.len());
    let of = |kept: &str, target: &str| files(&folder(kept).join(target)).iter().map(size).sum::<u64>();
    let all: u64 = fuzz::TARGETS.iter().map(|(name, _)| of("seeds", name) + of("crashers", name)).sum();
    assert!(all < 300_000, "{all} bytes");
}

#[test]
#[ignore = "fills fuzz/corpus, for a fuzzer that starts anew"]
fn seeds_are_written() {
    for (target, inputs) in start::inputs() {
        assert!(fuzz::TARGETS.iter().any(|(name, _)| *name == target), "{target}");
        let folder = folder("corpus").join(target);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        for (n, bytes) in inputs.iter().enumerate() {
            std::fs::write(folder.join(format!("start-{n:03}")), bytes).expect("it can be written");
        }
    }
}
