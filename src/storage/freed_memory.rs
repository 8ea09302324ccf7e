//! Memory that this process has freed and the allocator still holds.

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

/// Other allocators return memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
