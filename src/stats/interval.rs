//! A closed interval of numbers.

/// A closed interval, `low <= high`, both ends finite, in the unit of what it bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// `centre +- margin`; `None` if an end is not finite or the margin is negative.
    pub(super) fn around(centre: f64, margin: f64) -> Option<Interval> {
        let (low, high) = (centre - margin, centre + margin);
        (low.is_finite() && high.is_finite() && low <= high).then_some(Interval { low, high })
    }

    /// Whether `value` lies in the interval, its ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The interval with both ends moved into `bounds`, as for a share, which lies in 0..1.
    pub fn within(self, bounds: Interval) -> Interval {
        let inside = |end: f64| end.max(bounds.low).min(bounds.high);
        Interval { low: inside(self.low), high: inside(self.high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_a_share_stays_a_share() {
        let share = Interval { low: 0.0, high: 1.0 };
        let wide = Interval { low: -0.1, high: 0.3 };
        assert_eq!(wide.within(share), Interval { low: 0.0, high: 0.3 });
        let outside = Interval { low: 1.2, high: 1.5 };
        assert_eq!(outside.within(share), Interval { low: 1.0, high: 1.0 });
    }

    #[test]
    fn ends_are_finite_and_ordered() {
        assert_eq!(Interval::around(f64::MAX, f64::MAX), None);
        assert_eq!(Interval::around(0.0, f64::NAN), None);
        assert_eq!(Interval::around(0.0, -1.0), None);
        assert!(Interval::around(2.0, 0.0).is_some_and(|point| point.contains(2.0) && !point.contains(2.1)));
    }
}
