//! Symbols that a recording of Android's simpleperf carries name its frames, wherever it is read.

mod support;

use std::path::Path;

use lockblame::ingest::listings;
use lockblame::perf::Recording as Opened;
use lockblame::perf::simpleperf;
use lockblame::symbol::{Naming, Reason, Sources};
use support::perfdata::{
    Event, Feature, Identity, Listed, Map, Record, Recording, Sample, SymbolList, feature_id, misc, prot,
};
use support::reading::{Stacks, check, names, open, open_bytes, read, sources, symbolized};
use support::shared;

const KERNEL: u64 = 0xffff_ffff_8100_0000;
const MODULE: u64 = 0xffff_ffff_c000_0000;
/// An ELF file's code: loaded from this offset of the file to this address, linked at another.
const CODE: (u64, u64, u64) = (0x3000, 0x7100_0000, 0x5000);

/// The stacks of a recording, named by its own listings and nothing else.
fn named(recording: &Opened) -> Stacks {
    let ingested = read(recording);
    assert_eq!(ingested.facts.damage, Vec::<String>::new());
    let sources = Sources { recorded: listings(recording), ..sources(None, None) };
    names(&symbolized(ingested, &sources).0)
}

/// A file that was hit at these offsets of its code, leaf first.
fn recording(offsets: &[u64]) -> Recording {
    let (offset, start, _) = CODE;
    let chain: Vec<u64> = offsets.iter().map(|offset| start + offset).collect();
    Recording::new()
        .event(Event::cycles().callchain())
        .comm(7, "app")
        .record(Record::mmap2_with(&Map::new(7, start - 0x3000, 0x3000, 0, "/lib/x.so"), prot::READ))
        .map(&Map::new(7, start, 0x4000, offset, "/lib/x.so"))
        .sample(Sample::at(1).thread(7, 7).user_chain(&chain))
}

/// The list of `/lib/x.so`: a function at the front of its code, and one behind a gap.
fn elf() -> SymbolList {
    let (_, _, linked) = CODE;
    SymbolList::new(Listed::Elf, "/lib/x.so", linked)
        .symbol(linked + 0x200, 0x40, "_ZN4base4Lock7AcquireEv")
        .symbol(linked, 0x100, "front")
}

/// Checks a recording with these lists in each way of writing them.
#[track_caller]
fn check_lists(recording: &Recording, lists: &[SymbolList], lines: &[&str]) {
    for lists in [Feature::file(lists), Feature::file2(lists)] {
        let recording = recording.clone().feature(lists);
        check(&named(&open(&recording)), 0, lines);
        check(&named(&open_bytes(recording.write_pipe())), 0, lines);
        check(&named(&open(&recording.big_endian())), 0, lines);
    }
}

#[test]
fn a_file_is_named_by_where_its_first_code_stands() {
    // The leaf is at its address, a return address one byte back; 0x100 to 0x200 belongs to no function.
    let hit = recording(&[0x0, 0x100, 0x200, 0x241, 0x240]);
    let frames = "front front [x.so]+0x3200 [x.so]+0x3241 base::Lock::Acquire";
    let line = format!("app: {frames} = 1");
    check_lists(&hit, &[elf().min_offset(0x3000)], &[&line]);
    // Older recorders do not tell the offset, which is then the lowest that was mapped as code.
    check_lists(&hit, &[elf()], &[&line]);
    // A linker that fills pages places the first code inside of one, and it is mapped from the page's front.
    let inside = SymbolList::new(Listed::Elf, "/lib/x.so", 0x5010).symbol(0x5010, 0x100, "front");
    check_lists(&recording(&[0x20]), &[inside.clone().min_offset(0x3010)], &["app: front = 1"]);
    check_lists(&recording(&[0x20]), &[inside], &["app: front = 1"]);
    // Another path has other names.
    let other = SymbolList::new(Listed::Elf, "/other/x.so", 0x5000).symbol(0x5000, 0x100, "front");
    check_lists(&recording(&[0x20]), &[other], &["app: [x.so]+0x3020 = 1"]);
}

#[test]
fn a_file_that_is_mapped_in_pieces_is_one_file() {
    let (offset, start, _) = CODE;
    let pieces = Recording::new()
        .event(Event::cycles().callchain())
        .comm(7, "app")
        .map(&Map::new(7, start + 0x10_0000, 0x1000, offset + 0x1000, "/lib/x.so"))
        .map(&Map::new(7, start, 0x1000, offset, "/lib/x.so"))
        .sample(Sample::at(1).thread(7, 7).user_chain(&[start + 0x10_0010, start + 0x10]));
    let list = elf().symbol(0x6000, 0x20, "second");
    check_lists(&pieces, std::slice::from_ref(&list), &["app: second front = 1"]);
    check_lists(&pieces, &[list.min_offset(0x3000)], &["app: second front = 1"]);
}

#[test]
fn the_kernel_is_named_by_address_and_its_modules_by_where_they_stand() {
    let chain = [KERNEL + 0x10, MODULE + 0x1010, MODULE + 0x2010, MODULE + 0x3010];
    let hit = Recording::new()
        .event(Event::cycles().callchain())
        .comm(7, "app")
        .kernel_map(0, u64::MAX)
        .record(Record::module_map(MODULE, 0x4000, "/vendor/lib/modules/wlan.ko"))
        .sample(Sample::at(1).thread(7, 7).kernel_chain(&chain));
    let kernel = SymbolList::new(Listed::Kernel, "[kernel.kallsyms]", 0)
        .symbol(MODULE + 0x2000, 0x100, "wlan_rx [wlan]")
        .symbol(KERNEL, 0x100, "_raw_spin_lock");
    // The code at 0x1000 of the module's memory is the file's address 0x40.
    let module = SymbolList::new(Listed::KernelModule, "/vendor/lib/modules/wlan.ko", 0x40)
        .min_offset(0x1000)
        .symbol(0x40, 0x100, "wlan_tx");
    // The last frame is in neither list.
    let line = "app: _raw_spin_lock wlan_tx wlan_rx [wlan]+0x3010 = 1";
    check_lists(&hit, &[kernel, module], &[line]);
}

#[test]
fn bytecode_is_named_by_offset_and_generated_code_by_address() {
    let hit = Recording::new()
        .event(Event::cycles().callchain())
        .comm(7, "app")
        .record(Record::mmap2_with(&Map::new(7, 0x7000_0000, 0x1000, 0x2000, "/app/base.vdex"), prot::READ))
        .record(Record::mmap2_with(
            &Map::new(7, 0x9b00_0040, 0x80, 0x6000, "jit_app_cache:1"),
            prot::GENERATED,
        ))
        .map(&Map::new(7, 0x6000_0000, 0x1000, 0, "/tmp/perf-7.map"))
        .sample(Sample::at(1).thread(7, 7).user_chain(&[0x7000_0010, 0x9b00_0050, 0x6000_0010]));
    let lists = [
        SymbolList::new(Listed::Dex, "/app/base.vdex", 0x77).symbol(0x2000, 0x20, "com.example.A.run"),
        SymbolList::new(Listed::Elf, "jit_app_cache:1", 0).min_offset(0).symbol(0x9b00_0040, 0x80, "A.hot"),
        // Nothing tells what these addresses are counted from.
        SymbolList::new(Listed::SymbolMap, "/tmp/perf-7.map", 0).symbol(0x0, 0x1000, "wrong"),
    ];
    check_lists(&hit, &lists, &["app: com.example.A.run A.hot [perf-7.map]+0x10 = 1"]);
}

#[test]
fn the_recordings_own_names_come_first_and_other_sources_fill_the_gaps() {
    let kernel = SymbolList::new(Listed::Kernel, "[kernel.kallsyms]", 0).symbol(KERNEL + 0x100, 0x10, "own");
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .comm(7, "app")
        .kernel_map(KERNEL, 0x1000)
        .feature(Feature::file(&[kernel]))
        .sample(Sample::at(1).thread(7, 7).kernel_chain(&[KERNEL + 0x108, KERNEL + 0x118]));
    let opened = open(&recording);
    let folder = tempfile::tempdir().expect("a temporary directory");
    let list = format!("{KERNEL:016x} T _text\n{:016x} T listed\n", KERNEL + 0x100);
    let kallsyms = support::reading::file(&folder, "kallsyms", list);
    let sources = Sources { recorded: listings(&opened), ..sources(Some(&kallsyms), None) };
    let (profile, resolution) = symbolized(read(&opened), &sources);
    check(&names(&profile), 0, &["app: own listed = 1"]);
    let origin = format!("the recording itself, then {}", kallsyms.display());
    assert_eq!(resolution.kernel_origin, Some(origin));
}

#[test]
fn a_damaged_list_is_left_out_and_said() {
    let good = elf().min_offset(0x3000);
    let other = SymbolList::new(Listed::Elf, "/lib/y.so", 0).min_offset(0).symbol(0, 8, "other");
    type Read = fn(&[u8], lockblame::perf::bytes::Endian) -> simpleperf::SymbolTables;
    let ways: [(Feature, Read, u32); 2] = [
        (Feature::file(&[good.clone(), other.clone()]), simpleperf::file, feature_id::SIMPLEPERF_FILE),
        (Feature::file2(&[good, other]), simpleperf::file2, feature_id::SIMPLEPERF_FILE2),
    ];
    for (feature, read_section, id) in ways {
        let image = recording(&[0x20]).feature(feature).file();
        let section = image.feature(id);
        let whole = &image.bytes[section.offset as usize..][..section.size as usize];
        let little = lockblame::perf::bytes::Endian::Little;
        let tables = read_section(whole, little);
        assert_eq!((tables.files.len(), tables.damaged), (2, 0));
        let first = 4 + u32::from_le_bytes(whole[..4].try_into().expect("four bytes")) as usize;
        // Cut anywhere, the lists before the cut count, and the one that is cut does not.
        for length in 0..whole.len() {
            let cut = read_section(&whole[..length], little);
            assert_eq!(cut.files[..], tables.files[..usize::from(length >= first)], "cut to {length}");
            assert_eq!(cut.damaged, u64::from(length != 0 && length != first), "cut to {length}");
        }
        // Any byte may say anything: what is read is never more than what is there.
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = whole.to_vec();
                bytes[at] = value;
                let read = read_section(&bytes, little);
                let names = read.files.iter().flat_map(|file| &file.symbols).map(|symbol| symbol.name.len());
                assert!(names.sum::<usize>() <= 3 * bytes.len(), "{value} at {at}");
            }
        }
        // A count that is too large spoils its own list only, and the reader says so.
        let mut bytes = image.bytes.clone();
        bytes[section.offset as usize + 4..section.offset as usize + first].fill(0xff);
        let opened = open_bytes(bytes);
        let ingested = read(&opened);
        assert_eq!(
            ingested.facts.damage,
            ["1 of the recorder's tables of symbols are damaged, and left out"]
        );
        assert_eq!(
            listings(&opened).iter().map(|list| list.path.as_str()).collect::<Vec<_>>(),
            ["/lib/y.so"]
        );
        let sources = Sources { recorded: listings(&opened), ..sources(None, None) };
        let (profile, _) = symbolized(ingested, &sources);
        assert_eq!(profile.frames[0].naming, Naming::Unnamed(Reason::NoBuildId));
    }
}

#[test]
fn mappings_of_data_are_no_code() {
    let (offset, start, _) = CODE;
    let data = Record::mmap(&Map::new(7, start - 0x3000, 0x3000, 0, "/lib/x.so"));
    let hit = Recording::new()
        .event(Event::cycles().callchain())
        .comm(7, "app")
        .record(data.misc(misc::USER | misc::MMAP_DATA))
        .record(Record::mmap2(&Map::new(7, start, 0x4000, offset, "/lib/x.so"), Identity::BuildId([1; 20])))
        .sample(Sample::at(1).thread(7, 7).user_chain(&[start + 0x20]));
    check_lists(&hit, &[elf()], &["app: front = 1"]);
}

/// A recording of the shared corpus, named by its own listings.
fn corpus(folder: &Path, name: &str) -> Stacks {
    named(&Opened::open(&folder.join(name)).expect("it is a recording"))
}

/// How many samples have this leaf.
fn leaves(stacks: &Stacks, name: &str) -> u64 {
    stacks.iter().filter(|(stack, _)| stack.frames[0] == name).map(|(_, (_, samples))| samples).sum()
}

/// What simpleperf's own tests say that it reports for these recordings.
#[test]
fn recordings_of_simpleperf_have_the_names_that_simpleperf_reports() {
    let Some(folder) = shared::folder("corpus/simpleperf") else { return };
    // Its tests of reports: `func2(int, int)` stands at 0x4004ed, and `main` is the other function.
    let stacks = corpus(&folder, "perf_with_symbols.data");
    let (func2, main) = (leaves(&stacks, "func2"), leaves(&stacks, "main"));
    assert!(func2 > 300 && main > 500, "{stacks:?}");
    let kernel = leaves(&stacks, "[kernel.kallsyms]+0xffffffff8172f450");
    assert!(func2 + main + kernel > 930, "{stacks:?}");
    // The library's code is linked 0x6000 behind where the file has it.
    let stacks = corpus(&folder, "perf_with_symbols_for_nonzero_minvaddr_dso.data");
    assert_eq!(leaves(&stacks, "memcpy") + leaves(&stacks, "@plt"), 317, "{stacks:?}");
    // The program of this name calls two functions from its main function.
    let stacks = corpus(&folder, "runtest_two_functions_arm64_perf.data");
    let lines =
        [":12039: Function1 main __libc_init = 590184", ":12039: Function2 main __libc_init = 591577"];
    check(&stacks, 0, &lines);
}

/// Callchains make sense only if every frame's name is right.
#[test]
fn callchains_of_android_are_those_of_its_source() {
    let Some(folder) = shared::folder("corpus/simpleperf") else { return };
    let stacks = corpus(&folder, "perf_no_unwind.data");
    let ioctl = "_raw_spin_lock binder_ioctl_write_read binder_ioctl do_vfs_ioctl sys_ioctl __sys_trace";
    assert!(stacks.keys().any(|stack| stack.frames.join(" ") == ioctl), "{stacks:?}");
    let stacks = corpus(&folder, "wrong_ip_callchain_perf.data");
    let mut threads = 0;
    for stack in stacks.keys() {
        if let Some(at) = stack.frames.iter().position(|name| name == "__pthread_start") {
            threads += 1;
            assert_eq!(stack.frames.get(at + 1).map(String::as_str), Some("__start_thread"), "{stack:?}");
        }
    }
    assert!(threads > 200, "{threads} stacks begin with a thread");
    // Functions that were compiled while the program ran.
    let stacks = corpus(&folder, "perf_with_failed_unwinding_debug_info.data");
    let generated = "android.os.Handler.dispatchMessage";
    assert!(stacks.keys().all(|stack| stack.frames.iter().any(|name| name == generated)), "{stacks:?}");
}

#[test]
fn ids_that_are_told_among_the_records_belong_to_their_events() {
    // simpleperf's type 32774: how many, then the place of an event and an id each.
    let told: Vec<u8> = [2_u64, 1, 77, 0, 78].iter().flat_map(|word| word.to_le_bytes()).collect();
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .event(Event::instructions().callchain())
        .feature(Feature::raw(feature_id::SIMPLEPERF_META_INFO, b"simpleperf_version\x001\0"))
        .record(Record::raw(32774, &told))
        .sample(Sample::at(1).id(77).period(3))
        .sample(Sample::at(2).id(78).period(4))
        .sample(Sample::at(3).id(79).period(5));
    let facts = read(&open(&recording)).facts;
    let weights: Vec<u64> = facts.tally.events.iter().map(|(_, weight)| weight.0).collect();
    assert_eq!((weights, facts.tally.unknown_event), (vec![4, 3], 1));
    assert_eq!(facts.records.get(&32774), Some(&1));
}
