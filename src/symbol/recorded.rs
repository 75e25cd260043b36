//! Names out of the recording itself: listings that its recorder wrote where the code ran.

use rustc_hash::FxHashMap;

use super::choice::{Binding, Origin};
use super::table::Table;
use crate::profile::listing::{Listing, Placing};
use crate::profile::{Module, ModuleKind};

/// The listings, ready to be searched.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    kernel: Table,
    kernel_modules: FxHashMap<String, Placed>,
    files: FxHashMap<String, Placed>,
}

#[derive(Debug, Clone)]
struct Placed {
    placing: Placing,
    table: Table,
}

impl Recorded {
    /// Sorts the listings; of two of one object the first counts.
    pub(super) fn new(listings: &[Listing]) -> Self {
        let mut recorded = Self::default();
        for Listing { path, placing, symbols } in listings {
            let mut table = Table::default();
            for symbol in symbols {
                table.push(symbol.start, symbol.size, Binding::Global, &symbol.name);
            }
            let (objects, origin) = match placing {
                Placing::Kernel => {
                    if recorded.kernel.is_empty() {
                        recorded.kernel = table.finish(Origin::Kernel);
                    }
                    continue;
                }
                Placing::KernelModule { .. } => (&mut recorded.kernel_modules, Origin::Kernel),
                Placing::File { .. } | Placing::FirstCode { .. } => (&mut recorded.files, Origin::File),
            };
            let placed = || Placed { placing: *placing, table: table.finish(origin) };
            objects.entry(path.clone()).or_insert_with(placed);
        }
        recorded
    }

    /// The name at a place in a module: an address in the kernel, an offset in a file.
    pub(super) fn find(&self, module: &Module, place: u64) -> Option<&str> {
        let in_kernel = || self.kernel.find(place).map(|(_, name)| without_module(name));
        match module.kind {
            ModuleKind::Kernel => in_kernel(),
            ModuleKind::KernelModule => {
                let own = self.kernel_modules.get(&module.path);
                own.and_then(|placed| placed.find(module, place.wrapping_sub(module.base))).or_else(in_kernel)
            }
            ModuleKind::User => self.files.get(&module.path)?.find(module, place),
            _ => None,
        }
    }

    /// Whether names of the kernel are among them.
    pub(super) fn has_kernel(&self) -> bool {
        !self.kernel.is_empty()
    }
}

impl Placed {
    fn find(&self, module: &Module, place: u64) -> Option<&str> {
        let (offset, address) = match self.placing {
            Placing::Kernel => return None,
            Placing::KernelModule { offset, address } | Placing::File { offset, address } => {
                (offset, address)
            }
            Placing::FirstCode { address } => (module.code_offset?, address),
        };
        let address = place.wrapping_sub(offset).wrapping_add(address);
        self.table.find(address).map(|(_, name)| name)
    }
}

/// The kernel's list writes a module's function as `name [module]`.
fn without_module(name: &str) -> &str {
    match name.rsplit_once(" [") {
        Some((name, module)) if module.ends_with(']') => name,
        _ => name,
    }
}
