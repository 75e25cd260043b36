//! A table of symbols that is searched by address.

use super::choice::{Binding, Origin, compare};

/// A symbol as a source lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// Its first address.
    pub start: u64,
    /// Its bytes; 0 where the source does not tell: it then reaches to the next one.
    pub size: u64,
    /// How it binds.
    pub binding: Binding,
    /// Its name as listed.
    pub name: String,
}

/// Symbols by address, one name each.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    symbols: Vec<Listed>,
}

impl Table {
    /// Sorts, chooses among names of one address, and gives ends to what has none.
    pub(super) fn new(mut symbols: Vec<Listed>, origin: Origin) -> Self {
        symbols.sort_by(|a, b| {
            let by_name = || compare((&b.name, b.binding), (&a.name, a.binding), origin);
            // Of two symbols at one address one with a size says more than one without.
            a.start.cmp(&b.start).then((a.size == 0).cmp(&(b.size == 0))).then_with(by_name)
        });
        symbols.dedup_by_key(|symbol| symbol.start);
        let starts: Vec<u64> = symbols.iter().map(|symbol| symbol.start).skip(1).collect();
        for (symbol, next) in symbols.iter_mut().zip(starts) {
            if symbol.size == 0 {
                symbol.size = next - symbol.start;
            }
        }
        if let Some(last) = symbols.last_mut().filter(|last| last.size == 0) {
            // Nothing follows: it is taken to end with its page.
            last.size = (last.start | 4095) - last.start + 1;
        }
        Self { symbols }
    }

    /// The symbol that an address lies in.
    pub(super) fn find(&self, address: u64) -> Option<&Listed> {
        let after = self.symbols.partition_point(|symbol| symbol.start <= address);
        let symbol = self.symbols.get(after.checked_sub(1)?)?;
        (address - symbol.start < symbol.size).then_some(symbol)
    }

    /// Whether there is no symbol.
    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }
}
