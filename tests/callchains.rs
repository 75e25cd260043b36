//! A callchain is put together from the sample, its branch stack and later records as the kernel's ABI means it, and as
//! `perf script` shows it.

mod support;

use std::collections::BTreeMap;

use lockblame::ingest::{Ingested, Selection, ingest};
use support::perfdata::{
    Branches, Event, Identity, Map, Record, Recording, Sample, branch, context, field, flag, misc,
};
use support::reading::{check, open, open_bytes, places, places_of, read, read_of};

const KERNEL: u64 = 0xffff_ffff_8100_0000;
const PROGRAM: u64 = 0x40_0000;
const LIBRARY: u64 = 0x7f00_0000;

/// How the kernel's and the user's frames begin in what is compared.
const K: &str = "[kernel.kallsyms]+0xffffffff8100";

/// The mappings and the name of process 7; its program and its library are mapped from their files' start.
fn worker(recording: Recording) -> Recording {
    let map = |at, file| mapped(0, Map::new(7, at, 0x10_0000, 0, file));
    recording
        .kernel_map(KERNEL, 0x100_0000)
        .comm(7, "w")
        .record(map(PROGRAM, "/bin/prog"))
        .record(map(LIBRARY, "/lib/lib.so"))
}

fn mapped(time: u64, map: Map) -> Record {
    Record::mmap2(&map, Identity::Inode { major: 8, minor: 1, inode: 4711, generation: 0 }).time(time)
}

fn at(time: u64) -> Sample {
    Sample::at(time).thread(7, 7)
}

/// What is read from a recording as a file and as a pipe, of either byte order.
fn of_all_forms(recording: &Recording) -> Vec<Ingested> {
    let big = recording.clone().big_endian();
    [recording.write(), recording.write_pipe(), big.write(), big.write_pipe()]
        .into_iter()
        .map(|bytes| read(&open_bytes(bytes)))
        .collect()
}

/// Checks each form of a recording against lines of `comm: leaf caller … = weight`.
#[track_caller]
fn check_all(recording: &Recording, lines: &[&str]) {
    for read in of_all_forms(recording) {
        check(&places(&read.profile), 0, lines);
    }
}

/// An event whose user callchains are deferred, as `perf record --call-graph fp,defer` asks for them.
fn deferring() -> Event {
    Event::cycles().callchain().flags(flag::DEFER_CALLCHAIN | flag::DEFER_OUTPUT)
}

/// A record of a deferred user part of thread 7.
fn user_part(time: u64, cookie: u64, addresses: &[u64]) -> Record {
    let chain: Vec<u64> = [context::USER].into_iter().chain(addresses.iter().copied()).collect();
    Record::callchain_deferred(cookie, &chain).misc(misc::USER).thread(7, 7).time(time)
}

#[test]
fn a_deferred_user_part_joins_the_samples_that_hold_its_cookie() {
    let kernel = |time, address, cookie| at(time).kernel_chain(&[address]).deferred_chain(cookie);
    let recording = worker(Recording::new().event(deferring()))
        .sample(kernel(10, KERNEL + 1, 0x1_0000_0003).period(1))
        .sample(kernel(11, KERNEL + 2, 0x1_0000_0003).period(2))
        .record(user_part(12, 0x1_0000_0003, &[PROGRAM + 0x10, LIBRARY + 0x20]))
        // The counter of another processor, and the next of the same.
        .sample(kernel(13, KERNEL + 1, 0x2_0000_0003).period(4))
        .record(user_part(14, 0x2_0000_0003, &[PROGRAM + 0x30, 0, LIBRARY + 0x20]))
        .sample(kernel(15, KERNEL + 1, 0x1_0000_0005).period(8))
        .record(user_part(16, 0x1_0000_0005, &[PROGRAM + 0x10, LIBRARY + 0x20]));
    let lines = [
        format!("w: {K}0001 prog+0x10 lib.so+0x20 = 9"),
        format!("w: {K}0002 prog+0x10 lib.so+0x20 = 2"),
        format!("w: {K}0001 prog+0x30 lib.so+0x20 = 4"),
    ];
    check_all(&recording, &lines.each_ref().map(String::as_str));
    for read in of_all_forms(&recording) {
        assert_eq!(read.facts.tally.deferred_missing, [0]);
        assert_eq!(read.facts.tally.deepest, 3);
    }
}

#[test]
fn a_deferred_user_part_joins_no_other_sample() {
    let kernel = |time, cookie| at(time).kernel_chain(&[KERNEL + 1]).deferred_chain(cookie);
    let recording = worker(Recording::new().event(deferring()))
        .record(Record::comm(7, 6, "other"))
        .record(Record::comm(7, 8, "other"))
        // Another thread's, one that came before, another cookie, and none at all.
        .sample(kernel(10, 5).period(128).thread(7, 6))
        .sample(kernel(10, 5).period(1).thread(7, 8))
        .record(user_part(11, 5, &[PROGRAM + 0x10]))
        .sample(kernel(12, 5).period(2))
        .sample(kernel(13, 9).period(4))
        .sample(at(14).chain(vec![context::KERNEL, KERNEL + 1, context::USER_DEFERRED]).period(8))
        // What is missing is missing once.
        .sample(at(15).kernel_chain(&[KERNEL + 2]).period(256))
        // The same cookie again: the next record after the sample is its own.
        .sample(kernel(20, 6).period(16))
        .record(user_part(21, 6, &[PROGRAM + 0x20]))
        .sample(kernel(22, 6).period(32))
        .record(user_part(23, 6, &[PROGRAM + 0x30]))
        // A user part that could not be walked is no missing one.
        .sample(kernel(30, 7).period(64))
        .record(user_part(31, 7, &[]));
    let lines = [
        format!("other: {K}0001 = {}", 1 + 128),
        format!("w: {K}0001 = {}", 2 + 4 + 8 + 64),
        format!("w: {K}0002 = 256"),
        format!("w: {K}0001 prog+0x20 = 16"),
        format!("w: {K}0001 prog+0x30 = 32"),
    ];
    check_all(&recording, &lines.each_ref().map(String::as_str));
    for read in of_all_forms(&recording) {
        assert_eq!(read.facts.tally.deferred_missing, [5]);
        assert_eq!(read.facts.tally.without_callchain, [0]);
    }
    let chosen = Selection { tids: vec![8], ..Selection::default() };
    let chosen = ingest(&open(&recording), &chosen, 1, &|_| {});
    assert_eq!(chosen.facts.tally.deferred_missing, [1], "of the selection");
}

#[test]
fn the_instruction_pointer_is_the_leaf_of_a_deferred_user_part_too() {
    let recording = worker(Recording::new().event(deferring()))
        .sample(at(10).ip(PROGRAM + 0x11).deferred_chain(5).misc(misc::USER).period(1))
        .record(user_part(11, 5, &[PROGRAM + 0x10, LIBRARY + 0x20]))
        .sample(at(20).ip(PROGRAM + 0x12).deferred_chain(7).misc(misc::USER).period(2));
    check_all(&recording, &["w: prog+0x11 lib.so+0x20 = 1", "w: prog+0x12 = 2"]);
    for read in of_all_forms(&recording) {
        assert_eq!(read.facts.tally.deferred_missing, [1]);
    }
}

#[test]
fn a_deferred_user_part_means_what_was_mapped_when_it_was_recorded() {
    // The sample hits the system call that executes another program; on the way back there is nothing else.
    let recording = worker(Recording::new().event(deferring()))
        .sample(at(10).kernel_chain(&[KERNEL + 1]).deferred_chain(5))
        .record(Record::exec(7, "next").time(11))
        .record(mapped(12, Map::new(7, PROGRAM, 0x1000, 0, "/bin/next")))
        .record(user_part(13, 5, &[PROGRAM + 0x10]))
        // The next sample in the file is from before.
        .sample(at(9).kernel_chain(&[KERNEL + 2]).user_chain(&[PROGRAM + 0x10]));
    let lines = [format!("w: {K}0001 next+0x10 = 1"), format!("w: {K}0002 prog+0x10 = 1")];
    check_all(&recording, &lines.each_ref().map(String::as_str));
}

#[test]
fn the_trailer_of_a_deferred_user_part_is_that_of_its_event() {
    let all = field::ID | field::STREAM_ID;
    for fields in [all, field::ID, field::STREAM_ID] {
        let recording = Recording::new()
            .event(deferring().without(field::CPU | field::IDENTIFIER).with(fields))
            .kernel_map(KERNEL, 0x1000)
            .sample(at(10).kernel_chain(&[KERNEL + 1]).deferred_chain(5))
            .record(user_part(11, 5, &[0x10]))
            .sample(at(12).kernel_chain(&[KERNEL + 2]).deferred_chain(5));
        check_all(&recording, &[&format!(":7: {K}0001 [unknown]+0x10 = 1"), &format!(":7: {K}0002 = 1")]);
    }
    // Without times the cookie alone tells.
    let recording = Recording::new()
        .event(deferring().without(field::TIME))
        .sample(at(0).kernel_chain(&[KERNEL + 1]).deferred_chain(5))
        .record(user_part(0, 5, &[0x10]));
    let line = ":7: [unknown kernel]+0xffffffff81000001 [unknown]+0x10 = 1";
    check_all(&recording, &[line]);
    let recording = Recording::new()
        .event(deferring())
        .event(deferring().without(field::TIME))
        .sample(at(10).kernel_chain(&[KERNEL + 1]).deferred_chain(5))
        .record(user_part(0, 5, &[0x10]).event(1));
    check_all(&recording, &[line]);
    let recording = Recording::new()
        .event(deferring().without(field::TIME))
        .event(deferring())
        .sample(at(0).kernel_chain(&[KERNEL + 1]).deferred_chain(5))
        .record(user_part(3, 5, &[0x10]).event(1));
    check_all(&recording, &[line]);
}

#[test]
fn a_deferred_user_part_that_claims_too_much_is_damage() {
    let mut body = [0; 24];
    (body[0], body[8], body[16]) = (5, 9, 0x10);
    for n in [9u64, 1 << 61, u64::MAX] {
        body[8..16].copy_from_slice(&n.to_le_bytes());
        let recording = Recording::new()
            .event(deferring())
            .sample(at(10).kernel_chain(&[KERNEL + 1]).deferred_chain(5))
            .record(Record::raw(22, &body));
        let facts = read_of(&recording).facts;
        assert_eq!(facts.tally.deferred_missing, [1], "{n} addresses");
        assert!(
            facts.damage.iter().any(|line| line.starts_with("1 side-band records")),
            "{:?}",
            facts.damage
        );
    }
}

#[test]
fn any_number_of_threads_joins_alike() {
    let n = 20_000u64;
    let samples = (0..n).map(|i| {
        at(1_000 + i)
            .kernel_chain(&[KERNEL + 1 + i % 3])
            .deferred_chain(3 + i % 2_000)
            .period(1 + i % 7)
            .into()
    });
    let parts = (0..1_500).map(|i| user_part(1_000 + n + i, 3 + i, &[PROGRAM + 0x10 + i % 11, LIBRARY]));
    // Each ring is written for itself: the parts may stand anywhere.
    let recording =
        worker(Recording::new().event(deferring())).records(parts).records(samples.collect::<Vec<Record>>());
    let opened = open(&recording);
    let one = ingest(&opened, &Selection::default(), 1, &|_| {});
    let four = ingest(&opened, &Selection::default(), 4, &|_| {});
    assert_eq!(places(&one.profile), places(&four.profile));
    assert_eq!(one.facts.tally, four.facts.tally);
    assert_eq!(one.facts.tally.deferred_missing, [n / 4]);
    assert_eq!(places(&one.profile).len(), 3 * 11 + 3);
}

/// An event of `perf record --call-graph lbr`.
fn lbr() -> Event {
    Event::cycles().callchain().branches(branch::USER | branch::CALL_STACK | branch::HW_INDEX)
}

/// Calls of a program: main calls the library at 0x100, which calls itself at 0x200, where it runs.
const CALLS: [(u64, u64); 2] = [(LIBRARY + 0x210, LIBRARY + 0x300), (PROGRAM + 0x110, LIBRARY + 0x200)];

/// Samples of each shape that call stacks of the hardware come in.
fn call_stacks() -> Recording {
    let calls = || Branches::calls(&CALLS);
    worker(Recording::new().event(lbr()))
        // In the kernel: its part of the callchain, then the calls instead of what the frame pointers say.
        .sample(
            at(10).kernel_chain(&[KERNEL + 1, KERNEL + 2]).user_chain(&[0x99]).branches(calls()).period(1),
        )
        .sample(at(11).kernel_chain(&[KERNEL + 1]).user_chain(&[]).branches(calls()).period(2))
        // In user space.
        .sample(at(12).ip(LIBRARY + 0x333).user_chain(&[LIBRARY + 0x333, 0x99]).branches(calls()).period(4))
        // Without a user part there is nobody who called: the registers are those of an earlier thread.
        .sample(at(13).kernel_chain(&[KERNEL + 1, KERNEL + 3]).branches(calls()).period(8))
}

#[test]
fn calls_that_the_hardware_keeps_are_the_user_part() {
    // Whoever looks a caller up one byte before what is kept finds the call.
    let lines = [
        format!("w: {K}0001 {K}0002 lib.so+0x300 lib.so+0x211 prog+0x111 = 1"),
        format!("w: {K}0001 lib.so+0x300 lib.so+0x211 prog+0x111 = 2"),
        "w: lib.so+0x333 lib.so+0x211 prog+0x111 = 4".to_owned(),
        format!("w: {K}0001 {K}0003 = 8"),
    ];
    check_all(&call_stacks(), &lines.each_ref().map(String::as_str));
}

#[test]
fn a_call_and_what_it_calls_lie_where_they_lie() {
    // Mappings without a gap: the callee begins one, the call is the first byte of another.
    let map = |at, name: &str| mapped(0, Map::new(7, at, 0x1000, 0, name));
    let recording = Recording::new()
        .event(lbr())
        .comm(7, "w")
        .records([map(0x1000, "/a"), map(0x2000, "/b"), map(0x3000, "/c"), map(0x4000, "/d")])
        .kernel_map(KERNEL, 0x1000)
        .sample(
            at(1)
                .kernel_chain(&[KERNEL + 1])
                .user_chain(&[])
                .branches(Branches::calls(&[(0x2000, 0x3000), (0x3fff, 0x2000)])),
        );
    check_all(&recording, &[&format!("w: {K}0001 c+0x0 b+0x1 c+0x1000 = 1")]);
}

#[test]
fn a_branch_stack_that_is_no_call_stack_or_is_empty_changes_nothing() {
    let sample = |calls: &[(u64, u64)]| {
        at(1).kernel_chain(&[KERNEL + 1]).user_chain(&[PROGRAM + 0x10]).branches(Branches::calls(calls))
    };
    let line = format!("w: {K}0001 prog+0x10 = 1");
    let plain = Event::cycles().callchain().branches(branch::USER | branch::ANY);
    check_all(&worker(Recording::new().event(plain)).sample(sample(&CALLS)), &[&line]);
    check_all(&worker(Recording::new().event(lbr())).sample(sample(&[])), &[&line]);
    // Each event has branch stacks of its own kind.
    let both = worker(Recording::new().event(Event::cycles().callchain()).event(lbr()))
        .sample(sample(&CALLS).event(1).period(3))
        .sample(sample(&CALLS).event(0));
    for read in of_all_forms(&both) {
        check(&places(&read.profile), 0, &[&line]);
        let calls = format!("w: {K}0001 lib.so+0x300 lib.so+0x211 prog+0x111 = 3");
        check(&places(&read.profile), 1, &[&calls]);
    }
}

#[test]
fn calls_come_before_a_deferred_user_part() {
    let event = lbr().flags(flag::DEFER_CALLCHAIN | flag::DEFER_OUTPUT);
    let sample = |time| at(time).kernel_chain(&[KERNEL + 1]).deferred_chain(5);
    let recording = worker(Recording::new().event(event))
        .sample(sample(10).branches(Branches::calls(&CALLS)))
        .sample(sample(11).period(2))
        .record(user_part(12, 5, &[PROGRAM + 0x10]));
    let lines =
        [format!("w: {K}0001 lib.so+0x300 lib.so+0x211 prog+0x111 = 1"), format!("w: {K}0001 prog+0x10 = 2")];
    check_all(&recording, &lines.each_ref().map(String::as_str));
}

/// Our frames by period, which tells the samples apart.
fn ours(recording: &Recording) -> BTreeMap<u64, Vec<String>> {
    places_of(recording).into_iter().map(|(stack, (weight, _))| (weight, stack.frames)).collect()
}

#[test]
fn perf_puts_the_same_calls_behind_the_kernels_part() {
    let recording = call_stacks();
    for form in [recording.write(), recording.write_pipe()] {
        let Some(perfs) = support::perf_script::chains(&form) else { return };
        assert_eq!(perfs.len(), 4, "{perfs:?}");
        for (period, mut frames) in ours(&recording) {
            // perf prints the calls themselves.
            for (frame, call) in [("lib.so+0x211", "lib.so+0x210"), ("prog+0x111", "prog+0x110")] {
                frames.iter_mut().filter(|own| *own == frame).for_each(|own| *own = call.to_owned());
            }
            // For the leaf in user space it prints where the function begins, and not the instruction.
            if let Some(leaf) = frames.first_mut().filter(|leaf| *leaf == "lib.so+0x333") {
                *leaf = "lib.so+0x300".to_owned();
            }
            assert_eq!(frames, perfs[&period].1, "period {period}");
        }
    }
}
