//! Where symbols may come from: what the user named, perf's cache, this machine.

use std::path::{Path, PathBuf};

use super::elf::{self, ElfSymbols};
use crate::profile::Module;
use crate::profile::listing::Listing;

/// Where to look.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// What the recording itself lists: it is asked first.
    pub recorded: Vec<Listing>,
    /// A list of the recorded kernel's symbols that the user vouches for.
    pub kallsyms: Option<PathBuf>,
    /// Another root for the files of user space.
    pub symfs: Option<PathBuf>,
    /// The home directory, where perf keeps its cache of build-ids.
    pub home: Option<PathBuf>,
    /// Whether this machine's own files and kernel may serve.
    pub host: Host,
}

/// Whether this machine's own files and kernel may serve, after their build-ids were compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Host {
    /// They may.
    #[default]
    Considered,
    /// They may not.
    Ignored,
}

/// Why an address of a mapped file has no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoFile {
    /// No file with the recorded build-id was found.
    NoMatch,
    /// The recording has no build-id for it, so that no file can be trusted.
    NoBuildId,
    /// No file stands behind the mapping.
    NotAFile,
    /// The file has no symbols.
    Stripped,
}

/// The symbols of the file that a process had mapped.
pub(super) fn user_symbols(module: &Module, sources: &Sources) -> Result<ElfSymbols, NoFile> {
    let path = module.path.trim_end_matches(" (deleted)");
    let is_file = path.starts_with('/') && !path.starts_with("//");
    if !is_file && path != "[vdso]" {
        return Err(NoFile::NotAFile);
    }
    let found = locate(module, path, sources)?;
    let symbols = ElfSymbols::read(&found).ok_or(NoFile::NoMatch)?;
    let symbols = match module.build_id.as_deref().and_then(|id| debug_file(id, sources)) {
        Some(separate) => match ElfSymbols::read(&separate) {
            Some(separate) => symbols.with_symbols_of(separate),
            None => symbols,
        },
        None => symbols,
    };
    if symbols.is_stripped() { Err(NoFile::Stripped) } else { Ok(symbols) }
}

fn locate(module: &Module, path: &str, sources: &Sources) -> Result<PathBuf, NoFile> {
    let named = sources.symfs.as_ref().map(|root| root.join(path.trim_start_matches('/')));
    let Some(recorded) = module.build_id.as_deref().filter(|id| !id.is_empty()) else {
        // The root that the user names is trusted: its file at the recorded path, or the only one of its name. Of this
        // machine's files nothing shows that it is the one that ran.
        let at_path = named.filter(|file| file.is_file());
        return at_path.or_else(|| only(sources.symfs.as_deref()?, path)).ok_or(NoFile::NoBuildId);
    };
    let id = hex(recorded);
    let cached = sources.home.as_ref().and_then(|home| {
        let (head, tail) = id.split_at_checked(2)?;
        let object = if path == "[vdso]" { "vdso" } else { "elf" };
        Some(home.join(format!(".debug/.build-id/{head}/{tail}/{object}")))
    });
    let own = (sources.symfs.is_none() && sources.host == Host::Considered).then(|| PathBuf::from(path));
    let matches = |file: &PathBuf| file.is_file() && elf::build_id(file).as_deref() == Some(recorded);
    let direct = named.into_iter().chain(cached).chain(own).find(matches);
    direct.or_else(|| elsewhere(sources.symfs.as_deref()?, path, matches)).ok_or(NoFile::NoMatch)
}

/// A file of this name anywhere below a root that was copied together: the build-id says whether it is the one.
fn elsewhere(root: &Path, path: &str, matches: impl Fn(&PathBuf) -> bool) -> Option<PathBuf> {
    named_below(root, path).into_iter().find(matches)
}

/// The file of this name below a root, if there is one only.
fn only(root: &Path, path: &str) -> Option<PathBuf> {
    let mut found = named_below(root, path);
    if found.len() == 1 { found.pop() } else { None }
}

/// All files of the same name below a root, in the order of their paths.
fn named_below(root: &Path, path: &str) -> Vec<PathBuf> {
    const MOST_FOLDERS: usize = 20_000;
    let Some(name) = Path::new(path).file_name() else { return Vec::new() };
    let mut folders = vec![root.to_owned()];
    let mut found = Vec::new();
    for _ in 0..MOST_FOLDERS {
        let Some(folder) = folders.pop() else { break };
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() && entry.file_name() == name => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Separate debug information, by build-id, below the given root or this machine's.
fn debug_file(build_id: &[u8], sources: &Sources) -> Option<PathBuf> {
    let id = hex(build_id);
    let (head, tail) = id.split_at_checked(2)?;
    let root = match (&sources.symfs, sources.host) {
        (Some(root), _) => root.as_path(),
        (None, Host::Considered) => Path::new("/"),
        (None, Host::Ignored) => return None,
    };
    let file = root.join(format!("usr/lib/debug/.build-id/{head}/{tail}.debug"));
    (file.is_file() && elf::build_id(&file).as_deref() == Some(build_id)).then_some(file)
}

/// A build-id as perf writes it.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
