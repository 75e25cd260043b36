//! A name is right or absent: which of several names a function has, where it stands, and when nobody can tell.

mod support;

use lockblame::symbol::kallsyms::Kallsyms;
use lockblame::symbol::{Host, Naming, Reason, Sources, Symbol};
use support::perfdata::{Event, Map, Record, Recording, Sample, misc};
use support::reading::{file, read_of, sources, symbolized};

const TEXT: u64 = 0xffff_ffff_8100_0000;
const MODULE: u64 = 0xffff_ffff_c000_0000;

/// The names of one callchain of the kernel, which stood at `text`, by this list.
fn kernel_names(list: &str, text: u64, chain: &[u64]) -> Vec<Symbol> {
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .kernel_map(text, 0x100_0000)
        .record(Record::module_map(MODULE, 0x4000, "/lib/modules/6.1/nf-tables.ko"))
        .sample(Sample::at(1).kernel_chain(chain));
    let folder = tempfile::tempdir().expect("a temporary directory");
    let kallsyms = file(&folder, "list", list);
    symbols_of(&recording, &sources(Some(&kallsyms), None))
}

/// The frames of the only stack of a recording.
fn symbols_of(recording: &Recording, sources: &Sources) -> Vec<Symbol> {
    let (profile, _) = symbolized(read_of(recording), sources);
    let key = profile.entries[0].key;
    let frames = profile.kernel.get(key.kernel).iter().chain(profile.user.get(key.user));
    frames.map(|frame| profile.frames[frame.index()].clone()).collect()
}

fn texts(symbols: &[Symbol]) -> Vec<&str> {
    symbols.iter().map(|symbol| symbol.name.as_str()).collect()
}

/// A list with these symbols behind `_text`.
fn list(lines: &[&str]) -> String {
    format!("{TEXT:016x} T _text\n{}\n", lines.join("\n"))
}

#[track_caller]
fn chosen(lines: &[&str], name: &str) {
    let mut lines: Vec<&str> = lines.to_vec();
    for _ in 0..2 {
        let parsed = Kallsyms::parse(&list(&lines)).expect("it is a list");
        assert_eq!(parsed.kernel(TEXT + 0x1008), Some(name), "{lines:?}");
        lines.reverse();
    }
}

#[test]
fn of_several_names_at_one_address_the_functions_is_chosen() {
    let at = "ffffffff81001000";
    let name = |kind: &str, name: &str| format!("{at} {kind} {name}");
    // perf prints the section's mark for whichever lock stands first in it.
    chosen(
        &[&name("T", "__lock_text_start"), &name("T", "_raw_spin_lock_irqsave")],
        "_raw_spin_lock_irqsave",
    );
    chosen(&[&name("T", "_stext"), &name("t", "local")], "local");
    chosen(&[&name("T", "__sched_text_end"), &name("t", "__x")], "__x");
    chosen(&[&name("t", "local"), &name("T", "__global")], "__global");
    chosen(&[&name("T", "__x64_sys_read"), &name("T", "_read"), &name("T", "___r")], "_read");
    chosen(&[&name("W", "arch_b"), &name("T", "arch_a")], "arch_a");
    chosen(&[&name("T", "__ia32_sys_ni"), &name("T", "__x64_sys_ni")], "__x64_sys_ni");
    // A mark alone is better than the function before it.
    chosen(&["ffffffff81000800 T before", &name("T", "__cpuidle_text_start")], "__cpuidle_text_start");
}

#[test]
fn a_symbol_ends_where_the_next_begins() {
    let list = list(&["ffffffff81001000 T first", "ffffffff81001100 t second", "ffffffff81002000 D data"]);
    let parsed = Kallsyms::parse(&list).expect("it is a list");
    let names = [0xfff, 0x1000, 0x10ff, 0x1100, 0x1fff, 0x2000].map(|offset| parsed.kernel(TEXT + offset));
    assert_eq!(names, ["_text", "first", "first", "second", "second", "data"].map(Some));
    assert_eq!(parsed.kernel(TEXT - 1), None);
    assert_eq!(parsed.kernel(TEXT + 0x10_0000), None, "the last one ends with its page");
}

#[test]
fn the_list_may_be_of_another_boot_of_the_same_kernel() {
    let lines = ["ffffffff81001000 T lock", "ffffffff81002000 T caller", "ffffffff81003000 T end"];
    for slide in [0, 0x1200_0000, 0u64.wrapping_sub(0x40_0000)] {
        let text = TEXT.wrapping_add(slide);
        let symbols = kernel_names(&list(&lines), text, &[text + 0x1004, text + 0x2010]);
        assert_eq!(texts(&symbols), ["lock", "caller"], "moved by 0x{slide:x}");
        assert!(symbols.iter().all(|symbol| symbol.naming == Naming::Named));
    }
    // Older kernels record where `_stext` is.
    let map = Map {
        pid: u32::MAX,
        tid: 0,
        addr: TEXT,
        len: 0x100_0000,
        pgoff: TEXT + 0x50_1000,
        filename: "[kernel.kallsyms]_stext".into(),
    };
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .record(Record::mmap(&map).misc(misc::KERNEL))
        .sample(Sample::at(1).kernel_chain(&[TEXT + 0x50_1004]));
    let folder = tempfile::tempdir().expect("a temporary directory");
    let listed =
        format!("{TEXT:016x} T _text\n{:016x} T _stext\n{:016x} T lock\n", TEXT + 0x1000, TEXT + 0x1001);
    let kallsyms = file(&folder, "list", listed);
    assert_eq!(texts(&symbols_of(&recording, &sources(Some(&kallsyms), None))), ["lock"]);
}

#[test]
fn a_return_address_is_looked_up_one_byte_back() {
    let lines = [
        "ffffffff81001000 T dies",
        "ffffffff81001100 T next",
        "ffffffff81001200 T asm_sysvec_apic_timer_interrupt",
        "ffffffff81001300 T end",
    ];
    // `dies` ends with a call that does not return: the address behind it is the next function's.
    let shown = |chain: &[u64]| {
        kernel_names(&list(&lines), TEXT, chain).into_iter().map(|s| s.name).collect::<Vec<_>>()
    };
    assert_eq!(shown(&[TEXT + 0x1180, TEXT + 0x1100]), ["next", "dies"]);
    assert_eq!(shown(&[TEXT + 0x1100, TEXT + 0x1180]), ["next", "next"], "the leaf is where it is");
    // What an interrupt hit had not made a call: its address is that of an instruction.
    let interrupted = [TEXT + 0x1001, TEXT + 0x1210, TEXT + 0x1100, TEXT + 0x1100];
    assert_eq!(shown(&interrupted), ["dies", "asm_sysvec_apic_timer_interrupt", "next", "dies"]);
}

#[test]
fn the_padding_in_front_of_a_function_is_the_functions() {
    // An indirect call through a thunk leaves the function's own first byte on the stack as the address to return to.
    let (padding, function) = (TEXT + 0x30, TEXT + 0x40);
    let list = list(&[
        &format!("{:016x} t before", TEXT + 0x10),
        &format!("{padding:016x} t __pfx_mutex_lock"),
        &format!("{function:016x} T mutex_lock"),
    ]);
    let names = kernel_names(&list, TEXT, &[function + 4, function, padding]);
    assert_eq!(texts(&names), ["mutex_lock", "mutex_lock", "before"]);
}

#[test]
fn symbols_of_modules_count_only_where_the_module_stands() {
    let lines = [
        "ffffffff81001000 T kernel",
        "ffffffff81001100 T end",
        "ffffffffbfff0000 t elsewhere\t[nf_tables]",
        "ffffffffc0001000 t nft_do_chain\t[nf_tables]",
        "ffffffffc0002000 t other\t[other]",
        "ffffffffc0003000 t nft_end\t[nf-tables]",
    ];
    let at = [MODULE + 0x1004, MODULE + 0x2004, MODULE + 0x10];
    let symbols = kernel_names(&list(&lines), TEXT, &at);
    // The first symbol that the list has for it stands outside of where the module was mapped.
    assert_eq!(texts(&symbols), ["nft_do_chain", "nft_do_chain", "[nf_tables]+0x10"]);
    assert_eq!(symbols[2].naming, Naming::Unnamed(Reason::Gap));
    assert_eq!(symbols[0].module, "[nf_tables]");
    // Another boot: the kernel moved, and modules stand anywhere.
    let moved = TEXT + 0x100_0000;
    let symbols = kernel_names(&list(&lines), moved, &[moved + 0x1004, MODULE + 0x1004]);
    assert_eq!(texts(&symbols), ["kernel", "[nf_tables]+0x1004"]);
    assert_eq!(symbols[1].naming, Naming::Unnamed(Reason::NoModuleSymbols));
}

#[test]
fn without_a_list_the_kernel_has_no_names() {
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .kernel_map(TEXT, 0x100_0000)
        .record(Record::module_map(MODULE, 0x4000, "[ext4]"))
        .record(Record::ksymbol(MODULE + 0x8000, 0x100, "bpf_prog_6deef7357e7b4530"))
        .map(&Map::new(1000, 0x40_0000, 0x1000, 0x3000, "/nowhere/w"))
        .sample(
            Sample::at(1)
                .kernel_chain(&[TEXT + 0x1234, MODULE + 0x20, MODULE + 0x8010, MODULE + 0x6000])
                .user_chain(&[0x40_0010, 0x99]),
        );
    let symbols = symbols_of(&recording, &sources(None, None));
    let kernel = [
        "[kernel.kallsyms]+0x1234",
        "[ext4]+0x20",
        "bpf_prog_6deef7357e7b4530",
        "[unknown kernel]+0xffffffffc0006000",
    ];
    assert_eq!(texts(&symbols)[..4], kernel);
    assert_eq!(texts(&symbols)[4..], ["[w]+0x3010", "[unknown]+0x99"]);
    let reasons = symbols.iter().map(|symbol| symbol.naming).collect::<Vec<_>>();
    let unnamed = Naming::Unnamed;
    let kernel = [
        unnamed(Reason::NoKernelSymbols),
        unnamed(Reason::NoKernelSymbols),
        Naming::Named,
        unnamed(Reason::Unmapped),
    ];
    assert_eq!(reasons[..4], kernel);
    assert_eq!(reasons[4..], [unnamed(Reason::NoBuildId), unnamed(Reason::Unmapped)]);
}

#[test]
fn a_list_that_hides_its_addresses_is_refused_in_one_line() {
    let zeros = "0000000000000000 T _text\n0000000000000000 T lock\n";
    let refusal = |text: &str| Kallsyms::parse(text).expect_err("it names nothing").to_string();
    assert!(refusal(zeros).contains("kernel.kptr_restrict"), "{}", refusal(zeros));
    assert!(refusal("").contains("no symbol"));
    assert!(refusal("\n\nno list\n").contains("line 3"), "{}", refusal("\n\nno list\n"));
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = file(&folder, "zeros", zeros);
    let error = Kallsyms::read(&path).expect_err("it names nothing").to_string();
    assert!(error.starts_with(&path.display().to_string()) && !error.contains('\n'), "{error}");
}

#[test]
fn a_list_of_kallsyms_is_found_beside_the_recording_and_in_perfs_cache() {
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .build_id(support::perfdata::BuildId::kernel(&[0xab; 20]))
        .kernel_map(TEXT, 0x1000)
        .sample(Sample::at(1).kernel_chain(&[TEXT + 0x10]));
    let folder = tempfile::tempdir().expect("a temporary directory");
    let home = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().join("perf.data");
    let nothing = Sources { home: Some(home.path().to_owned()), ..sources(None, None) };
    let name = || {
        let named = lockblame::symbol::symbolize(read_of(&recording).profile, &path, None, &nothing);
        let (profile, resolution) = named.expect("nothing was named");
        (profile.frames[0].name.clone(), resolution.kernel_origin.is_some())
    };
    assert_eq!(name(), ("[kernel.kallsyms]+0x10".into(), false));
    let id = "ab".repeat(20);
    file(
        &home,
        &format!(".debug/[kernel.kallsyms]/{}/kallsyms", "cd".repeat(20)),
        list(&["ffffffff81000010 T wrong"]),
    );
    assert_eq!(name(), ("[kernel.kallsyms]+0x10".into(), false), "another kernel's list");
    file(&home, &format!(".debug/[kernel.kallsyms]/{id}/kallsyms"), list(&["ffffffff81000010 T cached"]));
    assert_eq!(name(), ("cached".into(), true));
    file(&folder, "kallsyms", list(&["ffffffff81000010 T beside"]));
    assert_eq!(name(), ("beside".into(), true));
    // perf record --kcore writes a directory that holds the list itself.
    file(&folder, "perf.data/kcore_dir/kallsyms", list(&["ffffffff81000010 T inside"]));
    assert_eq!(name(), ("inside".into(), true));
}

#[test]
fn the_running_kernel_names_nothing_of_another_one() {
    let considered = Sources { host: Host::Considered, ..sources(None, None) };
    let running = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    // Another build-id; or the same release, but no kernel ever stood there in this boot.
    let build_id = support::perfdata::BuildId::kernel(&[0xab; 20]);
    let recording = Recording::new()
        .event(Event::cycles().callchain())
        .kernel_map(0xffff_ffff_8123_4000, 0x1000)
        .sample(Sample::at(1).kernel_chain(&[0xffff_ffff_8123_4010]));
    for recording in [recording.clone().build_id(build_id), recording] {
        let path = std::path::Path::new("/nowhere/perf.data");
        let named = lockblame::symbol::symbolize(
            read_of(&recording).profile,
            path,
            Some(running.trim()),
            &considered,
        );
        let symbol = named.expect("nothing was named").0.frames[0].clone();
        assert_eq!(symbol.name, "[kernel.kallsyms]+0x10");
        let reasons = [Reason::NoKernelSymbols, Reason::Restricted].map(Naming::Unnamed);
        assert!(reasons.contains(&symbol.naming), "{symbol:?}");
    }
}
