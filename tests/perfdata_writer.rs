//! The recordings that tests write in code are what perf itself reads; see `perfdata_layout` for the rest.

mod support;

use std::path::Path;
use std::process::Command;
use support::perfdata::{
    Branch, Branches, BuildId, Compression, Counter, Event, Feature, Framing, Identity, Map, Read, Record,
    Recording, Regs, Sample, Stack, branch, feature_id, field, format, misc,
};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// What perf prints on its standard output, or nothing (said aloud) where there is no perf.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn perf(args: &[&str], file: &Path) -> Option<String> {
    match Command::new("perf").args(args).args(["-f", "-i"]).arg(file).output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) => {
            let required = std::env::var("LOCKBLAME_REQUIRE").unwrap_or_default();
            assert!(!required.contains("perf"), "perf is required and does not start: {error}");
            eprintln!("skipped: perf does not start: {error}");
            None
        }
    }
}

/// Lets perf read `bytes` from a file.
fn perf_on(args: &[&str], bytes: &[u8]) -> Option<String> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("perf.data");
    std::fs::write(&file, bytes).expect("the recording is written");
    perf(args, &file)
}

/// Checks that the lines stand in what perf printed, in this order.
fn assert_lines(printed: &str, lines: &[&str]) {
    let mut rest = printed;
    for line in lines {
        let at =
            rest.find(line).unwrap_or_else(|| panic!("perf does not show {line:?} (here) in:\n{printed}"));
        rest = &rest[at + line.len()..];
    }
}

/// A small recording of two threads.
fn small() -> Recording {
    let worker = Sample::at(1_234_567_000).thread(7, 8).cpu(2).period(100);
    let leaf_only = Sample::at(2_000_001_000).thread(7, 7).cpu(0).period(5);
    Recording::new()
        .event(Event::cycles().callchain())
        .machine("box", "6.1.0-test", "x86_64", 4)
        .kernel_map(KERNEL, 0x100_0000)
        .comm(7, "main")
        .record(Record::comm(7, 8, "a worker"))
        .map(&Map::new(7, 0x40_0000, 0x1000, 0x2000, "/bin/worker"))
        .sample(worker.kernel_chain(&[KERNEL + 0x10, KERNEL + 0x100]).user_chain(&[0x40_0010]))
        .sample(leaf_only.user_chain(&[0x40_0020]))
}

const SCRIPT: [&str; 3] = ["script", "-F", "comm,pid,tid,cpu,time,period,event,ip"];

/// What `perf script` shows of `small`.
const SMALL: [&str; 6] = [
    "a worker     7/8     [002]     1.234567:        100 cycles:",
    "ffffffff81000010",
    "ffffffff81000100",
    "2010", // the offset in the file
    "main     7/7     [000]     2.000001:          5 cycles:",
    "2020",
];

#[test]
fn perf_reads_both_byte_orders_and_the_pipe() {
    for bytes in [small().write(), small().big_endian().write(), small().write_pipe()] {
        let Some(printed) = perf_on(&SCRIPT, &bytes) else { return };
        assert_lines(&printed, &SMALL);
    }
    // perf 6.1 takes pid for tid in big-endian pipes (and cpu for its padding), but not in files.
    let Some(printed) = perf_on(&SCRIPT, &small().big_endian().write_pipe()) else { return };
    assert_lines(
        &printed,
        &["8/7", "1.234567:        100 cycles:", SMALL[1], SMALL[2], SMALL[3], "7/7", "2.000001:"],
    );
}

#[test]
fn perf_reads_the_attribute_sizes_that_it_knows_and_the_old_magic() {
    for size in [64, 72, 80, 96, 100, 104, 112, 120, 128] {
        let Some(printed) = perf_on(&SCRIPT, &small().attr_size(size).write()) else { return };
        assert_lines(&printed, &SMALL);
    }
    // perf looks for version 1 only with the sizes of its time.
    for size in [64, 72, 80, 96, 104] {
        for recording in [small(), small().big_endian()] {
            let Some(printed) = perf_on(&SCRIPT, &recording.attr_size(size).version_one().write()) else {
                return;
            };
            assert_lines(&printed, &SMALL);
        }
    }
}

#[test]
fn perf_unpacks_compressed_records_cut_anywhere() {
    let many = (0..500).map(|at| Sample::at(3_000_000_000 + at).kernel_chain(&[KERNEL + at, KERNEL]));
    let recording = small().record(Record::finished_round()).records(many);
    for framing in [Framing::OneOpenFrame, Framing::FramePerRecord] {
        for chunk in [100, 4099] {
            let packed = recording.clone().compressed(Compression::chunks_of(chunk).framing(framing));
            for bytes in [packed.write(), packed.write_pipe()] {
                let Some(printed) = perf_on(&SCRIPT, &bytes) else { return };
                assert_lines(&printed, &SMALL);
                assert_eq!(printed.matches("cycles:").count(), 502, "{framing:?} in chunks of {chunk}");
            }
        }
    }
}

#[test]
fn perf_reads_a_directory() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for (name, recording) in [("plain", small()), ("packed", small().compressed(Compression::chunks_of(64)))]
    {
        let path = dir.path().join(name);
        recording.write_directory(&path, 3).expect("the directory is written");
        assert!(std::fs::metadata(path.join("data.2")).expect("a file per cpu").len() > 0);
        let Some(printed) = perf(&SCRIPT, &path) else { return };
        assert_lines(&printed, &SMALL);
    }
}

/// One of each record, with what `perf report -D` shows of it.
fn side_band() -> Vec<(Record, &'static str)> {
    let inode = Identity::Inode { major: 8, minor: 2, inode: 77, generation: 5 };
    let map = |addr, name| Map::new(7, addr, 0x2000, 3, name);
    let links: Vec<(u64, u64)> = (0xf1..=0xf7).map(|inode| (3, inode)).collect();
    let value = Read { counters: vec![Counter { value: 99, id: 1, lost: 0 }], ..Read::default() };
    let gone = misc::SWITCH_OUT | misc::SWITCH_OUT_PREEMPT;
    vec![
        (
            Record::mmap(&map(0x1000, "/lib/a.so")),
            "PERF_RECORD_MMAP 7/7: [0x1000(0x2000) @ 0x3]: x /lib/a.so",
        ),
        (
            Record::mmap2(&map(0x1000, "/lib/b.so"), inode),
            "[0x1000(0x2000) @ 0x3 08:02 77 5]: r-xp /lib/b.so",
        ),
        (
            Record::mmap2(&map(0x4000, "/lib/c.so"), Identity::BuildId([0x1f; 20])),
            "<1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f>]: r-xp /lib/c.so",
        ),
        (Record::exec(7, "odd name;x"), "PERF_RECORD_COMM exec: odd name;x:7/7"),
        (Record::fork((8, 9), (7, 6), 5), "PERF_RECORD_FORK(8:9):(7:6)"),
        (Record::exit((8, 9), (7, 6), 6), "PERF_RECORD_EXIT(8:9):(7:6)"),
        (Record::lost(1, 42), "PERF_RECORD_LOST: id:1: lost:42"),
        (Record::lost_samples(43), "PERF_RECORD_LOST_SAMPLES: id:1: lost samples :43"),
        (Record::throttle(9, 1, 55), "PERF_RECORD_THROTTLE"),
        (Record::unthrottle(10, 1, 55), "PERF_RECORD_UNTHROTTLE"),
        (Record::read(7, 7, value), "PERF_RECORD_READ: 7 7 cycles 99"),
        (
            Record::ksymbol(0xffff_ffff_c000_0000, 64, "bpf_prog_x"),
            "PERF_RECORD_KSYMBOL addr ffffffffc0000000 len 64 type 1 flags 0x0 name bpf_prog_x",
        ),
        (Record::ksymbol_gone(0xffff_ffff_c000_0000, 64, "bpf_prog_x"), "type 1 flags 0x1 name bpf_prog_x"),
        (Record::bpf_event(1, 17, *b"abcdefgh"), "PERF_RECORD_BPF_EVENT type 1, flags 0, id 17"),
        (Record::cgroup(291, "/system.slice/x"), "PERF_RECORD_CGROUP cgroup: 291 /system.slice/x"),
        (Record::namespaces(7, 7, &links), "4/user: 3/0xf5, 5/mnt: 3/0xf6, 6/cgroup: 3/0xf7]"),
        (Record::switch(7, 7).misc(gone), "PERF_RECORD_SWITCH OUT preempt"),
        (
            Record::switch_cpu_wide((7, 7), (8, 9)),
            "PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     8/9",
        ),
        (
            Record::text_poke(KERNEL + 0x40, &[0x0f, 0x1f, 0, 0, 0], &[0xe8, 1, 2, 3]),
            "PERF_RECORD_TEXT_POKE ffffffff81000040",
        ),
        (Record::aux(0x100, 0x40, 1), "PERF_RECORD_AUX offset: 0x100 size: 0x40 flags: 0x1 [T]"),
        (Record::itrace_start(7, 7), "PERF_RECORD_ITRACE_START pid: 7 tid: 7"),
    ]
}

#[test]
fn perf_shows_each_record_at_its_time() {
    let sample = Sample::at(5_000_000).thread(7, 7).ip(0x1500).cpu(3);
    let stamped = side_band().into_iter().zip(1..).map(|((record, _), time)| record.time(time));
    let recording = Recording::new().kernel_map(KERNEL, 0x100_0000).records(stamped).sample(sample);
    for bytes in [recording.write(), recording.write_pipe()] {
        let Some(printed) = perf_on(&["report", "-D"], &bytes) else { return };
        for ((record, line), time) in side_band().iter().zip(1..) {
            let shown = printed.lines().find(|shown| shown.contains(line));
            let shown =
                shown.unwrap_or_else(|| panic!("perf does not show {line:?} of {record:?}:\n{printed}"));
            // The clock comes from the trailer; the namespaces take several lines.
            assert!(shown.starts_with(&format!("0 {time} 0x")) || line.starts_with("4/user"), "{shown}");
        }
        assert_lines(
            &printed,
            &["old len 5 new len 4", "Old bytes: 0f 1f 00 00 00", "New bytes: e8 01 02 03"],
        );
        assert_lines(&printed, &["SAMPLE(IP, 0x2): 7/7: 0x1500 period: 1", "odd name;x:7", "/lib/b.so"]);
    }
}

#[test]
fn perf_steps_over_auxtrace_data_behind_their_record() {
    let trace = Record::auxtrace(0x100, 3, &[0xaa; 64]);
    let bytes = Recording::new().record(trace).record(Record::finished_round()).write();
    let Some(printed) = perf_on(&["report", "-D"], &bytes) else { return };
    assert_lines(
        &printed,
        &["PERF_RECORD_AUXTRACE size: 0x40  offset: 0x100  ref: 0  idx: 3  tid: -1  cpu: 3"],
    );
    // It reports an error where nothing decodes the trace; the build-ids need none and are read on.
    let used = Sample::at(9).thread(7, 7).ip(0x1500);
    let recording = Recording::new()
        .build_id(BuildId::user(&[0xcd; 20], "/lib/b.so"))
        .map(&Map::new(7, 0x1000, 0x2000, 0, "/lib/b.so"))
        .record(Record::auxtrace(0x100, 3, &[0xaa; 64]))
        .sample(used);
    let Some(printed) = perf_on(&["buildid-list", "--with-hits"], &recording.write()) else { return };
    assert_lines(&printed, &["cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd /lib/b.so"]);
}

/// A sample with every field at once, and an event that asks for them.
fn full() -> (Event, Sample) {
    let more = field::ADDR | field::ID | field::STREAM_ID | field::READ | field::RAW | field::WEIGHT_STRUCT;
    let pages = field::PHYS_ADDR | field::CGROUP | field::DATA_PAGE_SIZE | field::CODE_PAGE_SIZE;
    let event = Event::cycles()
        .callchain()
        .with(more | pages | field::DATA_SRC | field::TRANSACTION | field::AUX)
        .branches(branch::ANY | branch::HW_INDEX)
        .regs_user(0b11)
        .regs_intr(0b101)
        .stack_user(16)
        .read_format((1 << 5) - 1);
    let group = vec![Counter { value: 903, id: 1, lost: 904 }, Counter { value: 905, id: 2, lost: 906 }];
    let missed = Branch { from: 0xf00, to: 0xf10, mispredicted: 1, cycles: 77, ..Branch::default() };
    let taken = Branch { from: 0xf20, to: 0xf30, predicted: 1, cycles: 300, ..Branch::default() };
    let sample = Sample::at(1_234_567_000)
        .thread(7, 8)
        .cpu(2)
        .addr(0xadd)
        .stream_id(0x57)
        .period(100)
        .read(Read { enabled: 901, running: 902, counters: group })
        .kernel_chain(&[KERNEL + 0x10, KERNEL + 0x100])
        .user_chain(&[0x40_0010])
        .raw(vec![0x11; 10])
        .branches(Branches { hw_index: 3, entries: vec![missed, taken] })
        .regs_user(Regs::Wide(vec![0xa0, 0xa1]))
        .stack_user(Stack { bytes: vec![0x5a; 16], dyn_size: 8 })
        .weight_parts(61, 62, 63)
        .data_src(0x6810_0142)
        .transaction(3)
        .regs_intr(Regs::Wide(vec![0xb0, 0xb2]))
        .phys_addr(0x9999)
        .cgroup(0x321)
        .data_page_size(4096)
        .code_page_size(2 << 20)
        .aux(vec![0x77; 16]);
    (event, sample)
}

/// What perf shows of `full`, in its order, apart from the registers.
const FULL: [&str; 23] = [
    "2 1234567000 ",
    "PERF_RECORD_SAMPLE(IP, 0x1): 7/8: 0xffffffff81000010 period: 100 addr: 0xadd",
    "chain: nr:5",
    "ffffffffffffff80",
    "ffffffff81000010",
    "ffffffff81000100",
    "fffffffffffffe00",
    "0000000000400010",
    "branch stack: nr:2",
    "0000000000000f00 -> 0000000000000f10 77 cycles M",
    "0000000000000f20 -> 0000000000000f30 300 cycles  P",
    "user regs: mask 0x3 ABI 64-bit",
    "0x00000000000000a1",
    "ustack: size 8",
    "weight: 61,0x3e",
    "data_src: 0x68100142",
    "phys_addr: 0x9999",
    "data page size: 4K",
    "code page size: 2M",
    "transaction: 3",
    "time enabled 0000000000000385",
    "time running 0000000000000386",
    "group nr 2",
];

#[test]
fn perf_shows_every_field_of_a_sample() {
    let (event, sample) = full();
    let recording = Recording::new()
        .machine("box", "6.1.0-test", "x86_64", 4)
        .event(event)
        .event(Event::instructions())
        .sample(sample);
    let Some(printed) = perf_on(&["report", "-D"], &recording.write()) else { return };
    assert_lines(&printed, &FULL);
    assert_lines(
        &printed,
        &["intr regs: mask 0x5 ABI 64-bit", "AX    0x00000000000000b0", "CX    0x00000000000000b2"],
    );
    let values = [
        "id 0000000000000001, value 0000000000000387, lost 904",
        "id 0000000000000002, value 0000000000000389, lost 906",
    ];
    assert_lines(&printed, &values);
    // perf 6.1 does not swap the mask of the interrupt's registers; everything else is as above.
    let Some(printed) = perf_on(&["report", "-D"], &recording.big_endian().write()) else { return };
    assert_lines(&printed, &FULL);
}

#[test]
fn perf_tells_events_apart_by_their_ids() {
    let clock = Event::cpu_clock().ids(&[30, 31, 32]).without(field::PERIOD).with(field::WEIGHT);
    let single = format::ID | format::TOTAL_TIME_ENABLED;
    let no_user = Event::instructions().ids(&[2]).callchain().regs_user(1).stack_user(8);
    let read = Read { enabled: 12, running: 0, counters: vec![Counter { value: 34, id: 4, lost: 0 }] };
    let recording = Recording::new()
        .event(Event::cycles().ids(&[1]))
        .event(no_user)
        .event(clock)
        .event(Event::new(1, 2, "page-faults").with(field::READ).read_format(single))
        .feature(Feature::groups(&[("grp", 0, 2)]))
        .sample(Sample::at(1_000).ip(0x10).period(9))
        .sample(Sample::at(2_000).event(1).user_chain(&[0x400, 0x500]).period(55))
        .sample(Sample::at(3_000).event(2).cpu(1).ip(0x777).weight(88))
        .sample(Sample::at(4_000).event(3).ip(0x888).read(read));
    let Some(printed) = perf_on(&["report", "-D"], &recording.write()) else { return };
    let shown = [
        "0x10 period: 9 ",
        "0x400 period: 55 ",
        "chain: nr:3",
        "ustack: size 0",
        "0x777 period: 4000",
        "weight: 88",
        "0x888 period: 1 ",
        "time enabled 000000000000000c",
        "id 0000000000000004, value 0000000000000022",
    ];
    assert_lines(&printed, &shown);
    let Some(printed) = perf_on(&SCRIPT, &recording.write()) else { return };
    assert_lines(
        &printed,
        &["9       cycles:", "55 instructions:", "4000    cpu-clock:", "34  page-faults:"],
    );
    let Some(printed) = perf_on(&["report", "--header-only"], &recording.write()) else { return };
    assert_lines(&printed, &["cpu-clock, , id = { 30, 31, 32 }", "group: grp{cycles,instructions}"]);
}

#[test]
fn perf_shows_the_features() {
    let recording = small()
        .feature(Feature::cpus(8, 6))
        .feature(Feature::string(feature_id::VERSION, "6.1.test"))
        .feature(Feature::string(feature_id::CPUDESC, "Test CPU"))
        .feature(Feature::total_memory(12_345))
        .feature(Feature::command(&["perf", "record", "-a"]))
        .feature(Feature::sample_time(5_000_000, 9_000_000))
        .build_id(BuildId::kernel(&[0xab; 20]))
        .build_id(BuildId::user(&[0xcd; 16], "/bin/w"));
    let shown = [
        "hostname : box",
        "os release : 6.1.0-test",
        "perf version : 6.1.test",
        "arch : x86_64",
        "nrcpus online : 6",
        "nrcpus avail : 8",
        "cpudesc : Test CPU",
        "total memory : 12345 kB",
        "cmdline : perf record -a",
        "sample_type = IP|TID|TIME|CALLCHAIN|CPU|PERIOD|IDENTIFIER",
        "disabled = 1, inherit = 1, mmap = 1, comm = 1, freq = 1, task = 1, sample_id_all = 1, exclude_guest = 1, mmap2 = 1, comm_exec = 1",
        "time of first sample : 0.005000",
        "time of last sample : 0.009000",
    ];
    let ids =
        ["abababababababababababababababababababab [kernel.kallsyms]", "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"];
    for bytes in [recording.write(), recording.clone().big_endian().write()] {
        let Some(printed) = perf_on(&["report", "--header-only"], &bytes) else { return };
        assert_lines(&printed, &shown);
        let Some(printed) = perf_on(&["buildid-list"], &bytes) else { return };
        assert_lines(&printed, &ids);
    }
    let Some(printed) = perf_on(&["report", "--header", "--stdio"], &recording.write_pipe()) else { return };
    assert_lines(&printed, &shown[..1]);
    let Some(printed) = perf_on(&["report", "-D"], &recording.write_pipe()) else { return };
    assert_lines(
        &printed,
        &["PERF_RECORD_ATTR", "PERF_RECORD_FEATURE", "PERF_RECORD_EVENT_UPDATE", "PERF_RECORD_BUILD_ID"],
    );
}
