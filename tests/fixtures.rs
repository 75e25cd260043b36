//! The recordings in `fixtures/` are the ones that `MANIFEST` lists, small, complete, and rightly symbolized.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use object::Object as _;
use sha2::{Digest as _, Sha256};

/// Bytes, for the `perf.data` of the latencytop pair, for any other, for any file of a mode, and for any other file.
const MAX_PAIR: u64 = 1_500_000;
const MAX_RECORDING: u64 = 300_000;
const MAX_MODE: u64 = 100_000;
const MAX_OTHER: u64 = 1_000_000;
const MAX_MODES: u64 = 1_000_000;
const MAX_TOTAL: u64 = 15_000_000;

/// Each fixture that was copied from the lab, with the recording it is there.
const FROM_LAB: [(&str, &str); 12] = [
    ("latencytop-before", "lat8mcs-1-pp-before-cycles-r1"),
    ("latencytop-after", "lat8mcs-1-pp-after-cycles-r1"),
    ("latencytop-before-r2", "lat8mcs-1-pp-before-cycles-r2"),
    ("latencytop-before-r3", "lat8mcs-1-pp-before-cycles-r3"),
    ("latencytop-before-r4", "lat8mcs-1-pp-before-cycles-r4"),
    ("latencytop-after-r2", "lat8mcs-1-pp-after-cycles-r2"),
    ("latencytop-after-r3", "lat8mcs-1-pp-after-cycles-r3"),
    ("latencytop-after-r4", "lat8mcs-1-pp-after-cycles-r4"),
    ("dup-before", "cloud8a-2-dup-before-cycles-r1"),
    ("dup-fixed", "cloud8a-2-dup-fixed-cycles-r1"),
    ("mmap-before", "cloud8a-2-mmap-before-cycles-r1"),
    ("getcwd-fixed", "cloud8a-2-getcwd-fixed-cycles-r1"),
];

/// Symbols by address, all aliases of an address together.
type Symbols = BTreeMap<u64, BTreeSet<String>>;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// All files below `dir`, as paths relative to `root` with `/` between the parts.
fn files_below(dir: &Path, root: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(dir).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            files_below(&path, root, found);
        } else {
            let below = path.strip_prefix(root).expect("the walk starts at the root");
            found.insert(below.to_str().expect("names are UTF-8").replace('\\', "/"));
        }
    }
}

fn all_files() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    files_below(&fixtures(), &fixtures(), &mut found);
    found
}

/// The folders that hold a recording of contention.
fn names() -> BTreeSet<String> {
    let files = all_files();
    let folders = files.iter().filter_map(|file| file.strip_suffix("/perf.data"));
    folders.filter(|folder| !folder.starts_with("modes/")).map(str::to_owned).collect()
}

/// The files of each recording mode: a folder's name to the paths in it.
fn modes() -> BTreeMap<String, BTreeSet<String>> {
    let mut modes = BTreeMap::new();
    for file in all_files() {
        let Some((mode, path)) = file.strip_prefix("modes/").and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        modes.entry(mode.to_owned()).or_insert_with(BTreeSet::new).insert(path.to_owned());
    }
    modes
}

/// The lines of `MANIFEST`: path to lower-case hexadecimal SHA-256.
fn manifest() -> BTreeMap<String, String> {
    let text = fs::read_to_string(fixtures().join("MANIFEST")).expect("MANIFEST can be read");
    text.lines()
        .map(|line| line.split_once("  ").expect("a line is `HASH  PATH`"))
        .map(|(hash, path)| (path.to_owned(), hash.to_owned()))
        .collect()
}

fn sha256(path: &Path) -> String {
    let digest = Sha256::digest(fs::read(path).expect("the file can be read"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse_kallsyms(text: &str) -> Symbols {
    let mut symbols = Symbols::new();
    for line in text.lines() {
        let mut fields = line.split_whitespace();
        let (Some(address), Some(_kind), Some(name)) = (fields.next(), fields.next(), fields.next()) else {
            panic!("no line of kallsyms: {line}");
        };
        let address = u64::from_str_radix(address, 16).expect("an address is hexadecimal");
        symbols.entry(address).or_default().insert(name.to_owned());
    }
    symbols
}

fn kallsyms_of(name: &str) -> Symbols {
    parse_kallsyms(&fs::read_to_string(fixtures().join(name).join("kallsyms")).expect("kallsyms can be read"))
}

/// What stands at or below `address` and where it ends: start, names, start of the next.
fn look_up(symbols: &Symbols, address: u64) -> (u64, &BTreeSet<String>, u64) {
    let (start, found) = symbols.range(..=address).next_back().expect("a symbol stands below");
    let (end, _) = symbols.range(address + 1..).next().expect("a symbol stands above");
    (*start, found, *end)
}

/// The lab, or why not: absent lets a test be skipped unless `LOCKBLAME_REQUIRE` names the corpus.
fn lab() -> Result<PathBuf, String> {
    let shared = std::env::var_os("LOCKBLAME_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let lab = shared.join("lab");
    if lab.is_dir() {
        return Ok(lab);
    }
    let required = std::env::var("LOCKBLAME_REQUIRE").is_ok_and(|list| list.contains("corpus"));
    assert!(!required, "LOCKBLAME_REQUIRE asks for the corpus and {} is absent", lab.display());
    Err(format!("skipped: no {} (set LOCKBLAME_SHARED)", lab.display()))
}

fn gunzip(path: &Path) -> String {
    let packed = fs::read(path).expect("the file can be read");
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut text).expect("the file is gzip");
    String::from_utf8_lossy(&text).into_owned()
}

/// The kernel frames in what `perf script` printed: address, symbol, and offset into it.
fn kernel_frames(script: &str) -> Vec<(u64, String, u64)> {
    let frame = |line: &str| {
        let mut fields = line.strip_prefix('\t')?.split_whitespace();
        let address = u64::from_str_radix(fields.next()?, 16).ok()?;
        let (name, offset) = fields.next()?.rsplit_once("+0x")?;
        let in_kernel = address >= 1 << 63;
        in_kernel
            .then(|| (address, name.to_owned(), u64::from_str_radix(offset, 16).expect("perf prints hex")))
    };
    script.lines().filter_map(frame).collect()
}

#[test]
fn every_file_is_in_the_manifest_with_its_hash() {
    let listed = manifest();
    let mut present = all_files();
    assert!(present.remove("MANIFEST"));
    let paths: BTreeSet<String> = listed.keys().cloned().collect();
    let differ: Vec<&String> = present.symmetric_difference(&paths).collect();
    assert!(differ.is_empty(), "not both present and listed: {differ:?}; run fixtures/manifest.sh");
    for (path, hash) in listed {
        assert_eq!(sha256(&fixtures().join(&path)), hash, "{path} has changed: run fixtures/manifest.sh");
    }
}

#[test]
fn files_are_small() {
    let (mut total, mut of_modes) = (0, 0);
    for file in all_files() {
        let size = fs::metadata(fixtures().join(&file)).expect("the file is there").len();
        let limit = match file.strip_suffix("/perf.data") {
            _ if file.starts_with("modes/") => MAX_MODE,
            Some(name) if name.starts_with("latencytop-") => MAX_PAIR,
            Some(_) => MAX_RECORDING,
            None => MAX_OTHER,
        };
        assert!(size < limit, "{file} has {size} bytes, the limit is {limit}");
        total += size;
        of_modes += if file.starts_with("modes/") { size } else { 0 };
    }
    assert!(of_modes < MAX_MODES, "all modes have {of_modes} bytes, the limit is {MAX_MODES}");
    assert!(total < MAX_TOTAL, "all fixtures have {total} bytes, the limit is {MAX_TOTAL}");
}

#[test]
fn every_recording_is_complete_and_explained() {
    let readme = fs::read_to_string(fixtures().join("README.md")).expect("README.md can be read");
    let present = all_files();
    assert!(names().len() >= 8, "{:?}", names());
    for name in names() {
        for part in ["cmd", "bench.txt", "machine", "kallsyms"] {
            assert!(present.contains(&format!("{name}/{part}")), "{name} has no {part}");
        }
        assert!(readme.contains(&format!("| `{name}` |")), "README.md says nothing of {name}");
    }
}

/// A mode is its command and what that wrote, a file or a directory of the recorder's threads.
#[test]
fn every_mode_is_a_command_and_its_recording() {
    let readme = fs::read_to_string(fixtures().join("README.md")).expect("README.md can be read");
    let modes = modes();
    assert!(modes.len() >= 19, "{:?}", modes.keys());
    for (mode, mut files) in modes {
        assert!(files.remove("cmd"), "modes/{mode} has no cmd");
        let is_recorded = |file: &String| file == "perf.data" || file.starts_with("perf.data/data");
        assert!(!files.is_empty() && files.iter().all(is_recorded), "modes/{mode}: {files:?}");
        let command = fs::read_to_string(fixtures().join("modes").join(&mode).join("cmd"));
        let command = command.expect("cmd can be read");
        assert!(command.contains("perf record ") && command.lines().count() == 1, "modes/{mode}: {command}");
        let options: Vec<&str> = readme
            .lines()
            .filter_map(|line| line.strip_prefix(&format!("| `{mode}` | `"))?.split('`').next())
            .collect();
        let [options] = options[..] else { panic!("README.md says nothing of modes/{mode}") };
        for option in options.split(' ') {
            assert!(command.contains(option), "modes/{mode}: README.md has {option}, which cmd has not");
        }
    }
}

#[test]
fn binaries_are_the_recorded_ones() {
    for name in names() {
        let recording = fs::read(fixtures().join(&name).join("perf.data")).expect("perf.data can be read");
        let recorded = |bytes: &[u8]| recording.windows(bytes.len()).any(|window| window == bytes);
        let prefix = format!("{name}/symfs");
        let binaries: Vec<String> =
            all_files().into_iter().filter(|file| file.starts_with(&prefix)).collect();
        assert!(!binaries.is_empty(), "{name} has no binary in symfs");
        for file in binaries {
            let elf = fs::read(fixtures().join(&file)).expect("the binary can be read");
            let elf = object::File::parse(&elf[..]).expect("the binary is an object file");
            let build_id = elf.build_id().expect("its notes can be read").expect("it has a build-id");
            assert!(recorded(build_id), "{file} is not the binary that was recorded");
            assert!(recorded(&file.as_bytes()[prefix.len()..]), "{file} was not recorded at this path");
        }
    }
}

#[test]
fn kernel_symbols_hold_the_places_to_relocate_from() {
    for name in names() {
        let symbols = kallsyms_of(&name);
        for mark in ["_text", "_stext", "_etext"] {
            assert!(symbols.values().any(|aliases| aliases.contains(mark)), "{name}: no {mark}");
        }
    }
}

/// perf printed the scripts of the lab with the full symbols of the guest.
#[test]
fn cut_kernel_symbols_name_frames_as_perf_did_with_all_of_them() {
    let lab = match lab() {
        Ok(lab) => lab,
        Err(why) => return eprintln!("{why}"),
    };
    for (name, recording) in FROM_LAB {
        let recording = lab.join(recording);
        let full_name =
            fs::read_to_string(recording.join("kallsyms.name")).expect("kallsyms.name can be read");
        let full = parse_kallsyms(&gunzip(&lab.join("kallsyms").join(full_name.trim())));
        let cut = kallsyms_of(name);
        let frames = kernel_frames(&gunzip(&recording.join("script.txt.gz")));
        assert!(frames.len() > 4000, "{name}: only {} kernel frames", frames.len());
        for (address, symbol, offset) in frames {
            let (start, aliases, _) = look_up(&cut, address);
            assert_eq!(start, address - offset, "{name}: {symbol}+{offset:#x}");
            assert!(aliases.contains(&symbol), "{name}: {symbol} is not among {aliases:?}");
            for probe in [address, address - 1] {
                assert_eq!(look_up(&cut, probe), look_up(&full, probe), "{name}: {probe:#x}");
            }
        }
    }
}
