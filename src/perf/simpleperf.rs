//! Tables of symbols that simpleperf, Android's recorder, carries in its recordings: sections FILE and FILE2.
//!
//! The names were read where the code ran, so they are right wherever the recording is read. A table lists the
//! functions that were hit, not all of the file's.

use super::bytes::{Bytes, Endian, text};

/// What was read of a section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolTables {
    /// One for each file with symbols, in the section's order.
    pub files: Vec<SymbolFile>,
    /// Tables that do not fit their own size, and are left out; what stands behind a wrong size counts as one.
    pub damaged: u64,
}

/// The symbols of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolFile {
    /// Its path, as in its mappings.
    pub path: String,
    /// What it is.
    pub kind: FileKind,
    /// The address that the linker gave to the first code.
    pub min_address: u64,
    /// Where that code stands: the offset in the file, or in the memory of a module of the kernel. `None` where the
    /// recorder did not say.
    pub min_offset: Option<u64>,
    /// Its functions.
    pub symbols: Vec<FileSymbol>,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSymbol {
    /// Its address, as the linker gave it; in the kernel's image the one that it ran at.
    pub start: u64,
    /// Its bytes, more than none.
    pub size: u64,
    /// Its name, as the linker knows it.
    pub name: String,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// The kernel's image.
    Kernel,
    /// A module of the kernel.
    KernelModule,
    /// A program or library, or code that was generated, whose addresses are those that it ran at.
    Elf,
    /// A file with bytecode; addresses are offsets in it.
    Dex,
    /// One that a process wrote for its generated code, or of no known type.
    Other,
}

impl FileKind {
    fn of(number: u64) -> Self {
        match number {
            0 => FileKind::Kernel,
            1 => FileKind::KernelModule,
            2 => FileKind::Elf,
            3 => FileKind::Dex,
            _ => FileKind::Other,
        }
    }
}

/// Reads a FILE section: each table with its size in front, as a structure of C.
pub fn file(section: &[u8], endian: Endian) -> SymbolTables {
    tables(section, endian, |entry| structure(Bytes::new(entry, endian)))
}

/// Reads a FILE2 section: each table with its size in front, as a message of protocol buffers.
pub fn file2(section: &[u8], endian: Endian) -> SymbolTables {
    tables(section, endian, message)
}

fn tables(section: &[u8], endian: Endian, read: impl Fn(&[u8]) -> Option<SymbolFile>) -> SymbolTables {
    let mut tables = SymbolTables::default();
    let mut bytes = Bytes::new(section, endian);
    while !bytes.rest().is_empty() {
        let Some(entry) = bytes.sized() else {
            tables.damaged += 1;
            break;
        };
        match read(entry) {
            Some(file) if file.symbols.is_empty() => {}
            Some(file) => tables.files.push(file),
            None => tables.damaged += 1,
        }
    }
    tables
}

/// The recorder's word for an offset that it did not find out.
fn known(offset: u64) -> Option<u64> {
    (offset != u64::MAX).then_some(offset)
}

/// Path, type, address of the first code, count of symbols, symbols, and what files of the type have besides. Nothing
/// may be left, as then something was misread.
fn structure(mut bytes: Bytes<'_>) -> Option<SymbolFile> {
    let path = text(bytes.terminated()?);
    let kind = FileKind::of(u64::from(bytes.u32()?));
    let min_address = bytes.u64()?;
    let n_symbols = bytes.u32()?;
    let mut symbols = Vec::new();
    for _ in 0..n_symbols {
        let (start, size) = (bytes.u64()?, u64::from(bytes.u32()?));
        push(&mut symbols, start, size, bytes.terminated()?);
    }
    let mut min_offset = None;
    match kind {
        FileKind::Dex => {
            let n_offsets = bytes.u32()?;
            bytes.take_items(u64::from(n_offsets), 8)?;
        }
        // Recorders of before 2020 do not have it.
        FileKind::Elf | FileKind::KernelModule if !bytes.rest().is_empty() => {
            min_offset = known(bytes.u64()?);
        }
        _ => {}
    }
    bytes.rest().is_empty().then_some(SymbolFile { path, kind, min_address, min_offset, symbols })
}

/// A function without a name or without bytes names no address.
fn push(symbols: &mut Vec<FileSymbol>, start: u64, size: u64, name: &[u8]) {
    if size > 0 && !name.is_empty() {
        symbols.push(FileSymbol { start, size, name: text(name) });
    }
}

/// The same as a message: path 1, type 2, address of the first code 3, symbols 4, and, by the file's type, a message 6
/// or 7 that holds the first code's offset as 1.
fn message(bytes: &[u8]) -> Option<SymbolFile> {
    let (mut path, mut kind, mut min_address) = (String::new(), FileKind::Kernel, 0);
    let (mut in_file, mut in_memory) = (None, None);
    let mut symbols = Vec::new();
    for field in Fields(bytes) {
        match field? {
            (1, Value::Bytes(value)) => path = text(value),
            (2, Value::Number(value)) => kind = FileKind::of(value),
            (3, Value::Number(value)) => min_address = value,
            (4, Value::Bytes(value)) => symbol(value, &mut symbols)?,
            (6, Value::Bytes(value)) => in_file = Some(first_number(value)?),
            (7, Value::Bytes(value)) => in_memory = Some(first_number(value)?),
            _ => {}
        }
    }
    // A file of these types without the message was cut.
    let min_offset = match kind {
        FileKind::Elf => known(in_file?),
        FileKind::KernelModule => known(in_memory?),
        _ => None,
    };
    Some(SymbolFile { path, kind, min_address, min_offset, symbols })
}

/// A symbol as a message: address 1, bytes 2, name 3. What is zero is left out.
fn symbol(bytes: &[u8], symbols: &mut Vec<FileSymbol>) -> Option<()> {
    let (mut start, mut size, mut name) = (0, 0, &[][..]);
    for field in Fields(bytes) {
        match field? {
            (1, Value::Number(value)) => start = value,
            (2, Value::Number(value)) => size = value,
            (3, Value::Bytes(value)) => name = value,
            _ => {}
        }
    }
    push(symbols, start, size, name);
    Some(())
}

/// Field 1 of a message, which is left out where it is zero.
fn first_number(bytes: &[u8]) -> Option<u64> {
    let mut first = 0;
    for field in Fields(bytes) {
        if let (1, Value::Number(value)) = field? {
            first = value;
        }
    }
    Some(first)
}

/// The fields of a message of protocol buffers: number and value. `None`, once, where the bytes are no field.
struct Fields<'a>(&'a [u8]);

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of a fixed width, which none of these messages has.
    Fixed,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Option<(u64, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Option<(u64, Value<'a>)> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            _ => return None,
        };
        Some((key >> 3, value))
    }

    fn take(&mut self, n: u64) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(usize::try_from(n).ok()?)?;
        self.0 = tail;
        Some(head)
    }

    /// A number in groups of seven bits, the lowest first; all bytes but the last have their highest bit set.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, tail) = self.0.split_first()?;
            self.0 = tail;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}
