//! Differential flame graphs: shares are each run's own, changes are inclusive and told from noise, and what is on one
//! side only can be seen.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/picture.rs"]
mod picture;
#[path = "support/program.rs"]
mod program;
#[path = "support/svg.rs"]
mod svg;

use std::collections::{BTreeMap, BTreeSet};

use picture::{array, file, float, object, pair, picture, words};
use program::json;
use serde_json::Value;

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
        let whole = object(&format!("--min-width 0 --width-by {by} {}", pair()));
        assert_eq!(whole["cut"]["frames"], 0, "what has no width on this side is not missing");
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
    assert!((float(&root["width"]) - 1.0).abs() < 1e-9);
    assert_eq!(found[&Vec::new()].len(), 2);
    for frame in array(&graph["frames"]) {
        let runs: Vec<f64> = array(&frame["sides"][0]["runs"]).iter().map(float).collect();
        assert!((float(&frame["width"]) - (runs[0] + runs[1]) / 2.0).abs() < 1e-12);
    }
}
