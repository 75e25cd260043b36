//! The plain values that reading yields.

use std::sync::Arc;

/// What an input is, by the first thing found in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Rows of `perf report --stdio`.
    Report,
    /// Samples as `perf script` prints them.
    Script,
    /// Folded stacks, `a;b;c 12`.
    Folded,
}

/// One thing found in an input.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Found {
    /// A report: shares of symbols, perhaps with their callers.
    Report(PerfReport),
    /// Call stacks with weights, of one event.
    Stacks(Stacks),
}

/// A `perf report --stdio` of one event.
///
/// A report of an event group (two percentages per row) becomes one `PerfReport` per event; call chains, which
/// perf prints for the leader only, stay with the first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PerfReport {
    /// The event's name, from `# Samples: 5K of event 'cycles'`.
    pub event: Option<String>,
    /// Number of samples where perf printed it in full; `5K` is no number.
    pub samples: Option<u64>,
    /// Number of samples as printed (`5K`, `332`).
    pub samples_printed: Option<String>,
    /// Sum of the periods, from `# Event count (approx.):`, in the event's unit.
    pub weight: Option<u64>,
    /// Lost samples, from `# Total Lost Samples:`.
    pub lost: Option<u64>,
    /// What the `#` lines say of the machine.
    pub header: Header,
    /// The rows, in the order printed.
    pub rows: Vec<Row>,
    /// Whether each row has a share including callees (`--children`) beside its own.
    pub has_children_column: bool,
}

/// The machine and the command, from the comment lines that `perf report --header` prints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// `# hostname :`
    pub hostname: Option<String>,
    /// `# os release :`
    pub os_release: Option<String>,
    /// `# nrcpus online :`
    pub nr_cpus: Option<u64>,
    /// `# cmdline :`
    pub cmdline: Option<String>,
    /// `# cpudesc :`
    pub cpudesc: Option<String>,
}

/// One row of a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// Fraction (0 to 1) of the event's total in this symbol itself.
    pub share: f64,
    /// Fraction of the total in this symbol or in what it called, where the report has that column.
    pub children_share: Option<f64>,
    /// The command, where the report has that column.
    pub comm: Option<String>,
    /// The shared object as printed, where the report has that column.
    pub module: Option<String>,
    /// perf's letter for the address space: `k` kernel, `.` user, `g` guest kernel, `u` guest user, `H`
    /// hypervisor.
    pub space: Option<char>,
    /// The symbol as printed.
    pub symbol: String,
    /// Who called the symbol, the largest first. Empty where the report has no chains or they cannot be told
    /// apart from callees. Each fraction is 1 at most. Of what perf printed they sum to 1 at most, but for rounding, as
    /// perf prunes small callers; a text that was damaged on its way may claim more.
    pub callers: Vec<Caller>,
    /// The line in the input, from 1.
    pub line: usize,
}

/// One caller of a row's symbol, or of the caller it hangs below.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Caller {
    /// The function; `None` for a remainder that the text does not name (`[...]`, or chains it cut).
    pub symbol: Option<String>,
    /// Fraction (0 to 1) of the row's weight that came this way: of its own share, or of its share including
    /// callees where the report has a Children column.
    pub share_of_row: f64,
    /// The callers of this function on this way.
    pub callers: Vec<Caller>,
}

/// Stacks of one event. Samples alike in everything but time and weight are one [`Stack`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stacks {
    /// The event, where the text names it.
    pub event: Option<String>,
    /// Distinct stacks, in the order of first appearance.
    pub samples: Vec<Stack>,
    /// Whether these are folded stacks, which know neither time nor cpu nor address.
    pub folded: bool,
    /// Lines inside the stretch that were not understood and so not counted.
    pub unread_lines: usize,
}

/// One distinct stack of a thread on a cpu.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stack {
    /// Sum of the periods, in the event's unit; 1 per sample where the text has none.
    pub weight: u64,
    /// Number of samples; in folded stacks the count is the weight, and this is the number of lines.
    pub count: u64,
    /// The command.
    pub comm: Option<Arc<str>>,
    /// The process, where it is printed apart from the thread (`-F +pid`).
    pub pid: Option<i32>,
    /// The thread.
    pub tid: Option<i32>,
    /// The cpu.
    pub cpu: Option<u32>,
    /// When the samples were taken.
    pub time: Option<TimeSpan>,
    /// The frames, leaf first. Stacks alike share them.
    pub frames: Arc<[Frame]>,
}

/// First and last time of a stack's samples, in nanoseconds of the recording's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    /// Time of the first sample.
    pub first_ns: u64,
    /// Time of the last sample.
    pub last_ns: u64,
}

/// One frame of a stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function, without offset; `None` where perf printed `[unknown]`.
    pub symbol: Option<Arc<str>>,
    /// The address as printed: of the kernel or absolute, or relative to the module's file.
    pub address: Option<u64>,
    /// The shared object as printed; `None` where unknown or inlined.
    pub module: Option<Arc<str>>,
    /// Whether it ran in the kernel, where the text tells.
    pub kernel: Option<bool>,
}
