//! Modules import only what stands below them, and a crate is used only in the modules that it is for.
//!
//! The first table is the picture in docs/architecture.md. An arrow that is not in it fails, and so does a row of the
//! second table that nothing needs any more.

#[path = "support/golden.rs"]
mod golden;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Modules, and what of the crate each may import, bottom up.
const LAYERS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("units", &[]),
    ("id", &[]),
    ("file", &["error"]),
    ("run", &["units"]),
    ("stats", &[]),
    ("metric", &[]),
    ("text", &[]),
    ("perf", &["error", "units", "id", "file"]),
    ("profile", &["error", "units", "id"]),
    ("ingest", &["error", "units", "id", "perf", "profile"]),
    ("symbol", &["error", "units", "id", "file", "profile"]),
    ("transcript", &["error", "units", "id", "profile", "symbol", "text"]),
    // Rules are about names, so locks stand above symbols.
    ("lock", &["error", "units", "id", "profile", "symbol"]),
    ("compare", &["error", "units", "id", "run", "stats", "lock"]),
    // Frames have shares over runs, and their differences are judged as rows are.
    ("graph", &["error", "units", "id", "profile", "symbol", "stats", "lock", "compare"]),
    ("report", &["error", "units", "id", "run", "profile", "stats", "metric", "lock", "compare", "graph"]),
    ("check", &["error", "units", "id", "run", "stats", "lock", "compare"]),
    // Numbers over runs (`stats::Spread`, `Interval`) and facts of runs are what rows are made of.
    (
        "render",
        &["error", "units", "id", "run", "stats", "metric", "lock", "compare", "graph", "check", "report"],
    ),
    // What was typed is turned into what the lower modules take: selections, rules, choices of rows.
    ("cli", &["error", "units", "id", "ingest", "lock", "compare", "report", "check"]),
    (
        "app",
        &[
            "error",
            "units",
            "id",
            "file",
            "run",
            "stats",
            "metric",
            "text",
            "perf",
            "profile",
            "ingest",
            "symbol",
            "transcript",
            "lock",
            "compare",
            "graph",
            "check",
            "report",
            "render",
            "cli",
        ],
    ),
];

/// Crates, and the modules that may use each; `main` is src/main.rs.
const CRATES: &[(&str, &[&str])] = &[
    ("bzip2", &["file"]),
    ("clap", &["cli", "app", "main"]),
    ("clap_complete", &["cli", "app"]),
    ("clap_mangen", &["app"]),
    ("comfy_table", &["render"]),
    ("cpp_demangle", &["symbol"]),
    ("csv", &["render", "metric"]),
    ("flate2", &["file"]),
    ("glob", &["app"]),
    ("hashbrown", &["ingest"]),
    ("indicatif", &["app"]),
    ("inferno", &["render"]),
    ("linux_perf_data", &["perf"]),
    ("lzma_rust2", &["file"]),
    ("mail_parser", &["text"]),
    ("memmap2", &["file"]),
    ("object", &["symbol"]),
    ("quick_xml", &["render"]),
    ("regex", &["app"]),
    ("rpds", &["ingest"]),
    ("rustc_demangle", &["symbol"]),
    ("rustc_hash", &["id", "perf", "ingest", "symbol", "lock", "graph"]),
    ("ruzstd", &["file", "perf"]),
    ("serde", &["lock", "metric", "render"]),
    // The objects of `callers` and `inspect` are built where those are.
    ("serde_json", &["metric", "render", "app"]),
    ("statrs", &["stats"]),
    ("tempfile", &["file"]),
    ("terminal_size", &["app"]),
    ("thiserror", &["perf", "text", "metric", "check"]),
    ("toml", &["lock"]),
];

/// Modules whose result may hang on nothing but their arguments.
const PURE: &[&str] = &[
    "units",
    "id",
    "run",
    "stats",
    "metric",
    "text",
    "profile",
    "transcript",
    "lock",
    "compare",
    "graph",
    "check",
    "report",
    "render",
];

/// What would make a result hang on something else.
const OUTSIDE: &[&str] =
    &["std::env", "std::time", "SystemTime", "Instant::now", "IsTerminal", "stdin()", "stdout()"];

/// A file below `src/`: its module, its path, its code without comments.
struct Source {
    module: String,
    path: String,
    code: String,
}

fn sources() -> Vec<Source> {
    fn walk(folder: &Path, found: &mut Vec<Source>) {
        for entry in std::fs::read_dir(folder).expect("src can be listed") {
            let path = entry.expect("src can be listed").path();
            if path.is_dir() {
                walk(&path, found);
                continue;
            }
            let below = path.strip_prefix(golden::root("src")).expect("below src");
            let first = below.iter().next().and_then(|part| part.to_str()).expect("UTF-8");
            let text = std::fs::read_to_string(&path).expect("a source is UTF-8");
            let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
            found.push(Source {
                module: first.trim_end_matches(".rs").to_owned(),
                path: below.display().to_string(),
                code: code.collect::<Vec<_>>().join("\n"),
            });
        }
    }
    let mut found = Vec::new();
    walk(&golden::root("src"), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 50, "only {} sources were found", found.len());
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where `name::` begins a path, so that `name` is a crate or a module in scope.
fn begins_path(code: &str, name: &str) -> bool {
    let needle = format!("{name}::");
    code.match_indices(&needle).any(|(at, _)| !code[..at].ends_with(|c| is_word(c) || c == ':'))
}

/// The first names behind `crate::` in a file, also those of `crate::{a, b::c}`.
fn imports(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, path) in code.match_indices("crate::") {
        if code[..at].ends_with(|c| is_word(c) || c == '$') {
            continue;
        }
        let rest = &code[at + path.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let end = group.find(|c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                depth < 0
            });
            let group = &group[..end.expect("a group ends")];
            let mut depth = 0;
            let items = group.split(|c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                c == ',' && depth == 0
            });
            found.extend(items.map(|item| item.trim().chars().take_while(|&c| is_word(c)).collect()));
        } else {
            found.insert(rest.chars().take_while(|&c| is_word(c)).collect());
        }
    }
    found.remove("");
    found
}

/// Names that `use` and `mod` bring into a file from the crate itself, so that `csv::…` may be a module of ours.
fn local_names(code: &str) -> BTreeSet<String> {
    let statements = ["use ", "mod "].into_iter().flat_map(|keyword| {
        let places = code.match_indices(keyword).filter(|(at, _)| !code[..*at].ends_with(is_word));
        places.filter_map(move |(at, _)| code[at + keyword.len()..].split(';').next())
    });
    let is_own = |path: &&str| {
        ["crate::", "super::", "self::"].iter().any(|own| path.starts_with(own)) || !path.contains("::")
    };
    statements.filter(is_own).flat_map(|path| path.split(|c| !is_word(c))).map(str::to_owned).collect()
}

#[test]
fn imports_point_down() {
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !["lib", "main"].contains(&source.module.as_str())) {
        let below = allowed.get(source.module.as_str());
        let below =
            below.unwrap_or_else(|| panic!("{} is a module without a place in LAYERS", source.module));
        for import in imports(&source.code) {
            if import != source.module && !below.contains(&import.as_str()) {
                wrong.push(format!("{} imports {import}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that are not in LAYERS:\n{}", wrong.join("\n"));
}

/// Layers stand in an order in which every arrow points back, so there is no circle.
#[test]
fn layers_have_an_order() {
    for (at, (module, below)) in LAYERS.iter().enumerate() {
        for import in *below {
            let place = LAYERS.iter().position(|(name, _)| name == import);
            assert!(
                place.is_some_and(|place| place < at),
                "{module} may import {import}, which is not below it"
            );
        }
    }
}

#[test]
fn crates_stay_in_their_modules() {
    let sources = sources();
    let mut wrong = Vec::new();
    for (name, modules) in CRATES {
        let mut used = BTreeSet::new();
        for source in &sources {
            if begins_path(&source.code, name) && !local_names(&source.code).contains(*name) {
                used.insert(source.module.as_str());
                if !modules.contains(&source.module.as_str()) {
                    wrong.push(format!("{} uses {name}", source.path));
                }
            }
        }
        wrong.extend(
            modules
                .iter()
                .filter(|module| !used.contains(*module))
                .map(|module| format!("CRATES lets {module} use {name}, which it does not")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A crate that Cargo.toml names is fenced, and explained in docs/architecture.md.
#[test]
fn every_dependency_is_fenced_and_explained() {
    let manifest = golden::read("Cargo.toml");
    let section = manifest.split("[dependencies]\n").nth(1).and_then(|rest| rest.split("\n[").next());
    let named: BTreeSet<String> = section
        .expect("there are dependencies")
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.to_owned())
        .collect();
    let fenced: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(named.iter().map(|name| name.replace('-', "_")).collect::<BTreeSet<_>>(), fenced);
    let page = golden::read("docs/architecture.md");
    for name in named {
        assert!(page.contains(&format!("| `{name}` |")), "docs/architecture.md does not explain {name}");
    }
}

#[test]
fn pure_modules_hang_on_nothing_outside() {
    for source in sources().iter().filter(|source| PURE.contains(&source.module.as_str())) {
        for word in OUTSIDE {
            assert!(!source.code.contains(word), "{} uses {word}", source.path);
        }
    }
}

/// The reading of paths itself.
#[test]
fn paths_are_read_rightly() {
    let code =
        "use crate::{a, b::{c, d}, e};\nfn f(x: crate::g::H) { $crate::no(); csv::x(); render::csv::y() }";
    assert_eq!(imports(code), ["a", "b", "e", "g"].map(str::to_owned).into());
    assert!(begins_path(code, "csv"));
    assert!(!begins_path("render::csv::y()", "csv") && !begins_path("mycsv::y()", "csv"));
    assert!(local_names("use crate::render::{csv, json};\nfn f() {}").contains("csv"));
    assert!(!local_names("use csv::Writer;\nfn f() {}").contains("csv"));
}
