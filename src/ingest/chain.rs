//! A sample's callchain, cut at its context markers into the kernel's and the user's part, and joined with what of the
//! user's part was recorded elsewhere: in the sample's branch stack, or in a later record.

use super::deferred::DeferredParts;
use crate::perf::attr::{EventAttr, branch_sample};
use crate::perf::bytes::{Endian, words};
use crate::perf::record::CpuMode;
use crate::perf::sample::Sample;

/// Words from here on are markers, not addresses.
const CONTEXT_MAX: u64 = -4095i64 as u64;
const KERNEL: u64 = -128i64 as u64;
const USER: u64 = -512i64 as u64;
const USER_DEFERRED: u64 = -640i64 as u64;

/// What all samples of a recording have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'a> {
    /// The byte order.
    pub endian: Endian,
    /// The kernel's lowest address, for addresses of which nothing else tells whose they are.
    pub kernel_start: u64,
    /// User parts that were recorded later.
    pub deferred: &'a DeferredParts,
}

/// What an event's branch stacks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Branches {
    /// The calls that have not returned (`--call-graph lbr`).
    Calls,
    /// Whatever was taken last, if anything.
    Any,
}

impl Branches {
    /// Those of an event.
    pub(super) fn of(attr: &EventAttr) -> Self {
        match attr.branch_sample_type & branch_sample::CALL_STACK {
            0 => Branches::Any,
            _ => Branches::Calls,
        }
    }
}

/// What became of a user part that the kernel was to record later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Deferral {
    /// There is none.
    #[default]
    Never,
    /// It was found.
    Joined,
    /// It was lost, or the recording ended before.
    Missing,
}

/// Which part an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Kernel,
    User,
    Foreign,
}

impl Part {
    fn of_mode(mode: CpuMode, address: u64, kernel_start: u64) -> Self {
        match mode {
            CpuMode::Kernel => Part::Kernel,
            CpuMode::User => Part::User,
            // Not told: the parts of the address space tell.
            CpuMode::Unknown if address >= kernel_start => Part::Kernel,
            CpuMode::Unknown => Part::User,
            CpuMode::Hypervisor | CpuMode::GuestKernel | CpuMode::GuestUser => Part::Foreign,
        }
    }
}

/// The marker under which a callchain has its user part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UserMark {
    /// The part follows.
    Here,
    /// It is recorded later, under this cookie.
    Deferred(Option<u64>),
}

/// The parts of one callchain, leaf first; kept between samples, so that nothing is allocated for each.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// Addresses in the kernel.
    pub kernel: Vec<u64>,
    /// Addresses in user space.
    pub user: Vec<u64>,
    /// Addresses of guests and hypervisors.
    pub foreign: Vec<u64>,
    /// Whether the user part was recorded later.
    pub deferral: Deferral,
    /// When it was: its addresses mean what was mapped then, which differs where the sample hit an exec.
    pub deferred_until: Option<u64>,
}

impl Chain {
    /// The number of frames.
    pub(super) fn depth(&self) -> usize {
        self.kernel.len() + self.user.len() + self.foreign.len()
    }

    /// Takes a sample's callchain. Its own instruction pointer is the leaf: it takes the place of the first entry of
    /// its part, from which it differs where the hardware is more precise than the walk, and stands alone where there
    /// is no callchain or the callchain leaves its part out.
    #[inline]
    pub(super) fn set(&mut self, sample: &Sample<'_>, mode: CpuMode, branches: Branches, rules: &Rules<'_>) {
        self.clear();
        let mark = self.cut(sample.callchain.unwrap_or_default(), mode, rules.endian, rules.kernel_start);
        match (mode, mark) {
            // What ran was the guest: the host's callchain only says who let it run.
            (CpuMode::GuestKernel | CpuMode::GuestUser, _) => {
                self.kernel.clear();
                self.user.clear();
            }
            (_, Some(mark)) => self.join(sample, branches, mark, rules),
            (_, None) => {}
        }
        if mode == CpuMode::User {
            // What ran was user code: a kernel part would be the sampling's own.
            self.kernel.clear();
        }
        let Some(ip) = sample.ip else { return };
        let own = match Part::of_mode(mode, ip, rules.kernel_start) {
            Part::Kernel => &mut self.kernel,
            Part::User => &mut self.user,
            Part::Foreign => &mut self.foreign,
        };
        match own.first_mut() {
            Some(leaf) => *leaf = ip,
            None => own.push(ip),
        }
    }

    /// The user's addresses of a callchain that holds no others.
    pub(super) fn only_user(&mut self, callchain: &[u8], endian: Endian) -> &[u64] {
        self.clear();
        self.cut(callchain, CpuMode::User, endian, u64::MAX);
        &self.user
    }

    fn clear(&mut self) {
        self.kernel.clear();
        self.user.clear();
        self.foreign.clear();
        self.deferral = Deferral::Never;
        self.deferred_until = None;
    }

    /// Cuts a callchain at its markers, and says under which of them its user part stands. Where none stands before an
    /// address, the sample's mode tells whose it is.
    #[inline]
    fn cut(
        &mut self,
        callchain: &[u8],
        mode: CpuMode,
        endian: Endian,
        kernel_start: u64,
    ) -> Option<UserMark> {
        let (mut part, mut mark) = (None, None);
        let mut callchain = words(callchain, endian);
        while let Some(word) = callchain.next() {
            if word >= CONTEXT_MAX {
                part = Some(match word {
                    KERNEL => Part::Kernel,
                    USER | USER_DEFERRED => Part::User,
                    _ => Part::Foreign,
                });
                match word {
                    USER => mark = Some(UserMark::Here),
                    USER_DEFERRED => mark = Some(UserMark::Deferred(callchain.next())),
                    _ => {}
                }
                continue;
            }
            // A link register that was not saved reads as zero.
            if word == 0 {
                continue;
            }
            match part.unwrap_or_else(|| Part::of_mode(mode, word, kernel_start)) {
                Part::Kernel => self.kernel.push(word),
                Part::User => self.user.push(word),
                Part::Foreign => self.foreign.push(word),
            }
        }
        mark
    }

    /// Gives the user part what was recorded of it elsewhere. As perf has it, calls in the branch stack count before
    /// the callchain, but only where that has a user part: a thread of the kernel has none, whatever its registers hold.
    fn join(&mut self, sample: &Sample<'_>, branches: Branches, mark: UserMark, rules: &Rules<'_>) {
        let calls = sample.branch_stack.map(|stack| stack.entries).filter(|entries| !entries.is_empty());
        if let (Branches::Calls, Some(entries)) = (branches, calls) {
            self.user.clear();
            self.user.extend(called_from(entries, rules.endian));
            return;
        }
        let UserMark::Deferred(cookie) = mark else { return };
        match cookie.and_then(|cookie| rules.deferred.find(cookie, sample.tid, sample.time)) {
            Some((time, words)) => {
                self.user.extend_from_slice(words);
                self.deferral = Deferral::Joined;
                self.deferred_until = time;
            }
            None => self.deferral = Deferral::Missing,
        }
    }
}

/// A stack of calls, newest first, as addresses of a callchain: where the newest call went, and where each came from.
///
/// An entry tells the call itself, and a callchain the address behind it, which is looked up one byte before: one more
/// finds the call.
fn called_from(entries: &[u8], endian: Endian) -> impl Iterator<Item = u64> + '_ {
    let newest = words(entries, endian).nth(1);
    let calls = words(entries, endian).step_by(3).filter(|&from| from != 0);
    newest.into_iter().chain(calls.map(|from| from.wrapping_add(1)))
}
