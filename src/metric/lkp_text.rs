//! Reads the robot's comparison tables out of mails, of both ages (`~` in 2014, `±` since).
//!
//! A row is known by its grammar, not by its columns: a value, perhaps its deviation, a change, a value,
//! perhaps its deviation, a name. Quoting of any depth, prose and blank lines around the rows do not matter. Rows
//! of reproduced failures (`1:6  -17%  :6  dmesg…`) are no figures and are not read.

use thiserror::Error;

use super::figure::Figure;
use super::name::is_testcase;
use super::table::{Change, Heads, MetricTable, Row, RowKind, Section};
use super::total::Aggregate;

/// Why a text gives no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LkpError {
    /// No line is a row.
    #[error("no comparison table found; lines like `3930  +7.8%  4235  vmstat.procs.r` are needed")]
    NoTable,
    /// A row compares more than two sides.
    #[error("line {line}: the row has more than two sides; cut the table down to two")]
    MoreSides {
        /// The line, from 1.
        line: usize,
    },
}

/// How far above the column heads the robot's block of axes and commits may begin.
const HEADING_LINES: usize = 40;

/// Reads every row of the text, in sections as their column heads divide them.
///
/// # Errors
/// When there is no row at all, and when a row has more than two sides.
pub fn read_lkp(text: &str) -> Result<MetricTable, LkpError> {
    let mut sections: Vec<Section> = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    for (line, content) in (1..).zip(text.lines().map(unquote)) {
        if let Some(heads) = above.last().and_then(|names| column_heads(names, content)) {
            if sections.last().is_some_and(|section| section.rows.is_empty()) {
                sections.pop();
            }
            let heading = heading_lines(&above[..above.len() - 1], sections.is_empty());
            sections.push(Section { heading, heads: Some(heads), rows: Vec::new() });
            above.clear();
        } else if let Some(parsed) = parse_row(content) {
            if parsed.more_sides {
                return Err(LkpError::MoreSides { line });
            }
            let word = !parsed.row.metric.contains(char::is_whitespace);
            match sections.last_mut() {
                Some(section) => push_row(&mut section.rows, parsed.row),
                // Without column heads, a sentence with the right numbers might pass for a row.
                None if word => sections.push(Section { rows: vec![parsed.row], ..Section::default() }),
                None => continue,
            }
            above.clear();
        } else {
            above.push(content);
        }
    }
    sections.retain(|section| !section.rows.is_empty());
    if sections.is_empty() { Err(LkpError::NoTable) } else { Ok(MetricTable { sections }) }
}

/// The line without its marks of quoting, each `>` with one blank behind it.
fn unquote(line: &str) -> &str {
    let mut line = line;
    while let Some(rest) = line.trim_start_matches(' ').strip_prefix('>') {
        line = rest.strip_prefix(' ').unwrap_or(rest);
    }
    line
}

/// The names of both sides, if `rule` is a line of two rules under them. Columns are as wide as the rules.
fn column_heads(names: &str, rule: &str) -> Option<Heads> {
    let mut rules = rule.split_whitespace();
    let widths = [rules.next()?, rules.next()?].map(|rule| rule.chars().count());
    let dashes = rule.trim_end().chars().all(|mark| mark == '-' || mark == ' ');
    if !dashes || rules.next().is_some() || widths.iter().any(|width| *width < 4) || names.trim().is_empty() {
        return None;
    }
    let start = rule.find('-')?;
    let second = start + widths[0] + rule[start + widths[0]..].find('-')?;
    let cut = |from: usize, width: usize| names.chars().skip(from).take(width).collect::<String>();
    let outside = cut(0, start)
        + &cut(start + widths[0], second - start - widths[0])
        + &cut(second + widths[1], usize::MAX);
    let (before, after) = if outside.trim().is_empty() {
        (cut(start, widths[0]), cut(second, widths[1]))
    } else {
        let (before, after) = names.trim().split_once("  ").or_else(|| names.trim().split_once(' '))?;
        (before.to_owned(), after.to_owned())
    };
    Some(Heads {
        before: before.trim().to_owned(),
        after: after.trim().to_owned(),
        closing_blanks: Some(names.chars().rev().take_while(|mark| *mark == ' ').count()),
    })
}

/// Which of the lines above the column heads belong to the table: the block that a rule of `=` opens, or
/// between two sections blank lines that are more than one empty line.
fn heading_lines(above: &[&str], first: bool) -> Vec<String> {
    let near = &above[above.len().saturating_sub(HEADING_LINES)..];
    let opens = |at: &usize| {
        let rule = near[*at].trim_end();
        rule.len() >= 10
            && rule.bytes().all(|mark| mark == b'=')
            && near.get(at + 1).is_some_and(|axes| axes.trim_end().ends_with(':'))
    };
    let lines = match (0..near.len()).rev().find(opens) {
        Some(at) => &near[at..],
        None if !first && above != [""] && above.iter().all(|line| line.trim().is_empty()) => near,
        None => &[],
    };
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Adds a row; a total tells the testcases above it which metric they show.
fn push_row(rows: &mut Vec<Row>, row: Row) {
    if let RowKind::Total(_) = row.kind {
        let open = rows.iter_mut().rev().take_while(|above| above.kind == RowKind::Metric);
        for above in open.filter(|above| is_testcase(&above.metric)) {
            let testcase = std::mem::replace(&mut above.metric, row.metric.clone());
            above.kind = RowKind::Testcase(testcase);
        }
    }
    rows.push(row);
}

struct Parsed {
    row: Row,
    more_sides: bool,
}

fn parse_row(line: &str) -> Option<Parsed> {
    let mut rest = line;
    let before = take_figure(&mut rest)?;
    let stated_change = take_change(&mut rest)?;
    let after = take_figure(&mut rest)?;
    let mut further = rest;
    let more_sides = take_change(&mut further).is_some() && take_figure(&mut further).is_some();
    let name = rest.trim();
    if name.is_empty() {
        return None;
    }
    let (metric, kind) = [Aggregate::Sum, Aggregate::GeometricMean]
        .into_iter()
        .find_map(|aggregate| {
            let metric = name.strip_prefix(aggregate.label())?.strip_prefix(' ')?.trim_start();
            Some((metric, RowKind::Total(aggregate)))
        })
        .unwrap_or((name, RowKind::Metric));
    let row = Row { metric: metric.to_owned(), kind, before, after, stated_change };
    Some(Parsed { row, more_sides })
}

/// Takes the next word off the front.
fn take_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, behind) = text.split_at(end);
    *rest = behind;
    (!word.is_empty()).then_some(word)
}

/// Takes a value and the deviation that may follow it.
fn take_figure(rest: &mut &str) -> Option<Figure> {
    let word = take_word(rest)?;
    let value = number(word).filter(|_| !word.starts_with('+'))?;
    let mut behind = *rest;
    let Some(word) = take_word(&mut behind) else { return Some(Figure::Stated { value, deviation: None }) };
    // The last three are what mailers have made of `±`.
    let Some(digits) = ["±", "~", "+-", "Â±", "A+-"].iter().find_map(|sign| word.strip_prefix(sign))
    else {
        return Some(Figure::Stated { value, deviation: None });
    };
    let digits = if digits.is_empty() { take_word(&mut behind)? } else { digits };
    let deviation = number(digits.strip_suffix('%')?).filter(|deviation| *deviation >= 0.0)?;
    *rest = behind;
    Some(Figure::Stated { value, deviation: Some(deviation) })
}

/// Takes a change: signed, or in percent, or both. One that is no finite number is taken as not stated.
fn take_change(rest: &mut &str) -> Option<Option<Change>> {
    let word = take_word(rest)?;
    match word.strip_suffix('%') {
        Some(percent) => match number(percent) {
            Some(percent) => Some(Some(Change::Percent(percent))),
            None => {
                let bare = percent.trim_start_matches(['+', '-']).to_ascii_lowercase();
                matches!(bare.as_str(), "inf" | "infinity" | "nan").then_some(None)
            }
        },
        None => {
            number(word).filter(|_| word.starts_with(['+', '-'])).map(|points| Some(Change::Points(points)))
        }
    }
}

/// A finite number in decimal digits; words such as `inf` are none.
fn number(word: &str) -> Option<f64> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    word.parse().ok().filter(|number: &f64| digits && number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Row> {
        read_lkp(text).unwrap().sections.into_iter().flat_map(|section| section.rows).collect()
    }

    fn check(
        line: &str,
        before: (f64, Option<f64>),
        change: Option<Change>,
        after: (f64, Option<f64>),
        name: &str,
    ) {
        let row = &rows(line)[0];
        let stated = |(value, deviation)| Figure::Stated { value, deviation };
        assert_eq!(row.before, stated(before), "{line}");
        assert_eq!(row.after, stated(after), "{line}");
        assert_eq!(row.stated_change, change, "{line}");
        assert_eq!(row.label(), name, "{line}");
    }

    #[test]
    fn rows_of_every_age_are_read() {
        let percent = |number| Some(Change::Percent(number));
        check(
            "  1.5 ±160%  +61380.1%  11 ±185%  a.b",
            (1.5, Some(160.0)),
            percent(61380.1),
            (11.0, Some(185.0)),
            "a.b",
        );
        check(
            "3930            +7.8%       4235 ±  3%  v.p",
            (3930.0, None),
            percent(7.8),
            (4235.0, Some(3.0)),
            "v.p",
        );
        check(
            ">>>  20 ~ 4% -9e+05%  7e9 ~17%  s.R",
            (20.0, Some(4.0)),
            percent(-9e5),
            (7e9, Some(17.0)),
            "s.R",
        );
        check(
            "25 A+-20% +1719.1% 46 A+-40%  n.a  ",
            (25.0, Some(20.0)),
            percent(1719.1),
            (46.0, Some(40.0)),
            "n.a",
        );
        check(
            "3 +- 4% -1.5 -4.8 +-3%  p.x",
            (3.0, Some(4.0)),
            Some(Change::Points(-1.5)),
            (-4.8, Some(3.0)),
            "p.x",
        );
        check("93200   114%   199599   w.p", (93200.0, None), percent(114.0), (199_599.0, None), "w.p");
        check("0 ~ 0%  +Inf%  7 ~ 0%  f.n", (0.0, Some(0.0)), None, (7.0, Some(0.0)), "f.n");
    }

    #[test]
    fn prose_and_failures_are_no_rows() {
        for text in [
            "",
            "we saw 5 +7% 6 in the second and third run",
            "         1:6          -17%            :6     dmesg.WARNING",
            "------ ------\n",
            "inf +5% 7 a",
            "5 +5% 7",
        ] {
            assert_eq!(read_lkp(text), Err(LkpError::NoTable), "{text}");
        }
    }

    #[test]
    fn three_sides_are_refused() {
        let text = "\n 300.11  -0.0%  300.11  -0.1%  300.2  aim9.time";
        assert_eq!(read_lkp(text), Err(LkpError::MoreSides { line: 2 }));
    }

    #[test]
    fn heads_of_any_width_are_read() {
        let check = |text: &str, before: &str, after: &str| {
            let table = read_lkp(&format!("{text}\n 1 +0.0% 1  a")).unwrap();
            let heads = table.sections[0].heads.clone().unwrap();
            assert_eq!((heads.before.as_str(), heads.after.as_str()), (before, after));
        };
        check("> old (base)  new (patch 2)\n> ----------  -------------", "old (base)", "new (patch 2)");
        check("     v6.1        v6.2\n--------- -----------", "v6.1", "v6.2");
        check("v6.1 v6.2-rc3-long-name\n---- -----", "v6.1", "v6.2-rc3-long-name");
    }

    #[test]
    fn a_total_names_the_metric_of_its_testcases() {
        let rows =
            rows("1 ~ 0% +0.0% 1 ~ 0%  s.x\n2 ~ 0% +0.0% 2 ~ 0%  h/a/100%\n2 ~ 0% +0.0% 2 ~ 0%  TOTAL o.t");
        assert_eq!(rows[0].kind, RowKind::Metric);
        assert_eq!((rows[1].metric.as_str(), rows[1].label().as_ref()), ("o.t", "h/a/100%"));
        assert_eq!((rows[2].metric.as_str(), &rows[2].kind), ("o.t", &RowKind::Total(Aggregate::Sum)));
    }
}
