//! Folded stacks are those of the tools that others use, hold all samples, and read back as what they were made of.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/lab.rs"]
mod lab;
#[path = "support/program.rs"]
mod program;
mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use inferno::collapse::Collapse as _;
use inferno::collapse::perf::{Folder, Options};
use lab::Aliases;
use regex::Regex;
use serde_json::Value;
use support::perfdata::{Event, Map, Record, Recording, Sample};
use support::{kallsyms, shared};

/// Counts by stack, frames outermost first.
type Stacks = BTreeMap<Vec<String>, u64>;

fn stacks(text: &str) -> Stacks {
    let mut stacks = Stacks::new();
    for line in text.lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a stack and a count");
        let frames = stack.split(';').map(str::to_owned).collect();
        let count: u64 = count.parse().expect("a count");
        assert!(stacks.insert(frames, count).is_none(), "a stack stands in two lines: {line}");
    }
    stacks
}

fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

fn frames(line: &str) -> std::str::Split<'_, char> {
    line.rsplit_once(' ').expect("a stack and a count").0.split(';')
}

/// A recording with its symbols.
struct Case {
    name: String,
    data: String,
    kallsyms: String,
    symfs: String,
}

impl Case {
    fn sources(&self) -> [&str; 4] {
        ["--kallsyms", &self.kallsyms, "--symfs", &self.symfs]
    }

    fn aliases(&self) -> Aliases {
        Aliases::read(Path::new(&self.kallsyms))
    }

    fn export(&self, more: &[&str]) -> String {
        program::printed(&[&["export", "--to", "folded", "-q", &self.data], more, &self.sources()].concat())
    }

    fn report(&self, more: &[&str]) -> Value {
        program::json(&[&["report", "--format", "json", "-q", &self.data], more, &self.sources()].concat())
    }

    /// What the peer writes of what perf prints. Nothing where there is no perf.
    fn peers(&self, counts: Counts) -> Option<Stacks> {
        let mut command = Command::new("perf");
        command.args(["script", "-f", "--no-inline", "-i", &self.data]).args(self.sources());
        if counts == Counts::Samples {
            command.args(["-F", "-period"]);
        }
        let Ok(output) = command.env("HOME", "/nonexistent").output() else {
            shared::skip("perf");
            return None;
        };
        assert!(output.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&output.stderr));
        let mut options = Options::default();
        let event = self.report(&[])["runs"][0]["event"].as_str().expect("an event").to_owned();
        options.event_filter = (counts != Counts::Untimed).then_some(event);
        options.nthreads = 1;
        let mut folded = Vec::new();
        let text = readable(&String::from_utf8_lossy(&output.stdout));
        Folder::from(options).collapse(text.as_bytes(), &mut folded).expect("the peer reads perf's text");
        Some(stacks(&String::from_utf8(folded).expect("UTF-8")))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Periods,
    Samples,
    /// Samples too: without times the peer finds neither event nor period.
    Untimed,
}

/// perf's text without what the peer stumbles over, and without frames that are none (docs/peers.md).
fn readable(text: &str) -> String {
    let changes = [
        // perf pads the names of events; behind more than one blank the peer finds no period.
        (r"(?m)^( *\S.*: +\d+) +(\S+:)( |$)", "$1 $2$3"),
        // The number -1 is none to the peer, which leaves out threads that have ended.
        (r"(?m)^:-1 +-1 ", ":-1 1 "),
        // Where a walk of frame pointers ended: no address.
        (r"(?m)^\s+0 \[unknown\] \(\[unknown\]\)\n", ""),
    ];
    let text = changes.iter().fold(text.to_owned(), |text, (pattern, with)| {
        Regex::new(pattern).expect("a pattern").replace_all(&text, *with).into_owned()
    });
    // A return address at the first byte of a function belongs to what lies before it, of which libraries tell no name.
    let start = Regex::new(r"^(\s+[0-9a-f]+) \S+\+0x0 (\(/.*\))$").expect("a pattern");
    let mut inner = "";
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_caller = inner.starts_with('\t') && !inner.contains(" asm_");
        lines.push(if is_caller { start.replace(line, "$1 [unknown] $2") } else { line.into() });
        inner = line;
    }
    lines.join("\n") + "\n"
}

/// What of stacks is compared: names that stand at one address as one of them, and not what perf is known to name
/// otherwise (docs/peers.md). Counts the stacks that the latter touches.
fn comparable(stacks: &Stacks, aliases: &Aliases, touched: &mut usize) -> Stacks {
    let mut comparable = Stacks::new();
    for (stack, count) in stacks {
        let mut frames: Vec<String> = stack.iter().map(|frame| aliases.one(frame).to_owned()).collect();
        let before = frames.clone();
        for frame in &mut frames {
            match frame.as_str() {
                // A slot of the linkage table that has no name.
                "@plt" => "[libc.so.6]".clone_into(frame),
                // Code of the kernel's start, which is outside of the mapping that is recorded.
                "start_kernel" | "arch_call_rest_init" => "[unknown]".clone_into(frame),
                _ => {}
            }
        }
        // Within execve the process has no mapping yet from which it called.
        let entry = frames.iter().position(|frame| frame == "entry_SYSCALL_64_after_hwframe");
        if let Some(entry) = entry.filter(|at| frames.get(at + 2).is_some_and(|f| f == "__x64_sys_execve")) {
            frames.drain(1..entry);
        }
        *touched += usize::from(before != frames);
        *comparable.entry(frames).or_default() += count;
    }
    comparable
}

/// The frames from the first entry into the kernel on.
fn kernel_part(stacks: &Stacks) -> Stacks {
    let is_entry = |frame: &String| {
        let starts = ["entry_SYSCALL_64", "asm_", "ret_from_fork", "secondary_startup_64", "error_entry"];
        starts.iter().any(|start| frame.starts_with(start))
    };
    let mut parts = Stacks::new();
    for (stack, count) in stacks {
        let entry = stack.iter().position(is_entry).unwrap_or(stack.len());
        let part = [&stack[..1], &stack[entry..]].concat();
        *parts.entry(part).or_default() += count;
    }
    parts
}

fn assert_same(name: &str, own: &Stacks, peers: &Stacks) {
    let only = |a: &Stacks, b: &Stacks| -> Vec<String> {
        let lines = a.iter().filter(|(stack, count)| b.get(*stack) != Some(count));
        lines.map(|(stack, count)| format!("{} {count}", stack.join(";"))).collect()
    };
    let (here, there) = (only(own, peers), only(peers, own));
    assert!(here.is_empty() && there.is_empty(), "{name}: only here {here:#?}, only there {there:#?}");
}

fn fixtures() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("fixtures is a folder")
        .map(|entry| entry.expect("it can be listed").file_name().into_string().expect("UTF-8"))
        .filter(|name| program::fixture(name, "perf.data").is_file())
        .collect();
    names.sort();
    assert!(names.len() >= 8, "only {names:?}");
    let case = |name: String| Case {
        data: text(&program::fixture(&name, "perf.data")),
        kallsyms: text(&program::fixture(&name, "kallsyms")),
        symfs: text(&program::fixture(&name, "symfs")),
        name,
    };
    names.into_iter().map(case).collect()
}

#[test]
fn the_peer_writes_the_same_of_the_fixtures() {
    let (mut touched, mut total) = (0, 0);
    for case in fixtures() {
        let aliases = case.aliases();
        for (counts, weight) in [(Counts::Periods, "period"), (Counts::Samples, "samples")] {
            let Some(peers) = case.peers(counts) else { return };
            let own = stacks(&case.export(&["--weight", weight]));
            total += own.len() + peers.len();
            let peers = comparable(&peers, &aliases, &mut touched);
            assert_same(&case.name, &comparable(&own, &aliases, &mut touched), &peers);
        }
    }
    assert!(total > 15_000 && touched * 50 < total, "{total} stacks, {touched} changed for comparison");
}

/// The lab's recordings in which all counts are periods of the event that perf prints first.
const LAB: [&str; 14] = [
    "cloud8a-2-dup-before-cpuclock",
    "cloud8a-2-dup-before-cycles-r1",
    "cloud8a-2-mutex-before-cycles-r1",
    "cloud8a-2-sigs-before-cycles-r1",
    "lat8mcs-1-pp-after-cycles-r1",
    "lat8mcs-1-pp-before-cycles-r1",
    "var8-4-cpuclock-999",
    "var8-4-group",
    "var8-4-intrregs",
    "var8-4-multi",
    "var8-4-pagefaults",
    "var8-4-pipe",
    "var8-4-threads",
    "var8-4-zstd",
];

/// The lab, and a root in which its programs lie where they lay.
fn lab_cases(names: &[&str], root: &Path) -> Option<Vec<Case>> {
    let lab = lab::lab()?;
    let place = |from: &str, to: &str| {
        std::fs::create_dir_all(root.join(to)).expect("the folder is made");
        for entry in std::fs::read_dir(lab.join("symfs").join(from)).expect("the lab has programs") {
            let entry = entry.expect("it can be listed");
            std::fs::copy(entry.path(), root.join(to).join(entry.file_name())).expect("it is copied");
        }
    };
    place("usr/bin", "usr/local/bin");
    place("usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu");
    let case = |name: &&str| {
        let folder = lab.join(name);
        let kallsyms = text(&lab::kallsyms_of(&folder, root));
        Case { name: (*name).to_owned(), data: text(&lab::data_of(&folder)), kallsyms, symfs: text(root) }
    };
    Some(names.iter().map(case).collect())
}

#[test]
fn the_peer_writes_the_same_of_the_lab() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let Some(cases) = lab_cases(&LAB, root.path()) else { return };
    for case in cases {
        let aliases = case.aliases();
        let Some(peers) = case.peers(Counts::Periods) else { return };
        let own = stacks(&case.export(&[]));
        let (total, mut touched) = (own.len() + peers.len(), 0);
        let peers = comparable(&peers, &aliases, &mut touched);
        assert_same(&case.name, &comparable(&own, &aliases, &mut touched), &peers);
        assert!(touched * 10 < total, "{}: {total} stacks, {touched} changed for comparison", case.name);
    }
}

/// Without callchains a stack is a leaf; without times the peer counts samples; stacks of the user that were copied into
/// the recording only perf unwinds.
#[test]
fn the_peer_writes_the_same_of_other_modes() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let names = ["var8-4-nocallgraph", "var8-4-perthread", "var8-4-dwarf"];
    let Some(cases) = lab_cases(&names, root.path()) else { return };
    let expectations =
        [(Counts::Periods, "period"), (Counts::Untimed, "samples"), (Counts::Periods, "period")];
    for (case, (counts, weight)) in cases.iter().zip(expectations) {
        let aliases = case.aliases();
        let Some(peers) = case.peers(counts) else { return };
        let own = stacks(&case.export(&["--weight", weight]));
        let compared = |stacks: &Stacks| {
            let stacks = comparable(stacks, &aliases, &mut 0);
            if case.name.ends_with("dwarf") { kernel_part(&stacks) } else { stacks }
        };
        assert!(own.len() > 30);
        assert_same(&case.name, &compared(&own), &compared(&peers));
    }
}

#[test]
fn no_sample_is_missing() {
    for case in fixtures() {
        for selection in [&[][..], &["--no-idle"], &["--time", "20%-70%", "--cpu", "0-3"], &["--kernel-only"]]
        {
            let run = &case.report(selection)["runs"][0];
            for (weight, key) in [("samples", "samples"), ("period", "weight")] {
                let text = case.export(&[selection, &["--weight", weight]].concat());
                let sum: u64 = stacks(&text).values().sum();
                let order: Vec<Vec<&str>> = text.lines().map(|line| frames(line).collect()).collect();
                assert!(order.is_sorted(), "{}: lines are not in the order of names", case.name);
                assert_eq!(Some(sum), run[key].as_u64(), "{}: {selection:?}: {key}", case.name);
            }
        }
    }
}

/// Share of each lock and call site.
fn shares(report: &Value) -> BTreeMap<String, f64> {
    let name = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let mut shares = BTreeMap::new();
    for lock in report["locks"].as_array().expect("a list") {
        let lock_name = name(&lock["lock"]);
        for caller in lock["callers"].as_array().expect("a list") {
            let site = format!("{lock_name} from {}", name(&caller["caller"]));
            *shares.entry(site).or_default() += caller["share"].as_f64().expect("a share");
        }
        shares.insert(lock_name, lock["share"].as_f64().expect("a share"));
    }
    shares
}

#[test]
fn what_was_written_reads_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut compared = 0;
    // Folded stacks do not tell the kernel's functions from the user's: locks of the user are not known again.
    for case in fixtures().into_iter().filter(|case| case.name != "user-mutex") {
        let written = case.export(&[]);
        let file = &text(&folder.path().join("x.folded"));
        std::fs::write(file, &written).expect("it is written");
        let read = program::json(&["report", "--format", "json", "-q", file]);
        let (own, read) = (shares(&case.report(&[])), shares(&read));
        assert_eq!(own.keys().collect::<Vec<_>>(), read.keys().collect::<Vec<_>>(), "{}", case.name);
        for (site, share) in &own {
            assert!((share - read[site]).abs() < 1e-12, "{}: {site}: {share} {}", case.name, read[site]);
            compared += 1;
        }
        let again = program::printed(&["export", "--to", "folded", "-q", file]);
        assert!(again == written, "{} is not the same when it is written again", case.name);
        // Files are summed.
        let both = case.export(&[file]);
        let doubled: Stacks = stacks(&written).into_iter().map(|(stack, count)| (stack, 2 * count)).collect();
        assert_same(&case.name, &stacks(&both), &doubled);
    }
    assert!(compared > 100, "{compared} shares");
}

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// Two samples in the kernel below a program without symbols.
fn hostile(comm: &[u8]) -> Recording {
    let sample = |period| {
        let at = Sample::at(1_000_000 + period).thread(7, 7).period(period);
        at.kernel_chain(&[KERNEL + 0x10, KERNEL + 0x110]).user_chain(&[0x40_0010])
    };
    Recording::new()
        .event(Event::cycles().callchain())
        .kernel_map(KERNEL, 0x1000)
        .comm(7, comm)
        .record(Record::mmap(&Map::new(7, 0x40_0000, 0x1000, 0, "/tmp/a b;c\n (deleted)")))
        .sample(sample(5))
        .sample(sample(7))
}

#[test]
fn hostile_names_break_no_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| text(&folder.path().join(name));
    let comms: [(&[u8], &str); 6] = [
        (b"V8 Worker", "V8_Worker"),
        (b"a;b 12", "a:b_12"),
        (b"new\nline", r"new\u{a}line"),
        (b"\x1b[31m", r"\u{1b}[31m"),
        (b"#comment", r"\u{23}comment"),
        (b"bad\xff", "bad\u{fffd}"),
    ];
    let names = [
        ("leaf", "leaf"),
        ("a;b", "a:b"),
        ("f(int)", "f"),
        ("x::(anonymous_namespace)", "x::"),
        ("\u{202e}gpj", r"\u{202e}gpj"),
        ("operator->", "operator->"),
    ];
    for (comm, shown_comm) in comms {
        for (name, shown) in names {
            std::fs::write(path("perf.data"), hostile(comm).write()).expect("it is written");
            let list = kallsyms::text(&[(KERNEL, name), (KERNEL + 0x100, "caller"), (KERNEL + 0x200, "end")]);
            std::fs::write(path("kallsyms"), list).expect("it is written");
            let folded = program::printed(&["export", "--to", "folded", "-q", &path("perf.data")]);
            let object = r"[a b:c\u{a} (deleted)]";
            assert_eq!(folded, format!("{shown_comm};{object};caller;{shown} 12\n"));
            std::fs::write(path("x.folded"), &folded).expect("it is written");
            let read = program::printed(&["export", "--to", "folded", "-q", &path("x.folded")]);
            assert_eq!(read, folded);
        }
    }
}

#[test]
fn nothing_chosen_is_an_empty_file_and_a_warning() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out.folded");
    let data = program::fixture("dup-before", "perf.data");
    let words = ["export", "--to", "folded", "--comm", "nobody", "-o"].map(std::ffi::OsStr::new);
    let output = program::run(&[&words[..], &[out.as_os_str(), data.as_os_str()]].concat());
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(std::fs::read(&out).expect("it is written"), b"");
    assert!(String::from_utf8_lossy(&output.stderr).contains("lockblame: no-samples: "));
}

#[test]
fn what_would_mislead_is_refused() {
    let data = |name: &str| text(&program::fixture(name, "perf.data"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = text(&folder.path().join("perf.data"));
    std::fs::copy(data("control"), &copy).expect("it is copied");
    let folded = text(&folder.path().join("x.folded"));
    std::fs::write(&folded, "a;main;f 3\n").expect("it is written");
    let (cycles, clock) = (data("dup-before"), data("user-mutex"));
    for (args, why) in [
        (vec![cycles.as_str(), &clock], "is of cpu-clock, where"),
        (vec![&cycles, &cycles], "is given twice"),
        (vec![&copy, "-o", &copy], "is an input, and would be overwritten"),
        (vec![&folded, "--weight", "samples"], "does not tell its number of samples"),
    ] {
        let output = program::run(&[&["export", "--to", "folded", "-q"], &args[..]].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains(why) && errors.lines().count() == 1, "{args:?}: {errors}");
    }
}
