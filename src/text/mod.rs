//! What people mail or paste instead of a recording: perf's own text, read back into rows and stacks.
//!
//! Bytes become bodies (`message`), bodies lines without quote marks (`line`). Lines of `perf script`
//! (`script`) and folded stacks (`folded`) are read as they stand. Everything else may be a report that a
//! mailer broke or flattened: it is mended (`unwrap`), cut into pieces (`piece`) and read (`report`, `row`,
//! `tree`, `orient`). What is not understood is left out, never guessed: a missing caller can be asked for, a
//! wrong one is believed.
//!
//! A further dialect (a comparison table, say) is one more variant of [`Found`] and one more arm in
//! `read_body`, in front of the report, which takes all the lines that nobody else wants.

mod error;
mod folded;
mod line;
mod message;
mod orient;
mod piece;
mod report;
mod row;
mod script;
mod symbol;
mod tree;
mod types;
mod unwrap;

pub use error::TextError;
pub use types::{Caller, Found, Frame, Header, Kind, PerfReport, Row, Stack, Stacks, TimeSpan};

use line::Line;

/// How much of an input [`detect`] looks at, in bytes.
const DETECT_LIMIT: usize = 1 << 20;

/// The kind of the first thing in `bytes` that [`read`] understands, or `None`.
///
/// Only the first megabyte is looked at. A binary, and so a `perf.data` file, is never text.
pub fn detect(bytes: &[u8]) -> Option<Kind> {
    let head = &bytes[..bytes.len().min(DETECT_LIMIT)];
    let found = read(head).ok()?;
    found.first().map(|first| match first {
        Found::Report(_) => Kind::Report,
        Found::Stacks(stacks) if stacks.folded => Kind::Folded,
        Found::Stacks(_) => Kind::Script,
    })
}

/// The texts in `bytes`: a mail's bodies, decoded; else the whole.
pub fn bodies(bytes: &[u8]) -> Vec<String> {
    message::bodies(bytes).into_iter().map(|body| body.text.into_owned()).collect()
}

/// Everything in `bytes` that can be read, in the order of its appearance.
///
/// # Errors
/// When nothing was found: [`TextError`] says where it gave up, why, and what to paste instead.
pub fn read(bytes: &[u8]) -> Result<Vec<Found>, TextError> {
    if line::is_binary(bytes) {
        return Err(TextError::Binary);
    }
    let mut found = Vec::new();
    let mut trouble = None;
    let mut n_lines = 0;
    for body in message::bodies(bytes) {
        let cleaned = line::clean(&body.text);
        let lines = line::lines(&cleaned, body.first_line);
        n_lines += lines.len();
        if let Err(e) = read_body(&lines, &mut found) {
            trouble.get_or_insert(e);
        }
    }
    if found.is_empty() { Err(trouble.unwrap_or(TextError::Nothing { n_lines })) } else { Ok(found) }
}

/// Reads one body: stretches of stacks are taken out, what lies between is read as a report.
fn read_body(lines: &[Line<'_>], found: &mut Vec<Found>) -> Result<(), TextError> {
    let mut trouble = Ok(());
    let mut rest_from = 0;
    let mut at = 0;
    while at < lines.len() {
        let taken = match script::read(&lines[at..]) {
            Some((stacks, n)) => Some((Ok(stacks), n)),
            None => folded::read(&lines[at..]).map(|(result, n)| (result.map(|s| vec![s]), n)),
        };
        let Some((result, n)) = taken else {
            at += 1;
            continue;
        };
        trouble = trouble.and(report::read(&lines[rest_from..at], found));
        match result {
            Ok(stacks) => found.extend(stacks.into_iter().map(Found::Stacks)),
            Err(e) => trouble = trouble.and(Err(e)),
        }
        at += n.max(1);
        rest_from = at;
    }
    trouble.and(report::read(&lines[rest_from..], found))
}
