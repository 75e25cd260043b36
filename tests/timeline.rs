//! Locks over time: the grid weighs what the profile weighs, its cells hold what perf prints, and convoys are found where
//! they were made and nowhere else.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use lockblame::app::timelines;
use lockblame::cli::SymbolArgs;
use lockblame::ingest::grid::grid;
use lockblame::ingest::selection::{Again, Idle, Space, TimeSpan};
use lockblame::ingest::{Ingested, Selection, ingest};
use lockblame::lock::attribution::{Attribution, Options, Through, attribute};
use lockblame::lock::choice::Choice;
use lockblame::lock::heaviest::{LockOfPair, heaviest};
use lockblame::lock::matcher::Matcher;
use lockblame::lock::site::{Lock, SiteTable, labelled_tables};
use lockblame::perf::Recording as Opened;
use lockblame::profile::grid::Grid;
use lockblame::report::timeline::{Cell, Convoy, FINEST, Timeline, Untimed, slots, timeline};
use lockblame::symbol::{Sources, symbolize};
use lockblame::units::{Nanos, Weight};
use support::perfdata::{Counter, Event, Read, Recording, Sample, field, format};
use support::reading::{open, sources};
use support::shared;

const KERNEL: u64 = 0xffff_ffff_8100_0000;
const SLOWPATH: u64 = KERNEL + 0x100;
const SPIN: u64 = KERNEL + 0x200;
const RWSEM: u64 = KERNEL + 0x300;
const CALLER: u64 = KERNEL + 0x410;
const WORK: u64 = KERNEL + 0x500;
/// Where synthetic recordings start, and a millisecond.
const T0: u64 = 7_000_000_000;
const MS: u64 = 1_000_000;

fn options() -> Options {
    Options { matcher: Matcher::new(&[], &[]), through: Through::Direct, path: 0 }
}

/// One event of a recording, counted in both ways.
struct Counted {
    attribution: Attribution,
    table: SiteTable,
    locks: Vec<Lock>,
    grid: Option<Grid>,
}

impl Counted {
    fn grid(&self) -> &Grid {
        self.grid.as_ref().expect("the samples have times")
    }

    fn timeline(&self) -> Timeline {
        timeline(self.grid(), &self.locks).expect("there are samples")
    }
}

fn counted(
    recording: &Opened,
    event: u16,
    selection: &Selection,
    sources: &Sources,
    threads: usize,
) -> Counted {
    let selection = Selection { again: Again::Possible, ..selection.clone() };
    let Ingested { profile, rewalk, .. } = ingest(recording, &selection, threads, &|_| {});
    let rewalk = rewalk.expect("it was asked for");
    let (profile, _) = symbolize(profile, Path::new("perf.data"), None, sources).expect("sources are read");
    let attribution = attribute(&profile, event, &options());
    let run = [(&profile, &attribution)];
    let (mut tables, labels) = labelled_tables(&run);
    let locks = heaviest(&tables, &Choice::default(), 5);
    let table = tables.remove(0);
    let pairs = LockOfPair::new(&profile, event, &options(), &labels, &locks);
    let class = |kernel, user| pairs.of(kernel, user);
    let grid = grid(recording, &rewalk, event, FINEST, &class, threads, &|_| {});
    Counted { attribution, table, locks, grid }
}

/// Names for the addresses of synthetic recordings.
fn named() -> (tempfile::TempDir, Sources) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let list: String = [
        (KERNEL, "_text"),
        (SLOWPATH, "native_queued_spin_lock_slowpath"),
        (SPIN, "_raw_spin_lock"),
        (RWSEM, "down_write"),
        (CALLER - 0x10, "caller"),
        (WORK, "work"),
        (WORK + 0x100, "end"),
    ]
    .iter()
    .map(|(address, name)| format!("{address:016x} T {name}\n"))
    .collect();
    let path = support::reading::file(&folder, "kallsyms", list);
    let sources = sources(Some(&path), None);
    (folder, sources)
}

/// Checks that no weight is lost or made between a profile and its grid, nor between the grid and the pictures.
fn is_conserved(name: &str, counted: &Counted) {
    let (attribution, grid) = (&counted.attribution, counted.grid());
    assert_eq!(grid.total(), (attribution.total, attribution.samples), "{name}: all");
    let mut of_lock: BTreeMap<&Lock, (Weight, u64)> = BTreeMap::new();
    for (site, row) in &counted.table.sites {
        let sum = of_lock.entry(&site.lock).or_default();
        *sum = (sum.0 + row.weight, sum.1 + row.samples);
    }
    for (at, lock) in counted.locks.iter().enumerate() {
        assert_eq!(Some(grid.of_class(at as u16)), of_lock.remove(lock), "{name}: {}", lock.name);
    }
    let others = of_lock.values().fold((Weight(0), 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    assert_eq!(grid.of_class(counted.locks.len() as u16), others, "{name}: other locks");
    let Ok(timeline) = timeline(grid, &counted.locks) else {
        return assert_eq!(attribution.samples, 0, "{name}: no timeline");
    };
    let sum = |cells: &mut dyn Iterator<Item = &Cell>| {
        cells.fold((Weight(0), 0, vec![Weight(0); timeline.bands.len()]), |mut sum, cell| {
            sum.2.iter_mut().zip(&cell.locks).for_each(|(sum, weight)| *sum += *weight);
            (sum.0 + cell.weight, sum.1 + cell.samples, sum.2)
        })
    };
    let bands: Vec<Weight> = timeline.bands.iter().map(|band| band.weight).collect();
    let all = (attribution.total, attribution.samples, bands);
    assert_eq!(sum(&mut timeline.all.iter()), all, "{name}: over time");
    assert_eq!(sum(&mut timeline.rows.iter().flat_map(|row| &row.cells)), all, "{name}: by processor");
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The names of the folders below one that hold a recording.
fn folders(root: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(root).expect("it is a folder").map(|entry| entry.expect("readable").path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.join("perf.data").exists()).collect();
    found.sort();
    found
}

fn selections() -> [Selection; 4] {
    let all = Selection::default();
    [
        all.clone(),
        Selection { time: Some(TimeSpan::Part(0.2, 0.7)), ..all.clone() },
        Selection { idle: Idle::Dropped, space: Space::KernelOnly, ..all.clone() },
        Selection { cpus: vec![1, 3], ..all },
    ]
}

fn conserves(folder: &Path, sources: &Sources) {
    let recording = Opened::open(&folder.join("perf.data")).expect("it is a recording");
    for event in 0..recording.events.len() as u16 {
        for (n, selection) in selections().iter().enumerate() {
            let counted = counted(&recording, event, selection, sources, 2);
            is_conserved(&format!("{}, event {event}, selection {n}", folder.display()), &counted);
        }
    }
}

#[test]
fn fixtures_weigh_the_same_in_the_grid() {
    let folders = folders(&fixtures());
    assert!(folders.len() >= 14, "only {} fixtures", folders.len());
    for folder in folders {
        let symfs = folder.join("symfs");
        let symfs = symfs.is_dir().then_some(symfs);
        conserves(&folder, &sources(Some(&folder.join("kallsyms")), symfs.as_deref()));
    }
}

#[test]
fn the_lab_weighs_the_same_in_the_grid() {
    let Some(lab) = shared::folder("lab") else { return };
    // Beside real contention: leader sampling, several events, compression, a file for each of the recorder's threads.
    let others = ["var8-4-group", "var8-4-multi", "var8-4-zstd", "var8-4-threads", "var8-4-nocallgraph"];
    let mut seen = 0;
    for folder in folders(&lab) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        if name.starts_with("lat8mcs-") || others.contains(&name.as_str()) {
            let list = std::fs::read_to_string(folder.join("kallsyms.name")).expect("it names its list");
            let kallsyms = lab.join("kallsyms").join(list.trim());
            conserves(&folder, &sources(Some(&kallsyms), Some(&lab.join("symfs"))));
            seen += 1;
        }
    }
    assert!(seen >= 15, "only {seen} recordings were read");
}

/// A sample as perf prints it.
struct Printed {
    cpu: Option<u32>,
    time: u64,
    weight: u64,
    /// Functions of the kernel, leaf first.
    kernel: Vec<String>,
}

/// Samples of a fixture as `perf script` prints them: `[cpu] seconds.nanos: weight`, then `address function` by frame.
fn printed(folder: &Path, fields: &str) -> Option<Vec<Printed>> {
    let output = Command::new("perf")
        .args(["script", "--ns", "-F", fields, "-i"])
        .arg(folder.join("perf.data"))
        .arg(format!("--kallsyms={}", folder.join("kallsyms").display()))
        .output()
        .ok()?;
    let mut samples: Vec<Printed> = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.is_empty()) {
        if let Some(frame) = line.strip_prefix('\t') {
            let (address, name) = frame.trim_start().split_once(' ').expect("a frame has a name");
            if u64::from_str_radix(address, 16).is_ok_and(|address| address >> 63 == 1) {
                // The linker's mark is at the address of the function (docs/peers.md).
                let name = if name == "__lock_text_start" { "_raw_spin_lock_irqsave" } else { name };
                samples.last_mut().expect("frames follow a sample").kernel.push(name.to_owned());
            }
            continue;
        }
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let cpu = words[0].strip_prefix('[').map(|cpu| cpu.trim_end_matches(']').parse().expect("a number"));
        words.drain(..usize::from(cpu.is_some()));
        let (seconds, nanos) = words[0].trim_end_matches(':').split_once('.').expect("a time");
        let number = |text: &str| text.parse::<u64>().expect("a number");
        let time = number(seconds) * 1_000_000_000 + number(nanos);
        samples.push(Printed { cpu, time, weight: number(words[1]), kernel: Vec::new() });
    }
    Some(samples)
}

/// Spinlocks, and locks that are built on them, by how their functions begin: as far as the fixtures hit them.
const SPINLOCKS: &[&str] = &[
    "_raw_spin_lock",
    "_raw_spin_trylock",
    "native_queued_spin_lock_slowpath",
    "__pv_queued_spin_lock_slowpath",
];
const BUILT_ON: &[&str] = &[
    "queued_read_lock",
    "queued_write_lock",
    "_raw_read_lock",
    "_raw_write_lock",
    "mutex_lock",
    "mutex_spin_on_owner",
    "mutex_optimistic_spin",
    "rwsem_optimistic_spin",
    "__mutex_lock",
    "osq_lock",
    "down_",
    "rwsem_down_",
    "rwsem_spin_on_owner",
];
const UNLOCKS: &[&str] = &["up_", "rwsem_wake", "mutex_unlock", "__mutex_unlock"];

/// What the leaf waits for: the outermost function of its lock, and whether that is a spinlock. Knows nothing of the
/// crate's table.
fn lock_of(kernel: &[String]) -> Option<(&str, bool)> {
    let is_one = |of: &[&str], name: &str| of.iter().any(|start| name.starts_with(start));
    let mut lock = None;
    for name in kernel {
        match lock {
            None if name.starts_with("lockref_") => return Some((name, false)),
            _ if is_one(BUILT_ON, name) => lock = Some((name.as_str(), false)),
            None | Some((_, true)) if is_one(SPINLOCKS, name) => lock = Some((name.as_str(), true)),
            Some(_) if is_one(UNLOCKS, name) => return None,
            _ => break,
        }
    }
    lock
}

/// Weight, samples, weight in locks, and weight by spinlock.
type Binned = (u64, u64, u64, BTreeMap<String, u64>);

fn binned(samples: &[Printed], timeline: &Timeline) -> BTreeMap<(Option<u32>, usize), Binned> {
    // The first sample begins the first slot.
    let start = samples.iter().map(|sample| sample.time).min().expect("there are samples");
    assert_eq!(timeline.start, Nanos(start));
    let mut cells: BTreeMap<(Option<u32>, usize), Binned> = BTreeMap::new();
    for sample in samples {
        let slot = ((sample.time - start) / timeline.slot.0) as usize;
        let cell = cells.entry((sample.cpu, slot)).or_default();
        cell.0 += sample.weight;
        cell.1 += 1;
        if let Some((name, is_spinlock)) = lock_of(&sample.kernel) {
            cell.2 += sample.weight;
            if is_spinlock {
                *cell.3.entry(name.to_owned()).or_default() += sample.weight;
            }
        }
    }
    cells
}

fn timeline_of(folder: &Path) -> Timeline {
    let symfs = folder.join("symfs");
    let symbols =
        SymbolArgs { kallsyms: Some(folder.join("kallsyms")), symfs: symfs.is_dir().then_some(symfs) };
    let read = timelines(&[folder.join("perf.data")], None, &Selection::default(), &symbols, &options());
    read.expect("it is read").remove(0).1.expect("it has times")
}

/// Compares every cell, and returns how many hold weight in locks.
fn compare(folder: &Path, samples: &[Printed], has_user_locks: bool) -> usize {
    let timeline = timeline_of(folder);
    let mut perfs = binned(samples, &timeline);
    let mut contended = 0;
    for row in &timeline.rows {
        for (slot, cell) in row.cells.iter().enumerate() {
            let place = format!("{}: {:?}, slot {slot}", folder.display(), row.cpus);
            let (weight, samples, locks, spinlocks) =
                perfs.remove(&(row.cpus.first().copied(), slot)).unwrap_or_default();
            assert_eq!((cell.weight.0, cell.samples), (weight, samples), "{place}");
            if !has_user_locks {
                assert_eq!(cell.locks.iter().map(|weight| weight.0).sum::<u64>(), locks, "{place}");
            }
            for (band, own) in timeline.bands.iter().zip(&cell.locks) {
                if let Some(lock) = band.lock.as_ref().filter(|lock| lock.name.starts_with("_raw_spin")) {
                    assert_eq!(
                        own.0,
                        spinlocks.get(&lock.name).copied().unwrap_or(0),
                        "{place}: {}",
                        lock.name
                    );
                }
            }
            contended += usize::from(locks > 0);
        }
    }
    assert!(perfs.is_empty(), "{}: perf has {} more cells", folder.display(), perfs.len());
    contended
}

#[test]
fn cells_hold_what_perf_prints() {
    let mut contended = 0;
    for folder in folders(&fixtures()) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        // Two fixtures were recorded without processors, and with locks of user space.
        let is_user = ["user-mutex", "control"].contains(&name.as_str());
        let fields = if is_user { "time,period,ip,sym" } else { "cpu,time,period,ip,sym" };
        let Some(samples) = printed(&folder, fields) else { return shared::skip("perf") };
        assert!(samples.len() > 100, "perf printed {} samples of {name}", samples.len());
        contended += compare(&folder, &samples, is_user);
    }
    assert!(contended > 1_000, "only {contended} cells with locks were compared");
}

/// What a processor does at a millisecond.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Works,
    Spins,
    Writes,
}

/// 2.4 s on processors that are sampled each millisecond: slots of 20 ms exactly, if there are enough samples.
fn run(cpus: u32, doing: impl Fn(u32, u64) -> Doing) -> Recording {
    let samples = (0..2_400).flat_map(|ms| (0..cpus).map(move |cpu| (ms, cpu))).map(|(ms, cpu)| {
        let chain: &[u64] = match doing(cpu, ms) {
            Doing::Works => &[WORK],
            Doing::Spins => &[SLOWPATH + 8, SPIN + 8, CALLER],
            Doing::Writes => &[RWSEM + 8, CALLER],
        };
        let last = u64::from(ms == 2_399 && cpu == cpus - 1) * (MS - 1);
        Sample::at(T0 + ms * MS + last).cpu(cpu).thread(7, 7).period(10).kernel_chain(chain)
    });
    Recording::new().event(Event::cycles().callchain()).kernel_map(KERNEL, 0x100_0000).records(samples)
}

fn timeline_of_run(recording: &Recording) -> Timeline {
    let (_folder, sources) = named();
    let counted = counted(&open(recording), 0, &Selection::default(), &sources, 1);
    is_conserved("synthetic", &counted);
    counted.timeline()
}

#[test]
fn a_convoy_is_found_where_it_was_made() {
    let timeline = timeline_of_run(&run(4, |cpu, ms| match (cpu, ms) {
        (0..=2, 600..1_000) => Doing::Spins,
        // One processor alone, and two with half of their weight, are none.
        (1, 1_200..1_300) => Doing::Spins,
        (_, 1_300..1_400) if ms % 2 == 0 => Doing::Spins,
        (1 | 3, 1_500..1_600) => Doing::Writes,
        // Different processors in neighbouring slots are one convoy.
        (0 | 1, 2_000..2_020) | (2 | 3, 2_020..2_040) => Doing::Writes,
        _ => Doing::Works,
    }));
    assert_eq!((timeline.start, timeline.slot, timeline.all.len()), (Nanos(T0), Nanos(20 * MS), 120));
    let names: Vec<&str> =
        timeline.bands.iter().flat_map(|band| &band.lock).map(|lock| lock.name.as_str()).collect();
    assert_eq!(names, ["_raw_spin_lock", "down_write"]);
    let convoy = |band, from: u64, length: u64, cpus: &[u32], weight| Convoy {
        band,
        start: Nanos(T0 + from * MS),
        length: Nanos(length * MS),
        cpus: cpus.to_vec(),
        weight: Weight(weight),
    };
    assert_eq!(
        timeline.convoys,
        [
            convoy(0, 600, 400, &[0, 1, 2], 3 * 400 * 10),
            convoy(1, 1_500, 100, &[1, 3], 2 * 100 * 10),
            convoy(1, 2_000, 40, &[0, 1, 2, 3], 2 * 40 * 10),
        ]
    );
    let share = |slot: usize| timeline.all[slot].share().expect("it weighs").0;
    assert_eq!([share(29), share(30), share(49), share(50)], [0.0, 0.75, 0.75, 0.0]);
    let cell = &timeline.rows[3].cells[75];
    assert_eq!([cell.share_of(0), cell.share_of(1)].map(|share| share.expect("it weighs").0), [0.0, 1.0]);
}

#[test]
fn locks_that_are_taken_in_turn_are_no_convoy() {
    let timeline = timeline_of_run(&run(4, |cpu, ms| match ms % 4 == u64::from(cpu) {
        true => Doing::Spins,
        false => Doing::Works,
    }));
    assert_eq!(timeline.bands[0].weight, Weight(2_400 * 10));
    assert_eq!(timeline.convoys, []);
}

#[test]
fn few_samples_are_no_convoy_and_an_empty_cell_is_not_quiet() {
    // Two samples a slot, all of them in the lock, and nothing at all in the middle.
    let samples = (0..48).filter(|n| !(20..24).contains(n)).flat_map(|n| {
        (0..2).map(move |cpu| {
            Sample::at(T0 + n * 50 * MS).cpu(cpu).kernel_chain(&[SLOWPATH + 8, SPIN + 8, CALLER])
        })
    });
    let recording = Recording::new().event(Event::cycles().callchain()).kernel_map(KERNEL, 0x100_0000);
    let timeline = timeline_of_run(&recording.records(samples));
    assert_eq!(timeline.all.len(), 20);
    assert!(timeline.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.samples == 0));
    let few = timeline.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.samples < 3);
    for cell in few {
        let share = cell.share().map(|share| share.0);
        assert_eq!(share, (cell.samples > 0).then_some(1.0));
    }
    // 44 moments in 20 slots: some slots have three of them.
    let stretches: u64 = timeline.convoys.iter().map(|convoy| convoy.length.0 / timeline.slot.0).sum();
    let enough = (0..20).filter(|&slot| timeline.rows.iter().all(|row| row.cells[slot].samples >= 3)).count();
    assert_eq!(stretches, enough as u64);
    assert!(stretches < 20);
}

#[test]
fn many_processors_share_rows() {
    let timeline = timeline_of_run(&run(300, |cpu, ms| match (cpu, ms) {
        (100..250, 600..620) => Doing::Spins,
        _ => Doing::Works,
    }));
    assert_eq!((timeline.cpus_per_row, timeline.rows.len(), timeline.all.len()), (3, 100, 120));
    assert_eq!(timeline.rows[33].cpus, [99, 100, 101]);
    let share = |row: usize| timeline.rows[row].cells[30].share().expect("it weighs").0;
    assert_eq!([share(32), share(33), share(34)], [0.0, 2.0 / 3.0, 1.0]);
    // Convoys are looked for in single processors.
    assert_eq!(timeline.convoys.len(), 1);
    assert_eq!(timeline.convoys[0].cpus, (100..250).collect::<Vec<u32>>());
}

#[test]
fn threads_change_nothing() {
    let (_folder, sources) = named();
    let recording = run(16, |cpu, ms| match (u64::from(cpu) * 7 + ms) % 5 {
        0 => Doing::Spins,
        1 => Doing::Writes,
        _ => Doing::Works,
    });
    let bytes = recording.write();
    assert!(bytes.len() > 3 << 20, "{} bytes are no more than a few blocks", bytes.len());
    let opened = support::reading::open_bytes(bytes);
    let grids =
        [1, 2, 3].map(|threads| counted(&opened, 0, &Selection::default(), &sources, threads).grid().clone());
    assert_eq!(grids[0], grids[1]);
    assert_eq!(grids[0], grids[2]);
}

#[test]
fn growth_of_counters_falls_into_the_slot_in_which_it_is_read() {
    let event = |event: Event| event.with(field::READ).callchain().read_format(format::ID | format::GROUP);
    let counters =
        |n: u64| vec![Counter { value: 3 * n, id: 1, lost: 0 }, Counter { value: n * n, id: 2, lost: 0 }];
    let sample = |n: u64| {
        let read = Read { enabled: 0, running: 0, counters: counters(n) };
        Sample::at(T0 + n * MS).read(read).kernel_chain(&[SLOWPATH + 8, SPIN + 8, CALLER])
    };
    let recording = Recording::new()
        .event(event(Event::cycles()).ids(&[1]))
        .event(event(Event::instructions()).ids(&[2]))
        .kernel_map(KERNEL, 0x100_0000)
        .records((1..=12_000).map(sample));
    let (_folder, sources) = named();
    let opened = open(&recording);
    for (event, total, growth) in [(0, 36_000, 3), (1, 144_000_000, 0)] {
        let counted = counted(&opened, event, &Selection::default(), &sources, 2);
        is_conserved("counters", &counted);
        assert_eq!(counted.grid().total(), (Weight(total), 12_000));
        for (slot, cell) in counted.timeline().all.iter().enumerate() {
            // Slots begin with the first sample, n = 1; n² grows by 2n - 1.
            let slot = slot as u64;
            let length = counted.timeline().slot.0;
            let of_slot = (1..=12_000u64).filter(|n| (n - 1) * MS / length == slot);
            let expected: u64 = of_slot.map(|n| if growth == 0 { 2 * n - 1 } else { growth }).sum();
            assert_eq!((cell.weight.0, cell.locks[0].0), (expected, expected), "event {event}, slot {slot}");
        }
    }
}

#[test]
fn without_times_there_is_no_grid() {
    let (_folder, sources) = named();
    let samples = || (0..30).map(|n| Sample::at(T0 + n).event((n % 2) as usize).kernel_chain(&[WORK]));
    let untimed = Event::instructions().callchain().without(field::TIME);
    let both = Recording::new()
        .event(Event::cycles().callchain())
        .event(untimed.clone())
        .kernel_map(KERNEL, 0x100_0000)
        .records(samples());
    let opened = open(&both);
    let grid = |event| counted(&opened, event, &Selection::default(), &sources, 1).grid;
    assert!(grid(0).is_some());
    assert_eq!(grid(1), None);
    let none = Recording::new().event(untimed).records((0..3).map(|n| Sample::at(n).kernel_chain(&[WORK])));
    assert_eq!(counted(&open(&none), 0, &Selection::default(), &sources, 1).grid, None);
}

#[test]
fn without_processors_there_is_one_row_and_no_convoy() {
    let event = Event::cycles().callchain().without(field::CPU);
    let samples =
        (0..2_400).map(|ms| Sample::at(T0 + ms * MS).kernel_chain(&[SLOWPATH + 8, SPIN + 8, CALLER]));
    let timeline =
        timeline_of_run(&Recording::new().event(event).kernel_map(KERNEL, 0x100_0000).records(samples));
    assert_eq!(timeline.rows.len(), 1);
    assert_eq!(timeline.rows[0].cpus, [0u32; 0]);
    assert_eq!(timeline.rows[0].cells, timeline.all);
    assert_eq!(timeline.convoys, []);
}

#[test]
fn what_cannot_be_shown_has_a_reason() {
    let (_folder, sources) = named();
    let nobody = Selection { pids: vec![4711], ..Selection::default() };
    let counted = counted(&open(&run(1, |_, _| Doing::Works)), 0, &nobody, &sources, 1);
    assert_eq!(timeline(counted.grid(), &counted.locks), Err(Untimed::NoSamples));
    let mail = fixtures().join("mail/aim7-perf-report.txt");
    let symbols = SymbolArgs { kallsyms: None, symfs: None };
    let read = timelines(&[mail], None, &Selection::default(), &symbols, &options()).expect("it is read");
    assert_eq!(read[0].1, Err(Untimed::Text));
}

#[test]
fn runs_that_are_read_together_have_the_same_bands() {
    let folder = |name: &str| fixtures().join(name).join("perf.data");
    let kallsyms = fixtures().join("dup-before/kallsyms");
    let symbols = SymbolArgs { kallsyms: Some(kallsyms), symfs: None };
    let files = [folder("dup-before"), folder("dup-before")];
    let read = timelines(&files, None, &Selection::default(), &symbols, &options()).expect("they are read");
    let bands = |n: usize| -> Vec<Option<Lock>> {
        let timeline = read[n].1.as_ref().expect("it has times");
        timeline.bands.iter().map(|band| band.lock.clone()).collect()
    };
    assert_eq!(bands(0), bands(1));
    assert_eq!(bands(0).last(), Some(&None));
    assert_eq!(bands(0)[0].as_ref().map(|lock| lock.name.as_str()), Some("_raw_spin_lock"));
}

#[test]
fn slots_follow_the_samples() {
    for (samples, rows, expected) in [
        (10 * 120 * 8, 8, 120),
        (10 * 120 * 8 - 1, 8, 60),
        (10 * 60 * 8 - 1, 8, 40),
        (10 * 40 * 8 - 1, 8, 30),
        (10 * 30 * 8 - 1, 8, 24),
        (10 * 24 * 8 - 1, 8, 20),
        (0, 8, 20),
        (u64::MAX, 1, 120),
    ] {
        assert_eq!(slots(samples, rows), expected, "{samples} samples in {rows} rows");
    }
}
