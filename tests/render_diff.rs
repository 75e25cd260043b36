//! Comparisons in every format: whole texts, the same numbers everywhere, and names that would act if they could.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use lockblame::compare::{RowsBy, SideRuns, Test, compare};
use lockblame::lock::choice::{By, Choice};
use lockblame::render::style::{Borders, Color, Style};
use lockblame::render::{diff, mail, markdown};
use lockblame::report::difference::Difference;
use lockblame::report::{self, Report};
use proptest::prelude::*;
use serde_json::Value;
use support::mail_rules;
use support::sides::{Place, difference, patch, patch_with_operations, place, settings, side, table};

const TERMINAL: Style = Style { width: 100, borders: Borders::Unicode, color: Color::Off };

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn table_text(difference: &Difference, style: Style) -> String {
    text(|out| diff::table(difference, style, out))
}

fn mail_text(difference: &Difference) -> String {
    text(|out| mail::difference(difference, None, out))
}

fn markdown_text(difference: &Difference) -> String {
    text(|out| markdown::difference(difference, out))
}

fn perf_text(difference: &Difference) -> String {
    text(|out| diff::perf(difference, out))
}

fn csv_rows(difference: &Difference) -> Vec<BTreeMap<String, String>> {
    let text = text(|out| diff::csv(difference, out));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Result<Vec<BTreeMap<String, String>>, _> = reader.deserialize().collect();
    rows.unwrap()
}

/// One run a side.
fn single() -> (SideRuns, SideRuns) {
    let (mut before, mut after) = patch();
    for side in [&mut before, &mut after] {
        side.tables.truncate(1);
        side.runs.truncate(1);
    }
    (before, after)
}

fn check_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == text, "{name} differs (UPDATE_GOLDEN=1 rewrites it):\n{text}");
}

#[test]
fn whole_texts() {
    let sides = [("", patch()), ("-ops", patch_with_operations()), ("-single", single())];
    for (name, sides) in sides {
        let difference = difference(&sides);
        check_golden(&format!("diff-table{name}.txt"), &table_text(&difference, TERMINAL));
        check_golden(&format!("diff-mail{name}.txt"), &mail_text(&difference));
        check_golden(&format!("diff-markdown{name}.txt"), &markdown_text(&difference));
        check_golden(&format!("diff-perf{name}.txt"), &perf_text(&difference));
        check_golden(&format!("diff-csv{name}.txt"), &text(|out| diff::csv(&difference, out)));
        mail_rules::check(&mail_text(&difference), 72);
    }
}

/// The runs of one side.
fn one_sided(by: By, runs: usize) -> Report {
    let (_, mut side) = patch();
    side.tables.truncate(runs);
    side.runs.truncate(runs);
    let choice = Choice { by, limit: Some(1), ..settings().choice };
    report::report(side.runs, &side.tables, Vec::new(), &choice, Vec::new())
}

#[test]
fn whole_texts_of_one_side() {
    for (name, by, runs) in
        [("", By::Lock, 5), ("-single", By::Lock, 1), ("-site", By::Site, 5), ("-symbol", By::Symbol, 5)]
    {
        let report = one_sided(by, runs);
        let mail = text(|out| mail::report(&report, None, out));
        mail_rules::check(&mail, 72);
        check_golden(&format!("report-mail{name}.txt"), &mail);
        let page = text(|out| markdown::report(&report, out));
        check_markdown(&page);
        check_golden(&format!("report-markdown{name}.txt"), &page);
    }
}

/// Each example of the page is what the program writes.
#[test]
fn the_documentation_shows_these_texts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/formats-diff.md")).unwrap();
    let goldens: Vec<String> = std::fs::read_dir(root.join("tests/golden"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    let examples: Vec<&str> =
        page.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 4, "{} examples", examples.len());
    for example in examples {
        assert!(goldens.iter().any(|golden| golden.contains(example)), "no longer so:\n{example}");
    }
}

#[test]
fn json_has_the_documented_keys() {
    let value = diff::object(&difference(&patch_with_operations()));
    let has = |value: &Value, keys: &str| {
        for key in keys.split_whitespace() {
            assert!(value.get(key).is_some_and(|value| !value.is_null()), "{key} in {value:#}");
        }
    };
    has(&value, "schema before after headline contention rows symbols warnings detectable throughput");
    has(&value, "ceiling settings");
    for side in ["before", "after"] {
        has(&value[side], "name runs contention rate operations");
        has(&value[side]["contention"], "mean stddev n runs busy");
    }
    for row in value["rows"].as_array().unwrap() {
        has(row, "lock caller family through before after points interval p p_adjusted per_op verdict rate");
        has(&row["before"], "mean stddev n runs");
        has(&row["after"], "mean stddev n runs");
        assert!(
            row.get("change").is_some() && row.get("per_op_change").is_some() && row.get("mode").is_some()
        );
        assert_eq!(row["interval"].as_array().map(Vec::len), Some(2));
    }
    has(&value["symbols"][0], "symbol module before after points interval p p_adjusted verdict");
    assert_eq!(value["schema"], "lockblame/diff/1");
}

/// What was put into the tables is what JSON says, computed here from the weights.
#[test]
fn json_says_the_shares_of_the_weights() {
    let sides = patch();
    let value = diff::object(&difference(&sides));
    let share = |side: &SideRuns| {
        let of_run = |table: &lockblame::lock::site::SiteTable| {
            table.sites.values().map(|site| site.weight.0).sum::<u64>() as f64 / table.total.0 as f64
        };
        side.tables.iter().map(of_run).sum::<f64>() / side.tables.len() as f64
    };
    let (before, after) = (share(&sides.0), share(&sides.1));
    let close = |value: &Value, expected: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < 1e-12, "{value} is not {expected}");
    };
    close(&value["before"]["contention"]["mean"], before);
    close(&value["contention"]["after"]["mean"], after);
    close(&value["contention"]["points"], after - before);
    let rows: f64 = value["rows"].as_array().unwrap().iter().map(|row| row["points"].as_f64().unwrap()).sum();
    assert!((rows - (after - before)).abs() < 1e-12, "the rows sum to {rows}");
}

/// Numbers of a row of text, in the order of its columns.
fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().filter_map(|word| word.trim_end_matches('%').parse().ok()).collect()
}

#[test]
fn every_format_says_the_same_numbers() {
    let difference = difference(&patch());
    let value = diff::object(&difference);
    let (table, mail) = (table_text(&difference, TERMINAL), mail_text(&difference));
    let (page, perf, csv) = (markdown_text(&difference), perf_text(&difference), csv_rows(&difference));
    let rows = value["rows"].as_array().unwrap();
    assert_eq!(rows.len(), csv.len());
    for (row, cells) in rows.iter().zip(&csv) {
        let caller = row["caller"].as_str().unwrap();
        let exact =
            [&row["before"]["mean"], &row["after"]["mean"], &row["points"]].map(|v| v.as_f64().unwrap());
        for (head, value) in [
            ("before_mean_fraction", &row["before"]["mean"]),
            ("before_stddev_fraction", &row["before"]["stddev"]),
            ("after_mean_fraction", &row["after"]["mean"]),
            ("points_fraction", &row["points"]),
            ("change_fraction", &row["change"]),
            ("interval_low_fraction", &row["interval"][0]),
            ("p", &row["p"]),
            ("p_adjusted", &row["p_adjusted"]),
            ("rate_after_cycles_per_second_and_cpu", &row["rate"]["after"]["mean"]),
        ] {
            assert_eq!(cells[head].parse().ok(), value.as_f64(), "{head} of {caller}");
        }
        assert_eq!(cells["verdict"], row["verdict"].as_str().unwrap());
        for (format, text, step, name) in [
            ("table", &table, 0.01, format!("<- {caller}")),
            ("mail", &mail, 0.1, format!("<- {caller}")),
            ("markdown", &page, 0.01, format!("`{caller}`")),
        ] {
            let line = text
                .lines()
                .find(|line| {
                    line.contains(&name) && line.starts_with(['│', '|', ' ']) && !line.contains("from")
                })
                .unwrap_or_else(|| panic!("{format} has no {caller}"));
            let shown: Vec<f64> = numbers(&line.replace(['│', '┆', '|', '±'], " ").replace("+-", " "))
                .into_iter()
                .filter(|number| {
                    exact.iter().any(|exact| (100.0 * exact - number).abs() <= step / 2.0 + 1e-9)
                })
                .collect();
            assert!(shown.len() >= 3, "{format} says {line} for {exact:?}");
        }
        // Branches are relative to their lock, whose line holds its sites' sum.
        let of_lock = |key: &str| -> f64 {
            let same = rows.iter().filter(|other| other["lock"] == row["lock"]);
            same.map(|other| other[key]["mean"].as_f64().unwrap()).sum()
        };
        let relative = |key: &str, exact: f64| {
            let whole = of_lock(key);
            if whole > 0.0 { format!("{:.2}%", 100.0 * exact / whole) } else { "none".to_owned() }
        };
        let branch =
            format!("--{} -> {}-- {caller}\n", relative("before", exact[0]), relative("after", exact[1]));
        assert!(perf.contains(&branch), "{branch} in {perf}");
        let lock = row["lock"].as_str().unwrap();
        let line = perf.lines().find(|line| line.ends_with(&format!(" {lock}"))).unwrap();
        let sums = [100.0 * of_lock("before"), 100.0 * of_lock("after")];
        let shown = numbers(line);
        assert!(sums.iter().zip(&shown).all(|(sum, shown)| (sum - shown).abs() <= 0.005 + 1e-9), "{line}");
    }
}

#[test]
fn what_is_cut_is_summed_in_every_format() {
    let (before, after) = patch();
    let all = compare(&before, &after, &settings());
    let rest: f64 = all.rows[2..].iter().map(|row| row.before.mean).sum();
    let difference = Difference::new(all, Some(2), 0.0);
    assert_eq!(csv_rows(&difference).len(), 2);
    let value = diff::object(&difference);
    assert_eq!(value["cut"]["rows"], 3);
    assert!((value["cut"]["before"]["mean"].as_f64().unwrap() - rest).abs() < 1e-12);
    for text in [table_text(&difference, TERMINAL), markdown_text(&difference)] {
        let line = text.lines().find(|line| line.contains("3 more")).expect("the rest has a row");
        assert!(line.contains(&format!(" {:.2} ", 100.0 * rest)), "{line}");
    }
    assert!(perf_text(&difference).contains("-- [...]\n"), "{}", perf_text(&difference));
}

#[test]
fn colour_is_on_verdicts_alone() {
    let mut sides = patch();
    for table in sides.0.tables.iter_mut().chain(&mut sides.1.tables) {
        let (site, weight) = table.sites.iter().next().map(|(s, w)| (s.clone(), w.clone())).unwrap();
        let mut named = site;
        named.lock.name = "│ better │ worse".to_owned();
        table.sites.insert(named, weight);
    }
    for borders in [Borders::Unicode, Borders::Ascii] {
        let plain = table_text(&difference(&sides), Style { borders, ..TERMINAL });
        let colored = table_text(&difference(&sides), Style { borders, color: Color::On, ..TERMINAL });
        assert!(!plain.contains('\u{1b}'));
        let stripped = ["\u{1b}[1m", "\u{1b}[32m", "\u{1b}[31m", "\u{1b}[0m"];
        assert_eq!(stripped.iter().fold(colored.clone(), |text, code| text.replace(code, "")), plain);
        assert!(
            colored.contains("\u{1b}[32mbetter\u{1b}[0m") && colored.contains("\u{1b}[31mworse\u{1b}[0m")
        );
        let hostile = colored.lines().find(|line| line.contains("better │ worse")).unwrap();
        assert!(!hostile.contains('\u{1b}'), "{hostile}");
    }
}

/// Bars outside of what escapes them: the borders of a row of a table.
fn bars(line: &str) -> usize {
    line.chars().filter(|&c| c == '|').count()
}

/// Text that GitHub would read as HTML: outside of code, an opening bracket that is none of ours.
fn holds_html(line: &str) -> bool {
    let outside: String = line.split('`').step_by(2).collect();
    outside.replace("<code>", "").replace("</code>", "").contains('<')
}

fn check_markdown(text: &str) {
    let mut columns = None;
    for line in text.lines() {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(!holds_html(line), "{line:?}");
        assert!(line.matches('`').count().is_multiple_of(2), "{line:?}");
        if line.starts_with('|') {
            assert_eq!(bars(line), *columns.get_or_insert(bars(line)), "{line:?}");
        } else {
            columns = None;
        }
    }
}

#[test]
fn names_do_not_act() {
    let hostile =
        ["=cmd|' /C calc'!A0", "a`b|c", "<script>alert(1)</script>", "\u{1b}[31mred", "x\ny\tz", "`", ""];
    let places = |weight: u64| -> Vec<Place> {
        hostile.iter().enumerate().map(|(at, name)| place(name, name, weight + 1000 * at as u64)).collect()
    };
    let tables = |weight: u64| vec![table(1_000_000, &places(weight), &[]); 2];
    let sides = (side("a|b", tables(90_000)), side("<b>", tables(10_000)));
    let difference = difference(&sides);
    check_markdown(&markdown_text(&difference));
    mail_rules::check(&mail_text(&difference), 72);
    for text in [table_text(&difference, TERMINAL), perf_text(&difference)] {
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
    let cells = csv_rows(&difference);
    assert_eq!(cells.len(), hostile.len());
    for row in &cells {
        assert!(!row["lock"].starts_with('=') && !row["lock"].contains(char::is_control), "{row:?}");
    }
    let names: Vec<String> = diff::object(&difference)["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["lock"].as_str().unwrap().to_owned())
        .collect();
    assert!(hostile.iter().all(|name| names.iter().any(|other| other == name)), "{names:?}");
}

/// No number of JSON is a NaN that became null where a number must be.
fn check_numbers(value: &Value) {
    for row in value["rows"].as_array().unwrap().iter().chain(value["symbols"].as_array().unwrap()) {
        for figure in [&row["before"]["mean"], &row["after"]["mean"], &row["points"]] {
            assert!(figure.is_f64(), "{row:#}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn any_comparison_is_well_formed(
        names in prop::collection::vec((any::<String>(), prop::option::of(any::<String>()), 0_u64..1_000_000), 0..12),
        split in 0_usize..12,
        runs in (1_usize..4, 1_usize..4),
        by in prop::sample::select(vec![RowsBy::Site, RowsBy::Lock, RowsBy::Family]),
        test in prop::sample::select(vec![Test::Welch, Test::Rank, Test::Range]),
        limit in prop::option::of(0_usize..14),
        operations in prop::option::of(1e-3_f64..1e9),
    ) {
        let places: Vec<Place> = names
            .iter()
            .map(|(lock, caller, weight)| Place { caller: caller.clone(), ..place(lock, "", *weight) })
            .collect();
        let of = |name: &str, places: &[Place], n: usize| {
            let total = places.iter().map(|place| place.weight).sum();
            let mut side = side(name, vec![table(total, places, &[]); n]);
            side.operations = operations.map(|ops| vec![ops; n]);
            side
        };
        let split = split.min(places.len());
        let sides = (of("one", &places[split..], runs.0), of("other", &places, runs.1));
        let mut settings = settings();
        (settings.by, settings.test) = (by, test);
        let difference = Difference::new(compare(&sides.0, &sides.1, &settings), limit, 0.0);
        check_markdown(&markdown_text(&difference));
        check_numbers(&diff::object(&difference));
        csv_rows(&difference);
        for width in [40, 100, 200] {
            table_text(&difference, Style { width, ..TERMINAL });
        }
        perf_text(&difference);
    }
}
