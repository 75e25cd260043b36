//! What a comparison says: its sentence, its warnings, its rows as far as they are shown.

use super::sentence::{UNTOLD, percent, untold_words};
use crate::compare::{Comparison, LEVEL, Row, Subject, Test, Verdict, comparability};
use crate::metric::MetricTable;
use crate::run::{self, Warning};
use crate::stats::{MIN_RANK_RUNS, Spread};

/// A comparison, ready to be rendered.
#[derive(Debug, Clone)]
pub struct Difference {
    /// What it says in one sentence.
    pub headline: String,
    /// The figures.
    pub comparison: Comparison,
    /// Rows shown, of the comparison's.
    pub shown: usize,
    /// Functions shown that gained, and that lost.
    pub movers: (Vec<Row>, Vec<Row>),
    /// The benchmark's own figures.
    pub metrics: Option<MetricTable>,
    /// Call traces, inclusive and self shares for the robot's table.
    pub traces: Option<MetricTable>,
    /// What to know about the data.
    pub warnings: Vec<Warning>,
}

/// Functions that gained or lost, each, that a report shows.
const MOVERS: usize = 5;
/// A function that moved less is not shown, in parts of the total.
const MOVED: f64 = 0.001;

impl Difference {
    /// Gathers what there is to say. `limit` is the most rows that are shown, and `min_share` the smallest share on
    /// either side.
    pub fn new(mut comparison: Comparison, limit: Option<usize>, min_share: f64) -> Self {
        // Rows that are cut stand behind those that are shown.
        let (kept, small): (Vec<Row>, Vec<Row>) = std::mem::take(&mut comparison.rows)
            .into_iter()
            .partition(|row| row.before.mean.max(row.after.mean) >= min_share);
        let shown = limit.map_or(kept.len(), |limit| limit.min(kept.len()));
        comparison.rows = kept;
        comparison.rows.extend(small);
        // Shares gained and lost: what an operation costs has a column of its own.
        let moved = |sign: f64| -> Vec<Row> {
            let mut rows: Vec<&Row> =
                comparison.symbols.iter().filter(|row| sign * row.points >= MOVED).collect();
            rows.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
            rows.into_iter().take(MOVERS).cloned().collect()
        };
        Self {
            headline: headline(&comparison),
            warnings: comparability::warnings(&comparison),
            movers: (moved(1.0), moved(-1.0)),
            shown,
            metrics: None,
            traces: None,
            comparison,
        }
    }

    /// The sum of the rows that are not shown: how many, before, after.
    pub fn cut(&self) -> Option<(usize, Spread, Spread)> {
        let rest = self.comparison.rows.get(self.shown..).filter(|rest| !rest.is_empty())?;
        let sum = |of: fn(&Row) -> &Spread, n: usize| {
            Spread::over((0..n).map(|run| rest.iter().map(|row| of(row).runs[run]).sum()).collect())
        };
        let (before, after) = (&self.comparison.contention.before, &self.comparison.contention.after);
        Some((rest.len(), sum(|row| &row.before, before.runs.len()), sum(|row| &row.after, after.runs.len())))
    }
}

/// "Lock contention falls from 71.3 % to 4.6 % of cycles (-66.7 points, n=5+5, p<0.001); …"
pub fn headline(comparison: &Comparison) -> String {
    let runs = || comparison.before.runs.iter().chain(&comparison.after.runs);
    if runs().next().is_none() {
        return "There is nothing to compare.".to_owned();
    }
    let whole = run::whole(runs());
    if comparison.untold > UNTOLD {
        return untold_words(comparison.untold, &whole);
    }
    let mut text = match comparison.contention.verdict {
        _ if !can_test(comparison) => single(comparison, &whole),
        _ if is_proven(&comparison.contention, comparison) => moved(comparison, &whole),
        _ => unmoved(comparison, &whole),
    };
    if let Some(part) = throughput(comparison) {
        text.push_str("; ");
        text.push_str(&part);
    }
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

/// Whether the difference of shares is more than noise, whatever the size that matters.
fn is_proven(row: &Row, comparison: &Comparison) -> bool {
    match comparison.settings.test {
        Test::Range => crate::stats::range_differs(&row.before.runs, &row.after.runs),
        Test::Welch | Test::Rank => row.p_adjusted.is_some_and(|p| p < LEVEL),
    }
}

/// Whether there are runs enough for the chosen test.
fn can_test(comparison: &Comparison) -> bool {
    let row = &comparison.contention;
    let least = match comparison.settings.test {
        Test::Rank => MIN_RANK_RUNS,
        Test::Welch | Test::Range => 2,
    };
    row.before.runs.len().min(row.after.runs.len()) >= least
}

/// What a sentence is about: all locks, or those that were chosen.
fn topic(comparison: &Comparison) -> &'static str {
    if comparison.settings.choice.is_whole() { "Lock contention" } else { "Contention of the chosen locks" }
}

fn single(comparison: &Comparison, whole: &str) -> String {
    let row = &comparison.contention;
    let mut text = format!(
        "{} is {} of {whole} before and {} after ({} points; {}{}, so that nothing can be tested)",
        topic(comparison),
        percent(&row.before),
        percent(&row.after),
        points(row.points),
        runs(row),
        if comparison.settings.test == Test::Rank { ", and the rank test needs 4 runs a side" } else { "" },
    );
    if let Some(top) = comparison.rows.first().filter(|top| top.points.abs() >= MOVED) {
        text.push_str(&format!(
            "; {} {} by {} points",
            site(top),
            verb(top),
            points(top.points.abs()).trim_start_matches('+')
        ));
    }
    text
}

fn moved(comparison: &Comparison, whole: &str) -> String {
    let row = &comparison.contention;
    let mut text = format!(
        "{} {} from {:.1} % to {:.1} % of {whole} ({} points, {}{})",
        topic(comparison),
        verb(row),
        100.0 * row.before.mean,
        100.0 * row.after.mean,
        points(row.points),
        runs(row),
        p(row.p_adjusted),
    );
    // The site with the largest part in it, and the largest that went the other way.
    let proven = |sign: f64| {
        let mut rows: Vec<&Row> =
            comparison.rows.iter().filter(|r| r.points * sign > 0.0 && is_proven(r, comparison)).collect();
        rows.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
        rows.first().copied()
    };
    let sign = row.points.signum();
    if let Some(top) = proven(sign) {
        let part = 100.0 * top.points.abs();
        // What fell may have fallen by more than the total, where something else rose.
        match top.points.abs() <= row.points.abs() {
            true => text.push_str(&format!("; {} explains {part:.1} of them", site(top))),
            false => text.push_str(&format!("; {} {} by {part:.1}", site(top), verb(top))),
        }
    }
    if let Some(other) = proven(-sign).filter(|other| other.points.abs() > 0.1 * row.points.abs()) {
        text.push_str(&format!("; but {} {} by {:.1}", site(other), verb(other), 100.0 * other.points.abs()));
    }
    text
}

fn unmoved(comparison: &Comparison, whole: &str) -> String {
    let row = &comparison.contention;
    let limit = match comparison.detectable {
        Some(least) => format!("; this experiment could have seen {:.1} points", 100.0 * least),
        None => String::new(),
    };
    let figures = format!(
        "{} is {:.1} % of {whole} before and {:.1} % after ({} points, {}{})",
        lower(topic(comparison)),
        100.0 * row.before.mean,
        100.0 * row.after.mean,
        points(row.points),
        runs(row),
        p(row.p_adjusted)
    );
    let parts = movements(comparison);
    if parts.is_empty() {
        return format!("No change beyond noise was found: {figures}{limit}");
    }
    format!(
        "In total no change beyond noise was found: {figures}{limit}. It moved, though: {}",
        parts.join("; ")
    )
}

/// What moved where the total did not: call sites, or else families with the site that weighs most in it.
fn movements(comparison: &Comparison) -> Vec<String> {
    const MOST: usize = 3;
    let sites: Vec<&Row> = comparison.rows.iter().filter(|row| has_moved(row, comparison)).collect();
    let told = |family| sites.iter().any(|row| row.subject.family() == family && is_proven(row, comparison));
    let families =
        comparison.families.iter().filter(|row| has_moved(row, comparison) && !told(row.subject.family()));
    let of_family = families.map(|row| {
        let of_it =
            |other: &&Row| other.subject.family() == row.subject.family() && other.points * row.points > 0.0;
        let most =
            comparison.rows.iter().filter(of_it).max_by(|a, b| a.points.abs().total_cmp(&b.points.abs()));
        let most = most.map_or_else(String::new, |most| format!(", most of it {}", site(most)));
        (row.points.abs(), format!("{}{}{most}", movement(row), p(row.p_adjusted)))
    });
    let mut parts: Vec<(f64, String)> = of_family.collect();
    parts.extend(sites.iter().map(|row| (row.points.abs(), movement(row))));
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    parts.into_iter().take(MOST).map(|(_, text)| text).collect()
}

/// Whether a row is worth a word where the total has not moved: it is large enough, and proven or on one side only.
fn has_moved(row: &Row, comparison: &Comparison) -> bool {
    row.points.abs() >= comparison.settings.min_effect
        && (matches!(row.verdict, Verdict::New | Verdict::Gone) || is_proven(row, comparison))
}

fn movement(row: &Row) -> String {
    match row.verdict {
        Verdict::New => format!("{} is new with {:.1} %", site(row), 100.0 * row.after.mean),
        Verdict::Gone => format!("{} is gone, which had {:.1} %", site(row), 100.0 * row.before.mean),
        _ => format!("{} {} by {:.1} points", site(row), verb(row), 100.0 * row.points.abs()),
    }
}

/// What the benchmark itself did, where that is known.
fn throughput(comparison: &Comparison) -> Option<String> {
    let throughput = comparison.throughput?;
    let run = comparison.before.runs.first()?;
    let program = run.command.as_deref().map(comparability::workload).filter(|w| !w.contains("perf record"));
    let program = program
        .and_then(|w| w.split_whitespace().next().map(|p| p.rsplit('/').next().unwrap_or(p).to_owned()));
    let program = program.unwrap_or_else(|| "the benchmark".to_owned());
    let times = format!("{program} does {:.2} times the operations", throughput.ratio);
    Some(match throughput.p {
        Some(p) if p >= LEVEL => format!("{times}, which is within noise"),
        _ => times,
    })
}

/// With a small letter, inside a sentence.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn verb(row: &Row) -> &'static str {
    if row.points < 0.0 { "falls" } else { "rises" }
}

/// The subject with its caller, as a sentence names it.
pub fn site(row: &Row) -> String {
    match &row.subject {
        Subject::Site { lock, caller: Some(caller), .. } => format!("`{}` from `{caller}`", lock.name),
        subject => format!("`{}`", subject.name()),
    }
}

/// `-66.7`: a difference of shares in points, always with its sign.
pub fn points(difference: f64) -> String {
    format!("{:+.1}", 100.0 * difference)
}

fn runs(row: &Row) -> String {
    format!("n={}+{}", row.before.runs.len(), row.after.runs.len())
}

/// `, p<0.001`.
fn p(p: Option<f64>) -> String {
    match p {
        Some(p) => format!(", {}", probability(p)),
        None => String::new(),
    }
}

/// `p<0.001`, `p=0.012`.
pub fn probability(p: f64) -> String {
    if p < 0.001 { "p<0.001".to_owned() } else { format!("p={p:.3}") }
}
