//! Interned callchains with weights: what a recording weighs, stack by stack. Knows nothing of perf.
//!
//! A callchain is kept as two parts, kernel and user, for the same kernel part stands over many user parts: a table
//! of distinct parts and a list of distinct pairs is a fraction of the distinct whole stacks. Memory follows these,
//! not the samples.

pub mod grid;
pub mod listing;
pub mod part;

use crate::id::{ModuleId, NameId, PartId};
use crate::units::Weight;
use part::Parts;

/// Blocks of equal time that a run is cut into, for the error within the run (`docs/statistics.md`).
pub const TIME_BLOCKS: usize = 20;

/// What a mapped object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModuleKind {
    /// The kernel's image.
    Kernel,
    /// A loadable module of the kernel.
    KernelModule,
    /// A symbol that the kernel announced: a BPF program, a trampoline. Its name is the symbol.
    KernelSymbol,
    /// A file that a process mapped, or an object that the kernel gives to processes.
    User,
    /// An address in no known mapping of a process.
    UnmappedUser,
    /// An address in no known mapping of the kernel.
    UnmappedKernel,
    /// A guest's or the hypervisor's address.
    Foreign,
}

impl ModuleKind {
    /// Whether code of it runs in the kernel.
    pub fn is_kernel(self) -> bool {
        matches!(
            self,
            ModuleKind::Kernel
                | ModuleKind::KernelModule
                | ModuleKind::KernelSymbol
                | ModuleKind::UnmappedKernel
        )
    }
}

/// A mapped object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// What it is.
    pub kind: ModuleKind,
    /// Its path, or its name in brackets.
    pub path: String,
    /// As perf shows it: the file's name.
    pub name: String,
    /// Its build-id, where the recording has it.
    pub build_id: Option<Vec<u8>>,
    /// For a module of the kernel its first address; for the kernel the address of its reference symbol.
    pub base: u64,
    /// For the kernel, the name of its reference symbol (`_text`, `_stext`).
    pub reference: Option<String>,
    /// The inode's number, where the recording has it.
    pub inode: Option<u64>,
    /// For a file, the lowest offset that was mapped as code.
    pub code_offset: Option<u64>,
}

/// A place in the code, before it has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// Where it lies.
    pub module: ModuleId,
    /// The offset in the module's file; in the kernel, and where there is no module, the address itself.
    pub offset: u64,
    /// Which byte names it.
    pub kind: AddressKind,
}

/// Whether an address is of the instruction that ran or of the one after the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressKind {
    /// The instruction that ran: a leaf, or where an interrupt hit.
    Instruction,
    /// The one to return to: the call ends one byte before.
    Return,
}

/// A distinct combination of what samples are told apart by, with the sum of their weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What was sampled together.
    pub key: EntryKey,
    /// The sum of periods.
    pub weight: Weight,
    /// The number of samples.
    pub samples: u64,
}

impl Entry {
    /// The weight and the samples of some entries together.
    pub fn sum<'a>(entries: impl Iterator<Item = &'a Entry>) -> (Weight, u64) {
        entries.fold((Weight(0), 0), |(weight, n), entry| (weight + entry.weight, n + entry.samples))
    }
}

/// What samples are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryKey {
    /// The kernel's part of the callchain; the empty part for a sample of user space.
    pub kernel: PartId,
    /// The user's part.
    pub user: PartId,
    /// The thread's name.
    pub comm: NameId,
    /// Which event, by its place in the recording.
    pub event: u16,
    /// The processor; `u16::MAX` where it was not asked for or not recorded.
    pub cpu: u16,
    /// The block of time, below [`TIME_BLOCKS`].
    pub block: u8,
    /// The idle task (pid 0).
    pub idle: bool,
}

/// The processor of an entry that is not kept apart by it.
pub const NO_CPU: u16 = u16::MAX;

/// A recording's weight by stack. `F` is what stands for a frame: [`Address`], or a symbol.
#[derive(Debug, Clone)]
pub struct Profile<F> {
    /// Mapped objects.
    pub modules: Vec<Module>,
    /// Distinct frames.
    pub frames: Vec<F>,
    /// Distinct kernel parts, leaf first.
    pub kernel: Parts,
    /// Distinct user parts, leaf first.
    pub user: Parts,
    /// Names of threads.
    pub comms: crate::id::Interner,
    /// Weights, in the order of their keys, so that a callchain's stand together.
    pub entries: Vec<Entry>,
}

impl<F> Profile<F> {
    /// The entries of an event callchain by callchain, each time with the first of them, in the order of the parts.
    pub fn by_callchain(&self, event: u16) -> impl Iterator<Item = (&Entry, impl Iterator<Item = &Entry>)> {
        let pair = |entry: &Entry| (entry.key.kernel, entry.key.user);
        let same = move |one: &Entry, other: &Entry| pair(one) == pair(other);
        self.entries.chunk_by(same).filter_map(move |entries| {
            let own = entries.iter().filter(move |entry| entry.key.event == event);
            Some((own.clone().next()?, own))
        })
    }

    /// The sum of all entries of an event.
    pub fn total(&self, event: u16) -> (Weight, u64) {
        Entry::sum(self.entries.iter().filter(|entry| entry.key.event == event))
    }
}
