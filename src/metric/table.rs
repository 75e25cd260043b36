//! The table: sections of rows, each with a figure before and a figure after.

use std::borrow::Cow;
use std::collections::HashMap;

use super::figure::Figure;
use super::name::MetricName;
use super::read::{Metrics, Series};
use super::total::{Aggregate, total_row};

/// A comparison of two sides, ready to be written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricTable {
    /// The sections in order.
    pub sections: Vec<Section>,
}

/// Rows under one pair of column heads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Lines above the column heads, verbatim: the robot's block of axes and commits.
    pub heading: Vec<String>,
    /// The column heads; `None` when rows were quoted without them.
    pub heads: Option<Heads>,
    /// The rows in order.
    pub rows: Vec<Row>,
}

/// The names of both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heads {
    /// Name of the side before, such as a commit.
    pub before: String,
    /// Name of the side after.
    pub after: String,
    /// The blanks that closed the line where it was read; `None` leaves them to the style.
    pub closing_blanks: Option<usize>,
}

/// One line of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The metric.
    pub metric: String,
    /// What of the metric the row shows.
    pub kind: RowKind,
    /// The side before.
    pub before: Figure,
    /// The side after.
    pub after: Figure,
    /// The change that a table stated. It was computed before the figures were rounded, so it is kept.
    pub stated_change: Option<Change>,
}

/// What of its metric a row shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowKind {
    /// The metric itself.
    Metric,
    /// The metric in one testcase.
    Testcase(String),
    /// The metric over the testcases above.
    Total(Aggregate),
}

/// A change from before to after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// In percent of the value before.
    Percent(f64),
    /// The difference of two percentages.
    Points(f64),
}

/// The largest change: it can be rounded up and is still a number that a double holds.
const LARGEST: f64 = 1e308;

/// What the robot divides by when the value before is zero.
const INSTEAD_OF_ZERO: f64 = 1e-100;

impl Change {
    /// The change of a metric, in points for `perf-profile…` and for names that end in `%`, else
    /// `100 * (after - before) / before` percent.
    ///
    /// A `before` of zero counts as 1e-100, as it does with the robot: growth from nothing reads `+8.3e+101%`
    /// there, and nothing from nothing is no change. What would overflow is held at 1e308.
    #[must_use]
    pub fn of(metric: &str, before: f64, after: f64) -> Self {
        if in_points(metric) {
            return Self::Points(finite(after - before));
        }
        let base = if before == 0.0 { INSTEAD_OF_ZERO } else { before };
        Self::Percent(finite(100.0 * ((after - before) / base)))
    }
}

/// Whether the robot gives changes of this metric as a difference.
fn in_points(metric: &str) -> bool {
    metric.starts_with("perf-profile") || metric.ends_with('%')
}

/// The number itself, held within [`LARGEST`].
fn finite(number: f64) -> f64 {
    if number.is_nan() { 0.0 } else { number.clamp(-LARGEST, LARGEST) }
}

impl Row {
    /// A row for a metric as a whole, with its change computed from the figures.
    #[must_use]
    pub fn new(metric: &str, before: Figure, after: Figure) -> Self {
        Self { metric: metric.to_owned(), kind: RowKind::Metric, before, after, stated_change: None }
    }

    /// What the row is called in a table.
    #[must_use]
    pub fn label(&self) -> Cow<'_, str> {
        match &self.kind {
            RowKind::Metric => Cow::Borrowed(&self.metric),
            RowKind::Testcase(testcase) => Cow::Borrowed(testcase),
            RowKind::Total(aggregate) => Cow::Owned(format!("{} {}", aggregate.label(), self.metric)),
        }
    }

    /// The change: as stated, else computed in full precision. An absent side counts as zero.
    #[must_use]
    pub fn change(&self) -> Change {
        self.stated_change.unwrap_or_else(|| {
            let value = |figure: &Figure| figure.value().unwrap_or(0.0);
            Change::of(&self.metric, value(&self.before), value(&self.after))
        })
    }
}

impl MetricTable {
    /// Puts two sides beside each other, each with the name that heads its column.
    ///
    /// The first section holds the plain metrics. Each metric with testcases follows in a section of its own,
    /// closed by its total. Order is that of first appearance, before's first; what one side lacks is
    /// [`Figure::Absent`] there.
    #[must_use]
    pub fn compare(before: (&str, &Metrics), after: (&str, &Metrics)) -> Self {
        let heads = Heads { before: before.0.to_owned(), after: after.0.to_owned(), closing_blanks: None };
        let (mut plain, mut grouped) = (Vec::new(), Vec::<Vec<Row>>::new());
        let (known_before, known_after) = (by_name(before.1), by_name(after.1));
        let figure = |known: &HashMap<&MetricName, &Series>, name| {
            known.get(name).map_or(Figure::Absent, |s| s.figure())
        };
        let only_after = after.1.names().filter(|name| !known_before.contains_key(name));
        for name in before.1.names().chain(only_after) {
            let row = Row {
                metric: name.metric.clone(),
                kind: name.testcase.clone().map_or(RowKind::Metric, RowKind::Testcase),
                before: figure(&known_before, name),
                after: figure(&known_after, name),
                stated_change: None,
            };
            if row.kind == RowKind::Metric {
                plain.push(row);
            } else if let Some(rows) = grouped.iter_mut().find(|rows| rows[0].metric == row.metric) {
                rows.push(row);
            } else {
                grouped.push(vec![row]);
            }
        }
        for rows in &mut grouped {
            let metric = rows[0].metric.clone();
            rows.extend(total_row(&metric, Aggregate::of_metric(&metric), rows));
        }
        let section = |rows| Section { heading: Vec::new(), heads: Some(heads.clone()), rows };
        let all = std::iter::once(plain).chain(grouped).filter(|rows| !rows.is_empty());
        Self { sections: all.map(section).collect() }
    }
}

fn by_name(metrics: &Metrics) -> HashMap<&MetricName, &Series> {
    metrics.series.iter().map(|series| (&series.name, series)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read::read_metrics;
    use super::*;

    #[test]
    fn points_for_profiles_and_percentages() {
        assert_eq!(Change::of("perf-profile.self.cycles-pp.x", 3.25, 4.75), Change::Points(1.5));
        assert_eq!(Change::of("mpstat.cpu.all.soft%", 4.0, 3.0), Change::Points(-1.0));
        assert_eq!(Change::of("vmstat.system.cs", 4.0, 3.0), Change::Percent(-25.0));
    }

    #[test]
    fn growth_from_zero_stays_finite() {
        assert_eq!(Change::of("m", 0.0, 0.0), Change::Percent(0.0));
        let Change::Percent(grown) = Change::of("m", 0.0, 0.83) else { panic!("points") };
        assert!((grown / 8.3e101 - 1.0).abs() < 1e-12);
        assert_eq!(Change::of("m", 5e-324, 1e308), Change::Percent(LARGEST));
        assert_eq!(Change::of("m%", -1e308, 1e308), Change::Points(LARGEST));
    }

    #[test]
    fn a_percent_sign_in_the_testcase_is_no_percentage() {
        let kind = RowKind::Testcase("xps2/micro/pigz/100%".to_owned());
        let row =
            Row { kind, ..Row::new("pigz.throughput", Figure::Runs(vec![50.0]), Figure::Runs(vec![75.0])) };
        assert_eq!(row.change(), Change::Percent(50.0));
    }

    #[test]
    fn testcases_get_a_section_and_a_total() {
        let before = "run,metric,value\n1,a.x,1\n1,b.ops:h/one,10\n1,b.ops:h/two,20\n";
        let after = "run,metric,value\n1,b.ops:h/two,40\n1,b.ops:h/one,20\n1,c.new,7\n";
        let sides =
            (read_metrics("b", before.as_bytes()).unwrap(), read_metrics("a", after.as_bytes()).unwrap());
        let table = MetricTable::compare(("old", &sides.0), ("new", &sides.1));
        let labels: Vec<Vec<_>> =
            table.sections.iter().map(|s| s.rows.iter().map(Row::label).collect()).collect();
        assert_eq!(labels, [vec!["a.x", "c.new"], vec!["h/one", "h/two", "TOTAL b.ops"]]);
        assert_eq!(table.sections[1].rows[2].change(), Change::Percent(100.0));
        assert_eq!(table.sections[0].rows[0].after, Figure::Absent);
        assert_eq!(table.sections[1].rows[1].after, Figure::Runs(vec![40.0]));
    }
}
