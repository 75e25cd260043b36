//! The benchmark's own figures: one number per run and metric, from CSV or JSON lines.
//!
//! CSV has a header that names the columns `run`, `metric` and `value` in any order; further columns are not
//! read. JSON lines hold one object with the same three keys per line. An input that starts with `{` is JSON
//! lines. Testcases are part of the metric's name, see [`MetricName`].
//!
//! ```text
//! run,metric,value
//! 1,netperf.Throughput_Mbps:lkp-a04/micro/netperf/120s-200%-TCP_STREAM,280.4
//! 2,netperf.Throughput_Mbps:lkp-a04/micro/netperf/120s-200%-TCP_STREAM,279.1
//! ```

use std::collections::HashMap;

use serde::Deserialize;
use thiserror::Error;

use super::figure::Figure;
use super::name::{MetricName, NameError};

/// All figures of one side. Runs and metrics keep the order of their first appearance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metrics {
    /// The runs, by the names that the input gives them.
    pub runs: Vec<String>,
    /// The metrics.
    pub series: Vec<Series>,
}

/// One metric over the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The metric and its testcase.
    pub name: MetricName,
    /// One place for each of the [`Metrics::runs`]; `None` where the run has no such figure.
    pub values: Vec<Option<f64>>,
}

/// What is wrong with an input, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{input}: line {line}: {problem}")]
pub struct MetricError {
    /// The input's name, such as its path.
    pub input: String,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there.
    pub problem: MetricProblem,
}

/// What can be wrong with a line, with the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MetricProblem {
    /// Not text.
    #[error("the text is not UTF-8; convert the file")]
    NotText,
    /// Nothing but a header, or not even that.
    #[error("there are no figures; write one line per run and metric below the header `run,metric,value`")]
    Empty,
    /// The header lacks a column.
    #[error("column `{0}` is missing; start the file with the header `run,metric,value`")]
    NoColumn(&'static str),
    /// The header has a column twice.
    #[error("column `{0}` stands there twice; leave one")]
    ColumnTwice(&'static str),
    /// A line ends before the column.
    #[error("column `{0}` is empty; fill it in or leave the line out")]
    NoField(&'static str),
    /// A value that is no number.
    #[error("column `value`: {0} is not a number; write a plain decimal such as 1234.5, without unit")]
    NotNumber(String),
    /// NaN or infinity.
    #[error("column `value`: {0} is not finite; leave the line out when the run failed")]
    NotFinite(String),
    /// A metric without a usable name.
    #[error("column `metric`: {0}; write a name such as `netperf.Throughput_Mbps`")]
    Name(NameError),
    /// A run without a usable name.
    #[error("column `run`: {0}; number the runs")]
    Run(NameError),
    /// The same figure again.
    #[error("run {run} has metric {metric} already; number the runs apart or leave one line out")]
    Duplicate {
        /// The run.
        run: String,
        /// The metric.
        metric: String,
    },
    /// Broken JSON, or JSON of another shape.
    #[error(
        "column {column}: {what}; write one object {{\"run\":1,\"metric\":\"name\",\"value\":2.5}} per line"
    )]
    Json {
        /// The column of the text, from 1.
        column: usize,
        /// What the parser says.
        what: String,
    },
    /// A large table, nearly all of it empty, which would take the square of the input's size.
    #[error(
        "{runs} runs and {metrics} metrics have fewer figures than a quarter of their table; name the runs alike for all metrics"
    )]
    Sparse {
        /// Runs so far.
        runs: usize,
        /// Metrics so far.
        metrics: usize,
    },
    /// Broken CSV.
    #[error("{0}; write comma-separated lines `run,metric,value`")]
    Csv(String),
}

impl Metrics {
    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &MetricName> {
        self.series.iter().map(|series| &series.name)
    }

    /// The figure of a metric over the runs that have it.
    #[must_use]
    pub fn figure(&self, name: &MetricName) -> Figure {
        match self.series.iter().find(|series| series.name == *name) {
            Some(series) => series.figure(),
            None => Figure::Absent,
        }
    }
}

impl Series {
    /// The figure over the runs that have one.
    #[must_use]
    pub fn figure(&self) -> Figure {
        Figure::Runs(self.values.iter().flatten().copied().collect())
    }
}

/// Reads the figures of one side; `name` is what errors call the input.
///
/// # Errors
/// The first line that cannot be taken as it stands: nothing is guessed, nothing is dropped.
pub fn read_metrics(name: &str, bytes: &[u8]) -> Result<Metrics, MetricError> {
    read(bytes).map_err(|(line, problem)| MetricError { input: printable(name), line, problem })
}

type Located<T> = Result<T, (u64, MetricProblem)>;

fn read(bytes: &[u8]) -> Located<Metrics> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let newlines = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        (newlines as u64 + 1, MetricProblem::NotText)
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let mut gathered = Gathered::default();
    if text.trim_start().starts_with('{') {
        read_json_lines(text, &mut gathered)?;
    } else {
        read_csv(text, &mut gathered)?;
    }
    if gathered.metrics.series.is_empty() {
        return Err((1, MetricProblem::Empty));
    }
    Ok(gathered.finish())
}

fn read_csv(text: &str, gathered: &mut Gathered) -> Located<()> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let broken = |error: csv::Error| {
        (line_of(text, error.position()), MetricProblem::Csv(printable(&error.to_string())))
    };
    let header = reader.headers().map_err(broken)?.clone();
    if header.is_empty() {
        return Err((1, MetricProblem::Empty));
    }
    let place =
        |column| find_column(&header, column).map_err(|problem| (line_of(text, header.position()), problem));
    let places = [("run", place("run")?), ("metric", place("metric")?), ("value", place("value")?)];
    for record in reader.records() {
        let record = record.map_err(broken)?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        add_record(&record, places, gathered)
            .map_err(|problem| (line_of(text, record.position()), problem))?;
    }
    Ok(())
}

fn add_record(
    record: &csv::StringRecord,
    places: [(&'static str, usize); 3],
    gathered: &mut Gathered,
) -> Result<(), MetricProblem> {
    let field = |(column, at): (&'static str, usize)| {
        record.get(at).filter(|field| !field.is_empty()).ok_or(MetricProblem::NoField(column))
    };
    let [run, metric, value] = places.map(field);
    gathered.add(run?, metric?, parse_value(value?)?)
}

/// The line of a record. The reader's own count leaves out the empty lines in front of it.
fn line_of(text: &str, position: Option<&csv::Position>) -> u64 {
    let start = position.map_or(0, |position| position.byte() as usize).min(text.len());
    let empty = text.as_bytes()[start..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    text.as_bytes()[..start + empty].iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

fn find_column(header: &csv::StringRecord, column: &'static str) -> Result<usize, MetricProblem> {
    let mut places = (0..header.len()).filter(|at| header[*at].eq_ignore_ascii_case(column));
    match (places.next(), places.next()) {
        (None, _) => Err(MetricProblem::NoColumn(column)),
        (Some(_), Some(_)) => Err(MetricProblem::ColumnTwice(column)),
        (Some(at), None) => Ok(at),
    }
}

fn parse_value(field: &str) -> Result<f64, MetricProblem> {
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(MetricProblem::NotFinite(printable(field))),
        Err(_) => Err(MetricProblem::NotNumber(format!("\"{}\"", printable(field)))),
    }
}

/// A line of JSON; a run may be named by a number or by a word.
#[derive(Deserialize)]
struct Entry {
    run: RunName,
    metric: String,
    value: f64,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`run` must be a whole number or a string")]
enum RunName {
    Number(i64),
    Word(String),
}

fn read_json_lines(text: &str, gathered: &mut Gathered) -> Located<()> {
    for (line, content) in (1..).zip(text.lines()).filter(|(_, content)| !content.trim().is_empty()) {
        let entry: Entry = serde_json::from_str(content).map_err(|error| {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            (line, MetricProblem::Json { column: error.column().max(1), what: printable(what) })
        })?;
        let run = match entry.run {
            RunName::Number(number) => number.to_string(),
            RunName::Word(word) => word,
        };
        if !entry.value.is_finite() {
            return Err((line, MetricProblem::NotFinite(entry.value.to_string())));
        }
        gathered.add(&run, &entry.metric, entry.value).map_err(|problem| (line, problem))?;
    }
    Ok(())
}

/// A table of so many places may be as empty as it likes.
const SMALL_TABLE: usize = 1 << 20;

/// The figures so far, with the places of what was seen.
#[derive(Default)]
struct Gathered {
    metrics: Metrics,
    figures: usize,
    runs: HashMap<String, usize>,
    series: HashMap<MetricName, usize>,
}

impl Gathered {
    fn add(&mut self, run: &str, metric: &str, value: f64) -> Result<(), MetricProblem> {
        let run = run.trim();
        match run {
            "" => return Err(MetricProblem::Run(NameError::Empty)),
            _ if run.chars().any(char::is_control) => return Err(MetricProblem::Run(NameError::Control)),
            _ => {}
        }
        let name = MetricName::parse(metric).map_err(MetricProblem::Name)?;
        let run_at = *self.runs.entry(run.to_owned()).or_insert_with(|| {
            self.metrics.runs.push(run.to_owned());
            self.metrics.runs.len() - 1
        });
        let series_at = *self.series.entry(name.clone()).or_insert_with(|| {
            self.metrics.series.push(Series { name, values: Vec::new() });
            self.metrics.series.len() - 1
        });
        let (runs, metrics) = (self.metrics.runs.len(), self.metrics.series.len());
        self.figures += 1;
        if runs * metrics > SMALL_TABLE.max(4 * self.figures) {
            return Err(MetricProblem::Sparse { runs, metrics });
        }
        let values = &mut self.metrics.series[series_at].values;
        if values.len() <= run_at {
            values.resize(run_at + 1, None);
        }
        match values[run_at].replace(value) {
            None => Ok(()),
            Some(_) => {
                Err(MetricProblem::Duplicate { run: printable(run), metric: printable(metric.trim()) })
            }
        }
    }

    /// Gives every metric a place for every run.
    fn finish(mut self) -> Metrics {
        let n_runs = self.metrics.runs.len();
        for series in &mut self.metrics.series {
            series.values.resize(n_runs, None);
        }
        self.metrics
    }
}

/// Text from outside as part of one line of a message: control characters escaped, the end cut.
fn printable(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut shown = String::new();
    for c in text.chars() {
        if shown.len() >= LONGEST {
            shown.push_str("..");
            break;
        }
        shown.extend(c.escape_debug());
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_error(input: &str, expected: &str) {
        let message = read_metrics("m.csv", input.as_bytes()).unwrap_err().to_string();
        assert!(!message.contains('\n'), "{message}");
        assert!(message.starts_with(expected), "{message}\nshould start with\n{expected}");
        assert!(message.contains("; "), "no remedy: {message}");
    }

    #[test]
    fn csv_keeps_the_order_of_first_appearance() {
        let csv = "\u{feff}value, metric ,run,note\n1.5,b,r2,x\n2,a,r2,\n\n3e3,b,r1,x\n";
        let metrics = read_metrics("m.csv", csv.as_bytes()).unwrap();
        assert_eq!(metrics.runs, ["r2", "r1"]);
        assert_eq!(metrics.series[0].values, [Some(1.5), Some(3000.0)]);
        assert_eq!(metrics.series[1].values, [Some(2.0), None]);
        assert_eq!(metrics.figure(&MetricName::parse("a").unwrap()), Figure::Runs(vec![2.0]));
    }

    #[test]
    fn json_lines_say_the_same() {
        let json = "{\"run\":1,\"metric\":\"a\",\"value\":2}\n\n{\"value\":3.5,\"run\":\"2\",\"metric\":\"a\",\"t\":[]}\n";
        let csv = "run,metric,value\n1,a,2\n2,a,3.5\n";
        assert_eq!(read_metrics("j", json.as_bytes()), read_metrics("c", csv.as_bytes()));
    }

    #[test]
    fn a_blank_or_quoted_line_does_not_shift_the_line_numbers() {
        check_error(
            "run,metric,value\n1,a,1\n\n\n2,a,x\n",
            "m.csv: line 5: column `value`: \"x\" is not a number",
        );
        check_error("run,metric,value\n1,a,1\n  \n2,\"a\nb\",x\n", "m.csv: line 4: ");
        check_error("\n\nrun,value\n1,2\n", "m.csv: line 3: column `metric` is missing");
        check_error("run,metric,value\r\n1,a,1\r\n2,a,x\r\n", "m.csv: line 3: ");
    }

    #[test]
    fn every_broken_line_is_named() {
        check_error("", "m.csv: line 1: there are no figures");
        check_error("run,metric,value\n", "m.csv: line 1: there are no figures");
        check_error("run,value\n1,2\n", "m.csv: line 1: column `metric` is missing");
        check_error("run,metric,value,Value\n", "m.csv: line 1: column `value` stands there twice");
        check_error("run,metric,value\n1,a\n", "m.csv: line 2: column `value` is empty");
        check_error("run,metric,value\n1,,3\n", "m.csv: line 2: column `metric` is empty");
        check_error(
            "run,metric,value\n1,a,12 MB\n",
            "m.csv: line 2: column `value`: \"12 MB\" is not a number",
        );
        check_error("run,metric,value\n1,a,nan\n", "m.csv: line 2: column `value`: nan is not finite");
        check_error("run,metric,value\n1,a,1e999\n", "m.csv: line 2: column `value`: 1e999 is not finite");
        check_error("run,metric,value\n1,a,1\n1,a,1\n", "m.csv: line 3: run 1 has metric a already");
        check_error("run,metric,value\n1,\"a\nb\",1\n", "m.csv: line 2: column `metric`: the name holds");
        check_error("{\"run\":1}\n", "m.csv: line 1: column 9: missing field `metric`");
        check_error(
            "{\"run\":1,\"metric\":\"a\",\"value\":\"3\"}\n",
            "m.csv: line 1: column 33: invalid type",
        );
        check_error("{\"run\":1.5,\"metric\":\"a\",\"value\":3}\n", "m.csv: line 1: column ");
        check_error("{\"run\":1,\"metric\":\"a\",\"value\":null}\n", "m.csv: line 1: column ");
        check_error("{\"run\":1,\"metric\":\"a\",\"value\":1e999}\n", "m.csv: line 1: column ");
        check_error("{\"run\":1,\"metric\":\"a\",\"value\":3}\nnonsense", "m.csv: line 2: column ");
        let each: String = (0..2_000).map(|n| format!("{n},m{n},1\n")).collect();
        check_error(
            &format!("run,metric,value\n{each}"),
            "m.csv: line 1026: 1025 runs and 1025 metrics have fewer figures",
        );
        let error = read_metrics("m.csv", b"run,metric,value\n1,\xff,2").unwrap_err();
        assert_eq!((error.line, error.problem), (2, MetricProblem::NotText));
    }
}
