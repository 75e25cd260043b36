//! Addresses to names, from sources that match the recording: a name is right or absent, never wrong.

pub mod choice;
mod demangle;
mod elf;
pub mod kallsyms;
mod kernel;
mod recorded;
mod sources;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::id::{FrameId, PartId};
use crate::profile::part::Parts;
use crate::profile::{Address, AddressKind, Module, ModuleKind, Profile};
use elf::ElfSymbols;
use kernel::{KernelSymbols, NoKernel};
use recorded::Recorded;
pub use sources::{Host, NoFile, Sources};

/// What a frame is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    /// The function, or `[module]+0x1234` where it has no name.
    pub name: String,
    /// The object it lies in, as perf shows it.
    pub module: String,
    /// What the object is.
    pub kind: ModuleKind,
    /// Whether the name is a function's.
    pub naming: Naming,
}

/// Whether a frame was given a name, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Naming {
    /// It was.
    Named,
    /// It was not.
    Unnamed(Reason),
}

/// Why a frame has no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// No list of the kernel's symbols fits.
    NoKernelSymbols,
    /// The list that fits hides its addresses.
    Restricted,
    /// The kernel's module is not in the list.
    NoModuleSymbols,
    /// No file with the recorded build-id.
    NoMatchingFile,
    /// The recording holds no build-id for the file.
    NoBuildId,
    /// The file has no symbols.
    Stripped,
    /// The symbols leave a gap there.
    Gap,
    /// The memory belongs to no file: generated code, or the kernel's own object.
    NotAFile,
    /// The address lies in no recorded mapping.
    Unmapped,
    /// The address is a guest's or the hypervisor's.
    Foreign,
}

impl Reason {
    /// Cause and remedy, for a sentence that begins with the share of frames.
    pub fn words(self) -> &'static str {
        match self {
            Reason::NoKernelSymbols => {
                "of the kernel, whose symbols are not here: copy /proc/kallsyms of the recorded machine beside the \
                 recording, or name it with --kallsyms"
            }
            Reason::Restricted => {
                "of the kernel, whose addresses are hidden: set kernel.kptr_restrict to 0, or run as root"
            }
            Reason::NoModuleSymbols => {
                "of kernel modules that the list of symbols does not have: take /proc/kallsyms of the same boot"
            }
            Reason::NoMatchingFile => {
                "of files whose build-id no file here has: name the recorded machine's root with --symfs"
            }
            Reason::NoBuildId => {
                "of files for which the recording has no build-id: name the right files' root with --symfs"
            }
            Reason::Stripped => "of files without symbols: install their debug symbols",
            Reason::Gap => "between the symbols of their files",
            Reason::NotAFile => "of memory that no file stands behind (generated code, vdso)",
            Reason::Unmapped => {
                "at addresses that no mapping has: record with frame pointers or --call-graph dwarf"
            }
            Reason::Foreign => "of guests or the hypervisor",
        }
    }
}

/// What symbolization found, besides names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolution {
    /// Where the kernel's symbols come from.
    pub kernel_origin: Option<String>,
    /// Frames of all samples.
    pub frames: u64,
    /// Frames without a name, by reason.
    pub unnamed: BTreeMap<Reason, u64>,
}

impl Resolution {
    /// The part of all samples' frames that has no name.
    pub fn unnamed_share(&self) -> f64 {
        if self.frames == 0 { 0.0 } else { self.unnamed.values().sum::<u64>() as f64 / self.frames as f64 }
    }
}

/// Names every frame of a profile. `recording` and `release` help to find the kernel's symbols.
///
/// # Errors
/// Where a source that the user named cannot be read.
pub fn symbolize(
    profile: Profile<Address>,
    recording: &Path,
    release: Option<&str>,
    sources: &Sources,
) -> Result<(Profile<Symbol>, Resolution)> {
    let kernel_module = profile.modules.iter().find(|module| module.kind == ModuleKind::Kernel);
    let kernel = kernel::find(kernel_module, recording, release, sources, &kernel_addresses(&profile))?;
    let recorded = Recorded::new(&sources.recorded);
    let kernel_origin = kernel_origin(&recorded, kernel.as_ref().ok());
    let mut namer = Namer::new(&profile.modules, recorded, kernel, sources);
    let kernel = namer.parts(&profile.kernel, &profile.frames);
    let user = namer.parts(&profile.user, &profile.frames);
    let symbols = namer.symbols;
    let named = Profile {
        frames: symbols,
        kernel,
        user,
        modules: profile.modules.clone(),
        comms: profile.comms,
        entries: profile.entries,
    };
    let resolution = count_unnamed(&named, kernel_origin);
    Ok((named, resolution))
}

/// The source of the kernel's names, or both in the order in which they are asked.
fn kernel_origin(recorded: &Recorded, list: Option<&KernelSymbols>) -> Option<String> {
    let own = recorded.has_kernel().then(|| "the recording itself".to_owned());
    let origins: Vec<String> = own.into_iter().chain(list.map(|list| list.origin.clone())).collect();
    (!origins.is_empty()).then(|| origins.join(", then "))
}

/// Where the kernel's image ran, each address once.
fn kernel_addresses(profile: &Profile<Address>) -> Vec<u64> {
    let of_kernel =
        profile.frames.iter().filter(|a| profile.modules[a.module.index()].kind == ModuleKind::Kernel);
    of_kernel
        .map(|address| match address.kind {
            AddressKind::Instruction => address.offset,
            AddressKind::Return => address.offset.wrapping_sub(1),
        })
        .collect()
}

fn count_unnamed(profile: &Profile<Symbol>, kernel_origin: Option<String>) -> Resolution {
    let mut resolution = Resolution { kernel_origin, ..Resolution::default() };
    let mut samples: [FxHashMap<PartId, u64>; 2] = Default::default();
    for entry in &profile.entries {
        *samples[0].entry(entry.key.kernel).or_default() += entry.samples;
        *samples[1].entry(entry.key.user).or_default() += entry.samples;
    }
    for (parts, samples) in [(&profile.kernel, &samples[0]), (&profile.user, &samples[1])] {
        for (&part, &n) in samples {
            let frames = parts.get(part);
            resolution.frames += n * frames.len() as u64;
            for frame in frames {
                if let Naming::Unnamed(reason) = profile.frames[frame.index()].naming {
                    *resolution.unnamed.entry(reason).or_default() += n;
                }
            }
        }
    }
    resolution
}

/// Hands out a symbol for each distinct address, and an id for each distinct symbol.
struct Namer<'a> {
    modules: &'a [Module],
    recorded: Recorded,
    kernel: std::result::Result<KernelSymbols, NoKernel>,
    sources: &'a Sources,
    files: FxHashMap<u32, std::result::Result<ElfSymbols, NoFile>>,
    symbols: Vec<Symbol>,
    ids: FxHashMap<Symbol, FrameId>,
    known: FxHashMap<Address, FrameId>,
}

impl<'a> Namer<'a> {
    fn new(
        modules: &'a [Module],
        recorded: Recorded,
        kernel: std::result::Result<KernelSymbols, NoKernel>,
        sources: &'a Sources,
    ) -> Self {
        Self {
            modules,
            recorded,
            kernel,
            sources,
            files: FxHashMap::default(),
            symbols: Vec::new(),
            ids: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    fn parts(&mut self, parts: &Parts, frames: &[Address]) -> Parts {
        let mut named = Parts::default();
        let mut part_names = Vec::new();
        for part in parts.ids().skip(1) {
            part_names.clear();
            let mut inner: Option<FrameId> = None;
            for (depth, frame) in parts.get(part).iter().enumerate() {
                let mut address = frames[frame.index()];
                // The frame that an interrupt hit, and the user's code that entered the kernel, were not calling.
                let was_hit = depth == 0
                    || inner.is_some_and(|inner| is_interrupt_entry(&self.symbols[inner.index()].name));
                if was_hit {
                    address.kind = AddressKind::Instruction;
                }
                let id = self.name(address);
                part_names.push(id);
                inner = Some(id);
            }
            named.push(part_names.iter().copied());
        }
        named
    }

    fn name(&mut self, address: Address) -> FrameId {
        if let Some(&id) = self.known.get(&address) {
            return id;
        }
        let symbol = self.symbol(address);
        let id = *self.ids.entry(symbol).or_insert_with_key(|symbol| {
            self.symbols.push(symbol.clone());
            FrameId(self.symbols.len() as u32 - 1)
        });
        self.known.insert(address, id);
        id
    }

    fn symbol(&mut self, address: Address) -> Symbol {
        let module = &self.modules[address.module.index()];
        let place = match address.kind {
            AddressKind::Instruction => address.offset,
            AddressKind::Return => address.offset.wrapping_sub(1),
        };
        let found = self.lookup(module, address, place);
        let (name, naming) = match found {
            Ok(name) => (demangle::demangle(&name).into_owned(), Naming::Named),
            Err(reason) => {
                let offset = match module.kind {
                    ModuleKind::Kernel | ModuleKind::KernelModule => address.offset.wrapping_sub(module.base),
                    _ => address.offset,
                };
                (format!("[{}]+0x{offset:x}", module.name.trim_matches(['[', ']'])), Naming::Unnamed(reason))
            }
        };
        Symbol { name, module: module.name.clone(), kind: module.kind, naming }
    }

    fn lookup(
        &mut self,
        module: &Module,
        address: Address,
        place: u64,
    ) -> std::result::Result<String, Reason> {
        if let Some(name) = self.recorded.find(module, place) {
            return Ok(name.to_owned());
        }
        match module.kind {
            ModuleKind::KernelSymbol => Ok(module.name.clone()),
            ModuleKind::UnmappedUser | ModuleKind::UnmappedKernel => Err(Reason::Unmapped),
            ModuleKind::Foreign => Err(Reason::Foreign),
            ModuleKind::Kernel | ModuleKind::KernelModule => match &self.kernel {
                Ok(symbols) => match symbols.find(module, place) {
                    Some(name) => Ok(name.to_owned()),
                    None if module.kind == ModuleKind::KernelModule && !symbols.has_module(module) => {
                        Err(Reason::NoModuleSymbols)
                    }
                    None => Err(Reason::Gap),
                },
                Err(NoKernel::NoSource) => Err(Reason::NoKernelSymbols),
                Err(NoKernel::Restricted) => Err(Reason::Restricted),
            },
            ModuleKind::User => {
                let file = self
                    .files
                    .entry(address.module.0)
                    .or_insert_with(|| sources::user_symbols(module, self.sources));
                match file {
                    Ok(symbols) => symbols.find(place).map(str::to_owned).ok_or(Reason::Gap),
                    Err(NoFile::NoMatch) => Err(Reason::NoMatchingFile),
                    Err(NoFile::NoBuildId) => Err(Reason::NoBuildId),
                    Err(NoFile::NotAFile) => Err(Reason::NotAFile),
                    Err(NoFile::Stripped) => Err(Reason::Stripped),
                }
            }
        }
    }
}

/// Whether the frame outside of this one was hit by an interrupt or exception instead of making a call.
fn is_interrupt_entry(name: &str) -> bool {
    const PREFIXES: [&str; 9] = [
        "asm_sysvec_",
        "asm_exc_",
        "asm_common_interrupt",
        "asm_spurious_interrupt",
        "el1h_64_irq",
        "el1h_64_sync",
        "ret_from_intr",
        "apic_timer_interrupt",
        "common_interrupt",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || matches!(
            name,
            "error_entry"
                | "paranoid_entry"
                | "page_fault"
                | "nmi"
                | "end_repeat_nmi"
                | "el1_irq"
                | "el1_da"
                | "handle_exception"
        )
}
