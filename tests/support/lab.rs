//! The lab's recordings, and an independent reading of what `perf script` printed of them.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The lab, or why not: absent lets a test be skipped unless `LOCKBLAME_REQUIRE` names the corpus.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn lab() -> Option<PathBuf> {
    let shared = std::env::var_os("LOCKBLAME_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let lab = shared.join("lab");
    if lab.is_dir() {
        return Some(lab);
    }
    let required = std::env::var("LOCKBLAME_REQUIRE").is_ok_and(|list| list.contains("corpus"));
    assert!(!required, "LOCKBLAME_REQUIRE asks for the corpus and {} is absent", lab.display());
    eprintln!("skipped: no {} (set LOCKBLAME_SHARED)", lab.display());
    None
}

/// The folders that hold a recording and its script, in order.
pub fn recordings(lab: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(lab).expect("the lab can be read");
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the entry can be read").path())
        .filter(|path| path.join("script.txt.gz").is_file() && path.join("kallsyms.name").is_file())
        .collect();
    found.sort();
    assert!(found.len() > 40, "only {} recordings", found.len());
    found
}

/// The recording in a folder: `perf.data`, a file or a directory, or `pipe.data`.
pub fn data_of(folder: &Path) -> PathBuf {
    let file = folder.join("perf.data");
    if file.exists() { file } else { folder.join("pipe.data") }
}

pub fn gunzip(path: &Path) -> String {
    let packed = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut text).expect("the file is gzip");
    String::from_utf8_lossy(&text).into_owned()
}

/// The kernel symbols of a recording, unpacked below `into` once for all recordings of one guest.
pub fn kallsyms_of(folder: &Path, into: &Path) -> PathBuf {
    let name = std::fs::read_to_string(folder.join("kallsyms.name")).expect("kallsyms.name can be read");
    let unpacked = into.join(name.trim().trim_end_matches(".gz"));
    if !unpacked.exists() {
        let packed = folder.parent().expect("the lab").join("kallsyms").join(name.trim());
        std::fs::write(&unpacked, gunzip(&packed)).expect("the temporary folder can be written");
    }
    unpacked
}

/// Names that stand at one address are one function: perf and lockblame may call it by different ones.
#[derive(Debug, Default)]
pub struct Aliases(BTreeMap<String, String>);

impl Aliases {
    pub fn read(kallsyms: &Path) -> Self {
        let text = std::fs::read_to_string(kallsyms).expect("kallsyms can be read");
        let mut at: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in text.lines() {
            let mut fields = line.split_whitespace();
            if let (Some(address), Some(_), Some(name)) = (fields.next(), fields.next(), fields.next()) {
                at.entry(address).or_default().push(name);
            }
        }
        let mut to_first = BTreeMap::new();
        for names in at.values().filter(|names| names.len() > 1) {
            let first = *names.iter().min().expect("more than one");
            to_first.extend(names.iter().map(|name| ((*name).to_owned(), first.to_owned())));
        }
        Self(to_first)
    }

    /// One name for all that stand at its address.
    pub fn one<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.get(name).map_or(name, String::as_str)
    }
}

/// A frame as perf printed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub symbol: String,
    pub object: String,
    pub is_kernel: bool,
}

/// A sample as perf printed it.
#[derive(Debug, Clone)]
pub struct Sample {
    pub comm: String,
    pub event: String,
    pub period: u64,
    /// Leaf first.
    pub frames: Vec<Frame>,
}

/// Reads what `perf script` printed.
pub fn script(text: &str) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with(['\t', ' ']) && frame(line).is_some() {
            let sample = samples.last_mut().expect("a frame follows a head");
            sample.frames.extend(frame(line));
        } else if let Some(sample) = head(line) {
            samples.push(sample);
        } else {
            panic!("neither head nor frame: {line}");
        }
    }
    samples
}

/// `COMM PID [CPU] TIME: PERIOD EVENT: …`, where a recording without callchains has its frame.
fn head(line: &str) -> Option<Sample> {
    let mut words = Vec::new();
    let mut at = 0;
    for word in line.split(' ') {
        if !word.is_empty() {
            words.push((at, word));
        }
        at += word.len() + 1;
    }
    let is_time = |word: &str| {
        word.strip_suffix(':').and_then(|w| w.split_once('.')).is_some_and(|(whole, part)| {
            [whole, part]
                .iter()
                .all(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    let is_number = |at: usize| words.get(at).is_some_and(|(_, word)| word.parse::<u64>().is_ok());
    // A recording of one thread has neither time nor processor: the process is followed by the period.
    let (pid, after) = match words.iter().position(|(_, word)| is_time(word)) {
        Some(time) if words[time - 1].1.starts_with('[') => (time - 2, time + 1),
        Some(time) => (time - 1, time + 1),
        None => {
            let pid = (1..words.len()).find(|&at| is_number(at) && is_number(at + 1))?;
            (pid, pid + 1)
        }
    };
    let comm = line[..words[pid].0].trim().to_owned();
    let mut rest = words[after..].iter().copied();
    let (_, mut word) = rest.next()?;
    let mut period = 1;
    if let Ok(number) = word.parse() {
        period = number;
        word = rest.next()?.1;
    }
    let event = word.trim_end_matches(':').to_owned();
    let tail = rest.next().map_or("", |(at, _)| &line[at..]);
    Some(Sample { comm, event, period, frames: frame(tail).into_iter().collect() })
}

/// `ADDRESS SYMBOL+0xOFFSET (OBJECT)`.
fn frame(line: &str) -> Option<Frame> {
    let (address, rest) = line.trim().split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let (symbol, object) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let symbol = match symbol.rsplit_once("+0x") {
        Some((name, offset)) if offset.bytes().all(|b| b.is_ascii_hexdigit()) => name,
        _ => symbol,
    };
    let object = object.rsplit('/').next().unwrap_or(object);
    let is_kernel = address >> 63 == 1 && object != "[unknown]";
    Some(Frame { symbol: symbol.trim().to_owned(), object: object.to_owned(), is_kernel })
}
