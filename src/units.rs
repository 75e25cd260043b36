//! Weights, times and shares as types of their own, so that none is taken for another.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// The sum of samples' periods for one event, in that event's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Weight(pub u64);

impl Weight {
    /// The part that this weight is of `total`, 0 when the total is 0.
    pub fn share_of(self, total: Weight) -> Share {
        Share(if total.0 == 0 { 0.0 } else { self.0 as f64 / total.0 as f64 })
    }
}

impl Add for Weight {
    type Output = Self;
    /// Saturates: a sum of periods that a damaged file claims must not wrap.
    fn add(self, other: Self) -> Self {
        Weight(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Weight {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Weight(self.0.saturating_sub(other.0))
    }
}

impl Sum for Weight {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Weight(0), |a, b| a + b)
    }
}

/// A point in time or a duration of the recording's own clock, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// Seconds, for people.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

/// A fraction of a total, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Share(pub f64);

impl Share {
    /// In percent.
    pub fn percent(self) -> f64 {
        self.0 * 100.0
    }
}

/// What an event's weight counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Processor cycles.
    Cycles,
    /// Nanoseconds of a clock.
    Nanoseconds,
    /// Occurrences of the event itself.
    Events,
}

impl Unit {
    /// The unit of an event, from its name as perf writes it (`cycles:P`, `cpu-clock`, `lock:contention_begin`).
    pub fn of_event(name: &str) -> Self {
        let base = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
        let base = base.split(':').next().unwrap_or(base);
        match base {
            "cpu-clock" | "task-clock" | "cpu_clock" | "task_clock" => Unit::Nanoseconds,
            _ if base.contains("cycles") => Unit::Cycles,
            _ => Unit::Events,
        }
    }

    /// The word for tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Cycles => "cycles",
            Unit::Nanoseconds => "ns",
            Unit::Events => "events",
        }
    }

    /// How a sentence names the whole that a share is of: "89.9 % of cycles".
    pub fn whole(self, event: &str) -> String {
        match self {
            Unit::Cycles => "cycles".to_owned(),
            Unit::Nanoseconds => "CPU time".to_owned(),
            Unit::Events => format!("{event} events"),
        }
    }
}
