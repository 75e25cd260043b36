//! Checks as workflow commands of GitHub Actions: an error for each condition that is met, a warning for each that is
//! undecided. The rest are lines of the log.

use std::io::{self, Write};

use super::check::{sentences, title};
use super::escape::visible;
use crate::check::{Check, Decision, Outcome};

/// Writes checks.
///
/// # Errors
/// Those of `out`.
pub fn checks(checks: &[Check], out: &mut dyn Write) -> io::Result<()> {
    for check in checks {
        writeln!(out, "lockblame check: {}: {}", line(&title(check)), line(&check.headline))?;
        for outcome in &check.outcomes {
            match outcome.decision {
                Decision::Tripped => annotation("error", outcome, out)?,
                Decision::Undecided => annotation("warning", outcome, out)?,
                Decision::Passed => {
                    writeln!(out, "passed: {}: {}", line(&outcome.condition.text), line(&outcome.sentence))?;
                }
            }
        }
    }
    Ok(())
}

fn annotation(command: &str, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let condition = visible(&outcome.condition.text);
    let title = property(&format!("lockblame {}: {condition}", outcome.decision.word()));
    let lines: Vec<_> = sentences(outcome).into_iter().map(visible).collect();
    writeln!(out, "::{command} title={title}::{}", data(&lines.join("\n")))
}

/// The message of a command: the percent sign goes first, as the others make new ones.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command, which ends at a colon or a comma.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line of the log. The runner takes `##[` anywhere in one for a command, in its older way of writing them.
fn line(text: &str) -> String {
    visible(text).replace("##[", "##\\u{5b}")
}
