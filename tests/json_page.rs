//! docs/json.md names every key that the program prints, with its type, and no other.

#[path = "support/golden.rs"]
mod golden;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Key paths and the types that were seen there.
type Keys = BTreeMap<String, BTreeSet<&'static str>>;

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Collects the keys below `path`.
fn collect(value: &Value, path: &str, keys: &mut Keys) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let own = match path {
                    "" => key.clone(),
                    "records" => "records.*".to_owned(),
                    _ => format!("{path}.{key}"),
                };
                // The levels of a tree of callers have one form.
                let own = own.replace("callers[].callers[]", "callers[]");
                keys.entry(own.clone()).or_default().insert(type_of(value));
                collect(value, &own, keys);
            }
        }
        Value::Array(array) => {
            for value in array {
                collect(value, &format!("{path}[]"), keys);
            }
        }
        _ => {}
    }
}

/// The keys of all objects that these arguments print, by schema.
fn printed(arguments: &[String]) -> BTreeMap<String, Keys> {
    let mut found: BTreeMap<String, Keys> = BTreeMap::new();
    for arguments in arguments {
        let text = golden::stdout_of(&format!("lockblame {arguments} --format json --quiet"));
        let value: Value = serde_json::from_str(&text).expect("the program prints JSON");
        let schema = value["schema"].as_str().expect("an object has a schema").to_owned();
        collect(&value, "", found.entry(schema).or_default());
    }
    found
}

/// The page's tables: schema, key, type.
fn page() -> BTreeMap<String, BTreeMap<String, String>> {
    let text = golden::read("docs/json.md");
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for section in text.split("\n## `").skip(1) {
        let schema = section.split('`').next().expect("a heading ends").to_owned();
        let rows = found.entry(schema).or_default();
        for line in section.lines().filter_map(|line| line.strip_prefix("| `")) {
            let (key, rest) = line.split_once("` | ").expect("a row has a key");
            let known = rows.insert(key.to_owned(), rest.split(" | ").next().unwrap_or_default().to_owned());
            assert!(known.is_none(), "{key} stands twice");
        }
    }
    // A tree of callers has the runs and warnings of a report.
    let shared: Vec<_> = found["lockblame/report/1"]
        .iter()
        .filter(|(key, _)| key.starts_with("runs") || key.starts_with("warnings"))
        .map(|(key, kind)| (key.clone(), kind.clone()))
        .collect();
    found.get_mut("lockblame/callers/1").expect("callers are on the page").extend(shared.clone());
    let of_sides = shared
        .into_iter()
        .filter_map(|(key, kind)| key.starts_with("runs[]").then(|| (format!("sides[].{key}"), kind)));
    found.get_mut("lockblame/flame/1").expect("graphs are on the page").extend(of_sides);
    found
}

fn arguments() -> Vec<String> {
    let mut arguments = Vec::new();
    let folders = std::fs::read_dir(golden::root("fixtures")).expect("fixtures can be listed");
    for folder in folders.map(|entry| entry.expect("fixtures can be listed")) {
        if folder.path().join("perf.data").exists() {
            let file = format!("fixtures/{}/perf.data", folder.file_name().to_str().expect("UTF-8"));
            arguments.extend(["report", "report --by comm", "inspect"].map(|what| format!("{what} {file}")));
        }
    }
    assert!(arguments.len() >= 24, "there are eight recordings: {arguments:?}");
    arguments.extend(
        [
            "report --limit 1 fixtures/latencytop-before/perf.data fixtures/latencytop-after/perf.data",
            "report --through=alloc_fd fixtures/dup-before/perf.data",
            "callers --lock _raw_spin_lock --depth 3 fixtures/dup-before/perf.data",
            "callers --lock rwsem:W --depth 2 fixtures/mmap-before/perf.data",
            "flame fixtures/mmap-before/perf.data",
            "flame --by callers --before fixtures/latencytop-before/perf.data --after fixtures/latencytop-after/perf.data",
            "flame --before fixtures/latencytop-before/perf.data fixtures/latencytop-before-r2/perf.data --after \
             fixtures/latencytop-after/perf.data fixtures/latencytop-after-r2/perf.data",
        ]
        .map(str::to_owned),
    );
    arguments
}

#[test]
fn the_page_has_the_keys_and_types_that_are_printed() {
    let (page, printed) = (page(), printed(&arguments()));
    for (schema, keys) in &printed {
        let rows = page.get(schema).unwrap_or_else(|| panic!("{schema} is not on the page"));
        for (key, types) in keys {
            let promised = rows.get(key).unwrap_or_else(|| panic!("{schema}: {key} is not on the page"));
            let promised: Vec<&str> = promised.split(" or ").collect();
            for kind in types {
                assert!(promised.contains(kind), "{schema}: {key} is {kind}, the page says {promised:?}");
            }
        }
        let stale: Vec<&String> = rows.keys().filter(|key| !keys.contains_key(*key)).collect();
        assert!(stale.is_empty(), "{schema}: no fixture prints {stale:?}");
    }
    let schemas: Vec<&String> = page.keys().collect();
    assert_eq!(schemas, printed.keys().collect::<Vec<_>>());
}
