//! Flame graphs: what frames weigh is what perf prints and what JSON says, on either side, and the file holds whatever
//! names a recording has.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/golden.rs"]
mod golden;
#[path = "support/lab.rs"]
mod lab;
#[path = "support/peer.rs"]
mod peer;
#[path = "support/picture.rs"]
mod picture;
#[path = "support/program.rs"]
mod program;
mod support;
#[path = "support/svg.rs"]
mod svg;

use std::collections::{BTreeMap, BTreeSet};

use peer::{FIXTURES, NO_FUNCTIONS, has_perf, real};
use picture::{array, file, float, object, pair, picture, words};
use program::{json, printed, run};
use serde_json::Value;
use support::perfdata::{Event, Recording, Sample};
use support::{kallsyms, shared};
use svg::Frame;

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
    // Nor is the call site coloured, or what interrupted the slow path.
    let coloured: BTreeSet<&str> = frames.iter().filter(|f| f.has("lock")).map(Frame::name).collect();
    let called: BTreeSet<&str> = array(&report["locks"])
        .iter()
        .flat_map(|lock| array(&lock["callers"]))
        .filter_map(|caller| caller["caller"].as_str())
        .collect();
    assert!(coloured.contains("_raw_spin_lock_irqsave") && called.contains("__account_scheduler_latency"));
    assert!(coloured.is_disjoint(&called), "{coloured:?}");
    let interrupted = frames.iter().filter(|f| f.name().starts_with("_raw_spin_") && f.has("kernel"));
    assert!(interrupted.count() > 0, "an interrupt is no waiting");
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
fn what_is_wrong_with_the_data_is_said_though_nothing_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = std::fs::read(file("dup-before")).expect("the recording can be read");
    let path = folder.path().join("cut.data");
    std::fs::write(&path, &whole[..3000]).expect("the file can be written");
    let output = run(&words(&format!("flame {}", path.display())));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("lockblame: truncated: "), "{errors}");
    assert!(errors.lines().last().is_some_and(|line| line.contains("has no sample to draw")), "{errors}");
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
        (
            format!("flame -q --by callers --lock no_such_lock {one}"),
            "has no lock to draw: None of the chosen locks",
        ),
        (format!("flame -q --comm nobody {one}"), "has no sample to draw: There is no sample"),
        (format!("flame {one} {one}"), "is given twice"),
        (format!("flame -q {one} {}", file("dup-before")), "choose an event that all have"),
        (format!("flame --width-by after {one}"), "--before"),
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
