//! The bytes of an input: a file as it is mapped into memory; what comes out of a pipe or a packed file, as it is laid
//! into a temporary one.

mod packed;
mod spool;

use std::fs::File;
use std::io::Read;
use std::ops::{Deref, Range};
use std::path::Path;

use memmap2::Mmap;

use crate::error::{Error, Result};
use packed::Packing;
pub use packed::{END_OF_FRAME, is_zstd};

/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// The bytes of an input.
#[derive(Debug)]
pub struct FileBytes {
    data: Data,
    cut: Option<String>,
}

#[derive(Debug)]
enum Data {
    /// Mapped.
    Mapped(Mmap),
    /// Read, where there is little, or the file cannot be mapped.
    Read(Vec<u8>),
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.data {
            Data::Mapped(map) => map,
            Data::Read(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { data: Data::Read(bytes), cut: None }
    }
}

/// The bytes at `path`, unpacked where its first bytes say that gzip, xz, zstd or bzip2 packed it. `-` is standard input.
///
/// A file is mapped. What cannot be read a second time lies in memory up to 8 MiB, and else in a temporary file
/// without a name, which is mapped: memory does not grow with the input.
///
/// # Errors
/// Where it cannot be opened or read, or there is no room for what comes out of it. A packed file that ends early, or is
/// damaged, is none: see [`FileBytes::cut`].
pub fn open(path: &Path) -> Result<FileBytes> {
    unpacked(plain(path)?).map_err(|e| Error::io(path, "unpack", &e))
}

/// What comes out of packed bytes; others as they are.
///
/// # Errors
/// Where there is no room for it.
pub fn unpacked(bytes: FileBytes) -> std::io::Result<FileBytes> {
    match Packing::of(&bytes) {
        None => Ok(bytes),
        Some(packing) => packed::unpack(&bytes, packing),
    }
}

/// The first bytes at `path`, at most `n`, unpacked as [`open`] does; none of what is no file, for they could not be read
/// again.
pub fn head(path: &Path, n: usize) -> Vec<u8> {
    let mut head = Vec::new();
    if path.is_file()
        && let Ok(mut file) = File::open(path)
    {
        let _ = file.by_ref().take(packed::HEAD).read_to_end(&mut head);
    }
    if let Some(packing) = Packing::of(&head) {
        head = packed::head(&head, packing, n);
    }
    head.truncate(n);
    head
}

fn plain(path: &Path) -> Result<FileBytes> {
    let failed = |doing: &'static str| move |e: std::io::Error| Error::io(path, doing, &e);
    if path == Path::new(STDIN) {
        return spool::spool(&mut std::io::stdin().lock()).map_err(failed("read"));
    }
    let mut file = File::open(path).map_err(failed("open"))?;
    let meta = file.metadata().map_err(failed("read"))?;
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
        return Ok(FileBytes { data: Data::Mapped(map), cut: None });
    }
    spool::spool(&mut file).map_err(failed("read"))
}

impl FileBytes {
    /// Why more should have come than did, where a packed file was cut or damaged.
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// Gives the memory of a range back that has been read. It can be read again: the file still holds it.
    #[allow(
        unsafe_code,
        reason = "the advice discards pages, which is safe for a file that is mapped read-only"
    )]
    pub fn release(&self, range: Range<usize>) {
        if let Data::Mapped(map) = &self.data {
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
