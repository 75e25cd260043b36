//! The sentence that a report begins with.

use super::{LockRow, Report};
use crate::run;
use crate::stats::Spread;

/// A share below which a lock is not worth a sentence.
const WORTH: f64 = 0.001;

/// Where a larger part of the weight lies in functions of the kernel without a name, a report of locks says nothing.
pub const UNTOLD: f64 = 0.2;

/// "`_raw_spin_lock_irqsave` takes 89.9 % of cycles; 99.9 % of that is called from `__account_scheduler_latency`."
pub fn headline(report: &Report) -> String {
    let Some(run) = report.runs.first() else { return "Nothing was recorded.".to_owned() };
    let whole = run::whole(&report.runs);
    if report.runs.iter().all(|run| run.samples == Some(0)) {
        let of = if report.runs.iter().any(|run| run.truncated.is_some()) {
            "could be read"
        } else {
            "was chosen"
        };
        return format!("There is no sample of {} in what {of}.", run.event);
    }
    // Without names nothing can be told of locks, and "no lock" would be a guess.
    let untold = report.untold.runs.iter().copied().fold(0.0, f64::max);
    if untold > UNTOLD {
        return untold_words(untold, &whole);
    }
    let top = report.locks.first().filter(|row| row.share.mean >= WORTH);
    let Some(top) = top else {
        if report.contention.share.mean >= WORTH {
            let all = percent(&report.contention.share);
            return format!(
                "All locks together take {all} of {whole}, none of them as much as was asked for."
            );
        }
        let none = if report.is_whole { "No lock" } else { "None of the chosen locks" };
        return format!("{none} takes more than 0.1 % of {whole}.");
    };
    let mut text = format!("`{}` takes {} of {whole}", top.lock.name, percent(&top.share));
    text.push_str(&from_whom(top));
    text.push('.');
    if report.locks.len() > 1 || report.cut.is_some() {
        let all = if report.is_whole { "All locks" } else { "The chosen locks" };
        text.push_str(&format!(" {all} together take {}.", percent(&report.contention.share)));
    }
    text
}

/// What is said where locks cannot be told.
pub fn untold_words(untold: f64, whole: &str) -> String {
    format!(
        "Which locks take {whole} cannot be told: {:.1} % of it lies in functions of the kernel without a name; copy \
         /proc/kallsyms of the recorded machine beside the recording, or name it with --kallsyms.",
        100.0 * untold
    )
}

/// Where a lock is called from, if one caller stands out.
fn from_whom(row: &LockRow) -> String {
    let Some(first) = row.callers.first() else { return String::new() };
    let Some(caller) = &first.caller else { return String::new() };
    if row.weight.0 == 0 {
        return String::new();
    }
    let part = 100.0 * first.share.mean / row.share.mean;
    match row.callers.get(1).and_then(|second| second.caller.as_ref().map(|caller| (second, caller))) {
        Some((second, next)) if part < 90.0 => format!(
            "; {part:.1} % of that is called from `{}` and {:.1} % from `{}`",
            caller.name,
            100.0 * second.share.mean / row.share.mean,
            next.name
        ),
        _ => format!("; {part:.1} % of that is called from `{}`", caller.name),
    }
}

/// `89.9 %`, and over several runs `71.3 % ± 5.6`.
pub fn percent(share: &Spread) -> String {
    match share.stddev {
        Some(stddev) => format!("{:.1} % ± {:.1}", 100.0 * share.mean, 100.0 * stddev),
        None => format!("{:.1} %", 100.0 * share.mean),
    }
}
