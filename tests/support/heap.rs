//! An allocator that counts, so that a test can hold a piece of work to a bound of memory.

#![allow(unsafe_code, reason = "an allocator is unsafe by its trait; it adds counts to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static MEASURING: Mutex<()> = Mutex::new(());

fn took(size: usize) {
    let held = HELD.fetch_add(size, Relaxed) + size;
    PEAK.fetch_max(held, Relaxed);
}

fn gave(size: usize) {
    HELD.fetch_sub(size, Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came, and the counts touch no memory of the caller's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        gave(layout.size());
        unsafe { System.dealloc(at, layout) }
    }

    // Both places may be held while the bytes move.
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        took(size);
        gave(layout.size());
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Held by a test whose work is measured: tests of one program run beside each other, and the counts are of all.
pub fn alone() -> MutexGuard<'static, ()> {
    MEASURING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `act` returns, and the most bytes that were held at once while it ran, above those held before.
pub fn peak_of<T>(act: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let value = act();
    (value, PEAK.load(Relaxed).saturating_sub(before))
}
