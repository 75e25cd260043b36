//! Symbols that stand in the recording itself, beside its samples: whatever machine reads it, they are of what ran.

/// The symbols of one object. Often only those that were hit: between two of them nothing is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The object's path, as [`super::Module::path`] has it.
    pub path: String,
    /// What the object is, and how its places become addresses of the list.
    pub placing: Placing,
    /// Its functions.
    pub symbols: Vec<ListedSymbol>,
}

/// A function in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSymbol {
    /// Its first address.
    pub start: u64,
    /// Its bytes.
    pub size: u64,
    /// Its name, as the linker knows it.
    pub name: String,
}

/// Where an object's code has which address in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placing {
    /// The kernel's image, and modules too: addresses are those of the recording.
    Kernel,
    /// A module of the kernel: so many bytes behind its start stands this address.
    KernelModule {
        /// The bytes.
        offset: u64,
        /// The address.
        address: u64,
    },
    /// A file: at this offset in it stands this address.
    File {
        /// The offset.
        offset: u64,
        /// The address.
        address: u64,
    },
    /// A file: at the lowest offset that was mapped as code stands this address.
    FirstCode {
        /// The address.
        address: u64,
    },
}
