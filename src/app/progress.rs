//! A bar on stderr, on a terminal, once reading takes more than a second.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long to wait before a bar is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts bytes, and shows them when it is worth it.
pub(super) struct Progress {
    state: Option<Mutex<State>>,
}

struct State {
    since: Instant,
    done: u64,
    total: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For reading these files; silent where `quiet`, or where stderr is no terminal.
    pub(super) fn over(files: &[PathBuf], quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self { state: None };
        }
        let size = |path: &PathBuf| path.metadata().map_or(0, |meta| meta.len());
        let total = files.iter().map(size).sum();
        Self { state: Some(Mutex::new(State { since: Instant::now(), done: 0, total, bar: None })) }
    }

    /// So many bytes more are done.
    pub(super) fn advance(&self, bytes: usize) {
        let Some(state) = &self.state else { return };
        let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.done += bytes as u64;
        if state.bar.is_none() && state.since.elapsed() > PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(state.total), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta}") {
                bar.set_style(style);
            }
            state.bar = Some(bar);
        }
        if let Some(bar) = &state.bar {
            bar.set_position(state.done.min(state.total));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(state) = &self.state
            && let Some(bar) = &state.lock().unwrap_or_else(std::sync::PoisonError::into_inner).bar
        {
            bar.finish_and_clear();
        }
    }
}
