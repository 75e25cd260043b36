//! What to know about the data before believing a number: each warning has a stable code, a cause and a remedy.

use crate::run::{RunInfo, Warning};

/// Counts that warnings are made from, for one run.
#[derive(Debug, Clone, Default)]
pub struct Quality {
    /// The events that were recorded beside the reported one and hold samples.
    pub other_events: Vec<String>,
    /// Where the reported event is several, one for each kind of cores: their names, and their parts of the samples.
    pub cores: Vec<(String, f64)>,
    /// Lost records or samples.
    pub lost: u64,
    /// SAMPLE records in the recording.
    pub recorded: u64,
    /// How often an event was throttled.
    pub throttled: u64,
    /// Samples of the reported selection without a callchain.
    pub without_callchain: u64,
    /// Samples whose callchain is as deep as the recorder allowed.
    pub cut_callchains: u64,
    /// Samples whose user part was to be recorded later, and was not.
    pub deferred_missing: u64,
    /// How deep that is.
    pub depth_limit: usize,
    /// Frames without a name by reason, as parts of all frames, with cause and remedy; largest first.
    pub unnamed: Vec<(f64, &'static str)>,
    /// The part of all frames without a name.
    pub unnamed_share: f64,
    /// The kernel hides its addresses.
    pub restricted: bool,
    /// The part of weight in giving spinlocks back.
    pub unlock_share: f64,
    /// The idle task's part of the total.
    pub idle_share: f64,
    /// Enabled and counting time of the event, where samples tell.
    pub counting: Option<(u64, u64)>,
    /// Blocks of time without any weight, between blocks with weight.
    pub silent_blocks: usize,
    /// Samples that could not be decoded, or belong to no event.
    pub undecodable: u64,
    /// Bytes of AUX data.
    pub aux: u64,
    /// What was damaged.
    pub damage: Vec<String>,
    /// The event is driven by a timer interrupt.
    pub is_timer: bool,
}

/// So many events are named one by one.
const NAMED_EVENTS: usize = 12;

/// Fewer samples than this carry no second decimal.
const FEW_SAMPLES: u64 = 1000;

/// The warnings of one run.
pub fn warnings(run: &RunInfo, quality: &Quality) -> Vec<Warning> {
    let mut found = recording(run, quality);
    found.extend(callchains(run, quality));
    found.extend(symbols(quality));
    found.extend(meaning(run, quality));
    found
}

fn warning(code: &'static str, text: String) -> Warning {
    Warning { code, text }
}

fn recording(run: &RunInfo, quality: &Quality) -> Vec<Warning> {
    let mut found = Vec::new();
    if let Some(at) = run.truncated {
        let text = format!(
            "the recording is not whole from offset {at} on: what could be read was read, and totals are of that; let perf \
             end by itself or with SIGINT, and copy the whole file"
        );
        found.push(warning("truncated", text));
    }
    for text in &quality.damage {
        found.push(warning("damaged", text.clone()));
    }
    if quality.undecodable > 0 {
        let text = format!("{} samples could not be decoded and are in no number", quality.undecodable);
        found.push(warning("undecodable", text));
    }
    if quality.aux > 0 {
        let text = format!(
            "{} bytes are traces of the hardware (AUX data), which are not decoded: only what was sampled beside them counts",
            quality.aux
        );
        found.push(warning("aux-skipped", text));
    }
    if quality.lost > 0 {
        let part = 100.0 * quality.lost as f64 / (quality.lost + quality.recorded) as f64;
        let text = format!(
            "{} records were lost, {part:.1} % of what there was, most likely at the busiest moments: record with a \
             larger buffer (-m 16M) or a lower frequency",
            quality.lost
        );
        found.push(warning("lost-samples", text));
    }
    if quality.throttled > 0 {
        let text = format!(
            "the kernel stopped the event {} times because sampling took too long, so that busy moments are missing: \
             lower the frequency, or raise kernel.perf_cpu_time_max_percent",
            quality.throttled
        );
        found.push(warning("throttled", text));
    }
    if let Some((enabled, running)) = quality.counting.filter(|(enabled, running)| running < enabled) {
        let text = format!(
            "the event counted only {:.1} % of the time, as it shared its counter: record fewer events at once",
            100.0 * running as f64 / enabled.max(1) as f64
        );
        found.push(warning("multiplexed", text));
    }
    if quality.silent_blocks > 0 {
        let text = format!(
            "{} of 20 equal parts of the recording hold no sample: it was paused, or stood still",
            quality.silent_blocks
        );
        found.push(warning("paused", text));
    }
    found
}

fn callchains(run: &RunInfo, quality: &Quality) -> Vec<Warning> {
    let mut found = Vec::new();
    let samples = run.samples.unwrap_or(0).max(1) as f64;
    if run.samples.is_some_and(|n| n > 0 && quality.without_callchain == n) {
        let text = "no sample has a callchain, so that no caller is known: record with -g".to_owned();
        found.push(warning("no-callchains", text));
    } else if quality.without_callchain > 0 {
        let text = format!(
            "{:.1} % of samples have no callchain: their callers are not known",
            100.0 * quality.without_callchain as f64 / samples
        );
        found.push(warning("no-callchains", text));
    }
    if quality.cut_callchains > 0 {
        let text = format!(
            "{} callchains ({:.1} %) are cut at {} frames: their outer callers are missing; record with a larger \
             kernel.perf_event_max_stack",
            quality.cut_callchains,
            100.0 * quality.cut_callchains as f64 / samples,
            quality.depth_limit
        );
        found.push(warning("cut-callchains", text));
    }
    if quality.deferred_missing > 0 {
        let text = format!(
            "{} callchains ({:.1} %) end where the kernel began: their user part was to be recorded later, and was lost, or \
             the recording ended before; record with a larger buffer (-m 16M), or with --call-graph fp",
            quality.deferred_missing,
            100.0 * quality.deferred_missing as f64 / samples
        );
        found.push(warning("deferred-callchains", text));
    }
    found
}

fn symbols(quality: &Quality) -> Vec<Warning> {
    let mut found = Vec::new();
    if quality.restricted {
        let text =
            "the kernel hides its addresses (kptr_restrict): set kernel.kptr_restrict to 0, or run as root";
        found.push(warning("kptr-restrict", text.to_owned()));
    }
    if quality.unnamed_share > 0.2 {
        let parts: Vec<String> = quality
            .unnamed
            .iter()
            .take(3)
            .map(|(part, why)| format!("{:.1} % {why}", 100.0 * part))
            .collect();
        let text =
            format!("{:.1} % of frames have no name: {}", 100.0 * quality.unnamed_share, parts.join("; "));
        found.push(warning("unresolved", text));
    }
    found
}

fn meaning(run: &RunInfo, quality: &Quality) -> Vec<Warning> {
    let mut found = Vec::new();
    if quality.is_timer && quality.unlock_share > 0.05 {
        let text = format!(
            "{} is driven by a timer interrupt, which waits while interrupts are off: {:.1} % in spin unlock functions is \
             time that was spent with interrupts off before, spinning most likely; record cycles, where there is a PMU",
            run.event,
            100.0 * quality.unlock_share
        );
        found.push(warning("cpu-clock", text));
    }
    if let Some(samples) = run.samples.filter(|&n| n > 0 && n < FEW_SAMPLES) {
        let text = format!(
            "{} samples are few: a share of 10 % is known to about {:.1} points at best; record longer or more often",
            samples,
            100.0 * 1.96 * (0.09 / samples.max(1) as f64).sqrt()
        );
        found.push(warning("few-samples", text));
    }
    if quality.idle_share > 0.5 {
        let text = format!(
            "{:.1} % is the idle task's: shares of the total are small for that reason; see the busy shares, or choose \
             --no-idle",
            100.0 * quality.idle_share
        );
        found.push(warning("idle", text));
    }
    if !quality.cores.is_empty() {
        let parts: Vec<String> =
            quality.cores.iter().map(|(name, part)| format!("{:.1} % of {name}", 100.0 * part)).collect();
        let text = format!(
            "{} is counted on several kinds of cores, whose samples are taken together: {}; choose one of them with --event",
            run.event,
            parts.join(", ")
        );
        found.push(warning("hybrid", text));
    }
    if !quality.other_events.is_empty() {
        let shown: Vec<&str> = quality.other_events.iter().take(NAMED_EVENTS).map(String::as_str).collect();
        let rest = match quality.other_events.len() - shown.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let text = format!(
            "shares are of {}; the recording also holds {}{rest}: choose with --event",
            run.event,
            shown.join(", ")
        );
        found.push(warning("other-events", text));
    }
    found
}
