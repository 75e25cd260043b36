//! A sample may lack any field that its event did not ask for: what is there counts, and nothing is made up for the rest.

mod support;

use lockblame::ingest::selection::{ByCpu, TimeSpan};
use lockblame::ingest::{Ingested, Selection, ingest};
use support::perfdata::{
    Branches, Event, Identity, Map, Record, Recording, Sample, branch, context, field, format, misc,
};
use support::reading::{check, open, places, places_of, read_of};

const KERNEL: u64 = 0xffff_ffff_8100_0000;
const PROGRAM: u64 = 0x40_0000;
/// Addresses of modules on kernels whose modules stand below, and of processes.
const LOW: u64 = 0x7f00_0000;

fn event() -> Event {
    Event::cycles().callchain()
}

fn mapped(time: u64, pid: u32, file: &str) -> Record {
    let map = Map::new(pid, PROGRAM, 0x10_0000, 0, file);
    Record::mmap2(&map, Identity::Inode { major: 8, minor: 1, inode: 4711, generation: 0 }).time(time)
}

/// Process 7, which runs one program until time 100 and then another, and a kernel with a module.
fn recording(events: &[Event]) -> Recording {
    let recording = events.iter().fold(Recording::new(), |recording, event| recording.event(event.clone()));
    recording
        .kernel_map(KERNEL, 0x1000)
        .record(Record::module_map(LOW, 0x1000, "/lib/modules/6.1/low.ko"))
        .record(Record::comm(7, 7, "first").time(1))
        .record(mapped(2, 7, "/bin/first"))
        .record(Record::exec(7, "second").time(100))
        .record(mapped(101, 7, "/bin/second"))
}

fn both(kernel: u64, user: u64) -> Sample {
    Sample::at(50).thread(7, 7).kernel_chain(&[kernel]).user_chain(&[user])
}

fn select(recording: &Recording, selection: Selection) -> Ingested {
    ingest(&open(recording), &selection, 1, &|_| {})
}

#[test]
fn without_a_process_no_user_address_has_a_place() {
    // In the kernel's own space the address would be its module's.
    let bare = event().without(field::TID);
    let recording =
        recording(&[bare]).sample(both(KERNEL + 1, LOW + 1)).sample(Sample::at(50).user_chain(&[LOW]));
    for recording in [recording.clone(), recording.big_endian()] {
        let lines = [
            ":-1: [kernel.kallsyms]+0xffffffff81000001 [unknown]+0x7f000001 = 1",
            ":-1: [unknown]+0x7f000000 = 1",
        ];
        check(&places_of(&recording), 0, &lines);
        assert_eq!(
            select(&recording, Selection { pids: vec![7], ..Selection::default() }).facts.tally.unselected,
            2
        );
    }
}

#[test]
fn a_thread_that_has_ended_has_no_process_either() {
    // The kernel writes -1 for both numbers then.
    let ended = both(KERNEL + 1, LOW + 1).thread(u32::MAX, u32::MAX);
    let recording = recording(&[event()]).sample(ended);
    check(&places_of(&recording), 0, &[":-1: [kernel.kallsyms]+0xffffffff81000001 [unknown]+0x7f000001 = 1"]);
}

#[test]
fn without_a_time_what_was_true_last_is_taken() {
    let timeless = event().without(field::TIME);
    // No record has a time: they count in their order.
    let sample = || both(KERNEL + 1, PROGRAM + 1);
    check(
        &places_of(&recording(std::slice::from_ref(&timeless)).sample(sample())),
        0,
        &["second: [kernel.kallsyms]+0xffffffff81000001 second+0x1 = 1"],
    );
    // Only the samples of one event have none.
    let recording = recording(&[event(), timeless]).sample(sample()).sample(sample().event(1).period(2));
    let stacks = places_of(&recording);
    check(&stacks, 0, &["first: [kernel.kallsyms]+0xffffffff81000001 first+0x1 = 1"]);
    check(&stacks, 1, &["second: [kernel.kallsyms]+0xffffffff81000001 second+0x1 = 2"]);
    // No span of time takes them.
    let span = Selection { time: Some(TimeSpan::Clock(None, None)), ..Selection::default() };
    assert_eq!(select(&recording, span).facts.tally.events[1].0, 0);
}

#[test]
fn without_a_processor_none_is_chosen_and_none_is_told() {
    let recording = recording(&[event().without(field::CPU)]).sample(both(KERNEL + 1, 1));
    assert_eq!(
        select(&recording, Selection { cpus: vec![0], ..Selection::default() }).facts.tally.unselected,
        1
    );
    let apart = select(&recording, Selection { by_cpu: ByCpu::Apart, ..Selection::default() });
    assert_eq!(apart.profile.entries[0].key.cpu, lockblame::profile::NO_CPU);
}

#[test]
fn without_an_instruction_pointer_the_callchain_has_the_leaf() {
    let bare = event().without(field::IP);
    let k = KERNEL;
    let chain = |weight, words: &[u64]| Sample::at(50).thread(7, 7).period(weight).chain(words.to_vec());
    let recording = recording(&[bare])
        .sample(chain(1, &[context::KERNEL, k + 1, k + 2, context::USER, PROGRAM + 1]))
        .sample(chain(2, &[context::USER, PROGRAM + 1, PROGRAM + 2]))
        // What ran was user code, and nobody tells where.
        .sample(chain(4, &[context::KERNEL, k + 1, context::USER, PROGRAM + 3]).misc(misc::USER))
        .sample(chain(8, &[context::KERNEL, k + 1]).misc(misc::GUEST_KERNEL))
        .sample(chain(16, &[]).misc(misc::KERNEL));
    for recording in [recording.clone(), recording.big_endian()] {
        let kernel = "[kernel.kallsyms]+0xffffffff8100000";
        let lines = [
            format!("first: {kernel}1 {kernel}2 first+0x1 = 1"),
            "first: first+0x1 first+0x2 = 2".to_owned(),
            "first: first+0x3 = 4".to_owned(),
            // Of the last two nothing is known but that they were there.
            "first:  = 24".to_owned(),
        ];
        check(&places_of(&recording), 0, &lines.each_ref().map(String::as_str));
    }
}

#[test]
fn with_nothing_but_the_callchain_a_sample_weighs_what_its_event_says() {
    let bare = Event::cycles().without(!0).callchain().period(1000);
    let recording = recording(&[bare]).sample(both(KERNEL + 1, LOW)).sample(Sample::at(1));
    for recording in [recording.clone(), recording.big_endian()] {
        let read = read_of(&recording);
        let lines = [":-1: [kernel.kallsyms]+0xffffffff81000001 [unknown]+0x7f000000 = 1000", ":-1:  = 1000"];
        check(&places(&read.profile), 0, &lines);
        assert_eq!((read.facts.span, read.facts.tally.without_callchain), (None, vec![1]));
    }
}

#[test]
fn events_of_different_fields_keep_to_their_own() {
    // With IDENTIFIER each event may have other fields, and their records other trailers.
    let calls = Branches::calls(&[(PROGRAM + 0x10, PROGRAM + 0x100)]);
    let events = [
        event(),
        Event::instructions().without(field::TID | field::TIME | field::PERIOD).with(field::ADDR).period(9),
        event().without(field::CPU).branches(branch::USER | branch::CALL_STACK),
        Event::cpu_clock().without(field::IP).callchain().with(field::STREAM_ID),
    ];
    let recording = recording(&events)
        .sample(both(KERNEL + 1, PROGRAM + 1))
        .sample(Sample::at(0).event(1).ip(KERNEL + 2).addr(u64::MAX))
        .sample(both(KERNEL + 3, PROGRAM + 1).event(2).branches(calls))
        .sample(both(KERNEL + 4, PROGRAM + 4).event(3).period(7))
        .record(Record::callchain_deferred(5, &[context::USER, PROGRAM + 5]).event(3).thread(7, 7).time(60))
        .sample(Sample::at(55).event(2).thread(7, 7).kernel_chain(&[KERNEL + 5]).deferred_chain(5));
    for recording in [recording.clone(), recording.big_endian()] {
        let stacks = places_of(&recording);
        let kernel = "[kernel.kallsyms]+0xffffffff8100000";
        check(&stacks, 0, &[&format!("first: {kernel}1 first+0x1 = 1")]);
        check(&stacks, 1, &[&format!(":-1: {kernel}2 = 9")]);
        let lines = [
            format!("first: {kernel}3 first+0x100 first+0x11 = 1"),
            format!("first: {kernel}5 first+0x5 = 1"),
        ];
        check(&stacks, 2, &lines.each_ref().map(String::as_str));
        check(&stacks, 3, &[&format!("first: {kernel}4 first+0x4 = 7")]);
    }
}

#[test]
fn a_thread_has_no_name_before_it_is_told() {
    // A ring that was overwritten, or side-band records that were lost: perf prints the thread's number, too.
    let sample =
        |time: u64| Sample::at(time).thread(7, 7).kernel_chain(&[0xffff_ffff_8100_0010]).period(time);
    let recording = Recording::new()
        .event(event())
        .records([sample(10), sample(30)])
        .record(Record::comm(7, 7, "late").time(20))
        .records([sample(40)]);
    let comms: Vec<(String, u64)> =
        places_of(&recording).iter().map(|(stack, (weight, _))| (stack.comm.clone(), *weight)).collect();
    assert_eq!(comms, [(":7".to_owned(), 10), ("late".to_owned(), 70)]);
}

#[test]
fn what_was_lost_is_counted_once() {
    // Since perf 6.1 the recorder writes at its end what each event lost, which the kernel has told before.
    let lost = |event: Event| {
        let recording = Recording::new()
            .event(event)
            .sample(Sample::at(1))
            .record(Record::lost(1, 40))
            .record(Record::lost_samples(42));
        read_of(&recording).facts.lost
    };
    assert_eq!(lost(Event::cycles().read_format(format::ID | format::LOST)), 42);
    // Before, a PMU told of its own losses.
    assert_eq!(lost(Event::cycles().read_format(format::ID)), 82);
}
