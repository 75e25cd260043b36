//! Typed ids, and the interning of names that hands them out.

use rustc_hash::FxHashMap;

/// Declares an id that indexes one table and cannot be taken for another's.
macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $name {
            /// The place in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

typed_id!(
    /// A string of an [`Interner`].
    NameId
);
typed_id!(
    /// A distinct frame of a profile.
    FrameId
);
typed_id!(
    /// A distinct kernel or user part of a callchain.
    PartId
);
typed_id!(
    /// A mapped object: the kernel, a module, a binary, a library.
    ModuleId
);
typed_id!(
    /// A distinct symbol.
    SymbolId
);
typed_id!(
    /// One state of an address space between two changes that alter what an address means.
    SpaceId
);

/// Strings stored once.
#[derive(Debug, Default, Clone)]
pub struct Interner {
    names: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, NameId>,
}

impl Interner {
    /// The id of `name`, new or known.
    pub fn intern(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(name.into());
        self.ids.insert(name.into(), id);
        id
    }

    /// The string behind an id that this interner handed out.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.index()]
    }
}
