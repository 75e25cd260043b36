//! Tables of our own numbers, worked out by hand, in both ages.

use super::*;
use crate::metric::{MetricTable, read_lkp, read_metrics};

const BEFORE: &str = "run,metric,value
1,vmstat.system.cs,1100\n2,vmstat.system.cs,1300\n1,ops,250000000\n2,ops,250000000
1,perf-profile.self.cycles-pp.osq_lock,12.5\n2,perf-profile.self.cycles-pp.osq_lock,37.5
1,only.before,4\n2,only.before,4
1,net.Mbps:box/net/1-RR,150.9\n2,net.Mbps:box/net/1-RR,150.9
1,net.Mbps:box/net/100%,90.2\n2,net.Mbps:box/net/100%,110.2
";
const AFTER: &str = "run,metric,value
1,vmstat.system.cs,1837.5\n2,vmstat.system.cs,1838\n1,ops,300000000\n2,ops,300012345
1,perf-profile.self.cycles-pp.osq_lock,1\n2,perf-profile.self.cycles-pp.osq_lock,2
1,only.after,0.83
1,net.Mbps:box/net/1-RR,301.8\n2,net.Mbps:box/net/1-RR,301.8
1,net.Mbps:box/net/100%,50.1\n2,net.Mbps:box/net/100%,50.1
";

/// 1100, 1300: mean 1200, deviation 100 = 8.3 %. 1837.75 is cut. 12.5, 37.5: mean 25, deviation 12.5 = 50 %.
/// 90.2, 110.2: mean 100.2, deviation 10 = 9.98 %; with 150.9 the sum is 251.1, of which 10 is 3.98 %.
const LKP: &str = concat!(
    "            v6.1 a-name-that-is-longer-than- \n",
    "---------------- --------------------------- \n",
    "         %stddev     %change         %stddev\n",
    "             \\          |                \\  \n",
    "      1200 ±  8%     +53.1%       1837        vmstat.system.cs\n",
    "   2.5e+08           +20.0%      3e+08        ops\n",
    "     25.00 ± 50%     -23.5        1.50 ± 33%  perf-profile.self.cycles-pp.osq_lock\n",
    "      4.00          -100.0%       0.00        only.before\n",
    "      0.00       +8.3e+101%       0.83        only.after\n",
    "\n",
    "            v6.1 a-name-that-is-longer-than- \n",
    "---------------- --------------------------- \n",
    "         %stddev     %change         %stddev\n",
    "             \\          |                \\  \n",
    "    150.90          +100.0%     301.80        box/net/1-RR\n",
    "    100.20 ±  9%     -50.0%      50.10        box/net/100%\n",
    "    251.10 ±  3%     +40.1%     351.90        TOTAL net.Mbps\n",
);

const ASCII: &str = concat!(
    "           v6.1  a-name-that-is-longer-tha\n",
    "---------------  -------------------------\n",
    "      1200 ~ 8%     +53.1%       1837 ~ 0%  vmstat.system.cs\n",
    "   2.5e+08 ~ 0%     +20.0%      3e+08 ~ 0%  ops\n",
    "     25.00 ~50%     -23.5        1.50 ~33%  perf-profile.self.cycles-pp.osq_lock\n",
    "      4.00 ~ 0%    -100.0%       0.00       only.before\n",
    "      0.00      +8.3e+101%       0.83       only.after\n",
    "\n",
    "           v6.1  a-name-that-is-longer-tha\n",
    "---------------  -------------------------\n",
    "       150 ~ 0%    +100.0%        301 ~ 0%  box/net/1-RR\n",
    "       100 ~ 9%     -50.0%      50.10 ~ 0%  box/net/100%\n",
    "       251 ~ 3%     +40.1%        351 ~ 0%  TOTAL net.Mbps\n",
);

fn written(table: &MetricTable, style: LkpStyle) -> String {
    let mut out = Vec::new();
    write_lkp(table, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn own_table() -> MetricTable {
    let sides = [BEFORE, AFTER].map(|csv| read_metrics("own.csv", csv.as_bytes()).unwrap());
    MetricTable::compare(("v6.1", &sides[0]), ("a-name-that-is-longer-than-the-column", &sides[1]))
}

#[test]
fn own_figures_give_both_forms() {
    assert_eq!(written(&own_table(), LkpStyle::Lkp), LKP);
    assert_eq!(written(&own_table(), LkpStyle::Ascii), ASCII);
}

#[test]
fn what_was_written_reads_back_the_same() {
    for (text, style) in [(LKP, LkpStyle::Lkp), (ASCII, LkpStyle::Ascii)] {
        assert_eq!(written(&read_lkp(text).unwrap(), style), text);
        let quoted: String = text.lines().map(|line| format!("> >> {line} \n")).collect();
        let prose = format!("Hello,\n\n{quoted}\nThanks\n");
        assert_eq!(read_lkp(&prose).unwrap().sections[1].rows, read_lkp(text).unwrap().sections[1].rows);
    }
}

#[test]
fn small_deviations_are_blank_today() {
    let line = |figure: Figure| row_line(&Row::new("m", figure.clone(), figure), LkpStyle::Lkp);
    let at = |deviation| line(Figure::Runs(vec![100.0 - deviation, 100.0 + deviation]));
    assert_eq!(at(2.0), "    100.00            +0.0%     100.00        m");
    assert_eq!(at(2.1), "    100.00 ±  2%      +0.0%     100.00 ±  2%  m");
    assert_eq!(at(99.0), "    100.00 ± 99%      +0.0%     100.00 ± 99%  m");
    assert_eq!(line(Figure::Runs(vec![100.0])), at(0.0));
    assert_eq!(line(Figure::Stated { value: 100.0, deviation: Some(2.0) }), at(2.1));
}

#[test]
fn values_change_form_at_the_robots_limits() {
    for (value, lkp, ascii) in [
        (0.0, "0.00", "0.00"),
        (99.994, "99.99", "99.99"),
        (100.0, "100.00", "100"),
        (999.99, "999.99", "999"),
        (1000.0, "1000", "1000"),
        (1999.9, "1999", "1999"),
        (1e8, "100000000", "100000000"),
        (1.2e8, "1.2e+08", "1.2e+08"),
        (-1500.0, "-1500", "-1500"),
    ] {
        assert_eq!(
            (value_text(value, LkpStyle::Lkp).as_str(), value_text(value, LkpStyle::Ascii).as_str()),
            (lkp, ascii)
        );
    }
}

#[test]
fn the_mean_of_numbers_that_binary_cannot_hold_is_not_cut_below() {
    // 0.1 added ten thousand times is 1000.0000000001588, taken from 3000 it is a little below 2000.
    let below = 3000.0 - (0..10_000).map(|_| 0.1).sum::<f64>();
    assert!(below < 2000.0);
    assert_eq!(value_text(below, LkpStyle::Lkp), "2000");
}

#[test]
fn names_cannot_break_lines_or_leave_ascii() {
    let row = Row::new("a\n\u{1b}[1mµ", Figure::Absent, Figure::Absent);
    assert!(row_line(&row, LkpStyle::Lkp).ends_with("  a\\u{a}\\u{1b}[1mµ"));
    assert!(row_line(&row, LkpStyle::Ascii).ends_with("  a\\u{a}\\u{1b}[1m\\u{b5}"));
}
