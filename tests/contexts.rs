//! The marks in a callchain, and the mode of its sample, say whose addresses it holds: the kernel's, a process's, or
//! those of somebody else, who stays apart.

mod support;

use support::perfdata::{Event, Identity, Map, Record, Recording, Sample, context, misc};
use support::reading::{check, places_of, read_of};

const KERNEL: u64 = 0xffff_ffff_8100_0000;
/// Where a kernel of 32 bits stands by default.
const KERNEL_32: u64 = 0xc000_0000;
const PROGRAM: u64 = 0x40_0000;

/// Samples of one process under a kernel that stands there.
fn recording(kernel: u64, samples: &[Sample]) -> Recording {
    let map = Map::new(7, PROGRAM, 0x10_0000, 0, "/bin/prog");
    Recording::new()
        .event(Event::cycles().callchain())
        .kernel_map(kernel, 0x100_0000)
        .comm(7, "w")
        .record(Record::mmap2(&map, Identity::Inode { major: 8, minor: 1, inode: 4711, generation: 0 }))
        .records(samples.to_vec())
}

/// A sample whose weight tells which one it is.
fn chain(weight: u64, words: &[u64]) -> Sample {
    Sample::at(weight).thread(7, 7).period(weight).chain(words.to_vec())
}

/// Checks the frames of samples in either byte order; addresses of the kernel are written `k+0x…`.
#[track_caller]
fn check_frames(kernel: u64, samples: &[Sample], lines: &[&str]) {
    let expected: Vec<String> = lines.iter().map(|line| format!("w: {line}")).collect();
    let expected: Vec<String> = expected
        .iter()
        .map(|line| {
            let frames = line.split(' ').map(|frame| match frame.strip_prefix("k+0x") {
                Some(offset) => {
                    let offset = u64::from_str_radix(offset, 16).expect("a number");
                    format!("[kernel.kallsyms]+0x{:x}", kernel + offset)
                }
                None => frame.to_owned(),
            });
            frames.collect::<Vec<_>>().join(" ")
        })
        .collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    let recording = recording(kernel, samples);
    check(&places_of(&recording), 0, &expected);
    check(&places_of(&recording.big_endian()), 0, &expected);
}

#[test]
fn perf_cuts_at_the_same_marks() {
    use context::{HYPERVISOR, USER};
    let k = KERNEL;
    let samples = [
        chain(1, &[context::KERNEL, k + 1, k + 2, USER, PROGRAM + 0x10]),
        // Of a mode that nobody told, with marks.
        chain(2, &[context::KERNEL, k + 3, USER, PROGRAM + 0x10]).ip(k + 3).misc(0),
        // A link register that was not saved, as powerpc has it at the second or the third place.
        chain(4, &[context::KERNEL, k + 4, 0, k + 5, USER, PROGRAM + 0x10, 0, PROGRAM + 0x20]),
        chain(8, &[context::KERNEL, k + 6, k + 7, 0]),
        // The same mark again.
        chain(
            16,
            &[context::KERNEL, k + 8, context::KERNEL, k + 9, USER, PROGRAM + 0x10, USER, PROGRAM + 0x20],
        ),
        // The page that the kernel maps for processes is the process's, whatever its address.
        chain(32, &[USER, 0xffff_ffff_ff60_0000, PROGRAM + 0x10]),
        chain(64, &[USER, PROGRAM + 0x10, PROGRAM + 0x20]),
        chain(128, &[PROGRAM + 0x30, PROGRAM + 0x40]).misc(misc::USER),
    ];
    let small = KERNEL_32;
    let of_32_bits = [
        chain(1, &[context::KERNEL, small + 1, small + 2, USER, PROGRAM + 0x10]),
        chain(2, &[USER, small - 0x1_0000, PROGRAM + 0x10]),
        chain(4, &[context::KERNEL, small + 0xff_ffff, HYPERVISOR, USER, PROGRAM + 0x20]),
    ];
    let mut compared = 0;
    for recording in [recording(k, &samples), recording(small, &of_32_bits)] {
        for recording in [recording.clone(), recording.big_endian()] {
            let Some(mut perfs) = support::perf_script::chains(&recording.write()) else { return };
            for (stack, (weight, _)) in places_of(&recording) {
                let (_, mut frames) = perfs.remove(&weight).expect("perf prints it");
                // perf keeps the zeros.
                frames.retain(|frame| frame != "[unknown]+0x0");
                assert_eq!(stack.frames, frames, "weight {weight}");
                compared += frames.len();
            }
            assert!(perfs.is_empty(), "only perf has {perfs:?}");
        }
    }
    assert_eq!(compared, 2 * (21 + 7));
}

#[test]
fn without_marks_the_mode_tells_and_else_the_address() {
    let k = KERNEL;
    let samples = [
        chain(1, &[k + 1, k + 2]).misc(misc::KERNEL),
        chain(2, &[PROGRAM + 0x10, PROGRAM + 0x20]).misc(misc::USER),
        chain(4, &[k + 1, PROGRAM + 0x10]).misc(0),
        chain(8, &[]).ip(k + 5).misc(0),
        chain(16, &[]).ip(PROGRAM + 5).misc(0),
    ];
    let lines =
        ["k+0x1 k+0x2 = 1", "prog+0x10 prog+0x20 = 2", "k+0x1 prog+0x10 = 4", "k+0x5 = 8", "prog+0x5 = 16"];
    check_frames(k, &samples, &lines);
}

#[test]
fn a_kernel_of_32_bits_stands_in_the_lower_half() {
    let k = KERNEL_32;
    let samples = [
        chain(1, &[context::KERNEL, k + 0x12_3456, context::USER, PROGRAM + 0x10]),
        chain(2, &[k + 1, k + 2, PROGRAM + 0x10]).misc(0),
        chain(4, &[]).ip(k + 5).misc(0),
        chain(8, &[]).ip(PROGRAM + 5).misc(0),
        // The top of a process of 32 bits.
        chain(16, &[]).ip(k - 5).misc(0),
    ];
    let lines = [
        "k+0x123456 prog+0x10 = 1",
        "k+0x1 k+0x2 prog+0x10 = 2",
        "k+0x5 = 4",
        "prog+0x5 = 8",
        "[unknown]+0xbffffffb = 16",
    ];
    check_frames(k, &samples, &lines);
    // A process of 32 bits under a kernel of 64 has the whole lower half.
    check_frames(KERNEL, &[chain(1, &[]).ip(k + 5).misc(0)], &["[unknown]+0xc0000005 = 1"]);
    // A kernel that hides its addresses is mapped at zero: it owns no process's addresses.
    check_frames(0, &[chain(1, &[]).ip(PROGRAM + 5).misc(0)], &["prog+0x5 = 1"]);
}

#[test]
fn what_ran_in_a_guest_stays_apart() {
    let k = KERNEL;
    let host = [context::KERNEL, k + 1, k + 2, context::USER, PROGRAM + 0x10];
    let samples = [
        // The host walks no guest's stack: both marks, and nothing behind them.
        chain(1, &[context::KERNEL, context::USER]).ip(k + 5).misc(misc::GUEST_KERNEL),
        // Some hosts walk their own, which says who lets the guest run.
        chain(2, &host).ip(k + 6).misc(misc::GUEST_KERNEL),
        chain(4, &host).ip(PROGRAM + 7).misc(misc::GUEST_USER),
        chain(8, &[context::GUEST_KERNEL, k + 8, k + 9, context::GUEST_USER, 0x10]).misc(misc::GUEST_KERNEL),
        chain(16, &[]).ip(k + 5).misc(misc::GUEST_KERNEL),
        chain(32, &[context::KERNEL, context::USER_DEFERRED, 5]).ip(k + 10).misc(misc::GUEST_KERNEL),
        chain(64, &[k + 1, k + 2]).ip(k + 11).misc(misc::GUEST_KERNEL),
    ];
    let guest = |offset: u64| format!("[guest or hypervisor]+0x{:x}", k + offset);
    let lines = [
        format!("{} = 17", guest(5)),
        format!("{} = 2", guest(6)),
        "[guest or hypervisor]+0x400007 = 4".to_owned(),
        format!("{} {} [guest or hypervisor]+0x10 = 8", guest(8), guest(9)),
        format!("{} = 32", guest(10)),
        format!("{} {} = 64", guest(11), guest(2)),
    ];
    check_frames(k, &samples, &lines.each_ref().map(String::as_str));
    // Whoever lets a guest run is not asked for its user part.
    assert_eq!(read_of(&recording(k, &samples)).facts.tally.deferred_missing, [0]);
}

#[test]
fn a_mark_that_nobody_knows_takes_its_addresses_out() {
    let (k, unknown) = (KERNEL, -777_i64 as u64);
    let samples = [
        chain(1, &[context::KERNEL, k + 1, unknown, PROGRAM + 0x10]),
        chain(2, &[context::KERNEL, k + 1, unknown, 0x77, context::USER, PROGRAM + 0x10]),
        chain(4, &[unknown, k + 7, context::KERNEL, k + 2]).ip(k + 2).misc(misc::KERNEL),
        // The lowest of them, and the highest address that is none.
        chain(8, &[context::KERNEL, k + 3, context::MAX, 0x77]),
        chain(16, &[context::USER, context::MAX - 1]),
    ];
    let highest = format!("[unknown]+0x{:x} = 16", context::MAX - 1);
    let lines = ["k+0x1 = 1", "k+0x1 prog+0x10 = 2", "k+0x2 = 4", "k+0x3 = 8", &highest];
    check_frames(k, &samples, &lines);
}
