//! An address means what was mapped there, in that process, at that moment.

mod support;

use lockblame::profile::ModuleKind;
use support::perfdata::{Compression, Event, Identity, Map, Record, Recording, Sample, field, flag, misc};
use support::reading::{check, places_of, read_of};

const KERNEL: u64 = 0xffff_ffff_8100_0000;
const MODULE: u64 = 0xffff_ffff_c000_0000;

/// An empty recording of callchains.
fn recording() -> Recording {
    Recording::new().event(Event::cycles().callchain())
}

/// A mapping of 4096 bytes at `addr`, from the file's offset 0 on.
fn map(time: u64, pid: u32, addr: u64, path: &str) -> Record {
    mapped(time, Map::new(pid, addr, 0x1000, 0, path))
}

fn mapped(time: u64, map: Map) -> Record {
    Record::mmap2(&map, Identity::Inode { major: 8, minor: 1, inode: 4711, generation: 0 }).time(time)
}

/// A sample of user space whose weight tells which one it is.
fn hit(time: u64, pid: u32, addr: u64, weight: u64) -> Sample {
    Sample::at(time).thread(pid, pid).user_chain(&[addr]).period(weight)
}

#[test]
fn an_offset_counts_from_the_mapped_part_of_the_file() {
    let recording = recording()
        .comm(7, "w")
        .record(mapped(0, Map::new(7, 0x40_0000, 0x2000, 0x5000, "/usr/bin/w")))
        .record(mapped(0, Map::new(7, 0x7f00_0000, 0x1000, 0, "/lib/libc.so.6")))
        .sample(Sample::at(1).thread(7, 7).user_chain(&[0x40_0010, 0x7f00_0123, 0x40_2000, 0x40_2001]));
    // A return address one behind the mapping belongs to the call that ends it; the next one is outside.
    let frames = "w+0x5010 libc.so.6+0x123 w+0x7000 [unknown]+0x402001";
    check(&places_of(&recording), 0, &[&format!("w: {frames} = 1")]);
    // As a leaf the first byte behind is outside.
    let leaf = recording.clone().sample(hit(2, 7, 0x40_2000, 5));
    check(&places_of(&leaf), 0, &[&format!("w: {frames} = 1"), "w: [unknown]+0x402000 = 5"]);
}

#[test]
fn exec_leaves_nothing_of_what_was_mapped() {
    let recording = recording()
        .record(Record::comm(7, 7, "sh").time(5))
        .record(map(10, 7, 0x1000, "/bin/sh"))
        .record(map(10, 7, 0x9000, "/lib/old.so"))
        .record(Record::exec(7, "cat").time(20))
        .record(map(21, 7, 0x1000, "/bin/cat"))
        .records([
            hit(15, 7, 0x1010, 1),
            hit(25, 7, 0x1010, 2),
            hit(15, 7, 0x9010, 4),
            hit(25, 7, 0x9010, 8),
        ]);
    let lines = ["sh: sh+0x10 = 1", "cat: cat+0x10 = 2", "sh: old.so+0x10 = 4", "cat: [unknown]+0x9010 = 8"];
    check(&places_of(&recording), 0, &lines);
}

#[test]
fn a_forked_process_inherits_and_then_goes_its_own_way() {
    let recording = recording()
        .record(Record::comm(7, 7, "parent").time(5))
        .record(map(10, 7, 0x1000, "/bin/a"))
        .record(Record::fork((8, 8), (7, 7), 20))
        .record(map(30, 8, 0x1000, "/bin/childs"))
        .record(map(40, 7, 0x5000, "/lib/parents.so"))
        .records([hit(25, 8, 0x1010, 1), hit(35, 8, 0x1010, 2), hit(35, 7, 0x1010, 4)])
        .records([hit(45, 7, 0x5010, 8), hit(45, 8, 0x5010, 16)]);
    let lines = [
        "parent: a+0x10 = 5",
        "parent: childs+0x10 = 2",
        "parent: parents.so+0x10 = 8",
        "parent: [unknown]+0x5010 = 16",
    ];
    check(&places_of(&recording), 0, &lines);
}

#[test]
fn a_fork_that_the_recorder_made_up_inherits_no_mapping() {
    // perf writes FORK, COMM and MMAP for each thread that runs already; bit 13 of misc marks such a FORK.
    let made_up = |pid, parent| Record::fork((pid, pid), (parent, parent), 0).misc(misc::COMM_EXEC);
    let recording = recording()
        .record(made_up(7, 1))
        .comm(7, "a")
        .record(map(0, 7, 0x1000, "/bin/a"))
        .record(made_up(8, 7))
        .comm(8, "b")
        .record(map(0, 8, 0x2000, "/bin/b"))
        .records([hit(1, 7, 0x1010, 1), hit(1, 8, 0x2010, 2), hit(1, 8, 0x1010, 4)]);
    check(&places_of(&recording), 0, &["a: a+0x10 = 1", "b: b+0x10 = 2", "b: [unknown]+0x1010 = 4"]);
}

#[test]
fn threads_share_the_space_of_their_process() {
    let recording = recording()
        .comm(7, "main")
        .record(map(0, 7, 0x1000, "/bin/a"))
        .record(Record::fork((7, 9), (7, 7), 10))
        .record(Record::comm(7, 9, "worker").time(11))
        .record(map(20, 7, 0x2000, "/lib/late.so"))
        .records([0x1010, 0x2010].map(|at| Sample::at(30).thread(7, 9).user_chain(&[at])));
    check(&places_of(&recording), 0, &["worker: a+0x10 = 1", "worker: late.so+0x10 = 1"]);
}

#[test]
fn a_mapping_over_another_counts_from_then_on() {
    let recording = recording()
        .comm(7, "w")
        .record(mapped(10, Map::new(7, 0x1000, 0x4000, 0, "/lib/under.so")))
        .record(map(20, 7, 0x2000, "/lib/over.so"))
        .records([hit(15, 7, 0x2010, 1), hit(25, 7, 0x2010, 2)])
        .records([hit(25, 7, 0x1010, 4), hit(25, 7, 0x3010, 8)]);
    let lines =
        ["w: under.so+0x1010 = 1", "w: over.so+0x10 = 2", "w: under.so+0x10 = 4", "w: under.so+0x2010 = 8"];
    check(&places_of(&recording), 0, &lines);
}

#[test]
fn a_mapping_over_several_others_counts_from_then_on() {
    // The last of those it covers is a part of itself, and changes nothing; the first one does.
    let recording = recording()
        .comm(7, "w")
        .record(map(10, 7, 0x1000, "/lib/under.so"))
        .record(mapped(11, Map::new(7, 0x2000, 0x1000, 0x2000, "/lib/over.so")))
        .record(mapped(20, Map::new(7, 0x1000, 0x2000, 0x1000, "/lib/over.so")))
        .records([
            hit(15, 7, 0x1010, 1),
            hit(25, 7, 0x1010, 2),
            hit(15, 7, 0x2010, 4),
            hit(25, 7, 0x2010, 8),
        ]);
    check(
        &places_of(&recording),
        0,
        &["w: under.so+0x10 = 1", "w: over.so+0x1010 = 2", "w: over.so+0x2010 = 12"],
    );
}

#[test]
fn library_after_library_leaves_callchains_comparable() {
    let libraries = (0..50).map(|n| map(10 * n, 7, 0x10_0000 * (n + 1), &format!("/lib/{n}.so")));
    let samples = (0..50).map(|n| hit(10 * n + 5, 7, 0x10_0010, 1));
    let read = read_of(&recording().comm(7, "w").records(libraries).records(samples));
    assert_eq!(read.profile.user.len(), 2, "the empty part, and one");
}

#[test]
fn a_thread_is_called_what_it_was_called_then() {
    let recording = recording()
        .record(Record::comm(7, 7, "first").time(10))
        .record(Record::comm(7, 7, "second").time(20))
        .record(Record::fork((7, 8), (7, 7), 25))
        .record(Record::comm(7, 7, "third").time(30))
        .records([hit(5, 7, 1, 1), hit(15, 7, 1, 2), hit(25, 7, 1, 4), hit(35, 7, 1, 8)])
        .sample(Sample::at(40).thread(7, 8).user_chain(&[1]).period(16))
        .sample(hit(40, 99, 1, 32))
        .sample(Sample::at(40).thread(0, 0).kernel_chain(&[KERNEL]).period(64));
    let named = [(":7", 1), ("first", 2), ("second", 20), ("third", 8), (":99", 32)];
    let mut lines: Vec<String> =
        named.map(|(comm, weight)| format!("{comm}: [unknown]+0x1 = {weight}")).to_vec();
    lines.push(format!("swapper: [unknown kernel]+0x{KERNEL:x} = 64"));
    check(&places_of(&recording), 0, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_name_may_be_anything() {
    let odd = [&b"a b;c:7"[..], b"\x1b[31mred", b"\xff\xfe", b"caf\xc3\xa9"];
    let recording = odd.iter().zip(7..).fold(recording(), |recording, (name, pid)| {
        recording.record(Record::comm(pid, pid, name)).sample(hit(1, pid, 1, 1))
    });
    let place = "[unknown]+0x1 = 1";
    let names =
        ["a b;c:7", "\u{1b}[31mred", "\u{fffd}\u{fffd}", "café"].map(|name| format!("{name}: {place}"));
    check(&places_of(&recording), 0, &names.each_ref().map(String::as_str));
}

#[test]
fn a_pid_may_come_again() {
    let recording = recording()
        .record(Record::comm(1, 1, "init").time(1))
        .record(map(1, 1, 0x1000, "/sbin/init"))
        .record(Record::fork((7, 7), (1, 1), 10))
        .record(Record::exec(7, "old").time(11))
        .record(map(12, 7, 0x1000, "/bin/old"))
        .record(map(12, 7, 0x3000, "/lib/old.so"))
        .record(Record::exit((7, 7), (1, 1), 20))
        .record(Record::fork((7, 7), (1, 1), 30))
        .record(Record::exec(7, "new").time(40))
        .record(map(41, 7, 0x1000, "/bin/new"))
        .records([
            hit(15, 7, 0x1010, 1),
            hit(35, 7, 0x1010, 2),
            hit(45, 7, 0x1010, 4),
            hit(45, 7, 0x3010, 8),
        ]);
    let lines =
        ["old: old+0x10 = 1", "init: init+0x10 = 2", "new: new+0x10 = 4", "new: [unknown]+0x3010 = 8"];
    check(&places_of(&recording), 0, &lines);
}

#[test]
fn records_may_stand_out_of_the_order_of_time() {
    // Each processor's ring is written in one go: what came first may stand behind.
    let samples = [hit(15, 7, 0x1010, 1), hit(25, 7, 0x1010, 2)];
    let side_band = [
        Record::comm(7, 7, "late").time(20),
        map(21, 7, 0x1000, "/bin/late"),
        Record::exec(7, "late").time(20),
        map(10, 7, 0x1000, "/bin/early"),
        Record::comm(7, 7, "early").time(9),
    ];
    let recording = recording().records(samples).records(side_band);
    check(&places_of(&recording), 0, &["early: early+0x10 = 1", "late: late+0x10 = 2"]);
}

#[test]
fn the_kernel_and_its_modules_keep_addresses() {
    let path = "/lib/modules/6.1/kernel/net/nf-tables.ko.xz";
    let recording = recording()
        .kernel_map(KERNEL, 0x10_0000)
        .record(Record::module_map(MODULE, 0x2000, path))
        .record(Record::module_map(MODULE + 0x8000, 0x1000, "[xfs]"))
        .sample(Sample::at(1).kernel_chain(&[
            MODULE + 0x10,
            KERNEL + 0x20,
            MODULE + 0x8030,
            MODULE + 0x4000,
        ]));
    let frames =
        "[nf_tables]+0xffffffffc0000010 [kernel.kallsyms]+0xffffffff81000020 [xfs]+0xffffffffc0008030";
    let line = format!(":1000: {frames} [unknown kernel]+0xffffffffc0004000 = 1");
    check(&places_of(&recording), 0, &[&line]);
    let modules = read_of(&recording).profile.modules;
    let kernel = modules.iter().find(|module| module.kind == ModuleKind::Kernel).expect("the kernel");
    assert_eq!((kernel.base, kernel.reference.as_deref()), (KERNEL, Some("_text")));
    let module = modules.iter().find(|module| module.name == "[nf_tables]").expect("the module");
    assert_eq!((module.kind, module.base, module.path.as_str()), (ModuleKind::KernelModule, MODULE, path));
}

#[test]
fn a_symbol_that_the_kernel_announces_names_its_addresses() {
    let program = MODULE + 0x5000;
    let recording = recording()
        .kernel_map(KERNEL, 0x8000_0000 - 0x100_0000)
        .record(Record::ksymbol(program, 0x100, "bpf_prog_1_first").time(10))
        .record(Record::ksymbol_gone(program, 0x100, "bpf_prog_1_first").time(20))
        .record(Record::ksymbol(program, 0x80, "bpf_prog_2_second").time(30))
        .records([(15, 1), (35, 2)].map(|(time, weight)| {
            Sample::at(time).kernel_chain(&[program + 0x40, KERNEL + 1]).period(weight)
        }));
    let shown = |name: &str, weight| {
        format!(":1000: {name}+0x{:x} [kernel.kallsyms]+0x{:x} = {weight}", program + 0x40, KERNEL + 1)
    };
    let lines = [shown("bpf_prog_1_first", 1), shown("bpf_prog_2_second", 2)];
    check(&places_of(&recording), 0, &lines.each_ref().map(String::as_str));
}

#[test]
fn what_is_no_file_keeps_its_name() {
    let paths = ["/lib/gone.so (deleted)", "//anon", "[vdso]", "/memfd:jit (deleted)", "[heap]"];
    let recording = paths.iter().zip(1..).fold(recording().comm(7, "w"), |recording, (path, n)| {
        recording.record(map(0, 7, 0x1000 * n, path)).sample(hit(1, 7, 0x1000 * n + 1, n))
    });
    let lines =
        ["gone.so (deleted)+0x1 = 1", "//anon+0x1 = 2", "[vdso]+0x1 = 3", "memfd:jit (deleted)+0x1 = 4"];
    let lines = [lines[0], lines[1], lines[2], lines[3], "[heap]+0x1 = 5"].map(|line| format!("w: {line}"));
    check(&places_of(&recording), 0, &lines.each_ref().map(String::as_str));
}

#[test]
fn both_kinds_of_mmap_record_map() {
    let old = Record::mmap(&Map::new(7, 0x1000, 0x1000, 0x100, "/bin/old"));
    let build_id = Record::mmap2(&Map::new(7, 0x2000, 0x1000, 0, "/bin/new"), Identity::BuildId([0xcd; 20]));
    let recording = recording().comm(7, "w").record(old).record(build_id);
    let recording = recording.records([hit(1, 7, 0x1010, 1), hit(1, 7, 0x2010, 2)]);
    for recording in [recording.clone(), recording.big_endian()] {
        check(&places_of(&recording), 0, &["w: old+0x110 = 1", "w: new+0x10 = 2"]);
        let modules = read_of(&recording).profile.modules;
        let find = |name: &str| modules.iter().find(|module| module.name == name).expect("it is mapped");
        assert_eq!(find("new").build_id, Some(vec![0xcd; 20]));
        assert_eq!((find("old").build_id.as_ref(), find("old").inode), (None, None));
    }
}

#[test]
fn without_times_a_place_in_the_file_tells_what_is_mapped() {
    // A recording of one process (`--per-thread`): what stands first was first.
    let event = Event::cycles().without(field::TIME).callchain();
    let sample = |ip: u64| Sample::at(0).thread(7, 7).user_chain(&[ip]).period(1);
    let recording = Recording::new()
        .event(event)
        .comm(7, "sh")
        .map(&Map::new(7, 0x40_0000, 0x1000, 0, "/bin/sh"))
        .records([sample(0x40_0010), sample(0x40_0020)])
        .record(Record::exec(7, "ls"))
        .map(&Map::new(7, 0x40_0000, 0x1000, 0, "/bin/ls"))
        .record(sample(0x40_0010));
    for recording in [recording.clone(), recording.compressed(Compression::chunks_of(90))] {
        check(&places_of(&recording), 0, &["sh: sh+0x10 = 1", "sh: sh+0x20 = 1", "ls: ls+0x10 = 1"]);
    }
}

#[test]
fn where_only_samples_have_times_all_hold_in_the_order_of_the_file() {
    // Before Linux 2.6.38. perf gives up the order of time for such a recording, and so prints the same.
    let event = Event::cycles().without_flags(flag::SAMPLE_ID_ALL).callchain();
    let sample = |time: u64| Sample::at(time).thread(7, 7).user_chain(&[0x40_0010]).period(time);
    let recording = Recording::new()
        .event(event)
        .record(Record::comm(7, 7, "sh").without_trailer())
        .record(Record::mmap(&Map::new(7, 0x40_0000, 0x1000, 0, "/bin/sh")).without_trailer())
        .records([sample(10), sample(50)])
        .record(Record::exec(7, "ls").without_trailer())
        .record(Record::mmap(&Map::new(7, 0x40_0000, 0x1000, 0, "/bin/ls")).without_trailer())
        .record(sample(40));
    check(&places_of(&recording), 0, &["sh: sh+0x10 = 60", "ls: ls+0x10 = 40"]);
}

#[test]
fn a_process_that_forks_and_maps_again_and_again_costs_no_copy_each_time() {
    // A copy of all mappings for each child would take 20 thousand times 20 thousand of them.
    let n = 20_000;
    let maps = (0..n).map(|at| {
        let map = Map::new(7, 0x40_0000 + 0x2000 * at, 0x1000, 0, "/lib/one.so");
        Record::mmap2(&map, Identity::Inode { major: 8, minor: 1, inode: 1, generation: 0 }).time(1)
    });
    let children = (0..n).flat_map(|at| {
        let (pid, time) = (100 + at as u32, 10 + at);
        let map = Map::new(pid, 0x10_0000, 0x1000, 0, "/lib/other.so");
        let identity = Identity::Inode { major: 8, minor: 1, inode: 2, generation: 0 };
        [Record::fork((pid, pid), (7, 7), time), Record::mmap2(&map, identity).time(time)]
    });
    let last = 100 + n as u32 - 1;
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .comm(7, "main")
        .records(maps)
        .records(children)
        .sample(Sample::at(1 << 40).thread(last, last).user_chain(&[0x10_0010, 0x40_2011]).period(3));
    check(&places_of(&recording), 0, &["main: other.so+0x10 one.so+0x11 = 3"]);
}
