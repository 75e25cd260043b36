//! Symbols of user code: an ELF file's symbol table, its procedure linkage table, and its build-id.

use std::path::Path;

use object::elf::{STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, STT_OBJECT};
use object::{
    Object, ObjectSection, ObjectSegment, ObjectSymbol, ObjectSymbolTable, RelocationTarget, SymbolFlags,
};

use super::choice::{Binding, Origin};
use super::table::{Listed, Table};
use crate::file;

/// What an ELF file tells of its code.
#[derive(Debug, Clone, Default)]
pub(super) struct ElfSymbols {
    table: Table,
    /// File offset, bytes, and address of what is loaded.
    segments: Vec<(u64, u64, u64)>,
}

/// The build-id of an ELF file, if it is one and has one.
pub(super) fn build_id(path: &Path) -> Option<Vec<u8>> {
    let bytes = file::open(path).ok()?;
    let object = object::File::parse(&bytes[..]).ok()?;
    object.build_id().ok().flatten().map(<[u8]>::to_vec)
}

impl ElfSymbols {
    /// Reads a file; `None` where it is no ELF file.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = file::open(path).ok()?;
        let object = object::File::parse(&bytes[..]).ok()?;
        let mut symbols: Vec<Listed> =
            object.symbols().filter_map(|symbol| listed(&object, &symbol)).collect();
        if symbols.is_empty() {
            symbols = object.dynamic_symbols().filter_map(|symbol| listed(&object, &symbol)).collect();
        }
        symbols.extend(linkage(&object));
        let segments = object
            .segments()
            .map(|segment| {
                let (offset, size) = segment.file_range();
                (offset, size, segment.address())
            })
            .collect();
        Some(Self { table: Table::new(symbols, Origin::File), segments })
    }

    /// Takes the symbols of a file that holds nothing but them (separate debug information) in the place of its own.
    #[must_use]
    pub(super) fn with_symbols_of(self, other: ElfSymbols) -> Self {
        if other.table.is_empty() { self } else { Self { table: other.table, ..self } }
    }

    /// The name at an offset in the file.
    pub(super) fn find(&self, offset: u64) -> Option<&str> {
        let (start, _, address) = self
            .segments
            .iter()
            .find(|(start, size, _)| (*start..start.saturating_add(*size)).contains(&offset))?;
        let address = address.wrapping_add(offset - start);
        self.table.find(address).map(|symbol| symbol.name.as_str())
    }

    /// Whether the file names nothing.
    pub(super) fn is_stripped(&self) -> bool {
        self.table.is_empty()
    }
}

fn listed<'a>(object: &object::File<'a>, symbol: &object::Symbol<'a, '_>) -> Option<Listed> {
    let SymbolFlags::Elf { st_info, .. } = symbol.flags() else { return None };
    let kind = object::elf::SymbolType(st_info.0 & 0xf);
    let section = object.section_by_index(symbol.section_index()?).ok()?;
    let is_label = kind == STT_NOTYPE;
    if !(is_label || [STT_FUNC, STT_GNU_IFUNC, STT_OBJECT].contains(&kind)) {
        return None;
    }
    // A label counts where code or data stands; elsewhere it marks something of the linker's.
    if is_label && !section.name().is_ok_and(|name| name.contains("text") || name.contains("data")) {
        return None;
    }
    let name = symbol.name().ok().filter(|name| !name.is_empty() && !name.starts_with('$'))?;
    let binding = match (symbol.is_weak(), symbol.is_global()) {
        (true, _) => Binding::Weak,
        (_, true) => Binding::Global,
        _ => Binding::Local,
    };
    Some(Listed { start: symbol.address(), size: symbol.size(), binding, name: name.to_owned() })
}

/// Entries of the procedure linkage table, named `write@plt`: the relocations of its slots stand in its order.
fn linkage(object: &object::File<'_>) -> Vec<Listed> {
    let header = if object.section_by_name(".plt.sec").is_some() { 0 } else { 1 };
    let Some(section) = object.section_by_name(".plt.sec").or_else(|| object.section_by_name(".plt")) else {
        return Vec::new();
    };
    let entry = match object.architecture() {
        object::Architecture::X86_64 | object::Architecture::Aarch64 => 16,
        _ => return Vec::new(),
    };
    let header = if object.architecture() == object::Architecture::Aarch64 { 2 } else { header };
    let Some(relocations) = object.dynamic_relocations() else { return Vec::new() };
    let slots = relocations.filter(|(_, relocation)| {
        matches!(relocation.flags(), object::RelocationFlags::Elf { r_type } if is_jump_slot(r_type.0))
    });
    slots
        .zip(header..section.size() / entry)
        .filter_map(|((_, relocation), slot)| {
            let RelocationTarget::Symbol(index) = relocation.target() else { return None };
            let name = object.dynamic_symbol_table()?.symbol_by_index(index).ok()?.name().ok()?.to_owned();
            let start = section.address() + slot * entry;
            Some(Listed { start, size: entry, binding: Binding::Global, name: format!("{name}@plt") })
        })
        .collect()
}

/// `R_X86_64_JUMP_SLOT` is 7, `R_AARCH64_JUMP_SLOT` 1026.
fn is_jump_slot(kind: u32) -> bool {
    matches!(kind, 7 | 1026)
}
