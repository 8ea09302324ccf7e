//! Memory that this process has freed and the allocator of glibc still holds.

/// Gives it back to the system. It takes the allocator some milliseconds.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the standard library cannot ask the allocator to return memory"
)]
pub(crate) fn give_back() {
    // SAFETY: the function takes a number, may be called from any thread at any time, and frees only what is not in
    // use.
    unsafe { libc::malloc_trim(0) };
}

/// Lets the threads share as many parts of the allocator as the machine has cores, instead of eight times as many: each
/// part keeps its own freed memory, up to [`KEPT_BYTES`] at its end. For the start of the program, before there are
/// other threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the standard library cannot set up the allocator")]
pub(crate) fn share_between_threads() {
    let cores = std::thread::available_parallelism().map_or(MIN_PARTS, |cores| cores.get());
    let parts = i32::try_from(cores.max(MIN_PARTS)).unwrap_or(i32::MAX);
    for (option, value) in [
        (libc::M_ARENA_MAX, parts),
        (libc::M_TRIM_THRESHOLD, KEPT_BYTES),
        (libc::M_MMAP_THRESHOLD, KEPT_BYTES),
    ] {
        // SAFETY: the function takes two numbers, and refuses those that it does not know.
        unsafe { libc::mallopt(option, value) };
    }
}

/// What a part keeps of its freed memory, and the size from which memory is taken from the system alone: the largest
/// page. With glibc's own bounds, a page of 500 records gave its memory back and took it again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BYTES: libc::c_int = 8 << 20;

/// With a single part, each thread would wait for the others.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MIN_PARTS: usize = 2;

/// Other allocators return memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}

/// Other allocators share by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share_between_threads() {}
