//! The bytes of a file, mapped into memory.

use std::fs::File;
use std::ops::{Deref, Range};
use std::path::Path;

use memmap2::Mmap;

use crate::error::{Error, Result};

/// The bytes of a file.
#[derive(Debug)]
pub enum FileBytes {
    /// Mapped.
    Mapped(Mmap),
    /// Read, where the file cannot be mapped.
    Read(Vec<u8>),
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            FileBytes::Mapped(map) => map,
            FileBytes::Read(bytes) => bytes,
        }
    }
}

/// Opens and maps `path`. A pipe, or a file that the system does not map, is read.
pub fn open(path: &Path) -> Result<FileBytes> {
    use std::io::Read as _;
    let mut file = File::open(path).map_err(|e| Error::io(path, "open", &e))?;
    let meta = file.metadata().map_err(|e| Error::io(path, "read", &e))?;
    if std::os::unix::fs::FileTypeExt::is_char_device(&meta.file_type()) {
        return Err(Error::file(path, "is a device").remedy("name a file, or pipe a recording in"));
    }
    if meta.is_dir() {
        return Err(Error::file(path, "is a directory").remedy("name a file"));
    }
    if meta.is_file()
        && meta.len() > 0
        && let Some(map) = map(&file)
    {
        return Ok(FileBytes::Mapped(map));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|e| Error::io(path, "read", &e))?;
    Ok(FileBytes::Read(bytes))
}

impl FileBytes {
    /// Gives the memory of a range back that has been read. It can be read again: the file still holds it.
    #[allow(
        unsafe_code,
        reason = "the advice discards pages, which is safe for a file that is mapped read-only"
    )]
    pub fn release(&self, range: Range<usize>) {
        if let FileBytes::Mapped(map) = self {
            // SAFETY: the pages of a private, read-only mapping of a file hold nothing that the file does not.
            let done = unsafe {
                map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len())
            };
            // Where the system does not take the advice, the memory stays in use, and nothing else changes.
            drop(done);
        }
    }
}

#[allow(unsafe_code, reason = "mapping a file is the one unsafe act of this program")]
fn map(file: &File) -> Option<Mmap> {
    // SAFETY: the mapping is private and read-only, and is only ever read as bytes whose meaning is checked at each
    // read. A recording that another process shortens while we read raises SIGBUS, as it does for perf itself.
    unsafe { Mmap::map(file) }.ok()
}
