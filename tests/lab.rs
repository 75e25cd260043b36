//! The lab's recordings of real contention say what perf printed on the machine that recorded them: samples, weight, and
//! weight of each leaf.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lockblame::perf::Recording;
use lockblame::profile::Profile;
use lockblame::symbol::Symbol;
use support::reading::{read, sources, symbolized};
use support::shared;

/// Weight of each leaf, by event.
type Leaves = BTreeMap<String, BTreeMap<String, u64>>;

/// What perf printed of one recording.
#[derive(Default)]
struct Script {
    leaves: Leaves,
    /// Samples of each event.
    samples: BTreeMap<String, u64>,
}

/// The recording whose recorder was killed.
const KILLED: &str = "fix8-4-killed";

fn gunzip(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("the lab has it");
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).expect("it is gzipped");
    String::from_utf8_lossy(&text).into_owned()
}

/// Reads what `perf script` printed: a line that begins with the thread's name, then the frames, leaf first, indented;
/// without callchains the leaf stands in the same line. `symfs` holds the files whose symbols we have, too.
fn script(text: &str, symfs: &Path) -> Script {
    let mut script = Script::default();
    // The event and weight of a sample whose leaf has not come yet.
    let mut open: Option<(String, u64)> = None;
    for line in text.lines() {
        if line.starts_with('\t') {
            if let Some(sample) = open.take() {
                script.add(sample, leaf(line, symfs));
            }
        } else if let Some((event, weight, rest)) = head(line) {
            *script.samples.entry(event.clone()).or_default() += 1;
            let unresolved = match rest.is_empty() {
                true => open.replace((event, weight)),
                false => {
                    script.add((event, weight), leaf(rest, symfs));
                    None
                }
            };
            unresolved.into_iter().for_each(|sample| script.add(sample, UNNAMED.to_owned()));
        }
    }
    open.into_iter().for_each(|sample| script.add(sample, UNNAMED.to_owned()));
    script
}

impl Script {
    fn add(&mut self, (event, weight): (String, u64), leaf: String) {
        *self.leaves.entry(event).or_default().entry(leaf).or_default() += weight;
    }
}

/// Event, weight, and what stands behind them, of `comm pid [cpu] seconds.micros: weight event: …`. The processor and the
/// time may be missing, and tracepoints print no weight.
fn head(line: &str) -> Option<(String, u64, &str)> {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let is_time = |word: &str| word.split_once('.').is_some_and(|(s, us)| is_number(s) && is_number(us));
    let mut from = 0;
    let mut before = "";
    loop {
        let start = from + line[from..].find(|c: char| c != ' ')?;
        let end = line[start..].find(' ').map_or(line.len(), |at| start + at);
        let word = &line[start..end];
        if let Some(event) = word.strip_suffix(':').filter(|word| !is_time(word)) {
            let (weight, is_tracepoint) = (before.parse().unwrap_or(1), event.contains(':'));
            let rest = if is_tracepoint { "" } else { line[end..].trim() };
            return Some((event.to_owned(), weight, rest));
        }
        (from, before) = (end, word);
    }
}

/// Stands for whatever has no name, in perf's text and in ours.
const UNNAMED: &str = "[unknown]";

/// The function of `address function+0x12 (object)`. On the machine that recorded, perf had more files than the lab kept.
fn leaf(line: &str, symfs: &Path) -> String {
    let Some((_, named)) = line.trim_start().split_once(' ') else { return UNNAMED.to_owned() };
    let (name, object) = named.rsplit_once(" (").unwrap_or((named, ""));
    let file = Path::new(object.trim_end_matches(')')).file_name().unwrap_or_default();
    let kept = ["usr/bin", "usr/lib/x86_64-linux-gnu"].iter().any(|at| symfs.join(at).join(file).is_file());
    // A slot of the linkage table for a function that the file chooses itself has no name; perf prints `@plt`.
    if (object.starts_with('/') && !kept) || name.starts_with("@plt") {
        return UNNAMED.to_owned();
    }
    name.rsplit_once("+0x").map_or(name, |(name, _)| name).to_owned()
}

fn leaves_of(recording: &Recording, profile: &Profile<Symbol>) -> Leaves {
    let mut leaves = Leaves::new();
    for entry in &profile.entries {
        let frames = profile.kernel.get(entry.key.kernel).iter().chain(profile.user.get(entry.key.user));
        let leaf = frames.map(|frame| &profile.frames[frame.index()]).next();
        let name = match leaf {
            Some(symbol) if symbol.naming == lockblame::symbol::Naming::Named => symbol.name.as_str(),
            _ => UNNAMED,
        };
        let event = &recording.events[usize::from(entry.key.event)].name;
        *leaves.entry(event.clone()).or_default().entry(name.to_owned()).or_default() += entry.weight.0;
    }
    leaves
}

/// The names that share an address, for perf may print another one of them than we do.
struct Aliases(BTreeMap<String, usize>);

impl Aliases {
    fn of_kernel(kallsyms: &str) -> Self {
        let mut at: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for line in kallsyms.lines() {
            let mut words = line.split_ascii_whitespace();
            let (address, _, name) = (words.next(), words.next(), words.next());
            if let (Some(address), Some(name)) = (address, name) {
                at.entry(address).or_default().insert(name);
            }
        }
        let shared = at.into_values().filter(|names| names.len() > 1).enumerate();
        Self(shared.flat_map(|(n, names)| names.into_iter().map(move |name| (name.to_owned(), n))).collect())
    }

    /// A name that all names of its address have in common.
    fn common(&self, leaves: Leaves) -> Leaves {
        let rename = |name: String| self.0.get(&name).map_or(name, |n| format!("address {n}"));
        leaves
            .into_iter()
            .map(|(event, leaves)| {
                let mut common = BTreeMap::new();
                for (name, weight) in leaves {
                    *common.entry(rename(name)).or_default() += weight;
                }
                (event, common)
            })
            .collect()
    }
}

fn recordings(lab: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(lab).expect("the lab is a folder").filter_map(Result::ok);
    let mut folders: Vec<PathBuf> =
        folders.map(|entry| entry.path()).filter(|path| path.join("script.txt.gz").is_file()).collect();
    folders.sort();
    folders
}

fn recording_in(folder: &Path) -> PathBuf {
    let file = folder.join("perf.data");
    if file.exists() { file } else { folder.join("pipe.data") }
}

#[test]
fn the_lab_says_what_perf_printed_there() {
    let Some(lab) = shared::folder("lab") else { return };
    let folders = recordings(&lab);
    assert!(folders.len() > 45, "the lab has {} recordings", folders.len());
    let mut wrong = Vec::new();
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let printed = script(&gunzip(&folder.join("script.txt.gz")), &lab.join("symfs"));
        let list = std::fs::read_to_string(folder.join("kallsyms.name")).expect("it names its list");
        let kallsyms = lab.join("kallsyms").join(list.trim());
        let recording = Recording::open(&recording_in(&folder)).expect("it is a recording");
        let ingested = read(&recording);
        let facts = ingested.facts.clone();
        if name == KILLED {
            // perf shows nothing of it; its records, counted by hand, are all there.
            assert!(printed.samples.is_empty() && facts.truncated.is_some() && facts.samples > 1_000);
            continue;
        }
        let samples: BTreeMap<String, u64> = recording
            .events
            .iter()
            .zip(&facts.tally.events)
            .filter(|(_, (n, _))| *n > 0)
            .map(|(event, (n, _))| (event.name.clone(), *n))
            .collect();
        if samples != printed.samples {
            wrong.push(format!("{name}: samples {samples:?}, perf printed {:?}", printed.samples));
        }
        let (profile, _) = symbolized(ingested, &sources(Some(&kallsyms), Some(&lab.join("symfs"))));
        let aliases = Aliases::of_kernel(&gunzip(&kallsyms));
        let ours = aliases.common(leaves_of(&recording, &profile));
        let perfs = aliases.common(printed.leaves);
        wrong.extend(differences(&name, &ours, &perfs));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differences(name: &str, ours: &Leaves, perfs: &Leaves) -> Vec<String> {
    let empty = BTreeMap::new();
    let events: BTreeSet<&String> = ours.keys().chain(perfs.keys()).collect();
    let mut lines = Vec::new();
    for event in events {
        let (a, b) = (ours.get(event).unwrap_or(&empty), perfs.get(event).unwrap_or(&empty));
        let leaves: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for leaf in leaves {
            let (a, b) = (a.get(leaf).unwrap_or(&0), b.get(leaf).unwrap_or(&0));
            if a != b {
                lines.push(format!("{name}: {event}: {leaf}: {a} here, {b} by perf"));
            }
        }
    }
    lines
}
