//! What was typed. One definition a flag feeds the parser, `--help`, the man pages and the completions.

mod check;
pub mod choose;
mod export;
mod flame;
mod html;
mod sides;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use check::{CheckArgs, CheckFormatArg, CheckOutputArgs};
pub use export::{ExportArgs, ExportFormatArg, WeightArg};
pub use flame::{FlameArgs, FlameFormatArg, FlameOutputArgs, StandArg, WidthByArg};
pub use html::{HtmlArgs, HtmlOutputArgs};
pub use sides::{BenchmarkArgs, ComparedArgs, DiffByArg, SidesArgs, TestArg};

/// Name the contended locks of perf.data recordings, who calls them, and what a patch changed.
#[derive(Debug, Parser)]
#[command(name = "lockblame", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands.
#[allow(clippy::large_enum_variant, reason = "there is one value of it, for as long as the program runs")]
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Name the contended locks and who calls them
    Report(ReportArgs),
    /// Show the tree of callers above a lock or a symbol
    Callers(CallersArgs),
    /// Say what was recorded, how, and how good the data are
    Inspect(InspectArgs),
    /// Compare runs before and after a change
    Diff(DiffArgs),
    /// Fail where a change makes locks worse: a gate for continuous integration
    Check(CheckArgs),
    /// Draw a flame graph that shows locks, or the difference of two sides
    Flame(FlameArgs),
    /// Write the callchains for other tools
    Export(ExportArgs),
    /// Write a page for a browser: verdicts, tables, trees of callers and graphs in one file
    Html(HtmlArgs),
    /// Print the completions for a shell
    #[command(hide = true)]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Print a man page
    #[command(hide = true)]
    Man {
        /// Of this subcommand; of the program without.
        subcommand: Option<String>,
    },
}

/// `lockblame report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Recordings of the same thing: files, packed or not, directories of perf record --threads or --kcore, or - for standard
    /// input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Which samples count.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Which rows to show.
    #[command(flatten)]
    pub rows: RowArgs,
    /// Where symbols come from.
    #[command(flatten)]
    pub symbols: SymbolArgs,
    /// How to print.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `lockblame callers`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("root").args(["lock", "symbol"]).required(true))]
pub struct CallersArgs {
    /// The recording, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The root: a lock as the report names it, or any function of its slow path
    #[arg(long, value_name = "NAME")]
    pub lock: Option<String>,
    /// The root: a function in which samples lie, lock or not
    #[arg(long, value_name = "NAME")]
    pub symbol: Option<String>,
    /// Levels of callers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=127))]
    pub depth: u16,
    /// Percentages of the event's total, not of the parent
    #[arg(long)]
    pub absolute: bool,
    /// Leave out callers below this percentage of their parent (they are summed up)
    #[arg(long, value_name = "PERCENT", default_value_t = 0.5, value_parser = percentage)]
    pub min_share: f64,
    /// The most callers on a level (the rest is summed up)
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Which samples count.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where symbols come from.
    #[command(flatten)]
    pub symbols: SymbolArgs,
    /// How to print.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `lockblame inspect`.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The recording, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which samples count.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where symbols come from.
    #[command(flatten)]
    pub symbols: SymbolArgs,
    /// How to print.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `lockblame diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// What is compared.
    #[command(flatten)]
    pub sides: SidesArgs,
    /// What rows are made of; family keeps a lock that the kernel renamed in one row
    #[arg(long, value_enum, default_value_t = DiffByArg::Site)]
    pub by: DiffByArg,
    /// Which samples count.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Which rows to show.
    #[command(flatten)]
    pub rows: FilterArgs,
    /// Where symbols come from.
    #[command(flatten)]
    pub symbols: SymbolArgs,
    /// How to print.
    #[command(flatten)]
    pub output: OutputArgs,
    /// With lkp: all rows, not only those that the robot's criterion takes
    #[arg(long)]
    pub lkp_all: bool,
}

/// Which samples count.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which samples count")]
pub struct SelectionArgs {
    /// The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles
    /// before cpu-clock before task-clock before the first other one)
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
    /// Threads of this name
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub comm: Vec<String>,
    /// Processes
    #[arg(long, value_name = "PID", value_delimiter = ',')]
    pub pid: Vec<u32>,
    /// Threads
    #[arg(long, value_name = "TID", value_delimiter = ',')]
    pub tid: Vec<u32>,
    /// Processors, as 0-3,8
    #[arg(long, value_name = "LIST", value_parser = choose::cpu_list)]
    pub cpu: Option<choose::CpuList>,
    /// A span of time: seconds of the recording's clock, either end open, or 10%-40% of the recording
    #[arg(long, value_name = "START,END", value_parser = crate::ingest::selection::TimeSpan::parse, allow_hyphen_values = true)]
    pub time: Option<crate::ingest::selection::TimeSpan>,
    /// Leave the idle task out
    #[arg(long)]
    pub no_idle: bool,
    /// Leave samples of user space out
    #[arg(long)]
    pub kernel_only: bool,
}

/// Which rows of a report to show.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which rows to show")]
pub struct RowArgs {
    /// Which locks.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// What rows are made of
    #[arg(long, value_enum, default_value_t = ByArg::Lock)]
    pub by: ByArg,
}

/// Which rows to show, of whatever they are made.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which rows to show")]
pub struct FilterArgs {
    /// Which locks.
    #[command(flatten)]
    pub locks: LockArgs,
    /// Leave out rows below this percentage of the total (they are summed up)
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub min_share: Option<f64>,
    /// The most rows (the rest is summed up; default: 12, 30 symbols, and all for csv
    /// and json)
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Which locks count, and what is one.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which rows to show")]
pub struct LockArgs {
    /// Locks of these families: spinlock, rwlock, mutex, rwsem, percpu-rwsem, semaphore, rtmutex, lglock, lockref,
    /// futex, pthread, rust, go, user
    #[arg(long, value_name = "FAMILY", value_delimiter = ',', value_parser = choose::family)]
    pub family: Vec<crate::lock::family::Family>,
    /// Locks of these names; * stands for anything
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub lock: Vec<String>,
    /// Call sites in these functions; * stands for anything
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub caller: Vec<String>,
    /// See through wrappers (task_rq_lock, lockref_get_or_lock, …) to their callers; with a list, through these too
    #[arg(long, value_name = "NAME,…", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "")]
    pub through: Option<Vec<String>>,
    /// A TOML file with more functions of locks (see docs/locks.md)
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
}

/// What rows are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the words are the values of --by")]
pub enum ByArg {
    Lock,
    Site,
    Symbol,
    Comm,
    Cpu,
    Path,
}

/// Where symbols come from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where symbols come from")]
pub struct SymbolArgs {
    /// A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf's cache, or this
    /// machine's if it was the one recorded)
    #[arg(long, value_name = "FILE")]
    pub kallsyms: Option<PathBuf>,
    /// A copy of the recorded machine's files (default: a folder symfs beside the recording, or this machine's files
    /// whose build-id is the recorded one)
    #[arg(long, value_name = "DIR")]
    pub symfs: Option<PathBuf>,
}

/// How to print.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to print")]
pub struct OutputArgs {
    /// The format
    #[arg(long, value_enum, default_value_t = FormatArg::Table)]
    pub format: FormatArg,
    /// Write to a file instead of the terminal
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Colour
    #[arg(long, value_enum, default_value_t = ColorArg::Auto)]
    pub color: ColorArg,
    /// The older form of the test robot's table, which survives any mailer: --format lkp-ascii
    #[arg(long, conflicts_with = "format")]
    pub lkp_ascii: bool,
    /// Draw tables with ASCII
    #[arg(long)]
    pub ascii: bool,
    /// Columns (default: the terminal's)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..=1000))]
    pub width: Option<u16>,
    /// No progress, warnings or hints on stderr
    #[arg(short, long)]
    pub quiet: bool,
}

impl OutputArgs {
    /// The format that was asked for, by either flag.
    pub fn form(&self) -> FormatArg {
        if self.lkp_ascii { FormatArg::LkpAscii } else { self.format }
    }
}

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the words are the values of --format")]
pub enum FormatArg {
    Table,
    Mail,
    Perf,
    Lkp,
    LkpAscii,
    Markdown,
    Csv,
    Json,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the words are the values of --color")]
pub enum ColorArg {
    Auto,
    Always,
    Never,
}

/// What is wrong with the arguments, in one line: clap spreads it over a paragraph and adds the usage.
pub fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let told = text.trim_start_matches("error:").split("\n\nUsage:").next().unwrap_or_default();
    let told = told.split("\n\n  tip:").next().unwrap_or_default();
    let words: Vec<&str> = told.split_whitespace().collect();
    let told = words.join(" ").replace(" For more information, try '--help'.", "");
    format!("{}; see --help", told.trim_end_matches(['.', ':']))
}

/// A percentage as typed, with or without its sign.
fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end();
    match number.parse::<f64>() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value),
        _ => Err(format!("'{text}' is no percentage: write a number from 0 to 100")),
    }
}
