//! Symbols of user code: an ELF file's symbol table, its procedure linkage table, and its build-id.

use std::path::Path;

use object::elf::{STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, STT_OBJECT};
use object::{
    Object, ObjectSection, ObjectSegment, ObjectSymbol, ObjectSymbolTable, RelocationTarget, SymbolFlags,
};

use super::choice::{Binding, Origin};
use super::table::Table;
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
        let mut table = Table::default();
        object.symbols().for_each(|symbol| list(&mut table, &object, &symbol));
        if table.is_empty() {
            object.dynamic_symbols().for_each(|symbol| list(&mut table, &object, &symbol));
        }
        list_linkage(&mut table, &object);
        let segments = object
            .segments()
            .map(|segment| {
                let (offset, size) = segment.file_range();
                (offset, size, segment.address())
            })
            .collect();
        Some(Self { table: table.finish(Origin::File), segments })
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
        self.table.find(address).map(|(_, name)| name)
    }

    /// Whether the file names nothing.
    pub(super) fn is_stripped(&self) -> bool {
        self.table.is_empty()
    }
}

/// Lists a symbol of code, or of data, which ends code.
fn list<'a>(table: &mut Table, object: &object::File<'a>, symbol: &object::Symbol<'a, '_>) {
    let SymbolFlags::Elf { st_info, .. } = symbol.flags() else { return };
    let kind = object::elf::SymbolType(st_info.0 & 0xf);
    let Some(section) = symbol.section_index().and_then(|index| object.section_by_index(index).ok()) else {
        return;
    };
    let is_label = kind == STT_NOTYPE;
    if !(is_label || [STT_FUNC, STT_GNU_IFUNC, STT_OBJECT].contains(&kind)) {
        return;
    }
    // A label counts where code or data stands; elsewhere it marks something of the linker's.
    if is_label && !section.name().is_ok_and(|name| name.contains("text") || name.contains("data")) {
        return;
    }
    let binding = match (symbol.is_weak(), symbol.is_global()) {
        (true, _) => Binding::Weak,
        (_, true) => Binding::Global,
        _ => Binding::Local,
    };
    if let Some(name) = symbol.name().ok().filter(|name| !name.is_empty() && !name.starts_with('$')) {
        table.push(symbol.address(), symbol.size(), binding, name);
    }
}

/// Lists the entries of the procedure linkage table, named `write@plt`: the relocations of its slots stand in its
/// order, behind a header where the table has one.
fn list_linkage(table: &mut Table, object: &object::File<'_>) {
    const ENTRY: u64 = 16;
    let secondary = object.section_by_name(".plt.sec");
    let header = match (object.architecture(), &secondary) {
        (object::Architecture::X86_64, Some(_)) => 0,
        (object::Architecture::X86_64, None) => 1,
        (object::Architecture::Aarch64, _) => 2,
        _ => return,
    };
    let Some(section) = secondary.or_else(|| object.section_by_name(".plt")) else { return };
    let Some(relocations) = object.dynamic_relocations() else { return };
    let Some(names) = object.dynamic_symbol_table() else { return };
    let slots = relocations.filter(|(_, relocation)| {
        matches!(relocation.flags(), object::RelocationFlags::Elf { r_type } if is_jump_slot(r_type.0))
    });
    for ((_, relocation), slot) in slots.zip(header..section.size() / ENTRY) {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        if let Some(name) = names.symbol_by_index(index).ok().and_then(|symbol| symbol.name().ok()) {
            table.push(section.address() + slot * ENTRY, ENTRY, Binding::Global, &format!("{name}@plt"));
        }
    }
}

/// `R_X86_64_JUMP_SLOT` is 7, `R_AARCH64_JUMP_SLOT` 1026.
fn is_jump_slot(kind: u32) -> bool {
    matches!(kind, 7 | 1026)
}
