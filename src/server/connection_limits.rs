//! The time and the memory that clients may take.

use std::time::Duration;

/// The resources a client may take.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections with a place; further ones get a 503.
    pub connections: usize,
    /// From a request's first byte to the end of its head, and from the connection to its first
    /// byte.
    pub head: Duration,
    /// From the end of a head to the end of its body.
    pub body: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// Between two requests of a connection on which no valid key arrived.
    pub keyless_idle: Duration,
    /// In each window of this length, a client has to read the bytes of the least pace.
    pub write_window: Duration,
    /// The least pace at which a client has to read a response, in bytes per second.
    pub least_bytes_per_second: u64,
    /// Once the server stops: for the rest of a body to arrive, and the window of the pace.
    pub stop_window: Duration,
    /// The least pace once the server stops, in bytes per second.
    pub stop_bytes_per_second: u64,
    /// The memory for request bodies, in bytes.
    pub request_bytes: usize,
    /// The memory for responses that clients have not read yet, in bytes.
    pub response_bytes: usize,
    /// Decision D-265: the anonymous memory of the process from which it is short, in bytes.
    pub memory_bytes: i64,
    /// What may be used of it at least beyond the least since a generation was opened, where an index of more than two
    /// million records takes much itself.
    pub memory_growth_bytes: i64,
}

impl ConnectionLimits {
    /// How long the connection of a client with a valid key, or of another one, may be idle.
    pub(crate) fn idle_time(&self, is_keyed: bool) -> Duration {
        if is_keyed {
            self.idle
        } else {
            self.idle.min(self.keyless_idle)
        }
    }

    /// The window and the least pace in which a client has to read a response. Decision D-120: once the server stops,
    /// it waits for slow clients no longer than others need to be answered.
    pub(crate) fn pace(&self, is_stopping: bool) -> (Duration, u64) {
        if is_stopping {
            (self.stop_window, self.stop_bytes_per_second)
        } else {
            (self.write_window, self.least_bytes_per_second)
        }
    }
}

/// Generous to slow lines, but not to clients that do nothing.
impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits {
            connections: 4096,
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            keyless_idle: Duration::from_secs(15),
            write_window: Duration::from_secs(30),
            least_bytes_per_second: 5 << 10,
            stop_window: Duration::from_secs(5),
            stop_bytes_per_second: 256 << 10,
            request_bytes: 64 << 20,
            response_bytes: 128 << 20,
            memory_bytes: 416 << 20,
            memory_growth_bytes: 256 << 20,
        }
    }
}
