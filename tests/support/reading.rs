//! What the crate reads from a recording, as plain values that a test compares: stacks of text with weights.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lockblame::id::PartId;
use lockblame::ingest::{Ingested, Selection, ingest};
use lockblame::perf::Recording;
use lockblame::profile::part::Parts;
use lockblame::profile::{Address, Entry, Profile};
use lockblame::symbol::{Host, Resolution, Sources, Symbol, symbolize};

use super::perfdata;

/// A callchain as text: event, thread's name, frames from the leaf on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack {
    pub event: u16,
    pub comm: String,
    pub frames: Vec<String>,
}

/// Weight and number of samples of each stack.
pub type Stacks = BTreeMap<Stack, (u64, u64)>;

/// Opens a recording written in code.
pub fn open(recording: &perfdata::Recording) -> Recording {
    open_bytes(recording.write())
}

/// Opens the bytes of a recording.
pub fn open_bytes(bytes: Vec<u8>) -> Recording {
    Recording::from_bytes(Path::new("perf.data"), bytes).expect("it is a recording")
}

/// Reads all samples.
pub fn read(recording: &Recording) -> Ingested {
    ingest(recording, &Selection::default(), 1, &|_| {})
}

/// Writes a recording, opens it and reads all its samples.
pub fn read_of(recording: &perfdata::Recording) -> Ingested {
    read(&open(recording))
}

/// The stacks of a recording written in code, frames as `module+0xoffset`.
pub fn places_of(recording: &perfdata::Recording) -> Stacks {
    places(&read_of(recording).profile)
}

/// The stacks of a profile of addresses, frames as `module+0xoffset`.
pub fn places(profile: &Profile<Address>) -> Stacks {
    stacks(profile, |address| {
        format!("{}+0x{:x}", profile.modules[address.module.index()].name, address.offset)
    })
}

/// The stacks of a named profile.
pub fn names(profile: &Profile<Symbol>) -> Stacks {
    stacks(profile, |symbol| symbol.name.clone())
}

/// Sources that are on this list of kernel symbols and in this root, and nothing of this machine's.
pub fn sources(kallsyms: Option<&Path>, symfs: Option<&Path>) -> Sources {
    Sources {
        recorded: Vec::new(),
        kallsyms: kallsyms.map(Path::to_owned),
        symfs: symfs.map(Path::to_owned),
        home: None,
        host: Host::Ignored,
    }
}

/// Names the frames of a profile that was read.
pub fn symbolized(ingested: Ingested, sources: &Sources) -> (Profile<Symbol>, Resolution) {
    symbolize(ingested.profile, Path::new("/nowhere/perf.data"), None, sources)
        .expect("the sources can be read")
}

/// Text in a file of a folder.
pub fn file(folder: &tempfile::TempDir, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("the folder is made");
    std::fs::write(&path, text).expect("the file is written");
    path
}

fn stacks<F>(profile: &Profile<F>, text: impl Fn(&F) -> String) -> Stacks {
    let part = |parts: &Parts, id: PartId| -> Vec<String> {
        parts.get(id).iter().map(|frame| text(&profile.frames[frame.index()])).collect()
    };
    let mut stacks = Stacks::new();
    for Entry { key, weight, samples } in &profile.entries {
        let mut frames = part(&profile.kernel, key.kernel);
        frames.extend(part(&profile.user, key.user));
        let stack = Stack { event: key.event, comm: profile.comms.name(key.comm).to_owned(), frames };
        let sum = stacks.entry(stack).or_default();
        *sum = (sum.0 + weight.0, sum.1 + samples);
    }
    stacks
}

/// Checks the stacks of one event against lines of `comm: leaf caller … = weight`, in any order.
#[track_caller]
pub fn check(stacks: &Stacks, event: u16, lines: &[&str]) {
    let mut shown: Vec<String> = stacks
        .iter()
        .filter(|(stack, _)| stack.event == event)
        .map(|(stack, (weight, _))| format!("{}: {} = {weight}", stack.comm, stack.frames.join(" ")))
        .collect();
    let mut expected: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    shown.sort();
    expected.sort();
    assert_eq!(shown, expected);
}
