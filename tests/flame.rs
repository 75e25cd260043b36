//! Flame graphs: what frames weigh is what perf prints and what JSON says, on either side, and the file holds whatever
//! names a recording has.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/golden.rs"]
mod golden;
#[path = "support/lab.rs"]
mod lab;
#[path = "support/program.rs"]
mod program;
mod support;
#[path = "support/svg.rs"]
mod svg;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use program::{fixture, json, printed, run};
use serde_json::Value;
use support::kallsyms;
use support::perfdata::{Event, Recording, Sample};
use svg::Frame;

/// Recordings of one run each.
const FIXTURES: [&str; 8] = [
    "latencytop-before",
    "latencytop-after",
    "dup-before",
    "dup-fixed",
    "mmap-before",
    "getcwd-fixed",
    "user-mutex",
    "control",
];

fn file(name: &str) -> String {
    fixture(name, "perf.data").display().to_string()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn picture(args: &str) -> Vec<Frame> {
    svg::frames(&printed(&words(&format!("flame -q {args}"))))
}

fn object(args: &str) -> Value {
    json(&words(&format!("flame -q --format json {args}")))
}

fn array(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// The two sides of the lab's pair, four runs each.
fn pair() -> String {
    let side = |name: &str| {
        let runs = ["", "-r2", "-r3", "-r4"].map(|run| file(&format!("{name}{run}")));
        runs.join(" ")
    };
    format!("--before {} --after {}", side("latencytop-before"), side("latencytop-after"))
}

/// Whether perf is here. Absent it lets the test be skipped, unless `LOCKBLAME_REQUIRE` names it.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn has_perf() -> bool {
    let found = Command::new("perf").arg("--version").output().is_ok_and(|output| output.status.success());
    let required = std::env::var("LOCKBLAME_REQUIRE").is_ok_and(|list| list.contains("perf"));
    assert!(found || !required, "LOCKBLAME_REQUIRE asks for perf, which does not run");
    if !found {
        eprintln!("skipped: no perf");
    }
    found
}

/// What perf prints for an address, and the function that is there (docs/peers.md).
const NO_FUNCTIONS: [(&str, &str); 2] =
    [("__lock_text_start", "_raw_spin_lock_irqsave"), ("__irqentry_text_end", "common_interrupt_return")];

fn real(name: &str) -> &str {
    NO_FUNCTIONS.iter().find(|(mark, _)| *mark == name).map_or(name, |(_, function)| function)
}

#[test]
fn frames_of_the_kernel_weigh_what_perf_script_says() {
    if !has_perf() {
        return;
    }
    for name in FIXTURES {
        let folder = format!("fixtures/{name}");
        let text = golden::stdout_of(&format!(
            "perf script -i {folder}/perf.data --kallsyms={folder}/kallsyms -F comm,pid,time,period,event,ip,sym,dso"
        ));
        // Periods by path of kernel functions, whatever called them in user space.
        let mut wanted: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for sample in lab::script(&text) {
            let mut path = Vec::new();
            for frame in sample.frames.iter().rev().filter(|frame| frame.is_kernel) {
                path.push(real(&frame.symbol).to_owned());
                *wanted.entry(path.clone()).or_default() += sample.period;
            }
        }
        let frames = picture(&format!("--min-width 0 {}", file(name)));
        // The kernel and its modules stand in brackets.
        let is_kernel = |frame: &Frame| {
            frame.tip.get(1).is_some_and(|line| line.starts_with('[') && !line.starts_with("[unknown]"))
        };
        let mut drawn: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (at, frame) in frames.iter().enumerate().filter(|(_, frame)| is_kernel(frame)) {
            let mut path = Vec::new();
            let mut here = Some(at);
            while let Some(place) = here.filter(|&place| is_kernel(&frames[place])) {
                path.push(frames[place].name().to_owned());
                here = frames[place].parent;
            }
            path.reverse();
            *drawn.entry(path).or_default() += frame.units;
        }
        assert!(drawn.len() >= 5, "{name} has {} frames of the kernel", drawn.len());
        let differ = |(path, weight): &(&Vec<String>, &u64)| drawn.get(*path) != Some(*weight);
        let missing: Vec<_> = wanted.iter().filter(differ).take(3).collect();
        assert!(missing.is_empty(), "{name}: perf has {missing:?}, the picture has not");
        assert_eq!(drawn.len(), wanted.len(), "{name}: frames that perf does not know");
    }
}

#[test]
fn functions_weigh_with_what_they_called_what_perf_calls_children() {
    if !has_perf() {
        return;
    }
    for name in FIXTURES {
        let folder = format!("fixtures/{name}");
        let text = golden::stdout_of(&format!(
            "perf report -i {folder}/perf.data --kallsyms={folder}/kallsyms --children --stdio -g none --sort symbol"
        ));
        let report = json(&words(&format!("report -q --format json {}", file(name))));
        let ours: BTreeMap<&str, f64> = array(&report["functions"])
            .iter()
            .filter(|row| row["module"].as_str().is_some_and(|m| m.starts_with('[') && m != "[unknown]"))
            .map(|row| (row["symbol"].as_str().expect("a name"), 100.0 * float(&row["share"])))
            .collect();
        let mut compared = 0;
        for line in text.lines() {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [children, _, "[k]", symbol, ..] = columns.as_slice() else { continue };
            let is_mark = NO_FUNCTIONS.iter().any(|(mark, function)| mark == symbol || function == symbol);
            if is_mark || symbol.starts_with("0x") {
                continue;
            }
            let percent: f64 = children.trim_end_matches('%').parse().expect("a percentage");
            let own = ours.get(symbol).unwrap_or_else(|| panic!("{name}: no {symbol}"));
            assert!((own - percent).abs() < 0.0051, "{name}: {symbol} is {percent} % for perf, {own} % here");
            compared += 1;
        }
        assert!(compared >= 5, "{name}: {compared} functions were compared");
    }
}

#[test]
fn every_frame_is_as_wide_as_its_weight_in_json() {
    for name in FIXTURES {
        for by in ["stacks", "callers"] {
            let args = format!("--by {by} {}", file(name));
            if !run(&words(&format!("flame -q {args}"))).status.success() {
                assert_eq!((name, by), ("control", "callers"), "only the control has no lock");
                continue;
            }
            let (frames, graph) = (picture(&args), object(&args));
            let listed = array(&graph["frames"]);
            assert_eq!(frames.len(), listed.len());
            let run = &graph["sides"][0]["runs"][0];
            let total = float(&run["weight"]);
            let sample = total / float(&run["samples"]);
            let root = frames[0].units as f64;
            for (frame, listed) in frames.iter().zip(listed) {
                let side = &listed["sides"][0];
                let weight = float(&side["weight"]);
                assert_eq!(frame.units as f64, weight, "{name} {}", frame.name());
                assert!((frame.width / 100.0 * root - weight).abs() < sample, "{name} {}", frame.name());
                assert!((float(&side["share"]) * total - weight).abs() < sample);
                let told: f64 = frame
                    .tip
                    .iter()
                    .find_map(|line| line.split_once(" % of ")?.0.parse().ok())
                    .expect("a tooltip has the share");
                assert!((told / 100.0 * total - weight).abs() < total * 0.000_051, "{name} {:?}", frame.tip);
                match &listed["name"] {
                    Value::Null => assert_eq!(frame.name(), "all"),
                    own => assert_eq!(own, frame.name()),
                }
            }
        }
    }
}

#[test]
fn frames_stand_within_the_frame_that_they_stand_on() {
    for args in [file("mmap-before"), format!("--by callers {}", file("dup-before")), pair()] {
        let frames = picture(&args);
        let mut ends: BTreeMap<usize, u64> = BTreeMap::new();
        for frame in &frames[1..] {
            let below = &frames[frame.parent.expect("all stand on something")];
            assert_eq!(below.y, frame.y + 16, "{}", frame.name());
            assert!(frame.start >= below.start);
            assert!(frame.start + frame.units <= below.start + below.units, "{} sticks out", frame.name());
            let end = ends.entry(frame.level).or_default();
            assert!(frame.start >= *end, "{} lies on its neighbour", frame.name());
            *end = frame.start + frame.units;
            assert!(frame.label.is_empty() || frame.label.trim_end_matches("..").len() <= frame.name().len());
            assert!(frame.name().starts_with(frame.label.trim_end_matches("..")));
        }
        assert_eq!((frames[0].start, frames[0].x, frames[0].width), (0, 0.0, 100.0));
    }
}

#[test]
fn locks_stand_at_the_bottom_with_their_callers_on_top_as_the_report_has_them() {
    for name in FIXTURES.iter().filter(|name| **name != "control") {
        let frames = picture(&format!("--by callers --min-width 0 {}", file(name)));
        let report = json(&words(&format!("report -q --format json {}", file(name))));
        let mut wanted = BTreeMap::new();
        for lock in array(&report["locks"]) {
            let own = lock["lock"].as_str().expect("a name").to_owned();
            *wanted.entry(vec![own.clone()]).or_insert(0) += lock["weight"].as_u64().expect("a weight");
            for caller in array(&lock["callers"]).iter().filter(|caller| !caller["caller"].is_null()) {
                let path = vec![own.clone(), caller["caller"].as_str().expect("a name").to_owned()];
                *wanted.entry(path).or_insert(0) += caller["weight"].as_u64().expect("a weight");
            }
        }
        let mut drawn = BTreeMap::new();
        for (at, frame) in frames.iter().enumerate().filter(|(_, frame)| matches!(frame.level, 2 | 3)) {
            let path: Vec<String> = svg::path(&frames, at).into_iter().map(str::to_owned).collect();
            *drawn.entry(path).or_insert(0) += frame.units;
        }
        assert_eq!(drawn, wanted, "{name}");
        assert_eq!(frames[0].units, report["contention"]["weight"].as_u64().expect("a weight"));
    }
}

#[test]
fn chosen_locks_alone_are_drawn() {
    for chosen in
        ["--family rwsem", "--lock _raw_spin_lock*", "--caller vm_mmap_pgoff", "--family spinlock,rwsem"]
    {
        let report = json(&words(&format!("report -q --format json {chosen} {}", file("mmap-before"))));
        let wanted = report["contention"]["weight"].as_u64().expect("a weight");
        assert!(wanted > 0, "{chosen} chooses something");
        for by in ["stacks", "callers"] {
            let frames = picture(&format!("--by {by} {chosen} {}", file("mmap-before")));
            assert_eq!(frames[0].units, wanted, "{chosen} {by}");
        }
    }
    let comm = format!("--comm nobody {}", file("mmap-before"));
    assert_eq!(run(&words(&format!("flame {comm}"))).status.code(), Some(2));
}

#[test]
fn waiting_is_coloured_where_the_leaf_waits() {
    let frames = picture(&format!("--min-width 0 {}", file("latencytop-before")));
    let report = json(&words(&format!("report -q --format json {}", file("latencytop-before"))));
    // The widest frames of a family that stand on none of it are all of its waiting.
    let mut weights: BTreeMap<&str, u64> = BTreeMap::new();
    for frame in frames.iter().filter(|frame| frame.has("lock")) {
        let below = &frames[frame.parent.expect("the root is no lock")];
        if !below.has("lock") {
            *weights.entry(frame.classes.last().expect("a family").as_str()).or_default() += frame.units;
        }
    }
    let mut wanted: BTreeMap<&str, u64> = BTreeMap::new();
    for lock in array(&report["locks"]) {
        *wanted.entry(lock["family"].as_str().expect("a family")).or_default() +=
            lock["weight"].as_u64().expect("a weight");
    }
    assert_eq!(weights, wanted);
    // The slow path was interrupted, and what runs then is no waiting.
    let interrupted =
        frames.iter().filter(|frame| frame.name() == "_raw_spin_lock_irqsave" && frame.has("kernel"));
    let plain =
        frames.iter().filter(|frame| frame.name() == "_raw_spin_lock_irqsave" && frame.has("spinlock"));
    assert!(plain.count() > 0);
    for frame in interrupted {
        assert!(!frame.has("lock"));
    }
}

/// Shares by path, run by run, of a picture's side.
fn shares(graph: &Value, side: usize) -> BTreeMap<Vec<String>, Vec<f64>> {
    let frames = array(&graph["frames"]);
    let mut paths: Vec<Vec<String>> = Vec::new();
    let mut found: BTreeMap<Vec<String>, Vec<f64>> = BTreeMap::new();
    for frame in frames {
        let mut path = frame["parent"]
            .as_u64()
            .map_or(Vec::new(), |parent| paths[usize::try_from(parent).expect("small")].clone());
        if let Some(name) = frame["name"].as_str() {
            path.push(format!("{name} {} {}", frame["module"], frame["is"]));
        }
        let runs: Vec<f64> = array(&frame["sides"][side]["runs"]).iter().map(float).collect();
        paths.push(path.clone());
        found.insert(path, runs);
    }
    found
}

#[test]
fn a_difference_has_the_shares_of_each_run_alone() {
    let graph = object(&format!("--min-width 0.2 {}", pair()));
    for (side, name) in ["latencytop-before", "latencytop-after"].into_iter().enumerate() {
        let found = shares(&graph, side);
        for (run, suffix) in ["", "-r2", "-r3", "-r4"].into_iter().enumerate() {
            let alone = shares(&object(&format!("--min-width 0 {}", file(&format!("{name}{suffix}")))), 0);
            for (path, runs) in &found {
                let wanted = alone.get(path).map_or(0.0, |runs| runs[0]);
                assert!(
                    (runs[run] - wanted).abs() < 1e-12,
                    "{name}{suffix} {path:?}: {} {wanted}",
                    runs[run]
                );
            }
        }
    }
    let changed = array(&graph["frames"]).iter().filter(|frame| float(&frame["points"]).abs() > 0.01).count();
    assert!(changed > 10, "{changed} frames changed by a point");
}

#[test]
fn a_difference_says_of_locks_and_callers_what_diff_says() {
    let pair = pair();
    let graph = object(&format!("--by callers --min-width 0 {pair}"));
    let rows = json(&words(&format!("diff -q --format json {pair}")));
    let frames = array(&graph["frames"]);
    let mut compared = 0;
    for row in array(&rows["rows"]).iter().filter(|row| !row["caller"].is_null()) {
        let site = |frame: &&Value| {
            let below =
                frame["parent"].as_u64().map(|parent| &frames[usize::try_from(parent).expect("small")]);
            frame["name"] == row["caller"] && below.is_some_and(|below| below["name"] == row["lock"])
        };
        let found: Vec<&Value> = frames.iter().filter(site).collect();
        let [frame] = found.as_slice() else { continue };
        for key in ["points", "p"] {
            let (one, other) = (row[key].as_f64(), frame[key].as_f64());
            assert!((one.unwrap_or(9.0) - other.unwrap_or(9.0)).abs() < 1e-12, "{key} of {row}");
        }
        assert_eq!(row["interval"].is_null(), frame["interval"].is_null());
        for end in 0..2 {
            let (one, other) = (row["interval"][end].as_f64(), frame["interval"][end].as_f64());
            assert!((one.unwrap_or(9.0) - other.unwrap_or(9.0)).abs() < 1e-12);
        }
        compared += 1;
    }
    assert!(compared > 20, "{compared} sites were compared");
    assert_eq!(graph["headline"], rows["headline"]);
    let (root, all) = (&frames[0], &rows["contention"]);
    assert!((float(&root["points"]) - float(&all["points"])).abs() < 1e-12);
}

#[test]
fn colours_say_what_changed_beyond_noise_and_hatching_what_is_gone() {
    let args = format!("--min-width 0.1 {}", pair());
    let (frames, graph) = (picture(&args), object(&args));
    let mut seen = BTreeSet::new();
    for (frame, listed) in frames.iter().zip(array(&graph["frames"])) {
        let mean = |side: usize| float(&listed["sides"][side]["share"]);
        let points = float(&listed["points"]);
        assert!((mean(1) - mean(0) - points).abs() < 1e-12, "points are of both sides' own totals");
        let ends = [float(&listed["interval"][0]), float(&listed["interval"][1])];
        let is_noise = ends[0] <= 0.0 && 0.0 <= ends[1];
        let class = if is_noise {
            "grey"
        } else if points > 0.0 {
            "more"
        } else {
            "less"
        };
        let colours: Vec<&str> = ["grey", "more", "less"].into_iter().filter(|c| frame.has(c)).collect();
        assert_eq!(colours, [class], "{:?} {ends:?}", frame.tip);
        assert_eq!(frame.fill.is_none(), is_noise);
        assert_eq!(frame.has("gone"), mean(1) == 0.0 && mean(0) > 0.0, "{:?}", frame.tip);
        assert_eq!(frame.has("new"), mean(0) == 0.0 && mean(1) > 0.0, "{:?}", frame.tip);
        assert!(frame.tip.iter().any(|line| line.starts_with("before ") && line.contains(" after ")));
        assert!(frame.tip.iter().any(|line| line.contains(" points [")), "{:?}", frame.tip);
        seen.insert((class, frame.has("gone")));
    }
    assert!(
        seen.contains(&("less", true)) && seen.contains(&("more", false)) && seen.contains(&("grey", false))
    );
    // A change is inclusive: the caller of what is gone has changed with it.
    let gone = frames.iter().find(|frame| frame.has("gone") && frame.has("spinlock") && frame.width > 10.0);
    let caller = &frames[gone.expect("the lock is gone").parent.expect("it was called")];
    assert!(caller.has("less"), "{:?}", caller.tip);
}

#[test]
fn widths_are_of_the_side_that_was_asked_for() {
    let width = |frame: &Value| float(&frame["width"]);
    let mean = |frame: &Value, side: usize| float(&frame["sides"][side]["share"]);
    for (by, of) in [("after", 1), ("before", 0)] {
        let graph = object(&format!("--width-by {by} {}", pair()));
        for frame in array(&graph["frames"]) {
            assert!((width(frame) - mean(frame, of)).abs() < 1e-9, "{by} {frame}");
        }
    }
    let graph = object(&format!("--width-by larger --min-width 0 {}", pair()));
    let frames = array(&graph["frames"]);
    let mut above = vec![0.0; frames.len()];
    for (at, frame) in frames.iter().enumerate().rev() {
        assert!(
            width(frame) + 1e-9 >= mean(frame, 0).max(mean(frame, 1)),
            "nothing is narrower than on a side"
        );
        assert!(width(frame) + 1e-9 >= above[at]);
        if let Some(parent) = frame["parent"].as_u64() {
            above[usize::try_from(parent).expect("small")] += width(frame);
        }
    }
    assert!(
        graph["cut"]["frames"] != 0 || (width(&frames[0]) > 1.0),
        "the larger ones of both exceed a total"
    );
}

#[test]
fn runs_of_a_side_are_averaged_whatever_they_weigh() {
    let both = format!("{} {}", file("latencytop-before"), file("dup-before"));
    let found = shares(&object(&format!("--min-width 0.1 {both}")), 0);
    let graph = object(&format!("--min-width 0.1 {both}"));
    let root = &graph["frames"][0];
    assert_eq!((float(&root["width"]), found[&Vec::new()].len()), (1.0, 2));
    for frame in array(&graph["frames"]) {
        let runs: Vec<f64> = array(&frame["sides"][0]["runs"]).iter().map(float).collect();
        assert!((float(&frame["width"]) - (runs[0] + runs[1]) / 2.0).abs() < 1e-12);
    }
}

#[test]
fn what_is_too_narrow_is_left_out_and_counted() {
    let file = file("dup-before");
    let (whole, cut) = (object(&format!("--min-width 0 {file}")), object(&format!("--min-width 2 {file}")));
    let (all, drawn) = (array(&whole["frames"]), array(&cut["frames"]));
    assert_eq!(whole["cut"]["frames"], 0);
    assert_eq!(cut["cut"]["frames"].as_u64(), Some((all.len() - drawn.len()) as u64));
    let is_drawn = |frame: &Value| float(&frame["width"]) >= 0.02;
    let parent = |frame: &Value| frame["parent"].as_u64().map(|at| &all[usize::try_from(at).expect("small")]);
    let missing: f64 = all
        .iter()
        .filter(|frame| !is_drawn(frame) && parent(frame).is_none_or(is_drawn))
        .map(|frame| float(&frame["width"]))
        .sum();
    assert!(missing > 0.0 && (float(&cut["cut"]["part"]) - missing).abs() < 1e-9, "{missing} {}", cut["cut"]);
    let text = printed(&words(&format!("flame -q --min-width 2 {file}")));
    assert!(text.contains(&format!("above {:.2} % of its width frames are missing", 100.0 * missing)));
}

/// Names that mean something to XML, HTML, a script, a terminal or a reader's eye.
fn hostile() -> Vec<String> {
    let long = format!("std::map<{}>::find", "std::basic_string<char, std::allocator<char> >, ".repeat(86));
    assert!(long.len() > 4000);
    [
        "</script><script>alert(1)</script>",
        "]]><script>alert(1)</script>",
        "<!--",
        "a\"onload=\"alert(1)",
        "it's & <b>",
        "\u{202e}gnp.exe",
        "bell\u{7}",
        "no\u{fffe}character",
        "a (1 samples, 99.9%)",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([long])
    .collect()
}

#[test]
fn names_cannot_break_the_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = hostile();
    let lines: Vec<String> = names
        .iter()
        .map(|name| format!("main;{name};_raw_spin_lock;native_queued_spin_lock_slowpath 10\n"))
        .collect();
    let path = folder.path().join("hostile.folded");
    std::fs::write(&path, lines.concat()).expect("the file can be written");
    let path = path.display();
    for args in [path.to_string(), format!("--by callers {path}"), format!("--before {path} --after {path}")]
    {
        let text = printed(&words(&format!("flame -q {args}")));
        let frames = svg::frames(&text);
        let drawn: BTreeSet<&str> = frames.iter().map(Frame::name).collect();
        for name in &names {
            let shown: String = name
                .chars()
                .map(|c| match c {
                    '\u{202e}' | '\u{7}' | '\u{fffe}' => c.escape_unicode().to_string(),
                    c => c.to_string(),
                })
                .collect();
            assert!(drawn.contains(shown.as_str()), "{shown:.80} is not drawn");
        }
        assert_eq!(text.matches("<script>").count(), 1, "no script but ours");
        assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}' || c == '\u{fffe}'));
    }
}

#[test]
fn a_semicolon_in_a_name_splits_no_frame() {
    const KERNEL: u64 = 0xffff_ffff_8100_0000;
    let name = "core::ptr::drop_in_place<[u8;4]>";
    let folder = tempfile::tempdir().expect("a folder");
    let sample = |n: u64| {
        let chain = [KERNEL + 0x10, KERNEL + 0x110, KERNEL + 0x210];
        Sample::at(1_000_000_000 + n * 1_000_000).thread(7, 7).cpu(0).kernel_chain(&chain).period(1000)
    };
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .machine("box", "6.1.0-test", "x86_64", 4)
        .kernel_map(KERNEL, 0x100_0000)
        .comm(7, "worker")
        .records((0..100).map(sample));
    let names = [
        (KERNEL, "_text"),
        (KERNEL + 1, "_raw_spin_lock"),
        (KERNEL + 0x100, name),
        (KERNEL + 0x200, "entry"),
    ];
    let path = folder.path().join("perf.data");
    std::fs::write(&path, recording.write()).expect("the file can be written");
    std::fs::write(folder.path().join("kallsyms"), kallsyms::text(&names)).expect("the file can be written");
    let frames = picture(&path.display().to_string());
    let drawn: Vec<(&str, u64)> = frames.iter().map(|frame| (frame.name(), frame.units)).collect();
    assert_eq!(drawn, [("all", 100_000), ("entry", 100_000), (name, 100_000), ("_raw_spin_lock", 100_000)]);
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    for args in [pair(), format!("--by callers {}", file("mmap-before"))] {
        assert_eq!(
            printed(&words(&format!("flame -q {args}"))),
            printed(&words(&format!("flame -q {args}")))
        );
    }
}

#[test]
fn what_cannot_be_drawn_is_refused_in_one_line() {
    let one = file("control");
    for (args, wanted) in [
        ("flame".to_owned(), "needs a recording"),
        (format!("flame {one} --before {one} --after {one}"), "stands beside --before and --after"),
        (format!("flame -q --by callers --lock no_such_lock {one}"), "has no lock to draw"),
        (format!("flame -q --comm nobody {one}"), "has no sample to draw"),
        (format!("flame {one} {one}"), "is given twice"),
        (format!("flame -q {one} -o {one}"), "would be overwritten"),
        (format!("flame --min-width 101 {one}"), "no percentage"),
        ("flame no-such-file".to_owned(), "no-such-file"),
    ] {
        let output = run(&words(&args));
        let errors = String::from_utf8_lossy(&output.stderr);
        let told: Vec<&str> = errors.lines().collect();
        assert_eq!((output.status.code(), told.len()), (Some(2), 1), "{args}: {errors}");
        assert!(told[0].contains(wanted), "{args}: {errors}");
        assert!(output.stdout.is_empty());
    }
}
