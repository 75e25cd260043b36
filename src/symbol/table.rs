//! A table of symbols that is searched by address.

use super::choice::{Binding, Origin, compare};

/// A symbol as a source lists it. Names stand in one text: a kernel has two hundred thousand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Listed {
    /// Its first address.
    pub start: u64,
    /// Its bytes; 0 where the source does not tell: it then reaches to the next one.
    pub size: u64,
    /// How it binds.
    pub binding: Binding,
    name: (u32, u32),
}

/// Symbols by address, one name each.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    text: String,
    symbols: Vec<Listed>,
}

impl Table {
    /// Adds a symbol, unless there is no room for its name in 4 GiB; [`Table::finish`] makes the table ready.
    pub(super) fn push(&mut self, start: u64, size: u64, binding: Binding, name: &str) {
        let at = self.text.len() as u32;
        if u32::try_from(self.text.len() + name.len()).is_err() {
            return;
        }
        self.text.push_str(name);
        self.symbols.push(Listed { start, size, binding, name: (at, name.len() as u32) });
    }

    /// Sorts, chooses among names of one address, and gives ends to what has none.
    #[must_use]
    pub(super) fn finish(mut self, origin: Origin) -> Self {
        let text = &self.text;
        let name = |symbol: &Listed| name(text, symbol);
        self.symbols.sort_by(|a, b| {
            let by_name = || compare((name(b), b.binding), (name(a), a.binding), origin);
            // Of two symbols at one address one with a size says more than one without.
            a.start.cmp(&b.start).then((a.size == 0).cmp(&(b.size == 0))).then_with(by_name)
        });
        self.symbols.dedup_by_key(|symbol| symbol.start);
        for at in 1..self.symbols.len() {
            let next = self.symbols[at].start;
            let symbol = &mut self.symbols[at - 1];
            if symbol.size == 0 {
                symbol.size = next - symbol.start;
            }
        }
        if let Some(last) = self.symbols.last_mut().filter(|last| last.size == 0) {
            // Nothing follows: it is taken to end with its page.
            last.size = (last.start | 4095) - last.start + 1;
        }
        self
    }

    /// The symbol that an address lies in: where it starts, and its name.
    pub(super) fn find(&self, address: u64) -> Option<(u64, &str)> {
        let after = self.symbols.partition_point(|symbol| symbol.start <= address);
        let symbol = self.symbols.get(after.checked_sub(1)?)?;
        (address - symbol.start < symbol.size).then(|| (symbol.start, name(&self.text, symbol)))
    }

    /// Whether there is no symbol.
    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }
}

fn name<'a>(text: &'a str, symbol: &Listed) -> &'a str {
    let (at, length) = symbol.name;
    &text[at as usize..(at + length) as usize]
}
