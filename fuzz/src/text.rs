//! Texts: reports, scripts and stacks out of mails, figures of benchmarks, and the robot's tables.

use lockblame::metric::{Figure, MetricTable, read_lkp, read_metrics};
use lockblame::text::{self, Caller, Found, Kind, PerfReport, Stacks};
use lockblame::transcript;

pub fn check(bytes: &[u8]) {
    super::within(bytes, || {
        perf_text(bytes);
        metrics(bytes);
        robot(&String::from_utf8_lossy(bytes));
    });
}

fn perf_text(bytes: &[u8]) {
    let detected = text::detect(bytes);
    match text::read(bytes) {
        Err(error) => {
            assert_eq!(detected, None);
            super::assert_one_line(&error.to_string());
            assert!(error.to_string().contains("; "), "{error}");
        }
        Ok(found) => {
            assert!(!found.is_empty());
            let first = found.first().map(|first| match first {
                Found::Report(_) => Kind::Report,
                Found::Stacks(stacks) if stacks.folded => Kind::Folded,
                _ => Kind::Script,
            });
            assert_eq!(detected, first);
            for one in &found {
                match one {
                    Found::Report(report) => report_holds(report),
                    Found::Stacks(stacks) => stacks_hold(stacks),
                    _ => {}
                }
            }
        }
    }
}

fn report_holds(report: &PerfReport) {
    for row in &report.rows {
        let shares = [Some(row.share), row.children_share];
        assert!(shares.into_iter().flatten().all(|share| (0.0..=1.0).contains(&share)), "{row:?}");
        assert!(!row.symbol.is_empty() && row.line > 0, "{row:?}");
        callers_hold(&row.callers, 1.0);
    }
    // Rows of a damaged text may claim more than all; what is not told of the whole is told to be missing.
    let told =
        report.rows.iter().map(|row| (row.share * transcript::WHOLE as f64).round() as u64).sum::<u64>();
    assert_eq!(transcript::of_report(report).total(0).0.0, told.max(transcript::WHOLE));
}

/// No caller weighs more than what it called.
fn callers_hold(callers: &[Caller], whole: f64) {
    for caller in callers {
        let share = caller.share_of_row;
        assert!((0.0..=whole).contains(&share), "{share} of {whole}");
        callers_hold(&caller.callers, share);
    }
}

fn stacks_hold(stacks: &Stacks) {
    let weights = stacks.samples.iter().map(|stack| stack.weight);
    let weight = weights.fold(0, u64::saturating_add);
    let count: u64 = stacks.samples.iter().map(|stack| stack.count).sum();
    assert!(stacks.samples.iter().all(|stack| stack.count > 0));
    let (told, samples) = transcript::of_stacks(stacks).total(0);
    assert_eq!((told.0, samples), (weight, count));
}

fn metrics(bytes: &[u8]) {
    match read_metrics("some.csv", bytes) {
        Err(error) => {
            let line = error.to_string();
            super::assert_one_line(&line);
            assert!(line.starts_with("some.csv: line ") && line.contains("; "), "{line}");
        }
        Ok(metrics) => {
            assert!(!metrics.series.is_empty() && !metrics.runs.is_empty());
            for series in &metrics.series {
                assert_eq!(series.values.len(), metrics.runs.len());
                assert!(series.values.iter().flatten().all(|value| value.is_finite()));
            }
            let table = MetricTable::compare(("a", &metrics), ("b", &metrics));
            let rows = table.sections.iter().flat_map(|section| &section.rows);
            assert!(rows.count() >= metrics.series.len());
        }
    }
}

fn robot(text: &str) {
    match read_lkp(text) {
        Err(error) => super::assert_one_line(&error.to_string()),
        Ok(table) => {
            for row in table.sections.iter().flat_map(|section| &section.rows) {
                assert!(!row.metric.is_empty());
                for figure in [&row.before, &row.after] {
                    assert!(figure.value().is_none_or(f64::is_finite), "{figure:?}");
                    assert!(!matches!(figure, Figure::Runs(_)));
                }
            }
        }
    }
}
