//! Lays what can be read only once where it can be read again.

use std::io::{self, Read, Write};

use super::{Data, FileBytes};

/// So much stays in memory.
const IN_MEMORY: u64 = 8 << 20;

/// Reads to the end. What does not fit into 8 MiB lies in a temporary file without a name, which goes with this process.
///
/// # Errors
/// Where reading fails, or the folder of temporary files (`TMPDIR`) has no room.
pub(super) fn spool(source: &mut dyn Read) -> io::Result<FileBytes> {
    let mut spool = Spool::default();
    let mut piece = vec![0; 1 << 16];
    loop {
        match source.read(&mut piece) {
            Ok(0) => return spool.finish(),
            Ok(n) => spool.take(&piece[..n])?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Bytes as they come.
#[derive(Default)]
pub(super) struct Spool {
    memory: Vec<u8>,
    file: Option<std::fs::File>,
    length: u64,
}

impl Spool {
    /// Takes the next bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        if self.file.is_none() && self.length <= IN_MEMORY {
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut file = tempfile::tempfile().map_err(no_room)?;
                file.write_all(&std::mem::take(&mut self.memory)).map_err(no_room)?;
                self.file.insert(file)
            }
        };
        file.write_all(bytes).map_err(no_room)
    }

    /// So many bytes came.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// All that came.
    pub(super) fn finish(self) -> io::Result<FileBytes> {
        let Some(file) = self.file else { return Ok(self.memory.into()) };
        let map = super::map(&file).ok_or_else(|| io::Error::other("a temporary file cannot be mapped"))?;
        Ok(FileBytes { data: Data::Mapped(map), cut: None })
    }
}

fn no_room(cause: io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    io::Error::other(format!("no room in {} (set TMPDIR): {cause}", folder.display()))
}
