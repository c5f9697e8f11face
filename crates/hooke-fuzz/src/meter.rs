//! How much memory a call takes: an allocator that counts, thread by thread.
//!
//! A test makes it the allocator of its program with
//! `#[global_allocator] static ALLOCATOR: Meter = Meter;` and asks [`measure`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counted.
pub struct Meter;

/// What a call has taken, counted on its own thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Bytes held at once, at most.
    pub peak: usize,
    /// Bytes asked for, all together.
    pub bytes: usize,
}

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static TAKEN: Cell<Taken> = const { Cell::new(Taken { peak: 0, bytes: 0 }) };
}

/// Runs something and tells what it took. Zero where the program's allocator is not a [`Meter`].
pub fn measure<T>(run: impl FnOnce() -> T) -> (T, Taken) {
    HELD.set(0);
    TAKEN.set(Taken::default());
    let result = run();
    (result, TAKEN.get())
}

fn take(size: usize) {
    let held = HELD.get().saturating_add(size);
    HELD.set(held);
    let Taken { peak, bytes } = TAKEN.get();
    TAKEN.set(Taken { peak: peak.max(held), bytes: bytes.saturating_add(size) });
}

/// What was taken before the measurement began may be given back during it.
fn give_back(size: usize) {
    HELD.set(HELD.get().saturating_sub(size));
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as required of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While it is copied, both are held.
        take(size);
        give_back(layout.size());
        // SAFETY: as required of the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
