//! The robot's tables byte for byte: the posted ones, and whatever else may come.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::path::PathBuf;

use lockblame::metric::{
    Change, Figure, MetricTable, Row, RowKind, Section, read_lkp, read_metrics, total_row,
};
use lockblame::render::{LkpStyle, write_lkp};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_oneof, proptest};

const MAILS: [(&str, LkpStyle); 2] =
    [("lkp-compare-2014.txt", LkpStyle::Ascii), ("lkp-compare-2025.txt", LkpStyle::Lkp)];

/// A posted mail, or `None` (said aloud) where the shared files are not at hand.
fn mail(name: &str) -> Option<String> {
    let shared = std::env::var_os("LOCKBLAME_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = shared.join("mail").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            let required = std::env::var("LOCKBLAME_REQUIRE").is_ok_and(|all| all.contains("corpus"));
            assert!(!required, "{}: {error}", path.display());
            eprintln!("skipped: {} is not there ({error})", path.display());
            None
        }
    }
}

/// The table's own bytes: the mail without its marks of quoting and the blank lines at its end.
fn own_bytes(mail: &str) -> String {
    let lines: Vec<&str> = mail.lines().map(|line| line.trim_start_matches("> ")).collect();
    let end = lines.iter().rposition(|line| !line.is_empty()).unwrap() + 1;
    lines[..end].join("\n") + "\n"
}

fn written(table: &MetricTable, style: LkpStyle) -> String {
    let mut out = Vec::new();
    write_lkp(table, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn posted_tables_come_out_as_they_went_in() {
    for (name, style) in MAILS {
        let Some(text) = mail(name) else { continue };
        let table = read_lkp(&text).unwrap();
        assert_eq!(written(&table, style), own_bytes(&text), "{name}");
        let quoted: String = text.lines().map(|line| format!(">> > {line}\r\n")).collect();
        assert_eq!(read_lkp(&quoted).unwrap(), table, "{name} quoted again");
    }
}

#[test]
fn posted_tables_are_understood() {
    let Some(text) = mail("lkp-compare-2014.txt") else { return };
    let table = read_lkp(&text).unwrap();
    assert_eq!(table.sections.iter().map(|s| s.rows.len()).collect::<Vec<_>>(), [5, 3, 4, 4, 2, 2, 2]);
    let heads = table.sections[0].heads.clone().unwrap();
    assert_eq!(
        (heads.before.as_str(), heads.after.as_str()),
        ("b11cc5 (parent)", "c0f4dfd4f90f1667d234d21f1")
    );
    let row = &table.sections[2].rows[1];
    assert_eq!(row.metric, "netperf.Throughput_Mbps");
    assert_eq!(row.kind, RowKind::Testcase("lkp-a04/micro/netperf/120s-200%-TCP_SENDFILE".to_owned()));

    let Some(text) = mail("lkp-compare-2025.txt") else { return };
    let table = read_lkp(&text).unwrap();
    assert_eq!((table.sections.len(), table.sections[0].heading.len()), (1, 8));
    assert_eq!(table.sections[0].rows.len(), 39);
}

/// The values that print as the posted one: rounded with decimals and exponents, cut when whole.
fn printed_alike(value: f64, style: LkpStyle) -> (f64, f64) {
    let decimals_below = if style == LkpStyle::Lkp { 1000.0 } else { 100.0 };
    match value {
        v if v < decimals_below => (v - 0.005, v + 0.005),
        v if v > 1e8 => {
            let half = 0.5 * 10f64.powi(v.log10().floor() as i32 - 3);
            (v - half, v + half)
        }
        v => (v, v + 1.0),
    }
}

/// A mean before and a mean after that print as posted and whose change prints as posted.
///
/// The change was computed before the figures were rounded, so it says more about them than they do themselves.
fn means_behind(row: &Row, style: LkpStyle) -> (f64, f64) {
    let posted = |figure: &Figure| printed_alike(figure.value().unwrap(), style);
    let ((low_before, high_before), (low, high)) = (posted(&row.before), posted(&row.after));
    let before_for = |after: f64| match row.change() {
        Change::Percent(c) => {
            let half =
                if c.abs() < 1e5 { 0.0499 } else { 0.0499 * 10f64.powi(c.abs().log10().floor() as i32) };
            (after / (1.0 + (c + half) / 100.0), after / (1.0 + (c - half) / 100.0))
        }
        Change::Points(c) => (after - c - 0.0499, after - c + 0.0499),
    };
    (1..1000)
        .map(|step| low + (high - low) * f64::from(step) / 1000.0)
        .map(|after| (before_for(after), after))
        .map(|((from, to), after)| (from.max(low_before), to.min(high_before), after))
        .max_by(|x, y| (x.1 - x.0).total_cmp(&(y.1 - y.0)))
        .filter(|(from, to, _)| from < to)
        .map(|(from, to, after)| (f64::midpoint(from, to), after))
        .unwrap_or_else(|| panic!("no figures print like those of {} and {:?}", row.label(), row.change()))
}

/// Four runs with this mean, deviating by half a percent more than was printed (which was cut), or by 1 % where
/// nothing was printed.
fn runs(mean: f64, posted: &Figure) -> Figure {
    let spread = mean * posted.deviation().map_or(1.0, |cut| cut + 0.5) / 100.0;
    Figure::Runs(vec![mean - spread, mean + spread, mean - spread, mean + spread])
}

#[test]
fn posted_tables_come_out_of_runs() {
    for (name, style) in MAILS {
        let Some(text) = mail(name) else { continue };
        let mut table = read_lkp(&text).unwrap();
        for row in table.sections.iter_mut().flat_map(|section| &mut section.rows) {
            let (before, after) = means_behind(row, style);
            row.before = runs(before, &row.before);
            row.after = runs(after, &row.after);
            row.stated_change = None;
        }
        assert_eq!(written(&table, style), own_bytes(&text), "{name}");
    }
}

#[test]
fn posted_totals_are_sums_of_their_lines() {
    let Some(text) = mail("lkp-compare-2014.txt") else { return };
    for section in &read_lkp(&text).unwrap().sections[1..] {
        let (total, lines) = section.rows.split_last().unwrap();
        let RowKind::Total(aggregate) = total.kind else { panic!("{}", total.label()) };
        // In the middle of what was cut off: half a unit a line, half a percent a deviation.
        let unrounded = |figure: &Figure| {
            let half = if figure.value().unwrap() < 100.0 { 0.0 } else { 0.5 };
            Figure::Derived {
                value: figure.value().unwrap() + half,
                deviation: figure.deviation().map(|d| d + 0.5),
            }
        };
        let lines: Vec<Row> = lines
            .iter()
            .map(|row| Row { before: unrounded(&row.before), after: unrounded(&row.after), ..row.clone() })
            .collect();
        let ours = total_row(&total.metric, aggregate, &lines).unwrap();
        assert_eq!(ours.label(), total.label());
        for (ours, theirs) in [(&ours.before, &total.before), (&ours.after, &total.after)] {
            let (ours, theirs) = (
                (ours.value().unwrap(), ours.deviation().unwrap()),
                (theirs.value().unwrap(), theirs.deviation().unwrap()),
            );
            assert!(
                (ours.0 - theirs.0).abs() <= 0.5 * lines.len() as f64 + 0.5,
                "{}: {ours:?} {theirs:?}",
                total.label()
            );
            assert!((ours.1 - theirs.1 - 0.5).abs() <= 1.0, "{}: {ours:?} {theirs:?}", total.label());
        }
    }
}

/// Pieces that a table is made of, so that arbitrary text comes close to one.
fn table_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("> ".to_owned()),
        Just("\n".to_owned()),
        Just(" ±".to_owned()),
        Just(" ~ 4% ".to_owned()),
        Just("  ".to_owned()),
        Just("\n---------------- ------\n".to_owned()),
        Just(" +2.1e+05% ".to_owned()),
        Just(" -1.5 ".to_owned()),
        Just("TOTAL a/b".to_owned()),
        Just("==========\na:\n".to_owned()),
        Just("5".to_owned()),
        Just("µ-".to_owned()),
        "\\PC{0,12}",
        "[0-9.eE+-]{1,9}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_readers_panic(text in table_like(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(table) = read_lkp(&text) {
            for style in [LkpStyle::Lkp, LkpStyle::Ascii] {
                written(&table, style);
            }
        }
        let _ = read_lkp(&String::from_utf8_lossy(&bytes));
        let _ = read_metrics("any", &bytes);
        let _ = read_metrics("any", text.as_bytes());
        let _ = read_metrics("any", format!("run,metric,value\n{text}").as_bytes());
    }

    #[test]
    fn any_values_make_a_line_that_reads_back(
        before in prop::collection::vec(any::<f64>(), 0..5),
        after in prop::collection::vec(prop_oneof![any::<f64>(), -2e3..2e9, Just(0.0)], 0..5),
        metric in "[a-z%.-]{1,12}",
    ) {
        let row = Row::new(&metric, Figure::Runs(before), Figure::Runs(after));
        let table = MetricTable { sections: vec![Section { rows: vec![row], ..Section::default() }] };
        for style in [LkpStyle::Lkp, LkpStyle::Ascii] {
            let text = written(&table, style);
            let figures = text.rsplit_once("  ").unwrap().0.to_lowercase();
            prop_assert!(!figures.contains("nan") && !figures.contains("inf"), "{text}");
            let read = read_lkp(&text);
            // The largest numbers round up to what no double holds.
            if !figures.contains("e+308") {
                prop_assert!(read.is_ok(), "{text}");
                prop_assert!(read.unwrap().sections[0].rows[0].label() == metric);
            }
        }
    }
}
