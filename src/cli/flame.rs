//! What was typed for `lockblame flame`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ComparedArgs, LockArgs, SelectionArgs, SymbolArgs, percentage};

/// `lockblame flame`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  lockblame flame perf.data -o locks.svg\n  lockblame flame --by callers --family \
                        spinlock perf.data -o callers.svg\n  lockblame flame --before old/*.data --after new/*.data -o \
                        diff.svg"
)]
pub struct FlameArgs {
    /// Recordings of the same thing, whose shares are averaged; two sides are given by --before and --after
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What the graph stands on
    #[arg(long, value_enum, default_value_t = StandArg::Stacks)]
    pub by: StandArg,
    /// What frames of a difference are as wide as
    #[arg(long, value_enum, default_value_t = WidthByArg::Larger, requires = "before")]
    pub width_by: WidthByArg,
    /// Frames narrower than this percentage of the picture are not drawn, and it says how much that is; the default is
    /// a pixel of 2000
    #[arg(long, value_name = "PERCENT", default_value_t = 0.05, value_parser = percentage)]
    pub min_width: f64,
    /// The two sides.
    #[command(flatten)]
    pub compared: ComparedArgs,
    /// Which samples count.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Which locks count; all callchains without.
    #[command(flatten)]
    pub locks: LockArgs,
    /// Where symbols come from.
    #[command(flatten)]
    pub symbols: SymbolArgs,
    /// How to write.
    #[command(flatten)]
    pub output: FlameOutputArgs,
}

/// How to write a graph.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to print")]
pub struct FlameOutputArgs {
    /// The format
    #[arg(long, value_enum, default_value_t = FlameFormatArg::Svg)]
    pub format: FlameFormatArg,
    /// Write to a file instead of the terminal
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress, warnings or hints on stderr
    #[arg(short, long)]
    pub quiet: bool,
}

/// What a graph stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StandArg {
    /// Outermost callers, and on them what they called
    Stacks,
    /// Locks, on them their call sites, and callers outwards
    Callers,
}

/// What frames of a difference are as wide as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WidthByArg {
    /// Their share after
    After,
    /// Their share before
    Before,
    /// Of each callchain the larger one, so that what is gone can be seen
    Larger,
}

/// The format of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FlameFormatArg {
    /// A picture for a browser
    Svg,
    /// Frames with their weights, for scripts
    Json,
}
