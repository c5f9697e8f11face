//! Out of memory: one sentence and the exit code of a limit, where a program would be aborted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Cursor, Write};

/// The system's allocator, which ends the program where there is nothing left.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

// SAFETY: every call is passed on to the system's allocator unchanged; what is null is never returned.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as required of the caller.
        had(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as required of the caller.
        had(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as required of the caller.
        had(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

#[inline]
fn had(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        give_up(bytes);
    }
    pointer
}

/// Tells why and ends, without allocating anything.
#[cold]
fn give_up(bytes: usize) -> ! {
    let mut line = Cursor::new([0; 160]);
    let _ = writeln!(
        line,
        "error: out of memory: {bytes} bytes more are not to be had; hooke check tells what a scene \
         takes"
    );
    let length = line.position() as usize;
    let _ = std::io::stderr().write_all(&line.get_ref()[..length]);
    _exit(6)
}

// SAFETY: this is how the C library declares it. It ends the program at once; `std::process::exit`
// would first look after standard output, whose buffer may be what could not be had.
unsafe extern "C" {
    safe fn _exit(code: std::ffi::c_int) -> !;
}
