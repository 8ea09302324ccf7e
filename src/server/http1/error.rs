//! Why the framer rejects a request.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestError {
    /// The first line is not `METHOD target HTTP/1.1` (or 1.0).
    RequestLine,
    /// The request target is not a valid URI.
    Target,
    /// A header line is malformed.
    Header,
    /// `Host` is missing, which only HTTP/1.0 permits, or repeated.
    Host,
    /// `Content-Length` and `Transfer-Encoding` are malformed, repeated, contradictory, or both
    /// missing in an HTTP/1.0 POST.
    BodyLength,
    /// The head is longer than [`MAX_HEAD_BYTES`](super::head::MAX_HEAD_BYTES) or has too many
    /// headers.
    HeadTooLong,
    /// `Content-Length` exceeds the limit of its request, which is this many bytes.
    BodyTooLong(usize),
    /// The head did not arrive in time.
    Timeout,
}
