//! Texts for lists keep to the rules of mail, whatever the recordings hold.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::{Path, PathBuf};

use clap::Parser;
use lockblame::compare::{RowsBy, Test, compare};
use lockblame::lock::choice::By;
use lockblame::lock::family::Family;
use lockblame::lock::site::Function;
use lockblame::render::mail;
use lockblame::report::difference::Difference;
use lockblame::report::{self, Report};
use lockblame::run::Warning;
use proptest::prelude::*;
use support::mail_rules::check;
use support::sides::{self, Place, difference, patch_with_operations, settings};

fn mail_of(difference: &Difference, width: Option<u16>) -> String {
    let mut out = Vec::new();
    mail::difference(difference, width, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn mail_of_report(report: &Report, width: Option<u16>) -> String {
    let mut out = Vec::new();
    mail::report(report, width, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// All recordings below a folder.
fn recordings(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the crate has fixtures")
        .filter_map(|entry| Some(entry.ok()?.path().join("perf.data")))
        .filter(|file| file.is_file())
        .collect();
    found.sort();
    found
}

#[test]
fn reports_of_recordings_keep_to_the_rules() {
    let fixtures = recordings(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
    assert!(fixtures.len() > 5, "{} fixtures", fixtures.len());
    for file in &fixtures {
        for by in ["lock", "site", "symbol", "comm", "cpu", "path"] {
            let kallsyms = file.with_file_name("kallsyms");
            let mut args = vec!["lockblame", "report", "--format", "mail", "--by", by];
            args.push(file.to_str().unwrap());
            if kallsyms.is_file() {
                args.extend(["--kallsyms", kallsyms.to_str().unwrap()]);
            }
            let cli = lockblame::cli::Cli::try_parse_from(&args).unwrap();
            let (mut out, mut hints) = (Vec::new(), Vec::new());
            lockblame::app::run(&cli, &mut out, &mut hints).unwrap_or_else(|e| panic!("{args:?}: {e}"));
            let text = String::from_utf8(out).unwrap();
            check(&text, 72);
            assert!(text.contains("\n  samples  ") && text.contains("share = "), "{args:?}: {text}");
        }
    }
}

#[test]
fn what_is_cut_stands_in_full_below() {
    let text = mail_of(&difference(&patch_with_operations()), None);
    check(&text, 72);
    assert!(text.contains("<- __acco.._latency [1]\n"), "{text}");
    assert!(text.contains("\n  [1] __account_scheduler_latency\n"), "{text}");
}

#[test]
fn facts_in_which_the_sides_differ_are_called_out() {
    let (before, mut after) = patch_with_operations();
    let same = mail_of(&difference(&(before.clone(), after.clone())), None);
    assert!(!same.contains("(differs)") && same.contains("\n  kernel   6.1.192\n"), "{same}");
    after.runs.iter_mut().for_each(|run| run.kernel = Some("6.2.0".to_owned()));
    let text = mail_of(&difference(&(before.clone(), after.clone())), None);
    assert!(text.contains("\n  kernel   6.1.192 before, 6.2.0 after (differs)\n"), "{text}");
    after.runs.iter_mut().for_each(|run| run.cpus = Some(9));
    let text = mail_of(&difference(&(before, after)), None);
    assert!(text.contains("\n  CPUs     8 before, 9 after (differs)\n"), "{text}");
}

#[test]
fn what_a_text_does_not_tell_is_a_dash() {
    let mut sides = patch_with_operations();
    for run in &mut sides.0.runs {
        (run.samples, run.weight, run.duration, run.kernel, run.cpus) = (None, None, None, None, None);
    }
    let text = mail_of(&difference(&sides), None);
    check(&text, 72);
    assert!(!text.contains("(differs)"), "what is not known is no difference: {text}");
    for line in [
        "total: - before, 12568",
        "samples  - before, 5026 after",
        "lost     - before, 0 after",
        "kernel   - before, 6.1.192 after",
    ] {
        assert!(text.contains(&format!("\n  {line}")), "{line}: {text}");
    }
}

#[test]
fn a_last_row_sums_what_was_cut() {
    let (before, after) = patch_with_operations();
    let all = compare(&before, &after, &settings());
    let cut: f64 = all.rows[2..].iter().map(|row| row.after.mean).sum();
    let text = mail_of(&Difference::new(all, Some(2), 0.0), None);
    let line = text.lines().find(|line| line.ends_with(" 3 more")).expect("the rows are cut");
    assert!(line.contains(&format!(" {:.1} ", 100.0 * cut)), "{cut}: {line}");
}

/// However the rows are made, all of them are in the mail: shown, or in the sum that closes the table.
#[test]
fn a_report_of_many_rows_shows_twelve_and_sums_the_rest() {
    let places: Vec<Place> = (0..40)
        .map(|n| sides::place(&format!("_raw_spin_lock_{}", n % 20), &format!("caller_{n}"), 10_000 + n))
        .collect();
    let leaves: Vec<_> = (0..40).map(|n| (sides::kernel(&format!("leaf_{n}")), 5_000 + n)).collect();
    let total = 1_000_000;
    let side = sides::side("many", vec![sides::table(total, &places, &leaves); 2]);
    let group = |n: u64| report::GroupRow {
        label: format!("cpu_{n}"),
        share: lockblame::stats::Spread::over(vec![0.01; 2]),
        weight: lockblame::units::Weight(2 * 10_000),
        samples: 20,
    };
    let locks: u64 = places.iter().map(|place| place.weight).sum();
    let functions = locks + leaves.iter().map(|(_, weight)| weight).sum::<u64>();
    let expected = [(By::Site, locks), (By::Symbol, functions), (By::Cpu, 40 * 10_000)];
    for (by, weight) in expected {
        let mut choice = settings().choice;
        (choice.by, choice.limit) = (by, Some(12));
        let groups = if by == By::Cpu { (0..40).map(group).collect() } else { Vec::new() };
        let report = report::report(side.runs.clone(), &side.tables, groups, &choice, Vec::new());
        let text = mail_of_report(&report, None);
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| {
                line.contains("% +-") && line.trim_start().starts_with(|c: char| c.is_ascii_digit())
            })
            .collect();
        assert_eq!(rows.len(), 13, "{by:?}: {text}");
        let percents = rows.iter().map(|row| row.trim().split('%').next().unwrap().parse::<f64>().unwrap());
        let sum: f64 = percents.sum();
        let whole = 100.0 * weight as f64 / total as f64;
        assert!((sum - whole).abs() < 13.0 * 0.005, "{by:?}: {sum} of {whole}: {text}");
    }
}

/// A name as a damaged or hostile recording has it.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z_]{1,40}",
        2 => any::<String>(),
        1 => "[a-z`|<> \t\\n\\x1b]{0,80}",
        1 => (1_usize..4096, any::<char>()).prop_map(|(n, c)| c.to_string().repeat(n)),
        1 => (1_usize..1024).prop_map(|n| "a b`".repeat(n)),
    ]
}

prop_compose! {
    fn site()(
        lock in name(),
        caller in prop::option::of(name()),
        through in prop::collection::vec(name(), 0..3),
        family in prop::sample::select(Family::ALL.to_vec()),
        weight in prop_oneof![Just(0_u64), 0_u64..1000, 0..u64::MAX / 64],
    ) -> Place {
        Place { lock, family, caller, through, weight }
    }
}

prop_compose! {
    fn side_of()(
        sites in prop::collection::vec(site(), 0..20),
        shared in prop::bool::ANY,
        n in 1_usize..4,
        other in prop::collection::vec((name(), name(), 0_u64..1_000_000), 0..8),
        fact in name(),
        told in prop::bool::ANY,
        operations in prop::option::of(1e-3_f64..1e9),
        noise in prop::collection::vec(0_u64..1000, 4),
    ) -> lockblame::compare::SideRuns {
        let mut sites = sites;
        if shared {
            sites.push(sides::place("_raw_spin_lock", "common", 5000));
        }
        let tables = (0..n).map(|run| {
            let mut sites = sites.clone();
            sites.iter_mut().for_each(|site| site.weight += noise[run]);
            let leaves: Vec<_> = other
                .iter()
                .map(|(name, module, weight)| {
                    (Function { name: name.clone(), module: module.clone() }, weight + noise[run])
                })
                .collect();
            let total = sites.iter().fold(1_000_000_u64, |sum, site| sum.saturating_add(site.weight));
            sides::table(total, &sites, &leaves)
        });
        let mut side = sides::side(&fact, tables.collect());
        for run in &mut side.runs {
            run.kernel = Some(fact.clone());
            run.command = Some(format!("perf record -- {fact}"));
            run.event = fact.clone();
            if !told {
                (run.samples, run.weight, run.cpus, run.rate) = (None, None, None, None);
            }
        }
        side.operations = operations.map(|ops| vec![ops; n]);
        side
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn any_comparison_keeps_to_the_rules(
        before in side_of(),
        after in side_of(),
        test in prop::sample::select(vec![Test::Welch, Test::Rank, Test::Range]),
        by in prop::sample::select(vec![RowsBy::Site, RowsBy::Lock, RowsBy::Family]),
        limit in prop::option::of(0_usize..14),
        width in prop::option::of(60_u16..120),
        warning in name(),
    ) {
        let mut settings = settings();
        (settings.test, settings.by) = (test, by);
        let mut difference = Difference::new(compare(&before, &after, &settings), limit, 0.001);
        difference.warnings.push(Warning { code: "test", text: warning });
        check(&mail_of(&difference, width), usize::from(width.unwrap_or(72)));
    }

    #[test]
    fn any_report_keeps_to_the_rules(
        side in side_of(),
        by in prop::sample::select(vec![By::Lock, By::Site, By::Symbol]),
        width in prop::option::of(60_u16..120),
    ) {
        let mut choice = settings().choice;
        choice.by = by;
        choice.limit = Some(12);
        let report = report::report(side.runs, &side.tables, Vec::new(), &choice, Vec::new());
        check(&mail_of_report(&report, width), usize::from(width.unwrap_or(72)));
    }
}
