//! Figures as pictures and pages write them: shares in percent with two decimals, counts in groups of three digits.

use crate::stats::Spread;

/// `89.97 %`.
pub(super) fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

/// `89.97 %`, and over several runs `89.97 % ± 1.20`.
pub(super) fn share(spread: &Spread) -> String {
    match spread.stddev {
        Some(stddev) => format!("{} ± {:.2}", percent(spread.mean), 100.0 * stddev),
        None => percent(spread.mean),
    }
}

/// `1,234,567`.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The same of what may not be told.
pub(super) fn told(number: Option<u64>) -> String {
    number.map_or_else(|| "not told".to_owned(), thousands)
}
