//! The sections in which simpleperf, Android's recorder, lists symbols: FILE, and FILE2 as protocol buffers.
//!
//! The layouts follow `record_file_format.h` and `record_file.proto` of Android's simpleperf.

use super::feature::{Feature, id};
use super::fields::Fields;

/// What a listed file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    Kernel = 0,
    KernelModule = 1,
    Elf = 2,
    Dex = 3,
    SymbolMap = 4,
    Unknown = 5,
}

/// The symbols of one file.
#[derive(Clone, Debug)]
pub struct SymbolList {
    kind: Listed,
    path: String,
    min_vaddr: u64,
    min_offset: Option<u64>,
    symbols: Vec<(u64, u32, String)>,
}

impl SymbolList {
    /// A list of this file, whose first code the linker placed at `min_vaddr`.
    pub fn new(kind: Listed, path: &str, min_vaddr: u64) -> Self {
        Self { kind, path: path.to_owned(), min_vaddr, min_offset: None, symbols: Vec::new() }
    }

    /// Says where the first code stands: in the file, or in the memory of a module of the kernel.
    pub fn min_offset(mut self, offset: u64) -> Self {
        self.min_offset = Some(offset);
        self
    }

    /// Adds a function.
    pub fn symbol(mut self, vaddr: u64, len: u32, name: &str) -> Self {
        self.symbols.push((vaddr, len, name.to_owned()));
        self
    }

    fn structure(&self) -> Fields {
        let text = |fields: Fields, text: &str| fields.bytes(text.as_bytes()).bytes(&[0]);
        let head = text(Fields::new(), &self.path).u32(self.kind as u32).u64(self.min_vaddr);
        let head = head.u32(self.symbols.len() as u32);
        let listed = self
            .symbols
            .iter()
            .fold(head, |fields, (vaddr, len, name)| text(fields.u64(*vaddr).u32(*len), name));
        match (self.kind, self.min_offset) {
            (Listed::Dex, _) => listed.u32(2).u64s(&[0x28, 0x9000]),
            (_, Some(offset)) => listed.u64(offset),
            _ => listed,
        }
    }

    fn message(&self) -> Vec<u8> {
        let mut out = Vec::new();
        bytes(&mut out, 1, self.path.as_bytes());
        number(&mut out, 2, self.kind as u64);
        number(&mut out, 3, self.min_vaddr);
        for (vaddr, len, name) in &self.symbols {
            let mut symbol = Vec::new();
            number(&mut symbol, 1, *vaddr);
            number(&mut symbol, 2, u64::from(*len));
            bytes(&mut symbol, 3, name.as_bytes());
            bytes(&mut out, 4, &symbol);
        }
        let mut own = Vec::new();
        match self.kind {
            Listed::Dex => {
                // Two numbers, packed.
                bytes(&mut own, 1, &[0x28, 0x80, 0x80, 0x02]);
                bytes(&mut out, 5, &own);
            }
            Listed::Elf | Listed::KernelModule => {
                number(&mut own, 1, self.min_offset.unwrap_or(u64::MAX));
                bytes(&mut out, if self.kind == Listed::Elf { 6 } else { 7 }, &own);
            }
            _ => {}
        }
        out
    }
}

impl Feature {
    /// FILE, as written until 2022.
    pub fn file(lists: &[SymbolList]) -> Self {
        let body = lists.iter().fold(Fields::new(), |fields, list| {
            let list = list.structure();
            fields.u32(list.len() as u32).then(list)
        });
        Self { id: id::SIMPLEPERF_FILE, body }
    }

    /// FILE2.
    pub fn file2(lists: &[SymbolList]) -> Self {
        let body = lists.iter().fold(Fields::new(), |fields, list| {
            let list = list.message();
            fields.u32(list.len() as u32).bytes(&list)
        });
        Self { id: id::SIMPLEPERF_FILE2, body }
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A number; zero is left out, as protocol buffers of version 3 do.
fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    if value != 0 {
        varint(out, field << 3);
        varint(out, value);
    }
}

fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend(value);
}
