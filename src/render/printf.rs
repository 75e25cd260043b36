//! Numbers as C's `printf` writes them, for formats that were defined by it.

/// `%.{digits}g`: at most so many significant digits, no zeros at the end, an exponent where it is shorter.
///
/// C11 7.21.6.1: with exponent X of the rounded number, the plain form is for `-4 <= X < digits`.
pub(super) fn significant(number: f64, digits: usize) -> String {
    let digits = digits.max(1);
    let scientific = format!("{number:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.unsigned_abs());
    }
    let decimals = (digits as i32 - 1 - exponent).unsigned_abs() as usize;
    without_zeros(&format!("{number:.decimals$}")).to_owned()
}

/// The number with a plus in front when it has no minus, as the flag `+` asks for.
pub(super) fn signed(number: String) -> String {
    if number.starts_with('-') { number } else { format!("+{number}") }
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What glibc's printf gives for `%.4g` and `%+.2g`.
    #[test]
    fn significant_digits_are_those_of_c() {
        for (number, four, two) in [
            (0.0, "0", "+0"),
            (-0.0, "-0", "-0"),
            (100_000_001.0, "1e+08", "+1e+08"),
            (123_456_789.0, "1.235e+08", "+1.2e+08"),
            (2_331_000_000.0, "2.331e+09", "+2.3e+09"),
            (149_000_000_000.0, "1.49e+11", "+1.5e+11"),
            (148_950_000_000.0, "1.49e+11", "+1.5e+11"),
            (99_999_999_999.0, "1e+11", "+1e+11"),
            (12345.0, "1.234e+04", "+1.2e+04"),
            (0.0001, "0.0001", "+0.0001"),
            (1.234e-05, "1.234e-05", "+1.2e-05"),
            (123_456.0, "1.235e+05", "+1.2e+05"),
            (999_950.0, "1e+06", "+1e+06"),
            (1e100, "1e+100", "+1e+100"),
            (1e-100, "1e-100", "+1e-100"),
            (f64::MAX, "1.798e+308", "+1.8e+308"),
            (-2_500_000_000.0, "-2.5e+09", "-2.5e+09"),
            (0.00012345, "0.0001234", "+0.00012"),
            (61380.149, "6.138e+04", "+6.1e+04"),
            (150_000.0, "1.5e+05", "+1.5e+05"),
            (-65.45, "-65.45", "-65"),
            (8.3e101, "8.3e+101", "+8.3e+101"),
        ] {
            assert_eq!(significant(number, 4), four, "%.4g of {number}");
            assert_eq!(signed(significant(number, 2)), two, "%+.2g of {number}");
        }
    }

    /// Rust's own fixed form must round as C does, ties and signs of zero included.
    #[test]
    fn fixed_digits_are_those_of_c() {
        for (number, expected) in [
            (0.125, "0.12"),
            (0.375, "0.38"),
            (2.675, "2.67"),
            (999.994, "999.99"),
            (999.995, "1000.00"),
            (-0.001, "-0.00"),
            (0.005, "0.01"),
            (1.005, "1.00"),
            (68.495, "68.50"),
        ] {
            assert_eq!(format!("{number:.2}"), expected, "%.2f of {number}");
        }
        for (number, expected) in
            [(0.25, "+0.2"), (0.35, "+0.3"), (-0.04, "-0.0"), (-0.0, "-0.0"), (99999.94, "+99999.9")]
        {
            assert_eq!(signed(format!("{number:.1}")), expected, "%+.1f of {number}");
        }
    }
}
