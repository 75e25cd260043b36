//! What is read is the same however it comes: a file, a pipe, standard input, packed by any tool, or cut.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/program.rs"]
mod program;
mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use program::{fixture, lockblame};
use serde_json::Value;
use support::perfdata::{Event, Recording, Sample};
use support::shared;

/// Tools that pack whole files, and how they are asked to write to standard output. The reader of xz gives whole chunks only,
/// of up to 2 MiB: blocks make them smaller.
const PACKERS: [(&str, &[&str]); 4] = [
    ("gzip", &["-c"]),
    ("xz", &["-c", "-1", "--block-size=262144"]),
    ("zstd", &["-q", "-c"]),
    ("bzip2", &["-c"]),
];

/// A report as JSON with the symbols of a fixture: what stands beside a file does not stand beside a pipe.
fn report(name: &str, input: &Path) -> Command {
    let mut command = lockblame();
    command.args(["report", "--format", "json"]);
    for (flag, file) in [("--kallsyms", "kallsyms"), ("--symfs", "symfs")] {
        let path = fixture(name, file);
        if path.exists() {
            command.arg(flag).arg(path);
        }
    }
    command.arg(input);
    command
}

/// The report of what stands on standard input.
fn report_of_stdin(bytes: &[u8], name: &str) -> Output {
    fed(report(name, Path::new("-")), bytes)
}

/// Runs a command with these bytes on its standard input.
fn fed(mut command: Command, bytes: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("it has a standard input");
    std::thread::scope(|scope| {
        // One that has read enough closes its end.
        scope.spawn(move || drop(stdin.write_all(bytes)));
        child.wait_with_output().expect("it ends")
    })
}

fn object(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}"))
}

/// The report of the fixture's file itself, which the others must equal but for its name.
fn expected(name: &str) -> Value {
    object(&report(name, &fixture(name, "perf.data")).output().expect("it starts"))
}

fn but_for_the_name(mut report: Value) -> Value {
    report["runs"][0]["file"] = Value::Null;
    report
}

const NAME: &str = "dup-before";

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name, "perf.data")).expect("it can be read")
}

fn packed(tool: &str, flags: &[&str], bytes: &[u8]) -> Option<Vec<u8>> {
    if Command::new(tool).arg("--version").stdin(Stdio::null()).output().is_err() {
        shared::skip(tool);
        return None;
    }
    let mut command = Command::new(tool);
    command.args(flags);
    let output = fed(command, bytes);
    assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

#[test]
fn standard_input_a_fifo_and_a_substitution_say_what_the_file_says() {
    let bytes = bytes_of(NAME);
    let expected = but_for_the_name(expected(NAME));
    let read = object(&report_of_stdin(&bytes, NAME));
    assert_eq!(read["runs"][0]["file"], "-");
    assert_eq!(but_for_the_name(read), expected);

    let folder = tempfile::tempdir().expect("a temporary directory");
    let fifo = folder.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status().expect("mkfifo is everywhere");
    assert!(made.success());
    let mut command = report(NAME, &fifo);
    let output = std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(&fifo, &bytes).expect("it is written"));
        command.output().expect("it starts")
    });
    assert_eq!(but_for_the_name(object(&output)), expected);
}

#[test]
fn recordings_that_were_written_to_a_pipe_are_read_from_one() {
    for name in ["modes/pipe", "modes/compressed-pipe"] {
        let bytes = bytes_of(name);
        let expected = but_for_the_name(expected(name));
        assert!(expected["runs"][0]["samples"].as_u64().is_some_and(|n| n > 50), "{name}");
        assert_eq!(but_for_the_name(object(&report_of_stdin(&bytes, name))), expected, "{name}");
        // What the recorder said into its pipe, behind the last record.
        let spoken = [&bytes[..], b"[ perf record: Woken up 1 times to write data ]\n"].concat();
        assert_eq!(but_for_the_name(object(&report_of_stdin(&spoken, name))), expected, "{name}");
    }
}

#[test]
fn packed_files_say_what_is_in_them() {
    let bytes = bytes_of(NAME);
    let expected = but_for_the_name(expected(NAME));
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (tool, flags) in PACKERS {
        let Some(packed) = packed(tool, flags, &bytes) else { continue };
        assert!(packed.len() < bytes.len());
        let path = folder.path().join("some");
        std::fs::write(&path, &packed).expect("it is written");
        let mut command = report(NAME, &path);
        assert_eq!(but_for_the_name(object(&command.output().expect("it starts"))), expected, "{tool}");
        assert_eq!(but_for_the_name(object(&report_of_stdin(&packed, NAME))), expected, "{tool}");
        // Two streams, one behind the other, are one file.
        let (front, back) = bytes.split_at(bytes.len() / 3);
        let parts = [front, back].map(|part| self::packed(tool, flags, part).expect("it is here"));
        let read = report_of_stdin(&parts.concat(), NAME);
        assert_eq!(but_for_the_name(object(&read)), expected, "{tool}");
    }
}

#[test]
fn packed_files_that_are_cut_say_what_is_before_the_cut() {
    // Large enough that no tool holds all of it in one block.
    let name = "latencytop-before";
    let bytes = bytes_of(name);
    let whole = expected(name)["runs"][0]["samples"].as_u64().expect("samples");
    for (tool, flags) in PACKERS {
        let Some(packed) = packed(tool, flags, &bytes) else { continue };
        let read = object(&report_of_stdin(&packed[..packed.len() * 9 / 10], name));
        let run = &read["runs"][0];
        let samples = run["samples"].as_u64().expect("samples");
        assert!(whole / 4 < samples && samples < whole, "{tool}: {samples} of {whole}");
        assert_eq!(run["truncated"], true, "{tool}");
        let at = run["truncated_at"].as_u64().expect("an offset");
        assert!(at > bytes.len() as u64 / 4 && at < bytes.len() as u64, "{tool}: {at}");
        let said = read["warnings"].to_string();
        assert!(said.contains(&format!("unpacking the {tool} file stopped")), "{said}");
    }
}

#[test]
fn a_file_that_would_fill_the_disk_is_refused_in_one_line() {
    let zeros = vec![0; 1 << 28];
    let Some(bomb) = packed("zstd", &["-q", "-c"], &zeros) else { return };
    assert!(bomb.len() * 1000 + (16 << 20) < zeros.len());
    let output = report_of_stdin(&bomb, NAME);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        (output.status.code(), output.stdout.len(), errors.lines().count()),
        (Some(2), 0, 1),
        "{errors}"
    );
}

#[test]
fn mailed_texts_are_read_from_standard_input_too() {
    let mail = fixture("mail", "aim7-perf-report.txt");
    let bytes = std::fs::read(&mail).expect("it can be read");
    let mut command = lockblame();
    command.args(["report", "-", "--format", "json"]);
    let read = object(&fed(command, &bytes));
    let mut command = lockblame();
    command.args(["report", "--format", "json"]).arg(&mail);
    let expected = object(&command.output().expect("it starts"));
    assert_eq!(but_for_the_name(read), but_for_the_name(expected));
}

#[test]
fn memory_does_not_grow_with_what_comes_out_of_a_pipe() {
    // 150 MB with four distinct callchains, in a process that may not have 80 MB of its own.
    let sample = |n: u64| {
        let chain: Vec<u64> = (0..100).map(|depth| 0xffff_ffff_8100_0000 + depth * (1 + n % 4)).collect();
        Sample::at(n).thread(7, 7).cpu(0).period(1).kernel_chain(&chain)
    };
    let image = Recording::new().event(Event::cycles().callchain()).records((0..1_000).map(sample)).pipe();
    let records = &image.bytes[image.record_offsets()[image.record_offsets().len() - 1_000]..];
    let bytes = [&image.bytes[..], &records.repeat(180)].concat();
    assert!(bytes.len() > 150_000_000);
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_lockblame");
    command.args(["-c", "ulimit -d 80000 && exec \"$0\" inspect - --format json -q", program]);
    let read = object(&fed(command, &bytes));
    assert_eq!(read["samples"], 181_000);
    assert_eq!(read["events"][0]["weight"], 181_000);
}

#[test]
fn what_is_empty_or_nothing_is_refused_in_one_line() {
    for bytes in [&b""[..], b"PERFILE2", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], &[0x28, 0xb5, 0x2f, 0xfd]] {
        let output = report_of_stdin(bytes, NAME);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(errors.starts_with("lockblame: -: ") && errors.contains("; "), "{errors}");
    }
}

#[test]
fn standard_input_is_one_recording() {
    let mut command = lockblame();
    command.args(["diff", "-", "-"]);
    let output = fed(command, &bytes_of(NAME));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert_eq!(errors, "lockblame: standard input: is given twice; it is one recording: name a file\n");
}

#[test]
fn what_stands_behind_a_packed_stream_is_no_part_of_it() {
    let bytes = bytes_of(NAME);
    let expected = but_for_the_name(expected(NAME));
    for (tool, flags) in PACKERS {
        let Some(packed) = packed(tool, flags, &bytes) else { continue };
        for behind in [&[0; 512][..], b"some text\n"] {
            let read = object(&report_of_stdin(&[&packed, behind].concat(), NAME));
            assert_eq!(but_for_the_name(read), expected, "{tool}");
        }
    }
}

#[test]
fn a_packed_file_of_which_nothing_comes_out_is_told_from_an_empty_one() {
    for (tool, flags) in PACKERS {
        let Some(packed) = packed(tool, flags, &bytes_of(NAME)) else { continue };
        let output = report_of_stdin(&packed[..60], NAME);
        let errors = String::from_utf8_lossy(&output.stderr);
        let expected = format!("lockblame: -: cannot be read: unpacking the {tool} file stopped: ");
        assert!(errors.starts_with(&expected) && errors.ends_with("; copy the whole file\n"), "{errors}");
        assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
    }
}
