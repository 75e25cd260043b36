//! Flame graphs and the page do in a real browser what they promise, and nothing else: no request, no message, no script
//! out of a name. The checks are in `tests/browser/`; this makes the files that they open.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/golden.rs"]
mod golden;
#[path = "support/program.rs"]
mod program;
#[path = "support/shared.rs"]
mod shared;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Whether browser, node and the packages of the checks are here.
fn has_browser() -> bool {
    let browser = std::env::var_os("CHROMIUM").unwrap_or_else(|| "/usr/bin/chromium".into());
    let starts = |program: &OsString| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let found = starts(&browser)
        && starts(&"node".into())
        && golden::root("tests/browser/node_modules/playwright-core").is_dir();
    if !found {
        shared::skip("chromium");
    }
    found
}

/// A recording and its kernel's symbols, as arguments.
fn recording(name: &str) -> [OsString; 3] {
    let kallsyms = program::fixture(name, "kallsyms");
    [program::fixture(name, "perf.data").into(), "--kallsyms".into(), kallsyms.into()]
}

/// The path of a file that the program wrote.
fn made(folder: &Path, file: &str, args: &[OsString]) -> PathBuf {
    let path = folder.join(file);
    let mut all = args.to_vec();
    all.extend(["-o".into(), path.clone().into()]);
    program::printed(&all);
    path
}

fn args(words: &[&str], more: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    words.iter().map(OsString::from).chain(more).collect()
}

/// Both sides of the latencytop pair, two runs each.
fn sides() -> Vec<OsString> {
    let runs =
        |side: &str| ["", "-r2"].map(|run| program::fixture(&format!("latencytop-{side}{run}"), "perf.data"));
    let kallsyms = program::fixture("latencytop-before", "kallsyms");
    let mut args: Vec<OsString> = Vec::new();
    for side in ["before", "after"] {
        args.push(format!("--{side}").into());
        args.extend(runs(side).map(OsString::from));
    }
    args.extend(["--kallsyms".into(), kallsyms.into()]);
    args
}

/// Runs the checks over files; their lines are the message.
fn check(folder: &Path, files: &[Value]) {
    let spec = folder.join("spec.json");
    std::fs::write(&spec, json!({"folder": folder, "files": files}).to_string()).expect("the folder is ours");
    let output = Command::new("node").arg(golden::root("tests/browser/run.mjs")).arg(&spec).output();
    let output = output.expect("node starts");
    let lines =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "in the browser:\n{lines}");
}

/// Names that would end a script, a comment, a section or an attribute if they were not escaped.
fn hostile_names() -> Vec<String> {
    let long = format!("std::map<{}>::find", "std::basic_string<char, std::allocator<char> >, ".repeat(85));
    assert!(long.len() > 4000);
    [
        "</script><script>window.pwned=1</script>",
        "]]><script>window.pwned=2</script>",
        "<!-- x",
        "--><svg onload=\"window.pwned=3\">",
        "\" onclick=\"window.pwned=4\" x=\"",
        "' onfocus='window.pwned=5",
        "&lt &amp &#60",
        "a\\nb",
        "${window.pwned=6}`",
        "名前の長い関数",
    ]
    .into_iter()
    .map(str::to_owned)
    .chain([long])
    .collect()
}

#[test]
fn a_graph_works_in_a_browser() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |file: &str, args: &[OsString]| made(folder.path(), file, args);
    // The part that fixtures/README.md and perf give: 90.63 % in the slow path, and nothing else is called so.
    let whole = ["flame", "--min-width", "0"];
    let whole = at("whole.svg", &args(&whole, recording("latencytop-before")));
    let stacks = at("stacks.svg", &args(&["flame"], recording("latencytop-before")));
    let callers = at("callers.svg", &args(&["flame", "--by", "callers"], recording("mmap-before")));
    let difference = at("difference.svg", &args(&["flame"], sides()));
    check(
        folder.path(),
        &[
            json!({"file": whole, "only": "that others counted", "shares": {"^native_queued_spin_lock_slowpath$": 0.9063}}),
            json!({"file": stacks}),
            json!({"file": callers}),
            json!({"file": difference}),
        ],
    );
}

#[test]
fn the_page_works_in_a_browser() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let one = made(folder.path(), "one.html", &args(&["html"], recording("latencytop-before")));
    let both = made(folder.path(), "both.html", &args(&["html"], sides()));
    check(folder.path(), &[json!({"file": one}), json!({"file": both})]);
}

#[test]
fn names_are_nothing_but_names() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let names = hostile_names();
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        text.push_str(&format!(
            "main;{name};inner_{at};_raw_spin_lock;native_queued_spin_lock_slowpath {}\n",
            10 + at
        ));
        text.push_str(&format!("main;{name};{} 7\n", "deeper;".repeat(at + 1).trim_end_matches(';')));
    }
    // Marks that turn the direction of text stay out of what is looked for: they may be escaped.
    text.push_str("main;\u{202e}reversed\u{202c}\u{200f};inner 5\nmain;bell\u{7}\u{1b}[31m;inner 5\n");
    let folded = folder.path().join("hostile.folded");
    std::fs::write(&folded, text).expect("the folder is ours");
    let graph = made(folder.path(), "hostile.svg", &args(&["flame"], [folded.clone().into()]));
    let page = made(folder.path(), "hostile.html", &args(&["html"], [folded.into()]));
    check(folder.path(), &[json!({"file": graph, "names": names}), json!({"file": page})]);
}
