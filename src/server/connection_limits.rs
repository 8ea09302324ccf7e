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
    /// The memory for request bodies, in bytes.
    pub request_bytes: usize,
    /// The memory for responses that clients have not read yet, in bytes.
    pub response_bytes: usize,
}

/// Decision D-115: generous to slow lines, but not to clients that do nothing.
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
            request_bytes: 64 << 20,
            response_bytes: 128 << 20,
        }
    }
}
