//! The statistics, held to published values and to what they promise about chance.

mod published;
mod simulation;

/// Fails unless `value` is within `tolerance` of `expected`.
#[track_caller]
fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} +- {tolerance}");
}
