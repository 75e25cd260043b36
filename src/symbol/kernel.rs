//! Finds a list of the recorded kernel's symbols that can be trusted, or says why there is none.

use std::path::{Path, PathBuf};

use super::kallsyms::Kallsyms;
use super::sources::{Host, Sources, hex};
use crate::error::{Error, Result};
use crate::file;
use crate::profile::{Module, ModuleKind};

/// The kernel's symbols at the addresses of a recording.
#[derive(Debug, Clone)]
pub(super) struct KernelSymbols {
    /// Where they come from, for the report.
    pub origin: String,
    list: Kallsyms,
    /// What to take from a recorded address.
    displacement: u64,
}

/// Why the kernel has no names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NoKernel {
    /// No source fits the recording.
    NoSource,
    /// The only source that fits hides its addresses.
    Restricted,
}

impl KernelSymbols {
    /// Whether the list is of another kernel: code that ran would stand in its data.
    fn is_foreign(&self, addresses: &[u64]) -> bool {
        const ENOUGH: usize = 20;
        const STRAY: usize = 20;
        let in_data = |address: &&u64| self.list.has_data_at(address.wrapping_sub(self.displacement));
        addresses.len() >= ENOUGH && addresses.iter().filter(in_data).count() * STRAY > addresses.len()
    }

    /// The name at a recorded address of the kernel or of one of its modules.
    pub(super) fn find(&self, module: &Module, address: u64) -> Option<&str> {
        match module.kind {
            ModuleKind::Kernel => self.list.kernel(address.wrapping_sub(self.displacement)),
            // A module stands elsewhere after each boot: the list is of this boot if the kernel stands where it did.
            ModuleKind::KernelModule if self.displacement == 0 => {
                self.list.module(&module.name, module.base, address)
            }
            _ => None,
        }
    }

    /// Whether the list names this module at all, at the addresses of the recording.
    pub(super) fn has_module(&self, module: &Module) -> bool {
        self.displacement == 0 && self.list.has_module(&module.name)
    }
}

/// The first source that fits, in the order of how sure it is. `addresses` are the recording's in the kernel.
///
/// # Errors
/// Where the file that the user named cannot be read, or is of another kernel; others are passed over.
pub(super) fn find(
    kernel: Option<&Module>,
    recording: &Path,
    release: Option<&str>,
    sources: &Sources,
    addresses: &[u64],
) -> Result<std::result::Result<KernelSymbols, NoKernel>> {
    let reference = kernel.and_then(|module| module.reference.as_deref());
    let recorded = kernel.map_or(0, |module| module.base);
    let place = |list: Kallsyms, origin: String| {
        // A recording without the kernel's mapping, or a list without its reference, is taken to stand in place.
        let displacement = match kernel {
            Some(_) if recorded != 0 => list.displacement(reference, recorded).unwrap_or(0),
            _ => 0,
        };
        KernelSymbols { origin, list, displacement }
    };
    if let Some(path) = &sources.kallsyms {
        let symbols = place(Kallsyms::read(path)?, path.display().to_string());
        if symbols.is_foreign(addresses) {
            return Err(Error::file(path, "is of another kernel: code of the recording stands in its data")
                .remedy("name a copy of /proc/kallsyms of the recorded kernel"));
        }
        return Ok(Ok(symbols));
    }
    let build_id = kernel.and_then(|module| module.build_id.as_deref());
    let mut candidates = beside(recording);
    candidates.extend(build_id.and_then(|id| cached(sources.home.as_deref()?, id)));
    for path in candidates {
        let read = Kallsyms::read(&path).map(|list| place(list, path.display().to_string()));
        if let Some(symbols) = read.ok().filter(|symbols| !symbols.is_foreign(addresses)) {
            return Ok(Ok(symbols));
        }
    }
    if sources.host == Host::Ignored {
        return Ok(Err(NoKernel::NoSource));
    }
    let same = match (build_id, running_build_id()) {
        (Some(recorded), Some(running)) => recorded == running,
        _ => release.is_some_and(|recorded| running_release().is_some_and(|running| running == recorded)),
    };
    if !same {
        return Ok(Err(NoKernel::NoSource));
    }
    let Ok(list) = Kallsyms::read(Path::new("/proc/kallsyms")) else { return Ok(Err(NoKernel::Restricted)) };
    let symbols = place(list, "/proc/kallsyms of this machine, whose kernel was recorded".to_owned());
    // Without a build-id only the same place in memory shows that it is the same boot.
    let proven = build_id.is_some() || (recorded != 0 && symbols.displacement == 0);
    Ok(if proven { Ok(symbols) } else { Err(NoKernel::NoSource) })
}

/// A list that lies beside the recording, or inside its directory. Nothing lies beside standard input.
fn beside(recording: &Path) -> Vec<PathBuf> {
    if recording == Path::new(file::STDIN) {
        return Vec::new();
    }
    let folder = recording.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
    let mut places = vec![recording.join("kcore_dir/kallsyms"), recording.join("kallsyms")];
    places.extend(folder.into_iter().flat_map(|p| [p.join("kallsyms"), p.join("kallsyms.gz")]));
    places.into_iter().filter(|path| path.is_file()).collect()
}

/// The copy in perf's cache of build-ids.
fn cached(home: &Path, build_id: &[u8]) -> Option<PathBuf> {
    let id = hex(build_id);
    let (head, tail) = id.split_at_checked(2)?;
    [format!(".debug/[kernel.kallsyms]/{id}/kallsyms"), format!(".debug/.build-id/{head}/{tail}/kallsyms")]
        .into_iter()
        .map(|place| home.join(place))
        .find(|path| path.is_file())
}

/// The running kernel's build-id, from its ELF notes.
fn running_build_id() -> Option<Vec<u8>> {
    build_id_note(&std::fs::read("/sys/kernel/notes").ok()?)
}

/// The build-id among ELF notes: name size, description size, type 3, `GNU`.
fn build_id_note(mut notes: &[u8]) -> Option<Vec<u8>> {
    loop {
        let word = |at: usize| Some(u32::from_ne_bytes(notes.get(at..at + 4)?.try_into().ok()?) as usize);
        let (name, description, kind) = (word(0)?, word(4)?, word(8)?);
        let start = 12usize.checked_add(name.checked_next_multiple_of(4)?)?;
        let end = start.checked_add(description)?;
        if kind == 3 && notes.get(12..16) == Some(b"GNU\0") {
            return notes.get(start..end).map(<[u8]>::to_vec);
        }
        notes = notes.get(end.checked_next_multiple_of(4)?..)?;
    }
}

fn running_release() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/osrelease").ok().map(|text| text.trim().to_owned())
}
