//! The name of a metric, and the testcase that it was measured in.

use thiserror::Error;

/// A metric, and the testcase when several testcases measure the same one.
///
/// Written as one word, the testcase stands behind a colon:
/// `netperf.Throughput_Mbps:lkp-a04/micro/netperf/120s-200%-TCP_MAERTS`. A testcase is a path of at least two
/// parts whose first part (the machine) has no dot, so the colons in `sched_debug.cfs_rq:/.util_est.avg` and
/// `perf-profile.self.lock:contention_begin.down_write` belong to the metric.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MetricName {
    /// The metric, such as `netperf.Throughput_Mbps`.
    pub metric: String,
    /// The testcase, such as `lkp-a04/micro/netperf/120s-200%-TCP_MAERTS`.
    pub testcase: Option<String>,
}

/// Why a word is no name of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NameError {
    /// Nothing but blanks.
    #[error("the name is empty")]
    Empty,
    /// A line break, an escape code or the like.
    #[error("the name holds a control character")]
    Control,
}

impl MetricName {
    /// Reads a name as a user writes it.
    ///
    /// # Errors
    /// When it is empty or holds a control character, which no table could show.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.chars().any(char::is_control) {
            return Err(NameError::Control);
        }
        let split = text.match_indices(':').find(|(at, _)| *at > 0 && is_testcase(&text[at + 1..]));
        Ok(match split {
            Some((at, _)) => {
                Self { metric: text[..at].to_owned(), testcase: Some(text[at + 1..].to_owned()) }
            }
            None => Self { metric: text.to_owned(), testcase: None },
        })
    }
}

/// Whether a word is a testcase: a path whose first part is not empty and has no dot.
///
/// Metrics hold slashes too (`perf-stat.i.metric.K/sec`), but always behind a dot.
pub(super) fn is_testcase(word: &str) -> bool {
    word.split_once('/').is_some_and(|(machine, rest)| {
        !machine.is_empty() && !machine.contains(['.', ':']) && !rest.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, metric: &str, testcase: Option<&str>) {
        let name = MetricName::parse(text).unwrap();
        assert_eq!((name.metric.as_str(), name.testcase.as_deref()), (metric, testcase));
    }

    #[test]
    fn the_testcase_stands_behind_the_colon() {
        check(
            "netperf.Throughput_Mbps:lkp-a04/micro/netperf/120s-200%-TCP_RR",
            "netperf.Throughput_Mbps",
            Some("lkp-a04/micro/netperf/120s-200%-TCP_RR"),
        );
        check(" ops:host/a:b ", "ops", Some("host/a:b"));
    }

    #[test]
    fn colons_and_slashes_of_metrics_stay() {
        for name in [
            "sched_debug.cfs_rq:/.util_est.avg",
            "perf-stat.i.metric.K/sec",
            "perf-profile.self.lock:contention_begin.down_write",
            "interrupts.CPU0.LOC:Local_timer_interrupts",
            "ops",
        ] {
            check(name, name, None);
        }
    }

    #[test]
    fn a_name_must_be_printable() {
        assert_eq!(MetricName::parse("  "), Err(NameError::Empty));
        assert_eq!(MetricName::parse("a\u{1b}[31m"), Err(NameError::Control));
    }
}
