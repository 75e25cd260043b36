//! What was typed for `lockblame export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{SelectionArgs, SymbolArgs};

/// `lockblame export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Recordings, or texts as report reads them; their counts are summed
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What to write.
    #[command(flatten)]
    pub output: ExportOutputArgs,
    /// Which samples count.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where symbols come from.
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// What to write, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to write")]
pub struct ExportOutputArgs {
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportFormatArg,
    /// What the counts are
    #[arg(long, value_enum, default_value_t = WeightArg::Period)]
    pub weight: WeightArg,
    /// Write to a file instead of the terminal
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress, warnings or hints on stderr
    #[arg(short, long)]
    pub quiet: bool,
}

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormatArg {
    /// Folded stacks, as stackcollapse-perf and inferno-collapse-perf write them
    Folded,
}

/// What a count is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WeightArg {
    /// The sum of the samples' periods: cycles, ns or events
    Period,
    /// The number of samples
    Samples,
}
