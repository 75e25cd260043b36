//! Checks as JUnit XML: a suite a comparison, a test case a condition; undecided is skipped.
//!
//! Only what all readers of this format take: the elements testsuites, testsuite, testcase, failure, skipped, system-out.

use std::io::{self, Write};

use super::check::{sentences, title};
use super::escape::markup;
use crate::check::{Check, Decision, Outcome};

/// Writes checks.
///
/// # Errors
/// Those of `out`.
pub fn checks(checks: &[Check], out: &mut dyn Write) -> io::Result<()> {
    let count = |decision| checks.iter().map(|check| check.count(decision)).sum();
    let tests = checks.iter().map(|check| check.outcomes.len()).sum();
    let all = counts(tests, count(Decision::Tripped), count(Decision::Undecided));
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="lockblame check" {all}>"#)?;
    for check in checks {
        suite(check, out)?;
    }
    writeln!(out, "</testsuites>")
}

fn counts(tests: usize, failures: usize, skipped: usize) -> String {
    format!(r#"tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}" time="0""#)
}

fn suite(check: &Check, out: &mut dyn Write) -> io::Result<()> {
    let counts =
        counts(check.outcomes.len(), check.count(Decision::Tripped), check.count(Decision::Undecided));
    writeln!(out, r#"  <testsuite name="{}" {counts}>"#, markup(&title(check)))?;
    for outcome in &check.outcomes {
        case(check, outcome, out)?;
    }
    writeln!(out, "    <system-out>{}</system-out>", markup(&check.headline))?;
    writeln!(out, "  </testsuite>")
}

/// Readers know a test by its class and name over time, so neither holds a figure.
fn case(check: &Check, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    // A dot would be read as the end of a package's name.
    let class = format!("lockblame.{}", title(check).replace('.', "_"));
    let name = markup(&outcome.condition.text);
    writeln!(out, r#"    <testcase classname="{}" name="{name}" time="0">"#, markup(&class))?;
    let message = markup(&outcome.sentence);
    let lines: Vec<String> = sentences(outcome).into_iter().map(markup).collect();
    let body = lines.join("\n");
    match outcome.decision {
        Decision::Tripped => {
            writeln!(out, r#"      <failure message="{message}" type="tripped">{body}</failure>"#)?;
        }
        Decision::Undecided => writeln!(out, r#"      <skipped message="{message}"/>"#)?,
        Decision::Passed => writeln!(out, "      <system-out>{body}</system-out>")?,
    }
    writeln!(out, "    </testcase>")
}
