//! What was typed for `lockblame html`.

use std::path::PathBuf;

use clap::Args;

use super::{BenchmarkArgs, ComparedArgs, LockArgs, SelectionArgs, SymbolArgs};

/// `lockblame html`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  lockblame html perf.data -o report.html\n  lockblame html --before old/*.data --after \
                        new/*.data -o report.html"
)]
pub struct HtmlArgs {
    /// Recordings of the same thing, whose shares are averaged; two sides are given by --before and --after
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The two sides.
    #[command(flatten)]
    pub compared: ComparedArgs,
    /// What the benchmark itself said.
    #[command(flatten)]
    pub benchmark: BenchmarkArgs,
    /// Which samples count.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Which locks count.
    #[command(flatten)]
    pub locks: LockArgs,
    /// Where symbols come from.
    #[command(flatten)]
    pub symbols: SymbolArgs,
    /// How to write.
    #[command(flatten)]
    pub output: HtmlOutputArgs,
}

/// How to write a page.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to print")]
pub struct HtmlOutputArgs {
    /// Write to a file instead of the terminal
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress, warnings or hints on stderr
    #[arg(short, long)]
    pub quiet: bool,
}
