//! The text of a `/proc/kallsyms` for a list of symbols.

use std::fmt::Write as _;

/// One line for each symbol, in address order: global text symbols (`T`). A name may end in
/// `"\t[module]"`, as a module's symbols do.
pub fn text(symbols: &[(u64, &str)]) -> String {
    let mut sorted = symbols.to_vec();
    sorted.sort_by_key(|&(address, _)| address);
    let mut out = String::new();
    for (address, name) in sorted {
        writeln!(out, "{address:016x} T {name}").expect("writing to a string succeeds");
    }
    out
}
