//! Tables of symbols that the recorder carried along, as listings by which frames are named.

use crate::perf::Recording;
use crate::perf::simpleperf::{FileKind, FileSymbol, SymbolFile};
use crate::profile::listing::{ListedSymbol, Listing, Placing};

/// The listings of a recording; none where the recorder does not write them.
pub fn listings(recording: &Recording) -> Vec<Listing> {
    recording.features.symbols.files.iter().filter_map(listing).collect()
}

fn listing(file: &SymbolFile) -> Option<Listing> {
    let listed = |FileSymbol { start, size, name }: &FileSymbol| ListedSymbol {
        start: *start,
        size: *size,
        name: name.clone(),
    };
    Some(Listing {
        path: file.path.clone(),
        placing: placing(file)?,
        symbols: file.symbols.iter().map(listed).collect(),
    })
}

/// `None` for files whose symbols are by addresses that no mapping tells.
fn placing(file: &SymbolFile) -> Option<Placing> {
    const PAGE: u64 = 4096;
    let address = file.min_address;
    Some(match (file.kind, file.min_offset) {
        (FileKind::Kernel, _) => Placing::Kernel,
        (FileKind::KernelModule, offset) => Placing::KernelModule { offset: offset.unwrap_or(0), address },
        (FileKind::Elf, Some(offset)) => Placing::File { offset, address },
        // What is mapped starts with a page.
        (FileKind::Elf, None) => Placing::FirstCode { address: address & !(PAGE - 1) },
        (FileKind::Dex, _) => Placing::File { offset: 0, address: 0 },
        (FileKind::Other, _) => return None,
    })
}
