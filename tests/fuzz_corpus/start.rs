//! What a corpus starts from: small recordings of every shape, the beginnings of real ones, and texts.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::fuzz::samples::ATTR;
use super::support::cut::cut;
use super::support::perfdata::{
    Branch, Branches, Compression, Counter, Event, HeaderField, Image, Map, Order, Read, Record, Recording,
    Regs, Sample, Stack, TracingData, branch, field, format, kind,
};
use super::support::written::{every_way, group, rich};

const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// By target.
pub fn inputs() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let recordings = recordings();
    vec![
        ("gate", recordings.iter().map(|bytes| bytes[..bytes.len().min(4096)].to_vec()).collect()),
        ("packed", packed(&recordings)),
        ("recording", recordings),
        ("samples", samples()),
        ("kallsyms", kallsyms()),
        ("text", texts()),
        ("trace_formats", formats()),
    ]
}

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn recordings() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = every_way().into_iter().map(|(_, image)| image.bytes).collect();
    all.extend(
        [life(), shapes(), shapes().big_endian()].iter().flat_map(|one| [one.write(), one.write_pipe()]),
    );
    let packed = life().compressed(Compression::chunks_of(200));
    all.extend([packed.write(), packed.write_pipe()]);
    for fixture in ["control", "dup-before", "latencytop-before", "mmap-before", "user-mutex"] {
        let bytes = std::fs::read(root("fixtures").join(fixture).join("perf.data")).expect("it can be read");
        all.push(cut(&bytes, 6_000));
    }
    all
}

/// Processes that come and go, with mappings in each other's way.
fn life() -> Recording {
    let map = |pid: u32, n: u64, name: &str| Record::mmap(&Map::new(pid, 0x1000 * n, 0x1800, 0, name));
    (0..6_u32).fold(
        Recording::new().event(Event::cycles().callchain()).kernel_map(KERNEL, 1 << 24),
        |all, n| {
            let (pid, time) = (10 + n, 100 * u64::from(n));
            all.record(Record::fork((pid + 1, pid + 1), (pid, pid), time))
                .record(Record::exec(pid, format!("task-{n}")).time(time + 1))
                .record(map(pid, u64::from(n), "/lib/a.so").time(time + 2))
                .record(map(pid, u64::from(n) + 1, "//anon").time(time + 3))
                .record(Record::ksymbol(KERNEL + u64::from(n), 8, "bpf_prog"))
                .record(Record::throttle(time + 4, 1, 1))
                .sample(
                    Sample::at(time + 5).thread(pid, pid).kernel_chain(&[KERNEL + 1]).user_chain(&[0x1801]),
                )
        },
    )
}

/// Two events that differ in all fields but the place of their id.
fn shapes() -> Recording {
    Recording::new()
        .event(Event::cycles().callchain())
        .event(Event::tracepoint(77, "sched:sched_switch").callchain())
        .sample(Sample::at(1).kernel_chain(&[KERNEL, KERNEL + 1, KERNEL + 2]))
        .sample(Sample::at(2).event(1).raw(vec![3; 20]).user_chain(&[0x40_0000]))
}

/// Samples of every field, each with its attribute in front.
fn samples() -> Vec<Vec<u8>> {
    let all = [
        field::ADDR | field::STREAM_ID | field::ID | field::DATA_SRC | field::TRANSACTION | field::PHYS_ADDR,
        field::CGROUP | field::DATA_PAGE_SIZE | field::CODE_PAGE_SIZE | field::WEIGHT_STRUCT,
        field::RAW | field::AUX | field::CALLCHAIN,
    ];
    let formats = [0, format::ID | format::LOST, format::GROUP | format::ID | format::TOTAL_TIME_RUNNING];
    let mut images = vec![rich().file(), rich().big_endian().file(), group().file()];
    for (bits, read) in all.into_iter().zip(formats) {
        let event = Event::cycles()
            .with(bits | field::READ)
            .read_format(read)
            .branches(branch::ANY | branch::COUNTERS)
            .regs_user(0b101)
            .regs_intr(0b11)
            .stack_user(8);
        let counters = [Counter { value: 5, id: 1, lost: 2 }, Counter { value: 6, id: 2, lost: 0 }];
        let sample = Sample::at(9)
            .read(Read {
                enabled: 3,
                running: 2,
                counters: counters[..if read & format::GROUP != 0 { 2 } else { 1 }].to_vec(),
            })
            .kernel_chain(&[KERNEL])
            .raw(vec![9; 4])
            .branches(Branches {
                hw_index: 0,
                entries: vec![Branch { from: 1, to: 2, ..Branch::default() }; 2],
            })
            .regs_user(Regs::Wide(vec![1, 2]))
            .regs_intr(Regs::Wide(vec![3, 4]))
            .stack_user(Stack { bytes: vec![5; 8], dyn_size: 4 })
            .aux(vec![7; 8]);
        images.push(Recording::new().event(event).sample(sample).file());
    }
    images.iter().map(with_attribute).collect()
}

/// The byte order, the first attribute and the first sample of a file.
fn with_attribute(image: &Image) -> Vec<u8> {
    let big = image.bytes.starts_with(b"2ELIFREP");
    let at = image.header(HeaderField::AttrsOffset) as usize;
    let number = |at: usize| {
        let four = image.bytes[at..at + 4].try_into().expect("four bytes");
        if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    };
    let sample = image.record_offsets().iter().find(|&&at| number(at) == kind::SAMPLE).expect("there is one");
    let two = [image.bytes[sample + 6], image.bytes[sample + 7]];
    let size = if big { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) };
    let mut out = vec![u8::from(big)];
    out.extend(&image.bytes[at..at + ATTR]);
    out.extend(&image.bytes[sample + 8..sample + usize::from(size)]);
    out
}

/// Small recordings as tools pack them; those that are not here are left out.
fn packed(recordings: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let tools: [(&str, &[&str]); 5] = [
        ("gzip", &["-c"]),
        ("xz", &["-c", "-0"]),
        ("xz", &["-c", "--check=crc32", "--block-size=1024"]),
        ("zstd", &["-q", "-c"]),
        ("bzip2", &["-c"]),
    ];
    let run = |tool: &str, flags: &[&str], bytes: &[u8]| -> Option<Vec<u8>> {
        let mut child = Command::new(tool)
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut stdin = child.stdin.take()?;
        let bytes = bytes.to_vec();
        let writer = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
        let output = child.wait_with_output().ok()?;
        writer.join().ok()?;
        Some(output.stdout)
    };
    let small = recordings.iter().filter(|bytes| bytes.len() < 6_000).take(4);
    small.flat_map(|bytes| tools.iter().filter_map(|(tool, flags)| run(tool, flags, bytes))).collect()
}

/// Sections of formats in both byte orders.
fn formats() -> Vec<Vec<u8>> {
    let switch = [
        "field:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;",
        "field:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;",
        "field:long prev_state;\toffset:32;\tsize:8;\tsigned:1;",
    ];
    let wait = [
        "field:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
        "field:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;",
        "field:__rel_loc char[] path;\toffset:12;\tsize:4;\tsigned:0;",
    ];
    let section = TracingData::new().tracepoint("sched", "sched_switch", 300, &switch).tracepoint(
        "lock",
        "contention_begin",
        301,
        &wait,
    );
    [Order::Little, Order::Big].map(|order| [section.bytes(order), vec![7; 64]].concat()).into()
}

/// The first bytes of a text, up to the end of a line.
fn first_lines(text: &[u8], room: usize) -> Vec<u8> {
    if text.len() <= room {
        return text.to_vec();
    }
    let end = text[..room].iter().rposition(|&byte| byte == b'\n').map_or(room, |at| at + 1);
    text[..end].to_vec()
}

fn kallsyms() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = ["control", "mmap-before", "user-mutex"]
        .map(|name| {
            first_lines(
                &std::fs::read(root("fixtures").join(name).join("kallsyms")).expect("it is there"),
                1_500,
            )
        })
        .into();
    for text in [
        "0000000000000000 T _text\n0000000000000000 t a\n",
        "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000010 t a.isra.0\nffffffff81000020 D data\n",
        "ffffffffc0000000 t f\t[ext4]\nffffffffc0000010 T g\t[ext4]\nffffffffc0000020 W h\t[a-b]\n",
        "ffffffff81000010 t $x\nffffffff81000010 t .L1\nffffffff81000010 A abs\nffffffff81000010 r ro\n",
    ] {
        all.push(text.as_bytes().to_vec());
    }
    all
}

fn texts() -> Vec<Vec<u8>> {
    let folders = ["fixtures/mail", "tests/golden"];
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root(folder)).expect("it can be listed").filter_map(Result::ok))
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            path.starts_with(root("fixtures/mail")) || name.contains("format-perf") || name.contains("folded")
        })
        .collect();
    files.sort();
    let mut all: Vec<Vec<u8>> =
        files.iter().map(|path| first_lines(&std::fs::read(path).expect("it can be read"), 3_000)).collect();
    for text in [
        "a;b;c 12\na;b 3\n",
        "bench  7/8 [001] 12.000001:    5 cycles:\n\tffffffff81000000 f+0x1 ([kernel.kallsyms])\n\t 400010 main (/bin/x)\n\n",
        "# Samples: 5K of event 'cycles'\n# Event count (approx.): 99\n#\n# Overhead  Command  Shared Object  Symbol\n\
         #\n    48.79%  bench  [kernel]  [k] f\n            |\n            |--30.00%--g\n            |          h\n             --18.79%--[...]\n",
        "# Children  Self  Command  Symbol\n    90.00%  1,00%  a  [k] b\n            |\n            ---c\n               d\n",
        "From: a@b\nTo: c@d\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\
         Content-Transfer-Encoding: base64\n\nICAgIDEuMDAlIGEgW2tdIGIK\n--x--\n",
        "run,metric,value\n1,netperf.Throughput_Mbps:a/b,280.4\n2,netperf.Throughput_Mbps:a/b,279.1\n",
        "{\"run\":1,\"metric\":\"a\",\"value\":2}\n{\"run\":\"2\",\"metric\":\"b\",\"value\":3.5}\n",
    ] {
        all.push(text.as_bytes().to_vec());
    }
    all
}
