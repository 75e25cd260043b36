//! `perf report --stdio`: pieces become reports with rows.

use super::error::TextError;
use super::line::Line;
use super::orient::{self, Budget, Graph, Weight};
use super::piece::{Piece, pieces};
use super::row::{Cells, Columns, Shares};
use super::symbol::{before_prose, split};
use super::tree::Tree;
use super::types::{Found, Header, PerfReport, Row};
use super::unwrap::{Layout, Logical, indent, logical};

/// A report that is being read.
#[derive(Debug, Default)]
struct Draft {
    report: PerfReport,
    columns: Columns,
    rows: Vec<DraftRow>,
}

#[derive(Debug)]
struct DraftRow {
    percents: Vec<f64>,
    cells: Cells,
    space: char,
    tree: Tree,
    line: usize,
}

/// Where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// No row, or something between rows that is no part of a graph.
    Outside,
    /// In a row's graph.
    Graph,
    /// Behind an empty line in a row's graph: flat chains go on, frames do not.
    Gap,
}

#[derive(Debug)]
struct Reader {
    current: Draft,
    done: Vec<Draft>,
    header: Header,
    lost: Option<u64>,
    place: Place,
    saw_prose: bool,
    /// Indentation of the current graph, once it began.
    margin: Option<usize>,
    /// A line with percentages that is no row.
    odd_row: Option<usize>,
}

/// Reads the reports in `lines` and appends them to `found`.
pub(super) fn read(lines: &[Line<'_>], found: &mut Vec<Found>) -> Result<(), TextError> {
    let mut reader = Reader {
        current: Draft::default(),
        done: Vec::new(),
        header: Header::default(),
        lost: None,
        place: Place::Outside,
        saw_prose: false,
        margin: None,
        odd_row: None,
    };
    for line in logical(lines) {
        reader.line(&line);
    }
    reader.start_report();
    let mut trouble = Ok(());
    let before = found.len();
    for draft in reader.done {
        match finish(draft) {
            Ok(reports) => found.extend(reports.into_iter().map(Found::Report)),
            Err(e) => trouble = trouble.and(Err(e)),
        }
    }
    match reader.odd_row {
        // Rows without symbols, and nothing else: a report of an event that has samples is not empty.
        Some(line) if found[before..].iter().all(is_empty) => {
            found.truncate(before);
            trouble.and(Err(TextError::NoSymbols { line }))
        }
        _ => trouble,
    }
}

fn is_empty(found: &Found) -> bool {
    matches!(found, Found::Report(report) if report.rows.is_empty())
}

impl Reader {
    fn line(&mut self, line: &Logical<'_>) {
        let pieces = pieces(&line.text);
        if pieces.is_empty() {
            if self.place == Place::Graph {
                self.place = Place::Gap;
            }
            return;
        }
        let is_alone = pieces.len() == 1;
        let has_bars = !matches!(pieces[0], Piece::Words(_));
        let is_row = line.layout == Layout::Line && pieces.iter().any(|p| matches!(p, Piece::Row { .. }));
        for piece in pieces {
            match piece {
                // What stands before the percentages (`-F comm,overhead,sym`, `+` of the terminal's browser).
                Piece::Words(_) if is_row => {}
                Piece::Comment(text) => self.comment(text),
                Piece::Row { percents, before, space, after } => {
                    let cells = self.current.columns.cells(before, after, line.layout);
                    self.row(DraftRow { percents, cells, space, tree: Tree::default(), line: line.number });
                    if line.layout == Layout::Flat {
                        self.skip_or_prose(after);
                    }
                }
                Piece::Percent { value, rest } => self.percent(value, rest, line, is_alone),
                Piece::Words(text) => self.words(text, line, has_bars),
                Piece::Bars(_) | Piece::Branch { .. } | Piece::Root { .. } => self.graph(piece, line),
            }
        }
        if line.layout == Layout::Line
            && let Some(tree) = self.tree()
        {
            tree.end_line();
        }
    }

    fn tree(&mut self) -> Option<&mut Tree> {
        self.current.rows.last_mut().map(|row| &mut row.tree)
    }

    fn comment(&mut self, text: &str) {
        self.place = Place::Outside;
        let value = |name: &str| text.strip_prefix(name).map(str::trim);
        let field = |name: &str| value(name).and_then(|v| v.strip_prefix(':')).map(|v| v.trim().to_owned());
        if let Some(rest) = value("Samples:").or_else(|| value("Events:")) {
            self.start_report();
            self.samples(rest);
        } else if let Some(rest) = value("Event count (approx.):") {
            self.current.report.weight = first_number(rest);
        } else if let Some(rest) = value("Total Lost Samples:") {
            self.start_report();
            self.lost = first_number(rest);
        } else if let Some(columns) = Columns::parse(text) {
            if !self.current.rows.is_empty() {
                self.start_report();
            }
            self.current.columns = columns;
        } else if field("captured on").is_some() {
            self.start_report();
            self.header = Header::default();
        } else if let Some(v) = field("hostname") {
            self.header.hostname = Some(v);
        } else if let Some(v) = field("os release") {
            self.header.os_release = Some(v);
        } else if let Some(v) = field("nrcpus online") {
            self.header.nr_cpus = first_number(&v);
        } else if let Some(v) = field("cpudesc") {
            self.header.cpudesc = Some(v);
        } else if let Some(v) = field("cmdline") {
            self.header.cmdline = Some(v);
        }
    }

    /// `5K of event 'cycles'`, `8K of events 'anon group { a, b }'`, in old perf `5K cycles`.
    fn samples(&mut self, text: &str) {
        let (number, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let report = &mut self.current.report;
        report.samples = number.parse().ok();
        report.samples_printed = (!number.is_empty()).then(|| number.to_owned());
        let rest = rest.trim();
        let name = match rest.split_once('\'') {
            Some((_, quoted)) => quoted.split('\'').next().unwrap_or(""),
            None => rest,
        };
        report.event = (!name.is_empty()).then(|| name.to_owned());
        if let Some((_, rest)) = text.split_once("Event count (approx.):") {
            report.weight = first_number(rest);
        }
    }

    fn row(&mut self, row: DraftRow) {
        let starts_anew = self.saw_prose
            && self.current.rows.last().is_some_and(|last| {
                let first = |r: &DraftRow| r.percents.first().copied().unwrap_or(0.0);
                first(&row) > first(last) + 0.005
            });
        if starts_anew {
            self.start_report();
        }
        self.saw_prose = false;
        self.place = Place::Graph;
        self.margin = None;
        self.current.rows.push(row);
    }

    /// In a flattened text: what stands behind the row's symbol is no frame, since a graph begins with a bar.
    fn skip_or_prose(&mut self, after: &str) {
        let used = self.current.rows.last().map_or(0, |row| row.cells.n_used);
        if split(after).iter().skip(used).any(|word| *word != "-") {
            self.prose();
        }
    }

    fn prose(&mut self) {
        self.place = Place::Outside;
        self.saw_prose = true;
    }

    fn percent(&mut self, value: f64, rest: &str, line: &Logical<'_>, is_alone: bool) {
        let is_chain = rest.contains(';') && !rest.contains("; ");
        if self.place == Place::Outside || (line.layout == Layout::Line && !(rest.is_empty() || is_chain)) {
            if is_alone && (1..=4).contains(&rest.split_whitespace().count()) {
                // A row without a symbol, as `--sort comm` or `--hierarchy` print.
                self.odd_row.get_or_insert(line.number);
                self.place = Place::Outside;
            } else {
                self.prose();
            }
            return;
        }
        let frames = split(rest);
        let n = before_prose(&frames);
        if line.layout == Layout::Flat && (n == 0 || n < frames.len()) {
            self.prose();
            return;
        }
        self.place = Place::Graph;
        let Some(tree) = self.tree() else { return };
        tree.flat(value);
        if is_chain {
            rest.split(';').for_each(|frame| tree.frame(frame));
        } else {
            frames.iter().for_each(|frame| tree.frame(frame));
        }
    }

    fn graph(&mut self, piece: Piece<'_>, line: &Logical<'_>) {
        if self.place == Place::Outside {
            return;
        }
        if matches!(piece, Piece::Branch { .. }) {
            self.place = Place::Graph;
        }
        self.margin.get_or_insert_with(|| indent(&line.text));
        let is_flat = line.layout == Layout::Flat;
        let in_gap = self.place == Place::Gap;
        let Some(tree) = self.tree() else { return };
        let (symbol, branch) = match piece {
            Piece::Bars(n) => return tree.bars(n),
            // A second root is none of perf's: a patch begins with `--- a/file`.
            Piece::Root { .. } if in_gap || !tree.nodes.is_empty() => return self.prose(),
            Piece::Root { symbol } => (symbol, None),
            Piece::Branch { bars, value, symbol } => (symbol, Some((bars, value))),
            _ => return,
        };
        let all = if is_flat { split(symbol) } else { vec![symbol] };
        // The first word stands on the branch itself; only what follows it may be prose.
        let n = if is_flat && !all.is_empty() { 1 + before_prose(&all[1..]) } else { all.len() };
        let frames = &all[..n];
        let Some(first) = frames.first().filter(|first| !first.is_empty()) else {
            // A branch to nowhere: what hangs below it cannot be placed.
            tree.is_unusable = true;
            return;
        };
        match branch {
            None => tree.root(first),
            Some((bars, value)) => tree.branch(bars, value, first, line.layout),
        }
        frames[1..].iter().for_each(|frame| tree.frame(frame));
        if frames.len() < all.len() {
            self.prose();
        }
    }

    fn words(&mut self, text: &str, line: &Logical<'_>, has_bars: bool) {
        if text.starts_with("Samples: ") && text.contains(" of event") {
            return self.comment(text);
        }
        let margin = self.margin;
        let deep = margin.is_some_and(|m| indent(&line.text) > m) || has_bars;
        let place = self.place;
        let Some(tree) = self.tree().filter(|tree| place == Place::Graph && tree.wants_frames()) else {
            return self.prose();
        };
        match line.layout {
            Layout::Flat => {
                let all = split(text);
                let n = before_prose(&all);
                all[..n].iter().for_each(|frame| tree.frame(frame));
                if n < all.len() {
                    self.prose();
                }
            }
            // Frames stand further right than the graph's margin; in a flat chain there is no graph.
            Layout::Line if deep || (margin.is_none() && indent(&line.text) > 0) => tree.frame(text),
            Layout::Line => self.prose(),
        }
    }

    /// Puts the current report aside and begins the next.
    fn start_report(&mut self) {
        let mut draft = std::mem::take(&mut self.current);
        self.place = Place::Outside;
        self.saw_prose = false;
        if draft.rows.is_empty() && draft.report.event.is_none() {
            // Without a row it was no report yet; its columns may still be those of what follows.
            self.current = draft;
            return;
        }
        draft.report.header = self.header.clone();
        draft.report.lost = self.lost;
        if draft.report.event.is_none() {
            self.current.columns = draft.columns.clone();
        }
        self.done.push(draft);
    }
}

fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// The members of `anon group { cpu-clock, page-faults }`; any other event is one.
fn events(name: Option<&str>) -> Vec<Option<String>> {
    let members = name.and_then(|n| n.split_once('{')).and_then(|(_, rest)| rest.split_once('}'));
    match members {
        Some((list, _)) => list.split(", ").map(|event| Some(event.trim().to_owned())).collect(),
        None => vec![name.map(str::to_owned)],
    }
}

/// Makes the reports of a draft, one per event of its group.
fn finish(draft: Draft) -> Result<Vec<PerfReport>, TextError> {
    let Draft { report, columns, rows } = draft;
    if columns.lacks_self()
        && let Some(row) = rows.first()
    {
        return Err(TextError::NoSelf { line: row.line });
    }
    let events = events(report.event.as_deref());
    // Without a line of names two percentages are perf's default: Children and Self.
    let looks_like_children = events.len() == 1
        && !rows.is_empty()
        && rows.iter().all(|row| matches!(row.percents.as_slice(), [with, own] if with >= own));
    let has_children = columns.has_children().unwrap_or(looks_like_children);
    let shares: Vec<Option<Shares>> =
        rows.iter().map(|row| columns.shares(&row.percents, events.len(), has_children)).collect();
    let callers = callers(&rows, &shares);
    let mut reports = Vec::new();
    for (i, event) in events.into_iter().enumerate() {
        let mut one =
            PerfReport { event, has_children_column: has_children, rows: Vec::new(), ..report.clone() };
        for ((row, shares), callers) in rows.iter().zip(&shares).zip(&callers) {
            let Some((shares, own)) = shares.as_ref().and_then(|s| Some((s, *s.own.get(i)?))) else {
                continue;
            };
            one.rows.push(Row {
                share: own,
                children_share: shares.children.filter(|_| i == 0),
                comm: row.cells.comm.clone(),
                module: row.cells.module.clone(),
                space: Some(row.space),
                symbol: row.cells.symbol.clone(),
                callers: if i == 0 { callers.clone() } else { Vec::new() },
                line: row.line,
            });
        }
        reports.push(one);
    }
    Ok(reports)
}

/// The callers of each row.
fn callers(rows: &[DraftRow], shares: &[Option<Shares>]) -> Vec<Vec<super::types::Caller>> {
    let graph = |(row, shares): (&'_ DraftRow, &Option<Shares>)| {
        let shares = shares.as_ref()?;
        let own = shares.own.first().copied().unwrap_or(0.0);
        let weight = match shares.children {
            None => Weight::Own,
            Some(children) if (children - own).abs() < 1e-9 => Weight::AllOwn,
            Some(_) => Weight::Mixed,
        };
        Some((100.0 * shares.children.unwrap_or(own), weight, row.space, row.cells.symbol.clone()))
    };
    let facts: Vec<_> = rows.iter().zip(shares).map(graph).collect();
    let graphs: Vec<Graph<'_>> = rows
        .iter()
        .zip(&facts)
        .filter_map(|(row, facts)| {
            let (percent, weight, space, symbol) = facts.as_ref()?;
            let usable = !row.tree.nodes.is_empty() && !row.tree.is_unusable;
            usable.then_some(Graph {
                symbol,
                space: *space,
                percent: *percent,
                weight: *weight,
                tree: &row.tree,
            })
        })
        .collect();
    let (base, order) = (orient::base(&graphs), orient::order(&graphs));
    let mut budget = Budget::default();
    let mut graphs = graphs.into_iter().peekable();
    rows.iter()
        .map(|row| match graphs.next_if(|graph| std::ptr::eq(graph.tree, &row.tree)) {
            Some(graph) => orient::callers(&graph, base, order, &mut budget),
            None => Vec::new(),
        })
        .collect()
}
