//! Symbols of user space come from the file that ran: its build-id says so, or the user who names a root.

mod support;

use std::path::{Path, PathBuf};

use lockblame::symbol::{Naming, Reason, Symbol};
use object::{Object, ObjectSegment, ObjectSymbol};
use support::perfdata::{Event, Identity, Map, Record, Recording, Sample};
use support::reading::{file, read_of, sources, symbolized};

/// A binary of ours that has symbols and a build-id.
const BINARY: &str = "usr/local/bin/lockbench";

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/dup-before/symfs")
}

/// What the `object` crate tells of the binary: its build-id, and name, file offset and size of its largest function.
fn truth() -> ([u8; 20], String, u64, u64) {
    let bytes = std::fs::read(fixture().join(BINARY)).expect("the fixture has it");
    let object = object::File::parse(&bytes[..]).expect("an ELF file");
    let id = object.build_id().expect("notes").expect("a build-id").try_into().expect("20 bytes");
    let functions = object.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text);
    let largest = functions.max_by_key(ObjectSymbol::size).expect("it has functions");
    let address = largest.address();
    let segment = object.segments().find(|s| (s.address()..s.address() + s.size()).contains(&address));
    let segment = segment.expect("it is loaded");
    let offset = address - segment.address() + segment.file_range().0;
    (id, largest.name().expect("a name").to_owned(), offset, largest.size())
}

/// The symbol that a leaf at this offset of a file has, with or without a recorded build-id.
fn leaf(path: &str, build_id: Option<[u8; 20]>, offset: u64, symfs: Option<&Path>) -> Symbol {
    let page = offset & !0xfff;
    let map = Map::new(7, 0x5555_0000_0000, 0x1000, page, path);
    let identity = match build_id {
        Some(id) => Identity::BuildId(id),
        None => Identity::Inode { major: 8, minor: 1, inode: 4711, generation: 0 },
    };
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .record(Record::mmap2(&map, identity))
        .sample(Sample::at(1).thread(7, 7).user_chain(&[0x5555_0000_0000 + offset - page]));
    let (profile, _) = symbolized(read_of(&recording), &sources(None, symfs));
    profile.frames[0].clone()
}

#[test]
fn a_file_with_the_recorded_build_id_names_its_functions() {
    let (id, name, offset, size) = truth();
    for at in [offset, offset + 1, offset + size - 1] {
        let symbol = leaf("/usr/local/bin/lockbench", Some(id), at, Some(&fixture()));
        assert_eq!((symbol.name.as_str(), symbol.naming), (name.as_str(), Naming::Named));
    }
    let behind = leaf("/usr/local/bin/lockbench", Some(id), offset + size, Some(&fixture()));
    assert_ne!(behind.name, name);
    // Below the root it may stand elsewhere, and it may have been replaced while it ran.
    for path in ["/opt/other/lockbench", "/usr/local/bin/lockbench (deleted)"] {
        assert_eq!(leaf(path, Some(id), offset, Some(&fixture())).name, name, "{path}");
    }
}

#[test]
fn another_build_id_gives_no_name() {
    let (_, _, offset, _) = truth();
    let symbol = leaf("/usr/local/bin/lockbench", Some([0xcd; 20]), offset, Some(&fixture()));
    assert_eq!(symbol.name, format!("[lockbench]+0x{offset:x}"));
    assert_eq!(symbol.naming, Naming::Unnamed(Reason::NoMatchingFile));
}

#[test]
fn without_a_build_id_only_the_named_root_is_trusted() {
    let (_, name, offset, _) = truth();
    let own = fixture().join(BINARY);
    let own = own.to_str().expect("a path");
    assert_eq!(leaf("/usr/local/bin/lockbench", None, offset, Some(&fixture())).name, name);
    let untrusted = leaf(own, None, offset, None);
    assert_eq!(untrusted.naming, Naming::Unnamed(Reason::NoBuildId));
}

#[test]
fn what_has_no_symbols_says_why() {
    let (_, _, offset, _) = truth();
    let root = tempfile::tempdir().expect("a temporary directory");
    file(
        &root,
        "usr/bin/stripped",
        stripped(&std::fs::read(fixture().join(BINARY)).expect("the fixture has it")),
    );
    file(&root, "usr/bin/script", "#!/bin/sh\n");
    let reason = |path: &str| leaf(path, None, offset, Some(root.path())).naming;
    assert_eq!(reason("/usr/bin/stripped"), Naming::Unnamed(Reason::Stripped));
    assert_eq!(reason("/usr/bin/script"), Naming::Unnamed(Reason::NoMatchingFile));
    for path in ["//anon", "[heap]", "[vsyscall]"] {
        assert_eq!(reason(path), Naming::Unnamed(Reason::NotAFile), "{path}");
    }
}

/// An ELF file of 64 bits without its section headers, and so without symbols.
fn stripped(elf: &[u8]) -> Vec<u8> {
    let mut bytes = elf.to_vec();
    bytes[0x28..0x30].fill(0);
    bytes[0x3a..0x40].fill(0);
    bytes
}

#[test]
fn calls_through_the_linkage_table_are_named() {
    // `objdump -d -j .plt.sec` (or .plt) shows the same names; perf prints them as `write@plt`.
    let bytes = std::fs::read(fixture().join(BINARY)).expect("the fixture has it");
    let object = object::File::parse(&bytes[..]).expect("an ELF file");
    let id: [u8; 20] = object.build_id().expect("notes").expect("a build-id").try_into().expect("20 bytes");
    let Ok(shown) = std::process::Command::new("objdump")
        .args(["-d", "-j", ".plt", "-j", ".plt.sec"])
        .arg(fixture().join(BINARY))
        .output()
    else {
        return support::shared::skip("objdump");
    };
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    let entries = text.lines().filter_map(|line| {
        let (address, name) = line.split_once(" <")?;
        let name = name.strip_suffix(">:").filter(|name| name.ends_with("@plt"))?;
        Some((u64::from_str_radix(address, 16).ok()?, name.to_owned()))
    });
    let entries: Vec<(u64, String)> = entries.collect();
    assert!(entries.len() > 5, "{text}");
    for (address, name) in entries {
        // The text of this file stands at its own offset.
        let symbol = leaf("/usr/local/bin/lockbench", Some(id), address + 4, Some(&fixture()));
        assert_eq!(symbol.name, name, "at 0x{address:x}");
    }
}
