//! Which samples count: the filters that are applied while folding.

/// A choice of samples. Empty lists choose all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Threads' names.
    pub comms: Vec<String>,
    /// Processes.
    pub pids: Vec<u32>,
    /// Threads.
    pub tids: Vec<u32>,
    /// Processors.
    pub cpus: Vec<u32>,
    /// A span of time.
    pub time: Option<TimeSpan>,
    /// Whether the idle task counts.
    pub idle: Idle,
    /// Whether samples of user space count.
    pub space: Space,
    /// Whether weights are told apart by processor.
    pub by_cpu: ByCpu,
    /// Whether the samples will be walked over again.
    pub again: Again,
    /// Whether the kinds of cores of a processor are told apart.
    pub cores: Cores,
}

/// Whether events that count the same on different kinds of cores are one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cores {
    /// They are: what was asked for.
    #[default]
    Together,
    /// They are not.
    Apart,
}

/// Whether what one more walk over the samples needs is kept: the raw callchains and the address spaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Again {
    /// It is not, and its memory goes.
    #[default]
    Never,
    /// It is.
    Possible,
}

/// Whether the idle task (pid 0) counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Idle {
    /// It does.
    #[default]
    Kept,
    /// It does not.
    Dropped,
}

/// Which samples count by where the processor was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Space {
    /// All.
    #[default]
    All,
    /// Those of the kernel.
    KernelOnly,
}

/// Whether processors are told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ByCpu {
    /// They are not.
    #[default]
    Together,
    /// They are.
    Apart,
}

/// A span of time, either end open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeSpan {
    /// From and to, in nanoseconds of the recording's clock.
    Clock(Option<u64>, Option<u64>),
    /// From and to, as parts of the recording, 0 to 1.
    Part(f64, f64),
}

impl TimeSpan {
    /// Reads `START,END` in seconds of the recording's clock, either of them empty, or `10%-40%` of the recording.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is no span of time: write START,END in seconds, or 10%-40%");
        if let Some((from, to)) = text.split_once('-').filter(|_| text.contains('%')) {
            let part = |t: &str| {
                t.trim()
                    .strip_suffix('%')
                    .and_then(|n| n.parse::<f64>().ok())
                    .filter(|n| (0.0..=100.0).contains(n))
            };
            return match (part(from), part(to)) {
                (Some(from), Some(to)) if from < to => Ok(TimeSpan::Part(from / 100.0, to / 100.0)),
                _ => Err(wrong()),
            };
        }
        let (from, to) = text.split_once(',').ok_or_else(wrong)?;
        let end = |t: &str| match t.trim() {
            "" => Ok(None),
            t => nanoseconds(t).map(Some).ok_or_else(wrong),
        };
        match (end(from)?, end(to)?) {
            (Some(from), Some(to)) if from > to => Err(format!("'{text}' ends before it starts")),
            (from, to) => Ok(TimeSpan::Clock(from, to)),
        }
    }

    /// First and last nanosecond, for a recording with samples in `span`.
    pub fn bounds(self, span: (u64, u64)) -> (u64, u64) {
        match self {
            TimeSpan::Clock(from, to) => (from.unwrap_or(0), to.unwrap_or(u64::MAX)),
            TimeSpan::Part(from, to) => {
                let length = span.1.saturating_sub(span.0) as f64;
                let at = |part: f64| span.0.saturating_add((length * part) as u64);
                // A part ends before the next begins; the last one takes the last sample.
                (at(from), if to >= 1.0 { u64::MAX } else { at(to).saturating_sub(1) })
            }
        }
    }
}

/// Seconds with up to nine decimals, exactly.
fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 9
        || !part.bytes().all(|b| b.is_ascii_digit())
        || !whole.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let part: u64 = if part.is_empty() { 0 } else { format!("{part:0<9}").parse().ok()? };
    whole.checked_mul(1_000_000_000)?.checked_add(part)
}
