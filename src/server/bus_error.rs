//! Writes a sentence to stderr before SIGBUS ends the process.
//!
//! The index is memory-mapped. If a mapped file was truncated, or its disk cannot be read, the system
//! sends SIGBUS to the thread that reads the map, and the process ends without any message. A
//! thread cannot go on from there, because the bytes that it needs do not exist.

use std::{
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io, stdio,
};
use serde_json::json;

use crate::logging::Format;

/// The line to write. Made before, because a signal handler must not allocate memory.
static LINE: OnceLock<String> = OnceLock::new();

/// Whether a thread is writing the line or has written it. Several threads may get the signal.
static IS_WRITTEN: AtomicBool = AtomicBool::new(false);

/// How long to wait for a reader of stderr that is slow. Without a limit, a reader that hangs would
/// keep the process from ending.
const STDERR_TIMEOUT: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Installs the signal handler of a process that serves this index. The first call counts.
pub(crate) fn install(index_dir: &Path, format: Format) {
    if LINE.set(line(index_dir, format)).is_ok() {
        set_handler(on_bus_error as extern "C" fn(libc::c_int) as libc::sighandler_t);
    }
}

/// Decision D-174: the log line, without a time. It is shorter than what a pipe takes at once.
fn line(index_dir: &Path, format: Format) -> String {
    let message = format!(
        "SIGBUS: a memory-mapped file could not be read, most likely one of the index in {}, so the server stops: the file was truncated, \
         or its disk fails; check the disk, and start the server again: it serves the newest whole generation; then re-index with `procure index`",
        index_dir.display()
    );
    match format {
        Format::Text => format!("ERROR index: {message}\n"),
        Format::Json => json!({"level": "error", "target": "index", "message": message}).to_string() + "\n",
    }
}

/// The first thread writes the line and restores the default action. Then all of them return and
/// repeat the read that failed, which ends the process.
extern "C" fn on_bus_error(signal: libc::c_int) {
    if IS_WRITTEN.swap(true, Ordering::Relaxed) {
        return;
    }
    write_line();
    set_handler(libc::SIG_DFL);
    // For a signal that another process sent: no read fails again then. It is delivered when this
    // handler has returned.
    raise(signal);
}

/// Only system calls, on memory that exists: a signal handler may do no more.
fn write_line() {
    let (stderr, mut rest) = (stdio::stderr(), LINE.get().map_or("", String::as_str).as_bytes());
    let is_writable = || {
        let mut descriptors = [PollFd::new(&stderr, PollFlags::OUT)];
        poll(&mut descriptors, Some(&STDERR_TIMEOUT)).is_ok_and(|ready| ready > 0)
    };
    while !rest.is_empty() && is_writable() {
        match io::write(stderr, rest) {
            Ok(written) => rest = &rest[written.min(rest.len())..],
            Err(io::Errno::INTR | io::Errno::AGAIN) => {}
            Err(_) => return,
        }
    }
}

#[expect(unsafe_code, reason = "the standard library has no function that handles a signal")]
fn set_handler(handler: libc::sighandler_t) {
    // SAFETY: the handler is the default action or `on_bus_error`, which only makes system calls and
    // reads statics that are set before it is installed.
    unsafe { libc::signal(libc::SIGBUS, handler) };
}

#[expect(unsafe_code, reason = "the standard library has no function that sends a signal")]
fn raise(signal: libc::c_int) {
    // SAFETY: it takes a number and touches no memory. A signal handler may call it.
    unsafe { libc::raise(signal) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_is_one_short_line_in_either_format() {
        let index_dir = Path::new("/a \"folder\"\nwith a line feed");
        let text = line(Path::new("/data"), Format::Text);
        assert!(
            text.starts_with("ERROR index: SIGBUS: ") && text.contains("/data") && text.len() < 4096,
            "{text}"
        );
        let json = line(index_dir, Format::Json);
        assert_eq!(json.lines().count(), 1, "{json}");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["level"], "error");
        assert!(
            json["message"]
                .as_str()
                .is_some_and(|message| message.contains("with a line feed"))
        );
    }
}
