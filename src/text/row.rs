//! The columns of a row: which percentage is which, and where comm, module and symbol stand.

use super::symbol;

/// What a column of percentages holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    Own,
    WithChildren,
    /// A part of the row by cpu mode (`sys`, `usr`, …).
    Part,
}

/// What a column of text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Comm,
    Module,
    Other,
}

/// The columns as the `# Overhead  Command …` line names them; empty where the text has no such line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Columns {
    shares: Vec<Share>,
    before: Vec<Text>,
    after: Vec<Text>,
}

/// A row's texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cells {
    pub(super) comm: Option<String>,
    pub(super) module: Option<String>,
    pub(super) symbol: String,
    /// In a flattened text, what follows the symbol: the first frames of a root-less chain, or prose.
    pub(super) n_used: usize,
}

/// A row's shares, as fractions: its own for each event of the group, and the one with children.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shares {
    pub(super) own: Vec<f64>,
    pub(super) children: Option<f64>,
}

impl Columns {
    /// Reads the line of column names; `None` when `comment` is none.
    pub(super) fn parse(comment: &str) -> Option<Self> {
        if !(comment.starts_with("Overhead")
            || comment.starts_with("Children")
            || comment.starts_with("Self"))
        {
            return None;
        }
        let names: Vec<&str> = comment.split_whitespace().collect();
        let mut columns = Columns::default();
        let mut behind_symbol = false;
        for (i, name) in names.iter().enumerate() {
            let next = names.get(i + 1).copied().unwrap_or("");
            let text = match *name {
                "Overhead" | "Self" => {
                    columns.shares.push(Share::Own);
                    continue;
                }
                "Children" => {
                    columns.shares.push(Share::WithChildren);
                    continue;
                }
                "sys" | "usr" => {
                    columns.shares.push(Share::Part);
                    continue;
                }
                "Symbol" => {
                    behind_symbol = true;
                    continue;
                }
                "Command" | "Pid:Command" | "Tid:Command" => Text::Comm,
                "Shared" if next == "Object" => Text::Module,
                // The flag column, numbers, and second words of names that are known already.
                "Object" | "guest" | "Samples" | "Period" | "CPU" | "/" => continue,
                _ => Text::Other,
            };
            if behind_symbol { columns.after.push(text) } else { columns.before.push(text) }
        }
        Some(columns)
    }

    /// Whether the report has a share including callees and none without.
    pub(super) fn lacks_self(&self) -> bool {
        self.shares.contains(&Share::WithChildren) && !self.shares.contains(&Share::Own)
    }

    /// Whether the line of names said that there is a Children column; `None` without such a line.
    pub(super) fn has_children(&self) -> Option<bool> {
        (!self.shares.is_empty()).then(|| self.shares.contains(&Share::WithChildren))
    }

    /// Sorts a row's percentages. `n_events` is the size of the event group, `has_children` the report's shape.
    pub(super) fn shares(&self, percents: &[f64], n_events: usize, has_children: bool) -> Option<Shares> {
        let fraction = |percent: &f64| percent / 100.0;
        if self.shares.is_empty() {
            let at = usize::from(has_children);
            let own = vec![fraction(percents.get(at)?)];
            return Some(Shares { own, children: has_children.then(|| percents[0] / 100.0) });
        }
        // In a group each column holds one percentage per event.
        let width = if percents.len() == self.shares.len() * n_events { n_events } else { 1 };
        let cells = |which: Share| {
            let column = self.shares.iter().position(|s| *s == which)?;
            percents.get(column * width..(column + 1) * width)
        };
        let own = cells(Share::Own)?.iter().map(fraction).collect();
        Some(Shares { own, children: cells(Share::WithChildren).and_then(<[f64]>::first).map(fraction) })
    }

    /// Takes comm, module and symbol from the texts around the marker.
    pub(super) fn cells(&self, before: &str, after: &str, layout: super::unwrap::Layout) -> Cells {
        let mut cells = Cells::default();
        self.take_before(before, &mut cells);
        match layout {
            super::unwrap::Layout::Line => {
                let mut parts = gaps(after);
                cells.symbol = parts.next().unwrap_or("").to_owned();
                cells.n_used = usize::MAX;
                self.take_after(&parts.collect::<Vec<_>>(), &mut cells);
            }
            super::unwrap::Layout::Flat => {
                let parts = symbol::split(after);
                cells.symbol = parts.first().copied().unwrap_or("").to_owned();
                cells.n_used = 1 + self.take_after(parts.get(1..).unwrap_or(&[]), &mut cells);
            }
        }
        cells
    }

    fn take_before(&self, before: &str, cells: &mut Cells) {
        let parts: Vec<&str> = gaps(before).collect();
        let wanted = &self.before;
        if !wanted.is_empty() && parts.len() == wanted.len() {
            for (part, what) in parts.iter().zip(wanted) {
                cells.put(*what, part);
            }
            return;
        }
        let (comm, module) = match parts.as_slice() {
            [] => (None, None),
            [first, .., last] => (Some(*first), Some(*last)),
            [only] => self.part_of_one(only),
        };
        if wanted.is_empty() || wanted.contains(&Text::Comm) {
            cells.put(Text::Comm, comm.unwrap_or(""));
        }
        if wanted.is_empty() || wanted.contains(&Text::Module) {
            cells.put(Text::Module, module.unwrap_or(""));
        }
    }

    /// Cuts a text whose column gaps are lost: the last word is the module, the others the comm.
    fn part_of_one<'a>(&self, text: &'a str) -> (Option<&'a str>, Option<&'a str>) {
        match (text.rsplit_once(' '), self.before.as_slice()) {
            (_, [Text::Comm]) => (Some(text), None),
            (_, [Text::Module]) => (None, Some(text)),
            (Some((comm, module)), _) => (Some(comm), Some(module)),
            (None, _) if is_module(text) => (None, Some(text)),
            (None, _) => (Some(text), None),
        }
    }

    /// Takes the columns behind the symbol; returns how many parts they were.
    fn take_after(&self, parts: &[&str], cells: &mut Cells) -> usize {
        if self.shares.is_empty() {
            let taken = parts.first().is_some_and(|part| is_module(part)) && cells.module.is_none();
            if taken {
                cells.put(Text::Module, parts[0]);
            }
            return usize::from(taken);
        }
        let mut n = 0;
        for (part, what) in parts.iter().zip(&self.after).take_while(|(_, what)| **what != Text::Other) {
            cells.put(*what, part);
            n += 1;
        }
        n
    }
}

impl Cells {
    fn put(&mut self, what: Text, text: &str) {
        // `880:lockbench2` is a pid and a comm.
        let comm = || match text.split_once(':') {
            Some((pid, comm)) if !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()) => comm,
            _ => text,
        };
        match what {
            _ if text.is_empty() => {}
            Text::Comm => self.comm = Some(comm().to_owned()),
            Text::Module => self.module = Some(text.to_owned()),
            Text::Other => {}
        }
    }
}

/// The cells of a line as printed: at least two blanks stand between columns.
fn gaps(text: &str) -> impl Iterator<Item = &str> {
    text.split("  ").map(str::trim).filter(|part| !part.is_empty())
}

/// Whether a single text looks more like a shared object than like a command.
fn is_module(text: &str) -> bool {
    (text.starts_with('[') && text.ends_with(']') && text.len() > 3 && text != "[...]")
        || text.starts_with('/')
        || text.ends_with(".so")
        || text.contains(".so.")
        || text.ends_with(".ko")
        || text.starts_with("vmlinux")
}

#[cfg(test)]
mod tests {
    use super::Columns;
    use crate::text::unwrap::Layout;

    #[test]
    fn columns_are_found_by_name_or_by_look() {
        let named = Columns::parse("Children      Self  Command  Shared Object  Symbol  ").expect("columns");
        let shares = named.shares(&[98.52, 0.5], 1, true).expect("shares");
        assert_eq!((shares.own[0], shares.children), (0.005, Some(0.9852)));
        let cells = named.cells("Web Content  [kernel.kallsyms]", "do_x   -   -", Layout::Line);
        assert_eq!(cells.comm.as_deref(), Some("Web Content"));
        assert_eq!(cells.module.as_deref(), Some("[kernel.kallsyms]"));
        assert_eq!(cells.symbol, "do_x");
        let bare = Columns::default().cells("Web Content [kernel.kallsyms]", "do_x y", Layout::Flat);
        assert_eq!((bare.comm, bare.module), (cells.comm, cells.module));
        assert_eq!((bare.symbol.as_str(), bare.n_used), ("do_x", 1));
    }

    #[test]
    fn a_group_has_a_share_per_event() {
        let columns = Columns::parse("Overhead  Command  Symbol").expect("columns");
        assert_eq!(columns.shares(&[74.71, 61.43], 2, false).expect("shares").own, [0.7471, 0.6143]);
    }
}
