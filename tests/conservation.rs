//! No weight is lost or made: whatever is recorded, sums stay the same from the samples to the named profile.

mod support;

use std::collections::BTreeMap;

use lockblame::ingest::selection::{Idle, Space, TimeSpan};
use lockblame::ingest::{Ingested, Selection, ingest};
use lockblame::perf::Recording as Opened;
use proptest::prelude::*;
use support::perfdata::{
    Compression, Event, Framing, Identity, Map, Record, Recording, Sample, context, kind, misc,
};
use support::reading::{Stacks, names, open_bytes, places, read, sources, symbolized};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// A record, as far as the tests tell them apart.
#[derive(Debug, Clone)]
enum Step {
    Hit { time: u64, tid: u32, cpu: u32, event: usize, period: u64, kernel: Vec<u64>, user: Vec<u64> },
    Map { time: u64, pid: u32, page: u64, pages: u64, file: u8 },
    Comm { time: u64, tid: u32, name: u8, exec: bool },
    Fork { time: u64, pid: u32, parent: u32 },
    Ksymbol { time: u64, page: u64 },
    UnknownEvent { time: u64 },
    Damaged,
}

fn step() -> impl Strategy<Value = Step> {
    // Few moments, so that samples stand at the very borders of spans.
    let time = 1..400u64;
    let pid = 0..5u32;
    let kernel = prop::collection::vec((0..40u64).prop_map(|n| KERNEL + 0x200 * n), 0..6);
    let user = prop::collection::vec((0..64u64).prop_map(|n| 0x40_0000 + 0x100 * n), 0..6);
    let hit = (time.clone(), pid.clone(), 0..4u32, 0..3usize, 0..1_000u64, kernel, user).prop_map(
        |(time, tid, cpu, event, period, kernel, user)| Step::Hit {
            time,
            tid,
            cpu,
            event,
            period,
            kernel,
            user,
        },
    );
    let map = (time.clone(), pid.clone(), 0..4u64, 1..3u64, 0..4u8)
        .prop_map(|(time, pid, page, pages, file)| Step::Map { time, pid, page, pages, file });
    let comm = (time.clone(), pid.clone(), 0..3u8, any::<bool>())
        .prop_map(|(time, tid, name, exec)| Step::Comm { time, tid, name, exec });
    let fork =
        (time.clone(), pid.clone(), pid).prop_map(|(time, pid, parent)| Step::Fork { time, pid, parent });
    prop_oneof![
        12 => hit,
        2 => map,
        2 => comm,
        1 => fork,
        1 => (time.clone(), 0..8u64).prop_map(|(time, page)| Step::Ksymbol { time, page }),
        1 => time.prop_map(|time| Step::UnknownEvent { time }),
        1 => Just(Step::Damaged),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 0..120)
}

fn record(step: &Step) -> Record {
    match step.clone() {
        Step::Hit { time, tid, cpu, event, period, kernel, user } => {
            let mut chain = Vec::new();
            for (mark, part) in [(context::KERNEL, kernel), (context::USER, user)] {
                if !part.is_empty() {
                    chain.push(mark);
                    chain.extend(part);
                }
            }
            Sample::at(time).thread(tid, tid).cpu(cpu).event(event).period(period).chain(chain).into()
        }
        Step::Map { time, pid, page, pages, file } => {
            let path = format!("/lib/{file}.so");
            let map =
                Map::new(pid, 0x40_0000 + 0x1000 * page, 0x1000 * pages, 0x1000 * u64::from(file), &path);
            let identity = Identity::Inode { major: 8, minor: 1, inode: 1, generation: 0 };
            Record::mmap2(&map, identity).time(time)
        }
        Step::Comm { time, tid, name, exec } => {
            let record = Record::comm(tid, tid, format!("name{name}")).time(time);
            if exec { record.misc(misc::COMM_EXEC) } else { record }
        }
        Step::Fork { time, pid, parent } => Record::fork((pid, pid), (parent, parent), time),
        Step::Ksymbol { time, page } => {
            Record::ksymbol(KERNEL + 0x1000 * page, 0x1000, "bpf_prog").time(time)
        }
        Step::UnknownEvent { time } => Sample::at(time).id(999).into(),
        Step::Damaged => Record::raw(kind::SAMPLE, &[1, 0, 0, 0, 0, 0, 0, 0, 7]),
    }
}

fn recording(steps: &[Step]) -> Recording {
    Recording::new()
        .event(Event::cycles().callchain())
        .event(Event::instructions().callchain())
        .event(Event::cpu_clock().callchain())
        .kernel_map(KERNEL, 0x100_0000)
        .records(steps.iter().map(record))
}

/// Samples and weight of each event, counted from what was written.
fn truth(steps: &[Step]) -> [(u64, u64); 3] {
    let mut sums = [(0, 0); 3];
    for step in steps {
        if let Step::Hit { event, period, .. } = step {
            sums[*event] = (sums[*event].0 + 1, sums[*event].1 + period);
        }
    }
    sums
}

fn sums(ingested: &Ingested) -> [(u64, u64); 3] {
    [0, 1, 2].map(|event| {
        let (weight, samples) = ingested.profile.total(event);
        (samples, weight.0)
    })
}

fn selected(opened: &Opened, selection: &Selection) -> Ingested {
    ingest(opened, selection, 1, &|_| {})
}

/// The sum of two profiles, stack by stack.
fn together(a: Stacks, b: Stacks) -> Stacks {
    b.into_iter().fold(a, |mut sum, (stack, (weight, samples))| {
        let entry = sum.entry(stack).or_default();
        *entry = (entry.0 + weight, entry.1 + samples);
        sum
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn entries_weigh_what_the_samples_weighed(steps in steps()) {
        let ingested = read(&open_bytes(recording(&steps).write()));
        prop_assert_eq!(sums(&ingested), truth(&steps));
        let tally = &ingested.facts.tally;
        let count = |wanted: fn(&Step) -> bool| steps.iter().filter(|step| wanted(step)).count() as u64;
        prop_assert_eq!(tally.unknown_event, count(|step| matches!(step, Step::UnknownEvent { .. })));
        prop_assert_eq!(tally.undecodable, count(|step| matches!(step, Step::Damaged)));
        let events: Vec<(u64, u64)> = tally.events.iter().map(|(n, weight)| (*n, weight.0)).collect();
        prop_assert_eq!(events, truth(&steps).to_vec());
    }

    #[test]
    fn frames_are_the_recorded_ones(steps in steps()) {
        let ingested = read(&open_bytes(recording(&steps).write()));
        let recorded = steps.iter().map(|step| match step {
            // The leaf is there even where no callchain is.
            Step::Hit { kernel, user, .. } => (kernel.len() + user.len()).max(1),
            _ => 0,
        });
        let frames = places(&ingested.profile).iter().map(|(stack, (_, n))| stack.frames.len() as u64 * n).sum::<u64>();
        prop_assert_eq!(frames, recorded.sum::<usize>() as u64);
    }

    #[test]
    fn every_way_of_writing_weighs_the_same(steps in steps(), chunk in 50..5_000usize) {
        let reference = places(&read(&open_bytes(recording(&steps).write())).profile);
        let compression = Compression::chunks_of(chunk);
        let packed = recording(&steps).compressed(compression);
        let framed = recording(&steps).compressed(compression.framing(Framing::FramePerRecord).as_compressed2());
        let big = recording(&steps).big_endian();
        for bytes in [recording(&steps).write_pipe(), big.write(), packed.write(), framed.write_pipe()] {
            prop_assert_eq!(&places(&read(&open_bytes(bytes)).profile), &reference);
        }
    }

    #[test]
    fn what_a_selection_takes_and_leaves_is_all(steps in steps(), cut in 0..400u64, pid in 0..5u32) {
        let opened = open_bytes(recording(&steps).write());
        let all = places(&read(&opened).profile);
        let clock = |from, to| Selection { time: Some(TimeSpan::Clock(from, to)), ..Selection::default() };
        let part = |from, to| Selection { time: Some(TimeSpan::Part(from, to)), ..Selection::default() };
        let pids = |pids: Vec<u32>| Selection { pids, ..Selection::default() };
        let tids = |tids: Vec<u32>| Selection { tids, ..Selection::default() };
        let cpus = |cpus: Vec<u32>| Selection { cpus, ..Selection::default() };
        let others: Vec<u32> = (0..5).filter(|other| *other != pid).collect();
        let halves = [
            (clock(None, Some(cut)), clock(Some(cut + 1), None)),
            (part(0.0, 0.3), part(0.3, 1.0)),
            (pids(vec![pid]), pids(others.clone())),
            (tids(vec![pid]), tids(others)),
            (cpus(vec![0, 3]), cpus(vec![1, 2])),
        ];
        for (one, other) in halves {
            let (one, other) = (selected(&opened, &one), selected(&opened, &other));
            let samples = |ingested: &Ingested| ingested.facts.tally.events.iter().map(|(n, _)| n).sum::<u64>();
            prop_assert_eq!(one.facts.tally.unselected, samples(&other));
            prop_assert_eq!(other.facts.tally.unselected, samples(&one));
            prop_assert_eq!(&together(places(&one.profile), places(&other.profile)), &all);
        }
    }

    #[test]
    fn filters_take_what_their_words_say(steps in steps()) {
        let opened = open_bytes(recording(&steps).write());
        let weigh = |wanted: &dyn Fn(u32, &[u64]) -> bool| {
            let hits = steps.iter().map(|step| match step {
                Step::Hit { tid, kernel, period, .. } if wanted(*tid, kernel) => *period,
                _ => 0,
            });
            hits.sum::<u64>()
        };
        let weight = |selection: &Selection| sums(&selected(&opened, selection)).iter().map(|(_, w)| w).sum::<u64>();
        let busy = Selection { idle: Idle::Dropped, ..Selection::default() };
        prop_assert_eq!(weight(&busy), weigh(&|tid, _| tid != 0));
        let kernel = Selection { space: Space::KernelOnly, ..Selection::default() };
        prop_assert_eq!(weight(&kernel), weigh(&|_, kernel| !kernel.is_empty()));
        let by_name = read(&opened).profile;
        for name in ["name0", "name1", "swapper", "nobody"] {
            let one = Selection { comms: vec![name.to_owned()], ..Selection::default() };
            let mut own = places(&by_name);
            own.retain(|stack, _| stack.comm == name);
            prop_assert_eq!(places(&selected(&opened, &one).profile), own);
        }
    }

    #[test]
    fn threads_change_nothing(steps in steps(), copies in 1..40usize) {
        // Blocks hold a mebibyte: only a longer recording is shared.
        let many: Vec<Step> = steps.iter().cycle().take(steps.len() * copies * 8).cloned().collect();
        let opened = open_bytes(recording(&many).write());
        let one = ingest(&opened, &Selection::default(), 1, &|_| {});
        let two = ingest(&opened, &Selection::default(), 2, &|_| {});
        prop_assert_eq!(&one.facts.tally, &two.facts.tally);
        prop_assert_eq!(blocks(&one), blocks(&two));
        prop_assert_eq!(places(&one.profile), places(&two.profile));
    }

    #[test]
    fn names_keep_all_weight(steps in steps()) {
        let list: String = (0..40).map(|n| format!("{:016x} t f{n}\n", KERNEL + 0x200 * n)).collect();
        let folder = tempfile::tempdir().expect("a temporary directory");
        let kallsyms = support::reading::file(&folder, "list", format!("{KERNEL:016x} T _text\n{list}"));
        let ingested = read(&open_bytes(recording(&steps).write()));
        let before = sums(&ingested);
        let (named, resolution) = symbolized(ingested, &sources(Some(&kallsyms), None));
        let after = [0, 1, 2].map(|event| (named.total(event).1, named.total(event).0.0));
        prop_assert_eq!(before, after);
        let of_stacks = names(&named).values().map(|(weight, _)| weight).sum::<u64>();
        prop_assert_eq!(of_stacks, truth(&steps).iter().map(|(_, weight)| weight).sum::<u64>());
        let frames: u64 = names(&named).iter().map(|(stack, (_, n))| stack.frames.len() as u64 * n).sum();
        prop_assert_eq!(resolution.frames, frames);
        let unnamed: u64 = resolution.unnamed.values().sum();
        prop_assert!(unnamed <= resolution.frames);
    }
}

/// The weight of each block of time.
fn blocks(ingested: &Ingested) -> BTreeMap<u8, u64> {
    ingested.profile.entries.iter().fold(BTreeMap::new(), |mut blocks, entry| {
        *blocks.entry(entry.key.block).or_default() += entry.weight.0;
        blocks
    })
}
