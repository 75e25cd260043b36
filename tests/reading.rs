//! Every field of every shape of sample is read as the kernel's ABI lays it out, and every event gets its own samples.

mod support;

use lockblame::ingest::{Ingested, Selection, ingest};
use lockblame::perf::Recording as Opened;
use lockblame::perf::bytes::words;
use lockblame::perf::sample::{ReadValue, Sample as Decoded, decode};
use support::perfdata::{
    Branch, Branches, Counter, Event, Read, Record, Recording, Regs, Sample, Stack, branch, context, field,
    flag, format, misc,
};
use support::reading::{check, open, open_bytes, places_of, read, read_of};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// Hands the one sample of a recording, decoded, to `look`.
fn with_sample(recording: &Recording, look: impl Fn(&Opened, Decoded<'_>)) {
    let image = recording.file();
    let at = *image.record_offsets().last().expect("it has a sample");
    let opened = open(recording);
    let size = opened.endian.u16([image.bytes[at + 6], image.bytes[at + 7]]);
    let body = &image.bytes[at + 8..at + usize::from(size)];
    let sample = decode(body, &opened.events[0].attr, opened.endian).expect("it can be decoded");
    look(&opened, sample);
    for cut in 0..body.len() {
        assert_eq!(decode(&body[..cut], &opened.events[0].attr, opened.endian), None, "cut to {cut} bytes");
    }
}

/// A recording in either byte order.
fn both_orders(recording: &Recording) -> [Recording; 2] {
    [recording.clone(), recording.clone().big_endian()]
}

/// An event that asks for everything, and a sample that has it.
fn full() -> Recording {
    let more = field::ADDR | field::ID | field::STREAM_ID | field::READ | field::RAW | field::WEIGHT_STRUCT;
    let pages = field::PHYS_ADDR | field::CGROUP | field::DATA_PAGE_SIZE | field::CODE_PAGE_SIZE;
    let event = Event::cycles()
        .callchain()
        .with(more | pages | field::DATA_SRC | field::TRANSACTION | field::AUX)
        .branches(branch::ANY | branch::HW_INDEX | branch::COUNTERS)
        .regs_user(0b11)
        .regs_intr(0b10_0000_0101)
        .stack_user(16)
        .read_format((1 << 5) - 1);
    let group = vec![Counter { value: 903, id: 1, lost: 904 }, Counter { value: 905, id: 2, lost: 906 }];
    let taken = |at| Branch { from: at, to: at + 1, counters: at + 2, ..Branch::default() };
    let sample = Sample::at(1_234_567_000)
        .thread(7, 8)
        .cpu(2)
        .addr(0xadd)
        .id(0x1d)
        .stream_id(0x57)
        .period(100)
        .read(Read { enabled: 901, running: 902, counters: group })
        .kernel_chain(&[KERNEL + 0x10, KERNEL + 0x100])
        .user_chain(&[0x40_0010])
        .raw(vec![0x11; 12])
        .branches(Branches { hw_index: 3, entries: vec![taken(0xf00), taken(0xf20)] })
        .regs_user(Regs::Wide(vec![0xa0, 0xa1]))
        .stack_user(Stack { bytes: vec![0x5a; 16], dyn_size: 8 })
        .weight_parts(61, 62, 63)
        .data_src(0x6810_0142)
        .transaction(3)
        .regs_intr(Regs::Wide(vec![0xb0, 0xb2, 0xb9]))
        .phys_addr(0x9999)
        .cgroup(0x321)
        .data_page_size(4096)
        .code_page_size(2 << 20)
        .aux(vec![0x77; 16]);
    Recording::new().event(event).sample(sample)
}

#[test]
fn every_field_of_a_sample_is_decoded() {
    for recording in both_orders(&full()) {
        with_sample(&recording, |opened, sample| {
            let list = |bytes| words(bytes, opened.endian).collect::<Vec<u64>>();
            assert_eq!((sample.ip, sample.pid, sample.tid), (Some(KERNEL + 0x10), Some(7), Some(8)));
            assert_eq!((sample.time, sample.addr, sample.id), (Some(1_234_567_000), Some(0xadd), Some(0x1d)));
            assert_eq!((sample.stream_id, sample.cpu, sample.period), (Some(0x57), Some(2), Some(100)));
            let read = sample.read.expect("READ");
            assert_eq!((read.time_enabled, read.time_running), (Some(901), Some(902)));
            let value = |value, id, lost| ReadValue { value, id: Some(id), lost: Some(lost) };
            assert_eq!(read.values().collect::<Vec<_>>(), [value(903, 1, 904), value(905, 2, 906)]);
            let chain = [context::KERNEL, KERNEL + 0x10, KERNEL + 0x100, context::USER, 0x40_0010];
            assert_eq!(list(sample.callchain.expect("CALLCHAIN")), chain);
            assert_eq!(sample.raw, Some(&[0x11; 12][..]));
            let branches = sample.branch_stack.expect("BRANCH_STACK");
            assert_eq!(branches.hw_index, Some(3));
            assert_eq!(list(branches.entries), [0xf00, 0xf01, 0, 0xf20, 0xf21, 0]);
            assert_eq!(list(branches.counters), [0xf02, 0xf22]);
            let user = sample.regs_user.expect("REGS_USER");
            assert_eq!((user.abi, list(user.values)), (2, vec![0xa0, 0xa1]));
            assert_eq!(sample.stack_user, Some(&[0x5a; 8][..]), "only what was copied");
            assert_eq!(sample.weight, Some(61 | 62 << 32 | 63 << 48));
            assert_eq!((sample.data_src, sample.transaction), (Some(0x6810_0142), Some(3)));
            let intr = sample.regs_intr.expect("REGS_INTR");
            assert_eq!((intr.abi, list(intr.values)), (2, vec![0xb0, 0xb2, 0xb9]));
            assert_eq!((sample.phys_addr, sample.cgroup), (Some(0x9999), Some(0x321)));
            assert_eq!((sample.data_page_size, sample.code_page_size), (Some(4096), Some(2 << 20)));
            assert_eq!(sample.aux, Some(&[0x77; 16][..]));
        });
    }
}

#[test]
fn fields_that_were_not_asked_for_are_absent() {
    let bare = Event::cycles().without(!0).with(field::IP | field::AUX);
    with_sample(&Recording::new().event(bare).sample(Sample::at(1).ip(9).aux(vec![1, 2, 3])), |_, sample| {
        assert_eq!(sample, Decoded { ip: Some(9), aux: Some(&[1, 2, 3]), ..Decoded::default() });
    });
    // A thread of the kernel has no user registers and no user stack, whatever the mask.
    let event = Event::cycles().regs_user(0xff).stack_user(64).with(field::WEIGHT);
    with_sample(&Recording::new().event(event).sample(Sample::at(1).ip(9).weight(88)), |_, sample| {
        assert_eq!(sample.regs_user.map(|regs| (regs.abi, regs.values.len())), Some((0, 0)));
        assert_eq!((sample.stack_user, sample.weight), (Some(&[][..]), Some(88)));
    });
}

#[test]
fn every_shape_of_read_is_decoded() {
    for shape in 0..32 {
        let has = |bit| shape & bit != 0;
        let counters = vec![Counter { value: 10, id: 11, lost: 12 }, Counter { value: 20, id: 21, lost: 22 }];
        let members = if has(format::GROUP) { 2 } else { 1 };
        let expected = counters[..members].iter().map(|counter| ReadValue {
            value: counter.value,
            id: has(format::ID).then_some(counter.id),
            lost: has(format::LOST).then_some(counter.lost),
        });
        let expected: Vec<ReadValue> = expected.collect();
        let event = Event::cycles().with(field::READ).callchain().read_format(shape);
        let sample = Sample::at(1).read(Read { enabled: 1, running: 2, counters }).user_chain(&[0x400]);
        for recording in both_orders(&Recording::new().event(event).sample(sample)) {
            with_sample(&recording, |opened, sample| {
                let read = sample.read.expect("READ");
                assert_eq!(read.time_enabled, has(format::TOTAL_TIME_ENABLED).then_some(1), "{shape:b}");
                assert_eq!(read.time_running, has(format::TOTAL_TIME_RUNNING).then_some(2), "{shape:b}");
                assert_eq!(read.values().collect::<Vec<_>>(), expected, "{shape:b}");
                let chain: Vec<u64> = words(sample.callchain.expect("CALLCHAIN"), opened.endian).collect();
                assert_eq!(chain, [context::USER, 0x400], "what follows READ does not shift");
            });
        }
    }
}

#[test]
fn branch_stacks_with_and_without_their_extras_end_where_they_end() {
    for extras in [0, branch::HW_INDEX, branch::COUNTERS, branch::HW_INDEX | branch::COUNTERS] {
        for n in [0, 1, 32] {
            let event = Event::cycles().branches(branch::ANY | extras).with(field::WEIGHT);
            let entries = vec![Branch { from: 1, to: 2, counters: 3, ..Branch::default() }; n];
            let sample = Sample::at(1).ip(9).branches(Branches { hw_index: 5, entries }).weight(77);
            with_sample(&Recording::new().event(event).sample(sample), |_, sample| {
                let branches = sample.branch_stack.expect("BRANCH_STACK");
                assert_eq!(branches.hw_index, (extras & branch::HW_INDEX != 0).then_some(5));
                assert_eq!(branches.entries.len(), 24 * n);
                assert_eq!(branches.counters.len(), if extras & branch::COUNTERS != 0 { 8 * n } else { 0 });
                assert_eq!(sample.weight, Some(77), "what follows does not shift");
            });
        }
    }
}

/// Samples of two events with the same place of the id, and one whose id nobody knows.
fn two_events(fields: u64) -> Recording {
    let event = |event: Event, ids: &[u64]| event.without(field::IDENTIFIER).with(fields).ids(ids);
    Recording::new()
        .event(event(Event::cycles(), &[10, 11]))
        .event(event(Event::instructions().callchain(), &[20, 21]))
        .sample(Sample::at(1).ip(0x1).period(100))
        .sample(Sample::at(2).cpu(1).ip(0x1).period(200))
        .sample(Sample::at(3).event(1).cpu(1).user_chain(&[0x3, 0x4]).period(300))
        .sample(Sample::at(4).id(0).ip(0x5).period(1000))
        .sample(Sample::at(5).id(99).ip(0x6).period(5000))
}

#[test]
fn events_are_told_apart_by_their_ids() {
    for fields in [field::IDENTIFIER, field::ID, field::ID | field::ADDR] {
        for recording in both_orders(&two_events(fields)) {
            let read = read_of(&recording);
            let tally = &read.facts.tally;
            let sums: Vec<(u64, u64)> = tally.events.iter().map(|(n, weight)| (*n, weight.0)).collect();
            // As perf has it, an id of 0 stands for the first event.
            assert_eq!(sums, [(3, 1300), (1, 300)]);
            assert_eq!((tally.unknown_event, read.facts.samples), (1, 5), "counted, not dropped in silence");
        }
    }
}

#[test]
fn each_event_has_the_time_and_the_thread_where_its_own_fields_put_them() {
    // With IDENTIFIER the events may differ in every other field.
    let narrow = Event::cycles().without(field::TID | field::TIME).with(field::ADDR);
    let recording = Recording::new()
        .event(narrow)
        .event(Event::instructions())
        .record(Record::comm(7, 8, "early").event(1).time(10))
        .record(Record::comm(7, 8, "late").event(1).time(1_000))
        .sample(Sample::at(0).addr(u64::MAX).ip(0x1))
        .sample(Sample::at(500).event(1).thread(7, 8).ip(0x1).period(3))
        .sample(Sample::at(1_500).event(1).thread(7, 8).ip(0x1).period(4));
    let read = read_of(&recording);
    assert_eq!(read.facts.span, Some((500, 1_500)));
    check(
        &support::reading::places(&read.profile),
        1,
        &["early: [unknown]+0x1 = 3", "late: [unknown]+0x1 = 4"],
    );
}

#[test]
fn a_sample_without_period_weighs_what_the_event_says() {
    let weigh = |event: Event| {
        let read = read_of(&Recording::new().event(event.without(field::PERIOD)).sample(Sample::at(1).ip(1)));
        read.profile.total(0).0.0
    };
    assert_eq!(weigh(Event::cycles().period(100_000)), 100_000);
    assert_eq!(weigh(Event::cycles().frequency(4000)), 4000, "as perf report does");
    assert_eq!(weigh(Event::cycles().period(0)), 1);
    let fixed = Event::cycles().period(100_000);
    let own = read_of(&Recording::new().event(fixed).sample(Sample::at(1).ip(1).period(7)));
    assert_eq!(own.profile.total(0).0.0, 7, "the sample's own period counts first");
}

#[test]
fn leader_sampling_weighs_each_member_by_the_growth_of_its_counter() {
    let leader = format::ID | format::GROUP;
    let group = |a, b, cpu: u64| {
        let counters = [(a, 1 + cpu), (b, 11 + cpu)].map(|(value, id)| Counter { value, id, lost: 0 });
        Read { counters: counters.to_vec(), ..Read::default() }
    };
    let event = |event: Event, ids| event.with(field::READ).callchain().read_format(leader).ids(ids);
    let at = |time, cpu: u32, ip| Sample::at(time).cpu(cpu).user_chain(&[ip]).period(999_999);
    let recording = Recording::new()
        .event(event(Event::cycles(), &[1, 2]))
        .event(event(Event::instructions(), &[11, 12]))
        .sample(at(1, 0, 0xa).read(group(100, 50, 0)))
        .sample(at(2, 1, 0xb).read(group(7, 0, 1)))
        .sample(at(3, 0, 0xc).read(group(130, 50, 0)))
        .sample(at(4, 1, 0xd).read(group(8, 40, 1)));
    for recording in both_orders(&recording) {
        let stacks = places_of(&recording);
        let cycles = ["a = 100", "b = 7", "c = 30", "d = 1"].map(|line| format!(":1000: [unknown]+0x{line}"));
        check(&stacks, 0, &cycles.each_ref().map(String::as_str));
        check(&stacks, 1, &[":1000: [unknown]+0xa = 50", ":1000: [unknown]+0xd = 40"]);
    }
}

/// A ring that is overwritten has its newest sample first; here in more records than are read at once.
#[test]
fn counters_of_an_overwritten_ring_grow_from_its_end_on() {
    let event = Event::cycles().flags(flag::WRITE_BACKWARD).with(field::READ).read_format(format::ID);
    let sample = |n: u64| {
        let counters = vec![Counter { value: n * n, id: 1, lost: 0 }];
        Sample::at(n).ip(n % 3).read(Read { counters, ..Read::default() })
    };
    let recording = Recording::new().event(event.ids(&[1])).records((1..=30_000).rev().map(sample));
    assert!(recording.write().len() > 2 << 20, "it is no longer than one block");
    for recording in both_orders(&recording) {
        let growth = |rest| (1..=30_000u64).filter(|n| n % 3 == rest).map(|n| 2 * n - 1).sum::<u64>();
        let lines = [0, 1, 2].map(|rest| format!(":1000: [unknown]+0x{rest} = {}", growth(rest)));
        check(&places_of(&recording), 0, &lines.each_ref().map(String::as_str));
    }
}

#[test]
fn context_marks_cut_a_callchain_into_its_parts() {
    let k = KERNEL;
    let shown = |sample: Sample| {
        let recording = Recording::new().event(Event::cycles().callchain()).sample(sample);
        let stacks = places_of(&recording.kernel_map(k, 0x1000));
        let (stack, _) = stacks.into_iter().next().expect("there is a sample");
        stack.frames.join(" ").replace("[kernel.kallsyms]+0xffffffff8100", "k").replace("[unknown]+", "")
    };
    let at = || Sample::at(1);
    let deferred = context::USER_DEFERRED;
    let chain = |words: &[u64]| at().chain(words.to_vec());
    assert_eq!(shown(at().kernel_chain(&[k + 1, k + 2]).user_chain(&[0x3])), "k0001 k0002 0x3");
    assert_eq!(shown(at().user_chain(&[0x3, 0x4])), "0x3 0x4");
    // The link register that powerpc did not save, and what a walk ends with.
    assert_eq!(shown(at().kernel_chain(&[k + 1, 0, k + 2, 0]).user_chain(&[0x3, 0, 0])), "k0001 k0002 0x3");
    // A cookie stands for a user part that is recorded later: it is no address.
    assert_eq!(shown(chain(&[context::KERNEL, k + 1, deferred, 0xc00c1e])), "k0001");
    // Without marks, as before 2009, the sample's mode tells.
    assert_eq!(shown(chain(&[k + 1, k + 2]).misc(misc::KERNEL)), "k0001 k0002");
    assert_eq!(shown(chain(&[0x3, 0x4]).misc(misc::USER)), "0x3 0x4");
    // No callchain at all.
    assert_eq!(shown(at().ip(k + 9).misc(misc::KERNEL)), "k0009");
    // A guest's addresses mean nothing in this kernel's list.
    let guest = chain(&[context::GUEST_KERNEL, k + 1, k + 2]).misc(misc::GUEST_KERNEL);
    assert_eq!(
        shown(guest),
        format!("[guest or hypervisor]+0x{:x} [guest or hypervisor]+0x{:x}", k + 1, k + 2)
    );
    let below = chain(&[context::HYPERVISOR, k + 1]).misc(misc::HYPERVISOR);
    assert_eq!(shown(below), format!("[guest or hypervisor]+0x{:x}", k + 1));
    let own = at().kernel_chain(&[k + 1]).chain_in(context::GUEST, &[0x77]).user_chain(&[0x3]);
    assert_eq!(shown(own), "k0001 0x3");
}

#[test]
fn a_precise_instruction_pointer_takes_the_leafs_place() {
    let precise = Event::cycles().callchain().precise_ip(2);
    let recording = Recording::new()
        .event(precise)
        .kernel_map(KERNEL, 0x1000)
        .sample(Sample::at(1).ip(KERNEL + 8).kernel_chain(&[KERNEL + 0x10, KERNEL + 0x20]).misc(misc::KERNEL))
        .sample(Sample::at(2).ip(0x30).user_chain(&[0x31, 0x40]).misc(misc::USER | misc::EXACT_IP))
        // The interrupt came late, in the kernel; the instruction ran in user space.
        .sample(Sample::at(3).ip(0x50).kernel_chain(&[KERNEL + 1]).user_chain(&[0x60]).misc(misc::USER));
    let kernel = ":1000: [kernel.kallsyms]+0xffffffff81000008 [kernel.kallsyms]+0xffffffff81000020 = 1";
    check(
        &places_of(&recording),
        0,
        &[kernel, ":1000: [unknown]+0x30 [unknown]+0x40 = 1", ":1000: [unknown]+0x50 = 1"],
    );
}

#[test]
fn what_a_sample_lacks_or_repeats_is_counted() {
    let event = Event::cycles().callchain();
    let deep: Vec<u64> = (1..=127).collect();
    let recording = Recording::new()
        .event(event)
        .sample(Sample::at(1).user_chain(&deep))
        .sample(Sample::at(2).ip(5))
        .record(Record::lost(1, 17))
        .record(Record::lost_samples(4))
        .record(Record::throttle(3, 1, 1))
        .record(Record::unthrottle(4, 1, 1))
        .record(Record::raw(9, &[0; 12]));
    let Ingested { facts, .. } = read_of(&recording);
    assert_eq!((facts.lost, facts.throttled, facts.samples), (21, 1, 3));
    assert_eq!((facts.tally.undecodable, facts.tally.unknown_event), (1, 0));
    assert_eq!(
        (facts.tally.without_callchain, facts.tally.cut, facts.tally.deepest),
        (vec![1], vec![1], 127)
    );
    let expected = [("SAMPLE", 3), ("LOST", 1), ("LOST_SAMPLES", 1), ("THROTTLE", 1), ("UNTHROTTLE", 1)];
    for (name, n) in expected {
        let found = facts.records.iter().find(|(kind, _)| lockblame::perf::record::type_name(**kind) == name);
        assert_eq!(found.map(|(_, n)| *n), Some(n), "{name}");
    }
}

#[test]
fn lengths_that_wrap_are_no_lengths() {
    let image = Recording::new()
        .event(Event::cycles().callchain())
        .sample(Sample::at(1).user_chain(&[1, 2]))
        .sample(Sample::at(2).ip(1))
        .file();
    // Header, IDENTIFIER, IP, TID, TIME, CPU, PERIOD: then the number of addresses.
    let at = image.record_offsets()[0] + 56;
    assert_eq!(image.u64_at(at), 3);
    for n in [1 << 61, (1 << 61) + 3, u64::MAX, 4] {
        let facts = read(&open_bytes(image.clone().set_u64_at(at, n).bytes)).facts;
        assert_eq!(
            (facts.samples, facts.tally.undecodable, facts.tally.events[0].0),
            (2, 1, 1),
            "{n} addresses"
        );
    }
}

#[test]
fn processors_are_told_apart_on_request() {
    use lockblame::ingest::selection::ByCpu;
    let recording = Recording::new()
        .records([0, 3, 3].map(|cpu| Sample::at(1).cpu(cpu).ip(1).period(u64::from(cpu) + 1)));
    let selection = Selection { by_cpu: ByCpu::Apart, ..Selection::default() };
    let read = ingest(&open(&recording), &selection, 1, &|_| {});
    let by_cpu: Vec<_> = read.profile.entries.iter().map(|entry| (entry.key.cpu, entry.weight.0)).collect();
    assert_eq!(by_cpu, [(0, 1), (3, 8)]);
    assert_eq!(read_of(&recording).profile.entries.len(), 1);
}
