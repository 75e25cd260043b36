//! Finds the lock run of a callchain: the frames at the leaf that belong to a lock's implementation.
//!
//! Walking from the leaf, helpers are skipped and frames of a lock join the run as long as one lock is built of the
//! other. The outermost frame is the lock as it was written, the innermost the phase, the first frame above the call
//! site. A callchain whose leaf is no frame of a lock, nor a helper inside of one, is not lock time.

use super::family::{Family, Mode, Role};
use super::matcher::{Class, LockClass};

/// What a callchain's leaf is about. Numbers are depths from the leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Waiting for, or taking, a lock.
    Lock(LockRun),
    /// Giving a lock back.
    Unlock {
        /// The lock's family.
        family: Family,
        /// The frame above.
        end: usize,
    },
    /// Nothing to do.
    Idle,
    /// Anything else.
    Other,
}

/// The frames of a lock at a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockRun {
    /// The lock's family: the outermost's.
    pub family: Family,
    /// Its mode, where a name told it.
    pub mode: Option<Mode>,
    /// The outermost entry point of the family: the lock as written. `None` where a tail call left it out.
    pub entry: Option<usize>,
    /// The outermost frame.
    pub outermost: usize,
    /// The innermost frame.
    pub phase: usize,
    /// The outermost frame of another lock inside: a sleeping lock's own spinlock.
    pub inner: Option<usize>,
    /// The first frame above the run: the call site.
    pub end: usize,
}

/// Finds the run in a callchain of `depth` frames, whose class at a depth `class` tells.
pub fn find(depth: usize, class: impl Fn(usize) -> Class) -> Finding {
    let mut run: Option<LockRun> = None;
    let mut at = 0;
    while at < depth {
        let here = class(at);
        match here.lock {
            Some(lock) => match run.as_mut() {
                None if lock.role == Role::Unlock => {
                    return Finding::Unlock { family: lock.family, end: at + 1 };
                }
                None => run = Some(start(lock, at)),
                Some(run) if joins(run.family, lock) => extend(run, lock, at),
                Some(_) => break,
            },
            None if here.is_helper => {}
            None => match run.as_mut().filter(|run| run.family == Family::Futex && here.is_syscall_entry) {
                Some(run) => {
                    // A futex is called by what made the system call.
                    let Some(above) = (at..depth).find(|&at| !class(at).is_syscall_entry) else { break };
                    run.end = above;
                    match class(above).lock {
                        Some(lock) if lock.role == Role::Unlock => {
                            return Finding::Unlock { family: lock.family, end: above + 1 };
                        }
                        Some(_) => at = above,
                        None => break,
                    }
                    continue;
                }
                None => break,
            },
        }
        at += 1;
    }
    match run {
        Some(run) => Finding::Lock(run),
        None if depth > 0 && class(0).is_idle => Finding::Idle,
        None => Finding::Other,
    }
}

fn start(lock: LockClass, at: usize) -> LockRun {
    LockRun {
        family: lock.family,
        mode: lock.mode,
        entry: (lock.role == Role::Entry).then_some(at),
        outermost: at,
        phase: at,
        inner: None,
        end: at + 1,
    }
}

fn extend(run: &mut LockRun, lock: LockClass, at: usize) {
    if lock.family == run.family {
        run.mode = lock.mode.or(run.mode);
        run.entry = if lock.role == Role::Entry { Some(at) } else { run.entry };
    } else {
        let shared = is_shared_phase(run, lock);
        run.inner = if shared { run.inner } else { Some(run.outermost) };
        run.family = lock.family;
        run.mode = lock.mode;
        run.entry = (lock.role == Role::Entry).then_some(at);
    }
    run.outermost = at;
    run.end = at + 1;
}

/// Waiting in line is common to several locks: `osq_lock` under a rwsem, or a spinlock's slow path in which those who
/// wait for a rwlock queue, is no lock inside of another.
fn is_shared_phase(run: &LockRun, lock: LockClass) -> bool {
    let queues_of = (run.family, lock.family);
    run.entry.is_none()
        && matches!(queues_of, (Family::Mutex, Family::Rwsem) | (Family::Spinlock, Family::Rwlock))
}

/// Whether a lock is built of the one below it, so that its frame belongs to the same run.
fn joins(inner: Family, outer: LockClass) -> bool {
    use Family as F;
    if outer.role == Role::Unlock {
        // The wait lock of a sleeping lock is taken to wake its waiters, by one or more functions (`rwsem_wake` in
        // `up_read`); a spinlock's release takes no lock.
        let is_wait_lock = matches!(inner, F::Spinlock | F::Rtmutex) || inner == outer.family;
        return is_wait_lock && outer.family.sleeps();
    }
    match (inner, outer.family) {
        (inner, outer) if inner == outer => true,
        // With CONFIG_PREEMPT_RT the spinning and sleeping locks are built on rtmutex.
        (F::Spinlock | F::Rwlock | F::Rtmutex, outer) if outer.sleeps() || outer == F::Lglock => true,
        (F::Rtmutex, F::Spinlock | F::Rwlock) | (F::Spinlock, F::Rwlock) => true,
        (F::Mutex, F::Rwsem) | (F::Rwsem, F::PercpuRwsem) => true,
        (F::Futex, outer) => outer.is_user(),
        (F::Pthread | F::Rust | F::Go | F::OtherUser, outer) => outer.is_user(),
        _ => false,
    }
}
