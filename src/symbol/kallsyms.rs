//! The kernel's own list of symbols, `kallsyms`: parsing, and relocation to the addresses of a recording.

use std::collections::BTreeMap;
use std::path::Path;

use super::choice::{Binding, Origin};
use super::table::Table;
use crate::error::{Error, Result};
use crate::file;

/// The symbols of one kernel.
#[derive(Debug, Clone, Default)]
pub struct Kallsyms {
    kernel: Table,
    /// Where data begins or ends: an address and whether data stands from there on, ascending.
    data: Vec<(u64, bool)>,
    modules: BTreeMap<String, Table>,
    /// Addresses of names that relocation can start from.
    references: BTreeMap<String, u64>,
}

impl Kallsyms {
    /// Reads a file, plain or packed.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = file::open(path)?;
        if let Some(why) = bytes.cut() {
            return Err(Error::file(path, why).remedy("pack the list anew"));
        }
        Self::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| error.within(path))
    }

    /// Parses lines of `address type name [module]`. Code and data symbols count, as data ends code.
    pub fn parse(text: &str) -> Result<Self> {
        let mut kernel = Table::default();
        let mut modules: BTreeMap<String, Table> = BTreeMap::new();
        let mut references = BTreeMap::new();
        let (mut read, mut zero) = (0usize, 0usize);
        let mut data = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if line.is_empty() {
                continue;
            }
            let Some((address, kind, name, module)) = fields(line) else {
                return Err(Error::new(format!("line {}", number + 1), "is no line of kallsyms")
                    .remedy("name a copy of /proc/kallsyms of the recorded kernel"));
            };
            read += 1;
            zero += usize::from(address == 0);
            if matches!(name, "_text" | "_stext") {
                references.insert(name.to_owned(), address);
            }
            if module.is_none() {
                data.push((address, !matches!(kind, 't' | 'T' | 'w' | 'W')));
            }
            let Some(binding) = binding(kind) else { continue };
            if name.starts_with('$') || name.starts_with(".L") {
                continue;
            }
            // The padding in front of a function, where a thunk's return address less one falls, is the function's.
            let name = name.strip_prefix("__pfx_").unwrap_or(name);
            let table = match module {
                // A module may be spelt either way; it is one.
                Some(module) => modules.entry(module.replace('-', "_")).or_default(),
                None => &mut kernel,
            };
            table.push(address, 0, binding, name);
        }
        if read == 0 {
            return Err(Error::new("kallsyms", "holds no symbol"));
        }
        if zero == read {
            return Err(Error::new("kallsyms", "holds only zeros as addresses")
                .remedy("read it as root, or set kernel.kptr_restrict to 0, on the recorded machine"));
        }
        let ready = |(name, table): (String, Table)| (name, table.finish(Origin::Kernel));
        let modules = modules.into_iter().map(ready).collect();
        // Of several symbols at an address code decides: marks of the linker stand there as data.
        data.sort_unstable();
        data.dedup_by_key(|(address, _)| *address);
        Ok(Self { kernel: kernel.finish(Origin::Kernel), data, modules, references })
    }

    /// How far the recorded kernel stood from this list: what to take from a recorded address to look it up here.
    /// `None` where the list lacks the reference symbol.
    pub fn displacement(&self, reference: Option<&str>, recorded: u64) -> Option<u64> {
        let symbol = reference.unwrap_or("_text");
        let listed = self.references.get(symbol)?;
        Some(recorded.wrapping_sub(*listed))
    }

    /// The kernel's symbol at an address of this list.
    pub fn kernel(&self, address: u64) -> Option<&str> {
        self.kernel.find(address).map(|(_, name)| name)
    }

    /// Whether the list has data, and no code, at an address.
    pub fn has_data_at(&self, address: u64) -> bool {
        let after = self.data.partition_point(|(start, _)| *start <= address);
        after.checked_sub(1).is_some_and(|at| self.data[at].1)
    }

    /// A module's symbol (`[ext4]`) at an address that its recorded mapping from `base` on contains.
    pub fn module(&self, name: &str, base: u64, address: u64) -> Option<&str> {
        let (start, name) = self.modules.get(name)?.find(address)?;
        (start >= base).then_some(name)
    }

    /// Whether the list has a module of this name.
    pub fn has_module(&self, name: &str) -> bool {
        self.modules.contains_key(name)
    }
}

/// Address, type, name and, in brackets, module.
fn fields(line: &str) -> Option<(u64, char, &str, Option<&str>)> {
    let (address, rest) = line.split_once(' ')?;
    let (kind, rest) = rest.split_once(' ')?;
    let (name, module) =
        rest.split_once('\t').map_or((rest, None), |(name, module)| (name, Some(module.trim_end())));
    let kind = kind.chars().next()?;
    let name = name.trim_end();
    let is_module = |m: &&str| m.starts_with('[') && m.ends_with(']');
    (!name.is_empty()).then_some((
        u64::from_str_radix(address, 16).ok()?,
        kind,
        name,
        module.filter(is_module),
    ))
}

/// Code (t, w) and data (d, b) as perf takes them; other types are absolute or read-only and mark nothing.
fn binding(kind: char) -> Option<Binding> {
    match kind {
        // A weak name of the running kernel is the one in force, and as good as any: `memset` is weak.
        'T' | 'D' | 'B' | 'W' | 'w' => Some(Binding::Global),
        't' | 'd' | 'b' => Some(Binding::Local),
        _ => None,
    }
}
