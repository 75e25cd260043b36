//! `perf script` finds the same names of threads, files and offsets in recordings whose mappings change all the time.

mod support;

use support::perf_script::{self, Chains};
use support::perfdata::{Event, Identity, Map, Record, Recording, Sample};
use support::reading::{places, read_of};

const KERNEL: u64 = 0xffff_ffff_8100_0000;
const FIRST_PIDS: [u32; 3] = [11, 12, 13];

/// Numbers that look random and are the same in each run (Knuth's MMIX generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pid(&mut self) -> u32 {
        11 + self.below(5) as u32
    }
}

/// A recording in which each sample's period is its own, with records out of the order of time.
fn recording(seed: u64) -> Recording {
    let mut numbers = Numbers(seed);
    let mut records = vec![];
    let mut time = 1_000_000;
    let mut next = || {
        time += 1_000;
        time
    };
    for pid in FIRST_PIDS {
        records.push(Record::comm(pid, pid, format!("first{pid}")).time(next()));
        records.push(mapping(&mut numbers, pid).time(next()));
    }
    let mut known = FIRST_PIDS.to_vec();
    for n in 0..120 {
        let pid = numbers.pid();
        let now = next();
        match numbers.below(10) {
            0 => records.push(Record::comm(pid, pid, format!("name{n}")).time(now)),
            1 => {
                let parent = known[numbers.below(known.len() as u64) as usize];
                if parent != pid {
                    records.push(Record::fork((pid, pid), (parent, parent), now));
                    known.push(pid);
                }
            }
            2..=4 => records.push(mapping(&mut numbers, pid).time(now)),
            _ => {
                let page = 0x40_0000 + 0x1000 * numbers.below(6);
                let user = [page + 0x10 + numbers.below(0x800), page + 0x20];
                let sample = Sample::at(now).thread(pid, pid).period(1_000 + n);
                let sample = if n % 3 == 0 { sample.kernel_chain(&[KERNEL + 0x10 + n]) } else { sample };
                records.push(sample.user_chain(&user).into());
            }
        }
    }
    // Rings are written one after the other: neighbours change places.
    for _ in 0..60 {
        let at = numbers.below(records.len() as u64 - 1) as usize;
        records.swap(at, at + 1);
    }
    Recording::new().event(Event::cycles().callchain()).kernel_map(KERNEL, 0x100_0000).records(records)
}

fn mapping(numbers: &mut Numbers, pid: u32) -> Record {
    let file = numbers.below(4);
    let addr = 0x40_0000 + 0x1000 * numbers.below(5);
    let map = Map::new(pid, addr, 0x1000 * (1 + numbers.below(3)), 0x1000 * file, &format!("/lib/{file}.so"));
    Record::mmap2(&map, Identity::Inode { major: 8, minor: 1, inode: 100 + file, generation: 0 })
}

fn ours(recording: &Recording) -> Chains {
    let stacks = places(&read_of(recording).profile);
    // Equal stacks would fold: the kernel's address or the user's tells most samples apart, the rest is left out.
    let alone = stacks.into_iter().filter(|(_, (_, samples))| *samples == 1);
    alone.map(|(stack, (weight, _))| (weight, (stack.comm, stack.frames))).collect()
}

#[test]
fn perf_finds_the_same_places() {
    let mut compared = 0;
    for seed in 0..25 {
        let recording = recording(seed);
        let Some(perfs) = perf_script::chains(&recording.write()) else { return };
        let ours = ours(&recording);
        assert!(perfs.len() > 40, "perf printed {} samples", perfs.len());
        for (period, (comm, frames)) in ours {
            let (perfs_comm, perfs_frames) = &perfs[&period];
            // A thread that no record has named yet is called by its number there, and by its first name here.
            if !perfs_comm.starts_with(':') {
                assert_eq!(&comm, perfs_comm, "seed {seed}, period {period}");
            }
            assert_eq!(frames.len(), perfs_frames.len(), "seed {seed}, period {period}");
            for (own, perfs) in frames.iter().zip(perfs_frames) {
                // What perf does not know we may know from a mapping that comes later.
                if !perfs.starts_with("[unknown]") {
                    assert_eq!(own, perfs, "seed {seed}, period {period}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1_500, "{compared} frames were compared");
}
