//! Totals: one row for one metric over all its testcases.
//!
//! Amounts and throughputs add up, as in the robot's tables of 2014 (`TOTAL netperf.Throughput_Mbps` there is
//! the sum of its testcases). Ratios do not: ten testcases with an IPC of 1 do not have an IPC of 10. Their
//! typical value is the geometric mean, and the row says so with the robot's own word, `GEO-MEAN`.

use super::figure::Figure;
use super::table::{Row, RowKind};

/// How testcases are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The sum, labelled `TOTAL`.
    Sum,
    /// The geometric mean, labelled `GEO-MEAN`.
    GeometricMean,
}

impl Aggregate {
    /// The aggregate that suits a metric, judged by the words of its last dotted part.
    ///
    /// Rates relative to something other than time (`…_per_bogo_op`, `ipc`, `cpi`, `…-rate%`, ratios, percentages),
    /// latencies and averages take the geometric mean; all else, counts and throughputs per second included,
    /// takes the sum.
    #[must_use]
    pub fn of_metric(metric: &str) -> Self {
        let part = metric.rsplit('.').next().unwrap_or(metric).to_ascii_lowercase();
        let mut words = part.split(['_', '-']).peekable();
        while let Some(word) = words.next() {
            let ratio = match word.trim_end_matches('%') {
                "per" => !matches!(words.peek(), Some(&("sec" | "second" | "s")) | None),
                "ipc" | "cpi" | "rate" | "ratio" | "latency" | "lat" | "avg" | "mean" => true,
                _ => word.ends_with('%'),
            };
            if ratio {
                return Self::GeometricMean;
            }
        }
        Self::Sum
    }

    /// The word in front of the metric in the row of the total.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Sum => "TOTAL",
            Self::GeometricMean => "GEO-MEAN",
        }
    }
}

/// The row that sums `testcases`, all of one metric.
///
/// Only testcases that both sides have are put together, because sums over different testcases do not
/// compare. `None` when there are none, or when a geometric mean meets a negative value.
#[must_use]
pub fn total_row(metric: &str, aggregate: Aggregate, testcases: &[Row]) -> Option<Row> {
    let common =
        || testcases.iter().filter(|row| row.before.value().is_some() && row.after.value().is_some());
    Some(Row {
        metric: metric.to_owned(),
        kind: RowKind::Total(aggregate),
        before: total(aggregate, common().map(|row| &row.before))?,
        after: total(aggregate, common().map(|row| &row.after))?,
        stated_change: None,
    })
}

/// One side of a total.
///
/// The deviation takes the testcases to vary together, and so is an upper bound: deviations of a sum add
/// (`sum(s_i) / |sum(m_i)|`), relative deviations of a geometric mean average. Adding the squares instead would
/// need independent testcases, and they share the machine. It is `None` when one testcase has none.
fn total<'a>(aggregate: Aggregate, figures: impl Iterator<Item = &'a Figure>) -> Option<Figure> {
    let parts: Vec<(f64, Option<f64>)> =
        figures.filter_map(|figure| figure.value().map(|value| (value, figure.deviation()))).collect();
    if parts.is_empty() {
        return None;
    }
    let n = parts.len() as f64;
    let deviations: Option<Vec<f64>> = parts.iter().map(|(_, deviation)| *deviation).collect();
    let (value, deviation) = match aggregate {
        Aggregate::Sum => {
            let sum: f64 = parts.iter().map(|(value, _)| value).sum();
            let spread =
                deviations.map(|all| all.iter().zip(&parts).map(|(d, (v, _))| d * v.abs()).sum::<f64>());
            (sum, spread.filter(|_| sum != 0.0).map(|spread| spread / sum.abs()))
        }
        Aggregate::GeometricMean => {
            if parts.iter().any(|(value, _)| *value < 0.0) {
                return None;
            }
            let logs: f64 = parts.iter().map(|(value, _)| value.ln()).sum();
            ((logs / n).exp(), deviations.map(|all| all.iter().sum::<f64>() / n))
        }
    };
    value.is_finite().then_some(Figure::Derived { value, deviation })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(before: Vec<f64>, after: Vec<f64>) -> Row {
        Row::new("m", Figure::Runs(before), Figure::Runs(after))
    }

    #[test]
    fn rates_per_second_add_up_and_ratios_do_not() {
        for metric in [
            "hackbench.throughput",
            "netperf.Throughput_tps",
            "netperf.Throughput_Mbps",
            "oltp.transactions",
            "stress-ng.pipeherd.context_switches_per_sec",
            "softirqs.RCU",
            "perf-stat.i.branch-misses",
        ] {
            assert_eq!(Aggregate::of_metric(metric), Aggregate::Sum, "{metric}");
        }
        for metric in [
            "perf-stat.i.branch-miss-rate%",
            "perf-stat.overall.ipc",
            "stress-ng.pipeherd.context_switches_per_bogo_op",
            "will-it-scale.per_process_ops",
            "mpstat.cpu.all.soft%",
        ] {
            assert_eq!(Aggregate::of_metric(metric), Aggregate::GeometricMean, "{metric}");
        }
    }

    #[test]
    fn a_sum_adds_values_and_deviations() {
        // 90..110 deviates by 10, 180..220 by 20: together 30 of 300.
        let rows = [row(vec![90.0, 110.0], vec![1.0, 1.0]), row(vec![180.0, 220.0], vec![2.0, 2.0])];
        let total = total_row("m", Aggregate::Sum, &rows).unwrap();
        assert_eq!(total.before.value(), Some(300.0));
        assert!((total.before.deviation().unwrap() - 10.0).abs() < 1e-12);
        assert_eq!(total.after.value(), Some(3.0));
    }

    #[test]
    fn a_geometric_mean_multiplies() {
        let rows = [row(vec![2.0], vec![1.0]), row(vec![8.0], vec![0.0])];
        let total = total_row("m", Aggregate::GeometricMean, &rows).unwrap();
        assert!((total.before.value().unwrap() - 4.0).abs() < 1e-12);
        assert_eq!(total.after.value(), Some(0.0));
        assert_eq!(total.before.deviation(), None);
        assert_eq!(total_row("m", Aggregate::GeometricMean, &[row(vec![-1.0], vec![1.0])]), None);
    }

    #[test]
    fn testcases_of_one_side_only_stay_out() {
        let mut gone = row(vec![5.0], vec![]);
        gone.after = Figure::Absent;
        let rows = [row(vec![1.0], vec![2.0]), gone];
        assert_eq!(total_row("m", Aggregate::Sum, &rows).unwrap().before.value(), Some(1.0));
        assert_eq!(total_row("m", Aggregate::Sum, &rows[1..]), None);
    }
}
