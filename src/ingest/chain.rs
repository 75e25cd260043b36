//! A sample's callchain, cut at its context markers into the kernel's and the user's part.

use crate::perf::bytes::{Endian, words};
use crate::perf::record::CpuMode;

/// Words from here on are markers, not addresses.
const CONTEXT_MAX: u64 = -4095i64 as u64;
const KERNEL: u64 = -128i64 as u64;
const USER: u64 = -512i64 as u64;
const USER_DEFERRED: u64 = -640i64 as u64;

/// Which part an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Kernel,
    User,
    Foreign,
}

impl Part {
    fn of_mode(mode: CpuMode, address: u64) -> Self {
        match mode {
            CpuMode::Kernel => Part::Kernel,
            CpuMode::User => Part::User,
            // Not told: the halves of the address space tell.
            CpuMode::Unknown if address >> 63 == 1 => Part::Kernel,
            CpuMode::Unknown => Part::User,
            CpuMode::Hypervisor | CpuMode::GuestKernel | CpuMode::GuestUser => Part::Foreign,
        }
    }
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
}

impl Chain {
    /// The number of frames.
    pub(super) fn depth(&self) -> usize {
        self.kernel.len() + self.user.len() + self.foreign.len()
    }

    /// Cuts a callchain. The sample's own instruction pointer is the leaf: it takes the place of the first entry of
    /// its part, from which it differs where the hardware is more precise than the walk, and stands alone where there
    /// is no callchain or the callchain leaves its part out.
    #[inline]
    pub(super) fn set(&mut self, ip: Option<u64>, mode: CpuMode, callchain: &[u8], endian: Endian) {
        self.kernel.clear();
        self.user.clear();
        self.foreign.clear();
        let mut part = None;
        let mut callchain = words(callchain, endian);
        while let Some(word) = callchain.next() {
            if word >= CONTEXT_MAX {
                part = Some(match word {
                    KERNEL => Part::Kernel,
                    USER | USER_DEFERRED => Part::User,
                    _ => Part::Foreign,
                });
                if word == USER_DEFERRED {
                    // The user's part is recorded apart, later; what stands here is the cookie that names it.
                    callchain.next();
                }
                continue;
            }
            // A link register that was not saved reads as zero.
            if word == 0 {
                continue;
            }
            match part.unwrap_or_else(|| Part::of_mode(mode, word)) {
                Part::Kernel => self.kernel.push(word),
                Part::User => self.user.push(word),
                Part::Foreign => self.foreign.push(word),
            }
        }
        let Some(ip) = ip else { return };
        if mode == CpuMode::User {
            // What ran was user code: a kernel part would be the sampling's own.
            self.kernel.clear();
        }
        let own = match Part::of_mode(mode, ip) {
            Part::Kernel => &mut self.kernel,
            Part::User => &mut self.user,
            Part::Foreign => &mut self.foreign,
        };
        match own.first_mut() {
            Some(leaf) => *leaf = ip,
            None => own.push(ip),
        }
    }
}
